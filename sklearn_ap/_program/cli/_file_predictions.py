"""Predictions read from files: which rows are positive, their scores, weights and queries."""

import os
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np

from sklearn_ap._base.files import cells
from sklearn_ap._base.files.cells import WORDS, CodedNames, FileRows
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.files.formats import release_arrow_memory
from sklearn_ap._base.files.numbers import parse_numbers
from sklearn_ap._base.files.reader import FileReader, find_files
from sklearn_ap._extras import printable, progress
from sklearn_ap._inputs.arrays import select_rows
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
from sklearn_ap._program.cli._memory import check_memory
from sklearn_ap._program.cli._output_file import refuse_input
from sklearn_ap._results.text import count_as_text, names_as_text, share_as_text
from sklearn_ap._types import Array, Bool, Index, Keywords, Name
from sklearn_ap.inference._segment_names import Segments

EMPTY_LABEL_REMEDY = (
    "; if some rows have no label, use score with --inclusion-probability, or leave them out and "
    "pass 1 / probability of the others as --weight"
)
EMPTY_NAME_REMEDY = "; write a name, or leave the row out"
EMPTY_SEGMENT_REMEDY = "; leave the row out, or unless these are dates, write 'unknown'"
# The negative and the positive label, for files whose labels need no --positive.
LABEL_PAIRS = (("0", "1"), ("-1", "1"), ("0.0", "1.0"), *WORDS)
# More dates than this are segments only if they have this many rows each, on average.
MANY_DATES, FEWEST_ROWS_PER_DATE = 50, 10
DATE_ROLES = "query", "cluster", "segment"  # roles of columns that may hold dates

# For each role, the name of a column, or None, and the function that reads values from its cells.
Columns = dict[str, tuple[str | None, Callable[[FileRows, str], Any]]]
Parts = dict[str, list[Any]]  # for each role, the values of one part of the rows after the other


class CategoryCells(NamedTuple):
    """The cells of a column, its ordered categories if it has any, and its name."""

    cells: CodedNames
    categories: list[str]
    column: str


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
    parts = read_columns(args, _prediction_columns(args, segments))
    y_true, positive = _read_labels(args.label, parts["label"], args.positive)
    predictions = FilePredictions(
        y_true=y_true,
        y_scores=_join_scores(names, parts),
        weight=np.concatenate(parts["weight"]) if parts["weight"] else None,
        queries=codes_in_units(args.query, parts["query"])[0],
        clusters=codes_in_units(args.cluster, parts["cluster"])[0],
        positive=positive,
        label_options=_label_options(args, parts),
        segments={
            name: _segments(column, parts[f"segment {column}"], y_true)
            for name, column in _names_in_words([*segments.values()]).items()
        },
    )
    parts.clear()
    release_arrow_memory()
    return predictions


def _join_scores(names: list[str], parts: Parts) -> dict[str, Array]:
    """Join the parts of each column of scores.

    The parts are popped, so that memory holds two copies of one column only.
    """
    return {
        name: cells.join_numbers(parts.pop(f"score {name}"), f"column {name!r}") for name in names
    }


def _segment_columns(args: Namespace) -> dict[str, str]:
    """Return the columns of segments, of which report takes several, by their roles."""
    names = getattr(args, "segment", None) or []
    names = [names] if isinstance(names, str) else names
    columns = [stem_and_unit(name) for name in names]
    for name, column in zip(names, columns, strict=True):
        if columns.count(column) > 1:
            raise DataError(f"--segment {name} is given twice: pass each column once")
    return {f"segment {name}": name for name in names}


def _names_in_words(columns: list[str]) -> dict[str, str]:
    """Name columns as people do: "ts:month" holds months, if no other column does."""
    words = [stem_and_unit(column)[1] or column for column in columns]
    named = zip(words, columns, strict=True)
    return {word if words.count(word) == 1 else column: column for word, column in named}


def _has_all_labels(args: Namespace) -> bool:
    return args.inclusion_probability is None


