"""What to do: the first lines of a page, from the facts of its parts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from sklearn_ap._report._at_random import AtRandom
from sklearn_ap._report._better_there import BetterThere
from sklearn_ap._report._fact import Fact, select
from sklearn_ap._report._falls import Fall, WorseSegment
from sklearn_ap._report._looked_at import ChangedShare
from sklearn_ap._report._models import BesideChance, HighestScore, TwoModels, has_skill
from sklearn_ap._report._parts import Part
from sklearn_ap._report.questions import Questions
from sklearn_ap._writing.text import names_as_text

MOST_COLUMNS = 2  # with a line of their own
MOST_TOLD = 2  # segments that a line tells


class AdviceKind(Enum):
    """What a line advises, by the words before its first fact."""

    TELL = ""  # facts speak for themselves
    CHECK_MODEL = "Do not use {model} yet:"
    CHECK_LABELS = "Check the labels first, as their share changes:"
    USE_BUT_NOT = "Use {model}{but_not}:"
    USE_FOR_NOW = "Use {model} for now{but_not}:"
    CHECK_FALL = "Find out why before you use {model}:"


@dataclass(frozen=True)
class Advice:
    """One of the first lines: what to do, and the facts that say why."""

    question: str  # "Model", "Threshold", "Distrust" or "Data", or "By" and a column
    kind: AdviceKind
    model: str  # to use
    facts: tuple[Fact, ...]
    but_not: tuple[AtRandom, ...] = ()  # where the model ranks as random orders do

    @property
    def sentences(self) -> list[str]:
        """What to do, and the reasons."""
        first, *others = self.facts
        places = names_as_text([fact.place.where for fact in self.but_not])
        but_not = f", but not {places}" if places else ""
        what = self.kind.value.format(model=self.model, but_not=but_not)
        reason = str(first)
        if isinstance(first, AtRandom) and self.but_not == (first,):  # its place is said
            reason = f"there it {first.what}"
        return [f"{what} {reason}".lstrip(), *map(str, others)]


# ---- the line of models


def advise_model(
    questions: Questions, overall: Sequence[Fact], column_facts: Sequence[Fact]
) -> Advice:
    """Advise the best model over all rows or, if it fell, another one, and tell why.

    ``overall`` are the facts about all rows. A doubt about the best model, or about its labels,
    comes before falls. The reason is told first, then what is better since a fall, the falls, where
    the model ranks as random orders do, the comparison over all rows, and what is better in
    segments.
    """
    best = questions.best
    without_skill = [fact for fact in select(BesideChance, overall) if not fact.is_shown]
    columns = {fact.column for fact in select(ChangedShare, column_facts)}
    doubtful = [
        place
        for place in select(WorseSegment, column_facts)
        if place.model == best and place.column in columns
    ]
    better = select(BetterThere, column_facts)
    others = [overall[0], *(fact for fact in better if not isinstance(fact.place, Fall))]
    if without_skill:
        return Advice("Model", AdviceKind.CHECK_MODEL, best, (without_skill[0], *others))
    if doubtful:
        return Advice("Model", AdviceKind.CHECK_LABELS, best, (doubtful[0], *others))
    kind, model = choose_model(questions, overall, column_facts)
    random = select(AtRandom, column_facts)
    but_not = tuple(
        fact for fact in random if fact.place.model == model and not isinstance(fact.place, Fall)
    )
    if kind is AdviceKind.TELL:
        kind = AdviceKind.USE_BUT_NOT if but_not else kind
        return Advice("Model", kind, model, (*but_not, *others), but_not)
    falls: dict[str, Fall] = {}  # the first of each model
    for fall in sorted(select(Fall, column_facts), key=lambda fall: fall.model != best):
        falls.setdefault(fall.model, fall)
    reason, *further = falls.values()
    since = [fact for fact in better if fact.other == model and fact.place in falls.values()]
    random_since = [fact for fact in random if fact.place in falls.values()]
    facts = (reason, *random_since, *since, *further, *but_not, *others)
    return Advice("Model", kind, model, facts, but_not)


def choose_model(
    questions: Questions, overall: Sequence[Fact], column_facts: Sequence[Fact]
) -> tuple[AdviceKind, str]:
    """Choose the best over all rows or, if it fell, another one, and say which advice that is.

    The other one is better since the fall, or it may be the best, too, and has not fallen.
    """
    best = questions.best
    fallen = {fall.model for fall in select(Fall, column_facts)}
    if not fallen:
        return AdviceKind.TELL, best
    rivals = [name for name in list_rivals(questions, overall) if has_skill(questions, name)]
    if best not in fallen:
        return AdviceKind.USE_FOR_NOW if fallen & {*rivals} else AdviceKind.TELL, best
    better = [
        fact.other
        for fact in select(BetterThere, column_facts)
        if isinstance(fact.place, Fall) and fact.place.model == best
    ]
    others = [*better, *(name for name in rivals if name not in fallen)]
    return (AdviceKind.USE_FOR_NOW, others[0]) if others else (AdviceKind.CHECK_FALL, best)


def list_rivals(questions: Questions, overall: Sequence[Fact]) -> list[str]:
    """List the leading models that may be the best over all rows, too."""
    pairs = [fact for fact in select(TwoModels, overall) if not (fact.is_shown or fact.reason)]
    rivals = [fact.other for fact in pairs]
    rivals += [name for fact in select(HighestScore, overall) for name in fact.others]
    return [name for name in rivals if name in questions.leading]


# ---- the other lines


def tell(question: str, model: str, facts: Sequence[Fact]) -> list[Advice]:
    """Tell facts in a line, if there are any."""
    return [Advice(question, AdviceKind.TELL, model, (*facts,))] if facts else []


def tell_columns(parts: Sequence[Part], model: str) -> list[Advice]:
    """Tell where models are worse; falls lead, and columns in which a model is worse."""
    lines = []
    for part in parts:
        told_elsewhere = BetterThere | AtRandom | ChangedShare
        facts = [fact for fact in part.facts if not isinstance(fact, told_elsewhere)]
        facts.sort(key=lambda fact: not isinstance(fact, Fall))
        lines += tell(part.title, model, facts[:MOST_TOLD])
    lines.sort(key=lambda line: not select(WorseSegment, line.facts))
    return lines[:MOST_COLUMNS]
