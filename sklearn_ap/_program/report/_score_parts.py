"""The parts of a report about scores: of one model, of several, and for a paper."""

from functools import partial
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Axes
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.named_rows import draw_named
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import level_as_text, number_as_text, pvalue_as_text
from sklearn_ap._program.report._predictions import ChanceLevel, Predictions
from sklearn_ap._program.report.page import (
    DASH,
    LESS_OR_EQUAL,
    Part,
    Picture,
    picture_height,
    remarks,
)
from sklearn_ap._questions.best_of_many.best import best_average_precision
from sklearn_ap._questions.intervals.comparison import compare_average_precision
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.verdicts import Estimate
from sklearn_ap.definitions import Step

PAPER = "The step average precision (area under the precision-recall curve, without interpolation)"


def score_part(data: Predictions) -> Part:
    estimates = {name: data.estimate(Step(), name) for name in data.values}
    chances = {name: data.chance_level(name) for name in data.values}
    cells = [["model", f"average precision [{data.interval_kind}]", "random order", "p-value"]]
    for name, estimate in estimates.items():
        level = chances[name]
        cells.append([name, estimate.cell, number_as_text(level.score), _pvalue_cell(level)])
    best = estimates[data.best_model]
    chance = chances[data.best_model]
    verb = "has" if len(estimates) == 1 else "ranks best, with"
    score = f"an average precision of {best.describe(data.interval_kind)}"
    sentence = f"{data.best_model} {verb} {score}; a random order has {chance.score:.2g}."
    if not _is_above_chance(best, chance, 1 - data.level):
        sentence += " It is not shown that the score is higher than by chance."
    picture = Picture(
        partial(_draw_scores, estimates=estimates, chance=chance.score, kind=data.interval_kind),
        picture_height(len(estimates)),
        f"Average precision, {data.interval_kind}, and random order.",
    )
    call = data.call(average_precision_interval, data.best_model)
    return Part(sentence, cells, _score_notes(data, best), picture, call)


def _is_above_chance(score: Estimate, chance: ChanceLevel, error_rate: float) -> bool:
    """Decide by the p-value, or by the interval if no p-value could be small enough."""
    can_be_significant = error_rate * (chance.n_orders + 1) >= 1
    if not isnan(chance.pvalue) and can_be_significant:
        return chance.pvalue <= error_rate
    return isnan(score.low) or score.low > chance.score


def _draw_scores(ax: Axes, estimates: dict[str, Estimate], chance: float, kind: str) -> None:
    values = np.array([estimate.value for estimate in estimates.values()])
    lows = np.array([estimate.low for estimate in estimates.values()])
    highs = np.array([estimate.high for estimate in estimates.values()])
    draw_named(ax, [*estimates], values, lows, highs)
    low, high = ax.get_xlim()
    ax.set_xlim(min(low, chance - 0.05 * (high - low)), high)
    ax.axvline(chance, **REFERENCE_STYLE, linestyle=":")
    ax.set_xlabel(f"average precision, {kind}; dotted: random order")


def _score_notes(data: Predictions, score: Estimate) -> list[str]:
    """Explain the score, and name the options that it depends on."""
    number = score.as_text().value
    share = f"{100 * score.value:.3g}%"
    over_queries = " and over the queries" if "queries" in data.options else ""
    notes = [
        f"An average precision of {number} means: if you go down the ranking and stop at each "
        f"positive, {share} of the rows so far are positive, on average over these stops"
        f"{over_queries}. A perfect ranking scores 1, and "
        f"random orders score the prevalence or slightly more."
    ]
    if "prevalence" in data.options:
        notes.append(f"All scores are those at a prevalence of {data.options['prevalence']:.3g}.")
    if "sample_weight" in data.options:
        notes.append("Rows with weights have no random order: equal scores stand for it.")
    elif "clusters" in data.options:
        notes.append("There is no p-value, as the rows of a cluster cannot change places.")
    return notes


def _pvalue_cell(chance: ChanceLevel) -> str:
    """Write a p-value, as a bound if no random order is as good as the model."""
    smallest = 1 / (1 + chance.n_orders)
    if isnan(chance.pvalue):
        return DASH
    if chance.pvalue <= smallest:
        return f"{LESS_OR_EQUAL} {smallest:.3g}"
    return pvalue_as_text(chance.pvalue)


class ModelDifference(NamedTuple):
    """The difference of the better of two models from the worse one, and the p-value."""

    worse: str
    better: str
    change: Estimate
    pvalue: float


def comparison_part(data: Predictions) -> Part:
    n_models = len(data.y_scores)
    if n_models == 1:
        return Part("There is one model. Pass the scores of several to compare them.")
    return _two_models(data) if n_models == 2 else _best_model(data)


def _two_models(data: Predictions) -> Part:
    comparison = data.ask(compare_average_precision, None)
    (verdict,) = comparison.verdicts
    table = comparison._table()
    return Part(
        verdict.sentence,
        table.cells,
        remarks(table),
        Picture(comparison.plot, 2.1, "Both scores, and their difference.", n_axes=2),
        data.call(compare_average_precision, None),
    )


def _best_model(data: Predictions) -> Part:
    best = data.ask(best_average_precision, None)
    height = picture_height(len(best.names))
    table = best._table()
    return Part(
        best.verdicts[0].sentence,
        table.cells,
        remarks(table),
        Picture(best.plot, height, "All scores; in colour what may be best."),
        data.call(best_average_precision, None),
    )


def _difference(data: Predictions) -> ModelDifference:
    """Compare two models, so that the difference is not negative."""
    comparison = data.ask(compare_average_precision, None)
    # Entry 0 is the first model, which is the reference; entry 1 is the second.
    change = float(comparison.differences[1])
    low = float(comparison.difference_lows[1])
    high = float(comparison.difference_highs[1])
    pvalue = float(comparison.pvalues[1])
    first, second = comparison.names
    if change >= 0:
        return ModelDifference(first, second, Estimate(change, low, high), pvalue)
    return ModelDifference(second, first, Estimate(-change, -high, -low), pvalue)


def paper_part(data: Predictions) -> Part:
    model = data.best_model
    kind = f"{level_as_text(data.level)} confidence interval"
    estimate = data.estimate(Step(), model).as_text()
    limits = f"{estimate.low} to {estimate.high}"
    prevalence = data.options.get("prevalence")
    deployment = "" if prevalence is None else f" at a prevalence of {prevalence:.3g}"
    n_clusters = data.count_names("clusters")
    clusters = f" in {n_clusters:,} clusters" if n_clusters else ""
    text = (
        f"{PAPER} of {model}{deployment} was {estimate.value} ({kind} {limits}; "
        f"{data.y_true.sum():,} positives among {data.n_rows:,} rows{clusters}), where "
        f"{data.chance_level(model).score:.2g} is expected by chance."
    )
    if len(data.y_scores) == 2:
        difference = _difference(data)
        words = difference.change.describe(kind, "+", difference.pvalue)
        text += f" The difference of {difference.better} from {difference.worse} on the same rows"
        text += f" was {words}."
    sentence = f"Report {estimate.value} with its interval, {limits}, with two digits as here."
    is_comparison = len(data.y_scores) > 1
    function: Any = compare_average_precision if is_comparison else average_precision_interval
    name = None if is_comparison else model
    return Part(
        sentence,
        call=f"print({data.call(function, name)}.to_paper())",
        copied_text=f"{printable(text)}\n\n{data.ask(function, name).to_paper()}",
    )
