"""The six choices that define every tool's average precision, and which of them are compatible."""

from __future__ import annotations

from typing import NamedTuple

from sklearn_ap.compat._between_and_start import BETWEEN, START
from sklearn_ap.compat._option import Option
from sklearn_ap.compat._points_and_divisor import DIVISOR, OVER
from sklearn_ap.compat._scores_and_ties import SCORES, TIES


class Choices(NamedTuple):
    """An option of each choice.

    Parameters
    ----------
    scores : str
        What the tool does to scores before it compares them.
    ties : str
        What it does with items of equal score.
    between : str
        Which precision is used between two operating points.
    start : str
        Where the curve starts, if ``between`` depends on it.
    over : str
        Where precision is averaged.
    divisor : str
        What the sum is divided by.
    """

    scores: str
    ties: str
    between: str
    start: str
    over: str
    divisor: str


# By the names of the choice and of the option, in the order in which the choices are made.
OPTIONS: dict[str, dict[str, Option]] = {
    "scores": SCORES,
    "ties": TIES,
    "between": BETWEEN,
    "start": START,
    "over": OVER,
    "divisor": DIVISOR,
}


def options() -> dict[str, dict[str, str]]:
    """List the options of each choice, with a sentence of why it changes the number.

    Returns
    -------
    dict of dict
        By choice and option.

    See Also
    --------
    conventions : The choices of each function.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.options()["ties"]["worst"]
    'Of tied items, the negatives come first.'
    """
    return {
        choice: {name: option.why for name, option in known.items()}
        for choice, known in OPTIONS.items()
    }


def options_of(choices: Choices) -> list[Option]:
    """Look up the option of each choice."""
    return [OPTIONS[choice][name] for choice, name in choices._asdict().items()]


def lacks_envelope(choices: Choices) -> bool:
    """Tell whether precision is averaged at levels, but not along the envelope."""
    return OVER[choices.over].needs_envelope and choices.between != "envelope"
