"""What sets interpolated average precision apart."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import (
    definitions,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    threshold_counts,
)


def test_artificial_last_point_of_the_curve_does_not_count():
    """With precision 1 at recall 0 it would be 0.545."""
    assert eleven_point_average_precision_score([0, 1], [0.9, 0.1]) == 0.5


@pytest.mark.parametrize("n", range(1, 31))
def test_equivalent_forms_of_eleven_recall_levels_agree(n):
    rng = np.random.default_rng(n)
    rows = rng.permutation([1] * n + [0] * n), rng.integers(0, 2 * n, 2 * n)
    value, tenths = eleven_point_average_precision_score(*rows), {"sample_weight": [0.1] * 2 * n}
    for levels in (11, np.linspace(0, 1, 11), np.arange(0, 1.05, 0.1), [j / 10 for j in range(11)]):
        assert definitions.Interpolated(levels) == definitions.Interpolated(11)
        for weights, off in (({}, 1e-15), (tenths, 1e-12)):
            found = interpolated_average_precision_score(*rows, recall_levels=levels, **weights)
            assert found == pytest.approx(value, abs=off)


@pytest.mark.parametrize("levels", [101, np.linspace(0, 1, 101)], ids=["number", "array"])
@pytest.mark.parametrize("weight", [None, np.full(100, 0.1)], ids=["unweighted", "weighted"])
@pytest.mark.parametrize("n_hits", [1, 29, 35, 41, 47, 49])
def test_recall_that_equals_a_level_reaches_it(n_hits, weight, levels):
    """29 of 50 positives reach the level 0.58 of 101, although 29 / 50 * 100 is below 58."""
    y_true = np.repeat([1, 0, 1], [n_hits, 50, 50 - n_hits])
    n_reached = 2 * n_hits + 1  # at precision 1, and the other levels at 50 / 100
    counts = threshold_counts(y_true, -np.arange(100), sample_weight=weight)
    definition = definitions.Interpolated(levels)
    expected = (n_reached + (101 - n_reached) / 2) / 101
    assert definition(counts) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(("off", "is_reached"), [(1e-15, True), (1e-13, False), (-1, True)])
def test_a_level_is_reached_up_to_rounding_of_sums_alone(off, is_reached):
    counts = threshold_counts([1, 0, 1], [3, 2, 1], sample_weight=[1 - off, 1, 1 + off])
    value = definitions.Interpolated([0.5])(counts)
    assert value == pytest.approx(1.0 if is_reached else 2 / 3, abs=1e-6)


def test_a_level_of_unweighted_recall_has_no_tolerance():
    """One positive short of 3 in 10 of ten billion: as floats, within that of weights."""
    counts, n = threshold_counts([1, 0, 1], [3, 2, 1]), 10**10
    for first, expected in ((3 * 10**9 - 1, (3 + 8 / 2) / 11), (3 * 10**9, (4 + 7 / 2) / 11)):
        tps, fps = np.array([first, n]), np.array([0, n])
        there = {"gained": np.diff(tps, prepend=0), "n_positives": np.array([n])}
        huge = replace(counts, tps=tps, fps=fps, fps_above=fps, **there)
        assert definitions.Interpolated(11)(huge) == pytest.approx(expected)


def test_the_most_recall_levels_are_about_all_recalls():
    counts = threshold_counts([1, 0, 1, 1, 0, 1], [6, 5, 4, 3, 2, 1])
    (value,), (everywhere,) = (definitions.Interpolated(n)(counts) for n in (10_000, None))
    assert value == pytest.approx(everywhere, abs=1e-4)
    with pytest.raises(ValueError, match=r"a whole number from 2 to 10,000, .* got 10001\."):
        definitions.Interpolated(10_001)


@pytest.mark.parametrize("n_positives", [10**15, 10**18, 2**63, 1e100])
@pytest.mark.parametrize("levels", [11, 101])
def test_a_huge_number_of_positives_reaches_level_0_only(n_positives, levels):
    options = {"recall_levels": levels, "n_positives": n_positives}
    assert interpolated_average_precision_score([1, 0], [2, 1], **options) == 1 / levels


@pytest.mark.parametrize("kind", [np.array, list, pd.Series, np.float32, np.float16])
def test_recall_levels_of_any_float_type_keep_their_decimals(kind):
    made = definitions.Interpolated(kind([1, 0.5, 0.1, 0.3]))
    assert repr(made) == "Interpolated(recall_levels=(1.0, 0.5, 0.1, 0.3))"
    assert repr(definitions.Interpolated(np.int64(11))) == "Interpolated(recall_levels=11)"


def test_recall_levels_may_stand_in_any_order():
    counts = threshold_counts([1, 0, 0, 1], [4, 3, 2, 1])
    found = [definitions.Interpolated(levels)(counts) for levels in ((1, 0.5, 0.4), (0.4, 0.5, 1))]
    assert found[0] == found[1] == (1 + 1 + 0.5) / 3


@pytest.mark.parametrize(
    ("levels", "title"),
    [
        (11, "eleven-point AP"),
        (np.linspace(0, 0.5, 6), "AP at recall 0, 0.1, 0.2, 0.3, 0.4 and 0.5"),
        ((0.5,), "AP at recall 0.5"),
        ((0, 0.3, 1), "AP at recall 0, 0.3 and 1"),
        (3, "AP at 3 recall levels"),
    ],
)
def test_titles_describe_the_recall_levels(levels, title):
    assert definitions.Interpolated(levels).title == title
