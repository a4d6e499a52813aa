"""Counts become values, and values lie within the bounds of their definition."""

from dataclasses import dataclass

import numpy as np
import pytest
from every import every

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    threshold_counts,
)
from sklearn_ap._scoring import values_of
from sklearn_ap.definitions import Heights


@dataclass(frozen=True, repr=False)
class Lift(Heights):
    """Up to twice the precision, as if half of the rows were positive."""

    factor: float = 2.0
    title = "lift"
    bounds = (0.0, 2.0)

    def heights(self, counts):
        return self.factor * counts.precision


def test_values_are_clipped_at_the_upper_bound():
    counts = threshold_counts([1, 0], [0.9, 0.1])
    assert values_of(Lift(), counts).tolist() == [2.0]
    assert values_of(Lift(2.0 + 1e-15), counts).tolist() == [2.0]


@every("wrong", [1.5, -0.1])
@every("queries", [None, [1, 1, 2, 2]])
def test_values_outside_the_bounds_of_a_definition_are_refused(wrong, queries):
    class Wrong(Lift):
        bounds = (0.0, 1.0)

        def __call__(self, counts):
            return np.full(counts.starts.shape, wrong)

    y_true, y_score = [1, 0, 1, 0], [4, 3, 2, 1]
    options = {"definition": Wrong(), "queries": queries}
    for call in (
        lambda: average_precision_score(y_true, y_score, **options),
        lambda: threshold_counts(y_true, y_score).score(Wrong()),
        lambda: average_precision_interval(y_true, y_score, **options),
        lambda: AveragePrecisionDisplay.from_predictions(y_true, y_score, **options),
    ):
        with pytest.raises(ValueError, match=rf"gives {wrong}, which is not within its bounds"):
            call()


@every("found", [0.5, [0.5, 0.5], np.array([0.5]), np.full((2, 1), 0.5)])
def test_a_definition_that_gives_no_value_for_each_ranking_is_refused(found):
    class Wrong(Lift):
        def __call__(self, counts):
            return found

    options = {"queries": [1, 1, 2, 2], "definition": Wrong()}
    with pytest.raises(ValueError, match=r"one value for each ranking, of shape \(2,\)"):
        average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], **options)


def test_the_weight_of_an_undefined_row_hides_no_light_ones():
    y_true, weight = [[0, 0], [1, 0], [0, 1]], [1e20, 1e-310, 1e-310]
    options = {"average": "samples", "sample_weight": weight, "zero_division": np.nan}
    assert average_precision_score(y_true, [[2, 1]] * 3, **options) == (1 + 1 / 2) / 2


class TestFarBelowThePrevalence:
    """Scores that rank the negatives first, such as the other column of predict_proba."""

    Y = np.arange(3333) < 10
    REVERSED = np.arange(3333.0)
    LOW = "far below that of random scores, about 0.003"

    def test_it_is_warned_of(self):
        with pytest.warns(UserWarning, match=f"0.00165, is {self.LOW}.*-y_score") as record:
            average_precision_score(self.Y, self.REVERSED)
        assert record[0].filename == __file__

    def test_intervals_and_comparisons_warn_of_it_too(self):
        with pytest.warns(UserWarning, match=f"The average precision, 0.00165, is {self.LOW}"):
            sklearn_ap.average_precision_interval(self.Y, self.REVERSED)
        models = {"up": self.REVERSED, "noise": np.random.default_rng(0).random(self.Y.size)}
        with pytest.warns(UserWarning, match=f"of up, 0.00165, is {self.LOW}") as record:
            sklearn_ap.compare_average_precision(self.Y, models)
        assert record[0].filename == __file__
        assert len(record) == 1
        for options in ({"prevalence": 0.5}, {"n_positives": 12}, {"clusters": np.arange(3333)}):
            sklearn_ap.average_precision_interval(self.Y, self.REVERSED, **options)

    @every("n_positives", [1, 3, 9, 10, 30, 100])
    @every("n_rows", [200, 1000])
    def test_random_scores_are_not(self, n_positives, n_rows):
        y = np.arange(n_rows) < n_positives
        for seed in range(100):  # a warning would be an error
            average_precision_score(y, np.random.default_rng(seed).random(n_rows))

    def test_few_positives_and_other_questions_are_silent(self):
        average_precision_score(self.Y[1:], self.REVERSED[1:])
        average_precision_score(self.Y, self.REVERSED, n_positives=12)
        average_precision_score(self.Y, self.REVERSED, prevalence=0.5)
        sklearn_ap.average_precision_at_k_score(self.Y, self.REVERSED, k=5)
        average_precision_score(self.Y, self.REVERSED, queries=self.Y, zero_division=0.0)
