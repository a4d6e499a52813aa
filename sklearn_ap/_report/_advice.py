"""What to do: all rules are asked, and ordered advice is made of what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import chain
from typing import TypeVar

from sklearn_ap._report._facts import (
    BetterThere,
    Fact,
    Fall,
    NotAboveChance,
    Refused,
    Score,
    UnlikeLabels,
    Warned,
    WorseSegment,
)
from sklearn_ap._report._rules import (
    find_best,
    find_chance,
    find_looked,
    find_places,
    find_scores,
    find_unlike_labels,
    has_skill,
    thresholds_of,
)
from sklearn_ap._report.data import Data, SegmentColumn, UnansweredError
from sklearn_ap._types import Argument

MOST_COLUMNS = 2  # with a line of their own
MOST_TOLD = 2  # segments that a line tells
MOST_DOUBTS = 4  # that a line tells, besides warnings

AnyFact = TypeVar("AnyFact", bound=Fact)


class AdviceKind(Enum):
    """What a line advises, by the words before its first fact, or in the place of facts."""

    TELL = ""  # facts speak for themselves
    CHECK_MODEL = "Do not use {model} yet:"
    CHECK_LABELS = "Check the labels first, as their share changes:"
    USE = "Use {model}:"
    USE_FOR_NOW = "Use {model} for now:"
    CHECK_FALL = "Find out why before you use {model}:"
    NO_MODEL = "Wait until that is known."


@dataclass(frozen=True)
class Advice:
    """One of the first lines: what to do, and the facts that say why."""

    question: str  # "Model", "Threshold", "Distrust", or "By" and the name of a column
    kind: AdviceKind
    model: str  # to use
    facts: tuple[Fact, ...]

    @property
    def sentences(self) -> list[str]:
        """What to do, and the reasons."""
        sentences = [fact.sentence for fact in self.facts]
        if self.kind is AdviceKind.TELL:
            return sentences
        first = self.kind.value.format(model=self.model)
        return [" ".join([first, *sentences[:1]]), *sentences[1:]]


@dataclass(frozen=True, eq=False)
class Findings:
    """All facts, by the part of the page to which they belong, and the model to use."""

    scores: list[Score]
    models: list[Fact]
    by_column: dict[str, list[Fact]]
    thresholds: list[Fact]
    doubts: list[Fact]
    comparable: list[SegmentColumn]  # whose segments could be compared
    to_use: str
    kind: AdviceKind  # of advice that a fall gives

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts, in the order of the page."""
        places = chain.from_iterable(self.by_column.values())
        return (*self.scores, *self.models, *places, *self.thresholds, *self.doubts)


def select(kind: type[AnyFact], facts: Iterable[Fact]) -> list[AnyFact]:
    """List the facts of a kind."""
    return [fact for fact in facts if isinstance(fact, kind)]


def answers(rule: Callable[..., Iterable[Fact]], *arguments: Argument) -> list[Fact]:
    """Apply a rule. If a public function refuses its question, that is the fact."""
    try:
        return [*rule(*arguments)]
    except UnansweredError as error:
        return [Refused(str(error))]


def gather(data: Data) -> Findings:
    """Apply all rules. Thresholds are of the model to use."""
    scores = find_scores(data)
    leads, rivals = find_best(data)
    models = [*leads, *answers(find_chance, data)]
    by_column = {each.name: answers(find_places, data, each) for each in data.columns}
    comparable = [each for each in data.columns if not select(Refused, by_column[each.name])]
    unlike = (fact for each in comparable for fact in find_unlike_labels(data, each))
    places = [*chain.from_iterable(by_column.values())]
    has_fallen = bool(select(Fall, places))
    skilled = [each for each in rivals if has_fallen and has_skill(data, each)]
    to_use, kind = choose_model(places, data.best, skilled)
    thresholds = []
    if "queries" not in data.options:  # each of which is a ranking of its own
        worse = [fact for fact in select(WorseSegment, places) if fact.model == to_use]
        thresholds = answers(thresholds_of, data, to_use, worse[:MOST_TOLD])
    doubts = [find_looked(data, comparable), *unlike]
    return Findings(scores, models, by_column, thresholds, doubts, comparable, to_use, kind)


