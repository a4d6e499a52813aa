"""The pictures of a report."""

import textwrap
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from math import ceil, log10

from sklearn_ap._base.common.types import Axes
from sklearn_ap._base.drawing.axes import svg_image
from sklearn_ap._base.drawing.heights import fit_height
from sklearn_ap._base.drawing.legend import shorten_name, size_in_points, text_width
from sklearn_ap._base.extras import install_command
from sklearn_ap._program.report.page.words import set_minus_signs

TITLE_WIDTH = 40  # letters in a line below a picture
PICTURE_INCHES = 3.8  # its width
ROW_INCHES = 0.3  # the height of a row of it
POINTS_PER_INCH = 72  # of SVG
PANEL_GAP = 0.06  # between the panels of a picture, as a share of a panel
STYLE = {
    "font.size": 9.5,
    "axes.titlesize": 9.5,
    "legend.fontsize": 9.7,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
TEXT_GREY = "0.35"  # of the names of lines
MOST_TICKS = 5  # of an axis of numbers, which has no tick at both of its ends
RANDOM_ORDER = "dotted: random order"  # what captions say of a line
ROUND_ENDS = 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 5.0, 10.0
WHOLE_AXIS = 1.05
HIGHEST_CAP = 0.5  # an axis of precision ends here at most, or else at 1
LEAST_START = 0.3  # where one that does not begin at 0 may begin: a choice
LEAST_BELOW = 0.05  # what is drawn, so that a text has room there
MOST_PICTURE_ROWS = 40  # more names are drawn closer together
UNDATED = {"Date": None, "Creator": None}  # so that equal data give equal bytes


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawing that is made when a page is written for the first time, and never for a text.

    ``draw`` holds computed numbers, and no array of the user, which may change in the meantime.
    The figure is higher than ``height`` where its rows and the texts around them need more. The
    page writes the finding and the subject above it.
    """

    draw: Callable[..., object]  # of axes
    height: float  # inches, at least
    alt: str
    n_axes: int = 1
    finding: str = ""  # what it shows, such as "new falls to 0.05 in 2026-09"
    subject: str = ""  # what is drawn, such as "Average precision by month, 95% intervals."

    @cached_property
    def image(self) -> tuple[str, tuple[str, ...]]:
        """The picture in HTML, on a figure of its own, and the warnings while it was drawn."""
        from matplotlib import style
        from matplotlib.backends.backend_svg import FigureCanvasSVG
        from matplotlib.figure import Figure
        from matplotlib.text import Text

        with warned_texts() as texts, style.context(["default", STYLE], after_reset=True):
            figure = Figure(figsize=(PICTURE_INCHES, self.height), dpi=POINTS_PER_INCH)
            FigureCanvasSVG(figure)  # in which texts are as wide as on the page
            # As wide as a phone, so panels stand below each other.
            figure.set_layout_engine("constrained", hspace=PANEL_GAP)
            self.draw(figure.subplots(self.n_axes, 1))
            # A legend stands below the lines that are there.
            labels = [axis.xaxis.label for axis in figure.axes if axis.get_legend() is None]
            for each in figure.findobj(Text):
                text = each.get_text()
                each.set_text(set_minus_signs(_fill_lines(text) if each in labels else text))
            fit_height(figure, ROW_INCHES)
            figure.set_layout_engine("none")  # all has its place, which takes time to find
            image = svg_image(figure, self.alt, transparent=True, metadata=UNDATED)
        return image, tuple(texts)


def label_size() -> float:
    """Return the size of letters of labels beside what they name."""
    return 0.9 * size_in_points("legend.fontsize")


def _fill_lines(text: str) -> str:
    """Break the lines of a text that are too long for a picture, into lines of similar length."""
    return "\n".join(_balanced_lines(line, TITLE_WIDTH) for line in text.splitlines())


def _balanced_lines(line: str, width: int) -> str:
    """Break a line into as few lines as its width allows, and these as short as they can be."""
    n_lines = len(textwrap.wrap(line, width))
    widths = range(max(1, len(line) // max(1, n_lines)), width)
    narrow = (each for each in widths if len(textwrap.wrap(line, each)) <= n_lines)
    return textwrap.fill(line, next(narrow, width))


def title_of_model(name: str, rest: str = "", n_lines: int = 2) -> str:
    """Write a title that begins with a name, which is shortened if the lines are too many."""
    size = STYLE["axes.titlesize"]
    title = name + rest
    room = text_width(title, size)
    while _fill_lines(title).count("\n") >= n_lines and room > size:
        room *= 0.95
        title = shorten_name(name, room, size, rest)
    return title


def caption(*clauses: str) -> str:
    """Write what is drawn as one sentence, without the clauses that are empty."""
    return f"{'; '.join(filter(None, clauses))}."


def limit_ticks(axis: Axes, which: str = "x") -> None:
    """Let an axis of numbers have few ticks."""
    axis.locator_params(axis=which, nbins=MOST_TICKS)


def round_up(value: float) -> float:
    """Return the next number of one digit, or of two such as 0.15 and 0.25."""
    if value <= 0:
        return WHOLE_AXIS
    scale = 10.0 ** (ceil(log10(value)) - 1)
    return next(each * scale for each in ROUND_ENDS if each * scale >= value * (1 - 1e-12))


def picture_height(n_names: int) -> float:
    """Return the least inches of a picture with a row for each name."""
    return 1.2 + ROW_INCHES * min(n_names, MOST_PICTURE_ROWS)


@contextmanager
def warned_texts() -> Iterator[list[str]]:
    """Collect the texts of warnings for users, each once, in a list that is filled at the end."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield texts
    user_warnings = (w.message for w in caught if issubclass(w.category, UserWarning))
    texts += dict.fromkeys(map(str, user_warnings))


def lacking_pictures() -> str:
    """Explain how to install Matplotlib for pictures; empty if it is installed."""
    if find_spec("matplotlib"):
        return ""
    return f"There are no pictures without Matplotlib: {install_command('plot')}"
