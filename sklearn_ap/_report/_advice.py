"""What to do: all rules are asked, and ordered advice is made of what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from sklearn_ap._report import _rules
from sklearn_ap._report._facts import (
    BetterThere,
    Chance,
    Fact,
    Fall,
    Refused,
    ReversedScores,
    Score,
    Threshold,
    UnlikeLabels,
    Warned,
    WorseSegment,
)
from sklearn_ap._report.data import Data, UnansweredError
from sklearn_ap._types import Argument

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
        The name of what stands before the first fact; "" if facts speak for themselves.
    model : str
        The model to use.
    facts : tuple of Fact
        The reasons.
    """

    question: str
    kind: str
    model: str
    facts: tuple[Fact, ...]


@dataclass(frozen=True, eq=False)
class Findings:
    """All facts, by the part of the page to which they belong, and the model to use."""

    scores: list[Score]
    models: list[Fact]
    columns: dict[str, list[Fact]]
    thresholds: list[Fact]
    doubts: list[Fact]
    best: str
    to_use: str

    @property
    def places(self) -> list[Fact]:
        """What was found in segments."""
        return [fact for facts in self.columns.values() for fact in facts]

    @property
    def is_usable(self) -> bool:
        """Whether the best model is shown to have skill, as far as could be asked."""
        chances = [fact.is_above for fact in self.models if isinstance(fact, Chance)]
        return all(chances) and not any(
            isinstance(fact, ReversedScores) and fact.model == self.best for fact in self.doubts
        )

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All facts, in the order of the page."""
        return (*self.scores, *self.models, *self.places, *self.thresholds, *self.doubts)


def answers(rule: Callable[..., Iterable[Fact]], *arguments: Argument) -> list[Fact]:
    """Apply a rule. If a public function refuses its question, that is the fact."""
    try:
        return [*rule(*arguments)]
    except UnansweredError as error:
        return [Refused(str(error))]


def gather(data: Data) -> Findings:
    """Apply all rules. Thresholds are of the model to use: the best, or one since that fell."""
    scores = _rules.find_scores(data)
    models = [*_rules.find_lead(data), *answers(_rules.find_chance, data)]
    columns = {each.name: answers(_rules.find_places, data, each) for each in data.columns}
    read = [each for each in data.columns if not isinstance(columns[each.name][0], Refused)]
    doubts: list[Fact] = [*_rules.find_doubts(data, scores)]
    doubts += [fact for each in read for fact in _rules.find_unlike_labels(data, each)]
    found = [fact for facts in columns.values() for fact in facts]
    since = [f.other for f in found if isinstance(f, BetterThere) and isinstance(f.place, Fall)]
    to_use = [*since, data.shown[0]][0]
    places = [fact for fact in found if isinstance(fact, WorseSegment) and fact.model == to_use]
    places = places[:MOST_PLACES]
    thresholds = []
    if "queries" not in data.options:  # each of which is a ranking of its own
        thresholds = answers(_rules.find_thresholds, data, to_use, places)
    for fact in thresholds:
        if isinstance(fact, Threshold):
            doubts += _rules.find_unlike_scales(data, read, fact)
    return Findings(scores, models, columns, thresholds, doubts, data.shown[0], to_use)


def advise(data: Data, found: Findings) -> tuple[Advice, ...]:
    """Say which model and which threshold to use, where models are worse, and what to distrust."""
    model = advise_model(found)
    threshold = Advice("Threshold", "", found.to_use, tuple(found.thresholds))
    if not found.is_usable:
        threshold = Advice("Threshold", "NoModel", found.to_use, ())
    thresholds = [threshold] if found.thresholds else []
    return (model, *thresholds, *advise_columns(found), list_doubts(data, found))


def advise_model(found: Findings) -> Advice:
    """Apply the first rule whose facts are there: doubts, then falls, then the comparison."""
    facts = [fact for fact in found.facts if getattr(fact, "model", found.best) == found.best]
    places = [fact for fact in facts if isinstance(fact, WorseSegment)]
    falls = [fact for fact in places if isinstance(fact, Fall)]
    unlike = [fact.column for fact in facts if isinstance(fact, UnlikeLabels)]
    there = [fact for fact in facts if isinstance(fact, BetterThere)]
    since = [fact for fact in there if isinstance(fact.place, Fall)]
    own = [f for f in found.places if isinstance(f, Fall) and f.model == found.to_use != found.best]
    lead = [f for f in (*found.models, found.scores[0]) if not isinstance(f, Refused)][:1]
    rules: dict[str, list[Fact]] = {
        "CheckScores": [fact for fact in facts if isinstance(fact, ReversedScores)],
        "CheckModel": [f for f in facts if isinstance(f, Chance) and not f.is_above],
        "CheckLabels": [worse for worse in places if worse.column in unlike],
        "UseForNow": [fact.place for fact in since],
        "CheckFall": [*falls],
    }
    kind = next((kind for kind, reasons in rules.items() if reasons), "")
    told = dict.fromkeys([*rules.get(kind, [])[:1], *since, *own, *lead, *there])
    return Advice("Model", kind, found.to_use, tuple(told))


def advise_columns(found: Findings) -> list[Advice]:
    """Tell the places of each column; columns in which a model is worse lead."""
    lines = []
    for name, facts in found.columns.items():
        places = [fact for fact in facts if not isinstance(fact, BetterThere)][:MOST_PLACES]
        lines.append(Advice(f"By {name}", "", found.to_use, tuple(places)))
    lines.sort(key=lambda line: not isinstance(line.facts[0], WorseSegment))
    return lines[:MOST_COLUMNS]


def list_doubts(data: Data, found: Findings) -> Advice:
    """List what looks wrong with labels and scores, and the kinds of warnings."""
    doubts = found.doubts[:MOST_DOUBTS]
    if data.warnings:
        kinds = tuple(dict.fromkeys(filter(None, data.warnings.values())))
        doubts.append(Warned(len(data.warnings), kinds))
    return Advice("Distrust", "" if doubts else "NoDoubt", found.to_use, tuple(doubts))
