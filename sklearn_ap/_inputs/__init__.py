"""What users pass: checked once, and brought to one form.

``request`` holds the arguments of a score, and asks the others in turn: ``labels_and_scores`` for
which rows are positive, ``arrays`` for columns of numbers, ``codes`` for columns of names, and
``rankings`` for rankings of rows, queries, columns or classes. ``rows_of_models`` reads the scores
of several models, which ``sourced_scores`` lets know their source, and ``estimators`` asks a fitted
one for scores. ``options`` are choices and numbers, ``numbers`` reads those that are text, and
``dates`` puts times into ``units``.
"""
