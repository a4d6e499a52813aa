"""Predictions read from files: which rows are positive, their scores, weights and queries."""

import os
import re
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import compress
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._base.common.types import Array, Bool, Index
from sklearn_ap._base.extras import progress
from sklearn_ap._base.files import cells
from sklearn_ap._base.files.cells import WORDS, FileRows, Names
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.files.numbers import parse_numbers
from sklearn_ap._base.files.reader import FileReader, find_files
from sklearn_ap._base.inputs.checks import list_first, select_rows, warn
from sklearn_ap._base.inputs.name_codes import codes_and_names
from sklearn_ap._program.cli._output_file import refuse_input
from sklearn_ap._program.cli._training_runs import with_columns
from sklearn_ap._questions.judged import select_scores
from sklearn_ap._questions.segments.names import Segments, is_many_dates

OR_LEFT_OUT = ", or pass --empty-scores left-out"
HOW_CHOSEN = "; if some rows have no label, use score with --inclusion-probability or --judge"
OR_WEIGHED = ", or leave them out and pass 1 / probability of the others as --weight"
# The negative and the positive label, for files whose labels need no --positive.
PAIRS = (("0", "1"), ("-1", "1"), ("0.0", "1.0"), *WORDS)
# A month, or a day with or without a time, and the offset of its zone.
TIME = r"[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?"
DATE = re.compile(rf"(\d{{4}}-\d{{2}}(?:-\d{{2}}(?:{TIME})?)?)(?: ?Z| ?[+-]\d{{2}}:?\d{{2}})?")
UNITS = {"hour": "h", "day": "D", "week": "D", "month": "M", "quarter": "M", "year": "Y"}
MONDAY = np.datetime64("1970-01-05")
# Of each role, the name of a column, or None, and what makes values of its cells.
Columns = dict[str, tuple[str | None, Callable[[FileRows, str], Any]]]
WITH_UNITS = "query", "cluster", "segment"  # roles of columns that may be of dates


@dataclass(frozen=True, slots=True, eq=False)
class FilePredictions:
    """Predictions from files; ``positive`` is the label that stands for True in ``y_true``.

    ``n_left_out`` is how many queries without positives were there and are left out.
    ``of_labels`` is what intervals take if labels may be unknown, which are nan in ``y_true``.
    With ``runs``, the scores are those of training runs of methods.
    """

    y_true: Array
    y_scores: dict[str, Array]
    weight: Array | None
    queries: Array | None
    positive: str
    n_left_out: int = 0
    clusters: Array | None = None
    query_names: tuple[str, ...] = ()
    segments: Segments | None = None
    of_labels: dict[str, Any] = field(default_factory=dict)
    runs: dict[str, list[str]] = field(default_factory=dict)  # the columns of each method

    @property
    def is_known(self) -> Bool:
        return np.asarray(self.y_true == self.y_true)

    @property
    def arguments(self) -> dict[str, Any]:
        """What functions of this package take, with the only scores that there are."""
        if len(self.y_scores) > 1:
            raise DataError("pass --score once: a tool ranks by one column")
        if self.clusters is not None:
            raise DataError("--cluster is for intervals: use score, or compare several columns")
        if self.of_labels:
            raise DataError("--inclusion-probability and --judge are for intervals: use score")
        (y_score,) = self.y_scores.values()
        data = {"y_true": self.y_true, "y_score": y_score}
        return data | {"sample_weight": self.weight, "queries": self.queries}

    @property
    def facts(self) -> dict[str, Any]:
        """What was read, as the first keys of JSON."""
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
        rows, positives = self.y_true.size, int(np.nansum(self.y_true))
        text = f"{rows:,} row{'s' * (rows != 1)}, {positives:,} positive "
        of_all = f"({100 * positives / rows:.3g}%)"
        text += f"of {self.is_known.sum():,} labelled" if self.of_labels else of_all
        if self.queries is not None:
            text += f", {self.n_queries:,} quer{'y' if self.n_queries == 1 else 'ies'}"
            if self.n_left_out:
                text += f" (and {self.n_left_out:,} without positives, left out)"
            elif self.n_undefined == self.n_queries:
                text += ", none with positives"
            elif self.n_undefined:
                text += f" ({self.n_undefined:,} without positives, counted as 0)"
        return f"{text}. The positive label is {self.positive!r}."

    def zero_division(self, prevalence: float | None) -> float:
        """What an undefined query scores; nothing is known where all are such."""
        is_defined = self._weighs(self.y_true == 1)
        if prevalence is not None:  # which needs both classes
            is_defined &= self._weighs(self.y_true == 0)
        return 0.0 if is_defined.any() else np.nan

    @property
    def n_queries(self) -> int:
        """How many rankings have rows that weigh something."""
        return int(np.count_nonzero(self._weighs(np.ones(self.y_true.size, bool))))

    @property
    def n_undefined(self) -> int:
        """How many rankings with labels of all rows have no positives that weigh something."""
        has_positives, has_unknown = map(self._weighs, (self.y_true == 1, ~self.is_known))
        return int(np.count_nonzero(self._weighs(self.is_known) & ~has_positives & ~has_unknown))

    def without_undefined(self) -> "FilePredictions":
        """Leave out the queries without positives, unless there are no others."""
        has_positives = self._weighs(self.y_true == 1)
        if self.of_labels:
            raise DataError("--without-positives left-out needs the labels of all rows")
        if self.queries is None or not has_positives.any():
            return self
        kept = has_positives[self.queries]
        weight, queries, clusters = select_rows(kept, self.weight, self.queries, self.clusters)
        return replace(
            self,
            y_true=self.y_true[kept],
            y_scores=select_scores(self.y_scores, kept),
            weight=weight,
            queries=(np.cumsum(has_positives) - 1)[queries],
            n_left_out=self.n_undefined,
            clusters=clusters,
            query_names=tuple(compress(self.query_names, has_positives)),
        )

    def _weighs(self, rows: Bool) -> Bool:
        """Whether each query has any of these rows, with a weight."""
        rows = rows if self.weight is None else rows & (self.weight > 0)
        queries = np.zeros(rows.size, np.intp) if self.queries is None else self.queries
        return np.bincount(queries[rows], minlength=int(queries.max()) + 1) > 0


