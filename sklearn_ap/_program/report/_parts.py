"""The parts of a report: each asks public functions, and says first what matters."""

import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from math import isnan
from typing import Any

import numpy as np

from sklearn_ap import compat
from sklearn_ap._base.drawing.axes import REFERENCE_STYLE
from sklearn_ap._base.drawing.named_rows import draw_named
from sklearn_ap._base.extras import printable
from sklearn_ap._base.inputs.checks import predicted_class_remarks
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import (
    Table,
    first_and_more,
    level_as_text,
    number_as_text,
    pvalue_as_text,
    pvalue_in_words,
    weight_as_text,
)
from sklearn_ap._program.report._predictions import MANY, Estimate, Predictions
from sklearn_ap._program.report.page import (
    AT_MOST,
    NONE,
    Part,
    Picture,
    left_out,
    warned_texts,
    with_warnings,
)
from sklearn_ap._questions.best_of_many.best import best_average_precision
from sklearn_ap._questions.intervals.comparison import compare_average_precision
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.operating_points.operating_point import operating_point
from sklearn_ap._questions.segments.comparison import compare_segments
from sklearn_ap._scikit_learn.displays.average_precision import (
    AveragePrecisionDisplay,
    prepare_display,
    warn_of_undefined_scores,
)
from sklearn_ap.compat._evaluation import as_number
from sklearn_ap.compat._tools import WELL_KNOWN
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK, Step

DATA = "What the data are"
RANKS = 10, 100, 0.01
RECALLS = 0.25, 0.5, 0.75, 0.9
PRECISIONS = 0.5, 0.8, 0.9
COPIES = 0.01  # of the rows; fewer that are alike may be chance
DIFFERENCE = "differences", "difference_lows", "difference_highs"
PAPER = "The step average precision (area under the precision-recall curve, without interpolation)"


def make_parts(data: Predictions) -> tuple[Part, ...]:
    """All parts; one that refuses these data says why, and the last has all warnings."""
    parts: list[Part] = []
    for title, make in ({DATA: the_data} if one_class(data) else PARTS).items():
        with warned_texts() as said:
            try:
                part = make(data)
            except ValueError as error:
                part = left_out(error)
        parts.append(replace(part, title=title, warnings=said))
    return with_warnings(parts)


# ---- the data


def one_class(data: Predictions) -> str:
    """Why nothing can be scored; empty if both classes are there."""
    if not data.y_true.any():
        return "No row is positive, so average precision is not defined."
    return "Every row is positive, so every order scores 1." if data.y_true.all() else ""


def the_data(data: Predictions) -> Part:
    n, n_positives = data.n_rows, int(data.y_true.sum())
    facts = f"{n:,} rows, {n_positives:,} positive ({100 * n_positives / n:.3g}%)"
    for name in ("queries", "clusters"):
        facts += f", {n_named:,} {name}" if (n_named := data.number_of(name)) else ""
    cells = [["model", "distinct scores", "tied rows", "lowest", "highest", "not retrieved"]]
    judged = data.judged
    cells[0] += [] if judged is None else [judged.head]
    for name, score in data.y_scores.items():
        values, counts = np.unique(score[score > -np.inf], return_counts=True)
        ends = [f"{each:.6g}" for each in values[[0, -1]]] if values.size else [NONE, NONE]
        tied, n_missed = 100 * counts[counts > 1].sum() / n, n - counts.sum()
        of_run = [] if judged is None else [judged.cell(name)]
        cells.append([name, f"{values.size:,}", f"{tied:.3g}%", *ends, f"{n_missed:,}", *of_run])
    wrong = [*filter(None, [one_class(data)]), *_what_looks_wrong(data)]
    if not wrong:
        return Part(f"{facts}. Nothing looks wrong with labels and scores.", cells)
    return Part(f"{facts}. Look at this first: {wrong[0]}", cells, wrong[1:])


