"""Counting: how many positives and negatives score at and above each threshold."""
