"""The page of a report, as text and as one HTML file."""

from __future__ import annotations

import textwrap
import warnings
from base64 import b64encode
from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from string import Template

import numpy as np

from sklearn_ap._base.extras import install_command
from sklearn_ap._report._advice import Advice
from sklearn_ap._report._parts import Part, Table
from sklearn_ap._report._words import advice_sentences
from sklearn_ap._version import __version__

WIDTH = 88  # of text
MOST_COLUMNS_BESIDE = 4  # of a table that stands beside a picture
MEANING = (
    "Average precision: go down the ranking, stop at each positive, and average the precision so "
    "far. A perfect ranking scores 1. Recall is the share of all positives that are found."
)
BEFORE_CALLS = (
    "y_true, y_scores and the other arguments are those that you passed. The functions are those "
    "of sklearn_ap and of scipy.stats, and np is NumPy."
)


def lacking_pictures() -> str:
    """Say how to install Matplotlib; empty if it is installed."""
    if find_spec("matplotlib"):
        return ""
    return f"There are no pictures without Matplotlib: {install_command('plot')}"


def as_text(
    title: str, advice: Sequence[Advice], parts: Sequence[Part], call: str, source: str
) -> str:
    """Write the page as text."""
    lines = [title, ""]
    for line in advice:
        sentences = " ".join(advice_sentences(line))
        lines += [textwrap.fill(f"{line.question}: {sentences}", WIDTH, subsequent_indent="  ")]
    for place, part in enumerate(parts, 1):
        lines += ["", f"{place}. {part.title}"]
        lines += [textwrap.fill(sentence, WIDTH) for sentence in part.sentences]
        lines += [*table_lines(part.table), *([part.text] if part.text else [])]
    lines += ["", "Calls", textwrap.fill(BEFORE_CALLS, WIDTH), call, all_calls(parts)]
    return "\n".join([*lines, "", source_and_version(source)])


def source_and_version(source: str) -> str:
    """Say what the predictions are, and what made the page."""
    return ", ".join(filter(None, [source, f"sklearn_ap {__version__}"]))


def name_columns(table: Table) -> set[str]:
    """Return the heads of columns of names, which stand on the left."""
    return {table[0][0], "model"}


def table_lines(table: Table) -> list[str]:
    """Write a table with its columns below each other: names to the left, numbers to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            cell.ljust(width) if head in name_columns(table) else cell.rjust(width)
            for head, cell, width in zip(table[0], row, widths, strict=True)
        ).rstrip()
        for row in table
    ]


def all_calls(parts: Sequence[Part]) -> str:
    """Write the calls of all parts, each once in its part."""
    return "\n".join(
        "\n".join([f"# {part.title}", *dict.fromkeys(part.calls)]) for part in parts if part.calls
    )


def as_html(
    title: str, advice: Sequence[Advice], parts: Sequence[Part], call: str, source: str
) -> str:
    """Write the page as one file, which loads nothing from elsewhere."""
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    if no_pictures := lacking_pictures():
        warnings.warn(no_pictures, stacklevel=3)
    heading, *rest = advice_sentences(advice[0])
    answers = [rest, *map(advice_sentences, advice[1:])]
    return template.substitute(
        title=escape(title),
        heading=escape(heading),
        advice="\n".join(
            f"<dt>{escape(line.question)}</dt><dd>{escape(' '.join(sentences))}</dd>"
            for line, sentences in zip(advice, answers, strict=True)
            if sentences
        ),
        meaning=MEANING,
        source=escape(source_and_version(source)),
        parts="\n".join(part_html(place, part) for place, part in enumerate(parts, 1)),
        before_calls=BEFORE_CALLS,
        calls=escape(f"{call}\n{all_calls(parts)}"),
        no_pictures=escape(no_pictures),
    )


def part_html(place: int, part: Part) -> str:
    """Write a part: its words and a picture beside them, its table below."""
    first, *others = part.sentences
    words = f"<h2>{escape(first)}</h2>" + "".join(f"<p>{escape(text)}</p>" for text in others)
    text = f"<pre>{escape(part.text)}</pre>" if part.text else ""
    table, below = table_html(part.table), ""
    if part.table and len(part.table[0]) > MOST_COLUMNS_BESIDE:
        table, below = "", table
    return (
        f'<section><p class="topic">{place}. {escape(part.title)}</p><div class="sheet">'
        f"<div>{words}{table}</div>{figure_html(part)}</div>{below}{text}</section>"
    )


def table_html(table: Table) -> str:
    """Write a table, which scrolls if it is wide."""
    if not table:
        return ""
    head, *rows = table
    kinds = ["name" if cell in name_columns(table) else "number" for cell in head]
    lines = [f"<tr>{cells_html('th', kinds, head)}</tr></thead><tbody>"]
    lines += [f"<tr>{cells_html('td', kinds, row)}</tr>" for row in rows]
    return f'<div class="scrolls"><table><thead>{"".join(lines)}</tbody></table></div>'


def cells_html(tag: str, kinds: Sequence[str], cells: Sequence[str]) -> str:
    """Write the cells of a row."""
    return "".join(
        f'<{tag} class="{kind}">{escape(cell)}</{tag}>'
        for kind, cell in zip(kinds, cells, strict=True)
    )


def figure_html(part: Part) -> str:
    """Draw the picture of a part as SVG, with words that say what it shows."""
    if part.draw is None or lacking_pictures():
        return ""
    import matplotlib.pyplot as plt

    file = BytesIO()
    with plt.rc_context({"figure.figsize": (5.2, 3.6), "font.size": 9, "svg.hashsalt": "report"}):
        figure = np.ravel(part.draw())[0].figure
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        plt.close(figure)
    data = b64encode(file.getvalue()).decode()
    return f'<figure><img alt="{escape(part.alt)}" src="data:image/svg+xml;base64,{data}"></figure>'