def _what_looks_wrong(data: Predictions) -> list[str]:
    wrong = []
    for name, score in data.y_scores.items():
        wrong += [f"{name}: {text}" for text in predicted_class_remarks(score)]
        wrong += [f"{name}: All scores are equal."] if np.all(score == score[0]) else []
    wrong += data.doubts
    wrong += [] if data.judged is None else [each.args[0] for each in data.judged.doubts()]
    wrong += ["The models give equal scores."] * (len({*data.values.values()}) < len(data.values))
    if n_copies := _n_copies(data):
        wrong.append(
            f"{n_copies:,} rows repeat the label and all scores of another row. If they are "
            f"copies, leave them out. If they belong together, pass clusters."
        )
    if data.number_of("clusters") == data.n_rows:
        wrong.append("Each row is a cluster of its own, so clusters say nothing.")
    return wrong


def _n_copies(data: Predictions) -> int:
    """How many rows repeat another one, where neither rounding nor few values explains it."""
    columns = [data.y_true, *data.y_scores.values()]
    with np.errstate(over="ignore"):  # of scores near the largest float
        if all(np.array_equal(np.round(score, 4), score) for score in columns[1:]):
            return 0
    if "queries" in data.options:
        columns.append(encode_names(data.options["queries"], "queries")[0])
    order = np.lexsort(columns)
    repeats = np.logical_and.reduce([each[order][1:] == each[order][:-1] for each in columns])
    n = int(np.count_nonzero(repeats))
    return n if max(1, COPIES * data.n_rows) < n < 0.75 * data.n_rows else 0


# ---- the score, and whether a model is better


def the_score(data: Predictions) -> Part:
    estimates = {name: data.estimate(Step(), name) for name in data.values}
    chances = {name: data.chance(name) for name in data.values}
    cells = [["model", f"average precision [{data.kind}]", "random order", "p-value"]]
    for name, each in estimates.items():
        chance, pvalue, n_orders = chances[name]
        cells.append([name, each.cell, number_as_text(chance), _pvalue(pvalue, n_orders)])
    best, (chance, pvalue, n_orders) = estimates[data.best], chances[data.best]
    has = "has" if len(estimates) == 1 else "ranks best, with"
    score = f"an average precision of {best.in_words(data.kind)}"
    sentence = f"{data.best} {has} {score}; a random order has {chance:.2g}."
    error = 1 - data.level
    is_told = pvalue >= 0 and error * (n_orders + 1) >= 1  # so small p-values exist
    if pvalue > error if is_told else best.low <= chance:
        sentence += " It is not sure that it is better than a random order."
    draw = partial(_draw_scores, estimates=estimates, chance=chance, kind=data.kind)
    about = f"Average precision, {data.kind}, and random order."
    picture = Picture(draw, _height(estimates), about)
    call = data.call(average_precision_interval, data.best)
    return Part(sentence, cells, _what_it_means(data, best), picture, call)


def _draw_scores(axis: Any, estimates: dict[str, Estimate], chance: float, kind: str) -> None:
    draw_named(axis, [*estimates], *map(np.array, zip(*estimates.values(), strict=True)))
    low, high = axis.get_xlim()
    axis.set_xlim(min(low, chance - 0.05 * (high - low)), high)
    axis.axvline(chance, **REFERENCE_STYLE, linestyle=":")
    axis.set_xlabel(f"average precision, {kind}; dotted: random order")


def _what_it_means(data: Predictions, score: Estimate) -> list[str]:
    number, share = score.in_words("").split(" ")[0], f"{100 * score.value:.3g}%"
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


def is_one_better(data: Predictions) -> Part:
    n = len(data.y_scores)
    if n == 1:
        return Part("There is one model. Pass the scores of several to compare them.")
    asked: Any = compare_average_precision if n == 2 else best_average_precision
    comparison = data.ask(asked, None)
    if n == 2:
        first, second, change, pvalue = _difference(data)
        is_sure = "" if pvalue < 1 - data.level else "It is not sure that "
        words = change.in_words(data.kind, "+", pvalue)
        sentence = f"{is_sure}{second} is better than {first}: {words}."
        picture = Picture(comparison.plot, 2.1, "Both scores, and their difference.", n_axes=2)
    else:
        others = [name for name in comparison.may_be_best if name != comparison.name]
        score = Estimate(comparison.estimate, comparison.low, comparison.high).in_words(data.kind)
        sentence = f"{comparison.name} is the best of {n} models, with {score}."
        if others:
            sentence = f"It is not sure that {comparison.name}, with {score}, is the best of {n} "
            sentence += f"models: {first_and_more(others, 5)} may be, too."
        picture = Picture(
            comparison.plot, _height(comparison.names), "All scores; in colour what may be best."
        )
    if comparison.judged is not None and comparison.judged.doubts():
        sentence += " This may be wrong, as unlike shares of their documents were judged."
    return Part(sentence, *_cells_and_note(comparison), picture, data.call(asked, None))


