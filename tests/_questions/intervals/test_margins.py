"""Whether a model is not worse than another by a margin."""

import json
import re

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from sklearn_ap import (
    FoldPredictions,
    compare_average_precision,
    positives_for,
)
from sklearn_ap.__main__ import main
from sklearn_ap._questions.verdicts import (
    NOT_WORSE,
    DifferenceTests,
    Estimate,
    Verdict,
    printed_sentences,
)

RNG = np.random.default_rng(0)
Y = (RNG.random(20_000) < 0.1).astype(int)
EVIDENCE = 1.8 * Y + RNG.normal(size=Y.size)
A, B, C, D, E = (EVIDENCE + noise * RNG.normal(size=Y.size) for noise in (0.3, 0.3, 0.38, 0.7, 0.1))
MARGIN_COLUMNS = {"margin_low", "not_worse_pvalue"}


def compared(margin=0.03, **models):
    return compare_average_precision(Y, {"A": A} | models, margin=margin)


def verdict(margin, **models):
    return compared(margin, **models).verdicts[0]


@pytest.mark.parametrize("margin", [0, 1, -0.02, 2, np.nan])
def test_a_margin_lies_between_0_and_1(margin):
    with pytest.raises(ValueError, match=r"^margin must lie within \(0, 1\), got"):
        compared(margin, B=B)


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_a_one_sided_alternative_does_not_go_with_a_margin(alternative):
    with pytest.raises(ValueError, match=r"one-sided already, at half the error. Leave out alt"):
        compare_average_precision(Y, {"A": A, "B": B}, margin=0.02, alternative=alternative)


def test_a_margin_that_three_false_alarms_cost_is_refused():
    few = slice(600)
    y, a, b = Y[few], A[few], B[few]
    more, above = np.append(y, [0, 0, 0]), np.append(b, 3 * [100])
    cost = average_precision_score(y, b) - average_precision_score(more, above)
    with pytest.raises(ValueError, match=rf"false alarms of B, .* would cost {cost:.3g}, so") as e:
        compare_average_precision(y, {"A": a, "B": b}, margin=0.999 * cost)
    assert "more positives: positives_for(0.0, margin=" in str(e.value)
    found = compare_average_precision(y, {"A": a, "B": b}, margin=1.001 * cost)
    distance = found.differences[1] - found.difference_lows[1]
    low = found.differences[1] - np.hypot(distance, cost)
    assert found.margin_lows[1] == pytest.approx(low)


def test_a_margin_is_shown_only_if_it_was_passed():
    without = compare_average_precision(Y, {"A": A, "B": B})
    assert without.margin is None
    assert not MARGIN_COLUMNS & {*without._rows()[0]}
    assert "not worse" not in f"{without}{without.to_paper()}{without._repr_html_()}"
    found = compared(B=B)
    assert {*found.to_frame().columns} >= MARGIN_COLUMNS
    for text in (str(found), found.to_paper(), found.to_paper(style="latex"), found._repr_html_()):
        assert "not worse" in text
    assert np.isnan(found.not_worse_pvalues[0])


def test_holm_adjusts_for_the_number_of_models():
    """At a margin where one test of B shows it, and three do not."""
    margin = 0.0002 - compared(0.05, B=B).margin_lows[1]
    assert verdict(margin, B=B).decision == NOT_WORSE
    found = compared(margin, B=B, C=C, D=D)
    assert found.not_worse_pvalues[1] < 0.025 < 3 * found.not_worse_pvalues[1]
    assert found.verdicts[0].decision == "undecided"
    assert "Holm's correction for 3 tests leaves it open" in found.verdicts[0].sentence


def test_a_model_that_differs_by_less_is_not_worse():
    found = verdict(0.03, B=B)
    assert found.decision == NOT_WORSE
    assert found.sentence.startswith("B is not worse than A by 0.03 or more: +0.")


def test_a_model_that_may_be_better_is_not_worse():
    found = verdict(0.0195, E=A + 0.01 * EVIDENCE + 0.2 * RNG.normal(size=Y.size))
    assert found.decision == NOT_WORSE


def test_a_model_can_be_worse_but_not_by_the_margin():
    found = compared(0.05, C=C)
    assert found.pvalues[1] < 0.05
    shown = found.verdicts[0]
    assert shown.decision == NOT_WORSE
    assert shown.sentence.startswith("C is worse than A, but not by 0.05 or more: -0.0")


def test_a_better_model_stays_better():
    assert verdict(0.05, B=EVIDENCE).decision == "better"


def test_a_model_that_is_clearly_worse_stays_worse():
    assert verdict(0.03, D=D).decision == "worse"


