"""Our own scores and definitions, as entries beside those of tools."""

from inspect import signature
from typing import get_args

from sklearn_ap import metrics
from sklearn_ap._types import Argument
from sklearn_ap._version import __version__
from sklearn_ap.compat._choices import definition_choices
from sklearn_ap.compat._tool_entry import OURS, PACKAGE, Entry
from sklearn_ap.definitions import AtK, Definition, Expected, ReciprocalRank
from sklearn_ap.definitions._at_k import Normalizer
from sklearn_ap.definitions._names import find_definition

DEFAULT_K = 10  # the default of scores that take k


def make_entry(definition: Definition, name: str = "", **fields: Argument) -> Entry:
    """Make the entry of a definition, whose choices are its own."""
    return Entry(
        name or repr(definition),
        __version__,
        date="",
        choices=definition_choices(definition),
        source=OURS,
        weights=not isinstance(definition, Expected | ReciprocalRank),
        definition=definition,
        nan_scores="ValueError",
        not_retrieved="left out; if positive, it counts",
        **fields,
    )


def _score_entries(name: str) -> list[Entry]:
    """Make the entry of a score with its defaults, and one for each other normalizer."""
    parameters = signature(getattr(metrics, name)).parameters
    level = next(
        (parameters[option].default for option in ("recall", "precision") if option in parameters),
        "",
    )
    definition = find_definition(f"{name.removesuffix('_score')} {level}", DEFAULT_K)
    options = tuple(option for option in parameters if option in vars(definition) and option != "k")
    k = "no"
    if "k" in parameters:
        k = "usual" if parameters["k"].default else "optional"
    entries = [make_entry(definition, f"{PACKAGE}.{name}", k=k, other_options=options)]
    for normalizer in get_args(Normalizer)[1:] if isinstance(definition, AtK) else ():
        name_at_any_k = f"AtK(normalizer={normalizer!r})"
        entries.append(make_entry(AtK(DEFAULT_K, normalizer), name_at_any_k, k=k))
    return entries


OUR_ENTRIES = tuple(entry for name in metrics.__all__ for entry in _score_entries(name))
