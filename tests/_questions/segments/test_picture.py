"""Pictures of segments: rows, or points in time."""

from itertools import pairwise

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgb

from sklearn_ap import compare_segments
from sklearn_ap._base.drawing.axes import ON_LIGHT
from sklearn_ap._base.drawing.heights import NAME_HEIGHT, fit_height
from sklearn_ap.definitions import Interpolated, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, 900)
Y = (RNG.random(900) < 0.2).astype(int)
S = np.where(CODES == 2, 0.2, 2.0) * Y + RNG.normal(size=900)


def parts(axis):
    """The limits, the points and their colours."""
    (bars,) = [each for each in axis.collections if isinstance(each, LineCollection)]
    (points,) = [each for each in axis.collections if isinstance(each, PathCollection)]
    return np.array(bars.get_segments()), points.get_offsets().data, points.get_facecolors()


def key_of(axis):
    """The rows of the legend."""
    legend = axis.get_legend()
    texts = [] if legend is None else [text.get_text() for text in legend.get_texts()]
    return [text.replace("\N{NO-BREAK SPACE}", " ").replace("\n", " ") for text in texts]


def below(axis):
    """The words below the axis, without their line breaks."""
    return " ".join(axis.get_xlabel().split("\n"))


def lines_of(axis, *styles):
    return [line for line in axis.lines if line.get_linestyle() in styles]


def test_picture_has_a_row_per_segment_and_a_mean_line():
    found = compare_segments(Y, S, np.array(["x", "y", "z"])[CODES], reference="x")
    axis = found.plot()
    limits, points, colors = parts(axis)
    np.testing.assert_allclose(limits[:, :, 0], np.stack((found.lows, found.highs), axis=1))
    np.testing.assert_allclose(points, np.stack((found.estimates, range(3)), axis=1))
    assert [each.get_text() for each in axis.get_yticklabels()] == ["x", "y", "z"]
    assert axis.lines[0].get_xdata()[0] == found.overall
    assert below(axis).startswith(
        f"average precision at prevalence {Y.mean():.2g}, 95% interval in brackets: effective posi"
    )
    assert below(axis).endswith(f"tives 900 rows, {Y.sum()} positives")
    # z differs from x, and a reference has no difference
    assert (colors[0] == colors[1]).all()
    np.testing.assert_allclose(colors[2, :3], to_rgb(ON_LIGHT.models[1]))
    assert key_of(axis) == [
        "lower than x (adjusted p < 0.05)",
        "mean weighted by positives",
        "random order",
    ]
    texts = [text.get_text() for text in axis.texts]
    pairs = zip(found.estimates, found.n_effective, strict=True)
    assert texts == [f"{estimate:.2f} ({int(n)})" for estimate, n in pairs]  # as in tables
    nearer = S + 0.6 * (CODES == 2) * Y
    found = compare_segments(Y, nearer, CODES, reference=0, prevalence=None)
    assert found.pvalues[2] < 0.05 < found.adjusted_pvalues[2]
    _, axis = plt.subplots()
    assert found.plot(axis) is axis
    colors = parts(axis)[2]
    assert (colors == colors[0]).all()
    assert axis.get_xlabel().split("\n")[0] == ("average precision, 95% interval")
    assert key_of(axis)[-1] == "mean weighted by positives"  # segments have a chance level each
    texts = [text.get_text() for text in axis.texts]
    pairs = zip(found.estimates, found.n_positives, strict=True)
    assert texts == [f"{estimate:.2f}, {n:g} positives" for estimate, n in pairs]


def test_higher_and_lower_scores_have_their_own_colors():
    shift = np.choose(CODES, [0.2, 1.2, 2.5])
    found = compare_segments(Y, shift * Y + RNG.normal(size=900), CODES)
    assert (found.adjusted_pvalues[[0, 2]] < 0.05).all()
    axis = found.plot()
    colors = parts(axis)[2]
    np.testing.assert_allclose(colors[0, :3], to_rgb(ON_LIGHT.models[1]))
    np.testing.assert_allclose(colors[2, :3], to_rgb(ON_LIGHT.models[0]))
    than = "than the others (adjusted p < 0.05)"
    assert key_of(axis)[:2] == [f"lower {than}", f"higher {than}"]
    legend = axis.get_legend()
    handles = [to_rgb(each.get_color()) for each in legend.legend_handles[:2]]
    assert handles == [to_rgb(ON_LIGHT.models[1]), to_rgb(ON_LIGHT.models[0])]