def test_an_undecided_verdict_says_how_far_the_interval_reaches():
    plain = compare_average_precision(Y, {"A": A, "B": B})
    low = plain.difference_lows[1]
    found = compared(0.0001 - low, B=B)
    text = "It is not shown that B is not worse than A by "
    assert found.verdicts[0].sentence.startswith(text)
    reach = f"the interval reaches down to {found.margin_lows[1]:+.4f}."
    assert found.verdicts[0].sentence.endswith(f"with room for rare false alarms, {reach}")
    assert found.verdicts[0].decision == "undecided"
    found = compared(-low - 0.0001, B=B)
    assert found.verdicts[0].sentence.endswith(f"the 95% interval reaches down to {low:+.4f}.")


def test_a_worse_model_has_the_reason_why_it_may_be_worse_by_the_margin():
    low = compare_average_precision(Y, {"A": A, "C": C}).difference_lows[1]
    margin = round(0.0005 - low, 4)
    found = compared(margin, C=C)
    shown = found.verdicts[0]
    assert shown.decision == "worse"
    reach = f"{found.margin_lows[1]:+.4f}"
    reason = (
        f"It is not shown that C is not worse by {margin} or more: with room for rare false "
        f"alarms, the interval reaches down to {reach}."
    )
    assert re.fullmatch(rf"C is worse than A: -0\..*\)\. {re.escape(reason)}", shown.sentence)


def test_a_model_whose_whole_interval_is_below_the_margin_needs_no_other_reason():
    assert re.fullmatch(r"D is worse than A: -0\.[^:]*\)\.", verdict(0.03, D=D).sentence)


def test_identical_models_are_not_worse():
    shown = verdict(0.03, B=A)
    assert shown.decision == NOT_WORSE
    assert shown.sentence.startswith("B is not worse than A by 0.03 or more: +0.000 (95% interval ")


def test_a_number_that_is_printed_as_0_has_no_minus():
    shown = Estimate(-0.0002, -0.0154, 0.0149).brief("95% interval", "+", fewest=3)
    assert shown == "+0.000 (95% interval -0.015 to +0.015)"


def test_many_models_that_are_not_worse_share_a_line():
    noise = RNG.normal(size=(7, Y.size))
    models = {f"M{i}": EVIDENCE + 0.3 * each for i, each in enumerate(noise)}
    printed = " ".join(str(compared(0.05, **models)).split())
    names = "M0, M1, M2, M3, M4 and 2 more"
    assert printed.endswith(f" {names} are not worse than A by 0.05 or more.")


@pytest.mark.parametrize(
    ("names", "claim"),
    [
        ("models", "are not worse than A by 0.03 or more."),
        ("rankings", "B is not worse than A by 0.03 or more in 6 of 6 rankings: "),
    ],
)
def test_grouped_verdicts_name_the_margin(names, claim):
    tests = DifferenceTests("two-sided", 0.95, "95% interval", 6, margin=0.03)
    of_models = [Verdict(f"M{i}", None, NOT_WORSE, "") for i in range(6)]
    of_rankings = [Verdict("B", i, NOT_WORSE, "") for i in range(6)]
    verdicts = of_models if names == "models" else of_rankings
    (line,) = printed_sentences(verdicts, "A", tests)
    assert claim in line


def test_folds_take_a_margin():
    folds = np.arange(Y.size) % 4
    models = {
        name: FoldPredictions({"y_score": s, "folds": folds})
        for name, s in {"A": A, "B": B}.items()
    }
    found = compare_average_precision(Y, models, margin=0.05)
    rows = compared(0.05, B=B)
    assert found.not_worse_pvalues[1] > rows.not_worse_pvalues[1]  # variances have a factor


def test_few_labels_take_a_margin_and_alarms_weigh_as_much_as_labels():
    seen = np.where(np.arange(Y.size) % 4 == 0, Y, np.nan)
    few = compare_average_precision(
        seen, {"A": A, "B": B}, inclusion_probability="equal", margin=0.1
    )
    rows = np.arange(Y.size) % 4 == 0
    labelled = compare_average_precision(Y[rows], {"A": A[rows], "B": B[rows]}, margin=0.1)
    excess = [
        np.square(found.differences - found.margin_lows)[1]
        - np.square(found.differences - found.difference_lows)[1]
        for found in (few, labelled)
    ]
    assert excess[0] == pytest.approx(excess[1])


def test_plans_for_a_margin_need_fewer_rows_for_better_models():
    some = slice(2000)
    pilot = compare_average_precision(Y[some], {"A": A[some], "B": B[some]})
    needed = [pilot.positives_for(difference, margin=0.03)[1] for difference in (-0.01, 0, 0.02)]
    assert sorted(needed, reverse=True) == needed
    assert len({*needed}) == 3
    with pytest.raises(ValueError, match=r"must lie within \(-0.03, 1\), and is often 0.0, got"):
        pilot.positives_for(-0.03, margin=0.03)
    with pytest.raises(ValueError, match=r"margin must lie within"):
        pilot.positives_for(0.0, margin=1.5)


