"""What an interval rests on: warnings, and rankings without positives."""

import warnings

import numpy as np
import pytest
from interval_data import S, Y, drawn, models, query_data
from sklearn.exceptions import UndefinedMetricWarning

import sklearn_ap
from sklearn_ap import UncertaintyWarning, average_precision_interval, compare_average_precision
from sklearn_ap.definitions import Interpolated

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_without_positives_there_is_no_interval_and_the_usual_warning():
    with pytest.warns(UndefinedMetricWarning, match="No positive class"):
        found = average_precision_interval([0, 0, 0], [0.1, 0.2, 0.3])
    assert found.estimate == 0
    assert np.isnan([found.low, found.high, found.standard_error]).all()
    with pytest.warns(UndefinedMetricWarning) as caught:
        compared = compare_average_precision([0, 0], {"a": [1.0, 2], "b": [2.0, 1]})
    assert len(caught) == 1
    assert np.isnan(compared.pvalues[1])


@pytest.mark.parametrize("fill", [0.0, 1.0, np.nan])
def test_columns_without_positives_are_filled_as_in_the_score(fill):
    y, s = drawn(100, 3)
    y[:, 1] = 0
    for average in ("macro", "weighted", None):
        options = {"average": average, "zero_division": fill}
        found = average_precision_interval(y, s, **options)
        scores = sklearn_ap.average_precision_score(y, s, **options)
        np.testing.assert_array_equal(found.estimate, scores)
        assert np.isnan(np.atleast_1d(found.low)).sum() == (average is None)


def test_a_warning_points_to_the_caller():
    with pytest.warns(UncertaintyWarning) as caught:
        average_precision_interval(Y, S)
    assert caught[0].filename == __file__
    with pytest.warns(UndefinedMetricWarning) as caught:
        compare_average_precision([0, 0], {"a": [1.0, 2], "b": [2.0, 1]})
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (lambda: average_precision_interval(Y, S), "rests on 5 positives"),
        (lambda: average_precision_interval([1, 0], [1.0, 2]), r"rests on 1 positive\. Below"),
        (
            lambda: average_precision_interval(*drawn(), clusters=np.arange(200) % 6),
            "rests on few independent cases .*: the effective number is 5",
        ),
        (
            lambda: average_precision_interval(*query_data(5)[:2], queries=query_data(5)[2]),
            "rests on few queries with a positive: the effective number is 5",
        ),
        (
            lambda: average_precision_interval(*drawn(25, 25)),
            "25 rankings, and 2[0-9] of them have at most 10 positives",
        ),
        (
            lambda: average_precision_interval(*drawn(200, 25), definition=Interpolated()),
            "by 0.0[0-9]* or more",
        ),
        (
            lambda: average_precision_interval(
                np.arange(400) < 200,
                np.random.default_rng(0).standard_cauchy(400) + np.repeat([30, 0], 200),
            ),
            "rests on few rows",
        ),
        (
            lambda: average_precision_interval(np.repeat([1, 0], 20), np.repeat([1.0, 0], 20)),
            "perfect ranking",
        ),
        (
            lambda: compare_average_precision(
                np.repeat([1, 0], 100),
                {"a": np.arange(200.0), "b": np.r_[150, np.arange(1.0, 200)]},
            ),
            "few cases",
        ),
    ],
)
def test_what_rests_on_little_says_so(call, text):
    with pytest.warns(UncertaintyWarning, match=text):
        call()


def test_what_rests_on_enough_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        average_precision_interval(*drawn())
        average_precision_interval(*drawn(200, 3))
        average_precision_interval(*query_data()[:2], queries=query_data()[2])
        compare_average_precision(*models())


def test_few_of_many_positives_are_called_effective():
    y, s = drawn(200, 25)
    assert y.sum(axis=0).min() > 10
    with pytest.warns(UncertaintyWarning, match="25 of them have at most 10 effective positives"):
        average_precision_interval(y, s, clusters=np.arange(200) // 25)
    with pytest.warns(
        UncertaintyWarning, match=r"rests on 4\.\d* effective positives \(unequal weights"
    ):
        average_precision_interval(y[:, 0], s[:, 0], sample_weight=1e-3 ** (np.cumsum(y[:, 0]) > 4))


def test_a_perfect_model_among_others_is_said():
    y, s = drawn()
    with pytest.warns(UncertaintyWarning, match="perfect ranking"):
        compare_average_precision(y, {"a": s, "b": y})
