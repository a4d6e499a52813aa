"""The engine of uncertainty: rows, clusters or queries in, limits out.

``scores_of_models`` scores one model, or several together, whose ``Estimate`` is made by
``estimate`` for rankings, and by ``means``, with the equations of ``docs/methods.md`` in their
order. They call ``rows`` for the places of rows, the units to which these belong and sums over
both, ``_half_samples`` for definitions without influence, with the halves of ``_paired_rows`` and
an order of units by ``keys``, and ``hidden_rows`` for the rows that the sample may lack.
``Estimate.limits`` are those at any level, ``Estimate.degrees`` their degrees of freedom, also over
queries, and ``Estimate.enlarged`` is that of a larger sample.

``few_labels`` scores rows of which few have labels. Its models, and those of all rows, are a
``joint`` estimate, which ``differences_of_models`` and ``best`` compare, with the room that
``_rooms`` leaves for hidden rows; ``differences_of_samples`` compares scores that share no rows.
Warnings of small samples, and of few labels, are those of ``inference``.

Examples in comments are of a ranking such as 1 0 (1 0) 0: a positive, a negative, a positive and a
negative with one score, and a negative, each a unit. Its step average precision is 0.75.
"""
