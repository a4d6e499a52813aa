"""One page about predictions: facts from public results, then advice, then a page.

``report`` makes ``questions`` about ``_data``, each of which asks a public function once and
keeps its call (``_calls``). A file for each part of the page (``_models``, ``_segments`` with
``_falls``, ``_better_there`` and ``_at_random``, ``_thresholds``, ``_top_rows``, ``_looked_at``)
has its records of facts, which write themselves in a sentence, the rules that find them, at the
levels of ``_levels``, and their table. What all facts and parts have stands in ``_fact`` and
``_parts``, and columns of a file that were not used in ``not_used``. ``_advice`` chooses
what comes first, and ``page`` is the result. A new part is a file like these, whose part
``make_report`` adds.
"""
