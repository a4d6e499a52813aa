"""Labels beside scores, of every kind that scikit-learn knows: which rows are positive."""

from collections.abc import Sequence
from contextlib import suppress
from numbers import Real
from typing import NamedTuple, Self, cast

import numpy as np

from sklearn_ap._arithmetic import LARGEST_EXACT
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.arrays import (
    are_known,
    as_array,
    as_column,
    check_numbers,
    check_order,
    check_same_length,
    is_missing,
    names_of_columns,
    refuse_missing,
    select_rows,
)
from sklearn_ap._inputs.numbers import LOST_DIGITS, lose_digits, refuse_lost_digits
from sklearn_ap._types import Argument, Array, Bool, Float, Label, Name, NamedColumns, RowData

# Of a row: squares of smaller weights vanish, and those of larger ones overflow.
LEAST_WEIGHT, MOST_WEIGHT = 1e-100, 1e100

SHOWN = 10  # so many names or numbers are shown in a text
FIRST_SCORES = 10  # if these are no classes, nor are all scores
HITS_AND_MISSES = {0, 1}, {-1, 1}  # labels that need no pos_label; one may be absent
FEW_LABELS = (
    "Leave such rows out, or pass inclusion_probability or judge to average_precision_interval or "
    "compare_average_precision if few of many rows have labels."
)
FIXED_TO_1 = (
    "Parameter pos_label is fixed to 1 for {} y_true. Do not set pos_label or set pos_label to 1."
)


class LabelledScores(NamedTuple):
    """Which rows are positive, and their scores, both (n,) or both (n, columns)."""

    positive: Bool
    score: Array
    is_known: Bool | None = None  # the known cells of a table; None if all are known
    names: Sequence[Name] | None = None  # of classes or columns
    are_classes: bool = False  # of which each row has one

    def select(self, is_selected: Bool) -> Self:
        """Return some of the rows."""
        positive, score, is_known = select_rows(
            is_selected, self.positive, self.score, self.is_known
        )
        return self._replace(positive=positive, score=score, is_known=is_known)


class Labels(NamedTuple):
    """Labels as numbers or texts, in one dimension for one column."""

    values: Array  # unknown cells of a table have a known label
    present: list[Label]  # the distinct ones, sorted
    is_known: Bool | None  # the known cells of a table; None if all are known


def check_labelled_scores(
    y_true: Argument,
    y_score: Argument,
    pos_label: Label,
    labels: Argument = None,
    *,
    is_binary: bool = False,
) -> LabelledScores:
    """Check labels and scores: of one ranking, of classes, or of a table of labels.

    With ``is_binary`` these are one ranking. Callers have checked the order of the rows.
    """
    if not (pos_label is None or isinstance(pos_label, Real | str | np.bool_)):
        raise InputTypeError(
            f"pos_label must be a number, a string or a bool, got {pos_label!r:.70}."
        )
    read = _read_labels(y_true)
    values, present = read.values, read.present
    try:
        score = check_scores(y_score)
    except InputError:
        _refuse_predicted_labels(present, y_score)
        raise
    check_same_length(y_true=values, y_score=score)
    if values.ndim == 2:
        if is_binary or labels is not None:
            remedy = "labels is for classes" if labels is not None else "pass one column at a time"
            raise InputError(f"y_true must have one column, got shape {values.shape}: {remedy}.")
        return _cells_of_table(read, score, pos_label, names_of_columns(y_true) or None)
    if values.dtype.kind == "f":
        _check_are_whole(read)
    if labels is not None or len(present) > 2:
        if is_binary:
            raise _several_labels_error(present)
        return _rows_of_classes(read, labels, y_score, score, pos_label)
    if score.ndim == 2 and score.shape[1] != 1:
        column = 0 if len(present) == 2 and pos_label == present[0] else 1  # of predict_proba
        n_columns = score.shape[1]
        seeds = f" If they are seeds, repeat y_true: np.column_stack([y_true] * {n_columns})."
        raise InputError(
            f"y_score has shape {score.shape} but y_true is binary: pass the scores of the "
            f"positive class alone, such as y_score[:, {column}] of predict_proba or, if y_true "
            f"lacks classes, the class of each column as labels. Folds have all classes if "
            f"StratifiedKFold makes them.{seeds if n_columns > 2 else ''}"
        )
    label = positive_label(present, pos_label)
    # 10**400 cannot be compared with floats
    positive = values == label if label in present else np.zeros(len(values), bool)
    return LabelledScores(np.asarray(positive, bool), score.ravel())


