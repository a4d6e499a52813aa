"""The picture of thresholds: where its panels begin and end."""

import numpy as np
import pytest
from scipy.stats import binomtest

from sklearn_ap import operating_point, report

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 600
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.2).astype(int)
SCORE = 2 * Y + RNG.normal(size=N)
RARE_Y = np.random.default_rng(5).random(40_000) < 0.01
RARE = RARE_Y + np.random.default_rng(6).normal(size=RARE_Y.size)


def draw(drawn_figures, *args, **options):
    """The part about thresholds, and the panels of its picture."""
    drawn_figures.clear()
    part, _ = report(*args, parts=["thresholds"], **options).parts
    _ = part.picture.image
    (figure,) = drawn_figures
    return part, figure.axes


def wilson(y_true, y_score, threshold, level=0.95):
    """The interval of the precision of a threshold."""
    selected = y_true[y_score >= threshold]
    test = binomtest(int(selected.sum()), selected.size)
    return test.proportion_ci(level, method="wilson")


def found_from(y_true, y_score, threshold):
    """How many positives a threshold finds."""
    return np.count_nonzero(y_true[y_score >= threshold])


@pytest.mark.parametrize(("y", "score"), [(Y, SCORE), (RARE_Y, RARE)])
def test_precision_is_drawn_from_the_tenth_positive_on_and_recall_from_the_first_row(
    drawn_figures, y, score
):
    score = score.copy()
    score[np.flatnonzero(~y.astype(bool))[0]] = score.max() + 1  # a precision of 0, by bad luck
    _, (upper, lower) = draw(drawn_figures, y, score)
    thresholds = upper.lines[0].get_xdata()
    assert found_from(y, score, thresholds[0]) == 10
    assert found_from(y, score, score[score > thresholds[0]].min()) == 9
    assert lower.lines[0].get_xdata()[0] == score.max()


def test_precision_is_drawn_from_the_threshold_of_the_page_if_that_finds_fewer(drawn_figures):
    y, score = Y[:60], SCORE[:60]
    part, (upper, lower) = draw(drawn_figures, y, score, precision=0.5)
    at = upper.lines[0].get_xdata()[0]
    assert 0 < found_from(y, score, at) < 10
    point = operating_point(y, score, precision=0.5, guarantee=0.9)
    assert f" {point.n_selected:.0f} rows" in part.sentence
    assert found_from(y, score, at) == found_from(y, score, point.threshold)
    assert y[score == at] == [1]  # negatives below it find no more
    for panel in (upper, lower):
        dot = next(line for line in panel.lines if line.get_marker() == "o")
        assert dot.get_xdata()[0] == point.threshold
    assert lower.lines[0].get_xdata()[0] == score.max()


def test_all_of_precision_is_drawn_where_the_highest_scores_are_those_of_ten_positives(
    drawn_figures,
):
    _, (upper, lower) = draw(drawn_figures, Y, np.clip(np.round(SCORE), None, 3))
    assert found_from(Y, np.round(SCORE), 3) > 10
    assert [*upper.lines[0].get_xdata()] == [*lower.lines[0].get_xdata()]


@pytest.mark.parametrize("options", [{}, {"clusters": np.arange(RARE_Y.size)}])
def test_the_axis_of_precision_ends_at_a_round_number_above_goal_precision_and_shade(
    drawn_figures, options
):
    part, (upper, lower) = draw(drawn_figures, RARE_Y, RARE, **options)
    low, high = upper.get_ylim()
    goal = next(line for line in upper.lines if line.get_linestyle() == ":").get_ydata()[0]
    assert f"at least {goal:g}" in part.sentence
    thresholds, precisions = upper.lines[0].get_data()
    highest = max(precisions.max(), goal)
    if not options:  # rows of clusters have no shade
        highest = max(wilson(RARE_Y, RARE, each).high for each in thresholds)
        assert highest > 1.5 * precisions.max() > goal
    assert low == 0
    end = high / 1.05  # with a margin for the width of lines
    assert end == pytest.approx(float(f"{end:.2g}"))
    assert highest < end < 1.5 * highest
    assert end < 0.5
    assert lower.get_ylim() == pytest.approx((0, 1.05))


def test_the_axis_of_precision_is_whole_where_precision_shade_or_goal_is_high(drawn_figures):
    _, (whole, _) = draw(drawn_figures, Y, SCORE)
    assert whole.get_ylim() == pytest.approx((0, 1.05))
    y = np.random.default_rng(5).random(20_000) < 0.02
    score = y + np.random.default_rng(6).normal(size=y.size)
    _, (shaded, _) = draw(drawn_figures, y, score)
    thresholds, precisions = shaded.lines[0].get_data()
    assert precisions.max() < 0.4
    assert max(wilson(y, score, each).high for each in thresholds) > 0.5
    assert shaded.get_ylim() == pytest.approx((0, 1.05))
    reverse = np.linspace(0, 1, N) - Y  # that reaches no precision above the prevalence
    _, (asked, _) = draw(drawn_figures, Y, reverse, precision=0.9, prevalence=0.1)
    assert asked.lines[0].get_ydata().max() < 0.2
    assert asked.get_ylim() == pytest.approx((0, 1.05))  # its goal is in sight


@pytest.mark.parametrize("level", [0.8, 0.95])
def test_the_shade_has_the_interval_of_each_precision(drawn_figures, level):
    y, score = Y[:200], SCORE[:200]
    part, (upper, lower) = draw(drawn_figures, y, score, confidence_level=level)
    assert f" by threshold; shade: {level:.0%} interval; " in part.picture.subject
    (shade,) = upper.collections
    x, edges = shade.get_paths()[0].vertices.T
    for threshold in upper.lines[0].get_xdata():
        limits = wilson(y, score, threshold, level)
        there = edges[x == threshold]  # the ends of the step before are there, too
        assert np.abs(there - limits.low).min() < 1e-9
        assert np.abs(there - limits.high).min() < 1e-9
    assert not lower.collections


@pytest.mark.parametrize(
    "options",
    [
        {"sample_weight": 1 + np.arange(N) % 3},
        {"clusters": np.arange(N) % 50},
        {"prevalence": 0.1},
    ],
    ids=lambda options: "".join(options),
)
def test_rows_that_are_not_alike_have_no_shade(drawn_figures, options):
    part, (upper, _) = draw(drawn_figures, Y, SCORE, **options)
    assert not upper.collections
    assert "shade" not in part.picture.subject


def test_only_the_lower_panel_names_its_thresholds(drawn_figures):
    _, (upper, lower) = draw(drawn_figures, Y, SCORE)
    upper.figure.draw_without_rendering()
    assert not any(label.get_text() for label in upper.get_xticklabels())
    assert any(label.get_text() for label in lower.get_xticklabels())
    assert upper.get_ylabel() == lower.get_ylabel() == ""  # texts beside the lines name them
    assert not upper.bbox.overlaps(lower.bbox)
    assert upper.bbox.width == pytest.approx(lower.bbox.width)
