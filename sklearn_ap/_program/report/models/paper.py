"""The part of a report that goes into a paper."""

from typing import Any

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import level_as_text, pvalue_in_words
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison import compared_row
from sklearn_ap._program.report.models.scores import score_places
from sklearn_ap._program.report.page.page import Part
from sklearn_ap._program.report.page.words import (
    as_printed,
    decimal_places,
    describe,
    number,
    row_difference,
)
from sklearn_ap._questions.best_of_many.best import best_average_precision
from sklearn_ap._questions.intervals.comparison import (
    compare_average_precision,
)
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.paper import escape_markdown
from sklearn_ap._questions.verdicts import (
    Estimate,
    PrintedEstimate,
)
from sklearn_ap.definitions import Step

PAPER_DIGITS = 2  # of tables, by default
PAPER = "step average precision (area under the precision-recall curve, without interpolation)"


def _difference_in_words(data: Predictions, kind: str) -> str:
    """Write the difference of the better model from the other one."""
    comparison = data.ask(compare_average_precision, None, **data.comparison_options)
    row = compared_row(comparison)
    change = row_difference(row)
    words = describe(change, kind, "+", pvalue_in_words(row["pvalue"]))
    names = f"{row['name']} from {comparison.reference}"
    return f"The difference of {names} on the same rows was {words}."


def paper_part(data: Predictions) -> Part:
    model = data.best_model
    digits = decimal_places(_paper_estimate(data).value)
    function, options = _paper_call(data)
    name = None if len(data.y_scores) > 1 else model
    printing: Keywords = {} if digits == PAPER_DIGITS else {"digits": digits}
    typed = ", ".join(f"{option}={value}" for option, value in printing.items())
    table = data.name_units(data.ask(function, name, **options)).to_paper(**printing)
    if name and not data.is_single_model:  # a single score has no name in its table
        table = table.replace("\n| score |", f"\n| {escape_markdown(printable(model))} |", 1)
    estimate = _paper_estimate(data)
    interval = "its simultaneous interval" if data.is_chosen else "its interval"
    rank = f" as {_rank_in_words(data)}," if data.is_chosen else ""
    limits = f"{interval}, {estimate.low} to {estimate.high}"
    owner = "" if data.is_single_model else f" for {model}"
    return Part(
        f"Report {estimate.value}{owner}{rank} with {limits}, and no more digits.",
        notes=[_effective_in_words(data)] if "effective positives" in table else [],
        call=f"print({data.call(function, name, **options)}.to_paper({typed}))",
        copied_text=f"{printable(_paper_text(data))}\n\n{table}",
    )


def _effective_in_words(data: Predictions) -> str:
    if "prevalence" in data.options:
        alike = f"rows of one {data.cluster_noun} are alike, or " * ("clusters" in data.options)
        return f"Effective positives are fewer where {alike}negatives are few for this prevalence."
    if "clusters" in data.options:
        noun = data.cluster_noun
        return f"Effective positives are how many there would be if rows of one {noun} were alike."
    return "Effective positives are how many positives of equal weight would tell as much."


def _rank_in_words(data: Predictions) -> str:
    """Write "the best of 20 models" only of one that is shown to be the best."""
    best = data.ask(best_average_precision, None)
    rank = "highest-scoring" if best.may_be_best[1:] else "best"
    return f"the {rank} of {len(data.y_scores)} models"


def _paper_call(data: Predictions) -> tuple[Any, Keywords]:
    """Return the function that makes the table, and its options apart from those of the data."""
    if data.is_chosen:
        return best_average_precision, {}
    if len(data.y_scores) == 2:
        return compare_average_precision, data.comparison_options
    return average_precision_interval, {}


def _paper_estimate(data: Predictions) -> PrintedEstimate:
    """Print the score of the best model; its interval allows for the choice among several."""
    score = data.estimate(Step(), data.best_model)
    if data.is_chosen:
        best = data.ask(best_average_precision, None)
        score = Estimate(best.estimate, best.low, best.high)
    return as_printed(score, score_places(score, data.chance_level(data.best_model)))


def _paper_text(data: Predictions) -> str:
    """Write the score, its interval and the sample in a sentence, and the difference of two."""
    model = data.best_model
    kind = f"{level_as_text(data.level)} confidence interval"
    estimate = _paper_estimate(data)
    prevalence = data.options.get("prevalence")
    deployment = "" if prevalence is None else f" at a prevalence of {prevalence:.3g}"
    clusters = ""
    if "clusters" in data.options:
        clusters = f" in {data.names_in_words('clusters', 'cluster')}"
    choice = f", {_rank_in_words(data)}" if data.is_chosen else ""
    weighted = "weighted " if "sample_weight" in data.options else ""
    mean = ""
    if "queries" in data.options:
        mean = f", the mean over {data.names_in_words('queries', 'query')}"
    comma = "," if choice or mean else ""
    simultaneous = "simultaneous " if data.is_chosen else ""
    text = (
        f"The {weighted}{PAPER} of {model}{choice}{mean}{comma}{deployment} was {estimate.value} "
        f"({simultaneous}{kind} {estimate.low} to {estimate.high}; {data.y_true.sum():,} positives "
        f"among {data.n_rows:,} rows{clusters}), where {number(data.chance_level(model).score)} is "
        f"expected by chance."
    )
    return f"{text} {_difference_in_words(data, kind)}" if len(data.y_scores) == 2 else text