def _refuse_predicted_labels(labels: Sequence[object], y_score: Argument) -> None:
    """Say what to pass in place of labels."""
    first = next(iter(as_array("y_score", y_score).flat), None)
    if isinstance(first, str) and first in labels:
        raise InputError(
            f"y_score has labels, such as {str(first)!r:.70}: predicted classes rank nothing. Pass "
            f"predict_proba(X), or its column of the positive class, and get_scorer in place of "
            f"make_scorer."
        ) from None


def _cells_of_table(
    read: Labels, score: Array, pos_label: Label, names: Sequence[Name] | None
) -> LabelledScores:
    """Check a table of labels, each column of which is a ranking."""
    if not any(map({*read.present}.issubset, HITS_AND_MISSES)):
        raise InputError(
            f"y_true: multiclass-multioutput format is not supported: a table has the labels "
            f"{read.present[:SHOWN]}. Write 1 for positive cells, 0 for negative ones, and nan for "
            f"unknown ones."
        )
    positive = _positives_of_table(read.values, score, pos_label)
    return LabelledScores(positive, score, read.is_known, names)


def _read_labels(y_true: Argument) -> Labels:
    """Read labels. Cells of a table may be unknown: nan, None or pandas' NA."""
    values = as_array("y_true", y_true)
    if values.ndim not in (1, 2):
        raise InputError(
            f"y_true must be an array of one or two dimensions, got {values.ndim}: {y_true!r:.70}."
        )
    if not values.size:
        raise InputError("y_true is empty, so there is nothing to score.")
    if values.shape[1:] == (1,):
        values = values[:, 0]
    is_known = None
    if values.ndim == 2 and values.dtype.kind in "fO":
        is_known = are_known(values)
        if is_known.all():
            is_known = None
        else:
            values = np.where(is_known, values, values[is_known][0] if is_known.any() else 0)
    if values.dtype.kind in ("O", "T"):  # T is NumPy's StringDType
        values, present = _numbers_or_texts(values)
    elif values.dtype.kind in "biufU":
        present = _distinct_labels(values)
    else:
        raise _label_type_error(values)
    return Labels(values, present, is_known)


def _numbers_or_texts(values: Array) -> tuple[Array, list[Label]]:
    """Make numbers of objects that are numbers, and find the distinct labels."""
    try:
        present = [*{*values.ravel().tolist()}]
    except TypeError as error:  # lists, as of tags
        raise _label_type_error(values) from error
    if any(map(is_missing, present)):
        refuse_missing("y_true", values, remedy=FEW_LABELS)
    n_texts = sum(isinstance(label, str) for label in present)
    if n_texts == 0:
        given = values
        with suppress(ValueError):  # tuples beside numbers
            values = np.array(given.tolist())
        if values.shape == given.shape:  # tuples make a table, which is refused later
            refuse_lost_digits("y_true", given, values)
    if values.dtype.kind in "biuf" or n_texts == len(present):
        return values, sorted(present)
    raise _label_type_error(values)


def _distinct_labels(values: Array) -> list[Label]:
    """Return the distinct labels, sorted; two of them need no sort of all cells."""
    # [1, 0, 0, 1] -> [0, 1]
    first = values.flat[0]
    is_first = values == first
    second = values.flat[is_first.argmin()]  # the first one again if all are equal
    if np.count_nonzero(is_first | (values == second)) < values.size:
        return np.unique(values).tolist()
    return sorted({first.item(), second.item()})


def _check_are_whole(labels: Labels) -> None:
    """Refuse labels that are floats with fractions, infinite or missing."""
    for label in labels.present:
        if isinstance(label, float) and not label.is_integer():
            refuse_missing("y_true", labels.values, remedy=FEW_LABELS)
            raise InputError(
                f"y_true: continuous format is not supported, got the label {label}. Are y_true "
                f"and y_score swapped?"
            )


