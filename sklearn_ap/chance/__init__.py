"""Whether a score is better than that of random orders."""

from sklearn_ap.chance._random_orders import ChanceTest, chance_test

__all__ = ["ChanceTest", "chance_test"]
