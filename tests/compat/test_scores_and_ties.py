"""What tools make of scores and of ties, by numbers that they gave and a first version did not."""

import numpy as np
import pytest
from compat_inputs import NAMES
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics

from sklearn_ap import average_precision_score, compat
from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._scores_and_ties import SCORES, TIES
from sklearn_ap.compat._tools import ENTRIES

LARGEST = 1.7e308
ANY = st.one_of(
    st.floats(-LARGEST, LARGEST), st.floats(-0.5, 1.5), st.sampled_from([0, 1e-8, 0.5, 50])
)
DEFAULTS = {option: default for entry in ENTRIES for option, default in entry.options.items()}


def two_queries(y_score):
    """Rankings, and pairs of items that follow each other in a query, the lower score first."""
    n = len(y_score)
    rankings = check_predictions(
        np.arange(n) // 2 % 2, y_score, sample_weight=None, queries=np.arange(n) % 2, pos_label=1
    ).rankings
    query = rankings.ranking_of_items
    order = np.lexsort((rankings.score, query))
    same_query = np.diff(query[order]) == 0
    return rankings, order[:-1][same_query], order[1:][same_query]


@pytest.mark.parametrize("name", SCORES)
@given(y_score=st.lists(ANY, min_size=4, max_size=30))
@example([LARGEST, LARGEST, 1.0, 0.5, 0.0, -1.0, -LARGEST, -LARGEST])
def test_what_is_done_to_scores_never_turns_two_around(name, y_score):
    rankings, lower, higher = two_queries(y_score)
    after = SCORES[name].apply(DEFAULTS, rankings).score
    turned = after[lower] > after[higher]
    if name == "dtype":  # what overflows stays in the order of the input
        with np.errstate(over="ignore"):
            turned &= np.isfinite(rankings.score[lower].astype(np.float32))
    assert not turned.any()


@pytest.mark.parametrize(
    ("y_true", "y_score", "value", "recall"),
    [
        # Recorded from torcheval 0.0.7: in float32, scores of 1e300 are infinite and not tied.
        ([1, 0], [1e300, 1e300], 1.0, 1.0),
        ([0, 1], [1e300, 2e300], 0.5, 0.0),
        ([1, 0], [-1e300, -1e300], 1.0, 1.0),
        ([1, 0, 1, 0, 0, 1], [1e300, 1e300, 1e300, 0.5, -1e300, -1e300], 0.7222222, 0.3333333),
        ([1, 0, 0, 1], [1e300, 1e300, -1e300, -1e300], 0.75, 0.5),
    ],
)
def test_torcheval_ranks_what_overflows_in_the_order_of_the_input(y_true, y_score, value, recall):
    found = compat.score("torcheval.binary_auprc", y_true, y_score)
    assert found == pytest.approx(value, abs=1e-6)
    found = compat.score("torcheval.binary_recall_at_fixed_precision", y_true, y_score)
    assert found == pytest.approx(recall, abs=1e-6)
    tied = compat.score("torcheval.binary_auprc", y_true, y_score, dtype="float64")
    assert tied == pytest.approx(average_precision_score(y_true, y_score), abs=1e-6)


@pytest.mark.parametrize("name", TIES)
@given(y_score=st.lists(ANY, min_size=4, max_size=30, unique=True))
@example([LARGEST, 1.0, 0.5, 0.25, 0.0, -1.0, -2.0, -LARGEST])
def test_distinct_scores_keep_their_order(name, y_score):
    rankings, lower, higher = two_queries(y_score)
    after = TIES[name].apply(DEFAULTS, rankings)
    assert (after[lower] < after[higher]).all()


def test_levels_of_pytorch_on_the_edge_of_a_bin():
    edges = [75, 14, 73, 82, 74, 67, 42, 51]
    y_score = np.array(edges) / 99
    value = compat.score("torcheval.binary_binned_auprc", [1, 1, 1, 0, 1, 0, 0, 0], y_score)
    assert value == pytest.approx(0.6041667, abs=1e-6)


def test_levels_of_pytorch_count_from_both_ends():
    """Level 66 of 200 is that of the lower half, 3e-8 below the one counted from the top."""
    y_score = [0.331658273935318, 0.3291]
    name = "torchmetrics.BinaryAveragePrecision_thresholds"
    assert compat.score(name, [1, 0], y_score) == 1.0


def test_a_positive_that_scores_exactly_0_is_not_relevant_to_torchmetrics():
    assert compat.score("torchmetrics.RetrievalMAP", [1, 0, 1], [0.5, 0.3, 0.0]) == 1.0


