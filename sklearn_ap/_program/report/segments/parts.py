"""The parts of a report about segments: one for each column, such as countries and months."""

from functools import partial

import numpy as np

from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._base.text import (
    ADJUSTED_HEAD,
    cases_as_text,
    count_as_text,
    first_and_more,
    level_as_text,
    plural_of,
)
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap._program.report.page.page import FIRST_ROWS, MOST_ROWS, Part
from sklearn_ap._program.report.page.words import (
    as_cell,
    number,
    pvalue,
    row_difference,
    row_score,
    used_columns,
)
from sklearn_ap._program.report.segments._picture import segment_picture
from sklearn_ap._program.report.segments.columns import (
    Column,
    compare_column,
    prevalence_in_words,
    random_score,
    some_names,
)
from sklearn_ap._program.report.segments.comparisons import (
    compare_by_column,
    has_enough_positives,
    omitted_options,
    prevalence_of_queries,
)
from sklearn_ap._program.report.segments.words import (
    brief_of,
    effective_positives,
    second_change,
    sentences_of,
    subject_in_words,
)
from sklearn_ap._questions.segments.comparison import compare_segments
from sklearn_ap._questions.segments.picture import (
    effective_as_text,
)
from sklearn_ap._questions.verdicts import WORSE, names_in_words

MOST_TABLE_ROWS = 60  # of a table that opens with a click: a choice
IN_SEVERAL = "several segments."  # the end of a reason against queries
MOST_TIMES = 13  # rows of an open table of times, such as the months of a year: a choice


def segments_part(data: Predictions, column: str, model: str = "") -> Part:
    """Compare the segments of one column, whose name the part uses, as the best model ranks them.

    Or as another model does.
    """
    refuse_mixed_queries(data, column)
    found = compare_column(data, column, model)
    second = second_change(data, found)
    sentence, *more = _name_prevalence(data, found, sentences_of(data, found, second))
    cells = _segment_cells(data, found)
    shown = _shown_rows(found)
    return Part(
        sentence,
        cells,
        _notes(data, found),
        segment_picture(data, found, shown, is_second_told=bool(second)),
        _call(data, found),
        brief=_name_prevalence(data, found, brief_of(data, found, second)),
        warnings=_warnings_of_clusters(data, found),
        doubts=_segment_doubts(data, found),
        more=more,
        most_rows=MOST_TIMES if found.is_time else MOST_ROWS,
        first_rows=[shown.index(place) for place in sorted(found.order[:FIRST_ROWS])],
        tells_change=found.tells_change or bool(second),
        model_part=partial(segments_part, data, column),
    )


def refuse_mixed_queries(data: Predictions, column: str) -> None:
    """Refuse queries that have rows in several segments, or were sampled in clusters."""
    if "queries" not in data.options:
        return
    if "clusters" in data.options:
        queries = plural_of(data.query_noun)
        raise ValueError(
            f"this part does not go with queries, because segments of {queries} have intervals "
            f"over {queries}, not over {data.cluster_nouns}."
        )
    codes, n_queries = encode_names(data.options["queries"], "queries")
    segment = data.segments[column].codes
    segment_of_query = np.zeros(n_queries, dtype=np.intp)
    segment_of_query[codes] = segment
    if np.any((segment_of_query[codes] != segment) & (data.weight > 0)):
        raise ValueError(
            f"this part does not go with queries, because rows of one {data.query_noun} lie in "
            f"{IN_SEVERAL}"
        )


def _call(data: Predictions, found: Column) -> str:
    """Write the call, and what the page does beyond it."""
    omitted = omitted_options(data, found.name)
    options = prevalence_of_queries(data, omitted)
    call = data.call(compare_segments, found.model, segments=found.name, omitted=omitted, **options)
    beyond = []
    if found.rest is not None:
        names = names_in_words([each.name for each in found.outliers])
        beyond.append(f"{names} left out of the others")
    if found.n_columns > 1:
        beyond.append(f"p-values for {found.n_columns} columns")
    return f"{call}  # here: {', '.join(beyond)}" if beyond else call


def _name_prevalence(data: Predictions, found: Column, texts: list[str]) -> list[str]:
    """Name the prevalence in the first sentence where it is not that of the other parts."""
    if not omitted_options(data, found.name):
        return texts
    first, *others = texts
    is_name = first.startswith((*data.values, found.model))
    first = first if is_name else f"{first[0].lower()}{first[1:]}"
    return [f"At the prevalence of these rows, {number(data.own_prevalence)}, {first}", *others]


def _segment_doubts(data: Predictions, found: Column) -> list[str]:
    """Name the segments that may be no better than chance, and those without a score.

    The segments of the first kind are also worse than the others.
    """
    comparison = found.comparison
    chance = random_score(data, found)
    weak = [
        str(row["segment"])
        for row in found.rows
        if row["verdict"] == WORSE and row["low"] <= chance
    ]
    doubts = []
    if weak:
        where = found.place(some_names(weak))
        subject = subject_in_words(data, found)
        doubts.append(f"{subject} is not shown to be better than a random order in {where}.")
    if comparison.left_out:
        where = found.place(some_names([*map(str, comparison.left_out)]))
        doubts.append(f"Not compared, without positives or negatives: {where}.")
    return doubts


