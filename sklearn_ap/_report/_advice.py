"""What to do: all rules are asked, and ordered advice is made of what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from itertools import chain
from typing import TypeVar

from sklearn_ap._report import _rules as rules
from sklearn_ap._report._data import SegmentColumn
from sklearn_ap._report._facts import (
    BetterThere,
    ChangedShare,
    Fact,
    Fall,
    GoalThreshold,
    MayBeBest,
    ModelScore,
    NoLead,
    NotAboveChance,
    Refused,
    Warned,
    WorsePlace,
)
from sklearn_ap._report.questions import Questions, UnansweredError

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

    scores: list[ModelScore]
    models: list[Fact]
    facts_by_column: dict[str, list[Fact]]
    top_rows: list[Fact]
    thresholds: list[Fact]  # of the shown models for all goals
    advised_thresholds: list[Fact]  # those to use, and what they find where the model is worse
    doubts: list[Fact]
    warned: list[Warned]
    comparable: list[SegmentColumn]  # whose segments could be compared
    model_advice: Advice

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts, each once; thresholds to use come before others."""
        places = chain.from_iterable(self.facts_by_column.values())
        thresholds = *self.advised_thresholds, *self.thresholds
        about_rows = *self.scores, *self.models, *places, *self.top_rows, *thresholds
        return (*dict.fromkeys((*about_rows, *self.doubts, *self.warned)),)


def select(kind: type[AnyFact], facts: Iterable[Fact]) -> list[AnyFact]:
    """List the facts of a kind."""
    return [fact for fact in facts if isinstance(fact, kind)]


def apply_rule(rule: Callable[[], Iterable[Fact]]) -> list[Fact]:
    """Find facts. If a public function refuses the question of the rule, that is the fact."""
    try:
        return [*rule()]
    except UnansweredError as error:
        return [Refused(str(error))]


def gather(questions: Questions) -> Findings:
    """Apply all rules, and advise a model. No part of the page asks what no rule has asked."""
    scores = rules.find_scores(questions)
    chance = apply_rule(partial(rules.find_chance, questions))
    models = [*rules.find_best(questions), *chance]
    facts_by_column, comparable, unlike = {}, [], []
    for column in questions.columns:
        facts_by_column[column.name] = apply_rule(partial(rules.find_places, questions, column))
        if not select(Refused, facts_by_column[column.name]):
            comparable.append(column)
            unlike += rules.find_changed_shares(questions, column)
    places = [*chain.from_iterable(facts_by_column.values())]
    advice = advise_model(questions, [*models, *scores], places, unlike)
    thresholds = apply_rule(partial(rules.find_goal_thresholds, questions, advice.model))
    top_rows = apply_rule(partial(rules.find_top_rows, questions))
    return Findings(
        scores=scores,
        models=models,
        facts_by_column=facts_by_column,
        top_rows=top_rows,
        thresholds=thresholds,
        advised_thresholds=advise_thresholds(questions, advice.model, thresholds, places),
        doubts=[rules.find_looked(questions, comparable), *unlike],
        warned=rules.count_warnings(questions),  # of all answers, so it comes last
        comparable=comparable,
        model_advice=advice,
    )


def advise_thresholds(
    questions: Questions, model: str, thresholds: Sequence[Fact], places: Sequence[Fact]
) -> list[Fact]:
    """Choose the thresholds to use, and count what they find where the model is worse."""
    if "queries" in questions.data.options:  # each of which is a ranking of its own
        return []
    own = [fact for fact in select(GoalThreshold, thresholds) if fact.model == model]
    chosen = rules.choose_thresholds(questions, own)
    worse = [fact for fact in select(WorsePlace, places) if fact.model == model]
    there = rules.count_in_places(questions.data, chosen, worse[:MOST_TOLD])
    return [*select(Refused, thresholds), *chosen, *there]


# ---- the line of models


