"""Where the axes of precision begin above 0, at a round number below all that is drawn."""

import numpy as np
import pytest
from sklearn.metrics import precision_recall_curve

from sklearn_ap import operating_point, report
from sklearn_ap._base.drawing.lines_and_bands import find_artists

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 3000
RNG = np.random.default_rng(0)
UNIFORM = RNG.random(N)
NOISE = RNG.normal(size=(2, N))
START = 0.35  # what is drawn is above this one: a margin of 0.05, and a start of 0.3 or more


def axes_of(drawn_figures, y, scores, part, **options):
    """The axes of the picture of a part."""
    drawn_figures.clear()
    found, _ = report(y, scores, parts=[part], **options).parts
    _ = found.picture.image
    (figure,) = drawn_figures
    return figure.axes


def start_below(lowest):
    """The last tenth that is 0.05 or more below."""
    return np.floor(10 * (lowest - 0.05) + 1e-9) / 10


@pytest.mark.parametrize("n_models", [1, 2])
@pytest.mark.parametrize(("share", "gain"), [(0.5, 1), (0.62, 1), (0.72, 1), (0.9, 1), (0.5, 6)])
def test_curves_begin_at_the_tenth_below_the_prevalence(drawn_figures, n_models, share, gain):
    y = share > UNIFORM
    models = {"new": gain * y + NOISE[0], "old": gain * y + NOISE[1]}
    scores = models if n_models > 1 else models["new"]
    (axis,) = axes_of(drawn_figures, y, scores, "curve")
    drawn = list(models.values())[:n_models]
    lowest = min(y.mean(), *(precision_recall_curve(y, each)[0].min() for each in drawn))
    start = start_below(lowest)
    assert start >= 0.3
    assert axis.get_ylim()[0] == pytest.approx(start)
    assert axis.get_ylim()[1] > 1
    assert axis.get_ylabel() == f"precision, from {start:g}"
    (dotted,) = (line for line in axis.lines if line.get_linestyle() == ":")
    assert start < dotted.get_ydata()[0] == pytest.approx(y.mean())


@pytest.mark.parametrize(("share", "is_cut"), [(0.34, False), (0.36, True)])
def test_the_axis_of_curves_begins_at_0_if_the_prevalence_is_below_0_35(
    drawn_figures, share, is_cut
):
    y = np.arange(N) < share * N
    options = {"clusters": np.arange(N)}  # no band
    (axis,) = axes_of(drawn_figures, y, 2 * y + NOISE[0], "curve", **options)
    low, _ = axis.get_ylim()
    assert (low == pytest.approx(0.3)) == is_cut
    assert is_cut or low < 0.01
    assert axis.get_ylabel() == ("precision, from 0.3" if is_cut else "precision")


@pytest.mark.parametrize(("share", "is_cut"), [(0.36, False), (0.4, True)])
def test_the_axis_of_curves_begins_at_0_if_the_band_is_below_0_35(drawn_figures, share, is_cut):
    y = np.arange(N) < share * N
    (axis,) = axes_of(drawn_figures, y, 2 * y + NOISE[0], "curve")
    (band,) = find_artists(axis, "band")
    recall, precision = np.concatenate([path.vertices for path in band.get_paths()]).T
    assert y.mean() > START
    assert (precision[recall >= 0.25].min() > START) == is_cut
    assert (axis.get_ylim()[0] == pytest.approx(0.3)) == is_cut


def test_a_reversed_model_keeps_0_on_the_axis(drawn_figures):
    y = UNIFORM < 0.6
    models = {"new": y + NOISE[0], "old": -3 * y + NOISE[1]}
    (axis,) = axes_of(drawn_figures, y, models, "curve")
    assert precision_recall_curve(y, models["old"])[0].min() < START
    assert axis.get_ylim()[0] <= 0
    assert axis.get_ylabel() == "precision"


@pytest.mark.parametrize(("n_rows", "start"), [(N, 0.5), (60, 0.3)])
def test_the_axis_begins_below_the_bars_too(drawn_figures, n_rows, start):
    y = UNIFORM[:n_rows] < 0.6
    score = y + NOISE[0, :n_rows]
    options = {"clusters": np.arange(n_rows) // 4}
    (axis,) = axes_of(drawn_figures, y, score, "curve", **options)
    bars = [each.get_segments()[0][:, 1] for each in axis.collections if each.get_segments()]
    assert len(bars) == 4
    lowest = min(y.mean(), precision_recall_curve(y, score)[0].min())
    assert start_below(lowest) == pytest.approx(0.5)
    assert start_below(min(lowest, np.min(bars))) == pytest.approx(start)
    assert axis.get_ylim()[0] == pytest.approx(start)


@pytest.mark.parametrize(("share", "is_cut"), [(0.2, False), (0.5, True), (0.7, True)])
def test_the_panel_of_precision_of_thresholds_begins_at_a_tenth_and_has_no_words(
    drawn_figures, share, is_cut
):
    y = share > UNIFORM
    score = 2 * y + NOISE[0]
    upper, lower = axes_of(drawn_figures, y, score, "thresholds", precision=0.8)
    point = operating_point(y, score, precision=0.8, guarantee=0.9)
    assert not point.remark
    shade = upper.collections[0].get_paths()[0].vertices[:, 1]
    lowest = min(0.8, upper.lines[0].get_ydata().min(), shade.min())
    start = start_below(lowest)
    assert (start >= 0.3) == is_cut
    start = start if is_cut else 0
    assert upper.get_ylim() == pytest.approx((start, start + 1.05 * (1 - start)))
    assert lower.get_ylim() == pytest.approx((0, 1.05))
    assert upper.get_ylabel() == ""


def test_a_segment_in_which_a_threshold_fails_keeps_its_ring_in_sight(drawn_figures):
    y = UNIFORM < 0.6
    is_south = np.arange(N) % 3 == 0
    y = np.where(is_south, UNIFORM < 0.25, y)
    score = np.where(is_south, 0.1, 2) * y + NOISE[0] + 1.5 * is_south
    options = {"segments": {"region": np.where(is_south, "South", "North")}}
    drawn_figures.clear()
    found = report(y, score, precision=0.7, parts=["thresholds", "segments"], **options)
    part = next(each for each in found.parts if each.name == "thresholds")
    _ = part.picture.image
    upper, _ = drawn_figures[-1].axes
    threshold = operating_point(y, score, precision=0.7, guarantee=0.9).threshold
    there = y[(score >= threshold) & is_south].mean()
    heights = [line.get_ydata()[0] for line in upper.lines if line.get_markerfacecolor() == "none"]
    np.testing.assert_allclose(heights, [there])
    assert upper.get_ylim()[0] < there - 0.04
