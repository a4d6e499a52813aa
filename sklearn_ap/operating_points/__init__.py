"""A threshold to act on, with its precision and recall."""

from sklearn_ap.operating_points._operating_point import OperatingPoint, operating_point

__all__ = ["OperatingPoint", "operating_point"]
