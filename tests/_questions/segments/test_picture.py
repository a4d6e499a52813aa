"""Pictures of segments: rows, or points in time."""

import matplotlib.dates as mdates
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import LineCollection, PathCollection
from matplotlib.colors import to_rgb

from sklearn_ap import compare_segments
from sklearn_ap._base.drawing.axes import ON_LIGHT

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
    """The lines about colours and lines, between the name of the score and the sample."""
    lines = axis.get_xlabel().replace("\N{NO-BREAK SPACE}", " ").split("\n")
    return [line for line in lines[:-1] if not line.startswith("average precision")]


def test_picture_has_a_row_per_segment_and_a_mean_line():
    found = compare_segments(Y, S, np.array(["x", "y", "z"])[CODES], reference="x")
    axis = found.plot()
    limits, points, colors = parts(axis)
    np.testing.assert_allclose(limits[:, :, 0], np.stack((found.lows, found.highs), axis=1))
    np.testing.assert_allclose(points, np.stack((found.estimates, range(3)), axis=1))
    assert [each.get_text() for each in axis.get_yticklabels()] == ["x", "y", "z"]
    assert axis.lines[0].get_xdata()[0] == found.overall
    assert axis.get_xlabel().split("\n")[0] == (
        f"average precision at prevalence {Y.mean():.2g}, 95% interval"
    )
    # z differs from x, and a reference has no difference
    assert (colors[0] == colors[1]).all()
    np.testing.assert_allclose(colors[2, :3], to_rgb(ON_LIGHT.models[1]))
    assert key_of(axis) == [
        "orange: lower than x (adjusted p < 0.05)",
        "line: mean weighted by positives",
        "in brackets: effective positives",
    ]
    texts = [text.get_text() for text in axis.texts]
    pairs = zip(found.estimates, found.n_effective, strict=True)
    assert texts == [f"{estimate:.2f} ({n:.0f})" for estimate, n in pairs]
    nearer = S + 0.6 * (CODES == 2) * Y
    found = compare_segments(Y, nearer, CODES, reference=0, prevalence=None)
    assert found.pvalues[2] < 0.05 < found.adjusted_pvalues[2]
    _, axis = plt.subplots()
    assert found.plot(axis) is axis
    colors = parts(axis)[2]
    assert (colors == colors[0]).all()
    assert axis.get_xlabel().split("\n")[0] == ("average precision, 95% interval")
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
    assert key_of(axis)[0] == "orange: lower, blue: higher than the others (adjusted p < 0.05)"


@pytest.mark.parametrize(
    "given", [CODES[:30], np.datetime64("2024-01") + CODES[:30] * np.timedelta64(1, "M")]
)
def test_picture_without_a_mean_has_no_line(given):
    axis = compare_segments(Y[:30], S[:30], given, reference=given[0]).plot()
    assert not axis.lines
    assert not [line for line in key_of(axis) if "in brackets" not in line]  # nothing is in colour


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
    assert not axis.lines
    assert ("orange: lower than large (adjusted p < 0.05)" in key_of(axis)) == has_difference


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
    assert axis.lines[0].get_ydata()[0] == found.overall
    assert "average precision" in axis.get_ylabel()


def test_numeric_texts_are_not_drawn_as_dates():
    axis = compare_segments(Y, S, np.array(["2024-01", "2024-02", "2024-03"])[CODES]).plot()
    assert axis.get_yticklabels()[0].get_text() == "2024-01"


@pytest.mark.parametrize("given", [DATES, CODES])
def test_a_trend_is_a_line_with_its_band(given):
    found = compare_segments(Y, S, given)
    assert found.verdicts[-1].decision == "falling"
    axis = found.plot()
    drawn, across = axis.lines[1].get_xydata(), given is CODES
    np.testing.assert_allclose(drawn[:, 1 - across], found.trend_line[0])
    (band,) = [each for each in axis.collections if type(each).__name__.startswith("Fill")]
    (path,) = band.get_paths()
    low, high = path.vertices[:, 1 - across].min(), path.vertices[:, 1 - across].max()
    assert [low, high] == pytest.approx([found.trend_line[1].min(), found.trend_line[2].max()])
    assert "lines: average change (trend) and mean weighted by positives" in key_of(axis)


@pytest.mark.parametrize("given", [DATES, CODES])
def test_a_trend_that_is_not_shown_is_not_drawn(given):
    found = compare_segments(Y, Y + RNG.normal(size=Y.size), given)
    assert found.verdicts[-1].name == "trend"
    assert found.verdicts[-1].decision == "undecided"
    assert found.trend_line is not None
    axis = found.plot()
    assert len(axis.lines) == 1
    assert not [each for each in axis.collections if type(each).__name__.startswith("Fill")]
    assert "line: mean weighted by positives" in key_of(axis)
