"""The precision-recall display: rankings, definitions, names, intervals and options."""

import numpy as np
import pandas as pd
import pytest
from drawings import (
    CLASSES,
    COLUMNS,
    QUERIES,
    SCORES,
    Y_SCORE,
    Y_TRUE,
    Y,
    area,
    folds_of,
    legend_texts,
)
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Interpolated, Linear, PrecisionAtK, Step

draw = AveragePrecisionDisplay.from_predictions


def test_several_definitions_are_drawn_side_by_side():
    chosen = [Step(), Interpolated(11), AtK(3, "hits"), Linear()]
    display = draw(Y_TRUE, Y_SCORE, definition=chosen)
    assert len(display.figure_.axes) == display.ax_.size == len(display.line_) == 4
    assert [samples is not None for samples in display.samples_] == [False, True, False, False]
    assert repr(display) == (
        "AveragePrecisionDisplay(step AP = 0.717; eleven-point AP = 0.758; "
        "AP@3 over hits = 0.833; linear AP = 0.744)"
    )


def test_list_of_names_labels_each_ranking():
    display = AveragePrecisionDisplay(
        folds_of((Y_TRUE, Y_SCORE), (Y_TRUE[::-1], Y_SCORE)), name=["first", "second"]
    ).plot(curve_kwargs=[{"lw": 1}, {"lw": 2}])
    assert legend_texts(display.ax_)[:2] == ["first: 0.717", "second: 0.541"]
    assert [line.get_linewidth() for line in display.line_] == [1, 2]
    alone = draw(Y_TRUE, Y_SCORE, definition=[Step()], plot_chance_level=False)
    assert alone.chance_level_ == [None]


def test_each_class_or_label_has_a_curve_of_its_own():
    words = np.array(["a", "b", "c", "d"])[CLASSES]
    display = draw(words, COLUMNS)
    scores = average_precision_score(words, COLUMNS, average=None)
    assert [area(line) for line in display.line_] == pytest.approx(scores)
    rows = [f"class {name}: {score:.3f}" for name, score in zip("abcd", scores, strict=True)]
    assert legend_texts(display.ax_)[:4] == rows
    assert len({line.get_color() for line in display.line_}) == 4
    targets = pd.DataFrame(np.eye(4, dtype=int)[CLASSES], columns=list("wxyz"))
    display = draw(targets, COLUMNS, name="m")
    names = [row.split(":")[0] for row in legend_texts(display.ax_)[:4]]
    assert names == [f"m, {name}" for name in "wxyz"]
    micro = draw(targets, COLUMNS, name="m", average="micro")
    assert legend_texts(micro.ax_)[0].startswith("m, micro-average: ")


def test_curves_of_many_labels_share_one_legend_row():
    display = draw(np.tile([[0], [1]], 20), np.ones((2, 20)))
    assert len(display.line_) == 20
    assert legend_texts(display.ax_)[0].startswith("mean of 20 labels")


def test_each_definition_has_its_interval():
    chosen, limits = [Step(), Linear()], []
    options = {"sample_weight": np.linspace(1, 2, Y.size), "confidence_level": 0.8}
    for definition in chosen:
        found = average_precision_interval(Y, SCORES, definition=definition, **options)
        limits.append(f"{found.estimate:.2f} [{found.low:.2f}, {found.high:.2f}]")
    step, linear = draw(Y, SCORES, definition=chosen, **options).ax_
    assert step.get_title() == f"average precision = {limits[0]}"
    assert linear.get_title() == f"linear average precision = {limits[1]}"
    alone = draw(Y, SCORES, name="m", **options)
    assert legend_texts(alone.ax_)[0] == f"m: {limits[0]}"


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_queries_without_positives_are_warned_of_once_with_an_interval():
    with pytest.warns(UndefinedMetricWarning) as record:
        draw(Y, SCORES, queries=QUERIES, confidence_level=0.9)
    assert [each.category for each in record].count(UndefinedMetricWarning) == 1


COUNTS = threshold_counts(Y_TRUE, Y_SCORE)
TWO = [COUNTS, COUNTS]
WRONG = [
    ([], {}, {}, "counts is an empty list"),
    ([0.5], {}, {}, "counts must be ThresholdCounts or a list"),
    (COUNTS, {"definition": []}, {}, "definition is an empty list"),
    (COUNTS, {"definition": average_precision_score}, {}, "definition must be one of sklearn_ap"),
    (COUNTS, {"definition": PrecisionAtK(3)}, {}, "has no line to draw"),
    *((TWO, {"weights": w}, {}, "hold 2 finite numbers") for w in ([1], [1, -1], [1, np.nan])),
    (TWO, {}, {"name": ["one"]}, "name must hold 2 names"),
    (TWO, {"name": ["a", "b"]}, {"curve_kwargs": [{}]}, "curve_kwargs must be a dict or a list of"),
    (COUNTS, {"definition": [Step()] * 2, "intervals": COUNTS}, {}, "intervals must hold 2, one"),
]


@pytest.mark.parametrize(("counts", "options", "of_plot", "message"), WRONG)
def test_invalid_display_arguments_are_refused(counts, options, of_plot, message):
    with pytest.raises((TypeError, ValueError), match=message):
        AveragePrecisionDisplay(counts, **options).plot(**of_plot)
