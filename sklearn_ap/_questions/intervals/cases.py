"""What scores rest on: how many rows there are, and what of them was sampled."""

from __future__ import annotations

from typing import Any

import numpy as np

from sklearn_ap._base.inputs.request import Request
from sklearn_ap._base.text import Cases
from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._questions.few_labels.labels import Labels
from sklearn_ap._uncertainty.influence import InfluenceValues, QueryInfluences, RowInfluences


def cases_of(request: Request, influences: InfluenceValues) -> Cases:
    """What a score of such rows rests on."""
    unit, n_units, average = _sampled(influences), 0, ""
    if unit == "query" and request.average == "samples":
        unit = "row"  # each is a ranking
    elif unit == "query":
        n_units = influences.score_influence.size
    elif request.clusters is not None:
        unit, n_units = "cluster", _n_clusters(influences)
    if request.average == "samples" or (unit == "query" and request.average == "weighted"):
        average = f"{request.average} average"
    elif request.n_columns > 1 and request.average is not None:
        average = f"{request.average} average of {request.n_columns:,} columns"
    elif isinstance(influences, RowInfluences) and influences.is_mean:
        average = f"{request.average} average of {influences.values.size:,} rankings"
    one_column = request.n_columns == 1 and request.n_positives is None
    return _cases(influences, request.n_rows, one_column)._replace(
        unit=unit, n_units=n_units, average=average
    )


def cases_of_labels(influences: InfluenceValues, labels: Labels) -> Cases:
    """The same of few labels, which have no share of positives that is of interest."""
    cases = _cases(influences, 0, has_share=False)
    if labels.n_in_top is not None and isinstance(influences, QueryInfluences):
        return cases._replace(unit="query", n_units=influences.score_influence.size)
    return cases._replace(unit=labels.unit, n_units=labels.n_labelled)


def cases_of_counts(counts: ThresholdCounts, influences: InfluenceValues) -> Cases:
    """The same of counts, which know their rows unless these have weights."""
    unit, n_units, n_rows, sums = _sampled(influences), 0, 0, counts.cell_sums
    if sums is not None:
        n_rows = int(sums.n_rows.sum())
        if sums.clusters is not None:
            unit, n_units = "cluster", sums.clusters.influence.size
    elif counts.fps.dtype.kind != "f":
        n_rows = int(counts.n_positives.sum() + counts.n_negatives.sum())
    if unit == "query":
        n_units = influences.score_influence.size
    is_whole = counts.n_unscored is None and n_rows > 0
    return _cases(influences, n_rows, is_whole)._replace(unit=unit, n_units=n_units)


def _cases(influences: InfluenceValues, n_rows: int, has_share: bool) -> Cases:
    if not influences.is_single_score:
        return Cases(n_rows)
    n_positives = total(influences, influences.positives.n_counted)
    return Cases(n_rows, n_positives, n_positives / n_rows if has_share and n_rows else np.nan)


def _sampled(influences: InfluenceValues) -> str:
    if isinstance(influences, RowInfluences):
        return "row"
    return "query" if influences.n_clusters is None else "cluster"


def _n_clusters(influences: InfluenceValues) -> int:
    if isinstance(influences, QueryInfluences):
        return influences.n_clusters or 0
    clusters: Any = influences.units.rankings.clusters  # type: ignore[attr-defined]
    return int(clusters.max()) + 1


def runs_in_words(n_runs: tuple[int, ...] | None) -> str:
    """As "5 runs", or "3 to 10 runs" if methods have unlike numbers; nothing for models."""
    if n_runs is None:
        return ""
    fewest, most = min(n_runs), max(n_runs)
    return f"{fewest:,} runs" if fewest == most else f"{fewest:,} to {most:,} runs"


def total(influences: InfluenceValues, numbers: Any) -> Any:
    """The sum over the rankings of a single score, or the numbers of several."""
    return float(numbers.sum()) if influences.is_single_score else numbers
