"""The simulation of cross-validation, and that of the bias."""

import importlib
from dataclasses import replace

import numpy as np
import pytest
from scipy.stats import ttest_1samp

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture
def simulation(monkeypatch):
    monkeypatch.syspath_prepend("benchmarks")
    return importlib.import_module("cross_validation")


def test_a_cell_compares_what_is_printed_with_the_truth(simulation):
    (row,) = simulation.Cell("naive Bayes", 20, 0.2, 5, 4).run()
    assert 0 < row["truth"] < 1
    assert row["pool rmse"] >= abs(row["pool bias"])
    assert row["held"] in (0, 25, 50, 75, 100)


def test_what_a_warning_advises_has_a_row_of_its_own(simulation):
    rows = simulation.Cell("hinge loss by SGD", 20, 0.2, 5, 2).run()
    assert [row["learner"] for row in rows] == ["hinge loss by SGD", "hinge loss by SGD, ranks"]


def test_a_contest_counts_small_pvalues(simulation):
    row = simulation.Contest("naive Bayes", 20, 5, 3.0, 3).run()
    assert row["models"] == 100
    assert row["training"] <= row["models"]


def test_pvalues_of_folds(simulation):
    differences = np.array([0.1, 0.2, 0.15, 0.05, -0.02])
    corrected, plain = simulation.fold_pvalues(differences)
    assert plain == pytest.approx(ttest_1samp(differences, 0).pvalue)
    # 1 / 5 + 1 / 4 in the place of 1 / 5 (Nadeau and Bengio 2003)
    t = differences.mean() / np.sqrt(differences.var(ddof=1) * 0.45)
    assert corrected == pytest.approx(2 * simulation.student.sf(t, 4))


@pytest.mark.parametrize(
    ("changed", "missed"),
    [({}, False), ({"pool bias": 0.04}, True), ({"held": 92.0}, True), ({"pool rmse": 0.2}, True)],
)
def test_a_cell_that_misses_a_goal(simulation, changed, missed):
    row = {"pool bias": 0.01, "pool rmse": 0.05, "mean rmse": 0.1, "held": 95.0}
    assert simulation.misses(row | changed) == missed


def test_low_cells_are_run_again(simulation):
    row = {"learner": "tree of depth 4", "n": 200, "prevalence": 0.2, "folds": 10}
    expected = row | {"learner": "tree of depth 4, expected AP"}
    warned, enough = {"held": 83.0, "warned": 88.0}, {"held": 93.0, "warned": 0.0}
    low = {"held": 91.0, "warned": 0.0}
    assert not [*simulation.low_cells([row | warned, expected | enough])]
    (cell,) = simulation.low_cells([row | warned, expected | low])
    assert cell == simulation.Cell("tree of depth 4", 200, 0.2, 10, 1000, truth_rows=2.5)
    fewer = replace(cell, n_runs=1)
    assert fewer.run()[0]["truth"] != replace(fewer, truth_rows=1).run()[0]["truth"]


def test_contests_that_err_too_often_are_run_again(simulation):
    row = {"learner": "forest", "n": 50, "folds": 5, "advantage": 0.0}
    right, wrong = {"missed": 5.0, "training": 6.0}, {"missed": 5.0, "training": 8.0}
    rows = [row | right, row | wrong, row | wrong | {"advantage": 0.3}]
    rows.append(row | right | {"advantage": 0.3, "missed": 8.0})
    equal, unequal = simulation.wrong_contests(rows)
    assert equal == simulation.Contest("forest", 50, 5, 0.0, 2000)
    assert unequal.advantage == 0.3


def test_the_section_names_what_fails_without_a_warning(simulation):
    row = {"learner": "forest", "n": 20, "prevalence": 0.2, "folds": 5, "truth": 0.4, "naive": 60}
    row |= {"mean bias": 0.1, "mean rmse": 0.2, "pool bias": 0.01, "pool rmse": 0.1}
    row |= {"held": 95.0, "warned": 0.0}
    low, warned = row | {"n": 50, "held": 91.0}, row | {"n": 200, "held": 61.0, "warned": 99.0}
    contest = {"learner": "forest", "n": 50, "folds": 5, "advantage": 0.0, "missed": 4.0}
    contest |= {"models": 5.0, "training": 8.0, "nadeau": 2.0, "naive": 9.0}
    text = simulation.page([row, low, warned], [contest], [], [])
    assert "- forest, 50 positives, share 0.2, 5 folds: bias +0.010" in text
    assert "- forest, 20" not in text
    assert "- forest, 200" not in text
    assert "- forest, 50 positives, 5 folds, advantage 0: missed 4.0, training 8.0" in text
    assert "| others | 20 and 50 | 2 | +0.100 | 60 | +0.010 | +0.010 | 91.0 | 93.0 | 0 |" in text
    # Both were right when they were simulated again.
    again = simulation.page(
        [row, low], [contest], [low | {"held": 95.0}], [contest | {"training": 5.0}]
    )
    assert "not between 93 and 99.5: none." in again
    assert "is above 7: none." in again


def test_the_bias_is_simulated(monkeypatch, capsys):
    monkeypatch.syspath_prepend("benchmarks")
    bias = importlib.import_module("bias")
    monkeypatch.setattr(bias, "MANY", 2_000)
    truth, mean, corrected, *_ = bias.row(0.5, 5, 45, 200)
    assert truth < corrected < mean
    bias.main(["--quick"])
    assert len(capsys.readouterr().out.splitlines()) == 8
