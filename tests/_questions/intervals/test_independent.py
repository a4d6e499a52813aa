"""The difference of two samples that share no rows."""

from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm

import sklearn_ap
from sklearn_ap import (
    FoldPredictions,
    Interval,
    UncertaintyWarning,
    average_precision_interval,
    compare_independent,
    rows_to_label,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Interpolated

OLD, NEW = (0.31, 0.25, 0.38), (0.42, 0.35, 0.49)


def rows(seed, n=400, share=0.2, shift=1.5):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < share).astype(int)
    return y, shift * y + rng.normal(size=n)


def interval(seed, share=0.2, shift=1.5, **options):
    return average_precision_interval(*rows(seed, share=share, shift=shift), **options)


def few_labels(seed, **options):
    y, s = rows(seed, 2000)
    plan = rows_to_label(s, 300, rng=seed)
    known = np.full(y.size, np.nan)
    known[plan.rows] = y[plan.rows]
    chances = {"inclusion_probability": plan.inclusion_probability}
    return average_precision_interval(known, s, **chances, **options)


def random_labels_and_judge(seed, **options):
    y, s = rows(seed, 2000)
    rng = np.random.default_rng([seed, 1])
    known = np.where(rng.random(y.size) < 0.2, y, np.nan)
    judge = np.where(rng.random(y.size) < 0.95, y, 1 - y)
    given = {"inclusion_probability": "equal", "judge": judge}
    return average_precision_interval(known, s, **given, **options)


def pooled_folds(seed, noise=0.0, **options):
    y, s = rows(seed)
    s = s + noise * np.random.default_rng(0).normal(size=s.size)
    predictions = FoldPredictions({"y_score": s, "folds": np.arange(y.size) % 4})
    return average_precision_interval(y, predictions, **options)


def counted(seed, **options):
    return Interval.from_counts(threshold_counts(*rows(seed)), **options)


