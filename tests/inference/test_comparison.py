"""Comparisons as users call them: what they hold, say and refuse. The engine has its own tests."""

import json
import re
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import sklearn_ap
from sklearn_ap import (
    InputError,
    average_precision_interval,
    compare_average_precision,
)
from sklearn_ap.definitions import AtK, Interpolated, ReciprocalRank
from tests.helpers.first_cases import quick
from tests.helpers.interval_data import S, Y, drawn, models

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
N = 400
RNG = np.random.default_rng(3)
LABELS = (RNG.random(N) < 0.3).astype(int)
NOISE = RNG.normal(size=N)
SCORES = {
    name: gain * LABELS + NOISE + 0.5 * RNG.normal(size=N)
    for name, gain in {"A": 1.0, "B": 2.0, "C": 0.2, "D": 1.05}.items()
}
AB = {name: SCORES[name] for name in "AB"}
RNG_NOISE = np.random.default_rng(1).normal(size=N)
TABLE = (RNG.random((N, 3)) < 0.3).astype(int)
TABLES = {name: gain * TABLE + RNG.normal(size=(N, 3)) for name, gain in (("A", 1.0), ("B", 1.6))}
WORDS = np.array(["eggs", "ham", "spam"])
ODD = np.arange(10) % 2
LIMITS = ("difference", "difference_low", "difference_high", "pvalue")


def spread(n_models=20, gain=0.1, seed=0):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=N)
    return {
        f"m{i:02}": (0.5 + gain * i) * LABELS + noise + rng.normal(size=N) for i in range(n_models)
    }


