"""The title and the legend of a picture, placed where they cover nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, NamedTuple, Protocol

import numpy as np

from sklearn_ap._base.drawing.axes import axes_size, ensure_layout
from sklearn_ap._base.drawing.lines import LABEL, Label, find_artists
from sklearn_ap._base.text import Titled, count_as_text, title_of, title_with_prevalence
from sklearn_ap._types import Artist, Axes, Keywords

LegendRows = Sequence[tuple[Artist, Label]]

TITLE = "sklearn_ap_title"  # the name of an attribute of titles that are ours
MOST_MODELS = 20
HANDLE_WIDTH = 4.6  # the width of a row without its text, in font sizes
ROW_HEIGHT = 1.4  # the height of a row, in font sizes
MARGIN = 50  # points, for labels left of the axes, or above them
LINE_HEIGHT = 1.3  # the height of a line of text with its gap, in font sizes
WIDEST = 0.94  # of a figure, for a legend below its axes
OUTSIDE: Keywords = {"loc": "upper left", "borderaxespad": 0.0, "frameon": False}
SEPARATORS = re.compile("[-_ ]+")  # of the words of a name
MORE = 2  # letters that stay to end a word
LEAST_START = 0.45  # of the letters before a gap, which stay if the gap moves to the end of a word
FONT_SIZES = (0.9, 0.78)  # shares of the user's font size: small figures need the smaller one


class _Rows(NamedTuple):
    """The rows of a legend: the models, and everything else that is drawn."""

    models: list[tuple[Artist, Label]]
    others: list[tuple[Artist, Label]]


def draw_legend(axis: Axes) -> None:
    """Write the definition above the axes, and list the models and then everything else."""
    from matplotlib.lines import Line2D

    models, others = _legend_rows(axis)
    rows = [*models[:MOST_MODELS], *others]
    if not rows:
        return
    layout = max(_layouts(axis, len(rows)), key=lambda layout: layout.merit(rows))
    n_free = min(MOST_MODELS, layout.n_shown(rows) - len(others))
    if len(models) > n_free:
        n_kept = max(1, n_free - 1)
        more = Line2D([], [], linestyle=""), Label(f"and {len(models) - n_kept} more")
        models = [*models[:n_kept], more]
    layout.draw(axis, models + others)


def _legend_rows(axis: Axes) -> _Rows:
    """Write the title, and list the rows of the legend without the text that the title has."""
    drawn = list(zip(*axis.get_legend_handles_labels(), strict=True))
    models = [(artist, label) for artist, _ in drawn if (label := getattr(artist, LABEL, None))]
    others = [(artist, Label(text)) for artist, text in drawn if not hasattr(artist, LABEL)]
    labels = [label for _, label in models]
    if _write_title(axis, labels):
        models = [
            (artist, label._replace(title="" if label.name else "AP")) for artist, label in models
        ]
        if len(labels) == 1 and labels[0].name is None:  # the title gives its score
            artist = models[0][0]
            has_details = bool(find_artists(axis, "detail"))
            models = [(artist, Label(labels[0].title))] if has_details else []
    return _Rows(models, others)


def title_in_words(title: str) -> str:
    """Spell out the title of a definition, for those who only see the picture."""
    return re.sub(r"\b(step )?AP\b", "average precision", title).replace("@", " at ")


def _write_title(axis: Axes, labels: Sequence[Label]) -> bool:
    """Write the title that all models share above the axes, unless the user set another one."""
    if not labels or axis.get_title() not in ("", getattr(axis.title, TITLE, "")):
        return False
    if len({label.title for label in labels}) > 1:
        axis.set_title("")
        return False
    title = title_in_words(labels[0].title if labels[1:] or labels[0].name else labels[0].score)
    # It is centred above the axes, which have labels on the left.
    room = 0.84 * axes_size(axis).width
    size = size_in_points("axes.titlesize")
    size *= min(1.0, room / max(1.0, text_width(title, size)))
    axis.set_title(title, parse_math=False, fontsize=size)
    setattr(axis.title, TITLE, title)
    return True


@dataclass(frozen=True)
class Layout:
    """A position of a legend, with its room and its font size in points."""

    position: Keywords  # options of the legend
    width: float
    height: float
    font_size: float
    has_columns: bool = False
    breaks_lines: bool = False  # whether a text that is too wide goes on in a second line

    def merit(self, rows: LegendRows) -> tuple[int, int]:
        """Count the visible rows, and the letters."""
        return self.n_shown(rows), sum(len(self.text(label)) for _, label in rows)

    def n_shown(self, rows: LegendRows) -> int:
        """Count the rows for which there is room."""
        n_rows = max(2, int(self.height / (ROW_HEIGHT * self.font_size)))
        return min(n_rows * self.n_columns(rows), len(rows))

    def n_columns(self, rows: LegendRows) -> int:
        """Count the most columns that fit; matplotlib fills one after the other."""
        handle = HANDLE_WIDTH * self.font_size
        texts = [self.text(label) for _, label in rows]
        widths = [handle + text_width(text, self.font_size) for text in texts]
        for n_columns in range(len(rows) if self.has_columns else 1, 1, -1):
            if sum(map(max, np.array_split(widths, n_columns))) <= self.width:
                return n_columns
        return 1

    def text(self, label: Label) -> str:
        """Return the text of a row, as wide as the legend at most; only the name is shortened."""
        name = label.name or ""
        room = self.width - HANDLE_WIDTH * self.font_size
        return shorten_name(name, room, self.font_size, rest=str(label).removeprefix(name))

    def lines(self, label: Label) -> str:
        """Return the text of a row, broken where it is too wide if the legend has such rows."""
        text = self.text(label)
        room = self.width - HANDLE_WIDTH * self.font_size
        return break_lines(text, room, self.font_size) if self.breaks_lines else text

    def draw(self, axis: Axes, rows: LegendRows) -> None:
        """Draw the legend."""
        legend = axis.legend(
            [artist for artist, _ in rows],
            [self.lines(label) for _, label in rows],
            ncols=self.n_columns(rows),
            fontsize=self.font_size,
            columnspacing=1.2,
            labelspacing=0.35,
            handlelength=2.2,
            **self.position,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)  # names are shown as they are


def draw_legend_below(axis: Axes, rows: LegendRows, indent: float) -> None:
    """List rows below the axes and their labels, and so far to the left as labels are, in points.

    The title and the label of the axes are there before.
    """
    size = FONT_SIZES[0] * size_in_points("legend.fontsize")
    position: Keywords = _position_below(axis, -indent) if ensure_layout(axis) else {"loc": "best"}
    width = WIDEST * axes_size(axis).width
    Layout(position, width, np.inf, size, has_columns=True, breaks_lines=True).draw(axis, rows)


def _position_below(axis: Axes, x: float = 0.0) -> Keywords:
    """Place a legend below the labels of the ticks and of the axis, and a gap of 10 points."""
    from matplotlib.transforms import offset_copy

    ticks = axis.xaxis.get_ticklabels()[0].get_size()
    n_lines = 1 + axis.get_xlabel().count("\n")
    y = -LINE_HEIGHT * (n_lines * axis.xaxis.label.get_size() + ticks) - 10
    transform = offset_copy(axis.transAxes, axis.figure, x=x, y=y, units="points")
    return OUTSIDE | {"bbox_to_anchor": (0.0, 0.0), "bbox_transform": transform}


def _layouts(axis: Axes, n: int) -> list[Layout]:
    """List layouts for n rows, the best first among layouts that show the same text."""
    width, height = axes_size(axis)
    sizes = [share * size_in_points("legend.fontsize") for share in FONT_SIZES]

    def low_layout(position: Keywords, size: float, *, has_columns: bool) -> Layout:
        return Layout(position, width - MARGIN, 0.28 * height, size, has_columns)

    if not ensure_layout(axis):
        return [low_layout({"loc": "best"}, size, has_columns=False) for size in sizes]
    under = _position_below(axis)
    right = OUTSIDE | {"bbox_to_anchor": (1.02, 1.0)}
    low = [low_layout(under, size, has_columns=True) for size in sizes]
    high = [Layout(right, 0.42 * width, height - MARGIN, size) for size in sizes]
    return high + low if width > 1.5 * height and n > 2 else low + high


def size_in_points(setting: Literal["axes.titlesize", "legend.fontsize"]) -> float:
    """Return the font size of one of Matplotlib's settings."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams[setting]).get_size_in_points())


def shorten_name(name: str, room: float, font_size: float, rest: str = "") -> str:
    """Leave out the middle of a name that is too long for the room; the rest after it stays."""
    text = name + rest
    n_letters = len(name)  # the letters of the name that stay
    while n_letters > 6 and text_width(text, font_size) > room:
        n_letters -= max(1, n_letters // 10)
        text = cut_middle(name, n_letters) + rest
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
