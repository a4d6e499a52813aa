"""A threshold to act on."""

import numpy as np
import pytest
from drawings import SCORES, X, Y
from every import every
from scipy.stats import binom, norm
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier

from sklearn_ap import (
    operating_point,
)

Y_TRUE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
Y_SCORE = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]


@every(
    ("goal", "threshold", "n_selected", "precision", "recall"),
    [
        ({"precision": 0.7}, 0.7, 4, 3 / 4, 3 / 5),
        ({"precision": 0.5}, 0.1, 10, 1 / 2, 1),
        ({"recall": 0.8}, 0.6, 6, 4 / 6, 4 / 5),
        ({"recall": 0}, 0.9, 1, 1, 1 / 5),
        ({"k": 5}, 0.7, 4, 3 / 4, 3 / 5),  # the fifth is tied with the sixth
        ({"k": 99}, 0.1, 10, 1 / 2, 1),
        ({"k": 0.41}, 0.7, 4, 3 / 4, 3 / 5),  # at most five
        ({"k": 0.6}, 0.6, 6, 4 / 6, 4 / 5),
    ],
)
def test_the_ten_predictions(goal, threshold, n_selected, precision, recall):
    point = operating_point(Y_TRUE, Y_SCORE, **goal)
    assert (point.threshold, point.n_selected) == (threshold, n_selected)
    shares = point.precision, point.recall, point.selected
    assert shares == pytest.approx((precision, recall, n_selected / 10))


def test_it_prints_with_intervals_and_is_a_row_of_a_table():
    point = operating_point(Y_TRUE, Y_SCORE, precision=0.7, confidence_level=0.9)
    head, *rows = repr(point).splitlines()
    assert head == "4 selected at threshold 0.7"
    low, high = point.precision_interval
    assert rows[1].split() == ["precision", "0.7500", f"[{low:.4f},", f"{high:.4f}]"]
    (row,) = point.rows()
    for name in ("precision", "recall", "selected"):
        low, high = getattr(point, f"{name}_interval")
        assert (row[f"{name}_low"], row[name], row[f"{name}_high"]) == (
            low,
            getattr(point, name),
            high,
        )
        assert 0 <= low <= row[name] <= high <= 1
    assert (row["threshold"], row["n_selected"]) == (0.7, 4)
    assert (row["confidence_level"], row["remark"]) == (0.9, "")
    assert point.to_frame().to_dict("records") == [row]


@every(
    ("scores", "goal", "text"),
    [
        (
            [1, 1, 1, 1],
            {"precision": 0.7},
            "No threshold has a precision of 0.7.\nThe best precision in the sample is 0.5000, ",
        ),
        (
            [1, 1, 1, 1],
            {"precision": 0.4, "guarantee": 0.9},
            "of 0.4 with a guarantee of 0.9.\nThe best prec",
        ),
        (
            [1, 1, 1, 1],
            {"recall": 0.9, "guarantee": 0.9},
            "No threshold has a recall of 0.9 with a guarantee of 0.9.\n"
            "The best recall in the sample is 1.0000, of 4 selected; there are 2 positives.",
        ),
        ([1] * 4, {"k": 3}, "No threshold selects at most 3 rows: 4 share the highest score."),
        ([1] * 4, {"k": 0.6}, "No threshold selects at most 3 rows: 4 share the highest score."),
        ([-np.inf] * 4, {"k": 3}, "No row was retrieved"),
        ([4, 3, 2, -np.inf], {"recall": 1}, "No threshold has a recall of 1"),  # one was missed
    ],
)
def test_nothing_that_reaches_it_gives_no_threshold_and_says_why(scores, goal, text):
    point = operating_point([0, 1, 0, 1], scores, **goal)
    assert np.isnan([point.threshold, *point.precision_interval]).all()
    assert (point.precision, point.recall, point.selected, point.n_selected) == (0, 0, 0, 0)
    assert text in repr(point)
    assert point.rows()[0]["remark"] == repr(point)


