"""Curves on axes that several models share: their colours, their level of chance, their legend."""

import textwrap

import numpy as np

from sklearn_ap._extras import import_extra
from sklearn_ap._types import Artist, Axes, Float, Keywords

MOST_LINES_INSIDE = 5  # lines of a legend inside the axes; a longer one would hide the curves
LINE_LENGTH = 50  # letters in a line of the legend, for which small figures have room
COLUMN_LENGTH = 30  # letters in a line of a legend of two columns
WIDE = 6  # inches of a figure that has room for two columns of a legend
LINE_STYLES = ("-", "--", "-.")  # each with all colours of the user's style
# Attributes of our artists, by which the next display on the same axes finds them.
IS_CURVE = "_is_sklearn_ap_curve"
IS_CHANCE_LEVEL = "_is_sklearn_ap_chance_level"
IS_LEGEND = "_is_sklearn_ap_legend"


def row_text(name: str, score: str) -> str:
    """Write a row of the legend, in several lines if it is long."""
    text = f"{name}: {score}"
    return text if len(text) <= LINE_LENGTH else f"{textwrap.fill(name, LINE_LENGTH)}:\n{score}"


def score_as_text(value: float) -> str:
    """Write a score with three decimals, or two digits if it is small."""
    return f"{value:.3f}" if value >= 0.01 or value == 0 else f"{value:.2g}"


def given_or_new(ax: Axes) -> Axes:
    """Check the axes of the user, or make a figure with axes."""
    if ax is None:
        return import_extra("matplotlib.pyplot", "A picture", "plot").subplots(
            layout="constrained"
        )[1]
    if not hasattr(ax, "get_legend_handles_labels"):
        raise TypeError(f"ax must be one matplotlib Axes, got {ax!r:.100}.")
    return ax


def line_styles(
    curve_kwargs: Keywords | list[Keywords] | None, options: Keywords, n: int
) -> list[Keywords]:
    """Return the options of each curve, by their long names."""
    styles = curve_kwargs if isinstance(curve_kwargs, list) else [curve_kwargs or {}] * n
    if len(styles) != n:
        raise ValueError(f"curve_kwargs must be a dict or a list of {n} of them, got {styles!r}.")
    return [_long_names(style) | _long_names(options) for style in styles]


def _long_names(options: Keywords) -> Keywords:
    """Write lw as linewidth, so that options of the user replace ours."""
    import_extra("matplotlib", "A picture", "plot")
    from matplotlib.cbook import normalize_kwargs
    from matplotlib.lines import Line2D

    return dict(normalize_kwargs(options, Line2D))


def draw_curve(ax: Axes, line: tuple[Float, Float], label: str, style: Keywords) -> Artist:
    """Draw a curve in the next colour of the user's style, dashed when all have been used."""
    from matplotlib import rcParams

    n_drawn = sum(hasattr(other, IS_CURVE) for other in ax.lines)
    round_of_colors = n_drawn // len(rcParams["axes.prop_cycle"])
    text = label.replace("$", r"\$")  # no mathematics
    default = {
        "label": f" {text}" if text.startswith("_") else text,  # Matplotlib hides such labels
        "linestyle": LINE_STYLES[round_of_colors % len(LINE_STYLES)],
    }
    (curve,) = ax.plot(*line, **(default | style))
    setattr(curve, IS_CURVE, True)
    return curve


def draw_chance_levels(ax: Axes, levels: Float, options: Keywords) -> Artist:
    """Draw a line at each level that the axes lack; the first has a row of the legend."""
    distinct = np.unique(levels[levels > 0])
    limits = (
        dict.fromkeys(score_as_text(level) for level in distinct[[0, -1]]) if distinct.size else {}
    )
    label = f"chance level: {' to '.join(limits)}"
    style = {"color": "0.5", "linestyle": ":", "zorder": 1} | _long_names(options)
    known = {line.get_ydata()[0]: line for line in ax.lines if hasattr(line, IS_CHANCE_LEVEL)}
    for level in distinct.tolist():
        if level not in known:
            (line,) = ax.plot([0, 1], [level, level], **({"label": label} | style))
            setattr(line, IS_CHANCE_LEVEL, True)
            known[level] = line
            label = "_"
    drawn = [known[level] for level in distinct.tolist()]
    return (drawn if len(drawn) > 1 else drawn[0]) if drawn else None


def draw_legend(ax: Axes) -> None:
    """List the curves inside the axes, or below them if that takes many lines."""
    rows = sorted(zip(*ax.get_legend_handles_labels(), strict=True), key=_is_chance_level)
    handles = [handle for handle, _ in rows]
    labels = [label for _, label in rows]
    lines = "\n".join(labels).split("\n")
    figure = ax.figure
    for legend in [each for each in figure.legends if hasattr(each, IS_LEGEND)]:
        legend.remove()
    if len(lines) <= MOST_LINES_INSIDE or not _has_room_below(ax):
        ax.legend(handles, labels, loc="best")
        return
    if ax.get_legend() is not None:
        ax.get_legend().remove()
    has_columns = figure.get_figwidth() >= WIDE and max(map(len, lines)) <= COLUMN_LENGTH
    legend = figure.legend(
        handles, labels, loc="outside lower left", ncols=1 + has_columns, frameon=False
    )
    setattr(legend, IS_LEGEND, True)


def _is_chance_level(row: tuple[Artist, str]) -> bool:
    return hasattr(row[0], IS_CHANCE_LEVEL)


def _has_room_below(ax: Axes) -> bool:
    """Check whether the layout makes room for a legend, and set such a layout if there is none."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = ax.figure
    if figure.axes != [ax] or ax.get_subplotspec() is None:
        return False
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    return isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine)
