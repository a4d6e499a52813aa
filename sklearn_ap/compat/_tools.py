"""What each tool's function chooses: a line of tools.tsv, or one of our definitions.

``docs/extending.md`` says what the columns hold and how to add a tool.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal, NamedTuple, TypeAlias

from sklearn_ap._inputs.options import check_choice, check_count, check_share
from sklearn_ap._types import Argument, Keywords
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
    Step,
)
from sklearn_ap.definitions._conventions import conventions

BASELINE = "sklearn.average_precision_score"
DEFAULT_K = 10  # of our definitions
# The six choices, in the order in which they are made: all that a number depends on.
CHOICES = (
    "scores",  # how the tool changes scores before it compares them
    "ties",  # how it orders items of equal score
    "between",  # which precision is used between two operating points
    "start",  # where the curve starts, if the precision between points depends on it
    "over",  # where precision is averaged
    "divisor",  # what the sum is divided by
)
# The options of functions, with their defaults.
DEFAULTS: Keywords = {
    "dtype": "float32",
    "from_logits": False,
    "level": 0.0,
    "min_precision": 0.9,
    "min_recall": 0.8,
    "num_thresholds": 200,
    "threshold": 100,
    "thresholds": 200,
}


class Option(NamedTuple):
    """An option of a choice: a line of tool_options.tsv."""

    arguments: tuple[str, ...]  # what it reads besides counts
    why: str  # why it changes the number


class Answer(NamedTuple):
    """An answer that the choices do not give."""

    value: float  # nan for an exception
    exception: str = ""


@dataclass(frozen=True, eq=False)
class Tool:
    """One function of one tool, or one of our definitions."""

    name: str  # of the tool and its function, as "xgboost.aucpr"
    choices: dict[str, str]  # the option of each choice
    answers: dict[str, Answer]  # by their conditions, of which the first that holds counts
    k: float | str | None  # how many ranks count, None for all; "optional" or "required" if told
    takes_weights: bool
    also_called: tuple[str, ...] = ()  # a star marks the default of a name that several have
    definition: Definition | None = None

    @property
    def package(self) -> str:
        """The tool of the function."""
        return self.name.partition(".")[0]

    @property
    def names(self) -> list[str]:
        """All its names: its own, that of the function alone, its tool's, and others."""
        function = self.name.partition(".")[2] or self.name
        others = (name.rstrip("*") for name in self.also_called)
        return [self.name, function, self.package, *others]

    @property
    def default_names(self) -> list[str]:
        """The names that several functions have, of which this one is the default."""
        return [name.rstrip("*") for name in self.also_called if name.endswith("*")]

    @property
    def needs_k(self) -> bool:
        """Whether it must be told how many ranks count."""
        return self.k == "required"

    @property
    def takes_k(self) -> bool:
        """Whether it can be told."""
        return self.k in ("optional", "required")

    @property
    def options(self) -> Keywords:
        """The options that change its number besides k and weights, with their defaults."""
        names = (name for pair in self.choices.items() for name in all_options()[pair].arguments)
        return {name: DEFAULTS[name] for name in names if name in DEFAULTS}


def read_table(table: str) -> Iterator[dict[str, str]]:
    """Read the lines of a table, each by the names of its columns."""
    text = files(__package__).joinpath(table).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)


@cache
def other_tools() -> tuple[Tool, ...]:
    """Return the functions of other tools, scikit-learn's first."""
    return tuple(map(_read_tool, read_table("tools.tsv")))


def _read_tool(row: dict[str, str]) -> Tool:
    k = None if row["k"] == "no" else row["k"]
    return Tool(
        name=row["name"],
        choices={choice: row[choice] for choice in CHOICES},
        answers={
            condition: _read_answer(text)
            for condition, text in (each.split(": ", 1) for each in row["answers"].split("; "))
        },
        k=int(k) if k and k.isdigit() else k,
        takes_weights=row["weights"] == "yes",
        also_called=tuple(filter(None, row["also_called"].split(", "))),
    )


def _read_answer(text: str) -> Answer:
    try:
        return Answer(float(text))
    except ValueError:
        return Answer(math.nan, exception=text)


@cache
def all_options() -> dict[tuple[str, str], Option]:
    """Return all options, by the choice and the name of the option."""
    return {
        (row["choice"], row["option"]): Option(
            tuple(filter(None, row["arguments"].split(", "))), row["why"]
        )
        for row in read_table("tool_options.tsv")
    }


