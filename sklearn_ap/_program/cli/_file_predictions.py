"""Predictions read from files: which rows are positive, their scores, weights and queries."""

import os
import sys
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from sklearn_ap._extras import printable, progress
from sklearn_ap._files.formats import FORMATS
from sklearn_ap._files.sources import DataError, find_files
from sklearn_ap._files.tables import Rows, labels, numbers, read_files, texts
from sklearn_ap._inputs.arrays import select_rows
from sklearn_ap._inputs.segment_names import Segments
from sklearn_ap._inputs.times import (
    UNITS,
    Cut,
    Dates,
    find_cut,
    finest_unit,
    parse_dates,
    unit_as_text,
    unit_named,
    unit_starts,
)
from sklearn_ap._program.cli._memory import check_memory, estimate_rows
from sklearn_ap._program.cli._output_file import refuse_input
from sklearn_ap._results.text import count_as_text, share_as_text
from sklearn_ap._types import Array, Bool, Index, Keywords, Name

# More dates than this are segments only if they have this many rows each, on average.
MANY_DATES, FEWEST_ROWS_PER_DATE = 50, 10


class TimeUnits(NamedTuple):
    """The unit of time of each date, and the distinct units in order, as text."""

    codes: Index
    texts: list[str]


class FileSegments(NamedTuple):
    """A column of segments in order, and what stands in the file.

    Dates are in a unit of time, which was asked for, or else is the finest whose latest time can be
    compared.
    """

    ordered: Segments
    written: Segments
    column: str
    unit: str | None = None
    is_chosen: bool = False
    cut: Cut | None = None

    @property
    def sentences(self) -> list[str]:
        """Say which unit was taken, and that the latest one is cut."""
        found = []
        if self.is_chosen:
            column = printable(self.column)
            found.append(f"Dates of {column} are in {self.unit}s ({column}:UNIT takes another).")
        if self.cut:
            latest, days = self.ordered.names[-1], f"{self.cut.n_days} of its {self.cut.n_all} days"
            found.append(f"{latest} is cut: the file ends after {days}.")
        return found


@dataclass(frozen=True, slots=True, eq=False)
class FilePredictions:
    """Predictions from files; ``positive`` is the label that stands for True in ``y_true``.

    ``n_left_out`` counts the queries that were left out, as they have no positives.
    ``label_options`` are the arguments of intervals if labels may be unknown, that is, nan in
    ``y_true``.
    """

    y_true: Array
    y_scores: dict[str, Array]
    weight: Array | None
    queries: Array | None
    positive: str
    n_left_out: int = 0
    clusters: Array | None = None
    segments: dict[str, FileSegments] = field(default_factory=dict)  # by their names in words
    label_options: Keywords = field(default_factory=dict)

    @property
    def is_known(self) -> Bool:
        return np.asarray(self.y_true == self.y_true)

    def single_score(self, *, takes_clusters: bool = False) -> Array:
        """Return the only scores, for functions that take one column and no label options."""
        if len(self.y_scores) > 1:
            raise DataError("pass --score once: a tool ranks by one column")
        if self.clusters is not None and not takes_clusters:
            raise DataError("--cluster is for intervals: use score, or compare several columns")
        if self.label_options:
            raise DataError("--inclusion-probability is for intervals: use score")
        (y_score,) = self.y_scores.values()
        return y_score

    @property
    def facts(self) -> dict[str, object]:
        """The first keys of an answer in JSON, which describe the input."""
        return {
            "rows": self.y_true.size,
            "labelled": int(self.is_known.sum()),
            "positives": int(np.nansum(self.y_true)),
            "positive_label": self.positive,
            "queries": None if self.queries is None else self.n_queries,
            "queries_that_count_0": 0 if self.queries is None else self.n_undefined,
            "queries_left_out": self.n_left_out,
        }

    @property
    def head(self) -> str:
        """The first sentences of an answer, which describe the input."""
        n_rows = self.y_true.size
        n_positives = int(np.nansum(self.y_true))
        text = f"{count_as_text(n_rows, 'row')}, {n_positives:,} positive "
        if self.label_options:
            text += f"of {self.is_known.sum():,} labelled"
        else:
            text += f"({share_as_text(n_positives / n_rows)})"
        if self.queries is not None:
            text += f", {count_as_text(self.n_queries, 'query')}"
            if self.n_left_out:
                text += f" (and {self.n_left_out:,} without positives, left out)"
            elif self.n_undefined == self.n_queries:
                text += ", none with positives"
            elif self.n_undefined:
                text += f" ({self.n_undefined:,} without positives, counted as 0)"
        notes = [sentence for each in self.segments.values() for sentence in each.sentences]
        return " ".join([f"{text}. The positive label is {self.positive!r}.", *notes])

    def zero_division(self, prevalence: float | None) -> float:
        """Return the score of an undefined query: 0, or nan if all queries are undefined."""
        is_defined = self._have_weight(self.y_true == 1)
        if prevalence is not None:  # precision at a prevalence needs both classes
            is_defined &= self._have_weight(self.y_true == 0)
        return 0.0 if is_defined.any() else np.nan

    @property
    def n_queries(self) -> int:
        """The number of rankings that have rows with weight."""
        return int(np.count_nonzero(self._have_weight(np.ones(self.y_true.size, bool))))

    @property
    def n_undefined(self) -> int:
        """The number of rankings with labels of all rows, and without positives of any weight."""
        has_known = self._have_weight(self.is_known)
        has_unknown = self._have_weight(~self.is_known)
        has_positives = self._have_weight(self.y_true == 1)
        return int(np.count_nonzero(has_known & ~has_positives & ~has_unknown))

    def drop_undefined(self) -> "FilePredictions":
        """Leave out the queries without positives, unless there are no others."""
        has_positives = self._have_weight(self.y_true == 1)
        if self.label_options:
            raise DataError("--without-positives left-out needs the labels of all rows")
        if self.queries is None or not has_positives.any():
            return self
        is_kept = has_positives[self.queries]
        weight, queries, clusters = select_rows(is_kept, self.weight, self.queries, self.clusters)
        return replace(
            self,
            y_true=self.y_true[is_kept],
            y_scores={name: scores[is_kept] for name, scores in self.y_scores.items()},
            weight=weight,
            # has_positives [True, False, True] -> queries 0 and 2 become 0 and 1
            queries=(np.cumsum(has_positives) - 1)[queries],
            n_left_out=self.n_undefined,
            clusters=clusters,
        )

    def _have_weight(self, rows: Bool) -> Bool:
        """Find the queries in which any of these rows has weight."""
        rows = rows if self.weight is None else rows & (self.weight > 0)
        queries = np.zeros(rows.size, np.intp) if self.queries is None else self.queries
        return np.bincount(queries[rows], minlength=int(queries.max()) + 1) > 0


