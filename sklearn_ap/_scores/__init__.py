"""The score functions, and the arrays of curves and bands."""
