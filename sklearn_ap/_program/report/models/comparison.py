"""The part of a report about several models: which is better, or which may be the best."""

from collections.abc import Sequence
from math import isclose, isnan, nan

import numpy as np

from sklearn_ap._base.common.types import Argument, Array, Bool, Float
from sklearn_ap._base.text import Row, level_as_text
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.models.comparison_pictures import picture_of_best, picture_of_two
from sklearn_ap._program.report.models.scores import (
    score_doubts,
    score_notes,
    score_places,
    weak_in_words,
)
from sklearn_ap._program.report.page.page import FIRST_ROWS, Part, remarks
from sklearn_ap._program.report.page.pictures import warned_texts
from sklearn_ap._program.report.page.words import (
    as_cell,
    as_printed,
    describe,
    number,
    pictured,
    pvalue,
    row_difference,
    row_score,
)
from sklearn_ap._questions.best_of_many.best import BestAveragePrecision, best_average_precision
from sklearn_ap._questions.intervals.comparison import (
    AveragePrecisionComparison,
    compare_average_precision,
)
from sklearn_ap._questions.judged import JudgedShares, judged_doubt, shown_shares
from sklearn_ap._questions.long_lists import MOST_LINES
from sklearn_ap._questions.verdicts import UNDECIDED, Estimate, names_in_words, printed
from sklearn_ap._scores.metrics import average_precision_score
from sklearn_ap.definitions import Step

IS_BEST = "is the best"
MOST_MODELS = 12  # rows of an open table: a choice
LEAST_OPTIMISM = 0.01  # of the score: a choice
HAS_HIGHEST_SCORE = "scores highest"  # which need not be shown


def comparison_part(data: Predictions) -> Part:
    return _two_models(data) if len(data.y_scores) == 2 else _best_model(data)


def _two_models(data: Predictions) -> Part:
    comparison = data.ask(compare_average_precision, None, **data.comparison_options)
    (verdict,) = comparison.verdicts
    doubt = judged_doubt(comparison.judged, comparison.names)
    shown = verdict.sentence.removesuffix(doubt).rstrip()
    sentence = _undecided_in_words(comparison) or shown
    row = compared_row(comparison)
    change = row_difference(row)
    # It is 0 where both rank the positives alike: more data would not tell them apart.
    may_differ = verdict.decision == UNDECIDED and row["difference_standard_error"] > 0
    is_weak = bool(weak_in_words(data))
    advice = _advice(data, "Choose", "neither") if may_differ or is_weak else ""
    cells = _difference_cells(data, comparison)
    query_counts = _queries_in_words(data, row["name"], comparison.reference)
    brief = [*_chance_in_words(data), sentence, advice, query_counts, doubt, _scores_in_words(data)]
    if is_weak:  # what not to do comes first
        brief = [advice, *(text for text in brief if text != advice)]
    alt = pictured("Both scores, and their difference", cells[1:])
    notes = [*remarks(comparison._table()), *_note_on_rounding(data, change), *score_notes(data)]
    return Part(
        sentence,
        cells,
        notes,
        picture_of_two(data, comparison, row, alt),
        data.call(compare_average_precision, None, **data.comparison_options),
        brief=[*filter(None, brief)],
        doubts=score_doubts(data),
        more=[*filter(None, [advice, query_counts, doubt])],
        advice=advice,
    )


def _queries_in_words(data: Predictions, model: str, reference: str) -> str:
    """Count the queries in which a model scores more and less than another one."""
    if "queries" not in data.options:
        return ""
    scores, others = (
        np.asarray(data.ask(average_precision_score, name, average=None))
        for name in (model, reference)
    )
    n_more = np.count_nonzero(scores > others)
    n_less = np.count_nonzero(scores < others)
    n_equal = scores.size - n_more - n_less
    equal = f", and the same in {n_equal:,}" if n_equal else ""
    queries = data.names_in_words("queries", "query")
    both = f"more in {n_more:,}{',' if n_equal else ' and'} less in {n_less:,}{equal}"
    return f"Of {queries}, {model} scores {both}."


