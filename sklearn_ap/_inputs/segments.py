"""Segments of the rows, such as countries or months: their names in order, and each row's place."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.checks import FEW
from sklearn_ap._inputs.name_codes import check_names, codes_and_names, is_missing

RESERVED = ("rest", "previous")  # what a reference may be besides a segment
# Dates as segments: of more than so many, each must have so many rows in the mean.
MANY_DATES, FEWEST_ROWS = 50, 10


class Segments(NamedTuple):
    """The names of segments, and the place among them of each row's."""

    names: Sequence[Any]
    codes: NDArray[np.intp]

    def ordered(self, categories: Iterable[Any]) -> "Segments":
        """The same in the order of categories, of which some may have no rows."""
        place = {name: i for i, name in enumerate(categories)}
        order = np.argsort([place[name] for name in self.names])
        return Segments([self.names[i] for i in order], np.argsort(order)[self.codes])


def name_segments(segments: Any, y_true: Any, y_score: Any) -> Segments:
    """Read the segment of each row: categories in their order, dates by time, others sorted."""
    for name, table in (("y_true", y_true), ("y_score", y_score)):
        if np.ndim(table) == 2 and np.shape(table)[1] > 1:
            raise ValueError(
                f"{name} must hold one column beside segments, got shape {np.shape(table)}. Pass "
                f"one column at a time."
            )
    if not isinstance(segments, Segments):
        segments = _in_order(segments, y_true)
    for name in RESERVED:
        if name in map(str, segments.names):
            raise ValueError(
                f"segments must not name one {name!r}, which has a meaning as reference: rename it."
            )
    return segments


def _in_order(segments: Any, y_true: Any) -> Segments:
    shape = np.shape(y_true if np.ndim(y_true) else segments)  # other checks refuse such a y_true
    given = check_names("segments", segments, shape[0] if shape else 1)
    if given is None:
        raise ValueError("segments must hold the segment of each row, got None.")
    codes, names = codes_and_names(given, "segments")
    n = len(names)
    if n > MANY_DATES and codes.size < FEWEST_ROWS * n and dates_of(names) is not None:
        raise ValueError(
            f"segments holds {n:,} dates for {codes.size:,} rows. Make longer ones of them, such "
            f"as months: segments.dt.to_period('M') of pandas, or segments.astype('M8[M]')."
        )
    found = Segments(names, codes)
    categories: Any = getattr(getattr(segments, "dtype", None), "categories", None)
    # of pandas, and of an Enum of polars
    return found.ordered(categories) if np.ndim(categories) == 1 else found


def place_of_reference(reference: Any, names: Sequence[Any]) -> int | None:
    """The place of the segment that the others are compared with; None for rest and previous."""
    if isinstance(reference, str) and reference in RESERVED:
        return None
    texts = [*map(str, names)]
    if not np.ndim(reference) and not is_missing(reference):
        alike: Any = [*names, reference], [*texts, str(reference)], dates_of([*names, reference])
        for *known, wanted in filter(None, alike):
            if wanted in known:
                return known.index(wanted)
    some = ", ".join(map(repr, texts[:FEW])) + ", ..." * (len(names) > FEW)
    raise ValueError(
        f"reference must be 'rest', 'previous' or the name of a segment with a score ({some}), got "
        f"{reference!r}."
    )


def dates_of(names: Sequence[Any]) -> list[np.datetime64] | None:
    """The names as dates of NumPy; None unless all are dates, or periods of pandas."""
    starts = [each.to_timestamp() if hasattr(each, "to_timestamp") else each for each in names]
    if not all(isinstance(each, date | np.datetime64) for each in starts):
        return None
    # By the clock of their zone, which NumPy's dates do not have.
    starts = [each.replace(tzinfo=None) if hasattr(each, "tzinfo") else each for each in starts]
    return [*np.array(starts, dtype="M8[us]")]
