"""Counts become values, and values lie within the bounds of their definition."""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import sklearn_ap
from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap._counts.thresholds import values_of
from sklearn_ap._uncertainty.roc_areas import roc_area_of_counts
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
        average_precision_score(*self.ROWS, prevalence=0.5)
        for function in (average_precision_score, sklearn_ap.average_precision_interval):
            function(*self.ROWS, n_positives=12)


class TestLowAreaUnderTheCurve:
    """Reversed scores with options for which the score of random orders is not known."""

    N = 3000
    Y = np.arange(N) % 10 < 2
    GOOD = 1.5 * Y + np.random.default_rng(0).normal(size=N)
    WEIGHT = np.random.default_rng(1).gamma(2, size=N)
    OPTIONS = (
        {"clusters": np.arange(N) // 5},
        {"queries": np.arange(N) // 30},
        {"queries": np.arange(N) // 30, "clusters": np.arange(N) // 60, "sample_weight": WEIGHT},
        {"queries": np.arange(N) // 300, "clusters": np.arange(N) // 5, "average": "weighted"},
        {"prevalence": 0.01},
        {"prevalence": 0.6, "sample_weight": WEIGHT},
    )

    @pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
    @pytest.mark.parametrize("options", OPTIONS)
    def test_reversed_scores_raise_a_warning(self, options):
        models = {"bad": -self.GOOD, "good": self.GOOD}
        for function, scores, owner in (
            (sklearn_ap.average_precision_interval, -self.GOOD, ""),
            (sklearn_ap.compare_average_precision, models, " of bad"),
            (sklearn_ap.best_average_precision, models, " of bad"),
        ):
            start = rf"^The area under the ROC curve{owner}, 0[.]1\d*, is far below that of random"
            with pytest.warns(UserWarning, match=start) as record:
                function(self.Y, scores, **options)
            assert [each.filename for each in record] == [__file__]
        sklearn_ap.average_precision_interval(self.Y, self.GOOD, **options)

    def test_the_area_is_that_of_scikit_learn(self):
        score = np.round(-self.GOOD, 1)  # many are tied
        for weight in (None, self.WEIGHT):
            counts = threshold_counts(self.Y, score, sample_weight=weight)
            area = roc_auc_score(self.Y, score, sample_weight=weight)
            assert roc_area_of_counts(counts) == pytest.approx(area)
        assert np.isnan(roc_area_of_counts(threshold_counts([1, 1], [2, 1])))
        huge = 1e300 * self.WEIGHT
        assert np.isnan(roc_area_of_counts(threshold_counts(self.Y, score, sample_weight=huge)))

    @pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
    def test_random_and_weak_scores_raise_no_warning(self):
        """Rows of a cluster, or of a query, may be almost copies."""
        fives = np.arange(600) // 5
        for seed in range(60):
            rng = np.random.default_rng(seed)
            label, score = 0.95 * rng.normal(size=(2, 600))[:, fives]
            y, score = label + 0.3 * rng.normal(size=600) > 0.8, score + 0.3 * rng.normal(size=600)
            for options in (
                {"clusters": fives},
                {"queries": np.arange(600) // 20, "zero_division": 0.0},
                {"clusters": fives, "prevalence": 0.1},
            ):
                sklearn_ap.average_precision_interval(y, score, **options)

    def test_positives_that_were_not_retrieved_are_not_compared(self):
        """Most positives of a short list are missing from it, which says nothing of its order."""
        score = np.where((np.arange(self.N) % 7 < 5) & self.Y, -np.inf, self.GOOD)
        assert roc_auc_score(self.Y, np.maximum(score, -99)) < 0.3
        sklearn_ap.average_precision_interval(self.Y, score, prevalence=0.1)

    @pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
    def test_no_order_is_judged_where_the_first_model_retrieved_no_positive(self):
        y = np.arange(9) == 8
        models = {"short": [*range(8), -np.inf], "long": [*range(8), 0.5]}
        found = sklearn_ap.compare_average_precision(y, models, prevalence=0.1)
        assert found.estimates[0] == 0 < found.estimates[1]
