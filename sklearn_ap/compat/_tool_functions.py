"""What each tool's function chooses: a line of tools.tsv, or one of our definitions.

``docs/extending.md`` says what the columns hold and how to add a tool.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property
from importlib.resources import files
from inspect import Parameter, signature
from typing import Literal, NamedTuple

from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.options import check_choice, check_count, check_share
from sklearn_ap._types import Argument
from sklearn_ap._writing.text import names_as_text
from sklearn_ap.compat._tool_formulas import CHOICES, FORMULAS
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    RecallAtK,
    Step,
)
from sklearn_ap.definitions._conventions import USUAL_K, conventions, definition_name

BASELINE = "sklearn.average_precision_score"


class Option(NamedTuple):
    """An option of a choice: a formula and its line of tool_options.tsv, with its arguments."""

    name: str
    why: str  # it changes the number
    words: str  # what it is, "" of what is usual
    formula: Callable[..., Argument]
    # What it reads besides counts: k, a definition, and those of the tool, with their defaults.
    arguments: tuple[tuple[str, Argument], ...]

    def __str__(self) -> str:
        texts = [f"{name}={value}" for name, value in self.arguments if value is not None]
        return f"{self.name} ({', '.join(texts)})" if texts else self.name

    def bind(self, values: Mapping[str, object]) -> Option:
        """Return the option with values of its arguments, which are at their defaults otherwise."""
        arguments = ((name, values.get(name, default)) for name, default in self.arguments)
        return self._replace(arguments=tuple(arguments))

    def __call__(self, *made: Argument) -> Argument:
        """Make the choice, from what the choices before it made."""
        return self.formula(*made, **dict(self.arguments))


class SpecialCase(NamedTuple):
    """Queries to which a function gives an answer that its choices do not give."""

    condition: str
    value: float  # nan for an exception
    exception: str = ""  # its type
    message: str = ""  # as Python prints it, with the type


@dataclass(frozen=True, eq=False)
class ToolFunction:
    """A function of a tool, or one of our definitions."""

    name: str  # of the tool and its function, as "xgboost.aucpr"
    choices: dict[str, Option]
    special_cases: tuple[SpecialCase, ...]  # of which the first that holds counts
    takes_weights: bool
    k: float | None = None  # how many ranks count if no call says it; None for all
    takes_k: bool = False
    needs_k: bool = False
    definition: Definition | None = None

    @property
    def tool(self) -> str:
        """The tool of the function."""
        return self.name.partition(".")[0]

    @property
    def names(self) -> list[str]:
        """Its own name, that without the tool, and that of the tool."""
        return [self.name, self.name.partition(".")[2] or self.name, self.tool]

    @property
    def defaults(self) -> dict[str, object]:
        """Its own arguments, besides k and weights, with their defaults."""
        arguments = [each for option in self.choices.values() for each in option.arguments]
        return {name: default for name, default in arguments if default is not None}


def read_table(table: str) -> Iterator[dict[str, str]]:
    """Read the lines of a table, each by the names of its columns."""
    text = files(__package__).joinpath(table).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)


@cache
def all_options() -> dict[tuple[str, str], Option]:
    """Return all options, by the choice and the name of the option."""
    options = {}
    for row in read_table("tool_options.tsv"):
        choice, name = row["choice"], row["option"]
        formula = FORMULAS[choice][name]
        options[choice, name] = Option(
            name, row["why"], row["words"], formula, _arguments_of(formula)
        )
    return options


def _arguments_of(formula: Callable[..., Argument]) -> tuple[tuple[str, Argument], ...]:
    """Return the keyword arguments of a formula, with their defaults, or None."""
    parameters = signature(formula).parameters.values()
    return tuple(
        (each.name, None if each.default is Parameter.empty else each.default)
        for each in parameters
        if each.kind is Parameter.KEYWORD_ONLY
    )


def split_cell(cell: str) -> list[str]:
    """Read a list in a cell of a table: "a, b"."""
    return [*filter(None, cell.split(", "))]


@cache
def other_functions() -> tuple[ToolFunction, ...]:
    """Return the functions of other tools, scikit-learn's first."""
    return tuple(map(_read_tool, read_table("tools.tsv")))


def _read_tool(row: dict[str, str]) -> ToolFunction:
    return ToolFunction(
        name=row["name"],
        choices={choice: all_options()[choice, row[choice]] for choice in CHOICES},
        special_cases=tuple(map(_read_special_case, row["answers"].split("; "))),
        takes_weights=row["weights"] == "yes",
        k=int(row["k"]) if row["k"].isdigit() else None,
        takes_k=row["k"] in ("optional", "required"),
        needs_k=row["k"] == "required",
    )


def _read_special_case(text: str) -> SpecialCase:
    """Read "no positive: 0", or the text of an exception in the place of the number."""
    condition, answer = text.split(": ", 1)
    try:
        return SpecialCase(condition, float(answer))
    except ValueError:
        return SpecialCase(condition, math.nan, answer.partition(":")[0], message=answer)


