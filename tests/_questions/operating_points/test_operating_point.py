"""A threshold to act on."""

import warnings

import numpy as np
import pytest
from drawings import SCORES, Y_SCORE, Y_TRUE, X, Y
from scipy.stats import binom, norm
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import FixedThresholdClassifier

from sklearn_ap import UncertaintyWarning, operating_point

BY_LUCK = pytest.mark.filterwarnings("ignore:unattainable precision:sklearn_ap.UncertaintyWarning")
COST = {"false_positive": 1, "false_negative": 20}


@pytest.mark.parametrize("weight", [1e-10, 1e-13])
def test_rows_of_tiny_weight_affect_the_threshold(weight):
    found = operating_point([0, 1], [2, 1], precision=1.0, sample_weight=[weight, 1])
    assert np.isnan(found.threshold)
    found = operating_point([1, 0, 1], [3, 2, 1], recall=1.0, sample_weight=[1, 1, weight])
    assert found.threshold == 1
    found = operating_point([1, 0, 1], [3, 2, 1], k=1, sample_weight=[1, weight, 1])
    assert found.threshold == 3


@BY_LUCK
@pytest.mark.parametrize(
    ("goal", "threshold", "n_selected", "precision", "selected", "cost"),
    [
        ({"precision": 0.25}, 0.7, 4, 0.06 / 0.24, 0.24, None),
        ({"precision": 0.26}, 0.9, 1, 1, 0.02, None),
        ({"recall": 0.8}, 0.6, 6, 0.08 / 0.44, 0.44, None),
        ({"cost": COST}, 0.6, 6, 0.08 / 0.44, 0.44, 0.36 + 20 * 0.02),
        ({"cost": COST | {"false_positive": 5}}, 0.9, 1, 1, 0.02, 20 * 0.08),
        ({"cost": COST | {"false_positive": 0}}, 0.1, 10, 0.1, 1, 0),
        ({"cost": COST | {"false_negative": 0}}, np.nan, 0, 0, 0, 0),  # to select nothing
        ({"cost": COST | {"false_positive": 1e308}}, 0.9, 1, 1, 0.02, 20 * 0.08),
    ],
)
def test_ten_predictions_at_a_prevalence_of_a_tenth(
    goal, threshold, n_selected, precision, selected, cost
):
    point = operating_point(Y_TRUE, Y_SCORE, **goal, prevalence=0.1)
    found = point.threshold, point.n_selected, point.precision, point.selected
    assert found == pytest.approx((threshold, n_selected, precision, selected), nan_ok=True)
    assert point.cost == (None if cost is None else pytest.approx(cost))
    if n_selected:
        lines = repr(point).splitlines()
        selected = f"{n_selected} selected at threshold {threshold}"
        assert " at prevalence 0.1, 10 rows, 5 positives (50%)" in " ".join(lines)
        assert selected in lines
        assert cost is None or f"cost per row: {cost:.6g}" in lines