def choose_model(
    places: Sequence[Fact], best: str, rivals: Sequence[str]
) -> tuple[str, AdviceKind]:
    """Choose the best over all rows, or, if it fell, another, and say which advice that is.

    The other one is better since the fall, or it is a rival over all rows and has not fallen.
    """
    falls = select(Fall, places)
    fallen = {fall.model for fall in falls}
    better = [
        fact.other
        for fact in select(BetterThere, places)
        if fact.place in falls and fact.place.model == best
    ]
    others = [name for name in rivals if name != best and name not in fallen]
    if best not in fallen:
        return best, AdviceKind.USE if fallen & {*rivals} else AdviceKind.TELL
    if better or others:
        return [*better, *others][0], AdviceKind.USE_FOR_NOW
    return best, AdviceKind.CHECK_FALL


def advise(data: Data, found: Findings) -> list[Advice]:
    """Say which model and which threshold to use, where models are worse, and what to distrust."""
    doubts = found.doubts[:MOST_DOUBTS]
    if warnings := data.warnings:
        every = [*chain.from_iterable(warnings.values())]
        kinds = dict.fromkeys(each.kind for each in every if each.kind)
        models = dict.fromkeys(each.model for each in every if each.model)
        doubts.append(Warned(len(warnings), (*kinds,), (*models,)))
    lines = [("Model", *advise_model(found))]
    if found.thresholds:
        no_model = select(NotAboveChance, found.models)
        advice = (AdviceKind.NO_MODEL, []) if no_model else (AdviceKind.TELL, found.thresholds)
        lines.append(("Threshold", *advice))
    lines += [(f"By {name}", AdviceKind.TELL, places) for name, places in told_places(found)]
    lines.append(("Distrust", AdviceKind.TELL, doubts))
    return [Advice(question, kind, found.to_use, tuple(facts)) for question, kind, facts in lines]


def advise_model(found: Findings) -> tuple[AdviceKind, list[Fact]]:
    """Give the first advice that has a reason: doubts, then falls.

    The reason is told first, then what is better since a fall, falls of the model to use, and the
    comparison over all rows.
    """
    unlike = {fact.column for fact in select(UnlikeLabels, found.doubts)}
    worse = [
        fact for fact in select(WorseSegment, found.facts) if fact.model == found.scores[0].model
    ]
    first_falls: dict[str, Fall] = {}
    for fall in select(Fall, found.facts) if found.kind is not AdviceKind.TELL else ():
        first_falls.setdefault(fall.model, fall)
    # "Find out why before you use A: A falls", but "Use A for now: B falls"
    is_last = found.kind is not AdviceKind.CHECK_FALL
    falls = sorted(first_falls.values(), key=lambda fall: is_last == (fall.model == found.to_use))
    reasons: list[tuple[AdviceKind, Sequence[Fact]]] = [
        (AdviceKind.CHECK_MODEL, select(NotAboveChance, found.models)),
        (AdviceKind.CHECK_LABELS, [fact for fact in worse if fact.column in unlike]),
        (found.kind, falls),
    ]
    kind, reason = next((pair for pair in reasons if pair[1]), (AdviceKind.TELL, []))
    there = select(BetterThere, found.facts)
    since = [fact for fact in there if fact.place in falls and fact.other == found.to_use]
    inside = [fact for fact in there if not isinstance(fact.place, Fall)]
    whole = [fact for fact in (*found.models, *found.scores) if not isinstance(fact, Refused)]
    return kind, [*dict.fromkeys([*reason[:1], *since, *falls, whole[0], *inside])]


def told_places(found: Findings) -> list[tuple[str, list[Fact]]]:
    """List what to tell of columns; falls lead, and columns in which a model is worse."""
    lines = []
    for name, facts in found.by_column.items():
        places = [fact for fact in facts if not isinstance(fact, BetterThere)]
        places.sort(key=lambda fact: not isinstance(fact, Fall))
        lines.append((name, places[:MOST_TOLD]))
    lines.sort(key=lambda line: not select(WorseSegment, line[1]))
    return lines[:MOST_COLUMNS]
