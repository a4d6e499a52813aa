"""Answers as text, Markdown or JSON."""

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass, replace
from textwrap import fill

from sklearn_ap import __version__
from sklearn_ap._cli._gates import Finding
from sklearn_ap._extras import printable
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.sample import heading_of
from sklearn_ap._results.text import TEXT_WIDTH, Table, estimate_as_text, interval_of
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


def shown(result: PrintedResult, args: Namespace) -> str:
    """Write a result as text, or its heading and its table as Markdown."""
    if args.format == "markdown":
        return f"{result.heading}\n\n{result.to_table('markdown')}"
    return str(result)


def table_of_definitions(results: Sequence[Interval], args: Namespace) -> str:
    """Write the scores of one model under several definitions in one table."""
    first = results[0]
    level = first.confidence_level
    heading = heading_of(replace(first.sample, definition=None), level)
    scores = ((each.sample.score, each.estimate, each.low, each.high) for each in results)
    body = [[score, estimate_as_text(*map(float, numbers))] for score, *numbers in scores]
    if args.format == "markdown":
        head = ["", f"estimate ({interval_of(level)})"]
        return f"{heading}\n\n{Table(head, body, '<<', 1).as_markdown()}"
    lines = Table(["", "estimate"], body, "<<", 1).as_text()
    return "\n".join([fill(heading, TEXT_WIDTH, break_on_hyphens=False), *lines])


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
