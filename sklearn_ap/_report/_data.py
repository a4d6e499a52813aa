"""What a report is about: labels and scores of rows, and columns of segments."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.arrays import as_array, check_same_order, names_of_columns
from sklearn_ap._inputs.dates import are_times, choose_unit, time_as_text
from sklearn_ap._inputs.labels_and_scores import check_labelled_scores, check_weights
from sklearn_ap._report._calls import (
    Passed,
    RowChoice,
    ScoresOfModels,
    Segment,
    Starts,
    Term,
)
from sklearn_ap._types import Argument, Array, Bool, Label, Name, NamedColumns
from sklearn_ap._writing.text import name_as_text, printable

ROW_OPTIONS = {"queries", "clusters", "sample_weight"}
FEWEST_COMPARABLE = 5  # with positives, in a segment that could be shown to be worse


# ---- rows


@dataclass(eq=False)
class ReportData:
    """Labels, scores of models, and the options that public functions share."""

    y_true: ArrayLike
    models: dict[str, Term]  # the scores of each
    options: dict[str, Term]  # that were passed

    @cached_property
    def is_positive(self) -> Bool:
        """Which rows are positive, counted or not."""
        score = next(iter(self.models.values())).value
        pos_label = cast(Label, self.passed("pos_label"))
        return check_labelled_scores(self.y_true, score, pos_label, is_binary=True).positive

    @cached_property
    def is_counted(self) -> Bool:
        """Which rows have a weight above 0. Others do not count."""
        weights = check_weights(self.passed("sample_weight"), self.is_positive.size)
        return np.full(self.is_positive.size, True) if weights is None else weights > 0

    @cached_property
    def positive(self) -> Bool:
        """Which rows are positive, and counted."""
        return self.is_positive & self.is_counted

    @property
    def has_queries(self) -> bool:
        """Whether each query is a ranking of its own."""
        return "queries" in self.options

    @property
    def are_alike(self) -> bool:
        """Whether rows are independent and weigh the same, as exact tests take them."""
        return not ROW_OPTIONS & self.options.keys()

    def passed(self, option: str) -> Argument:
        """Return the value of an option, or None."""
        return self.options[option].value if option in self.options else None

    def count_comparable(self, segments: Array) -> int:
        """Count the segments that have positives in several rows, queries or clusters."""
        units = self.passed("clusters")
        units = self.passed("queries") if units is None else units
        names = segments[self.positive]
        if units is not None:
            pairs = [names, np.asarray(units)[self.positive]]
            codes = [np.unique(each, return_inverse=True)[1] for each in pairs]
            names = np.unique(np.column_stack(codes), axis=0)[:, 0]
        sizes = np.unique(names, return_counts=True)[1]
        return int((sizes >= FEWEST_COMPARABLE).sum())

    def has_both_classes(self, rows: Bool) -> bool:
        """Check whether some rows are positive and others negative."""
        labels = self.positive[rows & self.is_counted]
        return bool(labels.any() and not labels.all())

    def select_scores(self, models: str | tuple[str, ...], rows: RowChoice | None) -> Term:
        """Select the scores of one model, or of several by their names, in some rows."""
        if isinstance(models, str):
            return self.models[models].at(rows)
        return ScoresOfModels(models, tuple(self.models[name] for name in models)).at(rows)


# ---- columns


@dataclass(eq=False)
class SegmentColumn:
    """A column of segments; dates are in a unit of time."""

    name: str
    cells: Term  # the segment of each row
    unit: str = ""

    @cached_property
    def values(self) -> Array:
        return np.asarray(self.cells.value)

    @cached_property
    def segments(self) -> list[Name]:
        """The segments as they sort, which is the order of times."""
        return [*np.unique(self.values)]

    @cached_property
    def are_times(self) -> bool:
        """Whether the segments are dates, or texts that sort as times."""
        return are_times(self.segments)

    def write(self, segment: Name) -> str:
        """Write the name of a segment."""
        return name_as_text(time_as_text(segment, self.unit))

    def select(self, sign: str, segment: Name) -> Segment:
        """Select the rows of a segment, of a time and all later ones, or of all earlier times."""
        words = {"==": f"in {self.name}", ">=": "since", "<": "before"}
        return Segment(self.cells, sign, segment, f"{words[sign]} {self.write(segment)}")


def make_column(name: str, cells: Term, data: ReportData, unit: str | None) -> SegmentColumn:
    """Make a column of segments; dates are put into the unit, or into one that is chosen."""
    check_same_order(y_true=data.y_true, **{str(cells): cells.value})  # which starts of units lack
    values = as_array(str(cells), cells.value)
    if values.shape != data.positive.shape:
        raise InputError(f"{cells} must have the shape {data.positive.shape}, got {values.shape}.")
    chosen = choose_unit(values, str(cells), data.positive, unit)
    if chosen is None:
        return SegmentColumn(name, cells)
    starts = Starts(cells, *chosen)
    if values.dtype.kind in "UO" and (starts.value.astype(str) == values.astype(str)).all():
        return SegmentColumn(name, cells)  # texts as 2026-08, of which no day is known
    return SegmentColumn(name, starts, chosen.unit)


def named_columns(argument: str, table: Argument, single_name: str) -> dict[str, Term]:
    """Read one column, or a mapping or a frame of several, by name."""
    keys = [*table] if isinstance(table, Mapping) else names_of_columns(table)
    if not (keys or isinstance(table, Mapping) or hasattr(table, "columns")):
        name = getattr(table, "name", None)
        is_unnamed = name is None or name == ""  # as polars has it
        return {single_name if is_unnamed else printable(str(name)): Passed(table, argument)}
    frame = cast(NamedColumns, table)
    columns: dict[str, Term] = {
        printable(str(key)): Passed(frame[key], argument, key) for key in keys
    }
    if not keys or len(columns) < len(keys):
        raise InputError(
            f"{argument} must hold columns with different names, got {(*map(str, keys),)}."
        )
    return columns
