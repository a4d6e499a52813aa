"""The scores of predictions under definitions: of one model, of several, or beside chance."""

import warnings
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from itertools import compress
from typing import Any

import numpy as np

from sklearn_ap._base.extras import printable, progress
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.inputs.checks import check_prevalence
from sklearn_ap._base.inputs.option_checks import k_as_text
from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import (
    first_and_more,
    interval_head,
    number_as_text,
    title_with_prevalence,
)
from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._program.cli._file_predictions import FilePredictions
from sklearn_ap._program.cli.output import Row, with_options
from sklearn_ap._questions.chance.random_orders import chance_test
from sklearn_ap._questions.few_labels.judge_agreement import agreement_in_words
from sklearn_ap._questions.few_labels.labels import MODEL_COLUMNS
from sklearn_ap._questions.few_labels.variances import remarks_about_more_labels
from sklearn_ap._questions.intervals.comparison import compare_average_precision
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._questions.judged import judged_shares
from sklearn_ap._questions.segments.comparison import compare_segments
from sklearn_ap._scores.definition_names import definition_call
from sklearn_ap._scores.scoring import score
from sklearn_ap._uncertainty.options import SCORE_KINDS, DifferenceMethod, ScoreMethod
from sklearn_ap.definitions import Definition

LEVEL = 0.05
OF_DIFFERENCES: dict[str, DifferenceMethod] = {"wilson": "student", "logit": "normal"}
MANY = 20_000  # rows that are resampled with weights in seconds
SLOW = (
    "Without an interval: {}. With weights, clusters or several models, their intervals take "
    f"hundreds of passes over the data. They are computed for up to {MANY:,} rows."
)
NO_INTERVAL = dict.fromkeys(("low", "high", "standard_error"), np.nan)
DIFFERENCE = ("difference", "difference_low", "difference_high", "difference_standard_error")
NO_COMPARISON = dict.fromkeys(("low", "high", *DIFFERENCE, "pvalue", "adjusted_pvalue"), np.nan)


def scores(
    predictions: FilePredictions,
    named: dict[str, Definition],
    level: float,
    prevalence: float | None = None,
    method: ScoreMethod = "wilson",
) -> tuple[list[Row], str]:
    """Give rows for each definition, by its title, and the same as text."""
    prevalence = None if prevalence is None else check_prevalence(prevalence)
    rows: list[Row] = []
    texts: list[str] = []
    remarks, doubts = defaultdict(list), defaultdict(list)
    limits = {"confidence_level": level, "method": method}
    with progress(len(named), " definitions", "scoring") as bar:
        for title, definition in named.items():
            slow = not predictions.of_labels and _is_slow(definition, predictions)
            if slow:
                remarks[SLOW].append(title)
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always", UserWarning)
                try:
                    its_rows, text = _scored(
                        title, definition, predictions, prevalence, limits=limits, slow=slow
                    )
                    rows, texts = rows + its_rows, [*texts, text]
                    if (judge := agreement_in_words(its_rows[0])) and "name" not in its_rows[0]:
                        remarks[judge].append(title)
                    if "judged_at_k" in its_rows[0] and "name" not in its_rows[0]:
                        remarks[_judged(its_rows[0])].append(title)
                # The file was validated: this definition refuses it (weights, for example).
                except ValueError as error:
                    problem = str(error).replace(repr(definition), "The definition")
                    # The reason first, as the names of all definitions are long.
                    reason = with_options(problem).replace("{", "{{").replace("}", "}}")
                    remarks[f"{reason} Left out: {{}}."].append(title)
            for message in dict.fromkeys(str(warning.message) for warning in caught):
                doubts[message].append(title)
            bar.update()
    for message, titles in doubts.items():
        some = "" if len(titles) == len(texts) else f"{', '.join(titles)}: "
        warnings.warn(some + message, stacklevel=2)
    lines = [remark.format(", ".join(titles)) for remark, titles in remarks.items()]
    if not rows:
        raise ValueError(" ".join(lines))
    title = f"Each score with its {interval_head(level, SCORE_KINDS.get(method, ''))}:\n"
    return rows, "\n".join([title, *texts, *(f"\n{text}" for text in lines)])


