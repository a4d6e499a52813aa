"""Pictures of segments on a page: labels beside what they name, rings, and room for both."""

from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib import style
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure

from sklearn_ap import report
from sklearn_ap._base.drawing.axes import ON_LIGHT
from sklearn_ap._program.report.page.pictures import PICTURE_INCHES, POINTS_PER_INCH, STYLE
from sklearn_ap._program.report.segments._drawing import (
    RING_GREY,
    Level,
    ModelScores,
    Rings,
    SegmentNumbers,
)
from sklearn_ap._program.report.segments._rows import draw_rows
from sklearn_ap._program.report.segments._times import draw_times

LEVELS = (Level("mean of other months", 0.6, "0.60"), Level("prevalence", 0.02, "0.020", ":"))
RNG = np.random.default_rng(0)
NAMES = ("new", "gradient boosting, calibrated", "x" * 30, "weather_")


def model(name, scores, half=0.1, color=0):
    scores = np.asarray(scores, dtype=float)
    return ModelScores(
        name, scores, scores - half, scores + half, np.zeros(scores.size, bool), color
    )


def numbers_of(models, marked=(), alarming=(), levels=LEVELS, names=None, trend_line=None):
    n = models[0].scores.size
    rings = Rings(np.isin(np.arange(n), marked), np.isin(np.arange(n), alarming))
    first, *others = models
    return SegmentNumbers(
        names or [f"2026-{1 + i:02d}" for i in range(n)],
        [first._replace(rings=rings, trend_line=trend_line), *others],
        levels,
        [f"{score:.2f}, 1,234 positives" for score in models[0].scores],
    )


def months(n):
    return np.datetime64("2026-01", "M") + np.arange(n)


def drawn(draw, numbers, height=2.7, **options):
    with style.context(["default", STYLE], after_reset=True):
        figure = Figure(figsize=(PICTURE_INCHES, height), dpi=POINTS_PER_INCH)
        FigureCanvasSVG(figure)
        axis = figure.subplots()
        draw(axis, numbers, **options)
        figure.draw_without_rendering()
    return axis


def texts_of(axis):
    return [text.get_text().replace("\n", " ") for text in axis.texts]


def boxes_of(axis):
    """The boxes of all labels that are in sight."""
    (bottom, top), (left, right) = sorted(axis.get_ylim()), axis.get_xlim()
    labels = [*axis.texts]
    labels += [each for each in axis.get_xticklabels() if left <= each.get_position()[0] <= right]
    labels += [each for each in axis.get_yticklabels() if bottom <= each.get_position()[1] <= top]
    return [label.get_window_extent() for label in labels if label.get_text()]


def assert_has_room(axis):
    boxes = boxes_of(axis)
    figure = axis.figure
    assert len(boxes) > 4
    for box in boxes:
        assert -1 < box.x0 < box.x1 < figure.bbox.x1 + 1
        assert -1 < box.y0 < box.y1 < figure.bbox.y1 + 1
    assert not [1 for a, b in combinations(boxes, 2) if overlap(a, b) > 1]


def overlap(a, b):
    """The smaller side of what two boxes share, in pixels; boxes of letters have some air."""
    width = min(a.x1, b.x1) - max(a.x0, b.x0)
    height = min(a.y1, b.y1) - max(a.y0, b.y0)
    return min(width, height)


def test_series_and_lines_are_named_at_their_right_end():
    numbers = numbers_of([model("new", [0.7, 0.6, 0.5]), model("old", [0.2, 0.3, 0.25], color=1)])
    axis = drawn(draw_times, numbers, times=months(3))
    assert texts_of(axis) == [
        "new 0.50",
        "old 0.25",
        "mean of other months 0.60",
        "prevalence 0.020",
    ]
    assert [text.get_color() for text in axis.texts[:2]] == [*ON_LIGHT.models[:2]]
    assert axis.get_legend() is None
    assert not axis.get_title()
    assert not axis.get_ylabel()
    right = axis.get_window_extent().x1
    assert all(text.get_window_extent().x0 > right for text in axis.texts)


@pytest.mark.parametrize("scores", [(0.5, 0.5), (0.02, 0.02), (0.98, 0.97), (0.6, 0.02)])
@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", NAMES[:3])
def test_labels_of_crowded_and_equal_values_have_room(scores, first, second):
    models = [
        model(name, [0.5, 0.4, last]) for name, last in zip((first, second), scores, strict=True)
    ]
    levels = (LEVELS[0]._replace(value=scores[0]), LEVELS[1])
    axis = drawn(draw_times, numbers_of(models, [2], [2], levels), times=months(3))
    assert_has_room(axis)
    assert axis.get_window_extent().width > 0.5 * axis.figure.bbox.width


