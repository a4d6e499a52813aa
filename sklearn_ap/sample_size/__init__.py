"""How many positives a study needs."""

from sklearn_ap.sample_size._plan import positives_for

__all__ = ["positives_for"]
