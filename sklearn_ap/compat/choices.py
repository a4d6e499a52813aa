"""The six choices that every tool's average precision is made of, and how they compose.

An option is a name, one sentence of why it changes the number, and a function. Whatever several
tools share stands once; a quirk is an option like any other.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap.compat import averages, lines, sights

__all__ = ["CHOICES", "ORDER", "Choices", "Option", "asked_options", "not_yet", "refused"]


class Choices(NamedTuple):
    """An option of each choice.

    Parameters
    ----------
    scores : str
        What the tool does to scores before it compares them.
    ties : str
        What it does with items of equal score.
    between : str
        Which precision holds between two operating points.
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


ORDER = Choices._fields


@dataclass(frozen=True, slots=True)
class Option:
    """One way to make a choice.

    Some lines ask where they start, some averages need a line, and some ask for options of the
    function, by name.
    """

    why: str
    apply: Callable[..., Any]
    asks_start: bool = False
    needs: str = ""
    options: tuple[str, ...] = ()


def not_yet(choices: Choices) -> str:
    """Say which option needs another one; "" if none does."""
    needs = CHOICES["over"][choices.over].needs
    if needs and choices.between != needs:
        return f"over {choices.over!r} needs between {needs!r}, not {choices.between!r}"
    return ""


def refused(choices: Choices) -> str:
    """Say why these choices are not one average precision; "" if they are."""
    for choice, option in choices._asdict().items():
        if option not in CHOICES[choice]:
            known = ", ".join(map(repr, CHOICES[choice]))
            return f"{choice} has no option {option!r}; it has {known}"
    asks = CHOICES["between"][choices.between].asks_start
    if asks and choices.start == "irrelevant":
        return f"between {choices.between!r} needs a start"
    if not asks and choices.start != "irrelevant":
        return f"between {choices.between!r} has no use for start {choices.start!r}"
    return not_yet(choices)


def asked_options(choices: Choices) -> set[str]:
    """Name the options of the function that its choices depend on."""
    chosen = (CHOICES[choice][option] for choice, option in choices._asdict().items())
    return {name for option in chosen for name in option.options}


