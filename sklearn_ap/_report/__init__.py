"""One page about predictions: facts from public results, then advice, then a page.

``report`` makes ``questions`` about ``_data``, each of which asks a public function once and keeps
its call (``_calls``). ``_rules`` make facts of the answers (``_facts``), which write themselves in
a sentence. ``_advice`` gathers them and chooses what comes first, ``_parts`` adds tables and
pictures, and ``page`` is the result.

A new fact is a record in ``_facts`` with its sentence, a rule, and a place in ``_advice.gather``.
"""
