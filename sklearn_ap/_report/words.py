"""The words of a report: a template for each kind of fact, and for each kind of advice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import fields
from shlex import quote
from string import Formatter

from sklearn_ap._extras import printable
from sklearn_ap._report._advice import Advice
from sklearn_ap._report.columns import UnusedColumn
from sklearn_ap._report.facts import Fact, Fall, Measured, WorseSegment
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

# Names in braces are fields of the fact, and the words behind colons say how they are written.
FACTS = {
    "Refused": "Left out: {message}",
    "Score": "{model} scores {score:interval}.",
    "Lead": "{model} is better than {other} over all rows: {difference:change}.",
    "NoLead": "No difference between {model} and {other} is shown over all rows: "
    "{difference:change}.",
    "Best": "{model} is the best of {n_models:count} models over all rows: it scores "
    "{score:interval}.",
    "MayBeBest": "{model} scores most of {n_models:count} models, {score:interval}, but the best "
    "may also be {others:names}.",
    "Chance": "{model} ranks better than random orders, which score {chance:number} on average "
    "({pvalue:pvalue}).",
    "NotAboveChance": "{model} is not shown to rank better than random orders, which score "
    "{chance:number} on average ({pvalue:pvalue}).",
    "WorseSegment": "{model} scores {score:number} in {column} {segment}, {difference:loss} less "
    "than in the others.",
    "Fall": "{model} falls from {before:number} to {score:number} {self:where}, by "
    "{difference:loss}.",
    "BetterThere": "{other} is better than {place.model} {place:where}: it scores "
    "{other_score:number} and {place.model} {score:number}, {difference:change}.",
    "EvenSegments": "No {column} is shown to be worse for {model} (adjusted p < {level:number}). "
    "It scores from {lowest[0]:number} in {lowest[1]} to {highest[0]:number} in {highest[1]}.",
    "FewInSegments": "No {column} can be compared: at one prevalence, each has too few positives. "
    "Use larger segments, or longer times.",
    "TopRows": "Of the top {k:top} by {model}, {precision:share_of} are {positive}, and they hold "
    "{recall:share_of} of the {positives}.",
    "Threshold": "Select rows where {model} scores {threshold} or more: {n_selected:count} rows "
    "with {recall:share_of} of the {positives} and a precision of {precision:interval}"
    "{guarantee:guarantee}, for a goal of {goal:goal}.",
    "NoThreshold": "No threshold of {model} is shown to have a precision of {goal:goal}.",
    "ThresholdThere": "Of the rows {place:where}, it selects {n_selected:count}, with "
    "{n_hits:count} of the {n_positives:count} {positives}.",
    "NotLookedAt": "Not looked at: {columns:looks}. Add {columns:flags}.",
    "NotLookedAtHere": "Not looked at: {columns:looks}.{columns:flags_here}",
    "LookedInPart": "For lack of {lacks:names}, nothing is known of {lacks:unseen}. Looked at: "
    "labels, scores{columns:more}.",
    "Looked": "Looked at: labels, scores{columns:more}.",
    "FewPositives": "Other samples may give other answers: the number of {positives} is "
    "{n_positives:count}.",
    "PredictedClasses": "{model} has one or two distinct scores: pass scores, such as those of "
    "predict_proba, and not classes.",
    "ReversedScores": "{model} scores {score:interval}, less than random orders "
    "({prevalence:number}): its scores may be reversed.",
    "UnlikeLabels": "{share:share} of the rows are {positive} in {segment}, the latest {column}, "
    "and {before:share} before: labels may be missing, or mean something else.",
    "Warned": "Warnings stand below ({n_warnings:count}){kinds:kinds}.",
}
# What stands before the first fact of a line, or in its place.
ADVICE = {
    "CheckScores": "Check the scores first:",
    "CheckModel": "Do not use it yet:",
    "CheckLabels": "Check the labels first, as their share changes:",
    "Use": "Use {model}:",
    "UseForNow": "Use {model} for now:",
    "CheckFall": "Find out why before you use it:",
    "NoModel": "Wait until that is known.",
}
LOOKS = {"names": "{:,} names", "identifiers": "{:,}, repeated"}  # of columns that were not used
FLAGS = {"identifiers": "--cluster"}  # of others: --segment
UNSEEN = {
    "times": "falls",
    "segments": "worse segments",
    "clusters": "rows that depend on each other",
}


def estimate(value: Measured, sign: str = "", level: str = "") -> str:
    """Write a number with its limits."""
    return estimate_as_text(*value[:3], sign=sign, level=level)


def level(value: Measured) -> str:
    """Name the level of limits, and of how many starts one was chosen."""
    chosen = f" for any of {value.n_starts} starts" if value.n_starts > 1 else ""
    return f"{interval_of(value.level)}{chosen}"


def loss(value: Measured) -> str:
    """Write a negative difference without signs."""
    return estimate(Measured(-value.value, -value.high, -value.low, *value[3:]), "", level(value))


def looks(columns: Iterable[UnusedColumn]) -> str:
    """List columns with what they look like."""
    found = [(each, LOOKS.get(each.looks, each.looks).format(each.n)) for each in columns]
    return ", ".join(f"{printable(each.name)} ({text})" for each, text in found)


def flags(columns: Iterable[UnusedColumn]) -> str:
    """Write the flags with which a report looks at columns."""
    return " ".join(
        f"{FLAGS.get(each.looks, '--segment')} {quote(printable(each.name))}" for each in columns
    )


def flags_here(columns: Sequence[UnusedColumn]) -> str:
    """Write the flags of a command that takes clusters, but no segments."""
    clusters = [each for each in columns if each.looks in FLAGS]
    segments = [each for each in columns if each.looks not in FLAGS]
    text = f" Add {flags(clusters)}." if clusters else ""
    return f"{text} sklearn-ap report takes {flags(segments)}." if segments else text


def goal(value: float) -> str:
    """Write a precision that is asked for, with all of its digits."""
    return f"{value:g}"


def top(k: float) -> str:
    """Name first rows: a share of all, or a number for each query."""
    return f"{k_as_text(k)} of each query" if k >= 1 else k_as_text(k)


def where(place: WorseSegment) -> str:
    """Name a segment, or the times of a fall."""
    if not isinstance(place, Fall):
        return f"in {place.column} {place.segment}"
    if place.n_times == 1:
        return f"in {place.segment}, the latest {place.column}"
    return f"since {place.segment}"


def guarantee(value: float) -> str:
    """Say how sure a precision is."""
    return (
        f", guaranteed with {level_as_text(value)} confidence" if value else ", without a guarantee"
    )


FORMATS: dict[str, Callable[..., str]] = {
    "change": lambda value: estimate(value, "+", level(value)),
    "count": count_as_text,
    "goal": goal,
    "guarantee": guarantee,
    "kinds": lambda value: f": {names_as_text(value)}" if value else "",
    "flags": flags,
    "flags_here": flags_here,
    "interval": lambda value: estimate(value, "", level(value)),
    "looks": looks,
    "loss": loss,
    "more": lambda value: "".join(f", {each}" for each in value),
    "names": names_as_text,
    "number": score_as_text,
    "pvalue": pvalue_phrase,
    "top": top,
    "share": share_as_text,
    "share_of": lambda value: share_as_text(value.value),
    "unseen": lambda value: names_as_text([UNSEEN[each] for each in value]),
    "where": where,
}


class _Formatter(Formatter):
    """Templates whose fields name one of our formats."""

    def format_field(self, value: Argument, format_spec: str) -> str:
        return FORMATS[format_spec](value) if format_spec else str(value)


def fact_sentence(fact: Fact, label: str = "") -> str:
    """Say a fact; positives are called by their label, if it is passed."""
    values = {each.name: getattr(fact, each.name) for each in fields(fact)}
    values |= {"self": fact, "positive": label or "positive"}
    values["positives"] = f"{label} rows" if label else "positives"
    return _Formatter().vformat(FACTS[fact.template], (), values)


def advice_sentences(advice: Advice, label: str = "") -> list[str]:
    """Say what to do, and the reasons."""
    sentences = [fact_sentence(fact, label) for fact in advice.facts]
    if not advice.kind:
        return sentences
    first = ADVICE[advice.kind].format(model=advice.model)
    return [" ".join([first, *sentences[:1]]), *sentences[1:]]
