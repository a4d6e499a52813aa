"""What to do: all rules are asked, and ordered advice is made of what they find."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from sklearn_ap._report import _rules
from sklearn_ap._report.columns import SegmentColumn
from sklearn_ap._report.data import Data, UnansweredError
from sklearn_ap._report.facts import (
    BetterThere,
    Chance,
    Fact,
    Fall,
    Looked,
    NotLookedAt,
    Refused,
    ReversedScores,
    Score,
    UnlikeLabels,
    Warned,
    WorseSegment,
)
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
    unused: list[NotLookedAt]
    looked: Looked
    read: list[SegmentColumn]  # whose segments could be compared
    to_use: str
    reason: str  # the kind of advice on a model

    @property
    def places(self) -> list[Fact]:
        """What was found in segments."""
        return [fact for facts in self.columns.values() for fact in facts]

    @property
    def best(self) -> str:
        """The model that scores highest."""
        return self.scores[0].model

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
        told = *self.scores, *self.models, *self.places, *self.thresholds
        return (*told, *self.unused, self.looked, *self.doubts)


def answers(rule: Callable[..., Iterable[Fact]], *arguments: Argument) -> list[Fact]:
    """Apply a rule. If a public function refuses its question, that is the fact."""
    try:
        return [*rule(*arguments)]
    except UnansweredError as error:
        return [Refused(str(error))]


def gather(data: Data) -> Findings:
    """Apply all rules. Thresholds are of the model to use."""
    scores = _rules.find_scores(data)
    unused = [NotLookedAt(tuple(data.unused))] if data.unused else []
    models = [*_rules.find_best(data), *answers(_rules.find_chance, data)]
    columns = {each.name: answers(_rules.find_places, data, each) for each in data.columns}
    read = [each for each in data.columns if not isinstance(columns[each.name][0], Refused)]
    doubts: list[Fact] = [*_rules.find_doubts(data, scores)]
    doubts += [fact for each in read for fact in _rules.find_unlike_labels(data, each)]
    looked = _rules.find_looked(data, read)
    found = [fact for facts in columns.values() for fact in facts]
    skilled = [each for each in data.shown if data.scores[each].result.low > data.prevalence]
    rivals = [each for each in _rules.find_rivals(models, data.shown) if each in skilled]
    to_use, reason = choose_model(found, data.best, rivals)
    places = [fact for fact in found if isinstance(fact, WorseSegment) and fact.model == to_use]
    thresholds = []
    if "queries" not in data.options:  # each of which is a ranking of its own
        thresholds = answers(_rules.find_thresholds, data, to_use, places[:MOST_PLACES])
    return Findings(
        scores, models, columns, thresholds, doubts, unused, looked, read, to_use, reason
    )


def choose_model(found: Sequence[Fact], best: str, rivals: Sequence[str]) -> tuple[str, str]:
    """Choose the best over all rows, or, if it fell, another, and say which advice that is.

    The other one is better since the fall, or it is a rival over all rows and has not fallen.
    """
    fallen = {fact.model for fact in found if isinstance(fact, Fall)}
    since = [f for f in found if isinstance(f, BetterThere) and isinstance(f.place, Fall)]
    better = [fact.other for fact in since if fact.place.model == best]
    others = [name for name in rivals if name != best and name not in fallen]
    if best not in fallen:
        return best, "Use" if fallen & {*rivals} else ""
    if better or others:
        return [*better, *others][0], "UseForNow"
    return best, "CheckFall"


def advise(data: Data, found: Findings) -> tuple[Advice, ...]:
    """Say which model and which threshold to use, where models are worse, and what to distrust."""
    model = advise_model(found)
    threshold = Advice("Threshold", "", found.to_use, tuple(found.thresholds))
    if not found.is_usable:
        threshold = Advice("Threshold", "NoModel", found.to_use, ())
    thresholds = [threshold] if found.thresholds else []
    return (model, *thresholds, *advise_columns(found), list_doubts(data, found))


def advise_model(found: Findings) -> Advice:
    """Apply the first rule whose facts are there: doubts, then falls, then the comparison.

    A fall of the model that leads to the advice is told first, then what is better since, falls of
    the model to use, and the comparison over all rows.
    """
    facts = [fact for fact in found.facts if getattr(fact, "model", found.best) == found.best]
    places = [fact for fact in facts if isinstance(fact, WorseSegment)]
    unlike = [fact.column for fact in facts if isinstance(fact, UnlikeLabels)]
    falls = [fact for fact in found.places if isinstance(fact, Fall)]
    falls = [*{fall.model: fall for fall in reversed(falls)}.values()][::-1]  # the first of each
    falls.sort(key=lambda fall: fall.model == found.to_use)
    there = [fact for fact in found.places if isinstance(fact, BetterThere)]
    since = [f for f in there if f.place in falls and f.other == found.to_use]
    inside = [f for f in there if not isinstance(f.place, Fall)]
    lead = [f for f in (*found.models, found.scores[0]) if not isinstance(f, Refused)][:1]
    rules: dict[str, list[Fact]] = {
        "CheckScores": [fact for fact in facts if isinstance(fact, ReversedScores)],
        "CheckModel": [f for f in facts if isinstance(f, Chance) and not f.is_above],
        "CheckLabels": [worse for worse in places if worse.column in unlike],
        found.reason: [*falls] if found.reason else [],
    }
    kind = next((kind for kind, reasons in rules.items() if reasons), "")
    fallen = falls if found.reason else []
    told = dict.fromkeys([*rules.get(kind, [])[:1], *since, *fallen, *lead, *inside])
    return Advice("Model", kind, found.to_use, tuple(told))


def advise_columns(found: Findings) -> list[Advice]:
    """Tell the places of each column; columns in which a model is worse lead."""
    lines = []
    for name, facts in found.columns.items():
        places = [fact for fact in facts if not isinstance(fact, BetterThere)]
        places.sort(key=lambda fact: not isinstance(fact, Fall))
        lines.append(Advice(f"By {name}", "", found.to_use, tuple(places[:MOST_PLACES])))
    lines.sort(key=lambda line: not isinstance(line.facts[0], WorseSegment))
    return lines[:MOST_COLUMNS]


def list_doubts(data: Data, found: Findings) -> Advice:
    """List what was not looked at, what looks wrong with labels and scores, and warnings."""
    doubts = [*found.unused, found.looked, *found.doubts[:MOST_DOUBTS]]
    if data.warnings:
        kinds = tuple(dict.fromkeys(filter(None, data.warnings.values())))
        doubts.append(Warned(len(data.warnings), kinds))
    return Advice("Distrust", "", found.to_use, tuple(doubts))
