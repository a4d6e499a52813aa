"""Segments of whole queries, whose scores are means over queries.

The reference of this file is plain NumPy: the score of a query, the mean and its limits, and what
follows from the limits of several segments. It imports nothing of sklearn_ap.
"""

import warnings
from dataclasses import dataclass

import numpy as np
import pytest
from matplotlib import pyplot as plt
from scipy.optimize import brentq
from scipy.stats import t
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import (
    FoldPredictions,
    average_precision_interval,
    average_precision_score,
    compare_segments,
)
from sklearn_ap.definitions import AtK, PrecisionAtK, ReciprocalRank

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_ap.UncertaintyWarning", "ignore:.*count as 0:UserWarning"
)
N_ROWS = 8


def made(sizes=(14, 20, 31), shifts=(1.5, 1.5, 0.3), seed=0):
    """Rows of so many queries of segments "a", "b", ...; a tenth has no positive."""
    rng = np.random.default_rng(seed)
    segment = np.repeat([*"abcdefgh"[: len(sizes)]], sizes)
    query = np.repeat(np.arange(segment.size), N_ROWS)
    y = (rng.random(query.size) < 0.25).astype(int)
    s = np.repeat(shifts, sizes)[query] * y + rng.normal(size=query.size)
    order = rng.permutation(query.size)
    return tuple(each[order] for each in (y, np.round(s, 1), segment[query], query))


Y, S, SEGMENTS, QUERIES = made()
NOT_RETRIEVED = np.where(np.random.default_rng(1).random(Y.size) < 0.3, -np.inf, S)
WEIGHT = np.random.default_rng(2).choice([0.0, 0.5, 1.0, 2.0, 3.0], Y.size)
SHOWN = ("estimates", "lows", "highs", "n_positives", "shares", "n_queries", "n_effective")
COMPARED = ("differences", "difference_lows", "difference_highs", "pvalues", "adjusted_pvalues")


def compared(rows=(Y, S, SEGMENTS, QUERIES), **options):
    y, s, segments, queries = rows
    return compare_segments(y, s, segments, **{"prevalence": None, "queries": queries} | options)


def rows_of(name):
    return name == SEGMENTS


def same(one, other, tolerance=1e-12):
    for name in (*SHOWN, *COMPARED, "overall", "pooled"):
        both = getattr(one, name), getattr(other, name)
        np.testing.assert_allclose(*both, rtol=0, atol=tolerance, err_msg=name)


# ---- the reference


@dataclass(frozen=True)
class Mean:
    """A mean over queries, with Wilson's limits, and what queries of other kinds may change."""

    values: np.ndarray
    n_with_positives: int

    @property
    def score(self):
        return self.values.mean()

    def limits(self, level):
        n, score, variance = self.values.size, self.score, self.variance
        case = score * (1 - score)
        m = case / (variance * t.isf((1 - level) / 2, self.n_with_positives - 1) ** 2)
        half = np.sqrt(case * m + 0.25) / (m + 1)
        middle = (score * m + 0.5) / (m + 1)
        hidden = 1 - (1 - level) ** (1 / n)
        low = min(middle - half, score * (1 - hidden))
        return low, max(middle + half, score + (1 - score) * hidden)

    @property
    def variance(self):
        return self.values.var(ddof=1) / self.values.size


@dataclass(frozen=True)
class Weighted:
    """The mean of other segments, whose squared distances from limits add up (MOVER)."""

    means: list
    weights: list

    @property
    def score(self):
        return np.average([each.score for each in self.means], weights=self.weights)

    def limits(self, level):
        shares = np.array(self.weights) / np.sum(self.weights)
        scores = np.array([each.score for each in self.means])
        low, high = np.transpose([each.limits(level) for each in self.means])
        below, above = (np.sqrt(np.sum((shares * (each - scores)) ** 2)) for each in (low, high))
        return self.score - below, self.score + above


def step(y, s, weight):
    """The average precision of one query; 0 without positives."""
    total, score = weight[y == 1].sum(), 0.0
    for threshold in {*s[s > -np.inf]}:
        above, at = weight * (s >= threshold), weight * (s == threshold) * y
        score += at.sum() / total * (above * y).sum() / above.sum() if at.any() else 0.0
    return score


