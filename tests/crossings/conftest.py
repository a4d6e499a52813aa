"""What the crossings share."""

import pytest

from sklearn_ap._uncertainty import _half_samples


@pytest.fixture
def few_halves(monkeypatch):
    """Of scores at k, which need many to be sure, and not to be the same."""
    for name in ("FEWEST_PAIRS", "MOST_PAIRS"):
        monkeypatch.setattr(_half_samples, name, 64)
