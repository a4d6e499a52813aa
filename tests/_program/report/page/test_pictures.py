"""Pictures of curves, of two models, and of thresholds: colours, words and room."""

import re
from itertools import combinations, pairwise

import numpy as np
import pytest
from matplotlib.colors import to_hex

from sklearn_ap import operating_point, report
from sklearn_ap._base.drawing.lines_and_bands import LABEL, find_artists
from sklearn_ap._program.report.page.pictures import TEXT_GREY

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 600
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.2).astype(int)
BASE, NOISE = RNG.normal(size=(2, N))
MODELS = {"old": Y + BASE, "new": 2 * Y + BASE}
# A threshold for a precision of 0.8 is guaranteed, and one for 0.5 finds more.
RARE_Y = np.random.default_rng(5).random(30_000) < 0.02
RARE = 2.4 * RARE_Y + np.random.default_rng(6).normal(size=RARE_Y.size)
SHADE = "; shade: 95% interval; "
LONG_NAMES = (
    "gradient boosting with 2,000 trees, trained on 2024 and 2025 data, calibrated",
    "random forest_v2_final_FINAL_with_all_features_and_lag_variables",
    "x" * 80,
)


def draw(drawn_figures, *args, **options):
    """The parts of a page, and its figures."""
    drawn_figures.clear()
    found = report(*args, **options)
    found.to_html()
    return found.parts, drawn_figures


