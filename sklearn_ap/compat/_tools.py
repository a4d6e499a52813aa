"""What each tool's function chooses: a line of tools.tsv, or one of our definitions.

``docs/extending.md`` says what the columns hold and how to add a tool.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Literal, NamedTuple

from sklearn_ap._inputs.options import (
    check_choice,
    check_count,
    check_share,
)
from sklearn_ap._types import Argument, Keywords
from sklearn_ap._version import __version__
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
from sklearn_ap.definitions._spellings import near_names, read_definition

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
    """An option of a choice: a line of options.tsv."""

    arguments: tuple[str, ...]  # what it reads besides counts
    why: str  # why it changes the number


class Answer(NamedTuple):
    """An answer that the choices do not give."""

    value: float  # nan for an exception
    exception: str = ""


class ChosenOption(NamedTuple):
    """An option that a function chooses, with the arguments that it reads."""

    option: str
    arguments: tuple[tuple[str, Argument], ...] = ()

    def __str__(self) -> str:
        given = (f"{name}={value}" for name, value in self.arguments if value is not None)
        arguments = ", ".join(given)
        return f"{self.option} ({arguments})" if arguments else self.option


@dataclass(frozen=True, eq=False)
class Tool:
    """One function of one tool, or one of our definitions."""

    name: str  # of the tool and its function, as "xgboost.aucpr"
    version: str
    checked: str  # the date of the run
    known: str  # "run", "run as a copy", "read", "documented", or "ours"
    choices: dict[str, str]  # the option of each choice
    takes_weights: bool
    answers: dict[str, Answer]  # by their conditions, of which the first that holds counts
    k: float | None = None  # how many ranks count, if it takes no k; None for all
    takes_k: bool = False
    needs_k: bool = False
    tolerance: float = 1e-9  # of the reproduction
    also_called: tuple[str, ...] = ()  # a star marks the default of a name that several have
    note: str = ""
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
    def options(self) -> Keywords:
        """The options that change its number besides k and weights, with their defaults."""
        names = (name for pair in self.choices.items() for name in options()[pair].arguments)
        return {name: DEFAULTS[name] for name in names if name in DEFAULTS}

    def bind(self, k: float | None, given: Keywords) -> dict[str, ChosenOption]:
        """Return its choices with their arguments, of which the caller gave some."""
        ranks = k if self.takes_k else self.k
        values = DEFAULTS | given | {"k": ranks, "definition": self.definition}
        bound = {}
        for choice, option in self.choices.items():
            names = options()[choice, option].arguments
            bound[choice] = ChosenOption(option, tuple((name, values[name]) for name in names))
        return bound


def read_table(table: str) -> Iterator[dict[str, str]]:
    """Read the lines of a table, each by the names of its columns."""
    text = files(__package__).joinpath(table).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)


@cache
def other_tools() -> tuple[Tool, ...]:
    """Return the functions of other tools, scikit-learn's first."""
    return tuple(map(_tool, read_table("tools.tsv")))


def _tool(row: dict[str, str]) -> Tool:
    return Tool(
        name=row["name"],
        version=row["version"],
        checked=row["checked"],
        known=row["known"],
        choices={choice: row[choice] for choice in CHOICES},
        takes_weights=row["weights"] == "yes",
        answers={
            condition: _answer(text)
            for condition, text in (each.split(": ", 1) for each in row["answers"].split("; "))
        },
        k=int(row["k"]) if row["k"].isdigit() else None,
        takes_k=row["k"] in ("optional", "required"),
        needs_k=row["k"] == "required",
        tolerance=float(row["tolerance"]),
        also_called=tuple(filter(None, row["also_called"].split(", "))),
        note=row["note"],
    )


def _answer(text: str) -> Answer:
    try:
        return Answer(float(text))
    except ValueError:
        return Answer(math.nan, exception=text)


@cache
def options() -> dict[tuple[str, str], Option]:
    """Return all options, by the choice and the name of the option."""
    return {
        (row["choice"], row["option"]): Option(
            tuple(filter(None, row["arguments"].split(", "))), row["why"]
        )
        for row in read_table("options.tsv")
    }


class Neighbour(NamedTuple):
    """A package that computes something else: a line of neighbours.tsv."""

    name: str
    also_called: str
    gives: str
    call: str  # what to call here


@cache
def neighbours() -> tuple[Neighbour, ...]:
    """Return the packages that people look for here."""
    return tuple(Neighbour(**row) for row in read_table("neighbours.tsv"))


def choices_of(definition: Definition) -> dict[str, str]:
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
        version=__version__,
        checked="",
        known="ours",
        choices=other_tools()[0].choices | choices_of(definition),
        takes_weights=not isinstance(definition, Expected | ReciprocalRank),
        answers={"no positive": Answer(0.0)},
        k=definition.depth,
        definition=definition,
    )


@cache
def our_tools(k: float = DEFAULT_K) -> tuple[Tool, ...]:
    """Return our definitions with their usual options."""
    return tuple(map(describe_definition, conventions(k)))


