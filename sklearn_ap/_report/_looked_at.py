"""What to distrust: what was not looked at, other shares of positives, and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import fisher_exact

from sklearn_ap._arithmetic import is_shown
from sklearn_ap._report._calls import Literal, PublicCall
from sklearn_ap._report._data import SegmentColumn
from sklearn_ap._report._fact import Fact, select
from sklearn_ap._report._levels import divide_level
from sklearn_ap._report._parts import Part
from sklearn_ap._report.questions import Questions
from sklearn_ap._types import Name
from sklearn_ap._writing.text import counts_as_text, names_as_text, share_as_text

UNLIKE_RATIO = 2.0  # of shares, at least, before labels are doubted
# What a page cannot see without times, subgroups or clusters.
UNSEEN = {
    "times": "falls over time",
    "subgroups": "worse subgroups",
    "clusters": "rows that depend on each other",
}


@dataclass(frozen=True)
class Looked(Fact):
    """What was looked at, and the columns without which more could be wrong."""

    n_rows: int
    n_positives: int
    unit: str  # of which another sample has others: "row", "query" or "cluster"
    n_units: int | None  # of queries or clusters
    columns: tuple[str, ...]
    lacks: tuple[str, ...]  # of times, subgroups and clusters
    without_positives: tuple[str, ...] = ()  # segments, with the names of their columns

    @property
    def is_lacking(self) -> bool:
        """Whether the page cannot see something."""
        return bool(self.lacks or self.without_positives)

    def __str__(self) -> str:
        units = {self.unit: self.n_units} if self.n_units else {}
        counts = counts_as_text(row=self.n_rows, positive=self.n_positives, **units)
        looked = f"Looked at: {', '.join([counts, *self.columns])}."
        if self.without_positives:
            names = names_as_text(self.without_positives)
            looked = f"Nothing is known of {names}: no row there is positive. {looked}"
        if not self.lacks:
            return looked
        unseen = names_as_text([UNSEEN[name] for name in self.lacks])
        columns = f"Without columns of {names_as_text(self.lacks)}"
        return f"{columns}, the page cannot see {unseen}. {looked}"


@dataclass(frozen=True)
class ChangedShare(Fact):
    """A latest time with another share of positives than before."""

    column: str
    segment: str
    share: float
    before: float

    def __str__(self) -> str:
        return (
            f"{share_as_text(self.share)} of the rows are positive in {self.segment}, the latest "
            f"{self.column}, and {share_as_text(self.before)} before: labels may be missing, or "
            f"mean something else."
        )


@dataclass(frozen=True)
class Warned(Fact):
    """Warnings of public functions, and the models about which they are."""

    kinds: tuple[str, ...]
    models: tuple[str, ...]

    def __str__(self) -> str:
        about = f" about {names_as_text(self.models)}" if self.models else ""
        kinds = f": {names_as_text(self.kinds)}" if self.kinds else ""
        return f"Warnings{about} stand below{kinds}."


def find_doubts(
    questions: Questions, compared: Sequence[SegmentColumn], facts: Sequence[Fact], thresholds: Part
) -> list[Fact]:
    """Say what was looked at, and gather what else is to be distrusted, of what is advised."""
    doubts = [find_looked(questions, compared), *select(ChangedShare, facts)]
    advised = {call for fact in thresholds.facts for call in fact.calls}
    warnings = questions.find_warnings(but={*thresholds.calls} - advised)
    if not warnings:
        return doubts
    kinds = dict.fromkeys(warning.kind for warning in warnings if warning.kind)
    models = dict.fromkeys(model for models in warnings.values() for model in models)
    return [*doubts, Warned(kinds=(*kinds,), models=(*models,))]


def question_of_doubts(doubts: Sequence[Fact]) -> str:
    """Name the line of doubts; of a page without any, it says what was looked at."""
    has_doubt = any(not isinstance(fact, Looked) or fact.is_lacking for fact in doubts)
    return "Distrust" if has_doubt else "Data"


def find_looked(questions: Questions, compared: Sequence[SegmentColumn]) -> Looked:
    """Count what was looked at, and list the columns that are missing."""
    sample = questions.sample
    n_times = sum(column.are_times for column in compared)
    are_known = {
        "times": n_times > 0,
        "subgroups": n_times < len(compared),
        "clusters": sample.unit != "row",
    }
    return Looked(
        n_rows=sample.n_rows or 0,
        n_positives=int(questions.data.positive.sum()),
        unit=sample.unit or "row",
        n_units=sample.n_units,
        columns=tuple(column.name for column in compared),
        lacks=tuple(name for name, is_known in are_known.items() if not is_known),
        without_positives=tuple(
            f"{column.name} {column.write(segment)}"
            for column in compared
            for segment in list_without_positives(questions, column)
        ),
    )


def list_without_positives(questions: Questions, column: SegmentColumn) -> list[Name]:
    """List the segments without a positive, which have no score; labels may be missing there."""
    data = questions.data
    scored = {*np.unique(column.values[data.positive & data.is_counted])}
    return [segment for segment in column.segments if segment not in scored]


def make_warnings_part(questions: Questions) -> Part:
    """List the warnings of all answers, with the models and the rows about which they are."""
    texts = []
    for warning, models in questions.find_warnings().items():
        about = " ".join(filter(None, [names_as_text(models), warning.where]))
        texts.append(f"{about}: {warning.text}" if about else warning.text)
    return Part("Warnings", notes=texts)


def find_changed_share(questions: Questions, column: SegmentColumn) -> ChangedShare | None:
    """Find a latest time with less than half of the share of positives before, or over twice."""
    data = questions.data
    if not (column.are_times and data.are_alike and len(column.segments) > 1):
        return None
    name = column.segments[-1]
    latest = column.select("==", name).value
    # Of 12 positives in 90 latest rows, and 500 in 900 before: [[12, 78], [500, 400]].
    table = [
        [int((labels & rows).sum()) for labels in (data.positive, ~data.positive)]
        for rows in (latest, ~latest)
    ]
    share, before = (hits / (hits + others) for hits, others in table)
    is_unlike = max(share, before) > UNLIKE_RATIO * min(share, before)
    level = divide_level("labels", questions.n_columns_of_times)
    if not (is_unlike and is_shown(fisher_exact(table).pvalue, level)):
        return None
    return ChangedShare(
        column=column.name,
        segment=column.write(name),
        share=share,
        before=before,
        calls=(PublicCall(fisher_exact, (Literal(table),)),),
    )
