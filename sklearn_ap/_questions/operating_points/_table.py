"""A threshold and its shares as a table."""

from sklearn_ap._base.common.types import AnyResult
from sklearn_ap._base.text import (
    Table,
    cases_as_text,
    headline,
    interval_as_text,
    interval_head,
    number_as_text,
)
from sklearn_ap._questions.operating_points._shares import SHARES


def threshold_table(point: AnyResult) -> Table:
    """Make a line for each share, or explain why there is no threshold."""
    title = f"threshold for {point.goal}" if point.goal else "threshold"
    if point.prevalence is not None:
        title += f" at prevalence {point.prevalence:.3g}"
    heading = headline(title, point.cases)
    if point.remark:
        return Table([], [point.remark], heading)
    cells = [["", "value", interval_head(point.confidence_level)]]
    for name in SHARES:
        limits = interval_as_text(*getattr(point, f"{name}_interval"))
        cells.append([name, number_as_text(getattr(point, name)), limits])
    remarks = [selected_in_words(point)]
    words = point.goal.split()  # such as "precision >= 0.9"
    if words[0] in ("precision", "recall") and "guarantee" not in point.goal:
        remarks.append(f"without a guarantee, the true {words[0]} may be below {words[-1]}")
    remarks += [] if point.cost is None else [f"cost per row: {point.cost:.6g}"]
    return Table(cells, remarks, heading)


def selected_in_words(point: AnyResult) -> str:
    return f"{cases_as_text(point.n_selected)} selected at threshold {point.printed_threshold}"
