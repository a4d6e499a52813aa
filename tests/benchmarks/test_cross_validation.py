"""The simulation of cross-validation, and that of the bias."""

import importlib

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
    [
        ({}, []),
        ({"pool bias": 0.04, "held": 92.0}, ["bias +0.040", "held 92.0"]),
        ({"pool rmse": 0.2}, ["rmse 0.200 beside 0.100"]),
    ],
)
def test_a_cell_that_misses_a_goal(simulation, changed, missed):
    row = {"pool bias": 0.01, "pool rmse": 0.05, "mean rmse": 0.1, "held": 95.0}
    assert importlib.import_module("cross_validation_page").misses(row | changed) == missed


def test_cells_that_fail_are_run_again(simulation):
    row = {"learner": "tree of depth 4", "n": 200, "prevalence": 0.2, "folds": 10}
    row["split"] = "stratified"
    expected = row | {"learner": "tree of depth 4, expected AP"}
    warned, enough = {"held": 83.0, "warned": 88.0}, {"held": 93.0, "warned": 0.0}
    low = {"held": 91.0, "warned": 0.0}
    assert not [*simulation.failed_cells([row | warned, expected | enough])]
    (cell,) = simulation.failed_cells([row | warned, expected | low])
    assert cell == simulation.Cell("tree of depth 4", 200, 0.2, 10, 300)


def test_each_model_is_judged_on_rows_of_its_own_the_same_for_each_contestant(simulation):
    class Model:
        def decision_function(self, X):
            self.seen = X
            return X[:, 0]

    models, others = [Model(), Model()], [Model(), Model()]
    for each in (models, others):
        simulation.mean_truth(each, simulation.Step(), 20, 0.2, seed=0)
    assert not np.array_equal(models[0].seen, models[1].seen)
    for model, other in zip(models, others, strict=True):
        np.testing.assert_array_equal(model.seen, other.seen)


def test_equal_scores_have_the_share_of_positives_as_their_truth(simulation):
    class Model:
        def decision_function(self, X):
            return np.zeros(len(X))

    truth = simulation.mean_truth([Model()], simulation.Step(), 20, 0.2, seed=0)
    assert truth == pytest.approx(0.2, abs=1e-12)


def test_contests_that_err_too_often_are_run_again(simulation):
    row = {"learner": "forest", "n": 50, "folds": 5, "advantage": 0.0, "split": "plain"}
    right, wrong = {"missed": 5.0, "training": 6.0}, {"missed": 5.0, "training": 8.0}
    rows = [row | right, row | wrong, row | wrong | {"advantage": 0.3}]
    rows.append(row | right | {"advantage": 0.3, "missed": 8.0})
    equal, unequal = simulation.wrong_contests(rows)
    assert equal == simulation.Contest("forest", 50, 5, 0.0, 500, split="plain")
    assert unequal.advantage == 0.3


CELL = {"learner": "forest", "n": 20, "prevalence": 0.2, "folds": 5, "truth": 0.4, "naive": 60}
CELL |= {"mean bias": 0.1, "mean rmse": 0.2, "pool bias": 0.01, "pool rmse": 0.1}
CELL |= {"held": 95.0, "warned": 0.0, "split": "stratified"}
CONTEST = {"learner": "forest", "n": 50, "folds": 5, "advantage": 0.0, "missed": 4.0}
CONTEST |= {"split": "stratified", "models": 5.0, "training": 8.0, "nadeau": 2.0, "naive": 9.0}


