"""The functions that a name stands for, however it is written."""

from __future__ import annotations

import re
from contextlib import suppress
from dataclasses import replace
from functools import cache

from sklearn_ap._inputs.options import check_count
from sklearn_ap._types import Argument
from sklearn_ap.compat._tools import Tool, all_tools, describe_definition, other_tools
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._spellings import near_names, read_definition


def get_tool(name: str | Definition) -> Tool:
    """Get the function of a name: the default one of several, or the definition that it means."""
    tools = find_tools(name)
    if isinstance(name, str) and _find_named(name):
        with suppress(ValueError):  # of a name such as "map@k", which does not say k
            tools = _find_default(name) or _find_definition(name) or tools
    if len(tools) > 1:
        names = ", ".join(tool.name for tool in tools)
        raise ValueError(
            f"{name!r} has several functions: choose from {names}. The guide's table of "
            f"tools says how these differ."
        )
    return tools[0]


def find_tools(name: Argument) -> list[Tool]:
    """Find all functions that a name stands for, or describe a definition."""
    if isinstance(name, Definition):
        return [describe_definition(name)]
    if not isinstance(name, str):
        raise TypeError(
            f"The name of a tool or a function must be a string, or a definition such as AtK(10), "
            f"got {type(name).__name__}: the name goes first, then y_true, y_score and versus. For "
            f"a function of yours, see compat.identify."
        )
    tools = _find_named(name) or _find_definition(name) or _find_at_rank(name)
    if not tools:
        near = ", ".join(_near_names(name)) or "none; compat.compare with tools='all' lists all"
        raise ValueError(f"{name!r} is not a known tool or function. Near it: {near}.")
    return tools


def _near_names(name: str) -> list[str]:
    """List functions with a name that is close to this one."""
    functions = reversed(all_tools())  # of a name, the first one stays
    known = {_without_marks(each): tool.name for tool in functions for each in reversed(tool.names)}
    return [*dict.fromkeys(known[each] for each in near_names(_without_marks(name), known))]


def _find_default(name: str) -> list[Tool]:
    """Find the function that a name of several stands for, if any."""
    spelling = _without_marks(name)
    return [
        tool for tool in _find_named(name) if spelling in map(_without_marks, tool.default_names)
    ]


def _find_definition(name: str) -> list[Tool]:
    """Describe the definition that a name means everywhere in this package, if any."""
    definition = read_definition(name)
    return [] if definition is None else [describe_definition(definition)]


@cache
def _find_named(name: str) -> list[Tool]:
    """Find the functions of a name, as written first: MLmetrics is not ml_metrics."""
    for spell in (_without_modules, _without_marks):
        tools = [tool for tool in other_tools() if spell(name) in map(spell, tool.names)]
        if tools:
            return tools
    return []


def _find_at_rank(name: str) -> list[Tool]:
    """Find the functions of a name that says k: "xgboost.map@5", "P_10", "MAP@12 Kaggle"."""
    match = re.fullmatch(r"(.+?)[@_.](0|[1-9]\d{0,17})( .*)?", name.strip())
    # "AP_50" may be at an overlap of boxes (IoU), and "trec_eval.P_50" is not.
    if match is None or not ("." in name or "@" in name):
        return []
    stem, digits, ending = match.groups("")
    k = check_count("k", int(digits))
    tools = *_find_named(f"{stem}@k{ending}"), *_find_named(f"{stem}{ending}")
    return [
        replace(tool, name=f"{tool.name.removesuffix('@k')}@{k}", k=k, takes_k=False, needs_k=False)
        for tool in dict.fromkeys(tools)
        if tool.takes_k
    ]


def _without_marks(name: str) -> str:
    """Drop spaces, quotes and punctuation, too: "Hugging Face" is "huggingface"."""
    return re.sub(r"""[ _.'"-]""", "", _without_modules(name))


def _without_modules(name: str) -> str:
    """Drop case, inner modules, and R's colons: "keras.metrics.AUC" is "keras.auc"."""
    return re.sub(r"\.([a-z]\w*\.)+(?=[a-z])", ".", name.lower().replace("::", "."))
