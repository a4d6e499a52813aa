"""Definitions that say nothing of influence are resampled."""

import numpy as np
import pytest
from interval_data import Rough, drawn, numbers

from sklearn_ap import average_precision_interval, compare_average_precision, threshold_counts
from sklearn_ap._uncertainty import _resampling as resampling
from sklearn_ap._uncertainty._resampling import new_samples
from sklearn_ap._uncertainty.options import check_options
from sklearn_ap.definitions import AtK, PrecisionAtRecall, RecallAtK
from sklearn_ap.definitions._prevalence import at_prevalence

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
interval, compare = average_precision_interval, compare_average_precision


def errors(definition, y, scores, **options):
    options |= {"definition": definition, "rng": 0}
    alone, compared = interval(y, scores["a"], **options), compare(y, scores, **options)
    return alone.variance_method, [alone.standard_error, compared.difference_standard_errors[1]]


def stranger(definition):
    """The same values, of which nothing else is said."""
    return type("Stranger", (Rough,), {"__call__": lambda _, counts: definition(counts)})()


@pytest.mark.parametrize(
    "sizes",
    [[1, 0, 2], [1, 0, 40, 8, 1, 9, 0], [300, 700], [0.6, 2, 30.4], [1, 3e14, 6e14], [0, 0], []],
)
def test_bootstrap_samples_are_multinomial_of_the_original_size(sizes):
    sizes = np.array(sizes, dtype=float)
    total = min(round(sizes.sum()), 2**62)
    n_rows = np.full(20_000, total)
    drawn = np.concatenate([*new_samples(sizes, n_rows, np.random.default_rng(0))])
    assert drawn.shape == (20_000, sizes.size)
    assert (drawn.sum(axis=1) == total).all()
    shares = sizes / max(sizes.sum(), 1)
    np.testing.assert_allclose(drawn.mean(axis=0), shares * total, rtol=0.03)
    variances = total * shares * (1 - shares)
    np.testing.assert_allclose(drawn.var(axis=0), variances, rtol=0.04)
    if sizes.size > 1 and 0 < total < 1e6:
        between = np.cov(drawn[:, 0], drawn[:, -1])[0, 1]
        noise = np.sqrt(variances[0] * variances[-1] / 20_000)
        assert between == pytest.approx(-total * shares[0] * shares[-1], abs=4 * noise)


def test_resampled_rows_are_common_to_all_columns():
    """Equal columns vary together, so their mean varies as much as each."""
    y, s = drawn(100)
    options = {"definition": AtK(20), "sample_weight": np.ones(100)}
    one = interval(y, s, **options)
    three = interval(np.repeat(y, 3).reshape(-1, 3), np.repeat(s, 3).reshape(-1, 3), **options)
    assert three.standard_error == pytest.approx(one.standard_error)


def test_unscored_positives_of_clusters_may_have_fractional_weight():
    y, s = drawn(60)
    clusters = np.repeat(np.arange(20), [1, 2, 3, 6] * 5)
    options = {"clusters": clusters, "definition": RecallAtK(5), "n_positives": y.sum() + 20}
    plain, weighted = (
        interval(y, s, sample_weight=weight, **options) for weight in (None, np.ones(60))
    )
    np.testing.assert_allclose(numbers(plain), numbers(weighted), rtol=1e-9)


def test_samples_without_negatives_are_undefined_as_in_full_resampling(monkeypatch):
    monkeypatch.setattr(resampling, "N_RESAMPLES", 2000)
    counts = threshold_counts([1] * 19 + [0], [-np.inf] * 19 + [1.0])
    options = check_options(0.95, 0)
    own = PrecisionAtRecall(0.5)
    shares = [
        np.isnan(resampling.resample_counts(at_prevalence(each, 0.05), counts, options).values)
        for each in (own, stranger(own))
    ]
    assert np.mean(shares[0]) == pytest.approx(np.mean(shares[1]), abs=0.05)
    assert np.mean(shares[0]) > 0.3


def test_work_for_the_best_threshold_grows_with_the_square_root(monkeypatch):
    sampled = []

    def heard(*arguments):
        for new in new_samples(*arguments):
            sampled.append(new.size)
            yield new

    monkeypatch.setattr(resampling, "new_samples", heard)
    y, s = drawn(30_000)
    interval(y, s, definition=PrecisionAtRecall(0.8))
    assert sum(sampled) < resampling.N_RESAMPLES * 10 * np.sqrt(y.sum())


def test_rng_makes_resampling_reproducible():
    y, s = drawn()

    def found(**options):
        alone = interval(y, s, definition=AtK(5), **options)
        compared = compare(y, {"a": s, "b": -s}, definition=AtK(5), **options)
        return [*numbers(alone), compared.difference_lows[1]]

    assert found() == found(rng=0) == found(rng=np.random.default_rng(0)) != found(rng=1)
    assert found(rng=None) != found(rng=None)