@pytest.mark.parametrize(
    ("y_true", "y_score", "value"),
    [
        ([0, 1, 1, 0], [1e-9, 0, -1, -2], 2 / 3),
        ([0, 1, 1, 0], [5 + 1e-7, 5, 4, 3], 5 / 12),
        ([0, 1, 0, 1], [0, 0.6e-8, 1.2e-8, 1.8e-8], 0.75),  # a chain
        ([0, 1], [1e-8, 0], 0.25),  # as far apart as that is not tied
        ([0, 1], [1 + 1e-8, 1], 0.75),  # a little less in floats
        ([0, 1], [1 + 1.1e-8, 1], 0.25),
    ],
)
def test_catboost_ties_neighbours(y_true, y_score, value):
    assert compat.score("catboost.PRAUC", y_true, y_score) == pytest.approx(value, abs=1e-12)


def test_catboost_ties_neighbours_of_one_query_alone():
    """The scores of the other query lie between."""
    y_true, y_score = np.array([0, 1, 0, 1]), np.array([1.2e-8, 0, 1.8e-8, 0.6e-8])
    query = np.array([0, 0, 1, 1])
    rows = compat.compare(y_true, y_score, queries=query, tools=["catboost.PRAUC"]).rows()
    assert rows[1]["value"] == 0.25


def test_weights_rounded_to_float32_are_summed_in_float64():
    """As LightGBM does; float32 sums would be off by 1e-8."""
    rng = np.random.default_rng(0)
    weight, y_true = rng.random(300), np.arange(300) % 2
    rounded = weight.astype(np.float32).astype(np.float64)
    ours = compat.score("lightgbm.average_precision", y_true, -np.arange(300), sample_weight=weight)
    theirs = metrics.average_precision_score(y_true, -np.arange(300), sample_weight=rounded)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_catboost_ranks_in_float64():
    for name in ("catboost.MAP", "catboost.PrecisionAt", "catboost.AverageGain"):
        assert compat.score(name, [0, 1], [1.0, 1.000000002], k=1) == 1.0


def test_lightgbm_rounds_weights_to_float32():
    weight = [0.6041296232861818, 0.5843824410289801]
    name = "lightgbm.average_precision"
    value = compat.score(name, [0, 1], [0.333, 0.0], sample_weight=weight)
    assert value == pytest.approx(0.49169247043, abs=1e-10)
    steps = compat.explain(name, [0, 1], [0.333, 0.0], sample_weight=weight).steps
    assert [step.option for step in steps] == ["as given, float32 weights"]


def test_scores_beyond_float32_are_infinite_to_it_and_silent():
    assert compat.score("xgboost.aucpr", [1, 0], [2e300, 1e300]) == 0.5
    for y_score in ([2e300, 1e300], [1.7e308, -1.7e308]):
        assert len(compat.compare([1, 0], y_score).rows()) == len(NAMES)


def test_negatives_are_weighted_to_a_prevalence():
    """Two of five are positive: for a half, each negative weighs 2/3."""
    name, data = "calibrated_metrics.average_precision", ([1, 0, 1, 0, 0], [5, 4, 3, 2, 1])
    assert compat.score(name, *data) == pytest.approx((1 + 2 / (2 + 2 / 3)) / 2)
    assert compat.score(name, *data, pi0=0.4) == pytest.approx((1 + 2 / 3) / 2)


def test_keras_retrieves_nothing_that_scores_0():
    """The positive there still counts in recall."""
    name = "keras.PrecisionAtRecall"
    for lowest in (0.0, -3.0):
        assert compat.score(name, [1, 1], [0.9, lowest], min_recall=0.5) == 1
        assert compat.score(name, [1, 1], [0.9, lowest], min_recall=0.6) == 0
    weight = [1.0, 4.0]
    assert compat.score(name, [1, 1], [0.9, 0], sample_weight=weight, min_recall=0.3) == 0


def test_positives_first_among_tied_items():
    """Both hits of the tied three come first: precision is 1 at 1/2, and 2/3 at the last hit."""
    value = compat.score("fiftyone", [0, 1, 1, 0, 1], [3, 3, 3, 2, 1])
    assert value == pytest.approx((67 + 34 * 3 / 5) / 101)
    steps = compat.explain("fiftyone", [0, 1, 0], [3, 3, 2], versus="COCO").steps
    assert [step.option for step in steps if step.has_effect] == ["best"]


def test_thresholds_that_scores_exceed():
    """With 5 thresholds, .5 does not exceed 1/2, and -.1 exceeds none: it is never retrieved.

    They exceed 3, 2, 2 and 0. From one of one to two of three, precision along the hyperbola is
    (1 + log(3) / 2) / 2 on average. Keras clips -.1 to 0, and retrieves it.
    """
    data = ([1, 0, 1, 1], [0.6, 0.5, 0.4, -0.1])
    value = compat.score("metrax", *data, num_thresholds=5)
    assert value == pytest.approx((1 + (1 + np.log(3) / 2) / 2) / 3, abs=1e-6)
    assert compat.score("keras", *data, num_thresholds=5) > value + 0.1
