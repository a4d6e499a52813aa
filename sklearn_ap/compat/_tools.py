"""What each tool's function chooses: a line of tools.tsv, or one of our definitions.

``docs/extending.md`` says what the columns hold and how to add a tool.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from sklearn_ap._inputs.options import check_count, check_share
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
from sklearn_ap.definitions._names import conventions, find_definition

PACKAGE = "sklearn_ap"
BASELINE = "sklearn.average_precision_score"
DEFAULT_K = 10  # of scores and definitions that take k
# By the normalizer of AtK.
DIVISORS = {"attainable": "min(k, positives)"}
# What TorchMetrics gives a query without positives; "skip" leaves it out of the mean.
EMPTY_TARGET_ANSWERS = {"neg": "0", "pos": "1", "skip": "nan", "error": "ValueError: no positive"}
# The options of functions with their defaults: of words, all that are possible.
DEFAULTS: Keywords = {
    "dtype": ("float32", "float64"),
    "empty_target_action": tuple(EMPTY_TARGET_ANSWERS),
    "from_logits": (False, True),
    "level": 0.0,
    "min_precision": 0.9,
    "min_recall": 0.8,
    "num_thresholds": 200,
    "threshold": 100,
    "thresholds": 200,
}


class Choice(NamedTuple):
    """An option of one of the six choices, with the arguments that it reads."""

    option: str
    arguments: tuple[tuple[str, Argument], ...] = ()


class Choices(NamedTuple):
    """The six choices, in the order in which they are made: all that a number depends on."""

    scores: Choice  # how the tool changes scores before it compares them
    ties: Choice  # how it orders items of equal score
    between: Choice  # which precision is used between two operating points
    start: Choice  # where the curve starts, if the precision between points depends on it
    over: Choice  # where precision is averaged
    divisor: Choice  # what the sum is divided by


@dataclass(frozen=True)
class Tool:
    """One function of one tool, or one of our definitions."""

    name: str  # of the tool and its function, as "xgboost.aucpr"
    version: str
    checked: str  # the date of the run
    known: str  # "run", "run as a copy", "read", "documented", or "ours"
    scores: str
    ties: str
    between: str
    start: str
    over: str
    divisor: str
    k: str  # whether it takes a number of ranks: "no", "optional" or "required"
    weights: str  # "yes" or "no"
    answers: str  # answers that the choices do not give, by condition: "no positive: 1"
    nan_scores: str = "ValueError"  # the answer to nan scores, which is not reproduced
    tolerance: str = "1e-9"  # of the reproduction
    also_called: str = ""  # other names; a star marks the default of a name that several have
    note: str = ""
    definition: Definition | None = None
    rank: float | None = None  # the number of ranks that a name such as "P@10" says

    @property
    def package(self) -> str:
        """The tool of the function."""
        return PACKAGE if self.definition is not None else self.name.partition(".")[0]

    @property
    def takes_weights(self) -> bool:
        """Whether it takes weights."""
        return self.weights == "yes"

    @property
    def special_answers(self) -> dict[str, str]:
        """Answers that the choices do not give, by their condition; the first that holds counts."""
        return dict(answer.split(": ", 1) for answer in self.answers.split("; ") if answer)

    @property
    def options(self) -> Keywords:
        """The options that change its number besides k and weights, with their defaults."""
        names = [*self._arguments, *self.special_answers.values()]
        values = {name: DEFAULTS[name] for name in names if name in DEFAULTS}
        return {name: each[0] if isinstance(each, tuple) else each for name, each in values.items()}

    @property
    def _arguments(self) -> list[str]:
        return [name for choice in CHOICES for name in arguments_of(choice, getattr(self, choice))]

    def bind(self, k: float | None, options: Keywords) -> Choices:
        """Bind its choices to k and to options."""
        rank = self.rank if self.k == "no" or k is None else k
        values = {**self.options, **options, "k": rank, "definition": self.definition}
        bound = {}
        for choice in CHOICES:
            option = getattr(self, choice)
            arguments = tuple((name, values[name]) for name in arguments_of(choice, option))
            bound[choice] = Choice(option, arguments)
        return Choices(**bound)


CHOICES = Choices._fields


def _read(table: str) -> Iterator[Keywords]:
    """Read the lines of a table, each by the names of its columns."""
    text = files(__package__).joinpath(table).read_text(encoding="utf-8")
    return csv.DictReader(text.splitlines(), delimiter="\t", quoting=csv.QUOTE_NONE)


@cache
def tools() -> tuple[Tool, ...]:
    """Return the functions of other tools, scikit-learn's first."""
    return tuple(Tool(**row) for row in _read("tools.tsv"))