def means_of(rows, weight=None):
    y, s, segments, queries = rows
    weight = np.ones(y.size) if weight is None else weight
    found = {}
    for name in np.unique(segments[weight > 0]):
        of_query = [
            (queries == query) & (weight > 0)
            for query in np.unique(queries[(segments == name) & (weight > 0)])
        ]
        values = [step(y[each], s[each], weight[each]) for each in of_query]
        n_with_positives = sum(y[each].any() for each in of_query)
        found[name] = Mean(np.array(values), n_with_positives)
    return found


def difference_of(one, other, level=0.95):
    def limits(level):
        low, high = one.limits(level)
        other_low, other_high = other.limits(level)
        below = np.hypot(one.score - low, other_high - other.score)
        above = np.hypot(high - one.score, other.score - other_low)
        return apart - below, apart + above

    apart = one.score - other.score
    nearer = limits if apart > 0 else lambda level: [-each for each in limits(level)[::-1]]
    pvalue = np.exp(brentq(lambda x: nearer(-np.expm1(x))[0], -36, -1e-9, xtol=1e-13))
    return (apart, *limits(level), pvalue)


def holm(pvalues):
    order = np.argsort(pvalues)
    raised = np.maximum.accumulate(np.array(pvalues)[order] * np.arange(len(pvalues), 0, -1))
    return np.minimum(raised, 1.0)[np.argsort(order)]


# ---- scores and their limits


@pytest.mark.parametrize(
    ("scores", "options"),
    [
        (S, {}),
        (S, {"confidence_level": 0.6, "definition": AtK(3)}),
        (S, {"definition": PrecisionAtK(2)}),
        (S, {"definition": ReciprocalRank()}),
        (S, {"sample_weight": WEIGHT}),
        (S, {"prevalence": 0.05}),
        (NOT_RETRIEVED, {"prevalence": 0.4, "sample_weight": WEIGHT}),
        (NOT_RETRIEVED, {}),
    ],
)
def test_scores_are_those_of_the_queries_of_each_segment(scores, options):
    found = compared((Y, scores, SEGMENTS, QUERIES), **options)
    assert found.rankings == ("a", "b", "c")
    weight = options.get("sample_weight", np.ones(Y.size))
    for i, name in enumerate("abc"):
        rows = rows_of(name) & (weight > 0)
        given = options | {"queries": QUERIES[rows], "zero_division": 0.0}
        given |= {"sample_weight": weight[rows]} if "sample_weight" in options else {}
        known = average_precision_interval(Y[rows], scores[rows], **given)
        expected = (known.estimate, known.n_positives)
        ours = (found.estimates, found.n_positives)
        np.testing.assert_allclose([each[i] for each in ours], expected, rtol=0, atol=1e-12)
        assert found.n_queries[i] == np.unique(QUERIES[rows]).size
        assert found.n_effective[i] == np.unique(QUERIES[rows & (Y == 1)]).size
        assert found.shares[i] == pytest.approx(np.average(Y[rows], weights=weight[rows]))
    given = options | {"queries": QUERIES, "zero_division": 0.0}
    given.pop("confidence_level", None)
    assert found.pooled == pytest.approx(average_precision_score(Y, scores, **given))
    assert found.prevalence == options.get("prevalence")


def test_queries_without_positives_count_as_0_and_one_warning_says_so():
    n = 65 - np.unique(QUERIES[Y == 1]).size
    assert n > 2
    text = f"^No positive class found in y_true, for {n} of 65 queries, which count as 0. To leave"
    with pytest.warns(UndefinedMetricWarning, match=text) as caught:
        found = compared()
    assert len(caught) == 1
    known = [each.score for each in means_of((Y, S, SEGMENTS, QUERIES)).values()]
    np.testing.assert_allclose(found.estimates, known)
    has_positive = np.isin(QUERIES, QUERIES[Y == 1])
    with warnings.catch_warnings():
        warnings.simplefilter("error", UndefinedMetricWarning)
        without = compared((Y[has_positive], S[has_positive], *with_names(has_positive)))
    assert (without.estimates > found.estimates).all()
    with pytest.warns(UndefinedMetricWarning, match="^No positive or no negative class found"):
        compared(prevalence=0.1)


