"""Predictions read from files: which rows are positive, their scores, and options of functions."""

import os
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from sklearn_ap import large, retrieval
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._extras import printable, progress, warn
from sklearn_ap._files.formats import FORMATS
from sklearn_ap._files.sources import DataError, find_files
from sklearn_ap._files.tables import Rows, labels, numbers, read_files, texts
from sklearn_ap._inputs.times import (
    Dates,
    find_cut,
    finest_unit,
    parse_dates,
    unit_as_text,
    unit_named,
    unit_starts,
)
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import Array, Bool, Index, Keywords
from sklearn_ap.definitions import Definition
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval, average_precision_interval

NOT_ENOUGH = "no row is positive", "no ranking has both classes"


class Input(NamedTuple):
    """What was read, for JSON."""

    rows: int
    positives: int
    positive_label: str
    labelled: int
    queries: int | None = None
    queries_left_out: int = 0


class Column(NamedTuple):
    """A column of segments as functions take it.

    Dates are the starts of a unit, which was asked for, or else is the finest whose latest time can
    be compared. A page takes them as the file has them.
    """

    name: str
    values: Array
    unit: str | None = None  # that was asked for
    note: str = ""

    @property
    def are_times(self) -> bool:
        """Whether segments are units of time."""
        return self.values.dtype.kind == "M"


