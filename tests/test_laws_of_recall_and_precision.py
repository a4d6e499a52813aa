"""What four texts say of every ranking, on data full of ties and weights.

Zhu (2004), "Recall, precision and average precision", University of Waterloo: a fraction t of the
items is detected, a fraction h(t) is detected and relevant, and a fraction pi is relevant. McCann
(2011), "It's a bird... it's a plane... it... depends on your classifier's threshold". Dingwall
(2016), "Stepping away from linear interpolation". Gorman's text on average precision.
"""

from typing import NamedTuple

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from registry import WEIGHTS, predictions
from scipy.integrate import quad

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
from sklearn_ap.definitions import Expected, Hyperbolic, Linear, Step

ROUNDING = 1e-12


class Curves(NamedTuple):
    """The detected fractions t from 0 to 1, h and r there, and p where t is above 0."""

    share: float  # pi
    t: np.ndarray
    h: np.ndarray

    @property
    def r(self):
        return self.h / self.share

    @property
    def p(self):
        return self.h[1:] / self.t[1:]

    @property
    def slopes(self):
        """The slope of r between neighbours."""
        return np.diff(self.r) / np.diff(self.t)


def curves(y_true, y_score, weight=None):
    """The hit curve of a ranking, and the share of positives, which is added up here."""
    t, h, _ = hit_curve(y_true, y_score, sample_weight=weight)
    weight = np.ones(len(y_true)) if weight is None else weight
    return Curves(weight[y_true == 1].sum() / weight.sum(), t, h)


def with_positives(y_true, weight=None):
    assume(y_true.any() if weight is None else weight[y_true == 1].any())


def untied(y_true):
    """The rows in the order of their scores."""
    return y_true, -np.arange(len(y_true))


def labels(max_size=12):
    return st.lists(st.integers(0, 1), min_size=1, max_size=max_size).filter(any).map(np.array)


every_ranking = given(data=predictions(weights=WEIGHTS))


