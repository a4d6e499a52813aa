"""What is printed as a threshold selects the rows that the line beside it counts."""

import json
import re
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from sklearn_ap import OperatingPoint, hit_curve, large, operating_point, report, threshold_counts
from sklearn_ap.__main__ import main
from sklearn_ap._base.text import threshold_as_text

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
N = 120


def steps(start, dtype=np.float64):
    """Scores, each of which is the next number above the one before."""
    start = dtype(start)
    gap = np.nextafter(start, dtype(np.inf)) - start
    return start + gap * np.arange(8, dtype=dtype)


# The scores that a row may have.
LEVELS = {
    "normal": np.random.default_rng(1).normal(size=N),
    "negative": -1 - np.random.default_rng(2).random(N),
    "float32": np.random.default_rng(3).random(N).astype(np.float32),
    "float16": np.random.default_rng(4).random(N).astype(np.float16),
    "eight leaves": 0.69710683 + 1e-9 * np.arange(8),
    "neighbours": steps(0.7),
    "negative neighbours": -steps(0.7),
    "neighbours in float32": steps(0.7, np.float32),
    "negative neighbours in float32": -steps(0.7, np.float32),
    "neighbours in float16": steps(0.7, np.float16),
    "halves in float32": np.float32(0.5) + np.float32(2**-24) * np.arange(8, dtype=np.float32),
    "huge": 1.7e308 + 1e292 * np.arange(8),
    "the largest": -steps(-np.finfo(np.float64).max),
    "the lowest": steps(-np.finfo(np.float64).max),
    "the largest in float32": -steps(-np.finfo(np.float32).max, np.float32),
    "subnormal": 5e-324 * np.arange(-3, 5),
    "tiny": 1e-300 * (1 + 1e-9 * np.arange(8)),
    "large whole floats": 123456789.0 + np.arange(8),
    "whole floats without neighbours": 2.0**60 * np.arange(1, 9),
    "large integers": 2**60 + np.arange(8),
    "small integers": np.arange(-4, 4, dtype=np.int8),
    "false and true": np.array([False, True]),
    "zeros of both signs": np.array([-1.0, -0.0, 0.0, 1e-9]),
    "two": np.array([0.1, 0.9]),
    "tenths": np.arange(10) / 10,
    "not retrieved": np.array([-np.inf, *steps(-0.3)]),
    "all but one not retrieved": np.array([-np.inf, 0.1234567891]),
    "extended": np.longdouble(1) / 3 + np.finfo(np.longdouble).eps * np.arange(8),
}
GOALS = [
    {"precision": 0.55},
    {"precision": 0.4, "guarantee": 0.8},
    {"recall": 0.7},
    {"recall": 0.6, "guarantee": 0.8},
    {"k": 0.4},
    {"cost": {"false_positive": 1, "false_negative": 1.5}},
    {"precision": 0.2, "prevalence": 0.1},
]


def sample(levels, seed):
    """Labels, of which higher scores have more, and scores."""
    rng = np.random.default_rng(seed)
    place = rng.integers(len(levels), size=N)
    rank = np.argsort(np.argsort(levels, kind="stable"), kind="stable")[place] / len(levels)
    return rng.random(N) < 0.2 + 0.6 * rank, levels[place]


def n_selected(y_score, text, weight=1):
    """How many rows score at least what is printed, however it is read."""
    as_given = text if y_score.dtype.kind == "f" else int(text)
    ways = [y_score >= y_score.dtype.type(as_given)]
    if y_score.dtype.kind == "f" and y_score.itemsize <= 8:
        ways += [y_score >= float(text), y_score.astype(np.float64) >= float(text)]
        ways += [y_score >= np.float64(text)]
    (n,) = {float(np.sum(weight * each)) for each in ways}
    return n


def checked(y_score, text, number, weight=1):
    assert n_selected(y_score, text, weight) == pytest.approx(float(number.replace(",", "")))


def texts(point):
    """The thresholds and the numbers of rows of what is printed of a result."""
    line = r"([\d,.e+]+) selected at threshold (\S+)"
    found = [re.search(f"^{line}$", repr(point), re.MULTILINE).groups()]
    found.append(re.search(f"<p>{line}</p>", point._repr_html_()).groups())
    found = [(threshold, number) for number, threshold in found]
    for style in ("text", "markdown", "latex"):
        paper = point.to_paper(style=style)
        found += [
            (each, str(point.n_selected)) for each in re.findall(r"threshold ([-\d]\S*)", paper)
        ]
    return [(each.rstrip(":"), number) for each, number in found]


