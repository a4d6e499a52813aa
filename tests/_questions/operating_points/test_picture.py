"""The picture of an operating point."""

import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.colors import to_rgb

from sklearn_ap import OperatingPoint, operating_point
from sklearn_ap._base.drawing.axes import axes_colors

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 3000)
S = Y + RNG.normal(size=3000)


def shares(threshold):
    selected = threshold <= S
    return Y[selected].mean(), selected[Y == 1].mean()


def test_curve_has_the_operating_point_and_true_precision_and_recall():
    point = operating_point(Y, S, precision=0.8, guarantee=0.9)
    curve = point.curve
    assert 1000 < curve.threshold.size <= 2000
    assert np.all(np.diff(curve.threshold) < 0)
    assert point.threshold in curve.threshold
    assert {curve.threshold[0], curve.threshold[-1]} == {S.max(), S.min()}
    for i in (0, 1, 500, -1):
        expected = shares(curve.threshold[i])
        np.testing.assert_allclose((curve.precision[i], curve.recall[i]), expected)
    assert "curve" not in repr(point)
    assert point == OperatingPoint(
        **{name: getattr(point, name) for name in point.__dataclass_fields__ if name != "curve"}
    )


@pytest.mark.parametrize("n", [2500, 300_000])
@pytest.mark.parametrize("prevalence", [None, 0.0005])
@pytest.mark.parametrize("order", ["skilled", "reversed", "positives last"])
def test_the_drawn_steps_never_differ_visibly_from_the_true_shares(n, prevalence, order):
    """The truth is counted at each row, the drawn value is that of the drawn threshold above."""
    rng = np.random.default_rng(1)
    y = rng.random(n) < 0.02
    sign = -1 if order == "reversed" else 1
    s = 1.5 * sign * y + rng.normal(size=n)
    if order == "positives last":
        s = np.where(y, s - 20, s)
    curve = operating_point(y, s, recall=0.5, prevalence=prevalence).curve
    assert curve.threshold.size <= 2000
    ranked = np.argsort(-s)
    recall = np.cumsum(y[ranked]) / y.sum()
    false_positive_rate = np.cumsum(~y[ranked]) / (~y).sum()
    share = y.mean() if prevalence is None else prevalence
    precision = share * recall / (share * recall + (1 - share) * false_positive_rate)
    above = np.searchsorted(-curve.threshold, -s[ranked], side="right") - 1
    np.testing.assert_allclose(curve.precision[above], precision, rtol=0, atol=0.01)
    np.testing.assert_allclose(curve.recall[above], recall, rtol=0, atol=0.01)


def test_precision_and_recall_have_colours_that_no_pair_of_models_has():
    axis = operating_point(Y[:300], S[:300], recall=0.6).plot()
    drawn = [axis.lines[0].get_color(), axis.lines[1].get_color()]
    assert not {*drawn} & {*axes_colors(axis).models[:3]}
    # Lightness remains where hues are not seen.
    light, dark = (np.mean(to_rgb(color)) for color in sorted(drawn, key=to_rgb, reverse=True))
    assert light - dark > 0.3


def test_a_picture_has_both_curves_the_point_and_the_goal():
    point = operating_point(Y[:300], S[:300], precision=0.6, guarantee=0.9)
    axis = point.plot()
    precision, recall, chosen, first, second, asked = axis.lines
    for line, name in ((precision, "precision"), (recall, "recall")):
        np.testing.assert_array_equal(line.get_xdata(), point.curve.threshold)
        np.testing.assert_array_equal(line.get_ydata(), getattr(point.curve, name))
        # between two thresholds, the rows of the higher one are selected
        assert line.get_drawstyle() == "steps-post"
    assert {*chosen.get_xdata()} == {point.threshold}
    assert (first.get_xdata()[0], first.get_ydata()[0]) == (point.threshold, point.precision)
    assert (second.get_xdata()[0], second.get_ydata()[0]) == (point.threshold, point.recall)
    assert asked.get_ydata()[0] == 0.6
    texts = [text.get_text() for text in axis.get_legend().get_texts()]
    low, high = point.recall_interval
    assert texts[1] == f"recall {point.recall:.2f} (95% interval {low:.2f} to {high:.2f})"
    assert texts[2] == "precision at least 0.6 with 90% confidence"
    title = f"{point.n_selected:g} selected at threshold {point.printed_threshold}\n"
    assert axis.get_title().startswith(title)
    assert axis.get_xlabel() == "threshold (score)"


def test_the_threshold_is_a_thin_line_with_a_point_on_each_curve_and_no_bars():
    """The intervals stand in the legend: bars that overlap looked like an error."""
    point = operating_point(Y[:150], S[:150], recall=0.8)
    assert point.precision_interval[0] < point.recall_interval[1]  # they overlap
    axis = point.plot()
    precision, recall, chosen, first, second, _ = axis.lines
    (at, _), (low, high) = chosen.get_xdata(), chosen.get_ydata()
    assert (at, low, high) == (point.threshold, 0, 1)
    assert chosen.get_linewidth() <= 1
    for share, curve in ((first, precision), (second, recall)):
        assert share.get_marker() == "o"
        assert share.get_color() == curve.get_color()
        assert len(share.get_xdata()) == 1
    texts = [text.get_text() for text in axis.get_legend().get_texts()]
    assert [text.count("95% interval") for text in texts] == [1, 1, 0]
    assert not axis.collections


def test_picture_works_without_a_threshold_but_not_without_a_curve():
    _, axis = plt.subplots()
    cost = {"false_positive": 1, "false_negative": 0}
    nothing = operating_point(Y, S, cost=cost, prevalence=0.1)
    assert nothing.plot(axis) is axis
    assert axis.get_title().startswith("no threshold at prevalence 0.1")
    assert len(axis.lines) == 2
    assert not axis.collections
    with pytest.raises(ValueError, match="no curve to draw"):
        OperatingPoint().plot()
    with pytest.raises(ValueError, match="no curve to draw"):
        operating_point([1, 0], [-np.inf, -np.inf], k=1).plot()
