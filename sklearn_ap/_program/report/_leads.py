"""What a single segment contributes to the lead of the best model over the next one."""

from typing import NamedTuple

from sklearn_ap._program.report._comparison_parts import compare_pair, compare_rows
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._segment_columns import Column, compare_column
from sklearn_ap._program.report._words import row_difference, row_score
from sklearn_ap._program.report.pictures import warned_texts
from sklearn_ap._questions.verdicts import BETTER, Estimate, printed


class OddSegment(NamedTuple):
    """A segment in which one of the two best models scores more or less than in the others."""

    column: Column
    name: str
    model: str
    score: str


def find_odd_segment(data: Predictions, column: Column) -> OddSegment | None:
    """Find a segment that makes the best model look better, or that changes the next one."""
    if not column.is_compared or column.leads_trend:
        return None
    outlier = column.outlier
    model = column.model
    if outlier is None or outlier.row["verdict"] != BETTER:
        _, *seconds = [*data.values][:2]
        columns = [compare_column(data, column.name, name) for name in seconds]
        outlier = next((each.clear_outlier for each in columns if each.clear_outlier), None)
        model = "".join(seconds)
    if outlier is None:
        return None
    return OddSegment(column, outlier.name, model, printed(row_score(outlier.row)).value)


def lead_without(data: Predictions, odd: OddSegment) -> str:
    """Say what the lead is without a segment, if that is another claim; empty otherwise.

    It is another one if only one of both is shown, or if it is outside of the interval of all rows.
    """
    best, second = [*data.values][:2]
    with warned_texts():  # the part has those of the comparison of all models
        overall = compare_pair(data, best, second)
        kept = ~odd.column.mark_rows(data, odd.name)
        prevalence = data.options.get("prevalence")
        lead = row_difference(compare_rows(data, best, second, kept, prevalence, data.level))
    is_shown = lead.low > 0 or lead.high < 0
    is_same_claim = is_shown == (overall.low > 0 or overall.high < 0)
    if is_same_claim and overall.low <= lead.value <= overall.high:
        return ""
    without = f"Without {odd.name}, where {odd.model} scores {odd.score},"
    if not is_shown:
        _, low, high = printed(lead, "+")
        pair = f"{best} minus {second}"
        return f"{without} no difference is shown: {pair} may be anything from {low} to {high}."
    more = "more" if lead.value > 0 else "less"
    size = Estimate(abs(lead.value), *sorted(map(abs, (lead.low, lead.high))))
    words = size.brief(data.interval_kind, "+").replace("+", "")
    value, _, limits = words.partition(" ")
    return f"{without} {best} scores {value} {more} than {second} {limits}."
