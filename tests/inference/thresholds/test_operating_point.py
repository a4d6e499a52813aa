"""A threshold to act on."""

import warnings
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import binom

from sklearn_ap import OperatingPoint, UncertaintyWarning, operating_point, threshold_counts
from tests.helpers import threshold_reference as reference
from tests.helpers.counted import counts_of_queries
from tests.helpers.drawings import Y_SCORE, Y_TRUE
from tests.helpers.first_cases import quick

BY_LUCK = pytest.mark.filterwarnings("ignore:unattainable precision:sklearn_ap.UncertaintyWarning")
FEW_CLUSTERS = pytest.mark.filterwarnings("ignore:few clusters:sklearn_ap.UncertaintyWarning")
COST = {"false_positive": 1, "false_negative": 20}


def drawn(seed, n=300, share=0.5):
    """Labels and scores with ties."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < share
    y[:2] = True, False
    return y, np.round(3 * (rng.normal(size=n) + 1.5 * y))


@BY_LUCK
def test_limits_at_a_level_next_to_0_are_the_shares():
    y_true, y_score = [0, 0, 1, 0, 0], [-1.3, -0.1, 0.1, 0.7, -0.7]
    point = operating_point(y_true, y_score, precision=0.5, confidence_level=1e-9)
    assert point.precision == pytest.approx((0.5, 0.5, 0.5))


# ---- the threshold for each goal


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
        ({"cost": COST | {"false_negative": 0}}, np.nan, 0, np.nan, 0, 0),  # to select nothing
        ({"cost": COST | {"false_positive": 1e308}}, 0.9, 1, 1, 0.02, 20 * 0.08),
    ],
)
def test_ten_predictions_at_a_prevalence_of_a_tenth(
    goal, threshold, n_selected, precision, selected, cost
):
    point = operating_point(Y_TRUE, Y_SCORE, **goal, prevalence=0.1)
    found = point.threshold, point.n_selected, point.precision.estimate, point.selected.estimate
    assert found == pytest.approx((threshold, n_selected, precision, selected), nan_ok=True)
    assert point.notes.get("cost") == (None if cost is None else pytest.approx(cost))
    assert {name: getattr(point.goal, name) for name in goal} == goal
    assert point.sample.target_prevalence == 0.1


@pytest.mark.filterwarnings("ignore:no negatives")
def test_rounding_differences_do_not_change_the_threshold():
    """Two thresholds cost 0.075 per row, 0.8, 1.6 and 0.6 are 3, and two precisions a third."""
    cost = {"false_positive": 0.3, "false_negative": 0.2}
    y_true, y_score = [1, 1, 0, 0, 1, 1, 1, 0], [8, 7, 6, 5, 4, 3, 2, 1]
    assert operating_point(y_true, y_score, cost=cost).threshold == 7
    point = operating_point([1, 1, 1], [3, 2, 1], k=3, sample_weight=[0.8, 1.6, 0.6])
    assert point.n_selected == pytest.approx(3)
    weight = [0.3, 0.6, 0.1, 0.2]
    point = operating_point([1, 0, 1, 0], [2, 2, 1, 1], recall=0.1, sample_weight=weight)
    assert point.threshold == 1


@pytest.mark.parametrize("weight", [1e-10, 1e-13])
def test_rows_of_tiny_weight_affect_the_threshold(weight):
    found = operating_point([0, 1], [2, 1], precision=1.0, sample_weight=[weight, 1])
    assert np.isnan(found.threshold)
    y_true, y_score = np.arange(20) != 18, -np.arange(20.0)
    weights = np.where(y_true, 1.0, weight)
    found = operating_point(y_true, y_score, precision=1.0, sample_weight=weights)
    assert found.threshold == -17
    found = operating_point([1, 0, 1], [3, 2, 1], recall=1.0, sample_weight=[1, 1, weight])
    assert found.threshold == 1
    found = operating_point([1, 0, 1], [3, 2, 1], k=1, sample_weight=[1, weight, 1])
    assert found.threshold == 3


@pytest.mark.filterwarnings("ignore:no negatives")
def test_cost_without_a_prevalence_is_that_of_the_sample():
    point = operating_point(Y_TRUE, Y_SCORE, cost=COST)
    assert (point.threshold, point.notes["cost"]) == (0.1, 0.5)
    assert operating_point([1, 1], [2, 1], cost=COST).notes["cost"] == 0
    nothing = operating_point([0, 1], [2, 1], cost=dict.fromkeys(COST, 7))
    assert np.isnan(nothing.threshold)
    assert nothing.sentences == ("Select no row: this costs least in this sample, 3.5 per row.",)
    elsewhere = operating_point(Y_TRUE, Y_SCORE, cost=COST, prevalence=0.1)
    assert "costs least in this sample at prevalence 0.1, " in elsewhere.sentences[0]


@pytest.mark.parametrize("options", [{}, {"clusters": [0, 1, 2, 3]}])
@pytest.mark.parametrize(
    ("scores", "threshold"),
    [
        (np.array([0.9, 0.8, 0.7, 0.1], np.float32), 0.7),
        (np.array([0.9, 0.8, 0.7, 0.1], np.float32), np.float32(0.7)),
        (np.array([0.9, 0.8, 0.7, 0.1], np.float32), 1e300),
        (2**60 + np.arange(4), 2**60 + 2),
        (2**63 + np.arange(4, dtype=np.uint64), 2**63 + 2),
        (np.arange(4), 1.5),
    ],
)
def test_a_given_threshold_selects_the_rows_that_numpy_selects(scores, threshold, options):
    point = operating_point([1, 0, 1, 0], scores, threshold=threshold, **options)
    assert point.threshold == threshold or point.threshold == float(str(threshold))
    with np.errstate(over="ignore"):
        is_selected = scores >= threshold
    assert point.n_selected == is_selected.sum()
    assert point.recall.estimate == is_selected[::2].mean()


def test_a_share_of_the_rows_is_rounded_up_and_the_goal_says_so():
    point = operating_point([1, 0, 1], [3, 2, 1], k=0.4)
    assert (point.n_selected, point.goal.text) == (2, "at most 40% of the rows (rounded up)")
    assert replace(point.goal, k=2 / 130).text == "at most 1.538% of the rows (rounded up)"


def test_a_whole_threshold_stays_whole():
    scores = 2**60 + np.random.default_rng(0).permutation(60)
    y = np.arange(60) % 2
    chosen = operating_point(y, scores, recall=0.7)
    assert operating_point(y, scores, threshold=chosen.threshold).n_selected == chosen.n_selected
    assert operating_point([0, 1], [6, 8], threshold=7).goal.title == "given threshold 7"


@FEW_CLUSTERS
@pytest.mark.parametrize("prevalence", [None, 0.1])
@pytest.mark.parametrize(
    "options", [{}, {"clusters": [0, 0, 1, 1]}, {"sample_weight": [1, 2, 1, 2]}]
)
def test_a_given_threshold_above_all_scores_has_a_recall_of_0_and_no_precision(options, prevalence):
    y = [1, 1, 0, 0]
    point = operating_point(y, y, threshold=2, prevalence=prevalence, **options)
    assert (point.threshold, point.n_selected, point.recall[:2]) == (2, 0, (0, 0))
    assert 0 < point.recall.high < 1
    assert (point.specificity.estimate, point.selected.estimate) == (1, 0)
    assert np.isnan(point.precision).all()
    assert point.to_dict()["rows"][0]["estimate"] is None


@pytest.mark.filterwarnings("ignore:no negatives")
@FEW_CLUSTERS
@pytest.mark.parametrize("options", [{}, {"clusters": [0, 0, 1]}])
def test_without_negatives_there_is_no_specificity(options):
    with pytest.warns(UncertaintyWarning, match="no negatives: No label is negative, so any model"):
        point = operating_point([1, 1, 1], [3, 2, 1], recall=0.5, **options)
    assert np.isnan(point.specificity).all()
    assert point.precision.estimate == 1
    nothing = operating_point([1, 1, 1], [-np.inf] * 3, recall=0.5, **options)
    assert np.isnan([*nothing.specificity, nothing.precision.estimate]).all()


@pytest.mark.parametrize("prevalence", [None, 0.02])
@pytest.mark.parametrize(
    "options",
    [{}, {"clusters": np.arange(300) // 4}, {"sample_weight": 1.0 + np.arange(300) % 3}],
    ids=["rows", "clusters", "weights"],
)
def test_the_npv_is_the_precision_of_being_called_negative(options, prevalence):
    y, s = drawn(0)
    point = operating_point(y, s, threshold=1, prevalence=prevalence, **options)
    of_negatives = None if prevalence is None else 1 - prevalence
    other = operating_point(~y, s < 1, threshold=1, prevalence=of_negatives, **options)
    np.testing.assert_allclose(point.npv, other.precision, rtol=1e-9)


EQUAL = [1, 1, 1, 1]


@pytest.mark.parametrize(
    ("scores", "goal"),
    [
        (EQUAL, {"precision": 0.7}),
        (EQUAL, {"precision": 0.4, "guarantee": 0.9}),
        (EQUAL, {"recall": 0.9, "guarantee": 0.9}),
        (EQUAL, {"precision": 0.4, "prevalence": 0.2}),
        (EQUAL, {"k": 3}),
        (EQUAL, {"k": 0.6}),
        ([-np.inf] * 4, {"k": 3}),
        ([-np.inf] * 4, {"recall": 0.5}),
        ([4, 3, 2, -np.inf], {"recall": 1}),  # one was missed
    ],
)
def test_a_goal_out_of_reach_gives_no_threshold(scores, goal):
    point = operating_point([0, 1, 0, 1], scores, **goal)
    shares = point.precision, point.recall, point.selected
    npv = 1 - goal.get("prevalence", 0.5)
    np.testing.assert_equal(
        [*(share.estimate for share in shares), point.n_selected], [np.nan, 0, 0, 0]
    )
    assert np.isnan([point.threshold, *(end for share in shares for end in share[1:])]).all()
    assert point.sentences[0].startswith("There is no threshold ")
    np.testing.assert_equal(point.to_frame()["estimate"].tolist(), [np.nan, 0, 1, npv, 0])
    with pytest.raises(ValueError, match="There is no threshold "):
        point.plot()


# ---- options


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, "Pass one of precision, recall, k, cost and threshold, got none of them"),
        ({"precision": 0.9, "recall": 0.9}, "got precision=0.9, recall=0.9"),
        ({"cost": 20}, "cost must be a dict such as {'false_positive': 1, 'false_neg"),
        ({"cost": dict.fromkeys(COST, "1")}, "cost of a false_positive must be a num"),
    ],
)
def test_goals_of_the_wrong_type_are_refused(options, text):
    with pytest.raises(TypeError, match=text):
        operating_point([1, 0], [1, 0], **options)


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"cost": COST | {"false_positive": -1}}, "cost must be finite, and not negative"),
        ({"cost": COST | {"false_positive": np.inf}}, "cost must be finite"),
        ({"cost": COST, "guarantee": 0.9}, "guarantee .* does not go with cost"),
        ({"k": 3, "prevalence": 0.1}, "prevalence does not go with the first k ranks"),
        ({"threshold": np.nan}, "threshold must be finite, got nan"),
        ({"recall": 0.9, "guarantee": 1}, r"guarantee is how often .* must lie within \[0.5, 1\)"),
        ({"recall": 0.9, "guarantee": 0.1}, "guarantee is how often"),
        ({"recall": 1, "guarantee": 0.9}, r"recall must lie within \(0, 1\)"),
        ({"recall": 0.9, "guarantee": 0.9, "sample_weight": [1, 2]}, "not go with sample_weight"),
        ({"precision": 0.9, "guarantee": 0.9, "clusters": [0, 1]}, "clusters.* Choose without it"),
        ({"recall": 0.5, "y_true": [0, 0]}, "There is no positive"),
        ({"recall": 0.5, "y_true": [1, 1], "prevalence": 0.5}, "prevalence needs negatives"),
    ],
)
def test_options_that_do_not_go_together_are_refused(options, text):
    with pytest.raises(ValueError, match=text):
        operating_point(**{"y_true": [1, 0], "y_score": [1, 0]} | options)


# ---- the number to compare scores with

TINY = np.nextafter(0.7, 1) - 0.7
LEVELS = {
    "normal": np.random.default_rng(1).normal(size=120),
    "float32": np.random.default_rng(3).random(120).astype(np.float32),
    "float16": np.random.default_rng(4).random(120).astype(np.float16),
    "neighbours": 0.7 + TINY * np.arange(8),
    "negative neighbours": -0.7 - TINY * np.arange(8),
    "huge": 1.7e308 + 1e292 * np.arange(8),
    "subnormal": 5e-324 * np.arange(-3, 5),
    "large integers": 2**60 + np.arange(8),
    "false and true": np.array([False, True]),
    "not retrieved": np.array([-np.inf, -0.3, 0.1234567891, 0.4]),
    "extended": np.longdouble(1) / 3 + np.finfo(np.longdouble).eps * np.arange(8),
}


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("levels", [*LEVELS.values()], ids=[*LEVELS])
def test_the_threshold_selects_its_rows_with_the_fewest_digits(levels):
    rng = np.random.default_rng(0)
    place = rng.integers(levels.size, size=120)
    y = rng.random(120) < 0.2 + 0.6 * np.argsort(np.argsort(levels))[place] / levels.size
    s = levels[place]
    for goal in ({"precision": 0.55}, {"recall": 0.7}, {"k": 0.4}, {"cost": COST}):
        point = operating_point(y, s, **goal)
        if np.isnan(point.threshold):
            continue
        assert np.count_nonzero(s >= point.threshold) == point.n_selected
        assert f"score {point.threshold} or more" in " ".join(point.sentences)
        counted = OperatingPoint.from_counts(threshold_counts(y, s), recall=0.7)
        assert np.count_nonzero(s >= counted.threshold) == counted.n_selected


@pytest.mark.parametrize(
    ("score", "next_score", "threshold"),
    [
        (0.6971068382, 0.5, 0.6),  # rounded down
        (-0.6971061, -0.7, -0.698),
        (0.6971068382, 0.6971068, 0.69710683),
        (0.1 + 0.2, 0.3, 0.1 + 0.2),
        (0.25, -9.0, 0.2),
        (438, 401, 430),
        (1.23456789e-9, 0.0, 1e-9),
        (-0.0, -1.0, 0.0),
    ],
)
def test_the_threshold_is_rounded_down_but_stays_above_the_next_score(score, next_score, threshold):
    for kind in (np.float64, np.int64) if isinstance(score, int) else (np.float64,):
        found = operating_point([1, 0], np.array([score, next_score], kind), recall=1).threshold
        assert str(found) == str(kind(threshold).item())


def test_counts_do_not_tell_the_scores_of_negatives_so_the_threshold_has_all_digits():
    counts = threshold_counts([1, 1, 0], [0.91234567, 0.81234567, 0.5])
    assert OperatingPoint.from_counts(counts, recall=1).threshold == 0.81234567


# ---- a precision that the sample may have by luck


def is_warned_of(labels, precision, **options):
    scores = -np.arange(len(labels))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UncertaintyWarning)
        point = operating_point(labels, scores, precision=precision, **options)
    assert not np.isnan(point.threshold)
    return "unattainable precision" in [each.message.name for each in caught]


def test_a_precision_within_reach_by_luck_raises_a_warning():
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


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("precision", [0.7, 0.9])
def test_luck_is_a_binomial_probability_of_a_half_at_each_threshold(precision, seed):
    labels = np.random.default_rng(seed).random(100) < np.linspace(0.95, 0, 100)
    labels[0] = True
    n_selected = np.arange(1, 101)
    chance = binom.sf(np.cumsum(labels) - 1, n_selected, precision)
    assert is_warned_of(labels, precision) == (chance.min() > 0.5)


def test_clusters_and_unequal_weights_make_luck_more_likely():
    labels = np.repeat([1, 0], [9, 9])
    assert not is_warned_of(labels, 0.9)
    assert is_warned_of(labels, 0.9, clusters=np.arange(18) // 2)
    many = np.repeat([1, 0], [40, 10])  # as 20 independent ones
    assert not is_warned_of(many, 0.9, clusters=np.arange(50) // 2)
    assert is_warned_of(labels, 0.9, sample_weight=np.tile([1e-9, 1], 9))
    for unit in (1e-9, 1e-99):
        assert not is_warned_of(labels, 0.9, sample_weight=np.full(18, unit))


def test_luck_at_another_prevalence_is_judged_by_the_precision_of_the_sample():
    """Odds of 9 in a population of 1 in 101 are odds of 900 here, where half are positive."""
    labels = np.repeat([1, 0], [9, 9])
    assert is_warned_of(labels, 0.9, prevalence=1 / 101)
    assert not is_warned_of(labels, 0.9, prevalence=0.5)


@pytest.mark.parametrize(
    ("n_positives", "n_negatives", "name"),
    [(15, 20, "recall"), (20, 15, "specificity"), (16, 16, None)],
)
def test_few_clusters_of_a_share_raise_a_warning(n_positives, n_negatives, name):
    """Clusters of two rows of one class, which are selected one by one."""
    y = np.repeat([1, 0], [2 * n_positives, 2 * n_negatives])
    options = {"threshold": 1, "clusters": np.arange(y.size) // 2}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        operating_point(y, np.arange(y.size) % 2, **options)
        operating_point(y, np.arange(y.size) % 2, threshold=1, clusters=np.arange(y.size))
    told = f"few clusters: The interval of the {name} rests on few clusters: their effective number"
    assert [str(each.message).partition(" is ")[0] for each in caught] == [told] * (
        name is not None
    )


# ---- a guarantee: the threshold has what was asked for in all data, not only in the sample


@pytest.mark.parametrize("precision", [0.5, 0.75, 0.9])
@pytest.mark.parametrize("seed", range(12))
def test_guaranteed_thresholds_are_those_of_the_reference(precision, seed):
    y, s = drawn(seed, share=0.6)
    point = operating_point(y, s, precision=precision, guarantee=0.9)
    cut = reference.with_precision(y, s, precision, 0.1)
    least_positive = s[(y == 1) & (s >= cut)].min(initial=np.inf)  # below it are only negatives
    assert point.n_selected == np.count_nonzero(s >= least_positive)
    point = operating_point(y, s, recall=precision, guarantee=0.9)
    assert point.threshold <= reference.with_recall(y, s, precision, 0.1)


def test_a_recall_is_guaranteed_where_its_error_is_just_what_is_allowed():
    """Of 9 positives, 5 or more are found in half of samples whose recall is 0.5."""
    y, s = [1] * 5 + [0] * 50 + [1] * 4, [2] * 5 + [1] * 54
    assert operating_point(y, s, recall=0.5, guarantee=0.5).threshold == 2


def test_a_perfect_sample_must_be_large_enough_for_a_guarantee():
    """0.9**22 is below 0.1, and 0.9**21 is not."""
    for n_positives, is_shown in ((21, False), (22, True)):
        y = np.repeat([1, 0], [n_positives, 50])
        for goal in ({"precision": 0.9}, {"recall": 0.9}):
            point = operating_point(y, 0.5 * y, **goal, guarantee=0.9)
            assert np.isfinite(point.threshold) == is_shown
            lack = "at least 0.9: this needs 22 positives or more, and there are 21."
            assert (lack in point.sentences[0]) != is_shown
            assert point.to_dict()["guarantee"] == 0.9


@pytest.mark.parametrize("seed", range(12))
def test_guaranteed_recalls_over_clusters_are_those_of_the_reference(seed):
    """In any order of the rows; clusters of one row are rows."""
    y, s = drawn(seed, share=0.6)
    rng = np.random.default_rng(seed)
    clusters = np.sort(rng.integers(60, size=y.size))
    point = operating_point(y, s, recall=0.75, guarantee=0.9, clusters=clusters)
    highest = reference.with_recall_over_clusters(y, s, clusters, 0.75, 0.1)
    assert point.threshold <= highest
    assert np.isnan(point.threshold) == np.isnan(highest)
    order = rng.permutation(y.size)
    rows = {"y_true": y[order], "y_score": s[order], "clusters": clusters[order]}
    assert operating_point(**rows, recall=0.75, guarantee=0.9).threshold == point.threshold
    alone = {"recall": 0.75, "guarantee": 0.9}
    as_rows = operating_point(y, s, **alone, clusters=np.arange(y.size))
    assert as_rows.threshold == operating_point(y, s, **alone).threshold


@FEW_CLUSTERS
def test_a_guarantee_over_clusters_counts_a_cluster_as_one_positive():
    """0.9**22 is below 0.1, and 0.9**21 is not, whatever the number of their images."""
    for n_patients, is_shown in ((21, False), (22, True)):
        y = np.repeat([1, 0], [5 * n_patients, 60])
        goal = {"recall": 0.9, "guarantee": 0.9, "clusters": np.arange(y.size) // 5}
        point = operating_point(y, 0.5 * y, **goal)
        assert np.isfinite(point.threshold) == is_shown
        assert point.notes == {"n_effective": n_patients}
        lack = "this needs 22 clusters with positives or more, and their effective number is 21."
        assert (lack in point.sentences[0]) != is_shown


def test_nothing_is_guaranteed_where_nothing_was_retrieved():
    y, s = np.repeat([1, 0], 40), np.full(80, -np.inf)
    for options in ({}, {"clusters": np.arange(80) // 2}):
        assert np.isnan(operating_point(y, s, recall=0.5, guarantee=0.9, **options).threshold)


def test_missed_positives_of_large_clusters_weigh_more():
    """Ten positives of 120 are missed: one each of ten patients, or all ten of one patient.

    80 patients have one, and 4 have ten, so that 30 clusters of equal size tell as much.
    """
    patient = np.append(np.arange(80), np.repeat(np.arange(80, 84), 10))
    y, clusters = np.repeat([1, 0], [120, 50]), np.append(patient, np.arange(100, 150))
    for missed, n_selected in ((patient < 10, 110), (patient == 83, 170)):
        s = np.append(np.where(missed, 1, 3), np.full(50, 2))
        goal = {"recall": 0.8, "guarantee": 0.8, "clusters": clusters}
        assert operating_point(y, s, **goal).n_selected == n_selected


@pytest.mark.filterwarnings("ignore:no negatives")
@pytest.mark.filterwarnings("ignore:constant scores")
def test_all_rows_may_be_just_enough_for_a_guarantee():
    for n, threshold in ((21, np.nan), (22, 1)):
        point = operating_point([1] * n, [1] * n, precision=0.9, guarantee=0.9)
        np.testing.assert_equal(point.threshold, threshold)


def test_a_goal_at_another_prevalence_is_translated_to_the_sample():
    """Odds of 1/4 where 20% are positive are odds of 1 where half are."""
    y = np.repeat([1, 0], 500)
    s = np.random.default_rng(0).normal(size=1000) + y

    def threshold(**goal):
        return operating_point(y, s, **goal, guarantee=0.9).threshold

    assert threshold(precision=0.5) == threshold(precision=0.2, prevalence=0.2)
    assert np.isnan(threshold(precision=0.9, prevalence=1e-100))
    assert threshold(recall=0.5) == threshold(recall=0.5, prevalence=0.2)


# ---- from counts


@BY_LUCK
@pytest.mark.parametrize("prevalence", quick([None, 0.01], [0.01]))
@pytest.mark.parametrize(
    "goal",
    [
        *({"precision": each} for each in (0, 0.3, 0.95, 1)),
        *({"recall": each} for each in (0, 0.5, 1)),
        {"recall": 0.5, "guarantee": 0.9},
        {"cost": COST},
        {"cost": {"false_positive": 0, "false_negative": 1}},
    ],
)
def test_an_operating_point_of_counts_is_that_of_rows(goal, prevalence, subtests):
    for seed in range(30):
        y, s = drawn(seed, n=4 + 7 * seed, share=0.2)
        if seed % 3 == 0:
            s[2:][np.random.default_rng(seed).random(s.size - 2) < 0.2] = -np.inf
        with subtests.test(seed=seed):
            of_rows = operating_point(y, s, **goal, prevalence=prevalence)
            counts = threshold_counts(y, s)
            found = OperatingPoint.from_counts(counts, **goal, prevalence=prevalence)
            assert (found.n_selected, found.notes) == (of_rows.n_selected, of_rows.notes)
            np.testing.assert_array_equal(found.precision, of_rows.precision)
            assert found.heading == of_rows.heading
            assert repr(found).splitlines()[:5] == repr(of_rows).splitlines()[:5]


COUNTS = threshold_counts([1, 0, 1, 0], [1, 0, 1, 0])


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        (threshold_counts([1, 0], [1, 0], sample_weight=[1, 2]), {}, "unweighted counts"),
        (COUNTS.at_prevalence(0.1), {}, "for another prevalence, pass prevalence"),
        (
            counts_of_queries([1, 0, 1, 0], [1, 1, 0, 0], [1, 1, 2, 2]),
            {},
            "one ranking, got counts of 2",
        ),
        (threshold_counts([0, 0], [1, 2]), {}, "^There is no positive"),
        (COUNTS, {"precision": 0.9, "guarantee": 0.9}, "guarantee of a precision .* random sample"),
    ],
)
def test_counts_that_tell_too_little_are_refused_with_the_remedy(counts, options, message):
    with pytest.raises(ValueError, match=message):
        OperatingPoint.from_counts(counts, **options or {"recall": 0.5})


# ---- limits in special samples


@FEW_CLUSTERS
@pytest.mark.parametrize("is_turned", [False, True], ids=["together", "against each other"])
@pytest.mark.parametrize("share", ["precision", "selected"])
def test_limits_at_a_prevalence_allow_for_the_correlation_of_both_rates(share, is_turned):
    """Clusters of three positives and three negatives, which are selected together or in turn."""
    rng = np.random.default_rng(0)
    clusters = np.repeat(np.arange(40), 6)
    y = np.tile([1, 0], 120)
    level = rng.normal(size=40)[clusters] * np.where(is_turned & (y == 0), -1, 1)
    s = level + 0.3 * rng.normal(size=240)
    point = operating_point(y, s, threshold=0, clusters=clusters, prevalence=0.2)
    limits = reference.limits(y == 1, s >= 0, np.ones(240), clusters, 0.95, 0.2)
    assert getattr(point, share)[1:] == pytest.approx(limits[f"{share}_interval"], abs=1e-9)


def test_clusters_without_a_design_effect_are_as_many_rows_with_fewer_degrees_of_freedom():
    """Each of 20 clusters has a positive that is selected, and one that is not."""
    y, clusters = np.repeat([1, 0], [40, 20]), np.r_[np.arange(40) // 2, 20:40]
    s = np.where(y == 1, np.arange(60) % 2, 0)
    point = operating_point(y, s, threshold=1, clusters=clusters)
    # Wilson's of 20 of 40 with t = 2.093 of 19 degrees; t = 2.023 of 39 gives 0.348 to 0.652.
    assert point.recall == pytest.approx((0.5, 0.343, 0.657), abs=5e-4)


@FEW_CLUSTERS
def test_a_share_of_all_rows_in_few_clusters_has_their_degrees_of_freedom():
    """Each of four clusters has two positives, all of which are selected."""
    y, clusters = np.repeat([1, 0], 8), np.arange(16) // 2
    point = operating_point(y, y, threshold=1, clusters=clusters)
    # Wilson's of 4 of 4 with t = 3.182 of 3 degrees; the exact limit is 0.473.
    assert point.recall == pytest.approx((1, 4 / (4 + 3.18245**2), 1), abs=1e-5)


@pytest.mark.filterwarnings("ignore:constant scores")
def test_a_threshold_that_selects_every_row_says_so():
    """Grades whose lowest holds positives often leave no other threshold."""
    point = operating_point([1, 0] * 60, [1] * 120, recall=0.9, guarantee=0.9)
    assert point.sentences[0].startswith("Select the rows that score 1 or more (all 120 rows): ")
