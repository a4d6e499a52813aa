"""What all pictures share: axes, styles, the place of the legend. The only import of matplotlib."""

from __future__ import annotations

from typing import Any

import numpy as np

__all__ = ["FAINT", "MARK", "axes_for", "draw_model", "draw_reference", "legend"]

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
MODEL, REFERENCE = "sklearn_ap.model", "sklearn_ap.reference"  # tell our lines from others


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
        if len(given) != n:
            raise ValueError(f"ax must hold {n} axes, one for each picture, got {len(given)}.")
        return given
    columns = min(n, 3)
    rows = -(-n // columns)
    size = figsize or ((6.4, 5.2) if n == 1 else (4.2 * columns, 4.4 * rows))
    _, axes = plt.subplots(rows, columns, figsize=size, layout="constrained", squeeze=False)
    for unused in axes.flat[n:]:
        unused.remove()
    return list(axes.flat[:n])


def legend(axis: Any) -> None:
    """Put the legend below the axes, where it covers nothing."""
    from matplotlib.transforms import ScaledTranslation

    inches = ScaledTranslation(0.0, -0.55, axis.figure.dpi_scale_trans)  # below the axis' label
    place = {"bbox_to_anchor": (0.0, 0.0), "bbox_transform": axis.transAxes + inches}
    axis.legend(loc="upper left", frameon=False, borderaxespad=0.0, **place)


def draw_model(
    axis: Any, curves: list[tuple[Any, Any]], label: str, options: dict[str, Any]
) -> list[Any]:
    """Draw the curve of a model, or those of its folds, in the next style on these axes."""
    n_there = sum(line.get_gid() == MODEL for line in axis.lines)
    color, dashes = STYLES[n_there % len(STYLES)]
    style = {"color": color, "linestyle": dashes, "linewidth": 1.8}
    if len(curves) > 1:
        style |= {"linestyle": "-", "linewidth": 1.0, "alpha": 0.7}
    lines: list[Any] = []
    for curve in curves:
        once = {"label": "_"} if lines else {"label": label, "gid": MODEL}
        lines += axis.plot(*curve, **style | once | options)
    return lines


def draw_reference(axis: Any, x: Any, y: Any, dashes: str, label: str) -> None:
    """Draw a line to compare models with, unless it is there."""
    there = [line.get_ydata() for line in axis.lines if line.get_gid() == REFERENCE]
    if not any(len(other) == len(y) and np.allclose(other, y, atol=0.005) for other in there):
        axis.plot(x, y, dashes, label=label, gid=REFERENCE, **FAINT)
