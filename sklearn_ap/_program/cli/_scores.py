"""The scores of predictions under definitions: of one model, or of several."""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._extras import printable, progress
from sklearn_ap._files.sources import DataError
from sklearn_ap._inputs.options import check_prevalence
from sklearn_ap._inputs.request import Request
from sklearn_ap._program.cli._answer import Row
from sklearn_ap._program.cli._file_predictions import FilePredictions
from sklearn_ap._program.cli.lines import name_options
from sklearn_ap._results.text import (
    estimate_as_text,
    interval_of,
    rounded_count,
    score_as_text,
    title_with_prevalence,
)
from sklearn_ap._types import Argument, Keywords
from sklearn_ap.definitions import Definition, RecallAtPrecision, ReciprocalRank
from sklearn_ap.inference.comparison import compare_average_precision
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import average_precision_interval
from sklearn_ap.inference.segments import Prevalence, compare_segments
from sklearn_ap.metrics import score

MOST_RESAMPLED_ROWS = 20_000  # above this, resampling with weights takes minutes
SLOW = (
    "Without an interval: {}. With weights, clusters or several models, their intervals take "
    f"hundreds of passes over the data. They are computed for up to {MOST_RESAMPLED_ROWS:,} rows."
)
NO_MARGIN = (
    "--margin is for step average precision of rows, and means over queries. Compared without it: "
    "{}."
)
ONE_MODEL_AND_MARGIN = "--margin compares models: pass --score once more for each"
# The columns of few labels, and the kinds of the notes of an interval that they are
MODEL_NOTES = {
    "n_equivalent": "worth_of_labels",
    "judge_regression_weight": "judge_weight",
    "judge_score": "judge_score",
}
NOTES_OF_MODELS = {**MODEL_NOTES, "margin_low": "margin_low"}
NO_INTERVAL = dict.fromkeys(("low", "high", "standard_error"), np.nan)
SIZES = ("n_positives", "n_effective", "prevalence")
DIFFERENCE = ("difference", "difference_low", "difference_high", "pvalue")
NO_COMPARISON: Row = dict.fromkeys((*NO_INTERVAL, *SIZES, *DIFFERENCE), np.nan) | {"verdict": None}


class Answer(NamedTuple):
    """The rows of the answer for a definition, and the same as text."""

    rows: list[Row]
    text: str
    comparison: Comparison | None = None  # of several models
    remark: str = ""  # with a place for the titles that it is about


class Scores(NamedTuple):
    """The rows of all definitions, the same as text, and comparisons by the call of each."""

    rows: list[Row]
    text: str
    comparisons: dict[str, Comparison]


@dataclass(frozen=True, slots=True)
class Limits:
    """The level and the prevalence of intervals, and the margin of differences.

    A margin is left out where it is refused, unless something is required.
    """

    level: float
    prevalence: float | None
    margin: float | None = None
    is_required: bool = False


@dataclass(slots=True)
class Answers:
    """The answers of definitions so far, and the titles that belong to each remark and warning."""

    rows: list[Row] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    comparisons: dict[str, Comparison] = field(default_factory=dict)
    remarks: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    doubts: defaultdict[str, list[str]] = field(default_factory=lambda: defaultdict(list))

    def add(self, title: str, answer: Answer) -> None:
        """Add the answer of a definition."""
        self.rows += answer.rows
        self.texts.append(answer.text)
        if answer.comparison is not None:
            self.comparisons[answer.rows[0]["definition"]] = answer.comparison
        if answer.remark:
            self.remarks[answer.remark].append(title)

    def add_refusal(self, title: str, definition: Definition, error: ValueError) -> None:
        """Add a remark why a definition refuses the predictions."""
        problem = str(error).replace(repr(definition), "The definition")
        # The reason first, as the names of all definitions are long.
        reason = name_options(problem).replace("{", "{{").replace("}", "}}")
        self.remarks[f"{reason} Left out: {{}}."].append(title)

    def add_warnings(self, title: str, messages: Sequence[Warning | str]) -> None:
        """Add the warnings of a definition, each once."""
        for message in messages:
            text = str(message)
            if title not in self.doubts[text]:
                self.doubts[text].append(title)

    def warn(self) -> None:
        """Issue each warning once, with the titles of its definitions unless it is about all."""
        for message, titles in self.doubts.items():
            is_common = len(titles) == len(self.texts)
            prefix = "" if is_common else f"{', '.join(titles)}: "
            warnings.warn(prefix + message, stacklevel=3)

    @property
    def notes(self) -> list[str]:
        """The remarks, each with the titles that it is about."""
        return [remark.format(", ".join(titles)) for remark, titles in self.remarks.items()]


