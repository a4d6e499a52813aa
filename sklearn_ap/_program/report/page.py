"""A report as one HTML file with its pictures inside, and as text."""

import re
import textwrap
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from html import escape
from importlib.util import find_spec
from pathlib import Path

from sklearn_ap._base.common.types import Axes
from sklearn_ap._base.drawing.axes import svg_image
from sklearn_ap._base.extras import install_command, printable, printable_lines
from sklearn_ap._base.text import LINE_WIDTH, Table, escape_html, escape_lines, table_as_text

PICTURE_INCHES = 5.6  # its width
LONGEST_WORDS = 40  # letters; a longer cell is a sentence that may be broken
DASH = "\N{EN DASH}"  # where there is no number
LESS_OR_EQUAL = "\N{LESS-THAN OR EQUAL TO}"
NUMBER_STARTS = *"0123456789+-<[", DASH, LESS_OR_EQUAL  # first letters of cells with numbers
STYLE = {"font.size": 9, "axes.titlesize": 9}
MOST_PICTURE_ROWS = 40  # more names are drawn closer together
WARNINGS = "Warnings"
UNDATED = {"Date": None, "Creator": None}  # so that equal data give equal bytes
HEAD = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style></head>
<body><main>
<h1>{title}</h1>"""


@dataclass(frozen=True, eq=False)
class Picture:
    """A drawing that is made when a page is written for the first time, and never for a text.

    ``draw`` holds computed numbers, and no array of the user, which may change in the meantime.
    """

    draw: Callable[[Axes], object]
    height: float
    alt: str
    n_axes: int = 1

    @cached_property
    def image(self) -> tuple[str, tuple[str, ...]]:
        """The picture in HTML, on a figure of its own, and the warnings while it was drawn."""
        from matplotlib import style
        from matplotlib.figure import Figure

        with warned_texts() as texts, style.context(["default", STYLE], after_reset=True):
            figure = Figure(figsize=(PICTURE_INCHES, self.height), layout="constrained")
            self.draw(figure.subplots(1, self.n_axes))
            image = svg_image(figure, self.alt, transparent=True, metadata=UNDATED)
        return image, tuple(texts)


@dataclass(frozen=True, slots=True)
class Part:
    """The main sentence, cells with a head, a picture, and the call that makes the numbers."""

    sentence: str
    cells: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    picture: Picture | None = field(default=None, compare=False)
    call: str = ""
    copied_text: str = ""
    title: str = ""
    warnings: Sequence[str] = ()


@contextmanager
def warned_texts() -> Iterator[list[str]]:
    """Collect the texts of warnings for users, each once, in a list that is filled at the end."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield texts
    user_warnings = (w.message for w in caught if issubclass(w.category, UserWarning))
    texts += dict.fromkeys(map(str, user_warnings))


def picture_height(n_names: int) -> float:
    """Return the inches of a picture with a row for each name."""
    return 1.2 + 0.26 * min(n_names, MOST_PICTURE_ROWS)


def remarks(table: Table) -> list[str]:
    """Return the remarks of a result as one sentence, if there are any."""
    text = "; ".join(table.remarks)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def omitted_part(error: ValueError) -> Part:
    """Make the replacement of a part that refuses these data."""
    return Part(f"Left out: {re.split(r'(?<=[.]) ', str(error))[0]}")