def legend_of(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def uprights_of(axis):
    """The lines across a panel that mark thresholds."""
    return [line for line in axis.lines if len({*line.get_xdata()}) == 1 < len(line.get_xdata())]


HALF_SIZE = 4  # points, of the dots at half of the positives


def dots_of(axis):
    return [line for line in axis.lines if line.get_marker() == "o"]


def colors_of_rows(axis):
    limits, points = axis.collections[:2]
    return [[to_hex(color) for color in each] for each in (limits.get_color(), points._facecolors)]


@pytest.mark.parametrize(
    ("new", "ink", "is_grey"),
    [
        (2 * Y + BASE, "#000000", False),
        (1.1 * Y + BASE + NOISE / 2, "#808080", True),
    ],
)
def test_models_have_the_same_colours_in_the_curve_and_beside_their_difference(
    drawn_figures, new, ink, is_grey
):
    models = {"old": MODELS["old"], "new": new}
    (found, *_), figures = draw(drawn_figures, Y, models, parts=["curve", "comparison"])
    (scores, differences), (curve,) = (figure.axes for figure in figures)
    lines = {getattr(line, LABEL).name: line.get_color() for line in find_artists(curve, "model")}
    names = [label.get_text() for label in scores.get_yticklabels()]
    assert colors_of_rows(scores) == [[to_hex(lines[name]) for name in names]] * 2
    assert colors_of_rows(differences) == [[ink]] * 2
    reference = re.search(r"minus (\w+)", found.cells[0][2])[1]
    other = next(name for name in names if name != reference)
    (pair,) = differences.get_yticklabels()
    assert pair.get_text().replace("\n", " ") == f"{other} minus {reference}"
    assert ("; grey: no difference shown; " in found.picture.subject) == is_grey
    is_shown = "No difference" not in found.picture.finding
    assert is_shown != is_grey


@pytest.mark.parametrize("noise", [0.02, 0.0567, 0.2, 0.3316, 0.4135])
def test_labels_of_differences_have_room(drawn_figures, noise):
    scores = {"old": MODELS["old"], "new": Y + BASE + noise * NOISE}
    models = {f"gradient boosting, {name}": each for name, each in scores.items()}
    _, (figure,) = draw(drawn_figures, Y, models, parts=["comparison"])
    figure.draw_without_rendering()
    axis = figure.axes[1]
    left, right = axis.get_xlim()
    labels = [each for each in axis.get_xticklabels() if left <= each.get_position()[0] <= right]
    boxes = [each.get_window_extent() for each in labels]
    assert len(boxes) > 1
    assert all(a.x1 + 8 < b.x0 for a, b in pairwise(boxes))


@pytest.mark.parametrize("gain", [-2.5, -1, 0, 0.3, 1, 3])
@pytest.mark.parametrize("pair", [("old", "new"), ("gradient_boosting", "logistic_regression")])
def test_scores_and_their_difference_have_one_scale_and_no_axis_at_the_left(
    drawn_figures, gain, pair
):
    models = dict(zip(pair, (Y + BASE, (1 + gain) * Y + BASE + 0.3 * NOISE), strict=True))
    _, (figure,) = draw(drawn_figures, Y, models, parts=["comparison"])
    figure.draw_without_rendering()
    scores, difference = figure.axes
    ends = np.concatenate(difference.collections[0].get_segments())[:, 0]
    is_common = ends.min() >= 0  # or else the zeros of both would not stand below each other
    widths = np.ptp(scores.get_xlim()), np.ptp(difference.get_xlim())
    assert (widths[0] == pytest.approx(widths[1])) == is_common
    assert is_common == (gain != 0)
    assert scores.bbox.width == pytest.approx(difference.bbox.width)
    (chance, _) = scores.lines[0].get_xdata()
    drawn = np.concatenate([*scores.collections[0].get_segments(), [[chance, 0]]])[:, 0]
    start = scores.get_xlim()[0]
    if chance <= drawn.max() / 4:
        assert start == 0
    else:
        assert 0.03 < (drawn.min() - start) / widths[0] < 0.06
    assert [len(axis.lines) for axis in figure.axes] == [1, 1]
    assert not [1 for axis in figure.axes if axis.spines["left"].get_visible()]
    assert list(difference.lines[0].get_xdata()) == [0, 0]
    for axis in figure.axes:
        left, right = axis.get_xlim()
        ends = np.concatenate(
            [*axis.collections[0].get_segments(), [[axis.lines[0].get_xdata()[0], 0]]]
        )
        assert left <= ends[:, 0].min() < ends[:, 0].max() < right


@pytest.mark.parametrize("size", [1, 3])
def test_a_difference_of_long_names_says_below_which_is_better(drawn_figures, size):
    names = [
        f"{name}_of_all_customers" if size > 1 else name for name in ("forest_a", "boosting_b")
    ]
    models = dict(zip(names, (Y + BASE, 3 * Y + BASE), strict=True))
    _, (figure,) = draw(drawn_figures, Y, models, parts=["comparison"])
    figure.draw_without_rendering()
    axis = figure.axes[1]
    assert [label.get_text() for label in axis.get_yticklabels()] == ["difference"]
    assert re.fullmatch("right of 0: boosting_.* better", axis.get_xlabel())
    assert ("…" in axis.get_xlabel()) == (size > 1)
    box = axis.xaxis.label.get_window_extent()
    assert 0 <= box.x0 < box.x1 <= figure.bbox.x1


def test_curves_of_queries_are_drawn_behind_their_mean_for_a_single_model_alone(drawn_figures):
    queries = np.arange(N) % 20
    (part, *_), (figure,) = draw(drawn_figures, Y, MODELS, parts=["curve"], queries=queries)
    (axis,) = figure.axes
    assert len(axis.lines) == 3  # two means, and random orders
    labels = r"random order 0\.\d\d", r"new, MAP 0\.\d\d", r"old, MAP 0\.\d\d"
    for text, label in zip(axis.texts, labels, strict=True):
        assert re.fullmatch(label, text.get_text())
    assert axis.get_legend() is None
    assert part.notes[-1] == (
        "The table has an interval at each recall; a band over all recalls is only for a single "
        "ranking."
    )
    _, (figure,) = draw(drawn_figures, Y, MODELS["new"], parts=["curve"], queries=queries)
    (axis,) = figure.axes
    assert len(axis.lines) > 20
    assert re.fullmatch(r"average precision: 0\.\d\d", *legend_of(axis))  # not among the curves


def test_only_the_best_of_two_models_has_a_band(drawn_figures):
    models = MODELS | {"old": 1.95 * Y + BASE}
    (part, *_), (figure,) = draw(drawn_figures, Y, models, parts=["curve"])
    (axis,) = figure.axes
    assert len(find_artists(axis, "band")) == 1
    assert ", 95% band of new; " in part.picture.subject
    assert not find_artists(axis, "swatch")


def test_the_second_threshold_of_the_page_is_marked(drawn_figures):
    (part, *_), (figure,) = draw(drawn_figures, RARE_Y, RARE, parts=["thresholds"])
    words = " ".join(part.more)
    pattern = r"To find more, select scores from (\S+): .* found, precision (\S+) "
    printed, precision = re.search(pattern, words).groups()
    recall = f"{np.mean(float(printed) <= RARE[RARE_Y]):.2f}"
    shares = f"precision {precision}, recall {recall}"
    assert SHADE in part.picture.subject
    assert part.picture.subject.endswith(f" positives. Dashed: threshold {printed}, {shares}.")
    assert f"{printed}: precision {precision}, recall {recall}" in part.picture.alt
    for axis, share in zip(figure.axes, (precision, recall), strict=True):
        chosen, dashed = uprights_of(axis)
        assert dashed.get_linewidth() < chosen.get_linewidth()
        assert (chosen.get_linestyle(), dashed.get_linestyle()) == ("-", "--")
        at = dashed.get_xdata()[0]
        assert 0 <= at - float(printed) < 1e-3  # rounded down
        first, second = dots_of(axis)
        assert first.get_xdata()[0] == chosen.get_xdata()[0]
        np.testing.assert_allclose(second.get_xydata(), [[at, float(share)]], atol=0.01)


def test_the_axis_of_thresholds_ends_where_nearly_all_positives_are_found(drawn_figures):
    _, (figure,) = draw(drawn_figures, RARE_Y, RARE, parts=["thresholds"])
    ((left, right),) = {axis.get_xlim() for axis in figure.axes}
    assert 0.985 < np.mean(left <= RARE[RARE_Y]) <= 1
    assert RARE.min() < left - 1
    assert right > RARE.max()
    whole = operating_point(RARE_Y, RARE, precision=0.5).plot()
    assert whole.get_xlim()[0] < RARE.min()


@pytest.mark.parametrize("name", LONG_NAMES)
@pytest.mark.parametrize("weight", [None, 1 + np.arange(N) % 3])
def test_nothing_leaves_the_picture_of_a_threshold_of_a_long_name(drawn_figures, name, weight):
    models = {"old": MODELS["old"], name: MODELS["new"]}
    _, (figure,) = draw(
        drawn_figures, Y, models, parts=["thresholds"], sample_weight=weight, precision=0.6
    )
    precision, recall = figure.axes
    assert min(axis.bbox.height for axis in figure.axes) / figure.dpi >= 0.9
    texts = [recall.xaxis.label, *precision.texts, *recall.texts]
    assert len(texts) == 4
    boxes = [each.get_window_extent() for each in texts]
    for box in boxes:
        assert -1 < box.x0 < box.x1 < figure.bbox.x1 + 1
        assert -1 < box.y0 < box.y1 < figure.bbox.y1 + 1
    assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]