def _scored(
    title: str,
    definition: Definition,
    predictions: FilePredictions,
    prevalence: float | None,
    *,
    limits: dict[str, Any],
    slow: bool,
) -> tuple[list[Row], str]:
    title = title if prevalence is None else title_with_prevalence(definition.title, prevalence)
    row: Row = {"title": title, "definition": definition_call(definition)}
    y_true, y_scores = predictions.y_true, predictions.y_scores
    of_interval = {
        "definition": definition,
        "sample_weight": predictions.weight,
        "queries": predictions.queries,
        "clusters": predictions.clusters,
        "prevalence": prevalence,
        "zero_division": predictions.zero_division(prevalence),
        **limits,
        **predictions.of_labels,
    }
    if predictions.runs:
        of_interval["runs"] = runs = predictions.runs
        if slow:
            raise ValueError(f"Training runs of more than {MANY:,} rows take hundreds of passes.")
        if len(runs) == 1:
            return _of_one_method(row, predictions, of_interval)
    if not slow and len(y_scores) > 1:
        of_interval["method"] = OF_DIFFERENCES[limits["method"]]
        compared = compare_average_precision(y_true, y_scores, **of_interval)
        # trec_eval's names stand above the line with ours.
        name = "" if title == title_with_prevalence(definition.title, prevalence) else f"{title}\n"
        return [row | each for each in compared.rows()], f"{name}{compared}\n"
    if not slow:
        (y_score,) = y_scores.values()
        interval = average_precision_interval(y_true, y_score, **of_interval)
        row |= {"value": interval.estimate, "low": interval.low, "high": interval.high}
        row["standard_error"] = interval.standard_error
        request = Request(y_true=y_true, y_score=y_score, queries=predictions.queries)
        if (judged := judged_shares(y_scores, request, definition)) is not None:
            row |= judged.columns(*y_scores)
        if interval.labels is not None:
            row |= {name: getattr(interval.labels, name) for name in MODEL_COLUMNS}
            row |= interval.labels.judge_columns()
        return [row], ", ".join([_line(row), *remarks_about_more_labels(interval.pilot)])
    values = _values(definition, predictions, prevalence)
    if len(values) == 1:
        row |= {"value": next(iter(values.values()))} | NO_INTERVAL
        return [row], _line(row)
    each = [{"name": name, "estimate": value} | NO_COMPARISON for name, value in values.items()]
    lines = "\n".join(f"{value:.4f}  {printable(name)}" for name, value in values.items())
    return [row | of_model for of_model in each], f"{title}\n{lines}\n"


def _of_one_method(
    row: Row, predictions: FilePredictions, options: dict[str, Any]
) -> tuple[list[Row], str]:
    """The mean over the training runs of one method, and both parts of its error."""
    (columns,) = predictions.runs.values()
    scores: Any = predictions.y_scores
    interval = average_precision_interval(predictions.y_true, scores, **options | {"runs": columns})
    row |= {"value": interval.estimate, "low": interval.low, "high": interval.high}
    names = "standard_error", "rows_standard_error", "runs_standard_error", "n_runs"
    row |= {name: getattr(interval, name) for name in names}
    parts = f"{interval.rows_standard_error:.3f} of rows, {interval.runs_standard_error:.3f} of"
    return [row], f"{_line(row)}, std. error {parts} {interval.n_runs} runs"


def _values(
    definition: Definition, predictions: FilePredictions, prevalence: float | None
) -> dict[str, Any]:
    """The score of each column, without an interval."""
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
        values[name] = score(definition, request)
    return values


