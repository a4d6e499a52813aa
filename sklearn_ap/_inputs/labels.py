"""Labels: which of them are known, of which type they are, and which one is positive."""

import reprlib
from contextlib import suppress
from typing import NamedTuple

import numpy as np
from sklearn.utils.multiclass import type_of_target

from sklearn_ap._inputs.arrays import (
    are_known,
    is_missing,
    name_in_errors,
    names_of_columns,
    to_numpy,
)
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import Argument, Array, Bool, Index, Label, RowData

SHOWN = 10  # so many names or numbers are shown in a text


class LabelsOfRows(NamedTuple):
    """Labels, of which some cells of a table may be unknown."""

    values: RowData  # with a known label in the place of unknown ones
    is_known: Bool | None  # the known cells; None if all are
    kind: str  # as ``type_of_target`` calls it, such as "binary"


def read_labels(y_true: RowData) -> LabelsOfRows:
    """Read labels, find the known cells of a table, and tell which kind of labels they are."""
    values, is_known = _fill_unknown(_labels_as_array(y_true))
    kind = _kind_of_labels(values)
    if is_known is not None and kind == "multiclass":  # a column of classes is no table of labels
        _refuse_missing_label("y_true", y_true, None)
    return LabelsOfRows(values, is_known, kind)


def _labels_as_array(y_true: RowData) -> RowData:
    """Read lists as an array; objects that are numbers become numbers of NumPy."""
    if isinstance(y_true, list | tuple):
        with suppress(ValueError):  # rows of several lengths
            array = np.asarray(y_true)
            if array.dtype.kind in "biuf":
                return array
            if array.ndim == 1:
                y_true = np.array(y_true, dtype=object)  # not "nan" for nan, and not "1" for 1
    if getattr(y_true, "size", 1) == 0 and np.ndim(y_true) == 2:  # a table without rows
        raise ValueError("y_true is empty: there is nothing to score.")
    if not isinstance(y_true, np.ndarray) or y_true.dtype.kind != "O" or y_true.ndim != 1:
        return y_true
    labels = y_true.tolist()
    are_texts = {isinstance(label, str) for label in labels}
    if len(are_texts) > 1:
        check_known("y_true", y_true)
        raise label_kind_error("unknown", y_true)
    numbers = y_true if True in are_texts else np.array(labels)
    return numbers if numbers.dtype.kind in "biuf" else y_true


def _fill_unknown(y_true: RowData) -> tuple[RowData, Bool | None]:
    """Return a table in which a known label stands for unknown ones, and flags of known cells.

    A label is unknown if it is nan, None or pandas' NA. The flags are None for other inputs than
    tables, and if no label is unknown.
    """
    with name_in_errors("y_true"):
        table = np.asarray(y_true, dtype=object if isinstance(y_true, list | tuple) else None)
    if table.ndim != 2 or table.shape[1] < 1 or table.dtype.kind not in "fO":
        return y_true, None
    if {getattr(dtype, "kind", "O") for dtype in getattr(y_true, "dtypes", ["O"])} <= {*"biuf"}:
        table = y_true.to_numpy(dtype=np.float64, na_value=np.nan)  # pandas' Int64
    is_object = table.dtype.kind == "O"
    is_known = are_known(table)
    if not is_known.all():
        table = np.where(is_known, table, table[is_known][0] if is_known.any() else 0)
    if is_object:
        table = np.array(table.tolist())
    return table, None if is_known.all() else is_known


def _kind_of_labels(y_true: RowData) -> str:
    """Tell the kind, as ``type_of_target`` does."""
    if (n_dimensions := getattr(y_true, "ndim", 1)) not in (1, 2):
        raise ValueError(f"y_true must have one or two dimensions, got {n_dimensions}.")
    if getattr(getattr(y_true, "dtype", None), "kind", "O") in "mMV":  # dates and records
        raise label_kind_error("unknown", y_true)
    # type_of_target casts floats to integers, and warns before it raises.
    try:
        with name_in_errors("y_true"), np.errstate(invalid="ignore"):
            kind = str(type_of_target(y_true, input_name="y_true"))
    except ValueError as error:
        _refuse_missing_label("y_true", y_true, error)
        raise
    if kind == "unknown":  # the type of [0, 1, None], for example
        _refuse_missing_label("y_true", y_true, None)
    return kind


def label_kind_error(kind: str, y_true: RowData) -> ValueError:
    """Make the error for labels of a kind that has no ranking, or of several types."""
    labels = np.asarray(y_true, dtype=object)
    is_table = labels.ndim == 2 and labels.shape[1] > 1
    examples = {type(label): label for label in labels.flat}
    if kind == "unknown" and not is_table:
        listed = ", ".join(f"{label!r} ({each.__name__})" for each, label in examples.items())
        return ValueError(
            f"y_true must hold labels of one type, numbers or text, got {listed}: convert them, or "
            f"pass y_true == label, for the positive label."
        )
    found = _odd_cell(labels, y_true) if is_table else ""
    return ValueError(
        f"y_true: {kind} format is not supported (is y_true the first argument?){found}."
    )


