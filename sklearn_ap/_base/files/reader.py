"""Find files, and read the wanted columns of any format, some rows at a time."""

import csv
import glob
import os
import re
import sys
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sklearn_ap._base.extras import printable
from sklearn_ap._base.files import formats
from sklearn_ap._base.files.cells import FileRows
from sklearn_ap._base.files.errors import DataError
from sklearn_ap._base.inputs.checks import warn

Errors = tuple[type[Exception], ...]
BROKEN: Errors = (UnicodeError, EOFError, OSError, OverflowError, csv.Error, zlib.error)
BROKEN_ELSEWHERE = {
    "pyarrow": "ArrowException",
    "lzma": "LZMAError",
    "compression.zstd": "ZstdError",
}

# How files of other formats begin, what they are, and how pandas as pd makes a file of them.
OTHERS = {
    b"PK\x03\x04": ("an Excel file or another zip archive", "pd.read_excel(...).to_csv(...)"),
    b"\xd0\xcf\x11\xe0": ("an old Excel file", "pd.read_excel(...).to_csv(...)"),
    b"\x80": ("a pickle of Python", "pd.DataFrame(pd.read_pickle(...)).to_parquet(...)"),
    b"\x93NUMPY": ("an array of NumPy", "pd.DataFrame(np.load(...)).to_csv(...)"),
    b"\x89HDF": ("HDF5", "pd.read_hdf(...).to_parquet(...)"),
}
LINES = 'pd.read_json(...).to_json(..., orient="records", lines=True)'
EXTENSIONS = [".parquet", ".csv", ".tsv", ".feather", ".pq", ".arrow", ".jsonl", ".ndjson", ".json"]
KNOWN = f"{', '.join(EXTENSIONS)} (or .csv.gz)"
PACKED_EXTENSIONS = (".gz", ".bz2", ".xz", ".zst")
DEEP = re.compile(r"(.*?[/\\]|)\*\*(?:[/\\](.*)|)", re.DOTALL)  # a pattern with ** as a folder


class FileReader:
    """The wanted columns of files, which can be gone through again and again.

    A path of "-" is standard input, which can be read once. ``instead`` has the columns that are
    read in place of others which are not there. ``brief`` leaves the name of the file out of errors
    where only one was given.
    """

    def __init__(
        self,
        files: Sequence[str],
        columns: list[str],
        instead: Mapping[str, str] = MappingProxyType({}),
        *,
        brief: bool = False,
    ) -> None:
        refuse_same_files(files)
        self.files = files
        self.instead = instead
        self.columns = list(dict.fromkeys(columns))
        self.brief = brief and len(files) == 1
        self._is_read = False

    def __iter__(self) -> Iterator[FileRows]:
        """The rows of all files. The first time, say how many were left out, as they are empty."""
        n_empty = 0
        for rows in self._of_files():
            n_empty += rows.n_empty
            yield rows
        if n_empty and not self._is_read:
            warn(f"empty rows are left out: {n_empty}", UserWarning)
        self._is_read = True

    def _of_files(self) -> Iterator[FileRows]:
        ahead: Iterator[Any] = iter(())
        for path in self.files:
            coming = self._rows(path)
            next(coming)  # Arrow begins to read, in its own threads, while the file before is used
            yield from ahead
            ahead = coming
        yield from ahead

    def _rows(self, path: str) -> Iterator[Any]:
        """Nothing as soon as the file is open, and then its rows."""
        place = "" if self.brief else f"{printable(path)}: "
        opened = formats.open_file(path, self.columns, place, self.instead)
        with name_file_in_errors(path, place), opened as file:
            rows = _rows(file)
            yield
            yield from rows

    def size(self) -> tuple[int | None, str]:
        """How much there is to read, in rows of Parquet or in bytes; nothing is known of a pipe."""
        if not all(map(os.path.isfile, self.files)):
            return None, " rows"
        try:
            return sum(map(_n_rows, self.files)), " rows"
        except _broken(ImportError):
            return sum(map(os.path.getsize, self.files)), "B"


def _n_rows(path: str) -> int:
    from pyarrow import parquet

    with open(path, "rb") as file:  # pyarrow opens no names that are not UTF-8
        return int(parquet.read_metadata(file).num_rows)


def _rows(file: formats.OpenFile) -> Iterator[FileRows]:
    """The rows of a file, whose first bytes say which format it has."""
    first = file.unpacked.peek(64)[:64]
    if first.startswith(b"PAR1"):
        return formats.parquet_rows(file)
    if first.startswith(b"ARROW1"):
        return formats.feather_rows(file)
    for begin, (what, way) in OTHERS.items():
        if first.startswith(begin):
            raise DataError(f"it is {what}, which is not read here. In Python, write {way}")
    if re.match(rb"(\xef\xbb\xbf)?\s*\[\s*[{\[\]]", first):
        raise DataError(f"it is a JSON array, not JSON lines. In Python, write {LINES}")
    if re.match(rb"(\xef\xbb\xbf)?\s*\{", first):
        return formats.json_rows(file)
    return formats.csv_rows(file)


