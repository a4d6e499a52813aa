"""Answers as text, Markdown or JSON; and files that are written whole, or left as they were."""

import json
import os
from argparse import Namespace
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from textwrap import fill

import numpy as np

from sklearn_ap import __version__
from sklearn_ap._cli._gates import Finding
from sklearn_ap._extras import printable
from sklearn_ap._files.sources import DataError, file_identity
from sklearn_ap._results.column import Column, Estimates
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.sample import heading_of
from sklearn_ap._results.text import TEXT_WIDTH
from sklearn_ap._types import Keywords
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval


@dataclass(frozen=True)
class CommandAnswer:
    """What a command found: results for JSON, and what is printed of them."""

    input: Keywords
    results: Sequence[Keywords] = ()
    texts: Sequence[str] = ()  # in the format that was asked for
    required: Sequence[Finding] = ()
    notes: Sequence[str] = ()  # beside the positive label


class DefinitionTable(PrintedResult):
    """The scores of one model under several definitions."""

    _most_rows = None

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


def shown(result: PrintedResult, args: Namespace) -> str:
    """Write a result as text, or its heading and its table as Markdown."""
    if args.format == "markdown":
        return f"{result.heading}\n\n{result.to_table('markdown')}"
    return str(result)


def print_answer(args: Namespace, answer: CommandAnswer, warnings: Sequence[Warning]) -> str:
    """Write an answer. Its last line says whether each requirement is shown."""
    required = [finding._asdict() for finding in answer.required]
    if args.format == "json":
        data = {
            "command": args.command,
            "version": __version__,
            "input": answer.input,
            "results": [*answer.results],
            "required": required,
            "shown": all(finding.shown for finding in answer.required) if required else None,
            "warnings": [
                {"name": getattr(each, "name", None), "text": str(each.args[0])}
                for each in warnings
            ],
        }
        return json.dumps(data, indent=1)
    label = f"The positive label is {answer.input['positive_label']!r}."
    head = fill(printable(" ".join([label, *answer.notes])), TEXT_WIDTH)
    last_line = printable(
        " ".join(
            f"{'Shown' if each.shown else 'Not shown'}: {each.requirement}. {each.reason}"
            for each in sorted(answer.required, key=lambda finding: finding.shown)
        )
    )
    return "\n\n".join([head, *answer.texts, *filter(None, [last_line])])


def check_output(output: str, files: Iterable[str]) -> None:
    """Refuse an output in no folder, or that is one of the files to read, by whatever name."""
    folder = os.path.dirname(output)
    if folder and not os.path.isdir(folder):
        raise DataError(f"--output {output!r}: there is no folder {folder!r}")
    for file in files:
        if file_identity(file) == file_identity(output):
            raise DataError(f"--output {output!r} is a file to read, {file!r}: name another one")


def write_whole(path: str, text: str) -> None:
    """Write a file under another name first, so that a full disk spares the old one."""
    content = text.encode(errors="surrogateescape")
    if os.path.exists(path) and not os.path.isfile(path):  # such as a pipe
        with open(path, "wb") as file:
            file.write(content)
        return
    new_file = f"{path}.{os.getpid()}"
    try:
        with open(new_file, "xb") as file:
            file.write(content)
        os.replace(new_file, os.path.realpath(path))
    finally:
        with suppress(FileNotFoundError):
            os.unlink(new_file)
