"""Rows of four models, for the command line."""

import numpy as np
import pandas as pd

N = 600


def make_frame():
    """Labels, models, weights, clusters, places and days."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.3
    shared = y + rng.normal(size=N)
    old = np.round(shared + 0.4 * rng.normal(size=N), 4)
    return pd.DataFrame(
        {
            "y": y.astype(int),
            "old": old,
            "new": old + 2 * y,  # better beyond doubt
            "twin": np.round(shared + 0.4 * rng.normal(size=N), 4),  # neither better nor worse
            "w": rng.integers(1, 4, N),
            "g": rng.integers(0, 60, N),
            "place": np.array(["DE", "FR", "IT"])[np.arange(N) % 3],
            "day": np.datetime_as_string(np.datetime64("2026-07-01") + np.arange(N) // 7),
        }
    )


FRAME = make_frame()
