"""The best of many models as users call it: results, refusals, printing."""

import numpy as np
import pytest
from interval_data import S, Y
from pooled import pooled_best

import sklearn_ap
from sklearn_ap import (
    average_precision_interval,
    best_average_precision,
)
from sklearn_ap._questions.best_of_many._draws import Covariance
from sklearn_ap._questions.best_of_many._optimism import optimism_of_winner

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def spread(n=1000, seed=0):
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.2).astype(int)
    shifts = {"fair": 1.2, "good": 2.0, "poor": 0.2, "also good": 1.95}
    return y, {name: rng.normal(size=n) + shift * y for name, shift in shifts.items()}


def test_only_the_lower_limit_is_adjusted_for_the_choice():
    y, scores = spread()
    found = best_average_precision(y, scores)
    assert found.names == ("good", "also good", "fair", "poor")
    assert sorted(found.may_be_best) == ["also good", "good"]
    best = sklearn_ap.average_precision_score(y, scores["good"])
    assert (found.name, found.estimate) == ("good", best)
    assert found.low < found.estimate < found.high
    table = found.to_frame()
    assert list(table) == ["name", "estimate", "low", "high", "may_be_best", "verdict"]
    assert tuple(table["name"][table["may_be_best"]]) == found.may_be_best
    again, other = best_average_precision(y, scores), best_average_precision(y, scores, rng=1)
    assert found._rows() == again._rows() != other._rows()


def test_equally_ranked_models_are_both_kept():
    y, scores = spread()
    same = {"a": scores["good"], "b": 2 * scores["good"] + 1, "poor": scores["poor"]}
    found = best_average_precision(y, same)
    assert found.may_be_best == ("a", "b")


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
def test_no_model_is_ruled_out_without_positives_or_with_one_cluster():
    scores = {"a": S, "b": -S}
    for zero_division in ("warn", np.nan):
        found = best_average_precision(0 * Y, scores, zero_division=zero_division)
        assert found.may_be_best == ("a", "b")
        assert np.isnan(found.low)
    assert best_average_precision(Y, scores, clusters=0 * Y).may_be_best == ("a", "b")


def test_tiny_weights_with_unscored_positives_do_not_divide_by_zero():
    y, weight = np.array([[0, np.nan], [np.nan, 0]]), [2.0, 1e-300]
    scores = {"a": [[1.0, 2.0], [2.0, 1.0]], "b": np.ones((2, 2))}
    found = best_average_precision(y, scores, sample_weight=weight, n_positives=[6, 6])
    assert found.lows.tolist() == [0, 0]
    assert found.may_be_best == ("a", "b")


def test_best_average_precision_prints_as_a_table():
    found = best_average_precision(*spread(), confidence_level=0.9)
    lines = repr(found).splitlines()[1:]
    assert lines[0].split() == ["estimate", "90%", "interval", "may", "be", "best"]
    assert lines[1].startswith("good ")
    assert [line.endswith("yes") for line in lines[1:5]] == [True, True, False, False]
    corrected = f"{found.estimate - found.optimism:.4f} after correction"
    assert lines[5:7] == [
        "90% confidence set of the best model: those marked yes",
        f"selection inflates the estimate of the winner by about {found.optimism:.4f}: {corrected}",
    ]


@pytest.mark.parametrize(("apart", "errors"), [(0.0, 1.87), (1.5, 0.0)])
def test_optimism_is_the_mean_error_of_the_winner(apart, errors):
    """Of 20 independent scores: 1.87 standard errors if equal, none if one is far better."""
    rng = np.random.default_rng(0)
    y = np.repeat([1, 0], [100, 400])
    scores = {f"{i:02}": (1 + apart * (i == 7)) * y + rng.normal(size=500) for i in range(20)}
    found = best_average_precision(y, scores)
    error = average_precision_interval(y, scores["10"]).standard_error
    # The estimates themselves vary, so some of their spread may be taken for a true one.
    assert found.optimism == pytest.approx(errors * error, abs=0.5 * error)
    assert -0.01 * error < found.optimism < 2 * error


