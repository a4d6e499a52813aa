"""The cases behind scores: the number of rows, and the sampling units."""

from __future__ import annotations

from typing import Literal, cast

import numpy as np

from sklearn_ap._base.text import Cases
from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.few_labels.labels import Labels
from sklearn_ap._types import Array, FloatOrArray
from sklearn_ap._uncertainty.former.influence import InfluenceValues, QueryInfluences, RowInfluences

VarianceMethod = Literal["influence", "resampling", "queries"]


def cases_of_request(request: Request, influences: InfluenceValues) -> Cases:
    """Count the rows and the sampling units of a request."""
    unit = _sampling_unit(influences)
    n_units = 0
    if unit == "query" and request.average == "samples":
        unit = "row"  # each row is a ranking
    elif unit == "query":
        n_units = influences.score_influence.size
    elif request.clusters is not None:
        unit = "cluster"
        n_units = _n_clusters(influences)
    n_columns = request.n_columns
    is_average_of_columns = n_columns > 1 and request.average is not None
    average = ""
    if request.average == "samples" or (unit == "query" and request.average == "weighted"):
        average = f"{request.average} average"
    elif is_average_of_columns:
        average = f"{request.average} average of {n_columns:,} columns"
    elif isinstance(influences, RowInfluences) and influences.is_mean:
        average = f"{request.average} average of {influences.values.size:,} rankings"
    has_n_positives = request.n_positives is not None
    has_share = n_columns == 1 and not has_n_positives
    return _row_cases(influences, request.n_rows, has_share)._replace(
        unit=unit,
        n_units=n_units,
        average=average,
        n_averaged=n_columns if is_average_of_columns else 0,
        averaged=request.averaged_names if is_average_of_columns else frozenset(),
        has_n_positives=has_n_positives,
    )


def cases_of_labels(influences: InfluenceValues, labels: Labels) -> Cases:
    """Count the labelled units; their share of positives is not shown."""
    cases = _row_cases(influences, 0, has_share=False)
    return cases._replace(unit=labels.unit, n_units=labels.n_labelled)


def _row_cases(influences: InfluenceValues, n_rows: int, has_share: bool) -> Cases:
    if not influences.is_single_score:
        return Cases(n_rows)
    n_positives = cast(float, sum_if_single_score(influences, influences.positives.n_counted))
    share = n_positives / n_rows if has_share and n_rows else np.nan
    return Cases(n_rows, n_positives, share)


def _sampling_unit(influences: InfluenceValues) -> str:
    if isinstance(influences, RowInfluences):
        return "row"
    return "query" if influences.n_clusters is None else "cluster"


def _n_clusters(influences: InfluenceValues) -> int:
    if isinstance(influences, QueryInfluences):
        return influences.n_clusters or 0
    clusters: Array = influences.units.rankings.clusters  # type: ignore[attr-defined]
    return int(clusters.max()) + 1


def sum_if_single_score(influences: InfluenceValues, numbers: Array) -> FloatOrArray:
    """Sum the numbers over the rankings of a single score; leave those of several scores."""
    return float(numbers.sum()) if influences.is_single_score else numbers