def _advice(data: Predictions, choose: str, none: str) -> str:
    """Say what to do where the data do not decide, or where no model is better than chance."""
    if weak_in_words(data):
        return f"Use {none} yet: collect more {data.sampled_units}."
    going_on = goes_on_with(data.best_model)
    return f"{choose} on other grounds, or collect more {data.sampled_units}. {going_on}"


def goes_on_with(model: str) -> str:
    return f"This page goes on with {model}."


def _chance_in_words(data: Predictions) -> list[str]:
    """Name models that rank the negatives first, and say if the best may be a random order."""
    reversed_models = [name for name in data.reversed_models if name != data.best_model]
    texts = []
    if reversed_models:
        names = names_in_words(reversed_models)
        ranks = "they rank worse than a random order"
        texts.append(f"First check whether the scores of {names} are reversed: {ranks}.")
    return [*texts, *filter(None, [weak_in_words(data)])]


def compared_row(comparison: AveragePrecisionComparison) -> Row:
    """Return the row of the one model that is compared with the reference."""
    (row,) = (row for row in comparison.rows() if row["name"] != comparison.reference)
    return row


def _undecided_in_words(comparison: AveragePrecisionComparison) -> str:
    """Say which model scores more where no difference is shown; empty if the verdict says more.

    The interval is of the model that is named first, so that its signs can be read.
    """
    (verdict,) = comparison.verdicts
    row = compared_row(comparison)
    change = row_difference(row)
    value, low, high = printed(change, "+")
    is_alike = row["difference_standard_error"] == 0
    if verdict.decision != UNDECIDED or is_alike or not change.low <= 0 <= change.high:
        return ""
    if not float(value):
        pair = f"{row['name']} minus {comparison.reference}"
        return f"No difference is shown: {pair} may be anything from {low} to {high}."
    names = f"{row['name']} scores {value.lstrip('+')} more than {comparison.reference}"
    return f"{names}, but anything from {low} to {high} fits: no difference is shown."


def _scores_in_words(data: Predictions) -> str:
    """Give the scores of two models, and that of random orders."""
    first, second = (
        f"{name} {verb}{_printed_score(data, name)}"
        for name, verb in zip(data.values, ("scores ", ""), strict=True)
    )
    chance = number(data.chance_level(data.best_model).score)
    at = "" if weak_in_words(data) else data.at_prevalence  # the first lines have it already
    return f"{at}{first}, {second}, and a random order {chance}."


def _printed_score(data: Predictions, name: str) -> str:
    """Print the score of a model, with the digits of the part about scores."""
    score = data.estimate(Step(), name)
    return as_printed(score, score_places(score, data.chance_level(name))).value


def _note_on_rounding(data: Predictions, change: Estimate) -> list[str]:
    """Explain why the printed scores do not differ by the printed difference, if so."""
    highest, lowest = (float(_printed_score(data, name)) for name in data.values)
    difference = abs(float(printed(change, "+").value))
    if isclose(highest - lowest, difference, abs_tol=1e-9):
        return []
    return ["The difference is rounded after it is computed, so it may differ in the last digit."]


def _difference_cells(data: Predictions, comparison: AveragePrecisionComparison) -> list[list[str]]:
    kind = f"[{data.interval_kind}]"
    reference = comparison.reference
    cells = [["model", f"average precision {kind}", f"minus {reference} {kind}", "p-value"]]
    for row in sorted(comparison.rows(), key=lambda row: -row["estimate"]):
        score = row_score(row)
        change = row_difference(row)
        differences = [as_cell(change, "+"), pvalue(row["adjusted_pvalue"])]
        is_reference = row["name"] == reference
        places = score_places(score, data.chance_level(row["name"]))
        cells.append(
            [
                row["name"],
                as_cell(score, fewest=places),
                *(["", ""] if is_reference else differences),
            ]
        )
    cells.append([*_random_order(data), "", ""])
    return _add_judged_shares(cells, comparison.judged)


