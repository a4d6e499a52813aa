"""The picture of segments names its model, and has the scores of another one."""

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import compare_segments, report

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
    assert axis.get_title().startswith(f"new by {name}:")
    assert [text.get_text() for text in axis.get_legend().get_texts()][:2] == ["new", "old"]
    (marks,) = (line for line in axis.lines if line.get_marker() == "D")
    drawn = marks.get_ydata() if name == "month" else marks.get_xdata()
    np.testing.assert_array_equal(drawn, compare_segments(Y, MODELS["old"], column).estimates)
    assert marks.get_markerfacecolor() == "none"
    low, high = axis.get_ylim() if name == "month" else axis.get_xlim()
    assert low < drawn.min()
    assert drawn.max() < high


def test_a_single_model_has_no_marks_of_another(drawn_figures):
    report(Y, MODELS["new"], segments={"month": MONTHS}, parts=["segments"]).to_html()
    (axis,) = drawn_figures.pop().axes
    assert axis.get_title().replace("\n", " ") == "The model by month: no difference shown"
    assert "The model" not in [text.get_text() for text in axis.get_legend().get_texts()]
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
    assert (" in xxx" in axis.get_title()) == has_outlier
    assert "axes sizes collapsed" not in html  # only the page has warnings of its pictures
    labels = [text.get_window_extent() for text in axis.get_yticklabels()]
    labels += [text.get_window_extent() for text in (axis.title, axis.xaxis.label, *axis.texts)]
    labels.append(axis.get_legend().get_window_extent())
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
    report(Y, scores, segments={"month": months}, parts=["segments"]).to_html()
    (axis,) = drawn_figures.pop().axes
    texts = [text.get_text() for text in axis.get_legend().get_texts()]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in texts] == [
        "differs from the others (adjusted p < 0.05)",
        "mean of the others, weighted by positives",
        "random order",
    ]
    (ring,) = (line for line in axis.lines if line.get_marker() == "o")
    rows = compare_segments(Y, scores, months).rows()
    assert ring.get_ydata().tolist() == [rows[-1]["estimate"]]
    assert [text.get_text() for text in axis.texts] == [f"{rows[-1]['estimate']:.2f}"]


def test_scores_of_marked_months_stand_inside_the_axes(drawn_figures):
    is_low = np.isin(MONTHS, ["2026-01", "2026-05"])  # both ends, where a score could stand outside
    scores = np.where(is_low, 0, 3) * Y + RNG.normal(size=N)
    report(Y, scores, segments={"month": MONTHS}, parts=["segments"]).to_html()
    (axis,) = drawn_figures.pop().axes
    inside = axis.get_window_extent()
    boxes = [text.get_window_extent() for text in axis.texts]
    assert len(boxes) == 2
    assert all(inside.x0 < box.x0 < box.x1 < inside.x1 for box in boxes)


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
        points = axis.collections[1].get_offsets().data
        found = compare_segments(y, scores, segments)
        np.testing.assert_allclose(points, np.stack((places, found.estimates), axis=1))
        assert axis.get_xticklabels()[0].get_text() == str(names[-1])
        assert "average precision" in axis.get_ylabel()


@pytest.mark.parametrize("n_rows", [2, 3, 12])
def test_rows_have_room_and_do_not_touch_the_frame(drawn_figures, n_rows):
    names = np.char.add("site ", (np.arange(N) % n_rows).astype(str))
    report(Y, MODELS, segments={"site": names}, parts=["segments"]).to_html()
    figure = drawn_figures.pop()
    (axis,) = figure.axes
    heights = [axis.collections[1].get_offsets()[:, 1]]
    heights += [line.get_ydata() for line in axis.lines if line.get_marker() == "D"]
    bottom, top = axis.get_ylim()
    assert np.concatenate(heights).min() - top >= 0.49
    assert bottom - np.concatenate(heights).max() >= 0.49
    row = axis.get_window_extent().height / figure.dpi / (bottom - top)
    assert row >= 0.97 * 0.3


def title_of(drawn_figures, *args, **options):
    report(*args, **options, parts=["segments"]).to_html()
    (axis,) = drawn_figures.pop().axes
    return axis.get_title().replace("\n", " ")


def test_titles_tell_the_segment_to_act_on(drawn_figures):
    scores = np.where(MONTHS == "2026-05", 0, 3) * Y + RNG.normal(size=N)
    row = compare_segments(Y, scores, MONTHS).rows()[-1]
    title = title_of(
        drawn_figures, Y, {"new": scores, "old": Y + RNG.normal(size=N)}, segments={"month": MONTHS}
    )
    assert title == f"new by month: {row['estimate']:.2f} in 2026-05"


def test_titles_tell_a_trend(drawn_figures):
    numbers = np.arange(N) * 12 // N
    months = np.array([f"2026-{i:02d}" for i in range(1, 13)])[numbers]
    scores = (2.5 - 0.1 * numbers) * Y + RNG.normal(size=N)
    found = compare_segments(Y, scores, months)
    title = title_of(drawn_figures, Y, scores, segments={"month": months})
    assert title == f"The model by month: {found.trend:+.2f} a month"


def test_titles_do_not_deny_that_segments_differ_as_a_whole(drawn_figures):
    names = np.arange(N) % 30
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scores = rng.normal(1.5, 0.4, size=30)[names] * Y + rng.normal(size=N)
        found = compare_segments(Y, scores, np.char.add("s", names.astype(str)))
        if "no single one" in " ".join(verdict.sentence for verdict in found.verdicts):
            break
    segments = {"site": np.char.add("s", names.astype(str))}
    title = title_of(drawn_figures, Y, scores, segments=segments)
    assert title == "The model by site: the sites differ as a whole"


def test_titles_claim_nothing_of_segments_that_are_not_compared(drawn_figures):
    few = slice(60)
    names = np.arange(N) % 12
    title = title_of(drawn_figures, Y[few], MODELS["new"][few], segments={"site": names[few]})
    assert title == "The model by site"
