"""Options of intervals and comparisons, checked."""

from __future__ import annotations

from numbers import Integral, Real
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap.definitions import Definition

__all__ = ["Options", "check_definition", "check_options"]


class Options(NamedTuple):
    """How an interval or a comparison is worked out."""

    confidence_level: float
    n_resamples: int
    rng: np.random.Generator | None  # None for a fresh one, where replicates are drawn
    alternative: str


def check_options(
    confidence_level: Any, n_resamples: Any, rng: Any, alternative: Any = "two-sided"
) -> Options:
    """Refuse a level outside (0, 1), too few resamples and an unknown alternative."""
    if not isinstance(confidence_level, Real) or isinstance(confidence_level, bool):
        raise TypeError(f"confidence_level must be a number, got {confidence_level!r}.")
    if not 0 < float(confidence_level) < 1:
        raise ValueError(f"confidence_level must lie within (0, 1), got {confidence_level!r}.")
    if not isinstance(n_resamples, Integral) or isinstance(n_resamples, bool):
        raise TypeError(f"n_resamples must be a whole number, got {n_resamples!r}.")
    if n_resamples < 2:
        raise ValueError(f"n_resamples must be at least 2, got {n_resamples!r}.")
    known = ("two-sided", "greater", "less")
    if not isinstance(alternative, str) or alternative not in known:
        error = ValueError if isinstance(alternative, str) else TypeError
        raise error(f"alternative must be one of {known}, got {alternative!r}.")
    return Options(float(confidence_level), int(n_resamples), _check_rng(rng), alternative)


def check_definition(definition: Any) -> Definition:
    """Refuse the name of a definition, and a class in the place of an instance."""
    if not isinstance(definition, Definition):
        raise TypeError(
            f"definition must be one of sklearn_ap.definitions, such as Step() or AtK(20), got "
            f"{definition!r}."
        )
    if definition.bounds != Definition.bounds:
        raise ValueError(
            f"{definition!r} has no interval: its values lie within {definition.bounds}, and the "
            f"limits are those of a share, within (0.0, 1.0)."
        )
    return definition


def _check_rng(rng: Any) -> np.random.Generator | None:
    if rng is None:
        return None
    try:
        return np.random.default_rng(rng)
    except (TypeError, ValueError) as error:
        raise type(error)(
            f"rng must be a seed (an int of at least 0), a numpy.random.Generator or None, got "
            f"{rng!r}."
        ) from error
