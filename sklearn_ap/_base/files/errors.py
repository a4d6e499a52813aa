"""Errors in data, and how they show a cell."""

BLOCK = 4 << 20  # bytes of text at a time; no row may be longer
TOO_LONG = f"a row is longer than {BLOCK >> 20} MB"


class DataError(ValueError):
    """An error in a file or a table, in one line."""


def shown(cell: object) -> str:
    """Put a cell between quotes, not longer than fits."""
    text = str(cell)
    return repr(text if len(text) <= 24 else f"{text[:20]}...")
