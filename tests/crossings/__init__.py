"""Combinations of all options of the public functions. See README.md."""
