"""The legend of axes that several displays share, inside the axes or below them."""

import textwrap

from sklearn_ap._types import Artist, Axes, Figure, Keywords

MOST_LINES_INSIDE = 5  # lines of a legend inside the axes; a longer one would hide the curves
MOST_BELOW = 0.55  # of the height of a figure, for a legend below the axes
SMALL = 0.7  # of the size of letters, for a long legend
# What a legend of Matplotlib takes, in sizes of its letters
LETTER_WIDTH, HANDLE_WIDTH, LINE_HEIGHT, GAP = 0.53, 4.5, 1.2, 0.5
NO_BREAK_SPACE = "\N{NO-BREAK SPACE}"
# Attributes of our artists, by which the next display on the same axes finds them.
IS_CHANCE_LEVEL = "_is_sklearn_ap_chance_level"
IS_LEGEND = "_is_sklearn_ap_legend"


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
