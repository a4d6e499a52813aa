"""Scores that know where they come from: what they mean, and if comparing them is doubtful."""

from __future__ import annotations

from math import nan
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._types import Argument, Array


class Source(NamedTuple):
    """Where the scores of a model come from."""

    n_rows: int = 0  # of several queries together; 0 of one
    n_queries: int = 0  # of those with judgements
    judged_share: float = nan  # of the first 10 documents of each; nan if that is not known
    definition: Argument = None  # of average precision, if its tool has one
    n_overlaps: int = 1  # at which each object has a row


class SourcedScores(NDArray[np.float64]):
    """An array of scores with its source, which copies, selections and new scales of it keep."""

    source: Source | None = None

    @classmethod
    def of(cls, scores: Array, source: Source) -> Self:
        """Give scores their source."""
        sourced = np.asarray(scores).view(cls)
        sourced.source = source
        return sourced

    @property
    def definition(self) -> Argument:
        """The average precision that is meant if no other one is asked for."""
        return None if self.source is None else self.source.definition

    def __array_finalize__(self, scores: Array | None) -> None:
        """Take over the source of the scores from which NumPy makes an array."""
        self.source = getattr(scores, "source", None)

    def __array_wrap__(
        self,
        array: Array,
        context: tuple[np.ufunc, tuple[object, ...], int] | None = None,
        return_scalar: bool = False,
    ) -> Any:  # noqa: ANN401 a number, or an array
        """Give sums and maxima as plain numbers."""
        return array[()] if return_scalar else super().__array_wrap__(array, context, False)

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle both."""
        return type(self).of, (np.asarray(self), self.source)
