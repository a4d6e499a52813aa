"""Scores that were checked before, and rankings that keep what was found of them.

They are for a client that asks many questions about the same rows, as a report does.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields
from typing import Any, Self

import numpy as np

from sklearn_ap._base.common.types import Array, Bool
from sklearn_ap._base.inputs.rankings import Rankings


@dataclass(frozen=True, slots=True, eq=False)
class KeptRankings(Rankings):
    """Rankings that are asked about again. What is made of them by ``replace`` begins anew."""

    found: dict[str, Any] = field(init=False, default_factory=dict)

    @classmethod
    def like(cls, rankings: Rankings) -> Self:
        """The same rankings, of which nothing was found yet."""
        return cls(**{each.name: getattr(rankings, each.name) for each in fields(Rankings)})

    def once(self, name: str, find: Callable[[], Any]) -> Any:
        """What was found under this name, or is found now."""
        if name not in self.found:
            self.found[name] = find()
        return self.found[name]

    def select_retrieved(self) -> Self:
        """The same without items that were not retrieved."""
        # None stands for the rankings themselves, which would stay in memory if they held
        # themselves.
        rest = self.once("only_retrieved", self._rest)
        return self if rest is None else rest

    def _rest(self) -> Self | None:
        rest = Rankings.select_retrieved(self)
        return None if rest is self else rest


class CheckedScores(np.ndarray):
    """Scores of one column that know beside which labels they were checked.

    A question that passes the same scores and the same labels, as objects, need not check them
    again, and one that also passes the same weights, queries and clusters gets the same rankings.
    All of these are held here, so no other object takes their place. Whoever asks must not write
    into them between two questions. A part of the scores, or a copy, was not checked.
    """

    labels: Bool | None = None
    _made: list[tuple[tuple[Any, ...], KeptRankings]]

    def are_of(self, y_true: Any) -> bool:
        """Whether these scores were checked beside these labels."""
        return y_true is not None and self.labels is y_true

    def rankings(self, given: tuple[Any, ...], make: Callable[[], Rankings]) -> KeptRankings:
        """The rankings of the objects that are given beside scores and labels."""
        for others, known in self._made:
            if all(one is other for one, other in zip(given, others, strict=True)):
                return known
        made = KeptRankings.like(make())
        self._made.append((given, made))
        return made


def checked_scores(positive: Bool, score: Array) -> CheckedScores:
    """Scores for many questions, as ``check_targets`` gives them beside the positive labels."""
    scores = score.view(CheckedScores)
    scores.labels = positive
    scores._made = []
    return scores