def _prediction_columns(args: Namespace, segments: dict[str, str]) -> Columns:
    """Map each role to its column, and to the function that reads the cells."""
    is_equal = args.inclusion_probability == "equal"
    return {
        "label": (
            args.label,
            partial(
                cells.names_of_labels,
                empty_hint=EMPTY_LABEL_REMEDY,
                allow_missing=not _has_all_labels(args),
            ),
        ),
        "inclusion probability": (
            None if is_equal else args.inclusion_probability,
            cells.numbers_or_nan,
        ),
        "weight": (args.weight, cells.weights),
        "query": (args.query, cells_and_column),
        "cluster": (args.cluster, cells_and_column),
        **{role: (name, _category_cells) for role, name in segments.items()},
        **{f"score {name}": (name, cells.scores) for name in args.score},
    }


def _label_options(args: Namespace, parts: Parts) -> Keywords:
    """Return the arguments of intervals if labels may be unknown."""
    if _has_all_labels(args):
        return {}
    inclusion_probability = args.inclusion_probability  # None, or "equal"
    if parts["inclusion probability"]:
        inclusion_probability = np.concatenate(parts["inclusion probability"])
    return {"inclusion_probability": inclusion_probability}


def read_columns(args: Namespace, columns: Columns) -> Parts:
    """Read the column of each role, none if it has no name; "-" is standard input.

    Nothing is read if the output would replace a file. For a name with a unit of time, as "ts:day",
    the column "ts" is read if no column has this name.
    """
    files = [file for path in args.file for file in _files(path)]
    if getattr(args, "output", None) is not None:
        refuse_input(args.output, files)
    column_names = [name for name, _ in columns.values() if name is not None]
    date_columns = (name for role, (name, _) in columns.items() if role.split()[0] in DATE_ROLES)
    stems = {name: stem_and_unit(name)[0] for name in date_columns if name is not None}
    reader = FileReader(files, column_names, stems, brief=True)
    size = reader.size()
    check_memory(args, reader.estimate_rows(size))
    parts: Parts = {role: [] for role in columns}
    total, unit = size
    with progress(total, unit, "reading") as bar:
        for rows in reader:
            for role, (name, convert) in columns.items():
                if name is not None:
                    parts[role].append(convert(rows, name))
            bar.update(rows.amount(unit))
    if not any(map(len, parts[f"score {args.score[0]}"])):
        raise DataError("no rows below the header")
    return parts


def _files(path: str) -> list[str]:
    """Find the files of an argument, which may be a column by mistake: --score a b FILE."""
    if path == "-":
        return [path]
    try:
        return find_files(path)
    except FileNotFoundError as error:
        if not path.isidentifier() or os.path.exists(path):
            raise
        raise FileNotFoundError(
            f"{error} If it is a column, write its option once more: --score a --score {path}"
        ) from None


def _read_labels(name: str, parts: list[CodedNames], chosen: str | None) -> tuple[Array, str]:
    """Return whether each row is positive, nan if it has no label, and the positive label."""
    labels = sorted({_label_as_text(value) for part in parts for value in part.present})
    positive = _choose_positive(name, labels, chosen)
    normalize = str.lower if chosen is None else str  # True and true are one word

    def is_positive(label: str) -> bool:
        return normalize(label) == normalize(positive)

    y_true = np.concatenate([_mark_positives(part, is_positive) for part in parts])
    return y_true if np.isnan(y_true).any() else y_true == 1, positive


def _mark_positives(part: CodedNames, is_positive: Callable[[str], bool]) -> Array:
    marks = [float(is_positive(_label_as_text(value))) for value in part.values]
    return np.array([*marks, np.nan])[part.codes]  # code -1, no label, takes the appended nan