THRESHOLDS = {  # cases whose curves cross at the threshold, or run along the goal
    "steep": (RARE_Y, RARE, {}),
    "weak": (RARE_Y, 0.5 * RARE, {}),
    "unsure": (Y, MODELS["new"], {"precision": 0.9}),
    "few": (Y[:60], MODELS["new"][:60], {"precision": 0.5}),
    "weights": (Y, MODELS["new"], {"sample_weight": 1 + np.arange(N) % 3}),
    "patients": (Y, MODELS["old"], {"clusters": np.arange(N) % 50}),
    "rounded": (Y, np.round(MODELS["new"]), {}),
    "top": (Y, 0.2 * Y + np.random.default_rng(5).normal(size=N), {}),  # without a goal
}


@pytest.mark.parametrize("name", THRESHOLDS)
def test_values_stand_beside_their_dots_on_no_curve_and_there_is_no_legend(drawn_figures, name):
    y, scores, options = THRESHOLDS[name]
    (part, *_), (figure,) = draw(drawn_figures, y, scores, parts=["thresholds"], **options)
    figure.draw_without_rendering()
    values = []
    for axis, share in zip(figure.axes, ("precision", "recall"), strict=True):
        assert axis.get_legend() is None
        text, *goals = axis.texts
        assert [*map(goal_of, goals)] == [line.get_ydata()[0] for line in dotted_of(axis)]
        name, value = text.get_text().split()
        assert name == share
        values.append(value)
        line, dot = axis.lines[0], dots_of(axis)[0]
        assert text.get_color() == line.get_color() == dot.get_color()
        boxes = [each.get_window_extent() for each in axis.texts]
        assert distance(boxes[0], axis.transData.transform(dot.get_xydata())[0]) < 50
        assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]
        x, y_line = (np.repeat(each, 2) for each in line.get_xydata().T)
        points = np.column_stack([x[1:], y_line[:-1]])
        steps = np.linspace(0, len(points) - 1, 20 * len(points))
        places = np.arange(len(points))
        dense = np.column_stack([np.interp(steps, places, each) for each in points.T])
        dots = [each.get_xydata()[0] for each in dots_of(axis)]
        for box in boxes:
            assert axis.bbox.x0 <= box.x0 < box.x1 <= axis.bbox.x1
            assert axis.bbox.y0 <= box.y0 < box.y1 <= axis.bbox.y1
            drawn = axis.transData.transform([*dense, *dots])
            assert not [1 for x, y in drawn if box.contains(x, y)]
    selected, found = re.findall(r"(\d+(?:\.\d+)?)% of ", part.picture.finding)
    precision, recall = map(float, values)
    assert float(selected) == pytest.approx(100 * precision)
    assert float(found) == pytest.approx(100 * recall, abs=0.5)
    texts = "precision", "precision of"
    assert any(f"{text} {values[0]}" in part.sentence for text in texts)


