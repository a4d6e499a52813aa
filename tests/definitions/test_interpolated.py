"""What sets interpolated average precision apart."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from every import every

from sklearn_ap import (
    definitions,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    threshold_counts,
)


def test_the_artificial_last_point_of_the_curve_is_no_part_of_it():
    """With precision 1 at recall 0 it would be 0.545."""
    assert eleven_point_average_precision_score([0, 1], [0.9, 0.1]) == 0.5


def test_levels_are_compared_exactly():
    """Three of ten positives reach recall 0.3, though 3/10 >= 3 * 0.1 is False in floats."""
    hits = [1, 1, 1] + 7 * [0] + 7 * [1]
    assert eleven_point_average_precision_score(hits, -np.arange(17)) == pytest.approx(
        (4 * 1 + 7 * 10 / 17) / 11
    )


@every("n", range(1, 31))
def test_eleven_levels_said_in_three_ways_agree(n):
    rng = np.random.default_rng(n)
    y_true = rng.permutation([1] * n + [0] * n)
    y_score = rng.integers(0, 2 * n, 2 * n)
    value = eleven_point_average_precision_score(y_true, y_score)
    for levels in (11, np.linspace(0, 1, 11), np.arange(0, 1.05, 0.1), [j / 10 for j in range(11)]):
        options = {"recall_levels": levels}
        assert interpolated_average_precision_score(y_true, y_score, **options) == pytest.approx(
            value, abs=1e-15
        )
        weighted = interpolated_average_precision_score(
            y_true, y_score, sample_weight=np.full(2 * n, 0.1), **options
        )
        assert weighted == pytest.approx(value, abs=1e-12)


def test_precision_beyond_the_last_recall_is_0():
    counts = threshold_counts([1, 0], [0.9, 0.8])
    missed = interpolated_average_precision_score([1, 0], [0.9, 0.8], n_positives=2)
    assert definitions.Interpolated()(counts) == 1.0
    assert missed == 0.5


def test_objects_without_a_hit_score_0_at_every_level():
    values = interpolated_average_precision_score(
        [0, 0, 1], [3, 2, 1], queries=[1, 1, 2], n_positives=[5, 1], recall_levels=3, average=None
    )
    np.testing.assert_array_equal(values, [0.0, 1.0])


def test_without_positives_it_is_nan_at_levels_too():
    counts = threshold_counts([0, 0], [1, 2])
    assert np.isnan(definitions.Interpolated()(counts))
    assert np.isnan(definitions.Interpolated(11)(counts))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
def test_levels_of_any_precision_are_the_decimals_that_were_meant(dtype):
    y_true = [1] + 5 * [0] + 9 * [1]
    levels = np.linspace(0, 1, 11).astype(dtype)
    value = interpolated_average_precision_score(y_true, -np.arange(15), recall_levels=levels)
    assert value == eleven_point_average_precision_score(y_true, -np.arange(15))


@pytest.mark.parametrize("n_positives", [10**15, 10**18, 2**63, 1e300])
@pytest.mark.parametrize("levels", [11, 101])
def test_a_huge_number_of_positives_reaches_level_0_only(n_positives, levels):
    options = {"recall_levels": levels, "n_positives": n_positives}
    assert interpolated_average_precision_score([1, 0], [2, 1], **options) == 1 / levels


def test_levels_may_be_counted_by_any_integer():
    counts = threshold_counts([1, 0, 1], [3, 2, 1])
    expected = definitions.Interpolated(11)(counts)
    for levels in (np.int64(11), np.uint8(11), np.linspace(0, 1, 11), list(np.linspace(0, 1, 11))):
        assert definitions.Interpolated(levels)(counts) == pytest.approx(expected)


@pytest.mark.parametrize("kind", [np.array, list, tuple, pd.Series, np.float32, np.float16])
def test_levels_are_kept_as_a_tuple_of_floats(kind):
    made = definitions.Interpolated(kind([0.1, 0.5, 1]))
    assert made == definitions.Interpolated((0.1, 0.5, 1.0))
    assert hash(made) == hash(definitions.Interpolated((0.1, 0.5, 1.0)))
    assert repr(made) == "Interpolated(recall_levels=(0.1, 0.5, 1.0))"
    assert repr(definitions.Interpolated(np.int64(11))) == "Interpolated(recall_levels=11)"


def test_the_order_of_levels_does_not_matter():
    counts = threshold_counts([1, 0, 1, 0], [4, 3, 2, 1])
    turned, straight = (definitions.Interpolated(levels) for levels in ((1, 0.5, 0), (0, 0.5, 1)))
    assert turned(counts) == straight(counts)
    np.testing.assert_array_equal(turned.samples(counts), straight.samples(counts))


def test_titles_say_which_levels():
    titles = {
        None: "interpolated AP",
        11: "eleven-point AP",
        101: "AP at 101 recall levels",
        tuple(np.linspace(0, 1, 11)): "eleven-point AP",
        tuple(np.linspace(0, 0.5, 11)): "AP at 11 recall levels",
        (0.1, 0.5): "AP at 2 recall levels",
        (0.5,): "AP at 1 recall level",
        2**62: f"AP at {2**62} recall levels",
    }
    for levels, title in titles.items():
        assert definitions.Interpolated(levels).title == title


def test_samples_are_levels_with_the_envelope_there():
    counts = threshold_counts([0, 1, 1, 0], [4, 3, 2, 1])
    levels, heights = definitions.Interpolated(3).samples(
        replace(counts, n_positives=np.array([4]))
    )
    assert levels.tolist() == [0, 0.5, 1]
    assert heights == pytest.approx([2 / 3, 2 / 3, 0])
    assert definitions.Interpolated().samples(counts) is None


def test_levels_too_many_for_integers_of_64_bits_average_everywhere():
    """4 positives times 2**62 levels are 2**64."""
    counts = threshold_counts([1, 0, 1, 1, 0, 1], [6, 5, 4, 3, 2, 1])
    (value,), (everywhere,) = (definitions.Interpolated(levels)(counts) for levels in (2**62, None))
    assert value == pytest.approx(everywhere, rel=1e-12)