def _line(row: Row) -> str:
    value = "undefined" if np.isnan(row["value"]) else f"{row['value']:.3f}"
    limits = "" if np.isnan(row["low"]) else f"[{row['low']:.3f}, {row['high']:.3f}]"
    n = row.get("n_equivalent", np.nan)
    worth = "" if np.isnan(n) else f", same standard error as {n:,.0f} labels drawn at random"
    return f"{value} {limits:14}  {row['title']}{worth}"


def _judged(row: Row) -> str:
    """As "judged@10: 0.98", of one run."""
    return f"judged@{k_as_text(row['judged_k'])}: {number_as_text(row['judged_at_k'])}"


def _is_slow(definition: Definition, predictions: FilePredictions) -> bool:
    """Whether an interval needs hundreds of passes over many rows: resampling, with weights.

    Several models, too, if all rows of a new sample matter.
    """
    weight, y_true, clusters = predictions.weight, predictions.y_true, predictions.clusters
    is_seen_in_part = len(predictions.y_scores) == 1 or definition.depth is not None
    are_independent = weight is None and clusters is None and is_seen_in_part
    are_queries = predictions.queries is not None and clusters is None
    if are_independent or are_queries or y_true.size <= MANY:
        return False
    y_score = next(iter(predictions.y_scores.values()))
    counts = threshold_counts(y_true, y_score, pos_label=True, sample_weight=weight)
    return definition.influence(counts) is None


def beside_chance(
    predictions: FilePredictions, definitions: Sequence[Definition], prevalence: float | None
) -> tuple[list[Row], str]:
    """Give a row for each definition, and the same as text."""
    arguments = predictions.arguments
    if arguments.pop("sample_weight") is not None:
        raise DataError("chance takes no --weight: rows of unequal weight cannot change places")
    arguments |= {"prevalence": prevalence}
    arguments |= {"zero_division": predictions.zero_division(prevalence)}
    rows, texts = [], []
    with progress(len(definitions), " definitions", "permuting") as bar:
        for definition in definitions:
            test = chance_test(**arguments, definition=definition)
            title = title_with_prevalence(definition.title, prevalence)
            row = {"title": title, "definition": definition_call(definition)} | test.rows()[0]
            text = f"{test}\n"
            if predictions.queries is not None:
                each = chance_test(**arguments, definition=definition, average=None)
                row["queries_tested"] = n_tested = int(np.count_nonzero(each.pvalue >= 0))
                is_better = each.adjusted_pvalue <= LEVEL
                row["better_queries"] = better = [*compress(predictions.query_names, is_better)]
                row["queries_above_chance"] = len(better)
                text += f"{_sentence(better, n_tested)}\n"
            rows.append(row | {"n_permutations": test.n_permutations})
            texts.append(text)
            bar.update()
    return rows, "\n".join(texts)


def of_segments(
    predictions: FilePredictions,
    definitions: Sequence[Definition],
    reference: str,
    prevalence: Any,
    level: float,
) -> tuple[list[Row], str]:
    """Give a row for each segment under each definition, and the same as text."""
    arguments = replace(predictions, clusters=None).arguments
    del arguments["queries"]
    arguments |= {"segments": predictions.segments, "clusters": predictions.clusters}
    arguments |= {"reference": reference, "prevalence": prevalence, "confidence_level": level}
    rows, texts = [], []
    with progress(len(definitions), " definitions", "comparing") as bar:
        for definition in definitions:
            comparison = compare_segments(**arguments, definition=definition)
            of_all = {"title": definition.title, "definition": definition_call(definition)}
            of_all |= {
                name: getattr(comparison, name) for name in ("prevalence", "homogeneity_pvalue")
            }
            rows += [of_all | row for row in comparison.rows()]
            texts.append(f"{comparison}\n")
            bar.update()
    return rows, "\n".join(texts)


def _sentence(better: list[str], n_tested: int) -> str:
    """How many queries are better than chance of those with positives, and which."""
    text = f"{len(better):,} of the {n_tested:,} queries with a p-value are better than chance"
    return f"{text}: {first_and_more([*map(shown, better)])}." if better else f"{text}."
