"""What tools make of scores and of ties, by numbers that they gave and a first version did not."""

import numpy as np
import pytest
from compat_inputs import ALL_NAMES
from hypothesis import example, given
from hypothesis import strategies as st
from sklearn import metrics

from sklearn_ap import compat
from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._scores_and_ties import SCORES
from sklearn_ap.compat._tools import ENTRIES

LARGEST = 1.7e308
ANY = st.one_of(
    st.floats(-LARGEST, LARGEST), st.floats(-0.5, 1.5), st.sampled_from([0, 1e-8, 0.5, 50])
)
DEFAULTS = {option: default for entry in ENTRIES for option, default in entry.options.items()}


@pytest.mark.parametrize("name", SCORES)
@given(y_score=st.lists(ANY, min_size=4, max_size=30))
@example([LARGEST, LARGEST, 1.0, 0.5, 0.0, -1.0, -LARGEST, -LARGEST])
def test_score_transformations_never_reverse_items_of_a_query(name, y_score):
    place = np.arange(len(y_score))
    rankings = check_predictions(place // 2 % 2, y_score, None, place % 2, pos_label=1).rankings
    order = np.lexsort((rankings.score, rankings.ranking_of_items))
    same_query = np.diff(rankings.ranking_of_items[order]) == 0
    lower, higher = order[:-1][same_query], order[1:][same_query]
    after = SCORES[name].apply(DEFAULTS, rankings).score
    turned = after[lower] > after[higher]
    if name == "dtype":  # what overflows stays in the order of the input
        with np.errstate(over="ignore"):
            turned &= np.isfinite(rankings.score[lower].astype(np.float32))
    assert not turned.any()


def test_catboost_ties_close_scores_only_within_a_query():
    """The scores of the other query lie between."""
    y_score, queries = [1.2e-8, 0, 1.8e-8, 0.6e-8], [0, 0, 1, 1]
    assert compat.score("catboost.PRAUC", [0, 1, 0, 1], y_score, queries=queries) == 0.25


def test_weights_rounded_to_float32_are_summed_in_float64():
    """As LightGBM does; float32 sums would be off by 1e-8."""
    weight, rows = np.random.default_rng(0).random(300), (np.arange(300) % 2, -np.arange(300))
    ours = compat.score("lightgbm.average_precision", *rows, sample_weight=weight)
    rounded = weight.astype(np.float32).astype(np.float64)
    theirs = metrics.average_precision_score(*rows, sample_weight=rounded)
    assert ours == pytest.approx(theirs, abs=1e-12)


def test_scores_beyond_float32_raise_no_warning():
    for y_score in ([2e300, 1e300], [1.7e308, -1.7e308]):
        assert len(compat.compare([1, 0], y_score)._rows()) == len(ALL_NAMES)