def definition_choices(definition: Definition) -> dict[str, str]:
    """Return the choices in which a definition differs from scikit-learn's step."""
    match definition:
        case Step():
            return {}
        case Interpolated(recall_levels=None):
            return {"between": "envelope"}
        case Interpolated():
            return {"between": "envelope", "over": "exact levels"}
        case Linear():
            return {"between": "straight line", "start": "(0, 1)"}
        case Hyperbolic():
            return {"between": "hyperbola"}
        case Expected(k=None):
            return {"ties": "every order"}
        case Expected():
            return {"ties": "every order", "over": "top k", "divisor": "min(k, positives)"}
        case AtK(normalizer="attainable"):
            return {"over": "top k", "divisor": "min(k, positives)"}
        case AtK(normalizer=normalizer):
            return {"over": "top k", "divisor": normalizer}
        case PrecisionAtK():
            return {"between": "each hit", "over": "top k", "divisor": "k"}
        case RecallAtK():
            return {"between": "each hit", "over": "top k"}
    if type(definition).__call__ is not Definition.__call__:
        return {"over": "its own value"}
    return {"between": "its own heights", "divisor": "its own divisor"}


def describe_definition(definition: Definition) -> Tool:
    """Describe one of our definitions as the function of a tool."""
    return Tool(
        name=repr(definition),
        choices=other_tools()[0].choices | definition_choices(definition),
        answers={"no positive": Answer(0.0)},
        k=definition.depth,
        takes_weights=not isinstance(definition, Expected | ReciprocalRank),
        definition=definition,
    )


@cache
def our_tools(k: float = DEFAULT_K) -> tuple[Tool, ...]:
    """Return our definitions with their usual options."""
    return tuple(map(describe_definition, conventions(k)))


def all_tools(k: float = DEFAULT_K) -> tuple[Tool, ...]:
    """Return all functions that are known, those of other tools first."""
    return (*other_tools(), *our_tools(k))


class ChosenOption(NamedTuple):
    """An option that a function chooses, with the arguments that it reads."""

    option: str
    arguments: tuple[tuple[str, Argument], ...] = ()

    def __str__(self) -> str:
        given = (f"{name}={value}" for name, value in self.arguments if value is not None)
        arguments = ", ".join(given)
        return f"{self.option} ({arguments})" if arguments else self.option


Choices: TypeAlias = dict[str, ChosenOption]  # by the names of CHOICES


@dataclass(frozen=True, eq=False)
class Call:
    """A function with k and the other options that it is told."""

    tool: Tool
    k: float | None = None
    options: Keywords = field(default_factory=dict)

    def label(self, *notes: str) -> str:
        """Return the name of the function, with k and what else a reader must know."""
        texts = notes if self.k is None else (f"k={self.k}", *notes)
        return f"{self.tool.name} ({', '.join(texts)})" if texts else self.tool.name

    @cached_property
    def choices(self) -> Choices:
        """The choices of the function, with their arguments."""
        k = self.k if self.tool.takes_k else self.tool.k
        values = DEFAULTS | self.options | {"k": k, "definition": self.tool.definition}
        chosen = {}
        for choice, option in self.tool.choices.items():
            names = all_options()[choice, option].arguments
            chosen[choice] = ChosenOption(option, tuple((name, values[name]) for name in names))
        return chosen


def all_calls(tool: Tool, k: int) -> list[Call]:
    """Return a call without k, unless the function needs k, and one with k if it takes k."""
    return [Call(tool)] * (not tool.needs_k) + [Call(tool, k)] * tool.takes_k


def make_calls(
    tools: Sequence[Tool], k: Argument, given: Keywords, *, has_weights: bool
) -> list[Call]:
    """Return a call of each function. Refuse options that none takes, and wrong values."""
    names = " and ".join(dict.fromkeys(tool.name for tool in tools))
    known = {name for tool in tools for name in tool.options}
    for option, value in given.items():
        if option not in known:
            choices = ", ".join(sorted(known)) or "none"
            raise TypeError(
                f"{option!r} is no option of {names}. Its own options, besides k and "
                f"those of rows: {choices}."
            )
        _check_option(option, value)
    for tool in tools:
        if has_weights and not tool.takes_weights:
            raise ValueError(f"{tool.name} takes no sample_weight.")
        if k is None and tool.needs_k:
            raise ValueError(f"{tool.name} needs k (--k): pass how many ranks count.")
    if k is not None and not any(tool.takes_k for tool in tools):
        raise ValueError(f"k is no option of {names}: leave it out (--k on the command line).")
    n_ranks = None if k is None else check_count("k", k)
    return [Call(tool, n_ranks if tool.takes_k else None, given) for tool in tools]


def _check_option(option: str, value: Argument) -> None:
    kind = type(DEFAULTS[option])
    if kind is str:
        check_choice(option, value, Literal["float32", "float64"])
    elif kind is float:
        check_share(option, value)
    elif kind is bool and not isinstance(value, bool):
        raise TypeError(f"{option} must be True or False, got {value!r}.")
    elif kind is int and check_count(option, value) < 2:
        raise ValueError(f"{option} must be at least 2, got {value!r}.")
