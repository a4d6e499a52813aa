"""What is known of one function of one tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap.compat._between_and_start import BETWEEN
from sklearn_ap.compat._checked_predictions import CheckedPredictions
from sklearn_ap.compat._choices import (
    OPTIONS,
    Choices,
    ChosenAll,
    choices_of,
    options_of,
    what_lacks,
    with_arguments,
)
from sklearn_ap.definitions import Definition

# How a function is known.
PACKAGE, OURS = "sklearn_ap", "ours"
SOURCES = "run", "run as a copy", "read", "documented", OURS
# The answer to a query without positives: an option of TorchMetrics that no choice reads.
EMPTY_TARGET = "empty_target_action"
EMPTY_TARGET_ANSWERS: dict[str, float | str] = {
    "neg": 0.0,
    "pos": 1.0,
    "skip": 0.0,
    "error": "ValueError: a query has no positive target",
}
SILENTLY = "a number, silently"  # what most functions give for nan scores
# Arguments of choices that are no options.
NO_OPTIONS = ("start", "k", "definition")
# The default of each option, or the names that it may have, the default first.
DEFAULTS: dict[str, Any] = {
    "dtype": ("float32", "float64"),
    EMPTY_TARGET: tuple(EMPTY_TARGET_ANSWERS),
    "from_logits": False,
    "level": 0.0,
    "min_precision": 0.9,
    "min_recall": 0.8,
    "num_thresholds": 200,
    "pi0": 0.5,
    "threshold": 100,
    "thresholds": 200,
}


@dataclass(frozen=True, slots=True)
class Refusal:
    """Which queries a tool gives no usual answer to, and what it gives: a number, or raises."""

    when: Callable[[CheckedPredictions], Bool]
    outcome: float | str


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One function of one tool, as it differs from these defaults.

    The answers are numbers, the text of an exception, or None for what the choices give. To a row
    that was not retrieved, ``score`` does the same for all functions: it leaves the row out, but
    counts it as a positive if it is one. Scores that are nan are not reproduced.
    """

    name: str  # tool and function, as "xgboost.aucpr"
    versions: str  # that it was verified against
    date: str  # when it was
    choices: Choices
    source: str = "run"  # or "run as a copy", or "read" and "documented", if only its text was
    # "optional", "required" or "usual" (there is a default) where it takes a number of ranks that
    # count.
    k: str = "no"
    other_options: tuple[str, ...] = ()  # that change its number, but that no choice reads
    weights: bool = False  # whether it takes any
    no_positives: float | str | None = 0.0  # the answer without positives
    all_positives: float | str | None = None  # and without negatives
    refuses: Refusal | None = None  # and to other predictions
    nan_scores: str = SILENTLY
    not_retrieved: str = "a score is needed"
    tolerance: float = RELATIVE_TOLERANCE  # of the reproduction
    definition: Definition | None = None  # of ours, with the defaults of its options
    rank: int | None = None  # the number of ranks that a name such as "P@10" says

    def __post_init__(self) -> None:
        if wrong := _why_invalid(self):
            raise ValueError(f"{self.name}: {wrong}.")

    def __repr__(self) -> str:
        return f"Entry({self.name}: {', '.join(self.choices)})"

    @property
    def tool(self) -> str:
        return PACKAGE if self.source == OURS else self.name.split(".")[0]

    @property
    def function(self) -> str:
        return self.name.removeprefix(f"{self.tool}.")

    @property
    def special_cases(self) -> str:
        """What it gives where the choices do not say it, and what it takes besides, in a few words.

        Nothing is said of what most functions do: they give 0 without positives and a number for
        nan scores, and take neither k nor weights.
        """
        without = short_answer(self.no_positives)
        only = short_answer(self.all_positives)
        takes_lists = self.nan_scores == "not applicable"
        cases = {
            f"k {self.k}": self.k != "no",
            "weights": self.weights,
            f"without positives: {without}": without != "0",
            f"only positives: {only}": self.all_positives is not None,
            "ranked lists": takes_lists,
            f"nan scores: {self.nan_scores}": not takes_lists and self.nan_scores != SILENTLY,
            "refuses some values": self.refuses is not None,
        }
        return "; ".join(text for text, is_so in cases.items() if is_so)

    def columns(self) -> dict[str, str]:
        """What is known of it, as the columns of a table of tools."""
        return {
            "tool": self.tool,
            "function": self.function,
            **self.choices._asdict(),
            "special_cases": self.special_cases,
            "version": self.versions,
            "known": self.source,
        }

    @property
    def options(self) -> dict[str, Any]:
        """What else changes its number besides k and weights, by name, with the defaults."""
        if self.definition is not None:
            return {name: getattr(self.definition, name) for name in self.other_options}
        return dict(_defaults(self.choices, self.other_options))

    def chosen(self, k: int | None, options: dict[str, Any]) -> ChosenAll:
        """Its choices, with what it is told."""
        definition = self.defined(k, options)
        if definition is None:
            return with_arguments(
                self.choices, options | {"k": k if self.rank is None else self.rank}
            )
        known = {"definition": definition, "k": definition.depth}
        return with_arguments(choices_of(definition), known)

    def at_rank(self, rank: int) -> Entry:
        """The same function, told how many ranks count."""
        name = f"{self.name.removesuffix('@k')}@{rank}"
        return replace(self, name=name, k="no", rank=rank)

    @property
    def known_rank(self) -> int | None:
        """How many ranks count, if the name or the definition says it."""
        if self.definition is None or self.k != "no":
            return self.rank
        depth = self.definition.depth
        return None if depth is None or depth < 1 else int(depth)

    def defined(self, k: int | None, options: dict[str, Any]) -> Definition | None:
        """The definition with what it is told; None if the function is that of a tool."""
        if self.definition is None:
            return None
        told = {name: options[name] for name in self.other_options}
        told |= {} if k is None or self.k == "no" else {"k": k}
        return replace(self.definition, **told) if told else self.definition  # type: ignore[type-var]


