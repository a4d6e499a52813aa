"""The definitions with their conventional options."""

from typing import get_args

from sklearn_ap.definitions import (
    AtK,
    Definition,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    ReciprocalRank,
    Step,
)
from sklearn_ap.definitions._at_k import Normalizer


def conventions(k: float) -> list[Definition]:
    """List every definition with each conventional option, scikit-learn's first."""
    return [
        Step(),
        *(AtK(k, normalizer) for normalizer in get_args(Normalizer)),
        Expected(),
        Expected(k),
        Hyperbolic(),
        Interpolated(),
        Interpolated(11),
        Interpolated(101),
        Linear(),
        PrecisionAtK(k),
        PrecisionAtRecall(),
        RecallAtK(k),
        RecallAtPrecision(),
        ReciprocalRank(),
        ReciprocalRank(k),
    ]
