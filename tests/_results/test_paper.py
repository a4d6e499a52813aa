"""Tables of papers."""

from dataclasses import replace

import numpy as np
import pytest
from every import every

from sklearn_ap import (
    AveragePrecisionInterval,
    average_precision_interval,
    best_average_precision,
    chance_test,
    compare_average_precision,
    compare_segments,
    operating_point,
)
from sklearn_ap.definitions import AtK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
SYSTEMS = {name: Y * gain + RNG.normal(size=200) for name, gain in (("a_1", 0), ("b|2", 1))}
COMPARED = compare_average_precision(Y, SYSTEMS)
POINT = operating_point(Y, SYSTEMS["b|2"], recall=0.8)
TABLE = np.column_stack([Y, 1 - Y, RNG.integers(0, 2, 200)])


def cell(row):
    return f"{row['estimate']:.2f} ({row['low']:.2f} to {row['high']:.2f})"


def test_systems_by_measures_in_markdown():
    both = [compare_average_precision(Y, SYSTEMS, definition=AtK(k)) for k in (5, 10)]
    lines = both[0].to_paper(both[1]).splitlines()
    (first, second), (others, _) = (found.rows() for found in both)
    assert lines[:3] == [
        "|  | AP@5 (95% CI) | p, AP@5 vs a_1 | AP@10 (95% CI) | p, AP@10 vs a_1 |",
        "| --- | --- | --- | --- | --- |",
        f"| a_1 | {cell(first)} |  | {cell(others)} |  |",
    ]
    assert lines[3].startswith(rf"| b\|2 | {cell(second)} | ")
    one = average_precision_interval(Y, SYSTEMS["b|2"])
    assert one.to_paper().splitlines()[2] == f"| score | {cell(one.rows()[0])} |"
    best = best_average_precision(Y, SYSTEMS)
    assert best.to_paper().splitlines()[2].startswith(r"| b\|2 | ")
    parts = compare_segments(Y, SYSTEMS["b|2"], segments=Y.cumsum() % 2)
    assert len(parts.to_paper().splitlines()) == 4


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
    for pvalue, text in ((0.0009, "<0.001"), (0.001, "0.001")):
        found = replace(COMPARED, pvalues=np.array([1.0, pvalue]))
        assert found.to_paper().splitlines()[3].endswith(f" | {text} |")


def test_latex_is_escaped_and_whole():
    models = {"a_1 & b": SYSTEMS["a_1"], r"50% ~^\x<|>": SYSTEMS["b|2"]}
    found = compare_average_precision(Y, models).to_paper(style="latex", digits=3)
    begin, _, head, _, first, second, _, end = found.splitlines()
    assert (begin, end) == (r"\begin{tabular}{lrr}", r"\end{tabular}")
    assert head == r" & step AP (95\% CI) & p, step AP vs a\_1 \& b \\"
    assert first.startswith(r"a\_1 \& b & 0.")
    name = r"50\% \textasciitilde{}\textasciicircum{}\textbackslash{}x$<$$|$$>$ & "
    assert second.startswith(name)
    assert second.count(" & ") == 2


@every(
    ("call", "message"),
    [
        (lambda one: one.to_paper(style="html"), "style must be one of"),
        (lambda one: one.to_paper(digits=0), "digits must be an integer from 1 on, got 0"),
        (lambda one: one.to_paper(digits=True), "digits must be an integer from 1 on, got True"),
        (lambda _: COMPARED.to_paper(COMPARED), "the same definition"),
        (lambda _: POINT.to_paper(POINT), r"the head 'precision \(95% CI\)'. Make a table of each"),
        (lambda one: one.to_paper("latex"), "str has no score"),
        (
            lambda _: operating_point(Y, -Y - SYSTEMS["b|2"], precision=1.0).to_paper(),
            "There is no threshold to print. ",
        ),
    ],
)
def test_faults(call, message):
    with pytest.raises((TypeError, ValueError), match=message):
        call(average_precision_interval(Y, SYSTEMS["a_1"]))


def test_an_operating_point_and_a_test_of_chance_have_their_own_columns():
    head, _, line = POINT.to_paper().splitlines()
    assert head == "|  | precision (95% CI) | recall (95% CI) | selected (95% CI) |"
    (row,) = POINT.rows()
    shares = [
        f"{row[name]:.2f} ({row[f'{name}_low']:.2f} to {row[f'{name}_high']:.2f})"
        for name in ("precision", "recall", "selected")
    ]
    assert line == f"| threshold {POINT.threshold:.6g} | {' | '.join(shares)} |"
    elsewhere = operating_point(Y, SYSTEMS["b|2"], recall=0.8, prevalence=0.1)
    assert "| precision at prevalence 0.1 (95% CI) | recall (95% CI) |" in elsewhere.to_paper()
    found = chance_test(Y, SYSTEMS["b|2"], n_permutations=999)
    head, _, line = found.to_paper(digits=3).splitlines()
    assert head == "|  | step AP | step AP by chance | p, step AP vs chance |"
    assert line == f"| score | {found.score:.3f} | {found.chance:.3f} | {found.pvalue:.3f} |"
    both = average_precision_interval(Y, SYSTEMS["b|2"]).to_paper(found)
    assert "step AP (95% CI) | step AP | step AP by chance |" in both


def test_defaults_of_a_result_made_by_hand_have_rows():
    numbers = [np.array([0.5, 0.6]), *np.array([[0.1, 0.1], [0.3, 0.4], [0.7, 0.8]])]
    sizes = np.array([[5.0, 6.0], [5.0, 6.0]])
    found = AveragePrecisionInterval(*numbers, 0.95, "influence", *sizes)
    assert [np.isnan(row["bias"]) for row in found.rows()] == [True, True]
    assert [row["low"] for row in found.rows()] == [0.3, 0.4]
    assert "0.5000" in str(found)
