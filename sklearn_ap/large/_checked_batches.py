"""Checks of one batch of rows. Errors name the batch, and the row in it."""

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from numbers import Real
from reprlib import repr as shown
from typing import Any, NamedTuple, Self, TypeAlias

import numpy as np

from sklearn_ap._base.files.arrow_columns import ArrowColumn, read_columns
from sklearn_ap._base.files.cells import FileRows
from sklearn_ap._base.files.errors import shown as shown_cell
from sklearn_ap._base.files.numbers import is_huge
from sklearn_ap._base.files.reader import name_file_in_errors
from sklearn_ap._inputs.arrays import are_known, as_column, check_same_order, select_rows
from sklearn_ap._inputs.labels import NOT_RETRIEVED, check_targets
from sklearn_ap._inputs.names import check_names, encode_names
from sklearn_ap._inputs.request import check_binary
from sklearn_ap._inputs.weights import check_weights, drop_weightless_rows
from sklearn_ap._types import (
    Argument,
    Array,
    ArrowTable,
    Bool,
    Float,
    Index,
    Label,
    RowData,
)

Labels = dict[Label, str]  # the location of the first row of each label, in the order of the rows
ScoreDtype: TypeAlias = np.dtype[Any]  # floats or integers
# An array of names or of their codes, or None. Only functions about queries read it.
NameColumn: TypeAlias = Any

ROLES = ("y_true", "y_score", "sample_weight", "queries")
# Advice of errors about missing values.
HINTS = {
    "y_score": f" {NOT_RETRIEVED}",
    "y_true": " Leave rows without a label out, as by WHERE label IS NOT NULL.",
}
ONE_CALL_EACH = "Count the scores of each model by a call of its own."
MOST_LABEL_PLACES = 3  # the third label is one too many, so its location is enough


@dataclass(frozen=True, slots=True, eq=False)
class Batch:
    """Some rows of a source; ``place`` names them in errors, as "batch 3".

    A batch of a file also has the rows of the file and the names of the columns.
    """

    place: str
    columns: Mapping[str, RowData]  # the columns by role, see columns_by_role
    file_rows: FileRows | None = None
    names: Mapping[str, str] = field(default_factory=dict)

    def refuse(self, role: str, problem: str, is_wrong: Bool, hint: str = "") -> None:
        """Raise an error if any value is wrong."""
        if is_wrong.any():
            row = int(is_wrong.argmax())
            cell = f" ({self.locate(role, row)})" if self.file_rows else ""
            count = f"{np.count_nonzero(is_wrong)} of {is_wrong.size} values"
            raise ValueError(f"{role} {problem}: {count}, the first in row {row}{cell}.{hint}")

    def locate(self, role: str, row: int) -> str:
        """Locate a value: the file, the row and the column, or the batch and the row."""
        if self.file_rows:
            return self.file_rows.cell(row, self.names[role])
        return f"{self.place}, row {row}"

    def amount(self, unit: str) -> int:
        """Measure the batch for a bar of rows or of bytes."""
        return self.file_rows.amount(unit) if self.file_rows else len(self.columns["y_score"])


@dataclass(frozen=True, slots=True, eq=False)
class CleanBatch:
    """The rows of a batch that have weight, and all labels that it holds."""

    labels: Labels
    positive: Bool
    score: Array
    weight: Float | None
    queries: NameColumn = None

    def take(self, rows: Bool | Index | slice) -> Self:
        """Keep some of the rows, and the labels of all rows."""
        positive, score, weight, queries = select_rows(
            rows, self.positive, self.score, self.weight, self.queries
        )
        return type(self)(self.labels, positive, score, weight, queries)


class ScoreType(NamedTuple):
    """The dtype of some scores, and whether floats would merge whole numbers that they hold."""

    dtype: ScoreDtype
    is_huge: bool


def score_type(score: Array) -> ScoreType:
    return ScoreType(score.dtype, score.dtype.kind in "iu" and bool(is_huge(score).any()))


def common_dtype(types: Collection[ScoreType]) -> ScoreDtype:
    """Find the dtype of all scores in one array. Refuse floats that would merge integers."""
    dtypes = {kind.dtype for kind in types}
    dtype = np.result_type(*dtypes) if dtypes else np.dtype(float)
    if dtype.kind == "f" and any(kind.is_huge for kind in types):
        raise ValueError(
            f"y_score holds whole numbers of 2**53 or more, and the types "
            f"{sorted(map(str, dtypes))}: as {dtype}, different numbers would be tied. Give all "
            f"rows one type, or pass ranks."
        )
    return dtype


