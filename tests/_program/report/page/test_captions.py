"""What pictures of a report say above them, and that their words have room."""

import re
from itertools import combinations

import numpy as np
import pytest
from matplotlib import style
from matplotlib.collections import LineCollection
from matplotlib.colors import to_hex
from matplotlib.text import Text

from sklearn_ap import average_precision_score, report
from sklearn_ap._base.drawing.lines_and_bands import LABEL, find_artists
from sklearn_ap._program.report.page.pictures import STYLE, TEXT_GREY

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 3000
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(24, N))
BAR_RECALLS = 0.25, 0.5, 0.75, 0.9  # of the intervals of a curve without a band
LONG = "gradient boosting with 2,000 trees, trained on 2024 and 2025 data, calibrated"
MANY = {f"m{i:02d}": (1.2 + 0.05 * i) * Y + NOISE[i] for i in range(20)}
WEAK = {"a": 0.15 * Y + NOISE[0], "b": 0.1 * Y + NOISE[1]}
MODELS = {
    "one": 2 * Y + NOISE[0],
    "two": {"old": Y + NOISE[0], "new": 2.5 * Y + NOISE[1]},
    "alike": {"old": 2 * Y + NOISE[0], "new": 2 * Y + NOISE[0] + 0.1 * NOISE[1]},
    "weak": WEAK,
    "three": {"rules": 0.9 * Y + NOISE[0], "forest": 1.7 * Y + NOISE[1], "boosting": MANY["m19"]},
    "close": {f"model {i}": 2 * Y + NOISE[0] + 0.2 * NOISE[i] for i in range(1, 4)},
    "many": MANY,
    "long": {LONG: 2 * Y + NOISE[0], f"{LONG} again": Y + NOISE[1], "x" * 80: Y + NOISE[2]},
    "perfect": {"perfect": Y + 0.01 * NOISE[0], "old": Y + NOISE[1]},
}
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) * 6 // N]
FALLEN = {"old": 1.5 * Y + NOISE[0], "new": np.where(MONTH == "2026-06", 0, 3) * Y + NOISE[1]}


def part_of(name, models, y=Y, **options):
    """A part by its name, as it is on a page that has no other."""
    (found,) = (each for each in report(y, models, **options).parts if each.name == name)
    return found


def make(name, **options):
    """A page of the parts whose pictures these tests look at."""
    parts = ["score", "comparison", "curve", "thresholds"]
    if name == "one":
        parts.remove("comparison")
    return report(Y, MODELS[name], parts=parts, **options)


@pytest.fixture
def draw(drawn_figures):
    """A function that draws the picture of a part alone, and returns its axes."""

    def draw_part(part):
        drawn_figures.clear()
        _ = part.picture.image
        (figure,) = drawn_figures
        return figure.axes

    return draw_part


@pytest.mark.parametrize("name", MODELS)
def test_each_picture_has_a_finding_and_a_subject_and_no_title(name, drawn_figures):
    found = make(name)
    found.to_html()
    pictures = [part.picture for part in found.parts if part.picture]
    assert len(pictures) == len(drawn_figures) >= 2
    for picture in pictures:
        assert picture.finding
        assert not picture.finding.endswith(".")
        assert picture.subject.endswith(".")
        assert "positives" in picture.subject
    assert not any(axis.get_title() for figure in drawn_figures for axis in figure.axes)


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("weight", [None, 1 + np.arange(N) % 3], ids=["", "weights"])
def test_no_word_of_a_picture_is_cut_or_lies_on_another(name, weight, drawn_figures):
    make(name, sample_weight=weight).to_html()
    check_words(drawn_figures)


def test_no_word_is_cut_where_another_model_is_advised(drawn_figures):
    models = {LONG: FALLEN["old"], f"{LONG} again": FALLEN["new"]}
    found = report(Y, models, segments={"month": MONTH})
    pictures = [part.picture for part in found.parts if part.picture and part.name != "segments"]
    assert pictures[0].finding.endswith(" less in 2026-06")
    _ = [picture.image for picture in pictures]
    check_words(drawn_figures)


def check_words(figures):
    """Check that no text of the figures is cut off, or lies on another one."""
    for figure in figures:
        figure.draw_without_rendering()
        boxes = {
            text: text.get_window_extent()
            for text in figure.findobj(Text)
            if text.get_text() and text.get_visible() and _is_in_sight(text, figure)
        }
        for text, box in boxes.items():
            assert -1 < box.x0 < box.x1 < figure.bbox.x1 + 1, text
            assert -1 < box.y0 < box.y1 < figure.bbox.y1 + 1, text
        for (text, box), (other, other_box) in combinations(boxes.items(), 2):
            assert not box.padded(-0.5).overlaps(other_box.padded(-0.5)), (text, other)


