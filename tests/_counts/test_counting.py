"""The heart, and the numerical traps around it."""

import dataclasses
import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sklearn_ap import average_precision_score, definitions, threshold_counts
from sklearn_ap._base.text import weight_as_text
from sklearn_ap._counts import _known_order as known_order
from sklearn_ap._counts import _many_rankings as many_rankings
from sklearn_ap._counts import _rare_positives as rare_positives
from sklearn_ap._counts import counting
from sklearn_ap._counts.counting import sort_items
from sklearn_ap._inputs.rankings import Rankings
from sklearn_ap._inputs.request import Request
from sklearn_ap.metrics import check_and_count

PER_THRESHOLD = ("thresholds", "gained", "tps", "fps", "fps_above")
TOTALS = ("n_positives", "n_negatives")
EXAMPLES = settings.default.max_examples


def slow_counts(positive, score, weight):
    """The columns of one ranking by adding up, for each threshold, whatever stands where."""
    weight = np.ones(len(score), int) if weight is None else weight
    rows = list(zip(positive.tolist(), score.tolist(), weight.tolist(), strict=True))

    def mass(label, where=lambda s: True):
        return sum(w for p, s, w in rows if p == label and where(s))

    columns = [
        (t, mass(1, t.__eq__), mass(1, t.__le__), mass(0, t.__le__), mass(0, t.__lt__))
        for t in sorted({s for p, s, _ in rows if p}, reverse=True)
    ]
    return [*zip(*columns, strict=True)] or [()] * 5, [mass(1), mass(0)]


def check_against_slow_counts(counts, rankings):
    for i, (begin, end) in enumerate(pairwise([*counts.starts, counts.thresholds.size])):
        mine = rankings.ranking_of_items == i
        weight = None if rankings.weight is None else rankings.weight[mine]
        columns, totals = slow_counts(rankings.positive[mine], rankings.score[mine], weight)
        assert [getattr(counts, name)[i] for name in TOTALS] == totals
        for name, column in zip(PER_THRESHOLD, columns, strict=True):
            assert getattr(counts, name)[begin:end].tolist() == list(column)


@st.composite
def rankings(draw, several):
    """Predictions with ties and infinitely many kinds of weights, in rows of any order."""
    n = draw(st.integers(1, 30))

    def numbers_below(m):
        drawn = draw(st.binary(min_size=n, max_size=n))  # one draw takes less time than n
        return np.frombuffer(drawn, np.uint8).astype(np.intp) % m

    scores = st.integers(0, 6) | st.floats(-2, 2, width=32)
    score = np.array(draw(st.lists(scores, min_size=n, max_size=n)))
    if draw(st.booleans()):  # the rows are in order
        score.sort()
        score = score[:: draw(st.sampled_from([1, -1]))]
    positive = numbers_below(2) == 1
    # The sums of eighths are exact.
    weight = (1 + numbers_below(40)) / 8 if draw(st.booleans()) else None
    if not several:
        return Rankings(positive, score, weight)
    n_rankings = draw(st.integers(1, 5))
    ranking = numbers_below(n_rankings)
    if n % n_rankings == 0 and draw(st.booleans()):  # all are equally long
        ranking = None
    if draw(st.booleans()):  # some have no positives
        positive[: n // 2] = False
    return Rankings(positive, score, weight, ranking, n_rankings)


PATHS = {
    "FEWEST_ROWS_TO_CHECK": st.sampled_from([1, 2**13]),
    "CHECKED_FIRST": st.sampled_from([1, 2**10]),
    "CHUNK_ROWS": st.sampled_from([1, 3, 2**16]),
    "SAMPLE": st.sampled_from([rare_positives.SAMPLE[:3], rare_positives.SAMPLE]),
    "TABLE_SIZE": st.sampled_from([1, 8, 2**14]),
    "LONGEST_ROW": st.sampled_from([0, 1, 4, 2048]),
    "FEWEST_ROWS_TO_FILTER": st.sampled_from([0, 10, 2**16]),
    "ROWS_PER_POSITIVE": st.just(1),
    "CELLS_PER_POSITIVE": st.sampled_from([1, 8]),
    "MOST_NEAR": st.sampled_from([0.5, 1]),
    "n_threads": st.integers(1, 5).map(lambda threads: lambda n_rows: threads),
}


def by(paths, call):
    with pytest.MonkeyPatch.context() as patch:
        for name, value in paths.items():
            for room in (counting, known_order, many_rankings, rare_positives):
                if hasattr(room, name):
                    patch.setattr(room, name, value)
        return call()


def count_by(rankings, **paths):
    return by(paths, lambda: counting.count(rankings))


@pytest.mark.parametrize("several", [False, True])
@settings(max_examples=8 * EXAMPLES)
@given(data=st.data())
def test_every_counting_path_agrees_with_slow_loops(several, data):
    made = data.draw(rankings(several))
    before = made.score.copy()
    counts = count_by(made, **data.draw(st.fixed_dictionaries(PATHS)))
    np.testing.assert_array_equal(made.score, before)
    check_against_slow_counts(counts, made)
    by_sorting = sort_items(made).counts
    for name in (*PER_THRESHOLD, "starts", *TOTALS):
        np.testing.assert_array_equal(getattr(by_sorting, name), getattr(counts, name), strict=True)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.float16, np.float32, np.longdouble])
