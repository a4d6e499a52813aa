"""How a report writes the numbers and names of facts, and what it advises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from string import Formatter

from sklearn_ap._report._advice import Advice, AdviceKind
from sklearn_ap._report._facts import Fact
from sklearn_ap._report._measured import Measured
from sklearn_ap._results.text import (
    count_as_text,
    estimate_as_text,
    interval_of,
    k_as_text,
    level_as_text,
    names_as_text,
    pvalue_phrase,
    score_as_text,
    share_as_text,
)
from sklearn_ap._types import Argument

UNSEEN = {
    "times": "falls",
    "segments": "worse segments",
    "clusters": "rows that depend on each other",
}


def estimate_text(value: Measured, sign: str = "", level: str = "") -> str:
    """Write a number with its limits."""
    return estimate_as_text(value.value, value.low, value.high, sign=sign, level=level)


def level_text(value: Measured) -> str:
    """Name the level of limits, and of how many starts one was chosen."""
    chosen = f" for any of {value.n_starts} starts" if value.n_starts > 1 else ""
    return f"{interval_of(value.level)}{chosen}"


def loss_text(value: Measured) -> str:
    """Write a negative difference without signs."""
    loss = value._replace(value=-value.value, low=-value.high, high=-value.low)
    return estimate_text(loss, "", level_text(value))


def goal_text(value: float) -> str:
    """Write a precision that is asked for, with all of its digits."""
    return f"{value:g}"


def top_text(k: float) -> str:
    """Name first rows: a share of all, or a number for each query."""
    return f"{k_as_text(k)} of each query" if k >= 1 else k_as_text(k)


def guarantee_text(value: float) -> str:
    """Say how sure a precision is."""
    if value:
        return f", guaranteed with {level_as_text(value)} confidence"
    return ", without a guarantee"


def lacks_text(names: Sequence[str]) -> str:
    """Say what is not known without times, segments or clusters."""
    unseen = names_as_text([UNSEEN[each] for each in names])
    return f"For lack of {names_as_text(names)}, nothing is known of {unseen}. " if names else ""


# How fields are written, by the words behind colons.
FORMAT_SPECS: dict[str, Callable[..., str]] = {
    "": str,
    "because": lambda names: f" because of {names_as_text(names)}" if names else "",
    "change": lambda value: estimate_text(value, "+", level_text(value)),
    "count": count_as_text,
    "goal": goal_text,
    "guarantee": guarantee_text,
    "interval": lambda value: estimate_text(value, "", level_text(value)),
    "kinds": lambda value: f": {names_as_text(value)}" if value else "",
    "lacks": lacks_text,
    "loss": loss_text,
    "more": lambda value: "".join(f", {each}" for each in value),
    "names": names_as_text,
    "number": score_as_text,
    "pvalue": pvalue_phrase,
    "share": lambda value: share_as_text(value.value if isinstance(value, Measured) else value),
    "top": top_text,
}


class _Formatter(Formatter):
    """Words whose fields name one of our formats."""

    def format_field(self, value: Argument, format_spec: str) -> str:
        return FORMAT_SPECS[format_spec](value)


def fact_sentence(fact: Fact) -> str:
    """Say a fact."""
    return _Formatter().vformat(fact.words, (), {**vars(fact), "self": fact})


def advice_sentences(advice: Advice) -> list[str]:
    """Say what to do, and the reasons."""
    sentences = [fact_sentence(fact) for fact in advice.facts]
    if advice.kind is AdviceKind.TELL:
        return sentences
    first = advice.kind.value.format(model=advice.model)
    return [" ".join([first, *sentences[:1]]), *sentences[1:]]