def _difference(data: Predictions) -> tuple[str, str, Estimate, float]:
    """The lower and the higher of two models, the difference with its limits, and the p-value."""
    comparison = data.ask(compare_average_precision, None)
    change, low, high = (float(getattr(comparison, name)[1]) for name in DIFFERENCE)
    if change >= 0:
        return *comparison.names, Estimate(change, low, high), float(comparison.pvalues[1])
    return *comparison.names[::-1], Estimate(-change, -high, -low), float(comparison.pvalues[1])


# ---- the curve, the top rows and the thresholds


def the_curve(data: Predictions) -> Part:
    dependent = [each for each in data.options if each not in ("prevalence", "confidence_level")]
    cells = [["recall", *(f"precision of {name}" for name in data.shown)]]
    for recall in RECALLS:
        estimates = [data.estimate(PrecisionAtRecall(recall), name) for name in data.shown]
        cells.append([f"{recall:g}", *(each.cell for each in estimates)])
    share = data.estimate(PrecisionAtRecall(0.5), data.best).in_words(data.kind)
    sentence = f"Where {data.best} finds half of the positives, its precision is {share}."
    notes = _about_limits(data)
    if not dependent:
        notes.append(
            "The band of the picture holds at all recalls at once, so it is wider than the "
            "intervals of the table, which hold at one recall each."
        )
    if dependent:
        notes.append(f"A band needs independent rows of one ranking, without {dependent[0]}.")
    draw = partial(_draw_curves, displays=_curves(data, band=not dependent))
    picture = Picture(draw, 3.4, f"Precision over recall{'' if dependent else ' in a band'}.")
    asked, band = AveragePrecisionDisplay.from_predictions, {} if dependent else {"band": True}
    return Part(sentence, cells, notes, picture, data.call(asked, data.best, **band))


def _curves(data: Predictions, band: bool) -> list[AveragePrecisionDisplay]:
    """The curves of the models that are shown, and the warnings that come with them."""
    displays = []
    options = data.arguments(AveragePrecisionDisplay.from_predictions)
    level = options.pop("confidence_level")
    for name in data.shown:
        has_band = band and (name == data.best or len(data.shown) < 3)
        request = Request(y_true=data.y_true, y_score=data.y_scores[name], average=None, **options)
        beside = {"confidence_level": level, "band": has_band, "name": name}
        display = prepare_display(AveragePrecisionDisplay, request, **beside)
        warn_of_undefined_scores(display)
        displays.append(display)
    return displays


def _draw_curves(axis: Any, displays: list[AveragePrecisionDisplay]) -> None:
    for display in displays:
        display.plot(axis)


def first_rows(data: Predictions) -> Part:
    n, of_query = data.n_rows, ""
    if "queries" in data.options:
        n, of_query = n // data.number_of("queries"), " of a query"
    ranks = {k: k if k >= 1 else round(k * n) for k in RANKS}
    ranks = {k: m for k, m in ranks.items() if 1 < m < n and (k == m or m not in RANKS)}
    heads = {k: f"{k}" if k == m else f"1% ({m:,})" for k, m in ranks.items()}
    if not heads:
        raise ValueError(f"There are no more rows{of_query} than 10.")
    cells = [["top", "model", "precision", "recall", "AP of the top"]]
    for k, head in heads.items():
        for name in data.shown:
            numbers = [data.estimate(of(k), name).cell for of in (PrecisionAtK, RecallAtK, AtK)]
            cells.append([head if name == data.best else "", name, *numbers])
    k = 100 if 100 in heads else next(iter(heads))
    precision, recall = (data.estimate(of(k), data.best) for of in (PrecisionAtK, RecallAtK))
    sentence = (
        f"Of the top {k} rows{of_query} by {data.best}, {precision.value * k:.3g} are positive: "
        f"a precision of {precision.in_words(data.kind)}, and {100 * recall.value:.3g}% of the "
        f"positives."
    )
    at_own = ["They are shares of the sample: a prevalence does not go with the top rows."]
    notes = _about_limits(data) + at_own * ("prevalence" in data.options)
    call = data.call(average_precision_interval, data.best, definition=PrecisionAtK(k))
    return Part(sentence, cells, notes, call=call)


