"""A threshold and its shares as a table."""

from sklearn_ap._base.text import (
    Table,
    cases_as_text,
    headline,
    interval_as_text,
    interval_head,
    number_as_text,
)
from sklearn_ap._questions.operating_points._shares import SHARES
from sklearn_ap._questions.operating_points._verdicts import verdict_of_threshold
from sklearn_ap._types import AnyResult


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
    remarks += [] if point.cost is None else [f"cost per row: {point.cost:.6g}"]
    return Table(cells, remarks, heading, verdicts=(verdict_of_threshold(point).sentence,))


def selected_in_words(point: AnyResult) -> str:
    return f"{cases_as_text(point.n_selected)} selected at threshold {point.printed_threshold}"
