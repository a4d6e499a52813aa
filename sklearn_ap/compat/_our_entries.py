"""Our own scores and definitions, as entries beside those of tools."""

from inspect import signature
from typing import Any, get_args

from sklearn_ap._base.inputs.option_checks import Normalizer
from sklearn_ap._scores import metrics
from sklearn_ap._scores.definition_names import definition_call, find_definition
from sklearn_ap._version import __version__
from sklearn_ap.compat._choices import choices_of
from sklearn_ap.compat._tool_entry import OURS, PACKAGE, Entry
from sklearn_ap.definitions import AtK, Definition, Expected

K = 10  # the default of scores that take k


def entry_of(definition: Definition, name: str = "", **different: Any) -> Entry:
    """The entry of a definition, whose choices are its own."""
    return Entry(
        name or definition_call(definition),
        __version__,
        date="",
        choices=choices_of(definition),
        source=OURS,
        weights=not isinstance(definition, Expected),
        definition=definition,
        nan_scores="ValueError",
        not_retrieved="left out; if positive, it counts",
        **different,
    )


def _entries_of_score(name: str) -> list[Entry]:
    """The entry of a score with its defaults, and one for each other normalizer that it takes."""
    known = signature(getattr(metrics, name)).parameters
    at = next((known[each].default for each in ("recall", "precision") if each in known), "")
    definition = find_definition(f"{name.removesuffix('_score')} {at}", K)
    options = tuple(each for each in known if each in vars(definition) and each != "k")
    k = "no" if "k" not in known else "usual" if known["k"].default else "optional"
    entries = [entry_of(definition, f"{PACKAGE}.{name}", k=k, other_options=options)]
    for normalizer in get_args(Normalizer)[1:] if isinstance(definition, AtK) else ():
        divided = AtK(K, normalizer)
        entries.append(entry_of(divided, repr(divided), k=k))
    return entries


OUR_ENTRIES = tuple(entry for name in metrics.__all__ for entry in _entries_of_score(name))
