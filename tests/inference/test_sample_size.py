"""The size of a sample that an interval of some width takes."""

from dataclasses import replace

import numpy as np
import pytest
from interval_data import drawn

from sklearn_ap import average_precision_interval, sample_size
from sklearn_ap.definitions import AtK

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
N = 600
Y, S = drawn(N)


@pytest.mark.parametrize(
    ("options", "n_units"),
    [
        ({}, Y.sum()),
        ({"clusters": np.arange(N) // 4}, 150),
        ({"queries": np.arange(N) // 20}, 30),
        ({"prevalence": 0.05}, Y.sum()),
    ],
)
def test_the_half_width_of_a_sample_takes_its_own_size(options, n_units):
    found = average_precision_interval(Y, S, zero_division=0.0, **options)
    half_width = (found.high - found.low) / 2
    assert sample_size(found, half_width=half_width) == n_units
    sizes = [sample_size(found, half_width=share * half_width) for share in (0.9, 0.5, 0.1)]
    assert n_units < sizes[0] < sizes[1] < 4.1 * n_units
    assert 60 * n_units < sizes[2] < 101 * n_units


def test_a_sample_of_this_size_has_the_half_width():
    n = sample_size(average_precision_interval(Y, S), half_width=0.03)
    y, s = drawn(round(n * N / Y.sum()), seed=1)
    found = average_precision_interval(y, s)
    assert (found.high - found.low) / 2 == pytest.approx(0.03, rel=0.1)


def test_no_size_is_below_ten():
    assert sample_size(average_precision_interval(Y, S), half_width=0.45) == 10


def test_more_rows_do_not_narrow_a_score_of_the_first_ranks():
    ranks, share = (average_precision_interval(Y, S, definition=AtK(k)) for k in (20, 0.05))
    with pytest.raises(ValueError, match="score of the first 20 ranks, as many as in a"):
        sample_size(ranks, half_width=0.05)
    queries = np.arange(N) // 20
    options = {"queries": queries, "zero_division": 0.0}
    over_queries = average_precision_interval(Y, S, definition=AtK(5), **options)
    assert min(sample_size(each, half_width=0.05) for each in (share, over_queries)) > 10


def test_each_of_several_scores_has_its_own_size():
    queries = np.arange(N) % 3
    found = average_precision_interval(Y, S, queries=queries, average=None)
    alone = [average_precision_interval(Y[queries == i], S[queries == i]) for i in range(3)]
    sizes = [sample_size(each, half_width=0.05) for each in alone]
    assert sample_size(found, half_width=0.05).tolist() == sizes


def test_what_cannot_be_planned_is_refused():
    found = average_precision_interval(Y, S)
    with pytest.raises(ValueError, match="half_width must lie within"):
        sample_size(found, half_width=2)
    with pytest.raises(ValueError, match="half_width is 1e-06, for which a sample 1,000,000 times"):
        sample_size(found, half_width=1e-6)
    nothing = average_precision_interval(0 * Y, S, zero_division=0.0)
    with pytest.raises(ValueError, match="result must have a positive for each score"):
        sample_size(nothing, half_width=0.05)
    seen = np.where(np.arange(N) % 2, Y, np.nan)
    few = average_precision_interval(seen, S, inclusion_probability=0.5)
    with pytest.raises(ValueError, match="interval of rows that all have labels"):
        sample_size(few, half_width=0.05)


def test_one_unit_and_classes_put_together_are_refused():
    one = average_precision_interval(Y, S, clusters=np.zeros(N))
    with pytest.raises(ValueError, match="result must rest on more than one positive, cluster or"):
        sample_size(one, half_width=0.05)
    classes = replace(one, _source=one._source._replace(estimate=None))
    with pytest.raises(ValueError, match="class_intervals puts those of several classes together"):
        sample_size(classes, half_width=0.05)
    with pytest.raises(TypeError, match="result must be an Interval, such as"):
        sample_size(one.high, half_width=0.05)
