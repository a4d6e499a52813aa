"""One page that says it all of some predictions: a client that has no mathematics of its own."""
