"""The picture of segments names its model, and has the scores of another one."""

import re

import numpy as np
import pandas as pd
import pytest
from matplotlib.colors import to_hex

from sklearn_ap import compare_segments, report
from sklearn_ap._base.drawing.axes import axes_colors
from sklearn_ap._program.report.segments._drawing import RING_GREY

N = 3000
RNG = np.random.default_rng(2)
Y = RNG.random(N) < 0.2
MODELS = {"old": Y + RNG.normal(size=N), "new": 2 * Y + RNG.normal(size=N)}
MONTHS = np.array([f"2026-0{i}" for i in range(1, 6)])[np.arange(N) % 5]
COUNTRIES = np.array(["DE", "FR", "IT"])[np.arange(N) % 3]


@pytest.mark.parametrize(("name", "column"), [("month", MONTHS), ("country", COUNTRIES)])
def test_scores_of_the_other_model_are_marked(drawn_figures, name, column):
    made = report(Y, MODELS, segments={name: column}, parts=["segments"])
    made.to_html()
    (axis,) = drawn_figures.pop().axes
    assert not axis.get_title()  # the page has the words
    picture = made.parts[0].picture
    assert picture.subject.startswith(
        f"Average precision by {name} at prevalence 0.20 (dotted), 95% int"
    )
    assert any(line.get_linestyle() == ":" for line in axis.lines)
    assert not any("prevalence" in text.get_text() for text in axis.texts)  # the caption has it
    names = [text.get_text().split()[0] for text in axis.texts]
    assert {"new", "old"} <= {*names}
    (marks,) = (line for line in axis.lines if line.get_marker() == "D")
    drawn = marks.get_ydata() if name == "month" else marks.get_xdata()
    np.testing.assert_array_equal(drawn, compare_segments(Y, MODELS["old"], column).estimates)
    low, high = axis.get_ylim() if name == "month" else axis.get_xlim()
    assert low < drawn.min()
    assert drawn.max() < high


def test_a_single_model_has_no_marks_of_another(drawn_figures):
    made = report(Y, MODELS["new"], segments={"month": MONTHS}, parts=["segments"])
    made.to_html()
    (axis,) = drawn_figures.pop().axes
    latest = compare_segments(Y, MODELS["new"], MONTHS).estimates[-1]
    assert axis.texts[0].get_text() == f"{latest:.2f}"  # without a name
    assert not [line for line in axis.lines if line.get_marker() == "D"]


@pytest.mark.parametrize("has_outlier", [False, True])
def test_pictures_of_long_names_have_room_for_their_rows(drawn_figures, has_outlier):
    names = np.array(["Food & <drink>", "Travel, hotels and car rental", "Electronics", "x" * 80])
    skill = np.where(has_outlier & (np.arange(N) % 4 == 3), 0, 1)
    models = {f"logistic_regression_{'very_' * 9}{name}": skill * MODELS[name] for name in MODELS}
    segments = {"merchant category": names[np.arange(N) % 4]}
    made = report(Y, models, segments=segments, parts=["segments"])
    html = made.to_html()
    figure = drawn_figures.pop()
    (axis,) = figure.axes
    assert axis.get_window_extent().height / figure.dpi >= 4 * 0.24
    finding = made.parts[0].picture.finding
    assert (" in xxx" in finding) == has_outlier
    assert "axes sizes collapsed" not in html  # only the page has warnings of its pictures
    labels = [text.get_window_extent() for text in axis.get_yticklabels()]
    labels += [text.get_window_extent() for text in axis.texts]
    for box in labels:
        assert -1 < box.x0 < box.x1 < figure.bbox.x1 + 1
        assert -1 < box.y0 < box.y1 < figure.bbox.y1 + 1
    pairs = [(a, b) for i, a in enumerate(labels) for b in labels[i + 1 :]]
    assert not [1 for a, b in pairs if a.overlaps(b)]


def test_a_month_that_fell_is_marked_and_draws_no_trend(drawn_figures):
    numbers = np.arange(N) * 9 // N
    months = np.array([f"2026-0{i}" for i in range(1, 10)])[numbers]
    scores = np.where(numbers == 8, 0, 4 - 0.25 * numbers) * Y + RNG.normal(size=N)
    assert compare_segments(Y, scores, months).verdicts[-1].decision == "falling"
    made = report(Y, scores, segments={"month": months}, parts=["segments"])
    made.to_html()
    (axis,) = drawn_figures.pop().axes
    rows = compare_segments(Y, scores, months).rows()
    latest = f"{rows[-1]['estimate']:.2f}"
    picture = made.parts[0].picture
    assert picture.finding == f"The model falls to {latest} in 2026-09"
    assert "Ring: lower than other months." in picture.subject
    assert "trend" not in picture.subject
    assert max(len(line.get_xdata()) for line in axis.lines if line.get_linestyle() == "-") == 2
    (ring,) = (line for line in axis.lines if line.get_markerfacecolor() == "none")
    assert ring.get_ydata().tolist() == [rows[-1]["estimate"]]
    texts = [text.get_text() for text in axis.texts]
    assert texts[0] == latest
    assert texts.count(latest) == 1  # at the right end alone
    assert texts[1].startswith("mean of other\nmonths 0.")


