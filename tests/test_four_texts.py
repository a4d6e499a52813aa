"""What four texts on average precision say, statement by statement, as numbers of our functions.

McCann (2011), "It's a bird... it's a plane... it... depends on your classifier's threshold", with
its comments. Dingwall (2016), "Stepping away from linear interpolation". Zhu (2004), "Recall,
precision and average precision", University of Waterloo. Gorman's text on average precision.
"""

from fractions import Fraction
from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from registry import WEIGHTS, predictions
from scipy.integrate import quad
from sklearn.metrics import fbeta_score, precision_recall_curve, roc_auc_score

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
    Expected,
    Hyperbolic,
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


class Curve(NamedTuple):
    """What Zhu names pi, t, h(t), r(t), p(t) where t is above 0, and the slope of r."""

    share: float
    t: np.ndarray
    h: np.ndarray
    r: np.ndarray
    p: np.ndarray
    slope: np.ndarray


def curve(y_true, y_score, weight=None):
    t, h, _ = hit_curve(y_true, y_score, sample_weight=weight)
    share = np.average(y_true == 1, weights=weight)
    return Curve(share, t, h, h / share, h[1:] / t[1:], np.diff(h / share) / np.diff(t))


lists_of_hits = st.lists(st.integers(0, 1), min_size=1, max_size=12).filter(any).map(np.array)
rankings = predictions(max_size=7).filter(lambda data: data[0].any())
weighted_rankings = predictions(weights=WEIGHTS).filter(lambda data: data[2][data[0] == 1].any())


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
        of = curve(*in_order(self.HITS))
        assert np.floor(100 * of.p + ROUNDING) / 100 @ np.diff(of.r) == near(0.782)
        assert average_precision_score(*in_order(self.HITS)) == near(47 / 60)

    def test_interpolated_and_eleven_point_average_precision_of_the_example(self):
        """No later precision is higher; 0 to .4: 1; .5, .6: 3/4; .7, .8: 4/6; .9, 1: 1/2."""
        assert interpolated_average_precision_score(*in_order(self.HITS)) == near(47 / 60)
        levels = 5 * 1 + 2 * 3 / 4 + 2 * 4 / 6 + 2 * 1 / 2
        assert eleven_point_average_precision_score(*in_order(self.HITS)) == near(levels / 11)

    @given(data=rankings)
    def test_points_without_a_change_of_recall_do_not_contribute(self, data):
        of = curve(*data)
        rises = np.diff(of.r)
        assert average_precision_score(*data) == near(of.p @ rises)
        assert average_precision_score(*data) == near(of.p[rises > 0] @ rises[rises > 0])

    @given(data=rankings)
    def test_interpolated_precision_is_the_highest_from_each_cutoff_on(self, data):
        """It is never below the observed one, so a mixture of both would show an improvement."""
        of = curve(*data)
        best = np.maximum.accumulate(of.p[::-1])[::-1]
        found = interpolated_average_precision_score(*data)
        assert found == near(best @ np.diff(of.r))
        assert found >= average_precision_score(*data) - ROUNDING

    @given(data=rankings)
    def test_eleven_points_from_0_to_1_are_averaged(self, data):
        of = curve(*data)
        n_hits = np.round(of.h[1:] * len(data[0]))
        best = [of.p[10 * n_hits >= level * n_hits[-1]].max() for level in range(11)]
        assert eleven_point_average_precision_score(*data) == near(sum(best) / 11)

    def test_comment_1_mean_average_precision_is_the_mean_over_queries(self):
        rng = np.random.default_rng(0)
        kinds = np.repeat(["car", "chair", "people", "lamp"], 10)
        y_true, y_score = rng.permutation(np.arange(40) % 3 == 0), rng.random(40)
        each = [average_precision_score(y_true[kinds == k], y_score[kinds == k]) for k in {*kinds}]
        assert average_precision_score(y_true, y_score, queries=kinds) == near(np.mean(each))

    def test_comment_3_precision_at_rank_1_is_how_often_the_first_result_is_right(self):
        y_true = [1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1]  # the first is right in 2 of 4 queries
        queries, y_score = np.repeat(np.arange(4), 3), np.tile([3, 2, 1], 4)
        assert precision_at_k_score(y_true, y_score, k=1, queries=queries) == 0.5

    def test_comment_5_an_ideal_classifier_and_one_whose_precision_increases(self):
        ideal, worst = np.arange(10) < 5, np.arange(10) >= 5
        assert precision_at_k_score(*in_order(ideal), k=5) == 1
        assert recall_at_k_score(*in_order(ideal), k=5) == 1
        of = curve(*in_order(worst))
        assert (of.p[:5] == 0).all()
        assert (of.r[:6] == 0).all()
        assert (np.diff(of.p[4:]) > 0).all()

    @given(hits=lists_of_hits, steps=st.lists(st.floats(0.1, 9), min_size=12, max_size=12))
    def test_comment_8_any_decreasing_scores_will_do(self, hits, steps):
        found = average_precision_score(hits, -np.cumsum(steps)[: hits.size])
        assert found == average_precision_score(*in_order(hits))

    def test_comment_9_recall_is_0_before_the_first_result(self):
        assert curve(*in_order(self.HITS)).r[:2] == near([0, 0.2])


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

    @given(data=rankings)
    def test_two_operating_points_are_the_same_for_all_scores(self, data):
        of = curve(*data)
        assert (of.t[0], of.r[0]) == (0, 0)
        assert (of.r[-1], of.p[-1]) == near((1, data[0].mean()))

    def test_equal_scores_have_no_other_operating_point(self):
        of = curve(self.Y_TRUE, self.CONSTANT)
        assert (of.t.tolist(), of.p.tolist()) == ([0, 1], [0.1])

    def test_a_straight_line_suggests_a_precision_that_no_threshold_attains(self):
        """About 0.8 at a recall of 0.2, where at least this recall has 0.1, as any above 0 has."""
        recall, precision = Linear().line(threshold_counts(self.Y_TRUE, self.CONSTANT))
        assert np.interp(0.2, recall, precision) == near(0.82)
        for recall in (0.001, 0.2, 1.0):
            definition = PrecisionAtRecall(recall)
            found = average_precision_score(self.Y_TRUE, self.CONSTANT, definition=definition)
            assert found == near(0.1)

    @given(data=rankings)
    def test_the_straight_line_overestimates_equal_scores_by_half_the_share_of_negatives(
        self, data
    ):
        y_true, y_score = data
        found = average_precision_score(y_true, 0 * y_score, definition=Linear())
        assert found == near(y_true.mean() + (1 - y_true.mean()) / 2)
        assert average_precision_score(y_true, 0 * y_score) == near(y_true.mean())

    @pytest.mark.parametrize(("n", "most"), [(100, 0.05), (100_000, 0.001)])
    def test_noise_comes_closer_to_the_steps_with_more_items(self, n, most):
        y_true, noise = np.arange(n) < n / 10, np.random.default_rng(0).normal(scale=0.1, size=n)
        assert average_precision_score(y_true, noise) == near(0.1, 2 * most)
        expected = average_precision_score(y_true, np.zeros(n), definition=Expected())
        assert expected == near(0.1, most)

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

    def test_rounding_to_tenths_raises_the_linear_score_and_lowers_the_step(self):
        """5,000 samples with 5% positives and a ROC AUC of 0.6."""
        y_true = np.arange(5000) < 250
        noise = np.random.default_rng(0).normal(loc=0.36 * y_true)
        exact = 1 / (1 + np.exp(-2 * noise))
        assert roc_auc_score(y_true, exact) == near(0.6, 0.02)
        gains = [
            average_precision_score(y_true, exact.round(1), definition=definition)
            - average_precision_score(y_true, exact, definition=definition)
            for definition in (Linear(), Step())
        ]
        assert gains[0] > 0.01
        assert gains[1] < -0.001


