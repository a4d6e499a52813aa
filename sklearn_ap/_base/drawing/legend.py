"""The title and the legend of a picture, placed where they cover nothing."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from sklearn_ap._base.drawing.axes import axes_size, ensure_layout
from sklearn_ap._base.drawing.lines_and_bands import LABEL, Label, find_artists
from sklearn_ap._base.text import count_as_text, title_with_prevalence

Rows = Sequence[tuple[Any, Label]]  # artists, and what is said of them

TITLE = "sklearn_ap_title"  # an attribute of titles that are ours
MOST_MODELS = 20
HANDLE_WIDTH = 4.6  # the width of a row without its text, in font sizes
ROW_HEIGHT = 1.4  # the height of a row, in font sizes
MARGIN = 50  # points: what stands left of the axes, or above them
FONT_SIZES = (0.9, 0.7)  # shares of the user's own: small figures show whole names in .7


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
            explained = find_artists(axis, "detail")
            models = [(models[0][0], Label(labels[0].title))] if explained else []
    rows = [*models[:MOST_MODELS], *others]
    if not rows:
        return
    layout = max(_layouts(axis, len(rows)), key=lambda each: each.merit(rows))
    n_free = min(MOST_MODELS, layout.n_shown(rows) - len(others))
    if len(models) > n_free:
        n_kept = max(1, n_free - 1)
        more = Line2D([], [], linestyle=""), Label(f"and {len(models) - n_kept} more")
        models = [*models[:n_kept], more]
    layout.draw(axis, models + others)


def title_in_words(title: str) -> str:
    """The title of a definition without abbreviations, for those who only see the picture."""
    return re.sub(r"\bAP\b", "average precision", title).replace("@", " at ")


def _write_title(axis: Any, labels: Sequence[Label]) -> bool:
    """Write what all models share above the axes, unless the user's own title is there."""
    if not labels or axis.get_title() not in ("", getattr(axis.title, TITLE, "")):
        return False
    if len({label.title for label in labels}) > 1:
        axis.set_title("")
        return False
    title = title_in_words(labels[0].title if labels[1:] or labels[0].name else labels[0].score)
    # It is centred above the axes, which have labels on the left.
    room = 0.84 * axes_size(axis)[0]
    size = size_in_points("axes.titlesize")
    size *= min(1.0, room / max(1.0, _text_width(title, size)))
    axis.set_title(title, parse_math=False, fontsize=size)
    setattr(axis.title, TITLE, title)
    return True


@dataclass(frozen=True)
class Layout:
    """A place for a legend, with its room and its font size in points."""

    where: dict[str, Any]  # options of the legend
    width: float
    height: float
    font_size: float
    in_columns: bool = False

    def merit(self, rows: Rows) -> tuple[int, int]:
        """How many rows are seen, and how many letters."""
        return self.n_shown(rows), sum(len(self.text(label)) for _, label in rows)

    def n_shown(self, rows: Rows) -> int:
        n_rows = max(2, int(self.height / (ROW_HEIGHT * self.font_size)))
        return min(n_rows * self.n_columns(rows), len(rows))

    def n_columns(self, rows: Rows) -> int:
        """The most columns that fit; matplotlib fills one after the other."""
        handle, texts = HANDLE_WIDTH * self.font_size, [self.text(label) for _, label in rows]
        widths = [handle + _text_width(text, self.font_size) for text in texts]
        for n_columns in range(len(rows) if self.in_columns else 1, 1, -1):
            if sum(map(max, np.array_split(widths, n_columns))) <= self.width:
                return n_columns
        return 1

    def text(self, label: Label) -> str:
        """What a row says, as wide as the legend at most; only the name is shortened."""
        name, room = label.name or "", self.width - HANDLE_WIDTH * self.font_size
        return shortened(name, room, self.font_size, rest=str(label).removeprefix(name))

    def draw(self, axis: Any, rows: Rows) -> None:
        artists, texts = zip(*((artist, self.text(label)) for artist, label in rows), strict=True)
        legend = axis.legend(
            artists,
            texts,
            ncols=self.n_columns(rows),
            fontsize=self.font_size,
            columnspacing=1.2,
            labelspacing=0.35,
            handlelength=2.2,
            **self.where,
        )
        for text in legend.get_texts():
            text.set_parse_math(False)  # names are shown as they are


def _layouts(axis: Any, n: int) -> list[Layout]:
    """Layouts for n rows: of those that show as much, the first one is taken."""
    from matplotlib.transforms import offset_copy

    width, height = axes_size(axis)
    below, beside = (width - MARGIN, 0.28 * height), (0.42 * width, height - MARGIN)
    sizes = [share * size_in_points("legend.fontsize") for share in FONT_SIZES]
    if not ensure_layout(axis):
        return [Layout({"loc": "best"}, *below, size) for size in sizes]
    outside: dict[str, Any] = {"loc": "upper left", "borderaxespad": 0.0, "frameon": False}
    ticks = axis.xaxis.get_ticklabels()[0].get_size()
    n_lines = 1 + axis.get_xlabel().count("\n")
    y = -1.3 * (n_lines * axis.xaxis.label.get_size() + ticks) - 10  # labels of the axis, and gaps
    transform = offset_copy(axis.transAxes, axis.figure, y=y, units="points")
    under = outside | {"bbox_to_anchor": (0.0, 0.0), "bbox_transform": transform}
    right = outside | {"bbox_to_anchor": (1.02, 1.0)}
    low = [Layout(under, *below, size, in_columns=True) for size in sizes]
    high = [Layout(right, *beside, size) for size in sizes]
    return high + low if width > 1.5 * height and n > 2 else low + high


def size_in_points(setting: Literal["axes.titlesize", "legend.fontsize"]) -> float:
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

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
    """The width of a text in points."""
    from matplotlib import rcParams

    return font_size * _relative_width(text, tuple(rcParams["font.family"]))


@lru_cache(maxsize=2**14)
def _relative_width(text: str, family: tuple[str, ...]) -> float:
    """The width of a text as a share of the font size."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(family=list(family), size=100)
    return float(text_to_path.get_text_width_height_descent(text, font, ismath=False)[0]) / 100


def score_in_words(result: Any) -> str:
    """What was computed, in words."""
    return title_in_words(title_with_prevalence(result.definition.title, result.prevalence))


def add_sample(text: str, result: Any, left_out: str = "") -> str:
    """The words below an axis, then what was sampled, and which rows are shown."""
    return "\n".join(filter(None, (text, sample_in_words(result), left_out)))


def sample_in_words(result: Any) -> str:
    """What was sampled, as "80 clusters, 89 positives"."""
    cases, labels = getattr(result, "cases", None), getattr(result, "labels", None)
    units = {} if cases is None else {cases.unit: cases.n_units, "row": cases.n_rows}
    parts = [count_as_text(n, unit) for unit, n in units.items() if n]
    if labels is not None:
        parts = [f"{labels.n_labelled:,} of {count_as_text(labels.n_units, labels.unit)} labelled"]
    n_positives = np.asarray(getattr(result, "n_positives", getattr(cases, "n_positives", np.nan)))
    if hasattr(result, "homogeneity_pvalue"):  # segments share no rows
        n_positives = n_positives.sum()
    if n_positives.ndim == 0 and n_positives > 0:
        parts.append(count_as_text(n_positives.item(), "positive"))
    if cases is not None and cases.runs:
        parts.append(cases.runs)
    return ", ".join(parts)