def test_scores_of_marked_months_stand_inside_the_axes_but_for_the_latest(drawn_figures):
    is_low = np.isin(MONTHS, ["2026-01", "2026-05"])  # both ends, where a score could stand outside
    scores = np.where(is_low, 0, 3) * Y + RNG.normal(size=N)
    report(Y, scores, segments={"month": MONTHS}, parts=["segments"]).to_html()
    (axis,) = drawn_figures.pop().axes
    inside = axis.get_window_extent()
    first = f"{compare_segments(Y, scores, MONTHS).estimates[0]:.2f}"
    (box,) = (text.get_window_extent() for text in axis.texts if text.get_color() == alarm_of(axis))
    assert inside.x0 < box.x0 < box.x1 < inside.x1
    assert first in [text.get_text() for text in axis.texts]


def alarm_of(axis):
    return axes_colors(axis).alarm


@pytest.mark.parametrize(
    ("shift", "is_worse", "words"),
    [(1.3, True, "lower than other months"), (2.7, False, "differs from other months")],
)
@pytest.mark.parametrize(("least", "most"), [(0.015, 0.04), (0, 0.005)])
def test_rings_of_worse_segments_are_red_and_those_of_better_ones_grey(
    drawn_figures, shift, is_worse, words, least, most
):
    for seed in range(100):
        rng = np.random.default_rng(seed)
        scores = np.where(MONTHS == "2026-03", shift, 2) * Y + rng.normal(size=N)
        found = compare_segments(Y, scores, MONTHS)
        others = np.delete(found.adjusted_pvalues, 2)
        if least < found.adjusted_pvalues[2] < most and others.min() > 0.05:
            break
    else:
        pytest.fail("no such p-value")
    assert (found.differences[2] < 0) == is_worse
    made = report(Y, scores, segments={"month": MONTHS}, parts=["segments"])
    made.to_html()
    (axis,) = drawn_figures.pop().axes
    (ring,) = (line for line in axis.lines if line.get_markerfacecolor() == "none")
    assert ring.get_ydata().tolist() == [found.estimates[2]]
    assert ring.get_color() == (alarm_of(axis) if is_worse else RING_GREY)
    assert made.parts[0].picture.subject.endswith(f" Ring: {words}.")


def test_a_red_and_a_grey_ring_are_explained_together(drawn_figures):
    shift = np.select([MONTHS == "2026-02", MONTHS == "2026-04"], [0.4, 4], 2)
    scores = shift * Y + np.random.default_rng(4).normal(size=N)
    made = report(Y, scores, segments={"month": MONTHS}, parts=["segments"])
    made.to_html()
    (axis,) = drawn_figures.pop().axes
    rings = [line for line in axis.lines if line.get_markerfacecolor() == "none"]
    colors = {float(line.get_ydata()[0]): line.get_color() for line in rings}
    estimates = compare_segments(Y, scores, MONTHS).estimates
    assert colors == {estimates[1]: alarm_of(axis), estimates[3]: RING_GREY}
    assert made.parts[0].picture.subject.endswith(" Ring: differs, and red is lower.")


