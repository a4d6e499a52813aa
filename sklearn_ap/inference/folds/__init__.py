"""Scores of the models of a cross-validation.

In reading order: ``fold_predictions`` (what a user keeps of the folds), ``candidates`` (those of a
finished search, cross-validated again), ``pools`` (all folds as one ranking, and which folds
are refused).
"""
