"""The page of answers: a result that is text, Markdown and one HTML file."""

from __future__ import annotations

import os
import textwrap
import warnings
from base64 import b64encode
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from html import escape
from io import BytesIO
from os import PathLike
from pathlib import Path
from string import Template
from threading import Lock
from typing import cast

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._extras import import_extra
from sklearn_ap._files.writing import write_whole
from sklearn_ap._report._advice import Advice
from sklearn_ap._report._fact import Fact
from sklearn_ap._report._parts import PICTURE_WIDTH, Part, Picture
from sklearn_ap._types import Figure, Json
from sklearn_ap._version import __version__
from sklearn_ap._writing.text import TEXT_WIDTH, printable

# Endings of formats that a page does not have, and what to do for each
SAVE_AS_HTML = "name a file that ends in .html"
OTHER_FORMATS = {
    ".csv": SAVE_AS_HTML,
    ".docx": SAVE_AS_HTML,
    ".json": "for JSON, write json.dumps(report.to_dict())",
    ".md": "for text, write str(report)",
    ".pdf": "for PDF, save it as .html, and print that from a browser",
    ".png": SAVE_AS_HTML,
    ".svg": SAVE_AS_HTML,
    ".txt": "for text, write str(report)",
    ".xlsx": SAVE_AS_HTML,
}
MOST_LETTERS = 10_000  # of a line of a table, whose names are not cut
MOST_COLUMNS_BESIDE = 4  # of a table that stands beside a picture
# Of two threads that change the style, the last one would leave that of the first.
_DRAWING = Lock()


@dataclass(repr=False, eq=False)
class Report:
    """The answers of ``report``: facts, advice, and a page.

    ``print`` gives the text. In a notebook, and as a file that ``save`` writes, it is a page with
    pictures, which are drawn when the page is made.

    Parameters
    ----------
    title : str
        What the page is about.
    code : str
        The call, or the command, that makes the report, and calls that give all its numbers.
    advice : tuple of Advice
        The first lines: a ``question``, a ``kind``, the ``model`` to use, the ``facts`` that say
        why, and where ``but_not`` to use it.
    parts : sequence of Part
        What stands below the first lines: sentences, tables and pictures.
    source : str, default=""
        What the predictions are.
    warnings : sequence of dict, default=()
        The ``name``, the ``text`` and the ``models`` of each warning and doubt, and ``where`` it
        is, unless it is about all rows. Those of no doubt have no name.

    See Also
    --------
    report : Makes one from labels and scores.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import report
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(1000) < 0.05).astype(int)
    >>> found = report(y_true, 2 * y_true + rng.normal(size=1000))
    >>> [type(fact).__name__ for line in found.advice for fact in line.facts]
    ['ModelScore', 'Threshold', 'Looked']
    """

    title: str
    code: str
    advice: tuple[Advice, ...]
    parts: Sequence[Part]
    source: str = ""
    warnings: Sequence[dict[str, Json]] = ()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """What was found, each fact once: records of numbers and names.

        Such as ``ModelScore``, ``TwoModels``, ``Fall``, ``WorseSegment``, ``BetterThere``,
        ``AtRandom``, ``Threshold`` and ``Looked``. As text, a fact is a sentence.
        """
        told = (fact for line in self.advice for fact in line.facts)
        shown = (fact for part in self.parts for fact in [*part.facts, *part.table_facts])
        return (*dict.fromkeys([*told, *shown]),)

    def save(self, path: str | PathLike[str]) -> None:
        """Write one HTML file with its pictures inside.

        Parameters
        ----------
        path : str or path
            The file, such as "report.html". It is replaced by a whole page, or stays as it was.
            The ending of another format, such as .pdf, is an error.
        """
        check_ending("path", path, OTHER_FORMATS)
        write_whole(path, self.to_html())

    def to_html(self) -> str:
        """Return the text of that file.

        Returns
        -------
        str
            A whole page. It asks for nothing from elsewhere, and prints on A4.
        """
        template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
        heading, *rest = self.advice[0].sentences
        others = [line.sentences for line in self.advice[1:]]
        return template.substitute(
            title=escape(self.title),
            heading=escape(heading),
            advice="\n".join(
                f"<dt>{escape(line.question)}</dt><dd>{escape(' '.join(sentences))}</dd>"
                for line, sentences in zip(self.advice, [rest, *others], strict=True)
                if sentences
            ),
            source=escape(self._source_and_version),
            parts="\n".join(
                write_part(f"{number}. {part.title}", part)
                for number, part in enumerate(self.parts, 1)
            ),
            calls=escape(self.code),
        )

    def to_dict(self) -> dict[str, Json]:
        """Return the first lines and all facts, for JSON.

        Returns
        -------
        dict
            Each fact has its kind, its numbers and names, its sentence, and the call that gives its
            numbers. None stands for nan.
        """
        facts = self.facts
        return {
            "title": self.title,
            "source": self.source,
            "advice": [
                {
                    "question": line.question,
                    "kind": line.kind.name,
                    "model": line.model,
                    "sentences": [*line.sentences],
                    "facts": [*map(facts.index, line.facts)],
                }
                for line in self.advice
            ],
            "facts": [fact.to_dict() for fact in facts],
            "warnings": [*self.warnings],
        }

    def __repr__(self) -> str:
        fill = partial(textwrap.fill, width=TEXT_WIDTH, subsequent_indent="  ")
        lines = [self.title, ""]
        lines += [fill(f"{line.question}: {' '.join(line.sentences)}") for line in self.advice]
        for number, part in enumerate(self.parts, 1):
            lines += ["", f"{number}. {part.title}"]
            lines += [fill(str(fact)) for fact in part.facts]
            lines += part.table.as_text(MOST_LETTERS) if part.table else []
            lines += map(fill, part.notes)
        lines += ["", "Calls", self.code, ""]
        return "\n".join([*lines, self._source_and_version])

    def _repr_html_(self) -> str:
        # A frame of its own, as the style of the page is not for the notebook around it.
        style = "width: 100%; height: 40rem; border: 0"
        return f'<iframe srcdoc="{escape(self.to_html())}" style="{style}"></iframe>'

    @property
    def _source_and_version(self) -> str:
        """What the predictions are, and what made the page."""
        return ", ".join(filter(None, [self.source, f"sklearn_ap {__version__}"]))


