"""Labels and scores of every kind that scikit-learn knows: which are positive, and their scores."""

import reprlib
from collections.abc import Sequence
from contextlib import suppress
from numbers import Integral, Real
from typing import NamedTuple, NoReturn, Self

import numpy as np
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import check_array, column_or_1d

from sklearn_ap._inputs.arrays import (
    LARGEST_EXACT,
    are_known,
    check_numbers,
    check_order,
    check_same_length,
    is_missing,
    name_in_errors,
    names_of_columns,
    select_rows,
    to_numpy,
)
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Label, Name, RowData

FIRST_SCORES = 10  # if these are no classes, nor are all scores
SHOWN = 10  # so many names or numbers are shown in a text
NOT_RETRIEVED = "The score of a row that was not retrieved is -inf."


class CheckedRows(NamedTuple):
    """Checked rows: labels and scores, both (n,) or both (n, columns), and what stands beside."""

    positive: Bool
    score: Array
    is_known: Bool | None = None  # the known cells of a table; None if all are known
    weight: Float | None = None
    queries: Array | None = None
    clusters: Index | None = None

    @property
    def labels(self) -> Array:
        """The labels of one ranking; where some are unknown, as a column with nan for them."""
        if self.is_known is None:
            return self.positive
        return np.where(self.is_known, self.positive[:, None], np.nan)

    def select(self, is_selected: Bool) -> Self:
        """Return some of the rows."""
        return self if is_selected.all() else type(self)(*select_rows(is_selected, *self))


def check_targets(
    y_true: Argument,
    y_score: Argument,
    pos_label: Label,
    labels: Argument = None,
    *,
    is_binary: bool = False,
) -> CheckedRows:
    """Check labels and scores: of one ranking, of classes, or of a table of labels.

    With ``is_binary`` these are one ranking. Callers have checked the order of the rows.
    """
    if not (pos_label is None or isinstance(pos_label, Real | str | np.bool_)):
        raise TypeError(f"pos_label must be a number, a string or a bool, got {pos_label!r:.70}.")
    y_true = to_numpy("y_true", y_true)
    y_score = to_numpy("y_score", y_score)
    targets = _plain_targets(y_true, y_score, pos_label) if labels is None else None
    if targets is not None and not (is_binary and targets.positive.ndim == 2):
        return targets
    y_true = _read_labels(y_true)
    all_labels = y_true
    y_true, is_known = known_labels(y_true)
    y_type = _type_of(y_true)
    if is_known is not None and y_type == "multiclass":  # a column of classes is no table of labels
        _refuse_missing("y_true", all_labels, None)
    if y_type == "multiclass" and is_binary:
        raise _several_labels_error(column_or_1d(y_true), pos_label)
    if labels is not None and y_type not in ("binary", "multiclass"):
        raise ValueError(f"labels is for 1-D class labels with 2-D scores, but y_true is {y_type}.")
    if labels is not None or y_type == "multiclass":
        return _multiclass(y_true, y_score, pos_label, labels)
    if y_type == "binary":
        return _binary(y_true, y_score, pos_label)._replace(is_known=is_known)
    if y_type == "multilabel-indicator" and not is_binary:
        return _multilabel(y_true, y_score, pos_label, is_known)
    raise _type_error(y_type, all_labels)


def _read_labels(y_true: RowData) -> RowData:
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
        raise _type_error("unknown", y_true)
    numbers = y_true if True in are_texts else np.array(labels)
    return numbers if numbers.dtype.kind in "biuf" else y_true


# Plain labels and scores, as in most calls. scikit-learn's validators look at each label several
# times, and sort them. Two labels need only two comparisons, which pandas and polars make for text
# and categories in their own memory.


def _plain_targets(y_true: RowData, y_score: RowData, pos_label: Label) -> CheckedRows | None:
    """Read numbers of NumPy beside at most two plain labels; None if these need to be validated."""
    score = _plain_numbers(y_score)
    if score is None or not score.size:
        return None
    if score.dtype.kind == "f" and not (score < np.inf).all():  # infinity or nan
        return None
    if not (score.ndim == 1 or (score.ndim == 2 and score.shape[1] > 1 and pos_label in (None, 1))):
        return None
    labels = _plain_texts(y_true) if isinstance(pos_label, str) else _plain_numbers(y_true)
    if labels is None:
        return None
    try:
        positive = np.asarray(labels == (1 if pos_label is None else pos_label), dtype=bool)
        if positive.shape != score.shape or not _are_plain_labels(labels, positive, pos_label):
            return None
    except Exception:  # pandas' NA, or another object that does not compare
        return None
    return CheckedRows(positive, score if score.itemsize >= 4 else _widened(score))


