"""Axes, and the colours that can be seen on them."""

from base64 import b64encode
from html import escape
from io import BytesIO
from typing import NamedTuple

import numpy as np

from sklearn_ap._extras import import_extra, printable
from sklearn_ap._types import Argument, Axes, Figure

REFERENCE_STYLE = {"color": "0.55", "linewidth": 1.0, "zorder": 1}

LEAST_WIDTH_OF_COLUMNS = 6.0  # inches; panels of narrower figures stand below each other


class Colors(NamedTuple):
    """Colours for one background. The first two of the models stand out."""

    models: tuple[str, ...]
    grey: str
    fading: float  # the factor of opacity, relative to a white background

    def faint(self, alpha: float) -> float:
        """Return the opacity that looks as ``alpha`` does on white."""
        return min(1.0, self.fading * alpha)


# Okabe and Ito's colours, which the colour-blind can tell apart.
ON_LIGHT = Colors(
    ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#000000", "#E69F00", "#56B4E9"),
    "0.5",
    1.0,
)
ON_DARK = Colors(
    ("#56B4E9", "#E69F00", "#00C08B", "#CC79A7", "#FFFFFF", "#F0E442", "#D55E00"),
    "0.65",
    1.5,
)


def prepare_axes(ax: Argument, n: int, figsize: tuple[float, float] | None = None) -> list[Axes]:
    """Check the user's axes, one for each of n pictures, or make new ones, in the user's figure."""
    plt = import_extra("matplotlib.pyplot", "A picture", "plot")
    if ax is not None and not hasattr(ax, "set_size_inches"):  # figures have it
        axes = list(np.ravel(np.array(ax, dtype=object)))
        if len(axes) != n or not all(hasattr(axis, "plot") for axis in axes):
            raise ValueError(f"ax must hold {n} matplotlib Axes, one for each picture, got {ax!r}.")
        return axes
    figure = plt.figure() if ax is None else ax
    width, height = figure.get_size_inches()
    n_columns = min(n, 3 if width >= LEAST_WIDTH_OF_COLUMNS else 1)
    n_rows = -(-n // n_columns)
    if n > 1 and n_columns == 1:
        height = n * (figsize[1] if figsize else 3.6)
    elif figsize or n > 1:
        usual_width, height = figsize or (3.8 * n_columns, 3.6 * n_rows)
        width = width if is_narrow(figure) else usual_width
    figure.set_layout_engine("constrained")
    figure.set_size_inches(width, height)
    grid = figure.subplots(n_rows, n_columns, squeeze=False)
    if n_rows > 1:  # a legend belongs to the axes above it, not to the title below
        figure.set_layout_engine("constrained", h_pad=0.14)
    for empty_axes in grid.flat[n:]:
        empty_axes.remove()
    return list(grid.flat[:n])


def is_narrow(ax: Argument) -> bool:
    """Check whether the figure of the user's axes, or else a new one, is narrow, as on a phone."""
    plt = import_extra("matplotlib.pyplot", "A picture", "plot")
    first = np.ravel(np.array(ax, dtype=object))[0]
    figure = ax if hasattr(ax, "set_size_inches") else getattr(first, "figure", None)
    if figure is None:
        return bool(plt.rcParams["figure.figsize"][0] < LEAST_WIDTH_OF_COLUMNS)
    return bool(figure.bbox.width / figure.dpi < LEAST_WIDTH_OF_COLUMNS)


def svg_image(figure: Figure, alt: str, attributes: str = "", **options: object) -> str:
    """Embed a figure in an image, which other figures on the page cannot change."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"svg.hashsalt": "sklearn_ap"}):  # the same picture has the same text
        figure.savefig(file, format="svg", **options)
    data = b64encode(file.getvalue()).decode()
    return (
        f'<img alt="{escape(printable(alt))}"{attributes} src="data:image/svg+xml;base64,{data}">'
    )


class Size(NamedTuple):
    """The size of a part of a figure, in points."""

    width: float
    height: float


def axes_size(axis: Axes) -> Size:
    """Compute the size of the part of the figure for the axes and their labels."""
    figure = axis.figure
    spec = axis.get_subplotspec()
    width = 72 * figure.bbox.width / figure.dpi
    height = 72 * figure.bbox.height / figure.dpi
    if spec is None:  # axes that were placed by hand
        box = axis.get_position()
        return Size(box.width * width, box.height * height)
    n_rows, n_columns = spec.get_gridspec().get_geometry()
    return Size(width * len(spec.colspan) / n_columns, height * len(spec.rowspan) / n_rows)


def axes_colors(axis: Axes) -> Colors:
    """Choose the colours that can be seen on these axes."""
    *color, opacity = axis.get_facecolor()
    if opacity < 0.5:  # transparent axes show the figure
        *color, opacity = axis.figure.get_facecolor()
    return ON_DARK if np.mean(color) < 0.5 else ON_LIGHT
