"""Fixed rankings whose clusters are drawn: classes over images, tasks over molecules."""

from itertools import product

import numpy as np
import pytest
from every import every

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
)
from sklearn_ap.definitions import AtK, Expected, Interpolated, Linear, PrecisionAtRecall, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")

N_ROWS, N_COLUMNS = 120, 4
RNG = np.random.default_rng(0)
Y = (RNG.random((N_ROWS, N_COLUMNS)) < [0.5, 0.3, 0.2, 0.15]).astype(int)
S = np.round(RNG.normal(size=Y.shape) + Y + RNG.normal(size=(N_ROWS, 1)), 1)
OTHER = S + np.round(RNG.normal(size=Y.shape), 1)
WEIGHT = RNG.random(N_ROWS) + 0.1
PATIENT = RNG.integers(0, 30, N_ROWS)
ORDER = RNG.permutation(Y.size)  # rows of the long form may be in any order
DEFINITIONS = [Step(), Linear(), Interpolated(11), Expected(), AtK(5), PrecisionAtRecall(0.5)]
OPTIONS = {
    "plain": {},
    "weights": {"sample_weight": WEIGHT},
    "patients": {"clusters": PATIENT},
    "patients and weights": {"clusters": PATIENT, "sample_weight": WEIGHT},
    "known positives": {"n_positives": np.add(Y.sum(axis=0), [0, 3, 1, 2])},
    "prevalence": {"prevalence": 0.05},
}


def long(values):
    """A table, or a column of its rows, in the long form."""
    values = np.asarray(values)
    return (np.repeat(values, N_COLUMNS) if values.ndim == 1 else values.ravel())[ORDER]


def long_options(options):
    rows = {"clusters": np.arange(N_ROWS)} | options
    longed = {
        name: long(value) if name in ("clusters", "sample_weight") else value
        for name, value in rows.items()
    }
    return longed | {"queries": np.tile(np.arange(N_COLUMNS), N_ROWS)[ORDER]}


def goes(definition, options):
    if isinstance(definition, Expected) and {"sample_weight", "prevalence"} & {*options}:
        return False
    return definition.depth is None or "prevalence" not in options


every_cell = every(
    ("definition", "options", "average"),
    [
        (definition, options, average)
        for definition, options in product(DEFINITIONS, OPTIONS.values())
        for average in ("macro", "weighted")
        if goes(definition, options)
    ],
)


class TestTheLongFormIsTheTable:
    """Of a table without gaps: queries=column and clusters=row, or the cluster of the row."""

    def both(self, call, scores, definition, options, average):
        given = {"definition": definition, "average": average, "n_resamples": 49}
        longed = {name: long(score) for name, score in scores.items()}
        return [
            call(labels, found, **given | some)
            for labels, found, some in (
                (Y, scores, options),
                (long(Y), longed, long_options(options)),
            )
        ]

    def same(self, table, longed, names, definition):
        # A numerical derivative keeps fewer digits.
        tolerance = 1e-10 if isinstance(definition, Linear) else 1e-12
        for name in names:
            expected, found = getattr(table, name), getattr(longed, name)
            np.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)

    @every_cell
    def test_of_an_interval(self, definition, options, average):
        def call(y_true, scores, **given):
            return average_precision_interval(y_true, scores["A"], **given)

        found = self.both(call, {"A": S}, definition, options, average)
        names = ("estimate", "standard_error", "low", "high", "bias", "n_effective")
        self.same(*found, names, definition)

    @every_cell
    def test_of_a_comparison(self, definition, options, average):
        scores = {"A": S, "B": OTHER}
        found = self.both(compare_average_precision, scores, definition, options, average)
        names = ("differences", "difference_lows", "difference_highs", "pvalues", "lows", "highs")
        self.same(*found, names, definition)

    @every_cell
    def test_of_the_best_of_many(self, definition, options, average):
        scores = {"A": S, "B": OTHER, "C": -S}
        found = self.both(best_average_precision, scores, definition, options, average)
        self.same(*found, ("estimates", "lows", "highs"), definition)
        assert found[0].may_be_best == found[1].may_be_best


def test_each_ranking_has_an_interval_over_clusters():
    table = average_precision_interval(Y, S, clusters=PATIENT, average=None)
    longed = average_precision_interval(
        long(Y), long(S), average=None, **long_options({"clusters": PATIENT})
    )
    for name in ("estimate", "standard_error", "low", "high", "n_effective"):
        np.testing.assert_allclose(getattr(longed, name), getattr(table, name), rtol=1e-12)