def _plain_numbers(values: RowData) -> Array | None:
    """Return an array of numbers that NumPy and the processor know; None for anything else."""
    try:
        array = np.asarray(values)
    except Exception:  # other checks raise the error
        return None
    dtype = array.dtype
    return array if dtype.kind in "biuf" and dtype.itemsize <= 8 and dtype.isnative else None


def _plain_texts(values: RowData) -> RowData | None:
    """Return labels as an array or a column that compares with text; None for anything else."""
    if isinstance(values, list | tuple):
        return np.array(values, dtype=object)
    if isinstance(values, np.ndarray):
        return values if values.dtype.kind in "OU" else None
    return getattr(values, "array", values)  # the array of a pandas Series compares faster


def _are_plain_labels(labels: RowData, positive: Bool, pos_label: Label) -> bool:
    """Check whether at most one label differs from the positive one, and is of a plain type.

    Plain are texts beside a text, -1, 0 and 1 without ``pos_label`` and in tables, and otherwise
    whole numbers.
    """
    first_negative = int(positive.argmin())  # or 0, if all are positive
    n_hits = np.count_nonzero(positive)
    is_array = isinstance(labels, np.ndarray)
    negative_label = labels.item(first_negative) if is_array else labels[first_negative]
    if isinstance(pos_label, str):
        is_plain = isinstance(negative_label, str)
    elif pos_label is None or positive.ndim == 2:
        is_plain = negative_label in (-1, 0, 1)
    else:
        is_plain = _is_whole(negative_label) and (n_hits == 0 or _is_whole(pos_label))
    if not is_plain or n_hits == positive.size:
        return is_plain
    negative = np.asarray(labels == negative_label, dtype=bool)
    return n_hits + np.count_nonzero(negative) == positive.size


def _is_whole(label: Label) -> bool:
    if isinstance(label, Integral | np.bool_):
        return True
    if not isinstance(label, Real):
        return False
    number = float(label)
    return abs(number) < LARGEST_EXACT and number.is_integer()


def _widened(score: Array) -> Array:
    """Widen bools and numbers of 8 or 16 bits, which take longer to sort than those of 32."""
    # Signed integers beside uint64 of another chunk would become floats.
    return score.astype({"f": np.float32, "i": np.int32}.get(score.dtype.kind, np.uint32))


# All other labels, as scikit-learn sees them.


def known_labels(y_true: RowData) -> tuple[RowData, Bool | None]:
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


def _type_of(y_true: RowData) -> str:
    if (n_dimensions := getattr(y_true, "ndim", 1)) not in (1, 2):
        raise ValueError(f"y_true must have one or two dimensions, got {n_dimensions}.")
    if getattr(getattr(y_true, "dtype", None), "kind", "O") in "mMV":  # dates and records
        raise _type_error("unknown", y_true)
    # type_of_target casts floats to integers, and warns before it raises.
    try:
        with name_in_errors("y_true"), np.errstate(invalid="ignore"):
            y_type = str(type_of_target(y_true, input_name="y_true"))
    except ValueError as error:
        _refuse_missing("y_true", y_true, error)
        raise
    if y_type == "unknown":  # the type of [0, 1, None], for example
        _refuse_missing("y_true", y_true, None)
    return y_type


def check_known(name: str, labels: Argument) -> None:
    """Refuse missing labels of one column, which would count as a class."""
    if not are_known(np.asarray(to_numpy(name, labels))).all():
        _refuse_missing(name, labels, None)


def _refuse_missing(name: str, y_true: Argument, cause: ValueError | None) -> None:
    """Name the cell of the first missing label, if any is missing."""
    if y_true is None:
        raise TypeError(f"{name} must be an array of labels, got None.") from cause
    for index, label in np.ndenumerate(np.asarray(y_true, dtype=object)):
        if is_missing(label):
            row = ", column ".join(map(str, index))
            advice = (
                " If only some rows could be labelled, average_precision_interval and "
                "compare_average_precision take the probability with which each was chosen as "
                "inclusion_probability, and a judge of all rows as judge. If it is a gap in the "
                "data, leave the row out, of y_score, too."
            )
            raise ValueError(
                f"{name} contains NaN or another missing value, in row {row}: {label!r}."
                f"{'' if name == 'labels' else advice}"
            ) from cause


