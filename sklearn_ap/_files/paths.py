"""The files that a path, a folder or a glob pattern stands for."""

import glob
import os
import re
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

EXTENSIONS = [".parquet", ".csv", ".tsv", ".feather", ".pq", ".arrow", ".jsonl", ".ndjson", ".json"]
KNOWN = f"{', '.join(EXTENSIONS)} (or .csv.gz)"
PACKED_EXTENSIONS = (".gz", ".bz2", ".zst")
DEEP = re.compile(r"(.*?[/\\]|)\*\*(?:[/\\](.*)|)", re.DOTALL)  # a pattern with ** as a folder


def find_files(path: str | os.PathLike[str]) -> list[str]:
    """List the file itself, the files of a folder, or those that match a pattern, in order."""
    path = os.fspath(path)
    if os.path.isdir(path):
        found = _files_in(path)
        if not found:
            raise FileNotFoundError(
                f"The folder {path!r} is empty, or no name in it ends in {KNOWN}."
            )
        return found
    if os.path.exists(path):
        return [path]
    matches = sorted(_matches(path))
    # "scores/**" matches a folder and the files in it: each file counts once.
    nested = [_files_in(match) if os.path.isdir(match) else [match] for match in matches]
    found = list(dict.fromkeys(os.path.normpath(file) for files in nested for file in files))
    if not found:
        raise FileNotFoundError(f"There is no file {path!r}, nor one that matches it.")
    return found


def refuse_same_files(files: Iterable[str]) -> None:
    """Refuse a file that is given twice, as its rows would count twice: also by a link to it."""
    seen: dict[object, str] = {}
    for file in files:
        which = identity(file)
        if first := seen.get(which):
            twice = "is given twice" if first == file else f"is the same file as {first!r}"
            raise ValueError(f"{file!r} {twice}, and its rows would count twice: pass it once.")
        seen[which] = file


def identity(file: str) -> object:
    """What is equal for two names of one file; a path of "-" is standard input."""
    with suppress(OSError, AttributeError):  # no such file, which is told elsewhere; or no input
        found = os.fstat(sys.stdin.fileno()) if file == "-" else os.stat(file)
        return found.st_dev, found.st_ino
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
