"""What is asked of differences: an alternative and a margin."""

from typing import Literal, cast

from sklearn_ap._inputs.options import check_choice, check_open_share
from sklearn_ap._types import Argument

Alternative = Literal["two-sided", "greater", "less"]


def check_alternative(alternative: Argument) -> Alternative:
    """Refuse an unknown alternative."""
    return cast(Alternative, check_choice("alternative", alternative, Alternative))


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