def add_warnings(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Add a last part that lists the warnings of the others."""
    titles: dict[str, list[str]] = {}
    for part in parts:
        for text in part.warnings:
            titles.setdefault(text, []).append(part.title)
    cells = [["warning", "in"], *([text, ", ".join(names)] for text, names in titles.items())]
    warnings_part = Part("There is no warning.", title=WARNINGS)
    if n := len(titles):
        sentence = f"There {'is 1 warning' if n == 1 else f'are {n} warnings'}."
        warnings_part = Part(sentence, cells, title=WARNINGS)
    return (*parts, warnings_part)


def _draw_pictures(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """Draw the pictures of all parts, and add the warnings while drawing to the last part."""
    return parts if lacking_pictures() else add_warnings([*map(_draw_picture, parts[:-1])])


def _draw_picture(part: Part) -> Part:
    """Draw the picture of a part. If it cannot be drawn, the part is left out."""
    if part.picture is None:
        return part
    try:
        _, texts = part.picture.image
    except ValueError as error:
        return replace(omitted_part(error), title=part.title, warnings=part.warnings)
    return replace(part, warnings=[*dict.fromkeys([*part.warnings, *texts])])


def lacking_pictures() -> str:
    """Explain how to install Matplotlib for pictures; empty if it is installed."""
    if find_spec("matplotlib"):
        return ""
    return f"There are no pictures without Matplotlib: {install_command('plot')}"


def as_file(title: str, call: str, parts: tuple[Part, ...]) -> str:
    """Write a whole page, which loads nothing from elsewhere."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    lines = [
        HEAD.format(title=escape_html(title), style=style),
        f"<pre>{escape_lines(call)}</pre>",
        *(f"<p>{escape_html(text)}</p>" for text in [lacking_pictures()] if text),
        *(_section_html(i, part) for i, part in enumerate(_draw_pictures(parts), 1)),
        "</main></body>\n</html>\n",
    ]
    return "\n".join(lines)


def _section_html(number: int, part: Part) -> str:
    lines = [
        f"<section>\n<h2>{number}. {escape(part.title)}</h2>",
        f'<p class="first">{escape_html(part.sentence)}</p>',
    ]
    if part.picture is not None and not lacking_pictures():
        lines.append(part.picture.image[0])
    lines += [_table_html(part.cells)] if part.cells else []
    lines += [f"<p>{escape_html(note)}</p>" for note in part.notes]
    boxes = {"copy": part.copied_text, "call": part.call}
    lines += [
        f'<pre class="{kind}">{escape_lines(text)}</pre>' for kind, text in boxes.items() if text
    ]
    return "\n".join([*lines, "</section>"])


def _table_html(cells: Sequence[Sequence[str]]) -> str:
    kinds = [_column_kind(column) for column in zip(*cells[1:], strict=True)]
    rows = []
    for row, tag in zip(cells, ["th", *["td"] * len(cells)], strict=False):
        pairs = zip(row, kinds, strict=True)
        html_cells = (f'<{tag} class="{kind}">{escape_html(text)}</{tag}>' for text, kind in pairs)
        rows.append(f"<tr>{''.join(html_cells)}</tr>\n")
    return f'<div class="scrolls"><table>\n{"".join(rows)}</table></div>'


def _column_kind(column: Sequence[str]) -> str:
    """Return the class of a column in the style of the page."""
    if any(len(text) > LONGEST_WORDS for text in column):
        return "words"
    return "numbers" if any(text.startswith(NUMBER_STARTS) for text in column) else "names"


def as_lines(title: str, call: str, parts: Iterable[Part]) -> str:
    """Write the text for a terminal."""
    sections = (_section_text(i, part) for i, part in enumerate(parts, 1))
    return "\n\n".join([f"{printable(title)}\n>>> {call}", *sections])


def _section_text(number: int, part: Part) -> str:
    lines = [
        f"{number}. {part.title}",
        _fill(part.sentence),
        _table_text(part.cells),
        *map(_fill, part.notes),
        *printable_lines(part.copied_text).split("\n"),
        part.call and f">>> {part.call}",
    ]
    return "\n".join(filter(None, lines))


def _fill(text: str) -> str:
    return textwrap.fill(printable(text), LINE_WIDTH)


def _table_text(cells: Sequence[Sequence[str]]) -> str:
    """Align the columns, or write a paragraph for each row if a cell is a sentence."""
    if cells and not any(len(cell) > LONGEST_WORDS for row in cells for cell in row):
        return table_as_text(Table([[*row] for row in cells], []))
    texts = (printable("  ".join(filter(None, row))) for row in cells[1:])
    return "\n".join(
        textwrap.fill(text, LINE_WIDTH, initial_indent="- ", subsequent_indent="  ")
        for text in texts
    )
