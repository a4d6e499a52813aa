"""The parts of a report about scores: of one model, of several, and for a paper."""

from collections.abc import Sequence
from functools import partial
from math import isclose, isnan
from typing import Any

import numpy as np

from sklearn_ap._base.common.types import Axes, Keywords
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.named_rows import draw_named
from sklearn_ap._base.extras import printable
from sklearn_ap._base.text import Row, level_as_text, pvalue_in_words
from sklearn_ap._program.report._predictions import ChanceLevel, Predictions
from sklearn_ap._program.report._words import (
    DASH,
    LESS_OR_EQUAL,
    as_cell,
    as_printed,
    decimal_places,
    describe,
    number,
    percent,
    pictured,
    pvalue,
    row_difference,
    row_score,
    used_columns,
)
from sklearn_ap._program.report.page import (
    FIRST_ROWS,
    MOST_ROWS,
    Part,
    Picture,
    picture_height,
    remarks,
)
from sklearn_ap._questions.best_of_many.best import BestAveragePrecision, best_average_precision
from sklearn_ap._questions.intervals.comparison import (
    AveragePrecisionComparison,
    compare_average_precision,
)
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.intervals.picture import plot_comparison
from sklearn_ap._questions.judged import JudgedShares, judged_doubt, shown_shares
from sklearn_ap._questions.long_lists import MOST_LINES
from sklearn_ap._questions.paper import escape_markdown
from sklearn_ap._questions.verdicts import (
    UNDECIDED,
    Estimate,
    PrintedEstimate,
    names_in_words,
    printed,
    printed_values,
)
from sklearn_ap.definitions import Step

LOW_SCORE = 0.1  # a lower score has as many decimal places as that of random orders,
NEAR_CHANCE = 2  # and so has one that is below twice that
LEAST_OPTIMISM = 0.0005  # less is not told: it is 0 with three digits
MOST_PLACES = 3  # of scores whose two places do not add up to their difference
WIDE = 0.3  # a wider interval is said to be wide: a choice
PAPER_DIGITS = 2  # of tables, by default
EFFECTIVE = (
    "Effective positives are how many independent positives of equal weight would tell as much."
)
PAPER = "The step average precision (area under the precision-recall curve, without interpolation)"


def score_part(data: Predictions) -> Part:
    estimates = {name: data.estimate(Step(), name) for name in data.values}
    chances = {name: data.chance_level(name) for name in data.values}
    cells = [["model", f"average precision [{data.interval_kind}]", "random order", "p-value"]]
    for name, estimate in estimates.items():
        level = chances[name]
        score = as_cell(estimate, fewest=_score_places(estimate, level))
        cells.append([name, score, number(level.score), _pvalue_cell(level)])
    best = estimates[data.best_model]
    chance = chances[data.best_model]
    verb = "has" if len(estimates) == 1 else "scores highest, with"
    kind = f"{data.interval_kind} by itself" if data.is_chosen else data.interval_kind
    words = describe(best, kind, fewest=_score_places(best, chance))
    score = f"an average precision of {words}"
    sentence = f"{data.subject} {verb} {score}; a random order has {number(chance.score)}."
    is_above_chance = _is_above_chance(best, chance, 1 - data.level)
    more = [] if is_above_chance else ["It is not shown that the score is higher than by chance."]
    picture = None
    if len(estimates) == 1:  # the picture of a comparison has the scores of several
        picture = Picture(
            partial(_draw_scores, estimates=estimates, chance=chance.score, kind=kind),
            picture_height(1),
            pictured(f"Average precision with its {kind}, and random order", [cells[1][:3]]),
        )
    call = data.call(average_precision_interval, data.best_model)
    doubts = [] if is_above_chance else [_chance_doubt(data, best, chance)]
    doubts += _width_doubts(data, best, chance) if is_above_chance else _width_doubts(data, best)
    notes = _score_notes(data, best, chance)
    return Part(
        sentence,
        used_columns(cells),
        notes,
        picture,
        call,
        brief=_weak_in_words(data, best, chance, is_above_chance),
        doubts=doubts,
        more=more,
    )