def _random_order(data: Predictions) -> list[str]:
    """Return the first two cells of a row about random orders."""
    return ["random order", number(data.chance_level(data.best_model).score)]


def _add_judged_shares(cells: list[list[str]], judged: JudgedShares | None) -> list[list[str]]:
    """Add the share of the first documents of each run that were judged, if some were not."""
    shares = shown_shares(judged)
    if shares is None:
        return cells
    heads, *rows = cells
    values = {name: number(share) for name, share in shares.shares.items()}
    return [[*heads, shares.head], *([*row, values.get(row[0], "")] for row in rows)]


def _best_model(data: Predictions) -> Part:
    best = data.ask(best_average_precision, None)
    differences = _differences_from(data, best.names[:MOST_LINES])
    head = f"AP [{data.interval_kind}, valid for the best]"
    cells = [["model", head, f"minus {best.name} [{data.interval_kind}]", "may be best"]]
    rows = best.rows()
    for row in rows[:MOST_LINES]:
        score = as_cell(row_score(row))
        change = differences.get(row["name"])
        difference = "" if change is None else as_cell(change, "+")
        cells.append([row["name"], score, difference, "yes" if row["may_be_best"] else ""])
    cells.append([*_random_order(data), "", ""])
    alt = pictured("All scores, and what may be best", cells[1:])
    doubt = judged_doubt(best.judged, best.names)
    sentence = best.verdicts[0].sentence.removesuffix(doubt).rstrip()
    n_candidates = len(best.may_be_best)
    lead = _lead_in_words(data, best)
    may_differ = n_candidates > 1 and best.estimates[0] > best.estimates[n_candidates - 1]
    advice = ""
    if may_differ or weak_in_words(data):
        advice = _advice(data, "Choose among these", "none of them")
    return Part(
        sentence,
        _add_judged_shares(cells, best.judged),
        [*_best_notes(data, best), *score_notes(data)],
        picture_of_best(data, best, differences, alt),
        data.call(best_average_precision, None),
        brief=[*filter(None, [*_best_in_short(data, best, advice, lead), doubt])],
        doubts=[*score_doubts(data), *_choice_doubts(data, best)],
        more=[*filter(None, [advice, f"{lead}.", doubt])],
        first_rows=range(min(max(FIRST_ROWS, n_candidates), MOST_MODELS)),
        most_rows=MOST_MODELS + 1,  # with that of random orders
        advice=advice,
    )


def _differences_from(data: Predictions, names: Sequence[str]) -> dict[str, Estimate]:
    """Compute how much each of some models scores beyond the first of them."""
    with warned_texts():  # those of the best of them are told
        return data.ask(_compare_with_first, None, names=tuple(names))


def _compare_with_first(
    y_true: Bool,
    y_scores: Argument,
    *,
    names: tuple[str, ...],
    queries: Array | None = None,
    clusters: Array | None = None,
    sample_weight: Float | None = None,
    n_positives: Argument = None,
    prevalence: float | None = None,
    confidence_level: float,
) -> dict[str, Estimate]:
    comparison = compare_average_precision(
        y_true,
        {name: y_scores[name] for name in names},
        queries=queries,
        clusters=clusters,
        sample_weight=sample_weight,
        n_positives=n_positives,
        prevalence=prevalence,
        confidence_level=confidence_level,
    )
    rows = {row["name"]: row_difference(row) for row in comparison.rows()}
    return {name: rows[name] for name in names[1:]}


def _best_in_short(
    data: Predictions, best: BestAveragePrecision, advice: str, lead: str
) -> list[str]:
    """Name the model with the highest score, its rivals, the next one, and random orders."""
    interval = describe(Estimate(best.estimate, best.low, best.high), data.interval_kind)
    n_models = len(best.names)
    claim = f"{best.name} {IS_BEST} of {n_models} models: {interval}."
    rivals = [name for name in best.may_be_best if name != best.name]
    if rivals:
        others = f"but {names_in_words(rivals)} may be the best, too"
        claim = f"{best.name} {HAS_HIGHEST_SCORE} of {n_models} models, {interval}, {others}."
    chance = number(data.chance_level(best.name).score)
    at = "" if weak_in_words(data) else data.at_prevalence  # the first lines have it already
    scores = f"{at}{lead}; a random order scores {chance}."
    texts = [*_chance_in_words(data), claim, advice, scores]
    if weak_in_words(data):  # what not to do comes first
        texts = [advice, *(text for text in texts if text != advice)]
    return texts