def with_names(rows):
    return SEGMENTS[rows], QUERIES[rows]


def test_segments_of_which_no_query_has_a_positive_are_left_out():
    y = Y * (SEGMENTS != "b")
    with pytest.warns(UndefinedMetricWarning, match="left out. These lack positives.*: 'b'"):
        found = compared((y, S, SEGMENTS, QUERIES))
    assert (found.rankings, found.left_out) == (("a", "c"), ("b",))
    rest = SEGMENTS != "b"
    other = compared((Y[rest], S[rest], *with_names(rest)))
    for name in (*SHOWN, *COMPARED):
        np.testing.assert_array_equal(getattr(found, name), getattr(other, name))
    assert "left out, as they lack positives or negatives: b" in repr(found).splitlines()


def test_segments_without_negatives_are_left_out_at_a_prevalence_only():
    y = np.where(SEGMENTS == "b", 1, Y)
    assert compared((y, S, SEGMENTS, QUERIES)).estimates[1] == 1
    with pytest.warns(UndefinedMetricWarning, match="left out. These lack .*: 'b'"):
        assert compared((y, S, SEGMENTS, QUERIES), prevalence=0.2).left_out == ("b",)


# ---- differences


@pytest.mark.parametrize("weight", [None, WEIGHT])
def test_differences_from_the_others_follow_from_limits_of_means(weight):
    found, rows = compared(sample_weight=weight, confidence_level=0.9), (Y, S, SEGMENTS, QUERIES)
    means = [*means_of(rows, weight).values()]
    n_queries = [each.values.size for each in means]
    assert min(each.n_with_positives for each in means) >= 10
    expected = []
    for i, mean in enumerate(means):
        rest = [j for j in range(3) if j != i]
        others = Weighted([means[j] for j in rest], [n_queries[j] for j in rest])
        expected.append(difference_of(mean, others, level=0.9))
    columns = np.transpose(expected)
    for name, column in zip(COMPARED, [*columns, holm(columns[-1])], strict=True):
        np.testing.assert_allclose(getattr(found, name), column, atol=1e-7, err_msg=name)
    assert found.overall == pytest.approx(Weighted(means, n_queries).score)


@pytest.mark.parametrize(("reference", "places"), [("previous", (None, 0, 1)), ("b", (1, None, 1))])
def test_differences_from_one_segment_follow_from_both_limits(reference, places):
    means = [*means_of((Y, S, SEGMENTS, QUERIES)).values()]
    found, less = (
        compared(reference=reference, alternative=each) for each in ("two-sided", "less")
    )
    for i, place in enumerate(places):
        if place is None:
            assert np.isnan(found.differences[i])
            continue
        apart, low, high, pvalue = difference_of(means[i], means[place])
        ours = (found.differences[i], found.difference_lows[i], found.difference_highs[i])
        assert ours == pytest.approx((apart, low, high))
        assert found.pvalues[i] == pytest.approx(pvalue, rel=1e-6)
        one_sided = pvalue / 2 if apart < 0 else 1 - pvalue / 2
        assert less.pvalues[i] == pytest.approx(one_sided, rel=1e-6)
        assert less.difference_lows[i] == -1
        _, _, high, _ = difference_of(means[i], means[place], level=0.9)
        assert less.difference_highs[i] == pytest.approx(high)


def test_mean_of_others_weighs_queries_alike_whatever_their_positives():
    """Segment "a" gets three times the rows, and so about three times the positives."""
    y, s, segments, queries = (
        np.concatenate([each, *[each[SEGMENTS == "a"]] * 2]) for each in (Y, S, SEGMENTS, QUERIES)
    )
    found = compared((y, s, segments, queries))
    assert found.n_positives[0] > found.n_positives[1]
    assert found.overall == pytest.approx(np.average(found.estimates, weights=[14, 20, 31]))
    others = np.average(found.estimates[:2], weights=[14, 20])
    assert found.differences[2] == pytest.approx(found.estimates[2] - others)


