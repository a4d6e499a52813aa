"""How sure each look at growing data must be."""

from sklearn_ap.looks._levels import LookLevels, look_levels

__all__ = ["LookLevels", "look_levels"]