@pytest.mark.parametrize("first", NAMES)
@pytest.mark.parametrize("second", NAMES[:3])
@pytest.mark.parametrize("value", [0.3, 0.6])
def test_labels_above_rows_have_room(first, second, value):
    models = [model(first, [value, 0.4, 0.3]), model(second, [0.3, 0.2, 0.1])]
    levels = (LEVELS[0]._replace(value=0.1), LEVELS[1])
    numbers = numbers_of(models, [1], levels=levels, names=["a", "b", "travel and hotels " * 3])
    axis = drawn(draw_rows, numbers)
    assert_has_room(axis)
    assert axis.get_legend() is None
    assert axis.get_window_extent().width > 0.2 * axis.figure.bbox.width


@pytest.mark.parametrize(("draw", "options"), [(draw_times, {"times": months(3)}), (draw_rows, {})])
def test_two_models_are_as_strong_and_differ_in_shape(draw, options):
    numbers = numbers_of([model("new", [0.7, 0.6, 0.5]), model("old", [0.2, 0.3, 0.25], color=1)])
    axis = drawn(draw, numbers, **options)
    limits = [each for each in axis.collections if isinstance(each, LineCollection)]
    assert len({each.get_linewidth()[0] for each in limits}) == 1
    circles, diamonds = (line for line in axis.lines if line.get_marker() in "oD")
    assert (circles.get_marker(), diamonds.get_marker()) == ("o", "D")
    assert circles.get_markerfacecolor() == ON_LIGHT.models[0]
    assert diamonds.get_markerfacecolor() == ON_LIGHT.models[1]
    along = 1 if draw is draw_times else 0
    np.testing.assert_array_equal(circles.get_xydata()[:, along], numbers.models[0].scores)
    np.testing.assert_array_equal(diamonds.get_xydata()[:, along], numbers.models[1].scores)


@pytest.mark.parametrize(("draw", "options"), [(draw_times, {"times": months(4)}), (draw_rows, {})])
def test_only_alarming_rings_are_red(draw, options):
    numbers = numbers_of([model("", [0.7, 0.2, 0.9, 0.6])], marked=[1, 2], alarming=[1])
    axis = drawn(draw, numbers, **options)
    rings = [line for line in axis.lines if line.get_markerfacecolor() == "none"]
    along = 1 if draw is draw_times else 0
    colors = {float(line.get_xydata()[0, along]): line.get_color() for line in rings}
    assert colors == {0.2: ON_LIGHT.alarm, 0.9: RING_GREY}


@pytest.mark.parametrize("n_models", [1, 2])
@pytest.mark.parametrize("n_months", [6, 12])
@pytest.mark.parametrize("seed", range(6))
def test_scores_of_rings_cross_nothing(n_models, n_months, seed):
    rng = np.random.default_rng(seed)
    models = [model(name, rng.uniform(0.1, 0.9, n_months)) for name in ("new", "old")[:n_models]]
    marked = rng.choice(n_months, 3, replace=False)
    axis = drawn(draw_times, numbers_of(models, marked), times=months(n_months))
    ringed = [text for text in axis.texts if text.get_color() == RING_GREY]
    early = sorted(each for each in marked if each < n_months - 1)  # the latest has it at the end
    told = early if len(early) <= 2 else early[:1]
    circles = next(line for line in axis.lines if line.get_marker() == "o")
    places = axis.transData.transform(circles.get_xydata())[:, 0]
    nearest = []
    for text in ringed:
        box = text.get_window_extent()
        nearest.append(int(np.argmin(np.abs(places - (box.x0 + box.x1) / 2))))
        assert text.get_text() == f"{models[0].scores[nearest[-1]]:.2f}"
    assert {*nearest} <= {*told}
    assert len({*nearest}) == len(nearest)
    boxes = [text.get_window_extent() for text in ringed]
    for artist in axis.collections:
        for path in artist.get_paths():
            line = path.transformed(axis.transData).get_extents()
            assert not [1 for box in boxes if overlap(box, line.padded(0.5)) > 0]
    for line in axis.lines:
        points = line.get_transform().transform(line.get_xydata())
        for box in boxes:
            if len({*points[:, 1]}) == 1 and line.get_marker() == "None":  # a level
                assert not box.y0 < points[0, 1] < box.y1
            assert not [1 for x, y in points if box.x0 < x < box.x1 and box.y0 < y < box.y1]
    assert not [1 for a, b in combinations(boxes, 2) if overlap(a, b) > 0]
    inside = axis.get_window_extent()
    assert all(inside.x0 <= box.x0 and box.x1 <= inside.x1 + 1 for box in boxes)


