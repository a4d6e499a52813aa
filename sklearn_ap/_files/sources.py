"""Paths, folders, patterns and standard input; and the bytes of one file, unpacked."""

import os
import re
import sys
from codecs import BOM_UTF8
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from urllib.parse import unquote

from sklearn_ap._errors import InputError
from sklearn_ap._extras import LazyModule
from sklearn_ap._writing.text import printable

pa = LazyModule("pyarrow", "Reading files", "table")

STANDARD_INPUT = "-"
CODECS = {".gz": "gzip", ".bz2": "bz2", ".zst": "zstd", ".lz4": "lz4"}
FORMATS = {
    ".csv": "csv",
    ".tsv": "csv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".feather": "feather",
    ".arrow": "feather",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
}
MODEL_SUFFIXES = ("", ".run", ".trec", ".txt", ".res", ".out", *FORMATS)  # of results of a model
BLOCK = 4 << 20  # bytes of text at a time
HIDDEN = re.compile(r"[._]")  # begins the names of files and folders that hold no rows
NOT_UTF_8 = "the text is not UTF-8: save it in this encoding"
BROKEN = "the file is damaged, cut short, or not what its name says"


class DataError(InputError):
    """An error in a file, in one line that names it."""


class NoColumnError(DataError):
    """A column that a file or a table does not have."""


def name_of(path: str) -> str:
    """Name a file in an error."""
    return "standard input" if path == STANDARD_INPUT else printable(path)


def split_suffix(path: str) -> tuple[str, str]:
    """Split the end of a path that says the format: "a" and ".csv" of "a.CSV.gz"."""
    stem, end = os.path.splitext(path)
    if end.lower() in CODECS:
        stem, end = os.path.splitext(stem)
    return stem, end.lower()


def format_of(path: str, file: BufferedReader) -> str:
    """Tell the format by the name; what has none is JSON or CSV."""
    _, suffix = split_suffix(path)
    begin = file.peek(len(BOM_UTF8) + 1).removeprefix(BOM_UTF8)
    return FORMATS.get(suffix, "json" if begin.startswith(b"{") else "csv")


def names_of_files(paths: Sequence[str]) -> list[str]:
    """Name models after their files, or by their paths if two files have one name."""
    names = []
    for path in map(os.path.basename, paths):
        stem, suffix = split_suffix(path)
        names.append(stem if suffix in MODEL_SUFFIXES else path)
    return names if len({*names}) == len(names) else [*paths]


def find_files(path: str | os.PathLike[str]) -> list[str]:
    """List the file itself, the files of all formats in a folder, or those of a pattern, sorted.

    A file whose name begins with a dot or an underscore, or in such a folder, is left out.
    """
    path = os.fspath(path)
    if not path:  # which Path takes for the working folder
        raise FileNotFoundError("A path is empty: name a file, a folder or a pattern.")
    if path == STANDARD_INPUT or (os.path.exists(path) and not os.path.isdir(path)):
        return [path]
    typed = Path(path)
    root = Path(typed.anchor)
    try:
        matches = [typed] if typed.is_dir() else [*root.glob(str(typed.relative_to(root)))]
    except ValueError as error:  # of a**
        raise FileNotFoundError(f"{path!r} is no pattern: {error}") from error
    files = {
        str(file)
        for match in matches
        for file in (match.rglob("*") if match.is_dir() else [match])  # but not behind links
        if (file == match or split_suffix(file.name)[1] in FORMATS)
        and not any(HIDDEN.match(part) for part in {*file.parts} - {*typed.parts})
        and file.is_file()
    }
    if files:
        return sorted(files)
    raise FileNotFoundError(
        f"{path!r} names no file. In folders, names end in {', '.join(FORMATS)}, and those that "
        f"begin with . or _ are left out."
    )


def can_be_read_again(path: str) -> bool:
    """Whether it is a file, and no pipe."""
    return path != STANDARD_INPUT and os.path.isfile(path)


def folder_values(path: str) -> dict[str, str]:
    """Return what the folders of a file say of all its rows: {"day": "2026-10-01"} of day=..."""
    pairs = (part.partition("=") for part in Path(path).parts[:-1])
    return {name: unquote(value) for name, is_pair, value in pairs if is_pair and name}


@contextmanager
def open_file(path: str) -> Iterator[BufferedReader]:
    """Open a file, unpacked. Each error of its bytes becomes one line that names it."""
    is_input = path == STANDARD_INPUT
    if is_input and sys.stdin is None:
        raise DataError("there is no standard input")
    codec = CODECS.get(os.path.splitext(path)[1].lower())
    # Python's own error tells of a missing file, of a folder, and of one that may not be read.
    with open(sys.stdin.fileno() if is_input else path, "rb", closefd=not is_input) as raw:
        try:
            file = BufferedReader(pa.CompressedInputStream(raw, codec), BLOCK) if codec else raw
            if not file.peek(1):
                raise DataError("the file is empty")
            yield file
        except DataError as error:
            raise type(error)(f"{name_of(path)}: {error}") from error
        except MemoryError as error:  # of pyarrow, which damaged files ask for more than there is
            reason = printable(str(error).partition("\n")[0])
            told = f" ({reason[:200]})" if reason else ""
            problem = f"memory is too small to read it, or the file is damaged{told}"
            raise DataError(f"{name_of(path)}: {problem}") from error
        except (pa.ArrowException, OSError, UnicodeError, OverflowError) as error:
            is_text = isinstance(error, UnicodeError) or "UTF8" in str(error)
            problem = NOT_UTF_8 if is_text else BROKEN
            reason = printable(str(error).partition("\n")[0])
            raise DataError(f"{name_of(path)}: {problem} ({reason[:200]})") from error
