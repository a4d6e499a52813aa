"""What reads files, with pyarrow and without it."""

import re
import sys
from contextlib import contextmanager

from sklearn_ap._base.files.errors import DataError

NEEDS_PYARROW = re.compile(
    r"(Reading Parquet|Reading Feather|Unpacking zstd) needs pyarrow, which is not installed: "
    r"pip install pyarrow tqdm\."
)


@contextmanager
def without_pyarrow():
    there = sys.modules["pyarrow"]
    sys.modules["pyarrow"] = None  # which raises an ImportError
    try:
        yield
    finally:
        sys.modules["pyarrow"] = there


def outcome(call):
    """What a call gives, and what it says of the data."""
    try:
        return call(), None
    except DataError as error:
        return None, error


def assert_same_error(first, second):
    """The text of an error that names no row may differ: it is that of a parser."""
    is_syntax = all(error and not re.search(r"\brow \d", str(error)) for error in (first, second))
    assert is_syntax or str(first) == str(second), f"{first}\n{second}"


def both_ways(call):
    """What a call gives or raises, which must be the same without pyarrow, where it reads."""
    found, error = outcome(call)
    try:
        with without_pyarrow():
            other, other_error = outcome(call)
    except ImportError as missing:
        if not NEEDS_PYARROW.fullmatch(str(missing)):
            raise
    else:
        assert_same_error(error, other_error)
        assert repr(found) == repr(other)
    if error:
        raise error
    return found
