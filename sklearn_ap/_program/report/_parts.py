"""The parts of a report: each asks public functions, and says first what matters."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any, NamedTuple

import numpy as np

from sklearn_ap import compat
from sklearn_ap._base.common.types import Axes, Keywords
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.named_rows import draw_named
from sklearn_ap._base.extras import printable
from sklearn_ap._base.inputs.checks import predicted_classes
from sklearn_ap._base.inputs.name_codes import codes_of
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import (
    Printed,
    first_and_more,
    level_as_text,
    number_as_text,
    pvalue_as_text,
    pvalue_in_words,
    weight_as_text,
)
from sklearn_ap._program.report._predictions import (
    MANY_ROWS,
    ChanceLevel,
    Estimate,
    Predictions,
)
from sklearn_ap._program.report.page import (
    DASH,
    LESS_OR_EQUAL,
    Part,
    Picture,
    add_warnings,
    omitted_part,
    warned_texts,
)
from sklearn_ap._questions.best_of_many.best import best_average_precision
from sklearn_ap._questions.intervals.comparison import compare_average_precision
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.judged import JudgedShares
from sklearn_ap._questions.operating_points.operating_point import OperatingPoint, operating_point
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._scikit_learn.displays.average_precision import (
    AveragePrecisionDisplay,
    undrawn_display,
    warn_of_undefined,
)
from sklearn_ap.compat._evaluation import FunctionResult, as_number
from sklearn_ap.compat._tools import WELL_KNOWN
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK, Step

DATA = "What the data are"
RANKS = 10, 100, 0.01
RECALLS = 0.25, 0.5, 0.75, 0.9
PRECISIONS = 0.5, 0.8, 0.9
FEWEST_COPIES = 0.01  # a share of the rows; fewer that are alike may be chance
MOST_COPIES = 0.75  # more are alike because there are few values
MOST_PICTURE_ROWS = 40  # more names are drawn closer together
PAPER = "The step average precision (area under the precision-recall curve, without interpolation)"


def make_parts(data: Predictions) -> tuple[Part, ...]:
    """Make all parts. One that refuses these data says why, and the last has all warnings."""
    parts: list[Part] = []
    for title, make in ({DATA: data_part} if class_problem(data) else PARTS).items():
        with warned_texts() as texts:
            try:
                part = make(data)
            except ValueError as error:
                part = omitted_part(error)
        parts.append(replace(part, title=title, warnings=texts))
    return add_warnings(parts)


# ---- the data


def class_problem(data: Predictions) -> str:
    """Say why nothing can be scored; empty if both classes are present."""
    if not data.y_true.any():
        return "No row is positive, so average precision is not defined."
    return "Every row is positive, so every order scores 1." if data.y_true.all() else ""


def data_part(data: Predictions) -> Part:
    n = data.n_rows
    n_positives = int(data.y_true.sum())
    facts = f"{n:,} rows, {n_positives:,} positive ({100 * n_positives / n:.3g}%)"
    for role in ("queries", "clusters"):
        if n_names := data.count_names(role):
            facts += f", {n_names:,} {role}"
    cells = [["model", "distinct scores", "tied rows", "lowest", "highest", "not retrieved"]]
    judged = data.judged
    cells[0] += [] if judged is None else [judged.head]
    for name, score in data.y_scores.items():
        values, counts = np.unique(score[score > -np.inf], return_counts=True)
        lowest_and_highest = [DASH, DASH]
        if values.size:
            lowest_and_highest = [f"{value:.6g}" for value in values[[0, -1]]]
        tied_percent = 100 * counts[counts > 1].sum() / n
        cells.append(
            [
                name,
                f"{values.size:,}",
                f"{tied_percent:.3g}%",
                *lowest_and_highest,
                f"{n - counts.sum():,}",
                *([] if judged is None else [judged.cell(name)]),
            ]
        )
    problems = [*filter(None, [class_problem(data)]), *_problems(data)]
    if not problems:
        return Part(f"{facts}. Nothing looks wrong with labels and scores.", cells)
    return Part(f"{facts}. Look at this first: {problems[0]}", cells, problems[1:])


def _problems(data: Predictions) -> list[str]:
    """List what looks wrong with labels and scores."""
    problems = []
    for name, score in data.y_scores.items():
        problems += [f"{name}: {text}" for text in predicted_classes(score)]
        if np.all(score == score[0]):
            problems.append(f"{name}: All scores are equal.")
    problems += data.doubts
    if data.judged is not None:
        problems += [warning.args[0] for warning in data.judged.doubts()]
    if len({*data.values.values()}) < len(data.values):
        problems.append("The models give equal scores.")
    if n_copies := _count_copies(data):
        problems.append(
            f"{n_copies:,} rows repeat the label and all scores of another row. If they are "
            f"copies, leave them out. If they belong together, pass clusters."
        )
    if data.count_names("clusters") == data.n_rows:
        problems.append("Each row is a cluster of its own, so clusters say nothing.")
    return problems


def _count_copies(data: Predictions) -> int:
    """Count rows that repeat another one, where neither rounding nor few values explains it."""
    columns = [data.y_true, *data.y_scores.values()]
    with np.errstate(over="ignore"):  # of scores near the largest float
        if all(np.array_equal(np.round(score, 4), score) for score in columns[1:]):
            return 0
    if "queries" in data.options:
        columns.append(codes_of(data.options["queries"], "queries")[0])
    order = np.lexsort(columns)
    ordered = [column[order] for column in columns]
    repeats = np.logical_and.reduce([column[1:] == column[:-1] for column in ordered])
    n = int(np.count_nonzero(repeats))
    return n if max(1, FEWEST_COPIES * data.n_rows) < n < MOST_COPIES * data.n_rows else 0


# ---- the score, and whether a model is better


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
        sentence += " It is not sure that it is better than a random order."
    picture = Picture(
        partial(_draw_scores, estimates=estimates, chance=chance.score, kind=data.interval_kind),
        _picture_height(len(estimates)),
        f"Average precision, {data.interval_kind}, and random order.",
    )
    call = data.call(average_precision_interval, data.best_model)
    return Part(sentence, cells, _score_notes(data, best), picture, call)


def _is_above_chance(score: Estimate, chance: ChanceLevel, error_rate: float) -> bool:
    """Tell by the p-value, or by the interval where there is none that is small enough."""
    if chance.pvalue >= 0 and error_rate * (chance.n_orders + 1) >= 1:
        return chance.pvalue <= error_rate
    return not score.low <= chance.score


def _draw_scores(axis: Axes, estimates: dict[str, Estimate], chance: float, kind: str) -> None:
    values, lows, highs = map(np.array, zip(*estimates.values(), strict=True))
    draw_named(axis, [*estimates], values, lows, highs)
    low, high = axis.get_xlim()
    axis.set_xlim(min(low, chance - 0.05 * (high - low)), high)
    axis.axvline(chance, **REFERENCE_STYLE, linestyle=":")
    axis.set_xlabel(f"average precision, {kind}; dotted: random order")


def _score_notes(data: Predictions, score: Estimate) -> list[str]:
    """Say what a score means, and what it depends on."""
    number = score.describe("").split(" ")[0]
    share = f"{100 * score.value:.3g}%"
    notes = [
        f"An average precision of {number} means: if you go down the ranking and stop at each "
        f"positive, {share} of the rows so far are positive, on average over these stops"
        f"{' and over the queries' * ('queries' in data.options)}. A perfect ranking scores 1, and "
        f"random orders score the prevalence or slightly more."
    ]
    if "prevalence" in data.options:
        notes.append(f"All scores are those at a prevalence of {data.options['prevalence']:.3g}.")
    if "sample_weight" in data.options:
        notes.append("Rows with weights have no random order: equal scores stand for it.")
    elif "clusters" in data.options:
        notes.append("There is no p-value, as the rows of a cluster cannot change places.")
    return notes


class ModelDifference(NamedTuple):
    """The difference of the better of two models from the other one, and the p-value."""

    lower: str
    higher: str
    change: Estimate
    pvalue: float


def comparison_part(data: Predictions) -> Part:
    n_models = len(data.y_scores)
    if n_models == 1:
        return Part("There is one model. Pass the scores of several to compare them.")
    return _two_models(data) if n_models == 2 else _best_model(data)


def _two_models(data: Predictions) -> Part:
    comparison = data.ask(compare_average_precision, None)
    difference = _difference(data)
    doubt = "" if difference.pvalue < 1 - data.level else "It is not sure that "
    words = difference.change.describe(data.interval_kind, "+", difference.pvalue)
    return Part(
        f"{doubt}{difference.higher} is better than {difference.lower}: {words}."
        f"{_judged_doubt(comparison.judged)}",
        comparison._table().cells,
        _remarks(comparison),
        Picture(comparison.plot, 2.1, "Both scores, and their difference.", n_axes=2),
        data.call(compare_average_precision, None),
    )


def _best_model(data: Predictions) -> Part:
    best = data.ask(best_average_precision, None)
    n_models = len(data.y_scores)
    rivals = [name for name in best.may_be_best if name != best.name]
    score = Estimate(best.estimate, best.low, best.high).describe(data.interval_kind)
    sentence = f"{best.name} is the best of {n_models} models, with {score}."
    if rivals:
        sentence = f"It is not sure that {best.name}, with {score}, is the best of {n_models} "
        sentence += f"models: {first_and_more(rivals, 5)} may be, too."
    height = _picture_height(len(best.names))
    return Part(
        sentence + _judged_doubt(best.judged),
        best._table().cells,
        _remarks(best),
        Picture(best.plot, height, "All scores; in colour what may be best."),
        data.call(best_average_precision, None),
    )


def _judged_doubt(judged: JudgedShares | None) -> str:
    if judged is None or not judged.doubts():
        return ""
    return " This may be wrong, as unlike shares of their documents were judged."


def _difference(data: Predictions) -> ModelDifference:
    """Compare two models, so that the difference is not negative."""
    comparison = data.ask(compare_average_precision, None)
    change = float(comparison.differences[1])
    low = float(comparison.difference_lows[1])
    high = float(comparison.difference_highs[1])
    pvalue = float(comparison.pvalues[1])
    first, second = comparison.names
    if change >= 0:
        return ModelDifference(first, second, Estimate(change, low, high), pvalue)
    return ModelDifference(second, first, Estimate(-change, -high, -low), pvalue)


# ---- the curve, the top rows and the thresholds


def curve_part(data: Predictions) -> Part:
    # Options of rows that depend on each other, which have no band.
    dependent = [name for name in data.options if name not in ("prevalence", "confidence_level")]
    cells = [["recall", *(f"precision of {name}" for name in data.shown_models)]]
    for recall in RECALLS:
        estimates = [data.estimate(PrecisionAtRecall(recall), name) for name in data.shown_models]
        cells.append([f"{recall:g}", *(estimate.cell for estimate in estimates)])
    model = data.best_model
    precision = data.estimate(PrecisionAtRecall(0.5), model).describe(data.interval_kind)
    sentence = f"Where {model} finds half of the positives, its precision is {precision}."
    notes = _limits_notes(data)
    if dependent:
        notes.append(f"A band needs independent rows of one ranking, without {dependent[0]}.")
    else:
        notes.append(
            "The band of the picture holds at all recalls at once, so it is wider than the "
            "intervals of the table, which hold at one recall each."
        )
    draw = partial(_draw_curves, displays=_curves(data, band=not dependent))
    picture = Picture(draw, 3.4, f"Precision over recall{'' if dependent else ' in a band'}.")
    options: Keywords = {} if dependent else {"band": True}
    call = data.call(AveragePrecisionDisplay.from_predictions, model, **options)
    return Part(sentence, cells, notes, picture, call)


def _curves(data: Predictions, band: bool) -> list[AveragePrecisionDisplay]:
    """Make the curves of the models that are shown, with the warnings of each."""
    displays = []
    options = data.arguments(AveragePrecisionDisplay.from_predictions)
    level = options.pop("confidence_level")
    for name in data.shown_models:
        has_band = band and (name == data.best_model or len(data.shown_models) < 3)
        request = Request(y_true=data.y_true, y_score=data.y_scores[name], average=None, **options)
        display = undrawn_display(
            AveragePrecisionDisplay, request, confidence_level=level, band=has_band, name=name
        )
        warn_of_undefined(display)
        displays.append(display)
    return displays


def _draw_curves(axis: Axes, displays: list[AveragePrecisionDisplay]) -> None:
    for display in displays:
        display.plot(axis)


def top_rows_part(data: Predictions) -> Part:
    n_rows = data.n_rows
    place = ""
    if "queries" in data.options:
        n_rows //= data.count_names("queries")
        place = " of a query"
    heads = _rank_heads(n_rows)
    if not heads:
        raise ValueError(f"There are no more rows{place} than 10.")
    cells = [["top", "model", "precision", "recall", "AP of the top"]]
    for k, head in heads.items():
        for name in data.shown_models:
            definitions = (PrecisionAtK(k), RecallAtK(k), AtK(k))
            scores = [data.estimate(definition, name).cell for definition in definitions]
            cells.append([head if name == data.best_model else "", name, *scores])
    k = 100 if 100 in heads else next(iter(heads))
    model = data.best_model
    precision = data.estimate(PrecisionAtK(k), model)
    recall = data.estimate(RecallAtK(k), model)
    sentence = (
        f"Of the top {k} rows{place} by {model}, {precision.value * k:.3g} are positive: a "
        f"precision of {precision.describe(data.interval_kind)}, and {100 * recall.value:.3g}% of "
        f"the positives."
    )
    notes = _limits_notes(data)
    if "prevalence" in data.options:
        notes.append("They are shares of the sample: a prevalence does not go with the top rows.")
    call = data.call(average_precision_interval, model, definition=PrecisionAtK(k))
    return Part(sentence, cells, notes, call=call)


def _rank_heads(n_rows: int) -> dict[float, str]:
    """Name the numbers of top rows that a ranking has, as {10: "10", 0.01: "1% (25)"}."""
    ranks = {k: k if k >= 1 else round(k * n_rows) for k in RANKS}
    return {
        k: f"{k}" if k == rank else f"1% ({rank:,})"
        for k, rank in ranks.items()
        if 1 < rank < n_rows and (k == rank or rank not in RANKS)
    }


def _limits_notes(data: Predictions) -> list[str]:
    """Say which models are shown, and from how many resamples their limits are."""
    notes = []
    if len(data.y_scores) > len(data.shown_models):
        notes.append(f"The {len(data.shown_models)} models with the highest scores are shown.")
    if data.is_slow:
        notes.append("Intervals are left out, as with weights or clusters they take minutes.")
    elif data.n_rows > MANY_ROWS:
        notes.append("Intervals are from 99 resamples, as there are many rows.")
    return notes


def thresholds_part(data: Predictions) -> Part:
    cells = [["precision of", "model", "threshold", "rows", "precision", "recall"]]
    for goal in PRECISIONS:
        for name in data.shown_models:
            point = _point(data, name, goal)
            numbers = ["none", "0", DASH, DASH]
            if not point.remark:
                numbers = [
                    point.printed_threshold,
                    weight_as_text(point.n_selected),
                    _precision_of(point).cell,
                    _recall_of(point).cell,
                ]
            cells.append([f"{goal:g}" if name == data.best_model else "", name, *numbers])
    point = data.ask(operating_point, data.best_model, precision=0.8)
    sentence = f"No threshold of {data.best_model} has a precision of 0.8 in these rows."
    if not point.remark:
        precision = _precision_of(point).describe(data.interval_kind)
        recall = _recall_of(point).describe(data.interval_kind)
        sentence = (
            f"For a precision of 0.8, select the rows that {data.best_model} scores "
            f"{point.printed_threshold} or higher: {weight_as_text(point.n_selected)} rows, with a "
            f"precision of {precision} and a recall of {recall}."
        )
    note = "The true precision at such a threshold is below its goal in half of the samples."
    if not {"sample_weight", "clusters"} & data.options.keys():
        note += f" {_safer_threshold(data)}"
    call = data.call(operating_point, data.best_model, precision=0.8)
    return Part(sentence, cells, [note], call=call)


def _point(data: Predictions, name: str, goal: float) -> OperatingPoint:
    """Find the threshold of a model. Its name stands in the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        point = data.ask(operating_point, name, precision=goal)
    for warning in caught:
        warnings.warn(f"{name}: {warning.message}", UserWarning, stacklevel=2)
    return point


