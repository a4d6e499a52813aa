"""Scores that were checked before, and rankings that keep results computed from them.

They are for a client that asks many questions about the same rows, as a report does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Self, TypeVar, cast

import numpy as np

from sklearn_ap._base.common.types import Argument, Array, Bool
from sklearn_ap._base.inputs.rankings import Rankings

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, eq=False)
class KeptRankings(Rankings):
    """Rankings that keep results for later questions. A copy by ``replace`` has no results yet."""

    results: dict[str, object] = field(init=False, default_factory=dict)

    @classmethod
    def from_rankings(cls, rankings: Rankings) -> Self:
        """Copy rankings, without any results yet."""
        return cls(**{column.name: getattr(rankings, column.name) for column in fields(Rankings)})

    def compute_once(self, name: str, compute: Callable[[], Result]) -> Result:
        """Return the result of this name, which is computed at the first call."""
        if name not in self.results:
            self.results[name] = compute()
        return cast(Result, self.results[name])

    def select_retrieved(self) -> Self:
        """Leave out the items that were not retrieved, once for all questions."""
        # None stands for the rankings themselves, which would stay in memory if they held
        # themselves.
        rest = self.compute_once("retrieved items", self._retrieved_rest)
        return self if rest is None else rest

    def _retrieved_rest(self) -> Self | None:
        rest = Rankings.select_retrieved(self)
        return None if rest is self else rest


class CheckedScores(np.ndarray):
    """Scores of one column that know beside which labels they were checked.

    A question that passes the same scores and the same labels, as objects, need not check them
    again, and one that also passes the same weights, queries and clusters gets the same rankings.
    All of these are held here, so no other object takes their place. Callers must not write into
    them between two questions. A part of the scores, or a copy, was not checked.
    """

    labels: Bool | None = None
    _known_rankings: list[tuple[tuple[object, ...], KeptRankings]]

    def were_checked_beside(self, y_true: Argument) -> bool:
        """Check whether these scores were checked beside these labels."""
        return y_true is not None and self.labels is y_true

    def rankings(self, arguments: tuple[object, ...], make: Callable[[], Rankings]) -> KeptRankings:
        """Return the rankings of the arguments that are passed beside scores and labels."""
        for known_arguments, known in self._known_rankings:
            pairs = zip(arguments, known_arguments, strict=True)
            if all(argument is other for argument, other in pairs):
                return known
        rankings = KeptRankings.from_rankings(make())
        self._known_rankings.append((arguments, rankings))
        return rankings


def checked_scores(positive: Bool, score: Array) -> CheckedScores:
    """Make scores for many questions, from the result of ``check_targets``."""
    scores = score.view(CheckedScores)
    scores.labels = positive
    scores._known_rankings = []
    return scores