def _lead_in_words(data: Predictions, best: BestAveragePrecision) -> str:
    """Write how much more the best model scores than the next one.

    Both were chosen by their scores, which needs no wider interval: its lower limit holds for the
    lead of the best over all others (Hung and Fithian 2019, "Rank verification for exponential
    families").
    """
    second = best.names[1]
    change = compare_pair(data, best.name, second)
    if second in best.may_be_best and change.low > 0:
        # The test that allows for the choice does not show it.
        change = Estimate(change.value, nan, nan)
    words = change.brief(data.interval_kind, "+")
    value, space, limits = words.partition(" ")
    if not change.value:
        return f"{second}, the next, scores the same"
    if not float(value):
        _, low, high = printed(change, "+")
        return f"{second}, the next, scores about the same (anything from {low} to {high} fits)"
    if isnan(change.low):
        return f"{second}, the next, scores {number(change.value)} less"
    return f"{best.name} scores {value.lstrip('+')} more than {second}, the next{space}{limits}"


def compare_pair(data: Predictions, model: str, reference: str) -> Estimate:
    """Compute how much more a model scores than another one on all rows."""
    if len(data.y_scores) == 2:  # the comparison of the part has it
        comparison = data.ask(compare_average_precision, None, **data.comparison_options)
        return row_difference(compared_row(comparison))
    return data.ask(_compare_with_first, None, names=(reference, model))[model]


def compare_rows(
    data: Predictions,
    model: str,
    reference: str,
    rows: Bool,
    prevalence: float | None,
    level: float,
) -> Row:
    """Compare a model with another one on some rows."""
    comparison = compare_average_precision(
        data.y_true[rows],
        {name: np.asarray(data.y_scores[name])[rows] for name in (reference, model)},
        prevalence=prevalence,
        confidence_level=level,
        **data.options_of_rows(rows),
    )
    return compared_row(comparison)


def _best_notes(data: Predictions, best: BestAveragePrecision) -> list[str]:
    """Explain the confidence in the best, and why intervals are wider than those of one model."""
    wide = printed(Estimate(best.estimate, best.low, best.high))
    alone = printed(data.estimate(Step(), best.name))
    level = level_as_text(data.level)
    notes = [f"With {level} confidence, the best model is among those marked yes."]
    if not isnan(best.low) and wide != alone:
        notes.append(
            f"The lower limits hold for all {len(best.names)} models at once, so the interval of "
            f"{best.name}, {wide.low} to {wide.high}, allows for its choice. By itself, it would "
            f"be {alone.low} to {alone.high}."
        )
    if len(best.names) > MOST_LINES:
        notes.append(f"{len(best.names) - MOST_LINES} more models score lower.")
    return notes


def _choice_doubts(data: Predictions, best: BestAveragePrecision) -> list[str]:
    """Say how much the choice of the best model adds to its score, unless it is next to nothing."""
    choice = f"The choice among {len(best.names)} models"
    if isnan(best.optimism):
        return [f"{choice} makes the score of {best.name} too high."] * (len(best.may_be_best) > 1)
    expected = number(best.estimate - best.optimism)
    # It is not told if it is not seen in two digits, or only by their rounding.
    if expected == number(best.estimate) or best.optimism < LEAST_OPTIMISM * best.estimate:
        return []
    added = float(number(best.estimate)) - float(expected)  # as it is seen
    adds = f"adds about {added:.2g} to the score of {best.name}"
    return [f"{choice} {adds}: expect about {expected} for new {data.sampled_units}."]
