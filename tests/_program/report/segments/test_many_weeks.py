"""The picture of more times than two models have room for their intervals."""

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_segments, report

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 12_000
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.15
NOISE = RNG.normal(size=(2, N))
MODELS = {"old": Y + NOISE[0], "new": 2 * Y + NOISE[1]}


def draw(drawn_figures, n_weeks):
    """The axes of the picture of weeks, and the weeks."""
    weeks = np.array([f"2026-W{1 + i:02d}" for i in np.arange(N) * n_weeks // N])
    drawn_figures.clear()
    part, _ = report(Y, MODELS, segments={"week": weeks}, parts=["segments"]).parts
    _ = part.picture.image
    (figure,) = drawn_figures
    (axis,) = figure.axes
    return axis, weeks


def points_of(axis, n_weeks):
    """The points of the best and of the second model, which have another form."""
    points = {line.get_marker(): line for line in axis.lines if len(line.get_xdata()) == n_weeks}
    return points["o"], points["D"]


@pytest.mark.parametrize("n_weeks", [16, 24])
def test_the_second_model_has_small_points_in_many_weeks_and_no_line(drawn_figures, n_weeks):
    assert average_precision_score(Y, MODELS["new"]) > average_precision_score(Y, MODELS["old"])
    axis, weeks = draw(drawn_figures, n_weeks)
    best, second = points_of(axis, n_weeks)
    assert second.get_markersize() < 0.8 * best.get_markersize()
    assert best.get_linestyle() == second.get_linestyle() == "None"
    assert second.get_color() != best.get_color()
    for name, points in (("new", best), ("old", second)):
        scores = compare_segments(Y, MODELS[name], weeks).estimates
        np.testing.assert_allclose(points.get_ydata(), scores)
    (limits,) = [each for each in axis.collections if len(each.get_paths()) == n_weeks]
    assert len(limits.get_segments()) == n_weeks  # those of the best alone


def test_both_models_have_intervals_and_points_of_one_size_in_few_weeks(drawn_figures):
    axis, _ = draw(drawn_figures, 12)
    best, second = points_of(axis, 12)
    assert second.get_markersize() > 0.8 * best.get_markersize()
    assert best.get_linestyle() == second.get_linestyle() == "None"
    assert len([each for each in axis.collections if len(each.get_paths()) == 12]) == 2
