"""How many positives a study needs."""
