"""The parts of a report about scores: of one model, of several, and for a paper."""

from functools import partial
from math import isnan
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Axes
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.named_rows import draw_named
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import level_as_text, pvalue_in_words
from sklearn_ap._program.report._predictions import ChanceLevel, Predictions
from sklearn_ap._program.report._words import (
    DASH,
    LESS_OR_EQUAL,
    as_cell,
    describe,
    noun,
    number,
    percent,
    pictured,
    pvalue,
    used_columns,
)
from sklearn_ap._program.report.page import Part, Picture, picture_height, remarks
from sklearn_ap._questions.best_of_many.best import best_average_precision
from sklearn_ap._questions.intervals.comparison import (
    AveragePrecisionComparison,
    compare_average_precision,
)
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.judged import JudgedShares, shown_shares
from sklearn_ap._questions.long_lists import MOST_LINES
from sklearn_ap._questions.verdicts import Estimate, printed, printed_values
from sklearn_ap.definitions import Step

WIDE = 0.3  # a wider interval is said to be wide: a choice
PAPER = "The step average precision (area under the precision-recall curve, without interpolation)"


def score_part(data: Predictions) -> Part:
    estimates = {name: data.estimate(Step(), name) for name in data.values}
    chances = {name: data.chance_level(name) for name in data.values}
    cells = [["model", f"average precision [{data.interval_kind}]", "random order", "p-value"]]
    for name, estimate in estimates.items():
        level = chances[name]
        cells.append([name, as_cell(estimate), number(level.score), _pvalue_cell(level)])
    best = estimates[data.best_model]
    chance = chances[data.best_model]
    verb = "has" if len(estimates) == 1 else "ranks best, with"
    score = f"an average precision of {describe(best, data.interval_kind)}"
    sentence = f"{data.subject} {verb} {score}; a random order has {number(chance.score)}."
    is_above_chance = _is_above_chance(best, chance, 1 - data.level)
    if not is_above_chance:
        sentence += " It is not shown that the score is higher than by chance."
    picture = None
    if len(estimates) == 1:  # the picture of a comparison has the scores of several
        kind = data.interval_kind
        picture = Picture(
            partial(_draw_scores, estimates=estimates, chance=chance.score, kind=kind),
            picture_height(1),
            pictured(f"Average precision with its {kind}, and random order", [cells[1][:3]]),
        )
    call = data.call(average_precision_interval, data.best_model)
    doubts = [] if is_above_chance else [_chance_doubt(data, best, chance)]
    doubts += _width_doubts(data, best)
    notes = _score_notes(data, best)
    return Part(sentence, used_columns(cells), notes, picture, call, doubts=doubts)


def _chance_doubt(data: Predictions, score: Estimate, chance: ChanceLevel) -> str:
    """Say that a score is below that of random orders, or that it is not shown to be higher."""
    if score.value < chance.score:
        numbers = f"{printed(score).value}, less than a random order, {number(chance.score)}"
        return f"{data.subject} scores {numbers}."
    return f"It is not shown that {data.best_model} scores higher than by chance."


def _width_doubts(data: Predictions, score: Estimate) -> list[str]:
    """Say that an interval is wide, if it is."""
    if not score.high - score.low > WIDE:  # nan without an interval
        return []
    limits = f"{printed(score).low} to {printed(score).high}"
    return [f"The {data.interval_kind} of {data.best_model} is wide: {limits}."]


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
    texts = printed_values(values, lows, highs)
    draw_named(ax, [*estimates], values, lows, highs, texts)
    low, high = ax.get_xlim()
    ax.set_xlim(min(low, chance - 0.05 * (high - low)), high)
    ax.axvline(chance, **REFERENCE_STYLE, linestyle=":")
    ax.set_xlabel(f"average precision, {kind}; dotted: random order")


def _score_notes(data: Predictions, score: Estimate) -> list[str]:
    """Explain the score, and name the options that it depends on."""
    share = percent(score.value)
    over_queries = " and over the queries" if "queries" in data.options else ""
    notes = [
        f"An average precision of {printed(score).value} means: if you go down the ranking and "
        f"stop at each positive, {share} of the rows so far are positive, on average over these "
        f"stops{over_queries}. A perfect ranking scores 1, and random orders score the prevalence "
        f"or slightly more."
    ]
    if "prevalence" in data.options:
        notes.append(f"All scores are those at a prevalence of {data.options['prevalence']:.3g}.")
    if "sample_weight" in data.options:
        notes.append("Rows with weights have no random order: equal scores stand for it.")
    elif "clusters" in data.options:
        notes.append("There is no p-value, as the rows of a cluster cannot change places.")
    if "clusters" in data.options:
        unit = noun(data.nouns.get("clusters"), "cluster")
        notes.append(
            f"Rows of a {unit} depend on each other, so intervals say how other samples of {unit}s "
            f"would differ, not other samples of rows."
        )
    return notes


