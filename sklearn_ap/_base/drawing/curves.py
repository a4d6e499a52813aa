"""Curves on axes that several models share: their colours, their level of chance, their legend."""

import textwrap

import numpy as np

from sklearn_ap._extras import import_extra
from sklearn_ap._types import Artist, Axes, Figure, Float, Keywords

MOST_LINES_INSIDE = 5  # lines of a legend inside the axes; a longer one would hide the curves
MOST_BELOW = 0.55  # of the height of a figure, for a legend below the axes
SMALL = 0.7  # of the size of letters, for a long legend
# What a legend of Matplotlib takes, in sizes of its letters
LETTER_WIDTH, HANDLE_WIDTH, LINE_HEIGHT, GAP = 0.53, 4.5, 1.2, 0.5
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
LINE_STYLES = ("-", "--", "-.")  # each with all colours of the user's style
# Attributes of our artists, by which the next display on the same axes finds them.
IS_CURVE = "_is_sklearn_ap_curve"
IS_CHANCE_LEVEL = "_is_sklearn_ap_chance_level"
IS_LEGEND = "_is_sklearn_ap_legend"


def score_as_text(value: float) -> str:
    """Write a score with three decimals, or two digits if it is small."""
    return f"{value:.3f}" if value >= 0.01 or value == 0 else f"{value:.2g}"


def escape_dollars(text: str) -> str:
    """Escape dollars, which Matplotlib would read as the limits of a formula."""
    return text.replace("$", r"\$")


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
    text = escape_dollars(label)
    default = {
        "label": f" {text}" if text.startswith("_") else text,  # Matplotlib hides such labels
        "linestyle": LINE_STYLES[round_of_colors % len(LINE_STYLES)],
    }
    (curve,) = ax.plot(*line, **(default | style))
    setattr(curve, IS_CURVE, True)
    return curve


def draw_chance_levels(ax: Axes, levels: Float, options: Keywords) -> Artist:
    """Draw a line at each level that the axes lack; the first has a row of the legend."""
    levels = levels.round(12)  # a mean of equal levels is one of them
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
    for legend in (ax.get_legend(), *ax.figure.legends):
        if hasattr(legend, IS_LEGEND):
            legend.remove()
    size = _letter_size()
    texts = _wrap(labels, _n_letters(ax, size))
    if _n_lines(texts) > MOST_LINES_INSIDE:
        if _has_room_below(ax) and _draw_legend_below(ax.figure, handles, labels, size):
            return
        size *= SMALL
        texts = _wrap(labels, _n_letters(ax, size))
    legend = ax.legend(handles, texts, loc="best", fontsize=size)
    legend.set_in_layout(False)  # it needs no room outside the axes
    setattr(legend, IS_LEGEND, True)


def _draw_legend_below(
    figure: Figure, handles: list[Artist], labels: list[str], size: float
) -> bool:
    """List the curves below the only axes of a figure; return False if it is too low."""
    for letters in (size, SMALL * size):
        n_letters = _n_letters(figure, letters)
        texts = _wrap(labels, n_letters)
        n_columns = 2 if max(map(len, labels)) <= n_letters // 2 - HANDLE_WIDTH else 1
        height = letters * (LINE_HEIGHT * _n_lines(texts) + GAP * len(texts)) / n_columns
        if height <= MOST_BELOW * 72 * figure.get_figheight():
            options: Keywords = {"ncols": n_columns, "fontsize": letters, "frameon": False}
            legend = figure.legend(handles, texts, loc="outside lower left", **options)
            setattr(legend, IS_LEGEND, True)
            return True
    return False


def _letter_size() -> float:
    """Return the size of letters of the user's legends, in points."""
    from matplotlib import rcParams
    from matplotlib.font_manager import FontProperties

    return float(FontProperties(size=rcParams["legend.fontsize"]).get_size_in_points())


def _n_letters(place: Artist, size: float) -> int:
    """Count the letters of about this size that stand beside each other in axes or a figure."""
    width = 72 * place.bbox.width / place.figure.dpi
    return max(1, int((width / size - HANDLE_WIDTH) / LETTER_WIDTH))


def _wrap(labels: list[str], n_letters: int) -> list[str]:
    """Break the names of labels that are too wide; a score stays in one line."""
    texts = []
    for label in labels:
        name, colon, score = label.rpartition(": ")
        text = f"{name}{colon}{score.replace(' ', NO_BREAK_SPACE)}"
        texts.append(textwrap.fill(text, n_letters).replace(NO_BREAK_SPACE, " "))
    return texts


def _n_lines(texts: list[str]) -> int:
    return sum(1 + text.count("\n") for text in texts)


def _is_chance_level(row: tuple[Artist, str]) -> bool:
    return hasattr(row[0], IS_CHANCE_LEVEL)


def _has_room_below(ax: Axes) -> bool:
    """Check whether the layout makes room for a legend, and set such a layout if there is none."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    figure = ax.figure
    is_part = not hasattr(figure, "set_layout_engine")  # of a larger figure
    if is_part or figure.axes != [ax] or ax.get_subplotspec() is None:
        return False
    if figure.get_layout_engine() is None:
        figure.set_layout_engine("constrained")
    return isinstance(figure.get_layout_engine(), ConstrainedLayoutEngine)