def read(args: Namespace) -> FilePredictions:
    """Read the columns that are asked for."""
    args, runs = with_columns(args, [file for path in args.file for file in _files(path)])
    names, chance, judge = args.score, args.inclusion_probability, args.judge
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise DataError(f"--score {twice} is given twice: pass each column of scores once")
    remedy = HOW_CHOSEN if args.command == "chance" else HOW_CHOSEN + OR_WEIGHED
    empty_hint = remedy if chance is None and judge is None else None
    segment = getattr(args, "segment", None)
    columns: Columns = {
        "label": (args.label, partial(cells.names_of_labels, empty_hint=empty_hint)),
        "chance": (None if chance == "equal" else chance, cells.numbers_or_nan),
        "judge": (judge, cells.labels),
        "weight": (args.weight, cells.weights),
        "query": (args.query, cells_and_column),
        "cluster": (args.cluster, cells_and_column),
        "segment": (segment, _in_categories),
        **{f"score {name}": (name, scores_of_cells) for name in names},
    }
    parts = read_columns(args, columns)
    y_true, positive = _truth(args.label, parts["label"], args.positive)
    of_labels = {
        "inclusion_probability": np.concatenate(parts["chance"]) if parts["chance"] else chance,
        "judge": _judged(judge, parts["judge"], positive) if parts["judge"] else None,
    }
    queries, query_names = codes_in_units(args.query, parts["query"])
    return FilePredictions(
        y_true=y_true,
        y_scores={
            name: cells.join_numbers(parts[f"score {name}"], f"column {name!r}") for name in names
        },
        weight=np.concatenate(parts["weight"]) if parts["weight"] else None,
        queries=queries,
        clusters=codes_in_units(args.cluster, parts["cluster"])[0],
        positive=positive,
        query_names=query_names,
        of_labels=of_labels if empty_hint is None else {},
        segments=None if segment is None else _segments(segment, parts["segment"]),
        runs=runs,
    )


def scores_of_cells(rows: FileRows, name: str) -> Array:
    return cells.scores(rows, name, OR_LEFT_OUT)