def read(args: Namespace) -> FilePredictions:
    """Read the columns that the arguments name."""
    names = args.score
    if len({*names}) < len(names):
        repeated = next(name for name in names if names.count(name) > 1)
        raise DataError(f"--score {repeated} is given twice: pass each column of scores once")
    segments = _segment_columns(args)
    roles = "label", "inclusion_probability", "weight"
    columns = [name for role in roles if (name := getattr(args, role)) not in (None, "equal")]
    dates = [name for name in (args.query, args.cluster, *segments) if name is not None]
    batches = read_batches(args, [*columns, *names], dates)
    y_true, positive = labels(
        batches, args.label, args.positive, may_be_missing=args.inclusion_probability is not None
    )
    predictions = FilePredictions(
        y_true=y_true,
        y_scores={name: numbers(batches, name) for name in names},
        weight=numbers(batches, args.weight, finite=True) if args.weight else None,
        queries=codes_in_units(args.query, batches)[0],
        clusters=codes_in_units(args.cluster, batches)[0],
        positive=positive,
        label_options=_label_options(args, batches),
        segments={
            name: _segments(column, batches, y_true)
            for name, column in _names_in_words(segments).items()
        },
    )
    batches.clear()
    sys.modules["pyarrow"].default_memory_pool().release_unused()
    return predictions


def _segment_columns(args: Namespace) -> list[str]:
    """Return the columns of segments, of which report takes several."""
    names = getattr(args, "segment", None) or []
    names = [names] if isinstance(names, str) else names
    columns = [stem_and_unit(name) for name in names]
    for name, column in zip(names, columns, strict=True):
        if columns.count(column) > 1:
            raise DataError(f"--segment {name} is given twice: pass each column once")
    return names


def _names_in_words(columns: list[str]) -> dict[str, str]:
    """Name columns as people do: "ts:month" holds months, if no other column does."""
    words = [stem_and_unit(column)[1] or column for column in columns]
    named = zip(words, columns, strict=True)
    return {word if words.count(word) == 1 else column: column for word, column in named}


def _label_options(args: Namespace, batches: list[Rows]) -> Keywords:
    """Return the arguments of intervals if labels may be unknown."""
    given = args.inclusion_probability
    if given in (None, "equal"):
        return {} if given is None else {"inclusion_probability": given}
    return {"inclusion_probability": numbers(batches, given, finite=True, may_be_missing=True)}


def read_batches(args: Namespace, columns: list[str], dates: list[str]) -> list[Rows]:
    """Read columns; "-" is standard input.

    Nothing is read if the output would replace a file. For a name with a unit of time, as "ts:day",
    the column "ts" is read if no column has this name.
    """
    files = [file for path in args.file for file in _files(path)]
    if getattr(args, "output", None) is not None:
        refuse_input(args.output, files)
    check_memory(args, estimate_rows(files))

    def choose(header: Sequence[str]) -> list[str]:
        stems = (name if name in header else stem_and_unit(name)[0] for name in dates)
        return [*columns, *stems]

    batches = []
    with progress(None, " rows", "reading") as bar:
        for rows in read_files(files, choose):
            batches.append(rows)
            bar.update(len(rows))
    return batches


