"""The height of a figure, which follows from the rows of names and the texts in it."""

import warnings

from sklearn_ap._types import Argument, Axes, Figure

NAME_HEIGHT = 0.24  # inches of a row with a name of one line
LINE_HEIGHT = 0.15  # inches of each further line of it
LEAST_HEIGHT = 1.2  # inches of axes without rows of names
TOLERANCE = 0.01  # inches
MOST_TRIES = 6  # a figure that is much too low has no layout, so that heights are guessed


def is_own_figure(ax: Argument) -> bool:
    """Check whether axes are made in a new figure, or in the user's, whose size may change."""
    return ax is None or hasattr(ax, "set_size_inches")


def fit_height(figure: Figure) -> None:
    """Heighten a figure, if its panels, which stand below each other, lack room for their rows."""
    if figure.get_layout_engine() is None:
        return
    needed = max(_needed_height(axis) for axis in figure.axes)
    width, least = figure.get_size_inches()
    height = least
    for _ in range(MOST_TRIES):
        has_layout = _has_layout(figure)
        missing = needed - _panel_height(figure) if has_layout else LEAST_HEIGHT
        new_height = max(least, height + missing * len(figure.axes))
        if abs(new_height - height) < TOLERANCE:
            return
        figure.set_size_inches(width, new_height)
        if has_layout and len(figure.axes) == 1:
            _keep_margins(figure.axes[0], height, new_height)
            return
        height = new_height
    if not _has_layout(figure):  # it is too narrow, which no height mends
        figure.set_size_inches(width, least)


def _keep_margins(axis: Axes, height: float, new_height: float) -> None:
    """Place axes as a layout of the higher figure does, which takes longer."""
    left, bottom, right, top = axis.get_position().extents
    ratio = height / new_height
    new_bottom = bottom * ratio
    new_top = 1 - (1 - top) * ratio
    axis.set_position((left, new_bottom, right - left, new_top - new_bottom))
    axis.set_in_layout(True)  # which placing them by hand ends


def _has_layout(figure: Figure) -> bool:
    """Place the axes of a figure; return False if there is no room for them."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        figure.get_layout_engine().execute(figure)
    return not any("collapsed" in str(each.message) for each in caught)


def _panel_height(figure: Figure) -> float:
    """Return the inches of the lowest panel."""
    height = figure.get_size_inches()[1]
    return float(min(height * axis.get_position().height for axis in figure.axes))


def _needed_height(axis: Axes) -> float:
    """Return the inches that the rows of axes need, which have names as labels of fixed ticks.

    A row is 1 high, and there may be more room above the first one and below the last.
    """
    from matplotlib.ticker import FixedLocator

    if not isinstance(axis.yaxis.get_major_locator(), FixedLocator):
        return LEAST_HEIGHT
    names = [label.get_text() for label in axis.get_yticklabels()]
    n_lines = 1 + max((name.count("\n") for name in names), default=0)
    bottom, top = axis.get_ylim()
    n_rows = max(len(names), abs(bottom - top))
    return float(n_rows * (NAME_HEIGHT + (n_lines - 1) * LINE_HEIGHT))
