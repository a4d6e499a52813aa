"""The scores of several models, by their names."""

from collections.abc import Mapping
from typing import Protocol

from numpy.typing import ArrayLike

from sklearn_ap._inputs.arrays import to_numpy
from sklearn_ap._types import Argument, Name, RowData
from sklearn_ap.inference.comparison_result import refuse_references


class Frame(Protocol):
    """A DataFrame of pandas or polars."""

    @property
    def columns(self) -> RowData: ...

    def __getitem__(self, key: Name, /) -> RowData: ...


Scores = Mapping[str, ArrayLike] | Frame  # the scores of several models


def named_models(models: Argument) -> dict[Name, Argument]:
    """Check that there are at least two models, each with its own name.

    The models of a frame are its columns.
    """
    # {1: first, "1": second} is refused, as both print as 1
    if isinstance(models, Mapping):
        keys = [*models]
    elif hasattr(models, "columns"):
        keys = [*models.columns]
    else:
        to_numpy("y_scores", models)  # whose error says more of models, counts and predictions
        raise TypeError(
            f"y_scores must map names to scores, as {{'A': scores_a, 'B': scores_b}}, or be a "
            f"DataFrame with a column for each, got {type(models).__name__}."
        )
    if len(keys) < 2:
        raise ValueError(f"y_scores must hold at least two models, got {len(keys)}.")
    if len(set(map(str, keys))) < len(keys):
        raise ValueError(f"y_scores must give each model a name of its own, got {(*keys,)}.")
    refuse_references("y_scores", keys)
    return {key: models[key] for key in keys}


def check_lengths(y_true: RowData, models: Mapping[Name, RowData]) -> None:
    """Refuse scores that are more or fewer than the labels, and name their model."""
    # 3 labels go with scores of the shapes (3,) and (1, 3), and not with 4 scores
    for name, y_score in models.items():
        if isinstance(y_score, Mapping):
            raise TypeError(
                f"y_scores[{name!r}] must be an array or FoldPredictions, got a dict. If it is the "
                f"result of cross_validate, pass FoldPredictions(cv_results, X)."
            )
        lengths = [
            len(rows)
            for rows in (y_true, y_score)
            if hasattr(rows, "__len__") and getattr(rows, "shape", None) != ()
        ]
        if hasattr(type(y_score), "fit"):  # a pipeline has a length, but is refused later
            continue
        shape = getattr(y_score, "shape", lengths[-1:])
        if len({*lengths}) > 1 and [*shape] != [1, lengths[0]]:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {lengths} "
                f"(y_true, y_scores[{name!r}])."
            )