def test_the_section_names_what_fails_without_a_warning(simulation):
    row, contest = CELL, CONTEST
    low, warned = row | {"n": 50, "held": 91.0}, row | {"n": 200, "held": 61.0, "warned": 99.0}
    text = simulation.page([row, low, warned], [contest], [], [], [], n_all=[3, 1, 0, 0])
    assert "- forest, 50 positives, share 0.2, 5 folds: held 91.0\n" in text
    assert "- forest, 20" not in text
    assert "- forest, 200" not in text
    assert "- forest, 50 positives, 5 folds, advantage 0: missed 4.0, training 8.0" in text
    assert "| others | 20 and 50 | +0.100 | 60 | +0.010 | +0.010 | 91.0 | 93.0 | 0 |" in text
    # Both were right when they were simulated again.
    mended = [low | {"held": 95.0}], [contest | {"training": 5.0}]
    again = simulation.page([row, low], [contest], *mended, [], n_all=[2, 1, 1, 1])
    assert "a coverage below 93: none." in again
    assert "stays above 7 in more runs: none." in again


@pytest.mark.parametrize("split", ["plain", "sorted", "a patient out", "stratified patients"])
def test_folds_that_differ_have_a_row_for_each_pool(simulation, split):
    rows = simulation.Cell("naive Bayes", 50, 0.2, 5, 2, split=split).run()
    learners = ["naive Bayes", "naive Bayes, ranks", "naive Bayes, odds"]
    assert [row["learner"] for row in rows] == learners
    assert {row["split"] for row in rows} == {split}


def test_a_duel_says_what_its_interval_misses_without_a_warning(simulation):
    rows = simulation.Duel(0.003, 200, 5, 8, "plain").run()
    scores, ranks, odds = rows
    assert [row["pooling"] for row in rows] == ["scores", "ranks", "odds"]
    assert scores["bias"] < -0.003 < min(ranks["bias"], odds["bias"])
    assert scores["warned"] > 50 > odds["warned"]
    text = simulation.page([CELL], [CONTEST], [], [], rows, n_all=[1, 1, 0, 0])
    assert "| 0.003 | 200 | 5, plain | -0.0" in text
    quiet = [scores | {"missed": 9.0, "silent": 8.0, "warned": 12.0}, ranks, odds]
    text = simulation.page([CELL], [CONTEST], [], [], quiet, n_all=[1, 1, 0, 0])
    assert "- C = 1 and 0.003, scores, 200 positives, 5 folds (plain): missed 9.0, w" in text


@pytest.mark.filterwarnings("ignore:.*is far below that of random scores")
@pytest.mark.parametrize("learner", ["SVC", "logistic, 200 columns"])
def test_two_folds_of_many_columns(simulation, learner):
    row = simulation.Contest(learner, 20, 2, 0.0, 2, split="stratified patients").run()
    assert row["folds"] == 2


def test_results_are_kept_and_go_on_where_they_ended(simulation, tmp_path):
    tasks = [simulation.Cell("naive Bayes", 20, 0.2, 5, n_runs) for n_runs in (2, 3)]
    tasks.append(simulation.Contest("naive Bayes", 20, 5, 0.0, 2))
    first = simulation.Results(tmp_path / "lines.jsonl")
    runs = first.run(tasks, 1)
    next(runs)
    runs.close()
    second = simulation.Results(tmp_path / "lines.jsonl")
    assert second.rows == first.rows
    assert len([*second.run(tasks, 1)]) == 2
    assert [row["learner"] for row in second.of(tasks, simulation.Cell)] == ["naive Bayes"] * 2
    kinds = second.of(tasks, simulation.Cell), second.of(tasks, simulation.Contest)
    text = simulation.page(*kinds, [], [], [], n_all=[9, 8, 0, 0])
    assert "1 of 9 cells" in text  # both have the same options
    assert "1 of 8 comparisons" in text


def test_the_bias_is_simulated(monkeypatch, capsys):
    monkeypatch.syspath_prepend("benchmarks")
    bias = importlib.import_module("bias")
    monkeypatch.setattr(bias, "MANY", 2_000)
    truth, mean, corrected, *_ = bias.row(0.5, 5, 45, 200)
    assert truth < corrected < mean
    bias.main(["--quick"])
    assert len(capsys.readouterr().out.splitlines()) == 8
