"""Results as tables, printed or in a notebook."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from html import escape
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._extras import printable
from sklearn_ap._inputs.checks import FEW
from sklearn_ap._inputs.tolerances import RELATIVE_TOLERANCE
from sklearn_ap.counts._thresholds import weight_as_text

Row = dict[str, Any]
Column = tuple[str, Callable[[Row], str]]  # its head, and its cell in a row

MOST_RANKINGS = 20  # that a table shows
WIDTH = 80  # columns of a terminal
LONGEST_NAME = 18
SEEN_BIAS = 0.1  # of the width of an interval
ABOUT_BIAS = "The interval is that of the estimate minus its bias."
# With 12 queries, a tenth of differences were 1.25 times as wide as with one weight of the judge
# for both models.
FEW_FOR_A_JUDGE = 20
ROUGH = f"below {FEW_FOR_A_JUDGE} labelled queries, these weights and so the differences are rough"
REFERENCE = "reference"  # in the place of a difference


class Table(NamedTuple):
    """What is printed, or shown in a notebook: cells, the head first, and lines around them."""

    cells: list[list[str]]
    remarks: list[str]
    heading: str = ""
    reference: str = ""  # of a comparison, whose differences may stand in a table of their own


def interval_table(
    rows: list[Row],
    confidence_level: float,
    fold_scores: Any,
    is_biased: bool,
    labels: Any,
    n_rankings: int,
) -> Table:
    """A line for each ranking, or a single line; of folds, their mean below it."""
    columns = [
        ("estimate", lambda row: _number(row["estimate"])),
        ("std. error", lambda row: _number(row["standard_error"])),
        _limits(confidence_level),
        ("bias", lambda row: _number(row["bias"], "+")),
        ("positives", lambda row: weight_as_text(row["n_positives"])),
    ]
    if any(map(_are_effective, rows[:MOST_RANKINGS])):
        columns.append(("effective positives", _effective_positives))
    remarks = []
    if any(row["bias"] > SEEN_BIAS * (row["high"] - row["low"]) for row in rows):
        remarks.append(ABOUT_BIAS)
    if n_rankings > 1:
        remarks.append(f"positives are added up over {n_rankings} rankings")
    if fold_scores is not None and len(fold_scores) > 1:
        remarks.append(_mean_of_folds(fold_scores, rows[0]["estimate"], is_biased))
    if labels is not None:
        remarks += _of_labels(labels)
    return _table(rows, columns, remarks)


def _of_labels(labels: Any) -> list[str]:
    """How many labels there are, what the judge was worth, and what it says alone."""
    units = {"row": "rows", "cluster": "clusters", "query": "queries"}[labels.unit]
    remarks = [f"{labels.n_labelled:,} of {labels.n_units:,} {units} are labelled"]
    numbers = labels.n_equivalent, labels.judge_weight, labels.judge_score
    worth, weights, alone = map(np.atleast_1d, numbers)
    if (of_some := worth[~np.isnan(worth)]).size:  # the reference of a comparison has none
        ends = dict.fromkeys(f"{end:,.0f}" for end in (of_some.min(), of_some.max()))
        remarks[0] += f", as good as {' to '.join(ends)} labelled at random"
    if not np.isnan(weights).any():
        counts = ", ".join(f"{weight:.2f}" for weight in weights)
        says = ", ".join(f"{score:.4f}" for score in alone)
        remarks.append(f"the judge counts {counts}, and alone says {says}")
        if weights.size > 1 and labels.unit == "query" and labels.n_labelled < FEW_FOR_A_JUDGE:
            remarks.append(ROUGH)
    return remarks


def best_table(rows: list[Row], confidence_level: float) -> Table:
    """A line for each model, the best first."""
    columns = [
        ("", lambda row: _short(row["name"])),
        ("estimate", lambda row: _number(row["estimate"])),
        _limits(confidence_level),
        ("may be best", lambda row: "yes" if row["may_be_best"] else ""),
    ]
    return _table(rows, columns, [])


def chance_table(rows: list[Row], n_permutations: int) -> Table:
    """A line for each ranking, or a single line."""
    columns = [
        ("score", lambda row: _number(row["score"])),
        ("by chance", lambda row: _number(row["chance"])),
        ("corrected", lambda row: _number(row["corrected"])),
        ("p-value", lambda row: _pvalue(row["pvalue"])),
    ]
    if "ranking" in rows[0]:
        columns.append(("adjusted", lambda row: _pvalue(row["adjusted_pvalue"])))
    return _table(rows, columns, [f"{n_permutations:,} random orders"])


def _table(rows: list[Row], columns: list[Column], remarks: list[str]) -> Table:
    """The head and the first lines, each with the name of its ranking before it, if it has one."""
    if "ranking" in rows[0]:
        columns = [("ranking", lambda row: str(row["ranking"])), *columns]
    lines = [[cell(row) for _, cell in columns] for row in rows[:MOST_RANKINGS]]
    return Table([[head for head, _ in columns], *lines], _more(len(rows) - len(lines)) + remarks)


def _limits(confidence_level: float) -> Column:
    return interval_head(confidence_level), lambda row: _interval(row["low"], row["high"])


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
    return f"mean of {which}: {_number(mean)}{remark}"


def threshold_table(row: Row, shares: Iterable[str], confidence_level: float) -> Table:
    """A line for each share; or why there is no threshold."""
    if row["remark"]:
        return Table([], [row["remark"]])
    head = ["", "share", interval_head(confidence_level)]
    lines = [
        [name, _number(row[name]), _interval(row[f"{name}_low"], row[f"{name}_high"])]
        for name in shares
    ]
    heading = f"{row['n_selected']:.6g} selected at threshold {row['threshold']:.6g}"
    if row["prevalence"] is not None:
        heading += f", shares at prevalence {row['prevalence']:.3g}"
    remarks = [] if row["cost"] is None else [f"cost per row: {row['cost']:.6g}"]
    return Table([head, *lines], remarks, heading)


def comparison_table(
    rows: list[Row], names: tuple[str, ...], reference: str, confidence_level: float, labels: Any
) -> Table:
    """A line for each model, or for each model and ranking."""
    level, shown = interval_head(confidence_level), rows[: MOST_RANKINGS * len(names)]
    n_columns = 3 if len(names) == 2 else 4  # two models have nothing to adjust for
    who = ["", "ranking"] if "ranking" in rows[0] else [""]
    differences = [f"minus {_short(reference)}", level, "p-value", "adjusted"]
    cells = [[*who, "estimate", level, *differences[:n_columns]]]
    for row in shown:
        name = [_short(row["name"]), str(row.get("ranking"))][: len(who)]
        score = [_number(row["estimate"]), _interval(row["low"], row["high"])]
        cells.append([*name, *score, *_difference(row, row["name"] == reference)[:n_columns]])
    remarks = _more(len(rows) - len(shown)) + ([] if labels is None else _of_labels(labels))
    return Table(cells, remarks, reference=reference)


def segment_table(
    rows: list[Row],
    reference: str,
    confidence_level: float,
    prevalence: float | None,
    overall: float,
    homogeneity_pvalue: float,
    left_out: Iterable[Any],
) -> Table:
    """A line for each segment, and what all of them have in common."""
    heads = [f"minus {_short(reference)}", interval_head(confidence_level), "p-value", "adjusted"]
    names = {str(row["segment"]) for row in rows}
    shorten = _short if len({*map(_short, names)}) == len(names) else str
    columns: list[Column] = [
        ("", lambda row: shorten(str(row["segment"]))),
        ("estimate", lambda row: _number(row["estimate"])),
        _limits(confidence_level),
        ("positives", lambda row: weight_as_text(row["n_positives"])),
        ("share", lambda row: _number(row["share"])),
        *((head, partial(_part_of_difference, i, reference)) for i, head in enumerate(heads)),
    ]
    if not any(row["pvalue"] < row["adjusted_pvalue"] for row in rows):
        columns.pop()
    at = "each at its own share of positives, on which scores depend"
    remarks = [at if prevalence is None else f"all at the prevalence {prevalence:.3g}"]
    if not np.isnan(overall):
        remarks.append(f"weighted mean of the scores: {_number(overall)}")
        remarks.append(f"p-value of all segments being alike: {_pvalue(homogeneity_pvalue)}")
    alone = [str(row["segment"]) for row in rows if np.isnan(row["difference"])]
    if reference == "others" and alone:
        why = f"no difference, as no other segment has {FEW} effective positives"
        remarks.append(f"{why}: {_some(alone)}")
    if missing := [*map(str, left_out)]:
        remarks.append(f"left out, as they lack positives or negatives: {_some(missing)}")
        if reference == "previous":
            remarks[-1] += "; previous is the last segment before that has a score"
    return _table(rows, columns, remarks)._replace(reference=reference)


def _some(names: list[str]) -> str:
    more = f" and {len(names) - FEW} more" if len(names) > FEW else ""
    return f"{', '.join(names[:FEW])}{more}"


def _part_of_difference(place: int, reference: str, row: Row) -> str:
    is_reference = reference != "others" and np.isnan(row["difference"])
    return _difference(row, is_reference)[place]


def in_notebook(table: Table) -> str:
    texts = (f"<p>{escape(text)}</p>" if text else "" for text in (table.heading, *table.remarks))
    cells = as_html(table.cells[0], table.cells[1:]) if table.cells else ""
    return "".join([next(texts), cells, *texts])


def as_html(columns: Iterable[str], rows: Iterable[Sequence[Any]]) -> str:
    """Lay rows out as a small table: numbers to the right, words to the left."""
    head = "".join(f'<th style="text-align: left">{escape(name)}</th>' for name in columns)
    body = "".join("<tr>" + "".join(map(_html_cell, row)) + "</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _html_cell(value: Any) -> str:
    if isinstance(value, float):
        return f'<td style="text-align: right">{value:.4f}</td>'
    return f'<td style="text-align: left">{"" if value is None else escape(str(value))}</td>'


def _difference(row: Row, is_reference: bool) -> list[str]:
    if is_reference:
        return [REFERENCE, "", "", ""]
    return [
        _number(row["difference"], "+"),
        _interval(row["difference_low"], row["difference_high"], "+"),
        _pvalue(row["pvalue"]),
        _pvalue(row["adjusted_pvalue"]),
    ]


def interval_head(confidence_level: float) -> str:
    """As "95% interval"."""
    return f"{100 * confidence_level:.4g}% interval"


def _number(value: float, sign: str = "") -> str:
    return "nan" if value != value else f"{value:{sign}.4f}"


def _interval(low: float, high: float, sign: str = "") -> str:
    return f"[{_number(low, sign)}, {_number(high, sign)}]"


def _pvalue(value: float) -> str:
    return "< 0.0001" if value < 1e-4 else _number(value)


def _short(name: str) -> str:
    """The beginning and the end of a long name, as names of models often differ in the end."""
    return name if len(name) <= LONGEST_NAME else f"{name[: LONGEST_NAME - 9]}...{name[-6:]}"


def _more(n_rows: int) -> list[str]:
    return [f"... and {n_rows} more"] if n_rows else []


def as_text(table: Table) -> str:
    """The table in letters of one width.

    A comparison that is wider than a terminal becomes two tables: scores, then differences.
    """
    lines = _aligned(table.cells)
    if table.reference and len(max(lines, key=len)) > WIDTH:
        head = table.cells[0]
        start, end = head.index("estimate"), head.index(f"minus {_short(table.reference)}")
        scores = [row[:end] for row in table.cells]
        others = [row[:start] + row[end:] for row in table.cells]
        others = [row for row in others if row[start] != REFERENCE]
        others[0][start] = "difference"
        lines = [*_aligned(scores), "", f"minus {printable(table.reference)}:", *_aligned(others)]
    return "\n".join([*filter(None, [table.heading]), *lines, *table.remarks])


def _aligned(cells: list[list[str]]) -> list[str]:
    """Columns of one width, all aligned to the right but the first."""
    cells = [[*map(printable, row)] for row in cells]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    return [
        "  ".join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).rstrip()
        for row in cells
    ]