def _binary(y_true: RowData, y_score: RowData, pos_label: Label) -> CheckedRows:
    score = check_scores(y_score)
    y_true = column_or_1d(y_true)
    present = np.unique(y_true)
    pos_label = positive_label(present, pos_label)
    if score.ndim == 2 and score.shape[1] != 1:
        _refuse_columns(y_score, present, pos_label)
    check_same_length(y_true=y_true, y_score=score)
    if pos_label not in present.tolist():  # NumPy compares no whole number that it cannot hold
        return CheckedRows(np.zeros(y_true.shape, dtype=bool), score.ravel())
    return CheckedRows(np.asarray(y_true == pos_label, dtype=bool), score.ravel())


def check_scores(y_score: Argument, name: str = "y_score") -> Array:
    """Check numbers or minus infinity; return them in a dtype that sorts fast and is exact."""
    score = check_numbers(name, y_score, "biuf")
    if score.ndim == 0:
        raise ValueError(f"{name} must be an array, got {y_score!r}.")
    if score.ndim > 2:
        raise ValueError(
            f"{name} must have one or two dimensions, got {score.ndim}. Stack the list of a "
            f"multilabel predict_proba with np.column_stack([p[:, 1] for p in proba])."
        )
    # Minus infinity, for rows not retrieved, is the only infinite score that is allowed.
    if not (score < np.inf).all():
        found = "NaN" if np.isnan(score).any() else "infinity"
        remedy = "Leave out rows that no model scored."
        if score.ndim == 2:
            remedy = "A cell whose label is nan may have any score, such as 0."
        raise ValueError(f"Input {name} contains {found}. {NOT_RETRIEVED} {remedy}")
    return score if score.itemsize >= 4 else _widened(score)


def predicted_class_remarks(y_score: Argument) -> list[str]:
    """Return a remark if scores of more than a few rows are only 0 and 1, or only -1 and 1."""
    try:
        scores = np.asarray(y_score).ravel()
        first_scores = {*scores[:FIRST_SCORES].tolist()} - {-np.inf}
    except Exception:  # other checks raise the error
        return []
    if scores.size <= FIRST_SCORES or not (first_scores <= {0, 1} or first_scores <= {-1, 1}):
        return []
    if scores.max() > 1:
        return []
    distinct = np.unique(scores[scores != -np.inf]).tolist()
    if distinct not in ([0, 1], [-1, 1]):
        return []
    return [
        f"All scores are {distinct[0]:g} or {distinct[1]:g}. These look like predicted "
        f"classes: pass decision values, or the column of predict_proba for the positive class."
    ]


def check_not_classes(y_true: RowData, y_score: RowData, *, are_classes: bool = False) -> None:
    """Refuse predicted classes in place of scores; ``are_classes`` if the caller knows them."""
    labels = np.asarray(to_numpy("y_true", y_true))
    scores = np.asarray(to_numpy("y_score", y_score))
    if are_classes or (scores.dtype.kind != "f" and set(scores.flat) <= set(labels.flat)):
        raise ValueError(
            "Predicted classes arrived where scores were expected. response_method='predict' is "
            "for regressors and rankers, not for classifiers. TunedThresholdClassifierCV turns "
            "scores into classes before it scores them, so it cannot tune by a ranking. If these "
            "are scores after all, give them as floats."
        )


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


def _refuse_columns(y_score: RowData, present: Array, pos_label: Label) -> NoReturn:
    """Refuse several columns of scores beside binary labels, and say which one to pass."""
    shape = np.shape(y_score)
    remedy = "if it lacks some classes, pass the class of every column as labels."
    if shape[1] == 2:
        i = 0 if present.size == 2 and pos_label == present[0] else 1
        column = f"y_score.iloc[:, {i}]" if hasattr(y_score, "iloc") else f"y_score[:, {i}]"
        remedy = (
            f"pass the scores of the positive class alone, {column} if the columns are in the "
            f"order of the sorted labels, as those of predict_proba are."
        )
    raise ValueError(f"y_score has shape {shape} but y_true is binary: {remedy}")


