"""The picture of curves: what it finds, where its axis ends, and the words beside what is drawn."""

import numpy as np
import pytest
from matplotlib.colors import to_rgb
from sklearn.metrics import precision_recall_curve

from sklearn_ap import (
    average_precision_interval,
    average_precision_score,
    chance_test,
    report,
)
from sklearn_ap._base.drawing.lines_and_bands import find_artists
from sklearn_ap._program.report.page.pictures import TEXT_GREY
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
@pytest.mark.parametrize(
    ("options", "title"),
    [({}, "AP"), ({"queries": np.arange(N) // 60}, "MAP")],
    ids=["", "queries"],
)
def test_scores_and_their_title_stand_behind_names_even_if_these_are_shortened(
    drawn_figures, name, options, title
):
    models = {name: 2 * Y + NOISE[0], "challenger": Y + NOISE[1]}
    part, axis = draw(drawn_figures, Y, models, **options)
    scores = [f"{average_precision_score(Y, each, **options):.2f}" for each in models.values()]
    _, first, second = (text.get_text() for text in axis.texts)  # behind that of random orders
    assert second == f"challenger, {title} {scores[1]}"
    ending = f", {title} {scores[0]}"
    assert first.endswith(ending)
    start, cut, end = first.removesuffix(ending).partition("…")
    assert bool(cut) == (name == LONG)
    assert name.startswith(start)
    assert name.endswith(end)
    assert "average precision" not in part.picture.subject.lower()


def expected_by_chance(n_rows, n_positives):
    """The average precision of all random orders together."""
    luck = np.sum(1 / np.arange(1, n_rows + 1))  # the first row alone has a precision of 0 or 1
    return ((n_positives - 1) / (n_rows - 1) * (n_rows - luck) + luck) / n_rows


WEIGHT = 1 + 2 * np.roll(Y, 1)
QUERY = np.arange(N) // 100
BY_CHANCE = np.mean([expected_by_chance(100, Y[i == QUERY].sum()) for i in range(30)])


@pytest.mark.parametrize(
    ("options", "name", "level"),
    [
        ({}, "prevalence", np.mean(Y)),
        ({"prevalence": 0.01}, "prevalence", 0.01),
        ({"sample_weight": WEIGHT}, "prevalence", np.average(Y, weights=WEIGHT)),
        ({"queries": QUERY}, "random order", BY_CHANCE),
    ],
    ids=["", "prevalence", "weights", "queries"],
)
@pytest.mark.parametrize("n_models", [1, 2])
def test_the_dotted_line_has_its_name_and_value_beside_it(
    drawn_figures, options, name, level, n_models
):
    models = {"new": 4 * Y + NOISE[0], "old": 3 * Y + NOISE[1]}
    part, axis = draw(drawn_figures, Y, models if n_models > 1 else models["new"], **options)
    axis.figure.draw_without_rendering()
    (dotted,) = find_artists(axis, "reference")
    np.testing.assert_allclose(dotted.get_ydata(), level)
    assert dotted.get_linestyle() == ":"
    (text,) = (each for each in axis.texts if each.get_color() == TEXT_GREY)
    words, _, value = text.get_text().rpartition(" ")
    assert words == name
    assert value == (f"{level:.2f}" if level >= 0.1 else f"{level:.3f}")  # two digits
    box = text.get_window_extent()
    height = axis.transData.transform((0, level))[1]
    assert 0 < max(box.y0 - height, height - box.y1) < 6
    assert "dotted" not in part.picture.subject
    assert "random order" not in part.picture.subject


def place_of_best(y_true, y_score, recall):
    """Where a curve first has its highest precision at a recall or beyond it.

    The precision of a positive is that of the step which begins at the recall before it.
    """
    precisions, recalls, _ = precision_recall_curve(y_true, y_score)
    is_beyond = recalls >= recall * (1 - 1e-9)
    highest = precisions[is_beyond].max()
    end = recalls[is_beyond & (precisions > highest * (1 - 1e-9))].min()
    start = end - 1 / y_true.sum()
    return start if start >= recall * (1 - 1e-9) else end


def guides_of(axis):
    """The lines from the axis upwards."""
    return [
        line
        for line in axis.lines
        if len({*line.get_xdata()}) == 1 < len(line.get_xdata()) and line.get_ydata()[0] == 0
    ]


@pytest.mark.parametrize("names", [("new", "old"), ("old", "new"), ("new",)])
@pytest.mark.parametrize("n_rows", [N, 500])
def test_dots_and_a_line_up_to_them_stand_at_half_of_the_positives_as_the_finding_tells(
    drawn_figures, names, n_rows
):
    """The best precision with a recall of half or more may be reached a little beyond it."""
    y, gains = Y[:n_rows], {"new": 2, "old": 1}
    models = {name: gains[name] * y + NOISE[i, :n_rows] for i, name in enumerate(names)}
    part, axis = draw(drawn_figures, y, models)
    dots = [line.get_xydata()[0] for line in axis.lines if len(line.get_xdata()) == 1]
    precision = [
        average_precision_interval(y, score, definition=PrecisionAtRecall(0.5)).estimate
        for score in models.values()
    ]
    places = [place_of_best(y, score, 0.5) for score in models.values()]
    assert max(places) < 0.6
    expected = sorted(zip(places, precision, strict=True))
    np.testing.assert_allclose(sorted(map(tuple, dots)), expected)
    (guide,) = guides_of(axis)
    np.testing.assert_allclose(guide.get_xydata(), [[0.5, 0], [0.5, max(precision)]])
    curves = find_artists(axis, "model")
    assert guide.get_linewidth() < min(line.get_linewidth() for line in curves)
    red, green, blue = to_rgb(guide.get_color())
    assert red == green == blue > 0.5
    assert guide.get_zorder() < min(line.get_zorder() for line in curves)
    assert part.picture.finding.startswith("At half of the positives, ")
    assert "half" not in part.picture.subject
    assert "bars" not in part.picture.subject  # the band has the intervals


def test_over_queries_whose_finding_has_scores_nothing_stands_at_half_of_the_positives(
    drawn_figures,
):
    models = {"new": 2 * Y + NOISE[0], "old": Y + NOISE[1]}
    part, axis = draw(drawn_figures, Y, models, queries=QUERY)
    assert part.picture.finding.startswith("new scores ")
    assert not guides_of(axis)
    assert not [line for line in axis.lines if line.get_marker() == "o"]


@pytest.mark.parametrize("role", ["clusters", "queries"])
def test_a_curve_without_a_band_has_the_intervals_of_the_table(drawn_figures, role):
    """They stand where the curve attains the precision, which a mean over queries need not."""
    score = 2 * Y + NOISE[0]
    options = {role: np.arange(N) // 60}
    part, axis = draw(drawn_figures, Y, {"new": score, "old": score + NOISE[1]}, **options)
    bars = [lines.get_segments()[0] for lines in axis.collections if lines.get_segments()]
    expected = []
    for recall in (0.25, 0.5, 0.75, 0.9):
        definition = PrecisionAtRecall(recall)
        each = average_precision_interval(Y, score, definition=definition, **options)
        # A mean over queries is not on the curve.
        place = recall if role == "queries" else place_of_best(Y, score, recall)
        expected.append([[place, each.low], [place, each.high]])
    np.testing.assert_allclose(bars, expected)
    assert "bars: 95% intervals of new" in part.picture.subject