SAMPLES = {
    "rows": interval,
    "clusters": partial(interval, clusters=np.arange(400) // 4),
    "weights": partial(interval, sample_weight=np.arange(1, 401)),
    "queries": partial(interval, queries=np.arange(400) // 20),
    "prevalence": partial(interval, prevalence=0.05),
    "resampled": partial(interval, definition=AtK(30)),
    "interpolated": partial(interval, definition=Interpolated(11)),
    "few labels": few_labels,
    "judge": random_labels_and_judge,
    "folds": pooled_folds,
    "counts": counted,
}


def test_limits_of_papers_are_those_worked_by_hand():
    found = compare_independent(OLD, NEW)
    down, up = np.hypot(0.42 - 0.35, 0.38 - 0.31), np.hypot(0.49 - 0.42, 0.31 - 0.25)
    assert found.difference == pytest.approx(0.11)
    assert found.difference_low == pytest.approx(0.11 - down)
    assert found.difference_high == pytest.approx(0.11 + up)
    assert found.pvalue == pytest.approx(2 * norm.sf(0.11 / down * norm.isf(0.025)))
    assert found.confidence_level == 0.95


def test_standard_errors_of_papers_give_walds_test():
    found = compare_independent((0.31, 0.03), (0.42, 0.04), confidence_level=0.9)
    half_width = norm.isf(0.05) * np.hypot(0.03, 0.04)
    limits = found.difference_low, found.difference_high
    assert limits == pytest.approx((0.11 - half_width, 0.11 + half_width))
    assert found.pvalue == pytest.approx(2 * norm.sf(0.11 / 0.05))
    assert found.lows == pytest.approx([0.31 - norm.isf(0.05) * 0.03, 0.42 - norm.isf(0.05) * 0.04])


def test_limits_of_a_paper_are_of_the_level_that_is_passed():
    wide = compare_independent(OLD, NEW, confidence_level=0.99)
    narrow = compare_independent(OLD, NEW, confidence_level=0.9)
    assert wide.difference_low == narrow.difference_low  # the same numbers, as they were given
    assert wide.pvalue < narrow.pvalue


@pytest.mark.parametrize("name", SAMPLES)
def test_limits_at_another_level_are_those_of_intervals_of_this_level(name):
    make = SAMPLES[name]
    expected = [make(seed, confidence_level=0.8) for seed in (0, 1)]
    found = compare_independent(make(0), make(1), confidence_level=0.8)
    assert found.lows == pytest.approx([each.low for each in expected], abs=1e-12)
    assert found.highs == pytest.approx([each.high for each in expected], abs=1e-12)
    assert found.estimates.tolist() == [each.estimate for each in expected]


@pytest.mark.parametrize("name", SAMPLES)
def test_pvalue_is_one_minus_the_level_at_which_a_limit_is_0(name):
    both = SAMPLES[name](0), SAMPLES[name](6)
    pvalue = compare_independent(*both).pvalue
    found = compare_independent(*both, confidence_level=1 - pvalue)
    assert min(abs(found.difference_low), abs(found.difference_high)) < 1e-9


def test_other_order_changes_the_signs():
    one, other = interval(0), interval(1)
    found, back = compare_independent(one, other), compare_independent(other, one)
    assert found.difference == -back.difference
    assert found.difference_low == pytest.approx(-back.difference_high)
    assert found.pvalue == pytest.approx(back.pvalue)


def test_an_interval_made_by_hand_counts_by_its_limits():
    intervals = [interval(seed) for seed in (0, 1)]
    made = [replace(each, _source=each._source._replace(estimate=None)) for each in intervals]
    found = compare_independent(*made)
    numbers = [(each.estimate, each.low, each.high) for each in made]
    assert found.pvalue == pytest.approx(compare_independent(*numbers).pvalue)


def test_paper_and_interval_take_the_level_of_the_interval():
    found = compare_independent(OLD, interval(0, confidence_level=0.9), names=("paper", "ours"))
    assert (found.confidence_level, found.names) == (0.9, ("paper", "ours"))
    assert np.isnan(found.n_positives[0])
    assert found.n_positives[1] == rows(0)[0].sum()


def columns(seed, n_positives=(60, 30, 40), names=("a", "b", "c")):
    rng = np.random.default_rng(seed)
    y = np.transpose([rng.permutation(300) < n for n in n_positives]).astype(int)
    s = y * np.array([1.0, 1.5, 2.0 - seed]) + rng.normal(size=y.shape)
    options = {"average": None, "zero_division": np.nan}
    return average_precision_interval(pd.DataFrame(y, columns=names), s, **options)


def test_several_rankings_are_compared_one_by_one_with_holms_p_values():
    found = compare_independent(columns(0), columns(1))
    assert found.estimates.shape == (2, 3)
    p = found.pvalue
    order = np.argsort(p)
    expected = np.maximum.accumulate(p[order] * [3, 2, 1])
    assert found.adjusted_pvalue[order] == pytest.approx(np.minimum(expected, 1))
    assert len(found._rows()) == 6
    assert "p (Holm)" in repr(found)


def test_a_ranking_without_a_positive_in_one_sample_has_no_difference():
    found = compare_independent(columns(0), columns(1, (60, 0, 40)))
    assert np.isnan(found.difference).tolist() == [False, True, False]
    assert np.isnan(found.pvalue).tolist() == [False, True, False]
    p = found.pvalue[[0, 2]]
    assert found.adjusted_pvalue[[0, 2]].min() == pytest.approx(min(2 * p.min(), 1))


REFUSED = {
    "one result twice": (lambda: [interval(0)] * 2, "come from the same rows"),
    "equal counts": (lambda: [counted(0), counted(0)], "come from the same rows"),
    "models of the same rows": (
        lambda: [
            average_precision_interval(rows(0)[0], score) for score in (rows(0)[1], rows(5)[1])
        ],
        "compare_average_precision",
    ),
    "folds of the same rows": (lambda: [pooled_folds(0), pooled_folds(0, noise=1.0)], "same rows"),
    "labels of the same rows": (
        lambda: [random_labels_and_judge(0), random_labels_and_judge(0, prevalence=0.1)],
        "same rows",
    ),
    "definitions": (
        lambda: [interval(0), interval(1, definition=Interpolated())],
        r"definition must be the same in both, but is Step\(\) in 'old' and",
    ),
    "one prevalence": (
        lambda: [interval(0), interval(1, prevalence=0.1)],
        "prevalence must be the same in both, but is None in 'old' and 0.1 in 'new'. Average "
        "precision depends on the prevalence",
    ),
    "levels": (
        lambda: [interval(0), interval(1, confidence_level=0.9)],
        "confidence_level is 0.95 in old and 0.9 in new: pass confidence_level",
    ),
    "queries": (
        lambda: [interval(0), interval(1, queries=np.arange(400) // 20)],
        "average must be the same in both, but is '' in 'old' and 'mean over queries'",
    ),
    "rankings": (
        lambda: [columns(0), columns(1, names=("a", "b", "d"))],
        "rankings must be the same in both",
    ),
    "one and several": (lambda: [interval(0), columns(1)], "must be the same in both"),
    "several and a paper": (lambda: [columns(0), OLD], "average=None gives several scores"),
    "limits apart": (lambda: [(0.3, 0.35, 0.4), OLD], "estimate within its limits"),
    "limits alone": (lambda: [(0.70, 0.78), NEW], r"0.78 is too large .* \(estimate, low, high\)"),
    "low limits alone": (lambda: [OLD, (0.31, 0.38)], "new is .* 0.38 is too large for"),
    "percent": (lambda: [(31, 25, 38), OLD], "as shares from 0 to 1"),
    "a single number": (lambda: [(0.3,), OLD], r"must be \(estimate, low, high\)"),
    "rows as numbers": (lambda: [OLD, [1, 0, 1, 1]], "new must be"),
}


@pytest.mark.parametrize("number", [(1.0, 0.01), (0.3, 0.25), (0.9, 0.1), (0.05, 0.08)])
def test_standard_errors_of_few_cases_and_of_rounded_scores_are_taken(number):
    found = compare_independent(OLD, number)
    assert found.estimates[1] == number[0]


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_samples_that_cannot_be_compared_are_refused(name):
    make, text = REFUSED[name]
    with pytest.raises(ValueError, match=text):
        compare_independent(*make())


def classes(names, seed, made=np.asarray, **options):
    rng = np.random.default_rng(seed)
    y = rng.integers(3, size=300)
    s = np.eye(3)[y] + rng.normal(size=(300, 3))
    return average_precision_interval(made(np.asarray(names)[y]), s, **options)


def averaged_columns(seed, names, average, table=pd.DataFrame):
    rng = np.random.default_rng(seed)
    y = (rng.random((300, len(names))) < 0.3).astype(int)
    y_true = table(y, columns=names) if table is pd.DataFrame else y
    options = {"average": average, "zero_division": 0.0}
    return average_precision_interval(y_true, y + rng.normal(size=y.shape), **options)


@pytest.mark.parametrize("average", ["macro", "micro", "weighted", "samples"])
def test_averages_of_other_classes_or_columns_are_refused(average):
    with pytest.raises(ValueError, match="but 2 is in 'old' alone and 7 in 'new'"):
        compare_independent(
            classes([0, 1, 2], 0, average=average), classes([0, 1, 7], 1, average=average)
        )
    with pytest.raises(ValueError, match="but c is in 'May' alone and d in 'June'"):
        compare_independent(
            averaged_columns(0, ["a", "b", "c"], average),
            averaged_columns(1, ["a", "b", "d"], average),
            names=("May", "June"),
        )
    if average == "samples":
        return  # its mean is over rows
    with pytest.raises(ValueError, match="but are over 2 in 'old' and 3 in 'new'"):
        compare_independent(
            averaged_columns(0, "ab", average, np.array),
            averaged_columns(1, "abc", average, np.array),
        )


def test_averages_of_the_same_classes_or_of_columns_without_names_are_compared():
    for both in (
        (classes([0, 1, 2], 0), classes([0, 1, 2], 1)),
        (classes([0, 1, 2], 0), classes(["0", "1", "2"], 1)),
        (classes([*"abc"], 0), classes(np.array([*"abc"], object), 1)),
        (classes([*"abc"], 0), classes([*"abc"], 1, made=list)),
        (classes([*"abc"], 0), classes([*"abc"], 1, made=partial(pd.Series, dtype="category"))),
        (classes([0, 1, 2], 0), classes([0.0, 1.0, 2.0], 1, labels=[0.0, 1.0, 2.0])),
        (averaged_columns(0, [*"abc"], "macro"), averaged_columns(1, "abc", "macro", np.array)),
    ):
        assert compare_independent(*both).pvalue > 0


def test_averages_of_other_classes_in_folds_are_refused():
    def folds(names, seed):
        rng = np.random.default_rng(seed)
        y = (rng.random((300, 3)) < 0.3).astype(int)
        scores = {"y_score": y + rng.normal(size=y.shape), "folds": np.arange(300) % 4}
        return average_precision_interval(pd.DataFrame(y, columns=names), FoldPredictions(scores))

    assert compare_independent(folds([*"abc"], 0), folds([*"abc"], 1)).pvalue > 0
    with pytest.raises(ValueError, match="but c is in 'old' alone and d in 'new'"):
        compare_independent(folds([*"abc"], 0), folds(["a", "b", "d"], 1))


def test_known_positives_of_one_sample_alone_are_refused():
    known = interval(1, n_positives=400)
    with pytest.raises(ValueError, match=r"n_positives was passed for 'June' alone, .* in 'May'"):
        compare_independent(interval(0), known, names=("May", "June"))
    all_scored = interval(0, n_positives=int(rows(0)[0].sum()))
    assert compare_independent(all_scored, known).difference < 0
    for no_choice in (counted(0), few_labels(0)):  # all positives are rows there
        assert compare_independent(no_choice, known).difference < 0


@pytest.mark.parametrize("wrong", ["0.31 (0.25 to 0.38)", None, 0.31, {"a": OLD}, rows(0)])
def test_other_things_than_intervals_are_refused(wrong):
    with pytest.raises(TypeError, match=r"old must be what average_precision_interval .* gives"):
        compare_independent(wrong, NEW)


@pytest.mark.parametrize("names", ["ab", ("a",), ("a", "a"), ("a", "b", "c"), 5, None])
def test_names_must_be_two(names):
    with pytest.raises(ValueError, match="names must hold two different names"):
        compare_independent(OLD, NEW, names=names)


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", [int, float, bool, str, object, "Int64", "category"])
def test_samples_of_equal_size_and_sorted_labels_are_no_same_rows(dtype):
    y = pd.Series(np.repeat([1, 0], [40, 160])).astype(dtype)
    given = {"pos_label": "1"} if dtype is str else {}
    rng = np.random.default_rng(0)
    both = []
    for _ in "ab":
        s = rng.normal(size=200) + np.repeat([1.5, 0], [40, 160])
        both.append(average_precision_interval(y, s, **given))
    assert compare_independent(*both).pvalue > 0


def names_of_labels(y):
    return ["yes" if label else "no" for label in y]


# The same labels in each type that people pass
TYPES = {
    "list": lambda y: y.tolist(),
    "tuple": lambda y: tuple(y.tolist()),
    "bool": lambda y: y == 1,
    "object": lambda y: y.astype(object),
    "Int64": lambda y: pd.Series(y).astype("Int64"),
    "boolean": lambda y: pd.Series(y == 1).astype("boolean"),
    "category": lambda y: pd.Series(y).astype("category"),
    "texts": names_of_labels,
    "array of texts": lambda y: np.array(names_of_labels(y)),
    "default of pandas": lambda y: pd.Series(names_of_labels(y)),
    "string": lambda y: pd.Series(names_of_labels(y)).astype("string"),
    "category of texts": lambda y: pd.Series(names_of_labels(y)).astype("category"),
}


@pytest.mark.parametrize("name", TYPES)
def test_the_same_rows_are_found_in_labels_of_every_type(name):
    y, s = rows(0, 3000)
    labels = TYPES[name](y)
    given = {"pos_label": "yes"} if "yes" in labels or "yes" in [*labels] else {}
    ours = average_precision_interval(labels, rows(1, 3000)[1], **given)
    with pytest.raises(ValueError, match="come from the same rows"):
        compare_independent(average_precision_interval(y, s), ours)


def test_the_same_rows_are_found_of_queries_and_of_few_labels_of_pandas():
    y, s = rows(0)
    queries = {"queries": np.arange(400) // 20}
    noisy = s + np.random.default_rng(0).normal(size=s.size)
    nullable = pd.Series(y).astype("Int64")
    both = (
        average_precision_interval(y, s, **queries),
        average_precision_interval(nullable, noisy, **queries),
    )
    with pytest.raises(ValueError, match="come from the same rows"):
        compare_independent(*both)
    nullable[np.random.default_rng(1).random(400) < 0.5] = pd.NA
    chances = {"inclusion_probability": "equal"}
    both = [average_precision_interval(nullable, each, **chances) for each in (s, noisy)]
    with pytest.raises(ValueError, match="come from the same rows"):
        compare_independent(*both)


PATTERNS = {
    "first of five": np.tile([1, 0, 0, 0, 0], 200),
    "alternating": [1, 0] * 100,
    "two of five": np.tile([1, 0, 0, 1, 0], 200),
    "ten and a part": np.tile([0, 0, 1, 1, 0, 1, 0], 200)[:-3],
    "sorted classes": np.repeat([0, 1, 2], [30, 50, 70]),
}


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("average", ["macro", "micro", "samples", None])
@pytest.mark.parametrize("name", PATTERNS)
def test_labels_of_the_same_layout_may_be_of_other_rows(name, average):
    y = np.asarray(PATTERNS[name])
    rng = np.random.default_rng(0)
    both = []
    for _ in "ab":
        if y.max() > 1:
            s = np.eye(3)[y] + rng.normal(size=(y.size, 3))
        else:
            s = y + rng.normal(size=y.size)
        both.append(average_precision_interval(PATTERNS[name], s, average=average))
    assert np.all(compare_independent(*both).pvalue > 0)


def test_a_layout_with_an_exception_is_of_the_same_rows():
    y = np.tile([1, 0, 0, 0, 0], 200)
    y[501] = 1
    rng = np.random.default_rng(0)
    both = [average_precision_interval(y, y + rng.normal(size=y.size)) for _ in "ab"]
    with pytest.raises(ValueError, match="come from the same rows"):
        compare_independent(*both)


@pytest.mark.parametrize("average", ["macro", "micro", "samples", None])
def test_the_same_rows_of_a_table_or_of_classes_are_found(average):
    rng = np.random.default_rng(0)
    y = rng.integers(3, size=300)
    for labels in (y, np.eye(3, dtype=int)[y]):
        scores = [np.eye(3)[y] + rng.normal(size=(300, 3)) for _ in "ab"]
        both = [average_precision_interval(labels, s, average=average) for s in scores]
        with pytest.raises(ValueError, match="come from the same rows"):
            compare_independent(*both)


@pytest.mark.filterwarnings("error")
def test_shares_of_positives_that_clearly_differ_warn():
    low, high = interval(0, share=0.1), interval(1, share=0.3)
    with pytest.warns(UncertaintyWarning, match="unequal prevalence: .* Pass the same prevalence="):
        compare_independent(low, high)
    compare_independent(interval(0, share=0.2), interval(1, share=0.22))
    at_one = (interval(seed, share=share, prevalence=0.1) for seed, share in ((0, 0.1), (1, 0.3)))
    compare_independent(*at_one)


SENTENCES = {
    "two-sided": (
        "The score rose from 0.31 (old) to 0.42 (new): +0.11 (95% interval +0.01 to +0.20).",
        "No change from old to new is shown: anything from -0.05 to +0.14 fits.",
    ),
    "greater": (
        "The score rose from 0.31 (old) to 0.42 (new): by 0.03 or more (95% one-sided limit).",
        "It is not shown that the score rose from old to new: anything from -0.03 up fits.",
    ),
}


@pytest.mark.parametrize("alternative", SENTENCES)
def test_a_sentence_says_whether_the_score_changed(alternative):
    shown, nothing = SENTENCES[alternative]
    (verdict,) = compare_independent(OLD, NEW, alternative=alternative).verdicts
    assert verdict == ("new", None, "better", shown)
    (verdict,) = compare_independent(OLD, (0.36, 0.29, 0.43), alternative=alternative).verdicts
    assert verdict == ("new", None, "undecided", nothing)


def test_a_fall_is_worse_and_rows_have_the_decision():
    found = compare_independent(NEW, OLD, names=("May", "June"), alternative="less")
    (verdict,) = found.verdicts
    assert verdict.decision == "worse"
    assert verdict.sentence.startswith("The score fell from 0.42 (May) to 0.31 (June): by 0.03 or")
    assert [row["verdict"] for row in found._rows()] == ["reference", "worse"]
    assert " ".join(repr(found).splitlines()[-2:]) == verdict.sentence


def test_each_ranking_has_a_verdict_of_its_adjusted_p_value():
    found = compare_independent(columns(0), columns(1, (60, 0, 40)), confidence_level=0.8)
    first, undefined, last = found.verdicts
    assert (first.name, first.ranking, last.decision) == ("new", "a", "worse")
    assert last.sentence.startswith("The score in c fell from 0.71 (old) to 0.41 (new): -0.30")
    assert undefined.sentence == "old and new cannot be compared in b."
    made = replace(found, adjusted_pvalue=np.array([0.26, np.nan, 0.26]))
    assert made.verdicts[0].sentence == (
        "No change from old to new in a is shown after Holm's correction for 2 tests, although "
        "the 80% interval, which is not corrected, excludes 0."
    )


def test_table_has_a_line_and_a_remark_for_each_sample():
    found = compare_independent(interval(0), interval(1), names=("May", "June"))
    heading, head, may, june, *remarks = repr(found).splitlines()
    assert heading == "step AP"
    assert head.split()[-4:] == ["May", "95%", "interval", "p-value"]
    assert may.endswith("reference")
    assert f"{found.difference:+.4f}" in june
    n = rows(0)[0].sum()
    assert remarks[2] == found.verdicts[0].sentence
    assert remarks[0].startswith(f"May: step AP, 400 rows, {n} positives")


def test_paper_names_both_samples_and_leaves_out_unknown_positives():
    table, caption, methods, _ = compare_independent(OLD, NEW).to_paper().split("\n\n")
    assert "positives" not in table
    assert "| new | 0.42 (0.35 to 0.49) | +0.11 (+0.01 to +0.20) | 0.029 |" in table
    assert "old: numbers as given" in caption
    assert methods.startswith("The samples share no rows")
    table, _, methods, _ = compare_independent(OLD, interval(0)).to_paper().split("\n\n")
    assert f"| {rows(0)[0].sum()} |" in table
    assert methods.startswith("Scores have Wilson's intervals. The samples")


def test_picture_has_both_scores_and_the_difference():
    found = compare_independent(interval(0), interval(1), names=("May", "June"))
    left, right = found.plot()
    assert left.collections[1].get_offsets()[:, 0].tolist() == found.estimates.tolist()
    assert right.collections[1].get_offsets()[:, 0].tolist() == [found.difference]
    assert right.get_xlabel() == "June minus May"


def test_frame_has_a_row_for_each_sample():
    frame = compare_independent(OLD, NEW).to_frame()
    assert frame["name"].tolist() == ["old", "new"]
    assert frame["difference"].tolist() == pytest.approx([0, 0.11])
    assert frame["pvalue"][0] == 1


def test_name_is_public():
    assert isinstance(compare_independent(OLD, NEW), sklearn_ap.IndependentComparison)
