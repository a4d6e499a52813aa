"""Results where positives are as rare as the user says."""

from functools import partial

import numpy as np
import pytest
from matplotlib import pyplot as plt

from sklearn_ap import (
    AveragePrecisionDisplay,
    FoldPredictions,
    Interval,
    average_precision_interval,
    average_precision_score,
    chance_test,
    compare_average_precision,
    compare_segments,
    definitions,
    threshold_counts,
)
from sklearn_ap.definitions import Interpolated, Step

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
SYSTEMS = {"a": Y + RNG.normal(size=200), "b": Y + RNG.normal(size=200)}


def drawn(y_true, y_score, **options):
    plt.close("all")
    return AveragePrecisionDisplay.from_predictions(y_true, y_score, **options)


RESULTS = {
    "interval": (average_precision_interval, SYSTEMS["a"]),
    "labels": (
        lambda y, s, **options: average_precision_interval(
            np.where(np.arange(200) % 2, y, np.nan), s, inclusion_probability="equal", **options
        ),
        SYSTEMS["a"],
    ),
    "counts": (
        lambda y, s, **options: Interval.from_counts(threshold_counts(y, s), **options),
        SYSTEMS["a"],
    ),
    "folds": (
        lambda y, s, **options: average_precision_interval(
            y, FoldPredictions({"y_score": s, "folds": np.arange(200) % 4}), **options
        ),
        SYSTEMS["a"],
    ),
    "comparison": (compare_average_precision, SYSTEMS),
    "best": (partial(compare_average_precision, reference="best"), SYSTEMS),
    "chance": (chance_test, SYSTEMS["a"]),
    "segments": (
        lambda y, s, **options: compare_segments(y, s, np.arange(200) % 2, **options),
        SYSTEMS["a"],
    ),
    "display": (drawn, SYSTEMS["a"]),
}


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("name", RESULTS)
def test_the_definition_of_a_result_can_be_passed_back(name):
    function, scores = RESULTS[name]
    for definition in (Step(), Interpolated(11)):
        result = function(Y, scores, definition=definition, prevalence=0.05)
        found = getattr(result, "sample", result)
        target = getattr(found, "target_prevalence", getattr(found, "prevalence", None))
        assert found.definition == definition
        assert eval(repr(found.definition), {**vars(definitions)}) == definition
        assert target == 0.05
        back = average_precision_score(Y, SYSTEMS["a"], definition=found.definition, prevalence=0.5)
        assert back == average_precision_score(
            Y, SYSTEMS["a"], definition=definition, prevalence=0.5
        )
        again = function(Y, scores, definition=found.definition, prevalence=target)
        assert str(again) == str(result)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_standard_errors_at_tiny_and_small_prevalence_agree():
    """The score is then the share of the positives above all negatives, which varies."""
    errors = [
        average_precision_interval(Y, SYSTEMS["a"], prevalence=p).standard_error
        for p in (1e-12, 1e-20, 1e-50, 1e-99)
    ]
    assert errors[0] > 0.001
    np.testing.assert_allclose(errors, errors[0], rtol=1e-6)
