"""Numbers that four texts on average precision print, as our functions give them.

McCann (2011), "It's a bird... it's a plane... it... depends on your classifier's threshold", with
its comments. Dingwall (2016), "Stepping away from linear interpolation". Zhu (2004), "Recall,
precision and average precision", University of Waterloo. Gorman's text on average precision.
"""

from fractions import Fraction

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    eleven_point_average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
    threshold_counts,
)
from sklearn_ap.definitions import (
    Linear,
    PrecisionAtRecall,
    RecallAtPrecision,
    Step,
)

ROUNDING = 1e-12


def in_order(hits):
    """Items in the order of their scores, the highest first."""
    return np.asarray(hits), -np.arange(len(hits))


def at_each_cutoff(score, hits):
    return [score(*in_order(hits), k=k) for k in range(1, len(hits) + 1)]


def near(expected, tolerance=ROUNDING):
    return pytest.approx(expected, rel=0, abs=tolerance)


def curve(hits):
    """Recall and precision at each cutoff; recall is 0 before the first."""
    detected, found, _ = hit_curve(*in_order(hits))
    return found / np.mean(hits), found[1:] / detected[1:]


class TestMcCann:
    HITS = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])  # an airplane is 1, a goose 0
    PRINTED = "100/20 100/40 66/40 75/60 60/60 66/80 57/80 50/80 44/80 50/100"  # cut, not rounded

    def test_four_retrieved_images(self):
        counts = threshold_counts(self.HITS, np.arange(10) < 4)
        tp, fp = counts.tps[0], counts.fps[0]
        missed, left = counts.n_positives[0] - tp, counts.n_negatives[0] - fp
        assert (tp, fp, missed, left) == (3, 1, 2, 4)
        assert (counts.precision[0], counts.recall[0]) == (0.75, 0.6)

    def test_precision_and_recall_at_each_cutoff(self):
        precision = at_each_cutoff(precision_at_k_score, self.HITS)
        recall = at_each_cutoff(recall_at_k_score, self.HITS)
        pairs = zip(precision, recall, strict=True)
        assert " ".join(f"{int(100 * p)}/{int(100 * r)}" for p, r in pairs) == self.PRINTED

    def test_recall_of_40_percent_at_full_precision_and_precision_of_50_at_full_recall(self):
        for definition, value in ((RecallAtPrecision(1.0), 0.4), (PrecisionAtRecall(1.0), 0.5)):
            found = average_precision_score(*in_order(self.HITS), definition=definition)
            assert found == value

    def test_average_precision_is_the_sum_of_ten_terms(self):
        """0.782 is 47/60 with two digits of each precision."""
        recall, precision = curve(self.HITS)
        assert np.floor(100 * precision + ROUNDING) / 100 @ np.diff(recall) == near(0.782)
        assert average_precision_score(*in_order(self.HITS)) == near(47 / 60)

    def test_interpolated_and_eleven_point_average_precision_of_the_example(self):
        """No later precision is higher; 0 to .4: 1; .5, .6: 3/4; .7, .8: 4/6; .9, 1: 1/2."""
        assert interpolated_average_precision_score(*in_order(self.HITS)) == near(47 / 60)
        levels = 5 * 1 + 2 * 3 / 4 + 2 * 4 / 6 + 2 * 1 / 2
        assert eleven_point_average_precision_score(*in_order(self.HITS)) == near(levels / 11)