def dotted_of(axis):
    return [line for line in axis.lines if line.get_linestyle() == ":"]


def goal_of(text):
    """The goal that a text beside a dotted line has."""
    return float(re.fullmatch(r"(?:guaranteed|goal) (0\.\d+)", text.get_text())[1])


def test_a_goal_is_named_at_its_line_and_not_below_the_picture(drawn_figures):
    reverse = np.linspace(0, 1, N) - Y  # that reaches no precision above the prevalence
    cases = [
        (0.6, MODELS["new"], {}, "guaranteed 0.6"),
        (0.6, MODELS["new"], {"sample_weight": 1 + np.arange(N) % 3}, "goal 0.6"),
        (0.9, reverse, {"prevalence": 0.1}, "goal 0.9"),
    ]
    for precision, scores, options, words in cases:
        options = {"parts": ["thresholds"], "precision": precision} | options
        part, figures = draw(drawn_figures, Y, scores, **options)
        upper, lower = figures[-1].axes  # the goal is one of precision
        (dotted,) = dotted_of(upper)
        np.testing.assert_allclose(dotted.get_ydata(), precision)
        assert not dotted_of(lower)
        (name, goal), (other,) = upper.texts, lower.texts
        assert goal.get_text() == words
        assert goal.get_color() == TEXT_GREY
        upper.figure.draw_without_rendering()
        box = goal.get_window_extent()
        height = upper.transData.transform((0, precision))[1]
        assert 0 < max(box.y0 - height, height - box.y1) < 20
        assert [text.get_text().split()[0] for text in (name, other)] == ["precision", "recall"]
        subject = part[0].picture.subject
        assert not re.search("dotted|goal|guaranteed|confidence", subject, re.IGNORECASE)


def test_without_a_goal_no_line_is_dotted_and_none_is_named(drawn_figures):
    weak = 0.2 * Y + np.random.default_rng(5).normal(size=N)  # its top 100 rows beat chance
    (part, *_), (figure,) = draw(drawn_figures, Y, weak, parts=["thresholds"])
    assert "selecting the top 100 rows" in part.sentence
    lines = [line for axis in figure.axes for line in axis.lines]
    assert len(figure.axes) == 2
    assert not [line for line in lines if line.get_linestyle() == ":"]
    words = [text.get_text().split()[0] for axis in figure.axes for text in axis.texts]
    assert words == ["precision", "recall"]


def distance(box, dot):
    """From a box to a point, in pixels."""
    (x, y) = dot
    return np.hypot(max(box.x0 - x, x - box.x1, 0), max(box.y0 - y, y - box.y1, 0))


@pytest.mark.parametrize("seed", [2, 58, *range(10)])
def test_each_value_stands_close_to_its_own_dot(drawn_figures, seed):
    rng = np.random.default_rng(seed)
    y = rng.random(20_000) < 0.02
    scores = rng.uniform(1.9, 2.6) * y + rng.normal(size=y.size)
    _, (figure,) = draw(drawn_figures, y, scores, parts=["thresholds"])
    figure.draw_without_rendering()
    for axis in figure.axes:
        label = axis.texts[0].get_window_extent()
        own, *others = (axis.transData.transform(dot.get_xydata())[0] for dot in dots_of(axis))
        assert distance(label, own) < 26  # of 222
        assert not [1 for other in others if distance(label, other) <= distance(label, own)]


