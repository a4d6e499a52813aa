"""The parts of a report about segments: one for each column, such as countries and months."""

import numpy as np

from sklearn_ap._base.common.tuned_constants import FEW_POSITIVES
from sklearn_ap._base.text import ADJUSTED_HEAD, Row, first_and_more, weight_as_text
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._words import (
    as_cell,
    number,
    pictured,
    pvalue,
    used_columns,
)
from sklearn_ap._program.report.page import Part, Picture, picture_height
from sklearn_ap._questions.long_lists import MOST_LINES
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._questions.verdicts import (
    ALL_SEGMENTS,
    BETTER,
    OTHERS,
    UNDECIDED,
    WORSE,
    Estimate,
    Verdict,
    names_in_words,
    printed,
)

TREND = "trend"  # the name of the verdict on it
MOST_NAMES = 3  # of segments in a sentence
EFFECTIVE_POSITIVES = (
    "A segment has fewer effective positives than positives if its rows have weights, or if it has "
    "few negatives for the prevalence of all rows."
)
TIMES = "hour", "day", "week", "month", "quarter", "year"  # columns whose steps have a name


def segments_part(data: Predictions, column: str) -> Part:
    """Compare the segments of one column, whose name the part uses."""
    comparison = data.ask(compare_segments, data.best_model, segments=column)
    cells = _segment_cells(data, comparison, column)
    call = data.call(compare_segments, data.best_model, segments=column)
    alt = pictured(f"Score by {column}", [row[:2] for row in cells[1:]])
    picture = Picture(comparison.plot, picture_height(len(comparison.rankings)), alt)
    verdicts = {verdict.name: verdict for verdict in comparison.verdicts}
    if np.isnan(comparison.differences).all():
        sentence = (
            f"The segments are not compared, as none has {FEW_POSITIVES} effective positives."
        )
    else:
        sentence = _sentence(data, comparison, verdicts, column)
    notes = _notes(data, comparison)
    if trend := _trend_sentence(verdicts, column):
        notes = [trend, *notes] if trend not in sentence else notes
    # The first lines of the page name the column and the model already.
    brief = sentence.removeprefix(_prefix(data, column))
    doubts = _segment_doubts(data, comparison, column)
    return Part(sentence, cells, notes, picture, call, brief=brief, doubts=doubts)


def _segment_doubts(data: Predictions, comparison: SegmentComparison, column: str) -> list[str]:
    """Name the segments that are worse than the others and may be no better than chance.

    Random orders score the prevalence, which all segments share here.
    """
    prevalence = np.nan if comparison.prevalence is None else comparison.prevalence
    names = [
        str(row["segment"])
        for row in comparison.rows()
        if row["verdict"] == WORSE and row["low"] <= prevalence
    ]
    if not names:
        return []
    where = f"{'' if column == 'segment' else f'{column} '}{_some_names(names)}"
    return [f"It is not shown that {data.best_model} scores higher than by chance in {where}."]


def _prefix(data: Predictions, column: str) -> str:
    return f"By {column}, for {data.best_model}: "


def _segment_cells(
    data: Predictions, comparison: SegmentComparison, column: str
) -> list[list[str]]:
    """Make a line for each segment, or for those that differ most if there are many."""
    prevalence = "" if comparison.prevalence is None else number(comparison.prevalence)
    kind = f"[{data.interval_kind}]"
    head = [column, f"score at prevalence {prevalence} {kind}", "positives", "own prevalence"]
    lines = [[*head, f"minus the others {kind}", ADJUSTED_HEAD]]
    rows = comparison.rows()
    for row in (rows[index] for index in _shown_rows(rows)):
        score = Estimate(row["estimate"], row["low"], row["high"])
        numbers = [as_cell(score), weight_as_text(row["n_positives"]), number(row["share"])]
        change = as_cell(_difference(row), "+")
        lines.append([str(row["segment"]), *numbers, change, pvalue(row["adjusted_pvalue"])])
    return used_columns(lines)


def _shown_rows(rows: list[Row]) -> list[int]:
    """Choose the segments of the table: those with the smallest p-values, in their order."""
    pvalues = np.nan_to_num([row["pvalue"] for row in rows], nan=2)
    return sorted(np.argsort(pvalues, kind="stable")[:MOST_LINES].tolist())


def _difference(row: Row) -> Estimate:
    return Estimate(row["difference"], row["difference_low"], row["difference_high"])


