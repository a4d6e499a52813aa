"""The parts of a report: each asks public functions, and begins with the main result."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sklearn_ap import compat
from sklearn_ap._base.inputs.checks import predicted_class_remarks
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._program.report._curve_parts import curve_part, thresholds_part, top_rows_part
from sklearn_ap._program.report._predictions import Predictions
from sklearn_ap._program.report._score_parts import comparison_part, paper_part, score_part
from sklearn_ap._program.report.page import (
    DASH,
    Part,
    Picture,
    add_warnings,
    omitted_part,
    picture_height,
    remarks,
    warned_texts,
)
from sklearn_ap._questions.segments.comparison import SegmentComparison, compare_segments
from sklearn_ap._questions.verdicts import ALL_SEGMENTS, UNDECIDED
from sklearn_ap.compat._evaluation import as_number
from sklearn_ap.compat._tools import WELL_KNOWN

DATA = "What the data are"
FEWEST_COPIES = 0.01  # a share of the rows; fewer that are alike may be chance
MOST_COPIES = 0.75  # more are alike because there are few values


def make_parts(data: Predictions) -> tuple[Part, ...]:
    """Make all parts. A part that refuses these data has the reason; the last has all warnings."""
    parts: list[Part] = []
    for title, make in ({DATA: data_part} if class_problem(data) else PARTS).items():
        with warned_texts() as texts:
            try:
                part = make(data)
            except ValueError as error:
                part = omitted_part(error)
        parts.append(replace(part, title=title, warnings=texts))
    return add_warnings(parts)


def class_problem(data: Predictions) -> str:
    """Explain why nothing can be scored; empty if both classes are present."""
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
    """List likely errors in labels and scores."""
    problems = []
    for name, score in data.y_scores.items():
        problems += [f"{name}: {text}" for text in predicted_class_remarks(score)]
        if np.all(score == score[0]):
            problems.append(f"{name}: All scores are equal.")
    problems += data.doubts
    if data.judged is not None:
        problems += [warning.args[0] for warning in data.judged.doubts()]
        problems += [f"{text[0].upper()}{text[1:]}." for text in data.judged.judge_in_words()]
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
    """Count rows that repeat another one, unless rounding or few distinct values explain it."""
    columns = [data.y_true, *data.y_scores.values()]
    with np.errstate(over="ignore"):  # scores near the largest float overflow
        if all(np.array_equal(np.round(score, 4), score) for score in columns[1:]):
            return 0
    if "queries" in data.options:
        columns.append(encode_names(data.options["queries"], "queries")[0])
    order = np.lexsort(columns)
    ordered = [column[order] for column in columns]
    repeats = np.logical_and.reduce([column[1:] == column[:-1] for column in ordered])
    n = int(np.count_nonzero(repeats))
    return n if max(1, FEWEST_COPIES * data.n_rows) < n < MOST_COPIES * data.n_rows else 0


def segments_part(data: Predictions) -> Part:
    if data.segments is None:
        return Part("No segments were passed, such as the country or the month of each row.")
    comparison = data.ask(compare_segments, data.best_model, takes_segments=True)
    height = picture_height(len(comparison.rankings))
    table = comparison._table()
    return Part(
        _segments_sentence(data, comparison),
        table.cells,
        remarks(table),
        Picture(comparison.plot, height, "The score of each segment."),
        data.call(compare_segments, data.best_model),
    )


def _segments_sentence(data: Predictions, comparison: SegmentComparison) -> str:
    """Name the segment that differs most, and else say what is shown of all segments."""
    if np.isnan(comparison.differences).all():
        return "No two segments have enough positives to be compared."
    named_verdicts = {verdict.name: verdict for verdict in comparison.verdicts}
    unlike = np.flatnonzero(comparison.adjusted_pvalues < 1 - data.level)
    whole = named_verdicts.get(ALL_SEGMENTS, comparison.verdicts[0])
    sentences = [whole.sentence]
    if unlike.size:
        most = unlike[np.argmax(np.abs(comparison.differences[unlike]))]
        n_more = unlike.size - 1
        others = [f"{n_more} more differ{'s' if n_more == 1 else ''}."] if n_more else []
        doubt = [whole.sentence] if whole.decision == UNDECIDED else []
        sentences = [named_verdicts[str(comparison.rankings[most])].sentence, *others, *doubt]
    return f"Segments of {data.best_model}: {' '.join(sentences)}"


def tools_part(data: Predictions) -> Part:
    comparison = data.ask(
        compat.compare, data.best_model, omitted=("prevalence",), tools=WELL_KNOWN
    )
    groups = comparison.groups
    cells = [["number", "functions", "why it differs"]]
    for group in groups:
        names = ", ".join(result.name for result in group)
        first_result = group[0]
        reason = (
            _explain(data, first_result.name)
            if first_result.difference
            else first_result.refusal or ""
        )
        cells.append([as_number(first_result.value), names, reason])
    first, *others = (group[0].value for group in groups if group[0].value is not None)
    functions = f"{len(groups[0])} of {sum(map(len, groups))} well-known functions"
    sentence = f"{functions} print {as_number(first)} for {data.best_model}"
    if others:
        sentence += f"; the others print {as_number(min(others))} to {as_number(max(others))}"
    notes = ["Other tools know no prevalence."] * ("prevalence" in data.options)
    return Part(f"{sentence}.", cells, notes, call=data.call(compat.compare, data.best_model))


def _explain(data: Predictions, name: str) -> str:
    """Explain why a function gives another number than scikit-learn."""
    options = data.arguments(compat.explain, "prevalence")
    y_score = data.y_scores[data.best_model]
    steps = compat.explain(name, data.y_true, y_score, **options).steps
    return " ".join(step.why for step in steps if step.has_effect)


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
