"""Worked examples from the literature, with the numbers that their authors print."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import (
    f1_score,
    fbeta_score,
    precision_recall_curve,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.model_selection import train_test_split

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    definitions,
    eleven_point_average_precision_score,
    hit_curve,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
    threshold_counts,
)


def ranks(n):
    """Decreasing scores, for a list of hits given in order."""
    return np.arange(n, 0, -1) / n


def linear(y_true, y_score):
    return definitions.Linear()(threshold_counts(y_true, y_score))[0]


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
        value = average_precision_score(self.HITS, ranks(10))
        assert value == pytest.approx((1 + 1 + 3 / 4 + 4 / 6 + 5 / 10) / 5, abs=1e-15)
        assert value == pytest.approx(0.7833333333333333)
        assert value == pytest.approx(0.782, abs=2e-3)  # from terms rounded to two digits

    def test_interpolated_average_precision_is_the_same_where_no_later_point_is_higher(self):
        assert interpolated_average_precision_score(self.HITS, ranks(10)) == pytest.approx(
            (1 + 1 + 3 / 4 + 4 / 6 + 1 / 2) / 5
        )

    def test_interpolated_overestimates_where_a_later_point_is_higher(self):
        hits = [1, 0, 0, 1, 1, 1]
        assert average_precision_score(hits, ranks(6)) == pytest.approx(
            (1 + 2 / 4 + 3 / 5 + 4 / 6) / 4
        )
        assert interpolated_average_precision_score(hits, ranks(6)) == pytest.approx(
            (1 + 4 / 6 + 4 / 6 + 4 / 6) / 4
        )

    def test_eleven_point_average_precision(self):
        # levels 0-.4: 1; .5 and .6: 3/4; .7 and .8: 4/6; .9 and 1: 1/2
        expected = (5 * 1 + 2 * 3 / 4 + 2 * 4 / 6 + 2 * 1 / 2) / 11
        assert eleven_point_average_precision_score(self.HITS, ranks(10)) == pytest.approx(expected)

    def test_mean_average_precision_over_several_classes(self):
        """Cars, chairs, people and lamps, in the answer to the first comment."""
        y_true = np.array([[1, 0, 0, 1], [1, 1, 0, 0], [0, 0, 1, 0], [0, 1, 1, 0]])
        y_score = np.array([[0.9, 0.9, 0.1, 0.1], [0.8, 0.7, 0.2, 0.2], [0.7, 0.1, 0.9, 0.3],
                            [0.1, 0.2, 0.3, 0.4]])  # fmt: skip
        each = average_precision_score(y_true, y_score, average=None)
        assert each == pytest.approx([1, (1 / 2 + 2 / 3) / 2, 1, 1 / 4])
        assert average_precision_score(y_true, y_score) == pytest.approx(np.mean(each))


class TestDingwallOrangesAndApples:
    """Dingwall, "Stepping away from linear interpolation"."""

    RANKED = np.array([1, 1, 0, 1, 0, 1, 1, 0, 0, 0])
    PRECISION = (1.00, 1.00, 1.00, 0.67, 0.75, 0.60, 0.67, 0.71, 0.62, 0.56, 0.50)

    def constant(self, n=100):
        y_true = np.zeros(n, int)
        y_true[: n // 10] = 1
        return y_true, np.full(n, 0.5)

    def test_operating_points_from_precision_1_at_recall_0(self):
        precision, recall, _ = precision_recall_curve(self.RANKED, ranks(10))
        assert (precision[-1], recall[-1]) == (1.0, 0.0)
        assert precision[::-1] == pytest.approx(self.PRECISION, abs=0.0051)
        assert recall[::-1] == pytest.approx(np.append(0, np.cumsum(self.RANKED)) / 5)
        ours = [precision_at_k_score(self.RANKED, ranks(10), k=k) for k in range(1, 11)]
        assert ours == pytest.approx(precision[-2::-1])

    def test_mean_of_the_precisions_over_all_thresholds(self):
        precision, _, _ = precision_recall_curve(self.RANKED, ranks(10))
        assert precision.mean() == pytest.approx(np.mean(self.PRECISION), abs=1e-3)

    def test_two_models_that_the_mean_of_the_precisions_cannot_tell_apart(self):
        y_true = [1, 1, 1, 1, 1, 0, 0, 0]
        first = [0.8, 0.8, 0.5, 0.5, 0.5, 0.8, 0.8, 0.5]  # above 0.5: 2 of 5, and 2 negatives
        second = [0.8, 0.5, 0.5, 0.5, 0.5, 0.8, 0.5, 0.5]  # above 0.5: 1 of 5, and 1 negative
        means = [precision_recall_curve(y_true, scores)[0].mean() for scores in (first, second)]
        assert means[0] == means[1]
        assert average_precision_score(y_true, first) == pytest.approx(2 / 5 / 2 + 3 / 5 * 5 / 8)
        assert average_precision_score(y_true, second) == pytest.approx(1 / 5 / 2 + 4 / 5 * 5 / 8)

    def test_constant_scores(self):
        y_true, constant = self.constant()
        assert average_precision_score(y_true, constant) == pytest.approx(0.1)
        assert linear(y_true, constant) == pytest.approx(0.55)

    def test_improved_prediction_is_worse_under_linear_and_better_under_step(self):
        y_true, constant = self.constant()
        improved = constant.copy()
        improved[[0, -1]] = 0.8  # one positive, one negative
        assert linear(y_true, improved) < linear(y_true, constant)
        assert average_precision_score(y_true, improved) > average_precision_score(y_true, constant)

    def test_rounding_raises_linear_and_lowers_step(self):
        X, y = make_classification(
            n_samples=10_000, n_features=50, n_informative=2, n_redundant=0, weights=[0.95],
            flip_y=0.02, class_sep=0.15, random_state=5,
        )  # fmt: skip
        X, X_test, y, y_test = train_test_split(X, y, random_state=5)
        model = LogisticRegression(class_weight="balanced").fit(X, y)
        scores = model.predict_proba(X_test)[:, 1]
        assert 0.04 < y_test.mean() < 0.07
        assert 0.55 < roc_auc_score(y_test, scores) < 0.65
        rounded = scores.round(1)
        assert linear(y_test, rounded) > linear(y_test, scores)
        assert average_precision_score(y_test, rounded) < average_precision_score(y_test, scores)

    def test_ties_broken_at_random_converge_to_step(self):
        rng, errors = np.random.default_rng(0), []
        for n in (100, 10_000):
            y_true, _ = self.constant(n)
            off = [abs(average_precision_score(y_true, rng.normal(size=n)) - 0.1) for _ in range(9)]
            errors.append(np.mean(off))
        assert errors[0] > 5 * errors[1]


class TestZhu:
    """Zhu (2004), "Recall, precision and average precision"."""

    A = np.array([1, 1, 0, 1, 0, 0, 0, 0, 0, 0])
    B = np.array([1, 0, 0, 1, 0, 0, 0, 1, 0, 0])

    def test_table_1(self):
        assert average_precision_score(self.A, ranks(10)) == pytest.approx(0.92, abs=5e-3)
        assert average_precision_score(self.B, ranks(10)) == pytest.approx(0.63, abs=5.1e-3)
        assert average_precision_score(self.A, ranks(10)) == pytest.approx((1 + 1 + 3 / 4) / 3)
        assert average_precision_score(self.B, ranks(10)) == pytest.approx((1 + 2 / 4 + 3 / 8) / 3)

    def test_example_1_random_selection_gives_the_prevalence(self):
        rng = np.random.default_rng(0)
        y_true = rng.permutation(np.arange(1_000_000) < 50_000)
        assert average_precision_score(y_true, rng.random(y_true.size)) == pytest.approx(
            0.05, abs=1e-3
        )

    def test_example_2_perfect_detection_gives_1(self):
        y_true = np.arange(1000) < 50
        assert average_precision_score(y_true, -np.arange(1000.0)) == 1.0

    def test_hit_curve_recall_and_precision(self):
        detected, hits, thresholds = hit_curve(self.A, ranks(10))
        assert thresholds[0] == np.inf
        assert detected == pytest.approx(np.arange(11) / 10)
        assert hits == pytest.approx(np.append(0, np.cumsum(self.A)) / 10)
        precision, recall, _ = precision_recall_curve(self.A, ranks(10))
        assert hits / self.A.mean() == pytest.approx(recall[::-1])  # r(t) = h(t) / pi
        assert hits[1:] / detected[1:] == pytest.approx(precision[-2::-1])  # p(t) = h(t) / t

    def test_lemma_5_the_slope_of_recall_is_at_most_1_over_the_prevalence(self):
        rng = np.random.default_rng(1)
        y_true, y_score = rng.random(1000) < 0.05, rng.integers(0, 300, 1000)
        detected, hits, _ = hit_curve(y_true, y_score)
        slope = np.diff(hits / y_true.mean()) / np.diff(detected)
        assert slope.max() <= 1 / y_true.mean() * (1 + 1e-12)

    def test_section_4_1_crossing_hit_curves(self):
        """A hits more at the start; B has the larger area under its hit curve; AP prefers A."""
        n = 1000
        at_a = np.concatenate([np.arange(0, 30, 2), np.arange(30, 1000, 28)])[:50]
        at_b = np.arange(5, 405, 8)
        a, b = np.zeros(n, int), np.zeros(n, int)
        a[at_a], b[at_b] = 1, 1
        assert a.sum() == b.sum() == 50  # pi = 0.05
        t, hits_a, _ = hit_curve(a, ranks(n))
        _, hits_b, _ = hit_curve(b, ranks(n))
        ahead = np.sign(hits_a - hits_b)
        assert ahead[20] == 1
        assert ahead[400] == -1
        assert np.trapezoid(hits_a, t) < np.trapezoid(hits_b, t)
        assert average_precision_score(a, ranks(n)) > average_precision_score(b, ranks(n))


class TestGormanRanking:
    """Gorman's text on precision, recall, average precision and their kin at k."""

    TRUTHS = np.array([1, 1, 0, 0, 1, 1, 0, 0])
    A = np.array([0.95, 0.85, 0.73, 0.62, 0.48, 0.39, 0.12, 0.04])
    B = np.array([0.55, 0.59, 0.88, 0.97, 0.20, 0.09, 0.43, 0.32])

    @pytest.mark.parametrize("scores", [A, B])
    def test_the_operating_point_at_one_half(self, scores):
        counts = threshold_counts(self.TRUTHS, scores)
        # No positive stands between the last threshold and 1/2, but negatives may.
        tp = counts.gained[counts.thresholds >= 0.5].sum()
        fp = np.sum((scores >= 0.5) & (self.TRUTHS == 0))
        precision, recall = tp / (tp + fp), tp / counts.n_positives[0]
        predicted = scores >= 0.5
        assert precision == precision_score(self.TRUTHS, predicted)
        assert recall == recall_score(self.TRUTHS, predicted)
        assert 2 / (1 / precision + 1 / recall) == f1_score(self.TRUTHS, predicted)
        for beta in (0.5, 2, 3):
            f_beta = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            assert f_beta == pytest.approx(fbeta_score(self.TRUTHS, predicted, beta=beta))

    def test_models_with_the_same_classes_differ_in_average_precision(self):
        """Both find 2 of 4 with 2 false alarms, but A is confident where it is right."""
        for scores in (self.A, self.B):
            retrieved = np.where(scores >= 0.5, scores, -np.inf)
            assert precision_at_k_score(self.TRUTHS, retrieved, k=4) == 0.5
        a, b = (average_precision_score(self.TRUTHS, scores) for scores in (self.A, self.B))
        assert a == pytest.approx((1 + 1 + 3 / 5 + 4 / 6) / 4)
        assert b == pytest.approx((1 / 3 + 2 / 4 + 3 / 7 + 4 / 8) / 4)

    def test_precision_at_k_with_fewer_positives_than_k(self):
        hits = np.array([1, 1, 0, 0, 0, 0])
        assert precision_at_k_score(hits, ranks(6), k=4) == 2 / 4

    def test_precision_at_k_with_fewer_retrieved_than_k(self):
        """The missing k - m count as false positives."""
        hits, scores = np.array([1, 1, 1, 0, 1]), np.array([0.9, 0.8, 0.3, 0.2, 0.1])
        retrieved = np.where(scores >= 0.5, scores, -np.inf)
        assert precision_at_k_score(hits, retrieved, k=4) == 2 / 4
        assert precision_at_k_score(hits, scores, k=4) == 3 / 4

    def test_average_precision_at_3(self):
        hits = np.array([1, 1, 0, 0, 1, 0, 1, 0])
        value = average_precision_at_k_score(hits, ranks(8), k=3)
        assert value == pytest.approx(2 / 3)
        average_of_precisions = np.mean(
            [precision_at_k_score(hits, ranks(8), k=k) for k in (1, 2, 3)]
        )
        assert average_of_precisions == pytest.approx(8 / 9)


