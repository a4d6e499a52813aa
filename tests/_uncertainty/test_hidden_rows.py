"""Limits of a score by hand, where ``test_engine.py`` has no slow reference."""

import numpy as np
import pytest

from sklearn_ap import average_precision_interval
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._uncertainty.estimate import place_rankings
from sklearn_ap._uncertainty.hidden_rows import HiddenRows
from sklearn_ap.definitions import AtK, Expected


def test_a_share_of_ranks_leaves_hidden_positives_as_much_room_as_their_number():
    y_true, y_score = np.r_[np.zeros(5), np.ones(10), np.zeros(85)], -np.arange(100.0)
    for share, number in ((AtK(0.2), AtK(20)), (Expected(0.2), Expected(20))):
        one, other = (
            average_precision_interval(y_true, y_score, definition=each) for each in (share, number)
        )
        assert (one.estimate, one.low, one.high) == pytest.approx(
            (other.estimate, other.low, other.high)
        )


def test_few_of_many_numbers_of_hidden_rows_are_tried(monkeypatch):
    rng = np.random.default_rng(0)
    y = np.arange(2000) < 3
    request = Request(y_true=y, y_score=y + rng.normal(size=2000))
    scored = place_rankings(AtK(10), check_rankings(request, all_items=True))
    n_tried, values_with = [], HiddenRows.values_with
    monkeypatch.setattr(
        HiddenRows, "values_with", lambda *a, **k: n_tried.append(1) or values_with(*a, **k)
    )
    changes = scored.hidden.changes(np.array([1500.0]))
    assert len(n_tried) <= 3 * 60
    assert changes.down[0] == pytest.approx(scored.values[0])
