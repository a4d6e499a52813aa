"""Tables of papers."""

from dataclasses import replace

import numpy as np
import pytest
from every import every

from sklearn_ap import (
    average_precision_interval,
    best_average_precision,
    chance_test,
    compare_average_precision,
    compare_segments,
)
from sklearn_ap.definitions import AtK, Linear, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
SYSTEMS = {name: Y * gain + RNG.normal(size=200) for name, gain in (("a_1", 0), ("b|2", 1))}
TABLE = np.column_stack([Y, 1 - Y, RNG.integers(0, 2, 200)])


def cell(row):
    return f"{row['estimate']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def test_systems_by_measures_in_markdown():
    by = [compare_average_precision(Y, SYSTEMS, definition=each) for each in (Step(), Linear())]
    head, line, first, second = by[0].to_paper(by[1]).splitlines()
    step, linear = (each.definition.title for each in by)
    assert (
        head
        == f"|  | {step} (95% CI) | p, {step} vs a_1 | {linear} (95% CI) | p, {linear} vs a_1 |"
    )
    assert line == "| --- | --- | --- | --- | --- |"
    rows = [each.rows() for each in by]
    assert first == f"| a_1 | {cell(rows[0][0])} |  | {cell(rows[1][0])} |  |"
    assert second.startswith(rf"| b\|2 | {cell(rows[0][1])} | ")


def test_pvalues_are_adjusted_for_all_tests_of_the_table():
    models = {"old": RNG.normal(size=TABLE.shape), "new": TABLE + 3 * RNG.normal(size=TABLE.shape)}
    found = compare_average_precision(TABLE, models, average=None)
    lines = found.to_paper().splitlines()[2:]
    assert [line.split(" | ")[0] for line in lines[3:]] == ["| new, 0", "| new, 1", "| new, 2"]
    pvalues = sorted(found.pvalues[1])
    # Holm: the least times 3, then times 2, then times 1, never falling
    expected = np.minimum(np.maximum.accumulate(np.array(pvalues) * [3, 2, 1]), 1)
    printed = sorted(line.removesuffix(" |").rsplit("| ", 1)[1] for line in lines[3:])
    assert printed == sorted("<0.001" if p < 0.001 else f"{p:.3f}" for p in expected)
    assert all(line.endswith("|  |") for line in lines[:3])


def test_latex_is_escaped_and_whole():
    found = compare_average_precision(
        Y, {"a_1 & b": SYSTEMS["a_1"], r"50% ~^\x<|>": SYSTEMS["b|2"]}
    )
    lines = found.to_paper(style="latex", digits=3).splitlines()
    assert lines[0] == r"\begin{tabular}{lrr}"
    assert lines[-1] == r"\end{tabular}"
    assert lines[2].startswith(" & step AP (95\\% CI) & p, step AP vs a\\_1 \\& b ")
    assert lines[4].startswith(r"a\_1 \& b & ")
    assert lines[5].startswith(
        r"50\% \textasciitilde{}\textasciicircum{}\textbackslash{}x$<$$|$$>$ & "
    )
    assert all(line.endswith(r" \\") for line in (lines[2], *lines[4:6]))
    assert all(line.count(" & ") == 2 for line in (lines[2], lines[5]))


def test_other_results_with_intervals():
    one = average_precision_interval(Y, SYSTEMS["b|2"])
    assert one.to_paper().splitlines()[2] == f"| score | {cell(one.rows()[0])} |"
    best = best_average_precision(Y, SYSTEMS)
    assert best.to_paper().splitlines()[2].startswith(r"| b\|2 | ")
    parts = compare_segments(Y, SYSTEMS["b|2"], segments=Y.cumsum() % 2)
    assert len(parts.to_paper().splitlines()) == 4


COMPARED = compare_average_precision(Y, SYSTEMS)


@every(
    ("call", "message"),
    [
        (lambda one: one.to_paper(style="html"), "style must be one of"),
        (lambda one: one.to_paper(digits=0), "digits must be an integer from 1 on, got 0"),
        (lambda one: one.to_paper(digits=True), "digits must be an integer from 1 on, got True"),
        (lambda one: one.to_paper(one), "the same definition"),
        (lambda _: COMPARED.to_paper(COMPARED), "the same definition"),
        (lambda one: one.to_paper("latex"), "str has no interval"),
        (lambda _: chance_test(Y, SYSTEMS["a_1"]).to_paper(), "ChanceTest has no interval"),
    ],
)
def test_faults(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(average_precision_interval(Y, SYSTEMS["a_1"]))


@every(
    ("pvalue", "printed"),
    [(0.0, "<0.001"), (0.0009, "<0.001"), (0.001, "0.001"), (0.0094, "0.009"), (1.0, "1.000")],
)
def test_a_pvalue_has_three_digits_from_0_001_on(pvalue, printed):
    found = replace(COMPARED, pvalues=np.array([1.0, pvalue]))
    assert found.to_paper().splitlines()[3].endswith(f" | {printed} |")


def test_one_definition_with_two_options_makes_two_columns():
    five, ten = (average_precision_interval(Y, SYSTEMS["b|2"], definition=AtK(k)) for k in (5, 10))
    assert five.to_paper(ten).splitlines()[0] == "|  | AP@5 (95% CI) | AP@10 (95% CI) |"