def test_plans_without_a_sample_take_a_margin():
    assumed = {"average_precision": 0.7, "prevalence": 0.1, "correlation": 0.8, "margin": 0.03}
    needed = [positives_for(difference=difference, **assumed) for difference in (-0.01, 0, 0.02)]
    assert sorted(needed, reverse=True) == needed
    assert needed[1] == pytest.approx(1199, rel=0.2)  # 87 of 100 samples showed it
    with pytest.raises(ValueError, match=r"^margin does not go with alternative='greater'"):
        positives_for(difference=0.0, alternative="greater", **assumed)


def test_without_rare_alarms_equal_models_need_a_difference_of_the_margin():
    query = np.arange(Y.size) // 40
    pilot = compare_average_precision(Y, {"A": A, "B": B}, queries=query, zero_division=0.0)
    plain = pilot.queries_for(0.05)[1]
    assert plain <= pilot.queries_for(0.0, margin=0.05)[1] <= 1.1 * plain


def test_the_command_line_takes_a_margin(tmp_path, capsys):
    file = tmp_path / "f.csv"
    table = np.column_stack([Y, A, B])[:6000]
    np.savetxt(file, table, delimiter=",", header="y,a,b", comments="", fmt="%.5g")
    call = ["score", str(file), "--label", "y", "--score", "a", "--margin", "0.05"]
    call += ["--definition", "AP"]
    assert main([*call, "--score", "b", "--format", "json"]) == 0
    row = json.loads(capsys.readouterr().out)["results"][1]
    assert row.keys() >= MARGIN_COLUMNS
    with pytest.raises(SystemExit):
        main(call)
    assert "--margin compares models: pass --score once more" in capsys.readouterr().err


def test_definitions_whose_margin_is_too_small_are_compared_without_it(tmp_path, capsys):
    file = tmp_path / "f.csv"
    np.savetxt(file, np.column_stack([Y, A, B])[:6000], "%.5g", ",", header="y,a,b", comments="")
    call = ["score", str(file), "--label", "y", "--score", "a", "--score", "b"]

    def ask(*options):
        assert main([*call, *options]) == 0
        return capsys.readouterr().out

    plain = json.loads(ask("--format", "json"))["results"]
    rows = json.loads(ask("--format", "json", "--margin", "0.05"))["results"]
    assert [row["title"] for row in rows] == [row["title"] for row in plain]
    assert len({tuple(row) for row in rows}) == 1  # the same columns at the same places
    without = {row["title"] for row in rows[1::2] if row["not_worse_pvalue"] is None}
    assert "AP@10" in without
    assert "step AP" not in without
    for row, plain_row in zip(rows, plain, strict=True):
        if row["title"] in without:
            assert row["difference_low"] == plain_row["difference_low"]
    text = " ".join(ask("--margin", "0.05").split())
    titles = [row["title"] for row in rows[1::2] if row["title"] in without]
    reason = "three false alarms, which a sample may lack, would cost as much or more"
    assert f"--margin 0.05 is too small for these rows: {reason}. Compared without it: " in text
    assert text.endswith(f"{', '.join(titles)}.")
    markdown = ask("--margin", "0.05", "--format", "markdown").splitlines()
    assert len({line.count("|") for line in markdown if line.startswith("|")}) == 1
    with pytest.raises(SystemExit, match="2"):
        ask("--definition", "AP@10", "--require", "not-worse", "--margin", "0.05")
    assert "margin=0.05 is too small for these rows. " in capsys.readouterr().err


RANKINGS = {"queries": np.arange(4000) % 7, "average": None}


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize(
    ("names", "options", "n_tests"),
    [("B", {}, 1), ("BC", {}, 2), ("B", RANKINGS, 7), ("BC", RANKINGS, 14)],
)
def test_words_about_the_adjustment_take_the_number_of_tests(names, options, n_tests):
    some = slice(4000)
    models = {"A": A[some]} | {name: {"B": B, "C": C}[name][some] for name in names}
    found = compare_average_precision(Y[some], models, margin=0.5, **options)
    table = " ".join(str(found).split())
    paper = " ".join(found.to_paper().split())
    if n_tests == 1:
        assert "p-values for the margin 0.5, one-sided: " in table
        assert "above all rows. " in paper
        assert "Holm" not in paper
        return
    assert f"p-values for the margin 0.5, adjusted for {n_tests} tests, one-sided: " in table
    assert f"adjusted by Holm's method over the {n_tests} tests of a comparison." in paper
    assert "all models," not in table
