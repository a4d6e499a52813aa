"""What is known of a threshold: it has a guarantee, or it is the best of this sample."""

from __future__ import annotations

from typing import NamedTuple

from sklearn_ap._base.text import level_as_text
from sklearn_ap._types import AnyResult, Name

GUARANTEED = "guaranteed"
CHOSEN = "chosen"  # without a guarantee
NO_THRESHOLD = "no threshold"


class Verdict(NamedTuple):
    """What is known of a threshold, as a decision and as a sentence."""

    name: str
    ranking: Name | None
    decision: str
    sentence: str


def verdict_of_threshold(point: AnyResult) -> Verdict:
    """Say which rows to select, and whether the population is known to reach the goal."""
    if point.remark:
        return Verdict("threshold", None, NO_THRESHOLD, point.remark.replace("\n", " "))
    name = f"threshold {point.printed_threshold}"
    select = f"Select the rows that score {point.printed_threshold} or higher"
    words = point.goal.split()  # such as "precision >= 0.9 with a guarantee of 0.8", or "k 100"
    if not words or words[0] not in ("precision", "recall"):
        least = ": they cost least in this sample" if point.cost is not None else ""
        return Verdict(name, None, CHOSEN, f"{select}{least}.")
    share, _, aim, *_ = words
    if share == "precision" and point.prevalence is not None:
        aim += f" at prevalence {point.prevalence:.3g}"
    guarantee = point.guarantee  # the goal has six digits of it only
    if guarantee is not None:
        confidence = level_as_text(guarantee)
        sentence = f"{select}: with {confidence} confidence, the true {share} is at least {aim}."
        return Verdict(name, None, GUARANTEED, sentence)
    sentence = f"{select}: the {share} in this sample is at least {aim}. The true one may be lower."
    return Verdict(name, None, CHOSEN, sentence)