def _weak_in_words(
    data: Predictions, score: Estimate, chance: ChanceLevel, is_above_chance: bool
) -> str:
    """Judge a score that may be one of random orders; empty if it is clearly higher."""
    places = max(3, _score_places(score, chance))  # as chance is near
    numbers = f"{score.brief(data.interval_kind, fewest=places)} against {chance.score:.{places}f}"
    if not is_above_chance:
        be = "scores less than" if score.value < chance.score else "is not shown to be better than"
        return f"{data.subject} {be} a random order: {numbers}."
    if score.low <= chance.score:  # the p-value alone is small
        return f"{data.subject} is barely better than a random order, if at all: {numbers}."
    return ""


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
        return [f"{interval}, {limits}, reaches down to a random order, {number(chance.score)}."]
    return []


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


def _score_places(score: Estimate, chance: ChanceLevel) -> int:
    """Count the decimal places that a low score needs beside that of random orders."""
    is_low = score.value < max(LOW_SCORE, NEAR_CHANCE * chance.score)
    return decimal_places(number(chance.score)) if is_low else 0


def _score_notes(data: Predictions, score: Estimate, chance: ChanceLevel) -> list[str]:
    """Explain the score, and name the options that it depends on."""
    value = as_printed(score, _score_places(score, chance)).value
    share = percent(float(value))
    over_queries = " and over the queries" if "queries" in data.options else ""
    notes = [
        f"An average precision of {value} means: if you go down the ranking and "
        f"stop at each positive, {share} of the rows so far are positive, on average over these "
        f"stops{over_queries}. A perfect ranking scores 1, and random orders score the prevalence "
        f"or slightly more."
    ]
    if data.is_chosen and not isnan(score.low):
        notes.append(
            "Each interval is for one model by itself. Those of the next part allow for the choice "
            "of the best, so their lower limits are lower."
        )
    if "prevalence" in data.options:
        notes.append(f"All scores are those at a prevalence of {data.options['prevalence']:.3g}.")
    if "sample_weight" in data.options:
        notes.append("With weights, the chance level is the score of equal scores.")
    elif "clusters" in data.options:
        notes.append("There is no p-value, as the rows of a cluster cannot change places.")
    if "clusters" in data.options:
        unit = data.cluster_noun
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
    doubt = judged_doubt(comparison.judged, comparison.names)
    shown = verdict.sentence.removesuffix(doubt).rstrip()
    sentence = _undecided_in_words(comparison) or shown
    row = _compared_row(comparison)
    change = row_difference(row)
    # It is 0 where both rank the positives alike: more data would not tell them apart.
    may_differ = verdict.decision == UNDECIDED and row["difference_standard_error"] > 0
    advice = _advice(data, "Choose") if may_differ else ""
    cells = _difference_cells(data, comparison)
    alt = pictured("Both scores, and their difference", cells[1:])
    draw = partial(plot_comparison, data.name_units(comparison), order=[*data.values])
    return Part(
        sentence,
        cells,
        remarks(comparison._table()),
        Picture(draw, 2.8, alt, n_axes=2),
        data.call(compare_average_precision, None, **data.comparison_options),
        brief=" ".join(filter(None, [sentence, advice, doubt, _scores_in_words(data, change)])),
        more=[*filter(None, [advice, doubt])],
        advice=advice,
    )


def _advice(data: Predictions, choose: str) -> str:
    """Say what to do where the data do not decide."""
    return f"{choose} on other grounds, or collect more {data.sampled_units}."


def _compared_row(comparison: AveragePrecisionComparison) -> Row:
    """Return the row of the one model that is compared with the reference."""
    (row,) = (row for row in comparison.rows() if row["name"] != comparison.reference)
    return row