class TestZhu:
    """Each lemma, for every ranking."""

    @every_ranking
    def test_lemma_1_precision_is_the_share_of_positives_times_recall_by_detected(self, data):
        y_true, y_score, weight = data
        with_positives(y_true, weight)
        of = curves(*data)
        counts = threshold_counts(y_true, y_score, sample_weight=weight)
        _, _, thresholds = hit_curve(y_true, y_score, sample_weight=weight)
        for threshold, precision, recall in zip(
            counts.thresholds, counts.precision, counts.recall, strict=True
        ):
            (place,) = np.flatnonzero(thresholds == threshold)
            assert precision == pytest.approx(of.share * recall / of.t[place], abs=ROUNDING)
            assert recall == pytest.approx(of.r[place], abs=ROUNDING)

    @every_ranking
    def test_lemma_2_recall_goes_from_0_to_1_and_never_falls(self, data):
        y_true, _, weight = data
        with_positives(y_true, weight)
        of = curves(*data)
        assert (of.t[0], of.r[0]) == (0, 0)
        assert (of.t[-1], of.r[-1]) == (1, pytest.approx(1, abs=ROUNDING))
        assert (np.diff(of.t) > 0).all()
        assert (np.diff(of.r) >= 0).all()

    @every_ranking
    def test_lemma_3_precision_never_rises_as_long_as_recall_is_concave(self, data):
        y_true, _, weight = data
        with_positives(y_true, weight)
        of = curves(*data)
        bends = np.flatnonzero(np.diff(of.slopes) > 0)
        concave = of.p[: bends[0] + 1] if bends.size else of.p
        assert (np.diff(concave) <= ROUNDING).all()

    @given(data=predictions())
    def test_lemma_3_of_scores_in_the_order_of_their_share_of_positives(self, data):
        """Recall is then concave everywhere, which a ranking that is drawn seldom is."""
        y_true, y_score = data
        with_positives(y_true)
        _, block = np.unique(y_score, return_inverse=True)
        shares = np.bincount(block, y_true) / np.bincount(block)
        of = curves(y_true, shares[block])
        assert (np.diff(of.slopes) <= ROUNDING).all()
        assert (np.diff(of.p) <= ROUNDING).all()
        # then no later point is higher, and both definitions agree
        assert average_precision_score(y_true, shares[block]) == pytest.approx(
            interpolated_average_precision_score(y_true, shares[block]), abs=ROUNDING
        )

    @every_ranking
    def test_lemma_4_the_sums_agree(self, data):
        """Of p dr, of p r' dt, and of pi r r' / t dt, at the thresholds."""
        y_true, y_score, weight = data
        with_positives(y_true, weight)
        of = curves(*data)
        sums = (
            of.p @ np.diff(of.r),
            (of.p * of.slopes) @ np.diff(of.t),
            (of.share * of.r[1:] * of.slopes / of.t[1:]) @ np.diff(of.t),
        )
        found = average_precision_score(y_true, y_score, sample_weight=weight)
        assert sums == pytest.approx(3 * (found,), abs=ROUNDING)

    @given(data=predictions(max_size=6))
    def test_lemma_4_the_integral_over_a_straight_hit_curve_is_the_hyperbolic_definition(
        self, data
    ):
        """Between two thresholds h is a straight line if tied items come in any order."""
        y_true, y_score = data
        with_positives(y_true)
        of = curves(*data)

        def density(t, slope):
            return of.share * np.interp(t, of.t, of.r) * slope / t

        pieces = zip(of.t[:-1], of.t[1:], of.slopes, strict=True)
        integral = sum(quad(density, low, high, (slope,))[0] for low, high, slope in pieces)
        found = average_precision_score(y_true, y_score, definition=Hyperbolic())
        assert found == pytest.approx(integral, abs=1e-8)

    @given(hits=labels(), order=st.randoms())
    def test_lemma_4_nothing_within_an_interval_without_rise_matters(self, hits, order):
        """There, precision falls, but recall does not change: negatives may come or leave."""
        of = curves(*untied(hits))
        flat = np.flatnonzero((of.slopes == 0)[1:] & (of.h[1:-1] > 0)) + 1
        assert (np.diff(of.p)[flat - 1] < 0).all()
        last = np.flatnonzero(hits)[-1]
        longer = np.append(hits[: last + 1], np.zeros(order.randrange(9), int))
        values = (average_precision_score(*untied(each)) for each in (hits, longer))
        assert next(values) == pytest.approx(next(values), abs=ROUNDING)

    @every_ranking
    def test_lemma_5_no_slope_of_recall_is_above_one_by_the_share_of_positives(self, data):
        y_true, _, weight = data
        with_positives(y_true, weight)
        of = curves(*data)
        assert (of.slopes <= 1 / of.share * (1 + ROUNDING)).all()

    @every_ranking
    def test_example_1_equal_scores_give_the_share_of_positives(self, data):
        y_true, y_score, weight = data
        with_positives(y_true, weight)
        found = average_precision_score(y_true, 0 * y_score, sample_weight=weight)
        assert found == pytest.approx(curves(*data).share, abs=ROUNDING)

    @every_ranking
    def test_example_2_one_cannot_do_better_than_1(self, data):
        y_true, y_score, weight = data
        with_positives(y_true, weight)
        assert average_precision_score(y_true, y_score, sample_weight=weight) <= 1 + ROUNDING
        found = average_precision_score(y_true, y_true, sample_weight=weight)
        assert found == pytest.approx(1, abs=ROUNDING)
        # slope 1 until all are found, then none
        perfect = curves(y_true, y_true, weight)
        np.testing.assert_allclose(perfect.h, np.minimum(perfect.t, perfect.share), atol=ROUNDING)

    @pytest.mark.parametrize(
        "score",
        [
            average_precision_score,
            interpolated_average_precision_score,
            eleven_point_average_precision_score,
        ],
    )
    @given(hits=labels(), order=st.randoms(use_true_random=False))
    def test_section_1_the_higher_hit_curve_has_the_higher_average_precision(
        self, score, hits, order
    ):
        """An algorithm whose hit curve is nowhere below another's is unambiguously as good."""
        shuffled = hits.tolist()
        order.shuffle(shuffled)
        places = np.minimum(*(np.flatnonzero(each) for each in (hits, np.array(shuffled))))
        higher = np.zeros(hits.size, int)
        higher[places] = 1  # different places, as both increase
        assert (curves(*untied(higher)).h >= curves(*untied(hits)).h).all()
        assert score(*untied(higher)) >= score(*untied(hits)) - ROUNDING


