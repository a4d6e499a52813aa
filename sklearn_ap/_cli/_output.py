"""Answers as text, Markdown or JSON."""

import json
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
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
class GatheredScores(PrintedResult):
    """Numbers of several results in one table."""

    heading: str = ""
    names: Sequence[str] = ()
    columns: Sequence[Column] = ()
    sentences = ()

    def _names(self) -> Sequence[str]:
        return self.names

    def _columns(self) -> Sequence[Column]:
        return self.columns

    def _shown_rows(self) -> Sequence[int]:
        return range(len(self.names))


def scores_by_definition(intervals: Sequence[Interval]) -> GatheredScores:
    """Gather the scores of one model, which share the sample."""
    sample, level = intervals[0].sample, intervals[0].confidence_level
    numbers = np.array([(each.estimate, each.low, each.high) for each in intervals])
    values, low, high = numbers.T
    key = "estimate"
    column = Estimates(key=key, head=key, title=key, values=values, low=low, high=high, level=level)
    heading = heading_of(replace(sample, definition=None), level)
    return GatheredScores(heading, [each.sample.score for each in intervals], [column])


def scores_of_runs(runs: Sequence[str], numbers: Mapping[str, Sequence[float]]) -> GatheredScores:
    """Gather scores of runs, and shares of their documents that are judged, by what they are."""
    four_digits = partial(number_as_text, digits=4)  # as trec_eval prints
    columns = [
        Column(key=title, head=title, values=np.asarray(each), cells=[*map(four_digits, each)])
        for title, each in numbers.items()
    ]
    heading = "Scores of runs, and shares of judged documents (judged@k)"
    return GatheredScores(heading, runs, columns)


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
