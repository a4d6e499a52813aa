"""Samples that share no rows, as users compare them."""

import json
import warnings
from dataclasses import replace
from functools import cache, partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

from sklearn_ap import (
    Comparison,
    FoldPredictions,
    Interval,
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
    compare_independent,
    compare_segments,
    rows_to_label,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Interpolated
from tests.helpers.first_cases import first, quick

OLD, NEW = (0.31, 0.25, 0.38), (0.42, 0.35, 0.49)


def rows(seed, n=400, share=0.2, shift=1.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, shift * y + rng.normal(size=n)


def interval(seed, share=0.2, shift=1.5, n=400, **options):
    return average_precision_interval(*rows(seed, n, share, shift), **options)


def few_labels(seed, **options):
    y, s = rows(seed, 2000)
    plan = rows_to_label(s, 300, rng=seed)
    known = np.full(y.size, np.nan)
    known[plan.rows] = y[plan.rows]
    chances = {"inclusion_probability": plan.inclusion_probability}
    return average_precision_interval(known, s, **chances, **options)


def judged(seed, **options):
    y, s = rows(seed, 2000)
    rng = np.random.default_rng([seed, 1])
    known = np.where(rng.random(y.size) < 0.2, y, np.nan)
    judge = np.where(rng.random(y.size) < 0.95, y, 1 - y)
    return average_precision_interval(
        known, s, inclusion_probability="equal", judge=judge, **options
    )


def folds(seed, **options):
    y, s = rows(seed)
    predictions = FoldPredictions({"y_score": s, "folds": np.arange(y.size) % 4})
    return average_precision_interval(y, predictions, **options)


def counted(seed, **options):
    return Interval.from_counts(threshold_counts(*rows(seed)), **options)


def columns(seed, n_positives=(60, 30, 40), names=("a", "b", "c"), **options):
    rng = np.random.default_rng(seed)
    y = np.transpose([rng.permutation(300) < n for n in n_positives]).astype(int)
    s = y * np.array([1.0, 1.5, 2.0 - seed, 1.0])[: len(n_positives)] + rng.normal(size=y.shape)
    y = y if names is None else pd.DataFrame(y, columns=names)
    return average_precision_interval(y, s, zero_division=np.nan, **options)


rankings = partial(columns, average=None)
SAMPLES = {
    "rows": interval,
    "clusters": partial(interval, clusters=np.arange(400) // 4),
    "weights": partial(interval, sample_weight=np.arange(1, 401)),
    "queries": partial(interval, queries=np.arange(400) // 20),
    "prevalence": partial(interval, prevalence=0.05),
    "at k": partial(interval, definition=AtK(30)),
    "few labels": few_labels,
    "judge": judged,
    "folds": folds,
    "counts": counted,
    "columns": columns,
    "rankings": rankings,
}


@cache
def sample(name, seed):
    return SAMPLES[name](seed)


def test_limits_of_papers_are_those_worked_by_hand():
    found = compare_independent(OLD, NEW)
    down, up = np.hypot(0.42 - 0.35, 0.38 - 0.31), np.hypot(0.49 - 0.42, 0.31 - 0.25)
    assert found.difference[-1] == pytest.approx(0.11)
    assert found.difference_low[-1] == pytest.approx(0.11 - down)
    assert found.difference_high[-1] == pytest.approx(0.11 + up)
    assert found.pvalue[-1] == pytest.approx(2 * norm.sf(0.11 / down * norm.isf(0.025)))
    assert found.confidence_level == 0.95
    assert found.low.tolist() == [0.25, 0.35]


def without_bias(interval):
    origin = interval._origin
    return replace(interval, _origin=origin._replace(estimate=replace(origin.estimate, bias=0.0)))


@pytest.mark.filterwarnings("ignore:unequal prevalence")
def test_the_bias_of_means_over_columns_is_taken_from_the_limits_and_added_in_squares():
    small, large = columns(0, (8, 6, 9)), columns(1)
    assert small.notes["bias"] > large.notes["bias"] > 0
    bias = large.notes["bias"] - small.notes["bias"]
    plain = compare_independent(without_bias(small), without_bias(large))
    found = compare_independent(small, large)
    down, up = (
        plain.difference[-1] - plain.difference_low[-1],
        plain.difference_high[-1] - plain.difference[-1],
    )
    assert found.difference_low[-1] == pytest.approx(
        found.difference[-1] - bias - np.hypot(down, bias)
    )
    assert found.difference_high[-1] == pytest.approx(
        found.difference[-1] - bias + np.hypot(up, bias)
    )


# ---- all kinds of samples


@pytest.mark.usefixtures("few_halves")
@pytest.mark.parametrize("name", SAMPLES)
def test_limits_of_scores_are_those_of_intervals_at_this_level(name):
    make = SAMPLES[name]
    found = compare_independent(make(0), make(1), confidence_level=0.8)
    for end in ("estimate", "low", "high", "n_positives", "n_effective", "prevalence"):
        expected = np.ravel([getattr(make(seed, confidence_level=0.8), end) for seed in (0, 1)])
        assert getattr(found.scores, end) == pytest.approx(expected, abs=1e-12, nan_ok=True), end
    assert isinstance(found, Comparison)
    assert json.dumps(found.to_dict())


@pytest.mark.usefixtures("few_halves")
@pytest.mark.parametrize("name", quick(SAMPLES, [name for name in SAMPLES if name != "at k"][::2]))
@pytest.mark.parametrize("alternative", [*quick(["two-sided", "greater"], 1), *first(["less"], 0)])
def test_limits_p_values_and_verdicts_agree_at_every_level(name, alternative):
    old, *new = (sample(name, seed) for seed in range(3))
    ask = partial(compare_independent, old, new, names=range(3), alternative=alternative)
    p = np.atleast_1d(ask().pvalue)
    levels = [0.6, 0.95, 0.999, *(1 - p[(p < 0.4) & (p > 1e-9)] * 1.01)]
    for level in levels:
        found = ask(confidence_level=level)
        known = ~np.isnan(np.atleast_1d(found.pvalue))
        numbers = (found.difference_low, found.difference_high, found.pvalue, found.verdict)
        low, high, pvalue, verdict = (np.atleast_1d(each)[known] for each in numbers)
        excludes = (low > 0) | (high < 0)
        assert excludes.tolist() == (pvalue < 1 - level).tolist()
        assert excludes.tolist() == (verdict != "undecided").tolist()
        assert np.all(low <= high)


def test_one_sided_tests_have_half_the_p_value_and_one_limit():
    two = compare_independent(OLD, NEW)
    greater, less = (compare_independent(OLD, NEW, alternative=a) for a in ("greater", "less"))
    assert greater.pvalue[-1] == pytest.approx(two.pvalue[-1] / 2)
    assert (greater.difference_high[-1], less.difference_low[-1]) == (1, -1)
    assert less.pvalue[-1] == 1
    half = np.hypot(0.07, 0.07) * norm.isf(0.05) / norm.isf(0.025)
    assert greater.difference_low[-1] == pytest.approx(0.11 - half)


def test_several_samples_have_bonferronis_limits_and_p_values():
    papers = [(0.31, 0.25, 0.38), NEW, (0.36, 0.29, 0.43)]
    found = compare_independent(papers[0], papers[1:], names=("a", "b", "c"))
    ratio = norm.isf(0.0125) / norm.isf(0.025)
    for place in (1, 2):
        alone = compare_independent(papers[0], papers[place])
        assert found.pvalue[place] == pytest.approx(min(1, 2 * alone.pvalue[-1]), rel=1e-9)
        half = alone.difference[-1] - alone.difference_low[-1]
        assert found.difference[place] - found.difference_low[place] == pytest.approx(ratio * half)
    assert np.isnan(found.difference[0])
    assert found.verdict.tolist() == ["reference", "undecided", "undecided"]
    assert found.heading == "average precision, 95% intervals, simultaneous for differences"


def test_limits_of_papers_are_beyond_0_and_1_where_a_level_asks_for_it():
    """Those of Bonferroni's level are in proportion to the given ones, which reach 0 and 1."""
    low, high = (0.04, 0.0, 0.08), (0.97, 0.94, 1.0)
    ratio = norm.isf(0.0125) / norm.isf(0.025)
    found = compare_independent(low, [high, NEW], names=("a", "b", "c"))
    assert found.difference_high[1] == pytest.approx(0.93 + ratio * np.hypot(0.03, 0.04))
    assert found.difference_low[1] == pytest.approx(0.93 - ratio * np.hypot(0.03, 0.04))
    assert found.low.tolist() == [0.0, 0.94, 0.35]


@pytest.mark.parametrize("level", [1e-17, 1 - 1e-16])
def test_papers_are_compared_at_levels_next_to_0_and_to_1(level):
    found = compare_independent(OLD, NEW, confidence_level=level)
    assert found.scores.low.tolist() == [OLD[1], NEW[1]]
    assert found.difference_low[1] == pytest.approx(0.11 - np.hypot(0.07, 0.07))


def test_rankings_are_one_family_and_one_without_a_positive_has_no_difference():
    found = compare_independent(rankings(0), rankings(1, (60, 0, 40)), names=("May", "June"))
    assert found.names[3:] == (("June", "a"), ("June", "b"), ("June", "c"))
    assert np.isnan(found.pvalue).tolist() == [True, True, True, False, True, False]
    assert np.isnan(found.difference).tolist() == np.isnan(found.pvalue).tolist()
    greater = compare_independent(rankings(0), rankings(1, (60, 0, 40)), alternative="greater")
    assert np.isnan(greater.pvalue).tolist() == np.isnan(found.pvalue).tolist()
    assert found.sentences[1].startswith("June and May cannot be compared in b, because a")


# ---- what is refused, and warned of

REFUSED = {
    "definitions": (
        lambda: [interval(0), interval(1, definition=Interpolated())],
        r"old and new must have the same definition, but it is Step\(\) in 'old' and Interpolated",
    ),
    "definitions of many recall levels": (
        lambda: [interval(0), interval(1, definition=Interpolated(np.linspace(0, 1, 101) ** 2))],
        r"in 'old' and Interpolated\(recall_levels=\(.{0,40}, 1.0\)\) in 'new'",
    ),
    "one prevalence": (
        lambda: [interval(0), interval(1, prevalence=0.1)],
        "same prevalence, but it is None in 'old' and 0.1 in 'new'. Compute all scores alike",
    ),
    "queries": (
        lambda: [interval(0), interval(1, queries=np.arange(400) // 20)],
        "same average, but it is None in 'old' and 'macro' in 'new'",
    ),
    "numbers of columns": (
        lambda: [columns(0), columns(1, (60, 30, 20, 9), [*"abcd"])],
        "same set of averaged columns, but .* in 'old' and .*'d'. in 'new'",
    ),
    "numbers of columns without names": (
        lambda: [columns(0, names=None), columns(1, (60, 30, 20, 9), None)],
        "same set of averaged columns, but it is 3 in 'old' and 4 in 'new'",
    ),
    "classes of boxes": (
        lambda: [
            interval(seed, queries=np.arange(400) // n, clusters=np.arange(400) % 40)
            for seed, n in enumerate((200, 150))
        ],
        r"averaged columns, but it is \['0', '1'\] in 'old' and \['0', '1', '2'\]",
    ),
    "rankings": (lambda: [rankings(0), rankings(1, names=[*"abx"])], "set of classes or columns"),
    "several and a paper": (lambda: [rankings(0), OLD], "set of classes or columns"),
    "limits apart": (lambda: [(0.3, 0.35, 0.4), OLD], "estimate within its limits"),
    "a standard error": (lambda: [OLD, (0.31, 0.03)], r"new must be .*got \(0.31, 0.03\)"),
    "percent": (lambda: [(31, 25, 38), OLD], "are shares from 0 to 1"),
}


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_samples_that_cannot_be_compared_are_refused(name):
    make, text = REFUSED[name]
    with pytest.raises(ValueError, match=text):
        compare_independent(*make())


def test_a_sample_among_several_is_refused_by_its_name():
    with pytest.raises(ValueError, match=r"same prevalence, but it is None in 'b' and 0.1 in 'c'"):
        compare_independent(OLD, [interval(0), interval(1, prevalence=0.1)], names=("a", "b", "c"))


@pytest.mark.parametrize("wrong", ["0.31 (0.25 to 0.38)", None, 0.31, {"a": OLD}, rows(0)])
def test_other_things_than_intervals_are_refused(wrong):
    with pytest.raises(TypeError, match=r"old and new must be what .* gives, or .*, got "):
        compare_independent(wrong, NEW)


def test_rows_of_two_samples_are_refused_before_their_names_are_counted():
    with pytest.raises(
        TypeError, match=r"must be what average_precision_interval\(y_true, y_score"
    ):
        compare_independent(rows(0), rows(1))


@pytest.mark.parametrize("names", ["ab", ("a",), ("a", "a"), ("a", "b", "c"), {"a", "b"}, 5])
def test_each_sample_needs_a_name_of_its_own(names):
    with pytest.raises(ValueError, match="names must hold 2 different names, one for each sample"):
        compare_independent(OLD, NEW, names=names)


def test_shares_of_positives_that_clearly_differ_warn_with_the_call_that_scores_both_at_one():
    low, high = interval(0, share=0.1), interval(1, share=0.3)
    with pytest.warns(UncertaintyWarning, match="unequal prevalence: .* in 'May'") as found:
        compare_independent(low, high, names=("May", "June"))
    call = str(found[0].message).split(": ")[-1]
    assert call == f"average_precision_interval(y_true, y_score, prevalence={low.prevalence:.3g})."


def test_shares_of_weight_and_of_columns_are_compared_and_not_those_of_rows():
    rows = interval(0, share=0.1)
    y = np.random.default_rng(3).random(2000) < 0.1
    s = y + np.random.default_rng(4).normal(size=2000)
    heavy = average_precision_interval(y, s, sample_weight=np.where(y, 1, 20))
    with pytest.warns(UncertaintyWarning, match=r"10\..*%.* in 'old', and 0\.6.*% in 'new'"):
        compare_independent(rows, heavy)
    drawn = np.flatnonzero(y | (np.arange(2000) % 5 == 0))
    weight = np.where(y, 1, 5)[drawn]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        all_rows = average_precision_interval(~y[::-1] == 0, s[::-1])
        compare_independent(
            all_rows, average_precision_interval(y[drawn], s[drawn], sample_weight=weight)
        )
    low, high = (
        average_precision_interval(
            np.random.default_rng(seed).random((500, 2)) < share,
            np.random.default_rng(seed + 1).random((500, 2)),
        )
        for seed, share in ((0, 0.1), (2, 0.5))
    )
    with pytest.warns(UncertaintyWarning, match="unequal prevalence"):
        compare_independent(low, high)


def test_few_heavy_negatives_count_as_few_as_in_two_segments():
    y = np.tile(np.arange(500) < 200, 2)
    s = 1.5 * y + np.random.default_rng(23).normal(size=1000)
    old, new = (
        average_precision_interval(y[half], s[half], prevalence=0.02)
        for half in (slice(500), slice(500, None))
    )
    found = compare_independent(old, new)
    segments = np.repeat(["old", "new"], 500)
    other = compare_segments(y, s, segments, prevalence=0.02, reference="old")
    for name in ("difference", "difference_low", "difference_high", "pvalue"):
        (named,) = getattr(other, name)[other.is_compared]
        assert getattr(found, name)[-1] == pytest.approx(named, abs=1e-5)
    assert found.pvalue[-1] == pytest.approx(0.216, abs=0.002)


@pytest.mark.filterwarnings("error")
def test_alike_shares_and_one_prevalence_do_not_warn():
    compare_independent(interval(0, share=0.2), interval(1, share=0.22))
    compare_independent(*(interval(i, share, prevalence=0.1) for i, share in enumerate((0.1, 0.3))))
    old, *new = (interval(i, share, n=1000) for i, share in enumerate((0.14, 0.09, 0.16)))
    with pytest.raises(UncertaintyWarning):
        compare_independent(*new)
    compare_independent(old, new, names=("a", "b", "c"))  # which are not compared with each other


def test_a_paper_beside_a_score_at_its_own_share_of_positives_raises_a_warning():
    paper = (0.66, 0.58, 0.73)
    with pytest.warns(UncertaintyWarning, match="unknown prevalence: 'paper': .* as prevalence"):
        found = compare_independent(paper, interval(0), names=("paper", "ours"))
    assert not found.is_overturned.any()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_independent(paper, interval(0, prevalence=0.1))
        compare_independent(paper, paper)


def test_a_sample_of_one_positive_takes_no_share_of_the_error():
    rng = np.random.default_rng(0)
    tiny = average_precision_interval([1, 0, 0, 0], rng.normal(size=4))
    old, new = interval(0), interval(1, shift=2.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncertaintyWarning)
        alone = compare_independent(old, new)
        both = compare_independent(old, [new, tiny], names=("old", "new", "tiny"))
    assert both.pvalue[1] == pytest.approx(alone.pvalue[-1])
    assert both.difference_low[1] == pytest.approx(alone.difference_low[-1])
    assert both.pvalue[2] == 1


def test_unlike_shares_of_positives_are_seen_over_queries():
    rng = np.random.default_rng(0)
    found = [
        average_precision_interval(
            rng.random(4000) < share, rng.normal(size=4000), queries=np.arange(4000) // 40
        )
        for share in (0.30, 0.36)
    ]
    with pytest.warns(UncertaintyWarning, match="unequal prevalence"):
        compare_independent(*found)


def test_rankings_of_several_models_are_named_by_their_parts():
    def sample(seed):
        rng = np.random.default_rng(seed)
        y_true = (rng.random((300, 2)) < 0.3).astype(int)
        models = {name: y_true + rng.normal(size=y_true.shape) for name in "AB"}
        return compare_average_precision(y_true, models, average=None).scores

    found = compare_independent(sample(0), sample(1), names=("May", "June"))
    assert found.names[:2] == (("May", "A", 0), ("May", "A", 1))
    assert str(found).splitlines()[2].split()[:3] == ["May", "A", "0"]
    assert found.sentences[0].startswith("No difference between June and May is shown in A, 0")


def test_scores_of_models_and_of_segments_are_compared_one_by_one():
    samples = [(y, {"a": s, "b": np.round(s, 1)}) for y, s in (rows(0), rows(1))]
    found = compare_independent(*[compare_average_precision(*each).scores for each in samples])
    for place, name in enumerate("ab"):
        alone = [average_precision_interval(y, models[name]) for y, models in samples]
        expected = compare_independent(*alone)
        assert found.difference[2 + place] == pytest.approx(expected.difference[1])
        assert found.pvalue[2 + place] == pytest.approx(min(2 * expected.pvalue[1], 1), rel=1e-3)
    y, s = rows(0)
    scores = compare_segments(y, s, np.arange(y.size) % 3, prevalence=0.2).scores
    assert compare_independent(scores, scores).difference[3:].tolist() == [0, 0, 0]
    best = compare_average_precision(*samples[0], reference="best").scores
    with pytest.raises(ValueError, match="or a comparison with reference=name"):
        compare_independent(best, best)