@cache
def _options() -> dict[tuple[str, str], dict[str, str]]:
    return {(row["choice"], row["option"]): row for row in _read("options.tsv")}


def reason(choice: str, option: str) -> str:
    """Say why an option of a choice changes the number."""
    return _options()[choice, option]["why"]


def arguments_of(choice: str, option: str) -> list[str]:
    """Name the arguments that an option of a choice reads."""
    names = _options()[choice, option]["arguments"]
    return names.split(", ") if names else []


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
        case AtK(normalizer=normalizer):
            return {"over": "top k", "divisor": DIVISORS.get(normalizer, normalizer)}
        case PrecisionAtK():
            return {"between": "each hit", "over": "top k", "divisor": "k"}
        case RecallAtK():
            return {"between": "each hit", "over": "top k"}
    if type(definition).__call__ is not Definition.__call__:
        return {"over": "its own value"}
    return {"between": "its own heights", "divisor": "its own divisor"}


def describe_definition(definition: Definition, k: str = "no") -> Tool:
    """Describe one of our definitions as the function of a tool."""
    row = {choice: getattr(tools()[0], choice) for choice in CHOICES} | choices_of(definition)
    takes_weights = not isinstance(definition, Expected | ReciprocalRank)
    return Tool(
        name=repr(definition),
        version=__version__,
        checked="",
        known="ours",
        **row,
        k=k,
        weights="yes" if takes_weights else "no",
        answers="no positive: 0",
        definition=definition,
        rank=definition.depth,
    )


@cache
def our_tools(k: float) -> tuple[Tool, ...]:
    """Return our definitions with their usual options."""
    return tuple(map(describe_definition, conventions(k)))


def get(name: str | Definition) -> Tool:
    """Get the function of a name, or the default one of several."""
    found = find(name)
    defaults = [tool for tool in found if isinstance(name, str) and _is_default(tool, name)]
    if len(found) > 1 and not defaults:
        names = ", ".join(tool.name for tool in found)
        raise ValueError(f"{name!r} has several functions: choose from {names}.")
    return (defaults or found)[0]


def find(name: Argument) -> list[Tool]:
    """Find all functions that a name stands for, or describe a definition."""
    if isinstance(name, Definition):
        return [describe_definition(name)]
    if not isinstance(name, str):
        raise TypeError(
            f"The name of a tool or a function must be a string, or a definition such as AtK(10), "
            f"got {name!r}."
        )
    if _plain(name) == _plain(PACKAGE):
        return [*our_tools(DEFAULT_K)]
    found = _find_named(name) or _find_at_rank(name)
    with suppress(ValueError):
        if not found or "@" in name:
            found = [*found, _find_ours(name)]
    if found:
        return found
    raise ValueError(f"{name!r} is not a known tool or function. Near it: {_near(name)}.")


def _find_named(name: str) -> list[Tool]:
    """Find the functions of a name, as written first: MLmetrics is not ml_metrics."""
    for spelling in (str.lower, _plain):
        for each in (name, _drop_modules(name)):
            if found := _tools_by_name(spelling).get(spelling(each)):
                return found
    return []


def _find_at_rank(name: str) -> list[Tool]:
    """Find the functions of a name that says k: "xgboost.map@5", "P_10", "MAP@12 Kaggle"."""
    parts = re.fullmatch(r"(.+?)[@_.]([1-9]\d{0,17})( .*)?", name.strip())
    if parts is None:
        return []
    stem, digits, ending = parts.groups("")
    found = dict.fromkeys([*_find_named(f"{stem}@k{ending}"), *_find_named(stem)])
    return [_fix_rank(tool, int(digits)) for tool in found if tool.k != "no"]


def _fix_rank(tool: Tool, rank: int) -> Tool:
    return replace(tool, name=f"{tool.name.removesuffix('@k')}@{rank}", k="no", rank=rank)


