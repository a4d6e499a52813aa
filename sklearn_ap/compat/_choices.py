"""The six choices by which all numbers are described, and those that a definition makes."""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

from sklearn_ap.compat._between_and_start import BETWEEN, START
from sklearn_ap.compat._option import Option
from sklearn_ap.compat._points_and_divisor import DIVISOR, OVER
from sklearn_ap.compat._scores_and_ties import SCORES, TIES
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Heights,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    Step,
)


class Choices(NamedTuple):
    """An option of each choice, in the order in which they are made."""

    scores: str  # what the tool does to scores before it compares them
    ties: str  # what it does with items of equal score
    between: str  # which precision is used between two operating points
    start: str  # where the curve starts, if between depends on it
    over: str  # where precision is averaged
    divisor: str  # what the sum is divided by


class Chosen(NamedTuple):
    """An option, with the values of the arguments that it reads."""

    option: str
    arguments: tuple[tuple[str, Any], ...]


class ChosenAll(NamedTuple):
    """The options of all choices, with their arguments: all that a number depends on."""

    scores: Chosen
    ties: Chosen
    between: Chosen
    start: Chosen
    over: Chosen
    divisor: Chosen

    @property
    def names(self) -> Choices:
        """The options without their arguments."""
        return Choices(*(each.option for each in self))


# By the names of the choice and of the option.
OPTIONS: dict[str, dict[str, Option]] = dict(
    zip(Choices._fields, (SCORES, TIES, BETWEEN, START, OVER, DIVISOR), strict=True)
)
# Those of scikit-learn's average_precision_score.
SCIKIT_LEARN = Choices("as given", "grouped", "step", "irrelevant", "every recall", "positives")
# By the normalizer of AtK.
DIVISORS = {
    "attainable": "min(k, positives)",
    "positives": "positives",
    "hits": "hits",
    "k": "k",
}


@cache
def options_of(choices: Choices) -> list[Option]:
    return [OPTIONS[choice][name] for choice, name in choices._asdict().items()]


def with_arguments(choices: Choices, known: dict[str, Any]) -> ChosenAll:
    """The choices with the arguments that their options read of those known."""
    read = [
        tuple((name, known[name]) for name in option.arguments if name != "start")
        for option in options_of(choices)
    ]
    return ChosenAll(*map(Chosen, choices, read))


def what_lacks(choices: Choices) -> str:
    """Say which option does not go with the others; "" if all do."""
    between, over = choices.between, choices.over
    if OVER[over].needs_envelope and between != "envelope":
        return f"over {over!r} needs between 'envelope', not {between!r}"
    if choices.ties == "every order" and between != "step":
        return f"ties 'every order' needs between 'step', not {between!r}"
    if choices.ties == "every order" and choices.scores == "as given, at a prevalence":
        return f"ties 'every order' needs whole items, not scores {choices.scores!r}"
    return ""


def choices_of(definition: Definition) -> Choices:
    """The choices that a definition makes.

    Their functions are its own methods, or those of a definition with the same heights.
    """
    different: dict[str, str] = {}
    match definition:
        case Step():
            pass
        case Interpolated():
            different = {"between": "envelope"}
            if definition.recall_levels is not None:
                different["over"] = "exact levels"
        case Linear():
            different = {"between": "straight line", "start": "(0, 1)"}
        case Hyperbolic():
            different = {"between": "hyperbola"}
        case Expected():
            different = {"ties": "every order"}
            if definition.k is not None:
                different |= {"over": "top k", "divisor": "min(k, positives)"}
        case AtK():
            different = {"over": "top k", "divisor": DIVISORS[definition.normalizer]}
        case PrecisionAtK():
            different = {"between": "each hit", "over": "top k", "divisor": "k"}
        case RecallAtK():
            different = {"between": "each hit", "over": "top k"}
        case PrecisionAtRecall():
            different = {"over": "precision at a recall"}
        case RecallAtPrecision():
            different = {"over": "recall at a precision"}
        case Heights() if type(definition).__call__ is Heights.__call__:
            different = {"between": "its own heights"}
            if type(definition).divisor is not Definition.divisor:
                different["divisor"] = "its own divisor"
        case _:
            different = {"over": "its own value"}
    return SCIKIT_LEARN._replace(**different)
