"""The part of a report about the score of each model."""

from contextlib import suppress
from functools import partial
from math import isnan, sqrt

import numpy as np

from sklearn_ap._base.common.types import Axes
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.named_rows import draw_named, include_scores
from sklearn_ap._program.report.data.predictions import ChanceLevel, Predictions
from sklearn_ap._program.report.page.page import Part
from sklearn_ap._program.report.page.pictures import (
    RANDOM_ORDER,
    Picture,
    caption,
    limit_ticks,
    picture_height,
)
from sklearn_ap._program.report.page.words import (
    DASH,
    LESS_OR_EQUAL,
    as_cell,
    as_printed,
    decimal_places,
    describe,
    number,
    number_of_digits,
    percent,
    pictured,
    pvalue,
    used_columns,
)
from sklearn_ap._questions.best_of_many.best import best_average_precision
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.verdicts import (
    Estimate,
    printed,
)
from sklearn_ap.definitions import Step

LOW_SCORE = 0.1  # a lower score has two digits,
NEAR_CHANCE = 2  # and one below twice that of random orders has as many decimal places as these
CLEAR_PVALUE = 0.01  # of a score that is better than random orders, though its interval is wide,
CLEAR_MULTIPLE = 1.5  # and that is as many times as high
MOST_PLACES = 5  # of a score beside that of random orders
LARGE_DESIGN_EFFECT = 2.0  # a larger one is told: a choice
WIDE = 0.3  # a wider interval is said to be wide: a choice


def score_part(data: Predictions) -> Part:
    estimates = {name: data.estimate(Step(), name) for name in data.values}
    chances = {name: data.chance_level(name) for name in data.values}
    cells = [["model", f"average precision [{data.interval_kind}]", "random order", "p-value"]]
    for name, estimate in estimates.items():
        level = chances[name]
        score = as_cell(estimate, fewest=score_places(estimate, level))
        cells.append([name, score, number(level.score), _pvalue_cell(level)])
    best = estimates[data.best_model]
    chance = chances[data.best_model]
    kind = f"{data.interval_kind} by itself" if data.is_chosen else data.interval_kind
    picture = None
    if len(estimates) == 1:  # the picture of a comparison has the scores of several
        value = as_printed(best, score_places(best, chance)).value
        picture = Picture(
            partial(_draw_scores, estimates=estimates, chance=chance),
            picture_height(1),
            pictured(f"Average precision with its {kind}, and random order", [cells[1][:3]]),
            finding=f"{data.subject} scores {value}, and a random order {number(chance.score)}",
            subject=caption(f"Average precision, {kind}", RANDOM_ORDER, data.sample),
        )
    call = data.call(average_precision_interval, data.best_model)
    notes = score_notes(data)
    if data.is_chosen and not isnan(best.low):
        notes.append(
            "Each interval is for one model by itself. Those of the next part allow for the choice "
            "of the best, so their lower limits are lower."
        )
    sentence = weak_in_words(data) or _scores_in_words(data, estimates, chance, kind)
    # The next part has the scores of several models with their intervals, too.
    table = "" if data.is_single_model else "Score of each model beside a random order"
    doubts = score_doubts(data)
    return Part(sentence, used_columns(cells), notes, picture, call, doubts=doubts, table=table)


def _scores_in_words(
    data: Predictions, estimates: dict[str, Estimate], chance: ChanceLevel, kind: str
) -> str:
    """Give the best score, that of random orders, and between them the other one of two."""
    best = estimates[data.best_model]
    verb = "has" if len(estimates) < 3 else "scores highest, with"
    score = f"an average precision of {describe(best, kind, fewest=score_places(best, chance))}"
    others = f"; a random order has {number(chance.score)}"
    if len(estimates) == 2:  # whether one is better is said elsewhere
        _, (name, second) = estimates.items()
        others = f", {name} {as_printed(second).value}, and a random order {number(chance.score)}"
    return f"{data.subject_at_prevalence} {verb} {score}{others}."