def score_definitions(
    predictions: FilePredictions,
    definitions: dict[str, Definition],
    level: float,
    prevalence: float | None = None,
    margin: float | None = None,
    is_required: bool = False,
) -> Scores:
    """Score each definition, by its title.

    If all are required, none is left out, and each has an interval, however long that takes.
    """
    prevalence = None if prevalence is None else check_prevalence(prevalence)
    if margin is not None and len(predictions.y_scores) == 1:
        raise DataError(ONE_MODEL_AND_MARGIN)
    limits = Limits(level, prevalence, margin, is_required)
    answers = Answers()
    with progress(len(definitions), " definitions", "scoring") as bar:
        for title, definition in definitions.items():
            has_interval = is_required or predictions.label_options
            is_slow = not has_interval and _is_slow(definition, predictions)
            if is_slow:
                answers.remarks[SLOW].append(title)
            is_plain = is_slow or (not has_interval and _hangs_on_one_row(definition, predictions))
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                try:
                    answer = _score_definition(title, definition, predictions, limits, is_plain)
                    answers.add(title, answer)
                # The file was validated: this definition refuses it (weights, for example).
                except ValueError as error:
                    if is_required:
                        raise
                    answers.add_refusal(title, definition, error)
            answers.add_warnings(title, [warning.message for warning in caught])
            bar.update()
    answers.warn()
    if not answers.rows:
        raise ValueError(" ".join(answers.notes))
    head = f"Each score with its {interval_of(level)}:\n"
    notes = (f"\n{note}" for note in answers.notes)
    text = "\n".join([head, *answers.texts, *notes])
    return Scores(_fill_columns(answers.rows), text, answers.comparisons)


def _fill_columns(rows: list[Row]) -> list[Row]:
    """Give all rows the columns of a margin if some have them, at the same places."""
    longest = max(rows, key=len)
    if "margin_low" not in longest:
        return rows
    return [{name: row.get(name, np.nan) for name in longest} | row for row in rows]


def _score_definition(
    title: str,
    definition: Definition,
    predictions: FilePredictions,
    limits: Limits,
    is_plain: bool,
) -> Answer:
    """Score the predictions under one definition, with an interval unless it is plain."""
    if limits.prevalence is not None:
        title = title_with_prevalence(definition.title, limits.prevalence)
    row: Row = {"title": title, "definition": repr(definition)}
    if is_plain:
        return _plain_scores(row, definition, predictions, limits.prevalence)
    options: Keywords = {
        "definition": definition,
        "sample_weight": predictions.weight,
        "queries": predictions.queries,
        "clusters": predictions.clusters,
        "prevalence": limits.prevalence,
        "zero_division": predictions.zero_division(limits.prevalence),
        "confidence_level": limits.level,
        **predictions.label_options,
    }
    if len(predictions.y_scores) > 1:
        return _compare_models(title, row, predictions, limits, options)
    return _model_interval(row, predictions, options)


def _compare_models(
    title: str, row: Row, predictions: FilePredictions, limits: Limits, options: Keywords
) -> Answer:
    """Compare models, without a margin where that is refused, unless it is required."""
    compare = partial(
        compare_average_precision, predictions.y_true, predictions.y_scores, **options
    )
    remark = ""
    try:
        comparison = compare(margin=limits.margin)
    except ValueError:
        if limits.margin is None or limits.is_required:
            raise
        comparison = compare()
        remark = NO_MARGIN
    # trec_eval's names stand above the line with ours.
    is_ours = title == title_with_prevalence(options["definition"].title, limits.prevalence)
    name = "" if is_ours else f"{title}\n"
    rows = [row | model for model in _rows_of_models(comparison)]
    return Answer(rows, f"{name}{comparison}\n", comparison, remark)


def _rows_of_models(comparison: Comparison) -> list[Row]:
    """Return the rows of a comparison, with what its notes say of each model."""
    result: Keywords = comparison.to_dict()
    columns = {
        column: np.broadcast_to(comparison.notes[kind], len(comparison.names))
        for column, kind in NOTES_OF_MODELS.items()
        if kind in comparison.notes
    }
    return [
        {name: np.nan if value is None else value for name, value in row.items()}
        | {name: float(values[place]) for name, values in columns.items()}
        for place, row in enumerate(result["rows"])
    ]


