"""One page about predictions: facts from public results, then advice, then words.

``report`` makes ``data``, which asks each question to a public function once, and keeps its call
(``_calls``). ``_rules`` make facts of the answers (``_facts``), which write their numbers.
``_advice`` gathers them and chooses what comes first, ``_parts`` adds tables and pictures, and
``page`` is the result.

A new fact is a record in ``_facts`` with its words, a rule, and a place in ``_advice.gather``.
"""