class TestMcCann:
    """The sums, for every ranking."""

    @given(data=predictions())
    def test_average_precision_is_a_sum_over_all_or_only_rising_cutoffs(self, data):
        y_true, y_score = data
        with_positives(y_true)
        of = curves(y_true, y_score)
        rises = np.diff(of.r)
        found = average_precision_score(y_true, y_score)
        assert found == pytest.approx(of.p @ rises, abs=ROUNDING)
        assert found == pytest.approx(of.p[rises > 0] @ rises[rises > 0], abs=ROUNDING)

    @given(data=predictions())
    def test_interpolated_takes_the_highest_precision_from_each_cutoff_on(self, data):
        y_true, y_score = data
        with_positives(y_true)
        of = curves(y_true, y_score)
        best = np.maximum.accumulate(of.p[::-1])[::-1]
        found = interpolated_average_precision_score(y_true, y_score)
        assert found == pytest.approx(best @ np.diff(of.r), abs=ROUNDING)
        # so a mixture of both would show an improvement where there is none
        assert found >= average_precision_score(y_true, y_score) - ROUNDING

    @given(data=predictions())
    def test_the_eleven_points_are_a_mean_of_eleven_interpolated_precisions(self, data):
        y_true, y_score = data
        with_positives(y_true)
        of = curves(y_true, y_score)
        n_hits = np.round(of.h[1:] * len(y_true)).astype(int)
        levels = [of.p[10 * n_hits >= level * n_hits[-1]].max() for level in range(11)]
        found = eleven_point_average_precision_score(y_true, y_score)
        assert found == pytest.approx(sum(levels) / 11, abs=ROUNDING)

    @given(hits=labels(), steps=st.lists(st.floats(0.1, 9), min_size=12, max_size=12))
    def test_any_decreasing_scores_give_the_same_average_precision(self, hits, steps):
        decreasing = -np.cumsum(steps)[: hits.size]
        found = average_precision_score(hits, decreasing)
        assert found == average_precision_score(*untied(hits))


class TestDingwall:
    """Steps and straight lines, for every ranking."""

    @given(data=predictions())
    def test_the_two_operating_points_that_all_rankings_share(self, data):
        """Nothing is called positive at recall 0, and everything at the share of positives."""
        y_true, y_score = data
        with_positives(y_true)
        of = curves(y_true, y_score)
        assert (of.t[0], of.h[0]) == (0, 0)
        assert of.p[-1] == pytest.approx(y_true.mean(), abs=ROUNDING)

    @given(data=predictions())
    def test_a_straight_line_overestimates_equal_scores(self, data):
        """(1 + pi) / 2 in the place of pi: the more, the more negatives there are."""
        y_true, y_score = data
        with_positives(y_true)
        share = y_true.mean()
        found = [
            average_precision_score(y_true, 0 * y_score, definition=definition)
            for definition in (Step(), Linear())
        ]
        assert found == pytest.approx([share, (1 + share) / 2], abs=ROUNDING)

    @given(data=predictions())
    def test_mean_over_noise_approximates_expected_average_precision(self, data):
        """200 draws of noise beside the exact mean over all orders."""
        y_true, y_score = data
        with_positives(y_true)
        noise = np.random.default_rng(0).random((200, len(y_true))) / 100
        draws = [average_precision_score(y_true, y_score + each) for each in noise]
        expected = average_precision_score(y_true, y_score, definition=Expected())
        assert np.mean(draws) == pytest.approx(expected, abs=0.12)


class TestGorman:
    """The means and divisors, for every ranking."""

    @given(hits=labels())
    def test_average_precision_is_the_mean_of_precisions_at_true_instances(self, hits):
        precisions = [
            precision_at_k_score(*untied(hits), k=int(k)) for k in np.flatnonzero(hits) + 1
        ]
        found = average_precision_score(*untied(hits))
        assert found == pytest.approx(np.mean(precisions), abs=ROUNDING)

    @given(hits=labels(), k=st.integers(1, 15))
    def test_precision_at_k_is_at_most_n_over_k(self, hits, k):
        n = hits.sum()
        assert precision_at_k_score(*untied(hits), k=k) <= min(1, n / k) + ROUNDING
        recall = recall_at_k_score(*untied(hits), k=k)
        assert recall * n == pytest.approx(k * precision_at_k_score(*untied(hits), k=k))

    @given(hits=labels(), k=st.integers(1, 15))
    def test_average_precision_at_k_divides_by_min_of_k_and_positives(self, hits, k):
        top = hits[:k]
        of_hits = (np.cumsum(top) / np.arange(1, top.size + 1))[top == 1]
        found = average_precision_at_k_score(*untied(hits), k=k)
        assert found == pytest.approx(of_hits.sum() / min(k, hits.sum()), abs=ROUNDING)

    @given(hits=labels())
    def test_average_precision_at_k_of_all_rows_is_average_precision(self, hits):
        found = average_precision_at_k_score(*untied(hits), k=hits.size)
        assert found == pytest.approx(average_precision_score(*untied(hits)), abs=ROUNDING)
