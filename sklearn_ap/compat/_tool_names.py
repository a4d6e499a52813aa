"""The functions that a name stands for, however it is written.

They are sought among the names of functions and of tool_names.tsv (``_find_named``), then among
definitions, and then as a name with a number for k (``_find_at_rank``). Of several functions,
``get_function`` takes the one that tool_names.tsv says is meant, or else the definition.
"""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._inputs.options import check_count
from sklearn_ap._types import Argument
from sklearn_ap.compat._tool_functions import (
    BASELINE,
    ToolFunction,
    describe_definition,
    other_functions,
    our_functions,
    read_table,
    split_cell,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._mistaken_names import near_names
from sklearn_ap.definitions._spellings import is_area, read_definition


class KnownName(NamedTuple):
    """A name of a function of another tool."""

    name: str
    function: ToolFunction
    is_meant: bool  # of several functions with this name, it stands for this one


@cache
def known_names() -> list[KnownName]:
    """Return the names of functions, and then those that people give them: tool_names.tsv."""
    functions = {function.name: function for function in other_functions()}
    own = [KnownName(name, each, False) for each in functions.values() for name in each.names]
    return own + [
        KnownName(name, functions[called], called == row["means"])
        for row in read_table("tool_names.tsv")
        for name in split_cell(row["names"])
        for called in split_cell(f"{row['means']}, {row['others']}")
    ]


def get_function(name: str | Definition) -> ToolFunction:
    """Get the function of a name: of several, the one that it means."""
    functions = _find_meant(name) or find_functions(name)
    if len(functions) > 1:
        names = ", ".join(function.name for function in functions)
        raise InputError(
            f"{name!r} has several functions: choose from {names}. docs/tools.md says how these "
            f"differ."
        )
    return functions[0]


def find_functions(name: Argument) -> list[ToolFunction]:
    """Find all functions that a name stands for, or describe a definition."""
    if isinstance(name, Definition):
        return [describe_definition(name)]
    if not isinstance(name, str):
        raise InputTypeError(
            f"The name of a tool or a function must be a string, or a definition such as AtK(10), "
            f"got {type(name).__name__}. It comes after y_true and y_score. For a function of "
            f"yours, see compat.identify."
        )
    if is_area(name):
        return _find_areas(name)
    functions = [*_find_named(name)] or _find_definition(name) or _find_at_rank(name)
    if not functions:
        near = ", ".join(_near_names(name)) or "none; compat.compare with tools='all' lists all"
        raise InputError(f"{name!r} is not a known tool or function. Near it: {near}.")
    return functions


def _near_names(name: str) -> list[str]:
    """List functions with a name that is close to this one."""
    known = {_without_marks(each.name): each.name for each in our_functions()}
    # Of a name, the first function stays.
    known |= {_without_marks(each.name): each.function.name for each in reversed(known_names())}
    return [*dict.fromkeys(known[each] for each in near_names(_without_marks(name), known))]


def _find_meant(name: Argument) -> list[ToolFunction]:
    """Find the function, or the definition, that a name of several functions means, if any."""
    if not isinstance(name, str) or is_area(name):
        return []
    with suppress(InputError):  # of a name such as "map@k", which does not say k
        named = _find_named(name)
        return [each for each, is_meant in named.items() if is_meant] or _find_definition(name)
    return []


def _find_areas(name: str) -> list[ToolFunction]:
    """Find the functions of this name in any tool, and both of scikit-learn's areas."""
    functions = [
        each.function
        for each in known_names()
        if _without_marks(name) == _without_marks(each.name.rpartition(".")[2])
        or each.name in (BASELINE, "sklearn.auc_of_precision_recall_curve")
    ]
    return [*dict.fromkeys(functions)]


def _find_definition(name: str) -> list[ToolFunction]:
    """Describe the definition that a name means everywhere in this package, if any."""
    definition = read_definition(name)
    return [] if definition is None else [describe_definition(definition)]


@cache
def _find_named(name: str) -> dict[ToolFunction, bool]:
    """Find the functions of a name, and whether it means each.

    Names as written come first: MLmetrics is not ml_metrics.
    """
    for spell in (_without_modules, _without_marks):
        named = [each for each in known_names() if spell(each.name) == spell(name)]
        if named:
            meant = {each.function for each in named if each.is_meant}
            return {each.function: each.function in meant for each in named}
    return {}


def _find_at_rank(name: str) -> list[ToolFunction]:
    """Find the functions of a name that says k: "xgboost.map@5", "trec_eval.P_10"."""
    match = re.fullmatch(r"(.+?)[@_.](0|[1-9]\d{0,17})( .*)?", name.strip())
    # "AP_50" may be at an overlap of boxes (IoU), and "trec_eval.P_50" is not.
    if match is None or not ("." in name or "@" in name):
        return []
    stem, digits, ending = match.groups("")
    k = check_count("k", int(digits))
    functions = *_find_named(f"{stem}@k{ending}"), *_find_named(f"{stem}{ending}")
    return [
        replace(each, name=f"{each.name.removesuffix('@k')}@{k}", k=k, takes_k=False, needs_k=False)
        for each in dict.fromkeys(functions)
        if each.takes_k
    ]


def _without_marks(name: str) -> str:
    """Drop spaces, quotes and punctuation, too: "Hugging Face" is "huggingface"."""
    return re.sub(r"""[ _.'"-]""", "", _without_modules(name))


def _without_modules(name: str) -> str:
    """Drop case, inner modules, and R's colons: "keras.metrics.AUC" is "keras.auc"."""
    return re.sub(r"\.([a-z]\w*\.)+(?=[a-z])", ".", name.lower().replace("::", "."))