@pytest.mark.parametrize("levels", [*LEVELS.values()], ids=[*LEVELS])
def test_printed_threshold_selects_the_printed_number_of_rows(subtests, levels):
    for goal in GOALS:
        with subtests.test(f"operating_point(*sample(levels, seed), **{goal})"):
            for seed in range(2):
                y_true, y_score = sample(levels, seed)
                weight = None if "guarantee" in goal or seed % 2 else 1 + np.arange(N) % 3
                point = operating_point(y_true, y_score, **goal, sample_weight=weight)
                if point.remark:
                    continue
                found = texts(point)
                assert len(found) == 8
                for text, number in found:
                    checked(y_score, text, number, 1 if weight is None else weight)
                assert {text for text, _ in found} == {point.printed_threshold}
                assert point.printed_threshold in point.to_frame().to_string().split()


def test_most_goals_have_a_threshold_in_the_test_samples():
    """So the test above is not empty."""
    points = [
        operating_point(*sample(levels, 1), **goal) for levels in LEVELS.values() for goal in GOALS
    ]
    assert sum(not each.remark for each in points) > 0.8 * len(points)


def test_more_than_a_million_selected_rows_are_printed_exactly():
    y_true = np.arange(1_234_567) % 2
    point = operating_point(y_true, y_true + 0.5, recall=1)
    assert "\n617,283 selected at threshold 1.5\n" in repr(point)
    point = operating_point(y_true, 1.5 - y_true, recall=1, precision=None)
    assert "\n1,234,567 selected at threshold 0.5\n" in repr(point)


@pytest.mark.parametrize(
    ("threshold", "next_score", "text"),
    [
        (0.6971068382, 0.5, "0.697106"),  # rounded down
        (-0.6971061, -0.7, "-0.697107"),
        (0.6971068382, 0.697106, "0.6971068"),
        (0.6971068382, 0.6971068, "0.69710683"),
        (0.3, 0.1 + 0.1, "0.3"),
        (0.3, np.nextafter(0.3, 0), "0.3"),
        (0.1 + 0.2, 0.3, "0.30000000000000004"),
        (0.6971068382, np.nan, "0.6971068382"),  # nobody knows the next one
        (0.25, -np.inf, "0.25"),
        (6, 5, "6"),
        (2**60 + 1, 2**60, "1152921504606846977"),
        (100.0, 99.0, "100"),
        (1234567.75, 1e6, "1234567"),
        (1e22, 1e21, "1e+22"),
        (1.23456789e-9, 0.0, "1.23456e-09"),
        (-0.0, -1.0, "0"),
        (np.inf, 1.0, "inf"),
        (np.nan, np.nan, "\N{EN DASH}"),
        # 0.699999988079071 is 0.7 in float32, and in float64 it is below 0.7.
        (np.float32(0.7).item(), np.float32(0.6).item(), "0.699999"),
        (np.float32(0.7).item(), np.nextafter(np.float32(0.7), np.float32(0)).item(), "0.69999998"),
    ],
)
def test_threshold_is_rounded_down_to_the_fewest_distinguishing_digits(threshold, next_score, text):
    assert threshold_as_text(threshold, next_score) == text


def test_decimal_context_does_not_change_the_printed_threshold():
    import decimal

    with decimal.localcontext(decimal.Context(prec=3, traps=[decimal.Inexact])):
        assert threshold_as_text(0.6971068382, 0.697106) == "0.6971068"


def test_next_score_of_counts_is_unknown_below_a_negative():
    scores = [0.91234567, 0.81234567, 0.71234567, 0.61234567]
    counts = threshold_counts([1, 1, 0, 1], scores)
    known = OperatingPoint.from_counts(counts, k=1)
    assert (known.next_score, known.printed_threshold) == (0.81234567, "0.912345")
    unknown = OperatingPoint.from_counts(counts, k=2)
    assert np.isnan(unknown.next_score)
    assert unknown.printed_threshold == "0.81234567"
    last = OperatingPoint.from_counts(counts, recall=1)
    assert (last.next_score, last.printed_threshold) == (-np.inf, "0.612345")
    lower = OperatingPoint.from_counts(threshold_counts([1, 1, 1, 0], scores), recall=1)
    assert np.isnan(lower.next_score)


@pytest.mark.parametrize("levels", [*LEVELS.values()], ids=[*LEVELS])
def test_printed_threshold_of_counts_selects_the_same_rows(levels):
    for seed in range(8):
        y_true, y_score = sample(levels, seed)
        counts = threshold_counts(y_true, y_score)
        for recall in (0.3, 0.7):
            point = OperatingPoint.from_counts(counts, recall=recall)
            if not point.remark:
                checked(y_score, point.printed_threshold, str(point.n_selected))


