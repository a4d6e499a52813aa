"""What all of the package shares: names of types, and the constants of its formulas."""
