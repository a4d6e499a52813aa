"""Find files, and read the wanted columns of any format, some rows at a time."""

import csv
import glob
import os
import re
import sys
import zlib
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple, cast

from sklearn_ap._base.files import formats
from sklearn_ap._base.files.cells import FileRows
from sklearn_ap._base.files.errors import BLOCK, DataError
from sklearn_ap._extras import printable, warn

Errors = tuple[type[Exception], ...]
# Errors that wrong bytes raise, and the names of others in modules that are perhaps not imported.
BROKEN: Errors = (UnicodeError, EOFError, OSError, OverflowError, csv.Error, zlib.error)
BROKEN_ELSEWHERE = {
    "pyarrow": "ArrowException",
    "lzma": "LZMAError",
    "compression.zstd": "ZstdError",
}

# The first bytes of other formats, their names, and how pandas (pd) converts them.
OTHER_FORMATS = {
    b"PK\x03\x04": ("an Excel file or another zip archive", "pd.read_excel(...).to_csv(...)"),
    b"\xd0\xcf\x11\xe0": ("an old Excel file", "pd.read_excel(...).to_csv(...)"),
    b"\x80": ("a pickle of Python", "pd.DataFrame(pd.read_pickle(...)).to_parquet(...)"),
    b"\x93NUMPY": ("an array of NumPy", "pd.DataFrame(np.load(...)).to_csv(...)"),
    b"\x89HDF": ("HDF5", "pd.read_hdf(...).to_parquet(...)"),
}
NO_TEXT = (b"PAR1", b"ARROW1", *OTHER_FORMATS)  # the first bytes of formats without lines
JSON_LINES_REMEDY = 'pd.read_json(...).to_json(..., orient="records", lines=True)'
EXTENSIONS = [".parquet", ".csv", ".tsv", ".feather", ".pq", ".arrow", ".jsonl", ".ndjson", ".json"]
EXTENSIONS_TEXT = f"{', '.join(EXTENSIONS)} (or .csv.gz)"
PACKED_EXTENSIONS = (".gz", ".bz2", ".xz", ".zst")
# A pattern with ** as a folder
DEEP_PATTERN = re.compile(r"(?P<begin>.*?[/\\]|)\*\*(?:[/\\](?P<rest>.*)|)", re.DOTALL)


class Total(NamedTuple):
    """The amount to read; None for a pipe, whose size is unknown."""

    n: int | None
    unit: str


class FileReader:
    """The wanted columns of files (None: all), which can be read again and again.

    A path of "-" is standard input, which can be read once. ``substitutes`` names columns to read
    in place of others that the files lack. ``brief`` leaves the name of a single file out of
    errors.
    """

    def __init__(
        self,
        files: Sequence[str],
        columns: list[str] | None,
        substitutes: Mapping[str, str] = MappingProxyType({}),
        *,
        brief: bool = False,
    ) -> None:
        refuse_same_files(files)
        self.files = files
        self.substitutes = substitutes
        self.columns = None if columns is None else list(dict.fromkeys(columns))
        self.brief = brief and len(files) == 1
        self._was_read = False

    def __iter__(self) -> Iterator[FileRows]:
        """Read the rows of all files. The first time, warn of empty rows, which are left out."""
        n_left_out = 0
        for rows in self._read_files():
            n_left_out += rows.n_left_out
            yield rows
        if n_left_out and not self._was_read:
            warn(f"empty rows are left out: {n_left_out}", UserWarning)
        self._was_read = True

    def _read_files(self) -> Iterator[FileRows]:
        current: Iterator[FileRows] = iter(())
        for path in self.files:
            next_rows = self._read_file(path)
            next(next_rows)  # Arrow begins to read, in its own threads, while the last file is used
            yield from current
            current = cast(Iterator[FileRows], next_rows)  # the None for an open file was taken
        yield from current

    def _read_file(self, path: str) -> Iterator[FileRows | None]:
        """Yield None as soon as the file is open, and then its rows."""
        place = "" if self.brief else f"{printable(path)}: "
        opened = formats.open_file(path, self.columns, place, self.substitutes)
        with name_file_in_errors(path, place), opened as file:
            rows = _read_rows(file)
            yield None
            yield from rows

    def size(self) -> Total:
        """Return the rows of Parquet, or the bytes, to read."""
        if not all(map(os.path.isfile, self.files)):
            return Total(None, " rows")
        try:
            return Total(sum(map(_n_parquet_rows, self.files)), " rows")
        except _broken_file_errors(ImportError):
            return Total(sum(map(os.path.getsize, self.files)), "B")

    def estimate_rows(self, size: Total) -> int | None:
        """Return the rows of Parquet, or estimate the lines of text by the first of them.

        None if the number cannot be told before the files are read.
        """
        if size.n is None or size.unit != "B":
            return size.n
        with suppress(*_broken_file_errors()), formats.open_file(self.files[0], [], "") as file:
            return _n_lines(file, size.n)
        return None


def _n_parquet_rows(path: str) -> int:
    from pyarrow import parquet

    with open(path, "rb") as file:  # pyarrow opens no names that are not UTF-8
        return int(parquet.read_metadata(file).num_rows)


def _n_lines(file: formats.OpenFile, n_bytes: int) -> int | None:
    """Estimate the lines in so many bytes of a format, packed as this file is; None if not text."""
    if file.unpacked.peek(16)[:16].startswith(NO_TEXT):
        return None
    block = file.unpacked.read(BLOCK)
    n_read = file.bytes_read()
    return round(block.count(b"\n") * n_bytes / n_read) if n_read else None


