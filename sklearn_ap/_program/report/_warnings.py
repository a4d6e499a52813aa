"""Warnings of a report in the words of its user, and those that another part tells."""

import re

from sklearn_ap._program.report.data.checks import FAR_BELOW_CHANCE
from sklearn_ap._program.report.data.part import reversed_in_words
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.page import (
    LACKS_A_CLASS,
)
from sklearn_ap._program.report.page.words import (
    number,
)
from sklearn_ap._uncertainty.warnings import split_name

TOLD_OF_SEGMENTS = "few clusters", "few negatives"  # by other parts
UNDEFINED = re.compile(
    r"No positive class found in y_true, for (\d+) of (\d+) rankings[.] Their score is set to "
    r"([\d.]+)[.].*"
)
UNDEFINED_CURVES = re.compile(
    r"(\d+) of (\d+) rankings have no positive[.] They count as ([\d.]+),.*"
)
FEW_EFFECTIVE_CLUSTERS = re.compile(
    r"few clusters: (?P<models>.*)The interval rests on few clusters: their (?P<kind>effective )?"
    r"number is (?P<number>[\d.,]+)[.] Below (?P<least>\d+),.*"
)


def is_told(text: str) -> bool:
    """Check whether a doubt, or another part, has the warning of a part about segments."""
    return split_name(text)[0] in TOLD_OF_SEGMENTS or text.startswith(LACKS_A_CLASS)


def reword_for_user(data: Predictions, text: str) -> str:
    """Write some warnings by the words of the user."""
    if FAR_BELOW_CHANCE in text:
        return next(iter(reversed_in_words(data).values()), text)
    if undefined := UNDEFINED.fullmatch(text) or UNDEFINED_CURVES.fullmatch(text):
        return _undefined_in_words(data, *undefined.groups())
    found = FEW_EFFECTIVE_CLUSTERS.fullmatch(text)
    if found is None:
        return text
    units = data.cluster_nouns
    few = f"There are only {found['number']} {units}"
    if found["kind"]:
        few = f"Few {units} have most of the positives (an effective number of {found['number']})"
    return (
        f"few clusters: {found['models']}{few}, so intervals may be too narrow, and the guarantee "
        f"may not hold. Collect more {units}."
    )


def _undefined_in_words(data: Predictions, n: str, n_all: str, value: str) -> str:
    """Say how queries without positives count."""
    queries = data.names_in_words("queries", "query").partition(" ")[2]
    have = "has no positive, and counts" if n == "1" else "have no positive, and count"
    rest = ""
    if not float(value) and "sample_weight" not in data.options:
        model = data.best_model
        score = number(data.values[model] * int(n_all) / (int(n_all) - int(n)))
        rest = f"; without {'it' if n == '1' else 'them'}, {model} scores {score}"
    return f"{n} of {n_all} {queries} {have} as {float(value):g}{rest}."
