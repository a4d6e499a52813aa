"""Segments of the rows, such as countries or months: their names in order, and each row's place."""

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sklearn_ap._inputs.checks import FEW
from sklearn_ap._inputs.name_codes import check_names, codes_of

RESERVED = ("rest", "previous")  # what a reference may be besides a segment
UNITS = ("Y", "M", "D", "h", "m", "s")  # of dates, the longest first


class Segments(NamedTuple):
    """The names of segments, and the place among them of each row's."""

    names: tuple[Any, ...]
    codes: NDArray[np.intp]


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
    codes, n_names = codes_of(given, "segments")
    one_of_each = np.empty(n_names, np.intp)
    one_of_each[codes] = np.arange(codes.size)
    distinct = given[one_of_each]
    names = [*_in_long_units(distinct)] if given.dtype.kind == "M" else distinct.tolist()
    categories: Any = getattr(getattr(segments, "dtype", None), "categories", None)
    if np.ndim(categories) == 1:  # of pandas, and of an Enum of polars
        place = {name: i for i, name in enumerate(categories)}
        order = np.argsort([place[name] for name in names])
        names, codes = [names[i] for i in order], np.argsort(order)[codes]
    return Segments((*names,), codes)


def place_of_reference(reference: Any, names: tuple[Any, ...]) -> int | None:
    """The place of the segment that the others are compared with; None for rest and previous."""
    if isinstance(reference, str) and reference in RESERVED:
        return None
    texts = [*map(str, names)]
    if str(reference) in texts:
        return texts.index(str(reference))
    some = ", ".join(map(repr, texts[:FEW])) + ", ..." * (len(names) > FEW)
    raise ValueError(
        f"reference must be 'rest', 'previous' or the name of a segment with a score ({some}), got "
        f"{reference!r}."
    )


def _in_long_units(dates: NDArray[Any]) -> NDArray[Any]:
    """Dates in the longest unit that holds all of them: 2024-03 and not 2024-03-01T00:00."""
    units = (dates.astype(f"M8[{unit}]") for unit in UNITS)
    return next((each for each in units if (each == dates).all()), dates)
