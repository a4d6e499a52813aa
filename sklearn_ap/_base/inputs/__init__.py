"""Input validation: from what the user passed to clean NumPy arrays."""