def _read_rows(file: formats.OpenFile) -> Iterator[FileRows]:
    """Read the rows of a file, whose first bytes say which format it has."""
    first_bytes = file.unpacked.peek(64)[:64]
    if first_bytes.startswith(b"PAR1"):
        return formats.parquet_rows(file)
    if first_bytes.startswith(b"ARROW1"):
        return formats.feather_rows(file)
    for begin, (name, remedy) in OTHER_FORMATS.items():
        if first_bytes.startswith(begin):
            raise DataError(f"it is {name}, which is not read here. In Python, write {remedy}")
    if re.match(rb"(\xef\xbb\xbf)?\s*\[\s*[{\[\]]", first_bytes):
        raise DataError(f"it is a JSON array, not JSON lines. In Python, write {JSON_LINES_REMEDY}")
    if re.match(rb"(\xef\xbb\xbf)?\s*\{", first_bytes):
        return formats.json_rows(file)
    return formats.csv_rows(file)


@contextmanager
def name_file_in_errors(path: str, place: str) -> Iterator[None]:
    """Turn errors of wrong bytes or of a table into one line that names the file."""
    try:
        yield
    except DataError as error:
        raise DataError(f"{place}{error}") from error
    except _broken_file_errors() as error:
        if getattr(error, "filename", None):  # the file cannot be opened
            raise
        problem = getattr(error, "strerror", None) or str(error)
        raise DataError(f"{printable(path)}: {_plain_text(problem)}") from error


def _broken_file_errors(*others: type[Exception]) -> Errors:
    """List the errors for wrong bytes, also those of modules that were imported where needed."""
    loaded = ((sys.modules.get(module), error) for module, error in BROKEN_ELSEWHERE.items())
    return (*others, *BROKEN, *(getattr(module, error) for module, error in loaded if module))


def _plain_text(error: str) -> str:
    """Reword an error of pyarrow or of Python."""
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
                f"The folder {path!r} is empty, or no name in it ends in {EXTENSIONS_TEXT}."
            )
        return paths
    if os.path.exists(path):
        return [path]
    matches = sorted(_find_matches(path))
    # "scores/**" matches a folder and the files in it: each file counts once.
    nested = [_files_in(match) if os.path.isdir(match) else [match] for match in matches]
    paths = list(dict.fromkeys(os.path.normpath(file) for files in nested for file in files))
    if not paths:
        raise FileNotFoundError(f"There is no file {path!r}, nor one that matches it.")
    return paths


def refuse_same_files(files: Iterable[str]) -> None:
    """Refuse a file that is passed twice, also by a link to it, as its rows would count twice."""
    first_names: dict[object, str] = {}
    for file in files:
        key = file_identity(file)
        if first := first_names.get(key):
            problem = "is given twice" if first == file else f"is the same file as {first!r}"
            raise ValueError(f"{file!r} {problem}, and its rows would count twice: pass it once.")
        first_names[key] = file


def file_identity(file: str) -> object:
    """Return an object that is equal for two names of one file; a path of "-" is standard input."""
    with suppress(OSError, AttributeError):  # no such file, which is told elsewhere; or no input
        status = os.fstat(sys.stdin.fileno()) if file == "-" else os.stat(file)
        return status.st_dev, status.st_ino
    return file


def _find_matches(pattern: str) -> list[str]:
    """Find files; ``**`` follows no link to a folder, which may lead in a circle."""
    parts = DEEP_PATTERN.fullmatch(pattern)
    if not parts:
        return glob.glob(pattern)
    rest = parts["rest"] or ""
    folders = glob.glob(parts["begin"] or f"{os.curdir}{os.sep}")
    if rest:
        folders = _add_subfolders(folders)
    return [match for folder in folders for match in _find_matches(glob.escape(folder) + rest)]


def _add_subfolders(folders: list[str]) -> list[str]:
    """List folders and all folders in them, the nearest ones first."""
    all_folders: list[str] = []
    to_open = deque(folders)
    while to_open:
        folder = to_open.popleft()
        all_folders.append(folder)
        inner = glob.glob(f"{glob.escape(folder)}*{os.sep}")
        to_open += [path for path in inner if not os.path.islink(path.rstrip(os.sep))]
    return all_folders


def check_extension(file: str) -> None:
    """Refuse a file whose name says that it has another format."""
    if not _may_be_read(file):
        raise ValueError(f"The name of a file must end in {EXTENSIONS_TEXT}, got {file!r}.")


def is_csv(file: str) -> bool:
    """Check, by its name, whether a file is CSV, which has no types."""
    return _extension(file) in ("", ".csv", ".tsv")


def _may_be_read(file: str) -> bool:
    return _extension(file) in ("", *EXTENSIONS)


def _extension(file: str) -> str:
    name = file.lower()
    for extension in PACKED_EXTENSIONS:
        name = name.removesuffix(extension)
    return os.path.splitext(name)[1]


def _files_in(folder: str) -> list[str]:
    """List the files of a folder and of folders in it, without hidden ones and notes.

    A note has a name such as _SUCCESS. A file whose name says that it holds something else, such
    as readme.txt, is left out.
    """
    files = (path for path in Path(folder).rglob("*") if path.is_file())
    return sorted(
        str(path)
        for path in files
        if not any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)
        and _may_be_read(path.name)
    )
