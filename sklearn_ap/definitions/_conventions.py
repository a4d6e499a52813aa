"""The definitions with their conventional options."""

from itertools import chain
from typing import get_args

from sklearn_ap import definitions
from sklearn_ap._inputs.options import check_count
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


def trec_definitions(k: float) -> dict[str, Definition]:
    """List the measures of trec_eval that are definitions here, by their names in trec_eval."""
    k = check_count("k", k)
    return {
        "map": Step(),
        f"map_cut_{k}": AtK(k, normalizer="positives"),
        f"P_{k}": PrecisionAtK(k),
        f"recall_{k}": RecallAtK(k),
        "recip_rank": ReciprocalRank(),
    }
