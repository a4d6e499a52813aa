"""The functions that a name stands for, however it is written."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache
from typing import NamedTuple

from sklearn_ap._inputs.options import check_count
from sklearn_ap._types import Argument
from sklearn_ap.compat._tool_functions import (
    ToolFunction,
    all_functions,
    describe_definition,
    other_functions,
    read_table,
    split_cell,
)
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._spellings import near_names, read_definition


class OtherNames(NamedTuple):
    """Names that people give to functions: a line of tool_names.tsv."""

    names: list[str]
    means: str  # the function that such a name stands for, where several have it; "" for none
    functions: list[str]  # all that people call so


@cache
def other_names() -> list[OtherNames]:
    """Return the names of functions besides their own."""
    return [
        OtherNames(
            names=split_cell(row["names"]),
            means=row["means"],
            functions=split_cell(f"{row['means']}, {row['others']}"),
        )
        for row in read_table("tool_names.tsv")
    ]


def get_function(name: str | Definition) -> ToolFunction:
    """Get the function of a name: of several, the one that it means."""
    functions = _find_meant(name) or find_functions(name)
    if len(functions) > 1:
        names = ", ".join(function.name for function in functions)
        raise ValueError(
            f"{name!r} has several functions: choose from {names}. The guide's table of "
            f"tools says how these differ."
        )
    return functions[0]


def find_functions(name: Argument) -> list[ToolFunction]:
    """Find all functions that a name stands for, or describe a definition."""
    if isinstance(name, Definition):
        return [describe_definition(name)]
    if not isinstance(name, str):
        raise TypeError(
            f"The name of a tool or a function must be a string, or a definition such as AtK(10), "
            f"got {type(name).__name__}: the name goes first, then y_true, y_score and versus. For "
            f"a function of yours, see compat.identify."
        )
    functions = _find_named(name) or _find_definition(name) or _find_at_rank(name)
    if not functions:
        near = ", ".join(_near_names(name)) or "none; compat.compare with tools='all' lists all"
        raise ValueError(f"{name!r} is not a known tool or function. Near it: {near}.")
    return functions


def _near_names(name: str) -> list[str]:
    """List functions with a name that is close to this one."""
    functions = reversed(all_functions())  # of a name, the first one stays
    known = {
        _without_marks(each): function.name for function in functions for each in function.names
    }
    known |= {_without_marks(each): row.functions[0] for row in other_names() for each in row.names}
    return [*dict.fromkeys(known[each] for each in near_names(_without_marks(name), known))]


def _find_meant(name: Argument) -> list[ToolFunction]:
    """Find the function, or the definition, that a name of several functions means, if any."""
    named = _find_named(name) if isinstance(name, str) else []
    if not named:
        return []
    meant = [row.means for row in _find_rows(name, _without_marks)]
    with suppress(ValueError):  # of a name such as "map@k", which does not say k
        return [each for each in named if each.name in meant] or _find_definition(name)
    return []


def _find_definition(name: str) -> list[ToolFunction]:
    """Describe the definition that a name means everywhere in this package, if any."""
    definition = read_definition(name)
    return [] if definition is None else [describe_definition(definition)]


@cache
def _find_named(name: str) -> list[ToolFunction]:
    """Find the functions of a name, as written first: MLmetrics is not ml_metrics."""
    for spell in (_without_modules, _without_marks):
        called = {function for row in _find_rows(name, spell) for function in row.functions}
        functions = [
            function
            for function in other_functions()
            if function.name in called or _is_one_of(name, function.names, spell)
        ]
        if functions:
            return functions
    return []


@cache
def _find_rows(name: str, spell: Callable[[str], str]) -> list[OtherNames]:
    """Find the rows of other names that have this one, in a spelling."""
    return [row for row in other_names() if _is_one_of(name, row.names, spell)]


def _is_one_of(name: str, names: list[str], spell: Callable[[str], str]) -> bool:
    return spell(name) in map(spell, names)


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
