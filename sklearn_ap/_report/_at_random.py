"""Places in which a model that is worse ranks as random orders do, or worse."""

from __future__ import annotations

from dataclasses import dataclass
from math import nan

from sklearn_ap._arithmetic import is_shown
from sklearn_ap._report._better_there import BetterThere
from sklearn_ap._report._fact import Fact
from sklearn_ap._report._falls import WorseSegment
from sklearn_ap._report._levels import divide_level
from sklearn_ap._report._models import REVERSED_PVALUE
from sklearn_ap._report.questions import Questions, UnansweredError
from sklearn_ap._writing.text import pvalue_phrase, score_as_text
from sklearn_ap.inference.chance.chance_test import chance_test

NEAR_CHANCE = 0.1  # of what a model scores more than random orders in the other rows


@dataclass(frozen=True)
class AtRandom(Fact):
    """A place in which a model ranks no better than random orders, and what a better one scores."""

    place: WorseSegment
    score: float
    chance: float
    pvalue: float
    other: str = ""
    other_score: float = nan

    @property
    def what(self) -> str:
        """What the model does there."""
        score, chance = score_as_text(self.score), score_as_text(self.chance)
        other = f", and {self.other} {score_as_text(self.other_score)}" if self.other else ""
        is_reversed = self.pvalue > REVERSED_PVALUE and self.score < self.chance
        ranks = "worse than random orders" if is_reversed else "as random orders do"
        doubt = "; are scores or labels reversed there?" if is_reversed else "."
        return (
            f"ranks {ranks}, which score {chance} on average: it scores {score} "
            f"({pvalue_phrase(self.pvalue)}){other}{doubt}"
        )

    def __str__(self) -> str:
        where = self.place.where
        return f"{where[0].upper()}{where[1:]}, {self.place.model} {self.what}"


def find_at_random(
    questions: Questions, place: WorseSegment, better: BetterThere | None
) -> AtRandom | None:
    """Find whether a model that is worse ranks as random orders do, beside a better one, if any.

    It is not shown to score more than these, and scores next to nothing more, compared with the
    other rows.
    """
    prevalence = None if questions.data.has_queries else questions.prevalence
    try:
        answer = questions.ask(chance_test, place.model, rows=place.rows, prevalence=prevalence)
    except UnansweredError:  # of queries that share clusters
        return None
    chance, pvalue = float(answer.result.chance), float(answer.result.pvalue)
    elsewhere = place.score - place.difference.value
    is_near = place.score - chance <= NEAR_CHANCE * (elsewhere - chance)
    if not is_near or is_shown(pvalue, divide_level("above chance there")):
        return None
    return AtRandom(
        place=place,
        score=place.score,
        chance=chance,
        pvalue=pvalue,
        other=better.other if better else "",
        other_score=better.other_score if better else nan,
        calls=(*place.calls, answer.call, *(better.calls if better else ())),
    )