def text_of(found):
    return " ".join(str(found).split())


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"definition": Interpolated()},
        {"definition": AtK(20)},
        {"clusters": np.arange(N) // 4, "confidence_level": 0.8},
        {"sample_weight": np.arange(N) % 4},
        {"prevalence": 0.01},
        {"n_positives": 190},
        {"queries": np.arange(N) // 10},
        {"queries": np.arange(N) // 10, "definition": ReciprocalRank()},
        {"queries": np.arange(N) // 10, "clusters": np.arange(N) // 20},
        {"queries": np.arange(N) % 3, "clusters": np.arange(N) // 4, "average": "weighted"},
    ],
)
def test_scores_are_those_of_their_intervals_and_differences_are_theirs(options):
    options = {"zero_division": 0.0, **options}
    found = compare_average_precision(LABELS, AB, **options)
    for place, score in enumerate(AB.values()):
        alone = average_precision_interval(LABELS, score, **options)
        for name in ("estimate", "low", "high", "standard_error", "n_positives", "n_effective"):
            assert getattr(found.scores, name)[place] == pytest.approx(getattr(alone, name)), name
        assert found.scores.heading == alone.heading
    assert found.difference[-1] == pytest.approx(found.estimate[1] - found.estimate[0])
    assert found.difference_low[-1] < found.difference[-1] < found.difference_high[-1]
    assert found.confidence_level == options.get("confidence_level", 0.95)


def test_integers_beyond_those_of_floats_are_not_rounded_beside_a_model_of_floats():
    large = 2**53 + np.arange(N)  # half of them are no floats
    for other in (SCORES["A"], large[::-1].astype(np.uint64)):
        found = compare_average_precision(LABELS, {"A": large, "B": other})
        alone = average_precision_interval(LABELS, large)
        assert found.estimate[0] == pytest.approx(alone.estimate, abs=1e-12)


def test_each_other_model_is_compared_with_the_reference():
    found = compare_average_precision(LABELS, SCORES, reference="B")
    assert (found.names, found.reference) == (("A", "B", "C", "D"), "B")
    expected = np.where(found.verdict == "reference", np.nan, found.estimate - found.estimate[1])
    assert found.difference == pytest.approx(expected, nan_ok=True)
    for name in LIMITS:
        assert np.isnan(getattr(found, name)).tolist() == [False, True, False, False]
    assert found.verdict.tolist() == ["worse", "reference", "worse", "worse"]
    swapped = compare_average_precision(LABELS, AB, reference="B")
    plain = compare_average_precision(LABELS, AB)
    assert (swapped.verdict[0], plain.verdict[1]) == ("worse", "better")
    assert swapped.difference_low[0] == pytest.approx(-plain.difference_high[-1])
    # Also to the digits that are drawn, where some differences are above 0 and others are below it
    classes, scores = np.arange(10) % 3, RNG_NOISE[:60].reshape(2, 10, 3)
    tables = dict(zip("AB", scores, strict=True))
    plain = compare_average_precision(classes, tables, average=None)
    swapped = compare_average_precision(classes, tables, average=None, reference="B")
    assert swapped.difference_low[:3] == pytest.approx(-plain.difference_high[3:], abs=1e-12)
    assert swapped.pvalue[:3] == pytest.approx(plain.pvalue[3:], abs=1e-12)


@pytest.mark.parametrize(
    ("y_true", "options"),
    [
        (WORDS[TABLE.argmax(axis=1)], {"labels": WORDS}),
        (pd.DataFrame(TABLE, columns=WORDS), {}),
    ],
)
def test_rankings_have_the_names_of_classes_and_columns(y_true, options):
    found = compare_average_precision(y_true, TABLES, average=None, **options)
    assert found.names == tuple((model, word) for model in "AB" for word in WORDS)
    assert found.to_frame().loc[("B", "ham"), "difference"] == found.difference[4]
    assert [*found.to_frame().columns][-3:] == ["pvalue", "verdict", "is_overturned"]
    assert " in eggs: " in found.sentences[0]


@pytest.mark.parametrize(
    ("alternative", "gain", "sentence"),
    [
        ("greater", 2.0, "B is better than A: +{d} (95% one-sided interval from +{low})."),
        ("greater", 1.0, "It is not shown that B is better than A: "),
        ("less", 2.0, "It is not shown that B is worse than A: +{d} (95% one-sided interval up"),
        ("less", 0.1, "B is worse than A: -"),
        ("two-sided", 1.0, "No difference between B and A is shown: "),
    ],
)
def test_one_sided_questions_have_one_limit(alternative, gain, sentence):
    scores = {"A": SCORES["A"], "B": SCORES["A"] + (gain - 1.0) * LABELS + 0.3 * RNG_NOISE}
    found = compare_average_precision(LABELS, scores, alternative=alternative)
    two = compare_average_precision(LABELS, scores)
    numbers = {"d": f"{found.difference[-1]:.2f}", "low": f"{found.difference_low[-1]:.2f}"}
    assert text_of(found).count(sentence.format(**numbers)) == 1
    assert found.heading.endswith(", one-sided for differences") == (alternative != "two-sided")
    if alternative == "greater":
        assert two.difference_low[-1] < found.difference_low[-1]
        assert found.difference_high[-1] == 1
    if alternative == "less":
        assert two.difference_high[-1] > found.difference_high[-1]
        assert found.difference_low[-1] == -1
    assert "1.00)" not in str(found)


def test_a_margin_leaves_room_for_rare_failures():
    scores = {"A": SCORES["A"], "E": SCORES["A"] + 0.02 * SCORES["C"]}
    plain = compare_average_precision(LABELS, scores)
    found = compare_average_precision(LABELS, scores, margin=0.1)
    assert plain.verdict[-1] == "undecided"
    assert (found.verdict[-1], found.margin.loss) == ("not worse", 0.1)
    low = found.margin.low[-1]
    assert -0.1 < low < found.difference_low[-1] == plain.difference_low[-1]
    claim = f"E is not worse than A by 0.1 or more: {found.difference[-1]:+.2f} (95% interval "
    assert found.sentences[0].startswith(claim)
    assert f"; allowing for rare failures, the lower limit is {low:+.2f}." in found.sentences[0]
    tight = compare_average_precision(LABELS, scores, margin=-0.9 * low)
    assert tight.verdict[-1] == "undecided"
    assert tight.sentences[0].startswith("It is not shown that E is not worse than A by ")


def test_the_best_of_many_is_told_with_its_rivals():
    scores = spread(8, 0.1)
    found = compare_average_precision(LABELS, scores, reference="best")
    assert found.estimate.tolist() == sorted(found.estimate, reverse=True)
    assert (found.reference, found.verdict[0]) == (found.names[0], "reference")
    for name, estimate in zip(found.names, found.estimate, strict=True):
        score = sklearn_ap.average_precision_score(LABELS, scores[name])
        assert estimate == pytest.approx(score)
    rivals = [n for n, v in zip(found.names, found.verdict, strict=True) if v == "undecided"]
    assert 0 < len(rivals) < 7
    assert found.sentences[0] == (
        f"It is not shown that {found.reference} is the best of 8: {rivals[0]} may be, too."
    )
    assert (found.pvalue[1:] < 0.05).tolist() == (found.difference_high[1:] < 0).tolist()
    assert (found.pvalue[1:] < 0.05).tolist() == (found.verdict[1:] == "worse").tolist()
    assert (found.difference_low[1:] == -1).all()
    assert found.heading.endswith(", one-sided for each difference")
    others = [n for n, v in zip(found.names, found.verdict, strict=True) if v == "worse"]
    assert found.sentences[1].startswith(f"{others[0]}, {others[1]}")
    assert found.sentences[1].endswith(
        " are not the best: at least one other model is better than each."
    )


def test_the_lower_limit_of_the_best_allows_for_the_choice():
    scores = spread(12, 0.0)
    found = compare_average_precision(LABELS, scores, reference="best")
    alone = average_precision_interval(LABELS, scores[found.reference])
    assert found.low[0] < alone.low - 0.01
    assert found.high[0] == pytest.approx(alone.high)
    optimism = found.optimism
    assert 0.01 < optimism < 3 * alone.standard_error
    assert f"95% interval {found.low[0]:.2f} to " in found.sentences[1]
    assert found.sentences[2].endswith(f"makes the highest score too high by about {optimism:.2f}.")
    assert len(replace(found, optimism=1e-4).sentences) == 2


def test_models_that_rank_alike_may_all_be_best():
    same = {"A": SCORES["A"], "B": 2 * SCORES["A"] + 1, "C": SCORES["C"]}
    found = compare_average_precision(LABELS, same, reference="best")
    assert found.verdict.tolist() == ["reference", "undecided", "worse"]
    two = compare_average_precision(LABELS, {"A": SCORES["A"], "B": SCORES["A"]})
    assert (two.difference[-1], two.pvalue[-1], two.verdict[-1]) == (0, 1, "undecided")
    assert two.difference_low[-1] < 0 < two.difference_high[-1]


NAMES = ["St. Gallen", "Model v. 1", "ens, but small", "a: b", "<b>", "%s", "{0}", ("t", 1), 7]


@pytest.mark.parametrize("options", [{}, {"reference": "best"}, {"margin": 0.05}])
@pytest.mark.parametrize("start", range(0, len(NAMES), 3))
def test_renaming_models_renames_them_and_changes_nothing_else(start, options):
    """Not even where a name looks like a sentence, a tag or a format."""
    old = dict(zip(("QQ0", "QQ1", "QQ2"), "ABC", strict=True))
    new = dict(zip(old, map(str, NAMES[start : start + 3]), strict=True))
    plain = compare_average_precision(LABELS, {n: SCORES[old[n]] for n in old}, **options)
    given = zip(NAMES[start : start + 3], old.values(), strict=True)
    found = compare_average_precision(LABELS, {n: SCORES[o] for n, o in given}, **options)
    expected = json.dumps(plain.to_dict(), ensure_ascii=False)
    for name, renamed in new.items():
        expected = expected.replace(name, renamed)
    assert json.dumps(found.to_dict(), ensure_ascii=False) == expected
    assert found.names == tuple(new[name] for name in plain.names)
    assert "<b>" not in found._repr_html_()


@pytest.mark.parametrize(
    ("scores", "options", "error", "text"),
    [
        ([S, S], {}, TypeError, "y_scores must map names to scores"),
        (pa.table({"a": S, "b": S}), {}, TypeError, "y_scores must map names to scores"),
        ({"a": S}, {}, ValueError, "at least two models"),
        (pd.DataFrame([[0, 0]] * 10, columns=["a", "a"]), {}, ValueError, r"own, got \('a', 'a'\)"),
        ({"1": S, 1: S}, {}, ValueError, "each model a name of its own"),
        ({"a": S, "b": S[:5]}, {}, ValueError, "inconsistent numbers of samples"),
        (None, {"reference": pd.NA}, ValueError, "reference must be one of .* got .<NA>'"),
        (None, {"reference": "c"}, ValueError, r"reference must be one of .* or 'best', got 'c'"),
        (None, {"alternative": "better"}, ValueError, "alternative must be one of"),
        (None, {"margin": 2}, ValueError, "margin must lie within"),
        (None, {"margin": 0.02, "alternative": "less"}, ValueError, "do not go together"),
        (None, {"margin": 0.02, "reference": "best"}, ValueError, "do not go together"),
        (None, {"alternative": "less", "reference": "best"}, ValueError, "do not go together"),
        (None, {"queries": ODD, "average": None, "reference": "best"}, ValueError, "average=None"),
    ],
)
def test_wrong_models_and_options_are_refused(scores, options, error, text):
    with pytest.raises(error, match=text):
        compare_average_precision(Y, {"a": S, "b": -S} if scores is None else scores, **options)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("zero_division", ["warn", np.nan])
def test_models_without_positives_cannot_be_compared(zero_division):
    options = {"zero_division": zero_division}
    models = {"a": S, "b": -S, "c": 2 * S}
    found = compare_average_precision(0 * Y, models, **options)
    assert found.verdict.tolist() == ["reference", "undecided", "undecided"]
    assert found.sentences[0].startswith(
        "b and a cannot be compared, because a score is not defined"
    )
    assert found.to_dict()["rows"][1]["pvalue"] is None
    two = {name: models[name] for name in "ab"}
    best = compare_average_precision(0 * Y, two, reference="best", **options)
    assert best.sentences[0].startswith(
        "The models cannot be compared, because a score is not defined"
    )
    best.plot()
    for each in (found, compare_average_precision(0 * Y, two, **options), best):
        assert np.isnan([each.difference, each.difference_low, each.pvalue]).all()
        assert "nan" not in str(each)
        assert "+0" not in str(each)
        assert each.to_table().splitlines()[3].count("\N{EN DASH}") >= 2


def test_one_cluster_shows_nothing():
    options = {"clusters": 0 * LABELS}
    found = compare_average_precision(LABELS, AB, **options)
    assert (found.difference_low[-1], found.difference_high[-1], found.pvalue[-1]) == (-1, 1, 1)
    options |= {"alternative": "greater", "confidence_level": 0.5}  # whose quantile is 0
    assert compare_average_precision(LABELS, AB, **options).difference_low[-1] == -1


def test_one_cluster_shows_nothing_of_means_over_columns_either():
    y = np.column_stack([LABELS, LABELS, LABELS])
    models = {name: np.column_stack([scores] * 3) for name, scores in AB.items()}
    found = compare_average_precision(y, models, clusters=0 * LABELS)
    assert (found.difference_low[-1], found.difference_high[-1], found.pvalue[-1]) == (-1, 1, 1)


def test_an_error_has_a_note_that_names_the_model():
    with pytest.raises(ValueError, match="Input y_score contains NaN, first in row 3") as error:
        compare_average_precision(Y, {"a": S, "b": np.where(np.arange(10) == 3, np.nan, S)})
    assert error.value.__notes__ == ["These are the rows of 'b'."]


def test_the_row_that_a_sentence_names_is_in_the_shortened_table():
    rng = np.random.default_rng(0)
    labels = (rng.random((1000, 30)) < 0.2).astype(float)
    noise = rng.normal(size=labels.shape)
    scores = {"A": labels + noise, "B": 2 * labels + noise[::-1]}
    scores["A"][:, 0] -= labels[:, 0]
    labels[100:, 0] = np.nan  # the largest difference has the widest interval
    result = compare_average_precision(labels, scores, average=None)
    (named,) = re.findall(r"ranking (\d+) most clearly", " ".join(result.sentences))
    assert int(np.nanargmax(result.difference)) - 30 == 0 != int(named)
    assert re.search(rf"^B +{named} ", str(result), re.MULTILINE)


@pytest.mark.parametrize("level", [1e-9, 0.5, 1 - 1e-16])
def test_any_level_has_limits(level):
    for options in ({}, {"alternative": "greater"}, {"reference": "best"}):
        found = compare_average_precision(Y, {"a": S, "b": -S}, confidence_level=level, **options)
        assert -1 <= found.difference_low[-1] <= found.difference_high[-1] <= 1


def test_rounding_between_perfect_rankings_is_no_difference():
    rng = np.random.default_rng(10)
    y = np.array([1] * 12 + [0] * 4)
    weight = np.round(rng.random(16), 2) + 0.01
    perfect = {name: y + rng.random(16) * 0.5 for name in "ab"}
    found = compare_average_precision(y, perfect, sample_weight=weight, alternative="greater")
    assert found.pvalue[-1] > 0.49
    assert found.verdict[-1] == "undecided"


def test_frames_of_scores_have_models_in_columns():
    y, scores = models()
    expected = compare_average_precision(y, scores, reference="b")
    frame = pd.DataFrame(scores, index=range(200, 0, -1))
    for given in (frame, pl.DataFrame(scores)):
        found = compare_average_precision(y, given, reference="b")
        assert found.to_dict() == expected.to_dict()
    numbered = pd.DataFrame(np.column_stack([*scores.values()]))
    found = compare_average_precision(y, numbered, reference=1)
    assert (found.names, found.reference) == (("0", "1", "2", "3"), "1")


def test_scores_that_rank_negatives_first_warn_with_their_name():
    with pytest.warns(UserWarning, match="'C': The average precision, .* is below that of ran"):
        compare_average_precision(LABELS, {**AB, "C": -3 * LABELS + SCORES["C"]})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare_average_precision(LABELS, AB)


def test_pictures_are_grey_where_no_difference_is_shown_whatever_the_margin():
    found = compare_average_precision(LABELS, {**AB, "copy of A": 2 * AB["A"]}, margin=0.15)
    assert found.verdict.tolist() == ["reference", "better", "not worse"]
    axis = found.plot().axes[1]
    assert "grey: no difference is shown" in axis.get_xlabel()
    _, better, not_worse = axis.collections[0].get_colors().tolist()
    assert better != not_worse


@pytest.mark.slow
def test_pictures_of_a_margin_have_a_dashed_line_where_a_model_is_worse_by_it():
    def places(found):
        lines = found.plot().axes[1].lines
        return {line.get_linestyle(): float(line.get_xdata()[0]) for line in lines}

    assert places(compare_average_precision(LABELS, SCORES, margin=0.15)) == {"-": 0, "--": -0.15}
    assert places(compare_average_precision(LABELS, SCORES)) == {"-": 0}
    wide = compare_average_precision(LABELS, AB, margin=0.9).plot().axes[1]
    assert wide.get_xlim()[0] < -0.9


def test_a_recall_at_few_ranks_changes_by_few_of_many_positives():
    """One row changes the precision at 10 by 1 / 10, and the recall by 1 / 3,000."""
    y = np.repeat([1, 0], [3000, 70])
    scores = dict(zip("ab", 4 * y + np.random.default_rng(0).normal(size=(2, 3070)), strict=True))
    width = {
        name: float(np.ravel(found.difference_high - found.difference_low)[-1])
        for name in ("precision@10", "recall@10")
        for found in [compare_average_precision(y, scores, definition=name)]
    }
    assert width["recall@10"] == pytest.approx(width["precision@10"] * 10 / 3000, rel=0.01)


@pytest.mark.filterwarnings("error", "ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("name", ["AP@5", "precision@5", "recall@5"])
def test_a_query_without_positives_has_no_differences_at_k(name):
    queries, scores = (
        np.repeat([0, 1, 2], 20),
        dict(zip("ab", RNG.normal(size=(2, 60)), strict=True)),
    )
    y = (np.arange(60) % 3 == 0) & (queries != 1)
    found = compare_average_precision(
        y, scores, definition=name, queries=queries, average=None, zero_division=0.0
    )
    assert np.isnan(found.difference_low).tolist() == [True] * 3 + [False, True, False]


@pytest.mark.parametrize("definition", [AtK(30), Interpolated()])
def test_models_that_rank_alike_have_the_same_half_samples(definition):
    y, score = drawn(100)
    if definition == Interpolated():  # whose means over columns have a bias by half samples
        y, score = (np.column_stack((each, each[::-1])) for each in (y, score))
    found = compare_average_precision(y, {"A": score, "B": 2 * score}, definition=definition)
    for name in ("standard_error", "low", "high"):
        first, second = getattr(found.scores, name)
        assert first == second


@pytest.mark.parametrize("name", ["best", "others", "previous"])
def test_words_of_options_may_be_names_of_models(name):
    plain = {"A": SCORES["A"], "B": SCORES["B"]}
    typed = {name: SCORES["A"], "B": SCORES["B"]}
    for reference in (None, "B"):
        found = compare_average_precision(LABELS, typed, reference=reference)
        expected = compare_average_precision(LABELS, plain, reference=reference)
        assert (found.reference, found.kind) == (reference or name, expected.kind)
        np.testing.assert_array_equal(found.difference, expected.difference)


def test_the_word_best_beside_a_model_of_this_name_is_refused():
    models = {"best": SCORES["A"], "B": SCORES["B"]}
    with pytest.raises(InputError, match=r"^'best' is the name of a model.*Rename the model"):
        compare_average_precision(LABELS, models, reference="best")


@pytest.mark.parametrize(
    ("n", "text"),
    [
        (3, "3 queries cannot show a difference at this level, whatever their scores are."),
        (4, "4 queries can show little: p is at least 0.0405, whatever their scores are."),
        (5, "5 queries can show little: p is at least 0.0111, whatever their scores are."),
        (8, None),
    ],
)
def test_few_queries_say_how_little_they_can_show(n, text):
    y = np.tile([1, 0, 0, 0], n)
    best, other = np.tile([3.0, 2.0, 1.0, 0.0], n), np.random.default_rng(n).random(4 * n)
    found = compare_average_precision(y, {"A": other, "B": best}, queries=np.repeat(range(n), 4))
    assert (found.sentences[-1] == text) == (text is not None)
    if text is not None:
        least = float(re.search(r"0\.\d+", text)[0]) if "least" in text else 0.13
        assert found.pvalue[1] >= least - 0.01


@pytest.mark.parametrize(("alternative", "least"), [("two-sided", 0.0405), ("greater", 0.0203)])
def test_the_least_p_of_few_queries_is_that_of_the_sides_asked_for(alternative, least):
    y, place = np.tile([1, 0, 0, 0], 4), np.tile(np.arange(4.0), 4)
    models, queries = {"A": place, "B": -place}, np.repeat(range(4), 4)
    found = compare_average_precision(y, models, queries=queries, alternative=alternative)
    assert found.pvalue[1] == pytest.approx(least, abs=1e-4)
    assert f"p is at least {least}" in found.sentences[-1]


def test_queries_that_are_left_out_of_a_mean_show_nothing():
    y = np.r_[np.tile([1, 0], 4), [0, 0]]
    models, queries = {"A": np.arange(10.0), "B": np.arange(10.0) % 3}, np.repeat(range(5), 2)
    found = compare_average_precision(y, models, queries=queries, zero_division=np.nan)
    assert found.sentences[-1].startswith("4 queries can show little")


@pytest.mark.usefixtures("few_halves")
@pytest.mark.parametrize("alternative", quick(["two-sided", "greater", "less"], 2))
@pytest.mark.parametrize("options", [{}, {"clusters": np.arange(60) // 4}, {"definition": AtK(5)}])
def test_a_comparison_gives_the_limits_of_any_level(options, alternative):
    rng = np.random.default_rng(0)
    y = (rng.random(60) < 0.3).astype(int)
    scores = {name: y + rng.normal(size=60) for name in "abc"}
    options = {"reference": "b", "alternative": alternative, **options}
    usual = compare_average_precision(y, scores, **options)
    for level in (0.5, 0.95, 0.99):
        expected = compare_average_precision(y, scores, confidence_level=level, **options)
        limits = usual.confidence_interval(level)
        np.testing.assert_array_equal(limits.low, expected.difference_low)
        np.testing.assert_array_equal(limits.high, expected.difference_high)


def test_scores_at_another_level_are_no_part_of_a_comparison():
    found, other = (
        compare_average_precision(LABELS, SCORES, confidence_level=level) for level in (0.95, 0.8)
    )
    assert replace(found, optimism=None).confidence_level == 0.95
    with pytest.raises(InputError, match=r"differences are at the level 0.95, and .* at 0.8"):
        replace(found, scores=other.scores)


def test_the_scores_of_a_choice_say_which_lower_limit_allows_for_it():
    noise = np.random.default_rng(5).normal(size=(2, LABELS.size))
    two = {"a": LABELS + noise[0], "b": 2 * LABELS + noise[1]}
    found = compare_average_precision(LABELS, two, reference="best").scores
    alone = average_precision_interval(LABELS, two["b"])
    assert found.names[0] == "b"
    assert found.notes["low_without_choice"] == pytest.approx(alone.low, rel=1e-12)
    assert alone.low > found.low[0]
    assert "The lower limit of b allows for the choice of the highest score" in str(found)


def test_a_table_has_a_row_for_each_model_and_column_in_the_order_of_both():
    rng = np.random.default_rng(0)
    y = (rng.random((300, 12)) < 0.3).astype(int)
    models = {name: y + rng.normal(size=y.shape) for name in ("maccs", "ecfp")}
    found = compare_average_precision(y, models, average=None, definition="recall@10")
    lines = [line.split() for line in str(found).splitlines() if line.startswith((*models,))]
    named = [(model, column) for model, column, *_ in lines[:24]]
    assert named == [(model, str(column)) for model in models for column in range(12)]
    assert "Shown are" not in str(found)


@pytest.mark.slow
@pytest.mark.parametrize(("n_models", "part"), [(2, ""), (62, "; 21 of 62 shown")])
def test_a_picture_of_many_models_says_how_many_are_shown(n_models, part):
    models = {f"m{i}": i / 60 * LABELS + RNG_NOISE for i in range(n_models)}
    axis = compare_average_precision(LABELS, models).plot().axes[0]
    assert axis.get_xlabel().endswith(f"95% interval{part}")