def _undecided_in_words(comparison: AveragePrecisionComparison) -> str:
    """Say which model scores more where no difference is shown; empty if the verdict says more.

    The interval is of the model that is named first, so that its signs can be read.
    """
    (verdict,) = comparison.verdicts
    row = _compared_row(comparison)
    change = row_difference(row)
    value, low, high = printed(change, "+")
    if verdict.decision != UNDECIDED or not change.low <= 0 <= change.high or not float(value):
        return ""
    names = f"{row['name']} scores {value.lstrip('+')} more than {comparison.reference}"
    return f"{names}, but anything from {low} to {high} fits: no difference is shown."


def _scores_in_words(data: Predictions, change: Estimate) -> str:
    """Give the scores of two models, and that of random orders."""
    scores = [data.estimate(Step(), name) for name in data.values]
    places = _places_that_add_up(scores, change)
    first, second = (
        f"{name} {verb}{as_printed(score, places).value}"
        for name, verb, score in zip(data.values, ("scores ", ""), scores, strict=True)
    )
    chance = number(data.chance_level(data.best_model).score)
    return f"{first}, {second}, and a random order {chance}."


def _places_that_add_up(scores: Sequence[Estimate], change: Estimate) -> int:
    """Return the fewest decimal places of two scores whose difference is the printed one.

    Readers subtract: 0.48 and 0.24 do not differ by 0.23, but 0.476 and 0.244 do by about that.
    """
    highest, lowest = (float(printed(score).value) for score in scores)
    difference = abs(float(printed(change, "+").value))
    return 0 if isclose(highest - lowest, difference, abs_tol=1e-9) else MOST_PLACES


def _difference_cells(data: Predictions, comparison: AveragePrecisionComparison) -> list[list[str]]:
    kind = f"[{data.interval_kind}]"
    reference = comparison.reference
    cells = [["model", f"average precision {kind}", f"minus {reference} {kind}", "p-value"]]
    for row in sorted(comparison.rows(), key=lambda row: -row["estimate"]):
        score = row_score(row)
        change = row_difference(row)
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
    head = f"AP [{data.interval_kind}, valid for the best]"
    cells = [["model", head, "may be best"]]
    rows = best.rows()
    for row in rows[:MOST_LINES]:
        score = as_cell(row_score(row))
        cells.append([row["name"], score, "yes" if row["may_be_best"] else ""])
    height = picture_height(len(best.names))
    alt = pictured("All scores, and what may be best", cells[1:])
    doubt = judged_doubt(best.judged, best.names)
    sentence = best.verdicts[0].sentence.removesuffix(doubt).rstrip()
    n_candidates = len(best.may_be_best)
    advice = _advice(data, "Choose among these") if n_candidates > 1 else ""
    return Part(
        sentence,
        _add_judged_shares(cells, best.judged),
        _best_notes(data, best),
        Picture(data.name_units(best).plot, height, alt),
        data.call(best_average_precision, None),
        brief=" ".join(filter(None, [*_best_in_short(data, best, advice), doubt])),
        doubts=_choice_doubts(best),
        more=[*filter(None, [advice, doubt])],
        first_rows=range(min(max(FIRST_ROWS, n_candidates), MOST_ROWS)),
        advice=advice,
    )


def _best_in_short(data: Predictions, best: BestAveragePrecision, advice: str) -> list[str]:
    """Name the model with the highest score, its rivals, the next one, and random orders."""
    interval = describe(Estimate(best.estimate, best.low, best.high), data.interval_kind)
    first = f"{best.name} scores highest of {len(best.names)} models, {interval}"
    rivals = [name for name in best.may_be_best if name != best.name]
    claim = f"but {names_in_words(rivals)} may be the best, too" if rivals else "and is the best"
    chance = number(data.chance_level(best.name).score)
    scores = f"{_lead_in_words(data, best)}; a random order scores {chance}."
    return [f"{first}, {claim}.", advice, scores]


