"""What to do: all rules are asked, and ordered advice is made of what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from sklearn_ap._base.common.types import Argument
from sklearn_ap._report import _rules
from sklearn_ap._report._data import Data
from sklearn_ap._report._facts import (
    Best,
    BetterThere,
    Fact,
    Fall,
    Lead,
    MayBeBest,
    MissedGoal,
    NoLead,
    NotAboveChance,
    Refused,
    ReversedScores,
    Score,
    Threshold,
    UnlikeLabels,
    Warned,
    WorseSegment,
)

MOST_COLUMNS = 2  # with a line of their own
MOST_PLACES = 2  # segments that a line tells
MOST_DOUBTS = 3  # that a line tells, besides warnings


@dataclass(frozen=True)
class Advice:
    """One of the first lines: what to do, and the facts that say why.

    Parameters
    ----------
    question : str
        "Model", "Threshold", "Distrust", or "By" and the name of a column.
    kind : str
        The name of the template of its first sentence, which reads the first fact; "" if facts
        speak for themselves.
    model : str
        The model to use.
    facts : tuple of Fact
        The reasons.
    """

    question: str
    kind: str
    model: str
    facts: tuple[Fact, ...]


@dataclass(eq=False)
class Findings:
    """All facts, by the part of the page to which they belong, and the model to use."""

    scores: list[Score]
    models: list[Fact]
    columns: dict[str, list[Fact]]
    doubts: list[Fact]
    model: str
    thresholds: list[Fact] = field(default_factory=list)

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts, in the order of the page."""
        places = [fact for facts in self.columns.values() for fact in facts]
        return (*self.scores, *self.models, *places, *self.thresholds, *self.doubts)


def answers(rule: Callable[..., Iterable[Fact]], *arguments: Argument) -> list[Fact]:
    """Apply a rule. If a public function refuses its question, that is the fact."""
    try:
        return [*rule(*arguments)]
    except ValueError as error:
        return [Refused(message=str(error))]


def gather(data: Data) -> Findings:
    """Apply all rules. Thresholds are of the model to use: the best, or one since that fell."""
    scores = _rules.find_scores(data)
    models: list[Fact] = [*_rules.find_lead(data, scores)]
    models += answers(_rules.find_chance, data)
    columns = {each.name: answers(_rules.find_places, data, each) for each in data.columns}
    doubts: list[Fact] = [*_rules.find_doubts(data, scores)]
    refused = {name for name, facts in columns.items() if isinstance(facts[0], Refused)}
    segments = [column for column in data.columns if column.name not in refused]
    doubts += [fact for each in segments for fact in _rules.find_unlike_labels(data, each)]
    found = Findings(scores, models, columns, doubts, data.shown[0])
    better = [fact for fact in found.facts if isinstance(fact, BetterThere)]
    found.model = next((f.other for f in better if isinstance(f.place, Fall)), found.model)
    places = [f for f in found.facts if isinstance(f, WorseSegment) and f.model == found.model]
    found.thresholds = answers(_rules.find_thresholds, data, found.model, places)
    for fact in found.thresholds:
        if isinstance(fact, Threshold) and data.has_independent_rows:
            found.doubts += _rules.find_unlike_scales(data, segments, fact)
    return found


def advise(data: Data, found: Findings) -> tuple[Advice, ...]:
    """Say which model and which threshold to use, where models are worse, and what to distrust."""
    best = data.shown[0]
    return (
        advise_model(found, best),
        advise_threshold(found),
        *advise_columns(found, best),
        list_doubts(data, found),
    )


def advise_model(found: Findings, best: str) -> Advice:
    """Apply the first rule whose facts are there: doubts come before falls, and these before all.

    A fall is that of the best model over all rows.
    """
    facts = [fact for fact in found.facts if getattr(fact, "model", best) == best]
    first = {type(fact): fact for fact in reversed(facts)}
    there = [fact for fact in facts if isinstance(fact, BetterThere)]
    now = [fact for fact in there if isinstance(fact.place, Fall)]
    lead = [first[kind] for kind in (Best, MayBeBest, Lead, NoLead, Score) if kind in first][:1]
    fall = first.get(Fall)
    rules: dict[str, tuple[Fact | None, ...]] = {
        "CheckScores": (first.get(ReversedScores),),
        "CheckModel": (first.get(NotAboveChance),),
        "CheckLabels": (fall, first.get(UnlikeLabels)),
        "UseForNow": (fall, now[0] if now else None),
        "CheckFall": (fall,),
    }
    kind = next((kind for kind, needed in rules.items() if all(needed)), "")
    told = [*rules.get(kind, ()), *lead, *there]
    return Advice("Model", kind, found.model, tuple(dict.fromkeys(filter(None, told))))


def advise_threshold(found: Findings) -> Advice:
    """Name the threshold, unless it misses its goal since a fall, and what it finds in places."""
    missed = [fact.place for fact in found.thresholds if isinstance(fact, MissedGoal)]
    kind = "CheckThreshold" if any(isinstance(place, Fall) for place in missed) else ""
    return Advice("Threshold", kind, found.model, tuple(found.thresholds))


def advise_columns(found: Findings, best: str) -> list[Advice]:
    """Tell the places of each column, of the best model first; columns with places lead."""
    lines = []
    for name, facts in found.columns.items():
        places = [fact for fact in facts if not isinstance(fact, BetterThere)]
        places.sort(key=lambda fact: getattr(fact, "model", best) != best)
        lines.append(Advice(f"By {name}", "", found.model, tuple(places[:MOST_PLACES])))
    lines.sort(key=lambda line: not isinstance(line.facts[0], WorseSegment))
    return lines[:MOST_COLUMNS]


def list_doubts(data: Data, found: Findings) -> Advice:
    """List what looks wrong with labels and scores, and kinds of warnings."""
    doubts = found.doubts[:MOST_DOUBTS]
    if data.warnings:
        kinds = tuple(dict.fromkeys(data.warnings.values()))
        doubts.append(Warned(n_warnings=len(data.warnings), kinds=kinds))
    return Advice("Distrust", "" if doubts else "NoDoubt", found.model, tuple(doubts))