@pytest.mark.parametrize("levels", [*LEVELS.values()], ids=[*LEVELS])
def test_printed_thresholds_of_counts_and_hit_curves_select_their_rows(levels):
    for seed in range(4):
        y_true, y_score = sample(levels, seed)
        _, head, *lines = repr(threshold_counts(y_true, y_score)).splitlines()
        for line in lines[:5]:
            row = dict(zip(head.split(), line.split(), strict=True))
            checked(y_score, row["threshold"], str(int(row["tps"]) + int(row["fps"])))
        if y_score.dtype == np.int64:  # as floats, these are no longer distinct
            continue
        curve = hit_curve(y_true, y_score)
        _, head, first, *lines = repr(curve).splitlines()
        assert first.split()[-1] == "inf"
        for line, detected in zip(lines[:4], curve.detected[1:], strict=False):
            assert n_selected(y_score, line.split()[-1]) == pytest.approx(N * detected)


def test_each_ranking_of_counts_has_its_own_next_score():
    scores = [0.51234567, 0.41234567, 0.1, 0.61234567, 0.1, 0.1]
    table = pa.table({"q": [*"aabbcc"], "y": [1, 1, 0, 1, 1, 1], "p": scores})
    counts = large.from_table(table, "y", "p", queries="q")
    lines = [line.split()[:2] for line in repr(counts).splitlines()[2:]]
    assert lines == [["a", "0.512345"], ["a", "0.412345"], ["b", "0.61234567"], ["c", "0.1"]]


@pytest.mark.parametrize("levels", [*LEVELS.values()], ids=[*LEVELS])
def test_report_thresholds_select_the_stated_rows(levels):
    if levels.dtype.kind == "b":  # the report asks for scores
        return
    y_true, y_score = sample(levels, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        page = report(y_true, y_score)
    (fact,) = [fact for fact in page.facts if type(fact).__name__ in ("Threshold", "NoThreshold")]
    if type(fact).__name__ == "Threshold":
        checked(y_score, fact.printed, f"{fact.n_selected}")


@pytest.mark.parametrize(
    "name", ["eight leaves", "neighbours", "tiny", "not retrieved", "large integers"]
)
def test_command_line_threshold_selects_its_rows_in_each_format(tmp_path, capsys, name):
    y_true, y_score = sample(LEVELS[name], 0)
    file = tmp_path / f"{name}.csv"
    pd.DataFrame({"y": y_true * 1, "p": y_score, "q": -y_score[::-1]}).to_csv(file, index=False)
    arguments = ["threshold", str(file), "--label", "y", "--score", "p"]
    for style in ("text", "markdown", "json"):
        assert main([*arguments, "--recall", "0.7", "--format", style]) == 0
        printed = capsys.readouterr().out
        if style == "text":
            pattern = r"(?P<number>\S+) selected at threshold (?P<threshold>\S+)"
            text, number = re.search(pattern, printed).group("threshold", "number")
        elif style == "markdown":
            head, _, line = (row.strip("| ").split(" | ") for row in printed.splitlines()[-3:])
            row = dict(zip(head, line, strict=False))
            text, number = row["threshold"], row["n_selected"]
            assert "printed_threshold" not in row
        else:
            (row,) = json.loads(printed)["results"]
            assert row["threshold"] == operating_point(y_true, y_score, recall=0.7).threshold
            text, number = row["printed_threshold"], str(row["n_selected"])
        checked(y_score, text, number)


def test_command_line_threshold_of_each_column_selects_its_rows(tmp_path, capsys):
    y_true, y_score = sample(LEVELS["eight leaves"], 0)
    scores = {"p": y_score, "q": 1 + y_score / 1e3}
    file = tmp_path / "both.csv"
    pd.DataFrame({"y": y_true * 1} | scores).to_csv(file, index=False)
    arguments = ["--label", "y", "--score", "p", "--score", "q", "--recall", "0.7"]
    assert main(["threshold", str(file), *arguments]) == 0
    found = re.findall(r"(\S+) selected at threshold (\S+)", capsys.readouterr().out)
    for (number, text), each in zip(found, scores.values(), strict=True):
        checked(each, text, number)


def test_result_keeps_the_unrounded_threshold():
    y_true, y_score = sample(LEVELS["normal"], 0)
    point = operating_point(y_true, y_score, recall=0.7)
    assert point.threshold in y_score
    assert point.next_score == y_score[y_score < point.threshold].max()
    assert point._rows()[0]["threshold"] == point.threshold != float(point.printed_threshold)
    assert OperatingPoint(0.123456789).printed_threshold == "0.123456789"
    assert OperatingPoint().printed_threshold == "\N{EN DASH}"
