"""Pictures of rankings, as scikit-learn's displays draw them, and of results."""
