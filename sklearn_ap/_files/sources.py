"""Paths, folders, patterns and standard input; and the bytes of one file, unpacked."""

import os
import re
import sys
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from io import BufferedReader
from pathlib import Path
from urllib.parse import unquote

from sklearn_ap._extras import LazyModule
from sklearn_ap._results.text import names_as_text, printable

pa = LazyModule("pyarrow", "Reading files", "table")

STANDARD_INPUT = "-"
PACKED = {  # by the first bytes
    b"\x1f\x8b": "gzip",
    b"BZh": "bz2",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\x04\x22\x4d\x18": "lz4",
}
FORMATS = {
    "": "",  # which the first bytes tell
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
PACKED_SUFFIXES = (".gz", ".bz2", ".zst", ".lz4")
MODEL_SUFFIXES = (".run", ".trec", ".txt", ".res", ".out", *FORMATS)  # of the results of a model
BLOCK = 4 << 20  # bytes of text at a time
HIDDEN = re.compile(r"[._]")  # begins the names of files and folders that hold no rows
NOT_UTF_8 = "the text is not UTF-8: save it in this encoding"
BROKEN = "the file is damaged, cut short, or not what its name says"


class DataError(ValueError):
    """An error in a file, in one line that names it."""


def name_of(path: str) -> str:
    """Name a file in an error."""
    return "standard input" if path == STANDARD_INPUT else printable(path)


def suffix_of(path: str) -> str:
    """Return the end of a name that says the format: ".csv" of "a.CSV.gz"."""
    name = path.lower()
    for packed in PACKED_SUFFIXES:
        name = name.removesuffix(packed)
    return os.path.splitext(name)[1]


def names_of_files(paths: Sequence[str]) -> list[str]:
    """Name models after their files, or by their paths if two files have one name."""
    names = [os.path.basename(path) for path in paths]
    for suffixes in (PACKED_SUFFIXES, MODEL_SUFFIXES):
        stems = [os.path.splitext(name) for name in names]
        names = [stem if end.lower() in suffixes else stem + end for stem, end in stems]
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
    if typed.name == "**":  # whose meaning changed in Python 3.13
        typed = typed.parent
    root = Path(typed.anchor)
    matches = [typed] if typed.is_dir() else root.glob(str(typed.relative_to(root)))
    files = {
        str(file)
        for match in matches
        for file in (match.rglob("*") if match.is_dir() else [match])  # but not behind links
        if (file == match or suffix_of(file.name) in FORMATS)
        and not any(HIDDEN.match(part) for part in {*file.parts} - {*typed.parts})
        and file.is_file()
    }
    if files:
        return sorted(files)
    if typed.is_dir():
        listed = ", ".join(filter(None, FORMATS))
        raise DataError(f"{name_of(path)}: the folder has no file whose name ends in {listed}")
    raise FileNotFoundError(f"There is no file {path!r}, nor one that matches it.")


def refuse_same_files(files: Collection[str]) -> None:
    """Refuse a file that is passed twice, also by a link to it, as its rows would count twice."""
    times = Counter(map(os.path.realpath, files))
    if twice := [name_of(file) for file in files if times[os.path.realpath(file)] > 1]:
        raise DataError(f"{names_as_text(twice)} are one file, whose rows would count twice")


def folder_values(path: str) -> dict[str, str | None]:
    """Return what the folders of a file say of all its rows: {"day": "2026-10-01"} of day=..."""
    pairs = (part.partition("=") for part in Path(path).parts[:-1])
    values = {name: unquote(value) for name, is_pair, value in pairs if is_pair and name}
    missing = "__HIVE_DEFAULT_PARTITION__"
    return {name: None if value == missing else value for name, value in values.items()}


@contextmanager
def open_file(path: str) -> Iterator[BufferedReader]:
    """Open a file, unpacked. Each error of its bytes becomes one line that names it."""
    is_input = path == STANDARD_INPUT
    if is_input and sys.stdin is None:
        raise DataError("there is no standard input")
    # Python's own error tells of a missing file, of a folder, and of one that may not be read.
    with open(sys.stdin.fileno() if is_input else path, "rb", closefd=not is_input) as raw:
        try:
            file = _unpack(raw)
            if not file.peek(1):
                raise DataError("the file is empty")
            yield file
        except DataError as error:
            raise DataError(f"{name_of(path)}: {error}") from error
        except (pa.ArrowException, OSError, UnicodeError, OverflowError) as error:
            is_text = isinstance(error, UnicodeError) or "UTF8" in str(error)
            problem = NOT_UTF_8 if is_text else BROKEN
            reason = printable(str(error).partition("\n")[0])
            raise DataError(f"{name_of(path)}: {problem} ({reason[:200]})") from error


def _unpack(raw: BufferedReader) -> BufferedReader:
    for magic, codec in PACKED.items():
        if raw.peek(len(magic)).startswith(magic):
            return BufferedReader(pa.CompressedInputStream(raw, codec), BLOCK)
    return raw