def test_rounding_differences_do_not_change_the_threshold():
    """Two thresholds cost 0.075 per row, and 0.8, 1.6 and 0.6 are 3."""
    cost = {"false_positive": 0.3, "false_negative": 0.2}
    y_true, y_score = [1, 1, 0, 0, 1, 1, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    assert operating_point(y_true, y_score, cost=cost).threshold == 7
    point = operating_point([1, 1, 1], [3, 2, 1], k=3, sample_weight=[0.8, 1.6, 0.6])
    assert point.threshold == 1


@pytest.mark.parametrize("weight", [None, [0.1, 0.3, 0.7, 2.0, 1.0]])
@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_ties_in_precision_are_resolved_by_greatest_recall(weight, prevalence):
    y_true, y_score = [1, 1, 1, 0, 0], [5, 4, 3, 2, 1]
    point = operating_point(
        y_true, y_score, recall=0.05, sample_weight=weight, prevalence=prevalence
    )
    assert (point.threshold, point.recall, point.precision) == (3, 1, 1)


@pytest.mark.parametrize(
    ("k", "n_rows", "n_selected"), [(0.01, 35, 1), (0.1, 35, 4), (0.1, 40, 4), (0.999, 35, 35)]
)
def test_a_share_of_the_rows_is_rounded_up(k, n_rows, n_selected):
    point = operating_point(np.arange(n_rows) % 2, np.arange(n_rows), k=k)
    assert point.n_selected == n_selected


def test_cost_without_a_prevalence_is_the_sample_cost():
    point = operating_point(Y_TRUE, Y_SCORE, cost=COST)
    assert (point.threshold, point.cost, point.prevalence) == (0.1, 0.5, None)
    assert operating_point([1, 1], [2, 1], cost=COST).cost == 0
    point = operating_point([0, 1], [2, 1], cost=dict.fromkeys(COST, 7))
    name, said = repr(point).split("rows\n")
    assert name.startswith("threshold for costs 7 and 7 of false positives and negatives, 2 rows")
    assert said == (
        "To select nothing costs least: 3.5 per row.\n"
        "The best threshold with a positive selects 2 and costs 3.5 per row."
    )
    point = operating_point([0, 1], [-np.inf] * 2, cost=COST)
    assert (point.cost, point.remark[:20]) == (10, "No row was retrieved")


@BY_LUCK
def test_operating_point_prints_intervals_and_converts_to_a_frame():
    point = operating_point(Y_TRUE, Y_SCORE, precision=0.7, confidence_level=0.9)
    head, _, *lines = repr(point).splitlines()
    assert head == "threshold for precision >= 0.7, 10 rows, 5 positives (50%), uncertainty over"
    assert lines[-3:] == [
        "4 selected at threshold 0.7",
        "Select the rows that score 0.7 or higher: the precision in this sample is at",
        "least 0.7. The true one may be lower.",
    ]
    low, high = point.precision_interval
    assert lines[1].split() == ["precision", "0.7500", f"[{low:.4f},", f"{high:.4f}]"]
    (row,) = point._rows()
    for name in ("precision", "recall", "selected"):
        limits = row.pop(f"{name}_low"), row.pop(f"{name}_high")
        assert limits == getattr(point, f"{name}_interval")
        assert row.pop(name) == getattr(point, name)
    assert row == {
        "threshold": 0.7,
        "printed_threshold": "0.7",
        "n_selected": 4,
        "prevalence": None,
        "cost": None,
        "confidence_level": 0.9,
        "remark": "",
        "verdict": "chosen",
    }
    assert point.to_frame().to_dict("records") == point._rows()


EQUAL = [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("scores", "goal", "text"),
    [
        (EQUAL, {"precision": 0.7}, "of 0.7.\nThe best precision in the sample is 0.5000, of 4"),
        (EQUAL, {"precision": 0.4, "guarantee": 0.9}, "of 0.4 with a guarantee of 0.9.\nThe best"),
        (EQUAL, {"recall": 0.9, "guarantee": 0.9}, "is 1.0000, of 4 selected; there are 2 posit"),
        (EQUAL, {"precision": 0.4, "prevalence": 0.2}, "at prevalence 0.2 is 0.2000, of 4"),
        (EQUAL, {"k": 3}, "No threshold selects at most 3 rows: 4 share the highest score."),
        (EQUAL, {"k": 0.6}, "No threshold selects at most 3 rows: 4 share the highest score."),
        ([-np.inf] * 4, {"k": 3}, "No row was retrieved"),
        ([4, 3, 2, -np.inf], {"recall": 1}, "No threshold has a recall of 1"),  # one was missed
    ],
)
def test_unreachable_goal_gives_no_threshold_and_a_remark(scores, goal, text):
    point = operating_point([0, 1, 0, 1], scores, **goal)
    assert np.isnan([point.threshold, *point.precision_interval]).all()
    assert (point.precision, point.recall, point.selected, point.n_selected) == (0, 0, 0, 0)
    assert text in repr(point)
    assert repr(point).endswith(point._rows()[0]["remark"])


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "takes one of precision, recall, k and cost, got none"),
        ({"recall": 0.9, "cost": COST}, "got recall=0.9, cost={"),
        ({"cost": 20}, "cost must be a dict such as {'false_positive': 1, 'false_neg"),
        ({"cost": COST | {"true_positive": 0}}, "cost must be a dict such as"),
        ({"cost": dict.fromkeys(COST, "1")}, "cost of a false_positive must be a num"),
        ({"recall": "0.9"}, "recall must be a number"),
    ],
)
def test_goals_of_the_wrong_type_are_refused(options, text):
    with pytest.raises(TypeError, match=text):
        operating_point([1, 0], [1, 0], **options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"cost": COST | {"false_positive": -1}}, "cost must be finite, not negative"),
        ({"cost": COST | {"false_positive": np.inf}}, "cost must be finite"),
        ({"cost": dict.fromkeys(COST, 0)}, "not 0 for both"),
        ({"cost": COST, "guarantee": 0.9}, "guarantee does not go with cost"),
        ({"k": 3, "prevalence": 0.1}, "prevalence does not go with the first k ranks"),
        ({"recall": 0.9, "prevalence": 1}, "prevalence is the proportion of positives"),
        ({"precision": 90}, "precision must lie within"),
        ({"k": 0}, "k must be at least 1"),
        ({"k": 1.0}, "k must be a whole number of ranks, or a share"),
        ({"k": 3, "guarantee": 0.9}, "guarantee does not go with k"),
        ({"recall": 0.9, "guarantee": 1}, "guarantee must lie within"),
        ({"recall": 1, "guarantee": 0.9}, r"recall must lie within \(0, 1\) with"),
        ({"precision": 0.9, "confidence_level": 1}, "confidence_level must lie"),
        (
            {"recall": 0.9, "guarantee": 0.9, "sample_weight": [1, 2]},
            "guarantee does not go with sample_weight",
        ),
        (
            {"recall": 0.9, "guarantee": 0.9, "clusters": [1, 2]},
            "guarantee does not go with clusters: .* one row for each cluster, .* of the recall is",
        ),
        ({"recall": 0.5, "y_true": [0, 0]}, "y_true holds no positive"),
        ({"recall": 0.5, "y_true": [1, 1], "prevalence": 0.5}, "prevalence needs negatives"),
    ],
)
def test_incompatible_options_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        operating_point(**{"y_true": [1, 0], "y_score": [1, 0]} | options)