class TestDingwall:
    ORANGES = (1, 1, 0, 1, 0, 1, 1, 0, 0, 0)
    PRINTED = (1.00, 1.00, 1.00, 0.67, 0.75, 0.60, 0.67, 0.71, 0.62, 0.56, 0.50)
    Y_TRUE = np.arange(100) < 10
    CONSTANT = np.full(100, 0.5)
    IMPROVED = np.where(np.isin(np.arange(100), [0, 99]), 0.8, 0.5)  # one of each class at the top

    def test_four_of_five_oranges_and_two_of_five_apples(self):
        assert recall_at_k_score(*in_order(self.ORANGES), k=6) == 0.8
        assert precision_at_k_score(*in_order(self.ORANGES), k=6) == near(4 / 6)

    def test_precision_at_eleven_thresholds(self):
        """The first labels nothing as an orange: 0/0 is taken as 1."""
        assert len(hit_curve(*in_order(self.ORANGES)).thresholds) == 11
        found = [1.0, *at_each_cutoff(precision_at_k_score, self.ORANGES)]
        assert found == near(self.PRINTED, 0.005 + ROUNDING)

    def test_the_mean_of_precisions_ignores_recall(self):
        """Both models have it, and half of what they label is positive, 2 or 1 of 5 positives."""
        assert np.mean(self.PRINTED) == near(0.7345, 5e-5)
        y_true = [1, 1, 1, 1, 1, 0, 0, 0]
        models = [8, 8, 5, 5, 5, 8, 8, 5], [8, 5, 5, 5, 5, 8, 5, 5]
        counts = [threshold_counts(y_true, y_score) for y_score in models]
        assert [each.precision.tolist() for each in counts] == 2 * [[0.5, 5 / 8]]
        assert [each.recall[0] for each in counts] == [0.4, 0.2]
        found = [average_precision_score(y_true, y_score) for y_score in models]
        assert found == near([2 / 5 / 2 + 3 / 5 * 5 / 8, 1 / 5 / 2 + 4 / 5 * 5 / 8])

    def test_a_straight_line_suggests_a_precision_that_no_threshold_attains(self):
        """About 0.8 at a recall of 0.2, where at least this recall has 0.1, as any above 0 has."""
        recall, precision = Linear().line(threshold_counts(self.Y_TRUE, self.CONSTANT))
        assert np.interp(0.2, recall, precision) == near(0.82)
        for recall in (0.001, 0.2, 1.0):
            definition = PrecisionAtRecall(recall)
            found = average_precision_score(self.Y_TRUE, self.CONSTANT, definition=definition)
            assert found == near(0.1)

    def test_step_and_linear_scores_rank_two_models_differently(self):
        """One of 10 positives is found for one of 90 negatives (the text prints 0.1% for 1/90).

        The new point is far below the line between the end points, which is at 0.91 there.
        """
        counts = threshold_counts(self.Y_TRUE, self.IMPROVED)
        assert (counts.recall[0], counts.fps[0] / counts.n_negatives[0]) == (0.1, 1 / 90)
        line = Linear().line(threshold_counts(self.Y_TRUE, self.CONSTANT))
        assert (counts.precision[0], np.interp(0.1, *line)) == near((0.5, 0.91))
        models = self.CONSTANT, self.IMPROVED
        for definition, scores in ((Linear(), (0.55, 0.345)), (Step(), (0.10, 0.14))):
            options = {"definition": definition}
            found = [average_precision_score(self.Y_TRUE, each, **options) for each in models]
            assert found == near(scores)


class TestZhu:
    TABLE_1 = (
        ([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], "1/1 2/2 2/3 3/4 3/5 3/6 3/7 3/8 3/9 3/10", 0.92),
        ([1, 0, 0, 1, 0, 0, 0, 1, 0, 0], "1/1 1/2 1/3 2/4 2/5 2/6 2/7 3/8 3/9 3/10", 0.63),
    )

    @pytest.mark.parametrize(("hits", "precisions", "printed"), TABLE_1)
    def test_example_3_and_table_1(self, hits, precisions, printed):
        (recall, precision), precisions = curve(hits), [*map(Fraction, precisions.split())]
        assert precision == near([*map(float, precisions)])
        assert np.diff(recall) == near(np.array(hits) / 3)
        found = average_precision_score(*in_order(hits))
        assert found == near(float(sum(np.array(hits) * precisions) / 3))
        assert found == near(printed, 0.005 + ROUNDING)


class TestGorman:
    TRUTHS = np.array([1, 1, 0, 0, 1, 1, 0, 0])
    A = np.array([0.95, 0.85, 0.73, 0.62, 0.48, 0.39, 0.12, 0.04])
    B = np.array([0.55, 0.59, 0.88, 0.97, 0.20, 0.09, 0.43, 0.32])
    MOVIES = np.array([1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0])  # 4 of 12 are relevant

    def test_the_curve_of_the_model_that_is_confident_when_correct_is_higher_everywhere(self):
        for recall in np.linspace(0.01, 1, 100):
            options = {"definition": PrecisionAtRecall(recall)}
            of_a = average_precision_score(self.TRUTHS, self.A, **options)
            assert of_a > average_precision_score(self.TRUTHS, self.B, **options)
        of_a, of_b = (average_precision_score(self.TRUTHS, each) for each in (self.A, self.B))
        assert of_a == near((1 / 1 + 2 / 2 + 3 / 5 + 4 / 6) / 4)
        assert of_b == near((1 / 3 + 2 / 4 + 3 / 7 + 4 / 8) / 4)

    def test_one_point_of_the_curve(self):
        """Two of three positives above the threshold, and no negative: (0.67, 1.00)."""
        recall, precision = curve([1, 1, 0, 0, 1, 0])
        assert (round(recall[2], 2), precision[1]) == (0.67, 1.00)

    @pytest.mark.parametrize("k", range(3, 13))
    def test_fewer_than_k_predictions_count_as_if_false_positives_followed(self, k):
        y_score = np.where(np.arange(12) < 3, -np.arange(12.0), -np.inf)  # 3 were retrieved
        assert precision_at_k_score(self.MOVIES, y_score, k=k) == near(2 / k)

    def test_average_precision_at_3_is_not_a_mean_of_precisions_at_k(self):
        """It is (1.00 + 1.00) / min(3, 4) = 0.67."""
        found = average_precision_at_k_score(*in_order(self.MOVIES), k=3)
        assert (found, round(found, 2)) == (near(2 / 3), 0.67)
        assert np.mean(at_each_cutoff(precision_at_k_score, self.MOVIES)[:3]) == near(8 / 9)
