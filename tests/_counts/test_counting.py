"""Each way to count beside exact counts in fractions, on scores that would lose digits or ties."""

import tracemalloc
import warnings
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_ap import average_precision_at_k_score, average_precision_score
from sklearn_ap._counts import counting, sorting
from sklearn_ap._counts._threads import n_threads
from sklearn_ap._counts.counting import count, cumulative_counts, sort_items
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap.definitions import AtK, PrecisionAtK, RecallAtK
from tests.helpers import reference

PER_THRESHOLD = ("thresholds", "gained", "tps", "fps", "fps_above")
TOTALS = ("n_positives", "n_negatives")
EXAMPLES = settings.default.max_examples
INF = np.inf
NEAR = [1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 0), 2.0, np.nextafter(2.0, 0)]
# Scores that are full of ties, or of which one way or another could lose the order.
SCORES = [
    np.array([-2, -1.5, -1, -0.5, -0.0, 0.0, 0.25, 0.5, 1]),
    np.array([-2.5, -1, -0.0, 0.0, 3, 1e6], np.float32),
    np.array([*NEAR, *np.negative(NEAR)]),
    np.array([5e-324, -5e-324, 1e-310, 0, -0.0, 0.5, -1]),
    np.array([5e-324, 1e-323, -5e-324, 2.0**70, -(2.0**70)]),
    np.array([1e-45, 2e-45, -1e-45, 3e38, -3e38, 1], np.float32),
    np.array([2.0**101, np.nextafter(2.0**101, INF), -(2.0**1023), 1, -1]),
    np.array([-INF, INF, -2, 0, 1e-300, 2]),
    np.array([-(2**63), 2**62, 2**62 + 1, 2**63 - 1, 0, -1]),
    np.array([2**63 - 1, 2**63, 2**63 + 1, 2**64 - 1, 0], np.uint64),
    np.array([-128, 127, 0, 1], np.int8),
    np.array([1, np.nextafter(np.longdouble(1), 2), -1], np.longdouble),
    np.linspace(-1, 1, 200),  # mostly without ties
]


def assert_near(found, exact, weighted):
    """Numbers of rows are exact, and sums of weights to 1e-12, however small they are."""
    tolerance = Fraction(1, 10**12) if weighted else 0
    assert found.dtype == (np.float64 if weighted else np.int64)
    assert len(found) == len(exact)
    for number, fraction in zip(found.tolist(), exact, strict=True):
        assert abs(Fraction(number) - fraction) <= tolerance * fraction


def assert_exact(counts, made):
    """Each ranking has the counts of its blocks in exact fractions."""
    weighted = made.weight is not None
    assert counts.thresholds.dtype == made.score.dtype
    ends = [*counts.starts, counts.thresholds.size]
    for i in range(made.n_rankings):
        mine, here = made.ranking_of_items == i, slice(ends[i], ends[i + 1])
        rows = made.positive[mine], made.score[mine], made.weight_of_items[mine]
        blocks, points = (
            of(*map(np.ndarray.tolist, rows)) for of in (reference.blocks, reference.points)
        )
        scores = sorted({*rows[1].tolist()}, reverse=True)
        expected = [
            (score, hits, tps, fps, fps - misses)
            for score, (hits, misses), (tps, fps) in zip(scores, blocks, points[1:], strict=True)
            if hits
        ]
        columns = [*zip(*expected, strict=True)] or [()] * 5
        assert counts.thresholds[here].tolist() == [*columns[0]]
        for name, column in zip(PER_THRESHOLD[1:], columns[1:], strict=True):
            assert_near(getattr(counts, name)[here], column, weighted)
        for name, total in zip(TOTALS, points[-1], strict=True):
            assert_near(getattr(counts, name)[i : i + 1], [total], weighted)


@st.composite
def rankings(draw, several=False, weighted=(False, True), fewest=0):
    """Rankings of any sizes, in any order of rows; scores with ties; one class, or none."""
    n = draw(st.integers(fewest, 24))

    def bytes_below(m):
        return np.frombuffer(draw(st.binary(min_size=n, max_size=n)), np.uint8).astype(int) % m

    distinct = draw(st.sampled_from(SCORES))
    score = distinct[bytes_below(distinct.size)]
    positive = bytes_below(4) < draw(st.sampled_from([0, 1, 2, 4]))
    weight = None
    if draw(st.sampled_from(weighted)):
        weight = 10.0 ** (bytes_below(19) - 9.0) * (1 + bytes_below(7) / 7)
    if not several:
        return Rankings(positive, score, weight)
    n_rankings = draw(st.integers(1, 5))
    ranking = bytes_below(draw(st.integers(1, n_rankings)))  # the last ones may be empty
    if draw(st.booleans()):
        ranking.sort()
    if n % n_rankings == 0 and draw(st.booleans()):  # columns
        ranking = None
    return Rankings(positive, score, weight, ranking, n_rankings)


