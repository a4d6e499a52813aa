"""Answers as text, Markdown or JSON."""

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from textwrap import fill

import numpy as np

from sklearn_ap import __version__
from sklearn_ap._cli._gates import Finding
from sklearn_ap._extras import printable
from sklearn_ap._results.column import Column, Estimates
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.sample import heading_of
from sklearn_ap._results.text import TEXT_WIDTH, number_as_text
from sklearn_ap._types import Keywords
from sklearn_ap.inference.interval import Interval

N_DIGITS_OF_TREC_EVAL = 4


@dataclass(frozen=True)
class CommandAnswer:
    """What a command found: results for JSON, and what is printed of them."""

    input: Keywords
    results: Sequence[Keywords] = ()
    texts: Sequence[str] = ()  # in the format that was asked for
    required: Sequence[Finding] = ()
    notes: Sequence[str] = ()  # beside the positive label


def text_of(result: PrintedResult, args: Namespace) -> str:
    """Write a result as text, or its heading and its table as Markdown."""
    if args.format == "markdown":
        return f"{result.heading}\n\n{result.to_table('markdown')}"
    return str(result)


@dataclass(frozen=True, repr=False)
class ScoresByDefinition(PrintedResult):
    """The scores of one model under several definitions."""

    intervals: Sequence[Interval]
    sentences = ()
    _most_rows = None

    @property
    def heading(self) -> str:
        """The sample, which all scores share."""
        first = self.intervals[0]
        return heading_of(replace(first.sample, definition=None), first.confidence_level)

    def _names(self) -> list[str]:
        return [each.sample.score for each in self.intervals]

    def _columns(self) -> list[Estimates]:
        numbers = np.array([(each.estimate, each.low, each.high) for each in self.intervals])
        values, low, high = numbers.T
        level = self.intervals[0].confidence_level
        head = "estimate"
        return [
            Estimates(
                key=head, head=head, title=head, values=values, low=low, high=high, level=level
            )
        ]


@dataclass(frozen=True, repr=False)
class ScoresOfRuns(PrintedResult):
    """The scores of runs, and how many of their first documents are judged, as trec_eval prints."""

    runs: Sequence[str]
    numbers: Mapping[str, Sequence[float]]  # of each run, by what they are
    heading = "Scores of runs, and shares of judged documents (judged@k)"
    sentences = ()
    _most_rows = None

    def _names(self) -> Sequence[str]:
        return self.runs

    def _columns(self) -> list[Column]:
        return [
            Column(
                key=title,
                values=np.asarray(values),
                head=title,
                cells=[number_as_text(value, N_DIGITS_OF_TREC_EVAL) for value in values],
            )
            for title, values in self.numbers.items()
        ]


def write_answer(args: Namespace, answer: CommandAnswer, warnings: Sequence[Warning]) -> str:
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
