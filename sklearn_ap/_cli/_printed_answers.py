"""What a command prints: its results as text, Markdown or JSON, and a last line on requirements."""

import json
from argparse import Namespace
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import fill

import sklearn_ap as ap
from sklearn_ap._cli._counted import CountedPredictions
from sklearn_ap._cli._gates import Verdict
from sklearn_ap._cli._predictions import Predictions
from sklearn_ap._cli._unused_columns import flags_of
from sklearn_ap._results.result import Result
from sklearn_ap._types import Json
from sklearn_ap._writing.table import escape_markdown
from sklearn_ap._writing.text import TEXT_WIDTH, printable

AnyPredictions = Predictions | CountedPredictions


@dataclass(frozen=True)
class CommandAnswer:
    """What a command answers: results for JSON, and what is printed of them."""

    predictions: AnyPredictions
    results: Sequence[dict[str, Json]] = ()
    texts: Sequence[str] = ()  # in the format that was asked for
    verdicts: Sequence[Verdict] = ()  # on each --require


def make_answer(
    args: Namespace,
    predictions: AnyPredictions,
    results: Sequence[Result],
    verdicts: Sequence[Verdict] = (),
    printed: Sequence[Result] = (),
) -> CommandAnswer:
    """Answer by results, in whose place others may be printed."""
    dicts = [result.to_dict() for result in results]
    texts = [text_of(result, args) for result in printed or results]
    return CommandAnswer(predictions, dicts, texts, verdicts)


def text_of(result: Result, args: Namespace) -> str:
    """Write a result as text, or its heading and its table as Markdown."""
    if args.format == "markdown":
        return f"{result.heading}\n\n{result.to_table('markdown')}"
    return str(result)


def write_answer(args: Namespace, answer: CommandAnswer, issued: Sequence[Warning]) -> str:
    """Write an answer. Its last line says whether each requirement is shown."""
    required = [
        {"requirement": text, "shown": verdict.shown, "reason": verdict.reason}
        for text, verdict in zip(args.require, answer.verdicts, strict=True)
    ]
    if args.format == "json":
        data = {
            "command": args.command,
            "version": ap.__version__,
            "input": answer.predictions.input,
            "results": [*answer.results],
            "required": required,
            "shown": all(each["shown"] for each in required) if required else None,
            "warnings": [
                {"name": getattr(warning, "name", None), "text": str(warning.args[0])}
                for warning in issued
            ],
        }
        return json.dumps(data, indent=1)
    label = f"The positive label is {answer.predictions.positive_label!r}."
    head = fill(printable(" ".join([label, *answer.predictions.notes])), TEXT_WIDTH)
    last_line = printable(
        " ".join(
            f"{'Shown' if each['shown'] else 'Not shown'}: {each['requirement']}. {each['reason']}"
            for each in sorted(required, key=lambda each: each["shown"])
        )
    )
    not_used, below = answer.predictions.not_used, ""
    if not_used and args.command != "report":  # whose page names them
        below = fill(printable(not_used.advise(flags_of(args))), TEXT_WIDTH)
    escape = escape_markdown if args.format == "markdown" else str
    ends = map(escape, filter(None, [below, last_line]))
    return "\n\n".join([escape(head), *answer.texts, *ends])
