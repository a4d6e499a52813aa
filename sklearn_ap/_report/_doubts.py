"""What to distrust: what was not looked at, other shares of positives, and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import fisher_exact, ttest_1samp

from sklearn_ap._report._calls import Typed, write_call
from sklearn_ap._report._data import ROW_OPTIONS, ReportData, SegmentColumn
from sklearn_ap._report._facts import Fact
from sklearn_ap._report._levels import divide_level
from sklearn_ap._report._parts import Part
from sklearn_ap._report.questions import Questions
from sklearn_ap._results.text import count_as_text, names_as_text, score_as_text, share_as_text

UNLIKE_RATIO = 2.0  # of shares, at least, before labels are doubted
# What is not known of predictions without times, segments or clusters.
UNSEEN = {
    "times": "falls",
    "segments": "worse segments",
    "clusters": "rows that depend on each other",
}


@dataclass(frozen=True)
class Looked(Fact):
    """The columns that were looked at, and those without which more could be wrong."""

    columns: tuple[str, ...]  # and queries, clusters and weights
    lacks: tuple[str, ...]  # of times, segments and clusters

    def __str__(self) -> str:
        looked = f"Looked at: {', '.join(['labels', 'scores', *self.columns])}."
        if not self.lacks:
            return looked
        unseen = names_as_text([UNSEEN[name] for name in self.lacks])
        return f"For lack of {names_as_text(self.lacks)}, nothing is known of {unseen}. {looked}"


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

    n_warnings: int
    kinds: tuple[str, ...]
    models: tuple[str, ...]

    def __str__(self) -> str:
        about = f" about {names_as_text(self.models)}" if self.models else ""
        kinds = f": {names_as_text(self.kinds)}" if self.kinds else ""
        return f"Warnings{about} stand below ({count_as_text(self.n_warnings)}){kinds}."


def make_data_part(questions: Questions, compared: Sequence[SegmentColumn]) -> Part:
    """Count rows, positives, queries and clusters, and say what lacks."""
    data = questions.data
    counts = [f"Rows: {data.is_counted.sum():,}", f"positives: {data.positive.sum():,}"]
    for role in ("queries", "clusters"):
        if role in data.options:
            names = np.asarray(data.passed(role))[data.is_counted]
            counts.append(f"{role}: {np.unique(names).size:,}")
    lead = [f"{', '.join(counts)}."]
    if "prevalence" in data.options:
        share = score_as_text(data.prevalence)
        lead.append(f"Scores and precisions are those at prevalence {share}, not of these rows.")
    return Part("Data", [find_looked(questions, compared)], lead=lead)


def find_looked(questions: Questions, compared: Sequence[SegmentColumn]) -> Looked:
    """List the columns that were looked at, and those that are missing."""
    options = questions.data.options
    n_times = sum(column.are_times for column in compared)
    are_known = {
        "times": n_times > 0,
        "segments": n_times < len(questions.columns),
        "clusters": "clusters" in options or "queries" in options,
    }
    names = [column.name for column in compared]
    names += [name for option, name in ROW_OPTIONS.items() if option in options]
    lacks = tuple(name for name, is_known in are_known.items() if not is_known)
    return Looked(tuple(names), lacks)


def make_warnings_part(questions: Questions) -> Part:
    """List the warnings of all answers, and the models about which they are."""
    warnings = questions.warnings
    texts = [
        f"{names_as_text(models)}: {warning.text}" if models else warning.text
        for warning, models in warnings.items()
    ]
    kinds = dict.fromkeys(warning.kind for warning in warnings if warning.kind)
    models = dict.fromkeys(model for models in warnings.values() for model in models)
    warned = Warned(len(warnings), (*kinds,), (*models,))
    return Part("Warnings", listed=[warned], note="\n\n".join(texts))


def find_changed_share(questions: Questions, column: SegmentColumn) -> ChangedShare | None:
    """Find a latest time with less than half of the share of positives before, or twice."""
    data = questions.data
    is_tested = not {"queries", "sample_weight"} & data.options.keys()
    if not (column.are_times and is_tested and len(column.segments) > 1):
        return None
    name = column.segments[-1]
    latest = column.select("==", name)
    negative = data.is_counted & ~data.positive
    table = [
        [int((labels & rows).sum()) for labels in (data.positive, negative)]
        for rows in (latest.value, ~latest.value)
    ]
    shares = [n_positives / max(n_positives + n_negatives, 1) for n_positives, n_negatives in table]
    if "clusters" in data.options:
        sums = add_up_residuals(data, latest)
        pvalue = ttest_1samp(sums.value, 0).pvalue
        call = write_call(ttest_1samp, [sums, Typed(0, "0")], rows=latest)
    else:
        pvalue = fisher_exact(table).pvalue
        call = write_call(fisher_exact, [Typed(table, repr(table))])
    level = divide_level("labels", len(questions.columns))
    if max(shares) <= UNLIKE_RATIO * min(shares) or not pvalue < level:
        return None
    return ChangedShare(column.name, column.write(name), *shares, calls=(call,))


def add_up_residuals(data: ReportData, latest: Typed) -> Typed:
    """Add up over each cluster how positives and the latest time go together.

    The sums have the mean 0 if the share of positives is the same at all times: a score test.
    """
    _, clusters = np.unique(data.passed("clusters"), return_inverse=True)
    positive, rows = data.positive, latest.value
    residuals = (positive - positive.mean()) * (rows - rows.mean())
    pos_label = data.passed("pos_label")
    is_positive = f"(np.asarray(y_true) == {1 if pos_label is None else pos_label!r})"
    code = (
        f"np.bincount(np.unique(clusters, return_inverse=True)[1], "
        f"({is_positive} - {is_positive}.mean()) * (rows - rows.mean()))"
    )
    return Typed(np.bincount(clusters, residuals), code)