def _safer_threshold(data: Predictions) -> str:
    """Describe the threshold whose true precision reaches its goal in 90% of samples."""
    name = data.best_model
    point = data.ask(operating_point, name, precision=0.8, guarantee=0.9)
    if point.remark:
        return f"No threshold of {name} is sure enough to have a precision of 0.8 in 9 of 10."
    return (
        f"At {point.printed_threshold} or higher, {weight_as_text(point.n_selected)} rows, it is "
        f"below 0.8 in 1 of 10 only (guarantee=0.9)."
    )


def _precision_of(point: OperatingPoint) -> Estimate:
    return Estimate(point.precision, *point.precision_interval)


def _recall_of(point: OperatingPoint) -> Estimate:
    return Estimate(point.recall, *point.recall_interval)


# ---- segments, other tools and papers


def segments_part(data: Predictions) -> Part:
    if data.segments is None:
        return Part("No segments were passed, such as the country or the month of each row.")
    comparison = data.ask(compare_segments, data.best_model, data.segments)
    height = _picture_height(len(comparison.rankings))
    return Part(
        _segments_sentence(data, comparison),
        comparison._table().cells,
        _remarks(comparison),
        Picture(comparison.plot, height, "The score of each segment."),
        data.call(compare_segments, data.best_model),
    )