def positive_label(present: list[Label], pos_label: Label) -> Label:
    """Find the positive one of the distinct labels that are present, by one rule for all functions.

    ``pos_label=None`` stands for 1 where the labels are {0, 1} or {-1, 1}, or one of these. Other
    labels, such as names, or 1 and 2, do not say which is positive.
    """
    if pos_label is None:
        if any(map({*present}.issubset, HITS_AND_MISSES)):
            return 1
        # scikit-learn has both sentences, in functions whose default is None, or 1.
        reason = ""
        remedy = "the positive label, whether it is present or not"
        if len(present) > 1:
            remedy = " or ".join(f"pos_label={label!r}" for label in present)
            if 1 not in present:
                reason = f"pos_label=1 is not a valid label. It should be one of {present}. "
        raise InputError(
            f"y_true takes value in {{{', '.join(map(repr, present))}}} and pos_label is not "
            f"specified: either make y_true take value in {{0, 1}} or {{-1, 1}} or pass pos_label "
            f"explicitly. {reason}Pass {remedy}."
        )
    if len(present) >= 2 and pos_label not in present:
        raise InputError(
            f"pos_label={pos_label!r} is not a valid label. It should be one of "
            f"{np.array(present)}. Pass the positive one as pos_label."
        )
    return pos_label


def _positives_of_table(values: Array, score: Array, pos_label: Label) -> Bool:
    if pos_label not in (None, 1):
        raise InputError(
            f"{FIXED_TO_1.format('multilabel-indicator')} In each column, 1 is positive."
        )
    if values.shape != score.shape:
        raise InputError(
            f"y_score must have one column per column of y_true, got shapes {score.shape} and "
            f"{values.shape}."
        )
    return np.asarray(values == 1)


def _rows_of_classes(
    read: Labels, labels: Argument, y_score: RowData, score: Array, pos_label: Label
) -> LabelledScores:
    """Make a column of each class, in which its rows are positive."""
    n_columns = score.shape[1] if score.ndim == 2 else 1
    shape = "`y_score` needs to be of shape `(n_samples, n_classes)`"
    if labels is None and n_columns == 1:
        raise _several_labels_error(read.present, f" For all classes, {shape}.")
    if pos_label not in (None, 1):
        raise InputError(
            f"{FIXED_TO_1.format('multiclass')} {describe_labels(read.present)} For the score of "
            f"each, pass average=None. For one alone, pass y_true == label and its column of "
            f"scores. Neither goes with a search: see the traps of docs/scorers.md."
        )
    classes = np.array(read.present) if labels is None else check_classes(labels)
    unlisted = sorted({*read.present} - {*classes.tolist()}, key=str)
    if unlisted:
        raise InputError(f"y_true contains classes that labels does not list: {unlisted}.")
    names = [*map(str, names_of_columns(y_score))]
    class_by_name = {str(label): label for label in classes.tolist()}
    check_order(
        f"The columns of y_score, {names}, and the classes {classes.tolist()}",
        names,
        [*class_by_name],
        f"labels={[class_by_name.get(name) for name in names]}",
    )
    if n_columns != classes.size:
        remedy = "Pass the class of each column as labels."
        if labels is not None:
            remedy = "If a model lacks a class, fit it on rows of all, as StratifiedKFold does."
        raise InputError(
            f"{shape}, since `y_true` contains multiple classes. Got `y_score.shape={score.shape}` "
            f"for {classes.size} classes. {remedy}"
        )
    positive = np.asarray(read.values[:, None] == classes, dtype=bool)
    return LabelledScores(positive, score, names=classes.tolist(), are_classes=True)


def check_classes(labels: Argument) -> Array:
    """Check the classes of the columns, in the order of the columns."""
    classes = as_array("labels", labels)
    try:
        n_distinct = len({*classes.ravel().tolist()})
    except TypeError:  # lists of classes
        n_distinct = 0
    is_list = classes.ndim == 1 and classes.size >= 3 and are_known(classes).all()
    if not is_list or n_distinct < classes.size:
        raise InputError(
            f"labels must list at least 3 classes, each once and none missing, in the order of the "
            f"columns of y_score, got {labels!r:.70}."
        )
    return classes


def check_scores(y_score: Argument, name: str = "y_score") -> Array:
    """Check numbers or minus infinity; return them in a dtype that sorts fast and is exact."""
    given = as_array(name, y_score)
    score = check_numbers(name, given, "biuf")
    if score.ndim == 2 and score.dtype.kind == "f" and (np.abs(score) >= LARGEST_EXACT).any():
        table = cast(NamedColumns, y_score)  # or an array, whose columns have no names
        columns = (table[column] for column in names_of_columns(y_score))
        if any(lose_digits(np.asarray(each)) for each in columns):
            raise InputError(f"{name} {LOST_DIGITS}.")
    if score.ndim not in (1, 2):
        raise InputError(
            f"{name} must be an array of one or two dimensions, got {score.ndim}. Stack the list "
            f"of a multilabel predict_proba with np.column_stack([p[:, 1] for p in proba])."
        )
    if score.itemsize < 4:
        # Those of 32 bits sort faster. Signed integers beside uint64 of another chunk would become
        # floats.
        score = score.astype({"f": np.float32, "i": np.int32}.get(score.dtype.kind, np.uint32))
    # Minus infinity, for rows not retrieved, is the only infinite score that is allowed.
    if not (score < np.inf).all():
        raise _score_error(name, y_score, score)
    return score


