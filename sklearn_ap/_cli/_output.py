"""Answers as text, Markdown or JSON."""

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

from sklearn_ap import __version__
from sklearn_ap._cli._gates import Finding
from sklearn_ap._extras import printable
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import TEXT_WIDTH
from sklearn_ap._types import Keywords


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
