"""Titles and legends that fit: short rows, beside or below the axes, where they cover nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_ap.display.canvas import ROLE, Key, key_of

__all__ = ["legend", "legend_font", "makes_room", "room_of", "shortened"]

GAP = 4.6  # handle and space of a row, in letters
HEIGHT = 1.4  # of a row, in letters
SMALL = 260  # points: a low figure, such as 4 by 3 inches
MOST_MODELS = 20
SIZES = (0.9, 0.8, 0.7)  # of the letters, beside the user's own size: the first that fits


class Row(NamedTuple):
    """What stands in a legend: a handle, a name that may be shortened, and the rest."""

    handle: Any
    name: str
    rest: str


def legend(axis: Any) -> None:
    """Name the panel, and list what is on it: models first."""
    from matplotlib.lines import Line2D

    handles, labels = axis.get_legend_handles_labels()
    models = {handle: key for handle in handles if (key := key_of(handle)) is not None}
    keys = list(models.values())
    short = len({key.title for key in keys}) == 1 and _name_panel(axis, keys)
    if keys and not short and getattr(axis.title, ROLE, None) == axis.get_title():
        axis.set_title("")
    rows = [Row(handle, *_words(key, short=short)) for handle, key in models.items()]
    if short and len(keys) == 1 and keys[0].name is None and keys[0].title:
        rows = []  # the title says it all
    others = [
        Row(handle, label, "")
        for handle, label in zip(handles, labels, strict=True)
        if handle not in models
    ]
    if not rows + others:
        return
    layout, font, n_columns = _fit(axis, [*rows[:MOST_MODELS], *others])
    n_free = min(MOST_MODELS, layout.n_rows(font) * n_columns - len(others))
    if len(rows) > n_free:
        n_kept = max(1, n_free - 1)
        more = Row(Line2D([], [], linestyle=""), "", f"and {len(rows) - n_kept} more")
        rows = [*rows[:n_kept], more]
    layout.draw(axis, rows + others, font, n_columns)


def _name_panel(axis: Any, keys: Sequence[Key]) -> bool:
    """Write the title that all models share above the panel, unless the user wrote another."""
    there = axis.get_title()
    if there and getattr(axis.title, ROLE, None) != there:
        return False
    title = keys[0].title
    if len(keys) == 1 and keys[0].name is None and title:
        title = f"{title} = {keys[0].value}"
    axis.set_title(title, parse_math=False, fontsize=_title_size(axis, title))
    setattr(axis.title, ROLE, title)
    return True


def _title_size(axis: Any, title: str) -> float:
    """The size of the user's titles, or a smaller one with which this title is as wide as fits."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.pyplot import rcParams

    font = FontProperties(size=rcParams["axes.titlesize"])
    room = 0.84 * room_of(axis)[0]  # it is centred above the axes, which have labels on the left
    return float(font.get_size_in_points() * min(1.0, room / max(1.0, _width(title, font))))


def _words(key: Key, *, short: bool) -> tuple[str, str]:
    """The name and the rest of a row; the title is not repeated if it stands above the panel."""
    if not short or not key.value:
        score = " = ".join(filter(None, (key.title, key.value)))
    else:
        score = key.value if key.name else f"AP = {key.value}"
    name = key.name or ""
    return name, f": {score}" if name and score else score


@dataclass(frozen=True)
class _Layout:
    """Where a legend stands, and the room there, in points."""

    width: float
    height: float
    place: Literal["below", "beside", "inside"]

    def n_rows(self, font: Any) -> int:
        """How many rows fit."""
        return max(2, int(self.height / (HEIGHT * font.get_size_in_points())))

    def holds(self, rows: Sequence[Row], font: Any) -> bool:
        """Whether no row is too wide."""
        return all(self._text(row, font) == row.name + row.rest for row in rows)

    def draw(self, axis: Any, rows: Sequence[Row], font: Any, n_columns: int) -> None:
        """Draw the legend."""
        from matplotlib.transforms import ScaledTranslation

        place: dict[str, Any] = {"loc": "best"}
        if self.place == "beside":
            place = {"loc": "upper left", "bbox_to_anchor": (1.02, 1.0)}
        elif self.place == "below":
            ticks = axis.xaxis.get_ticklabels()[0].get_size()
            below = 1.3 * (axis.xaxis.label.get_size() + ticks) + 10  # labels of the axis, and gaps
            offset = ScaledTranslation(0.0, -below / 72, axis.figure.dpi_scale_trans)
            place = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0)}
            place |= {"bbox_transform": axis.transAxes + offset}
        if self.place != "inside":
            place |= {"borderaxespad": 0.0, "frameon": False}
        texts = [self._text(row, font) for row in rows]
        space = {"columnspacing": 1.2, "labelspacing": 0.35, "handlelength": 2.2}
        handles = [row.handle for row in rows]
        drawn = axis.legend(handles, texts, ncols=n_columns, prop=font, **place, **space)
        for text in drawn.get_texts():
            text.set_parse_math(False)  # names are shown as they are

    def n_columns(self, rows: Sequence[Row], font: Any) -> int:
        """The most columns that fit; matplotlib fills one after the other."""
        gap = GAP * font.get_size_in_points()
        widths = [_width(self._text(row, font), font) + gap for row in rows]
        for n_columns in range(len(rows) if self.place == "below" else 1, 1, -1):
            columns = np.array_split(widths, n_columns)
            if sum(max(column) for column in columns) <= self.width:
                return n_columns
        return 1

    def _text(self, row: Row, font: Any) -> str:
        """The words of a row, as wide as the legend at most."""
        room = self.width - GAP * font.get_size_in_points()
        return shortened(row.name, row.rest, room, font)