def _files(path: str) -> list[str]:
    """Find the files of an argument, which may be a column by mistake: --score a b FILE."""
    if path == "-":
        return [path]
    try:
        return find_files(path, FORMATS)
    except FileNotFoundError as error:
        if not path.isidentifier() or os.path.exists(path):
            raise
        raise FileNotFoundError(
            f"{error} If it is a column, write its option once more: --score a --score {path}"
        ) from None


def _column_and_unit(name: str, batches: list[Rows]) -> tuple[str, str | None]:
    """Return the column that was read for a name, and the unit of time after it."""
    return (name, None) if name in batches[0].columns else stem_and_unit(name)


def _categories(batches: list[Rows], column: str) -> list[str]:
    """Return the ordered categories of a column, if all files have the same."""
    found = []
    for rows in batches:
        cells = rows.columns[column]
        if not getattr(cells.type, "ordered", False):
            return []
        dictionaries = [chunk.dictionary for chunk in getattr(cells, "chunks", [cells])]
        found += [[*map(str, dictionary.to_pylist())] for dictionary in dictionaries]
    return found[0] if all(names == found[0] for names in found) else []


def _segments(segment: str, batches: list[Rows], y_true: Array) -> FileSegments:
    """Order segments by their categories, or in time, by the unit after the name of the column."""
    column, unit = _column_and_unit(segment, batches)
    codes, texts = codes_of_names(batches, column)
    written = Segments(texts, codes)
    categories = [] if unit else _categories(batches, column)
    if categories:
        ordered = written.reorder(categories, is_user_order=True)
        return FileSegments(ordered, written, column)
    is_chosen = unit is None
    dates = parse_dates(texts) if is_chosen else _checked_dates(column, unit, texts)
    if dates is None:
        return FileSegments(written, written, column)
    unit = unit or finest_unit(dates[codes], y_true)
    units = _time_units(dates, unit)
    _refuse_many_times(column, unit, len(units.texts), y_true.size)
    ordered = Segments(units.texts, units.codes[codes], has_order=True)
    cut = find_cut(dates, unit)
    return FileSegments(ordered, written, column, unit, is_chosen, cut)


def _refuse_many_times(column: str, unit: str, n_times: int, n_rows: int) -> None:
    """Refuse a unit of which most times have few rows."""
    if n_times > MANY_DATES and n_rows < FEWEST_ROWS_PER_DATE * n_times:
        raise DataError(
            f"column {column!r} holds {n_times:,} dates as {unit}s for {n_rows:,} rows: write "
            f"--segment {column}:month, or another of {', '.join(UNITS)}"
        )


def codes_in_units(name: str | None, batches: list[Rows]) -> tuple[Index | None, tuple[str, ...]]:
    """Return the code of each cell of a column, or of each day of "ts:day", and all their names."""
    if name is None:
        return None, ()
    column, unit = _column_and_unit(name, batches)
    codes, names = codes_of_names(batches, column)
    if unit is None:
        return codes, names
    units = _time_units(_checked_dates(column, unit, names), unit)
    return units.codes[codes], tuple(units.texts)


def codes_of_names(batches: list[Rows], column: str) -> tuple[Index, tuple[str, ...]]:
    """Return the code of each cell among the sorted names, and the names.

    Texts that are all numbers are sorted as numbers, as pandas would read them.
    """
    encoded = texts(batches, column).dictionary_encode().combine_chunks()
    names: list[str] = encoded.dictionary.to_pylist()
    keys: Sequence[Name] = numbers_of(names) or names
    order = sorted(range(len(names)), key=keys.__getitem__)
    ranks = np.argsort(order)
    return ranks[encoded.indices.to_numpy()], tuple(names[i] for i in order)


def numbers_of(names: Sequence[str]) -> list[float] | None:
    """Return names as numbers, if all are."""
    try:
        found = [*map(float, names)]
    except ValueError:
        return None
    return None if np.isnan(found).any() else found


def stem_and_unit(name: str) -> tuple[str, str | None]:
    """Split "ts:day" or "ts:days" into the column and its unit; or else the name is a column."""
    stem, _, word = name.rpartition(":")
    unit = unit_named(word)
    return (stem, unit) if stem and unit else (name, None)


def _checked_dates(name: str, unit: str | None, texts: Sequence[str]) -> Dates:
    """Parse texts as dates, and refuse a text that is no date."""
    dates = parse_dates(texts)
    if dates is None:
        example = next(text for text in texts if parse_dates([text]) is None)
        problem = f"holds no dates, such as 2026-10-01 or 2026-10-01T12:30, but {example!r}"
        raise DataError(f"column {name!r} {problem}: leave out :{unit}")
    return dates


def _time_units(dates: Dates, unit: str) -> TimeUnits:
    """Put dates into units of time, such as weeks."""
    starts, codes = np.unique(unit_starts(dates, unit), return_inverse=True)
    return TimeUnits(codes, [unit_as_text(start, unit) for start in starts])