@pytest.mark.parametrize("n_positives", [10, 100])
@pytest.mark.parametrize("clusters", [None, np.arange(500) // 5])
def test_errors_shared_by_all_models_add_no_optimism(n_positives, clusters):
    """Nor is what few positives, or few clusters, may hide, which makes limits wider."""
    y, rng = np.repeat([1, 0], [n_positives, 500 - n_positives]), np.random.default_rng(0)
    common = y + rng.normal(size=500)
    alike = {"a": common, "b": 2 * common, "c": common - 1}
    assert best_average_precision(y, alike, clusters=clusters).optimism == pytest.approx(
        0, abs=1e-6
    )
    scores = {f"{i}": common + 0.01 * rng.normal(size=500) for i in range(20)}
    found = best_average_precision(y, scores, clusters=clusters)
    error = average_precision_interval(y, common, clusters=clusters).standard_error
    assert 0 <= found.optimism < 0.3 * error


def test_optimism_of_folds_uses_the_score_variance_factor():
    """Here no spread is true."""
    y, rng = np.repeat([1, 0], [20, 80]), np.random.default_rng(0)
    common, folds = y + rng.normal(size=100), np.arange(100) % 5
    scores = {f"{i}": common + 0.5 * rng.normal(size=100) for i in range(4)}
    given = {name: {"y_score": score, "folds": folds} for name, score in scores.items()}
    alone = best_average_precision(y, scores)
    found = pooled_best(given, None, y)
    np.testing.assert_array_equal(found.estimates, alone.estimates)
    assert found.optimism == pytest.approx(np.sqrt(1.25) * alone.optimism, rel=1e-9)


def test_fold_variance_factor_enters_optimism_like_larger_variances():
    scores, shown = np.array([0.3, 0.35, 0.4, 0.6, 0.65]), 0.01 * (np.eye(5) + 0.5)
    draws = np.random.default_rng(0).multivariate_normal(np.zeros(5), shown, 1000)

    def said(shown, draws, factor):
        covariance = Covariance(shown, np.zeros(5), np.full(5, 9.0), np.ones(5, bool))
        return optimism_of_winner(scores, covariance, draws, factor, np.random.default_rng(0))

    larger = said(1.25 * shown, np.sqrt(1.25) * draws, 1.0)
    assert 0 < said(shown, draws, 1.0) < larger
    assert said(shown, draws, 1.25) == pytest.approx(larger, rel=1e-12)


def test_optimism_with_few_clusters_matches_the_simulated_error():
    """12 clusters of 5 rows hold the positives, and ten models are alike: 0.9 of 0.95 is common."""
    rng, found = np.random.default_rng(0), []
    patient = np.repeat(np.arange(36), 5)
    y, own = (patient < 12).astype(int), np.sqrt(0.1)
    for _ in range(40):
        common = rng.normal(size=36)[patient] + rng.normal(size=180)
        others = rng.normal(size=(10, 36))[:, patient] + rng.normal(size=(10, 180))
        scores = 1.3 * y + np.sqrt(0.9) * common + own * others
        best = best_average_precision(
            y, {f"{i}": s for i, s in enumerate(scores)}, clusters=patient
        )
        # All have one true score, so the winner is off by what it is above the mean.
        found.append((best.estimates[0] - best.estimates.mean(), best.optimism))
    true, said = np.mean(found, axis=0)
    assert said == pytest.approx(true, rel=0.2)


@pytest.mark.parametrize("given", [(), ("clusters",), ("queries",), ("clusters", "queries")])
def test_optimism_of_a_single_case_is_undefined_and_not_printed(given):
    """A positive, a cluster or a query. Of two, there is some."""
    rng, row = np.random.default_rng(0), np.arange(80)
    shifts = {f"{i}": rng.normal(size=80) for i in range(4)}
    for n_cases in (1, 2):
        y = (row % 5 == 0) if given else np.isin(row, [7, 9][:n_cases])
        scores = {name: y + shift for name, shift in shifts.items()}
        found = best_average_precision(y, scores, **dict.fromkeys(given, row // 10 % n_cases))
        assert np.isnan(found.optimism) == (n_cases == 1)
        assert ("selection inflates" in repr(found)) == (n_cases == 2)


def test_best_model_is_kept_at_a_low_confidence_level():
    y, score = np.repeat([1, 0], 20), np.random.default_rng(0).normal(size=40)
    found = best_average_precision(y, {"A": score, "B": score}, confidence_level=0.4)
    assert found.may_be_best
