"""Answers as text, Markdown or JSON; and files that are written whole, or left as they were."""

import json
import os
import shutil
from argparse import Namespace
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from textwrap import fill

import numpy as np

from sklearn_ap import __version__
from sklearn_ap._cli._gates import Finding
from sklearn_ap._cli._predictions import Input
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import DataError, file_identity
from sklearn_ap._results.column import Column, Estimates
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.sample import heading_of
from sklearn_ap._results.text import TEXT_WIDTH
from sklearn_ap._types import Keywords
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval

DEVICES = "/dev/", "/proc/"  # what is open here is written, and not replaced


@dataclass(frozen=True)
class Answer:
    """What a command found: results for JSON, and what is printed of them."""

    input: Input
    results: Sequence[Keywords] = ()
    texts: Sequence[str] = ()
    tables: Sequence[str] = ()  # the same as Markdown
    required: Sequence[Finding] = ()
    notes: Sequence[str] = ()
    missing_class: str = ""


class DefinitionTable(PrintedResult):
    """The scores of one model under several definitions."""

    def __init__(self, intervals: Sequence[Interval | Comparison]) -> None:
        self._intervals = intervals

    @property
    def heading(self) -> str:
        """The sample, without a definition."""
        first = self._intervals[0]
        return heading_of(replace(first.sample, definition=None), first.confidence_level)

    @property
    def sentences(self) -> tuple[str, ...]:
        """What the first of them says."""
        return self._intervals[0].sentences

    def _names(self) -> Sequence[str]:
        return [interval.sample.score for interval in self._intervals]

    def _columns(self) -> Sequence[Column]:
        values, low, high = (
            np.array([getattr(interval, key) for interval in self._intervals])
            for key in ("estimate", "low", "high")
        )
        names: Keywords = dict.fromkeys(("key", "head", "title"), "estimate")
        level = self._intervals[0].confidence_level
        return (Estimates(**names, values=values, low=low, high=high, level=level),)

    def _shown_rows(self) -> list[int]:
        return [*range(len(self._intervals))]


def as_table(result: PrintedResult) -> str:
    """Write the heading and the table of a result as Markdown."""
    return f"{result.heading}\n\n{result.to_table('markdown')}"


def print_answer(args: Namespace, answer: Answer, warnings: Sequence[Warning | str]) -> str:
    """Write an answer. Its last line says whether each requirement is shown."""
    if args.format == "json":
        return json.dumps(as_json(args.command, answer, warnings), indent=1)
    parts = answer.texts if args.format == "text" else answer.tables
    label = f"The positive label is {answer.input.positive_label!r}."
    head = fill(printable(" ".join([label, *answer.notes])), TEXT_WIDTH)
    return "\n\n".join([head, *parts, *([last_line(answer)] if answer.required else [])])


def as_json(command: str, answer: Answer, warnings: Sequence[Warning | str]) -> dict[str, object]:
    """Return the object of JSON, whose keys are always the same."""
    return {
        "command": command,
        "version": __version__,
        "input": answer.input._asdict(),
        "results": [*answer.results],
        "required": [finding._asdict() for finding in answer.required],
        "shown": all(finding.shown for finding in answer.required) if answer.required else None,
        "warnings": [
            {"name": getattr(each, "name", None), "text": text_of(each)} for each in warnings
        ],
    }


def text_of(warning: Warning | str) -> str:
    """Return the text of a warning without its name."""
    return str(warning.args[0] if isinstance(warning, UncertaintyWarning) else warning)


def last_line(answer: Answer) -> str:
    """Write all requirements in one line, first those that are not shown."""
    texts = (
        f"{'Shown' if each.shown else 'Not shown'}: {each.requirement}. {each.reason}"
        for each in sorted(answer.required, key=lambda finding: finding.shown)
    )
    return printable(" ".join(texts))


def refuse_input(output: str, files: Iterable[str]) -> None:
    """Refuse an output that is one of the files to read, by whatever name."""
    for file in files:
        if file_identity(file) == file_identity(output):
            raise DataError(f"--output {output!r} is a file to read, {file!r}: name another one")


def write_whole(path: str, text: str) -> None:
    """Write a file under another name first, so that a full disk spares the old one."""
    content = text.encode(errors="surrogateescape")
    if path.startswith(DEVICES) or (os.path.exists(path) and not os.path.isfile(path)):
        with open(path, "wb") as file:
            file.write(content)
        return
    target = os.path.realpath(path)
    if os.path.exists(target) and not os.access(target, os.W_OK):
        raise PermissionError(f"{path}: the file may not be replaced")
    new_file = f"{target}.{os.getpid()}"
    try:
        with open(new_file, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())  # some file systems say only now that the disk is full
        with suppress(FileNotFoundError):
            shutil.copymode(target, new_file)
        os.replace(new_file, target)
    except BaseException:
        with suppress(OSError):
            os.unlink(new_file)
        raise