def predicted_class_remark(score: Array) -> str:
    """Return a remark if scores of more than a few rows are only 0 and 1, or only -1 and 1.

    It is empty for other scores, which have been checked.
    """
    score = score.ravel()
    if score.size <= FIRST_SCORES or not {*score[:FIRST_SCORES].tolist()} <= {-np.inf, -1, 0, 1}:
        return ""
    distinct = np.unique(score[score > -np.inf]).tolist()
    if distinct not in ([0, 1], [-1, 1]):
        return ""
    low, high = distinct
    return (
        f"All scores are {low:g} or {high:g}. These look like predicted classes: pass decision "
        f"values, or the column of predict_proba for the positive class."
    )


# ---- what is wrong with scores and labels, and in which row


def _score_error(name: str, y_score: RowData, score: Array) -> InputError:
    """Make the error for scores of NaN or infinity."""
    is_nan = np.isnan(score)
    kind, is_wrong = ("NaN", is_nan) if is_nan.any() else ("infinity", score == np.inf)
    row, *columns = np.argwhere(is_wrong)[0].tolist()
    names = names_of_columns(y_score) or range(score.shape[-1])
    cell = ", column ".join([str(row), *(repr(names[column]) for column in columns)])
    how = " (a cell of a table by the label nan, and any score)" if columns else ""
    return InputError(
        f"Input {name} contains {kind}, first in row {cell}. Leave out what was not scored{how}, "
        f"or give it the score -inf if it was not retrieved."
    )


def _label_type_error(values: Array) -> InputError:
    """Make the error for labels that are neither numbers nor texts, or both."""
    examples = {type(label): label for label in values.ravel().tolist()}
    listed = ", ".join(f"{label!r} ({kind.__name__})" for kind, label in examples.items())
    return InputError(
        f"y_true must hold labels of one type, numbers of at most 64 bits or text, got {listed}: "
        f"convert them, or pass y_true == label, for the positive label."
    )


def _several_labels_error(present: list[Label], class_advice: str = "") -> InputError:
    """Make the error for one column of scores beside more than two labels.

    What is said of classes has the words of scikit-learn, which its own tests ask for.
    """
    return InputError(
        f"{describe_labels(present)} For one class against the others, pass y_true == label, or "
        f"y_true >= level for grades.{class_advice}"
    )


def describe_labels(labels: list[Label]) -> str:
    """Say which distinct labels there are in one column."""
    shown = f"{str(labels[:SHOWN])[:-1]}, ...]" if len(labels) > SHOWN else str(labels)
    return f"y_true has {len(labels)} labels, {shown}."


# ---- weights


def check_weights(sample_weight: Argument, n_rows: int) -> Float | None:
    """Check the weight of each row; return None where none are given."""
    if sample_weight is None:
        return None
    numbers = check_numbers("sample_weight", sample_weight, "biuf")
    if numbers.ndim == 2 and numbers.shape[1] > 1:
        raise InputError(
            f"sample_weight must be one-dimensional, got shape {numbers.shape}: a row has one "
            f"weight in all columns. Where a weight of 0 says that a label is unknown, write nan "
            f"into y_true, by np.where(sample_weight > 0, y_true, np.nan)."
        )
    weight: Float = as_column("sample_weight", numbers, n_rows).astype(np.float64, copy=False)
    is_wrong = (weight != 0) & ~((weight >= LEAST_WEIGHT) & (weight <= MOST_WEIGHT))
    if is_wrong.any():
        row = int(is_wrong.argmax())
        raise InputError(
            f"sample_weight must be 0, or from {LEAST_WEIGHT:g} to {MOST_WEIGHT:g}, got "
            f"{weight[row]:g} in row {row}."
        )
    if not weight.any():
        raise InputError("sample_weight is zero in every row, so nothing is left to score.")
    return weight