def _warnings_of_clusters(data: Predictions, found: Column) -> list[str]:
    """Name the segments of few clusters that have enough positives."""
    comparison = found.comparison
    is_enough = dict(zip(comparison.rankings, has_enough_positives(comparison), strict=True))
    names = []
    for segment in comparison.few_clusters:
        if is_enough[segment]:
            rows = found.mark_rows(data, str(segment))
            n_clusters = len(np.unique(data.options["clusters"][rows & data.y_true]))
            names.append(f"{segment} ({n_clusters})")
    if not (names and found.is_compared):
        return []
    few = f"Few {data.cluster_nouns} have positives in {some_names(names)}"
    return [f"few clusters: {few}, so intervals there may be too narrow."]


def _segment_cells(data: Predictions, found: Column) -> list[list[str]]:
    """Make a line for each segment, or for those that matter most if there are many."""
    comparison = found.comparison
    prevalence = comparison.prevalence
    at = "" if prevalence is None else f" at prevalence {number(prevalence)}"
    kind = f"[{data.interval_kind}]"
    effective = ["effective positives"] if found.has_fewer_effective else []
    model = "score" if data.is_single_model else found.model
    others = [name for name in data.values if name != found.model][:1]  # the one of the picture
    heads = [f"{model}{at} {kind}", *(f"{name} {kind}" for name in others)]
    queries = [plural_of(found.query_noun)] if found.query_noun else []
    head = [found.name, *heads, *queries, "positives", *effective]
    lines = [[*head, "own prevalence", _change_head(data, found), ADJUSTED_HEAD]]
    rows = found.rows
    other_rows = [compare_by_column(data, name, found.name).rows() for name in others]
    for place in _shown_rows(found):
        row = rows[place]
        told = [row, *(each[place] for each in other_rows)]
        numbers = [as_cell(row_score(each)) for each in told]
        numbers += [cases_as_text(row["n_queries"]) for _ in queries]
        numbers.append(cases_as_text(row["n_positives"]))
        numbers += [effective_as_text(found.n_effective[place])] * len(effective)
        change = as_cell(row_difference(row), "+")
        changes = [number(row["share"]), change, pvalue(row["adjusted_pvalue"])]
        lines.append([str(row["segment"]), *numbers, *changes])
    return used_columns(lines)


def _change_head(data: Predictions, found: Column) -> str:
    """Say that intervals of the table are not adjusted, where that of the heading is."""
    is_adjusted = np.count_nonzero(~np.isnan(found.comparison.pvalues)) > 1
    kind = f"{level_as_text(data.level)}, not adjusted" if is_adjusted else data.interval_kind
    subject = "" if data.is_single_model else f"{found.model} "
    return f"{subject}minus the others [{kind}]"


def _shown_rows(found: Column) -> list[int]:
    """Choose the segments of the table: those that matter most, in their order."""
    return sorted(found.order[:MOST_TABLE_ROWS])


def _notes(data: Predictions, found: Column) -> list[str]:
    """Explain the scores, the adjustment, and the segments that lack a number."""
    comparison = found.comparison
    notes = [_scores_in_words(data, found)]
    if omitted_options(data, found.name):
        prevalence = f"{data.options['prevalence']:g}"
        notes.append(
            f"There are too few negatives to compare them at a prevalence of {prevalence}."
        )
    n_tests = int(np.count_nonzero(~np.isnan(comparison.pvalues)))
    if n_tests > 1:
        notes.append(f"{ADJUSTED_HEAD} is adjusted for {_tests_in_words(found, n_tests)}.")
    if found.rest is not None:
        names = [each.name for each in found.outliers]
        be = "is" if len(names) == 1 else "are"
        notes.append(f"{names_in_words(names)} {be} left out of the others.")
    n_rows = len(found.rows)
    if n_rows > MOST_TABLE_ROWS:
        which = f"{MOST_TABLE_ROWS} of {n_rows} that differ most clearly"
        notes.append(
            f"These are the {which if n_tests else f'first {MOST_TABLE_ROWS} of {n_rows}'}."
        )
    if found.has_fewer_effective and found.is_compared:
        notes.append(effective_positives(data, found))
    if comparison.left_out:
        left_out = first_and_more([*map(str, comparison.left_out)])
        notes.append(f"Left out, as they lack positives or negatives: {left_out}.")
    return notes


def _scores_in_words(data: Predictions, found: Column) -> str:
    """Say what scores of segments are, and whether they depend on shares of positives."""
    at = prevalence_in_words(data, found.name)
    if not at:
        queries = plural_of(found.query_noun)
        return (
            f"The score of a segment is the mean over its {queries}, so it is also higher where "
            f"more of the rows are positive. Intervals are over {queries}."
        )
    mean = f", the mean over the {plural_of(found.query_noun)} of each," if found.query_noun else ""
    return (
        f"Scores are average precision at {at}{mean or ','} so that segments with more positives "
        f"do not look better."
    )


def _tests_in_words(found: Column, n_tests: int) -> str:
    """Count the tests for which p-values are adjusted: those of segments, times the columns."""
    columns = f" and {found.n_columns} columns" if found.n_columns > 1 else ""
    n_different = 1 if len(found.rows) == 2 else n_tests  # both segments of two have one test
    return f"{count_as_text(n_different, 'test')}{columns}"