@pytest.mark.parametrize(
    ("marked", "told"),
    [([1], [1]), ([1, 4], [1, 4]), ([1, 4, 5], [1, 4]), ([0, 2, 4], [0]), ([0, 1, 2, 3], [0])],
)
def test_at_most_two_ringed_scores_before_the_latest_are_written_or_else_the_first(marked, told):
    scores = [0.8, 0.79, 0.78, 0.77, 0.76, 0.75]
    axis = drawn(draw_times, numbers_of([model("", scores, half=0)], marked), times=months(6))
    ringed = [text.get_text() for text in axis.texts if text.get_color() == RING_GREY]
    assert sorted(ringed, reverse=True) == [f"{scores[place]:.2f}" for place in told]


def test_months_are_short_and_each_year_stands_once():
    names = [str(month) for month in np.datetime64("2025-09", "M") + np.arange(8)]
    scores = np.linspace(0.4, 0.6, 8)
    times = np.array(names, dtype="datetime64[M]")
    axis = drawn(draw_times, numbers_of([model("", scores)], names=names), times=times)
    labels = [label.get_text() for label in axis.get_xticklabels()]
    assert labels == ["Oct\n2025", "Dec", "Feb\n2026", "Apr"]


@pytest.mark.parametrize(
    ("names", "first", "last"),
    [
        (["2026-03-05", "2026-03-06"], "5 Mar\n2026", "6 Mar"),
        (["2025Q4", "2026Q1"], "Q4\n2025", "Q1\n2026"),
        (["2026-W05", "2026-W06"], "W05\n2026", "W06"),
        (["2026-13", "W06"], "2026-13", "W06"),
        (["first", "$a$"], "first", "$a$"),
    ],
)
def test_times_are_named_without_the_year(names, first, last):
    numbers = numbers_of([model("", [0.4, 0.5])], names=names)
    axis = drawn(draw_times, numbers, times=np.arange(2.0))
    assert [label.get_text() for label in axis.get_xticklabels()] == [first, last]
    assert not any(label.get_parse_math() for label in axis.get_xticklabels())


@pytest.mark.parametrize("n", [1, 2, 9, 12, 40, 200])
@pytest.mark.parametrize("template", ["{}", "W{:03d}", "a long name of step {}"])
def test_names_of_times_have_room_and_equal_gaps(n, template):
    names = [template.format(i) for i in range(n)]
    numbers = numbers_of([model("", RNG.uniform(size=n))], names=names)
    axis = drawn(draw_times, numbers, times=np.arange(float(n)))
    boxes = [label.get_window_extent() for label in axis.get_xticklabels()]
    assert all(left.x1 < right.x0 for left, right in pairwise(boxes))
    assert boxes[0].x0 > -1
    assert boxes[-1].x1 < axis.figure.bbox.x1 + 1
    places = axis.get_xticks()
    assert places[-1] == n - 1
    assert len({*np.diff(places)}) <= 1


@pytest.mark.parametrize(("low", "high"), [(0, 1), (0, 0.78), (0.93, 0.94), (0.001, 0.004)])
def test_scores_have_few_ticks_that_differ(low, high):
    levels = (LEVELS[0]._replace(value=low),)
    numbers = numbers_of([model("", [low, high], half=0)], levels=levels)
    axis = drawn(draw_times, numbers, times=months(2))
    bottom, top = axis.get_ylim()
    ticks = [label for label in axis.get_yticklabels() if bottom <= label.get_position()[1] <= top]
    texts = [tick.get_text() for tick in ticks]
    assert 2 <= len({*texts}) == len(texts) <= 6
    left = min(tick.get_window_extent().x0 for tick in ticks)
    assert left > -1


