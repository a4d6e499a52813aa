"""A threshold to act on, with its precision and recall."""
