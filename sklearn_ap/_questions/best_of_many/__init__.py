"""The best of several models: how good it is, and which others may be the best."""
