"""The six choices that define every tool's average precision, and which of them are compatible."""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

from sklearn_ap.compat._between_and_start import BETWEEN, START
from sklearn_ap.compat._option import Option
from sklearn_ap.compat._points_and_divisor import DIVISOR, OVER
from sklearn_ap.compat._scores_and_ties import SCORES, TIES


class Choices(NamedTuple):
    """An option of each choice, in the order in which they are made."""

    scores: str  # what the tool does to scores before it compares them
    ties: str  # what it does with items of equal score
    between: str  # which precision is used between two operating points
    start: str  # where the curve starts, if between depends on it
    over: str  # where precision is averaged
    divisor: str  # what the sum is divided by


# By the names of the choice and of the option.
OPTIONS: dict[str, dict[str, Option]] = dict(
    zip(Choices._fields, (SCORES, TIES, BETWEEN, START, OVER, DIVISOR), strict=True)
)


@cache
def options_of(choices: Choices) -> list[Option]:
    return [OPTIONS[choice][name] for choice, name in choices._asdict().items()]


def lacks_envelope(choices: Choices) -> bool:
    """Tell whether precision is averaged at levels, but not along the envelope."""
    return OVER[choices.over].needs_envelope and choices.between != "envelope"
