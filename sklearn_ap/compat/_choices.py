"""The six choices by which all numbers are described, and those that a definition makes."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from sklearn_ap._types import Argument, Keywords
from sklearn_ap.compat._between_and_start import BETWEEN, START
from sklearn_ap.compat._option import Option
from sklearn_ap.compat._points_and_divisor import DIVISOR, OVER
from sklearn_ap.compat._scores_and_ties import SCORES, TIES
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    ReciprocalRank,
    Step,
)


class Choices(NamedTuple):
    """An option of each choice, in the order in which they are made."""

    scores: str  # how the tool changes scores before it compares them
    ties: str  # how it orders items of equal score
    between: str  # which precision is used between two operating points
    start: str  # where the curve starts, if between depends on it
    over: str  # where precision is averaged
    divisor: str  # what the sum is divided by


class BoundOption(NamedTuple):
    """An option, with the values of the arguments that it reads."""

    option: str
    arguments: tuple[tuple[str, Argument], ...]


class BoundChoices(NamedTuple):
    """The options of all choices, with their arguments: all that a number depends on."""

    scores: BoundOption
    ties: BoundOption
    between: BoundOption
    start: BoundOption
    over: BoundOption
    divisor: BoundOption

    @property
    def names(self) -> Choices:
        """The options without their arguments."""
        return Choices(*(bound.option for bound in self))


# By the names of the choice and of the option.
OPTIONS: dict[str, dict[str, Option]] = dict(
    zip(Choices._fields, (SCORES, TIES, BETWEEN, START, OVER, DIVISOR), strict=True)
)
# The choices of scikit-learn's average_precision_score.
SCIKIT_LEARN = Choices("as given", "grouped", "step", "irrelevant", "every recall", "positives")
# By the normalizer of AtK.
DIVISORS = {
    "attainable": "min(k, positives)",
    "positives": "positives",
    "hits": "hits",
    "k": "k",
}


@cache
def get_options(choices: Choices) -> list[Option]:
    return [OPTIONS[choice][name] for choice, name in choices._asdict().items()]


def bind_arguments(choices: Choices, arguments: Keywords) -> BoundChoices:
    """Bind each option to those of the arguments that it reads."""
    option_arguments = [
        tuple((name, arguments[name]) for name in option.arguments if name != "start")
        for option in get_options(choices)
    ]
    return BoundChoices(*map(BoundOption, choices, option_arguments))


def find_conflict(choices: Choices) -> str:
    """Name an option that does not go with the others; "" if all do."""
    between = choices.between
    over = choices.over
    if OVER[over].needs_envelope and between != "envelope":
        return f"over {over!r} needs between 'envelope', not {between!r}"
    if choices.ties == "every order" and between != "step":
        return f"ties 'every order' needs between 'step', not {between!r}"
    if choices.ties == "every order" and over.startswith("first hit"):
        return f"ties 'every order' averages precision, not over {over!r}"
    if choices.scores == "as given, at a prevalence":
        if choices.ties == "every order":
            return f"ties 'every order' needs whole items, not scores {choices.scores!r}"
        if over == "first hit, every order":
            return f"over {over!r} needs whole items, not scores {choices.scores!r}"
    return ""


def definition_choices(definition: Definition) -> Choices:
    """Return the choices that a definition makes.

    Their functions are methods of the definition, or of another one with the same heights.
    """
    make = SCIKIT_LEARN._replace
    match definition:
        case Step():
            return SCIKIT_LEARN
        case Interpolated() if definition.recall_levels is None:
            return make(between="envelope")
        case Interpolated():
            return make(between="envelope", over="exact levels")
        case Linear():
            return make(between="straight line", start="(0, 1)")
        case Hyperbolic():
            return make(between="hyperbola")
        case Expected() if definition.k is None:
            return make(ties="every order")
        case Expected():
            return make(ties="every order", over="top k", divisor="min(k, positives)")
        case AtK():
            return make(over="top k", divisor=DIVISORS[definition.normalizer])
        case PrecisionAtK():
            return make(between="each hit", over="top k", divisor="k")
        case RecallAtK():
            return make(between="each hit", over="top k")
        case PrecisionAtRecall():
            return make(over="precision at a recall")
        case RecallAtPrecision():
            return make(over="recall at a precision")
        case ReciprocalRank():
            return make(over="first hit, every order")
        case _ if type(definition).__call__ is Definition.__call__:
            if type(definition).divisor is Definition.divisor:
                return make(between="its own heights")
            return make(between="its own heights", divisor="its own divisor")
        case _:
            return make(over="its own value")