@settings(max_examples=10 * EXAMPLES)
@given(made=rankings(weighted=[False]), fewest_sorted=st.sampled_from([1, 4_000]))
def test_counts_of_one_ranking_are_exact(made, fewest_sorted):
    before = made.score.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counting, "FEWEST_SORTED", fewest_sorted)
        assert_exact(count(made), made)
    np.testing.assert_array_equal(made.score, before)


@pytest.mark.parametrize("several", [False, True])
@settings(max_examples=10 * EXAMPLES)
@given(data=st.data(), cached=st.sampled_from([1, 7, 2**16]))
def test_counts_of_sorted_items_are_exact(several, data, cached):
    made = data.draw(rankings(several))
    before = None if made.weight is None else made.weight.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sorting, "CACHED_SCORES", cached)
        assert_exact(sort_items(made).counts, made)
    np.testing.assert_array_equal(made.weight, before)


@settings(max_examples=4 * EXAMPLES)
@given(made=rankings(several=True, fewest=1))
def test_each_item_gets_the_value_of_its_place(made):
    items = sort_items(made)
    counts = items.counts
    of_positive, tied, between = np.arange(3.0 * counts.tps.size).reshape(3, -1)
    below = -np.arange(1.0, made.n_rankings + 1)
    found = items.item_values(of_positive, tied, between, below)
    for i, item in enumerate(made.ranking_of_items):
        places = np.flatnonzero((counts.ranking() == item) & (counts.thresholds <= made.score[i]))
        if not places.size:
            assert found[i] == below[item]
        elif made.positive[i]:
            assert found[i] == of_positive[places[0]]
        else:
            is_tied = counts.thresholds[places[0]] == made.score[i]
            assert found[i] == (tied if is_tied else between)[places[0]]


@given(made=rankings())
def test_cumulative_counts_are_those_at_every_distinct_score(made):
    """Also at scores without a positive, which have no threshold."""
    weight = None if made.weight is None else made.weight.tolist()
    scores, tps, fps = cumulative_counts(made)
    curve = reference.points(made.positive.tolist(), made.score.tolist(), weight)[1:]
    assert scores.tolist() == sorted({*made.score.tolist()}, reverse=True)
    assert_near(tps, [tp for tp, _ in curve], made.weight is not None)
    assert_near(fps, [fp for _, fp in curve], made.weight is not None)


def test_known_positives_and_negatives_are_added_but_never_taken_away():
    made = Rankings(np.array([True, False, True]), np.array([3.0, 2, 1]))
    for known, expected in (([5, 0], [5, 1]), ([1, 7], [2, 7])):
        known = dict(zip(TOTALS, np.array(known)[:, None], strict=True))
        counts = count(replace(made, **known, n_unscored=np.array([3])))
        assert [*counts.n_positives, *counts.n_negatives, *counts.n_unscored] == [*expected, 3]