def _choose_positive(name: str, labels: list[str], chosen: str | None) -> str:
    """Choose the positive label, as the file writes it if the file has it."""
    if chosen is None:
        for negative, positive in LABEL_PAIRS:
            if {label.lower() for label in labels} <= {negative, positive}:
                return next((label for label in labels if label.lower() == positive), positive)
    if len(labels) > 2:
        examples = names_as_text([*map(shown, labels)])
        raise DataError(
            f"column {name!r} holds {len(labels)} labels, not two: {examples}. A cell without a "
            f"label must be empty"
        )
    held = f"column {name!r} holds {' and '.join(map(shown, labels))}"
    if chosen is None:
        raise DataError(f"{held}: say which is positive with --positive")
    if len(labels) == 2 and chosen not in labels:
        raise DataError(f"--positive is {chosen!r}, but {held}")
    return chosen


def _label_as_text(value: Name) -> str:
    """Write a label as the user does: 1.0 in a column of numbers is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def cells_and_column(
    rows: FileRows, name: str, empty_hint: str = EMPTY_NAME_REMEDY
) -> tuple[CodedNames, str]:
    """Return the cells and the name of a column, which may stand before a unit of time."""
    column = name if name in rows.columns else stem_and_unit(name)[0]
    return cells.read_names(rows, column, empty_hint), column


def _category_cells(rows: FileRows, name: str) -> CategoryCells:
    values, column = cells_and_column(rows, name, EMPTY_SEGMENT_REMEDY)
    order = rows.columns[column].ordered_names()
    categories = [] if order is None else [*map(str, cells.as_python(column, order))]
    return CategoryCells(values, categories, column)


def _segments(segment: str, parts: list[CategoryCells], y_true: Array) -> FileSegments:
    """Order segments by their categories, or in time, by the unit after the name of the column."""
    codes, texts = part_codes([part.cells for part in parts])
    written = Segments(texts, cast(Index, codes))
    is_column = any(part.column == segment for part in parts)
    column, unit = (segment, None) if is_column else stem_and_unit(segment)
    categories = [part.categories for part in parts]
    if unit is None and categories[0] and all(names == categories[0] for names in categories):
        ordered = written.reorder(categories[0], is_user_order=True)
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


def codes_in_units(
    name: str, parts: list[tuple[CodedNames, str]]
) -> tuple[Index | None, tuple[str, ...]]:
    """Return the code of each cell of a column, or of each day of "ts:day", and all their names."""
    codes, names = part_codes([values for values, _ in parts])
    stem, unit = stem_and_unit(name or "")
    if codes is None or unit is None or name in (column for _, column in parts):
        return codes, names
    units = _time_units(_checked_dates(stem, unit, names), unit)
    return units.codes[codes], tuple(units.texts)


def part_codes(parts: list[CodedNames]) -> tuple[Index | None, tuple[str, ...]]:
    """Return the code of each cell among the sorted names, and the names.

    If files have different types, names are texts. Texts that are all numbers are sorted as
    numbers, as pandas would read them.
    """
    if not parts:
        return None, ()
    if len({part.distinct.kind for part in parts}) > 1:
        parts = [part.as_text() for part in parts]
    names = [*dict.fromkeys(value for part in parts for value in part.values)]
    keys: Sequence[Name] = names
    if names and isinstance(names[0], str):
        numbers = parse_numbers(names)
        if not np.isnan(numbers).any():
            keys = numbers.tolist()
    order = sorted(range(len(names)), key=keys.__getitem__)
    code_of = {names[i]: code for code, i in enumerate(order)}
    # The codes of the distinct names of a part, then the codes of its rows.
    codes = [
        np.array([code_of[value] for value in part.values], np.intp)[part.codes] for part in parts
    ]
    return np.concatenate(codes), tuple(str(names[i]) for i in order)


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
        problem = f"holds no dates, such as 2026-10-01 or 2026-10-01T12:30, but {shown(example)}"
        raise DataError(f"column {name!r} {problem}: leave out :{unit}")
    return dates


def _time_units(dates: Dates, unit: str) -> TimeUnits:
    """Put dates into units of time, such as weeks."""
    starts, codes = np.unique(unit_starts(dates, unit), return_inverse=True)
    return TimeUnits(codes, [unit_as_text(start, unit) for start in starts])
