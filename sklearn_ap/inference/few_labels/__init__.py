"""Scores of many rows, of which few are labelled.

In reading order: ``rows_to_label`` (which rows to label), ``labelled_rows`` (how labels are
checked), ``label_doubts`` (what makes them doubtful). Their limits are those of
``_uncertainty/few_labels.py``.
"""
