"""Doubts: why a result may be unreliable, and whether a verdict holds in spite of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import ClassVar

from sklearn_ap._types import Json, Name
from sklearn_ap._writing.text import name_as_text, names_as_text
from sklearn_ap._writing.warning import UncertaintyWarning, WarningName, warn

# Which doubts overturn a verdict, as they may favour one of two models. Others favour neither, or
# are about results without a verdict. ``docs/warnings.md`` explains each.
OVERTURNS: dict[WarningName, bool] = {
    "predicted classes": True,
    "constant scores": True,
    "coarse scores": True,
    "reversed scores": True,
    "no negatives": True,
    "few negatives": False,
    "few clusters": False,
    "small pilot": False,
    "unattainable precision": False,
    "unequal weights": False,
    "clusters in training": True,
    "unequal prevalence": True,
    "unknown prevalence": False,
    "unlike folds": True,
    "unlike methods": True,
    "hidden positives": False,
    "unlike labels": True,
    "wrong probabilities": True,
    "copied labels": True,
    "unequal judgements": True,
    "missing results": True,
    "forgotten queries": True,
    "only positives": False,
    "few labelled queries": False,
    "same sample": False,
}


@dataclass(frozen=True, kw_only=True)
class Doubt:
    """Why a result may be unreliable: what was found in the data, and what to do.

    It is also raised as an ``UncertaintyWarning``, where it is found first.

    Parameters
    ----------
    name : str
        Of the warning, such as "few clusters"; the guide has a page of them.
    text : str
        What was found, and what to do.
    about : tuple of names, default=()
        The models, segments or rankings about which it is; empty for all.
    reason, remedy : str, default=""
        Of a doubt that overturns verdicts: why they do not hold, and what to do first, as clauses.
    """

    is_of_pairs: ClassVar[bool] = False  # of models that were compared, and of no model alone

    name: WarningName
    text: str
    about: tuple[Name, ...] = ()
    reason: str = ""
    remedy: str = ""

    @property
    def overturns(self) -> bool:
        """Whether a verdict does not hold, as the doubt may favour one of two models."""
        return OVERTURNS[self.name]

    @property
    def message(self) -> str:
        """What was found, and what to do, after the names about which it is."""
        return f"{_names_as_text(self.about)}: {self.text}" if self.about else self.text

    @property
    def sentence(self) -> str:
        """What stands below the sentences of a result."""
        return f"Doubt ({self.name}): {self.message}"

    def warning(self) -> UncertaintyWarning:
        """Make the warning.

        Returns
        -------
        UncertaintyWarning
            Of the same name, with the message.
        """
        return UncertaintyWarning(self.message, self.name)

    def to_dict(self) -> dict[str, Json]:
        """Return its name, text, the names about which it is, and if it overturns, for JSON.

        Returns
        -------
        dict
            A name of several parts, such as a tuple, is a list.
        """
        about: Json = [[*map(str, n)] if isinstance(n, tuple) else str(n) for n in self.about]
        return {"name": self.name, "text": self.text, "about": about, "overturns": self.overturns}

    def why_not(self, name: Name, other: Name) -> str:
        """Return why no verdict on a model and another one holds; "" if this doubt allows it."""
        meant = [each for each in self.about if _holds(each, name) or _holds(each, other)]
        if not self.overturns or (self.about and not meant):
            return ""
        which = f" ({names_as_text([*map(_pair_as_text, meant)])})" if meant else ""
        return f"{self.reason}{which}: {self.remedy} first"


def _holds(name: Name, score: Name) -> bool:
    """Whether a name is that of a score, or of its model, or of its model in a sample."""
    parts = parts_of(name)
    return parts_of(score)[: len(parts)] == parts


def parts_of(name: Name) -> tuple[Name, ...]:
    """Return a sample, a model and a ranking, as far as a name has these parts."""
    return name if isinstance(name, tuple) else (name,)


def model_of(name: Name) -> Name:
    """Return the model of a score, which may be that of a pair of a model and a ranking."""
    return name[0] if isinstance(name, tuple) else name


def join_doubts(found: Sequence[Sequence[Doubt]], names: Sequence[Name]) -> tuple[Doubt, ...]:
    """Join the doubts of several models or samples: those of some get their names, once each.

    One model has no name.
    """
    doubts: list[Doubt] = []
    for doubt in chain(*found):
        owners = [each for each, own in zip(names, found, strict=False) if doubt in own]
        about = doubt.about
        if owners and about:
            about = tuple((name, *parts_of(each)) for name in owners for each in about)
        elif len(owners) < len(names):
            about = (*owners,)
        if (named := replace(doubt, about=about)) not in doubts:
            doubts.append(named)
    return (*doubts,)


def issue(doubts: Iterable[Doubt]) -> None:
    """Warn of each doubt, for the line of the user."""
    for doubt in doubts:
        warn(doubt.warning(), UncertaintyWarning)


def _names_as_text(names: Sequence[Name]) -> str:
    """Write names in quotes; of a pair, the model and its ranking."""
    return names_as_text([_pair_as_text(name, repr) for name in names])


def _pair_as_text(name: Name, write: Callable[[str], str] = name_as_text) -> str:
    """Write "cat", or "old in cat" of a pair."""
    return " in ".join(write(str(part)) for part in parts_of(name))
