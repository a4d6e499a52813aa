"""The comparison of a score with those of random orders."""
