"""The usual options of each definition, and which of them is a number."""

from dataclasses import asdict
from typing import get_args

from sklearn_ap import definitions
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._at_k import Normalizer

USUAL_K = 10  # of a score at k whose k is not named


def conventions(k: float) -> list[Definition]:
    """List every definition with each conventional option, scikit-learn's first."""
    return [
        definitions.Step(),
        *(definitions.AtK(k, normalizer) for normalizer in get_args(Normalizer)),
        definitions.Expected(),
        definitions.Expected(k),
        definitions.Hyperbolic(),
        definitions.Interpolated(),
        definitions.Interpolated(11),
        definitions.Interpolated(101),
        definitions.Linear(),
        definitions.PrecisionAtK(k),
        definitions.PrecisionAtRecall(),
        definitions.RecallAtK(k),
        definitions.RecallAtPrecision(),
        definitions.ReciprocalRank(),
        definitions.ReciprocalRank(k),
    ]


def definition_name(definition: Definition) -> str:
    """Return the title of a definition, by which it is found, or else its code."""
    is_found = any(each == definition for each in conventions(definition.depth or USUAL_K))
    return definition.title if is_found else repr(definition)


def numeric_option(definition: Definition) -> str:
    """Return the name of the option that is a number, such as k; empty if there is none."""
    options = asdict(definition)  # type: ignore[call-overload]  # a dataclass
    return next((name for name in options if isinstance(options[name], int | float)), "")