@pytest.mark.parametrize(("weighted", "most"), [(False, 4.8), (True, 5.6)])
def test_a_long_ranking_needs_a_few_times_the_memory_of_its_scores(weighted, most):
    rng = np.random.default_rng(0)
    y_true, y_score, weight = rng.random(100_000) < 0.5, rng.random(100_000), rng.random(100_000)
    average_precision_score(y_true, y_score)  # what is made once is not counted
    tracemalloc.start()
    average_precision_score(y_true, y_score, sample_weight=weight if weighted else None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most * y_score.nbytes


class TestTop:
    """The first k ranks of one ranking are found without a sort of all rows."""

    @pytest.mark.parametrize("k", [1, 7, 50, 0.01, 0.2])
    @pytest.mark.parametrize("kind", ["any", "ties", "one score", "rising", "falling", "period"])
    def test_the_top_gives_the_digits_of_all_rows(self, kind, k):
        rng, n = np.random.default_rng(0), 5_003
        positive = rng.random(n) < 0.1
        scores = {
            "any": rng.normal(size=n) + positive,
            "ties": np.round(rng.normal(size=n) + positive),
            "one score": np.zeros(n),
            "rising": np.arange(n),
            "falling": -np.arange(n, dtype=np.float32),
            "period": np.arange(n) % 256 + 0.0,  # the highest stand in one column of the maxima
        }[kind]
        scores = np.where(rng.random(n) < 0.1, -INF, scores) if kind == "ties" else scores
        rankings = Rankings(positive, scores).select_retrieved()
        top, full = counting.count_top(rankings, k), count(rankings)
        assert top.thresholds.size <= full.thresholds.size
        for definition in (AtK(k), AtK(k, "hits"), AtK(k, "k"), PrecisionAtK(k), RecallAtK(k)):
            assert definition.values(top).tolist() == definition.values(full).tolist()

    def test_what_is_not_one_ranking_of_rows_is_counted_in_full(self):
        rng, n = np.random.default_rng(0), 5_000
        positive, score = rng.random(n) < 0.1, rng.normal(size=n)
        plain = Rankings(positive, score)
        for rankings in (
            replace(plain, weight=np.ones(n)),
            replace(plain, n_rankings=2),
            replace(plain, n_positives=np.array([900]), n_unscored=np.array([400])),
        ):
            top, full = counting.count_top(rankings, 10), count(rankings)
            assert top.thresholds.tolist() == full.thresholds.tolist()

    def test_reversed_scores_are_told_at_k_as_they_are_of_all_rows(self):
        rng = np.random.default_rng(0)
        y = rng.random(20_000) < 0.1
        s = rng.normal(size=y.size) - 3 * y
        with pytest.warns(UserWarning, match="of the negatives score above a positive"):
            average_precision_at_k_score(y, s, k=50)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            average_precision_at_k_score(y, rng.normal(size=y.size), k=50)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("share", [0.0, 0.01, 0.5, 1.0])
def test_threads_count_as_one_does(threads, share, monkeypatch):
    rng = np.random.default_rng(0)
    positive = rng.random(3_000) < share
    rankings = Rankings(positive, np.round(rng.normal(size=3_000), 2))
    table = Rankings(np.tile(positive, 3), rng.normal(size=9_000), n_rankings=3)
    expected = count(rankings), count(table)
    monkeypatch.setattr(counting, "LONG", 10)
    monkeypatch.setattr(sorting, "LONG", 10)
    monkeypatch.setattr("sklearn_ap._counts._threads.n_threads", lambda: threads)
    for found, one in zip((count(rankings), count(table)), expected, strict=True):
        for name in (*PER_THRESHOLD, *TOTALS):
            assert getattr(found, name).tolist() == getattr(one, name).tolist()


def test_a_worker_sorts_in_one_thread():
    """As others work beside it."""
    with ThreadPoolExecutor(1) as pool:
        assert pool.submit(n_threads).result() == 1
    assert n_threads() >= 1


@pytest.mark.parametrize(
    ("dtype", "low", "high"),
    [
        (np.uint32, 0, 255),
        (np.int32, -(2**31), -(2**31) + 9),
        (np.int64, 2**63 - 100, 2**63 - 1),
        (np.uint64, 2**63 + 1, 2**63 + 50),
        (np.int64, 7, 7),
    ],
)
@pytest.mark.parametrize("share", [0.0, 0.1, 1.0])
def test_grades_are_counted_by_value_as_all_scores_are(dtype, low, high, share, monkeypatch):
    rng = np.random.default_rng(0)
    grades = np.array([low + i for i in range(high - low + 1)], dtype)
    rankings = Rankings(rng.random(5_000) < share, rng.choice(grades, 5_000))
    by_value = count(rankings)
    monkeypatch.setattr(counting, "FEWEST_GRADED", 10_000)
    by_sort = count(rankings)
    for name in (*PER_THRESHOLD, *TOTALS):
        found, expected = getattr(by_value, name), getattr(by_sort, name)
        assert (found.tolist(), found.dtype) == (expected.tolist(), expected.dtype)


def test_grades_of_many_rows_need_no_sort(monkeypatch):
    monkeypatch.setattr(counting, "_count_below", None)  # what sorted scores are looked up in
    y = np.random.default_rng(0).random(9_000) < 0.1
    assert 0 < average_precision_score(y, (np.arange(9_000) % 100).astype(np.uint8)) < 1
