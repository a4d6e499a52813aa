"""What each tool's function chooses: a line of tools.tsv, or one of our definitions.

``docs/extending.md`` says what the columns hold and how to add a tool.
"""

from __future__ import annotations

import ast
import csv
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from typing import Literal, NamedTuple

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
from sklearn_ap.definitions._spellings import USUAL_K

BASELINE = "sklearn.average_precision_score"
# The six choices, in the order in which they are made: all that a number depends on.
CHOICES = (
    "scores",  # how the tool changes scores before it compares them
    "ties",  # how it orders items of equal score
    "between",  # which precision is used between two operating points
    "start",  # where the curve starts, if the precision between points depends on it
    "over",  # where precision is averaged
    "divisor",  # what the sum is divided by
)


class Option(NamedTuple):
    """An option of a choice: a line of tool_options.tsv, with values of its arguments."""

    name: str
    why: str  # it changes the number
    # What it reads besides counts: k, a definition, and options of tools with their defaults.
    arguments: tuple[tuple[str, Argument], ...]

    def __str__(self) -> str:
        texts = [f"{name}={value}" for name, value in self.arguments if value is not None]
        return f"{self.name} ({', '.join(texts)})" if texts else self.name

    def bind(self, values: Keywords) -> Option:
        """Return the option with values of its arguments, which are at their defaults otherwise."""
        arguments = ((name, values.get(name, default)) for name, default in self.arguments)
        return self._replace(arguments=tuple(arguments))


class SpecialCase(NamedTuple):
    """Queries to which a function gives an answer that its choices do not give."""

    condition: str
    value: float  # nan for an exception
    exception: str = ""


@dataclass(frozen=True, eq=False)
class Tool:
    """One function of one tool, or one of our definitions."""

    name: str  # of the tool and its function, as "xgboost.aucpr"
    choices: dict[str, Option]
    special_cases: tuple[SpecialCase, ...]  # of which the first that holds counts
    takes_weights: bool
    k: float | None = None  # how many ranks count if no call says it; None for all
    takes_k: bool = False
    needs_k: bool = False
    also_called: tuple[str, ...] = ()
    default_names: tuple[str, ...] = ()  # names of several functions that mean this one
    definition: Definition | None = None

    @property
    def package(self) -> str:
        """The tool of the function."""
        return self.name.partition(".")[0]

    @property
    def names(self) -> list[str]:
        """All its names: its own, that of the function alone, its tool's, and others."""
        function = self.name.partition(".")[2] or self.name
        return [self.name, function, self.package, *self.also_called]

    @property
    def defaults(self) -> Keywords:
        """Its own options, besides k and weights, with their defaults."""
        arguments = [each for option in self.choices.values() for each in option.arguments]
        return {name: default for name, default in arguments if default is not None}


def read_table(table: str) -> Iterator[dict[str, str]]:
    """Read the lines of a table, each by the names of its columns."""
    text = files(__package__).joinpath(table).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)


@cache
def all_options() -> dict[tuple[str, str], Option]:
    """Return all options, by the choice and the name of the option."""
    return {
        (row["choice"], row["option"]): Option(
            name=row["option"],
            why=row["why"],
            arguments=tuple(map(_read_argument, _names(row["arguments"]))),
        )
        for row in read_table("tool_options.tsv")
    }


def _read_argument(text: str) -> tuple[str, Argument]:
    """Read "thresholds=200", or "k", which has no default."""
    name, _, default = text.partition("=")
    return name, ast.literal_eval(default) if default else None


def _names(cell: str) -> list[str]:
    return [*filter(None, cell.split(", "))]


@cache
def other_tools() -> tuple[Tool, ...]:
    """Return the functions of other tools, scikit-learn's first."""
    return tuple(map(_read_tool, read_table("tools.tsv")))


def _read_tool(row: dict[str, str]) -> Tool:
    starred_names = _names(row["also_called"])
    return Tool(
        name=row["name"],
        choices={choice: all_options()[choice, row[choice]] for choice in CHOICES},
        special_cases=tuple(map(_read_special_case, row["answers"].split("; "))),
        takes_weights=row["weights"] == "yes",
        k=int(row["k"]) if row["k"].isdigit() else None,
        takes_k=row["k"] in ("optional", "required"),
        needs_k=row["k"] == "required",
        also_called=tuple(name.rstrip("*") for name in starred_names),
        default_names=tuple(name.rstrip("*") for name in starred_names if name.endswith("*")),
    )


