"""Segments that fill the top of a ranking, and what is scored without them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Bool
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.data.shares import is_rarer
from sklearn_ap._program.report.page.words import number, percent
from sklearn_ap._program.report.segments.columns import Column
from sklearn_ap._program.report.segments.worst import WorstSegment
from sklearn_ap._questions.verdicts import names_in_words
from sklearn_ap._scores.metrics import average_precision_score

TOP = 100  # rows
CROWD = 2.0  # times its share of all rows that a segment has of the top rows: a choice
FEWEST_OF_CROWD = 20  # of these rows: a choice
MOST_NAMES = 3  # of segments that are a crowd together: a choice
RARER = 0.001  # the level at which positives are rarer in the top rows of a crowd: a choice
LEAST_GAIN = 1.25  # times the score of all rows that the others have without it: a choice


class Crowd(NamedTuple):
    """Segments of a column that have more of the top rows of a model than of all rows."""

    column: Column
    model: str
    names: tuple[str, ...]
    score_without: float  # of the other rows, at the prevalence of the segments


def find_crowd(data: Predictions, column: Column, model: str) -> Crowd | None:
    """Find segments whose rows a model ranks too high, so that others lose their places.

    Positives are rarer among their top rows than among the first rows of others. Queries have a
    ranking each, and with weights, the top has no number of rows.
    """
    if not _has_top(data) or not column.is_compared:
        return None
    all_rows = np.ones(data.n_rows, dtype=bool)
    top = _top_rows(data, model, all_rows)
    names = tuple(name for name in column.names if _is_crowd(data, column, name, top))
    if not 0 < len(names) <= MOST_NAMES:
        return None
    rows = column.mark_rows(data, *names)
    is_mixed = all(data.y_true[part].any() for part in (rows, ~rows))
    firsts = (top & rows) | _top_rows(data, model, ~rows)
    if not is_mixed or not is_rarer(data, data.y_true, firsts, rows, RARER):
        return None
    score, without = (_score(data, column, model, part) for part in (all_rows, ~rows))
    return Crowd(column, model, names, without) if without > LEAST_GAIN * score else None


def _has_top(data: Predictions) -> bool:
    return {"queries", "sample_weight"}.isdisjoint(data.options)


def _top_rows(data: Predictions, model: str, rows: Bool) -> Bool:
    """Mark those of some rows that a model ranks first; none if others are tied with the last."""
    score = np.asarray(data.y_scores[model])
    kept = np.flatnonzero(rows & np.isfinite(score))
    order = kept[np.argsort(-score[kept], kind="stable")]
    top = np.zeros(data.n_rows, dtype=bool)
    if order.size > TOP and score[order[TOP - 1]] > score[order[TOP]]:
        top[order[:TOP]] = True
    return top


def _is_crowd(data: Predictions, column: Column, name: str, top: Bool) -> bool:
    rows = column.mark_rows(data, name)
    n_top = np.count_nonzero(rows & top)
    return bool(n_top >= max(CROWD * rows.mean() * TOP, FEWEST_OF_CROWD))


def _score(data: Predictions, column: Column, model: str, rows: Bool) -> float:
    """Score some rows at the prevalence of the segments."""
    score = np.asarray(data.y_scores[model])[rows]
    prevalence = column.comparison.prevalence
    return float(average_precision_score(data.y_true[rows], score, prevalence=prevalence))


def crowd_in_words(data: Predictions, found: Crowd) -> str:
    """Say which share of the top rows is of a crowd, and what the model scores without it."""
    rows = found.column.mark_rows(data, *found.names)
    model = "" if data.is_single_model else f" by {found.model}"
    places = names_in_words([*found.names])
    them = "it" if len(found.names) == 1 else "them"
    have = "has" if len(found.names) == 1 else "have"
    subject = "the model" if data.is_single_model else found.model
    return (
        f"{_many(data, found.model, rows)} rows{model} are of {places}, which {have} "
        f"{percent(rows.mean())} of all rows; without {them}, {subject} scores "
        f"{number(found.score_without)}: look at its inputs or scores there."
    )


def crowd_of_worst(data: Predictions, found: WorstSegment) -> str:
    """Say that a worse segment fills the top rows, and what is scored without it; or nothing."""
    if not _has_top(data):
        return ""
    model = found.column.model
    top = _top_rows(data, model, np.ones(data.n_rows, dtype=bool))
    rows = found.mark_rows(data)
    if not _is_crowd(data, found.column, found.name, top) or not data.y_true[~rows].any():
        return ""
    y_score = np.asarray(data.y_scores[model])[~rows]
    others = average_precision_score(data.y_true[~rows], y_score, **data.asked_prevalence)
    share = percent(rows.mean())
    return (
        f"{_many(data, model, rows)} rows are of {found.short_place}, which has {share} of all "
        f"rows; without it, {data.best_model} scores {number(others)}."
    )


def _many(data: Predictions, model: str, rows: Bool) -> str:
    """Write "All of the top 100", or "87 of the top 100"."""
    n_top = np.count_nonzero(rows & _top_rows(data, model, np.ones_like(rows)))
    return f"{'All' if n_top == TOP else n_top} of the top {TOP}"
