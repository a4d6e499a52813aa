"""Counts become values, and values lie within the bounds of their definition."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap._scores.scoring import values_of
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


def wrong(value_of):
    """A definition within 0 and 1 that gives what a function of the counts gives."""
    return type("Wrong", (Lift,), {"bounds": (0.0, 1.0), "__call__": lambda self, c: value_of(c)})()


@pytest.mark.parametrize("value", [1.5, -0.1])
@pytest.mark.parametrize("queries", [None, [1, 1, 2, 2]])
def test_values_outside_the_bounds_of_a_definition_are_refused(value, queries):
    rows, definition = ([1, 0, 1, 0], [4, 3, 2, 1]), wrong(lambda c: np.full(c.starts.shape, value))
    for call in (
        average_precision_score,
        sklearn_ap.average_precision_interval,
        sklearn_ap.AveragePrecisionDisplay.from_predictions,
        lambda *rows, **_: threshold_counts(*rows).score(definition),
    ):
        with pytest.raises(ValueError, match=rf"gives {value}, which is not within its bounds"):
            call(*rows, definition=definition, queries=queries)


@pytest.mark.parametrize("found", [0.5, [0.5, 0.5], np.array([0.5]), np.full((2, 1), 0.5)])
def test_definition_without_one_value_per_ranking_is_refused(found):
    options = {"queries": [1, 1, 2, 2], "definition": wrong(lambda c: found)}
    with pytest.raises(ValueError, match=r"one value for each ranking, of shape \(2,\)"):
        average_precision_score([1, 0, 1, 0], [4, 3, 2, 1], **options)


def test_huge_weight_of_an_undefined_row_does_not_affect_tiny_weights():
    y_true, weight = [[0, 0], [1, 0], [0, 1]], [1e20, 1e-310, 1e-310]
    options = {"average": "samples", "sample_weight": weight, "zero_division": np.nan}
    assert average_precision_score(y_true, [[2, 1]] * 3, **options) == (1 + 1 / 2) / 2


class TestFarBelowThePrevalence:
    """Scores that rank the negatives first, such as the other column of predict_proba."""

    ROWS = Y, REVERSED = np.arange(3333) < 10, np.arange(3333.0)

    @pytest.mark.parametrize("options", [{}, {"sample_weight": np.ones(3333)}])
    def test_score_far_below_chance_raises_a_warning(self, options):
        models = {"up": self.REVERSED, "noise": np.random.default_rng(0).random(self.Y.size)}
        for function, scores, begin in (
            (average_precision_score, self.REVERSED, ""),
            (sklearn_ap.average_precision_interval, self.REVERSED, "The average precision, "),
            (sklearn_ap.compare_average_precision, models, "of up, "),
            (sklearn_ap.best_average_precision, models, "of up, "),
        ):
            match = f"{begin}0.00165, is far below that of random scores, about 0.003.*-y_score"
            with pytest.warns(UserWarning, match=match) as record:
                function(self.Y, scores, **options)
            assert [each.filename for each in record] == [__file__]

    @pytest.mark.parametrize("n_positives", [1, 3, 9, 10, 30, 100])
    @pytest.mark.parametrize("n_rows", [200, 1000])
    def test_random_scores_raise_no_warning(self, n_positives, n_rows):
        y = np.arange(n_rows) < n_positives
        for seed in range(100):  # a warning would be an error
            average_precision_score(y, np.random.default_rng(seed).random(n_rows))

    def test_unequal_weights_need_more_positives(self):
        """Their effective number is what ten positives without weights are (Kish 1965)."""
        weight = np.where(np.arange(3333) < 5, 3.0, 1.0)
        for n_positives, is_told in [(12, False), (13, False), (14, True)]:
            y = np.arange(3333) < n_positives
            hits = weight[y]
            assert (hits.sum() ** 2 / (hits @ hits) >= 10) == is_told
            prevalence = hits.sum() / weight.sum()
            for function in (average_precision_score, sklearn_ap.average_precision_interval):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always")
                    function(y, self.REVERSED, sample_weight=weight)
                texts = [str(each.message) for each in caught if "far below" in str(each.message)]
                assert len(texts) == is_told
                assert all(f"about {prevalence:.3g}." in text for text in texts)

    @pytest.mark.parametrize("shape", [0.3, 2])
    def test_random_scores_with_weights_raise_no_warning(self, shape):
        for seed in range(300):  # a warning would be an error
            rng = np.random.default_rng(seed)
            y = np.arange(400) < rng.integers(10, 120)
            average_precision_score(y, rng.random(400), sample_weight=rng.gamma(shape, size=400))

    def test_few_positives_and_other_options_raise_no_warning(self):
        average_precision_score(self.Y[1:], self.REVERSED[1:])
        sklearn_ap.average_precision_at_k_score(*self.ROWS, k=5)
        average_precision_score(*self.ROWS, queries=self.Y, zero_division=0.0)
        for function in (average_precision_score, sklearn_ap.average_precision_interval):
            function(*self.ROWS, n_positives=12)
            function(*self.ROWS, prevalence=0.5)
        sklearn_ap.average_precision_interval(*self.ROWS, clusters=np.arange(3333))
