"""Scores that seem to rank the negatives first, whose area under the ROC curve tells."""

import numpy as np
import pytest
from sklearn.metrics import roc_auc_score

import sklearn_ap
from sklearn_ap import threshold_counts
from sklearn_ap._uncertainty.former._roc_areas import roc_area_of_counts


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
            (sklearn_ap.compare_average_precision, models, " of bad"),
            (sklearn_ap.best_average_precision, models, " of bad"),
        ):
            start = rf"^The area under the ROC curve{owner}, 0[.]1\d*, is far below that of random"
            with pytest.warns(UserWarning, match=start) as record:
                function(self.Y, scores, **options)
            assert [each.filename for each in record] == [__file__]

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
            label, *scores = 0.95 * rng.normal(size=(3, 600))[:, fives]
            y = label + 0.3 * rng.normal(size=600) > 0.8
            models = {
                name: s + 0.3 * rng.normal(size=600) for name, s in zip("ab", scores, strict=True)
            }
            for options in (
                {"clusters": fives},
                {"queries": np.arange(600) // 20, "zero_division": 0.0},
                {"clusters": fives, "prevalence": 0.1},
            ):
                sklearn_ap.compare_average_precision(y, models, **options)

    def test_positives_that_were_not_retrieved_are_not_compared(self):
        """Most positives of a short list are missing from it, which says nothing of its order."""
        score = np.where((np.arange(self.N) % 7 < 5) & self.Y, -np.inf, self.GOOD)
        assert roc_auc_score(self.Y, np.maximum(score, -99)) < 0.3
        models = {"short": score, "good": self.GOOD}
        sklearn_ap.compare_average_precision(self.Y, models, prevalence=0.1)

    @pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
    def test_no_order_is_judged_where_the_first_model_retrieved_no_positive(self):
        y = np.arange(9) == 8
        models = {"short": [*range(8), -np.inf], "long": [*range(8), 0.5]}
        found = sklearn_ap.compare_average_precision(y, models, prevalence=0.1)
        assert found.estimates[0] == 0 < found.estimates[1]