@cache
def _defaults(choices: Choices, others: tuple[str, ...]) -> dict[str, Any]:
    """The options that choices read, and others, with their defaults."""
    read = [name for option in options_of(choices) for name in option.arguments]
    defaults = {name: DEFAULTS[name] for name in (*read, *others) if name not in NO_OPTIONS}
    return {n: each[0] if isinstance(each, tuple) else each for n, each in defaults.items()}


def check_option(option: str, value: Any) -> None:
    """Refuse a value that no function takes."""
    if option not in DEFAULTS:
        return  # of ours: the definition refuses it
    default = DEFAULTS[option]
    is_bool = isinstance(value, bool | np.bool_)
    if isinstance(default, tuple):
        good, wanted = isinstance(value, str) and value in default, f"one of {', '.join(default)}"
    elif isinstance(default, bool):
        good, wanted = is_bool, "True or False"
    elif isinstance(default, int):
        good = isinstance(value, Integral) and not is_bool and int(value) >= 2
        wanted = "a whole number of at least 2"
    else:
        good = isinstance(value, Real) and not is_bool and 0 <= float(value) <= 1
        wanted = "a number within [0, 1]"
    if not good:
        raise ValueError(f"{option} must be {wanted}, got {value!r}.")


class SpecialCase(NamedTuple):
    """Queries that get another answer than the number of the choices."""

    what: str  # what they have, in words
    queries: Bool
    answer: float | str  # a number, or the exception that is raised


def special_answers(
    entry: Entry, predictions: CheckedPredictions, options: dict[str, Any]
) -> list[SpecialCase]:
    """List the cases in which queries get another answer; where several hold, the first counts."""
    no_positives = entry.no_positives
    if EMPTY_TARGET in entry.other_options:
        no_positives = EMPTY_TARGET_ANSWERS[options[EMPTY_TARGET]]
        if options[EMPTY_TARGET] == "skip" and not predictions.without_positives.all():
            no_positives = np.nan  # it is left out of the mean, which is 0 of no queries
    cases = []
    if entry.refuses is not None:
        refused = entry.refuses.when(predictions)
        cases.append(SpecialCase("values that the tool refuses", refused, entry.refuses.outcome))
    if no_positives is not None:
        cases.append(SpecialCase("no positive", predictions.without_positives, no_positives))
    if entry.all_positives is not None:
        cases.append(
            SpecialCase("only positives", predictions.without_negatives, entry.all_positives)
        )
    return cases


def short_answer(given: float | str | None) -> str:
    """A special answer in a few words."""
    if isinstance(given, float):
        return f"{given:g}"
    return f"raises {given.partition(':')[0]}" if given else "what its definition gives"


def _why_invalid(entry: Entry) -> str:
    """Say what an entry lacks, or what in it does not go together; "" if nothing."""
    if entry.source not in SOURCES:
        return f"source must be one of {', '.join(SOURCES)}, got {entry.source!r}"
    choices = entry.choices
    for choice, option in choices._asdict().items():
        if option not in OPTIONS[choice]:
            known = ", ".join(map(repr, OPTIONS[choice]))
            return f"{choice} has no option {option!r}; it has {known}"
    between, start = choices.between, choices.start
    needs_start = "start" in BETWEEN[between].arguments
    if needs_start == (start == "irrelevant"):
        wrong = "needs a start" if needs_start else f"has no use for start {start!r}"
        return f"between {between!r} {wrong}"
    if lacking := what_lacks(choices):
        return lacking
    read = {name for option in options_of(choices) for name in option.arguments} - {*NO_OPTIONS}
    if unknown := ", ".join(sorted(read - DEFAULTS.keys())):
        return f"add the default of {unknown} to DEFAULTS of compat/_tool_entry.py"
    return ""
