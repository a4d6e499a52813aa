"""The lines of models and of references on axes, and their options."""

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.drawing.axes import DASHES, REFERENCE_STYLE, axes_colors
from sklearn_ap._extras import import_extra
from sklearn_ap._types import Artist, Axes, Color, Keywords

Options = Keywords  # the options of lines in Matplotlib
Curve: TypeAlias = tuple[ArrayLike, ArrayLike]  # horizontal and vertical coordinates
# Names of attributes of our artists.
ROLE = "sklearn_ap_role"
LABEL = "sklearn_ap_label"
TOLERANCE = 0.25  # of lines that are close to each other, relative to their heights


class Label(NamedTuple):
    """The text for a model in a legend: its name, and the title and value of its score."""

    name: str | None
    title: str = ""
    value: str = ""

    @property
    def score(self) -> str:
        """The title and the value, as "step AP = 0.717"."""
        return " = ".join(filter(None, (self.title, self.value)))

    def __str__(self) -> str:
        """Return the whole text, as "forest: step AP = 0.717"."""
        return ": ".join(filter(None, (self.name, self.score)))


def n_models(axis: Axes) -> int:
    """Count the models on these axes."""
    return len(find_artists(axis, "model"))


def find_artists(axis: Axes, role: str) -> list[Artist]:
    """Find our artists of one role, such as "model"."""
    artists = (*axis.lines, *axis.collections)
    return [artist for artist in artists if getattr(artist, ROLE, None) == role]


def draw_model(axis: Axes, curve: Curve, label: Label, options: Options) -> Artist:
    """Draw the curve of a model in the next style on these axes."""
    n_before = n_models(axis)
    colors = axes_colors(axis).models
    # When colours repeat, shift the dashes.
    dashes = DASHES[(n_before + n_before // len(DASHES)) % len(DASHES)]
    style = {"color": colors[n_before % len(colors)], "linestyle": dashes, "linewidth": 1.8}
    text = str(label)
    # Matplotlib hides labels that begin with "_".
    style["label"] = f" {text}" if text.startswith("_") else text
    line = _draw_line(axis, curve, "model", style, options)
    if "label" not in options:
        setattr(line, LABEL, label)
    if n_before:
        # Details of one model would hide another model, and lengthen the legend.
        for artist in find_artists(axis, "detail"):
            artist.remove()
        for artist in find_artists(axis, "lasting detail"):
            artist.set_label("_")  # hidden in the legend
    return line


def draw_faint_curves(axis: Axes, curves: Sequence[Curve], color: Color) -> list[Artist]:
    """Draw curves behind their mean, the fainter the more there are."""
    alpha = axes_colors(axis).faint(float(np.clip(4 / len(curves), 0.15, 0.6)))
    style = {"color": color, "alpha": alpha, "linewidth": 0.9, "zorder": 1.5, "label": "_"}
    return [axis.plot(*curve, **style)[0] for curve in curves]


def draw_reference(axis: Axes, curve: Curve, options: Options) -> Artist:
    """Draw a reference line for models, or find one on these axes that is close to it."""
    points = np.column_stack(curve)
    for line in find_artists(axis, "reference"):
        line_points = line.get_xydata()
        is_comparable = line_points.shape == points.shape
        if is_comparable and np.allclose(line_points, points, TOLERANCE, 0.0):
            return line
    style = {**REFERENCE_STYLE, "linestyle": ":", "label": "_"}
    return _draw_line(axis, curve, "reference", style, options)


def mark_detail(artist: Artist, label: str, *, stays: bool = False) -> None:
    """Label an artist that explains a single model.

    A second model removes the artist, or only its label if it ``stays``.
    """
    artist.set_label(label)
    setattr(artist, ROLE, "lasting detail" if stays else "detail")


def line_options(options: Options) -> Options:
    """Spell out the names of options of a line, such as linewidth for lw; refuse any other."""
    import_extra("matplotlib", "A picture", "plot")
    from matplotlib.artist import ArtistInspector
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    normalized: Options = normalize_kwargs(options, Line2D)
    known_options = {*ArtistInspector(Line2D).get_setters(), "scalex", "scaley"}
    unknown = sorted(normalized.keys() - known_options)
    if unknown:
        raise TypeError(f"plot() got an unexpected keyword argument {unknown[0]!r}")
    return normalized


def _draw_line(axis: Axes, curve: Curve, role: str, style: Options, options: Options) -> Artist:
    (line,) = axis.plot(*curve, **{**style, **options})
    setattr(line, ROLE, role)
    return line
