"""The picture of curves: what it finds, where its axis ends, and scores beside names."""

import re

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    chance_test,
    report,
)
from sklearn_ap._base.drawing.lines_and_bands import find_artists
from sklearn_ap.definitions import PrecisionAtRecall

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 3000
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(3, N))
LONG = "gradient boosting with 2,000 trees, trained on 2024 and 2025 data, calibrated"
WIDE_Y = np.arange(6000) < 60
WIDE = 0.5 * WIDE_Y + np.random.default_rng(2).normal(size=6000)


def draw(drawn_figures, y_true, y_score, **options):
    """The part about the curve, and the axes of its picture."""
    drawn_figures.clear()
    part, _ = report(y_true, y_score, parts=["curve"], **options).parts
    _ = part.picture.image
    (figure,) = drawn_figures
    (axis,) = figure.axes
    return part, axis


def band_from(axis, least_recall):
    """The highest precision of the band from a recall on."""
    (band,) = find_artists(axis, "band")
    recall, precision = np.concatenate([path.vertices for path in band.get_paths()]).T
    return precision[recall >= least_recall].max()


@pytest.mark.parametrize("n_positives", [30, 100, 400])
@pytest.mark.parametrize("gain", [0.3, 0.7, 1.0])
def test_the_axis_of_precision_is_not_cut_where_the_band_is_higher(
    drawn_figures, n_positives, gain
):
    """The first ranks are left out, where the band reaches nearly up to 1."""
    y = np.arange(6000) < n_positives
    score = gain * y + np.random.default_rng(2).normal(size=6000)
    _, axis = draw(drawn_figures, y, score)
    end = axis.get_ylim()[1]
    assert band_from(axis, 0.25) < end
    assert (band_from(axis, 0.0) > end) == (end < 1)  # and yet it is


def test_a_wide_band_raises_the_axis_above_that_of_the_curve_alone(drawn_figures):
    _, banded = draw(drawn_figures, WIDE_Y, WIDE)
    _, alone = draw(drawn_figures, WIDE_Y, WIDE, clusters=np.arange(6000))
    assert not find_artists(alone, "band")
    assert alone.get_ylim()[1] < band_from(banded, 0.25) < banded.get_ylim()[1] < 0.5
    assert banded.get_ylabel() == f"precision, up to {banded.get_ylim()[1]:g}"


def claim_about(score):
    """What the score, its interval and its test say of random orders."""
    test = chance_test(Y, score, n_permutations=999)
    interval = average_precision_interval(Y, score)
    if interval.estimate < test.chance:
        return "scores less than a random order"
    if test.pvalue > 0.05:
        return "is not shown to be better than a random order"
    assert interval.low < test.chance
    return "is barely better than a random order, if at all"


@pytest.mark.parametrize(
    ("gain", "words"), [(-0.3, "scores less"), (-0.1, "is not shown"), (0.0, "is barely better")]
)
def test_above_its_curve_a_weak_model_is_not_better_than_a_random_order(gain, words):
    score = gain * Y + NOISE[0]
    claim = claim_about(score)
    assert claim.startswith(words)
    found = report(Y, score, parts=["score", "curve"])
    assert found.parts[1].picture.finding == f"The model {claim}"
    assert found.parts[0].sentence.startswith(f"The model {claim}: ")
    pair = {"old": score - 0.2 * Y, "new": score}
    part, _ = report(Y, pair, parts=["curve"]).parts
    assert part.picture.finding == f"new {claim}"


def test_above_the_curve_of_a_clear_score_its_precision_is_told():
    part, _ = report(Y, {"new": 0.6 * Y + NOISE[0], "old": NOISE[0]}, parts=["curve"]).parts
    assert part.picture.finding.startswith("At half of the positives, new reaches a precision of ")


@pytest.mark.parametrize("name", ["champion", LONG])
def test_scores_stand_in_parentheses_behind_names_even_if_these_are_shortened(drawn_figures, name):
    models = {name: 2 * Y + NOISE[0], "challenger": Y + NOISE[1]}
    part, axis = draw(drawn_figures, Y, models)
    scores = [f"{average_precision_score(Y, each):.2f}" for each in models.values()]
    first, second = (text.get_text() for text in axis.texts)
    assert second == f"challenger ({scores[1]})"
    assert first.endswith(f" ({scores[0]})")
    assert re.fullmatch(rf"{name}|gradient\S*…\S*brated", first.removesuffix(f" ({scores[0]})"))
    assert ", average precision in parentheses, " in part.picture.subject


def test_dots_stand_at_half_of_the_positives_that_the_finding_tells(drawn_figures):
    models = {"new": 2 * Y + NOISE[0], "old": Y + NOISE[1]}
    part, axis = draw(drawn_figures, Y, models)
    dots = [line.get_xydata()[0] for line in axis.lines if line.get_marker() == "o"]
    precision = [
        average_precision_interval(Y, score, definition=PrecisionAtRecall(0.5)).estimate
        for score in models.values()
    ]
    np.testing.assert_allclose(dots, [[0.5, value] for value in precision])
    assert "; dots: half of the positives; " in part.picture.subject
    assert "bars" not in part.picture.subject  # the band has the intervals


@pytest.mark.parametrize("role", ["clusters", "queries"])
def test_a_curve_without_a_band_has_the_intervals_of_the_table(drawn_figures, role):
    score = 2 * Y + NOISE[0]
    options = {role: np.arange(N) // 60}
    part, axis = draw(drawn_figures, Y, {"new": score, "old": score + NOISE[1]}, **options)
    bars = [lines.get_segments()[0] for lines in axis.collections if lines.get_segments()]
    limits = [
        average_precision_interval(Y, score, definition=PrecisionAtRecall(recall), **options)
        for recall in (0.25, 0.5, 0.75, 0.9)
    ]
    expected = [
        [[recall, each.low], [recall, each.high]]
        for recall, each in zip((0.25, 0.5, 0.75, 0.9), limits, strict=True)
    ]
    np.testing.assert_allclose(bars, expected)
    assert "bars: 95% intervals of new" in part.picture.subject