class TestZhu:
    TABLE_1 = (
        ([1, 1, 0, 1, 0, 0, 0, 0, 0, 0], "1/1 2/2 2/3 3/4 3/5 3/6 3/7 3/8 3/9 3/10", 0.92),
        ([1, 0, 0, 1, 0, 0, 0, 1, 0, 0], "1/1 1/2 1/3 2/4 2/5 2/6 2/7 3/8 3/9 3/10", 0.63),
    )

    @given(data=weighted_rankings)
    def test_lemma_1_precision_is_pi_r_by_t(self, data):
        of = curve(*data)
        counts = threshold_counts(data[0], data[1], sample_weight=data[2])
        thresholds = hit_curve(data[0], data[1], sample_weight=data[2]).thresholds
        at = np.searchsorted(-thresholds, -counts.thresholds)
        assert counts.recall == near(of.r[at])
        assert counts.precision == near(of.share * counts.recall / of.t[at])

    @given(data=weighted_rankings)
    def test_lemma_2_recall_goes_from_0_to_1_and_lemma_5_its_slope_from_0_to_1_by_pi(self, data):
        of = curve(*data)
        assert (of.t[0], of.r[0], of.t[-1], of.r[-1]) == near((0, 0, 1, 1))
        assert (of.slope >= 0).all()
        assert (of.slope <= 1 / of.share * (1 + ROUNDING)).all()

    @given(data=weighted_rankings)
    def test_lemma_3_precision_never_rises_if_recall_is_concave(self, data):
        """Recall is concave if blocks of tied items come in the order of their precision."""
        y_true, y_score, weight = data
        blocks = np.unique(y_score, return_inverse=True)[1]
        total = np.bincount(blocks, weight)
        hits = np.bincount(blocks, weight * y_true)
        of = curve(y_true, (hits / np.where(total > 0, total, 1))[blocks], weight)
        assert (np.diff(of.slope) <= ROUNDING / of.share).all()
        assert (np.diff(of.p) <= ROUNDING).all()

    @given(data=weighted_rankings)
    def test_lemma_4_its_three_integrals_as_sums(self, data):
        of = curve(*data)
        found = average_precision_score(data[0], data[1], sample_weight=data[2])
        assert of.p @ np.diff(of.r) == near(found)
        assert (of.p * of.slope) @ np.diff(of.t) == near(found)
        assert (of.share * of.r[1:] * of.slope / of.t[1:]) @ np.diff(of.t) == near(found)

    @given(data=rankings)
    def test_lemma_4_the_integral_over_straight_pieces_of_the_hit_curve(self, data):
        """Between two thresholds h is straight if tied items come in any order."""
        of = curve(*data)
        pieces = zip(of.t[:-1], of.t[1:], of.slope, strict=True)
        integral = sum(
            quad(lambda t, slope: of.share * np.interp(t, of.t, of.r) * slope / t, *ends, (slope,))[
                0
            ]
            for *ends, slope in pieces
        )
        assert average_precision_score(*data, definition=Hyperbolic()) == near(integral, 1e-8)

    @given(hits=lists_of_hits, n_more=st.integers(0, 9))
    def test_lemma_4_precision_falls_where_recall_stays_and_does_not_matter_there(
        self, hits, n_more
    ):
        of = curve(*in_order(hits))
        falls = (hits[1:] == 0) & (of.h[1:-1] > 0)
        assert (np.diff(of.p)[falls] < 0).all()
        end = np.append(hits[: np.flatnonzero(hits)[-1] + 1], np.zeros(n_more, int))
        found = average_precision_score(*in_order(end))
        assert found == near(average_precision_score(*in_order(hits)))

    @given(data=weighted_rankings)
    def test_example_1_random_selection_scores_pi(self, data):
        y_true, y_score, weight = data
        of = curve(y_true, 0 * y_score, weight)
        assert of.h == near(of.share * of.t)
        for definition in (Step(), Hyperbolic()):
            options = {"sample_weight": weight, "definition": definition}
            assert average_precision_score(y_true, 0 * y_score, **options) == near(of.share)

    @given(data=weighted_rankings)
    def test_example_2_perfect_detection_scores_1_and_one_cannot_do_better(self, data):
        y_true, y_score, weight = data
        of = curve(y_true, y_true, weight)
        assert of.h == near(np.minimum(of.t, of.share))
        assert average_precision_score(y_true, y_true, sample_weight=weight) == near(1)
        assert average_precision_score(y_true, y_score, sample_weight=weight) <= 1 + ROUNDING

    @pytest.mark.parametrize(("hits", "precisions", "printed"), TABLE_1)
    def test_example_3_and_table_1(self, hits, precisions, printed):
        of, precisions = curve(*in_order(hits)), [*map(Fraction, precisions.split())]
        assert of.p == near([*map(float, precisions)])
        assert np.diff(of.r) == near(np.array(hits) / 3)
        found = average_precision_score(*in_order(hits))
        assert found == near(float(sum(np.array(hits) * precisions) / 3))
        assert found == near(printed, 0.005 + ROUNDING)

    def curves_of_figure_2(self):
        """With 5% relevant: A finds many early, B goes on longer, and they cross.

        Zhu prints no formula. Here, a share of the relevant items is found at a rate that decays,
        and the others at a constant rate.
        """
        t = np.arange(1, 10_001) / 10_000

        def typical(share, speed):
            early = (1 - np.exp(-t / speed)) / (1 - np.exp(-1 / speed))
            recall = share * early + (1 - share) * t
            hits = np.zeros(t.size, int)
            hits[np.searchsorted(recall, (np.arange(500) + 0.5) / 500)] = 1
            return hits, -t

        relevant = (t <= 0.05).astype(int)
        return {
            "perfect": (relevant, -t),
            "A": typical(0.275, 0.015),
            "B": typical(0.566, 0.08),
            "random": (relevant, np.zeros(t.size)),
        }

    def test_table_2(self):
        found = [
            round(average_precision_score(*each), 2) for each in self.curves_of_figure_2().values()
        ]
        assert found == [1.00, 0.26, 0.20, 0.05]

    def test_section_4_1_the_area_under_the_hit_curve_of_a_is_less_though_a_is_ahead_early(self):
        a, b = (curve(*self.curves_of_figure_2()[name]) for name in "AB")
        assert np.trapezoid(a.h, a.t) < np.trapezoid(b.h, b.t)
        signs = np.sign(a.h - b.h)
        signs = signs[signs != 0]
        assert (signs[0], signs[-1]) == (1, -1)

    def test_section_4_2_both_halves_keep_the_share_of_active_compounds(self):
        """The data of table 3 are not public."""
        for n_active, n_compounds in ((608, 29_812), (304, 14_906)):
            y_true = np.arange(n_compounds) < n_active
            assert round(average_precision_score(y_true, np.zeros(n_compounds)), 2) == 0.02

    @pytest.mark.parametrize(
        "score",
        [
            average_precision_score,
            interpolated_average_precision_score,
            eleven_point_average_precision_score,
        ],
    )
    @given(hits=lists_of_hits, rng=st.randoms(use_true_random=False))
    def test_section_1_the_higher_hit_curve_is_unambiguously_superior(self, score, hits, rng):
        shuffled = rng.sample(hits.tolist(), hits.size)
        places = np.minimum(np.flatnonzero(hits), np.flatnonzero(shuffled))
        higher = np.isin(np.arange(hits.size), places).astype(int)
        assert (curve(*in_order(higher)).h >= curve(*in_order(hits)).h).all()
        assert score(*in_order(higher)) >= score(*in_order(hits)) - ROUNDING


