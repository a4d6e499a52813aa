"""Cross-validations: their pools, and what training rows do to scores and comparisons."""