def _lead_in_words(data: Predictions, best: BestAveragePrecision) -> str:
    """Write how much more the best model scores than the next one.

    Both were chosen by their scores, which needs no wider interval: its lower limit holds for the
    lead of the best over all others (Hung and Fithian 2019, "Rank verification for exponential
    families").
    """
    second = best.names[1]
    pair = {name: data.y_scores[name] for name in (second, best.name)}
    options = data.arguments(compare_average_precision)
    comparison = compare_average_precision(data.y_true, pair, **options)
    change = row_difference(_compared_row(comparison))
    words = change.brief(data.interval_kind, "+")
    value, space, limits = words.partition(" ")
    if isnan(change.low):
        return f"{second}, the next, scores {number(change.value)} less"
    return f"{best.name} scores {value.lstrip('+')} more than {second}, the next{space}{limits}"


def _best_notes(data: Predictions, best: BestAveragePrecision) -> list[str]:
    """Explain the confidence in the best, and why intervals are wider than those of one model."""
    wide = printed(Estimate(best.estimate, best.low, best.high))
    alone = printed(data.estimate(Step(), best.name))
    notes = [f"With {level_as_text(data.level)} confidence, the best is one that may be best."]
    if not isnan(best.low) and wide != alone:
        notes.append(
            f"The lower limits hold for all {len(best.names)} models at once, so the interval of "
            f"{best.name}, {wide.low} to {wide.high}, allows for its choice. By itself, it would "
            f"be {alone.low} to {alone.high}."
        )
    if len(best.names) > MOST_LINES:
        notes.append(f"{len(best.names) - MOST_LINES} more models score lower.")
    return notes


def _choice_doubts(best: BestAveragePrecision) -> list[str]:
    """Say how much the choice of the best model adds to its score, unless it is next to nothing."""
    choice = f"The choice among {len(best.names)} models"
    if isnan(best.optimism):
        return [f"{choice} makes the score of {best.name} too high."] * (len(best.may_be_best) > 1)
    size = f"{best.optimism:.1g}"
    if best.optimism < LEAST_OPTIMISM:
        return []
    return [f"{choice} adds about {size} to the score of {best.name}."]


def _difference_in_words(data: Predictions, kind: str) -> str:
    """Write the difference of the better model from the other one."""
    comparison = data.ask(compare_average_precision, None, **data.comparison_options)
    row = _compared_row(comparison)
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
    table = data.ask(function, name, **options).to_paper(**printing)
    if name and not data.is_single_model:  # a single score has no name in its table
        table = table.replace("\n| score |", f"\n| {escape_markdown(printable(model))} |", 1)
    estimate = _paper_estimate(data)
    interval = "its simultaneous interval" if data.is_chosen else "its interval"
    rank = f" as the best of {len(data.y_scores)} models," if data.is_chosen else ""
    limits = f"{interval}, {estimate.low} to {estimate.high}"
    return Part(
        f"Report {estimate.value}{rank} with {limits}, and no more digits.",
        notes=[EFFECTIVE] if "effective positives" in table else [],
        call=f"print({data.call(function, name, **options)}.to_paper({typed}))",
        copied_text=f"{printable(_paper_text(data))}\n\n{table}",
    )


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
    return as_printed(score, _score_places(score, data.chance_level(data.best_model)))


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
    choice = f", the best of {len(data.y_scores)} models," if data.is_chosen else ""
    simultaneous = "simultaneous " if data.is_chosen else ""
    text = (
        f"{PAPER} of {model}{choice}{deployment} was {estimate.value} ({simultaneous}{kind} "
        f"{estimate.low} to {estimate.high}; {data.y_true.sum():,} positives among "
        f"{data.n_rows:,} rows{clusters}), where {number(data.chance_level(model).score)} is "
        f"expected by chance."
    )
    return f"{text} {_difference_in_words(data, kind)}" if len(data.y_scores) == 2 else text