@every(
    ("options", "error", "text"),
    [
        ({}, TypeError, "takes one of precision, recall and k, got none"),
        ({"precision": 0.9, "k": 3}, TypeError, "got precision=0.9, k=3"),
        ({"precision": 90}, ValueError, "precision must lie within"),
        ({"recall": "0.9"}, TypeError, "recall must be a number"),
        ({"k": 0}, ValueError, "k must be at least 1"),
        ({"k": 1.0}, ValueError, "k must be a whole number of ranks, or a share"),
        ({"k": 3, "guarantee": 0.9}, ValueError, "guarantee does not go with k"),
        ({"k": 0.3, "guarantee": 0.9}, ValueError, "guarantee does not go with k"),
        ({"recall": 0.9, "guarantee": 1}, ValueError, "guarantee must lie within"),
        ({"recall": 0.9, "guarantee": "yes"}, TypeError, "guarantee must be a number"),
        ({"recall": 1, "guarantee": 0.9}, ValueError, r"recall must lie within \(0, 1\) with"),
        ({"precision": 0.9, "confidence_level": 1}, ValueError, "confidence_level must lie"),
        (
            {"precision": 0.9, "guarantee": 0.9, "sample_weight": [1.0, 2.0]},
            ValueError,
            "guarantee does not go with sample_weight",
        ),
        (
            {"precision": 0.5, "guarantee": 0.9, "clusters": [1, 1]},
            ValueError,
            r"guarantee does not go with clusters.*Keep one row",
        ),
    ],
)
def test_what_makes_no_sense_is_refused(options, error, text):
    with pytest.raises(error, match=text):
        operating_point([1, 0], [1, 0], **options)
    with pytest.raises(ValueError, match="y_true holds no positive"):
        operating_point([0, 0], [1, 0], recall=0.5)


def test_fixed_threshold_classifier_selects_the_same_rows():
    model = LogisticRegression().fit(X, Y)
    for goal in ({"precision": 0.8}, {"k": 37}, {"precision": 1, "k": None}):
        point = operating_point(Y, SCORES, **goal)
        fixed = FixedThresholdClassifier(
            model, threshold=point.threshold, response_method="decision_function"
        ).fit(X, Y)
        assert fixed.predict(X).sum() == point.n_selected


def test_a_threshold_of_float32_scores_selects_the_same_rows():
    y_score = np.array(Y_SCORE, np.float32)
    point = operating_point(Y_TRUE, y_score, precision=0.7)
    assert np.count_nonzero(y_score >= point.threshold) == point.n_selected == 4


def lowest_of_all(y_true, y_score, precision, alpha):
    """The definition, threshold by threshold: the lowest that passes with all above it, or nan."""

    def pvalue(threshold):
        selected = y_score >= threshold
        return binom.sf(y_true[selected].sum() - 1, selected.sum(), precision)

    def start(n_negative, level):
        """The highest threshold whose rows could show the precision, and the rows needed."""
        rows = np.arange(1, y_true.size + 1)
        enough = rows[binom.cdf(n_negative, rows, 1 - precision) <= level]
        found = [t for t in thresholds if enough.size and (y_score >= t).sum() >= enough[0]]
        return found[0] if found else None

    limit = y_true.sum() / precision
    thresholds = [t for t in np.unique(y_score)[::-1] if (y_score >= t).sum() <= limit]
    negatives = [0, 1, 2, 4, 8, 13, 20, 32, 49, 74, 113, 170, 257]
    rows = np.arange(1, int(min(limit, y_true.size)) + 1)
    negatives = [k for k in negatives if binom.cdf(k, rows[-1], 1 - precision) <= alpha]
    harmonic = sum(1 / i for i in range(1, len(negatives) + 1))
    found = [start(k, alpha / harmonic / i) for i, k in enumerate(negatives, 1)]
    starts = sorted({each for each in found if each is not None}, reverse=True)
    harmonic = sum(1 / i for i in range(1, len(starts) + 1))
    share = {each: alpha / harmonic / i for i, each in enumerate(starts, 1)}
    lowest = np.nan
    for threshold in thresholds:
        if not starts or threshold > starts[0]:
            continue
        spent = sum(share[each] for each in starts if each >= threshold)
        below = any(pvalue(each) <= share[each] for each in starts if each <= threshold)
        if pvalue(threshold) > spent and not below:
            break
        lowest = threshold
    return lowest