class TestGorman:
    TRUTHS = np.array([1, 1, 0, 0, 1, 1, 0, 0])
    A = np.array([0.95, 0.85, 0.73, 0.62, 0.48, 0.39, 0.12, 0.04])
    B = np.array([0.55, 0.59, 0.88, 0.97, 0.20, 0.09, 0.43, 0.32])
    # What set.seed(4); trues <- rnorm(6); falses <- rnorm(10, -1) gives in R, rounded as there.
    TRUES = (0.217, -0.542, 0.891, 0.596, 1.636, 0.689)
    FALSES = (-2.281, -1.213, 0.897, 0.777, -0.433, -0.984, -0.617, -1.045, -0.966, -0.831)
    MOVIES = np.array([1, 1, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0])  # 4 of 12 are relevant

    @pytest.mark.parametrize("beta", [0.5, 1, 2])
    def test_both_models_have_the_same_precision_recall_and_f_scores(self, beta):
        for y_score in (self.A, self.B):
            calls = y_score >= 0.5
            counts = threshold_counts(self.TRUTHS, calls)
            precision, recall = counts.precision[0], counts.recall[0]
            assert (precision, recall) == (0.5, 0.5)
            f_score = (1 + beta**2) * precision * recall / (beta**2 * precision + recall)
            assert f_score == near(fbeta_score(self.TRUTHS, calls, beta=beta))

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
        of = curve(*in_order([1, 1, 0, 0, 1, 0]))
        assert (round(of.r[2], 2), of.p[1]) == (0.67, 1.00)

    def test_the_riemann_sum_has_rectangles_of_the_same_width(self):
        y_true, y_score = np.repeat([1, 0], [6, 10]), np.array(self.TRUES + self.FALSES)
        precision, recall, _ = precision_recall_curve(y_true, y_score)
        widths = -np.diff(recall)
        assert widths[widths > 0] == near(np.full(6, 1 / 6))
        found = average_precision_score(y_true, y_score)
        assert found == near(widths @ precision[:-1])
        assert found == near((1 / 1 + 2 / 3 + 3 / 5 + 4 / 6 + 5 / 7 + 6 / 9) / 6)

    @given(hits=lists_of_hits)
    def test_average_precision_is_the_mean_of_precisions_at_true_instances(self, hits):
        precisions = np.array(at_each_cutoff(precision_at_k_score, hits))
        assert average_precision_score(*in_order(hits)) == near(precisions[hits == 1].mean())

    @given(hits=lists_of_hits, k=st.integers(1, 15))
    def test_fewer_than_k_true_instances_keep_precision_at_k_at_n_by_k(self, hits, k):
        best = np.sort(hits)[::-1]
        assert precision_at_k_score(*in_order(best), k=k) == near(min(1, hits.sum() / k))
        assert precision_at_k_score(*in_order(hits), k=k) <= min(1, hits.sum() / k) + ROUNDING

    @pytest.mark.parametrize("k", range(3, 13))
    def test_fewer_than_k_predictions_count_as_if_false_positives_followed(self, k):
        y_score = np.where(np.arange(12) < 3, -np.arange(12.0), -np.inf)  # 3 were retrieved
        assert precision_at_k_score(self.MOVIES, y_score, k=k) == near(2 / k)

    def test_average_precision_at_3_is_not_a_mean_of_precisions_at_k(self):
        """It is (1.00 + 1.00) / min(3, 4) = 0.67."""
        found = average_precision_at_k_score(*in_order(self.MOVIES), k=3)
        assert (found, round(found, 2)) == (near(2 / 3), 0.67)
        assert np.mean(at_each_cutoff(precision_at_k_score, self.MOVIES)[:3]) == near(8 / 9)

    def test_average_precision_at_3_is_an_area_rescaled_to_a_maximum_of_1(self):
        """The area left of the third point, 2/4, in widths of 1/3 in place of 1/4."""
        of = curve(*in_order(self.MOVIES))
        area = of.p[:3] @ np.diff(of.r[:4])
        found = average_precision_at_k_score(*in_order(self.MOVIES), k=3)
        assert found == near(area * (1 / 3) / (1 / 4))
        assert average_precision_at_k_score(*in_order(np.sort(self.MOVIES)[::-1]), k=3) == 1

    @given(hits=lists_of_hits, k=st.integers(1, 15))
    def test_average_precision_at_k_divides_by_the_lesser_of_k_and_the_true_instances(
        self, hits, k
    ):
        precisions = np.array(at_each_cutoff(precision_at_k_score, hits))[:k]
        expected = (precisions * hits[:k]).sum() / min(k, hits.sum())
        assert average_precision_at_k_score(*in_order(hits), k=k) == near(expected)