def definition_choices(definition: Definition) -> dict[str, str]:
    """Return the choices in which a definition differs from scikit-learn's step."""
    known = definition if definition.is_trusted else None  # a user's may have other heights
    match known:
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
    return {"over": "its own value"}


def describe_definition(definition: Definition) -> ToolFunction:
    """Describe one of our definitions as the function of a tool."""
    choices = {
        choice: all_options()[choice, option]
        for choice, option in definition_choices(definition).items()
    }
    return ToolFunction(
        name=definition_name(definition),
        choices=other_functions()[0].choices | choices,  # the first is scikit-learn's
        special_cases=(SpecialCase("no positive", 0.0),),
        takes_weights=_takes_weights(definition),
        k=definition.depth,
        definition=definition,
    )


def _takes_weights(definition: Definition) -> bool:
    try:
        definition(threshold_counts([1, 0], [1, 0], sample_weight=[1, 1]))
    except Exception:  # which a user's definition may raise in computing with floats
        return False
    return True


@cache
def our_functions(k: float = USUAL_K) -> tuple[ToolFunction, ...]:
    """Return our definitions with their usual options."""
    return tuple(map(describe_definition, conventions(k)))


def all_functions(k: float = USUAL_K) -> tuple[ToolFunction, ...]:
    """Return all functions that are known, those of other tools first."""
    return (*other_functions(), *our_functions(k))


@dataclass(frozen=True, eq=False)
class Call:
    """A function with the arguments that it is told."""

    function: ToolFunction
    k: float | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)  # others that the user passed

    def label(self, *notes: str) -> str:
        """Return the name of the function, with its arguments and what else a reader must know."""
        told = self.arguments if self.k is None else {"k": self.k, **self.arguments}
        texts = [*(f"{name}={value}" for name, value in told.items()), *filter(None, notes)]
        return f"{self.function.name} ({', '.join(texts)})" if texts else self.function.name

    @cached_property
    def choices(self) -> dict[str, Option]:
        """The choices of the function, with their arguments."""
        k = self.k if self.function.takes_k else self.function.k
        values = {**self.arguments, "k": k, "definition": self.function.definition}
        return {choice: option.bind(values) for choice, option in self.function.choices.items()}


def all_calls(function: ToolFunction, k: int) -> list[Call]:
    """Return a call without k, unless the function needs k, and one with k if it takes k."""
    calls = [] if function.needs_k else [Call(function)]
    return [*calls, Call(function, k)] if function.takes_k else calls


def make_calls(
    functions: Sequence[ToolFunction],
    k: Argument,
    arguments: Mapping[str, object],
    *,
    has_weights: bool,
) -> list[Call]:
    """Return a call of each function. Refuse arguments that none takes, and wrong values."""
    names = " and ".join(dict.fromkeys(function.name for function in functions))
    defaults = {
        name: default for function in functions for name, default in function.defaults.items()
    }
    for name, value in arguments.items():
        if name not in defaults:
            raise InputTypeError(
                f"{name!r} is no argument of {names}. Its own, besides k and those of rows: "
                f"{', '.join(sorted(defaults)) or 'none'}.{_advise_other(functions, name)}"
            )
        _check_argument(name, value, defaults[name])
    for function in functions:
        if has_weights and not function.takes_weights:
            raise InputError(f"{function.name} takes no sample_weight.")
        if k is None and function.needs_k:
            raise InputError(f"{function.name} needs k: pass how many ranks count.")
    if k is not None and not any(function.takes_k for function in functions):
        raise InputError(f"k is no argument of {names}: leave it out.")
    n_ranks = None if k is None else check_count("k", k)
    return [
        Call(
            function,
            n_ranks if function.takes_k else None,
            {name: value for name, value in arguments.items() if name in function.defaults},
        )
        for function in functions
    ]


def _advise_other(functions: Sequence[ToolFunction], argument: str) -> str:
    """Name the functions of the same tools that take an argument, or else all others."""
    tools = {function.tool for function in functions}
    others = [each for each in other_functions() if each.tool in tools and each not in functions]
    if takers := [each.name for each in others if argument in each.defaults]:
        return f" It is one of {names_as_text(takers)}."
    if not others:
        return ""
    others_as_text = names_as_text([each.name for each in others])
    return f" Some options of a tool are functions here: see also {others_as_text}."


def _check_argument(name: str, value: Argument, default: Argument) -> None:
    """Check an argument of a tool, of which the default says the type."""
    match default:
        case bool():
            if not isinstance(value, bool):
                raise InputTypeError(f"{name} must be True or False, got {value!r}.")
        case int():  # the thresholds of a grid
            if check_count(name, value) < 2:
                raise InputError(f"{name} must be at least 2, got {value!r}.")
        case float():
            check_share(name, value)
        case _:
            check_choice(name, value, Literal["float32", "float64"])