def _about_limits(data: Predictions) -> list[str]:
    notes = []
    if len(data.y_scores) > len(data.shown):
        notes.append(f"The {len(data.shown)} models with the highest scores are shown.")
    if data.is_slow:
        notes.append("Intervals are left out, as with weights or clusters they take minutes.")
    elif data.n_rows > MANY:
        notes.append("Intervals are from 99 resamples, as there are many rows.")
    return notes


def thresholds(data: Predictions) -> Part:
    cells = [["precision of", "model", "threshold", "rows", "precision", "recall"]]
    for goal in PRECISIONS:
        for name in data.shown:
            point = _point(data, name, goal)
            found = ["none", "0", NONE, NONE]
            if not point.remark:
                found = [point.printed_threshold, weight_as_text(point.n_selected)]
                found += [each.cell for each in _precision_and_recall(point)]
            cells.append([f"{goal:g}" if name == data.best else "", name, *found])
    point = data.ask(operating_point, data.best, precision=0.8)
    sentence = f"No threshold of {data.best} has a precision of 0.8 in these rows."
    if not point.remark:
        precision, recall = (each.in_words(data.kind) for each in _precision_and_recall(point))
        sentence = (
            f"For a precision of 0.8, select the rows that {data.best} scores "
            f"{point.printed_threshold} or higher: {weight_as_text(point.n_selected)} rows, with a "
            f"precision of {precision} and a recall of {recall}."
        )
    note = "The true precision at such a threshold is below its goal in half of the samples."
    if not {"sample_weight", "clusters"} & data.options.keys():
        note += f" {_a_safer_threshold(data)}"
    return Part(sentence, cells, [note], call=data.call(operating_point, data.best, precision=0.8))


