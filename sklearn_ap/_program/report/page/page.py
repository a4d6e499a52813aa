"""What stands on the page of a report: parts, the first lines, doubts and warnings."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from sklearn_ap._base.text import Table
from sklearn_ap._program.report.page.pictures import Picture

MOST_ROWS = 8  # a longer table is closed, below its first rows
FIRST_ROWS = 5  # of a closed table
MOST_DOUBTS = 3  # of the first lines
WARNINGS = "Warnings"
NO_WARNING = "There is no warning."
MODEL = "Model"  # the question that the first of the first lines answers
MEANING = (
    "Average precision: go down the ranking, stop at each positive, and average the precision so "
    "far. A perfect ranking has 1."
)
ADJUSTED = "Adjusted intervals are wider, as several segments are compared."
RANKS = "curve", "top"  # the names of parts about some ranks, whose score may be 1 by luck
LACKS_A_CLASS = "No positive "  # the first words of a warning of queries
FINE = "Nothing looks wrong with labels and scores."
CALLS = "The calls that give these numbers"
LONGEST_WORDS = 40  # letters; a longer cell is a sentence that may be broken


class Cutoff(NamedTuple):
    """The threshold that selects rows in the heading of a part, and whether it has a guarantee.

    ``alternative`` is the sentence about a second threshold, if there is one.
    """

    model: str
    threshold: float
    printed: str
    precision: float
    recall: float
    is_guaranteed: bool
    alternative: str = ""
    goal: float | None = None  # the precision that was asked for


@dataclass(frozen=True, slots=True)
class Part:
    """The main sentence, cells with a head, a picture, and the call that makes the numbers.

    ``first_rows`` are the places of the rows that stand above a long table, which is closed. They
    are the first ones by default.
    """

    sentence: str
    cells: Sequence[Sequence[str]] = ()
    notes: Sequence[str] = ()
    picture: Picture | None = field(default=None, compare=False)
    call: str = ""
    copied_text: str = ""
    title: str = ""
    warnings: Sequence[str] = ()
    name: str = ""
    brief: Sequence[str] = ()  # the sentences of the first lines, if they are not the main one
    page: str = ""  # of the documentation
    urgent: Sequence[str] = ()  # doubts about segments that are compared, which come first
    doubts: Sequence[str] = ()  # why its numbers may mislead, apart from warnings
    more: Sequence[str] = ()  # what stands below the main sentence, and above the numbers
    first_rows: Sequence[int] = range(FIRST_ROWS)
    models: Sequence[str] = ()  # names that are set apart from the words of sentences
    most_rows: int = MOST_ROWS  # of a table that is open
    table: str = ""  # the name of a table that is closed, as few readers need it
    advice: str = ""  # one of the sentences: what to do until a worse segment says otherwise
    cutoff: Cutoff | None = None
    tells_change: bool = False  # of segments: they differ, or a trend is told
    # Makes the part as it is for another model than the best one.
    model_part: Callable[[str], "Part"] | None = field(default=None, compare=False)


class Finding(NamedTuple):
    """One of the first lines of a report: a question, the answer, and the part that has more."""

    question: str
    answer: str
    part: int  # its number on the page


class Top(NamedTuple):
    """What stands above the parts."""

    title: str
    call: str
    summary: Sequence[Finding] = ()
    source: str = ""
    models: Sequence[str] = ()

    @property
    def has_model(self) -> bool:
        """Whether the first answer is about models."""
        return bool(self.summary) and self.summary[0].question == MODEL

    @property
    def small_print(self) -> list[str]:
        """What stands below the first lines: what the score is, and what the predictions are."""
        meanings = [MEANING] if self.has_model else []
        if any(re.search(r"adjusted \S+ interval", each.answer) for each in self.summary):
            meanings.append(ADJUSTED)
        return [*filter(None, [" ".join(meanings)]), self.source]


def remarks(table: Table) -> list[str]:
    """Return the remarks of a result as one sentence, if there are any."""
    text = "; ".join(table.remarks)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def omitted_part(error: ValueError) -> Part:
    """Make the replacement of a part that refuses these data."""
    return Part(f"Left out: {re.split(r'(?<=[.]) ', str(error))[0]}")


def texts_to_read(parts: Sequence[Part]) -> dict[str, list[Part]]:
    """List the doubts and then the warnings of all parts, each with the parts that have it.

    The first lines, the part about the data and the last one show this list.
    """
    found: dict[str, list[Part]] = {}
    for kind in ("urgent", "doubts", "warnings"):
        for part in parts:
            for text in getattr(part, kind):
                found.setdefault(text, []).append(part)
    return {
        text: [*{part.title: part for part in owners}.values()] for text, owners in found.items()
    }


def leading_doubts(parts: Sequence[Part]) -> list[str]:
    """List what concerns the data or the score: warnings of some ranks alone do not."""
    return [
        text
        for text, owners in texts_to_read(parts).items()
        if any(part.name not in RANKS for part in owners)
    ]


def add_sentence(part: Part, text: str) -> Part:
    """Add a text behind the heading of a part, and behind it or at the end in the first lines."""
    if not text:
        return part
    brief = [*part.brief] or [part.sentence]
    place = brief.index(part.sentence) + 1 if part.sentence in brief else len(brief)
    return replace(part, more=[text, *part.more], brief=[*brief[:place], text, *brief[place:]])


def add_warnings(parts: Sequence[Part]) -> tuple[Part, ...]:
    """Add a last part that lists the doubts and warnings of the others."""
    texts = texts_to_read(parts)
    titles = [", ".join(part.title for part in owners) for owners in texts.values()]
    cells = [["warning", "in"], *map(list, zip(texts, titles, strict=True))]
    warnings_part = Part(NO_WARNING, title=WARNINGS, page="warnings")
    if n := len(texts):
        scope = "" if leading_doubts(parts) else ", about the curve or the top rows alone"
        sentence = f"There {'is 1 warning' if n == 1 else f'are {n} warnings'}{scope}."
        warnings_part = Part(sentence, cells, title=WARNINGS, page="warnings")
    return (*parts, warnings_part)
