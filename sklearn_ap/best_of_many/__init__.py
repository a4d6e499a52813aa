"""The best of several models: how good it is, and which others may be the best."""

from sklearn_ap.best_of_many._best import BestAveragePrecision, best_average_precision

__all__ = ["BestAveragePrecision", "best_average_precision"]
