"""Doubts: why a result may be unreliable, and whether a verdict holds in spite of it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from sklearn_ap._results.text import names_as_text
from sklearn_ap._results.warning import UncertaintyWarning, WarningName, warn
from sklearn_ap._types import Json, Name

# Which doubts overturn a verdict, as they may favour one of the models. Limits allow for others, or
# these are about results without a verdict. ``docs/warnings.md`` explains each.
OVERTURNS: dict[WarningName, bool] = {
    "predicted classes": True,
    "coarse scores": True,
    "few negatives": False,
    "few clusters": False,
    "small pilot": False,
    "unattainable precision": False,
    "unequal weights": False,
    "clusters in training": True,
    "unequal prevalence": True,
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
    reason : str, default=""
        Why no verdict holds, in a few words, of a doubt that overturns verdicts.
    """

    name: WarningName
    text: str
    about: tuple[Name, ...] = ()
    reason: str = ""

    @property
    def overturns(self) -> bool:
        """Whether a verdict does not hold, as the doubt may favour one of two models."""
        return OVERTURNS[self.name]

    @property
    def message(self) -> str:
        """What was found, and what to do, after the names about which it is."""
        return f"{_names_as_text(self.about)}: {self.text}" if self.about else self.text

    def __str__(self) -> str:
        return f"{self.name}: {self.message}"

    @property
    def sentence(self) -> str:
        """What stands below the sentences of a result."""
        return f"Doubt ({self.name}): {self.message}"

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
        if not self.overturns or not (self.is_about(name) or self.is_about(other)):
            return ""
        return f"for {_names_as_text(self.about)}, {self.reason}" if self.about else self.reason

    def is_about(self, name: Name) -> bool:
        """Whether it is about a score: that of a model, or of a model in one of its rankings."""
        return not self.about or name in self.about or model_of(name) in self.about


def model_of(name: Name) -> Name:
    """Return the model of a score, which may be that of a pair of a model and a ranking."""
    return name[0] if isinstance(name, tuple) else name


def name_doubts(found: Sequence[Sequence[Doubt]], names: Sequence[Name]) -> list[Doubt]:
    """Put the names of several models to their doubts, or of samples; one has none."""
    if not names:
        return [*chain(*found)]
    pairs = zip(names, found, strict=True)
    return [replace(doubt, about=_pairs(name, doubt)) for name, each in pairs for doubt in each]


def join_doubts(found: Sequence[Sequence[Doubt]], names: Sequence[Name]) -> tuple[Doubt, ...]:
    """Join the doubts of several results: those of all as they are, others with their names."""
    shared = [doubt for doubt in found[0] if all(doubt in each for each in found)]
    own = [[doubt for doubt in each if doubt not in shared] for each in found]
    return (*shared, *name_doubts(own, names))


def issue(doubts: Iterable[Doubt]) -> None:
    """Warn of each doubt once, for the line of the user."""
    for doubt in {str(doubt): doubt for doubt in doubts}.values():
        warn(UncertaintyWarning(doubt.message, doubt.name), UncertaintyWarning)


def _pairs(name: Name, doubt: Doubt) -> tuple[Name, ...]:
    """Return the names that scores have in a result of several models or samples."""
    return tuple((name, each) for each in doubt.about) or (name,)


def _names_as_text(names: Sequence[Name]) -> str:
    """Write names in quotes; of a pair, the model and its ranking."""
    return names_as_text(
        [
            " in ".join(repr(str(part)) for part in (name if isinstance(name, tuple) else (name,)))
            for name in names
        ]
    )
