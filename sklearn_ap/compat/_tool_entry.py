"""The description of one function of one tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from numbers import Integral, Real
from typing import NamedTuple

import numpy as np

from sklearn_ap._inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._types import Argument, Bool, Keywords
from sklearn_ap.compat._between_and_start import BETWEEN
from sklearn_ap.compat._checked_predictions import CheckedPredictions
from sklearn_ap.compat._choices import (
    OPTIONS,
    BoundChoices,
    Choices,
    bind_arguments,
    definition_choices,
    find_conflict,
    get_options,
)
from sklearn_ap.definitions import Definition

PACKAGE = "sklearn_ap"
# The sources of a description.
OURS = "ours"
SOURCES = "run", "run as a copy", "read", "documented", OURS
# The answer to a query without positives: an option of TorchMetrics that no choice reads.
EMPTY_TARGET = "empty_target_action"
EMPTY_TARGET_ANSWERS: dict[str, float | str] = {
    "neg": 0.0,
    "pos": 1.0,
    "skip": 0.0,
    "error": "ValueError: a query has no positive target",
}
SILENT_NUMBER = "a number, silently"  # the answer of most functions to nan scores
# Arguments of choices that are not options of a function.
OTHER_ARGUMENTS = ("start", "k", "definition")
# The default of each option, or the names that it may have, the default first.
DEFAULTS: Keywords = {
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
    """The queries that a tool refuses, and its answer to them: a number, or an exception."""

    when: Callable[[CheckedPredictions], Bool]
    outcome: float | str


@dataclass(frozen=True, slots=True, eq=False)
class Entry:
    """One function of one tool, as it differs from these defaults.

    An answer is a number, the text of an exception, or None for the number of the choices. A row
    that was not retrieved is treated alike for all functions: ``score`` leaves it out, but counts
    it as a positive if it is one. Answers to nan scores are described, but not reproduced.
    """

    name: str  # tool and function, as "xgboost.aucpr"
    versions: str  # the versions of the tool that it was verified against
    date: str  # the date of the verification
    choices: Choices
    source: str = "run"  # or another one of SOURCES
    # Whether it takes a number of ranks: "no", "optional", "required", or "usual", with a default.
    k: str = "no"
    other_options: tuple[str, ...] = ()  # options that matter, though no choice reads them
    weights: bool = False  # whether it takes weights
    no_positives: float | str | None = 0.0  # the answer without positives
    all_positives: float | str | None = None  # the answer without negatives
    refuses: Refusal | None = None  # the answer to predictions that it refuses
    nan_scores: str = SILENT_NUMBER
    not_retrieved: str = "a score is needed"
    tolerance: float = RELATIVE_TOLERANCE  # the relative error of the reproduction
    definition: Definition | None = None  # a definition of ours, with the defaults of its options
    rank: int | None = None  # the number of ranks that a name such as "P@10" says

    def __post_init__(self) -> None:
        if problem := _find_problem(self):
            raise ValueError(f"{self.name}: {problem}.")

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
        """Its answers that the choices do not give, and its arguments, in a few words.

        The usual case is left out: most functions return 0 without positives and a number for nan
        scores, and take neither k nor weights.
        """
        empty_answer = short_answer(self.no_positives)
        full_answer = short_answer(self.all_positives)
        takes_lists = self.nan_scores == "not applicable"
        cases = {
            f"k {self.k}": self.k != "no",
            "weights": self.weights,
            f"without positives: {empty_answer}": empty_answer != "0",
            f"only positives: {full_answer}": self.all_positives is not None,
            "ranked lists": takes_lists,
            f"nan scores: {self.nan_scores}": not takes_lists and self.nan_scores != SILENT_NUMBER,
            "refuses some values": self.refuses is not None,
        }
        return "; ".join(text for text, applies in cases.items() if applies)

    def columns(self) -> dict[str, str]:
        """Return the row of the function in a table of tools."""
        return {
            "tool": self.tool,
            "function": self.function,
            **self.choices._asdict(),
            "special_cases": self.special_cases,
            "version": self.versions,
            "known": self.source,
        }

    @property
    def options(self) -> Keywords:
        """The options that change its number besides k and weights, with their defaults."""
        if self.definition is not None:
            return {name: getattr(self.definition, name) for name in self.other_options}
        return dict(_defaults(self.choices, self.other_options))

    def bind(self, k: int | None, options: Keywords) -> BoundChoices:
        """Bind its choices to k and to options."""
        definition = self.bind_definition(k, options)
        if definition is None:
            rank = k if self.rank is None else self.rank
            return bind_arguments(self.choices, options | {"k": rank})
        arguments = {"definition": definition, "k": definition.depth}
        return bind_arguments(definition_choices(definition), arguments)

    def fix_rank(self, rank: int) -> Entry:
        """Return the entry of the function with a fixed number of ranks."""
        name = f"{self.name.removesuffix('@k')}@{rank}"
        return replace(self, name=name, k="no", rank=rank)

    @property
    def fixed_rank(self) -> int | None:
        """The number of ranks that count, if the name or the definition says it."""
        if self.definition is None or self.k != "no":
            return self.rank
        depth = self.definition.depth
        return None if depth is None or depth < 1 else int(depth)

    def bind_definition(self, k: int | None, options: Keywords) -> Definition | None:
        """Bind the definition to k and to options; None for the function of a tool."""
        if self.definition is None:
            return None
        changes = {name: options[name] for name in self.other_options}
        if k is not None and self.k != "no":
            changes["k"] = k
        return replace(self.definition, **changes) if changes else self.definition  # type: ignore[type-var]


@cache
def _defaults(choices: Choices, other_options: tuple[str, ...]) -> Keywords:
    """Return the options that choices read, and others, with their defaults."""
    arguments = [name for option in get_options(choices) for name in option.arguments]
    names = [name for name in (*arguments, *other_options) if name not in OTHER_ARGUMENTS]
    defaults = {name: DEFAULTS[name] for name in names}
    return {
        name: default[0] if isinstance(default, tuple) else default
        for name, default in defaults.items()
    }


def check_option(option: str, value: Argument) -> None:
    """Refuse a value that no function takes."""
    if option not in DEFAULTS:
        return  # an option of ours, which the definition checks
    default = DEFAULTS[option]
    is_bool = isinstance(value, bool | np.bool_)
    if isinstance(default, tuple):
        is_valid = isinstance(value, str) and value in default
        requirement = f"one of {', '.join(default)}"
    elif isinstance(default, bool):
        is_valid = is_bool
        requirement = "True or False"
    elif isinstance(default, int):
        is_valid = isinstance(value, Integral) and not is_bool and int(value) >= 2
        requirement = "a whole number of at least 2"
    else:
        is_valid = isinstance(value, Real) and not is_bool and 0 <= float(value) <= 1
        requirement = "a number within [0, 1]"
    if not is_valid:
        raise ValueError(f"{option} must be {requirement}, got {value!r}.")


class SpecialCase(NamedTuple):
    """Queries that get another answer than the number of the choices."""

    feature: str  # the feature that they share, in words
    queries: Bool
    answer: float | str  # a number, or the exception that is raised


def special_answers(
    entry: Entry, predictions: CheckedPredictions, options: Keywords
) -> list[SpecialCase]:
    """List the cases in which queries get another answer; if several hold, the first counts."""
    no_positives = entry.no_positives
    if EMPTY_TARGET in entry.other_options:
        no_positives = EMPTY_TARGET_ANSWERS[options[EMPTY_TARGET]]
        if options[EMPTY_TARGET] == "skip" and not predictions.lacks_positives.all():
            no_positives = np.nan  # left out of the mean, which is 0 without queries
    cases = []
    if entry.refuses is not None:
        queries = entry.refuses.when(predictions)
        cases.append(SpecialCase("values that the tool refuses", queries, entry.refuses.outcome))
    if no_positives is not None:
        cases.append(SpecialCase("no positive", predictions.lacks_positives, no_positives))
    if entry.all_positives is not None:
        cases.append(
            SpecialCase("only positives", predictions.lacks_negatives, entry.all_positives)
        )
    return cases


def short_answer(answer: float | str | None) -> str:
    """Write a special answer in a few words."""
    if isinstance(answer, float):
        return f"{answer:g}"
    return f"raises {answer.partition(':')[0]}" if answer else "what its definition gives"


def _find_problem(entry: Entry) -> str:
    """Describe the first fault of an entry; "" if it is valid."""
    if entry.source not in SOURCES:
        return f"source must be one of {', '.join(SOURCES)}, got {entry.source!r}"
    choices = entry.choices
    for choice, option in choices._asdict().items():
        if option not in OPTIONS[choice]:
            names = ", ".join(map(repr, OPTIONS[choice]))
            return f"{choice} has no option {option!r}; it has {names}"
    between = choices.between
    start = choices.start
    needs_start = "start" in BETWEEN[between].arguments
    if needs_start == (start == "irrelevant"):
        problem = "needs a start" if needs_start else f"has no use for start {start!r}"
        return f"between {between!r} {problem}"
    if conflict := find_conflict(choices):
        return conflict
    arguments = {name for option in get_options(choices) for name in option.arguments}
    if unknown := ", ".join(sorted(arguments - {*OTHER_ARGUMENTS} - DEFAULTS.keys())):
        return f"add the default of {unknown} to DEFAULTS of compat/_tool_entry.py"
    return ""
