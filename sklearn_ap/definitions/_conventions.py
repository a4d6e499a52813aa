"""The definitions with their conventional options."""

from itertools import chain
from typing import get_args

from sklearn_ap import definitions
from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Interpolated,
    PrecisionAtK,
    RecallAtK,
    ReciprocalRank,
    Step,
)
from sklearn_ap.definitions._at_k import Normalizer


def conventions(k: float) -> list[Definition]:
    """List every definition with each conventional option, scikit-learn's first."""
    return [*ranking_conventions(k), ReciprocalRank(), ReciprocalRank(k)]


def ranking_conventions(k: float) -> list[Definition]:
    """List the conventions that are of use for a single ranking: not the rank of one hit.

    A fractional option, such as a threshold of 0.5, suits some data only, and is left out.
    """
    several: dict[type[Definition], list[Definition]] = {
        AtK: [AtK(k, normalizer) for normalizer in get_args(Normalizer)],
        Expected: [Expected(), Expected(k)],
        Interpolated: [Interpolated(), Interpolated(11), Interpolated(101)],
        PrecisionAtK: [PrecisionAtK(k)],
        RecallAtK: [RecallAtK(k)],
    }
    kinds = [getattr(definitions, name) for name in definitions.__all__]
    others = {Definition, ReciprocalRank, Step}
    found = (several.get(kind) or [kind()] for kind in kinds if kind not in others)
    return [Step(), *chain.from_iterable(found)]


def trec_conventions(k: float) -> list[Definition]:
    """List the measures of trec_eval that are definitions here."""
    return [Step(), AtK(k, "positives"), PrecisionAtK(k), RecallAtK(k), ReciprocalRank()]
