"""Segments of the rows, as users compare them."""

import json
import warnings
from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import (
    FoldPredictions,
    InputError,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_segments,
)
from sklearn_ap.definitions import AtK, Expected, Interpolated, PrecisionAtRecall
from tests.helpers import engine_reference as one
from tests.helpers import segments_reference as reference
from tests.helpers.first_cases import first, quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
NUMBERS = ("estimate", "low", "high", "difference", "difference_low", "difference_high", "pvalue")
ODD_NAMES = ["St. Gallen", "Model v. 1", "ens, but small", "a: b", "<b>", "%s", "{0}", "$x$"]


def drawn(n=300, names="abc", seed=0, share=0.2, worse="c"):
    """Rows of segments, of which one ranks worse."""
    rng = np.random.default_rng(seed)
    segments = rng.choice([*names], n)
    y = (rng.random(n) < share).astype(int)
    return y, np.where(segments == worse, 0.3, 2.0) * y + rng.normal(size=n), segments


def with_numbers(*numbers, seed=0, shift=1.5, n_each=8):
    """Rows of segments a, b, ... with these numbers of positives, and more negatives."""
    rng = np.random.default_rng(seed)
    y = np.concatenate([np.repeat([1, 0], (n, n_each * max(n, 1))) for n in numbers])
    sizes = [n + n_each * max(n, 1) for n in numbers]
    return y, shift * y + rng.normal(size=y.size), np.repeat([*"abcdefgh"[: len(sizes)]], sizes)


def columns_of(found):
    return {name: np.asarray(getattr(found, name), float) for name in NUMBERS}


def assert_same(found, other):
    for name, values in columns_of(found).items():
        expected = columns_of(other)[name]
        np.testing.assert_allclose(values, expected, atol=1e-9, err_msg=name)


# ---- the equations


def rows_of(y, s, segments, name, prevalence, weight=None, unit=None):
    own = segments == name
    units = np.arange(y.size) if unit is None else unit
    weights = None if weight is None else weight[own]
    return one.Rows(y[own], s[own], weights, units[own].tolist(), prevalence=prevalence)


def ordered(segments):
    """The segments as categories with an order, which "previous" needs."""
    return pd.Categorical(segments, ordered=True)


@pytest.mark.parametrize("prevalence", first(["overall", "own", 0.02, 0.6], ["own", 0.02]))
@pytest.mark.parametrize("kind", ["rows", "weights", "clusters"])
@pytest.mark.parametrize("wanted", [*quick(["others", "previous"], 1), *first(["b"], 0)])
def test_differences_follow_the_equations(wanted, kind, prevalence):
    y, s, segments = drawn(150, seed=3)
    rng = np.random.default_rng(5)
    given = {"sample_weight": rng.lognormal(size=150)} if kind == "weights" else {}
    if kind == "clusters":
        given["clusters"] = clusters = rng.integers(0, 40, 150)
        s = s + rng.normal(size=40)[clusters]
    weight = given.get("sample_weight", np.ones(150))
    share = {"overall": weight @ y / weight.sum(), "own": None}.get(prevalence, prevalence)
    beside = given.get("sample_weight"), given.get("clusters")
    scored = {
        name: reference.of_rows(rows_of(y, s, segments, name, share, *beside)) for name in "abc"
    }
    found = compare_segments(
        y, s, ordered(segments), reference=wanted, prevalence=prevalence, **given
    )
    needed = min(10, sorted(each.n for each in scored.values())[-2])
    enough = [name for name in "abc" if scored[name].n >= needed]
    references = {
        "others": {name: [each for each in enough if each != name] for name in "abc"},
        "previous": {"b": ["a"], "c": ["b"]},
        "b": {"a": ["b"], "c": ["b"]},
    }[wanted]
    references = {name: others for name, others in references.items() if others}
    is_pair = wanted == "others" and len(enough) == 2  # which is one test
    m = len(references) - is_pair
    for name, others in references.items():
        *expected, pvalue = reference.difference(
            scored[name], [scored[each] for each in others], 1 - 0.05 / m
        )
        place = "abc".index(name)
        limits = found.difference, found.difference_low, found.difference_high
        assert [each[place] for each in limits] == pytest.approx(expected, abs=1e-7)
        # P-values are read off curves through limits at fixed quantiles.
        assert found.pvalue[place] == pytest.approx(min(1, m * pvalue), rel=2e-3, abs=1e-7)
    assert np.count_nonzero(np.isfinite(found.pvalue)) == len(references)


