"""Whether a model is worse in one segment of the rows than in another."""
