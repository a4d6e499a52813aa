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
from typing import Any

from sklearn_ap._base.drawing.axes import svg_image
from sklearn_ap._base.extras import install_command, printable, printable_lines
from sklearn_ap._base.text import LINE_WIDTH, Table, escape_html, escape_lines, table_as_text

INCHES = 5.6  # the width of a picture
LONG = 40  # letters, from which a cell is a sentence that may be broken
NONE, AT_MOST = "\N{EN DASH}", "\N{LESS-THAN OR EQUAL TO}"
STARTS = *"0123456789+-<[", NONE, AT_MOST  # of cells with numbers
STYLE = {"font.size": 9, "axes.titlesize": 9}
WARNINGS = "Warnings"
UNSAID = {"Date": None, "Creator": None}  # so that equal data give equal bytes
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
    """What a page draws the first time that it is made; a text draws nothing.

    ``draw`` holds what was computed, and no column of the user, which may change before that.
    """

    draw: Callable[[Any], Any]
    height: float
    alt: str
    n_axes: int = 1

    @cached_property
    def image(self) -> tuple[str, tuple[str, ...]]:
        """The picture in HTML, on a figure of its own, and the warnings of who drew it."""
        from matplotlib import style
        from matplotlib.figure import Figure

        with warned_texts() as said, style.context(["default", STYLE], after_reset=True):
            figure = Figure(figsize=(INCHES, self.height), layout="constrained")
            self.draw(figure.subplots(1, self.n_axes))
            image = svg_image(figure, self.alt, transparent=True, metadata=UNSAID)
        return image, tuple(said)


@dataclass(frozen=True, slots=True)
class Part:
    """What matters in a sentence, then numbers below their head, a picture, and the call."""

    sentence: str
    cells: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    picture: Picture | None = field(default=None, compare=False)
    call: str = ""
    to_copy: str = ""
    title: str = ""
    warnings: Sequence[str] = ()


@contextmanager
def warned_texts() -> Iterator[list[str]]:
    """A list that gets the texts of the warnings for users, each once, when the block ends."""
    texts: list[str] = []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield texts
    ours = (each.message for each in caught if issubclass(each.category, UserWarning))
    texts += dict.fromkeys(map(str, ours))


def left_out(error: ValueError) -> Part:
    """What stands in the place of a part that refuses these data."""
    return Part(f"Left out: {re.split(r'(?<=[.]) ', str(error))[0]}")


def with_warnings(parts: Sequence[Part]) -> tuple[Part, ...]:
    """The parts, and a last one that says which warnings were given in which of them."""
    titles: dict[str, list[str]] = {}
    for part in parts:
        for text in part.warnings:
            titles.setdefault(text, []).append(part.title)
    cells = [["warning", "in"], *([text, ", ".join(each)] for text, each in titles.items())]
    last = Part("There is no warning.", title=WARNINGS)
    if n := len(titles):
        sentence = f"There {'is 1 warning' if n == 1 else f'are {n} warnings'}."
        last = Part(sentence, cells, title=WARNINGS)
    return (*parts, last)


def _with_pictures(parts: tuple[Part, ...]) -> tuple[Part, ...]:
    """The same with pictures drawn, and with the warnings of who drew them."""
    return parts if lacking_pictures() else with_warnings([*map(_drawn, parts[:-1])])


def _drawn(part: Part) -> Part:
    """A part with its picture; one that cannot be drawn takes its part with it."""
    if part.picture is None:
        return part
    try:
        _, said = part.picture.image
    except ValueError as error:
        return replace(left_out(error), title=part.title, warnings=part.warnings)
    return replace(part, warnings=[*dict.fromkeys([*part.warnings, *said])])


def lacking_pictures() -> str:
    """What to install for pictures; empty if it is there."""
    if find_spec("matplotlib"):
        return ""
    return f"There are no pictures without Matplotlib: {install_command('plot')}"


def as_file(title: str, call: str, parts: tuple[Part, ...]) -> str:
    """A whole page, for which nothing is asked from elsewhere."""
    style = Path(__file__).with_name("page.css").read_text(encoding="utf-8")
    lines = [
        HEAD.format(title=escape_html(title), style=style),
        f"<pre>{escape_lines(call)}</pre>",
        *(f"<p>{escape_html(text)}</p>" for text in [lacking_pictures()] if text),
        *(_section(i, part) for i, part in enumerate(_with_pictures(parts), 1)),
        "</main></body>\n</html>\n",
    ]
    return "\n".join(lines)


def _section(number: int, part: Part) -> str:
    lines = [
        f"<section>\n<h2>{number}. {escape(part.title)}</h2>",
        f'<p class="first">{escape_html(part.sentence)}</p>',
    ]
    if part.picture is not None and not lacking_pictures():
        lines.append(part.picture.image[0])
    lines += [_table(part.cells)] if part.cells else []
    lines += [f"<p>{escape_html(note)}</p>" for note in part.notes]
    boxes = {"copy": part.to_copy, "call": part.call}
    lines += [
        f'<pre class="{kind}">{escape_lines(text)}</pre>' for kind, text in boxes.items() if text
    ]
    return "\n".join([*lines, "</section>"])


def _table(cells: Sequence[Sequence[str]]) -> str:
    kinds = [_kind(column) for column in zip(*cells[1:], strict=True)]
    rows = []
    for row, tag in zip(cells, ["th", *["td"] * len(cells)], strict=False):
        pairs = zip(row, kinds, strict=True)
        of_row = (f'<{tag} class="{kind}">{escape_html(text)}</{tag}>' for text, kind in pairs)
        rows.append(f"<tr>{''.join(of_row)}</tr>\n")
    return f'<div class="scrolls"><table>\n{"".join(rows)}</table></div>'


def _kind(column: Sequence[str]) -> str:
    if any(len(text) > LONG for text in column):
        return "words"
    return "numbers" if any(text.startswith(STARTS) for text in column) else "names"


def as_lines(title: str, call: str, parts: Iterable[Part]) -> str:
    """The text for a terminal."""
    sections = (_lines(i, part) for i, part in enumerate(parts, 1))
    return "\n\n".join([f"{printable(title)}\n>>> {call}", *sections])


def _lines(number: int, part: Part) -> str:
    first, *notes = (
        textwrap.fill(printable(each), LINE_WIDTH) for each in (part.sentence, *part.notes)
    )
    copied = printable_lines(part.to_copy).split("\n")
    call = part.call and f">>> {part.call}"
    lines = f"{number}. {part.title}", first, _text_of_table(part.cells), *notes, *copied, call
    return "\n".join(filter(None, lines))


def _text_of_table(cells: Sequence[Sequence[str]]) -> str:
    """Aligned columns, or a paragraph for each row if a cell is a sentence."""
    if cells and not any(len(cell) > LONG for row in cells for cell in row):
        return table_as_text(Table([[*row] for row in cells], []))
    texts = (printable("  ".join(filter(None, row))) for row in cells[1:])
    return "\n".join(
        textwrap.fill(text, LINE_WIDTH, initial_indent="- ", subsequent_indent="  ")
        for text in texts
    )