def get(name: str | Definition) -> Tool:
    """Get the function of a name: the default one of several, or the definition that it means."""
    found = find(name)
    if isinstance(name, str) and _find_named(name):
        default = f"{_plain(name)}*"
        if defaults := [tool for tool in found if default in map(_plain, tool.also_called)]:
            return defaults[0]
        with suppress(ValueError):  # of a name such as "map@k", which does not say k
            found = _find_ours(name) or found
    if len(found) > 1:
        names = ", ".join(tool.name for tool in found)
        raise ValueError(
            f"{name!r} has several functions: choose from {names}. compat.tools says how these "
            f"differ."
        )
    return found[0]


def find(name: Argument) -> Sequence[Tool]:
    """Find all functions that a name stands for, or describe a definition."""
    if isinstance(name, Definition):
        return [describe_definition(name)]
    if not isinstance(name, str):
        raise TypeError(
            f"The name of a tool or a function must be a string, or a definition such as AtK(10), "
            f"got {type(name).__name__}: the name goes first, before y_true and y_score."
        )
    if found := _find_named(name) or _find_ours(name) or _find_at_rank(name):
        return found
    package = _without_modules(name).partition(".")[0]
    for each in neighbours() if package else ():
        if _plain(package) in map(_plain, (each.name, each.also_called)):
            raise ValueError(
                f"{name!r} is not in the table of tools: {each.name} gives {each.gives}. "
                f"Here, call {each.call}."
            )
    near = ", ".join(_near_names(name)) or "none; tools lists all"
    raise ValueError(f"{name!r} is not a known tool or function. Near it: {near}.")


def _near_names(name: str) -> list[str]:
    """List functions with a name that holds this one, or is close to it."""
    functions = reversed((*other_tools(), *our_tools()))  # of a name, the first one stays
    known = {_plain(each): tool.name for tool in functions for each in reversed(tool.names)}
    wanted = _plain(name)
    near = [each for each in known if len(wanted) > 2 and wanted in each]
    near += near_names(wanted, known)
    return [*dict.fromkeys(known[each] for each in near)][:3]


def _find_ours(name: str) -> Sequence[Tool]:
    """Describe the definition that a name means everywhere in this package."""
    own_name = re.sub(r"^(sklearn_ap\.)?(definitions\.)?", "", name)
    definition = read_definition(own_name)
    return [] if definition is None else [describe_definition(definition)]


@cache
def _find_named(name: str) -> Sequence[Tool]:
    """Find the functions of a name, as written first: MLmetrics is not ml_metrics."""
    for spell in (_without_modules, _plain):
        if found := [tool for tool in other_tools() if spell(name) in map(spell, tool.names)]:
            return found
    return []


def _find_at_rank(name: str) -> Sequence[Tool]:
    """Find the functions of a name that says k: "xgboost.map@5", "P_10", "MAP@12 Kaggle"."""
    parts = re.fullmatch(r"(.+?)[@_.](0|[1-9]\d{0,17})( .*)?", name.strip())
    if parts is None or not {*".@"} & {*name}:  # AP_50 may be at an overlap of boxes (IoU)
        return []
    stem, digits, ending = parts.groups("")
    k = check_count("k", int(digits))
    return [
        replace(
            tool,
            name=f"{tool.name.removesuffix('@k')}@{digits}",
            k=k,
            takes_k=False,
            needs_k=False,
        )
        for tool in dict.fromkeys([*_find_named(f"{stem}@k{ending}"), *_find_named(stem)])
        if tool.takes_k
    ]


def is_called(search: str | None, *known: str) -> bool:
    """Check whether a search, spelled in any way, is a part of a name."""
    return search is None or any(_plain(search) in _plain(name) for name in known)


def _plain(name: str) -> str:
    """Drop spaces, quotes and punctuation, too: "Hugging Face" is "huggingface"."""
    return re.sub(r"""[ _.'"-]""", "", _without_modules(name))


def _without_modules(name: str) -> str:
    """Drop case, inner modules, and R's colons: "keras.metrics.AUC" is "keras.auc"."""
    return re.sub(r"\.([a-z]\w*\.)+(?=[a-z])", ".", name.lower().replace("::", "."))


def check_call(
    functions: Sequence[Tool], k: Argument, given: Keywords, *, has_weights: bool
) -> int | None:
    """Return k. Refuse options that no function takes, and values that none accepts."""
    names = " and ".join(dict.fromkeys(tool.name for tool in functions))
    known = {name for tool in functions for name in tool.options}
    for option, value in given.items():
        if option not in known:
            choices = ", ".join(sorted(known)) or "none"
            raise TypeError(
                f"{option!r} is no option of {names}. Its own options, besides k and "
                f"those of rows: {choices}."
            )
        _check_option(option, value)
    for tool in functions:
        if has_weights and not tool.takes_weights:
            raise ValueError(f"{tool.name} takes no sample_weight.")
        if k is None and tool.needs_k:
            raise ValueError(f"{tool.name} needs k: pass how many ranks count.")
    if k is None:
        return None
    if not any(tool.takes_k for tool in functions):
        raise ValueError(f"k is no option of {names}: leave it out (--k on the command line).")
    return check_count("k", k)


def _check_option(option: str, value: Argument) -> None:
    match DEFAULTS[option]:
        case str():
            check_choice(option, value, Literal["float32", "float64"])
        case bool():
            if not isinstance(value, bool):
                raise TypeError(f"{option} must be True or False, got {value!r}.")
        case int():
            if check_count(option, value) < 2:
                raise ValueError(f"{option} must be at least 2, got {value!r}.")
        case _:
            check_share(option, value)