def _point(data: Predictions, name: str, goal: float) -> Any:
    """A threshold of a model, whose name stands in its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        point = data.ask(operating_point, name, precision=goal)
    for each in caught:
        warnings.warn(f"{name}: {each.message}", UserWarning, stacklevel=2)
    return point


def _a_safer_threshold(data: Predictions) -> str:
    """What a threshold is whose true precision is as asked for in 90% of samples."""
    sure = data.ask(operating_point, data.best, precision=0.8, guarantee=0.9)
    if sure.remark:
        return f"No threshold of {data.best} is sure enough to have a precision of 0.8 in 9 of 10."
    return (
        f"At {sure.printed_threshold} or higher, {weight_as_text(sure.n_selected)} rows, it is "
        f"below 0.8 in 1 of 10 only (guarantee=0.9)."
    )


def _precision_and_recall(point: Any) -> tuple[Estimate, Estimate]:
    precision = Estimate(point.precision, *point.precision_interval)
    return precision, Estimate(point.recall, *point.recall_interval)


# ---- segments, other tools and papers


def the_segments(data: Predictions) -> Part:
    if data.segments is None:
        return Part("No segments were passed, such as the country or the month of each row.")
    comparison = data.ask(compare_segments, data.best, data.segments)
    differ = np.flatnonzero(comparison.adjusted_pvalues < 1 - data.level)
    differ_as_a_whole = comparison.homogeneity_pvalue < 1 - data.level
    of_all = f"({pvalue_in_words(comparison.homogeneity_pvalue)})"
    sentence = f"No segment of {data.best} is clearly unlike the others {of_all}."
    sentence += " That does not show that they are equal."
    if differ_as_a_whole:
        sentence = f"The segments of {data.best} differ as a whole {of_all}; no single one can be"
        sentence += " named."
    if np.isnan(comparison.differences).all():
        sentence = "No two segments have enough positives to be compared."
    if differ.size:
        i = differ[np.argmax(np.abs(comparison.differences[differ]))]
        change = Estimate(*(getattr(comparison, name)[i] for name in DIFFERENCE))
        words = change.in_words(data.kind, "+", comparison.adjusted_pvalues[i])
        way = "worse" if change.value < 0 else "better"
        sentence = f"{data.best} is {way} in {comparison.rankings[i]} than in the others: {words}."
        sentence += f" {differ.size - 1} more differ." * (differ.size > 1)
        if not differ_as_a_whole:
            sentence += f" The test of all segments does not find a difference {of_all}."
    picture = Picture(comparison.plot, _height(comparison.rankings), "The score of each segment.")
    call = data.call(compare_segments, data.best)
    return Part(sentence, *_cells_and_note(comparison), picture, call)


def other_tools(data: Predictions) -> Part:
    groups = data.ask(compat.compare, data.best, tools=WELL_KNOWN, without=("prevalence",)).groups
    cells = [["number", "functions", "why it differs"]]
    for group in groups:
        names = ", ".join(each.name for each in group)
        cells.append([as_number(group[0].value), names, _why(data, group[0])])
    ours, *others = (group[0].value for group in groups if group[0].value is not None)
    n = sum(map(len, groups))
    known = f"{len(groups[0])} of {n} well-known functions"
    sentence = f"{known} print {as_number(ours)} for {data.best}"
    if others:
        sentence += f"; the others print {as_number(min(others))} to {as_number(max(others))}"
    notes = ["Other tools know no prevalence."] * ("prevalence" in data.options)
    return Part(f"{sentence}.", cells, notes, call=data.call(compat.compare, data.best))


def _why(data: Predictions, comparison: Any) -> str:
    """Why a number differs from that of scikit-learn."""
    if not comparison.difference:
        return comparison.refusal or ""
    given = data.arguments(compat.explain, "prevalence")
    steps = compat.explain(comparison.name, data.y_true, data.y_scores[data.best], **given).steps
    return " ".join(step.why for step in steps if step.has_effect)


def in_a_paper(data: Predictions) -> Part:
    best, (chance, *_) = data.estimate(Step(), data.best), data.chance(data.best)
    kind = f"{level_as_text(data.level)} confidence interval"
    number, limits = best.in_words(kind).removesuffix(")").split(" (")
    share = data.options.get("prevalence")
    at = "" if share is None else f" at a prevalence of {share:.3g}"
    n_clusters = data.number_of("clusters")
    of_clusters = f" in {n_clusters:,} clusters" if n_clusters else ""
    text = (
        f"{PAPER} of {data.best}{at} was {number} ({limits}; {data.y_true.sum():,} positives "
        f"among {data.n_rows:,} rows{of_clusters}), where {chance:.2g} is expected by chance."
    )
    if len(data.y_scores) == 2:
        first, second, change, pvalue = _difference(data)
        words = change.in_words(kind, "+", pvalue)
        text += f" The difference of {second} from {first} on the same rows was {words}."
    several = len(data.y_scores) > 1
    asked: Any = compare_average_precision if several else average_precision_interval
    name = None if several else data.best
    low_to_high = limits.removeprefix(f"{kind} ")
    sentence = f"Report {number} with its interval, {low_to_high}, with two digits as here."
    to_copy = f"{printable(text)}\n\n{data.ask(asked, name).to_paper()}"
    return Part(sentence, call=f"print({data.call(asked, name)}.to_paper())", to_copy=to_copy)


# ---- what several parts share


def _height(names: Any) -> float:
    """Inches for a row of each name."""
    return 1.2 + 0.26 * min(len(names), 40)


def _cells_and_note(comparison: Any) -> tuple[list[list[str]], list[str]]:
    """What a result prints, its remarks as one sentence."""
    table: Table = comparison._table()
    text = "; ".join(table.remarks)
    return table.cells, [f"{text[0].upper()}{text[1:]}."] if text else []


def _pvalue(pvalue: float, n_orders: int) -> str:
    """No order of so many that were drawn may be as good."""
    least = 1 / (1 + n_orders)
    if isnan(pvalue):
        return NONE
    return f"{AT_MOST} {least:.3g}" if pvalue <= least else pvalue_as_text(pvalue)


PARTS: dict[str, Callable[[Predictions], Part]] = {
    DATA: the_data,
    "The score": the_score,
    "Is one model better?": is_one_better,
    "The curve": the_curve,
    "The top rows": first_rows,
    "Thresholds": thresholds,
    "Segments": the_segments,
    "What other tools print": other_tools,
    "What to write in a paper": in_a_paper,
}
