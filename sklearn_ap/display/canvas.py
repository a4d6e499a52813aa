"""What all pictures share: axes, styles, the place of the legend. The only import of matplotlib."""

from __future__ import annotations

import textwrap
from typing import Any

import numpy as np

__all__ = ["FAINT", "MARK", "axes_for", "draw_model", "draw_reference", "draw_shade", "legend"]

# Okabe and Ito's colours, which the colour-blind can tell apart, with dashes for print.
STYLES = (
    ("#0072B2", "-"),
    ("#D55E00", "--"),
    ("#009E73", "-."),
    ("#CC79A7", (0, (5, 1, 1, 1, 1, 1))),
    ("#000000", (0, (1, 1))),
    ("#E69F00", (0, (8, 2))),
    ("#56B4E9", (0, (3, 1, 1, 1))),
)
MARK = STYLES[0][0]
FAINT = {"color": "0.65", "linewidth": 1.0, "zorder": 1}
ROLE = "sklearn_ap_role"  # an attribute that tells our lines and shades from others


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
    size = figsize or ((6.4, 5.2) if n == 1 else (4.2 * columns, 4.4 * rows))
    _, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for unused in axes.flat[n:]:
        unused.remove()
    return list(axes.flat[:n])


def legend(axis: Any) -> None:
    """Put the legend below the axes, where it covers nothing, if the layout can make room there."""
    from matplotlib.transforms import ScaledTranslation

    lines = [line for line in axis.lines if not line.get_label().startswith("_")]
    labels = _wrapped(axis, [line.get_label() for line in lines])
    place: dict[str, Any] = {"loc": "best"}
    if _makes_room(axis):
        ticks = axis.xaxis.get_ticklabels()[0].get_size()
        below = 1.3 * (axis.xaxis.label.get_size() + ticks) + 14  # labels of the axis, and gaps
        offset = ScaledTranslation(0.0, -below / 72, axis.figure.dpi_scale_trans)
        place = {"loc": "upper left", "frameon": False, "borderaxespad": 0.0}
        place |= {"bbox_to_anchor": (0.0, 0.0), "bbox_transform": axis.transAxes + offset}
    for text in axis.legend(lines, labels, **place).get_texts():
        text.set_parse_math(False)  # names are shown as they are


def _makes_room(axis: Any) -> bool:
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


def _wrapped(axis: Any, labels: list[str]) -> list[str]:
    """Break labels where the axes end, as for a wider legend the layout would shrink them."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.pyplot import rcParams
    from matplotlib.textpath import text_to_path

    font = FontProperties(size=rcParams["legend.fontsize"])
    size = font.get_size_in_points()
    room = 72 * axis.get_position().width * axis.figure.bbox.width / axis.figure.dpi - 3 * size

    def wrap(label: str) -> str:
        width = text_to_path.get_text_width_height_descent(label, font, ismath=False)[0]
        letter = max(1.1 * width / max(len(label), 1), 0.5 * size)
        return textwrap.fill(label, max(8, int(room / letter)))

    return [wrap(label) for label in labels]


def draw_model(
    axis: Any, curves: list[tuple[Any, Any]], label: str, options: dict[str, Any]
) -> list[Any]:
    """Draw the curve of a model, or those of its folds, in the next style on these axes."""
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    n_there = len(_ours(axis.lines, "model"))
    color, dashes = STYLES[n_there % len(STYLES)]
    if n_there >= len(STYLES):  # each colour again, with the next dashes
        dashes = STYLES[(n_there + n_there // len(STYLES)) % len(STYLES)][1]
    style = {"color": color, "linestyle": dashes, "linewidth": 1.8}
    if len(curves) > 1:
        style |= {"linewidth": 1.0, "alpha": 0.7}
    hidden = label.startswith("_")  # by matplotlib
    style |= {"label": f" {label}" if hidden else label, **normalize_kwargs(options, Line2D)}
    lines: list[Any] = []
    for curve in curves:
        lines += axis.plot(*curve, **style | ({"label": "_"} if lines else {}))
    setattr(lines[0], ROLE, "model")
    return lines


def draw_reference(axis: Any, x: Any, y: Any, dashes: str, label: str) -> None:
    """Draw a line to compare models with, unless it is there."""
    there = [line.get_ydata() for line in _ours(axis.lines, "reference")]
    if not any(len(other) == len(y) and np.allclose(other, y, rtol=0.01) for other in there):
        (line,) = axis.plot(x, y, dashes, label=label, **FAINT)
        setattr(line, ROLE, "reference")


def draw_shade(axis: Any, x: Any, low: Any, high: Any, color: Any) -> None:
    """Shade what lies between, for the first model only: shades would hide each other."""
    if not _ours(axis.collections, "shade"):
        shade = axis.fill_between(x, low, high, color=color, alpha=0.15, linewidth=0)
        setattr(shade, ROLE, "shade")


def _ours(artists: Any, role: str) -> list[Any]:
    return [artist for artist in artists if getattr(artist, ROLE, None) == role]
