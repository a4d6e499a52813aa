"""The places of rows in rankings: three kinds of each threshold, then three of each ranking."""

from __future__ import annotations

from typing import Generic, NamedTuple, TypeVar

import numpy as np

from sklearn_ap._types import Array, Index

T_co = TypeVar("T_co", covariant=True)


class ByKind(NamedTuple, Generic[T_co]):
    """A value, or an array of values, for each kind of place.

    Parameters
    ----------
    positive, tied, between
        Of each threshold: positives at it, negatives tied with it, and negatives between it and the
        one above.
    lost, below, unscored
        Of each ranking: positives that were not retrieved, negatives below all thresholds, and
        positives that are no rows.
    """

    positive: T_co
    tied: T_co
    between: T_co
    lost: T_co
    below: T_co
    unscored: T_co


IS_POSITIVE = ByKind(True, False, False, True, False, True)


class Places(NamedTuple):
    """How places are numbered: kind by kind, and in each kind by threshold, or by ranking.

    With 3 thresholds of 2 rankings, these places are 0 to 8 of thresholds and 9 to 14 of rankings.
    """

    n_thresholds: int
    n_rankings: int

    @property
    def sizes(self) -> ByKind[int]:
        """The number of places of each kind."""
        return ByKind(*[self.n_thresholds] * 3, *[self.n_rankings] * 3)

    @property
    def total(self) -> int:
        """The number of all places."""
        return sum(self.sizes)

    @property
    def begins(self) -> ByKind[int]:
        """The first place of each kind: 0, 3, 6, 9, 11, 13 of 3 thresholds in 2 rankings."""
        return ByKind(*(np.cumsum(self.sizes) - self.sizes).tolist())

    def split(self, values: Array) -> ByKind[Array]:
        """Cut the last axis, which has a value of each place, into kinds."""
        return ByKind(*np.split(values, np.cumsum(self.sizes)[:-1], axis=-1))

    def join(self, values: ByKind[float | Array]) -> Array:
        """Return a value of each place, where one number stands for all places of a kind."""
        parts = zip(values, self.sizes, strict=True)
        return np.concatenate([np.broadcast_to(each, size) for each, size in parts])

    def ranking(self, starts: Index) -> Index:
        """Return the ranking of each place; ``starts`` are the first thresholds of rankings."""
        rankings = np.arange(self.n_rankings)
        each = np.repeat(rankings, np.diff(starts, append=self.n_thresholds))
        return self.join(ByKind(each, each, each, rankings, rankings, rankings))
