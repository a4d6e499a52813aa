"""Cells of a table as labels, numbers and codes, with errors that name row and column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["FileError", "Part", "codes", "filled", "numbers", "truth", "weights"]

# The negative and the positive label, for files whose labels need no --positive.
PAIRS = (("0", "1"), ("-1", "1"), ("0.0", "1.0"), ("false", "true"), ("no", "yes"))


class FileError(Exception):
    """What is wrong with a file, in one line."""


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """Some rows of a file: their numbers, and their cells (arrays of pyarrow) by column."""

    rows: NDArray[np.intp]
    cells: dict[str, Any]

    def without_empty(self) -> Part:
        """Leave out rows of text without a single cell."""
        kept = np.zeros(self.rows.size, dtype=bool)
        for cells in self.cells.values():
            kept |= _lengths(cells) > 0
        if kept.all():
            return self
        cells = {name: column.filter(kept) for name, column in self.cells.items()}
        return Part(self.rows[kept], cells)


def filled(name: str, part: Part, *, nan_is_empty: bool = True) -> Any:
    """The cells of a column, none of them missing or empty."""
    import pyarrow as pa

    cells = part.cells[name]
    if pa.types.is_nested(cells.type):
        raise FileError(f"column {name!r} holds {cells.type}, not one value a row")
    if pa.types.is_dictionary(cells.type):
        cells = cells.dictionary_decode()
    if pa.types.is_binary(cells.type):
        cells = cells.cast(pa.string())
    missing = cells.is_null(nan_is_null=nan_is_empty).to_numpy(zero_copy_only=False)
    if _is_text(cells):
        missing |= _lengths(cells) == 0
    if missing.any():
        raise FileError(f"row {part.rows[missing.argmax()]}, column {name!r} is empty")
    return cells


def numbers(name: str, part: Part) -> NDArray[Any]:
    """The cells of a column as finite numbers."""
    import pyarrow as pa

    cells = filled(name, part, nan_is_empty=False)
    try:
        plain = pa.types.is_integer(cells.type) or pa.types.is_floating(cells.type)
        found = (cells if plain else cells.cast(pa.float64())).to_numpy(zero_copy_only=False)
        finite = np.isfinite(found)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if not _is_text(cells):
            raise FileError(f"column {name!r} holds {cells.type}, not numbers") from None
        finite = np.array([_is_number(cell) for cell in cells.to_pylist()])
    if not finite.all():
        place = int(finite.argmin())
        raise FileError(f"row {part.rows[place]}, column {name!r}: {_problem(cells[place])}")
    return found


def weights(name: str, part: Part) -> NDArray[Any]:
    """The cells of a column as numbers that are not negative."""
    found = numbers(name, part)
    if (found < 0).any():
        place = int((found < 0).argmax())
        cell = _shown(str(part.cells[name][place]))
        raise FileError(f"row {part.rows[place]}, column {name!r}: {cell} is negative")
    return found


def truth(name: str, parts: list[Any], positive: str | None) -> tuple[NDArray[np.bool_], str]:
    """Which rows are positive, and the label that says so."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = pa.chunked_array(parts)
    values = cells.unique().to_pylist()
    found = {_label(value): value for value in values}
    if len(found) > 2:
        some = ", ".join(map(_shown, sorted(found)[:4])) + (", ..." if len(found) > 4 else "")
        raise FileError(f"column {name!r} holds {len(found)} labels, not two: {some}")
    positive = _positive(name, sorted(found), positive)
    true = [value for value in values if _label(value) == positive]
    mask = pc.is_in(cells, value_set=pa.array(true, cells.type))
    return mask.to_numpy(), positive


def codes(parts: list[Any]) -> NDArray[np.intp]:
    """A number for each distinct cell."""
    import pyarrow as pa

    whole = pa.chunked_array(parts).combine_chunks()
    return whole.dictionary_encode().indices.to_numpy().astype(np.intp)


def _positive(name: str, found: list[str], asked: str | None) -> str:
    """The positive label as it stands in the file, or as it would if it stood there."""
    held = f"column {name!r} holds {' and '.join(map(_shown, found))}"
    if asked is not None:
        if len(found) == 2 and asked not in found:
            raise FileError(f"{held}, not {asked!r}")
        return asked
    for negative, positive in PAIRS:
        if {label.lower() for label in found} <= {negative, positive}:
            return next((label for label in found if label.lower() == positive), positive)
    raise FileError(f"{held}: say which is positive with --positive")


def _label(value: Any) -> str:
    """A label as the user writes it: 1.0 of a column of numbers is 1."""
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_text(cells: Any) -> bool:
    import pyarrow as pa

    kind = cells.type
    return pa.types.is_string(kind) or pa.types.is_large_string(kind) or kind == pa.string_view()


def _lengths(cells: Any) -> NDArray[Any]:
    """How long each text is; 0 where there is none."""
    import pyarrow.compute as pc

    return pc.fill_null(pc.binary_length(cells), 0).to_numpy(zero_copy_only=False)


def _is_number(cell: str) -> bool:
    """Whether pyarrow reads it as a finite number; Python alone reads 1_0, and digits of India."""
    try:
        return cell.isascii() and "_" not in cell and bool(np.isfinite(float(cell)))
    except ValueError:
        return False


def _problem(cell: Any) -> str:
    text = str(cell.as_py())
    try:
        infinite = "_" not in text and bool(np.isinf(float(text)))
    except ValueError:
        infinite = False
    return f"{_shown(text)} is not {'finite' if infinite else 'a number'}"


def _shown(text: str) -> str:
    """A cell between quotes, not longer than fits."""
    return repr(text if len(text) <= 24 else f"{text[:20]}...")