def _odd_cell(table: Array, y_true: RowData) -> str:
    """Name the first cell of a table that is no label; -1, which may be one, comes last."""
    names, is_known, is_frame = names_of_columns(y_true), are_known(table), hasattr(y_true, "where")
    for labels in ((-1, 0, 1), (0, 1)):
        for (row, column), label in np.ndenumerate(table):
            if is_known[row, column] and label not in labels:
                name = names[column] if names else column
                remedy = "leave out what is no label, 0 and 1 (nan if unknown)"
                if all(isinstance(each, str) for each in table[is_known]):
                    cells = "(y == label).where(y.notna())" if is_frame else "y == label"
                    remedy = f"pass {cells}, for the positive label"
                elif -1 not in labels:
                    cells = "y.where(y != -1)" if is_frame else "np.where(y == -1, np.nan, y)"
                    remedy = f"where it says unknown, pass {cells}"
                return f": column {name!r} has {reprlib.repr(label)} in row {row}; {remedy}"
    return ""


def check_known(name: str, labels: Argument) -> None:
    """Refuse missing labels of one column, which would count as a class."""
    if not are_known(np.asarray(to_numpy(name, labels))).all():
        _refuse_missing_label(name, labels, None)


def _refuse_missing_label(name: str, y_true: Argument, cause: ValueError | None) -> None:
    """Name the cell of the first missing label, if any is missing."""
    if y_true is None:
        raise TypeError(f"{name} must be an array of labels, got None.") from cause
    for index, label in np.ndenumerate(np.asarray(y_true, dtype=object)):
        if is_missing(label):
            row = ", column ".join(map(str, index))
            advice = (
                " If it is a gap in the data, leave the row out, of y_score, too, or pass both as "
                "tables of one column (of pandas, y_true.to_frame()), whose gaps are left out. If "
                "only some rows could be labelled, average_precision_interval and "
                "compare_average_precision take the probability with which each was chosen as "
                "inclusion_probability, and a judge of all rows as judge; other functions take the "
                "labelled rows alone, with sample_weight=1 / inclusion_probability."
            )
            raise ValueError(
                f"{name} contains NaN or another missing value, in row {row}: {label!r}."
                f"{'' if name == 'labels' else advice}"
            ) from cause


def positive_label(present: Array, pos_label: Label) -> Label:
    """Find the positive one of the distinct labels that are present, by one rule for all functions.

    ``pos_label=None`` stands for 1 where the labels are {0, 1} or {-1, 1}, or one of these. Other
    labels, such as names, or 1 and 2, do not say which is positive.
    """
    labels = present.tolist()
    if pos_label is None:
        if set(labels) <= {0, 1} or set(labels) <= {-1, 1}:
            return 1
        # scikit-learn has both sentences, in functions whose default is None, or 1.
        reason = ""
        remedy = "the positive label, whether it is present or not"
        if len(labels) > 1:
            remedy = " or ".join(f"pos_label={label!r}" for label in labels)
            if 1 not in labels:
                reason = f"pos_label=1 is not a valid label. It should be one of {labels}. "
        raise ValueError(
            f"y_true takes value in {{{', '.join(map(repr, labels))}}} and pos_label is not "
            f"specified: either make y_true take value in {{0, 1}} or {{-1, 1}} or pass pos_label "
            f"explicitly. {reason}Pass {remedy}."
        )
    if present.size >= 2 and pos_label not in labels:
        raise ValueError(
            f"pos_label={pos_label!r} is not a valid label. It should be one of {present}. Pass "
            f"the positive one as pos_label."
        )
    return pos_label


def check_classes(labels: Argument, y_true: Array) -> Array:
    """Check the classes of the columns, in the order of the columns."""
    labels = to_numpy("labels", labels)
    with name_in_errors("labels"):
        classes = np.asarray(labels, dtype=object if isinstance(labels, list | tuple) else None)
    check_known("labels", classes)
    try:
        n_distinct = len({*classes.ravel().tolist()})
    except TypeError:  # lists of classes
        n_distinct = 0
    if classes.ndim != 1 or classes.size < 3 or n_distinct < classes.size:
        raise ValueError(
            f"labels must list at least 3 classes, each once, in the order of the columns of "
            f"y_score, got {labels!r:.70}."
        )
    unlisted_classes = sorted(set(y_true.tolist()) - set(classes.tolist()), key=str)
    if unlisted_classes:
        raise ValueError(f"y_true contains classes that labels does not list: {unlisted_classes}.")
    return classes


def several_labels_error(y_true: Array, pos_label: Label, of_classes: str = "") -> ValueError:
    """Make the error for one column of scores beside more than two labels.

    What is said of classes has the words of scikit-learn, which its own tests ask for.
    """
    label = repr(pos_label) if pos_label in y_true.tolist() else "label"
    return ValueError(
        f"{describe_labels(y_true)} For one class against the others, pass y_true == {label} and "
        f"its scores, and for grades, y_true >= relevance_level.{of_classes}"
    )


def describe_labels(y_true: Array, row_numbers: Index | None = None) -> str:
    """Say which labels of one column there are, and where the rarest is, which may be a typo."""
    distinct, first, counts = np.unique(y_true, return_index=True, return_counts=True)
    rarest = int(counts.argmin())
    row = first[rarest] if row_numbers is None else row_numbers[first[rarest]]
    labels = distinct.tolist()
    shown = f"{str(labels[:SHOWN])[:-1]}, ...]" if len(labels) > SHOWN else str(labels)
    return (
        f"y_true has {count_as_text(len(labels), 'label')}, {shown}. The rarest, "
        f"{labels[rarest]!r}, is in {count_as_text(counts[rarest], 'row')}, first in row {row}: if "
        f"it is a typo, correct it."
    )
