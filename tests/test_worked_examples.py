"""Worked examples from the literature, with the numbers that their authors print."""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    definitions,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
    threshold_counts,
)


def ranks(n):
    return np.arange(n, 0, -1) / n


def linear(*rows):
    return definitions.Linear()(threshold_counts(*rows))[0]


class TestMcCannGeeseAndAirplanes:
    """McCann, "It's a bird... it's a plane... it... depends on your classifier's threshold"."""

    HITS = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])

    def test_precision_and_recall_at_every_cutoff(self):
        percent = [
            *[(100, 20), (100, 40), (66, 40), (75, 60), (60, 60)],
            *[(66, 80), (57, 80), (50, 80), (44, 80), (50, 100)],
        ]
        for k, (precision, recall) in enumerate(percent, start=1):
            # the text cuts off the decimals
            assert int(100 * precision_at_k_score(self.HITS, ranks(10), k=k)) == precision
            assert int(100 * recall_at_k_score(self.HITS, ranks(10), k=k)) == recall

    def test_average_precision(self):
        expected = (1 + 1 + 3 / 4 + 4 / 6 + 5 / 10) / 5
        assert expected == pytest.approx(0.782, abs=2e-3)  # from terms rounded to two digits
        # No later point is higher.
        for score in (average_precision_score, interpolated_average_precision_score):
            assert score(self.HITS, ranks(10)) == pytest.approx(expected, abs=1e-15)

    def test_eleven_point_average_precision(self):
        # levels 0-.4: 1; .5 and .6: 3/4; .7 and .8: 4/6; .9 and 1: 1/2
        expected = (5 * 1 + 2 * 3 / 4 + 2 * 4 / 6 + 2 * 1 / 2) / 11
        assert eleven_point_average_precision_score(self.HITS, ranks(10)) == pytest.approx(expected)


class TestDingwallOrangesAndApples:
    """Dingwall, "Stepping away from linear interpolation"."""

    def test_improved_prediction_is_worse_under_linear_and_better_under_step(self):
        y_true, constant = np.arange(100) < 10, np.full(100, 0.5)
        improved = np.where(np.isin(np.arange(100), [0, 99]), 0.8, 0.5)  # one of each class
        assert average_precision_score(y_true, constant) == pytest.approx(0.1)
        linear = [
            definitions.Linear()(threshold_counts(y_true, s))[0] for s in (constant, improved)
        ]
        assert linear[0] == pytest.approx(0.55)
        assert linear[1] < 0.55
        assert average_precision_score(y_true, improved) > 0.1
