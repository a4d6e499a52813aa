"""No call does more work than segments, queries, models or clusters are more.

Work is the sizes of all arrays that NumPy sorts, or looks up in. No seconds are measured.
"""

import sys

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap import large
from sklearn_ap._uncertainty import estimate
from sklearn_ap.definitions import AtK

pytestmark = [
    pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning"),
    pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning"),
]
SORTS = {"sort", "argsort", "partition", "argpartition", "searchsorted"}
MORE = 4  # times as many parts
TOLERANCE = 1.1  # of that: groups get sizes by chance
N = 5000


def work(call, *arguments, **options):
    """The sizes of the arrays whose methods sort them, or look up in them."""
    total = 0

    def hear(frame, event, function):
        nonlocal total
        array = getattr(function, "__self__", None)
        if event == "c_call" and function.__name__ in SORTS and isinstance(array, np.ndarray):
            total += array.size

    before = sys.getprofile()
    sys.setprofile(hear)
    try:
        call(*arguments, **options)
    finally:
        sys.setprofile(before)
    return total


def rows(n_rows):
    rng = np.random.default_rng(0)
    y = rng.random(n_rows) < 0.3
    return y, rng.normal(size=n_rows) + y


def parts(n_rows, n_parts):
    return np.random.default_rng(1).integers(n_parts, size=n_rows)


def models(scores, n_models):
    return {f"m{i:02}": np.roll(scores, i) for i in range(n_models)}


def from_chunks(y, s, n_chunks):
    rows_of_chunks = np.array_split(np.arange(y.size), n_chunks)
    return large.from_chunks([(y[here], s[here]) for here in rows_of_chunks])


CALLS = {
    "segments": lambda y, s, n: ap.compare_segments(y, s, parts(y.size, n)),
    "segments of clusters": lambda y, s, n: ap.compare_segments(
        y, s, parts(y.size, n), clusters=np.arange(y.size) // 50
    ),
    "queries": lambda y, s, n: ap.average_precision_score(y, s, queries=parts(y.size, n)),
    "interval of queries": lambda y, s, n: ap.average_precision_interval(
        y, s, queries=parts(y.size, n)
    ),
    "clusters": lambda y, s, n: ap.average_precision_interval(y, s, clusters=parts(y.size, 9 * n)),
    "models": lambda y, s, n: ap.compare_average_precision(y, models(s, n)),
    "best": lambda y, s, n: ap.compare_average_precision(y, models(s, n), reference="best"),
    "chunks": from_chunks,
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_work_grows_at_most_as_parts_do(call):
    few, many = (work(call, *rows(N), n) for n in (4, 4 * MORE))
    assert 0 < many <= TOLERANCE * MORE * few


@pytest.mark.parametrize("n_segments", [2, 12, 48])
def test_segments_cost_at_most_four_intervals(n_segments):
    y, s = rows(4 * N)
    of_score = work(ap.average_precision_interval, y, s)
    assert work(CALLS["segments"], y, s, n_segments) <= 4 * of_score


@pytest.mark.parametrize("k", [1, 50])
def test_a_score_at_k_sorts_few_of_the_rows(k):
    y, s = rows(8 * N)
    assert work(ap.average_precision_at_k_score, y, s, k=k) <= y.size / 20
    assert work(ap.average_precision_score, y, s) > y.size / 2


@pytest.mark.parametrize("options", [{}, {"sample_weight": np.random.default_rng(2).random(8 * N)}])
def test_an_interval_at_k_scores_halves_of_few_rows(options, monkeypatch):
    """Of a few hundred places, where all rows would be 40,000."""
    found = []
    halves = estimate.score_halves
    monkeypatch.setattr(
        estimate,
        "score_halves",
        lambda definition, rows, n: found.append(rows) or halves(definition, rows, n),
    )
    y, s = rows(8 * N)
    ap.average_precision_interval(y, s, definition=AtK(20), **options)
    assert found[0].places.total < 500
    assert np.unique(found[0].place).size < 500
