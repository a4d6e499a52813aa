"""A band that covers the whole precision-recall curve."""

from functools import cache

import numpy as np
import pytest
from scipy.stats import beta

from sklearn_ap import AveragePrecisionDisplay, precision_recall_band
from sklearn_ap._scores.bands import ALPHAS, LOCAL_LEVELS, local_level
from sklearn_ap.definitions import AtK


def sample(rng, n=30, digits=12):
    y_true = np.r_[1, 0, rng.random(n - 2) < 0.2].astype(int)
    return y_true, (rng.normal(size=n) + 1.5 * y_true).round(digits)


@cache
def limits_of_distribution(n, alpha):
    """The limits of the share above a threshold where k = 0..n of a sample are above it."""
    tail, i = local_level(n, alpha) / 2, np.arange(1, n + 1)
    return np.r_[0, beta.ppf(tail, i, n + 1 - i)], np.r_[beta.ppf(1 - tail, i, n + 1 - i), 1]


def by_definition(y_true, y_score, recall, prevalence=None):
    """The worst precision over all rates that the limits of each threshold allow."""
    n, n_positives = y_true.size, y_true.sum()
    alpha = 1 - 0.95 ** (1 / (3 if prevalence is None else 2))
    least, most = prevalence, prevalence
    if prevalence is None:
        least = beta.ppf(alpha / 2, n_positives, n - n_positives + 1)
        most = beta.ppf(1 - alpha / 2, n_positives + 1, n - n_positives)
    tpr, fpr = (limits_of_distribution(k, alpha) for k in (n_positives, n - n_positives))
    fewest, at_most = 0.0, 1.0
    last = y_score[(y_true == 1) & (y_score > -np.inf)].min()  # counts know of nothing below it
    for threshold in np.unique(y_score[y_score >= last])[::-1]:
        above = y_score >= threshold
        hits, false = np.sum(above & (y_true == 1)), np.sum(above & (y_true == 0))
        if tpr[1][hits] < recall:  # the share is found further down only
            fewest = max(fewest, fpr[0][false])
        if tpr[0][hits] >= recall:  # it is found by here
            at_most = min(at_most, fpr[1][false])
    low = least * recall / (least * recall + (1 - least) * at_most)
    high = most * recall + (1 - most) * fewest
    return low, most * recall / high if recall else 1.0


@pytest.mark.parametrize("prevalence", [None, 0.01])
@pytest.mark.parametrize("digits", [12, 0])
@pytest.mark.parametrize("missed", [0, 0.2])
def test_band_equals_limits_computed_at_each_threshold(prevalence, digits, missed):
    recall = np.linspace(0, 1, 41)
    for seed in range(5):
        rng = np.random.default_rng(seed)
        y_true, y_score = sample(rng, 60, digits=digits)
        y_score[rng.random(60) < missed] = -np.inf
        band = precision_recall_band(y_true, y_score, recall_levels=recall, prevalence=prevalence)
        expected = [by_definition(y_true, y_score, r, prevalence) for r in recall]
        np.testing.assert_allclose(np.column_stack(band[:2]), expected, rtol=1e-8, atol=1e-12)


def test_local_levels_cover_jointly_and_decrease_with_sample_size():
    for n in (1, 3, 30, 300):
        uniform = np.sort(np.random.default_rng(n).random((4_000, n)), axis=1)
        low, high = limits_of_distribution(n, 0.05)
        hold = np.all((uniform >= low[1:]) & (uniform <= high[:-1]), axis=1)
        # The upper limit of the k-th of n from below is that of k - 1 above.
        assert 0.94 < hold.mean() < 0.965
    for alpha in (0.2, 0.01, *ALPHAS):
        levels = [local_level(n, alpha) for n in (*LOCAL_LEVELS, 3 * 10**6, 10**8)]
        assert np.all(np.diff(levels) < 0)


def test_band_accepts_text_labels_and_chosen_recall_levels():
    y_true, y_score = sample(np.random.default_rng(0), 50)
    names = np.where(y_true == 1, "fraud", "ok")
    band = precision_recall_band(names, y_score, recall_levels=[0.5, 0.1], pos_label="fraud")
    expected = precision_recall_band(y_true, y_score, recall_levels=[0.1, 0.5])
    np.testing.assert_array_equal(band, expected)


@pytest.mark.parametrize(
    ("y_true", "options", "error", "message"),
    [
        ([0, 0, 0], {"pos_label": 1}, ValueError, "positive and a negative, got 0 positives and 3"),
        ([1, 1, 1], {}, ValueError, "got 3 positives and 0 negatives"),
        ([1, 0, 1], {"confidence_level": 0.4}, ValueError, r"must be within \[0.5, 1\), got 0.4"),
        ([1, 0, 1], {"recall_levels": 1}, ValueError, "recall_levels must be at least 2"),
        ([1, 0, 1], {"prevalence": 1.5}, ValueError, "prevalence"),
        ([1, 0, 1], {"sample_weight": 1}, TypeError, "no option 'sample_weight'.*takes no weights"),
    ],
)
def test_invalid_arguments_of_a_band_are_refused(y_true, options, error, message):
    with pytest.raises(error, match=message):
        precision_recall_band(y_true, [0.3, 0.2, 0.1], **options)


def test_display_draws_the_band_at_its_level_and_prevalence():
    y_true, y_score = sample(np.random.default_rng(0), 2_000)
    for options in ({}, {"confidence_level": 0.8, "prevalence": 0.05}):
        display = AveragePrecisionDisplay.from_predictions(y_true, y_score, band=True, **options)
        (shade,) = display.ax_.collections
        assert shade.get_label() == f"{100 * options.get('confidence_level', 0.95):g}% band"
        band = precision_recall_band(y_true, y_score, recall_levels=201, **options)
        drawn = shade.get_paths()[0].vertices
        assert (drawn[:, 1].min(), drawn[:, 1].max()) == (band.low.min(), band.high.max())
        for limit in (band.low, band.high):
            points = np.column_stack((band.recall, limit))
            assert all(np.any(np.all(np.isclose(drawn, point), axis=1)) for point in points)


@pytest.mark.parametrize(
    ("options", "why"),
    [
        ({"sample_weight": np.ones(30)}, "for the curve of one ranking.*sample_weight given"),
        ({"clusters": np.arange(30)}, "for the curve of one ranking.*clusters given"),
        ({"queries": np.arange(30) % 2}, "for the curve of one ranking.*several rankings"),
        ({"definition": AtK(5)}, "for the curve of one ranking.*AtK"),
        ({"band": 0.9}, r"band must be True or False, got 0\.9\. confidence_level"),
    ],
)
def test_display_refuses_a_band_for_unsupported_options(options, why):
    y_true, y_score = sample(np.random.default_rng(0), 30)
    with pytest.raises((TypeError, ValueError), match=why):
        AveragePrecisionDisplay.from_predictions(y_true, y_score, **{"band": True} | options)
    display = AveragePrecisionDisplay.from_predictions(y_true, y_score)
    with pytest.raises(TypeError, match=r"'band' is an option of .*from_predictions .* not of fo"):
        display.plot(band=True)