@dataclass(frozen=True, slots=True, eq=False)
class Predictions:
    """Labels, which are nan where nobody looked, scores by model, and options by their names."""

    y_true: Array
    y_scores: dict[str, Array]
    positive: str
    options: Keywords
    segments: dict[str, Column] = field(default_factory=dict)  # by what the user typed
    n_left_out: int = 0

    @property
    def names(self) -> tuple[str, ...]:
        """The models."""
        return tuple(self.y_scores)

    def ask(self, options: Keywords, definition: Definition) -> Interval | Comparison:
        """Score one model, or compare several with the first."""
        given = {**self.options, **options, "definition": definition}
        if "queries" in given:
            given["zero_division"] = 0.0
        if len(self.names) > 1:
            return compare_average_precision(self.y_true, self.y_scores, **given)
        return average_precision_interval(self.y_true, *self.y_scores.values(), **given)

    @property
    def input(self) -> Input:
        """What was read."""
        n_queries = len(self._queries_with(np.ones(self.y_true.size, bool)))
        return Input(
            rows=self.y_true.size,
            positives=int(np.count_nonzero(self.y_true == 1)),
            positive_label=self.positive,
            labelled=int(np.count_nonzero(self.y_true == self.y_true)),
            queries=n_queries if "queries" in self.options else None,
            queries_left_out=self.n_left_out,
        )

    @property
    def notes(self) -> list[str]:
        """What else a reader must know of the input."""
        found = [column.note for column in self.segments.values() if column.note]
        if "queries" not in self.options:
            return found
        n = self.input.queries or 0
        n_zero = n - len(self._queries_with(self.y_true != 0))  # unknown labels may be positive
        if self.n_left_out:
            found.append(f"{count_as_text(self.n_left_out, 'query')} without positives: left out.")
        if n_zero:
            found.append(f"{count_as_text(n_zero, 'query')} without positives: counted as 0.")
        return found

    def missing_class(self, prevalence: float | None = None) -> str:
        """Say what makes average precision undefined; empty if it is defined."""
        positive_queries = self._queries_with(self.y_true == 1)
        if not positive_queries:
            return NOT_ENOUGH[0]
        if prevalence is not None and not positive_queries & self._queries_with(self.y_true == 0):
            return NOT_ENOUGH[1]
        return ""

    def drop_queries_without_positives(self) -> "Predictions":
        """Leave out queries without positives, unless there are no others."""
        positive_queries = self._queries_with(self.y_true == 1)
        if "queries" not in self.options or not positive_queries:
            return self
        kept = np.isin(self.options["queries"], [*positive_queries])
        return replace(
            self,
            y_true=self.y_true[kept],
            y_scores={name: scores[kept] for name, scores in self.y_scores.items()},
            options={name: values[kept] for name, values in self.options.items()},
            n_left_out=len(self._queries_with(~kept)),
        )

    def _queries_with(self, rows: Bool) -> set[int]:
        """Find the queries in which any of these rows has weight; all rows are one without them."""
        weight = self.options.get("sample_weight")
        rows = rows if weight is None else rows & (weight > 0)
        queries = self.options.get("queries")
        if queries is None:
            return {0} if rows.any() else set()
        return {*queries[rows].tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class Counted:
    """The counts of one model, whose rows need not fit in memory."""

    counts: ThresholdCounts
    positive: str
    names: tuple[str, ...]
    notes: tuple[str, ...] = ()

    def ask(self, options: Keywords, definition: Definition) -> Interval | Comparison:
        """Score the model."""
        return Interval.from_counts(self.counts, definition=definition, **options)

    @property
    def input(self) -> Input:
        """What was read."""
        n_positives = int(self.counts.n_positives.sum())
        n_rows = n_positives + int(self.counts.n_negatives.sum())
        return Input(n_rows, n_positives, self.positive, n_rows)

    def missing_class(self, prevalence: float | None = None) -> str:
        """Say what makes average precision undefined; empty if it is defined."""
        if not self.counts.n_positives.any():
            return NOT_ENOUGH[0]
        return NOT_ENOUGH[1] if prevalence and not self.counts.n_negatives.any() else ""


def read(args: Namespace) -> Predictions:
    """Read the columns that the arguments name."""
    segments = getattr(args, "segment", None) or []
    segments = [segments] if isinstance(segments, str) else segments
    columns = _numeric_columns(args)
    dated = [name for role in ("query", "cluster") if (name := getattr(args, role, None))]
    batches = [*_batches(args, [args.label, *columns], [*dated, *segments])]
    inclusion = getattr(args, "inclusion_probability", None)
    y_true, positive = labels(
        batches, args.label, args.positive, may_be_missing=inclusion is not None
    )
    options = {
        "sample_weight": args.weight and numbers(batches, args.weight, finite=True),
        "queries": getattr(args, "query", None) and _values(batches, args.query),
        "clusters": getattr(args, "cluster", None) and _values(batches, args.cluster),
        "inclusion_probability": inclusion
        if inclusion in (None, "equal")
        else numbers(batches, inclusion, finite=True, may_be_missing=True),
    }
    found = Predictions(
        y_true=y_true,
        y_scores={name: numbers(batches, name) for name in args.score},
        positive=positive,
        options={name: values for name, values in options.items() if values is not None},
        segments={
            name: _segments(batches, name, y_true, is_page=args.command == "report")
            for name in segments
        },
    )
    return found.drop_queries_without_positives() if _leaves_out(args) else found


def _numeric_columns(args: Namespace) -> list[str]:
    inclusion = getattr(args, "inclusion_probability", None)
    return [*args.score, *filter(None, [args.weight, None if inclusion == "equal" else inclusion])]


def read_trec(args: Namespace, ties: Literal["shared", "trec_eval"]) -> Predictions:
    """Read judgements and runs of TREC."""
    with progress(None, "", "reading"):
        judged = retrieval.from_trec(
            args.qrels,
            *args.runs,
            relevance_level=args.relevance_level,
            unjudged="left out" if args.judged_only else "negative",
            complete=args.complete,
            ties=ties,
        )
    positive = f"{args.relevance_level:g} or more"
    options = {"queries": judged.queries}
    found = Predictions(judged.y_true, judged.y_scores, positive, options)
    return found.drop_queries_without_positives() if _leaves_out(args) else found


def _leaves_out(args: Namespace) -> bool:
    return getattr(args, "without_positives", "zero") == "left-out"


def can_be_counted(args: Namespace) -> bool:
    """Check for one model of independent rows, in files that can be read again."""
    given = ("weight", "query", "cluster", "inclusion_probability", "n_positives")
    is_plain = len(args.score) == 1 and all(getattr(args, name) is None for name in given)
    return is_plain and all(map(os.path.isfile, files_of(args)))


def count(args: Namespace) -> Counted:
    """Count the rows of files, some at a time; their labels alone stay in memory."""
    (name,) = args.score
    only_labels = (
        replace(rows, columns={args.label: rows.columns[args.label]})
        for rows in _batches(args, [args.label, name])
    )
    y_true, positive = labels(only_labels, args.label, args.positive)

    def chunks() -> Iterator[tuple[Array, Array]]:
        n_above = 0
        for rows in _batches(args, [args.label, name], title="counting"):
            n_rows = n_above + len(rows)
            yield y_true[n_above:n_rows], numbers([rows], name)
            n_above = n_rows

    return Counted(large.from_chunks(chunks), positive, (name,))


def files_of(args: Namespace) -> list[str]:
    """List the files of the arguments."""
    return [file for path in args.file for file in find_files(path, FORMATS)]


def _batches(
    args: Namespace, columns: Sequence[str], dated: Sequence[str] = (), title: str = "reading"
) -> Iterator[Rows]:
    """Read columns; of "ts:day", the column "ts" unless one has the whole name."""

    def choose(header: Sequence[str]) -> list[str]:
        return [*columns, *(column_and_unit(name, header)[0] for name in dated)]

    with progress(None, " rows", title) as bar:
        for rows in read_files(files_of(args), choose, args.delimiter, args.decimal):
            yield rows
            bar.update(len(rows))


def column_and_unit(name: str, header: Sequence[str] = ()) -> tuple[str, str | None]:
    """Split "ts:day" into the column and its unit, unless the name is a column."""
    stem, _, word = name.rpartition(":")
    unit = None if name in header else unit_named(word)
    return (stem, unit) if stem and unit else (name, None)


def _values(batches: Sequence[Rows], name: str) -> Array:
    """Return the codes of names in their order, or the starts of units of time."""
    column, unit = column_and_unit(name, [*batches[0].columns])
    codes, names = _coded(batches, column)
    return codes if unit is None else unit_starts(_dates(column, unit, names), unit)[codes]


def _coded(batches: Sequence[Rows], column: str) -> tuple[Index, list[str]]:
    """Return the code of each cell, and the sorted names; as numbers, if all are."""
    encoded = texts(batches, column).dictionary_encode().combine_chunks()
    names = encoded.dictionary.to_pylist()
    numbers_of_names = as_numbers(names)
    order = np.argsort(np.array(names) if numbers_of_names is None else numbers_of_names)
    return np.argsort(order)[encoded.indices.to_numpy()], [names[place] for place in order]


def as_numbers(names: Sequence[str]) -> Array | None:
    """Return names as numbers, if all are."""
    try:
        found = np.array(names, float)
    except ValueError:
        return None
    return None if np.isnan(found).any() else found


def _dates(column: str, unit: str, names: Sequence[str]) -> Dates:
    dates = parse_dates(names)
    if dates is None:
        example = next(name for name in names if parse_dates([name]) is None)
        raise DataError(
            f"column {column!r} holds no dates, such as 2026-10-01 or 2026-10-01T12:30, but "
            f"{example!r}: leave out :{unit}"
        )
    return dates


def _segments(batches: Sequence[Rows], name: str, y_true: Array, *, is_page: bool) -> Column:
    """Return a column of segments; a page chooses the units of its dates by itself."""
    column, unit = column_and_unit(name, [*batches[0].columns])
    codes, names = _coded(batches, column)
    dates = parse_dates(names) if unit is None else _dates(column, unit, names)
    if is_page:
        return Column(column, np.array(names)[codes], unit)
    if dates is None:
        are_whole = all(name.isdecimal() and str(int(name)) == name for name in names)
        return Column(column, np.array(names, int if are_whole else str)[codes])
    chosen = unit or finest_unit(dates[codes], y_true)
    note = ""
    if unit is None:
        shown = printable(column)
        note = f"Dates of {shown} are in {chosen}s ({shown}:UNIT takes another)."
    if cut := find_cut(dates, chosen):
        latest = unit_as_text(unit_starts(dates, chosen).max(), chosen)
        warn(
            f"{latest} is cut: the file ends after {cut.n_days} of its {cut.n_all} days",
            UserWarning,
        )
    return Column(column, unit_starts(dates, chosen)[codes], unit, note)
