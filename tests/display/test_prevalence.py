"""Pictures of another share of positives: curves, operating points, chance and titles."""

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE, X, Y, legend_texts
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_validate

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    definitions,
)


def test_the_curve_and_the_chance_level_are_those_of_the_prevalence():
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, prevalence=0.1)
    recall, precision = display.line_.get_data()
    assert np.trapezoid(precision, recall) == pytest.approx(377 / 1100)
    assert repr(display) == "AveragePrecisionDisplay(step AP at prevalence 0.1 = 0.343)"
    assert legend_texts(display.ax_) == ["random scores: 0.267"]
    (points,) = [line for line in display.ax_.lines if line.get_marker() == "o"]
    assert points.get_ydata()[-1] == pytest.approx(5 / (5 + 9 * 5))


def test_every_definition_and_the_interval():
    chosen = [definitions.Interpolated(11), definitions.Linear()]
    options = {"prevalence": 0.05}
    display = AveragePrecisionDisplay.from_predictions(
        Y, X[:, 0], definition=chosen, confidence_level=0.9, **options
    )
    for definition, title in zip(chosen, repr(display).split(";"), strict=True):
        found = average_precision_interval(
            Y, X[:, 0], definition=definition, confidence_level=0.9, **options
        )
        assert f"= {found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]" in title
    with pytest.raises(ValueError, match="first k ranks"):
        AveragePrecisionDisplay.from_predictions(Y, Y, definition=definitions.AtK(3), **options)
    with pytest.raises(TypeError, match="definition must be one of"):
        AveragePrecisionDisplay.from_predictions(Y, Y, definition="step", **options)


def test_folds():
    cv = cross_validate(
        LogisticRegression(), X, Y, cv=3, return_estimator=True, return_indices=True
    )
    display = AveragePrecisionDisplay.from_cv_results(cv, X, Y, prevalence=0.02)
    scores = [
        average_precision_score(Y[test], fold.decision_function(X[test]), prevalence=0.02)
        for fold, test in zip(cv["estimator"], cv["indices"]["test"], strict=True)
    ]
    assert f"at prevalence 0.02 = {np.mean(scores):.3f}" in repr(display)


def test_results_say_the_prevalence():
    models = {"a": X[:, 0], "b": X[:, 1]}
    left, _ = compare_average_precision(Y, models, prevalence=0.05).plot()
    assert left.get_xlabel() == "step average precision at prevalence 0.05"
    assert (
        "at prevalence 0.05"
        in best_average_precision(Y, models, prevalence=0.05).plot().get_xlabel()
    )


def test_the_point_at_a_recall_is_marked_at_a_prevalence():
    drawn = AveragePrecisionDisplay.from_predictions(
        Y_TRUE, Y_SCORE, definition=definitions.PrecisionAtRecall(0.8), prevalence=0.2
    )
    assert "--" in [line.get_linestyle() for line in drawn.ax_.lines]
