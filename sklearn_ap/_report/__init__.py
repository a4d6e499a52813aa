"""One page about predictions: facts from public results, then advice, then words."""