def _find_ours(name: str) -> Tool:
    """Find the definition of a name. It takes k if the name leaves it open."""
    own_name = re.sub(rf"^({PACKAGE}\.)?(definitions\.)?", "", name)
    definition = find_definition(own_name, DEFAULT_K)
    if find_definition(own_name, DEFAULT_K + 1) == definition:
        return describe_definition(definition)
    return describe_definition(definition, k="optional")


def set_k(tool: Tool, k: float | None) -> Tool:
    """Put k into the definition of one of our entries that leaves it open."""
    if tool.definition is None or tool.k == "no" or k is None:
        return tool
    return describe_definition(replace(tool.definition, k=k), k="optional")  # type: ignore[type-var]


@cache
def _tools_by_name(spelling: Callable[[str], str]) -> dict[str, list[Tool]]:
    """Return the functions of each name, in this spelling."""
    found: dict[str, list[Tool]] = {}
    for tool in tools():
        for name in dict.fromkeys(map(spelling, _names(tool))):
            found.setdefault(name, []).append(tool)
    return found


def _names(tool: Tool) -> list[str]:
    """Return all names of a function of a tool: its own, its tool's, and others."""
    function = tool.name.partition(".")[2]
    others = tool.also_called.replace("*", "").split(", ") if tool.also_called else []
    return [tool.name, function, tool.package, *others]


def _is_default(tool: Tool, name: str) -> bool:
    starred = [each[:-1] for each in tool.also_called.split(", ") if each.endswith("*")]
    return {_plain(name), _plain(_drop_modules(name))} & {*map(_plain, starred)} != set()


def _plain(name: str) -> str:
    """Drop case, spaces, hyphens, underscores and dots: "Hugging Face" is "huggingface"."""
    return re.sub(r"[ _.-]", "", name.lower())


def _drop_modules(name: str) -> str:
    """Drop inner modules and arguments: "tf.keras.metrics.AUC(curve='PR')" is "keras.AUC"."""
    name = re.sub(r"""\((curve=['"]pr['"]|task=['"]binary['"])\)$""", "", name, flags=re.IGNORECASE)
    first, *inner = re.sub(r"^(tf|tensorflow)\.(?=keras\.)", "", name).split(".")
    return f"{first}.{inner[-1]}" if inner else first


def _near(name: str) -> str:
    """Name the three functions with the nearest names."""
    shown: dict[str, str] = {}
    for tool in (*tools(), *our_tools(DEFAULT_K)):
        for each in _names(tool):
            if _is_default(tool, each):
                shown[_plain(each)] = tool.name
            shown.setdefault(_plain(each), tool.name)
    wanted = _plain(_drop_modules(name.partition("(")[0]))
    near = [each for each in shown if len(wanted) > 2 and wanted in each]
    near += get_close_matches(wanted, shown, n=10, cutoff=0.0)
    return ", ".join([*dict.fromkeys(shown[each] for each in near)][:3])


def check_options(
    functions: tuple[Tool, ...], k: Argument, options: Keywords, *, has_weights: bool
) -> None:
    """Refuse k, weights and options that the functions do not take, or a value that they refuse."""
    names = " and ".join(dict.fromkeys(tool.name for tool in functions))
    take = "takes" if names == functions[0].name else "take"
    known = {name: value for tool in functions for name, value in tool.options.items()}
    for option, value in options.items():
        if option not in known:
            near = get_close_matches(option, {*known, "k", "sample_weight", "queries"}, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            raise TypeError(
                f"{names} {take} no option {option!r}, but {', '.join(known) or 'none'}.{hint}"
            )
        _check_option(option, value)
    for tool in functions:
        if has_weights and not tool.takes_weights:
            raise ValueError(f"{tool.name} takes no sample_weight.")
        if k is None and tool.k == "required":
            raise ValueError(f"{tool.name} needs k: pass how many ranks count.")
    if k is not None and all(tool.k == "no" for tool in functions):
        raise ValueError(f"{names} {take} no k: leave it out (--k on the command line).")


def _check_option(option: str, value: Argument) -> None:
    default = DEFAULTS[option]
    if option == "from_logits":
        if not isinstance(value, bool):
            raise TypeError(f"from_logits must be True or False, got {value!r}.")
    elif isinstance(default, tuple):
        if value not in default:
            raise ValueError(f"{option} must be one of {', '.join(default)}, got {value!r}.")
    elif isinstance(default, int):
        if check_count(option, value) < 2:
            raise ValueError(f"{option} must be at least 2, got {value!r}.")
    else:
        check_share(option, value)
