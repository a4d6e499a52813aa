"""Checked scores: who asks again gets what is known, and who asks something else does not."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest

from sklearn_ap import average_precision_score, operating_point
from sklearn_ap._base.inputs.kept_rankings import CheckedScores, checked_scores
from sklearn_ap._base.inputs.request import Request, check_models, check_rankings
from sklearn_ap._counts.counting import count
from sklearn_ap._counts.sorted_items import cumulative_counts

RNG = np.random.default_rng(0)
N = 50
Y = RNG.random(N) < 0.4
SCORE = np.round(RNG.normal(size=N), 1) + Y
MISSED = np.where(np.arange(N) % 7 == 0, -np.inf, SCORE)
COLUMNS = "thresholds", "gained", "tps", "fps", "fps_above", "n_positives", "n_negatives"


@pytest.fixture(params=[SCORE, MISSED], ids=["all rows", "some rows"])
def scores(request):
    return checked_scores(Y, request.param)


def found(scores, y_true=Y, **options):
    (rankings,) = check_models([Request(y_true=y_true, y_score=scores, **options)])
    return rankings


def test_same_arrays_reuse_cached_rankings_and_counts(scores):
    weight = RNG.random(N)
    for options in ({}, {"sample_weight": weight}, {"clusters": np.arange(N) // 2}):
        rankings = found(scores, **options)
        assert found(scores, **options) is rankings
        assert count(rankings.select_retrieved()) is count(rankings.select_retrieved())
        assert cumulative_counts(rankings) is cumulative_counts(rankings)
    assert check_rankings(Request(y_true=Y, y_score=scores)) is found(scores).select_retrieved()


def test_average_changes_cached_rankings_of_queries_only(scores):
    queries = np.arange(N) // 10
    assert found(scores, average=None) is found(scores, average="macro")
    of_each = found(scores, queries=queries, average=None)
    assert found(scores, queries=queries, average="macro") is not of_each
    assert of_each.average is None


@pytest.mark.parametrize("name", ["sample_weight", "clusters", "queries"])
def test_equal_copy_of_an_array_is_checked_anew(scores, name):
    given = np.arange(N) // 5 + 1
    assert found(scores, **{name: given}) is not found(scores, **{name: given.copy()})


def test_labels_other_than_the_cached_ones_are_checked_anew(scores):
    other = ~Y
    assert not scores.were_checked_beside(Y.copy())
    assert found(scores, other).n_hits == N - Y.sum()
    assert average_precision_score(other, scores) == average_precision_score(
        other, np.asarray(scores)
    )
    with pytest.raises(TypeError, match="y_true must be an array of labels"):
        average_precision_score(None, scores)
    with pytest.raises(ValueError, match="pos_label=2"):
        average_precision_score(Y, scores, pos_label=2)


@pytest.mark.parametrize(
    "change",
    [
        lambda scores: scores[: N // 2],
        lambda scores: scores[::-1],
        lambda scores: scores.copy(),
        lambda scores: -scores,
        lambda scores: scores[None][0],
        copy.copy,
        copy.deepcopy,
        lambda scores: pickle.loads(pickle.dumps(scores)),
    ],
)
def test_arrays_derived_from_checked_scores_are_unchecked(scores, change):
    assert scores.were_checked_beside(Y)
    changed = change(scores)
    assert not (isinstance(changed, CheckedScores) and changed.were_checked_beside(Y))


def test_replaced_rankings_start_with_an_empty_cache(scores):
    rankings = found(scores)
    counts = count(rankings)
    turned = replace(rankings, positive=~Y)
    assert not turned.results
    assert count(turned).n_positives == N - Y.sum()
    assert count(rankings) is counts


@pytest.mark.parametrize("options", [{}, {"sample_weight": RNG.random(N)}, {"n_positives": 40}])
def test_checked_scores_give_the_counts_of_plain_scores(scores, options):
    plain = check_rankings(Request(y_true=Y, y_score=np.asarray(scores), **options))
    rankings = check_rankings(Request(y_true=Y, y_score=scores, **options))
    expected, counts = count(plain), count(rankings, 5)
    for name in COLUMNS:
        np.testing.assert_array_equal(getattr(counts, name), getattr(expected, name))
    for one, other in zip(cumulative_counts(rankings), cumulative_counts(plain), strict=True):
        np.testing.assert_array_equal(one, other)


def test_repeated_operating_points_equal_those_of_plain_scores(scores):
    for _ in range(2):
        for k in (3, 20, 0.1):
            assert repr(operating_point(Y, scores, k=k)) == repr(
                operating_point(Y, np.asarray(scores), k=k)
            )