@BY_LUCK
def test_fixed_threshold_classifier_selects_the_same_rows():
    model = LogisticRegression()
    for goal in ({"precision": 0.8}, {"k": 37}, {"precision": 1, "k": None}):
        point = operating_point(Y, SCORES, **goal)
        options = {"threshold": point.threshold, "response_method": "decision_function"}
        fixed = FixedThresholdClassifier(model, **options).fit(X, Y)
        assert fixed.predict(X).sum() == point.n_selected
    y_score = np.array(Y_SCORE, np.float32)
    point = operating_point(Y_TRUE, y_score, precision=0.7)
    assert np.count_nonzero(y_score >= point.threshold) == point.n_selected == 4


def lowest_of_all(y_true, y_score, precision, alpha):
    """The definition, threshold by threshold: the lowest that passes with all above it, or nan."""

    def pvalue(threshold):
        selected = y_score >= threshold
        return binom.sf(y_true[selected].sum() - 1, selected.sum(), precision)

    def start(n_negative, level):
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


# ---- a precision that the sample may have by luck


def is_warned_of(labels, precision, **options):
    scores = -np.arange(len(labels))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UncertaintyWarning)
        point = operating_point(labels, scores, precision=precision, **options)
    assert not np.isnan(point.threshold)
    return [each.message.name for each in caught] == ["unattainable precision"]


def test_precision_reachable_by_luck_raises_a_warning():
    """0.9**7 is below 1/2, and 0.9**6 is not; of 10 rows at the top, 10 are enough for any."""
    for n_first, precision, is_luck in (
        (6, 0.9, True),
        (7, 0.9, False),
        (9, 1, True),
        (10, 1, False),
        (9, 0.999, True),
        (10, 0.999, False),
    ):
        labels = np.repeat([1, 0, 1], [n_first, 50, 1])
        assert is_warned_of(labels, precision) == is_luck
    # At 0.9, 15 positives or more of 16 rows have a probability of 0.515, and 16 of 17 of 0.482.
    for n_positives, is_luck in ((15, True), (16, False)):
        assert is_warned_of(np.repeat([0, 1, 0], [1, n_positives, 50]), 0.9) == is_luck