@pytest.mark.parametrize(
    ("column", "names"),
    [("week", [f"W{i:02d}" for i in range(1, 21)]), ("hour", [*range(20)])],
)
def test_times_without_dates_are_drawn_along_an_axis_in_their_order(drawn_figures, column, names):
    weeks = np.array(names)[np.arange(N) * 20 // N]
    is_kept = weeks != names[3]  # a step without rows keeps its place if the order has it
    kept = pd.Categorical(weeks[is_kept], categories=names, ordered=True)
    for segments, places in ((weeks, np.arange(20)), (kept, np.delete(np.arange(20), 3))):
        rows = is_kept if len(places) < 20 else slice(None)
        y, scores = Y[rows], MODELS["new"][rows]
        report(y, scores, segments={column: segments}, parts=["segments"]).to_html()
        (axis,) = drawn_figures.pop().axes
        (points,) = (line.get_xydata() for line in axis.lines if line.get_marker() == "o")
        found = compare_segments(y, scores, segments)
        np.testing.assert_allclose(points, np.stack((places, found.estimates), axis=1))
        assert axis.get_xticklabels()[-1].get_text() == str(names[-1])


@pytest.mark.parametrize("n_rows", [2, 3, 12])
def test_rows_have_room_and_do_not_touch_the_frame(drawn_figures, n_rows):
    names = np.char.add("site ", (np.arange(N) % n_rows).astype(str))
    report(Y, MODELS, segments={"site": names}, parts=["segments"]).to_html()
    figure = drawn_figures.pop()
    (axis,) = figure.axes
    heights = [line.get_ydata() for line in axis.lines if line.get_marker() in "oD"]
    bottom, top = axis.get_ylim()
    assert np.concatenate(heights).min() - top >= 0.49
    assert bottom - np.concatenate(heights).max() >= 0.49
    row = axis.get_window_extent().height / figure.dpi / (bottom - top)
    assert row >= 0.97 * 0.3


def test_of_two_models_over_many_weeks_one_has_intervals_and_a_trend_has_no_mean(drawn_figures):
    codes = np.arange(N) * 20 // N
    weeks = np.array([f"2026-W{i:02d}" for i in range(1, 21)])[codes]
    falling = (3 - 0.12 * codes) * Y + np.random.default_rng(5).normal(size=N)
    models = {"new": falling, "old": MODELS["old"]}
    (part, *_) = report(Y, models, segments={"week": weeks}, parts=["segments"]).parts
    assert part.picture.finding.startswith("The score of new falls by ")
    assert "intervals of new; " in part.picture.subject
    _ = part.picture.image
    (axis,) = drawn_figures.pop().axes
    (limits,) = (each for each in axis.collections if type(each).__name__ == "LineCollection")
    blue, orange, *_ = axes_colors(axis).models
    assert to_hex(limits.get_color()[0]) == to_hex(blue)
    circles, diamonds = (line for line in axis.lines if line.get_marker() in "oD")
    assert (diamonds.get_color(), diamonds.get_linestyle()) == (orange, "None")
    found = compare_segments(Y, models["old"], weeks)
    heights = diamonds.get_ydata()[np.argsort(diamonds.get_xdata())]
    np.testing.assert_allclose(heights, found.estimates)
    assert diamonds.get_markersize() < circles.get_markersize()
    assert not any("mean" in text.get_text() for text in axis.texts)


def finding_of(*args, **options):
    return report(*args, **options, parts=["segments"]).parts[0].picture.finding


def test_findings_tell_the_segment_to_act_on():
    scores = np.where(MONTHS == "2026-05", 0, 3) * Y + RNG.normal(size=N)
    row = compare_segments(Y, scores, MONTHS).rows()[-1]
    models = {"new": scores, "old": Y + RNG.normal(size=N)}
    finding = finding_of(Y, models, segments={"month": MONTHS})
    assert finding == f"new falls to {row['estimate']:.2f} in 2026-05"


def test_a_first_month_does_not_fall():
    scores = np.where(MONTHS == "2026-01", 0, 3) * Y + RNG.normal(size=N)
    row = compare_segments(Y, scores, MONTHS).rows()[0]
    finding = finding_of(Y, scores, segments={"month": MONTHS})
    score = f"{row['estimate']:.2f}"
    assert finding == f"The model scores {score} in 2026-01, less than in other months"


def test_findings_tell_a_trend():
    numbers = np.arange(N) * 12 // N
    months = np.array([f"2026-{i:02d}" for i in range(1, 13)])[numbers]
    scores = (2.5 - 0.15 * numbers) * Y + np.random.default_rng(3).normal(size=N)
    found = compare_segments(Y, scores, months)
    finding = finding_of(Y, scores, segments={"month": months})
    assert finding == f"The score falls by {-found.trend:.2f} a month"


REST = "no difference between the months"


def test_findings_tell_the_trend_of_the_second_model_if_the_best_one_is_steady():
    numbers = np.arange(N) * 12 // N
    months = np.array([f"2026-{i:02d}" for i in range(1, 13)])[numbers]
    old = (2 - 0.15 * numbers) * Y + RNG.normal(size=N)
    found = compare_segments(Y, old, months)
    models = {"new": 2.5 * Y + np.random.default_rng(3).normal(size=N), "old": old}
    finding = finding_of(Y, models, segments={"month": months})
    assert finding == f"old falls by {-found.trend:.2f} a month; {REST} is shown for new"


def second_picture(drawn_figures, segments):
    """The picture of two models, of which the second one falls to chance in the last segment."""
    last = segments == max(segments)
    models = {
        "new": 3 * Y + np.random.default_rng(3).normal(size=N),
        "old": np.where(last, 0, 2) * Y + np.random.default_rng(4).normal(size=N),
    }
    name = "month" if segments is MONTHS else "site"
    (part, *_) = report(Y, models, segments={name: segments}, parts=["segments"]).parts
    _ = part.picture.image
    (axis,) = drawn_figures.pop().axes
    (row,) = (
        row
        for row in compare_segments(Y, models["old"], segments).rows()
        if row["segment"] == max(segments)
    )
    return part.picture, axis, row["estimate"]


@pytest.mark.parametrize("segments", [MONTHS, np.array([*"abcde"])[np.arange(N) % 5]])
def test_a_second_model_that_fails_in_a_segment_has_the_finding_and_the_ring(
    drawn_figures, segments
):
    picture, axis, score = second_picture(drawn_figures, segments)
    if segments is MONTHS:
        assert picture.finding == f"old falls to {score:.2f} in 2026-05; {REST} is shown for new"
    else:
        rest = "no difference between the sites is shown for new"
        claim = f"old scores {score:.2f} in e, less than elsewhere"
        assert picture.finding == f"{claim}; {rest}"
    (ring,) = (line for line in axis.lines if line.get_markerfacecolor() == "none")
    assert score in (*ring.get_xdata(), *ring.get_ydata())
    assert ring.get_color() == alarm_of(axis)
    assert re.search(r" Ring: lower than other \w+\.$", picture.subject)


def test_findings_do_not_deny_that_segments_differ_as_a_whole():
    names = np.arange(N) % 30
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scores = rng.normal(1.5, 0.4, size=30)[names] * Y + rng.normal(size=N)
        found = compare_segments(Y, scores, np.char.add("s", names.astype(str)))
        if "no single one" in " ".join(verdict.sentence for verdict in found.verdicts):
            break
    segments = {"site": np.char.add("s", names.astype(str))}
    assert finding_of(Y, scores, segments=segments) == "The sites differ, but none can be named"


def test_findings_deny_no_difference_of_segments_that_are_not_compared():
    few = slice(60)
    names = np.arange(N) % 12
    finding = finding_of(Y[few], MODELS["new"][few], segments={"site": names[few]})
    assert finding == "Too few positives to compare the sites"


def test_a_difference_that_is_not_shown_is_said():
    finding = finding_of(Y, MODELS["new"], segments={"month": MONTHS})
    assert finding == "No difference between the months is shown"


@pytest.mark.parametrize("names", [["new", "old"], ["old", "new"]])
@pytest.mark.parametrize("n_models", [2, 3])
def test_beside_another_model_a_difference_that_is_not_shown_has_the_name_of_its_own(
    names, n_models
):
    models = {name: MODELS[name] for name in names}
    models |= {"noise": np.random.default_rng(9).normal(size=N)} if n_models == 3 else {}
    for score in models.values():
        verdicts = compare_segments(Y, score, MONTHS).verdicts
        assert {verdict.decision for verdict in verdicts} == {"undecided"}
    finding = finding_of(Y, models, segments={"month": MONTHS})
    assert finding == "No difference between the months is shown for new"


def test_models_keep_colours_and_shapes_where_the_second_one_is_used_for_now(drawn_figures):
    scores = np.where(MONTHS == "2026-05", -1, 4) * Y + np.random.default_rng(4).normal(size=N)
    models = {"new": scores, "old": MODELS["old"]}
    segments = {"month": MONTHS, "country": COUNTRIES}
    made = report(Y, models, segments=segments)
    made.to_html()
    assert made.summary[0].answer.startswith("Use old for now")
    months, countries = (figure.axes[0] for figure in drawn_figures[-2:])
    blue, orange, *_ = axes_colors(months).models
    for axis in (months, countries):
        points = (line for line in axis.lines if line.get_markerfacecolor() != "none")
        shapes = {
            each.get_marker(): each.get_color() for each in points if each.get_marker() != "None"
        }
        assert shapes == {"o": blue, "D": orange}
    (circles,) = (line for line in countries.lines if line.get_marker() == "o")
    best = compare_segments(Y, scores, COUNTRIES).estimates
    np.testing.assert_array_equal(circles.get_xdata(), best)
    mean, *_ = (line for line in countries.lines if line.get_marker() == "None")
    assert mean.get_color() == orange
    caption = next(each.picture.subject for each in made.parts if each.title.endswith("country"))
    assert "Line: mean of countries 0." in caption


def picture_of(made, column):
    return next(part.picture for part in made.parts if part.title == f"Segments by {column}")
