"""The parts of a report about ranks: the curve and the top rows."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from sklearn_ap._base.common.types import Keywords
from sklearn_ap._base.inputs.checks import are_all_whole
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._counts.ranks import ranks_of_rows
from sklearn_ap._program.report.data.predictions import MANY_ROWS, Predictions
from sklearn_ap._program.report.models.curve_picture import RECALLS, curve_picture
from sklearn_ap._program.report.page.page import Part
from sklearn_ap._program.report.page.words import as_cell, describe, percent, pictured, score
from sklearn_ap._questions.intervals.interval import average_precision_interval
from sklearn_ap._scikit_learn.displays.average_precision import AveragePrecisionDisplay
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK

RANKS = 10, 100, 0.01
LONG_RANKING = 500  # rows from which the heading takes the top 100, and not the top 10: a choice
WEIGHT_SHARES = 0.01, 0.05, 0.1  # in the place of ranks, which would count weight, not rows


def curve_part(data: Predictions) -> Part:
    # With options about rows, such as weights or queries, there is no band.
    row_options = [name for name in data.options if name not in ("prevalence", "confidence_level")]
    heads = (f"best precision of {name}" for name in data.shown_models)
    cells = [["recall of at least", *heads]]
    for recall in RECALLS:
        estimates = [data.estimate(PrecisionAtRecall(recall), name) for name in data.shown_models]
        cells.append([f"{recall:g}", *map(as_cell, estimates)])
    notes = [
        "Recall is the share of all positives that are found so far, down the ranking, and "
        "precision is the share of the rows so far that are positive.",
        *_limits_notes(data),
    ]
    if "queries" in row_options and not data.is_slow:
        notes.append(
            "The table has an interval at each recall; a band over all recalls is only for a "
            "single ranking."
        )
    elif row_options:
        notes.append(f"No band is drawn, because {data.reason_against(row_options[0])}.")
    else:
        notes.append(
            "The band of the picture holds at all recalls at once, so it is wider than the "
            "intervals of the table, which hold at one recall each."
        )
    columns = [[*column] for column in zip(*cells, strict=True)]
    alt = pictured("Precision at these levels of recall", columns)
    model_part = partial(_curve_of_model, data, alt, not row_options)
    part = model_part(data.best_model)
    return replace(part, cells=cells, notes=notes, model_part=model_part)


def _curve_of_model(data: Predictions, alt: str, band: bool, model: str) -> Part:
    """Write the main sentence about the curve of a model, with its band and its call."""
    precision = describe(data.estimate(PrecisionAtRecall(0.5), model), data.interval_kind)
    sentence = f"To find half of the positives, {model} reaches a precision of {precision}."
    picture = curve_picture(data, model, alt, has_band=band)
    options: Keywords = {"band": True} if band else {}
    call = data.call(AveragePrecisionDisplay.from_predictions, model, **options)
    return Part(sentence, picture=picture, call=call)


def top_rows_part(data: Predictions) -> Part:
    scope = f" of a {data.query_noun}" if "queries" in data.options else ""
    heads = _rank_heads(data)
    if not heads:
        raise ValueError(f"There are too few rows{scope}: the top 10 are more than half of them.")
    cells = [["top", "model", "precision", "recall", "AP of the top"]]
    for k, head in heads.items():
        for name in data.shown_models:
            definitions = (PrecisionAtK(k), RecallAtK(k), AtK(k))
            scores = [as_cell(data.estimate(definition, name)) for definition in definitions]
            cells.append([head if name == data.best_model else "", name, *scores])
    notes = _limits_notes(data)
    notes.append(
        "AP of the top k rows (AP@k) adds the precision at each positive among them, and divides "
        "by k, or by the number of all positives if that is smaller."
    )
    if "sample_weight" in data.options:
        notes.append("A row counts with its weight, so these are shares of the weight, not rows.")
    if "prevalence" in data.options:
        notes.append("They are shares of the sample: a prevalence does not go with the top rows.")
    model_part = partial(_top_rows_of_model, data, heads, scope)
    return replace(model_part(data.best_model), cells=cells, notes=notes, model_part=model_part)


def _top_rows_of_model(
    data: Predictions, heads: Mapping[float, str], scope: str, model: str
) -> Part:
    """Write the main sentence about the top rows of a model, with its call and its rows."""
    k = _leading_rank(data, heads)
    call = data.call(
        average_precision_interval, model, omitted=("prevalence",), definition=PrecisionAtK(k)
    )
    names = [name for _ in heads for name in data.shown_models]
    first_rows = [i for i, name in enumerate(names) if name in (data.best_model, model)]
    sentence = _top_rows_sentence(data, k, heads[k], scope, model)
    return Part(sentence, call=call, first_rows=first_rows)


def _top_rows_sentence(data: Predictions, k: float, head: str, scope: str, model: str) -> str:
    precision = data.estimate(PrecisionAtK(k), model)
    words = describe(precision, data.interval_kind)
    recall = percent(data.estimate(RecallAtK(k), model).value)
    if k < 1 and "sample_weight" in data.options:
        share = f"{head} of the weight{scope}" if scope else head
        return (
            f"The top {share} by {model} has a precision of {words}, and holds "
            f"{recall} of the weight of the positives."
        )
    n_found = precision.value * k
    is_whole = abs(n_found - round(n_found)) < 1e-6
    tied = "" if is_whole else " on average over orders of equal scores"
    found = f"{recall} of the positives"
    if "queries" in data.options:
        tied = f", on average over {data.names_in_words('queries', 'query')}"
        found = f"a mean recall of {recall}{data.queries_without_positives}"
    top = f"Of the top {k} rows{scope} by {model}"
    if "prevalence" in data.options:  # which top rows do not have
        top = f"In this sample, where {percent(data.y_true.mean())} are positive, of{top[2:]}"
    return f"{top}, {n_found:.3g} are positive{tied}: a precision of {words}, and {found}."


def _leading_rank(data: Predictions, heads: Mapping[float, str]) -> float:
    """Choose the top of the heading: a larger part of a short ranking is like the whole."""
    if "sample_weight" in data.options:
        return next(iter(heads))
    return 100 if _ranking_length(data) >= LONG_RANKING else 10


def _ranking_length(data: Predictions) -> int:
    """Count the rows of the ranking, or of the median one of all queries."""
    if "queries" not in data.options:
        return data.n_rows
    codes, _ = encode_names(data.options["queries"], "queries")
    return int(np.median(np.bincount(codes)))


def _rank_heads(data: Predictions) -> dict[float, str]:
    """Name the numbers of top rows, as {10: "10", 0.01: "1% (25)"}, up to half of the rows."""
    n_rows = _ranking_length(data)
    if "sample_weight" in data.options:
        return {k: _weight_head(data, k) for k in WEIGHT_SHARES if k * n_rows > 1}
    ranks = {k: ranks_of_rows(k, n_rows) for k in RANKS}
    return {
        k: f"{k}" if k == rank else f"1% ({rank:,})"
        for k, rank in sorted(ranks.items(), key=lambda item: item[1])
        # A percentage that comes to 10 or 100 rows is left out, as these are listed already.
        if 1 < rank <= n_rows / 2 and (k == rank or rank not in RANKS)
    }


def _weight_head(data: Predictions, share: float) -> str:
    """Name a share with the weight behind it, as "1% (weight 600)"; that of queries differs."""
    if "queries" in data.options:
        return f"{share:.0%}"
    weights = data.options["sample_weight"].astype(float)
    total = weights.sum()
    weight = ranks_of_rows(share, total) if are_all_whole(weights) else share * total
    return f"{share:.0%} (weight {score(weight)})"


def _limits_notes(data: Predictions) -> list[str]:
    """Note which models are shown, and how many resamples their limits come from."""
    notes = [] if data.is_slow else [f"Brackets are {data.interval_kind}s."]
    if len(data.y_scores) > len(data.shown_models):
        notes.append(f"The {len(data.shown_models)} models with the highest scores are shown.")
    if data.is_slow:
        units = data.cluster_nouns if "clusters" in data.options else "rows with weights"
        notes.append(f"Intervals are left out, as resampling {units} takes minutes.")
    elif data.n_rows > MANY_ROWS:
        notes.append("Intervals are from 99 resamples, as there are many rows.")
    return notes
