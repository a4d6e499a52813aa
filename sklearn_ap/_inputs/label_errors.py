"""What is wrong with labels, in which row, and what to do."""

import reprlib

import numpy as np

from sklearn_ap._inputs.arrays import are_known, as_array, names_of_columns
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import Argument, Array, Bool, Index, Label, RowData

SHOWN = 10  # so many names or numbers are shown in a text


def refuse_missing_labels(name: str, labels: Argument) -> None:
    """Refuse missing labels of one column, which would count as a class."""
    values = as_array(name, labels)
    is_known = are_known(values)
    if is_known.all():
        return
    place = np.argwhere(~is_known)[0].tolist()
    advice = (
        " Leave such rows out, of the scores, too. If few of many rows have labels, pass "
        "inclusion_probability to average_precision_interval."
    )
    raise ValueError(
        f"{name} contains NaN or another missing value, in row {place[0]}: "
        f"{values.astype(object)[tuple(place)]!r}.{'' if name == 'labels' else advice}"
    )


def label_type_error(values: Array) -> ValueError:
    """Make the error for labels that are neither numbers nor texts, or both."""
    examples = {type(label): label for label in values.ravel().tolist()}
    listed = ", ".join(f"{label!r} ({each.__name__})" for each, label in examples.items())
    return ValueError(
        f"y_true must hold labels of one type, numbers or text, got {listed}: convert them, or "
        f"pass y_true == label, for the positive label."
    )


def cell_error(values: Array, is_known: Bool | None, y_true: RowData) -> ValueError:
    """Make the error for a table whose labels are not 1 and 0, or 1 and -1.

    It names the first cell that is neither 1 nor 0, which may be -1 beside 0.
    """
    cells = values.astype(object)
    is_odd = (cells != 0) & (cells != 1)
    row, column = np.argwhere(is_odd if is_known is None else is_odd & is_known)[0].tolist()
    name = (names_of_columns(y_true) or range(values.shape[1]))[column]
    return ValueError(
        f"y_true: multiclass-multioutput format is not supported: column {name!r} has "
        f"{reprlib.repr(cells[row, column])} in row {row}. Write 1 for positive cells, 0 for "
        f"negative ones, and nan for unknown ones."
    )


def several_labels_error(y_true: Array, pos_label: Label, class_advice: str = "") -> ValueError:
    """Make the error for one column of scores beside more than two labels.

    What is said of classes has the words of scikit-learn, which its own tests ask for.
    """
    label = repr(pos_label) if pos_label in y_true.tolist() else "label"
    return ValueError(
        f"{describe_labels(y_true)} For one class against the others, pass y_true == {label} and "
        f"its scores, and for grades, y_true >= relevance_level.{class_advice}"
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