@pytest.mark.parametrize(
    "scores",
    [
        RARE,
        {"old": RARE - RARE_Y, "new": RARE},
        {"older": RARE - 2 * RARE_Y, "old": RARE - RARE_Y, "new": RARE},
    ],
)
def test_the_threshold_of_the_page_is_marked_on_the_curve_of_its_model(drawn_figures, scores):
    parts, figures = draw(drawn_figures, RARE_Y, scores, parts=["curve", "thresholds"])
    (axis,), (upper, _) = (figure.axes for figure in figures)
    (point,) = (dot for dot in dots_of(axis) if dot.get_markersize() > HALF_SIZE)
    chosen = dots_of(upper)[0]
    selected = chosen.get_xdata()[0] <= RARE
    precision, recall = RARE_Y[selected].mean(), selected[RARE_Y].mean()
    np.testing.assert_allclose(point.get_xydata(), [[recall, precision]])
    curve = find_artists(axis, "model")[0]
    distances = np.abs(curve.get_xydata() - [recall, precision]).max(axis=1)
    assert distances.min() < 0.01  # negatives below the last positive lower the precision
    assert point.get_color() == curve.get_color()
    printed = re.match(r"Scores .*?from (\S+): ", parts[1].picture.finding)[1]
    text = f"threshold {printed}: precision {precision:.2f}, recall {recall:.2f}"
    picture = parts[0].picture
    assert picture.alt.endswith(f"; {text}.")
    assert not re.search("threshold|dot", picture.subject)
    axis.figure.draw_without_rendering()
    (label,) = (each for each in axis.texts if each.get_text().startswith("threshold"))
    assert label.get_text().replace("\n", " ") == f"threshold {printed}"
    assert label.get_color() == curve.get_color()
    at = axis.transData.transform(point.get_xydata())[0]
    assert distance(label.get_window_extent(), at) < 20


def test_a_curve_has_no_mark_where_the_page_has_no_threshold(drawn_figures):
    for options in ({"parts": ["curve"]}, {"queries": np.arange(N) % 20}):
        parts, figures = draw(drawn_figures, Y, MODELS["new"], **options)
        axes = [axis for figure in figures for axis in figure.axes]
        curve = next(axis for axis in axes if axis.get_xlabel() == "recall")
        assert not [dot for dot in dots_of(curve) if dot.get_markersize() > HALF_SIZE]
        (part,) = (each for each in parts if each.name == "curve")
        assert "threshold" not in part.picture.alt
        assert not [text for text in curve.texts if "threshold" in text.get_text()]


MONTHS = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) * 6 // N]
FALLEN = np.where(MONTHS == "2026-06", -1, 3) * Y + BASE
OVERVIEW = re.compile(
    r'<figure class="overview">(?:<figcaption>.*?</figcaption>)?(<img [^>]*>)'
    r'<a href="#part-(\d+)">(.*?)</a></figure>'
)


@pytest.mark.parametrize(
    ("scores", "segments", "title"),
    [
        (FALLEN, {"half": np.arange(N) % 2, "month": MONTHS}, "Segments by month"),
        (MODELS, {"half": np.arange(N) % 2}, "Is one model better?"),
        (MODELS["new"], {"half": np.arange(N) % 2}, "The curve"),
        (MODELS["new"], None, "The curve"),
    ],
)
def test_the_picture_that_tells_most_stands_beside_the_summary(scores, segments, title):
    found = report(Y, scores, segments=segments)
    html = found.to_html()
    ((image, number, caption),) = OVERVIEW.findall(html)
    part = found.parts[int(number) - 1]
    assert part.title == title
    assert caption == f"{number}. {title}"
    assert html.count(image) == (2 if part.name == "segments" else 1)  # not in a part that is near
    assert image == part.picture.image[0]
    assert html.index(image) < html.index("<section ")


def test_no_picture_stands_beside_a_summary_where_its_part_is_the_first():
    assert not OVERVIEW.findall(report(Y, MODELS["new"], parts=["score"]).to_html())
    assert not OVERVIEW.findall(report(Y, MODELS["new"], parts=["data", "tools"]).to_html())