@pytest.mark.parametrize("weighted", [False, True])
def test_extreme_scores_are_counted_in_rankings_of_many_lengths(dtype, weighted):
    rng = np.random.default_rng(0)
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    ranking = np.repeat(np.arange(60), rng.integers(1, 9, 60))
    n, weight = ranking.size, rng.integers(1, 9, ranking.size) / 8
    score = rng.choice(np.array([limits.min, limits.min, 0, 1, limits.max], dtype), n)
    made = Rankings(rng.random(n) < 0.5, score, weight if weighted else None, ranking, 60)
    counts = counting.count(made)
    check_against_slow_counts(counts, made)
    assert counts.thresholds.dtype == dtype
    for name in (*PER_THRESHOLD[1:], *TOTALS):
        assert getattr(counts, name).dtype == (np.float64 if weighted else np.int64)


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int16, np.uint16, np.float16])
def test_scores_of_8_and_16_bits_are_counted_without_a_sort(dtype, monkeypatch):
    rng = np.random.default_rng(0)
    limits = np.iinfo(dtype) if np.dtype(dtype).kind in "iu" else np.finfo(dtype)
    score = rng.choice(np.array([limits.min, limits.max, 0, -0.0, 1, 2, 3, 9], dtype), 200)
    made = Rankings(rng.random(200) < 0.4, score)
    monkeypatch.setattr(counting, "FEWEST_OF_16_BITS", 0)
    monkeypatch.setattr(counting, "_look_up", None)
    monkeypatch.setattr(counting, "descending_keys", None)
    counts = counting.count(made)
    check_against_slow_counts(counts, made)
    by_sorting = sort_items(made).counts
    for name in (*PER_THRESHOLD, "starts", *TOTALS):
        np.testing.assert_array_equal(getattr(by_sorting, name), getattr(counts, name), strict=True)


def test_sums_of_several_threads_are_the_totals():
    rng, n = np.random.default_rng(0), 20_000
    made = Rankings(rng.random(n) < 0.3, rng.random(n).round(4), rng.random(n))
    parts = count_by(made, n_threads=lambda n_rows: 5, CHUNK_ROWS=512, FEWEST_ROWS_TO_FILTER=0)
    assert parts.tps[-1] == parts.n_positives[0]  # the same sum, not a second one


@pytest.mark.parametrize(
    "score",
    [
        np.tile([-0.0, 0.0], 25),
        2**60 + np.arange(50) % 7,
        np.arange(50, dtype=np.uint64) + np.uint64(2**64 - 50),
    ],
)
def test_splitting_among_threads_keeps_ties_and_digits(score):
    made = Rankings(np.arange(50) % 3 == 0, score)
    counts = count_by(made, n_threads=lambda n_rows: 4)
    check_against_slow_counts(counts, made)
    assert counts.thresholds.dtype == score.dtype


@pytest.mark.parametrize("n", [0, 1, 2, 7, 1000])
@pytest.mark.parametrize("n_parts", [1, 2, 3, 5, 8])
def test_parts_of_keys_follow_each_other_and_are_equally_long(n, n_parts):
    keys = np.random.default_rng(0).integers(0, 300, n)
    expected = np.sort(keys)
    parts = counting._partition(keys, n_parts)
    sizes = [part.size for part in parts]
    assert n < n_parts or (len(parts) == n_parts and max(sizes) - min(sizes) <= 2)
    for part in parts:
        part.sort()  # in the place of the keys
    np.testing.assert_array_equal(keys, expected)


def test_counts_are_printed_as_the_terms_whose_sum_is_average_precision():
    y_true, y_score = [1, 0, 1, 1, 0], [0.9, 0.8, 0.7, 0.7, 0.1]
    counts = threshold_counts(y_true, y_score)
    assert repr(counts).splitlines() == [
        "ThresholdCounts: 2 thresholds, 3 positives, 2 negatives",
        "threshold  tps  fps  precision    recall  rise_of_recall   product",
        "0.9          1    0          1  0.333333        0.333333  0.333333",
        "0.7          3    1       0.75         1        0.666667       0.5",
    ]
    frame = counts.to_frame()
    assert frame["product"].sum() == pytest.approx(average_precision_score(y_true, y_score))
    assert [*frame["tps"]] == [1, 3]
    assert "<td" in counts._repr_html_()
    assert "<p>ThresholdCounts: 2 thresholds" in counts._repr_html_()
    weighted = threshold_counts([1, 0, 1], [3, 2, 2], sample_weight=[1, 1, 0.5])
    assert repr(weighted).startswith("ThresholdCounts: 2 thresholds, 1.5 positives, 1 negative\n")