def _sentence(
    data: Predictions, comparison: SegmentComparison, verdicts: dict[str, Verdict], column: str
) -> str:
    """Name the segment that is worst, and else say what is shown of all segments."""
    unlike = [row for row in comparison.rows() if row["verdict"] in (BETTER, WORSE)]
    trend = verdicts.get(TREND)
    trends = [_trend_sentence(verdicts, column)] if trend and trend.decision != UNDECIDED else []
    whole = verdicts.get(ALL_SEGMENTS) or comparison.verdicts[0]
    if not unlike:
        return _prefix(data, column) + " ".join([whole.sentence, *trends])
    worse = [row for row in unlike if row["verdict"] == WORSE] or unlike
    most = max(worse, key=lambda row: abs(row["difference"]))
    others = [row for row in unlike if row is not most]
    sentences = [
        _claim(data, comparison, most, column),
        *_scores_in_segment(data, most, column),
        *_others_in_words(others),
    ]
    doubt = [whole.sentence] if whole.decision == UNDECIDED else []
    return " ".join([*sentences, *trends, *doubt])


def _claim(data: Predictions, comparison: SegmentComparison, row: Row, column: str) -> str:
    """Say how a segment differs, with the interval that is adjusted as its p-value is.

    Holm's rule multiplies the smallest of m p-values by m, the next one by m - 1, and so on.
    """
    n_at_least = int(np.count_nonzero(comparison.pvalues >= row["pvalue"]))
    level = 1 - (1 - data.level) / max(1, n_at_least)
    adjusted = data.ask(compare_segments, data.best_model, segments=column, confidence_level=level)
    (change,) = (
        _difference(other) for other in adjusted.rows() if other["segment"] == row["segment"]
    )
    kind = data.interval_kind if n_at_least == 1 else f"adjusted {data.interval_kind}"
    words = change.brief(kind, "+")
    name = f"{column} {row['segment']}" if column != "segment" else row["segment"]
    return f"{data.subject} is {row['verdict']} in {name} than in {OTHERS}: {words}."


def _scores_in_segment(data: Predictions, row: Row, column: str) -> list[str]:
    """Give the scores of the best and the second model in a segment, if there are several."""
    models = [*data.values][:2]
    if len(models) == 1:
        return []
    best, second = models
    comparison = data.ask(compare_segments, second, segments=column)
    (other,) = (each for each in comparison.rows() if each["segment"] == row["segment"])
    scores = [_score_as_text(each) for each in (row, other)]
    return [f"There, {best} scores {scores[0]}, and {second} {scores[1]}."]


def _score_as_text(row: Row) -> str:
    return printed(Estimate(row["estimate"], row["low"], row["high"])).value


def _others_in_words(rows: list[Row]) -> list[str]:
    """Name the other segments that differ, three of each kind."""
    claims = []
    for decision in (WORSE, BETTER):
        names = [str(row["segment"]) for row in rows if row["verdict"] == decision]
        if names:
            claims.append(f"{decision} in {_some_names(names)}")
    return [f"It is also {', and '.join(claims)}."] if claims else []


def _some_names(names: list[str]) -> str:
    if len(names) > MOST_NAMES:
        return first_and_more(names, MOST_NAMES)
    return names_in_words(names)


def _trend_sentence(verdicts: dict[str, Verdict], column: str) -> str:
    """Name the trend; a step of a column of times is one of them."""
    if TREND not in verdicts:
        return ""
    sentence = verdicts[TREND].sentence
    return sentence.replace(" a step", f" a {column}") if column in TIMES else sentence


def _notes(data: Predictions, comparison: SegmentComparison) -> list[str]:
    """Explain the scores, the adjustment, and the segments that lack a number."""
    rows = comparison.rows()
    notes = [
        "Scores are average precision at the prevalence of all rows, so that segments with more "
        "positives do not look better."
    ]
    n_tests = np.count_nonzero(~np.isnan(comparison.pvalues))
    if n_tests > 1:
        others = ", not for other columns" if len(data.segments) > 1 else ""
        notes.append(f"{ADJUSTED_HEAD} is adjusted for {n_tests} tests{others}.")
    if len(rows) > MOST_LINES:
        which = f"{MOST_LINES} of {len(rows)} that differ most clearly"
        notes.append(f"These are the {which if n_tests else f'first {MOST_LINES} of {len(rows)}'}.")
    notes += _uncompared_in_words(rows)
    if comparison.left_out:
        left_out = first_and_more([*map(str, comparison.left_out)])
        notes.append(f"Left out, as they lack positives or negatives: {left_out}.")
    return notes


def _uncompared_in_words(rows: list[Row]) -> list[str]:
    """Say what others are if only one segment has enough positives, and what positives count."""
    uncompared = [str(row["segment"]) for row in rows if np.isnan(row["difference"])]
    if not uncompared:
        return []
    notes = []
    has_few = rows
    if len(uncompared) < len(rows):
        name = first_and_more(uncompared)
        notes = [
            f"The others are {name} alone here, as no other segment has {FEW_POSITIVES} effective "
            f"positives. So {name} itself is not compared."
        ]
        has_few = [row for row in rows if not np.isnan(row["difference"])]
    if any(row["n_positives"] >= FEW_POSITIVES for row in has_few):
        notes.append(EFFECTIVE_POSITIVES)
    return notes