@pytest.mark.parametrize(
    "scores", [(0.02, 0.92), (0.3, 0.41), (0.931, 0.942), (0.001, 0.0045), (0.5, 0.5), (-0.2, 0.6)]
)
def test_ticks_frame_all_that_is_drawn(scores):
    numbers = numbers_of([model("", scores, half=0)], levels=())
    axis = drawn(draw_times, numbers, times=months(2))
    bottom, top = axis.get_ylim()
    ticks = axis.get_yticks()
    assert bottom <= ticks[0] <= min(scores) <= max(scores) <= ticks[-1] <= top
    assert 2 <= len(ticks) <= 6
    assert ticks[1] - ticks[0] > 0


@pytest.mark.parametrize("n", [1, 2, 9, 40, 200])
@pytest.mark.parametrize("n_models", [1, 2])
def test_no_marker_is_cut_at_an_end_of_the_times(n, n_models):
    models = [model(name, RNG.uniform(size=n)) for name in ("new", "old")[:n_models]]
    axis = drawn(draw_times, numbers_of(models, [0, n - 1]), times=np.arange(float(n)))
    for line in (each for each in axis.lines if each.get_marker() in "oD"):
        x = axis.transData.transform(line.get_xydata())[:, 0]
        half = line.get_markersize() / 2
        assert axis.bbox.x0 + half <= x.min()
        assert x.max() <= axis.bbox.x1 - half


def test_a_trend_is_a_line_with_its_band():
    line = np.array([[0.6, 0.5, 0.4], [0.5, 0.4, 0.3], [0.7, 0.6, 0.5]])
    numbers = numbers_of([model("", [0.6, 0.4, 0.45])], levels=(), trend_line=line)
    for draw, options, along in ((draw_times, {"times": months(3)}, 1), (draw_rows, {}, 0)):
        axis = drawn(draw, numbers, **options)
        np.testing.assert_allclose(axis.lines[0].get_xydata()[:, along], line[0])
        (band,) = [each for each in axis.collections if type(each).__name__.startswith("Fill")]
        ends = band.get_paths()[0].vertices[:, along]
        assert [ends.min(), ends.max()] == pytest.approx([0.3, 0.7])


@pytest.mark.parametrize("is_reversed", [False, True])
@pytest.mark.parametrize("color", [0, 1])
def test_a_trend_has_its_earliest_and_latest_height_at_its_right_end(is_reversed, color):
    line = np.array([[0.6, 0.5, 0.4], [0.5, 0.4, 0.3], [0.7, 0.6, 0.5]])
    numbers = numbers_of([model("", [0.65, 0.4, 0.45], color=color)], levels=(), trend_line=line)
    times = months(3)[::-1] if is_reversed else months(3)
    axis = drawn(draw_times, numbers, times=times)
    assert texts_of(axis) == (
        ["0.65", "trend 0.40 to 0.60"] if is_reversed else ["0.45", "trend 0.60 to 0.40"]
    )
    assert axis.texts[1].get_color() == ON_LIGHT.models[color]
    assert axis.texts[1].get_window_extent().x0 > axis.get_window_extent().x1
    assert_has_room(axis)


def test_points_of_few_positives_are_hollow():
    few = model("new", [0.5, 0.6, 0.4])._replace(few=np.array([False, False, True]))
    axis = drawn(draw_times, numbers_of([few]), times=np.arange(3.0))
    points, hole = (line for line in axis.lines if line.get_marker() == "o")
    assert hole.get_xydata().tolist() == [[2, 0.4]]
    assert hole.get_color() == axis.get_facecolor() != points.get_color()
    assert hole.get_markersize() < points.get_markersize()


@pytest.mark.parametrize("name", ["", "new"])
def test_the_latest_score_of_few_positives_is_not_written(name):
    few = model(name, [0.5, 0.6, 0.4])._replace(few=np.array([False, False, True]))
    axis = drawn(draw_times, numbers_of([few], levels=LEVELS[:1]), times=np.arange(3.0))
    assert texts_of(axis) == [*[name] * bool(name), "mean of other months 0.60"]


def test_the_caption_explains_hollow_points():
    n = 3_000
    month = np.array([f"2026-{1 + i:02d}" for i in np.arange(n) * 4 // n])
    y = np.arange(n) % 20 == 0
    y[month == "2026-04"] &= np.arange(n)[month == "2026-04"] % 200 == 0
    options = {"segments": {"month": month}, "parts": ["segments"]}
    subject = report(y, 2 * y + RNG.normal(size=n), **options).parts[0].picture.subject
    assert "Hollow: fewer than 10 positives." in subject
