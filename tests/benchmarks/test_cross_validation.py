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


@pytest.mark.parametrize("split", ["plain", "sorted", "a patient out", "stratified patients"])
def test_folds_that_differ_have_a_row_for_each_pool(simulation, split):
    rows = simulation.Cell("naive Bayes", 50, 0.2, 5, 2, split=split).run()
    learners = ["naive Bayes", "naive Bayes, ranks", "naive Bayes, odds"]
    assert [row["learner"] for row in rows] == learners
    assert {row["split"] for row in rows} == {split}


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