def test_clusters_and_unequal_weights_make_luck_more_likely():
    labels = np.repeat([1, 0], [9, 9])
    assert not is_warned_of(labels, 0.9)
    assert is_warned_of(labels, 0.9, clusters=np.arange(18) // 2)
    assert is_warned_of(labels, 0.9, sample_weight=np.tile([1e-9, 1], 9))
    for unit in (1e-9, 1e-291):  # the square of the latter is 0
        assert not is_warned_of(labels, 0.9, sample_weight=np.full(18, unit))


def test_luck_at_another_prevalence_is_judged_by_sample_precision():
    """Odds of 9 in a population of 1 in 101 are odds of 900 here, where half are positive."""
    labels = np.repeat([1, 0], [9, 9])
    assert is_warned_of(labels, 0.9, prevalence=1 / 101)
    assert not is_warned_of(labels, 0.9, prevalence=0.5)


def test_guarantee_recall_k_and_cost_raise_no_luck_warning():
    labels, scores = np.repeat([1, 0], [3, 9]), -np.arange(12)
    for goal in ({"precision": 0.1, "guarantee": 0.5}, {"recall": 0.9}, {"k": 2}, {"cost": COST}):
        operating_point(labels, scores, **goal)  # a warning is an error here


# ---- a guarantee: the threshold has what was asked for in all data, not only in the sample


def test_precision_without_a_guarantee_holds_half_of_the_time():
    rng, held = np.random.default_rng(0), []
    for _ in range(200):
        y_true = rng.integers(0, 2, 400)
        y_score = rng.normal(size=400) + 2 * y_true
        for options in ({}, {"guarantee": 0.9}):
            threshold = operating_point(y_true, y_score, precision=0.9, **options).threshold
            recall, false_alarms = norm.sf(threshold - 2), norm.sf(threshold)
            held.append(np.isnan(threshold) or recall >= 0.9 * (recall + false_alarms))
    by_hand, guaranteed = np.reshape(held, (-1, 2)).mean(axis=0)
    assert by_hand < 0.65 < 0.85 < guaranteed


def test_perfect_sample_must_be_large_enough_for_a_guarantee():
    """0.9**22 is below 0.1, and 0.9**21 is not."""
    for n_positives, enough in ((21, False), (22, True)):
        y_true = np.repeat([1, 0], [n_positives, 50])
        for goal in ("precision", "recall"):
            point = operating_point(y_true, 0.5 * y_true, **{goal: 0.9}, guarantee=0.9)
            assert np.isfinite(point.threshold) == enough


def test_goal_at_another_prevalence_is_translated_to_the_sample():
    """Odds of 1/4 where 20% are positive are odds of 1 where half are."""
    y_true = np.repeat([1, 0], 500)
    y_score = np.random.default_rng(0).normal(size=1000) + y_true

    def threshold(**goal):
        return operating_point(y_true, y_score, **goal, guarantee=0.9).threshold

    assert threshold(precision=0.5) == threshold(precision=0.2, prevalence=0.2)
    assert np.isnan(threshold(precision=0.9, prevalence=1e-100))
    assert threshold(recall=0.5) == threshold(recall=0.5, prevalence=0.2)


@pytest.mark.parametrize("precision", [0.5, 0.75, 0.9])
def test_guaranteed_threshold_is_the_lowest_that_passes_all_tests(precision):
    rng = np.random.default_rng(0)
    for _ in range(15):
        better = rng.normal(1.5, 0.5)
        y_true = (rng.random(300) < 0.6) * 1
        y_score = np.clip(np.round(3 * (rng.normal(size=300) + better * y_true)), -3, 8)
        point = operating_point(y_true, y_score, precision=precision, guarantee=0.9)
        expected = lowest_of_all(y_true, y_score, precision, 0.1)
        assert point.threshold == pytest.approx(expected, nan_ok=True)


def test_guaranteed_recall_follows_the_binomial_distribution():
    """Binomial(100, 0.2): at most 14 with a probability of 0.08, at most 15 of 0.13."""
    y_true = np.repeat([1, 0], [100, 100])
    scores = np.concatenate((-np.arange(100), np.full(100, -85.5)))
    point = operating_point(y_true, scores, recall=0.8, guarantee=0.9)
    assert (point.threshold, point.recall) == (-85, 0.86)