def _read_special_case(text: str) -> SpecialCase:
    """Read "no positive: 0", or the text of an exception in the place of the number."""
    condition, answer = text.split(": ", 1)
    try:
        return SpecialCase(condition, float(answer))
    except ValueError:
        return SpecialCase(condition, math.nan, exception=answer)


def definition_choices(definition: Definition) -> dict[str, str]:
    """Return the choices in which a definition differs from scikit-learn's step."""
    is_ours = type(definition).__module__.startswith("sklearn_ap.")
    match definition if is_ours else None:  # a subclass of a user may have other heights
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
    choices = {
        choice: all_options()[choice, option]
        for choice, option in definition_choices(definition).items()
    }
    return Tool(
        name=repr(definition),
        choices=other_tools()[0].choices | choices,
        special_cases=(SpecialCase("no positive", 0.0),),
        takes_weights=not isinstance(definition, Expected | ReciprocalRank),
        k=definition.depth,
        definition=definition,
    )


@cache
def our_tools(k: float = USUAL_K) -> tuple[Tool, ...]:
    """Return our definitions with their usual options."""
    return tuple(map(describe_definition, conventions(k)))


def all_tools(k: float = USUAL_K) -> tuple[Tool, ...]:
    """Return all functions that are known, those of other tools first."""
    return (*other_tools(), *our_tools(k))


@dataclass(frozen=True, eq=False)
class Call:
    """A function with the arguments that it is told."""

    tool: Tool
    k: float | None = None
    arguments: Keywords = field(default_factory=dict)

    def label(self, *notes: str) -> str:
        """Return the name of the function, with its arguments and what else a reader must know."""
        told = self.arguments if self.k is None else {"k": self.k, **self.arguments}
        texts = [*(f"{name}={value}" for name, value in told.items()), *filter(None, notes)]
        return f"{self.tool.name} ({', '.join(texts)})" if texts else self.tool.name

    @cached_property
    def choices(self) -> dict[str, Option]:
        """The choices of the function, with their arguments."""
        k = self.k if self.tool.takes_k else self.tool.k
        values = self.arguments | {"k": k, "definition": self.tool.definition}
        return {choice: option.bind(values) for choice, option in self.tool.choices.items()}


def all_calls(tool: Tool, k: int) -> list[Call]:
    """Return a call without k, unless the function needs k, and one with k if it takes k."""
    calls = [] if tool.needs_k else [Call(tool)]
    return [*calls, Call(tool, k)] if tool.takes_k else calls


def make_calls(
    tools: Sequence[Tool], k: Argument, arguments: Keywords, *, has_weights: bool
) -> list[Call]:
    """Return a call of each function. Refuse arguments that none takes, and wrong values."""
    names = " and ".join(dict.fromkeys(tool.name for tool in tools))
    defaults = {name: default for tool in tools for name, default in tool.defaults.items()}
    for name, value in arguments.items():
        if name not in defaults:
            raise TypeError(
                f"{name!r} is no option of {names}. Its own options, besides k and those of rows: "
                f"{', '.join(sorted(defaults)) or 'none'}."
            )
        _check_argument(name, value, defaults[name])
    for tool in tools:
        if has_weights and not tool.takes_weights:
            raise ValueError(f"{tool.name} takes no sample_weight.")
        if k is None and tool.needs_k:
            raise ValueError(f"{tool.name} needs k: pass how many ranks count.")
    if k is not None and not any(tool.takes_k for tool in tools):
        raise ValueError(f"k is no option of {names}: leave it out.")
    n_ranks = None if k is None else check_count("k", k)
    return [
        Call(
            tool,
            n_ranks if tool.takes_k else None,
            {name: arguments[name] for name in arguments if name in tool.defaults},
        )
        for tool in tools
    ]


def _check_argument(name: str, value: Argument, default: Argument) -> None:
    """Check an option of a tool, of which the default says the type."""
    match default:
        case bool():
            if not isinstance(value, bool):
                raise TypeError(f"{name} must be True or False, got {value!r}.")
        case int():  # the thresholds of a grid
            if check_count(name, value) < 2:
                raise ValueError(f"{name} must be at least 2, got {value!r}.")
        case float():
            check_share(name, value)
        case _:
            check_choice(name, value, Literal["float32", "float64"])