def test_segments_of_queries_follow_the_equations():
    y, s, _ = drawn(600, seed=1)
    query = np.arange(600) // 10
    segments = np.array([*"abc"])[query * 3 // 61]
    values = [
        average_precision_score(y[query == q], s[query == q]) if y[query == q].any() else 0
        for q in range(60)
    ]
    scored = [reference.of_queries(np.array(values)[segments[::10] == name]) for name in "abc"]
    with pytest.warns(UserWarning, match=r"queries \('9', .* They count as 0"):
        found = compare_segments(y, s, segments, queries=query, prevalence="own")
    for place, segment in enumerate(scored):
        others = [each for each in scored if each is not segment]
        *expected, pvalue = reference.difference(segment, others, 1 - 0.05 / 3)
        limits = found.difference, found.difference_low, found.difference_high
        assert [each[place] for each in limits] == pytest.approx(expected, abs=1e-9)
        # P-values are read off curves through limits at fixed quantiles.
        assert found.pvalue[place] == pytest.approx(min(1, 3 * pvalue), rel=2e-3)
    assert found.scores.n_effective.sum() == 60
    assert "queries" in str(found)


@pytest.mark.parametrize("options", [{}, {"definition": Interpolated()}, {"clusters": True}])
def test_scores_are_those_of_the_rows_of_each_segment_alone(options):
    y, s, segments = drawn(400)
    clusters = np.arange(400) // 5 if options.pop("clusters", False) else None
    found = compare_segments(y, s, segments, prevalence=0.1, clusters=clusters, **options)
    for place, name in enumerate("abc"):
        own = segments == name
        units = None if clusters is None else clusters[own]
        alone = average_precision_interval(
            y[own], s[own], prevalence=0.1, clusters=units, **options
        )
        for field in ("estimate", "low", "high", "standard_error", "n_positives", "n_effective"):
            assert getattr(found.scores, field)[place] == pytest.approx(getattr(alone, field))
        assert found.scores.prevalence[place] == pytest.approx(y[own].mean())


def test_two_segments_are_one_test():
    y, s, segments = with_numbers(30, 30)
    s = s + np.where(segments == "b", 1.5, 0) * y
    found = compare_segments(y, s, segments)
    named = compare_segments(y, s, segments, reference="a")
    difference = named.difference[1]
    assert found.difference.tolist() == pytest.approx([-difference, difference])
    assert found.pvalue.tolist() == pytest.approx([named.pvalue[1]] * 2)
    assert found.difference_low[1] == pytest.approx(named.difference_low[1])
    assert found.verdict.tolist() == ["worse", "better"]
    assert found.sentences[0].startswith("a is worse than b: ")


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_two_segments_are_two_one_sided_tests(alternative):
    """Whether a is better than b, and whether b is better than a, are two questions."""
    y, s, segments = with_numbers(30, 30)
    s = s + np.where(segments == "b", 1.0, 0) * y
    found = compare_segments(y, s, segments, alternative=alternative)
    for place, other in enumerate("ba"):
        single = compare_segments(
            y, s, segments, reference=other, alternative=alternative, confidence_level=0.975
        )
        assert found.pvalue[place] == pytest.approx(min(1, 2 * single.pvalue[place]), rel=1e-3)
        assert found.difference_low[place] == pytest.approx(single.difference_low[place])
        assert found.difference_high[place] == pytest.approx(single.difference_high[place])
    assert len(found.sentences) == 2
    assert "simultaneous and one-sided" in found.heading


@settings(max_examples=2 * settings.default.max_examples)
@given(
    seed=st.integers(0, 10_000),
    n=st.integers(2, 6),
    level=st.sampled_from([0.3, 0.8, 0.95, 0.99]),
    wanted=st.sampled_from(["others", "previous", "a"]),
    alternative=st.sampled_from(["two-sided", "greater", "less"]),
    has_clusters=st.booleans(),
)
def test_limits_p_values_and_verdicts_agree(seed, n, level, wanted, alternative, has_clusters):
    y, s, segments = drawn(60 * n, "abcdef"[:n], seed, worse="b")
    clusters = np.random.default_rng(seed).integers(0, 25, y.size) if has_clusters else None
    how = {"confidence_level": level, "alternative": alternative, "clusters": clusters}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = compare_segments(y, s, ordered(segments), reference=wanted, **how)
    low, high, pvalue = map(np.ravel, (found.difference_low, found.difference_high, found.pvalue))
    is_shown = np.isin(np.ravel(found.verdict), ["better", "worse"])
    known = np.isfinite(pvalue)
    assert is_shown[known].tolist() == ((low > 0) | (high < 0))[known].tolist()
    assert is_shown[known].tolist() == (pvalue < 1 - level)[known].tolist()


def with_one_positive_more(y, s, segments, *names):
    """The same rows, and segments of one positive above and below two negatives."""
    more = [np.tile(each, len(names)) for each in ([1, 0, 0], [1.0, 0.5, 2.0])]
    return np.append(y, more[0]), np.append(s, more[1]), np.append(segments, np.repeat(names, 3))


@pytest.mark.parametrize("more", ["z", "xyz"])
def test_segments_of_one_positive_cost_the_others_nothing(more):
    rows = with_numbers(30, 40, shift=np.repeat([1.0, 2.0], [270, 360]))
    two = compare_segments(*rows, prevalence=0.1)
    found = compare_segments(*with_one_positive_more(*rows, *more), prevalence=0.1)
    for name in ("difference_low", "difference_high", "pvalue"):
        own = getattr(found, name)
        assert own[:2] == pytest.approx(getattr(two, name), rel=1e-9)
    assert two.pvalue[0] < 0.05
    assert found.pvalue[2:].tolist() == [1] * len(more)
    assert set(found.verdict[2:]) == {"undecided"}


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_what_can_never_differ_is_not_counted(alternative):
    rows = with_numbers(20, 30, 40, shift=np.repeat([1.0, 1.4, 2.0], [180, 270, 360]))
    ask = partial(compare_segments, prevalence=0.1, alternative=alternative)
    three, four = ask(*rows), ask(*with_one_positive_more(*rows, "z"))
    assert four.pvalue[:3] == pytest.approx(three.pvalue, rel=1e-9)
    found = ask(*with_one_positive_more(*rows, "z"), reference="z")
    assert np.nanmin(found.pvalue) >= (1 if alternative == "two-sided" else 0.5)


def test_two_segments_and_one_that_is_too_small_for_the_others_are_two_tests():
    y, s, segments = with_numbers(30, 40, 5, shift=np.repeat([1.0, 2.0, 1.5], [270, 360, 45]))
    is_large = segments != "c"
    two = compare_segments(y[is_large], s[is_large], segments[is_large], prevalence=0.1)
    found = compare_segments(y, s, segments, prevalence=0.1)
    assert found.pvalue[:2] == pytest.approx(2 * two.pvalue, rel=1e-9)


# ---- who is among the others


def test_segments_of_fewer_than_10_positives_are_not_among_the_others():
    y, s, segments = with_numbers(9, 10, 40)
    found = compare_segments(y, s, segments, prevalence="own")
    a, b, c = found.estimate
    assert found.difference == pytest.approx([a - (10 * b + 40 * c) / 50, b - c, c - b])


def test_few_heavy_negatives_are_worth_fewer_positives():
    """At a prevalence of .1, 9 negatives for each positive are needed to be worth it."""
    y, s, segments = with_numbers(20, 20, 20)
    is_left_out = (segments == "c") & (y == 0) & (np.arange(y.size) % 20 > 0)
    y, s, segments = (each[~is_left_out] for each in (y, s, segments))
    found = compare_segments(y, s, segments, prevalence=0.1)
    assert found.difference[0] == pytest.approx(found.estimate[0] - found.estimate[1])


def test_the_two_segments_of_most_positives_are_always_among_the_others():
    for numbers in ((5, 40, 6), (2, 9, 8)):
        found = compare_segments(*with_numbers(*numbers), prevalence="own")
        a, b, c = found.estimate
        _, n, m = numbers
        assert found.difference == pytest.approx([a - (n * b + m * c) / (n + m), b - c, c - b])


def test_others_of_queries_at_a_prevalence_need_10_with_both_classes():
    """Of the twelve queries of c, five have a negative, too."""
    query, segment = np.repeat(np.arange(36), 4), np.repeat([*"abc"], 48)
    y = np.where(query < 29, np.tile([1, 0, 0, 1], 36), 1)
    s = y + np.random.default_rng(0).normal(size=y.size)
    with pytest.warns(UndefinedMetricWarning, match="7 of 36 queries"):
        found = compare_segments(y, s, segment, queries=query, prevalence=0.3)
    assert found.difference[0] == pytest.approx(found.estimate[0] - found.estimate[1])
    found = compare_segments(y, s, segment, queries=query, prevalence="own")
    assert found.difference[0] == pytest.approx(found.estimate[0] - found.estimate[1:].mean())


# ---- segments that are odd


def test_rows_of_weight_0_need_no_segment():
    y, s, segments = drawn()
    has_name = np.arange(y.size) % 5 > 0
    named, given = np.where(has_name, segments, None), {"sample_weight": has_name.astype(float)}
    found = compare_segments(y, s, ordered(named), reference="previous", **given)
    rows = (each[has_name] for each in (y, s, ordered(segments)))
    expected = compare_segments(*rows, reference="previous", sample_weight=np.ones(has_name.sum()))
    assert_same(found, expected)
    assert found.names == expected.names
    with pytest.raises(InputError, match=r"segments contains NaN .* first in row 5\. Leave"):
        compare_segments(y, s, named, sample_weight=(np.arange(y.size) > 0).astype(float))


def test_a_segment_without_positives_has_no_score_and_a_warning():
    y, s, segments = drawn()
    y = np.where(segments == "b", 0, y)
    with pytest.warns(UserWarning, match="have no score. These lack positives.*: 'b'"):
        found = compare_segments(y, s, segments)
    assert np.isnan([found.estimate, found.difference]).tolist() == [[False, True, False]] * 2
    assert found.difference[0] == pytest.approx(-found.difference[2])
    assert found.to_table().splitlines()[3].count("\N{EN DASH}") == 3
    assert json.loads(json.dumps(found.to_dict()))["rows"][1]["estimate"] is None


def test_segments_of_one_row_and_of_one_class():
    y, s, segments = drawn()
    y, s = np.append(y, [1, 0, 1, 1]), np.append(s, [1.0, 2.0, 3.0, 4.0])
    segments = np.append(segments, [*"pndd"])
    with pytest.warns(UserWarning, match=r"negatives at a prevalence: 'd', 'n' and 'p'\."):
        compare_segments(y, s, segments)
    with pytest.warns(UserWarning, match=r"negatives at a prevalence: 'n'\."):
        found = compare_segments(y, s, segments, prevalence="own")
    assert found.names == ("a", "b", "c", "d", "n", "p")
    assert found.verdict[3:].tolist() == ["undecided"] * 3


def test_previous_is_the_last_segment_with_a_score():
    y, s, segments = drawn(600, "abcde", worse="d")
    y = np.where(np.isin(segments, ["a", "c"]), 0, y)
    with pytest.warns(UserWarning, match="have no score"):
        found = compare_segments(y, s, ordered(segments), reference="previous")
    a, b, c, d, e = found.estimate
    assert np.isnan([a, c]).all()
    assert found.difference == pytest.approx([np.nan, np.nan, np.nan, d - b, e - d], nan_ok=True)
    assert found.to_frame()["reference"].tolist() == ["", "", "", "b", "d"]
    assert found.verdict[1] == "reference"
    assert "d is worse than b: " in str(found)
    assert "difference from the previous one" in str(found)


def test_perfect_segments_that_share_clusters_do_not_differ():
    y = np.tile([1, 0, 0], 40)
    segments, clusters = np.repeat([*"ab"], 60), np.arange(120) % 20
    found = compare_segments(y, y, segments, clusters=clusters)
    assert found.difference.tolist() == [0, 0]
    assert found.pvalue.tolist() == [1, 1]
    assert found.difference_low[0] < -0.02


@pytest.mark.parametrize("seed", quick(range(20), 10))
def test_errors_of_others_that_cancel_have_no_correlation(seed):
    """The last two segments are the same rows, with the two clusters exchanged."""
    rng, twice = np.random.default_rng(seed), [0, 1, 1]
    y = rng.integers(0, 2, (2, 30))
    s, clusters = y + rng.normal(size=y.shape), rng.integers(0, 2, y.shape)
    clusters = np.array([*clusters, 1 - clusters[1]]).ravel()
    found = compare_segments(
        y[twice].ravel(), s[twice].ravel(), np.arange(90) // 30, clusters=clusters
    )
    assert np.isfinite(found.difference_low).all()


# ---- names and orders


@pytest.mark.parametrize(
    ("names", "kind"),
    [
        (ODD_NAMES[:3], np.array),
        (ODD_NAMES[3:6], pd.Series),
        (ODD_NAMES[5:], pl.Series),
        ([1, 2, 3], np.array),
        ([0.5, 1.5, 2.5], pl.Series),
        ([date(2026, 1, 1), date(2026, 2, 1), date(2026, 3, 1)], pd.Series),
        ([*pd.period_range("2026-01", periods=3, freq="M")], pd.Series),
        ([("a", 1), ("a", 2), ("b", 1)], pd.Series),
        (["A", "b", "c"], lambda names: pd.Categorical(names, ["A", "b", "c"])),
    ],
)
def test_other_names_change_names_and_nothing_else(names, kind):
    y, s, segments = drawn()
    names = sorted(names)
    codes = np.unique(segments, return_inverse=True)[1]
    found = compare_segments(y, s, kind([names[code] for code in codes]))
    assert_same(found, compare_segments(y, s, segments))
    assert str(found.names[0]) in (str(names[0]), "a, 1", "2026-01-01")
    assert found.to_dict()["rows"][2]["name"] in found.sentences[2]
    assert json.dumps(found.to_dict())
    assert len(found.plot().axes) > 1


@pytest.mark.parametrize(
    "kind",
    [
        partial(pd.Categorical, categories=["c", "a", "b", "x"], ordered=True),
        partial(pl.Series, dtype=pl.Enum(["c", "a", "b", "x"])),
    ],
)
def test_categories_keep_their_order(kind):
    y, s, segments = drawn()
    found = compare_segments(y, s, kind(segments), reference="previous")
    assert found.names == ("c", "a", "b")


@pytest.mark.parametrize(
    "names", [[1, 2, 3], [*pd.date_range("2026-01", periods=3)], ["2026", "2027", "2028"]]
)
def test_categories_without_an_order_are_sorted(names):
    y, s, segments = drawn()
    kind = pd.Categorical.from_codes(np.unique(segments, return_inverse=True)[1], names[::-1])
    found = compare_segments(y, s, kind, reference="previous")
    assert found.names == compare_segments(y, s, np.array(kind)).names


@pytest.mark.parametrize(
    "names",
    [
        ["Jan", "Feb", "Mar"],
        ["01.02.2026", "01.10.2026", "02.01.2027"],
        ["Q1 2026", "Q2 2025", "Q3 2026"],
        ["2026-W10", "2026-W2", "2026-W9"],
        ["20261001", "20261002", "20261003"],
    ],
)
def test_previous_needs_an_order(names):
    y, s, segments = drawn()
    codes = np.unique(segments, return_inverse=True)[1]
    with pytest.raises(ValueError, match="whose order is not known, such as"):
        compare_segments(y, s, np.array(names)[codes], reference="previous")
    ordered = pd.Categorical.from_codes(codes, names, ordered=True)
    assert [*compare_segments(y, s, ordered, reference="previous").names] == names


@pytest.mark.parametrize("wanted", [2, "2", np.int64(2)])
def test_a_reference_is_named_as_it_is_printed(wanted):
    y, s, segments = drawn()
    numbers = np.unique(segments, return_inverse=True)[1] + 1
    found = compare_segments(y, s, numbers, reference=wanted)
    assert found.reference == 2
    assert found.verdict[1] == "reference"
    assert found.to_dict()["reference"] == "2"


# ---- options


def test_prevalence_is_overall_unless_it_is_said():
    y, s, segments = drawn()
    found = compare_segments(y, s, segments)
    assert found.sample.target_prevalence == y.mean()
    assert_same(found, compare_segments(y, s, segments, prevalence=y.mean()))
    own = compare_segments(y, s, segments, prevalence="own")
    rows = segments == "a"
    assert own.estimate[0] == pytest.approx(average_precision_score(y[rows], s[rows]))
    assert own.heading.startswith(f"step AP, 300 rows, {y.sum()} positives")


@pytest.mark.parametrize("are_queries", [False, True])
def test_folds_are_pooled_and_need_no_factor(are_queries):
    y, s, segments = drawn()
    folds, options = np.arange(300) % 3, {}
    if are_queries:
        y, query = np.maximum(y, np.arange(300) % 10 == 0), np.arange(300) // 10
        folds, segments = query % 3, query % 2
        options = {"queries": query, "prevalence": "own"}
    folds = FoldPredictions({"y_score": s, "folds": folds})
    found = compare_segments(y, folds, segments, **options)
    assert_same(found, compare_segments(y, s, segments, **options))
    assert "pool of 3 folds" in found.heading


def test_alternatives_ask_one_question_of_each():
    y, s, segments = drawn()
    both = compare_segments(y, s, segments, confidence_level=0.9)
    less = compare_segments(y, s, segments, alternative="less")
    assert less.difference_high == pytest.approx(both.difference_high)
    assert (less.difference_low == -1).all()
    assert less.pvalue[2] == pytest.approx(both.pvalue[2] / 2, rel=1e-3)
    assert less.verdict.tolist() == ["undecided", "undecided", "worse"]


def test_the_difference_of_two_segments_is_told_once():
    y, s, segments = drawn()
    found = compare_segments(y, s, np.where(segments == "a", "a", "rest"))
    assert len(found.sentences) == 1
    assert found.difference[0] == -found.difference[1]
    assert len(compare_segments(y, s, segments).sentences) == 3


def test_warnings_name_their_segments():
    y, s, segments = drawn()
    with pytest.warns(UncertaintyWarning, match="few clusters: 'a', 'b' and 'c': The interval"):
        compare_segments(y, s, segments, clusters=np.arange(300) % 12)
    is_left_out = (segments == "b") & (y == 0) & (np.arange(300) % 20 > 0)
    kept = [each[~is_left_out] for each in (y, s, segments)]
    with pytest.warns(UncertaintyWarning, match="few negatives: 'b': At this prevalence"):
        compare_segments(*kept, prevalence=0.1)


Y, S, G = drawn()
QUERIES = np.arange(300) // 10
REFUSED = {
    "reference must be 'others', 'previous' or the name of a segment": {"reference": "d"},
    "or the name of a segment .*, got <NA>": {"reference": pd.NA},
    "prevalence must be 'overall', 'own' or a number, got None": {"prevalence": None},
    r"0\.01 for 1%. It must lie within \[1e-100, 1\)": {"prevalence": 1},
    r"by AtK\(k=5\) at .* Pass prevalence='own'": {"definition": AtK(5)},
    r"by AtK\(k=5\) at .* at its own, and leave out clusters": {
        "definition": AtK(5),
        "clusters": QUERIES,
    },
    r"^AtK\(k=5\).* cannot be compared over clusters": {
        "definition": AtK(5),
        "clusters": QUERIES,
        "prevalence": "own",
    },
    "pass prevalence='own', which leaves each query": {"queries": QUERIES, "segments": QUERIES % 3},
    "Each query must lie in one segment.*: '0', ": {"queries": QUERIES, "prevalence": "own"},
    "queries or clusters, not both": {"queries": QUERIES, "clusters": QUERIES},
    "at least two segments with a score, got 1": {"segments": np.repeat("a", 300)},
    r"reference must have a score, but 'b' has none\. These": {
        "y_true": np.where(G == "b", 0, Y),
        "reference": "b",
    },
    "another order": {"y_true": pd.Series(Y), "segments": pd.Series(G)[::-1]},
    "y_true must have both labels": {"y_true": np.zeros(300), "pos_label": 1},
    "segments holds 1,200 names": {n: np.tile(v, 4) for n, v in (("y_true", Y), ("y_score", S))}
    | {"segments": np.arange(1200)},
    "segments must be an array .* got None": {"segments": None},
    r"got a dict of \['A', 'B'\].* of one model": {"y_score": {"A": S, "B": S}},
    "segments contains NaN": {"segments": np.where(G == "a", None, G)},
    "one column beside segments": {
        "y_score": np.tile(S[:, None], 2),
        "y_true": np.tile(Y[:, None], 2),
    },
}


@pytest.mark.parametrize("name", ["best", "others", "previous"])
def test_words_of_references_may_be_names_of_segments(name):
    found = compare_segments(Y, S, np.where(G == "a", name, G))
    expected = compare_segments(Y, S, G)
    assert sorted(found.difference) == sorted(expected.difference)
    assert found.reference == "others"


@pytest.mark.parametrize("word", ["others", "previous"])
def test_a_word_beside_a_segment_of_this_name_is_refused(word):
    segments = np.where(G == "a", word, G)
    with pytest.raises(InputError, match=rf"^'{word}' is the name of a segment.* Rename the"):
        compare_segments(Y, S, segments, reference=word)
    renamed = np.where(segments == word, f"segment {word}", segments)  # as it says
    assert compare_segments(Y, S, renamed, reference="others").reference == "others"


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_answered_is_refused(text):
    given = {"y_true": Y, "y_score": S, "segments": G} | REFUSED[text]
    with pytest.raises(ValueError, match=text):
        compare_segments(**given)


@pytest.mark.parametrize("definition", [PrecisionAtRecall(0.5), AtK(5), Expected()])
def test_scores_without_intervals_at_a_prevalence_are_refused_with_the_way_out(definition):
    y, s, segments = drawn(600)
    with pytest.raises(ValueError, match=r"at one prevalence\. Pass prevalence='own'"):
        compare_segments(y, s, segments, definition=definition)
    compare_segments(y, s, segments, definition=definition, prevalence="own")


def test_segments_that_cannot_be_compared_are_named():
    y, s, segments = drawn(600, names="abcde")
    with pytest.warns(UndefinedMetricWarning, match="negatives at a prevalence: 'd'"):
        found = compare_segments(y * (segments != "d"), s, segments)
    assert found.sentences[-1].startswith("1 (d) cannot be compared, because")
    with pytest.warns(UndefinedMetricWarning, match="a weight above 0: 'e'"):
        compare_segments(y, s, segments, sample_weight=np.where(segments == "e", 0, 1))
