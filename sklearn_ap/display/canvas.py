"""What all pictures share: axes, colours, and lines that know their role."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

__all__ = [
    "FAINT",
    "Key",
    "axes_for",
    "draw_detail",
    "draw_level",
    "draw_model",
    "draw_reference",
    "faint",
    "faint_color",
    "key_of",
    "mark_color",
    "n_models",
    "ours",
]

# Okabe and Ito's colours, which the colour-blind can tell apart. The first two stand out.
ON_LIGHT = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9")
ON_DARK = ("#56B4E9", "#E69F00", "#00C08B", "#CC79A7", "#FFFFFF", "#F0E442", "#D55E00")
# Dashes for print, one for each colour.
DASHES: tuple[Any, ...] = (
    "-",
    "--",
    "-.",
    (0, (5, 1, 1, 1, 1, 1)),
    (0, (1, 1)),
    (0, (8, 2)),
    (0, (3, 1, 1, 1)),
)
FAINT = {"color": "0.55", "linewidth": 1.0, "zorder": 1}
ROLE = "sklearn_ap_role"  # an attribute that tells our artists from others
KEY = "sklearn_ap_key"
LEVELS = "sklearn_ap_levels"


class Key(NamedTuple):
    """What a legend says of a model: its name, and the title and value of its score."""

    name: str | None
    title: str = ""
    value: str = ""

    def __str__(self) -> str:
        """As "forest: step AP = 0.717"."""
        score = " = ".join(filter(None, (self.title, self.value)))
        return ": ".join(filter(None, (self.name, score)))


def axes_for(ax: Any, n: int, figsize: tuple[float, float] | None = None) -> list[Any]:
    """The axes given, one for each of n pictures, or new ones."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as error:
        raise ImportError(
            "Pictures need matplotlib, which is not installed: pip install 'sklearn-ap[plot]'."
        ) from error
    if ax is not None:
        given = list(np.ravel(np.array(ax, dtype=object)))
        if len(given) != n or not all(hasattr(axis, "plot") for axis in given):
            raise ValueError(f"ax must hold {n} matplotlib Axes, one for each picture, got {ax!r}.")
        return given
    columns = min(n, 3)
    rows = -(-n // columns)
    size = figsize or (None if n == 1 else (3.8 * columns, 3.6 * rows))
    figure, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    if rows > 1:  # a legend belongs to the panel above it, not to the title below
        figure.set_layout_engine("constrained", h_pad=0.14)
    for unused in axes.flat[n:]:
        unused.remove()
    return list(axes.flat[:n])


def is_dark(axis: Any) -> bool:
    """Whether the background is dark."""
    from matplotlib.colors import to_rgba

    face = to_rgba(axis.get_facecolor())
    if face[3] < 0.5:  # transparent axes show the figure
        face = to_rgba(axis.figure.get_facecolor())
    return bool(np.mean(face[:3]) < 0.5)


def mark_color(axis: Any, n: int = 0) -> str:
    """The n-th colour that can be seen on these axes."""
    colors = ON_DARK if is_dark(axis) else ON_LIGHT
    return colors[n % len(colors)]


def faint(axis: Any, alpha: float) -> float:
    """How opaque a line is that should be as faint on these axes as ``alpha`` is on white."""
    return min(1.0, 1.5 * alpha) if is_dark(axis) else alpha


def faint_color(axis: Any) -> str:
    """A grey that can be seen on these axes, and does not stand out."""
    return "0.65" if is_dark(axis) else "0.5"


def n_models(axis: Any) -> int:
    """How many models there are on these axes."""
    return len(ours(axis.lines, "model"))


def draw_model(axis: Any, curve: tuple[Any, Any], key: Key, options: dict[str, Any]) -> Any:
    """Draw the curve of a model in the next style on these axes."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    n_there = n_models(axis)
    n_styles = len(DASHES)
    # Each colour again comes with the next dashes.
    dashes = DASHES[(n_there + n_there // n_styles) % n_styles]
    style = {"color": mark_color(axis, n_there), "linestyle": dashes, "linewidth": 1.8}
    label = str(key)
    hidden = label.startswith("_")  # by matplotlib
    style |= {"label": f" {label}" if hidden else label, **normalize_kwargs(options, Line2D)}
    (line,) = axis.plot(*curve, **style)
    setattr(line, ROLE, "model")
    if "label" not in options:
        setattr(line, KEY, key)
    if n_there == 1:
        _drop_details(axis)
    return line


def draw_reference(axis: Any, x: Any, y: Any, label: str, dashes: str = ":") -> None:
    """Draw a line to compare models with, unless it is there."""
    there = [line.get_ydata() for line in ours(axis.lines, "reference")]
    if not any(len(other) == len(y) and np.allclose(other, y, rtol=0.05) for other in there):
        (line,) = axis.plot(x, y, dashes, label=label, **FAINT)
        setattr(line, ROLE, "reference")


def draw_level(
    axis: Any, name: str, level: float, end: float, options: dict[str, Any], *, named: bool
) -> Any:
    """Draw a level line from 0 to ``end``; levels that are close share a line, and all a label."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    drawn = ours(axis.lines, "level")
    if not any(np.allclose(line.get_xydata()[-1], (end, level), 0.25, 0) for line in drawn):
        style = {**FAINT, "linestyle": ":", "label": "_", **normalize_kwargs(options, Line2D)}
        (line,) = axis.plot([0, end], [level, level], **style)
        setattr(line, ROLE, "level")
        drawn = [*drawn, line]
    levels = [*getattr(drawn[0], LEVELS, ()), level]
    setattr(drawn[0], LEVELS, levels)
    if named and "label" not in options:
        ends = dict.fromkeys(f"{level:.3g}" for level in (min(levels), max(levels)))
        drawn[0].set_label(f"{name} {' to '.join(ends)}")
    return drawn[-1]


def draw_detail(artist: Any, label: str, *, stays: bool = False) -> None:
    """Name what explains a single model; with a second one it goes, or stays without a name."""
    artist.set_label(label)
    setattr(artist, ROLE, "named" if stays else "detail")


def key_of(artist: Any) -> Key | None:
    """What the legend says of a model's line; None for other artists."""
    key: Key | None = getattr(artist, KEY, None)
    return key


def ours(artists: Sequence[Any], role: str) -> list[Any]:
    """Those of the artists that have a role."""
    return [artist for artist in artists if getattr(artist, ROLE, None) == role]


def _drop_details(axis: Any) -> None:
    """Details of one model would hide another, and legends would explain too much."""
    for artist in [*ours(axis.collections, "detail"), *ours(axis.lines, "detail")]:
        artist.remove()
    for artist in ours(axis.lines, "named"):
        artist.set_label("_")
