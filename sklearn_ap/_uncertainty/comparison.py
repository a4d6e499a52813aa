"""Is a model better? The spread of each score, and of its difference from a reference."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sklearn_ap._inputs import Request
from sklearn_ap._uncertainty.cautions import (
    FEW_DIFFERENCES,
    Shift,
    cautions_of_models,
    shifted_differences,
    unknown_difference,
    warn_of,
)
from sklearn_ap._uncertainty.interval import moves_of_models
from sklearn_ap._uncertainty.moves import Moves
from sklearn_ap._uncertainty.options import Options
from sklearn_ap._uncertainty.spread import Spread, spread_of, spread_of_difference
from sklearn_ap.definitions import Definition


def compare(
    definition: Definition,
    requests: list[Request],
    reference: int,
    options: Options,
    cautions: Sequence[str] = (),
    shifts: Sequence[Shift] = (),
) -> tuple[list[Moves], list[Spread], list[Spread | None]]:
    """The moves of each model, the spread of its score, and that of its difference.

    The reference has no difference. ``cautions`` and ``shifts`` are of pools of folds.
    """
    models = moves_of_models(definition, requests, options)
    spreads = [spread_of(each) for each in models]
    of_differences = [
        None
        if i == reference
        else spread_of_difference(each, models[reference], spread.bias - spreads[reference].bias)
        for i, (each, spread) in enumerate(zip(models, spreads, strict=True))
    ]
    texts = cautions_of_models(models, spreads)
    if any(each is not None and each.rests_on_few for each in of_differences):
        texts.append(FEW_DIFFERENCES)
    if models[reference].is_mean:
        errors = [np.max(each.standard_error) for each in of_differences if each is not None]
        texts += unknown_difference([np.max(each.bias) for each in spreads], errors)
    others = {i: each for i, each in enumerate(of_differences) if each is not None}
    of_others = {i: np.sqrt(each.variance) for i, each in others.items()}
    texts += shifted_differences(shifts, spreads, reference, of_others)
    warn_of([*cautions, *texts])
    return models, spreads, of_differences
