"""For displays and the pictures of the pages, until displays are rebuilt: what is drawn of a value.

Each function takes a definition and the counts of one ranking. It gives None for a definition that
has no such thing.
"""

from functools import singledispatch
from typing import NamedTuple

import numpy as np

from sklearn_ap._counts.thresholds import ThresholdCounts
from sklearn_ap._inputs.options import k_as_text
from sklearn_ap._types import Array
from sklearn_ap.definitions._at_a_point import PrecisionAtRecall, RecallAtPrecision
from sklearn_ap.definitions._at_k import AtK
from sklearn_ap.definitions._base import Definition, Line, step_line
from sklearn_ap.definitions._expected import Expected
from sklearn_ap.definitions._interpolated import Interpolated
from sklearn_ap.definitions._linear import Linear
from sklearn_ap.definitions._prevalence import _AtPrevalence


class Shade(NamedTuple):
    """An area of a picture that is to be shaded."""

    recall: Array  # where both edges are given
    low: Array | float  # the lower edge
    high: Array  # the upper edge
    label: str  # the name of the area in the legend


class Point(NamedTuple):
    """A point of a picture that is to be marked."""

    recall: float
    precision: float


@singledispatch
def samples(definition: Definition, counts: ThresholdCounts) -> Line | None:
    """Return recall levels and the heights at them, if their mean is the value."""
    return None


@samples.register
def _(definition: Interpolated, counts: ThresholdCounts) -> Line | None:
    if definition.recall_levels is None:
        return None
    # A threshold gives its height to the levels that recall reaches there for the first time.
    reached = definition.levels_reached(counts)
    n_levels = (reached - counts.above(reached)).astype(np.intp)
    heights = np.repeat(definition.heights(counts), n_levels)
    levels = definition.levels
    unreached = np.zeros(levels.size - heights.size)
    return levels, np.concatenate((heights, unreached))


@samples.register
def _(definition: _AtPrevalence, counts: ThresholdCounts) -> Line | None:
    return samples(definition.definition, counts.at_prevalence(definition.target))


@singledispatch
def point(definition: Definition, counts: ThresholdCounts) -> Point | None:
    """Return the point to be marked, with lines to both axes; the value is one coordinate."""
    return None


@point.register
def _(definition: PrecisionAtRecall, counts: ThresholdCounts) -> Point | None:
    value = definition(counts)[0]
    return Point(definition.recall, value) if value > 0 else None


@point.register
def _(definition: RecallAtPrecision, counts: ThresholdCounts) -> Point | None:
    value = definition(counts)[0]
    return Point(value, definition.precision) if value > 0 else None


@point.register
def _(definition: _AtPrevalence, counts: ThresholdCounts) -> Point | None:
    return point(definition.definition, counts.at_prevalence(definition.target))


@singledispatch
def shade(definition: Definition, counts: ThresholdCounts) -> Shade | None:
    """Return the area of the picture to shade."""
    return None


@shade.register
def _(definition: Linear, counts: ThresholdCounts) -> Shade:
    recall, line = definition.line(counts)
    _, steps = step_line(counts)
    return Shade(recall, steps, np.maximum(line, steps), "overestimated")


@shade.register(AtK)
@shade.register(Expected)
def _(definition: AtK | Expected, counts: ThresholdCounts) -> Shade | None:
    if definition.k is None:
        return None
    recall, line = definition.line(counts)
    return Shade(recall, 0.0, line, f"top {k_as_text(definition.k)}")


@shade.register
def _(definition: _AtPrevalence, counts: ThresholdCounts) -> Shade | None:
    return shade(definition.definition, counts.at_prevalence(definition.target))