@pytest.mark.parametrize(
    "given", [CODES[:30], np.datetime64("2024-01") + CODES[:30] * np.timedelta64(1, "M")]
)
def test_picture_without_a_mean_has_no_line(given):
    axis = compare_segments(Y[:30], S[:30], given, reference=given[0]).plot()
    assert not lines_of(axis, "-")
    assert key_of(axis) == ["random order"]  # nothing is in colour


@pytest.mark.parametrize("has_difference", [False, True])
def test_a_single_segment_with_enough_positives_is_not_drawn_as_a_mean(has_difference):
    segments = np.where(CODES < 2, "large", np.where(np.arange(900) < 130, "small", "tiny"))
    is_left_out = (CODES == 2) & (np.arange(900) > 180)
    y, scores, segments = Y[~is_left_out], S[~is_left_out], segments[~is_left_out]
    if has_difference:
        scores = np.where(segments == "small", -3.0 * y, scores)
    found = compare_segments(y, scores, segments)
    assert np.isnan(found.differences).tolist() == [True, False, False]
    assert found.overall == pytest.approx(found.estimates[0])
    axis = found.plot()
    assert not lines_of(axis, "-")
    assert ("lower than large (adjusted p < 0.05)" in key_of(axis)) == has_difference


DATES = np.datetime64("2024-01") + CODES * np.timedelta64(2, "M")
FRAME = pd.Series(DATES.astype("M8[ns]"))


@pytest.mark.parametrize("given", [DATES, FRAME, FRAME.dt.to_period("M"), FRAME.dt.date])
def test_dates_are_drawn_along_a_time_axis(given):
    found = compare_segments(Y, S, given)
    axis = found.plot()
    limits, points, _ = parts(axis)
    days = mdates.date2num(np.array(["2024-01-01", "2024-03-01", "2024-05-01"], "M8[D]"))
    np.testing.assert_allclose(points, np.stack((days, found.estimates), axis=1))
    np.testing.assert_allclose(limits[:, :, 1], np.stack((found.lows, found.highs), axis=1))
    assert lines_of(axis, "-")[-1].get_ydata()[0] == found.overall
    assert "average precision" in axis.get_ylabel()


def test_numeric_texts_are_not_drawn_as_dates():
    axis = compare_segments(Y, S, np.array(["2024-01", "2024-02", "2024-03"])[CODES]).plot()
    assert axis.get_yticklabels()[0].get_text() == "2024-01"


@pytest.mark.parametrize("given", [DATES, CODES])
def test_mean_and_random_orders_are_lines(given):
    axis = compare_segments(Y, Y + RNG.normal(size=Y.size), given).plot()
    assert len(lines_of(axis, "-")) == 1
    assert key_of(axis) == ["mean weighted by positives", "random order"]


@pytest.mark.parametrize("definition", [Step(), Interpolated()])
@pytest.mark.parametrize("given", [DATES, CODES])
def test_random_orders_are_a_dotted_line_where_they_score_the_prevalence(given, definition):
    found = compare_segments(Y, S, given, definition=definition)
    axis = found.plot()
    dotted = lines_of(axis, ":")
    if definition == Step():
        (line,) = dotted
        level = line.get_ydata() if given is DATES else line.get_xdata()
        assert level[0] == pytest.approx(Y.mean())
        low, high = axis.get_ylim() if given is DATES else axis.get_xlim()
        assert low < Y.mean() < high
    else:
        assert not dotted
    assert ("random order" in key_of(axis)) == bool(dotted)