def shortened(name: str, rest: str, room: float, font: Any) -> str:
    """Leave out the middle of a name that is too long for the room; what comes after it stays."""
    text, n_kept = name + rest, len(name)
    while n_kept > 6 and _width(text, font) > room:
        n_kept -= max(1, n_kept // 10)
        tail = n_kept // 3
        text = f"{name[: n_kept - tail].rstrip()}…{name[len(name) - tail :].lstrip()}{rest}"
    return text


def _fit(axis: Any, rows: Sequence[Row]) -> tuple[_Layout, Any, int]:
    """The place and the largest letters with which all rows fit, and how many columns."""
    width, height = room_of(axis)
    below = _Layout(0.88 * width, (0.28 if height > SMALL else 0.2) * height, "below")
    beside = _Layout(0.42 * width, 0.9 * height, "beside")
    wide = width > 1.5 * height and len(rows) > 2
    layouts = [beside, below] if wide else [below, beside]
    if not makes_room(axis):
        layouts = [_Layout(below.width, below.height, "inside")]
    for layout in layouts:
        for size in SIZES:
            font = legend_font(size)
            n_columns = layout.n_columns(rows, font)
            if n_columns * layout.n_rows(font) >= len(rows) and layout.holds(rows, font):
                return layout, font, n_columns
    # Names lose their middle, or rows are left out: what shows more rows comes first.
    fits = {layout: layout.n_columns(rows, font) * layout.n_rows(font) for layout in layouts}
    layout = next(
        (one for one in layouts if fits[one] >= len(rows)), max(fits, key=fits.__getitem__)
    )
    return layout, font, layout.n_columns(rows, font)


def legend_font(size: float) -> Any:
    """The letters of legends, that much of the user's own size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.pyplot import rcParams

    font = FontProperties(size=rcParams["legend.fontsize"])
    font.set_size(size * font.get_size_in_points())
    return font


def _width(text: str, font: Any) -> float:
    """The width of a text in points, letter by letter: measuring whole texts takes long."""
    family = tuple(font.get_family())
    return float(font.get_size_in_points() * sum(_letter(letter, family) for letter in text))


@cache
def _letter(letter: str, family: tuple[str, ...]) -> float:
    """The width of a letter, as a share of its size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(family), size=100)
    return float(text_to_path.get_text_width_height_descent(letter, font, ismath=False)[0]) / 100


def room_of(axis: Any) -> tuple[float, float]:
    """Width and height of the part of the figure that the axes share with their labels."""
    figure, spec = axis.figure, axis.get_subplotspec()
    width, height = 72 * figure.bbox.width / figure.dpi, 72 * figure.bbox.height / figure.dpi
    if spec is None:
        box = axis.get_position()
        return box.width * width, box.height * height
    n_rows, n_columns = spec.get_gridspec().get_geometry()
    return width * len(spec.colspan) / n_columns, height * len(spec.rowspan) / n_rows


def makes_room(axis: Any) -> bool:
    """Whether the figure's layout leaves room for what stands beside axes; or from now on does."""
    root = axis.figure.figure  # of a subfigure too
    if root.get_layout_engine() is None:
        drawn = [artist for other in root.axes for artist in (*other.images, *other.collections)]
        # The constrained layout knows no axes that were placed by hand, nor colorbars made before.
        if any(other.get_subplotspec() is None for other in root.axes):
            return False
        if any(artist.colorbar is not None for artist in drawn):
            return False
        root.set_layout_engine("constrained")
    return True