def advise_model(
    questions: Questions,
    overall: Sequence[Fact],
    places: Sequence[Fact],
    unlike: Sequence[ChangedShare],
) -> Advice:
    """Advise the best model over all rows or, if it fell, another one, and tell why.

    ``overall`` are the facts about all rows. A doubt about the model or its labels comes before
    falls. The reason is told first, then what is better since a fall, the falls, the comparison
    over all rows, and what is better in segments.
    """
    kind, model = choose_model(questions, overall, places)
    falls = list_falls(places, kind, model)
    reasons: Sequence[Fact] = falls
    without_skill = select(NotAboveChance, overall)
    columns = {fact.column for fact in unlike}
    without_labels = [
        place
        for place in select(WorsePlace, places)
        if place.model == questions.best and place.column in columns
    ]
    if without_skill:
        kind, reasons = AdviceKind.CHECK_MODEL, without_skill
    elif without_labels:
        kind, reasons = AdviceKind.CHECK_LABELS, without_labels
    better = select(BetterThere, places)
    since = [fact for fact in better if fact.place in falls and fact.other == model]
    inside = [fact for fact in better if not isinstance(fact.place, Fall)]
    comparison = next(fact for fact in overall if not isinstance(fact, Refused))
    facts = dict.fromkeys([*reasons[:1], *since, *falls, comparison, *inside])
    return Advice("Model", kind, model, (*facts,))


def choose_model(
    questions: Questions, overall: Sequence[Fact], places: Sequence[Fact]
) -> tuple[AdviceKind, str]:
    """Choose the best over all rows or, if it fell, another one, and say which advice that is.

    The other one is better since the fall, or it may be the best, too, and has not fallen.
    """
    best = questions.best
    fallen = {fall.model for fall in select(Fall, places)}
    if not fallen:
        return AdviceKind.TELL, best
    rivals = [name for name in list_rivals(questions, overall) if rules.has_skill(questions, name)]
    if best not in fallen:
        return AdviceKind.USE if fallen & {*rivals} else AdviceKind.TELL, best
    better = [
        fact.other
        for fact in select(BetterThere, places)
        if isinstance(fact.place, Fall) and fact.place.model == best
    ]
    others = [*better, *(name for name in rivals if name not in fallen)]
    return (AdviceKind.USE_FOR_NOW, others[0]) if others else (AdviceKind.CHECK_FALL, best)


def list_rivals(questions: Questions, overall: Sequence[Fact]) -> list[str]:
    """List the shown models that may be the best over all rows, too."""
    rivals = [fact.other for fact in select(NoLead, overall)]
    rivals += [name for fact in select(MayBeBest, overall) for name in fact.others]
    return [name for name in rivals if name in questions.shown]


def list_falls(places: Sequence[Fact], kind: AdviceKind, model: str) -> list[Fall]:
    """List the first fall of each model, if falls lead to the advice; the reason comes first."""
    if kind is AdviceKind.TELL:
        return []
    falls: dict[str, Fall] = {}
    for fall in select(Fall, places):
        falls.setdefault(fall.model, fall)
    own = [fall for fall in falls.values() if fall.model == model]
    others = [fall for fall in falls.values() if fall.model != model]
    # "Find out why before you use A: A falls", but "Use A for now: B falls"
    return [*own, *others] if kind is AdviceKind.CHECK_FALL else [*others, *own]


# ---- the other lines


def advise(findings: Findings) -> list[Advice]:
    """Say which model and which threshold to use, where models are worse, and what to distrust."""
    lines = [findings.model_advice]
    model = findings.model_advice.model
    if thresholds := findings.advised_thresholds:
        is_unsure = bool(select(NotAboveChance, findings.models))
        kind = AdviceKind.NO_MODEL if is_unsure else AdviceKind.TELL
        lines.append(Advice("Threshold", kind, model, () if is_unsure else (*thresholds,)))
    for name, places in list_told_places(findings):
        lines.append(Advice(f"By {name}", AdviceKind.TELL, model, (*places,)))
    doubts = [*findings.doubts[:MOST_DOUBTS], *findings.warned]
    return [*lines, Advice("Distrust", AdviceKind.TELL, model, (*doubts,))]


def list_told_places(findings: Findings) -> list[tuple[str, list[Fact]]]:
    """List what to tell of columns; falls lead, and columns in which a model is worse."""
    lines = []
    for name, facts in findings.facts_by_column.items():
        places = [fact for fact in facts if not isinstance(fact, BetterThere)]
        places.sort(key=lambda fact: not isinstance(fact, Fall))
        lines.append((name, places[:MOST_TOLD]))
    lines.sort(key=lambda line: not select(WorsePlace, line[1]))
    return lines[:MOST_COLUMNS]
