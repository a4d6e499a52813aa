"""Scores of many rows, of which few are labelled.

In reading order: ``rows_to_label`` (which rows to label), ``labelled_rows`` (what is checked and
doubted of them). Their limits are those of ``_uncertainty/few_labels.py``.
"""
