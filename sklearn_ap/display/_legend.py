"""The title and the legend of a picture, placed where they cover nothing."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import numpy as np

from sklearn_ap.display._artists import LABEL, Label, artists_of
from sklearn_ap.display._axes import ensure_layout, size_for_axes

Place = Literal["below", "beside", "inside"]

TITLE = "sklearn_ap_title"  # an attribute of titles that are ours
MOST_MODELS = 20
HANDLE_WIDTH = 4.6  # the width of a row without its text, in font sizes
ROW_HEIGHT = 1.4  # the height of a row, in font sizes
LOW_FIGURE = 260  # points: the height of a low figure
FONT_SIZES = (0.9, 0.8, 0.7)  # shares of the user's own: small figures show whole names in .7


def draw_legend(axis: Any) -> None:
    """Write the definition above the axes, and list what is drawn on them: models first."""
    from matplotlib.lines import Line2D

    drawn = list(zip(*axis.get_legend_handles_labels(), strict=True))
    models = [(artist, label) for artist, _ in drawn if (label := getattr(artist, LABEL, None))]
    others = [(artist, Label(text)) for artist, text in drawn if not hasattr(artist, LABEL)]
    labels = [label for _, label in models]
    if _write_title(axis, labels):
        models = [(a, label._replace(title="" if label.name else "AP")) for a, label in models]
        if len(labels) == 1 and labels[0].name is None:  # the title gives its score
            explained = artists_of(axis, "detail")
            models = [(models[0][0], Label(labels[0].title))] if explained else []
    if not models + others:
        return
    shown = [label for _, label in (*models[:MOST_MODELS], *others)]
    layout = _best_layout(axis, shown)
    n_columns = layout.n_columns(shown)
    n_free = min(MOST_MODELS, layout.n_rows * n_columns - len(others))
    if len(models) > n_free:
        n_kept = max(1, n_free - 1)
        more = Line2D([], [], linestyle=""), Label(f"and {len(models) - n_kept} more")
        models = [*models[:n_kept], more]
    layout.draw(axis, models + others, n_columns)


def in_words(title: str) -> str:
    """The title of a definition without abbreviations, for those who only see the picture."""
    return re.sub(r"\bAP\b", "average precision", title).replace("@", " at ")


def _write_title(axis: Any, labels: Sequence[Label]) -> bool:
    """Write what all models share above the axes, unless the user's own title is there."""
    if not labels or axis.get_title() not in ("", getattr(axis.title, TITLE, "")):
        return False
    if len({label.title for label in labels}) > 1:
        axis.set_title("")
        return False
    title = in_words(labels[0].title if labels[1:] or labels[0].name else labels[0].score)
    # It is centred above the axes, which have labels on the left.
    room = 0.84 * size_for_axes(axis)[0]
    size = size_in_points("axes.titlesize")
    size *= min(1.0, room / max(1.0, _text_width(title, size)))
    axis.set_title(title, parse_math=False, fontsize=size)
    setattr(axis.title, TITLE, title)
    return True


@dataclass(frozen=True)
class Layout:
    """A place for a legend, with its room and its font size in points."""

    place: Place
    width: float
    height: float
    font_size: float

    @property
    def n_rows(self) -> int:
        return max(2, int(self.height / (ROW_HEIGHT * self.font_size)))

    def n_columns(self, labels: Sequence[Label]) -> int:
        """The most columns that fit; matplotlib fills one after the other."""
        handle, texts = HANDLE_WIDTH * self.font_size, [self.text(label) for label in labels]
        widths = [handle + _text_width(text, self.font_size) for text in texts]
        for n_columns in range(len(labels) if self.place == "below" else 1, 1, -1):
            if sum(map(max, np.array_split(widths, n_columns))) <= self.width:
                return n_columns
        return 1

    def text(self, label: Label) -> str:
        """What a row says, as wide as the legend at most; only the name is shortened."""
        name, room = label.name or "", self.width - HANDLE_WIDTH * self.font_size
        return shortened(name, room, self.font_size, rest=str(label).removeprefix(name))

    def draw(self, axis: Any, rows: Sequence[tuple[Any, Label]], n_columns: int) -> None:
        artists, texts = zip(*((artist, self.text(label)) for artist, label in rows), strict=True)
        space = {"columnspacing": 1.2, "labelspacing": 0.35, "handlelength": 2.2}
        style = {"ncols": n_columns, "fontsize": self.font_size, **self._position(axis)}
        for text in axis.legend(artists, texts, **space, **style).get_texts():
            text.set_parse_math(False)  # names are shown as they are

    def _position(self, axis: Any) -> dict[str, Any]:
        from matplotlib.transforms import offset_copy

        if self.place == "inside":
            return {"loc": "best"}
        outside = {"loc": "upper left", "borderaxespad": 0.0, "frameon": False}
        if self.place == "beside":
            return outside | {"bbox_to_anchor": (1.02, 1.0)}
        ticks = axis.xaxis.get_ticklabels()[0].get_size()
        below = 1.3 * (axis.xaxis.label.get_size() + ticks) + 10  # labels of the axis, and gaps
        under = offset_copy(axis.transAxes, axis.figure, y=-below, units="points")
        return outside | {"bbox_to_anchor": (0.0, 0.0), "bbox_transform": under}


def _best_layout(axis: Any, labels: Sequence[Label]) -> Layout:
    """The first layout that shows all rows whole, or else, in small letters, the most rows."""
    width, height = size_for_axes(axis)
    below = 0.88 * width, (0.28 if height > LOW_FIGURE else 0.2) * height
    beside = 0.42 * width, 0.9 * height
    places: dict[Place, tuple[float, float]] = {"below": below, "beside": beside}
    if not ensure_layout(axis):
        places = {"inside": below}
    elif width > 1.5 * height and len(labels) > 2:
        places = dict(reversed(places.items()))
    own = size_in_points("legend.fontsize")

    def merit(layout: Layout) -> tuple[float, int]:
        n_shown = min(len(labels), layout.n_rows * layout.n_columns(labels))
        is_whole = all(layout.text(label) == str(label) for label in labels)
        return (1, 0) if is_whole and n_shown == len(labels) else (-layout.font_size, n_shown)

    sizes = [share * own for share in FONT_SIZES]
    layouts = [Layout(place, *room, size) for place, room in places.items() for size in sizes]
    return max(layouts, key=merit)


def size_in_points(setting: Literal["axes.titlesize", "legend.fontsize"]) -> float:
    from matplotlib.font_manager import FontProperties
    from matplotlib.pyplot import rcParams

    return float(FontProperties(size=rcParams[setting]).get_size_in_points())


def shortened(name: str, room: float, font_size: float, rest: str = "") -> str:
    """Leave out the middle of a name that is too long for the room; what comes after it stays."""
    text, n_kept = name + rest, len(name)
    while n_kept > 6 and _text_width(text, font_size) > room:
        n_kept -= max(1, n_kept // 10)
        n_end = n_kept // 3
        text = f"{name[: n_kept - n_end].rstrip()}…{name[len(name) - n_end :].lstrip()}{rest}"
    return text


def _text_width(text: str, font_size: float) -> float:
    """The width of a text in points, letter by letter: measuring whole texts takes long."""
    from matplotlib.pyplot import rcParams

    family = tuple(rcParams["font.family"])
    return font_size * sum(_width_of_letter(letter, family) for letter in text)


@cache
def _width_of_letter(letter: str, family: tuple[str, ...]) -> float:
    """As a share of the font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(family), size=100)
    return float(text_to_path.get_text_width_height_descent(letter, font, ismath=False)[0]) / 100
