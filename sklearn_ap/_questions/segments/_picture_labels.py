"""The legend of a picture of segments, and its labels of dates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_ap._base.drawing.axes import axes_colors, axes_size
from sklearn_ap._base.drawing.legend import shorten_name, text_width
from sklearn_ap._extras import printable
from sklearn_ap._questions.segments.names import REFERENCES
from sklearn_ap._types import AnyResult, Array, Artist, Axes, Bool, Float, Name

BESIDE_DATES = 75  # points of a figure that its axis of time does not have
GAP = 1.4  # the distance of two labels, in widths of a label
LABEL_SHARE = 0.3  # of a figure, for the name of a time
LONGEST_REFERENCE = 24  # letters of a name in a row that has more words


def legend_of_points(
    axis: Axes, result: AnyResult, is_different: Bool, reference: Name
) -> list[tuple[Artist, str]]:
    """List the colours that segments have."""
    palette = axes_colors(axis)
    higher, lower, *_ = palette.models
    rows = []
    level = f"adjusted p < {1 - result.confidence_level:.3g}".replace(" ", "\N{NO-BREAK SPACE}")
    text = _shorten(printable(str(reference)))
    than = f"the {text}" if text in REFERENCES else text
    signs = (
        ("lower", lower, result.differences < 0),
        ("higher", higher, result.differences > 0),
    )
    for word, color, has_sign in signs:
        if (is_different & has_sign).any():
            rows.append((_point(color), f"{word} than {than} ({level})"))
    return rows


def _shorten(name: str) -> str:
    """Leave out the middle of a long name."""
    if len(name) <= LONGEST_REFERENCE:
        return name
    half = LONGEST_REFERENCE // 2
    return f"{name[:half].rstrip()}…{name[-half + 1 :].lstrip()}"


def _point(color: str) -> Artist:
    from matplotlib.lines import Line2D

    return Line2D([], [], color=color, marker="o", markersize=6, linewidth=2.5)


def label_times(axis: Axes, days: Float, names: Sequence[str]) -> None:
    """Label the latest segment and as many others as there is room for, by their names."""
    size = axis.xaxis.get_ticklabels()[0].get_size()
    room = LABEL_SHARE * axes_size(axis).width
    lines = ([printable(line) for line in name.split("\n")] for name in names)
    texts = ["\n".join(shorten_name(line, room, size) for line in each) for each in lines]
    width = GAP * max(text_width(text, size) for text in texts)
    days_of_point = max(float(np.ptp(days)), 1e-9) / (axes_size(axis).width - BESIDE_DATES)
    labelled: list[int] = []
    for place in np.argsort(-days, kind="stable").tolist():
        if not labelled or days[labelled[-1]] - days[place] >= width * days_of_point:
            labelled.append(place)
    axis.set_xticks(days[labelled], [texts[place] for place in labelled], parse_math=False)
    axis.set_xticks(days, minor=True)


def dates_as_texts(dates: Array) -> list[str]:
    """Write dates as years, months, days or minutes: the first of these that tells all."""
    dates = np.array(dates, dtype="datetime64[s]")
    for unit in ("Y", "M", "D"):
        rounded = dates.astype(f"datetime64[{unit}]")
        if (rounded == dates).all():
            return [str(each) for each in rounded]
    return [str(each).replace("T", "\n")[:16] for each in dates]
