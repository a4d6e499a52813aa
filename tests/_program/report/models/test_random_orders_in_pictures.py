"""Random orders in the picture of two models, and where the axis of their scores begins."""

from itertools import combinations

import numpy as np
import pytest
from matplotlib.text import Text

from sklearn_ap import report
from sklearn_ap._program.report.page.pictures import TEXT_GREY

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 2000
RNG = np.random.default_rng(0)
UNIFORM = RNG.random(N)
NOISE = RNG.normal(size=(2, N))
RARE, SOME, MOST = (share > UNIFORM for share in (0.04, 0.3, 0.8))
NAMES = "old", "gradient_boosting"  # of unlike lengths
FAR = "left of the axis"


def draw(drawn_figures, y, gains):
    """The picture of the comparison of two models, and its axes of scores."""
    drawn_figures.clear()
    models = {name: gain * y + noise for name, gain, noise in zip(NAMES, gains, NOISE, strict=True)}
    part, *_ = report(y, models, parts=["comparison"]).parts
    _ = part.picture.image
    (figure,) = drawn_figures
    figure.draw_without_rendering()
    return part.picture, figure.axes[0]


def by_chance(y):
    """The average precision of all random orders together."""
    luck = np.sum(1 / np.arange(1, y.size + 1))  # the first row alone has a precision of 0 or 1
    return ((y.sum() - 1) / (y.size - 1) * (y.size - luck) + luck) / y.size


def ends_of(axis):
    """The ends of the intervals that are drawn."""
    return np.concatenate(axis.collections[0].get_segments())[:, 0]


def distance_from_chance(y, ends):
    """How far the drawn numbers are from random orders, as a multiple of their range."""
    return (ends.min() - by_chance(y)) / np.ptp(ends)


def is_far(y, ends):
    return distance_from_chance(y, ends) > 5


def begins_below(axis, lowest):
    """Whether axes begin just below a number, by their width."""
    left, right = axis.get_xlim()
    return 0.03 < (lowest - left) / (right - left) < 0.07


def chance_texts(axis):
    return [text for text in axis.texts if text.get_text().startswith("random order")]


@pytest.mark.parametrize(
    ("y", "gains", "is_low"),
    [
        (RARE, (1, 2), True),
        (RARE, (0.6, 1.6), True),
        (RARE, (0.1, 0.2), False),
        (RARE, (0.2, -1.5), False),
        (SOME, (1, 2), False),
        (SOME, (0.2, -1.5), False),
        (MOST, (0.5, 0.9), False),
    ],
)
def test_an_axis_begins_at_0_or_at_random_orders_that_are_above_a_quarter_of_the_highest_score(
    drawn_figures, y, gains, is_low
):
    picture, axis = draw(drawn_figures, y, gains)
    ends = ends_of(axis)
    assert not is_far(y, ends)
    assert (by_chance(y) < ends.max() / 4) == is_low
    if is_low:
        assert axis.get_xlim()[0] == 0
    else:
        assert begins_below(axis, min(by_chance(y), ends.min()))  # a reversed model scores less
    assert axis.get_xlim()[1] > max(by_chance(y), ends.max())
    assert FAR not in picture.subject


def test_an_axis_begins_below_scores_that_are_far_from_random_orders(drawn_figures):
    picture, axis = draw(drawn_figures, SOME, (5, 6))
    ends = ends_of(axis)
    assert is_far(SOME, ends)
    assert by_chance(SOME) < axis.get_xlim()[0]
    assert begins_below(axis, ends.min())
    assert not axis.lines
    assert not chance_texts(axis)
    chance = f"random order {by_chance(SOME):.2f}"
    assert f"; {chance}, {FAR}; " in picture.subject
    assert picture.alt.endswith(f"; {chance}.")


def test_random_orders_leave_the_axis_beyond_five_times_the_range_of_scores(drawn_figures):
    for gain, least, most in ((1.7, 4.5, 5), (1.8, 5, 5.5)):
        picture, axis = draw(drawn_figures, SOME, (gain, gain + 0.1))
        distance = distance_from_chance(SOME, ends_of(axis))
        assert least < distance < most
        assert (FAR in picture.subject) == (distance > 5)
        assert len(axis.lines) == len(chance_texts(axis)) == (distance < 5)


@pytest.mark.parametrize("y", [RARE, SOME, MOST])
@pytest.mark.parametrize("gains", [(0.5, 0.9), (1, 3), (-1, -2)])
def test_random_orders_are_named_above_their_line_in_all_cases(drawn_figures, y, gains):
    picture, axis = draw(drawn_figures, y, gains)
    (line,) = axis.lines
    np.testing.assert_allclose(line.get_xdata(), by_chance(y))
    assert line.get_linestyle() == ":"
    (text,) = chance_texts(axis)
    value = by_chance(y)
    digits = 2 if value >= 0.1 else 3
    assert text.get_text() == f"random order {value:.{digits}f}"
    assert text.get_color() == TEXT_GREY
    box = text.get_window_extent()
    assert 0 <= box.y0 - axis.bbox.y1 < 6
    at = axis.transData.transform((value, 0))[0]
    is_right = at > (axis.bbox.x0 + axis.bbox.x1) / 2
    assert (box.x1 if is_right else (box.x0 + box.x1) / 2) == pytest.approx(at, abs=1)
    assert "random order" not in picture.subject
    assert_has_room(axis.figure)


def assert_has_room(figure):
    """Check that no text is cut off, or lies on another one."""
    texts = [each for each in figure.findobj(Text) if each.get_text() and each.get_visible()]
    names = [each for axis in figure.axes for each in axis.get_yticklabels()]
    values = [each for axis in figure.axes for each in axis.texts]
    boxes = [each.get_window_extent() for each in texts if each in [*names, *values]]
    assert len(boxes) > 3
    for box in boxes:
        assert -1 < box.x0 < box.x1 < figure.bbox.x1 + 1
        assert -1 < box.y0 < box.y1 < figure.bbox.y1 + 1
    assert not [1 for a, b in combinations(boxes, 2) if a.padded(-0.5).overlaps(b.padded(-0.5))]