@pytest.mark.parametrize("n", [9, 10])
def test_segments_count_among_the_others_from_10_queries_with_a_positive_on(n):
    kept = np.unique(QUERIES[(SEGMENTS == "a") & (Y == 1)])[:n]
    y = Y * ((SEGMENTS != "a") | np.isin(QUERIES, kept))
    found = compared((y, S, SEGMENTS, QUERIES))
    assert (found.n_effective[0], found.n_queries[0]) == (n, 14)
    weights = [14 * (n >= 10), 20, 31]
    assert found.overall == pytest.approx(np.average(found.estimates, weights=weights))


def test_two_segments_of_few_queries_are_compared_with_each_other():
    rows = made((5, 6), (1.5, 0.0))
    found = compared(rows)
    _, low, high, pvalue = difference_of(*means_of(rows).values())
    assert found.n_effective.max() < 10
    assert (found.difference_lows[0], found.difference_highs[0]) == pytest.approx((low, high))
    assert found.pvalues[0] == found.pvalues[1]
    assert found.pvalues[0] == pytest.approx(pvalue, rel=1e-6)


def test_segments_of_few_queries_have_no_difference_and_remarks_say_why():
    rows = made((5, 6, 4))
    found = compared(rows)
    assert np.isnan(found.differences).all()
    assert np.isnan(found.overall)
    text = "no differences, as no segment has 10 queries with positives"
    assert text in repr(found).splitlines()
    y, s, segments, queries = made((5, 6, 30))
    found = compared((y, s, segments, queries))
    assert np.isnan(found.differences).tolist() == [False, False, True]
    text = " ".join(repr(found).split())
    assert "minus others is minus c here, as only c has 10 queries with positives" in text


def test_a_segment_of_one_query_shows_no_variance():
    found = compared(made((1, 20, 20), seed=3))
    assert (found.lows[0], found.highs[0], found.pvalues[0]) == (0, 1, 1)


# ---- what must not matter


def test_order_of_rows_and_names_of_queries_and_segments_change_nothing():
    found, order = compared(), np.random.default_rng(0).permutation(Y.size)
    numbers = np.random.default_rng(1).permutation(200)[:65]
    for queries in (
        np.char.mod("q%d", QUERIES),  # q9 stands after q10
        numbers[QUERIES],
        numbers[QUERIES] / 2,
        np.array([f"query {number}" for number in numbers], dtype=object)[QUERIES],
    ):
        same(found, compared((Y[order], S[order], SEGMENTS[order], queries[order])))
    other_names = np.array(["z", "y", "x"])[np.searchsorted([*"abc"], SEGMENTS)]
    renamed = compared((Y, S, other_names, QUERIES))
    for name in (*SHOWN, *COMPARED):
        ours, others = getattr(found, name), getattr(renamed, name)[::-1]
        np.testing.assert_allclose(ours, others, rtol=0, atol=1e-12, err_msg=name)


def test_shifting_the_scores_of_a_query_changes_nothing():
    """Each is ranked alone, so the score of all queries does not change either."""
    same(compared(), compared((Y, S + QUERIES % 7, SEGMENTS, QUERIES)))


@pytest.mark.filterwarnings("ignore:Segments without a score")
@pytest.mark.parametrize("is_weightless", [QUERIES % 4 == 1, SEGMENTS == "a", Y + QUERIES % 2 == 0])
def test_rows_of_weight_0_are_as_if_not_there(is_weightless):
    """A query or a segment of which all rows have weight 0 does not exist."""
    rest = ~is_weightless
    found = compared(sample_weight=np.where(rest, 1.0, 0.0))
    same(found, compared((Y[rest], S[rest], *with_names(rest))))
    assert found.left_out == (("a",) if is_weightless[SEGMENTS == "a"].all() else ())


def test_a_query_may_have_rows_of_weight_0_in_another_segment():
    rows = (
        np.append(each, more) for each, more in zip((Y, S, SEGMENTS), (1, 9.0, "c"), strict=True)
    )
    found = compared((*rows, np.append(QUERIES, 0)), sample_weight=np.append(np.ones(Y.size), 0))
    same(found, compared())


def test_queries_of_segments_in_one_order_are_not_mixed():
    """Segments may lie side by side or in turns; only which query lies where matters."""
    segments = np.array([*"abc"])[QUERIES % 3]
    expected = [each.score for each in means_of((Y, S, segments, QUERIES)).values()]
    np.testing.assert_allclose(compared((Y, S, segments, QUERIES)).estimates, expected)


