"""The score of predictions under every definition."""

from __future__ import annotations

import warnings
from collections import defaultdict
from inspect import isabstract
from typing import Any

import numpy as np

from sklearn_ap import definitions
from sklearn_ap._cli.files import Table
from sklearn_ap._cli.formats import progress
from sklearn_ap._scoring import score
from sklearn_ap._validation import Request
from sklearn_ap.counts import ThresholdCounts, threshold_counts
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.intervals import average_precision_interval

__all__ = ["conventions", "line", "scores"]

Row = dict[str, Any]

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


def scores(table: Table, k: int) -> tuple[list[Row], str]:
    """Give a row for each definition, and the same as text."""
    counts = threshold_counts(
        table.y_true, table.y_score, pos_label=True, sample_weight=table.weight
    )
    asked = conventions(k)
    rows: list[Row] = []
    remarks, doubts = defaultdict(list), defaultdict(list)
    with progress(len(asked), " definitions", "scoring") as bar:
        for definition in asked:
            slow = _is_slow(definition, table, counts)
            if slow:
                remarks[SLOW].append(definition.title)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                try:
                    rows.append((_score if slow else _interval)(definition, table))
                except ValueError as error:  # the data are good, so it takes none of this kind
                    remarks[f"Left out: {{}}. {error}"].append(definition.title)
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                doubts[text].append(definition.title)
            bar.update()
    for text, titles in doubts.items():
        some = "" if len(titles) == len(rows) else f"{', '.join(titles)}: "
        warnings.warn(some + text, stacklevel=2)
    lines = [remark.format(", ".join(titles)) for remark, titles in remarks.items()]
    return rows, "\n".join([f"{TITLE}\n", *map(line, rows), *(f"\n{text}" for text in lines)])


def line(row: Row) -> str:
    """A value with its interval, and its title."""
    value = "undefined" if np.isnan(row["value"]) else f"{row['value']:.3f}"
    limits = "" if np.isnan(row["low"]) else f"[{row['low']:.3f}, {row['high']:.3f}]"
    return f"{value} {limits:14}  {row['title']}"


def _is_slow(definition: Definition, table: Table, counts: ThresholdCounts) -> bool:
    """Whether an interval needs hundreds of passes over many rows: resampling, with weights."""
    many = table.weight is not None and table.groups is None and table.y_true.size > MANY
    return many and definition.influence(counts) is None


def _interval(definition: Definition, table: Table) -> Row:
    found = average_precision_interval(
        table.y_true,
        table.y_score,
        definition=definition,
        sample_weight=table.weight,
        groups=table.groups,
        zero_division=np.nan,
        rng=0,  # the same file, the same interval
    )
    return _row(definition, found.estimate, found.low, found.high, found.standard_error)


def _score(definition: Definition, table: Table) -> Row:
    request = Request(table.y_true, table.y_score, sample_weight=table.weight, zero_division=np.nan)
    return _row(definition, score(definition, request))


def _row(
    definition: Definition,
    value: float,
    low: float = np.nan,
    high: float = np.nan,
    standard_error: float = np.nan,
) -> Row:
    return {
        "title": definition.title,
        "definition": repr(definition),
        "value": value,
        "low": low,
        "high": high,
        "standard_error": standard_error,
    }