def read_column_names(path: str, known: list[str]) -> list[str]:
    """The names of all columns of a file, which has the known ones."""
    with name_file_in_errors(path, ""), formats.open_file(path, known, "") as file:
        rows = _rows(file)
        if not file.there:  # of text, as soon as its first rows are read
            next(rows, None)
        return file.there


@contextmanager
def name_file_in_errors(path: str, place: str) -> Iterator[None]:
    """Say in one line what goes wrong with the bytes of a file, or with a table, and where."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{place}{error}") from error
    except _broken() as error:
        if getattr(error, "filename", None):  # the file cannot be opened
            raise
        problem = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{printable(path)}: {_plain(problem)}") from error


def _broken(*others: type[Exception]) -> Errors:
    """What is raised for wrong bytes, also by modules that were imported where they are needed."""
    there = ((sys.modules.get(module), error) for module, error in BROKEN_ELSEWHERE.items())
    return (*others, *BROKEN, *(getattr(module, error) for module, error in there if module))


def _plain(error: str) -> str:
    """Say an error of pyarrow or of Python in our words."""
    if "UTF8" in error or "utf-8" in error:
        return "the text is not UTF-8"
    if "new-line character" in error:
        return "its lines end in a carriage return alone: end them with a line feed"
    return error.partition("\n")[0]


def find_files(path: str | os.PathLike[str]) -> list[str]:
    """List the file itself, the files of a folder, or those that match a pattern, in order."""
    path = os.fspath(path)
    if os.path.isdir(path):
        paths = _files_in(path)
        if not paths:
            raise FileNotFoundError(
                f"The folder {path!r} is empty, or no name in it ends in {KNOWN}."
            )
        return paths
    if os.path.exists(path):
        return [path]
    matches = sorted(_matches(path))
    # "scores/**" matches a folder and the files in it: each file counts once.
    nested = [_files_in(match) if os.path.isdir(match) else [match] for match in matches]
    paths = list(dict.fromkeys(os.path.normpath(file) for files in nested for file in files))
    if not paths:
        raise FileNotFoundError(f"There is no file {path!r}, nor one that matches it.")
    return paths


def refuse_same_files(files: Iterable[str]) -> None:
    """Refuse a file that is given twice, as its rows would count twice: also by a link to it."""
    seen: dict[object, str] = {}
    for file in files:
        which = file_identity(file)
        if first := seen.get(which):
            twice = "is given twice" if first == file else f"is the same file as {first!r}"
            raise ValueError(f"{file!r} {twice}, and its rows would count twice: pass it once.")
        seen[which] = file


def file_identity(file: str) -> object:
    """What is equal for two names of one file; a path of "-" is standard input."""
    with suppress(OSError, AttributeError):  # no such file, which is told elsewhere; or no input
        status = os.fstat(sys.stdin.fileno()) if file == "-" else os.stat(file)
        return status.st_dev, status.st_ino
    return file


def _matches(pattern: str) -> list[str]:
    """What matches; ``**`` follows no link to a folder, which may lead in a circle."""
    parts = DEEP.fullmatch(pattern)
    if not parts:
        return glob.glob(pattern)
    folders = glob.glob(parts[1] or f"{os.curdir}{os.sep}")
    for folder in folders if parts[2] else ():
        inner = glob.glob(f"{glob.escape(folder)}*{os.sep}")
        folders += [each for each in inner if not os.path.islink(each.rstrip(os.sep))]
    rest = parts[2] or ""
    return [match for folder in folders for match in _matches(glob.escape(folder) + rest)]


def check_extension(file: str) -> None:
    if not _may_be_read(file):
        raise ValueError(f"The name of a file must end in {KNOWN}, got {file!r}.")


def is_csv(file: str) -> bool:
    """Whether a file has no types, by its name."""
    return _extension(file) in ("", ".csv", ".tsv")


def _may_be_read(file: str) -> bool:
    return _extension(file) in ("", *EXTENSIONS)


def _extension(file: str) -> str:
    name = file.lower()
    for packed in PACKED_EXTENSIONS:
        name = name.removesuffix(packed)
    return os.path.splitext(name)[1]


def _files_in(folder: str) -> list[str]:
    """The files of a folder and of those in it, without hidden ones and notes such as _SUCCESS.

    A name that says that a file holds something else, such as readme.txt, is left out.
    """
    files = (path for path in Path(folder).rglob("*") if path.is_file())
    return sorted(
        str(path)
        for path in files
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        and _may_be_read(path.name)
    )
