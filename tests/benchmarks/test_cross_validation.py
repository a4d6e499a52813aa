"""The simulation of cross-validation, and that of the bias."""

import numpy as np
import pytest
from scipy.stats import ttest_1samp

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


@pytest.fixture
def simulation(script):
    return script("cross_validation")


def test_a_cell_compares_what_is_printed_with_the_truth(simulation, rows_of):
    (row,) = rows_of(simulation.of_learner("naive Bayes", 20, 0.2, 5), 4)
    assert 0 < row["truth"] < 1
    assert row["rmse"] >= abs(row["bias"])
    assert row["covers"] in (0, 25, 50, 75, 100)


def test_what_a_warning_advises_has_a_row_of_its_own(simulation, rows_of):
    rows = rows_of(simulation.of_learner("hinge loss by SGD", 20, 0.2, 5), 2)
    assert [row["way"] for row in rows] == ["", "ranks"]


def test_a_contest_counts_small_pvalues(simulation, rows_of):
    (row,) = rows_of(simulation.of_contest("naive Bayes", 20, 5, 3.0), 3)
    assert row["models"] == 100
    assert row["training"] <= row["models"]


def test_pvalues_of_folds(simulation):
    differences = np.array([0.1, 0.2, 0.15, 0.05, -0.02])
    corrected, plain = simulation.fold_pvalues(differences)
    assert plain == pytest.approx(ttest_1samp(differences, 0).pvalue)
    # 1 / 5 + 1 / 4 in the place of 1 / 5 (Nadeau and Bengio 2003)
    t = differences.mean() / np.sqrt(differences.var(ddof=1) * 0.45)
    assert corrected == pytest.approx(2 * simulation.student.sf(t, 4))


def test_a_cell_fails_without_a_warning_or_if_equal_models_differ(simulation):
    kept = {"warned": 0.0, "bias": 0.0, "rmse": 0.1, "mean square": 0.01, "covers": 95.0}
    assert not simulation.is_far(kept)
    for fault in ({"bias": -0.04}, {"rmse": 0.11}, {"covers": 92.0}):
        assert simulation.is_far(kept | fault)
        assert not simulation.is_far(kept | fault | {"warned": 60.0})
    equal = {"warned": 0.0, "covers": 95.0, "advantage": 0.0, "training": 8.0}
    assert simulation.is_wrong(equal)
    assert not simulation.is_wrong(equal | {"advantage": 0.3})
    assert simulation.is_wrong(equal | {"advantage": 0.3, "covers": 92.0})


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


@pytest.mark.parametrize("split", ["sorted", "a patient out"])
def test_folds_that_differ_have_a_row_for_each_pool(simulation, rows_of, split):
    rows = rows_of(simulation.of_learner("naive Bayes", 50, 0.2, 5, split), 2)
    assert [row["way"] for row in rows] == ["", "ranks", "odds"]
    assert {row["split"] for row in rows} == {split}


def test_the_bias_is_simulated(script, capsys):
    bias = script("bias")
    truth, mean, corrected, *_ = bias.row(0.5, 5, 45, 200)
    assert truth < corrected < mean
    bias.main(["--quick"])
    assert len(capsys.readouterr().out.splitlines()) == 8