def _segments_sentence(data: Predictions, comparison: SegmentComparison) -> str:
    """Name the segment that differs most, or say whether all of them differ as a whole."""
    model = data.best_model
    error_rate = 1 - data.level
    is_heterogeneous = comparison.homogeneity_pvalue < error_rate
    homogeneity = f"({pvalue_in_words(comparison.homogeneity_pvalue)})"
    unlike = np.flatnonzero(comparison.adjusted_pvalues < error_rate)
    if unlike.size:
        i = unlike[np.argmax(np.abs(comparison.differences[unlike]))]
        change = Estimate(
            comparison.differences[i],
            comparison.difference_lows[i],
            comparison.difference_highs[i],
        )
        words = change.describe(data.interval_kind, "+", comparison.adjusted_pvalues[i])
        direction = "worse" if change.value < 0 else "better"
        segment = comparison.rankings[i]
        sentence = f"{model} is {direction} in {segment} than in the others: {words}."
        if unlike.size > 1:
            sentence += f" {unlike.size - 1} more differ."
        if not is_heterogeneous:
            sentence += f" The test of all segments does not find a difference {homogeneity}."
        return sentence
    if np.isnan(comparison.differences).all():
        return "No two segments have enough positives to be compared."
    if is_heterogeneous:
        return (
            f"The segments of {model} differ as a whole {homogeneity}; no single one can be named."
        )
    return (
        f"No segment of {model} is clearly unlike the others {homogeneity}. That does not show "
        f"that they are equal."
    )