def read_columns(args: Namespace, columns: Columns) -> dict[str, list[Any]]:
    """The parts of the column of each role, none if it has no name; "-" is standard input.

    Nothing is read if the output would replace a file. Of names with a unit of time, as "ts:day",
    the column "ts" is read if there is none of this name.
    """
    files = [file for path in args.file for file in _files(path)]
    if getattr(args, "output", None) is not None:
        refuse_input(args.output, files)
    wanted = [name for name, _ in columns.values() if name is not None]
    dated = (columns[role][0] for role in WITH_UNITS if role in columns)
    instead = {name: stem_and_unit(name)[0] for name in dated if name is not None}
    reader = FileReader(files, wanted, instead, brief=True)
    parts: dict[str, list[Any]] = {role: [] for role in columns}
    total, unit = reader.size()
    n_left_out, with_scores = 0, args.score if args.empty_scores == "left-out" else []
    with progress(total, unit, "reading") as bar:
        for given in reader:
            rows = given.drop_incomplete(with_scores) if with_scores else given
            n_left_out += given.size - rows.size
            for role, (name, convert) in columns.items():
                if name is not None:
                    parts[role].append(convert(rows, name))
            bar.update(given.amount(unit))
    if not any(map(len, [*parts.values()][-1])):
        raise DataError("no row has a score" if n_left_out else "no rows below the header")
    if n_left_out:
        warn(f"rows without a score are left out: {n_left_out}", UserWarning)
    return parts


def _files(path: str) -> list[str]:
    """The files that an argument stands for, which may be a column: --score a b FILE."""
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


def _truth(name: str, parts: list[Names], chosen: str | None) -> tuple[Array, str]:
    """Which rows are positive, nan where there is no label, and the label that says so."""
    labels = sorted({_label(value) for part in parts for value in part.present})
    positive = _positive(name, labels, chosen)
    spelt = str.lower if chosen is None else str  # True and true are one word
    truth = np.concatenate([_hits(part, lambda v: spelt(v) == spelt(positive)) for part in parts])
    return truth if np.isnan(truth).any() else truth == 1, positive


def _hits(part: Names, is_positive: Callable[[str], bool]) -> Array:
    hits = [float(is_positive(_label(value))) for value in part.values]
    return np.array([*hits, np.nan])[part.codes]  # the last is that of -1


def _judged(name: str, parts: list[Any], positive: str) -> Array:
    """Numbers that say how probable a positive is, or where the positive label stands."""
    judged = np.concatenate(parts)
    if judged.dtype.kind == "b":  # yes was read as True, and no may be the positive label
        return np.asarray(judged != (positive.lower() in dict(WORDS)))
    if judged.dtype.kind in "iuf":
        return judged
    if not np.any(judged == positive):
        raise DataError(f"column {name!r} holds neither numbers nor the label {positive!r}")
    return np.asarray(judged == positive)


def _positive(name: str, labels: list[str], chosen: str | None) -> str:
    """The positive label as it stands in the file, or as it would if it stood there."""
    if chosen is None:
        for negative, positive in PAIRS:
            if {label.lower() for label in labels} <= {negative, positive}:
                return next((label for label in labels if label.lower() == positive), positive)
    if len(labels) > 2:
        some = list_first([*map(shown, labels)], 4)
        raise DataError(
            f"column {name!r} holds {len(labels)} labels, not two: {some}. A cell without a label "
            f"must be empty"
        )
    held = f"column {name!r} holds {' and '.join(map(shown, labels))}"
    if chosen is None:
        raise DataError(f"{held}: say which is positive with --positive")
    if len(labels) == 2 and chosen not in labels:
        raise DataError(f"--positive is {chosen!r}, but {held}")
    return chosen


