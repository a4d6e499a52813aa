"""Intervals and comparisons as tables."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_ap._base.inputs.arrays import RELATIVE_TOLERANCE
from sklearn_ap._base.text import (
    MOST_RANKINGS,
    Row,
    Table,
    difference_cells,
    difference_heads,
    interval_as_text,
    interval_head,
    limits_column,
    number_as_text,
    rows_left_out,
    short_names,
    table_of_rows,
    weight_as_text,
)
from sklearn_ap._questions.few_labels.labels import remarks_about_labels
from sklearn_ap._questions.few_labels.variances import remarks_about_more_labels
from sklearn_ap._uncertainty.options import DIFFERENCE_KINDS, SCORE_KINDS

ABOUT_BIAS = "the interval is corrected for the bias, the estimate is not"


def interval_table(
    rows: list[Row],
    confidence_level: float,
    fold_scores: Any,
    is_biased: bool,
    labels: Any,
    n_rankings: int,
    method: str,
) -> Table:
    """A line for each ranking, or a single line; of folds, their mean below it."""
    columns = [
        ("estimate", lambda row: number_as_text(row["estimate"])),
        ("std. error", lambda row: number_as_text(row["standard_error"])),
        limits_column(confidence_level, SCORE_KINDS.get(method, "")),
    ]
    if "n_runs" in rows[0]:
        columns[2:2] = [
            ("of rows", lambda row: number_as_text(row["rows_standard_error"])),
            ("of runs", lambda row: number_as_text(row["runs_standard_error"])),
        ]
    if not all(np.isnan(row["bias"]) for row in rows[:MOST_RANKINGS]):
        columns.append(("bias", lambda row: number_as_text(row["bias"], "+")))
    columns.append(("positives", lambda row: weight_as_text(row["n_positives"])))
    if any(map(_are_effective, rows[:MOST_RANKINGS])):
        columns.append(("effective positives", _effective_positives))
    remarks = []
    is_corrected = method == "wilson" and any(
        abs(row["bias"]) >= 5e-5 for row in rows[:MOST_RANKINGS]
    )
    if is_corrected:
        remarks.append(ABOUT_BIAS)
    if n_rankings > 1:
        remarks.append(f"positives are added up over {n_rankings} rankings")
    if fold_scores is not None and len(fold_scores) > 1:
        remarks.append(_mean_of_folds(fold_scores, rows[0]["estimate"], is_biased))
    if labels is not None:
        remarks += remarks_about_labels(labels)
    return table_of_rows(rows, columns, remarks)


def _are_effective(row: Row) -> bool:
    """Whether the effective number of positives is not their number."""
    pair = row["n_effective"], row["n_positives"]
    return not np.isclose(*pair, rtol=RELATIVE_TOLERANCE, equal_nan=True)


def _effective_positives(row: Row) -> str:
    is_other = _are_effective(row)
    return f"{row['n_effective']:.1f}" if is_other else weight_as_text(row["n_positives"])


def _mean_of_folds(scores: Any, estimate: float, is_biased: bool) -> str:
    """What ``cross_val_score`` leads to, and how far it is from the estimate of a pool."""
    defined = scores[~np.isnan(scores)]
    mean, which = defined.mean() if defined.size else np.nan, f"{defined.size} folds"
    which += "" if defined.size == len(scores) else " with positives"
    excess = mean - estimate if is_biased else 0.0
    remark = f", too high by about {excess:.4f}" if excess > 5e-4 else ""
    return f"mean of {which}: {number_as_text(mean)}{remark}"


def comparison_table(result: Any) -> Table:
    """A line for each model, or for each model and ranking."""
    rows, names, several = result.rows(), result.names, result.estimates.ndim > 1
    level = interval_head(result.confidence_level, SCORE_KINDS.get(result.method, ""))
    shown = rows[: MOST_RANKINGS * len(names)]
    # One test has nothing to adjust for.
    n_columns = 3 if result.differences.size == 2 else 4
    who = ["", "ranking"] if several else [""]
    shorten = short_names(names)
    heads = difference_heads(
        shorten[result.reference],
        result.confidence_level,
        result.alternative,
        DIFFERENCE_KINDS.get(result.method, ""),
    )
    judged = None if several else result.judged  # which is of all queries
    of_runs = [] if judged is None else [judged.head]
    cells = [[*who, "estimate", level, *of_runs, *heads[:n_columns]]]
    for row in shown:
        name = [shorten[row["name"]], str(row.get("ranking"))][: len(who)]
        score = [number_as_text(row["estimate"]), interval_as_text(row["low"], row["high"])]
        of_pair = difference_cells(row, row["name"] == result.reference, result.alternative)
        share = [] if judged is None else [judged.cell(row["name"])]
        cells.append([*name, *score, *share, *of_pair[:n_columns]])
    remarks = rows_left_out(len(rows) - len(shown))
    if result.n_runs is not None:
        remarks += _parts_of_errors(shown, result.reference)
    if several:
        remarks.append("p-values are adjusted for all models and rankings of this table")
        remarks += [] if result.judged is None else [result.judged.in_words()]
    remarks += [] if result.labels is None else remarks_about_labels(result.labels)
    remarks += remarks_about_more_labels(result.pilot)
    return Table(cells, remarks, reference=result.reference)


def _parts_of_errors(rows: list[Row], reference: str) -> list[str]:
    """How much of the error of each difference comes from rows, and how much from runs."""
    remarks = []
    for row in rows:
        name = ", ".join(map(str, (row["name"], *([row["ranking"]] if "ranking" in row else []))))
        if row["name"] != reference:
            of_rows = number_as_text(row["difference_rows_standard_error"])
            of_runs = number_as_text(row["difference_runs_standard_error"])
            text = f"std. error of the difference: {of_rows} of rows, {of_runs} of runs"
            remarks.append(text if len(rows) == 2 else f"{name}, {text}")
    return remarks
