"""The lines of models and of references on axes, the bands about lines, and their options."""

from collections.abc import Sequence
from inspect import signature
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.drawing.axes import DASHES, REFERENCE_STYLE, axes_colors
from sklearn_ap._base.extras import import_extra
from sklearn_ap._base.inputs.unknown_options import unknown_option

Options = dict[str, Any]  # of lines, as matplotlib takes them
# Attributes of our artists.
ROLE = "sklearn_ap_role"
LABEL = "sklearn_ap_label"


class Label(NamedTuple):
    """What a legend says of a model: its name, and the title and value of its score."""

    name: str | None
    title: str = ""
    value: str = ""

    @property
    def score(self) -> str:
        """As "step AP = 0.717"."""
        return " = ".join(filter(None, (self.title, self.value)))

    def __str__(self) -> str:
        """As "forest: step AP = 0.717"."""
        return ": ".join(filter(None, (self.name, self.score)))


def n_models(axis: Any) -> int:
    return len(find_artists(axis, "model"))


def find_artists(axis: Any, role: str) -> list[Any]:
    artists = (*axis.lines, *axis.collections)
    return [artist for artist in artists if getattr(artist, ROLE, None) == role]


def draw_model(axis: Any, curve: tuple[Any, Any], label: Label, options: Options) -> Any:
    """Draw the curve of a model in the next style on these axes."""
    n_before, colors = n_models(axis), axes_colors(axis).models
    # Each colour comes with other dashes the next time.
    dashes = DASHES[(n_before + n_before // len(DASHES)) % len(DASHES)]
    style = {"color": colors[n_before % len(colors)], "linestyle": dashes, "linewidth": 1.8}
    text = str(label)
    style["label"] = f" {text}" if text.startswith("_") else text
    line = _draw_line(axis, curve, "model", style, options)
    if "label" not in options:
        setattr(line, LABEL, label)
    if n_before:
        # Details of one model would hide another, and the legend would explain too much.
        for artist in find_artists(axis, "detail"):
            artist.remove()
        for artist in find_artists(axis, "lasting detail"):
            artist.set_label("_")
    return line


def draw_faint_curves(axis: Any, curves: Sequence[tuple[Any, Any]], color: Any) -> list[Any]:
    """Draw curves behind their mean, the fainter the more they are."""
    alpha = axes_colors(axis).faint(float(np.clip(4 / len(curves), 0.15, 0.6)))
    style = {"color": color, "alpha": alpha, "linewidth": 0.9, "zorder": 1.5, "label": "_"}
    return [axis.plot(*curve, **style)[0] for curve in curves]


def draw_reference(axis: Any, curve: Any, tolerance: float, label: str, options: Options) -> Any:
    """Draw a line to compare models with, or find one on these axes that is close to it."""
    points = np.column_stack(curve)
    for line in find_artists(axis, "reference"):
        drawn = line.get_xydata()
        if drawn.shape == points.shape and np.allclose(drawn, points, tolerance, 0.0):
            return line
    style = {**REFERENCE_STYLE, "linestyle": ":", "label": label}
    return _draw_line(axis, curve, "reference", style, options)


def draw_band(axis: Any, color: Any, label: str, band: Any) -> None:
    """Shade what is between the limits of a curve, in its colour."""
    alpha = axes_colors(axis).faint(0.2)
    shade = axis.fill_between(
        band.recall, band.low, band.high, color=color, alpha=alpha, linewidth=0.0, zorder=1
    )
    mark_detail(shade, label, stays=True)


def mark_detail(artist: Any, label: str, *, stays: bool = False) -> None:
    """Name what explains a single model. With a second model it goes, or only its name does."""
    artist.set_label(label)
    setattr(artist, ROLE, "lasting detail" if stays else "detail")


def line_options(display: Any, options: Options) -> Options:
    """Options of a line by their full names, such as linewidth for lw. Refuse any other."""
    import_extra("matplotlib", "A picture", "plot")
    from matplotlib.artist import ArtistInspector
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    normalized: Options = normalize_kwargs(options, Line2D)
    known = {*ArtistInspector(Line2D).get_setters(), "scalex", "scaley"}
    for name in normalized.keys() - known:
        if name in signature(display.from_predictions).parameters:
            raise TypeError(
                f"{name!r} is an option of {type(display).__name__}.from_predictions and "
                f"from_estimator, for one sample, and not of folds or of plot."
            )
        known.update(
            *(signature(way).parameters for way in (display.from_predictions, display.plot))
        )
        raise TypeError(unknown_option(type(display).__name__, name, sorted(known)))
    return normalized


def _draw_line(axis: Any, curve: Any, role: str, style: Options, options: Options) -> Any:
    (line,) = axis.plot(*curve, **{**style, **options})
    setattr(line, ROLE, role)
    return line
