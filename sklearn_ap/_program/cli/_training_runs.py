"""Which columns of files hold the training runs of each method, from what --runs says."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Sequence
from fnmatch import fnmatchcase
from typing import Any

from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.files.reader import read_column_names
from sklearn_ap._base.inputs.checks import list_first
from sklearn_ap._uncertainty.run_variance import FEWEST_RUNS

BETWEEN = "_-.:/ "  # what stands between the name of a method and the number of a run
ANY = "*?["  # of a pattern


def with_columns(args: Namespace, files: Sequence[str]) -> tuple[Namespace, dict[str, list[str]]]:
    """The arguments with all columns of scores, and those of each method with runs."""
    texts = getattr(args, "runs", None) or []
    if not texts and not args.score:
        raise DataError("the columns of scores are required: pass --score or --runs")
    if not texts:
        return args, {}
    if args.score:
        raise DataError("pass --score or --runs, not both: models are compared, or methods")
    there = None
    if any(letter in text for text in texts for letter in ANY):
        there = _columns_in_all(files, args.label)
    methods: dict[str, list[str]] = {}
    for text in texts:
        name, columns = _method(text, there)
        if name in methods:
            raise DataError(f"two methods are called {shown(name)}: write --runs NAME={text}")
        methods[name] = columns
    columns = [column for each in methods.values() for column in each]
    for column in columns:
        if columns.count(column) > 1:
            raise DataError(f"column {column!r} is a run twice")
    return Namespace(**vars(args) | {"score": columns}), methods


def _columns_in_all(files: Sequence[str], label: str) -> list[str]:
    """The columns of the first file, which all others have as well if they are wanted."""
    if files[0] == "-":
        raise DataError(
            "a pipe is read once, so --runs takes no pattern of its columns: name them, as in "
            "--runs A=a_1,a_2,a_3"
        )
    return read_column_names(files[0], [label])


def _method(text: str, there: Any) -> tuple[str, list[str]]:
    """The name of a method and its columns, from "A=a_1,a_2,a_3", "A=a_*" or "a_*"."""
    before, equals, after = text.partition("=")
    name, patterns = (before, after) if equals else ("", text)
    columns: list[str] = []
    for pattern in filter(None, patterns.split(",")):
        is_pattern = any(letter in pattern for letter in ANY)
        found = [each for each in there if fnmatchcase(each, pattern)] if is_pattern else [pattern]
        if not found:
            some = list_first([*map(shown, there)])
            raise DataError(f"--runs {text}: no column is like {pattern}. There are {some}")
        columns += found
    if not columns:
        raise DataError(f"--runs {text} names no column: write it as a_*, or A=a_1,a_2,a_3")
    if len(columns) < FEWEST_RUNS:
        number = "one run says" if len(columns) == 1 else "two runs say"
        raise DataError(
            f"--runs {text}: {number} too little of other runs. Pass three or more, or compare the "
            f"models with --score"
        )
    return name or _common_start(columns).rstrip(BETWEEN) or text, columns


def _common_start(names: Sequence[str]) -> str:
    """The letters with which all names begin."""
    first, last = min(names), max(names)
    n_same = (i for i, (a, b) in enumerate(zip(first, last, strict=False)) if a != b)
    return first[: next(n_same, len(first))]
