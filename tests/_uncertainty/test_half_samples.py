"""Half samples are balanced, so that the seed hardly matters."""

import numpy as np
import pytest

from sklearn_ap import average_precision_interval, compare_average_precision
from sklearn_ap._uncertainty._balanced_half_samples import _balanced_signs, _parts, draw_halves
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK


@pytest.mark.parametrize("n_columns", [1, 4, 5, 30, 300])
def test_signs_are_those_of_halves_of_the_columns(n_columns):
    signs = _balanced_signs(n_columns)
    n_rows, n = signs.shape
    assert n == n_rows + 1 >= n_columns
    assert np.all(signs.sum(axis=1) == 0)
    assert np.array_equal(signs.T @ signs, (n_rows + 1) * np.eye(n) - 1)


@pytest.mark.parametrize(
    "repeats",
    [
        [1] * 9,
        [1] * 700,
        [1, 2, 5, 1, 3],
        [40, 60, 30],
        [1] * 50 + [3, 2_000],
        [7, 10**12],
        [0],
        [1],
    ],
    ids=lambda repeats: f"{len(repeats)} units, {sum(repeats)} rows",
)
def test_halves_have_half_of_the_rows_and_the_covariance_of_random_ones(repeats):
    repeats = np.array(repeats)
    n = repeats.sum()
    drawn = np.concatenate([*draw_halves(repeats, 4_000, 100, np.random.default_rng(0))])
    assert np.all((drawn >= 0) & (drawn <= repeats))
    assert np.all(np.isin(drawn.sum(axis=1) - n // 2, (0, n % 2)))
    net = 2.0 * drawn - repeats
    expected = (n * np.diag(repeats) - np.outer(repeats, repeats)) / max(n - 1, 1)
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.all(np.abs(net.T @ net / len(net) - expected) <= 0.1 * size + n % 2)


def test_parts_of_a_unit_have_its_rows_as_squares_the_largest_a_quarter():
    unit, sizes = _parts(np.array([1, 100, 3]))
    assert np.bincount(unit, sizes**2).tolist() == [1, 100, 3]
    assert sizes.max() == 5  # whose square is a quarter of 100


@pytest.mark.parametrize("n", [20, 84, 284])
def test_linear_parts_add_no_noise_where_each_row_has_a_column(n):
    values = np.random.default_rng(1).normal(size=n)
    drawn = np.concatenate([*draw_halves(np.ones(n, int), 400, 100, np.random.default_rng(0))])
    found = np.mean(((2 * drawn - 1) @ values) ** 2)
    assert found == pytest.approx(n * values.var(ddof=1))


@pytest.mark.parametrize(
    "definition", [AtK(10), PrecisionAtK(10), RecallAtK(0.1), PrecisionAtRecall(0.5)]
)
@pytest.mark.parametrize("n_rows", [60, 1_000])
def test_limits_of_seeds_differ_by_less_than_a_twentieth_of_their_width(definition, n_rows):
    rng = np.random.default_rng(0)
    y = rng.random(n_rows) < 0.3
    models = {name: y * gain + rng.normal(size=n_rows) for name, gain in (("a", 1), ("b", 1.8))}
    found = [
        compare_average_precision(y, models, definition=definition, rng=seed) for seed in range(6)
    ]
    ends = np.array([(each.difference_low[-1], each.difference_high[-1]) for each in found])
    low, high = ends.mean(axis=0)
    assert np.ptp(ends, axis=0).max() < (high - low) / 20


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of few positives
@pytest.mark.parametrize("n_positives", [50, 10**12])
def test_many_positives_that_are_no_rows_are_halved_as_one_unit(n_positives, monkeypatch):
    y, sizes = np.arange(30) % 10 == 0, []

    def spied(repeats, *others):
        sizes.append((repeats.size, repeats.sum()))
        return draw_halves(repeats, *others)

    monkeypatch.setattr("sklearn_ap._uncertainty._half_samples.draw_halves", spied)
    options = {"definition": RecallAtK(4), "n_positives": n_positives, "clusters": np.arange(30)}
    average_precision_interval(y, np.arange(30), **options)
    # 3 positives, the negatives between them and below, and those that are no rows
    assert sizes == [(7, 27 + n_positives)]


@pytest.mark.parametrize("n_positives", [None, 50])
@pytest.mark.parametrize("definition", [AtK(10), RecallAtK(0.1), PrecisionAtRecall(0.5)])
def test_weights_of_1_change_no_number(definition, n_positives):
    rng = np.random.default_rng(0)
    y = rng.random(100) < 0.3
    models = {name: np.round(y + rng.normal(size=100), 1) for name in ("a", "b")}
    options = {"definition": definition, "n_positives": n_positives}
    found, plain = (
        compare_average_precision(y, models, sample_weight=weight, **options)
        for weight in (np.ones(100), None)
    )
    assert found.pvalue.tolist()[1] == plain.pvalue.tolist()[1]
    assert found.scores.low.tolist() == plain.scores.low.tolist()


@pytest.mark.parametrize("n_positives", [None, 50])
@pytest.mark.parametrize("definition", [AtK(10), RecallAtK(0.1), PrecisionAtRecall(0.5)])
def test_clusters_of_one_row_change_no_error(definition, n_positives):
    rng = np.random.default_rng(0)
    y = rng.random(100) < 0.3
    score = np.round(y + rng.normal(size=100), 1)
    options = {"definition": definition, "n_positives": n_positives}
    found, plain = (
        average_precision_interval(y, score, clusters=clusters, **options)
        for clusters in (np.arange(100), None)
    )
    assert found.standard_error == pytest.approx(plain.standard_error, rel=1e-12)
