"""Folds that test rows again: a row is one case."""

import numpy as np
import pytest
from every import every
from sklearn.base import BaseEstimator

from sklearn_ap import (
    AveragePrecisionComparison,
    AveragePrecisionInterval,
    BestAveragePrecision,
)
from sklearn_ap.definitions import Expected, Interpolated

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
@every("options", OPTIONS, ids=range(len(OPTIONS)))
@every("n_repetitions", [2, 5])
def test_repetitions_with_the_same_scores_say_no_more_of_a_perfect_ranking(options, n_repetitions):
    """They hid less and less of what a small sample cannot show: 0.98 for 0.69."""
    X = Y[:, None] * 9 + NOISE
    once, often = (interval(0, X, Y, times, **options) for times in (1, n_repetitions))
    assert once["estimate"] == 1
    assert once["low"] < 0.9
    for name, number in once.items():
        assert often[name] == pytest.approx(number, rel=1e-9), name


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@every("average", [None, "macro", "micro"])
def test_nor_of_the_columns_of_a_table(average):
    y = np.column_stack((Y, np.roll(Y, 3)))
    X = y * 9 + NOISE[:, :2]
    once, often = (interval(slice(0, 2), X, y, times, average=average) for times in (1, 5))
    for name, number in once.items():
        np.testing.assert_allclose(often[name], number, rtol=1e-9, err_msg=name)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@every("options", OPTIONS[:4], ids=range(4))
def test_the_error_of_other_rankings_is_that_of_the_rows_too(options):
    X = Y[:, None] + NOISE
    once, often = (interval(0, X, Y, times, **options) for times in (1, 5))
    for name in ("estimate", "standard_error", "n_effective"):
        assert often[name] == pytest.approx(once[name], rel=0.02)
    width, expected = (each["high"] - each["low"] for each in (often, once))
    assert width == pytest.approx(expected, rel=0.05)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@every("kind", [AveragePrecisionComparison, BestAveragePrecision])
@every("options", OPTIONS[:2], ids=range(2))
def test_nor_do_differences_become_surer(kind, options):
    """Both models are perfect, so what a sample hides is all that there is."""
    X, found = Y[:, None] * 9 + NOISE, {}
    for times in (1, 5):
        models = {f"{i}": results(i, times) for i in (0, 1)}
        made = kind.from_cv_results(models, X, Y, **options)
        names = {"difference_lows", "difference_highs", "lows", "highs"} & {*dir(made)}
        found[times] = {name: getattr(made, name) for name in names}
    for name, numbers in found[1].items():
        np.testing.assert_allclose(found[5][name], numbers, rtol=1e-9, err_msg=name)
