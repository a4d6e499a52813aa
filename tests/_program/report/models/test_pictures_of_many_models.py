"""The picture of many models: how much less than the best one each scores, beside its score."""

import re

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_score,
    best_average_precision,
    compare_average_precision,
    report,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 3000
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(20, N))
QUERY = np.arange(N) // 150


def models_of(gains):
    return {f"m{i:02d}": gain * Y + NOISE[i] for i, gain in enumerate(gains)}


CLOSE = models_of([2, 2, 1.9])
CLEAR = models_of([0.9, 3, 1.7])
MANY = models_of(1.2 + 0.05 * np.arange(20))
BEST = 3 * Y + NOISE[0]
STRAGGLERS = {
    "first": BEST,
    "second": BEST + 0.1 * NOISE[1],
    "third": BEST - 0.1 * Y,
    "fourth": BEST - 0.2 * Y,
    "random": NOISE[2],
    "reversed": NOISE[3] - Y,
}


def draw(drawn_figures, models, **options):
    """The part of the comparison, and the axes of its picture."""
    drawn_figures.clear()
    part, *_ = report(Y, models, parts=["comparison"], **options).parts
    _ = part.picture.image
    (figure,) = drawn_figures
    figure.draw_without_rendering()
    (axis,) = figure.axes
    return part, axis


def differences_of(models, n_models=10, **options):
    """How much more some models score than the best one, in their order, and the limits."""
    scores = {name: average_precision_score(Y, each, **options) for name, each in models.items()}
    names = sorted(scores, key=scores.get, reverse=True)[:n_models]
    found = compare_average_precision(Y, {name: models[name] for name in names}, **options)
    assert found.reference == names[0]
    return names, np.array([found.differences, found.difference_lows, found.difference_highs]).T


@pytest.mark.parametrize("models", [CLOSE, CLEAR, MANY], ids=["close", "clear", "many"])
@pytest.mark.parametrize("options", [{}, {"queries": QUERY}], ids=["", "queries"])
def test_points_and_limits_are_the_differences_from_the_best_model(drawn_figures, models, options):
    part, axis = draw(drawn_figures, models, **options)
    names, expected = differences_of(models, **options)
    assert [label.get_text() for label in axis.get_yticklabels()] == names
    limits, points = axis.collections[:2]
    np.testing.assert_allclose(points.get_offsets()[1:, 0], expected[1:, 0])
    assert points.get_offsets()[0].tolist() == [0, 0]  # the best one has no limits
    segments = [each for each in limits.get_segments() if len(each)]
    np.testing.assert_allclose([segment[:, 0] for segment in segments], expected[1:, 1:])
    zero = axis.lines[0]
    assert [*zero.get_xdata()] == [0, 0]
    subject = f"Average precision minus that of {names[0]}, 95% intervals; "
    assert part.picture.subject.startswith(subject)


def test_scores_stand_at_the_right_and_random_orders_in_the_caption(drawn_figures):
    part, axis = draw(drawn_figures, CLEAR)
    scores = [f"{average_precision_score(Y, CLEAR[name]):.2f}" for name in ("m01", "m02", "m00")]
    assert [text.get_text() for text in axis.texts] == scores
    assert {text.get_position()[0] for text in axis.texts} == {1.02}
    luck = np.sum(1 / np.arange(1, N + 1))  # the first row alone has a precision of 0 or 1
    by_chance = ((Y.sum() - 1) / (N - 1) * (N - luck) + luck) / N
    words = f"; at the right: scores; a random order has {by_chance:.3f}; "
    assert words in part.picture.subject
    assert len(axis.lines) == 1  # no line of random orders beside that at 0


def test_the_table_has_the_differences_of_all_models_from_the_best_one(drawn_figures):
    part, _ = draw(drawn_figures, MANY)
    names, expected = differences_of(MANY, len(MANY))
    head, best, *others, by_chance = part.cells
    assert head[2] == f"minus {names[0]} [95% interval]"
    assert (best[0], best[2]) == (names[0], "")
    for row, name, (value, low, high) in zip(others, names[1:], expected[1:], strict=True):
        numbers = [float(each) for each in re.findall(r"[+-]0\.\d+", row[2])]
        assert row[0] == name
        assert numbers == pytest.approx([value, low, high], abs=0.006)
    assert (by_chance[0], by_chance[2]) == ("random order", "")


@pytest.mark.parametrize("models", [STRAGGLERS, CLOSE, MANY], ids=["far", "close", "many"])
def test_an_arrow_points_to_models_that_are_far_below_several_rivals(drawn_figures, models):
    part, axis = draw(drawn_figures, models)
    _, expected = differences_of(models)
    rivals = best_average_precision(Y, models).may_be_best
    left, right = axis.get_xlim()
    near = np.nanmin(expected[: len(rivals) + 2, 1])  # two more are drawn at their scale
    assert len(rivals) > 1
    is_cut = expected[:, 0].min() < 3 * near
    assert is_cut == (models is STRAGGLERS)
    arrows = [line for line in axis.lines if line.get_marker() == "<"]
    places = [y for line in arrows for y in line.get_ydata()]
    assert places == (np.flatnonzero(expected[:, 0] < left).tolist() if is_cut else [])
    assert (left > expected[:, 0].min()) == is_cut
    assert left < near < right
    marks = "hollow, or an arrow" if is_cut else "hollow"
    are_all = len(rivals) == len(models)
    assert (f"; {marks}: not the best; " in part.picture.subject) != are_all
    assert ("hollow" in part.picture.subject) != are_all


def test_all_is_in_sight_where_one_model_is_the_best(drawn_figures):
    part, axis = draw(drawn_figures, CLEAR)
    _, expected = differences_of(CLEAR)
    assert part.picture.finding == "m01 is the best of 3 models"
    left, right = axis.get_xlim()
    assert left < np.nanmin(expected[1:]) < 0 < right
    assert not [line for line in axis.lines if line.get_marker() == "<"]
