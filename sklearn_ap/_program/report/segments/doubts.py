"""Doubts that the segments of columns raise: falls, rises, and where to look first."""

from collections.abc import Collection, Mapping, Sequence

import numpy as np
from scipy.stats import norm

from sklearn_ap._base.text import Row
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.words import number
from sklearn_ap._program.report.segments.columns import (
    Column,
    compare_column,
    few_positives,
    plurals_in_words,
    random_score,
    some_names,
)
from sklearn_ap._program.report.segments.comparisons import (
    compare_kept_rows,
    has_enough_positives,
    omitted_options,
    segment_row,
)
from sklearn_ap._program.report.segments.crowds import (
    crowd_in_words,
    crowd_of_worst,
    find_crowd,
)
from sklearn_ap._program.report.segments.positive_shares import (
    compare_shares,
)
from sklearn_ap._program.report.segments.within import FallWithin, has_both
from sklearn_ap._program.report.segments.words import (
    leak_in_words,
    second_in_words,
    subject_in_words,
)
from sklearn_ap._program.report.segments.worst import (
    WorstSegment,
    printed_score,
    row_of_model,
)
from sklearn_ap._questions.verdicts import BETTER, UNDECIDED, WORSE, names_in_words

LOOK = "Look first at the inputs of "
LEAST_GAP = 0.05  # of the mean score of segments to that of all rows: a choice
CLEAR_ERRORS = 3.0  # of this mean: a choice
SMALL_LOSS = 0.5  # of that of the best model; both do not fall alike then: a choice
EXPLAINED = 0.5  # of a fall, by a segment without which it is so much smaller: a choice


def find_doubts(
    data: Predictions,
    columns: Sequence[Column],
    worst: Sequence[WorstSegment],
    shifts: Mapping[str, str],
    lost: Collection[str],
    falls: Mapping[str, FallWithin],
) -> dict[str, list[str]]:
    """Write a doubt for all columns that have it, so that it is read once.

    ``lost`` are columns with a segment for which the first line advises the second model.
    """
    doubts: dict[str, list[str]] = {}
    if worst:
        averages = _averages_in_words(data, worst)
        shared = _shared_causes(data, columns, worst)
        causes = [
            cause
            for found in worst
            if (found.is_latest or not found.column.is_time)
            and found.column.name not in shared
            and (cause := _cause_in_words(data, found, shifts))
        ]
        causes += shared.values()
        for found in worst:
            doubts[found.column.name] = [" ".join([averages, *_joined(causes)])]
    for name, fall in falls.items():
        doubts[name] = [*doubts.get(name, []), fall.doubt]
    for found in worst:
        if crowd := crowd_of_worst(data, found):
            doubts[found.column.name].append(crowd)
    for column in columns:
        texts = [_fall_in_words(data, column), _rise_in_words(data, column)]
        texts += [_difference_in_words(column), _few_in_words(column)]
        texts.append(_scales_in_words(data, column) or _scales_of_second(data, column))
        crowds = _crowds_in_words(data, column, worst)
        second = ""
        if column.name in lost:
            second = leak_in_words(data, column)
        else:
            second = second_in_words(data, column, has_crowd=bool(crowds))
        texts += [second] if second else crowds
        doubts[column.name] = [*doubts.get(column.name, []), *filter(None, texts)]
    for name, shift in shifts.items():
        doubts[name] = [*doubts.get(name, []), *([shift] if shift else [])]
    return doubts


def _joined(causes: Sequence[str]) -> list[str]:
    """Say once where to look first, of several segments."""
    places = [each.removeprefix(LOOK)[:-1] for each in causes if each.startswith(LOOK)]
    heads: dict[str, list[str]] = {}
    for each in causes:
        if not each.startswith(LOOK):
            head, so, end = each.partition(", so look first ")
            heads.setdefault(f"{so}{end}", []).append(head)
    others = [f"{names_in_words([*dict.fromkeys(each)])}{end}" for end, each in heads.items()]
    look = [f"{LOOK}{names_in_words([*dict.fromkeys(places)])}."] if places else []
    return [*others, *look]


def _crowds_in_words(data: Predictions, column: Column, worst: Sequence[WorstSegment]) -> list[str]:
    """Say which segments fill the top rows of the shown models; the worst ones are told."""
    told = {found.name for found in worst if found.column.name == column.name}
    crowds = [find_crowd(data, column, model) for model in data.shown_models]
    return [
        crowd_in_words(data, found)
        for found in crowds
        if found is not None and told.isdisjoint(found.names)
    ]


