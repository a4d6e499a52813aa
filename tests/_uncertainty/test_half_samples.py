"""Half samples are balanced, so that the seed hardly matters."""

import numpy as np
import pytest
from scipy.sparse import csc_array

from sklearn_ap import average_precision_interval, compare_average_precision
from sklearn_ap._uncertainty import _half_samples, estimate
from sklearn_ap._uncertainty._paired_rows import draw_halves
from sklearn_ap._uncertainty.rows import PlacedRows, Places
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK
from tests.helpers.first_cases import quick


@pytest.mark.parametrize(
    "repeats",
    [
        [1] * 9,
        [1, 2, 5, 1, 3],
        [40, 60, 30],
        [1] * 50 + [3, 2_000],
        [7, 10**12],
        [2, 10**9, 2 * 10**9, 20_000, 3],
        [0],
        [1],
    ],
    ids=lambda repeats: f"{len(repeats)} units, {sum(repeats)} rows",
)
def test_halves_have_half_of_the_rows_and_the_covariance_of_random_ones(repeats):
    repeats = np.array(repeats)
    n = repeats.sum()
    table, rng = csc_array(np.eye(repeats.size, dtype=int)), np.random.default_rng(0)
    drawn = np.concatenate([*draw_halves(repeats, table, 4_000, 100, rng)]) + repeats
    assert not np.any(drawn[:, repeats <= 10_000] % 2)  # others are not paired one by one
    drawn = drawn / 2
    assert np.all((drawn >= 0) & (drawn <= repeats))
    assert np.all(np.isin(drawn.sum(axis=1) - n // 2, (0, n % 2)))
    net = 2.0 * drawn - repeats
    expected = (n * np.diag(repeats) - np.outer(repeats, repeats)) / max(n - 1, 1)
    size = np.sqrt(np.outer(np.diag(expected), np.diag(expected)))
    assert np.all(np.abs(net.T @ net / len(net) - expected) <= 0.1 * size + n % 2)


@pytest.mark.parametrize("n", [64, 1_000])
def test_linear_parts_add_little_noise(n):
    """The squares of sums over random halves have a standard deviation of sqrt(2) of their mean."""
    values = np.random.default_rng(1).normal(size=n)
    table = csc_array(values[None])
    found = [
        np.mean(np.concatenate([*draw_halves(np.ones(n, int), table, 512, 100, rng)]) ** 2)
        for rng in map(np.random.default_rng, range(8))
    ]
    assert found == pytest.approx([n * values.var(ddof=1)] * 8, rel=2 * np.sqrt(2 / 512))


@pytest.mark.parametrize("recall", quick([0.8, 1.0, 0.0, 0.1], 2))
@pytest.mark.parametrize("digits", quick([1, 9], 1))
def test_thresholds_left_out_at_a_recall_change_no_number(recall, digits, monkeypatch):
    rng = np.random.default_rng(0)
    y = rng.random((6_000, 2)) < 0.3
    score = np.round(rng.normal(size=y.shape) + y, digits)
    options = {"definition": PrecisionAtRecall(recall), "average": None}
    found = average_precision_interval(y, score, **options)
    shares = []
    are_lower = _half_samples._are_lower

    def keep_all(*arguments):
        shares.append(are_lower(*arguments).mean())
        return np.zeros_like(are_lower(*arguments))

    monkeypatch.setattr(_half_samples, "_are_lower", keep_all)
    of_all = average_precision_interval(y, score, **options)
    assert found.standard_error.tolist() == of_all.standard_error.tolist()
    assert min(shares) > 0.5 or digits == 1 or recall != 0.8


@pytest.mark.slow
@pytest.mark.parametrize(
    "definition", quick([AtK(10), PrecisionAtRecall(0.5), PrecisionAtK(10), RecallAtK(0.1)], 1)
)
@pytest.mark.parametrize("n_rows", quick([60, 1_000], 1))
def test_limits_of_seeds_differ_by_less_than_a_twentieth_of_their_width(
    definition, n_rows, monkeypatch
):
    rng = np.random.default_rng(0)
    y = rng.random(n_rows) < 0.3
    models = {name: y * gain + rng.normal(size=n_rows) for name, gain in (("a", 1), ("b", 1.8))}
    ends = []
    for seed in range(6):
        monkeypatch.setattr(_half_samples, "SEED", seed)
        found = compare_average_precision(y, models, definition=definition)
        ends.append((found.difference_low[-1], found.difference_high[-1]))
    ends = np.array(ends)
    low, high = ends.mean(axis=0)
    assert np.ptp(ends, axis=0).max() < (high - low) / 20


@pytest.mark.parametrize("n_positives", quick([None, 50], [50]))
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


@pytest.mark.parametrize("n_positives", quick([None, 50], [50]))
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("definition", "clusters"),
    [
        (AtK(20), 5),
        (AtK(20), None),
        (AtK(20, "positives"), None),
        (RecallAtK(20), None),
        (PrecisionAtK(0.02), None),
        (AtK(0.02), 5),
    ],
)
def test_ranks_left_out_of_weighted_halves_change_no_standard_error(
    definition, clusters, monkeypatch
):
    """On the mean of seeds, each of which draws other halves; also if few weights are large."""
    rng, n = np.random.default_rng(0), 1_500
    y = rng.random(n) < 0.3
    s = rng.normal(size=n) + 0.5 * y
    options = {"sample_weight": np.exp(0.5 * rng.normal(size=n)), "definition": definition}
    if clusters:
        options["clusters"] = np.arange(n) // clusters

    def mean_error():
        found = []
        for seed in range(16):
            monkeypatch.setattr(_half_samples, "SEED", seed)
            found.append(average_precision_interval(y, s, **options).standard_error)
        return np.mean(found)

    fewer = mean_error()
    monkeypatch.setattr(estimate, "leave_out_unreached", lambda definition, counts, rows: rows)
    assert fewer == pytest.approx(mean_error(), rel=0.02)


def test_merged_units_keep_sums_squares_and_numbers():
    """Of weights 1, 1 and 6 below all thresholds."""
    places = Places(np.zeros(1, np.intp), 1)
    begins = places.begins
    rows = PlacedRows(
        place=np.array([begins.positive, *[begins.below] * 3]),
        unit=np.arange(4),
        weight=np.array([2.0, 1, 1, 6]),
        n_units=4,
        places=places,
    )
    merged = _half_samples._merge_unreached(rows)
    assert merged.repeats.sum() == 4
    assert (merged.weight @ merged.repeats[merged.unit]) == 10
    assert merged.weight.tolist() == [2, 4, 0]
    assert merged.repeats.tolist() == [1, 2, 1]