def columns_by_role(
    y_true: Argument,
    y_score: Argument,
    sample_weight: Argument = None,
    queries: Argument = None,
) -> dict[str, Argument]:
    """Return the columns that were passed, or their names, by their roles.

    Several columns of queries have the roles "queries 0", "queries 1" and so on.
    """
    optional_columns = {"sample_weight": sample_weight, "queries": queries}
    if isinstance(queries, list | tuple):
        if not queries:
            raise ValueError("queries is an empty list: name a column, or pass None.")
        optional_columns |= {"queries": None} | {
            f"queries {i}": key for i, key in enumerate(queries)
        }
    optional_columns = {
        role: column for role, column in optional_columns.items() if column is not None
    }
    return {"y_true": y_true, "y_score": y_score} | optional_columns


def check_column_names(*columns: Argument) -> dict[str, Argument]:
    """Return the names of the columns by their roles. Each must be one text."""
    names = columns_by_role(*columns)
    for role, name in names.items():
        if isinstance(name, str | int):  # names in pandas may be numbers
            continue
        remedy = "Name a column of the source."
        if isinstance(name, list | tuple):
            remedy = "Make one column of them first."
            if role == "y_score":
                remedy = f"{ONE_CALL_EACH} Write a loop: for y_score in {shown(name)}: ..."
        argument = role.split()[0]
        raise TypeError(f"{argument} must be the name of one column, got {shown(name)}. {remedy}")
    return names


def batches_from_arrow(
    records: Iterable[ArrowTable], columns: Mapping[str, str], kind: str = "batch"
) -> Iterator[Batch]:
    first_row = 0
    for i, record in enumerate(records):
        place = f"{kind} {i} (from row {first_row})"
        with name_file_in_errors(place, f"{place}: "):
            values = read_columns(record, columns.values())
        yield Batch(place, {role: values[name] for role, name in columns.items()})
        first_row += record.num_rows


def clean(batch: Batch, pos_label: Label) -> CleanBatch:
    """Check a batch. Labels are compared later with those of other batches."""
    try:
        return _clean(batch, pos_label)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{batch.place}: {error}") from error


def merge_labels(labels: Labels, later: Labels) -> Labels:
    """Merge the labels of rows and of later rows, each with its first location."""
    return labels | {label: place for label, place in later.items() if label not in labels}


def check_labels(labels: Labels, n_rows: int, pos_label: Label) -> None:
    """Check the labels of all batches as if they came in one array."""
    if not labels:
        raise ValueError("y_true and y_score are empty: there is nothing to score.")
    try:
        label_array = _label_array(labels)
        check_binary(
            label_array, np.zeros(label_array.size), pos_label=pos_label, sample_weight=None
        )
    except (TypeError, ValueError) as error:
        names = [*labels]
        is_text = isinstance(names[0], str)
        other_types = [label for label in names if isinstance(label, str) != is_text]
        if pos_label is not None and not other_types:
            raise
        # The first label of another type than the first label, or else the third label.
        label = other_types[0] if other_types else names[:MOST_LABEL_PLACES][-1]
        raise type(error)(f"{error} The label {label!r} is first in {labels[label]}.") from error
    if not n_rows:
        raise ValueError("sample_weight is zero in every row: nothing is left to score.")


def _clean(batch: Batch, pos_label: Label) -> CleanBatch:
    check_same_order(**batch.columns)
    y_true = _column(batch, "y_true")
    y_score = _numbers(batch, "y_score")
    weight = _numbers(batch, "sample_weight") if "sample_weight" in batch.columns else None
    # With several columns of queries, their roles are "queries 0", "queries 1", ...
    name_roles = [role for role in batch.columns if role.startswith("queries")]
    names = {role: _column(batch, role) for role in name_roles}
    if y_true.dtype == bool:
        y_true = y_true.view(np.uint8)  # numbers compare faster
    _check_finite(batch, y_score, weight)
    columns = (y_true, y_score, weight, *names.values())
    sizes = {column.size for column in columns if column is not None}
    labels = _labels(batch, y_true) if y_true.size else {}
    # The positive label may be absent here, and come in another batch.
    positive = np.asarray(y_true == (1 if pos_label is None else pos_label), dtype=bool)
    if len(sizes) == 1 and (sizes == {0} or (weight is not None and not weight.any())):
        # No rows here, but perhaps in other batches.
        queries = next(iter(names.values()), None)
        return CleanBatch(labels, positive, y_score, weight, queries).take(slice(0))
    positive, score, _ = check_targets(positive, y_score, None, is_binary=True)
    weight = check_weights(weight, score.size)
    for role, column in names.items():
        names[role] = check_names(role, column, score.size)
        has_weight = True if weight is None else weight > 0
        batch.refuse(role, "contains missing values", ~are_known(names[role]) & has_weight)
    positive, score, weight, *kept_names = drop_weightless_rows(
        weight, positive, score, weight, *names.values()
    )
    names = dict(zip(names, kept_names, strict=True))
    return CleanBatch(labels, positive, score, weight, _join_names([*names.values()]))


