"""The precision-recall display: rankings, definitions, names, intervals and options."""

import inspect
from dataclasses import replace

import numpy as np
import pytest
from drawings import (
    CLASSES,
    COLUMNS,
    QUERIES,
    SCORES,
    Y_SCORE,
    Y_TRUE,
    X,
    Y,
    area,
    folds_of,
    legend_texts,
)

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


def test_nothing_to_draw():
    with pytest.raises(ValueError, match="counts is an empty list"):
        AveragePrecisionDisplay([]).plot()


@pytest.mark.parametrize("average", ["macro", "weighted", "micro", "samples"])
def test_a_mean_over_columns_is_the_score_with_that_average(average):
    weight = np.linspace(1, 2, 200)
    display = AveragePrecisionDisplay.from_predictions(
        CLASSES, COLUMNS, average=average, sample_weight=weight
    )
    score = average_precision_score(CLASSES, COLUMNS, average=average, sample_weight=weight)
    assert area(display.line_) == pytest.approx(score)
    assert f"{score:.3f}" in repr(display)


def test_counts_of_several_rankings_are_drawn_with_their_mean():
    parts = folds_of((Y_TRUE, Y_SCORE), (Y_TRUE[::-1], Y_SCORE))
    both = replace(
        parts[0],
        **{
            name: np.concatenate([getattr(part, name) for part in parts])
            for name in (
                "thresholds",
                "gained",
                "tps",
                "fps",
                "fps_above",
                "n_positives",
                "n_negatives",
            )
        },
        starts=np.array([0, parts[0].thresholds.size]),
    )
    display = AveragePrecisionDisplay(both).plot()
    assert [area(line) for line in display.line_] == pytest.approx(definitions.Step()(both))
    assert area(display.mean_) == pytest.approx(definitions.Step()(both).mean())


def test_each_class_has_a_curve_of_its_own():
    words = np.array(["a", "b", "c", "d"])[CLASSES]
    display = AveragePrecisionDisplay.from_predictions(words, COLUMNS)
    scores = average_precision_score(words, COLUMNS, average=None)
    assert [area(line) for line in display.line_] == pytest.approx(scores)
    rows = [f"class {name}: {score:.3f}" for name, score in zip("abcd", scores, strict=True)]
    assert legend_texts(display.ax_)[:4] == rows
    assert len({line.get_color() for line in display.line_}) == 4


def test_each_label_has_a_curve_of_its_own():
    pandas = pytest.importorskip("pandas")
    targets = pandas.DataFrame(np.eye(4, dtype=int)[CLASSES], columns=list("wxyz"))
    display = AveragePrecisionDisplay.from_predictions(targets, COLUMNS, name="m")
    assert [row.split(":")[0] for row in legend_texts(display.ax_)[:4]] == [
        f"m, {name}" for name in "wxyz"
    ]


def test_many_labels_share_a_style():
    rng = np.random.default_rng(0)
    targets, scores = rng.integers(0, 2, (50, 20)), rng.random((50, 20))
    display = AveragePrecisionDisplay.from_predictions(targets, scores)
    assert len(display.line_) == 20
    assert legend_texts(display.ax_)[0].startswith("mean of 20 labels")


def test_what_is_no_counts_is_refused():
    with pytest.raises(TypeError, match="counts must be ThresholdCounts or a list"):
        AveragePrecisionDisplay([0.5]).plot()


def limits(interval, i=()):
    numbers = (np.asarray(getattr(interval, name))[i] for name in ("estimate", "low", "high"))
    return "{:.2f} [{:.2f}, {:.2f}]".format(*numbers)


def test_the_legend_gives_the_interval_on_request():
    weight = np.linspace(1, 2, Y.size)
    display = AveragePrecisionDisplay.from_predictions(
        Y, SCORES, sample_weight=weight, confidence_level=0.8, name="m"
    )
    interval = average_precision_interval(Y, SCORES, sample_weight=weight, confidence_level=0.8)
    assert legend_texts(display.ax_)[0] == f"m: {limits(interval)}"


def test_the_interval_of_one_class_of_words():
    words = np.array(["a", "b", "c", "d"])[CLASSES]
    display = AveragePrecisionDisplay.from_predictions(
        words, COLUMNS[:, 2], pos_label="c", confidence_level=0.95, name="c"
    )
    interval = average_precision_interval(words == "c", COLUMNS[:, 2])
    assert legend_texts(display.ax_)[0] == f"c: {limits(interval)}"


def test_each_definition_has_its_interval():
    chosen = [definitions.Step(), definitions.Linear()]
    display = AveragePrecisionDisplay.from_predictions(
        Y, SCORES, definition=chosen, confidence_level=0.95
    )
    for axis, definition in zip(display.ax_, chosen, strict=True):
        interval = average_precision_interval(Y, SCORES, definition=definition)
        words = definition.title.replace("AP", "average precision")
        assert axis.get_title() == f"{words} = {limits(interval)}"


@pytest.mark.filterwarnings("ignore:1 of 40 rankings have no positive")
@pytest.mark.filterwarnings("ignore:few queries")
def test_queries_and_columns_have_intervals():
    display = AveragePrecisionDisplay.from_predictions(
        Y, SCORES, queries=QUERIES, confidence_level=0.95
    )
    interval = average_precision_interval(Y, SCORES, queries=QUERIES, zero_division=0.0)
    assert legend_texts(display.ax_)[0].endswith(limits(interval))
    display = AveragePrecisionDisplay.from_predictions(CLASSES, COLUMNS, confidence_level=0.95)
    interval = average_precision_interval(CLASSES, COLUMNS, average=None)
    expected = [f"class {i}: {limits(interval, i)}" for i in range(4)]
    assert legend_texts(display.ax_)[:4] == expected
    display = AveragePrecisionDisplay.from_predictions(
        CLASSES, COLUMNS, average="weighted", confidence_level=0.95
    )
    interval = average_precision_interval(CLASSES, COLUMNS, average="weighted")
    assert legend_texts(display.ax_)[0].endswith(limits(interval))
