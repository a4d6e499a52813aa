"""The title and the legend of a picture, placed where they cover nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Literal, Protocol

import numpy as np

from sklearn_ap._base.drawing.axes import axes_size, ensure_layout
from sklearn_ap._base.text import Titled, count_as_text, title_of, title_with_prevalence
from sklearn_ap._types import Artist, Axes, Keywords

HANDLE_WIDTH = 4.6  # the width of a row without its text, in font sizes
LINE_HEIGHT = 1.3  # the height of a line of text with its gap, in font sizes
WIDEST = 0.94  # of a figure, for a legend below its axes
SEPARATORS = re.compile("[-_ ]+")  # of the words of a name
MORE = 2  # letters that stay to end a word
LEAST_START = 0.45  # of the letters before a gap, which stay if the gap moves to the end of a word
FONT_SIZE = 0.9  # as a share of the user's


def title_in_words(title: str) -> str:
    """Spell out the title of a definition, for those who only see the picture."""
    return re.sub(r"\b(step )?AP\b", "average precision", title).replace("@", " at ")


def draw_legend_below(axis: Axes, rows: Sequence[tuple[Artist, str]], indent: float) -> None:
    """List rows below the axes and their labels, and so far to the left as labels are, in points.

    The title and the label of the axes are there before.
    """
    size = FONT_SIZE * size_in_points("legend.fontsize")
    width = WIDEST * axes_size(axis).width
    texts = [break_lines(text, width - HANDLE_WIDTH * size, size) for _, text in rows]
    legend = axis.legend(
        [artist for artist, _ in rows],
        texts,
        ncols=_n_columns(texts, width, size),
        fontsize=size,
        columnspacing=1.2,
        labelspacing=0.35,
        handlelength=2.2,
        **(_position_below(axis, -indent) if ensure_layout(axis) else {"loc": "best"}),
    )
    for text in legend.get_texts():
        text.set_parse_math(False)  # names are shown as they are


def _n_columns(texts: Sequence[str], room: float, font_size: float) -> int:
    """Count the most columns that fit; matplotlib fills one after the other."""
    widths = [HANDLE_WIDTH * font_size + text_width(text, font_size) for text in texts]
    for n_columns in range(len(texts), 1, -1):
        if sum(map(max, np.array_split(widths, n_columns))) <= room:
            return n_columns
    return 1


def _position_below(axis: Axes, x: float) -> Keywords:
    """Place a legend below the labels of the ticks and of the axis, and a gap of 10 points."""
    from matplotlib.transforms import offset_copy

    ticks = axis.xaxis.get_ticklabels()[0].get_size()
    n_lines = 1 + axis.get_xlabel().count("\n")
    y = -LINE_HEIGHT * (n_lines * axis.xaxis.label.get_size() + ticks) - 10
    return {
        "loc": "upper left",
        "borderaxespad": 0.0,
        "frameon": False,
        "bbox_to_anchor": (0.0, 0.0),
        "bbox_transform": offset_copy(axis.transAxes, axis.figure, x=x, y=y, units="points"),
    }


def size_in_points(setting: Literal["axes.titlesize", "legend.fontsize"]) -> float:
    """Return the font size of one of Matplotlib's settings."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams[setting]).get_size_in_points())


def shorten_name(name: str, room: float, font_size: float) -> str:
    """Leave out the middle of a name that is too long for the room."""
    text = name
    n_letters = len(name)  # the letters of the name that stay
    while n_letters > 6 and text_width(text, font_size) > room:
        n_letters -= max(1, n_letters // 10)
        text = cut_middle(name, n_letters)
    return text


def cut_middle(name: str, n_letters: int) -> str:
    """Leave out the middle of a name, at the ends of its words if they are near.

    About a number of letters stay, of which a third are at the end.
    """
    n_end = n_letters // 3
    place = len(name) - n_end
    ends = [each.end() for each in SEPARATORS.finditer(name)]
    # The last words may be longer than a third, or shorter.
    near = [each for each in ends if place - n_end // 2 <= each <= place + n_end // 2]
    place = min(near, key=lambda each: abs(each - place), default=place)
    n_start = max(1, n_letters - len(name) + place)
    starts = [each.start() for each in SEPARATORS.finditer(name)]
    near = [each for each in starts if LEAST_START * n_start <= each <= n_start + MORE]
    n_start = max(near, default=n_start)
    return f"{name[:n_start].rstrip()}…{name[place:].lstrip()}"


def break_lines(text: str, room: float, font_size: float) -> str:
    """Break a text at spaces, where a line would be wider than the room; words stay whole."""
    first, *words = text.split(" ")
    lines = [first]
    for word in words:
        longer = f"{lines[-1]} {word}"
        if text_width(longer, font_size) > room:
            lines.append(word)
        else:
            lines[-1] = longer
    return "\n".join(lines)


def text_width(text: str, font_size: float) -> float:
    """Compute the width of a text in points, which is that of its longest line."""
    from matplotlib import rcParams

    family = tuple(rcParams["font.family"])
    return font_size * max(_relative_width(line, family) for line in text.split("\n"))


@lru_cache(maxsize=2**14)
def _relative_width(text: str, family: tuple[str, ...]) -> float:
    """Compute the width of a text as a share of the font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(family), size=100)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / 100


class Scored(Protocol):
    """A result of a definition, at its prevalence if there is one."""

    @property
    def definition(self) -> Titled | None:
        """The definition of the score; None if it is not known."""

    @property
    def prevalence(self) -> float | None:
        """The prevalence of the score; None for the prevalence of the sample."""


def score_in_words(result: Scored) -> str:
    """Spell out the title of the score of a result."""
    return title_in_words(title_with_prevalence(title_of(result.definition), result.prevalence))


def add_sample_size(text: str, result: object, shown_rows: str = "") -> str:
    """Append the sample size, and a note on the rows shown, to the words below an axis."""
    return "\n".join(filter(None, (text, sample_in_words(result), shown_rows)))


def sample_in_words(result: object) -> str:
    """Describe the sample of any result that knows it, as "80 clusters, 89 positives"."""
    cases = getattr(result, "cases", None)
    labels = getattr(result, "labels", None)
    units = {} if cases is None else {cases.unit: cases.n_units, "row": cases.n_rows}
    parts = [count_as_text(n, unit) for unit, n in units.items() if n]
    if labels is not None:
        parts = [f"{labels.n_labelled:,} of {count_as_text(labels.n_units, labels.unit)} labelled"]
    n_positives = _count_positives(result, cases)
    if n_positives > 0:
        parts.append(count_as_text(n_positives, "positive"))
    return ", ".join(parts)


def _count_positives(result: object, cases: object) -> float:
    """Count the positives of a sample; nan if it is unknown, or has several rankings."""
    source = result if hasattr(result, "n_positives") else cases
    n_positives = np.asarray(getattr(source, "n_positives", np.nan))
    if hasattr(result, "overall"):  # a comparison of segments, which share no rows
        n_positives = n_positives.sum()
    return n_positives.item() if n_positives.ndim == 0 else np.nan
