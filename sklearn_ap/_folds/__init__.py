"""Predictions of fitted models, and the pool of those of folds."""