def test_random_orders_do_not_hide_how_scores_differ():
    y = np.tile([0, 1], 20_000)
    scores = np.where(RNG.random(y.size) < 0.01, 1 - y, y) + 0.1 * RNG.random(y.size)
    found = compare_segments(y, scores, np.arange(y.size) // 2 % 3)
    assert found.lows.min() > 0.9
    axis = found.plot()
    assert axis.get_xlim()[0] > 0.9
    assert "random order" not in key_of(axis)


@pytest.mark.parametrize("n_dates", [3, 9, 12, 40])
@pytest.mark.parametrize("unit", ["Y", "M", "D", "h"])
def test_labels_of_dates_do_not_collide_and_the_latest_is_one_of_them(n_dates, unit):
    times = np.datetime64("2024-01-01", unit) + np.arange(900) % n_dates
    figure = plt.figure(figsize=(3.8, 3.9))
    axis = compare_segments(Y, S, times).plot(figure)
    assert plt.fignum_exists(figure.number)
    figure.draw_without_rendering()
    boxes = [each.get_window_extent() for each in axis.get_xticklabels()]
    boxes.sort(key=lambda box: box.x0)
    assert len(boxes) > 1
    assert all(left.x1 + 4 < right.x0 for left, right in pairwise(boxes))
    latest = str(times.max()).replace("T", "\n")
    assert latest in [each.get_text()[: len(latest)] for each in axis.get_xticklabels()]


def test_a_collapsed_month_does_not_touch_the_bottom():
    scores = np.where(CODES == 2, RNG.normal(size=900), 6 * Y + RNG.normal(size=900))
    axis = compare_segments(Y, scores, DATES).plot()
    axis.figure.draw_without_rendering()
    lowest = axis.transData.transform(parts(axis)[1])[:, 1].min()
    assert lowest - axis.bbox.y0 > 8  # pixels; a point has a radius of 4


@pytest.mark.parametrize("n_rows", [2, 3, 12, 40])
@pytest.mark.parametrize("n_letters", [1, 9, 28, 80])
@pytest.mark.parametrize("has_spaces", [True, False])
@pytest.mark.parametrize("width", [3.8, 6.4])
def test_names_of_any_length_have_room(n_rows, n_letters, has_spaces, width):
    letters = "travel hotels and car rental " * 3 if has_spaces else "x" * 80
    names = np.array([f"{letters[: n_letters - 1]}{chr(65 + i)}" for i in range(n_rows)])
    codes = np.arange(900) % n_rows
    found = compare_segments(Y, S, names[codes])
    figure = plt.figure(figsize=(width, 2.0))
    axis = found.plot(figure)
    figure.draw_without_rendering()
    labels = [each.get_window_extent() for each in axis.get_yticklabels()]
    values = [each.get_window_extent() for each in axis.texts]
    others = [axis.xaxis.label.get_window_extent(), axis.get_legend().get_window_extent()]
    for box in (*labels, *values, *others):
        assert -1 <= box.x0 < box.x1 <= figure.bbox.x1 + 1
        assert -1 <= box.y0 < box.y1 <= figure.bbox.y1 + 1
    for column in (labels, values, others):
        for upper, lower in pairwise(column):
            assert not upper.overlaps(lower)
    assert axis.get_window_extent().height / figure.dpi >= 0.97 * NAME_HEIGHT * n_rows
    assert axis.get_window_extent().width / figure.dpi > 0.2 * width
    plt.close(figure)


def test_a_figure_that_is_too_narrow_keeps_its_height():
    figure = plt.figure(figsize=(0.3, 2.0), layout="constrained")
    figure.subplots().set_ylabel("average precision")
    fit_height(figure)
    np.testing.assert_allclose(figure.get_size_inches(), [0.3, 2.0])


def test_a_figure_without_a_layout_keeps_its_height():
    figure = plt.figure(figsize=(4, 0.5))
    figure.subplots()
    fit_height(figure)
    np.testing.assert_allclose(figure.get_size_inches(), [4, 0.5])


def test_a_higher_figure_has_the_margins_of_its_layout():
    axis = compare_segments(Y, S, np.array(["x", "y", "z"])[CODES]).plot()
    figure = axis.figure
    low = figure.get_size_inches()[1] - 0.5
    figure.set_size_inches(6.4, low)
    fit_height(figure)
    assert figure.get_size_inches()[1] > low + 0.1
    placed = axis.get_position().bounds
    figure.draw_without_rendering()
    np.testing.assert_allclose(axis.get_position().bounds, placed, atol=0.01)
    axis.set_title("A title of the user\nwith room of its own")
    figure.draw_without_rendering()
    assert axis.title.get_window_extent().y1 < figure.bbox.y1
