"""Options of comparisons, checked."""

from collections.abc import Mapping
from typing import Literal, NamedTuple, Protocol, cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._inputs.arrays import to_numpy
from sklearn_ap._inputs.options import check_choice, check_open_share, check_rng
from sklearn_ap._inputs.segments import WORDS_OF_OPTIONS
from sklearn_ap._types import Argument, Name, RowData

BEST = "best"  # as the reference: the model with the highest score
USUAL_LEVEL = 0.95  # which calls need not name
Alternative = Literal["two-sided", "greater", "less"]


class Frame(Protocol):
    """A DataFrame of pandas or polars."""

    @property
    def columns(self) -> RowData: ...

    def __getitem__(self, key: Name, /) -> RowData: ...


Scores = Mapping[str, ArrayLike] | Frame  # the scores of several models


class Options(NamedTuple):
    """The options of an interval or of a comparison."""

    confidence_level: float
    rng: int | np.random.Generator | None  # None for other new samples each time
    alternative: Alternative
    margin: float | None = None  # the largest loss that does not matter


def check_options(
    confidence_level: Argument, rng: Argument, alternative: Argument = "two-sided"
) -> Options:
    """Refuse a level outside (0, 1), and an unknown alternative."""
    level = check_open_share("confidence_level", confidence_level)
    check_choice("alternative", alternative, Alternative)
    return Options(level, check_rng(rng), cast(Alternative, alternative))


def check_margin(margin: Argument, alternative: str) -> float | None:
    """Refuse a margin outside (0, 1), and one beside a one-sided alternative."""
    if margin is None:
        return None
    if alternative != "two-sided":
        raise ValueError(
            f"margin does not go with alternative={alternative!r}: its test of 'not worse' is "
            f"one-sided already, at half the error. Leave out alternative."
        )
    return check_open_share("margin", margin)


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
    if words := WORDS_OF_OPTIONS & {*map(str, keys)}:
        raise ValueError(
            f"y_scores names a model {words.pop()!r}, which is a word of an option, such as "
            f"reference='best'. Give it another name."
        )
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
        lengths = [len(rows) for rows in (y_true, y_score) if hasattr(rows, "__len__")]
        if hasattr(type(y_score), "fit"):  # a pipeline has a length, but is refused later
            continue
        shape = getattr(y_score, "shape", lengths[-1:])
        if len({*lengths}) > 1 and [*shape] != [1, lengths[0]]:
            raise ValueError(
                f"Found input variables with inconsistent numbers of samples: {lengths} "
                f"(y_true, y_scores[{name!r}])."
            )