def _is_in_sight(text, figure):
    """Leave out the labels of ticks beyond the ends of their axis, which are not drawn."""
    for axis in figure.axes:
        for each in (axis.xaxis, axis.yaxis):
            for tick in each.get_major_ticks():
                if text in (tick.label1, tick.label2):
                    low, high = sorted(each.get_view_interval())
                    return low <= tick.get_loc() <= high
    return True


@pytest.mark.parametrize("name", MODELS)
@pytest.mark.parametrize("options", [{}, {"clusters": np.arange(N) // 5}], ids=["", "clusters"])
def test_texts_beside_curves_lie_on_no_curve_and_no_bar(name, options, drawn_figures):
    report(Y, MODELS[name], parts=["curve", "thresholds"], **options).to_html()
    figure = drawn_figures[0]
    figure.draw_without_rendering()
    (axis,) = figure.axes
    bars = [each for each in axis.collections if isinstance(each, LineCollection)]
    assert len(bars) == (len(BAR_RECALLS) if options else 0)
    drawn = [_dense(line.get_xydata()) for line in find_artists(axis, "model")]
    drawn += [_dense(segment) for bar in bars for segment in bar.get_segments()]
    drawn += [line.get_xydata() for line in axis.lines if line.get_marker() == "o"]
    lines = [axis.transData.transform(points) for points in drawn]
    named = [text.get_text().split()[0] for text in axis.texts]
    assert named[: named.index("prevalence") + 1] in (["prevalence"], ["threshold", "prevalence"])
    assert axis.texts[named.index("prevalence") + 1 :] or axis.get_legend()
    for text in axis.texts:
        (x0, y0), (x1, y1) = text.get_window_extent().get_points()
        for x, y in (points.T for points in lines):
            assert not np.any((x > x0) & (x < x1) & (y > y0) & (y < y1)), text.get_text()
        assert axis.bbox.x0 <= x0 < x1 <= axis.bbox.x1
        assert axis.bbox.y0 <= y0 < y1 <= axis.bbox.y1


def _dense(points):
    steps = np.linspace(0, len(points) - 1, 20 * len(points))
    return np.column_stack([np.interp(steps, np.arange(len(points)), each) for each in points.T])


@pytest.mark.parametrize("name", ["two", "three", "weak", "many"])
def test_curves_need_no_legend_or_one_of_few_rows(name, draw):
    (axis,) = draw(part_of("curve", MODELS[name], parts=["curve"]))
    if axis.get_legend():
        assert len(axis.get_legend().get_texts()) <= 3
    else:
        colors = [line.get_color() for line in find_artists(axis, "model")]
        assert [text.get_color() for text in axis.texts] == [TEXT_GREY, *colors]


def test_texts_beside_curves_do_not_lie_on_the_dotted_line(drawn_figures):
    for name in ("two", "three", "alike", "one"):
        report(Y, MODELS[name], parts=["curve", "thresholds"]).to_html()
    for figure in (each for each in drawn_figures if each.axes[0].get_xlabel() == "recall"):
        figure.draw_without_rendering()
        (axis,) = figure.axes
        (dotted,) = find_artists(axis, "reference")
        height = axis.transData.transform((0, dotted.get_ydata()[0]))[1]
        boxes = [text.get_window_extent() for text in axis.texts]
        assert boxes
        assert not [box for box in boxes if box.y0 < height < box.y1]


@pytest.mark.parametrize("name", ["close", "three", "two", "alike"])
def test_curves_of_three_models_need_no_legend(name, draw):
    (axis,) = draw(part_of("curve", MODELS[name], parts=["curve"]))
    assert axis.get_legend() is None
    colors = [line.get_color() for line in find_artists(axis, "model")]
    assert [text.get_color() for text in axis.texts] == [TEXT_GREY, *colors]
    assert axis.texts[0].get_text() == f"prevalence {Y.mean():.3f}"


@pytest.mark.parametrize("name", MODELS)
def test_an_axis_of_numbers_has_five_ticks_at_most(name, drawn_figures):
    make(name).to_html()
    for axis in (each for figure in drawn_figures for each in figure.axes):
        axes = [axis.xaxis, axis.yaxis] if axis.get_ylabel() else [axis.xaxis]
        for each in axes:
            low, high = sorted(each.get_view_interval())
            ticks = each.get_majorticklocs()
            assert 2 <= np.count_nonzero((low <= ticks) & (ticks <= high)) <= 5


def test_the_finding_of_curves_has_the_precisions_of_the_table():
    part = part_of("curve", MODELS["two"], parts=["curve"])
    (row,) = (row for row in part.cells if row[0] == "0.5")
    new, old = (cell.partition(" ")[0] for cell in row[1:])
    finding = f"At half of the positives, new reaches a precision of {new} and old {old}"
    assert part.picture.finding == finding


def test_the_axis_of_precision_ends_low_where_all_curves_stay_far_below_one(draw):
    (axis,) = draw(part_of("curve", WEAK, parts=["curve"]))
    low, high = axis.get_ylim()
    assert 0.04 < high < 0.5
    assert low < 0
    assert axis.get_ylabel().replace("\n", " ") == f"precision, up to {high:g}"
    precisions = [
        line.get_xydata()[line.get_xdata() > 0.02, 1] for line in find_artists(axis, "model")
    ]
    assert max(map(np.max, precisions)) < high
    (whole,) = draw(part_of("curve", MODELS["two"], parts=["curve"]))
    assert whole.get_ylim()[1] > 1
    assert whole.get_ylabel() == "precision"


def test_a_lucky_first_row_does_not_keep_the_axis_of_precision_high(draw):
    scores = WEAK["a"].copy()
    scores[np.argmax(Y)] = scores.max() + 1
    (axis,) = draw(part_of("curve", {"a": scores, "b": WEAK["b"]}, parts=["curve"]))
    assert find_artists(axis, "model")[0].get_ydata().max() == 1
    assert axis.get_ylim()[1] < 0.5


def test_the_finding_of_two_models_claims_no_more_than_the_part():
    shown = part_of("comparison", MODELS["two"], parts=["comparison"])
    assert re.fullmatch(r"new scores 0\.\d+ more than old", shown.picture.finding)
    assert shown.sentence.startswith("new is better than old")
    unshown = part_of("comparison", MODELS["alike"], parts=["comparison"])
    assert "no difference is shown" in unshown.sentence.lower()
    assert re.fullmatch(
        "No difference between (new and old|old and new) is shown", unshown.picture.finding
    )
    assert "grey: no difference shown" in unshown.picture.subject
    assert "grey" not in shown.picture.subject


def test_a_p_value_has_two_digits_as_in_the_table(draw):
    part = part_of("comparison", WEAK, parts=["comparison"])
    _, differences = draw(part)
    (text,) = differences.texts
    cell = next(row[3] for row in part.cells[1:] if row[3])
    assert text.get_text().endswith(f"\np = {cell}")
    assert re.fullmatch(r"0\.\d\d", cell)


def test_the_picture_of_many_models_has_ten_and_says_what_the_others_score(draw):
    part = part_of("comparison", MANY, parts=["comparison"])
    (axis,) = draw(part)
    scores = sorted((average_precision_score(Y, each) for each in MANY.values()), reverse=True)
    assert [label.get_text() for label in axis.get_yticklabels()] == [
        row[0] for row in part.cells[1:11]
    ]
    *_, more = (text.get_text() for text in axis.texts)
    assert more == f"10 more score {scores[-1]:.2f} to {scores[10]:.2f}"
    rivals = sum(row[3] == "yes" for row in part.cells) - 1
    assert 0 < rivals < 9
    assert part.picture.finding == f"{1 + rivals} of 20 models may be the best"
    assert [row[0] for row in part.cells[21:]] == ["random order"]
    assert all(row[0] in part.picture.alt for row in part.cells[1:11])
    assert part.picture.alt.endswith(" and more.")  # with differences, 20 are too many words


def test_models_are_hollow_by_their_verdict_and_not_by_their_place(draw):
    """A model may be the best though another one, which varies with the best, scores more."""
    best = 3 * Y + NOISE[0]
    scores = {"best": best, "below": best - 0.1 * Y, "noisy": 3 * Y + NOISE[1], "c": NOISE[2]}
    part = part_of("comparison", scores, parts=["comparison"])
    (axis,) = draw(part)
    points, holes = axis.collections[1:3]
    verdicts = {row[0]: row[3] for row in part.cells[1:]}
    assert [*verdicts.values()] == ["yes", "", "yes", "", ""]
    assert [*verdicts][-1] == "random order"  # which has no point
    assert holes.get_offsets()[:, 1].tolist() == [1, 3]
    assert "; hollow: not the best;" in part.picture.subject
    colors = [to_hex(color) for color in points.get_facecolors()]
    assert colors[3] == "#808080"
    assert len({*colors}) == 4  # of the first three, those of their curves


def test_of_many_models_those_whose_curves_are_drawn_have_their_colours(drawn_figures):
    comparison, curve, _ = report(Y, MANY, parts=["curve", "comparison"]).parts
    for part in (comparison, curve):
        _ = part.picture.image
    (scores,), (curves,) = (figure.axes for figure in drawn_figures)
    colors = [to_hex(color) for color in scores.collections[1].get_facecolors()]
    lines = {getattr(line, LABEL).name: line.get_color() for line in find_artists(curves, "model")}
    names = [row[0] for row in comparison.cells[1:4]]
    assert colors[:3] == [to_hex(lines[name]) for name in names]
    assert {*colors[3:]} == {"#808080"}


def test_few_models_keep_their_colours_and_are_hollow_if_they_are_not_the_best(draw):
    part = part_of("comparison", MODELS["three"], parts=["comparison"])
    *models, random = part.cells[1:]
    assert [row[3] for row in models] == ["yes", "", ""]
    assert random[0] == "random order"
    (axis,) = draw(part)
    points, holes = axis.collections[1:3]
    assert len({*map(tuple, points.get_facecolors())}) == 3
    assert holes.get_offsets()[:, 1].tolist() == [1, 2]
    assert holes.get_sizes()[0] < points.get_sizes()[0]
    assert "; hollow: not the best;" in part.picture.subject
    close = part_of("comparison", MODELS["close"], parts=["comparison"])
    assert [row[3] for row in close.cells[1:]] == ["yes"] * 3 + [""]
    assert not re.search("hollow|arrow", close.picture.subject)


def test_a_narrow_difference_has_a_scale_of_its_own(draw):
    alike = {"old": 2 * Y + NOISE[0], "new": 2 * Y + NOISE[0] + 0.02 * NOISE[1]}
    part = part_of("comparison", alike, parts=["comparison"])
    upper, lower = draw(part)
    low, high = map(float, re.search(r"\[([+-][\d.]+), ([+-][\d.]+)\]", part.cells[1][2]).groups())
    assert high - low < 0.1 * np.ptp(upper.get_xlim())
    assert high - low > 0.4 * np.ptp(lower.get_xlim())
    assert "the difference has a scale of its own" in part.picture.subject
    wide = part_of("comparison", MODELS["two"], parts=["comparison"])
    upper, lower = draw(wide)
    assert np.ptp(upper.get_xlim()) == pytest.approx(np.ptp(lower.get_xlim()))
    assert "scale of its own" not in wide.picture.subject


def test_models_that_are_not_drawn_and_may_be_the_best_are_counted(draw):
    alike = {f"m{i}": Y + NOISE[i] for i in range(12)}
    part = part_of("comparison", alike, parts=["comparison"])
    *_, last, random = part.cells
    assert (last[3], random[0]) == ("yes", "random order")
    (axis,) = draw(part)
    assert re.fullmatch(
        r"2 more score 0\.\d+ to 0\.\d+, 2 may be the best", axis.texts[-1].get_text()
    )


def test_the_best_of_few_models_is_named_alone(draw):
    part = part_of("comparison", MODELS["three"], parts=["comparison"])
    assert part.picture.finding == "boosting is the best of 3 models"
    assert part.sentence.startswith("boosting is the best")
    (axis,) = draw(part)
    *values, chance = (row[1].split()[0] for row in part.cells[1:])
    assert len(values) == 3
    assert [text.get_text() for text in axis.texts] == values
    words = f"; at the right: scores; a random order has {chance}; "
    assert words in part.picture.subject


def test_a_threshold_that_nobody_has_is_a_finding_too():
    weight = 1 + np.arange(N) % 3
    for options, claim in (({}, "is sure to have"), ({"sample_weight": weight}, "has")):
        part = part_of(
            "thresholds",
            WEAK["a"],
            parts=["thresholds"],
            precision=0.9,
            prevalence=0.0001,
            **options,
        )
        finding = f"No threshold of the model {claim} a precision of 0.9 or more"
        assert part.picture.finding == finding
        assert "the line" not in part.picture.subject
        assert part.cells


def test_the_finding_of_an_advice_says_what_holds_in_all_months_and_now():
    found = report(Y, FALLEN, segments={"month": MONTH})
    part = next(each for each in found.parts if each.name == "comparison")
    assert part.more[0].startswith("Use old for now")
    assert part.sentence.startswith("new is worse than old in 2026-06; over all months, it is ")
    change = re.search(r" it is better: \+(0\.\d+) \(95% interval", part.sentence)[1]
    finding = part.picture.finding
    assert finding.startswith(f"Over all months, new scores {change} more than old, but 0.")
    assert finding.endswith(" less in 2026-06")


def test_the_score_of_one_model_is_the_finding():
    part = part_of("score", MODELS["one"], parts=["score"])
    value, chance = part.cells[1][1].partition(" ")[0], part.cells[1][2]
    assert part.picture.finding == f"The model scores {value}, and a random order {chance}"


def test_the_picture_of_a_single_score_gives_way_to_the_curve():
    score, curve, *_ = report(Y, MODELS["one"], parts=["score", "curve"]).parts
    assert score.picture is None
    assert curve.picture is not None
    assert part_of("score", MODELS["one"], parts=["score"]).picture is not None


def test_a_difference_of_models_of_long_names_names_the_one_that_is_better_to_the_right(draw):
    names = "autoencoder", "isolation_forest"
    scores = dict(zip(names, MODELS["two"].values(), strict=True))
    _, differences = draw(part_of("comparison", scores, parts=["comparison"]))
    (label,) = differences.get_yticklabels()
    assert label.get_text() == "difference"
    assert differences.get_xlabel() == "right of 0: isolation_forest better"
    long = {LONG: MODELS["two"]["old"], f"{LONG} again": MODELS["two"]["new"]}
    _, differences = draw(part_of("comparison", long, parts=["comparison"]))
    assert re.fullmatch("right of 0: gradient.*…again better", differences.get_xlabel())


def test_long_names_are_short_above_pictures_and_have_their_colours():
    names = "gradient_boosting_v3_calibrated_2026-01-15", "logistic_regression_baseline_production"
    scores = dict(zip(names, MODELS["two"].values(), strict=True))
    html = report(Y, scores, parts=["comparison", "curve", "thresholds"]).to_html()
    captions = re.findall("<figcaption>(.*?)</figcaption>", html)
    assert len(captions) >= 3
    for caption in captions:
        assert not any(name in caption.replace("<wbr>", "") for name in names)
        assert re.search(
            '<b class="(first|second)">logistic_<wbr>regression…production</b>', caption
        )
    alike = {f"{'x' * 20}{i}{'y' * 30}": each for i, each in enumerate(MODELS["two"].values())}
    html = report(Y, alike, parts=["comparison"]).to_html()
    (caption,) = re.findall("<figcaption>(.*?)</figcaption>", html)
    assert all(name in caption for name in alike)  # short ones would be the same


def test_numbers_below_zero_have_a_minus_sign_on_the_page_and_dates_have_hyphens(draw):
    part = part_of("comparison", MODELS["alike"], parts=["comparison"])
    _, differences = draw(part)
    with style.context(["default", STYLE], after_reset=True):  # the page draws in it
        labels = "".join(label.get_text() for label in differences.get_xticklabels())
    minus = "\N{MINUS SIGN}"
    assert minus in labels
    assert "-" not in labels
    found = report(Y, FALLEN, segments={"month": MONTH}, parts=["comparison", "segments"])
    page = re.sub("(?s)<style>.*</style>|<pre.*?</pre>|<svg.*?</svg>|<[^>]*>", "", found.to_html())
    assert f"[{minus}0." in page
    assert f" {minus}0." in page
    assert not re.search(r"[\s(\[]-[.\d]", page)
    assert "2026-06" in page
    assert minus not in str(found)


def test_a_month_in_which_the_other_model_was_better_stands_below_the_difference(draw):
    failed = np.where(MONTH == "2026-02", -1, 3) * Y + NOISE[1]
    models = {"old": 1.5 * Y + NOISE[0], "new": failed}
    found = report(Y, models, segments={"month": MONTH})
    part = next(each for each in found.parts if each.name == "comparison")
    assert not part.sentence.startswith("Use old")
    assert re.fullmatch(
        r"Over all months, new scores 0\.\d+ more than old, but 0\.\d+ less in 2026-02",
        part.picture.finding,
    )
    (axis,) = draw(part)
    assert [label.get_text() for label in axis.get_yticklabels()] == [
        "all months",
        "other months",
        "2026-02",
    ]