def detections(n_images=60):
    """Three classes, one of them in few images, and a fifth of the objects without a detection."""
    rng = np.random.default_rng(1)
    size = 20 * n_images
    image, category = rng.integers(0, n_images, size), rng.choice(3, size, p=[0.7, 0.25, 0.05])
    y = (rng.random(size) < 0.3).astype(int)
    s = rng.normal(size=size) + y + rng.normal(size=n_images)[image]
    return y, np.where((y == 1) & (rng.random(size) < 0.2), -np.inf, s), category, image


def test_the_standard_error_is_that_of_drawn_images():
    y, s, category, image = detections()
    found = average_precision_interval(y, s, queries=category, clusters=image)
    rng, values = np.random.default_rng(0), []
    rows = [np.flatnonzero(image == i) for i in range(60)]
    for _ in range(600):
        drawn = np.concatenate([rows[i] for i in rng.integers(0, 60, 60)])
        values.append(average_precision_score(y[drawn], s[drawn], queries=category[drawn]))
    np.testing.assert_allclose(found.standard_error, np.std(values), rtol=0.1)
    assert found.estimate == average_precision_score(y, s, queries=category)
    assert found.method == "influence"


def test_names_of_classes_and_images_do_not_matter():
    y, s, category, image = detections()
    expected = average_precision_interval(y, s, queries=category, clusters=image)
    named = np.array(["cat", "dog", "eel"])[category], np.array([f"{i}.png" for i in range(60)])
    found = average_precision_interval(y, s, queries=named[0], clusters=named[1][image])
    np.testing.assert_allclose([found.low, found.high], [expected.low, expected.high], rtol=1e-12)


def test_a_missed_object_belongs_to_its_image():
    """Many missed objects in one image say less than the same number in many images."""
    y, s, category, image = detections()
    missed = np.isneginf(s)
    uncertainty = average_precision_interval(y, s, queries=category, clusters=image)
    crowded = average_precision_interval(
        y, s, queries=category, clusters=np.where(missed, 0, image)
    )
    assert crowded.standard_error > 1.05 * uncertainty.standard_error
    assert crowded.estimate == uncertainty.estimate


def test_few_images_are_warned_of():
    y, s, category, image = detections(6)
    with pytest.warns(UncertaintyWarning, match="^few clusters: "):
        average_precision_interval(y, s, queries=category, clusters=image)


def test_one_image_says_nothing_of_others():
    y, s, category, image = detections()
    found = average_precision_interval(y, s, queries=category, clusters=0 * image)
    assert (found.low, found.high) == (0.0, 1.0)


def test_a_class_without_objects_is_left_out_or_counts_0():
    y, s, category, image = detections()
    y, s, category, image = map(np.append, (y, s, category, image), (0, 0.1, 9, 5))
    options = {"queries": category, "clusters": image}
    kept = average_precision_interval(y, s, **options, zero_division=np.nan)
    expected = average_precision_score(y, s, queries=category, zero_division=np.nan)
    assert kept.estimate == expected
    with_zero = average_precision_interval(y, s, **options, zero_division=0.0)
    np.testing.assert_allclose(with_zero.estimate, 0.75 * expected)


def sessions():
    """Four queries of each of 40 users, whose taste is easy or hard to meet."""
    rng = np.random.default_rng(0)
    user, query = np.repeat(np.arange(40), 40), np.repeat(np.arange(160), 10)
    y = (rng.random(user.size) < 0.3).astype(int)
    return y, rng.normal(size=y.size) + y * (1 + rng.normal(size=40)[user]), query, user


def test_queries_of_one_cluster_are_drawn_with_it():
    y, s, query, user = sessions()
    options = {"zero_division": np.nan}
    found = average_precision_interval(y, s, queries=query, clusters=user, **options)
    values = average_precision_score(y, s, queries=query, average=None, **options)
    kept = ~np.isnan(values)
    apart = np.where(kept, values - np.nanmean(values), 0.0)
    by_user = apart.reshape(40, 4).sum(axis=1) / np.count_nonzero(kept)
    assert found.method == "queries"
    assert found.standard_error == pytest.approx(np.sqrt(by_user @ by_user), rel=0.03)
    alone = average_precision_interval(y, s, queries=query, **options)
    assert found.standard_error > 1.2 * alone.standard_error
    same = average_precision_interval(y, s, queries=query, clusters=query, **options)
    np.testing.assert_allclose([same.low, same.high], [alone.low, alone.high], rtol=1e-12)


def test_a_query_of_one_cluster_has_no_interval_of_its_own():
    y, s, query, user = sessions()
    with pytest.raises(ValueError, match=r"Each query lies in one cluster.*leave clusters out"):
        average_precision_interval(y, s, queries=query, clusters=user, average=None)