def _label(value: Any) -> str:
    """A label as the user writes it: 1.0 of a column of numbers is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def cells_and_column(rows: FileRows, name: str) -> tuple[Names, str]:
    """The cells of a column, or of that before a unit of time; and the name of the column."""
    column = name if name in rows.columns else stem_and_unit(name)[0]
    return cells.names(rows, column), column


def _in_categories(rows: FileRows, name: str) -> tuple[Any, list[str], str]:
    """The cells of a column, the names of its categories if these have an order, and its name."""
    values, name = cells_and_column(rows, name)
    order = rows.columns[name].ordered_names()
    return values, [] if order is None else [*map(str, cells.as_python(name, order))], name


def _segments(segment: str, parts: list[tuple[Any, list[str], str]]) -> Segments:
    """In the order of their categories, or of time; by a unit if there is no such column."""
    columns, orders, names = zip(*parts, strict=True)
    codes, texts = codes_of_parts([*columns])
    is_column = segment in names
    name, unit = (segment, None) if is_column else stem_and_unit(segment)
    return segments_of(name, unit, Segments(texts, cast(Any, codes)), orders)


def codes_in_units(
    name: str, parts: list[tuple[Names, str]]
) -> tuple[Index | None, tuple[str, ...]]:
    """The codes of the cells of a column and their names, or those of the days of "ts:day"."""
    codes, names = codes_of_parts([values for values, _ in parts])
    column, unit = stem_and_unit(name or "")
    if codes is None or unit is None or name in (there for _, there in parts):
        return codes, names
    place, texts, _ = _in_units(_checked_dates(column, unit, names), unit)
    return place[codes], tuple(texts)


def codes_of_parts(parts: list[Names]) -> tuple[Index | None, tuple[str, ...]]:
    """The place of each query among their sorted names, and these; texts if files are unlike.

    Texts that are all numbers are sorted as numbers, which pandas would read them as.
    """
    if not parts:
        return None, ()
    if len({part.column.kind for part in parts}) > 1:
        parts = [part.as_text() for part in parts]
    names = [*dict.fromkeys(value for part in parts for value in part.values)]
    keys: Any = names
    if names and isinstance(names[0], str):
        numbers = parse_numbers(names)
        keys = names if np.isnan(numbers).any() else numbers.tolist()
    order = sorted(range(len(names)), key=keys.__getitem__)
    place = {names[i]: code for code, i in enumerate(order)}
    codes = [np.array([place[v] for v in part.values], np.intp)[part.codes] for part in parts]
    return np.concatenate(codes), tuple(str(names[i]) for i in order)


def stem_and_unit(name: str) -> tuple[str, str | None]:
    """The column and the unit of "ts:day"; a name without a unit is a column."""
    stem, _, unit = name.rpartition(":")
    return (stem, unit) if stem and unit in UNITS else (name, None)


def segments_of(
    name: str, unit: str | None, named: Segments, orders: Sequence[list[str]]
) -> Segments:
    """The segments of a column, from its distinct texts and each row's place among them.

    Categories have their order if all files have the same; dates are put into units of time.
    """
    categories = orders[0]
    if unit is None and categories and all(each == categories for each in orders):
        return named.reorder(categories, is_user_order=True)
    if unit is None and _dates_of(named.names) is None:
        return named
    dates = _checked_dates(name, unit, named.names)
    code, texts, starts = _in_units(dates, unit)
    if is_many_dates(len(texts), named.codes.size):
        held = f"column {name!r} holds {len(texts):,} dates{f' as {unit}s' if unit else ''}"
        longer = ", ".join(UNITS)
        raise DataError(
            f"{held} for {named.codes.size:,} rows: write --segment {name}:month, or another of "
            f"{longer}"
        )
    return Segments(texts, code[named.codes], has_order=True, times=starts)


def _checked_dates(name: str, unit: str | None, texts: Sequence[str]) -> NDArray[np.datetime64]:
    """The dates that texts are, all of them."""
    dates = _dates_of(texts)
    if dates is None:
        wrong = next(text for text in texts if _dates_of([text]) is None)
        problem = f"holds no dates, such as 2026-10-01 or 2026-10-01T12:30, but {shown(wrong)}"
        raise DataError(f"column {name!r} {problem}: leave out :{unit}")
    return dates


def _dates_of(texts: Sequence[str]) -> NDArray[np.datetime64] | None:
    """The dates that texts are, by the clock of their zone; None unless all are dates."""
    dates = []
    for text in texts:
        match = DATE.fullmatch(text)
        if match is None:
            return None
        dates.append(match[1])
    try:
        return np.array(dates, dtype="M8[us]")
    except ValueError:  # there is no month 13
        return None


def _in_units(dates: Array, unit: str | None) -> tuple[Index, list[str], Any]:
    """The code of each date, and the distinct ones in the order of time: as text, and as dates."""
    if unit is not None:
        dates = dates.astype(f"M8[{UNITS[unit]}]")
    if unit == "week":
        dates = dates - (dates - MONDAY) % np.timedelta64(7, "D")
    if unit == "quarter":
        dates = dates - dates.astype(np.intp) % 3
    code, names = codes_and_names(dates, "segments")
    if unit == "week":
        names = [name.astype("M8[D]") for name in names]
    if unit == "hour":
        names = [name.astype("M8[h]") for name in names]
    if unit == "quarter":
        months = [str(name.astype("M8[M]")).split("-") for name in names]
        return code, [f"{year}Q{(int(month) + 2) // 3}" for year, month in months], names
    return code, [*map(str, names)], names
