"""Several definitions, names and options of the precision-recall display."""

import inspect

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE, X, Y, folds_of, legend_texts

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    definitions,
    threshold_counts,
)


def test_several_definitions_stand_side_by_side():
    chosen = [
        definitions.Step(),
        definitions.Interpolated(recall_levels=11),
        definitions.AtK(k=3, normalizer="hits"),
        definitions.Linear(),
    ]
    display = AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=chosen)
    assert len(display.figure_.axes) == display.ax_.size == len(display.line_) == 4
    assert [samples is not None for samples in display.samples_] == [False, True, False, False]
    assert repr(display) == (
        "AveragePrecisionDisplay(step AP = 0.717; eleven-point AP = 0.758; "
        "AP@3 over hits = 0.833; linear AP = 0.744)"
    )


def test_an_empty_list_of_definitions_is_refused():
    with pytest.raises(ValueError, match="definition is an empty list"):
        AveragePrecisionDisplay.from_predictions(Y_TRUE, Y_SCORE, definition=[])


@pytest.mark.parametrize("weights", [[1], [1, 2, 3], [1, -1], [1, np.nan], 1])
def test_weights_are_one_for_each_ranking(weights):
    counts = [threshold_counts(Y_TRUE, Y_SCORE)] * 2
    with pytest.raises(ValueError, match="weights must hold 2 finite numbers"):
        AveragePrecisionDisplay(counts, weights=weights).plot()


def test_intervals_are_one_for_each_definition():
    two = [definitions.Step(), definitions.Linear()]
    counts, one = threshold_counts(Y, X[:, 0]), average_precision_interval(Y, X[:, 0])
    with pytest.raises(ValueError, match="intervals must hold 2, one for each definition, got 1"):
        AveragePrecisionDisplay(counts, definition=two, intervals=one).plot()


def test_what_a_score_takes_a_display_takes():
    options = set(inspect.signature(average_precision_score).parameters) - {"zero_division"}
    assert options <= set(inspect.signature(AveragePrecisionDisplay.from_predictions).parameters)


def test_a_list_names_each_ranking():
    display = AveragePrecisionDisplay(
        folds_of((Y_TRUE, Y_SCORE), (Y_TRUE[::-1], Y_SCORE)), name=["first", "second"]
    ).plot(curve_kwargs=[{"lw": 1}, {"lw": 2}])
    assert legend_texts(display.ax_)[:2] == ["first: 0.717", "second: 0.541"]
    assert [line.get_linewidth() for line in display.line_] == [1, 2]
    with pytest.raises(ValueError, match="name must hold 2 names"):
        display.plot(name=["one"])
    with pytest.raises(ValueError, match="curve_kwargs must be a dict or a list of 2"):
        display.plot(curve_kwargs=[{}])


def test_what_scikit_learn_s_displays_take():
    display = AveragePrecisionDisplay.from_predictions(
        Y_TRUE,
        Y_SCORE,
        curve_kwargs={"color": "red"},
        plot_chance_level=True,
        chance_level_kw={"c": "blue"},
        despine=True,
    )
    assert display.line_.get_color() == "red"
    assert display.chance_level_.get_color() == "blue"
    assert not display.ax_.spines["top"].get_visible()
    several = AveragePrecisionDisplay.from_predictions(
        Y_TRUE, Y_SCORE, definition=[definitions.Step()], plot_chance_level=False
    )
    assert several.chance_level_ == [None]