def test_whole_numbers_are_printed_whole():
    weights = (1939740, np.int64(2**40), 1939740.0, 0.1 + 0.2, 12345678.5, 1e300, np.inf)
    assert [weight_as_text(weight) for weight in weights] == [
        *("1939740", "1099511627776", "1939740", "0.3", "1.23457e+07", "1e+300", "inf")
    ]


def test_recall_levels_of_integer_counts_have_no_tolerance():
    """One positive short of 3 in 10 of ten billion: in floats within the tolerance of weights."""
    counts, n = threshold_counts([1, 0, 1], [3, 2, 1]), 10**10
    for first, expected in ((3 * 10**9 - 1, (3 + 8 / 2) / 11), (3 * 10**9, (4 + 7 / 2) / 11)):
        tps, fps = np.array([first, n]), np.array([0, n])
        there = {"gained": np.diff(tps, prepend=0), "fps_above": fps, "n_positives": np.array([n])}
        counts = dataclasses.replace(counts, tps=tps, fps=fps, **there)
        assert definitions.Interpolated(11)(counts)[0] == pytest.approx(expected)


def test_weighted_recall_levels_tolerate_only_rounding_of_sums():
    y_true, y_score = [1, 0, 1], [3, 2, 1]
    for off, reached in ((1e-15, True), (1e-13, False), (1e-10, False)):
        counts = threshold_counts(y_true, y_score, sample_weight=[1 - off, 1, 1 + off])
        value = definitions.Interpolated([0.5])(counts)
        assert value == pytest.approx(1.0 if reached else 2 / 3, abs=1e-6)


def test_rounding_bound_grows_with_the_number_of_added_weights():
    spacing = np.finfo(float).eps
    assert threshold_counts([1, 0], [2, 1]).rounding == 8 * spacing
    assert threshold_counts([1, 0], [2, 1]).at_prevalence(0.3).rounding == 8 * spacing
    y, s = np.arange(30) % 2, -np.arange(30)
    weighted = threshold_counts(y, s, sample_weight=np.full(30, 0.1))
    assert weighted.rounding == weighted.at_prevalence(0.3).rounding == 38 * spacing
    missed = threshold_counts(y, np.where(s < -20, -np.inf, s), sample_weight=np.full(30, 0.1))
    assert missed.rounding == 38 * spacing
    known = Request(y_true=y, y_score=s, sample_weight=np.full(30, 0.1), n_positives=2.0)
    assert check_and_count(definitions.Step(), known)[1].rounding == 1e-9
    assert dataclasses.replace(weighted, n_added=None).rounding == 1e-9
    assert dataclasses.replace(weighted, n_added=np.array([10**9])).rounding == 1e-9
    queries = Request(
        y_true=y, y_score=s, sample_weight=np.full(30, 0.1), queries=[0] * 10 + [1] * 20
    )
    found = check_and_count(definitions.Step(), queries)[1].rounding
    np.testing.assert_array_equal(found, np.array([18, 28]) * spacing)


def test_a_weight_too_small_to_move_the_sum_changes_nothing():
    y_true, y_score, weight = [1, 1, 0], [0.9, 0.8, 0.7], [1.0, 1e-20, 1.0]
    counts = threshold_counts(y_true, y_score, sample_weight=weight)
    assert counts.gained.all()
    for definition in (definitions.Step(), definitions.Linear(), definitions.Hyperbolic()):
        assert definition(counts) == 1.0
    assert definitions.AtK(1)(counts) == 1.0


@pytest.mark.parametrize(("weighted", "most"), [(False, 3), (True, 5)])
def test_a_long_ranking_needs_a_few_times_the_memory_of_its_scores(weighted, most):
    rng = np.random.default_rng(0)
    y_true, y_score, weight = rng.random(100_000) < 0.5, rng.random(100_000), rng.random(100_000)
    average_precision_score(y_true, y_score)  # what is made once is not counted
    tracemalloc.start()
    average_precision_score(y_true, y_score, sample_weight=weight if weighted else None)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < most * y_score.nbytes


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16, np.int8, np.int64])
def test_leave_one_group_out_counts_equal_counts_of_other_rows(dtype):
    rng = np.random.default_rng(0)
    positive, score = rng.random(90) < 0.4, (20 * rng.normal(size=90)).astype(dtype)
    group = rng.integers(4, size=90)
    for i, counts in enumerate(counting.count_without_groups(positive, score, group, 4)):
        rest = Rankings(positive[group != i], score[group != i])
        check_against_slow_counts(counts, rest)
        assert counts.thresholds.dtype == dtype
