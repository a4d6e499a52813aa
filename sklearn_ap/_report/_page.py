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
from typing import NamedTuple

import numpy as np

from sklearn_ap._extras import install_command, printable
from sklearn_ap._report._advice import Advice
from sklearn_ap._report._parts import PICTURE_WIDTH, Cells, Part
from sklearn_ap._report.words import advice_sentences
from sklearn_ap._results.text import MARKDOWN, Table
from sklearn_ap._types import Figure
from sklearn_ap._version import __version__

WIDTH = 88  # of text
MOST_LETTERS = 10_000  # of a line of a table, whose names are not cut
MOST_COLUMNS_BESIDE = 4  # of a table that stands beside a picture
BEFORE_CALLS = "The names are those of the arguments that were passed, or the columns of the file."


class Page(NamedTuple):
    """What a page shows; positives are called by their label, if it is not empty."""

    title: str
    advice: Sequence[Advice]
    parts: Sequence[Part]
    code: str
    source: str
    label: str


def as_text(page: Page) -> str:
    """Write the page as text."""
    lines = [page.title, ""]
    for line in page.advice:
        text = f"{line.question}: {' '.join(advice_sentences(line, page.label))}"
        lines.append(textwrap.fill(text, WIDTH, subsequent_indent="  "))
    for place, part in enumerate(page.parts, 1):
        lines += ["", f"{place}. {part.title}"]
        lines += [textwrap.fill(sentence, WIDTH) for sentence in part.sentences(page.label)]
        lines += table_of(part.table).as_text(MOST_LETTERS) if part.table else []
        lines += [part.text] if part.text else []
    lines += ["", "Calls", textwrap.fill(BEFORE_CALLS, WIDTH), page.code, ""]
    return "\n".join([*lines, source_and_version(page.source)])


def as_markdown(page: Page) -> str:
    """Write the first lines and all parts as Markdown."""
    lines = [f"# {page.title.translate(MARKDOWN)}", ""]
    for line in page.advice:
        sentences = " ".join(advice_sentences(line, page.label))
        lines.append(f"- **{line.question.translate(MARKDOWN)}**: {sentences.translate(MARKDOWN)}")
    for part in page.parts:
        lines += ["", f"## {part.title.translate(MARKDOWN)}", ""]
        lines += [f"{sentence.translate(MARKDOWN)}\n" for sentence in part.sentences(page.label)]
        lines += [table_of(part.table).as_markdown(), ""] if part.table else []
        lines += [part.text.translate(MARKDOWN)] if part.text else []
    lines += ["", "## Calls", "", "```python", page.code, "```", ""]
    return "\n".join([*lines, source_and_version(page.source).translate(MARKDOWN)])


def table_of(cells: Cells) -> Table:
    """Make a table whose first column has names."""
    head, *body = cells
    return Table(head, body, ["<", *">" * (len(head) - 1)], 1)


def all_calls(parts: Sequence[Part]) -> str:
    """Write the calls of all parts."""
    return "\n".join("\n".join([f"# {part.title}", *part.calls]) for part in parts if part.calls)


def source_and_version(source: str) -> str:
    """Say what the predictions are, and what made the page."""
    return ", ".join(filter(None, [source, f"sklearn_ap {__version__}"]))


def as_html(page: Page) -> str:
    """Write the page as one file, which loads nothing from elsewhere."""
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    no_pictures = ""
    if not find_spec("matplotlib"):
        no_pictures = f"There are no pictures without Matplotlib: {install_command('plot')}"
        warnings.warn(no_pictures, stacklevel=3)
    heading, *rest = advice_sentences(page.advice[0], page.label)
    others = [advice_sentences(line, page.label) for line in page.advice[1:]]
    return template.substitute(
        title=escape(page.title),
        heading=escape(heading),
        advice="\n".join(
            f"<dt>{escape(line.question)}</dt><dd>{escape(' '.join(sentences))}</dd>"
            for line, sentences in zip(page.advice, [rest, *others], strict=True)
            if sentences
        ),
        source=escape(source_and_version(page.source)),
        no_pictures=escape(no_pictures),
        parts="\n".join(
            part_html(f"{place}. {part.title}", part, page.label, has_picture=not no_pictures)
            for place, part in enumerate(page.parts, 1)
        ),
        before_calls=BEFORE_CALLS,
        calls=escape(page.code),
    )


def part_html(topic: str, part: Part, label: str, *, has_picture: bool) -> str:
    """Write a part: its words and a picture beside them, and a wide table below."""
    sentences = part.sentences(label)
    tags = ["h2", *["p"] * len(sentences)]
    words = "".join(
        f"<{tag}>{escape(sentence)}</{tag}>" for tag, sentence in zip(tags, sentences, strict=False)
    )
    picture = figure_html(part) if part.draw is not None and has_picture else ""
    text = f'<p class="note">{escape(part.text)}</p>' if part.text else ""
    beside, below = table_html(part.table), ""
    if part.table and len(part.table[0]) > MOST_COLUMNS_BESIDE:
        beside, below = "", beside
    return (
        f'<section><p class="topic">{escape(topic)}</p><div class="sheet"><div>{words}{beside}'
        f"</div>{picture}</div>{below}{text}</section>"
    )


def table_html(table: Cells) -> str:
    """Write a table, which scrolls if it is wide."""
    if not table:
        return ""
    head, *rows = table
    heads = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    lines = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    table_ = f"<table><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>"
    return f'<div class="scrolls">{table_}</div>'


def figure_html(part: Part) -> str:
    """Draw the picture of a part as SVG, with words that say what it shows."""
    import matplotlib.pyplot as plt

    style = plt.rc_context({"figure.figsize": (PICTURE_WIDTH, 2.9), "font.size": 9})
    with style, warnings.catch_warnings(category=UserWarning, action="ignore"):
        assert part.draw is not None
        figure = np.ravel(part.draw())[0].figure
        image = svg_image(figure, part.alt, transparent=True, metadata={"Date": None})
        plt.close(figure)
    return f"<figure>{image}</figure>"


def svg_image(figure: Figure, alt: str, **options: object) -> str:
    """Embed a figure in an image, which other figures on the page cannot change."""
    from matplotlib import rc_context

    file = BytesIO()
    with rc_context({"svg.hashsalt": "sklearn_ap"}):  # the same picture has the same text
        figure.savefig(file, format="svg", **options)
    data = b64encode(file.getvalue()).decode()
    return f'<img alt="{escape(printable(alt))}" src="data:image/svg+xml;base64,{data}">'
