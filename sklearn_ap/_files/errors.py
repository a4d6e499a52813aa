"""What is wrong with data, and what names it."""


class DataError(ValueError):
    """What is wrong with a file or a table, in one line."""


def shown(cell: object) -> str:
    """A cell between quotes, not longer than fits."""
    text = str(cell)
    return repr(text if len(text) <= 24 else f"{text[:20]}...")
