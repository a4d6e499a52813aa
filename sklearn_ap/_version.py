"""The version, which nothing else is imported for."""

__version__ = "0.7.0"