def check_ending(argument: str, path: str | PathLike[str], remedies: Mapping[str, str]) -> None:
    """Refuse the name of a file of another format, but not a pipe or a device of such a name."""
    name = str(path)
    remedy = remedies.get(os.path.splitext(name)[1].lower())
    if remedy and (os.path.isfile(name) or not os.path.exists(name)):
        raise InputError(f"{argument} {name!r}: a page is HTML; {remedy}")


def write_part(topic: str, part: Part) -> str:
    """Write a part: its words, a picture beside them, and a wide table below."""
    tags = ["h2", *["p"] * len(part.facts)]
    words = "".join(
        f"<{tag}>{escape(str(fact))}</{tag}>" for tag, fact in zip(tags, part.facts, strict=False)
    )
    picture = write_figure(part.picture) if part.picture else ""
    notes = "".join(f'<p class="note">{escape(note)}</p>' for note in part.notes)
    table = f'<div class="scrolls">{part.table.as_html()}</div>' if part.table else ""
    is_wide = part.table is not None and len(part.table.head) > MOST_COLUMNS_BESIDE
    beside, below = ("", table) if is_wide else (table, "")
    return (
        f'<section><p class="topic">{escape(topic)}</p><div class="sheet"><div>{words}{beside}'
        f"{notes}</div>{picture}</div>{below}</section>"
    )


def write_figure(picture: Picture) -> str:
    """Draw a picture as SVG in an image, which other figures on the page cannot change."""
    plt = import_extra("matplotlib.pyplot", "A page with pictures", "plot")
    # With a salt, the same picture has the same text.
    style = plt.rc_context(
        {"figure.figsize": (PICTURE_WIDTH, 2.9), "font.size": 9, "svg.hashsalt": "sklearn_ap"}
    )
    file = BytesIO()
    with _DRAWING, style, warnings.catch_warnings(category=UserWarning, action="ignore"):
        drawn = picture.draw()
        first = drawn.flat[0] if isinstance(drawn, np.ndarray) else drawn
        figure = cast(Figure, first.figure)
        figure.savefig(file, format="svg", transparent=True, metadata={"Date": None})
        plt.close(figure)
    data = b64encode(file.getvalue()).decode()
    image = f'<img alt="{escape(printable(picture.alt))}" src="data:image/svg+xml;base64,{data}">'
    return f"<figure>{image}</figure>"