class TestGuarantee:
    """The threshold has what was asked for in all data, not only in the sample."""

    @pytest.mark.parametrize("goal", [{"precision": 0.9}, {"recall": 0.8}])
    def test_by_hand_it_is_a_coin_flip_and_with_a_guarantee_it_holds(self, goal):
        rng, held, ((name, value),) = np.random.default_rng(0), [], goal.items()
        for _ in range(200):
            y_true = rng.integers(0, 2, 400)
            y_score = rng.normal(size=400) + 2 * y_true
            for options in ({}, {"guarantee": 0.9}):
                threshold = operating_point(y_true, y_score, **goal, **options).threshold
                recall, false_alarms = norm.sf(threshold - 2), norm.sf(threshold)
                share = recall if name == "recall" else recall / (recall + false_alarms)
                held.append(np.isnan(threshold) or share >= value)
        by_hand, guaranteed = np.reshape(held, (-1, 2)).mean(axis=0)
        assert by_hand < 0.65 < 0.85 < guaranteed

    def test_where_all_thresholds_are_just_too_bad_one_is_rarely_found(self):
        """A precision of 0.595 at any threshold: 0.6 is not reached."""
        rng, found = np.random.default_rng(0), []
        for _ in range(300):
            y_true, y_score = rng.random(1000) < 0.595, rng.random(1000)
            point = operating_point(y_true, y_score, precision=0.6, guarantee=0.9)
            found.append(not np.isnan(point.threshold))
        assert np.mean(found) < 0.12

    def test_a_perfect_sample_must_be_large_enough(self):
        """0.9**22 is below 0.1, and 0.9**21 is not."""
        for n_positives, enough in ((21, False), (22, True)):
            y_true = np.repeat([1, 0], [n_positives, 50])
            for goal in ("precision", "recall"):
                point = operating_point(y_true, 0.5 * y_true, **{goal: 0.9}, guarantee=0.9)
                assert np.isfinite(point.threshold) == enough

    @every("precision", [0.5, 0.75, 0.9])
    def test_it_has_the_highest_recall_that_the_tests_allow(self, precision):
        """As a walk over all thresholds finds it."""
        rng = np.random.default_rng(0)
        for _ in range(15):
            better = rng.normal(1.5, 0.5)
            y_true = (rng.random(300) < 0.6) * 1
            y_score = np.clip(np.round(3 * (rng.normal(size=300) + better * y_true)), -3, 8)
            point = operating_point(y_true, y_score, precision=precision, guarantee=0.9)
            expected = lowest_of_all(y_true, y_score, precision, 0.1)
            assert point.threshold == pytest.approx(expected, nan_ok=True)

    def test_it_holds_where_the_precision_stays_a_little_too_low_below_a_good_top(self):
        """About 200 positives, then 22.2 negatives, then 90% positives to the end."""
        rng, held = np.random.default_rng(1), []
        for _ in range(200):
            top = rng.poisson([200, 22.23])
            y_true = np.repeat([1, 0, 1], [*top, 2000])
            y_true[top.sum() :] = rng.random(2000) < 0.9
            point = operating_point(y_true, -np.arange(y_true.size), precision=0.9, guarantee=0.9)
            held.append(not point.n_selected > top.sum())
        assert np.mean(held) > 0.9

    def test_a_recall_counts_the_positives_that_may_be_missed(self):
        """Binomial(100, 0.2): at most 14 with a probability of 0.08, at most 15 of 0.13."""
        point = operating_point([1] * 100, -np.arange(100), recall=0.8, guarantee=0.9)
        assert point.recall >= 0.86
        y_true = np.repeat([1, 0], [100, 100])
        scores = np.concatenate((-np.arange(100), np.full(100, -85.5)))
        point = operating_point(y_true, scores, recall=0.8, guarantee=0.9)
        assert (point.threshold, point.recall) == (-85, 0.86)