def _multilabel(
    y_true: RowData, y_score: RowData, pos_label: Label, is_known: Bool | None
) -> CheckedRows:
    if pos_label not in (None, 1):
        raise ValueError(
            "Parameter pos_label is fixed to 1 for multilabel-indicator y_true. Do not set "
            "pos_label or set pos_label to 1. In each column, 1 is positive."
        )
    score = check_scores(y_score)
    with name_in_errors("y_true"):
        y_true = check_array(y_true)
    check_same_length(y_true=y_true, y_score=score)
    if y_true.shape != score.shape:
        # The columns of a frame were taken for models.
        tables = " To compare models, pass {'A': table_a, 'B': table_b}." * (score.ndim == 1)
        raise ValueError(
            f"y_score must have one column per column of y_true, got shapes {score.shape} and "
            f"{y_true.shape}.{tables}"
        )
    present = {*np.unique(y_true).tolist()}
    if not (present <= {0, 1} or present <= {-1, 1}):
        raise ValueError(
            f"y_true of several columns takes value in {present}, and which is positive is not "
            f"known. Make positive labels 1, negative ones 0, and unknown ones nan."
        )
    return CheckedRows(y_true == 1, score, is_known)


def _multiclass(
    y_true: RowData, y_score: RowData, pos_label: Label, labels: Argument
) -> CheckedRows:
    y_true = column_or_1d(y_true)
    score = check_scores(y_score)
    check_same_length(y_true=y_true, y_score=score)
    n_columns = score.shape[1] if score.ndim == 2 else 1
    if pos_label not in (None, 1):
        fixed = "Parameter pos_label is fixed to 1 for multiclass y_true."
        remedy = "Do not set pos_label or set pos_label to 1."
        raise _several_labels_error(y_true, pos_label, f" With a column for each: {fixed} {remedy}")
    if labels is None and n_columns == 1:
        shape = "`y_score` needs to be of shape `(n_samples, n_classes)`"
        raise _several_labels_error(y_true, pos_label, f" For all classes, {shape}.")
    classes = np.unique(y_true) if labels is None else _check_classes(labels, y_true)
    _check_names_of_columns(y_score, classes)
    if n_columns != classes.size:
        remedy = "If a model lacks a class, fit it on rows of all, as StratifiedKFold does."
        if labels is None:
            remedy = (
                f"If y_true lacks a class, pass the class of every column as labels. "
                f"{describe_labels(y_true)}"
            )
        raise ValueError(
            f"`y_score` needs to be of shape `(n_samples, n_classes)`, since `y_true` contains "
            f"multiple classes. Got `y_score.shape={score.shape}` for {classes.size} classes. "
            f"{remedy}"
        )
    return CheckedRows(np.asarray(y_true[:, None] == classes, dtype=bool), score)


def _several_labels_error(y_true: Array, pos_label: Label, of_classes: str = "") -> ValueError:
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


def _check_names_of_columns(y_score: RowData, classes: Array) -> None:
    names = [*map(str, names_of_columns(y_score))]
    class_by_name = {str(label): label for label in classes.tolist()}
    labels = [class_by_name.get(name) for name in names]
    what = f"The columns of y_score, {names}, and the classes {classes.tolist()}"
    check_order(what, names, [*class_by_name], f"labels={labels}")


def _check_classes(labels: Argument, y_true: Array) -> Array:
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


def _type_error(y_type: str, y_true: RowData) -> ValueError:
    labels = np.asarray(y_true, dtype=object)
    is_table = labels.ndim == 2 and labels.shape[1] > 1
    examples = {type(label): label for label in labels.flat}
    if y_type == "unknown" and not is_table:
        listed = ", ".join(f"{label!r} ({kind.__name__})" for kind, label in examples.items())
        return ValueError(
            f"y_true must hold labels of one type, numbers or text, got {listed}: convert them, or "
            f"pass y_true == label, for the positive label."
        )
    found = _odd_cell(labels, names_of_columns(y_true)) if is_table else ""
    return ValueError(
        f"y_true: {y_type} format is not supported (is y_true the first argument?){found}."
    )


def _odd_cell(table: Array, names: Sequence[Name]) -> str:
    """Name the first cell of a table that is no label; -1, which may be one, comes last."""
    is_known = are_known(table)
    for labels in ((-1, 0, 1), (0, 1)):
        for (row, column), label in np.ndenumerate(table):
            if is_known[row, column] and label not in labels:
                name = names[column] if names else column
                remedy = "leave out what is no label, 0 and 1 (nan if unknown)"
                if -1 not in labels:
                    remedy = "where it says unknown, pass np.where(y == -1, np.nan, y)"
                return f": column {name!r} has {reprlib.repr(label)} in row {row}; {remedy}"
    return ""
