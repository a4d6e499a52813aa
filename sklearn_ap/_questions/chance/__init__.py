"""Whether a score is better than that of random orders."""