class TestDetection:
    """Objects that were missed: detections in order, and more objects than hits."""

    HITS = np.array([1, 0, 1, 1, 0, 0, 1])
    N_OBJECTS = 10

    def devkit(self):
        """The precision-recall curve of the VOC devkit: over detections, recall over objects."""
        tp = np.cumsum(self.HITS)
        return tp / np.arange(1, 8), tp

    def test_all_point_average_precision_of_voc_2010(self):
        """Monotone envelope with sentinels (0, 0) and (1, 0), area where recall moves."""
        precision, tp = self.devkit()
        recall = np.concatenate([[0], tp / self.N_OBJECTS, [1]])
        envelope = np.maximum.accumulate(np.concatenate([[0], precision, [0]])[::-1])[::-1]
        moves = np.flatnonzero(recall[1:] != recall[:-1])
        area = np.sum((recall[moves + 1] - recall[moves]) * envelope[moves + 1])
        ours = interpolated_average_precision_score(self.HITS, ranks(7), n_positives=self.N_OBJECTS)
        assert ours == pytest.approx(area)

    def test_eleven_point_average_precision_of_voc_2007(self):
        """Levels compared in tenths of ten objects: whole numbers, which no float misses."""
        precision, tp = self.devkit()
        best = [max(precision[tp >= j], default=0) for j in range(11)]
        ours = eleven_point_average_precision_score(self.HITS, ranks(7), n_positives=self.N_OBJECTS)
        assert ours == pytest.approx(np.mean(best))
        assert best[5:] == [0] * 6  # recall ends at 0.4

    def test_objects_but_no_hit_score_a_plain_0(self):
        assert interpolated_average_precision_score([0, 0], [0.9, 0.8], n_positives=15) == 0.0