def _join_names(columns: list[Array]) -> Array | None:
    """Make tuples of the names in several columns; one column stays as it is, and none is None."""
    if len(columns) < 2:
        return columns[0] if columns else None
    codes = np.zeros(len(columns[0]), np.intp)
    for column in columns:
        column_codes, distinct = encode_names(column, "queries")
        # Find the code of each tuple, and a row with it.
        _, example_row, codes = np.unique(
            codes * distinct.size + column_codes, return_index=True, return_inverse=True
        )
    # np.array would make a table of the tuples.
    names = np.empty(example_row.size, object)
    names[:] = [*zip(*(column[example_row].tolist() for column in columns), strict=True)]
    return names[codes]


def _check_finite(batch: Batch, y_score: Array, weight: Array | None) -> None:
    """Refuse scores that are nan or plus infinity, and weights that are not finite or negative."""
    # The maximum is found faster than all comparisons, and is nan if any score is.
    if y_score.dtype.kind == "f" and not np.maximum.reduce(y_score, initial=0) < np.inf:
        is_wrong = ~(y_score < np.inf)
        batch.refuse("y_score", "contains NaN or infinity", is_wrong, HINTS["y_score"])
    if weight is not None and weight.dtype.kind == "f":
        batch.refuse("sample_weight", "contains NaN or infinity", ~np.isfinite(weight))
        batch.refuse("sample_weight", "must not be negative", weight < 0)


def _column(batch: Batch, role: str) -> Array:
    values = batch.columns[role]
    if isinstance(values, ArrowColumn):
        if values.cells.null_count:
            is_missing = values.cells.is_null().to_numpy(zero_copy_only=False)
            batch.refuse(role, "contains missing values", is_missing, HINTS.get(role, ""))
        if not values.is_single:
            problem = f"holds {values.kind}, not one value a row"
            batch.refuse(role, problem, np.ones(len(values), bool))
        return values.to_numpy()
    shape = np.shape(values)
    if role == "y_score" and shape[1:] > (1,):
        raise ValueError(f"{role} must be one-dimensional, got shape {shape}. {ONE_CALL_EACH}")
    return as_column(role, values)


def _numbers(batch: Batch, role: str) -> Array:
    """Read a column that holds no text, and no dates."""
    column = _column(batch, role)
    if column.dtype.kind in "OUST" and column.size:
        is_text = np.array([isinstance(value, str | bytes) for value in column], dtype=bool)
        text = shown_cell(column[is_text.argmax()])
        batch.refuse(role, f"must hold numbers, got the text {text}", is_text)
    elif column.dtype.kind not in "biufO":
        batch.refuse(role, f"must hold numbers, got {column.dtype}", np.ones(column.size, bool))
    return column


def _labels(batch: Batch, y_true: Array) -> Labels:
    """Find the distinct labels and the location of their first rows; refuse missing labels."""
    if y_true.dtype.kind in "iuf":
        matches = {label: y_true == label for label in (0, 1, -1)}
        if sum(map(np.count_nonzero, matches.values())) == y_true.size:
            return {
                label: batch.locate("y_true", int(is_match.argmax()))
                for label, is_match in matches.items()
                if is_match.any()
            }
    batch.refuse("y_true", "contains missing values", ~are_known(y_true), HINTS["y_true"])
    if y_true.dtype.kind == "f":
        is_invalid = ~np.isfinite(y_true) | (y_true != np.trunc(y_true))
        example = y_true[is_invalid.argmax()]
        problem = f"holds {example}, which is no label (is y_true the first argument?)"
        batch.refuse("y_true", problem, is_invalid)
    values = y_true.tolist()
    distinct_labels = [*dict.fromkeys(values)]
    labels = _label_array(distinct_labels)
    # Any label may be the positive one here: only values that cannot be labels are refused.
    check_binary(labels, np.zeros(labels.size), pos_label=labels.tolist()[0], sample_weight=None)
    locations = {
        label: batch.locate("y_true", values.index(label))
        for label in distinct_labels[:MOST_LABEL_PLACES]
    }
    return dict.fromkeys(distinct_labels, "") | locations


def _label_array(labels: Iterable[Label]) -> Array:
    """Make an array of labels, and refuse mixed types: NumPy would turn numbers to strings."""
    labels = sorted(labels, key=str)
    strings = [label for label in labels if isinstance(label, str)]
    invalid_labels = [label for label in labels if not isinstance(label, str | Real)]
    if invalid_labels:
        raise TypeError(f"y_true must hold numbers, strings or bools, got {invalid_labels[0]!r}.")
    if strings and len(strings) < len(labels):
        number = next(label for label in labels if not isinstance(label, str))
        raise ValueError(f"y_true holds strings and numbers: {strings[0]!r} and {number!r}.")
    # An array of strings drops NUL from their ends.
    return np.array(labels, dtype=object if strings else None)
