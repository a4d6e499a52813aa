"""What a report says of a model that loses a little in each of many weeks."""

import re

import numpy as np
import pytest
from scipy.stats import binomtest

from sklearn_ap import compare_segments, operating_point, report
from sklearn_ap._base.drawing.axes import ON_LIGHT

N = 24_000
RNG = np.random.default_rng(3)
Y = RNG.random(N) < 0.1
NOISE = RNG.normal(size=(2, N))
SHARE = np.arange(N) / N  # of the time that has passed
GOAL = 0.5
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def weeks(n_weeks):
    return np.array([f"2024-W{1 + i:02d}" for i in np.arange(N) * n_weeks // N])


def declining(loss):
    return (2.4 - loss * SHARE) * Y + NOISE[0]


def made_of(scores, week, **options):
    parts = ["comparison" if isinstance(scores, dict) else "score", "thresholds", "segments"]
    options = {"precision": GOAL, "parts": parts} | options
    return report(Y, scores, segments={"week": week}, **options)


def answers(made):
    return {line.question: line.answer for line in made.summary}


def part_of(made, name):
    return next(part for part in made.parts if part.name == name)


def percent(share):
    return f"{100 * share:.2g}%"


@pytest.mark.parametrize("n_weeks", [5, 12, 30])
@pytest.mark.parametrize("loss", [1.2, 2.0])
def test_the_last_third_of_the_weeks_is_told_together(n_weeks, loss):
    week = weeks(n_weeks)
    score = declining(loss)
    assert compare_segments(Y, score, week).trend_high < 0
    first = np.unique(week)[-(n_weeks // 3)]
    late = week >= first
    selected = score >= operating_point(Y, score, precision=GOAL, guarantee=0.9).threshold
    labels = Y[selected & late]
    pvalue = binomtest(int(labels.sum()), labels.size, GOAL, alternative="less").pvalue
    recalls = [selected[Y & rows].mean() for rows in (late, ~late, Y)]
    precisions = [Y[selected & rows].mean() for rows in (late, selected)]
    fails = recalls[0] < recalls[2] / 2 or precisions[0] < precisions[1] / 2
    assert fails == (loss == 2.0)
    missed = " (clearly below 0.5)" if pvalue < 0.05 and not fails else ""
    made = made_of(score, week)
    line = answers(made)["Threshold"]
    found = (
        f"from {first} on, {labels.sum()} of {labels.size} selected rows are positive{missed}, and "
        f"{percent(recalls[0])} of the {np.sum(Y & late)} positives are found "
        f"({percent(recalls[1])} before {first})."
    )
    if fails:
        assert line.startswith("Do not use the threshold ")
        assert f" until you know why it fails: {found} Over all weeks, it selects " in line
    else:
        assert line.startswith("Select rows with scores of ")
        assert f" with 90% confidence); {found}" in line
        assert part_of(made, "thresholds").sentence == line


def test_a_second_threshold_is_left_out_where_the_model_declines():
    week = weeks(12)
    score = declining(0.8)
    made = made_of(score, week, precision=None)
    points = [operating_point(Y, score, precision=goal, guarantee=0.9) for goal in (0.9, 0.8)]
    assert points[1].recall > points[0].recall + 0.1
    part = part_of(made, "thresholds")
    assert "(at least 0.9 with 90% confidence); from 2024-W09 on, " in part.sentence
    assert "To find more" not in " ".join([answers(made)["Threshold"], *part.more])
    alike = np.array(["2024-W01", "2024-W02"])[np.arange(N) % 2]
    assert "To find more" in answers(made_of(score, alike, precision=None))["Threshold"]


def test_a_threshold_that_fails_has_a_ring_for_these_weeks(drawn_figures):
    week = weeks(12)
    score = declining(2.0)
    part = part_of(made_of(score, week), "thresholds")
    _ = part.picture.image
    _, lower = drawn_figures[-1].axes
    selected = score >= operating_point(Y, score, precision=GOAL, guarantee=0.9).threshold
    recall = selected[Y & (week >= "2024-W09")].mean()
    assert recall < selected[Y].mean() / 2
    hollow = (line for line in lower.lines if line.get_markerfacecolor() == "none")
    heights = [line.get_ydata()[0] for line in hollow]
    assert recall == pytest.approx(heights[0])
    red = [text.get_text() for text in lower.texts if text.get_color() == ON_LIGHT.alarm]
    texts = [text.replace("\n", " ") for text in red]
    assert texts[0] == f"from 2024-W09 on {recall:.2f}"


def test_the_first_line_has_the_ends_of_the_line_for_the_best_of_two_models():
    week = weeks(30)
    models = {"p_churn": declining(1.2), "rule": 0.7 * Y + NOISE[1]}
    found = compare_segments(Y, models["p_churn"], week)
    first, *_, last = found.trend_line[0]
    slope = (last - first) / 29
    assert slope == pytest.approx(found.trend)
    ends = f"from about {first:.2f} to {last:.2f} in 2024-W30, the latest week"
    line = answers(made_of(models, week))["Model"]
    start = f"The score of p_churn falls by {-slope:.3f} a week, {ends}: find out why before "
    assert line.startswith(start)


@pytest.mark.parametrize("is_second", [False, True])
def test_the_picture_has_the_ends_of_the_line_at_its_right_end(drawn_figures, is_second):
    week = weeks(12)
    scores = {"new": declining(2.0), "old": 0.5 * Y + NOISE[1]}
    if is_second:
        scores = {"new": 3.5 * Y + NOISE[1], "old": declining(2.0)}
    _ = part_of(made_of(scores, week), "segments").picture.image
    (axis,) = drawn_figures[-1].axes
    found = compare_segments(Y, scores["old" if is_second else "new"], week)
    first, *_, last = found.trend_line[0]
    (text,) = (each for each in axis.texts if "trend" in each.get_text())
    assert text.get_text().replace("\n", " ") == f"trend {first:.2f} to {last:.2f}"
    assert text.get_color() == ON_LIGHT.models[int(is_second)]
    assert text.get_window_extent().x0 > axis.get_window_extent().x1


def test_weeks_that_are_alike_have_no_trend_in_any_words(drawn_figures):
    made = made_of(declining(0), weeks(12))
    lines = answers(made)
    assert "No trend is shown: " in lines["By week"]
    assert not re.search(r" on, \d|falls", str(lines))
    _ = part_of(made, "segments").picture.image
    (axis,) = drawn_figures[-1].axes
    assert not [each for each in axis.texts if "trend" in each.get_text()]
