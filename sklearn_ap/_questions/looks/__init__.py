"""Confidence levels of several looks at growing data."""
