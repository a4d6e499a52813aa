"""The axes of pictures: their room in the figure, and the colours that can be seen on them."""

from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._extras import import_extra

REFERENCE_STYLE = {"color": "0.55", "linewidth": 1.0, "zorder": 1}


class Colors(NamedTuple):
    """Colours for one background. The first two of the models stand out."""

    models: tuple[str, ...]
    grey: str
    fading: float  # faint lines are drawn that much more opaque than on white

    def faint(self, alpha: float) -> float:
        """The opacity that looks as ``alpha`` does on white."""
        return min(1.0, self.fading * alpha)


# Okabe and Ito's colours, which the colour-blind can tell apart.
ON_LIGHT = Colors(
    ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9"), "0.5", 1.0
)
ON_DARK = Colors(
    ("#56B4E9", "#E69F00", "#00C08B", "#CC79A7", "#FFFFFF", "#F0E442", "#D55E00"), "0.65", 1.5
)


def axes_for(ax: Any, n: int, figsize: tuple[float, float] | None = None) -> list[Any]:
    """The axes given, one for each of n pictures, or new ones."""
    plt = import_extra("matplotlib.pyplot", "A picture", "plot")
    if ax is not None:
        given = list(np.ravel(np.array(ax, dtype=object)))
        if len(given) != n or not all(hasattr(axis, "plot") for axis in given):
            raise ValueError(f"ax must hold {n} matplotlib Axes, one for each picture, got {ax!r}.")
        return given
    n_rows, n_columns = -(-n // 3), min(n, 3)
    size = figsize or (None if n == 1 else (3.8 * n_columns, 3.6 * n_rows))
    fig, axes = plt.subplots(n_rows, n_columns, figsize=size, layout="constrained", squeeze=False)
    if n_rows > 1:  # a legend belongs to the axes above it, not to the title below
        fig.set_layout_engine("constrained", h_pad=0.14)
    for unused in axes.flat[n:]:
        unused.remove()
    return list(axes.flat[:n])


def size_for_axes(axis: Any) -> tuple[float, float]:
    """Width and height, in points, of the part of the figure for the axes and their labels."""
    figure, spec = axis.figure, axis.get_subplotspec()
    width, height = 72 * figure.bbox.width / figure.dpi, 72 * figure.bbox.height / figure.dpi
    if spec is None:  # axes that were placed by hand
        box = axis.get_position()
        return box.width * width, box.height * height
    n_rows, n_columns = spec.get_gridspec().get_geometry()
    return width * len(spec.colspan) / n_columns, height * len(spec.rowspan) / n_rows


def ensure_layout(axis: Any) -> bool:
    """Give the figure a layout that makes room for legends; False where that is impossible."""
    figure = axis.figure.figure  # of a subfigure too
    if figure.get_layout_engine() is not None:
        return True
    drawn = [artist for other in figure.axes for artist in (*other.images, *other.collections)]
    # The constrained layout ignores axes that were placed by hand, and colorbars made before.
    by_hand = any(other.get_subplotspec() is None for other in figure.axes)
    if by_hand or any(artist.colorbar is not None for artist in drawn):
        return False
    figure.set_layout_engine("constrained")
    return True


def colors_on(axis: Any) -> Colors:
    *color, opacity = axis.get_facecolor()
    if opacity < 0.5:  # transparent axes show the figure
        *color, opacity = axis.figure.get_facecolor()
    return ON_DARK if np.mean(color) < 0.5 else ON_LIGHT
