"""The door: what the user passed comes in, clean NumPy arrays go out."""