def _model_interval(row: Row, predictions: FilePredictions, options: Keywords) -> Answer:
    """Return the score of one model, with the facts about its labels."""
    y_true = predictions.y_true
    (y_score,) = predictions.y_scores.values()
    interval = average_precision_interval(y_true, y_score, **options)
    row |= {"value": interval.estimate, "low": interval.low, "high": interval.high}
    row["standard_error"] = interval.standard_error
    if interval.sample.n_labelled:
        row |= {column: interval.notes.get(kind, np.nan) for column, kind in MODEL_NOTES.items()}
    return Answer([row], _line(row))


def _plain_scores(
    row: Row, definition: Definition, predictions: FilePredictions, prevalence: float | None
) -> Answer:
    """Return scores without intervals, which would take long."""
    values = _values(definition, predictions, prevalence)
    if len(values) == 1:
        row |= {"value": next(iter(values.values()))} | NO_INTERVAL
        return Answer([row], _line(row))
    rows = [
        row | {"name": name, "estimate": value} | NO_COMPARISON for name, value in values.items()
    ]
    lines = "\n".join(
        f"{score_as_text(value, 3)}  {printable(name)}" for name, value in values.items()
    )
    return Answer(rows, f"{row['title']}\n{lines}\n")


def _values(
    definition: Definition, predictions: FilePredictions, prevalence: float | None
) -> dict[str, float]:
    """Return the score of each column, without an interval."""
    zero_division = predictions.zero_division(prevalence)
    values = {}
    for name, y_score in predictions.y_scores.items():
        request = Request(
            y_true=predictions.y_true,
            y_score=y_score,
            sample_weight=predictions.weight,
            queries=predictions.queries,
            clusters=predictions.clusters,
            prevalence=prevalence,
            zero_division=zero_division,
        )
        values[name] = float(score(definition, request))
    return values


def _line(row: Row) -> str:
    score = estimate_as_text(row["value"], row["low"], row["high"])
    score = "undefined" if np.isnan(row["value"]) else score
    n = row.get("n_equivalent", np.nan)
    worth = "" if np.isnan(n) else f", as precise as {rounded_count(n)} labels drawn at random"
    return f"{score:19}  {row['title']}{worth}"


def _is_slow(definition: Definition, predictions: FilePredictions) -> bool:
    """Check whether an interval takes hundreds of passes over many rows.

    Resampling with weights does, and so do several models whose scores depend on all rows.
    """
    has_clusters = predictions.clusters is not None
    # The top rows of one model are resampled without a pass over the others.
    is_partial = len(predictions.y_scores) == 1 or definition.depth is not None
    uses_few_rows = predictions.weight is None and not has_clusters and is_partial
    resamples_queries = predictions.queries is not None and not has_clusters
    if uses_few_rows or resamples_queries or predictions.y_true.size <= MOST_RESAMPLED_ROWS:
        return False
    y_score = next(iter(predictions.y_scores.values()))
    counts = threshold_counts(predictions.y_true, y_score, sample_weight=predictions.weight)
    return definition.influence(counts) is None


def _hangs_on_one_row(definition: Definition, predictions: FilePredictions) -> bool:
    """Check whether a definition has no interval of one model's single ranking."""
    is_one_ranking = len(predictions.y_scores) == 1 and predictions.queries is None
    return is_one_ranking and isinstance(definition, RecallAtPrecision | ReciprocalRank)


def score_segments(
    predictions: FilePredictions,
    definitions: Sequence[Definition],
    reference: str,
    prevalence: Prevalence,
    level: float,
) -> dict[Definition, Comparison]:
    """Compare the segments under each definition."""
    y_score = predictions.single_score(takes_clusters=True)
    segments: Argument = next(iter(predictions.segments.values())).ordered
    found = {}
    with progress(len(definitions), " definitions", "comparing") as bar:
        for definition in definitions:
            found[definition] = compare_segments(
                predictions.y_true,
                y_score,
                segments,
                definition=definition,
                queries=predictions.queries,
                sample_weight=predictions.weight,
                clusters=predictions.clusters,
                reference=reference,
                prevalence=prevalence,
                confidence_level=level,
            )
            bar.update()
    return found


def rows_of_segments(definition: Definition, comparison: Comparison) -> list[Row]:
    """Return the rows of a comparison of segments, with what all of them share."""
    result: Keywords = comparison.to_dict()
    shared: Row = {
        "title": definition.title,
        "definition": repr(definition),
        "target_prevalence": result["target_prevalence"],
    }
    return [
        {**shared, "segment": row.pop("name"), "reference": result["reference"], **row}
        for row in result["rows"]
    ]
