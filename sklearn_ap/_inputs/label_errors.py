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
        " If it is a gap in the data, leave the row out, of y_score, too, or pass both as tables "
        "of one column (of pandas, y_true.to_frame()), whose gaps are left out. If only some rows "
        "could be labelled, average_precision_interval and compare_average_precision take the "
        "probability with which each was chosen as inclusion_probability, and a judge of all rows "
        "as judge; other functions take the labelled rows alone, with sample_weight=1 / "
        "inclusion_probability."
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

    The first cell that is no label is named; -1, which may be one, comes last.
    """
    cells = {
        place: label
        for place, label in np.ndenumerate(values.astype(object))
        if is_known is None or is_known[place]
    }
    odd = [place for place, label in cells.items() if label not in (-1, 0, 1)]
    row, column = (odd or [place for place, label in cells.items() if label == -1])[0]
    name = (names_of_columns(y_true) or range(values.shape[1]))[column]
    is_frame = hasattr(y_true, "where")
    remedy = "leave out what is no label, 0 and 1 (nan if unknown)"
    if all(isinstance(label, str) for label in cells.values()):
        binary = "(y == label).where(y.notna())" if is_frame else "y == label"
        remedy = f"pass {binary}, for the positive label"
    elif not odd:
        known = "y.where(y != -1)" if is_frame else "np.where(y == -1, np.nan, y)"
        remedy = f"where it says unknown, pass {known}"
    return ValueError(
        f"y_true: multiclass-multioutput format is not supported: column {name!r} has "
        f"{reprlib.repr(cells[row, column])} in row {row}; {remedy}."
    )


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
