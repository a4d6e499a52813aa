"""Scores of several training runs of one method, in the place of the scores of one model."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._base.common.tuned_constants import FEWEST_RUNS
from sklearn_ap._base.common.types import Argument, Name, RowData
from sklearn_ap._base.extras import printable
from sklearn_ap._base.inputs.arrays import columns_by_name, to_numpy
from sklearn_ap._base.inputs.checks import list_first
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._folds.predictions import FoldPredictions

WHO_TAKES_RUNS = (
    "average_precision_interval, compare_average_precision and best_average_precision take "
    "TrainingRuns, in the place of the scores of one model. Elsewhere pass the scores of each run."
)


@dataclass(frozen=True, slots=True, eq=False, init=False, repr=False)
class TrainingRuns:
    """The scores of several training runs of one method, for the same rows.

    It stands in the place of ``y_score``, or of the scores of a model in a comparison. The question
    is then how good the *method* is: its score is the mean over runs, and its uncertainty is over
    rows and runs. Use it for models that differ in the seed, or in whatever else varies between
    runs of a method.

    Parameters
    ----------
    scores : list of array-like, or mapping
        The scores of each run, three or more, each of shape (n_samples,) or (n_samples, n_columns).
        A mapping gives each run a name, such as its seed, which is not used.

    Raises
    ------
    ValueError
        If there are fewer than three runs, or if runs score unlike numbers of rows.

    See Also
    --------
    compare_average_precision : Takes methods with runs.

    Notes
    -----
    The uncertainty is that of new rows, and of new runs that vary as these do. Runs that share
    their training rows say nothing of other training rows.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import TrainingRuns, average_precision_interval
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.05).astype(int)
    >>> strengths = [1.4, 1.6, 1.7, 1.8, 2.0]  # by the seed of the training
    >>> runs = TrainingRuns([d * y_true + rng.normal(size=2000) for d in strengths])
    >>> runs
    TrainingRuns(5 runs of 2,000 rows)
    >>> average_precision_interval(y_true, runs)
    step AP, 2,000 rows, 110 positives (5.5%), uncertainty over rows and 5 runs
    estimate  std. error  of rows  of runs      95% interval     bias  positives
    0.4184        0.0440   0.0262   0.0354  [0.3092, 0.5245]  +0.0054        110
    the interval is bias-corrected; the estimate is not
    """

    scores: tuple[RowData, ...]

    def __init__(self, scores: Sequence[ArrayLike] | Mapping[Name, ArrayLike]) -> None:
        runs = _list_runs(scores)
        _check_number(len(runs))
        shapes = [_check_shape(k, run) for k, run in enumerate(runs, 1)]
        for k, shape in enumerate(shapes, 1):
            if shape != shapes[0]:
                raise ValueError(
                    f"Runs must score the same rows: run 1 has shape {shapes[0]}, and run {k} has "
                    f"shape {shape}."
                )
        object.__setattr__(self, "scores", runs)

    def __repr__(self) -> str:
        n_rows = np.shape(self.scores[0])[0]
        return f"TrainingRuns({len(self.scores)} runs of {n_rows:,} rows)"

    # Functions that read arrays would take runs for rows, or raise obscure errors.
    if not TYPE_CHECKING:  # type checkers would take a class with this method for an array

        def __array__(self, *args: object, **options: object) -> NoReturn:
            raise TypeError(WHO_TAKES_RUNS)

    def __len__(self) -> NoReturn:
        raise TypeError(WHO_TAKES_RUNS)

    def __iter__(self) -> NoReturn:
        raise TypeError(WHO_TAKES_RUNS)


class Methods(NamedTuple):
    """Scores of methods, and their numbers of runs."""

    requests: list[Request]  # one per run of each method
    n_runs: tuple[int, ...] | None  # one per method; None for single models


def split_into_runs(
    requests: Iterable[Request],
    names: Sequence[Name] = ("y_score",),
    paired_runs: Argument = False,
) -> Methods:
    """Make a request for each run; refuse single models beside methods with runs."""
    methods = [*requests]
    have_runs = [isinstance(method.y_score, TrainingRuns) for method in methods]
    if not isinstance(paired_runs, bool | np.bool_):
        raise TypeError(f"paired_runs must be True or False, got {paired_runs!r}.")
    if not any(have_runs):
        if paired_runs:
            raise ValueError("paired_runs=True needs TrainingRuns of each method, or runs=.")
        return Methods(methods, None)
    if not all(have_runs):
        method_name = repr(names[have_runs.index(True)])
        model_name = repr(names[have_runs.index(False)])
        raise ValueError(
            f"{method_name} is a method with several runs, and {model_name} is a single model, "
            f"which says nothing of other runs. Pass TrainingRuns of three or more runs of "
            f"{model_name}, or one run of each to compare models."
        )
    n_runs = tuple(len(method.y_score.scores) for method in methods)
    if paired_runs and len({*n_runs}) > 1:
        raise ValueError(
            f"paired_runs=True pairs run 1 of each method with run 1 of the others, so all need as "
            f"many, got {n_runs}. Leave it out if the runs do not belong together."
        )
    run_requests = [
        replace(method, y_score=run) for method in methods for run in method.y_score.scores
    ]
    return Methods(run_requests, n_runs)


def refuse_few_labels(models: Iterable[RowData]) -> None:
    """Refuse runs beside few labels, whose estimates do not include a variance between runs."""
    if any(isinstance(scores, TrainingRuns) for scores in models):
        raise ValueError(
            "TrainingRuns does not go with inclusion_probability and judge: pass the rows with "
            "labels alone, with sample_weight=1 / inclusion_probability, or the scores of each run."
        )


def scores_by_run(models: Mapping[Name, RowData]) -> dict[Name, RowData]:
    """Name the scores of models and of single runs, so that one check sees them all."""
    named: dict[Name, RowData] = {}
    for name, scores in models.items():
        if isinstance(scores, TrainingRuns):
            for k, run in enumerate(scores.scores, 1):
                named[f"{name}, run {k}"] = run
        else:
            named[name] = scores
    return named


def runs_from_columns(argument: str, table: Argument, columns: Argument) -> TrainingRuns:
    """Select the runs in these columns of a frame, or of a mapping."""
    table = columns_by_name(argument, table)
    if not (isinstance(table, Mapping) or hasattr(table, "columns")):
        raise TypeError(
            f"runs= names columns, so {argument} must be a DataFrame or map names to scores, got "
            f"{type(table).__name__}. Pass TrainingRuns([scores, scores, scores]) in the place of "
            f"{argument}, without runs=."
        )
    if isinstance(columns, str | bytes) or not isinstance(columns, Iterable):
        raise TypeError(f"runs= must list the columns of a method, got {columns!r}.")
    run_columns = [*columns]
    table_columns = [*table] if isinstance(table, Mapping) else [*table.columns]
    for column in run_columns:
        if column not in table_columns:
            some = printable(list_first([*map(repr, table_columns)]))
            raise ValueError(f"runs= names {column!r}, but {argument} has the columns {some}.")
        if run_columns.count(column) > 1:
            raise ValueError(f"runs= names {column!r} twice in one method.")
    return TrainingRuns([table[column] for column in run_columns])


def methods_from_columns(
    argument: str, table: Argument, runs: Argument
) -> dict[Name, TrainingRuns]:
    """Select the runs of each method, by its name."""
    if not isinstance(runs, Mapping):
        raise TypeError(
            f"runs= must map the name of each method to its columns, as "
            f"{{'A': ['a_1', 'a_2', 'a_3'], 'B': [...]}}, got {type(runs).__name__}."
        )
    return {name: runs_from_columns(argument, table, columns) for name, columns in runs.items()}


def _list_runs(scores: Argument) -> tuple[RowData, ...]:
    """List the runs of a list or a mapping; refuse a table, whose runs may be rows or columns."""
    if isinstance(scores, Mapping):
        return (*scores.values(),)
    if isinstance(scores, list | tuple):
        return (*scores,)
    remedy = "list(scores) if each row of it is a run, and list(scores.T) if each column is"
    if hasattr(scores, "columns") or hasattr(scores, "column_names"):
        remedy = "[frame[name] for name in names], or the frame with runs=names"
    raise TypeError(
        f"TrainingRuns takes a list with the scores of each run, as [scores, scores, scores], got "
        f"{type(scores).__name__}. Pass {remedy}."
    )


def _check_number(n_runs: int) -> None:
    if n_runs < FEWEST_RUNS:
        reason = (
            "There are no runs",
            "One run says nothing of other runs of the method",
            "Two runs say too little of other runs of the method",
        )[n_runs]
        raise ValueError(
            f"{reason}: pass three or more, or compare the models by their scores, without "
            f"TrainingRuns."
        )


def _check_shape(k: int, run: Argument) -> tuple[int, ...]:
    """Return the shape of the scores of a run, which must be an array."""
    if isinstance(run, TrainingRuns):
        raise TypeError("TrainingRuns holds the scores of runs, and no other TrainingRuns.")
    if isinstance(run, FoldPredictions):
        raise TypeError(
            "TrainingRuns take scores of each run for the same rows, and not FoldPredictions: "
            "an interval of runs that were cross-validated is not known. Compare "
            "FoldPredictions of one run of each method, or train each run on the same rows, "
            "and score others."
        )
    shape = np.shape(to_numpy(f"run {k}", run)) if run is not None else ()
    if not shape:
        raise TypeError(
            f"Each run must be an array with a score for each row, got {run!r} as run {k}."
        )
    return shape
