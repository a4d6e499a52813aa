"""The functions that a name stands for, however it is written."""

from __future__ import annotations

import re
from collections.abc import Sequence
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
    found = find_tools(name)
    longer_names: list[str] = []
    if isinstance(name, str) and _find_named(name):
        wanted = _without_marks(name)
        for tool in found:
            defaults = {_without_marks(each): each for each in tool.default_names}
            if wanted in defaults:
                return tool
            longer = [default for each, default in defaults.items() if each.startswith(wanted)]
            longer_names += longer[:1]  # "VOC 2007" for "VOC"
        with suppress(ValueError):  # of a name such as "map@k", which does not say k
            found = _find_ours(name) or found
    if len(found) > 1:
        names = ", ".join([*longer_names, *(tool.name for tool in found)])
        raise ValueError(
            f"{name!r} has several functions: choose from {names}. docs/tools.md says how these "
            f"differ."
        )
    return found[0]


def find_tools(name: Argument) -> Sequence[Tool]:
    """Find all functions that a name stands for, or describe a definition."""
    if isinstance(name, Definition):
        return [describe_definition(name)]
    if not isinstance(name, str):
        raise TypeError(
            f"The name of a tool or a function must be a string, or a definition such as AtK(10), "
            f"got {type(name).__name__}: the name goes first, then y_true, y_score and versus. For "
            f"a function of yours, see compat.identify."
        )
    if found := _find_named(name) or _find_ours(name) or _find_at_rank(name):
        return found
    near = ", ".join(_near_names(name)) or "none; docs/tools.md lists all"
    raise ValueError(f"{name!r} is not a known tool or function. Near it: {near}.")


def _near_names(name: str) -> list[str]:
    """List functions with a name that holds this one, or is close to it."""
    functions = reversed(all_tools())  # of a name, the first one stays
    known = {_without_marks(each): tool.name for tool in functions for each in reversed(tool.names)}
    wanted = _without_marks(name)
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
    for spell in (_without_modules, _without_marks):
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
    found = *_find_named(f"{stem}@k{ending}"), *_find_named(f"{stem}{ending}")
    return [
        replace(tool, name=f"{tool.name.removesuffix('@k')}@{digits}", k=k)
        for tool in dict.fromkeys(found)
        if tool.takes_k
    ]


def _without_marks(name: str) -> str:
    """Drop spaces, quotes and punctuation, too: "Hugging Face" is "huggingface"."""
    return re.sub(r"""[ _.'"-]""", "", _without_modules(name))


def _without_modules(name: str) -> str:
    """Drop case, inner modules, and R's colons: "keras.metrics.AUC" is "keras.auc"."""
    return re.sub(r"\.([a-z]\w*\.)+(?=[a-z])", ".", name.lower().replace("::", "."))
