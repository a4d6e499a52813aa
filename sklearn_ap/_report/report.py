"""The function that asks all questions, and makes the page of their answers."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from sklearn_ap._report._advice import advise_model, tell, tell_columns
from sklearn_ap._report._calls import IMPORTS, Passed, PublicCall, terms_of_options
from sklearn_ap._report._fact import Fact, select
from sklearn_ap._report._falls import WorseSegment
from sklearn_ap._report._looked_at import (
    find_doubts,
    make_warnings_part,
    question_of_doubts,
)
from sklearn_ap._report._models import make_models_part
from sklearn_ap._report._segments import make_column_part
from sklearn_ap._report._thresholds import make_thresholds_part
from sklearn_ap._report._top_rows import make_top_part
from sklearn_ap._report.not_used import NotUsed
from sklearn_ap._report.page import Report
from sklearn_ap._report.questions import Questions, make_questions
from sklearn_ap._types import Label
from sklearn_ap._writing.text import names_as_text, title_with_prevalence
from sklearn_ap.definitions import Step


def report(
    y_true: ArrayLike,
    y_scores: ArrayLike | Mapping[str, ArrayLike],
    *,
    segments: ArrayLike | Mapping[str, ArrayLike] | None = None,
    clusters: ArrayLike | None = None,
    queries: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    n_positives: ArrayLike | None = None,
    pos_label: Label = None,
    prevalence: float | None = None,
    precision: float | None = None,
    recall: float | None = None,
    k: float | None = None,
    cost: Mapping[str, float] | None = None,
    threshold: float | None = None,
    confidence_level: float = 0.95,
    source: str = "",
) -> Report:
    """Summarize predictions on one page: scores, comparisons, thresholds and segments.

    The first lines say which model, which threshold, where a model is worse, and what to distrust.
    Tables, pictures, all warnings and the calls that give all numbers stand below.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Binary labels. Of several labels, make a report for each.
    y_scores : array-like of shape (n_samples,), or mapping of str to array-like, or DataFrame
        The scores of one model, or those of each of several for the same rows, as
        ``{"A": scores_a, "B": scores_b}``. Minus infinity says that the model did not retrieve the
        row.
    segments : array-like of shape (n_samples,), or mapping of str to array-like, default=None
        The segment of each row: dates, strings, numbers, or ordered categories, which keep their
        order. Dates are put into the finest unit, from days on, whose latest times can be compared.
        Several columns are a mapping, as ``{"country": countries, "month": months}``, or a
        DataFrame. A column with missing names is left out, with the reason.
    clusters : array-like of shape (n_samples,), default=None
        The cluster of each row, such as the patient. Intervals are then over clusters, and
        thresholds have no guarantee.
    queries : array-like of shape (n_samples,), default=None
        The query of each row: each query is a ranking of its own. Thresholds are then left out,
        ``k`` is how many first rows of each query are looked at, and segments must be of whole
        queries, as languages or categories may be.
    sample_weight : array-like of shape (n_samples,), default=None
        The weight of each row. Thresholds then have no guarantee.
    n_positives : float or array-like of shape (n_rankings,), default=None
        The number of all positives, in units of weight, if some were never scored.
    pos_label : int, float, bool or str, default=None
        The positive label. None means 1 for {0, 1} and {-1, 1}; other binary labels need it.
    prevalence : float, default=None
        The prevalence (proportion of positives) where you deploy, such as 0.01. Precision is then
        that of a population with this prevalence, in which the scores of each class are distributed
        as here. None uses that of ``y_true``.
    precision, recall, k, cost, threshold : optional
        What the threshold is for, as in ``operating_point``: ``recall=0.9`` to find 90% of the
        positives. Without any of them, it is for the highest precision of 0.5, 0.8, 0.9 and 10
        times a low prevalence that a useful threshold has.
    confidence_level : float, default=0.95
        How often intervals should contain the true value. Tests of segments have levels of their
        own.
    source : str, default=""
        What the predictions are, as "payments.csv, 1 October 2026". It stands below the first
        lines.

    Returns
    -------
    Report
        To print, to show in a notebook, or to save as HTML.

    See Also
    --------
    average_precision_interval : The score alone.
    compare_average_precision : Whether a model is better than another on the same rows.
    compare_segments : Whether a model is worse in a segment.
    operating_point : A threshold for a precision, a recall, a number of rows, costs, or given.

    Notes
    -----
    Rows are counted; all other numbers are those of public functions, of this package or of SciPy.
    A part whose function does not take an option that you pass, such as queries, is left out and
    says so.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import report
    >>> rng = np.random.default_rng(0)
    >>> y_true = (rng.random(2000) < 0.1).astype(int)
    >>> scores = {
    ...     "A": y_true + rng.normal(size=2000),
    ...     "B": 2 * y_true + rng.normal(size=2000),
    ... }
    >>> found = report(y_true, scores)
    >>> found.advice[0].model, type(found.advice[0].facts[0]).__name__
    ('B', 'TwoModels')
    >>> found.save("report.html")  # doctest: +SKIP
    """
    options = {
        "clusters": clusters,
        "queries": queries,
        "sample_weight": sample_weight,
        "n_positives": n_positives,
        "pos_label": pos_label,
        "prevalence": prevalence,
        "precision": precision,
        "recall": recall,
        "k": k,
        "cost": cost,
        "threshold": threshold,
        "confidence_level": confidence_level,
    }
    questions = make_questions(y_true, y_scores, segments, options)
    terms = terms_of_options(options)
    if questions.columns:
        terms["segments"] = Passed(segments, "segments")
    arguments = Passed(y_true, "y_true"), Passed(y_scores, "y_scores")
    call = PublicCall(report, arguments, tuple(terms.items()))
    return make_report(questions, str(call), str(source))


def make_report(
    questions: Questions, call: str, source: str, not_used: NotUsed | None = None
) -> Report:
    """Answer all questions, and make the page; ``call`` makes it, too.

    ``not_used`` are columns of a file, which the page names.
    """
    models = make_models_part(questions)
    part_by_column = {column: make_column_part(questions, column) for column in questions.columns}
    column_facts = [fact for part in part_by_column.values() for fact in part.facts]
    advice = advise_model(questions, models.facts, column_facts)
    worse = select(WorseSegment, column_facts)
    thresholds = make_thresholds_part(questions, advice.model, worse)
    compared = [column for column, part in part_by_column.items() if part.table]
    times = [part_by_column[column] for column in compared if column.are_times]
    others = [part for part in part_by_column.values() if part not in times]
    top_rows = make_top_part(questions, advice.model, worse)
    parts = [*times, models, *others, top_rows, thresholds]
    if questions.find_warnings():  # of all parts
        parts.append(make_warnings_part(questions))
    doubts: list[Fact] = [not_used] if not_used else []
    doubts += find_doubts(questions, compared, column_facts, thresholds)
    calls = ["\n".join([f"# {part.title}", *map(str, part.calls)]) for part in parts if part.calls]
    score = "Mean average precision" if questions.data.has_queries else "Average precision"
    sample = questions.sample
    title = title_with_prevalence(score, sample.target_prevalence)
    if sample.definition != Step():  # that of from_coco
        title = sample.title[:1].upper() + sample.title[1:]
    return Report(
        title=f"{title} of {names_as_text([*questions.scores])}",
        code="\n".join([IMPORTS, call, *calls]),
        advice=(
            advice,
            *tell("Threshold", advice.model, thresholds.facts if thresholds.table else []),
            *tell_columns([*part_by_column.values()], advice.model),
            *tell(question_of_doubts(doubts), advice.model, doubts),
        ),
        parts=parts,
        source=source,
        warnings=[
            {
                "name": warning.kind or None,
                "text": warning.text,
                "models": [*models],
                "where": warning.where,
            }
            for warning, models in questions.find_warnings().items()
        ],
    )
