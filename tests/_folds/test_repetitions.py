"""Folds that test rows again: a row is one case, in numbers and in words."""

import warnings

import numpy as np
import pytest
from sklearn.base import BaseEstimator
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import RepeatedStratifiedKFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    BestAveragePrecision,
    average_precision_interval,
)
from sklearn_ap.definitions import Expected, Interpolated, Step

N = 120
Y = (np.arange(N) % 6 == 0).astype(int)
NOISE = np.random.default_rng(0).normal(size=(N, 4))


class Columns(BaseEstimator):
    """Gives columns of X as scores, whatever it was trained on."""

    def __init__(self, columns):
        self.columns = columns

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X[:, self.columns]


def results(columns, n_repetitions):
    """Of folds that divide the rows differently at each repetition."""
    rng, rows = np.random.default_rng(1), np.arange(N)
    tests = [
        np.sort(part)
        for _ in range(n_repetitions)
        for part in np.array_split(rng.permutation(N), 4)
    ]
    trains = [np.setdiff1d(rows, test) for test in tests]
    models = [Columns(columns)] * len(tests)
    return {"estimator": models, "indices": {"train": trains, "test": tests}}


def interval(columns, X, y, n_repetitions, **options):
    found = AveragePrecisionInterval.from_cv_results(
        results(columns, n_repetitions), X, y, **options
    )
    names = "estimate", "low", "high", "standard_error", "n_positives", "n_effective"
    return {name: getattr(found, name) for name in names}


