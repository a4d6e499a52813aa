"""The score of predictions under every definition."""

import warnings
from collections import defaultdict
from inspect import isabstract

import numpy as np

from sklearn_ap import definitions
from sklearn_ap._cli.output import Row
from sklearn_ap._cli.predictions import Predictions
from sklearn_ap._files.progress import progress
from sklearn_ap._inputs import Request, check_prevalence
from sklearn_ap.counts import ThresholdCounts, threshold_counts
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions.prevalence import at_prevalence
from sklearn_ap.definitions.scoring import score
from sklearn_ap.intervals import average_precision_interval

__all__ = ["conventions", "scores"]

TITLE = "Each score with its 95% interval:"
MANY = 20_000  # rows that are resampled with weights in seconds
SLOW = (
    "Without an interval: {}. With weights, their intervals take hundreds of passes over the data. "
    f"They are computed for up to {MANY:,} rows."
)


def conventions(k: int) -> list[Definition]:
    """Every definition with options that are conventions, scikit-learn's first.

    A fractional option, such as a threshold of 0.5, suits some data only, and is left out.
    """
    found = []
    for name in definitions.__all__:
        kind = getattr(definitions, name)
        for options in () if isabstract(kind) else kind.trials.good:
            if not any(isinstance(value, float | tuple) for value in options.values()):
                found.append(kind(**options | ({"k": k} if "k" in options else {})))
    return sorted(found, key=lambda definition: definition != Step())


def scores(
    predictions: Predictions, k: int, prevalence: float | None = None
) -> tuple[list[Row], str]:
    """Give a row for each definition, and the same as text."""
    prevalence = None if prevalence is None else check_prevalence(prevalence)
    counts = threshold_counts(
        predictions.y_true, predictions.y_score, pos_label=True, sample_weight=predictions.weight
    )
    asked = conventions(k)
    rows: list[Row] = []
    remarks, doubts = defaultdict(list), defaultdict(list)
    with progress(len(asked), " definitions", "scoring") as bar:
        for definition in asked:
            slow = _is_slow(definition, predictions, counts)
            if slow:
                remarks[SLOW].append(definition.title)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                try:
                    has_interval = not slow and definition.bounds == Definition.bounds
                    rows.append(
                        _row(definition, predictions, prevalence, with_interval=has_interval)
                    )
                # The file was validated: this definition refuses it (weights, for example).
                except ValueError as error:
                    remarks[f"Left out: {{}}. {error}"].append(definition.title)
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                doubts[text].append(definition.title)
            bar.update()
    for text, titles in doubts.items():
        some = "" if len(titles) == len(rows) else f"{', '.join(titles)}: "
        warnings.warn(some + text, stacklevel=2)
    lines = [remark.format(", ".join(titles)) for remark, titles in remarks.items()]
    return rows, "\n".join([f"{TITLE}\n", *map(_line, rows), *(f"\n{text}" for text in lines)])


def _line(row: Row) -> str:
    value = "undefined" if np.isnan(row["value"]) else f"{row['value']:.3f}"
    limits = "" if np.isnan(row["low"]) else f"[{row['low']:.3f}, {row['high']:.3f}]"
    return f"{value} {limits:14}  {row['title']}"


def _is_slow(definition: Definition, predictions: Predictions, counts: ThresholdCounts) -> bool:
    """Whether an interval needs hundreds of passes over many rows: resampling, with weights."""
    if predictions.weight is None or predictions.groups is not None:
        return False
    return predictions.y_true.size > MANY and definition.influence(counts) is None


def _row(
    definition: Definition,
    predictions: Predictions,
    prevalence: float | None,
    *,
    with_interval: bool,
) -> Row:
    title = at_prevalence(definition, prevalence).title
    row: Row = {"title": title, "definition": repr(definition)}
    options = predictions.arguments | {"prevalence": prevalence, "zero_division": np.nan}
    if not with_interval:
        unknown = dict.fromkeys(("low", "high", "standard_error"), np.nan)
        return row | {"value": score(definition, Request(**options))} | unknown
    # The same file, the same interval.
    found = average_precision_interval(**options, definition=definition, rng=0)
    limits = {"low": found.low, "high": found.high, "standard_error": found.standard_error}
    return row | {"value": found.estimate} | limits
