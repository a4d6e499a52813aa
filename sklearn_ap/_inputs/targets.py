"""Labels beside scores, of every kind that scikit-learn knows: which rows are positive."""

from numbers import Integral, Real
from typing import NamedTuple, NoReturn, Self

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from sklearn_ap._inputs.arrays import (
    check_numbers,
    check_order,
    check_same_length,
    name_in_errors,
    names_of_columns,
    select_rows,
    to_numpy,
)
from sklearn_ap._inputs.labels import (
    check_classes,
    describe_labels,
    label_kind_error,
    positive_label,
    read_labels,
    several_labels_error,
)
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import LARGEST_EXACT, Argument, Array, Bool, Float, Index, Label, RowData

FIRST_SCORES = 10  # if these are no classes, nor are all scores
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
        if is_selected.all():
            return self
        return type(self)._make(select_rows(is_selected, *self))


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
    found = read_labels(y_true)
    if found.kind == "multiclass" and is_binary:
        raise several_labels_error(column_or_1d(found.values), pos_label)
    if labels is not None and found.kind not in ("binary", "multiclass"):
        raise ValueError(
            f"labels is for 1-D class labels with 2-D scores, but y_true is {found.kind}."
        )
    if labels is not None or found.kind == "multiclass":
        return _check_multiclass(found.values, y_score, pos_label, labels)
    if found.kind == "binary":
        targets = _check_binary(found.values, y_score, pos_label)
    elif found.kind == "multilabel-indicator" and not is_binary:
        targets = _check_multilabel(found.values, y_score, pos_label)
    else:
        raise label_kind_error(found.kind, y_true)
    return targets._replace(is_known=found.is_known)


def _plain_targets(y_true: RowData, y_score: RowData, pos_label: Label) -> CheckedRows | None:
    """Read numbers of NumPy beside at most two plain labels; None if these need to be validated.

    Most calls have such labels. scikit-learn's validators look at each label several times, and
    sort them. Two labels need only two comparisons, which pandas and polars make for text and
    categories in their own memory.
    """
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


def _check_binary(y_true: RowData, y_score: RowData, pos_label: Label) -> CheckedRows:
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


def _check_multilabel(y_true: RowData, y_score: RowData, pos_label: Label) -> CheckedRows:
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
    return CheckedRows(y_true == 1, score)


def _check_multiclass(
    y_true: RowData, y_score: RowData, pos_label: Label, labels: Argument
) -> CheckedRows:
    y_true = column_or_1d(y_true)
    score = check_scores(y_score)
    check_same_length(y_true=y_true, y_score=score)
    n_columns = score.shape[1] if score.ndim == 2 else 1
    if pos_label not in (None, 1):
        fixed = (
            " With a column for each: Parameter pos_label is fixed to 1 for multiclass y_true. Do "
            "not set pos_label or set pos_label to 1."
        )
        raise several_labels_error(y_true, pos_label, fixed * (n_columns > 1))
    if labels is None and n_columns == 1:
        shape = "`y_score` needs to be of shape `(n_samples, n_classes)`"
        raise several_labels_error(y_true, pos_label, f" For all classes, {shape}.")
    classes = np.unique(y_true) if labels is None else check_classes(labels, y_true)
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


def _check_names_of_columns(y_score: RowData, classes: Array) -> None:
    names = [*map(str, names_of_columns(y_score))]
    class_by_name = {str(label): label for label in classes.tolist()}
    labels = [class_by_name.get(name) for name in names]
    what = f"The columns of y_score, {names}, and the classes {classes.tolist()}"
    check_order(what, names, [*class_by_name], f"labels={labels}")


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
        is_nan = np.isnan(score)
        found, is_wrong = ("NaN", is_nan) if is_nan.any() else ("infinity", score == np.inf)
        row, *columns = np.argwhere(is_wrong)[0].tolist()
        place, remedy = f"row {row}", "Leave out rows that no model scored."
        if columns:
            names = names_of_columns(y_score) or [*range(score.shape[1])]
            place += f", column {names[columns[0]]!r}"
            remedy = "A cell whose label is nan may have any score, such as 0."
        number = count_as_text(int(np.count_nonzero(is_wrong)), "time")
        raise ValueError(
            f"Input {name} contains {found} {number}, first in {place}. {NOT_RETRIEVED} {remedy}"
        )
    return score if score.itemsize >= 4 else _widened(score)


def _widened(score: Array) -> Array:
    """Widen bools and numbers of 8 or 16 bits, which take longer to sort than those of 32."""
    # Signed integers beside uint64 of another chunk would become floats.
    return score.astype({"f": np.float32, "i": np.int32}.get(score.dtype.kind, np.uint32))


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