def _scales_in_words(data: Predictions, column: Column) -> str:
    """Say that scores of segments are not comparable, if each ranks better than all together."""
    if column.rest is not None or not is_on_other_scales(data, column):
        return ""
    known = has_enough_positives(column.comparison)
    scores = column.comparison.estimates[known]
    low, high = (number(score) for score in (scores.min(), scores.max()))
    each = f"Each {column.noun}{'' if known.all() else ' with enough positives'}"
    owner = "" if column.model == data.best_model else f" of {column.model}"
    return (
        f"{each} alone has a higher score{owner} ({low} to {high}) than all together "
        f"({number(data.values[column.model])}): scores of different {column.plural} are not on "
        f"one scale."
    )


def _scales_of_second(data: Predictions, column: Column) -> str:
    """Say it of the second of two models."""
    if len(data.values) != 2:
        return ""
    _, second = data.values
    return _scales_in_words(data, compare_column(data, column.name, second))


def is_on_other_scales(data: Predictions, column: Column) -> bool:
    """Check whether each segment clearly ranks better than all of them together."""
    is_other = "prevalence" in data.options and omitted_options(data, column.name)
    if not column.is_compared or is_other or "queries" in data.options:
        return False
    comparison = column.comparison
    known = has_enough_positives(comparison)
    if np.count_nonzero(known) < 2:
        return False
    together = data.values[column.model]
    scores = comparison.estimates[known]
    weight = np.asarray(comparison.n_positives)[known]
    width = norm.isf((1 - comparison.confidence_level) / 2)
    errors = (comparison.highs - comparison.lows)[known] / 2 / width
    error = np.sqrt(np.sum((weight * errors) ** 2)) / weight.sum()
    mean = np.average(scores, weights=weight)
    gap = max(LEAST_GAP, CLEAR_ERRORS * error)
    return bool(scores.min() > together and mean - together > gap)


def _shared_causes(
    data: Predictions, columns: Sequence[Column], worst: Sequence[WorstSegment]
) -> dict[str, str]:
    """Find a segment, such as a country, that alone explains the changes over a column of times."""
    place = next((found for found in worst if not found.column.is_time), None)
    if place is None:
        return {}
    changed = [column for column in columns if column.is_time and column.tells_change]
    causes = {times.name: _shared_cause(data, times, place) for times in changed}
    return {name: cause for name, cause in causes.items() if cause}


def _shared_cause(data: Predictions, times: Column, found: WorstSegment) -> str:
    """Say that times do not differ without a segment, or that the latest one scores far more."""
    kept = ~found.mark_rows(data)
    remaining = [name for name in times.names if has_both(data, times, name, kept)]
    if len(remaining) < 2 or remaining[-1] != times.names[-1]:
        return ""  # it holds all rows of the latest time
    rest = compare_kept_rows(data, times.model, times.name, kept)
    place = found.short_place
    if all(verdict.decision == UNDECIDED for verdict in rest.verdicts):
        same = f"no difference between the {times.plural} is shown"
        return f"Without {place}, {same}, so look first at {place}."
    if not times.start_of_fall:
        return ""
    latest = times.rows[-1]
    score = segment_row(rest, latest["segment"])["estimate"]
    if score - latest["estimate"] < -EXPLAINED * latest["difference"]:
        return ""
    subject = f"{times.model} scores {number(score)} in {latest['segment']}"
    return f"Without {place}, {subject}, so look first at {place}."


def _fall_in_words(data: Predictions, column: Column) -> str:
    """Say what a falling trend over all segments means for the next one; empty for others."""
    if not column.leads_trend or column.change.value > 0:
        return ""
    return (
        f"If this goes on, {data.best_model} scores less in the next {column.noun}, with a lower "
        f"precision at its thresholds."
    )


def _rise_in_words(data: Predictions, column: Column) -> str:
    """Say that a segment scores much more than the others; empty if none does."""
    outlier = column.clear_outlier
    if outlier is None or outlier.row["verdict"] != BETTER or column.leads_trend:
        return ""
    if column.is_time and outlier.name == column.names[0]:  # it may be the last good one
        return ""
    score = printed_score(outlier.row)
    place = column.place(outlier.name)
    subject = subject_in_words(data, column)
    return f"{subject} scores {score} in {place}: look there for labels that leak into scores."