def tools_part(data: Predictions) -> Part:
    comparison = data.ask(
        compat.compare, data.best_model, omitted=("prevalence",), tools=WELL_KNOWN
    )
    groups = comparison.groups
    cells = [["number", "functions", "why it differs"]]
    for group in groups:
        names = ", ".join(result.name for result in group)
        cells.append([as_number(group[0].value), names, _difference_reason(data, group[0])])
    first, *others = (group[0].value for group in groups if group[0].value is not None)
    functions = f"{len(groups[0])} of {sum(map(len, groups))} well-known functions"
    sentence = f"{functions} print {as_number(first)} for {data.best_model}"
    if others:
        sentence += f"; the others print {as_number(min(others))} to {as_number(max(others))}"
    notes = ["Other tools know no prevalence."] * ("prevalence" in data.options)
    return Part(f"{sentence}.", cells, notes, call=data.call(compat.compare, data.best_model))


def _difference_reason(data: Predictions, result: FunctionResult) -> str:
    """Say why a number differs from that of scikit-learn, or why there is none."""
    if not result.difference:
        return result.refusal or ""
    options = data.arguments(compat.explain, "prevalence")
    y_score = data.y_scores[data.best_model]
    steps = compat.explain(result.name, data.y_true, y_score, **options).steps
    return " ".join(step.why for step in steps if step.has_effect)