def _pvalue_cell(chance: ChanceLevel) -> str:
    """Write a p-value, as a bound if no random order is as good as the model."""
    smallest = 1 / (1 + chance.n_orders)
    if isnan(chance.pvalue):
        return DASH
    if chance.pvalue <= smallest:
        return f"{LESS_OR_EQUAL} {smallest:.3g}"
    return pvalue(chance.pvalue)


def comparison_part(data: Predictions) -> Part:
    return _two_models(data) if len(data.y_scores) == 2 else _best_model(data)


def _two_models(data: Predictions) -> Part:
    comparison = data.ask(compare_average_precision, None, **data.comparison_options)
    (verdict,) = comparison.verdicts
    cells = _difference_cells(data, comparison)
    alt = pictured("Both scores, and their difference", cells[1:])
    score = printed(data.estimate(Step(), data.best_model)).value
    chance = number(data.chance_level(data.best_model).score)
    scores = f"{data.best_model} scores {score}, and a random order {chance}."
    return Part(
        verdict.sentence,
        cells,
        remarks(comparison._table()),
        Picture(comparison.plot, 3.2, alt, n_axes=2),
        data.call(compare_average_precision, None, **data.comparison_options),
        brief=f"{verdict.sentence} {scores}",
    )


def _difference_cells(data: Predictions, comparison: AveragePrecisionComparison) -> list[list[str]]:
    kind = f"[{data.interval_kind}]"
    reference = comparison.reference
    cells = [["model", f"average precision {kind}", f"minus {reference} {kind}", "p-value"]]
    for row in comparison.rows():
        score = Estimate(row["estimate"], row["low"], row["high"])
        change = Estimate(row["difference"], row["difference_low"], row["difference_high"])
        differences = [as_cell(change, "+"), pvalue(row["adjusted_pvalue"])]
        is_reference = row["name"] == reference
        cells.append([row["name"], as_cell(score), *(["", ""] if is_reference else differences)])
    return _add_judged_shares(cells, comparison.judged)


def _add_judged_shares(cells: list[list[str]], judged: JudgedShares | None) -> list[list[str]]:
    """Add the share of the first documents of each run that were judged, if some were not."""
    shares = shown_shares(judged)
    if shares is None:
        return cells
    heads, *rows = cells
    return [[*heads, shares.head], *([*row, number(shares.shares[row[0]])] for row in rows)]


def _best_model(data: Predictions) -> Part:
    best = data.ask(best_average_precision, None)
    height = picture_height(len(best.names))
    cells = [["model", f"average precision [{data.interval_kind}]", "may be best"]]
    rows = best.rows()
    for row in rows[:MOST_LINES]:
        score = as_cell(Estimate(row["estimate"], row["low"], row["high"]))
        cells.append([row["name"], score, "yes" if row["may_be_best"] else ""])
    notes = [f"With {level_as_text(data.level)} confidence, the best is one that may be best."]
    if len(rows) > MOST_LINES:
        notes.append(f"{len(rows) - MOST_LINES} more models score lower.")
    return Part(
        best.verdicts[0].sentence,
        _add_judged_shares(cells, best.judged),
        notes,
        Picture(best.plot, height, pictured("All scores, and what may be best", cells[1:])),
        data.call(best_average_precision, None),
    )


def _difference_in_words(data: Predictions, kind: str) -> str:
    """Write the difference of the better model from the other one."""
    comparison = data.ask(compare_average_precision, None, **data.comparison_options)
    (row,) = (row for row in comparison.rows() if row["name"] != comparison.reference)
    change = Estimate(row["difference"], row["difference_low"], row["difference_high"])
    words = describe(change, kind, "+", pvalue_in_words(row["pvalue"]))
    names = f"{row['name']} from {comparison.reference}"
    return f"The difference of {names} on the same rows was {words}."


def paper_part(data: Predictions) -> Part:
    model = data.best_model
    kind = f"{level_as_text(data.level)} confidence interval"
    estimate = printed(data.estimate(Step(), model))
    limits = f"{estimate.low} to {estimate.high}"
    prevalence = data.options.get("prevalence")
    deployment = "" if prevalence is None else f" at a prevalence of {prevalence:.3g}"
    clusters = ""
    if "clusters" in data.options:
        clusters = f" in {data.names_in_words('clusters', 'cluster')}"
    text = (
        f"{PAPER} of {model}{deployment} was {estimate.value} ({kind} {limits}; "
        f"{data.y_true.sum():,} positives among {data.n_rows:,} rows{clusters}), where "
        f"{number(data.chance_level(model).score)} is expected by chance."
    )
    if len(data.y_scores) == 2:
        text += f" {_difference_in_words(data, kind)}"
    sentence = f"Report {estimate.value} with its interval, {limits}, and no more digits."
    is_comparison = len(data.y_scores) > 1
    function: Any = compare_average_precision if is_comparison else average_precision_interval
    name = None if is_comparison else model
    options = data.comparison_options if len(data.y_scores) == 2 else {}
    return Part(
        sentence,
        call=f"print({data.call(function, name, **options)}.to_paper())",
        copied_text=f"{printable(text)}\n\n{data.ask(function, name, **options).to_paper()}",
    )