def weak_in_words(data: Predictions) -> str:
    """Judge the best score if it may be one of random orders; empty if it is clearly higher."""
    score = data.estimate(Step(), data.best_model)
    chance = data.chance_level(data.best_model)
    is_above_chance = _is_above_chance(score, chance, 1 - data.level)
    subject = data.subject_at_prevalence
    places = score_places(score, chance)
    while places < MOST_PLACES and as_printed(score, places).value == _printed(chance, places):
        places = max(places, decimal_places(number(chance.score))) + 1
    random = _printed(chance, places)
    numbers = f"{score.brief(data.interval_kind, fewest=places)} against {random}"
    if not is_above_chance:
        be = "scores less than" if score.value < chance.score else "is not shown to be better than"
        return f"{subject} {be} a random order: {numbers}."
    is_sure = chance.pvalue < CLEAR_PVALUE / len(data.values)  # nan without a test
    is_clear = is_sure and score.value > CLEAR_MULTIPLE * chance.score
    if score.low <= chance.score and not is_clear:  # the p-value alone is small
        return f"{subject} is barely better than a random order, if at all: {numbers}."
    return ""


def _printed(chance: ChanceLevel, places: int) -> str:
    """Print the score of random orders with two digits, or with more decimal places."""
    return number(chance.score) if places <= 2 else f"{chance.score:.{places}f}"


def score_doubts(data: Predictions) -> list[str]:
    """Say that the best score may be one of random orders, or that its interval is wide."""
    score = data.estimate(Step(), data.best_model)
    shown = score
    if data.is_chosen:
        with suppress(ValueError):  # levels that are too high for the choice
            best = data.ask(best_average_precision, None)
            shown = Estimate(best.estimate, best.low, best.high)
    chance = data.chance_level(data.best_model)
    if _is_above_chance(score, chance, 1 - data.level):
        return _width_doubts(data, shown, chance)
    return [_chance_doubt(data, score, chance), *_width_doubts(data, shown)]


def _chance_doubt(data: Predictions, score: Estimate, chance: ChanceLevel) -> str:
    """Say that a score is below that of random orders, or that it is not shown to be higher."""
    if score.value < chance.score:
        numbers = f"{printed(score).value}, less than a random order, {number(chance.score)}"
        return f"{data.subject} scores {numbers}."
    return f"It is not shown that {data.best_model} scores higher than by chance."


def _width_doubts(
    data: Predictions, score: Estimate, chance: ChanceLevel | None = None
) -> list[str]:
    """Say that an interval is wide, or that it holds the score of random orders."""
    limits = f"{printed(score).low} to {printed(score).high}"
    interval = f"The {data.interval_kind} of {data.best_model}"
    if score.high - score.low > WIDE:  # nan without an interval
        return [f"{interval} is wide: {limits}."]
    if chance is not None and score.low <= chance.score:
        test = "" if isnan(chance.pvalue) else f", though the test of chance has {_test(chance)}"
        reach = f"reaches down to a random order, {number(chance.score)}"
        return [f"{interval}, {limits}, {reach}{test}."]
    return []


def _is_above_chance(score: Estimate, chance: ChanceLevel, error_rate: float) -> bool:
    """Decide by the p-value, or by the interval if no p-value could be small enough."""
    can_be_significant = error_rate * (chance.n_orders + 1) >= 1
    if not isnan(chance.pvalue) and can_be_significant:
        return chance.pvalue <= error_rate
    return isnan(score.low) or score.low > chance.score


def _draw_scores(ax: Axes, estimates: dict[str, Estimate], chance: ChanceLevel) -> None:
    values = np.array([estimate.value for estimate in estimates.values()])
    lows = np.array([estimate.low for estimate in estimates.values()])
    highs = np.array([estimate.high for estimate in estimates.values()])
    texts = [
        as_printed(estimate, score_places(estimate, chance)).value
        for estimate in estimates.values()
    ]
    draw_named(ax, [*estimates], values, lows, highs, texts)
    limit_ticks(ax)
    mark_chance(ax, chance)