LEVELS = "Precision is averaged at"
CHOICES: dict[str, dict[str, Option]] = {
    "scores": {
        "as given": Option("Scores are compared as they are.", sights.as_given),
        "float32": Option(
            "Scores are rounded to float32, which ties some that differ.", sights.single
        ),
        "as given, float32 weights": Option(
            "Weights are rounded to float32.", sights.single_weights
        ),
        "tied below 1e-8": Option(
            "Neighbouring scores that differ by less than 1e-8 are tied, and ties chain. Weights "
            "are rounded to float32.",
            sights.chained,
        ),
        "dtype": Option(
            "Scores are compared in the dtype of their tensor.",
            sights.of_dtype,
            options=("dtype",),
        ),
        "sigmoid": Option(
            "If any score lies outside [0, 1], all go through a sigmoid, which ties large ones.",
            sights.squashed,
            options=("dtype",),
        ),
        "sigmoid, floored": Option(
            "Scores, after a sigmoid if any lies outside [0, 1], are rounded down to a grid of "
            "thresholds, which ties all that share a cell.",
            sights.squashed_and_floored,
            options=("dtype", "thresholds"),
        ),
        "floored": Option(
            "Scores are rounded down to a grid of thresholds from 0 to 1; positives below 0 are "
            "never retrieved, but count.",
            sights.floored,
            options=("dtype", "threshold"),
        ),
        "clipped bins": Option(
            "Scores are clipped to [0, 1] and put into bins, which ties all that share one.",
            sights.binned_above,
            options=("num_thresholds", "from_logits"),
        ),
        "relevant above 0": Option(
            "Items with a score of 0 or less count as not relevant.", sights.relevant_above_zero
        ),
    },
    "ties": {
        "grouped": Option("Tied items are one threshold.", sights.grouped),
        "input order": Option(
            "Tied items are ranked in the order of the input.", sights.input_order
        ),
        "unspecified": Option(
            "Tied items are ranked in an order that is not promised; taken here as the input's.",
            sights.input_order,
        ),
        "reverse order": Option(
            "Tied items are ranked by descending name, taken here as the input's order reversed.",
            sights.reverse_order,
        ),
        "worst": Option("Of tied items, the negatives come first.", sights.worst),
    },
    "between": {
        "step": Option("Recall moves at the precision of the point it moves to.", lines.step),
        "envelope": Option(
            "Precision is the largest at this recall or a higher one.", lines.envelope
        ),
        "straight line": Option(
            "Operating points are joined by straight lines, which no threshold attains.",
            lines.straight,
            asks_start=True,
        ),
        "hyperbola": Option(
            "True and false positives grow in proportion between operating points.",
            lines.hyperbola,
        ),
        "hyperbola, sampled": Option(
            "The hyperbola is approximated by straight lines between whole numbers of true "
            "positives; the first tied block is a rectangle.",
            lines.sampled_hyperbola,
        ),
        "best points": Option(
            "Only the point with the fewest false positives is kept for each recall, and these "
            "are joined by straight lines, which is optimistic.",
            lines.best_points,
            asks_start=True,
        ),
        "lower": Option("The smaller precision of both ends is taken.", lines.lower),
        "upper": Option("The larger precision of both ends is taken.", lines.upper),
        "each hit": Option("Each hit counts 1, whatever the precision.", lines.each_hit),
    },
    "start": {
        "irrelevant": Option("No area lies before the first point.", lines.level_start),
        "(0, first precision)": Option("The curve starts level.", lines.level_start),
        "(0, 1)": Option(
            "The curve starts at precision 1, which no threshold need attain.", lines.perfect_start
        ),
        "lost": Option("The area left of the first point is lost.", lines.lost_start),
    },
    "over": {
        "every recall": Option("Precision is averaged over all of recall.", averages.every_recall),
        "top k": Option("Only the top k items count.", averages.top_k),
        "top 32": Option("Only the top 32 items count.", averages.top_32),
        "11 levels": Option(
            f"{LEVELS} 11 levels of recall, compared as floats.",
            averages.at_levels(np.linspace(0, 1, 11)),
            needs="envelope",
        ),
        "101 levels": Option(
            f"{LEVELS} 101 levels of recall, compared as floats.",
            averages.at_levels(np.linspace(0, 1, 101)),
            needs="envelope",
        ),
        "11 levels, arange": Option(
            f"{LEVELS} np.arange(0, 1.1, 0.1), compared as floats.",
            averages.at_levels(np.arange(0, 1.1, 0.1)),
            needs="envelope",
        ),
        "101 levels, arange": Option(
            f"{LEVELS} np.arange(0, 1.01, 0.01), compared as floats.",
            averages.at_levels(np.arange(0.0, 1.01, 0.01)),
            needs="envelope",
        ),
        "11 levels, int(x R + 0.9)": Option(
            f"{LEVELS} 11 levels x, each reached at positive int(x R + 0.9).",
            averages.at_counts(0.9),
            needs="envelope",
        ),
        "11 levels, lround(x R)": Option(
            f"{LEVELS} 11 levels x, each reached at positive lround(x R).",
            averages.at_counts(0.5),
            needs="envelope",
        ),
        "one level": Option(
            "Precision is taken at one level x, reached at positive int(x R + 0.9).",
            averages.one_level,
            needs="envelope",
            options=("level",),
        ),
        "101 levels, interpolated": Option(
            "Precision is read off straight lines at 101 levels of recall; at recall 1 it is 0.",
            averages.read_off,
            needs="envelope",
        ),
    },
    "divisor": {
        "positives": Option("The sum is divided by all positives.", averages.positives),
        "min(k, positives)": Option(
            "The sum is divided by min(k, positives).", averages.attainable
        ),
        "min(32, positives)": Option(
            "The sum is divided by min(32, positives).", averages.attainable_of_32
        ),
        "hits": Option("The sum is divided by the hits in the top k.", averages.hits),
        "k": Option("The sum is divided by k.", averages.ranks),
        "min(k, n)": Option("The sum is divided by min(k, number of items).", averages.retrieved),
    },
}
