"""Each number of a report is that of the function that it quotes."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from report_data import (
    AB,
    BASE,
    MONTH,
    TITLES,
    WEIGHT,
    B,
    Y,
    is_shown,
    part,
    quiet,
    run_call,
    selects,
    shows,
)

from sklearn_ap import (
    average_precision_interval,
    best_average_precision,
    chance_test,
    compare_average_precision,
    compare_segments,
    compat,
    operating_point,
)
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK


def calls(title):
    """What the call below a part gives, run as a user would run it."""
    asked = (Y, AB) if title == "The score" else ()  # the page of all has them in another part
    return run_call(part(title, *asked).call, y_true=Y, y_scores=AB, segments=MONTH)


def test_score_part_equals_interval_and_chance_test():
    cells = {row[0]: row[1:] for row in part("The score", Y, AB).cells[1:]}
    assert [*cells] == ["b", "a"]
    for name, row in cells.items():
        chance = chance_test(Y, AB[name], n_permutations=999)
        assert is_shown(row[0], average_precision_interval(Y, AB[name]))
        assert shows(row[1], chance.chance)
        assert row[2] == "≤ 0.001"
        assert chance.pvalue == 0.001


def test_comparison_part_equals_compare_average_precision():
    found = compare_average_precision(Y, AB)
    head, second, first, random = part("Is one model better?").cells  # the highest score first
    assert head[2] == "minus a [95% interval]"
    assert random[0] == "random order"
    assert shows(random[1], chance_test(Y, B, n_permutations=999).chance)
    assert random[2:] == ["", ""]
    assert first[2:] == ["", ""]
    for place, (name, score, *_) in enumerate((first, second)):
        limits = found.lows[place], found.highs[place]
        assert (name, shows(score, found.estimates[place], *limits)) == ("ab"[place], True)
    limits = found.difference_lows[1], found.difference_highs[1]
    assert shows(second[2], found.differences[1], *limits)
    assert second[3] == "< 0.001"
    assert found.pvalues[1] < 0.001


@quiet
@pytest.mark.parametrize("models", [{}, {"a": BASE}], ids=["two", "three"])
def test_a_difference_that_rounds_to_0_has_no_sign(models):
    near = B + 0.1 * np.random.default_rng(8).normal(size=B.size)
    found = compare_average_precision(Y, {"b": B, "c": near})
    assert 0 < found.differences[1] < 0.005
    low, high = (f"{each[1]:+.2f}" for each in (found.difference_lows, found.difference_highs))
    cells = part("Is one model better?", Y, {"b": B, "c": near, **models}).cells
    assert f"0.00 [{low}, {high}]" in [row[2] for row in cells]
    assert (low, high) == ("-0.01", "+0.01")


def test_comparison_part_of_three_models_equals_best_average_precision():
    models = AB | {"c": BASE}
    rows = best_average_precision(Y, models).rows()
    head, *cells, random = part("Is one model better?", Y, models).cells
    assert head[2] == "minus b [95% interval]"
    assert (random[0], *random[2:]) == ("random order", "", "")
    assert shows(random[1], chance_test(Y, B, n_permutations=999).chance)
    pairs = {
        row["name"]: row
        for row in compare_average_precision(Y, {name: models[name] for name in "bac"}).rows()
    }
    for (name, score, difference, may_be_best), row in zip(cells, rows, strict=True):
        assert name == row["name"]
        assert shows(score, row["estimate"], row["low"], row["high"])
        assert may_be_best == "yes" * row["may_be_best"]
        limits = "difference", "difference_low", "difference_high"
        if name == "b":
            assert not difference
        else:
            assert shows(difference, *(pairs[name][limit] for limit in limits))


def test_curve_part_equals_precision_at_recall_intervals():
    for recall, *cells in part("The curve").cells[1:]:
        definition = PrecisionAtRecall(float(recall))
        for name, cell in zip("ba", cells, strict=True):
            found = average_precision_interval(Y, AB[name], definition=definition)
            assert is_shown(cell, found)


def test_top_rows_part_equals_scores_at_k():
    rows = part("The top rows").cells[1:]
    assert [row[0] for row in rows] == ["1% (6)", "", "10", "", "100", ""]
    for i, (_, name, *cells) in enumerate(rows):
        k = (0.01, 10, 100)[i // 2]
        for kind, cell in zip((PrecisionAtK, RecallAtK, AtK), cells, strict=True):
            found = average_precision_interval(Y, AB[name], definition=kind(k))
            assert is_shown(cell, found), (k, name, kind)


@quiet
def test_thresholds_part_equals_operating_point():
    head, *rows = part("Thresholds").cells
    assert head[2:5] == ["guaranteed from", "rows", "precision"]
    assert head[5:7] == ["recall", "best in this sample from"]
    for i, (_, name, sure, n_sure, *shares, best, n_best, _, _) in enumerate(rows):
        cells = rows[i][-2:]
        goal = {"precision": (0.5, 0.8, 0.9)[i // 2]}
        found = operating_point(Y, AB[name], **goal, guarantee=0.9)
        assert (sure == "none") == bool(found.remark)
        if not found.remark:
            assert selects(sure, AB[name], found)
            assert n_sure == f"{found.n_selected}"
            assert shows(shares[0], found.precision)
            assert shows(shares[1], found.recall)
        found = operating_point(Y, AB[name], **goal)
        assert (best == "none") == bool(found.remark)
        if not found.remark:
            assert selects(best, AB[name], found)
            assert n_best == f"{found.n_selected}"
            assert shows(cells[0], found.precision, *found.precision_interval)
            assert shows(cells[1], found.recall)


@pytest.mark.parametrize("options", [{}, {"sample_weight": WEIGHT}])
def test_segments_part_equals_compare_segments(options):
    found = compare_segments(Y, B, MONTH, **options)
    head, *rows = part("Segments", Y, B, segments=MONTH, **options).cells
    prevalence = f"score at prevalence {found.prevalence:.2f} [95% interval]"
    assert head[:3] == ["segment", prevalence, "positives"]
    assert (head[3] == "effective positives") == bool(options)
    assert head[-2:] == ["minus the others [95%, not adjusted]", "p (Holm)"]
    for row, expected, n_effective in zip(rows, found.rows(), found.n_effective, strict=True):
        assert (row[0], row[2]) == (expected["segment"], f"{expected['n_positives']:.0f}")
        assert shows(row[1], expected["estimate"], expected["low"], expected["high"])
        if options:
            assert int(row[3]) == pytest.approx(n_effective - 0.5, abs=0.51)
        assert shows(row[-3], expected["share"])
        limits = expected["difference_low"], expected["difference_high"]
        assert shows(row[-2], expected["difference"], *limits)
        assert float(row[-1]) == pytest.approx(expected["adjusted_pvalue"], rel=0.06)


def test_other_tools_part_equals_compat():
    expected = {row.name: row.value for row in compat.compare(Y, B).results}
    for value, names, why in part("What other tools print").cells[1:]:
        for name in names.split(", "):
            assert float(value) == pytest.approx(expected[name], abs=5e-5)
        steps = compat.explain(names.split(", ")[0], Y, B).steps
        assert why == " ".join(step.why for step in steps if step.has_effect)


def test_paper_part_equals_to_paper():
    table = compare_average_precision(Y, AB).to_paper()
    assert part("What to write in a paper").copied_text.endswith(f"\n\n{table}")


@quiet
@pytest.mark.parametrize("title", TITLES[1:-1])
def test_the_call_below_a_part_runs(title):
    assert calls(title) is not None or title == "What to write in a paper"
    plt.close("all")