def mark_chance(ax: Axes, chance: ChanceLevel, height: float = 1.0) -> None:
    """Draw the score of random orders among scores, over a share of the height from the top."""
    include_scores(ax, np.array([chance.score]))
    ax.axvline(chance.score, ymin=1 - height, **REFERENCE_STYLE, linestyle=":")


def score_places(score: Estimate, chance: ChanceLevel) -> int:
    """Count the decimal places that a low score needs beside that of random orders."""
    is_near_chance = score.value < NEAR_CHANCE * chance.score
    if is_near_chance:
        return decimal_places(number(chance.score))
    return decimal_places(number(score.value)) if score.value < LOW_SCORE else 0


def score_notes(data: Predictions) -> list[str]:
    """Explain the best score, and name the options that it depends on."""
    score = data.estimate(Step(), data.best_model)
    chance = data.chance_level(data.best_model)
    value = as_printed(score, score_places(score, chance)).value
    share = percent(float(value))
    over_queries = ""
    if "queries" in data.options:
        over_queries = f" and over the {data.sampled_units}{data.queries_without_positives}"
    notes = [
        f"An average precision of {value} means: if you go down the ranking and "
        f"stop at each positive, {share} of the rows so far are positive, on average over these "
        f"stops{over_queries}. {_chance_in_words(data, chance)}"
    ]
    if "queries" in data.options:
        mean = f"The mean over {data.sampled_units}"
        notes.append(f"{mean} is also called mean average precision (MAP).")
    if "prevalence" in data.options:
        notes.append(f"All scores are those at a prevalence of {data.options['prevalence']:.3g}.")
    if "sample_weight" in data.options:
        notes.append("With weights, the chance level is the score of equal scores.")
    elif "clusters" in data.options:
        notes.append(
            f"Chance is not tested, as random orders would separate the rows of a "
            f"{data.cluster_noun}."
        )
    if "clusters" in data.options:
        notes.append(_clusters_in_words(data))
    return notes


def _clusters_in_words(data: Predictions) -> str:
    """Say what intervals of clusters mean, and how much wider they are if that is much."""
    text = (
        f"Rows of one {data.cluster_noun} depend on each other, so intervals say how other samples "
        f"of {data.cluster_nouns} would differ, not other samples of rows."
    )
    if "queries" in data.options or not data.design_effect > LARGE_DESIGN_EFFECT:  # or nan
        return text
    times = number_of_digits(sqrt(data.design_effect))
    return f"{text} They are {times} times as wide as for independent rows."


def _chance_in_words(data: Predictions, chance: ChanceLevel) -> str:
    """Say what random orders score, why that is above the prevalence, and what a bound means."""
    above = ""
    is_sampled = {"queries", "sample_weight", "prevalence"}.isdisjoint(data.options)
    prevalence = number(data.y_true.mean())
    if is_sampled and float(number(chance.score)) > float(prevalence):
        above = f", a little more than the prevalence, {prevalence}, by luck at the top"
    text = f"Random orders score {number(chance.score)} on average{above}."
    if _pvalue_cell(chance).startswith(LESS_OR_EQUAL):
        text = f"{text} None of {chance.n_orders:,} scored as high as {data.best_model}."
    return text


def _test(chance: ChanceLevel) -> str:
    """Write the p-value of a score, as "p = 0.012"."""
    text = _pvalue_cell(chance)
    return f"p {text}" if text.startswith((LESS_OR_EQUAL, "<")) else f"p = {text}"


def _pvalue_cell(chance: ChanceLevel) -> str:
    """Write a p-value, as a bound if no random order is as good as the model."""
    smallest = 1 / (1 + chance.n_orders)
    if isnan(chance.pvalue):
        return DASH
    if chance.pvalue <= smallest:
        return f"{LESS_OR_EQUAL} {smallest:.3g}"
    return pvalue(chance.pvalue)
