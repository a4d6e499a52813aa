"""What is asked of a comparison: its level, its alternative and its margin, checked."""

from typing import Literal, NamedTuple, cast

import numpy as np

from sklearn_ap._inputs.options import check_choice, check_open_share, check_rng
from sklearn_ap._types import Argument

BEST = "best"  # as the reference: the model with the highest score
USUAL_LEVEL = 0.95  # which calls need not name
Alternative = Literal["two-sided", "greater", "less"]


class Options(NamedTuple):
    """The options of an interval or of a comparison."""

    confidence_level: float
    rng: int | np.random.Generator | None  # None for other new samples each time
    alternative: Alternative
    margin: float | None = None  # the largest loss that does not matter


def check_options(
    confidence_level: Argument, rng: Argument, alternative: Argument = "two-sided"
) -> Options:
    """Refuse a level outside (0, 1), and an unknown alternative."""
    level = check_open_share("confidence_level", confidence_level)
    check_choice("alternative", alternative, Alternative)
    return Options(level, check_rng(rng), cast(Alternative, alternative))


def check_margin(margin: Argument, alternative: str) -> float | None:
    """Refuse a margin outside (0, 1), and one beside a one-sided alternative."""
    if margin is None:
        return None
    if alternative != "two-sided":
        raise ValueError(
            f"margin does not go with alternative={alternative!r}: its test of 'not worse' is "
            f"one-sided already, at half the error. Leave out alternative."
        )
    return check_open_share("margin", margin)