def _difference_in_words(column: Column) -> str:
    """Say what it means that segments differ where none can be named; empty otherwise."""
    if not column.differs_as_a_whole or column.outliers or column.leads_trend:
        return ""
    next_one = f"the next {column.noun}" if column.is_time else f"one {column.noun}"
    return f"The {column.plural} differ, so {next_one} may score less than all of them together."


def _few_in_words(column: Column) -> str:
    """Say that the latest segment cannot be judged; empty if it can."""
    if not column.latest_is_short:
        return ""
    latest = f"latest {column.noun}, {column.names[-1]},"
    return f"The {latest} {few_positives(column)}, so its score cannot be judged."


def _averages_in_words(data: Predictions, worst: Sequence[WorstSegment]) -> str:
    """Say which segments are below the averages over all of them."""
    plurals = plurals_in_words(found.column for found in worst)
    is_clear = len({found.name for found in worst}) == len(worst)
    numbers = "Scores are" if "queries" in data.options else "Scores and guarantees are"
    together = f"{numbers} over all {plurals} together, but"
    fallen: list[WorstSegment] = []
    others: list[WorstSegment] = []
    for found in worst:  # the fall over the first column is told as one
        is_same = not fallen or found.column.name == fallen[0].column.name
        (fallen if found.is_in_fall and is_same else others).append(found)
    names = [found.name if is_clear else found.named_place for found in others]
    if fallen:
        column = fallen[0].column
        names.append(f"{column.plural} from {column.start_of_fall} on")
    if data.is_single_model:
        return f"{together} {some_names(names)} {'scores' if len(worst) == 1 else 'score'} less."
    return f"{together} {data.best_model} scores less in {some_names(names)}."


def _cause_in_words(data: Predictions, found: WorstSegment, shifts: Mapping[str, str]) -> str:
    """Say where to look first: at one model, at the labels of the latest segment, or its inputs.

    Missing labels lower all models, and also the share of positives. Nothing is said if another
    model is not shown to fall, and does not clearly hold.
    """
    best, *others = data.shown_models
    rows = {name: row_of_model(data, name, found) for name in others}
    chance = random_score(data, found.column)
    start = found.column.start_of_fall if found.is_latest else ""
    since = "" if start == found.name else start
    inputs = f"at what changed in {since}" if since else f"at the inputs of {found.name}"
    for name, row in rows.items():
        if _holds(row, found.row, chance):
            score = f"{printed_score(row)} in {found.name}"
            if row["verdict"] == BETTER and found.column.is_time:
                return f"{name} rises to {score}, so look first {inputs}."
            inputs = f"so look first at the inputs or scores of {best}{since and f' since {since}'}"
            still = "still scores" if found.column.is_time else "scores"
            return f"{name} {still} {score}, {inputs}."
    if any(row["verdict"] != WORSE for row in rows.values()):
        return ""
    if found.column.is_time and compare_shares(data, found.mark_rows(data)).is_lower():
        # A doubt about the share of positives says it with the numbers.
        is_said = bool(shifts[found.column.name])
        return "" if is_said else f"The labels of {found.name} may be incomplete."
    if not others:
        return f"Look first {inputs}."
    losses = {name: -row["difference"] for name, row in rows.items()}
    worst_other = max(losses, key=lambda name: losses[name])
    loss = -found.row["difference"]
    if losses[worst_other] < SMALL_LOSS * loss:
        own = f"{best} loses {number(loss)} there, and {worst_other} {number(losses[worst_other])}"
        return f"{own}, so look first at the inputs or scores of {best}."
    fall = "fall" if found.column.is_time else "score less"
    return f"{all_models_in_words(data)} {fall} there, so look first {inputs}."


def all_models_in_words(data: Predictions) -> str:
    n_shown = len(data.shown_models)
    if n_shown < len(data.values):
        return f"The best {n_shown} models"
    return "Both models" if n_shown == 2 else "All models"


def _holds(other: Row, fallen: Row, chance: float) -> bool:
    """Check whether a model is better than chance, and keeps more of its lead than a fallen one.

    The lead is over random orders, which score the prevalence: a weak model hardly can fall. It
    must not be shown to be worse, either.
    """
    if other["verdict"] == WORSE or np.isnan(other["difference"]) or other["low"] <= chance:
        return False
    leads = [row["estimate"] - row["difference"] - chance for row in (other, fallen)]
    if min(leads) <= 0:
        return False
    least_kept = 1 + other["difference_low"] / leads[0]
    most_kept = 1 + fallen["difference_high"] / leads[1]
    return bool(least_kept > most_kept)
