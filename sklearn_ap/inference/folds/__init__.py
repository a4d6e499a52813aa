"""Scores of the models of a cross-validation.

In reading order: ``fold_predictions`` (what a user keeps of the folds), ``pools`` (all folds as one
ranking).
"""
