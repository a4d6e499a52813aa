"""The columns of files that hold the training runs of each method, from --runs."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from fnmatch import fnmatchcase

from sklearn_ap._base.common.tuned_constants import FEWEST_RUNS
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.files.reader import read_column_names
from sklearn_ap._base.inputs.checks import list_first

SEPARATORS = "_-.:/ "  # between the name of a method and the number of a run
WILDCARDS = "*?["
SCORE_AND_RUNS = "pass --score or --runs, not both: models are compared, or methods"


def resolve_columns(
    args: Namespace, files: Sequence[str]
) -> tuple[Namespace, dict[str, list[str]]]:
    """Return the arguments with all columns of scores, and the columns of each method."""
    texts = getattr(args, "runs", None) or []
    if not texts and not args.score:
        raise DataError("the columns of scores are required: pass --score or --runs")
    if not texts:
        return args, {}
    if args.score:
        raise DataError(SCORE_AND_RUNS)
    file_columns: list[str] = []
    if any(map(_has_wildcard, texts)):
        file_columns = _file_columns(files, args.label)
    methods: dict[str, list[str]] = {}
    for text in texts:
        name, columns = _read_method(text, file_columns)
        if name in methods:
            raise DataError(f"two methods are called {shown(name)}: write --runs NAME={text}")
        methods[name] = columns
    columns = [column for runs in methods.values() for column in runs]
    for column in columns:
        if columns.count(column) > 1:
            raise DataError(f"column {column!r} is a run twice")
    return Namespace(**vars(args) | {"score": columns}), methods


def _has_wildcard(text: str) -> bool:
    return any(letter in text for letter in WILDCARDS)


def _file_columns(files: Sequence[str], label: str) -> list[str]:
    """Read the columns of the first file. The other files must have the wanted columns."""
    if files[0] == "-":
        raise DataError(
            "a pipe is read once, so --runs takes no pattern of its columns: name them, as in "
            "--runs A=a_1,a_2,a_3"
        )
    return read_column_names(files[0], [label])


def _read_method(text: str, file_columns: list[str]) -> tuple[str, list[str]]:
    """Read the name of a method and its columns from "A=a_1,a_2,a_3", "A=a_*" or "a_*"."""
    before, equals, after = text.partition("=")
    name, patterns = (before, after) if equals else ("", text)
    columns: list[str] = []
    for pattern in filter(None, patterns.split(",")):
        matches = [pattern]
        if _has_wildcard(pattern):
            matches = [column for column in file_columns if fnmatchcase(column, pattern)]
        if not matches:
            examples = list_first([*map(shown, file_columns)])
            raise DataError(f"--runs {text}: no column is like {pattern}. There are {examples}")
        columns += matches
    if not columns:
        raise DataError(f"--runs {text} names no column: write it as a_*, or A=a_1,a_2,a_3")
    if len(columns) < FEWEST_RUNS:
        number = "one run says" if len(columns) == 1 else "two runs say"
        raise DataError(
            f"--runs {text}: {number} too little of other runs. Pass three or more, or compare the "
            f"models with --score"
        )
    return name or _common_prefix(columns).rstrip(SEPARATORS) or text, columns


def _common_prefix(names: Sequence[str]) -> str:
    """Return the letters with which all names begin."""
    first, last = min(names), max(names)
    differing = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(differing, len(first))]