OPTIONS = [
    {},
    {"clusters": np.arange(N) // 3},
    {"sample_weight": np.random.default_rng(2).integers(1, 4, N)},
    {"prevalence": 0.05},
    {"definition": Interpolated()},
    {"definition": Expected()},
]


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("options", OPTIONS, ids=range(len(OPTIONS)))
@pytest.mark.parametrize("n_repetitions", [2, 5])
def test_repetitions_do_not_change_the_interval_of_a_perfect_ranking(options, n_repetitions):
    """They hid less and less of what a small sample cannot show: 0.98 for 0.69."""
    X = Y[:, None] * 9 + NOISE
    once, often = (interval(0, X, Y, times, **options) for times in (1, n_repetitions))
    assert once["estimate"] == 1
    assert once["low"] < 0.9
    for name, number in once.items():
        assert often[name] == pytest.approx(number, rel=1e-9), name


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("average", [None, "macro", "micro"])
def test_repetitions_do_not_change_intervals_of_perfect_columns(average):
    y = np.column_stack((Y, np.roll(Y, 3)))
    X = y * 9 + NOISE[:, :2]
    once, often = (interval(slice(0, 2), X, y, times, average=average) for times in (1, 5))
    for name, number in once.items():
        np.testing.assert_allclose(often[name], number, rtol=1e-9, err_msg=name)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("options", OPTIONS[:4], ids=range(4))
def test_repetitions_do_not_reduce_the_error_of_imperfect_rankings(options):
    X = Y[:, None] + NOISE
    once, often = (interval(0, X, Y, times, **options) for times in (1, 5))
    for name in ("estimate", "standard_error", "n_effective"):
        assert often[name] == pytest.approx(once[name], rel=0.02)
    width, expected = (each["high"] - each["low"] for each in (often, once))
    assert width == pytest.approx(expected, rel=0.05)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("kind", [AveragePrecisionComparison, BestAveragePrecision])
@pytest.mark.parametrize("options", OPTIONS[:2], ids=range(2))
def test_repetitions_do_not_narrow_limits_of_differences(kind, options):
    """Both models are perfect, so what a sample hides is all that there is."""
    X, found = Y[:, None] * 9 + NOISE, {}
    for times in (1, 5):
        models = {f"{i}": results(i, times) for i in (0, 1)}
        made = kind.from_cv_results(models, X, Y, **options)
        names = {"difference_lows", "difference_highs", "lows", "highs"} & {*dir(made)}
        found[times] = {name: getattr(made, name) for name in names}
    for name, numbers in found[1].items():
        np.testing.assert_allclose(found[5][name], numbers, rtol=1e-9, err_msg=name)


def test_repetitions_do_not_reduce_the_bias():
    """By leaving out groups of rows, with all their tests. Of tests alone, it is a fifth."""
    X = Y[:, None] + NOISE
    once, often = (
        AveragePrecisionInterval.from_cv_results(results(0, times), X, Y).bias for times in (1, 5)
    )
    assert often == pytest.approx(once, rel=0.3)


# ---- words


def repeated(model, X, y):
    cv = RepeatedStratifiedKFold(n_splits=5, n_repeats=3, random_state=0)
    return cross_validate(model, X, y, cv=cv, return_estimator=True, return_indices=True)


def words(function, *rows, **options):
    """All that is said: warnings, the result, the table for a paper and the picture."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*rows, **options)
    axes = np.ravel(found.plot())
    drawn = [text for axis in axes for text in (axis.get_xlabel(), axis.get_title())]
    heard = [str(each.message) for each in caught]
    return "\n".join([repr(found), found.to_paper(), *drawn, *heard])


@pytest.mark.parametrize("definition", [Step(), Interpolated()])
@pytest.mark.parametrize(
    "weights", [None, np.where(np.arange(200) % 3, 1.0, 4.0)], ids=["equal", "unequal"]
)
def test_rows_that_are_tested_again_are_not_called_clusters(definition, weights):
    X, y = make_classification(200, weights=[0.9], flip_y=0.1, random_state=0)
    cv = {"a": repeated(LogisticRegression(), X, y), "b": repeated(GaussianNB(), X, y)}
    options = {"definition": definition, "sample_weight": weights}
    said = words(AveragePrecisionInterval.from_cv_results, cv["a"], X, y, **options)
    for kind in (AveragePrecisionComparison, BestAveragePrecision):
        said += words(kind.from_cv_results, cv, X, y, **options)
    said = said.replace("If rows belong to patients, pass clusters", "")  # what may be done
    assert "luster" not in said
    assert "uncertainty over rows" in " ".join(said.split())
    assert "n = 200 rows" in said


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_clusters_for_requires_a_result_over_clusters():
    X, y = make_classification(200, weights=[0.9], flip_y=0.1, random_state=0)
    cv, table = repeated(GaussianNB(), X, y), np.column_stack((y, 1 - y))
    scores = X[:, :2]
    with pytest.raises(ValueError, match="clusters_for needs a result over clusters, which were"):
        AveragePrecisionInterval.from_cv_results(cv, X, y).clusters_for(0.1)
    for average in ("micro", "samples"):
        with pytest.raises(ValueError, match="clusters_for needs a result over clusters"):
            average_precision_interval(table, scores, average=average).clusters_for(0.1)
    clusters = np.arange(200) // 2
    found = AveragePrecisionInterval.from_cv_results(cv, X, y, clusters=clusters)
    assert found.clusters_for(0.1) > 0


def test_cells_of_a_row_are_not_called_clusters():
    rng = np.random.default_rng(0)
    y = (rng.random((12, 4)) < 0.4).astype(int)
    y[:, 0] = 1
    said = words(average_precision_interval, y, y + rng.normal(size=y.shape), average="micro")
    assert "few rows: The interval rests on few rows: their number is 12. Below 16, the" in said
    assert "Collect more rows." in said
    assert "luster" not in said


def test_positives_in_few_rows_raise_the_few_rows_warning():
    y = np.zeros((300, 12), int)
    y[:8] = 1
    rng = np.random.default_rng(0)
    said = words(average_precision_interval, y, 9 * y + rng.normal(size=y.shape), average="micro")
    assert "few rows: their effective number is 8. Below 16, the interval may be too" in said
    assert "luster" not in said
