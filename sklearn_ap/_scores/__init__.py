"""The score functions, and the arrays of the hit curve."""