# ---- refusals


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"clusters": QUERIES}, "Segments take queries or clusters, not both: with queries, these"),
        ({"prevalence": "overall"}, "With queries, pass prevalence=None, which leaves each query"),
        ({"prevalence": "own"}, "prevalence must be 'overall', a number or None, got 'own'"),
        ({"queries": QUERIES[1:]}, "inconsistent numbers of samples"),
        (
            {"queries": QUERIES // 7},
            "Each query must lie in one segment, but these have rows in several: '4'.",
        ),
        ({"queries": QUERIES // 7}, "together, pass clusters= in the place of queries=."),
        ({"queries": np.where(QUERIES == 3, np.nan, QUERIES)}, "queries contains missing values"),
        ({"y_score": FoldPredictions({"y_score": S, "folds": QUERIES % 3})}, "not FoldPredictions"),
        ({"segments": np.zeros(Y.size)}, "at least two segments with a score, got 1"),
        ({"reference": "z"}, "reference must be"),
    ],
)
def test_what_means_nothing_beside_queries_is_refused(options, text):
    given = {"y_true": Y, "y_score": S, "segments": SEGMENTS, "queries": QUERIES}
    with pytest.raises(ValueError, match=text):
        compare_segments(**given | {"prevalence": None} | options)


def test_prevalence_must_be_said_because_its_default_is_that_of_all_rows():
    with pytest.raises(ValueError, match="With queries, pass prevalence=None"):
        compare_segments(Y, S, SEGMENTS, queries=QUERIES)


# ---- what is shown


def test_printed_table_has_queries_in_the_place_of_the_prevalence():
    lines = repr(compared()).splitlines()
    assert lines[0].startswith("mean step AP, 520 rows, ")
    assert lines[0].endswith(" uncertainty over 65 queries")
    assert lines[1].split() == ["estimate", "95%", "interval", "queries", "positives"]
    counts = [line.split()[-2:] for line in lines[2:5]]
    n_positives = [Y[rows_of(name)].sum() for name in "abc"]
    assert counts == [[f"{n}", f"{m}"] for n, m in zip((14, 20, 31), n_positives, strict=True)]
    assert "each query at its own prevalence, on which scores depend" in lines
    assert any(line.startswith("mean of the scores, weighted by queries: ") for line in lines)
    assert "own prevalence" not in repr(compared(prevalence=0.1))


def test_rows_and_frame_have_the_number_of_queries():
    found = compared()
    assert [row["n_queries"] for row in found._rows()] == [14, 20, 31]
    assert found.to_frame()["n_queries"].tolist() == [14, 20, 31]
    alone = compare_segments(Y, S, SEGMENTS)
    assert alone.n_queries is None
    assert "n_queries" not in alone._rows()[0]


def test_paper_has_queries_in_the_place_of_the_prevalence():
    table, caption, *_ = compared().to_paper().split("\n\n")
    head, _, *lines = table.splitlines()
    assert "queries |" in head
    assert "prevalence" not in head
    place = [each.strip() for each in head.split("|")].index("queries")
    assert [line.split("|")[place].strip() for line in lines] == ["14", "20", "31"]
    assert "n = 65 queries, 520 rows" in caption
    assert "effective" not in caption


@pytest.mark.parametrize("prevalence", [None, 0.1])
def test_picture_counts_queries_and_has_no_line_of_random_orders(prevalence):
    """A random order of few documents does not score the prevalence."""
    found = compared(prevalence=prevalence)
    _, axis = plt.subplots()
    found.plot(axis)
    pairs = zip(found.estimates, found.n_queries, strict=True)
    texts = [text.get_text() for text in axis.texts]
    assert texts == [f"{estimate:.2f}, {n:g} queries" for estimate, n in pairs]
    legend = [text.get_text() for text in axis.get_legend().get_texts()]
    assert "mean weighted by queries" in " ".join(legend).replace("\N{NO-BREAK SPACE}", " ")
    assert "random" not in " ".join(legend)
    assert not [line for line in axis.lines if line.get_linestyle() == ":"]
