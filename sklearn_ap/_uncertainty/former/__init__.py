"""Limits of shares, which thresholds still need."""