def paper_part(data: Predictions) -> Part:
    model = data.best_model
    kind = f"{level_as_text(data.level)} confidence interval"
    number, limits = data.estimate(Step(), model).describe(kind).removesuffix(")").split(" (")
    prevalence = data.options.get("prevalence")
    deployment = "" if prevalence is None else f" at a prevalence of {prevalence:.3g}"
    n_clusters = data.count_names("clusters")
    clusters = f" in {n_clusters:,} clusters" if n_clusters else ""
    text = (
        f"{PAPER} of {model}{deployment} was {number} ({limits}; {data.y_true.sum():,} positives "
        f"among {data.n_rows:,} rows{clusters}), where {data.chance_level(model).score:.2g} is "
        f"expected by chance."
    )
    if len(data.y_scores) == 2:
        difference = _difference(data)
        words = difference.change.describe(kind, "+", difference.pvalue)
        text += f" The difference of {difference.higher} from {difference.lower} on the same rows"
        text += f" was {words}."
    low_to_high = limits.removeprefix(f"{kind} ")
    sentence = f"Report {number} with its interval, {low_to_high}, with two digits as here."
    is_comparison = len(data.y_scores) > 1
    function: Any = compare_average_precision if is_comparison else average_precision_interval
    name = None if is_comparison else model
    return Part(
        sentence,
        call=f"print({data.call(function, name)}.to_paper())",
        copied_text=f"{printable(text)}\n\n{data.ask(function, name).to_paper()}",
    )


# ---- what several parts share


def _picture_height(n_names: int) -> float:
    """Return the inches of a picture with a row for each name."""
    return 1.2 + 0.26 * min(n_names, MOST_PICTURE_ROWS)


def _remarks(result: Printed) -> list[str]:
    """Return the remarks of a result as one sentence, if there are any."""
    text = "; ".join(result._table().remarks)
    return [f"{text[0].upper()}{text[1:]}."] if text else []


def _pvalue_cell(chance: ChanceLevel) -> str:
    """Write a p-value as a bound where no order of those that were drawn is as good."""
    smallest = 1 / (1 + chance.n_orders)
    if isnan(chance.pvalue):
        return DASH
    if chance.pvalue <= smallest:
        return f"{LESS_OR_EQUAL} {smallest:.3g}"
    return pvalue_as_text(chance.pvalue)


PARTS: dict[str, Callable[[Predictions], Part]] = {
    DATA: data_part,
    "The score": score_part,
    "Is one model better?": comparison_part,
    "The curve": curve_part,
    "The top rows": top_rows_part,
    "Thresholds": thresholds_part,
    "Segments": segments_part,
    "What other tools print": tools_part,
    "What to write in a paper": paper_part,
}
