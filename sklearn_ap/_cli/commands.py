"""The commands: each reads predictions, and asks public functions, whose answers are written."""

import json
import os
import shlex
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import isnan, nan
from textwrap import fill

import sklearn_ap as ap
from sklearn_ap._cli._gates import (
    SHARES,
    LeastValue,
    Verdict,
    judge_estimates,
    judge_models,
    judge_scores,
    judge_segments,
    read_requirements,
)
from sklearn_ap._cli._predictions import Predictions, read_named_columns, read_trec
from sklearn_ap._cli.arguments import BETTER, GUARANTEE, NOT_SHOWN, NOT_WORSE, one_line
from sklearn_ap._files.sources import find_files
from sklearn_ap._results.result import Result
from sklearn_ap._results.text import TEXT_WIDTH, printable
from sklearn_ap._types import Keywords
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._spellings import find_definition
from sklearn_ap.inference.interval import join_intervals
from sklearn_ap.inference.threshold_goals import GOAL_OPTIONS


@dataclass(frozen=True)
class CommandAnswer:
    """What a command answers: results for JSON, and what is printed of them."""

    predictions: Predictions
    results: Sequence[Keywords] = ()
    texts: Sequence[str] = ()  # in the format that was asked for
    verdicts: Sequence[Verdict] = ()  # on each --require


def run(command: Callable[[Namespace], CommandAnswer], args: Namespace) -> int:
    """Print what a command answers, and its warnings; and return the status."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        answer = command(args)
    messages = {str(each.message): each.message for each in caught}  # each text once
    issued = [message for message in messages.values() if isinstance(message, Warning)]
    print(_write_answer(args, answer, issued), flush=True)
    for warning in issued:
        print(f"sklearn-ap: warning: {one_line(str(warning))}", file=sys.stderr, flush=True)
    return 0 if all(verdict.shown for verdict in answer.verdicts) else NOT_SHOWN


def _write_answer(args: Namespace, answer: CommandAnswer, issued: Sequence[Warning]) -> str:
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
    return "\n\n".join([head, *answer.texts, *filter(None, [last_line])])


def passed_options(args: Namespace, *names: str) -> Keywords:
    """Return the options of a public function that were passed, as flags of their names."""
    values = {name: getattr(args, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


# ---- scores of one model, and comparisons of several


def answer_score(args: Namespace) -> CommandAnswer:
    """Score one model of a table, or compare several with the first."""
    return _answer_scores(args, read_named_columns(args))


def answer_trec(args: Namespace) -> CommandAnswer:
    """Score one run, or compare several with the first."""
    return _answer_scores(args, read_trec(args))


def _answer_scores(args: Namespace, predictions: Predictions) -> CommandAnswer:
    """Score one model, or compare several with the first, under each definition."""
    required = read_requirements(args.require, (BETTER, NOT_WORSE), "ap >= 0.4")
    claims = [each for each in required if isinstance(each, str)]
    _check_claims(args, claims, len(predictions.y_scores))
    compared = args.definition or ["AP"]
    judged = [each.name for each in required if isinstance(each, LeastValue)]
    definition_by_name = _find_definitions([*compared, *judged])
    results = {
        definition: _score(args, predictions, definition)
        for definition in dict.fromkeys(definition_by_name.values())
    }
    found = (results[definition_by_name[name]] for name in compared)
    comparisons = [result for result in found if isinstance(result, ap.Comparison)]
    verdicts = [
        judge_scores(each, results[definition_by_name[each.name]], only_new_models=bool(claims))
        if isinstance(each, LeastValue)
        else judge_models(each, comparisons)
        for each in required
    ]
    intervals = [result for result in results.values() if isinstance(result, ap.Interval)]
    printed: Sequence[Result] = ()
    if len(intervals) > 1:  # of one model
        titles = tuple(interval.sample.title for interval in intervals)
        shared = replace(intervals[0].sample, definition=None)
        printed = [join_intervals(intervals, titles, shared)]
    return _make_answer(args, predictions, [*results.values()], verdicts, printed)


def _check_claims(args: Namespace, claims: Sequence[str], n_models: int) -> None:
    """Refuse claims about models, or their margin, without what these need."""
    if NOT_WORSE in claims and args.margin is None:
        raise ValueError(f"--require {NOT_WORSE} needs --margin")
    if n_models == 1 and (claims or args.margin is not None):
        what = f"--require {claims[0]}" if claims else "--margin"
        raise ValueError(
            f"{what} compares models: name the present model first, and then the new one"
        )


def _find_definitions(names: Sequence[str]) -> dict[str, Definition]:
    """Find definitions by their names."""
    return {name: find_definition(name, more_names=ap.get_scorer_names()) for name in names}


def _score(
    args: Namespace, predictions: Predictions, definition: Definition
) -> ap.Interval | ap.Comparison:
    """Score one model, or compare several with the first."""
    options = passed_options(args, "n_positives", "prevalence", "confidence_level", "margin")
    options["definition"] = definition
    options["zero_division"] = 0.0 if "queries" in predictions.options else nan
    if len(predictions.y_scores) > 1:
        return predictions.ask(ap.compare_average_precision, **options)
    return predictions.ask(ap.average_precision_interval, **options)


# ---- the other commands


def answer_threshold(args: Namespace) -> CommandAnswer:
    """Choose a threshold, or measure a given one."""
    required = read_requirements(args.require, (GUARANTEE,), "recall >= 0.8", SHARES)
    for text, each in zip(args.require, required, strict=True):
        if isinstance(each, LeastValue) and args.threshold is None:
            raise ValueError(
                f"--require {text!r} needs --threshold, which was chosen on other rows: for one "
                f"that is chosen on these rows, pass --guarantee and --require {GUARANTEE}"
            )
        if each == GUARANTEE and args.guarantee is None:
            raise ValueError(f"--require {GUARANTEE} needs --guarantee")
    predictions = read_named_columns(args)
    options = passed_options(args, *GOAL_OPTIONS, "guarantee", "prevalence", "confidence_level")
    point = predictions.ask(ap.operating_point, **options)
    is_found = Verdict(not isnan(point.threshold), " ".join(point.sentences))
    verdicts = [
        judge_estimates(each, {each.name: getattr(point, each.name)}, point.confidence_level)
        if isinstance(each, LeastValue)
        else is_found
        for each in required
    ]
    return _make_answer(args, predictions, [point], verdicts)


def answer_segments(args: Namespace) -> CommandAnswer:
    """Compare segments under each definition."""
    definitions = _find_definitions(args.definition or ["AP"])
    predictions = read_named_columns(args)
    (segments,) = predictions.segments.values()
    options = passed_options(args, "reference", "prevalence", "confidence_level")
    comparisons = [
        predictions.ask(ap.compare_segments, segments=segments, definition=definition, **options)
        for definition in definitions.values()
    ]
    verdicts = [judge_segments(claim, comparisons) for claim in args.require]
    return _make_answer(args, predictions, comparisons, verdicts)


def answer_tools(args: Namespace) -> CommandAnswer:
    """Compare what tools compute."""
    predictions = read_named_columns(args)
    tools = {"tools": "all"} if args.all else {}
    result = predictions.ask(ap.compat.compare, **tools, **passed_options(args, "near", "k"))
    return _make_answer(args, predictions, [result])


def answer_explain(args: Namespace) -> CommandAnswer:
    """Explain why two tools differ."""
    predictions = read_named_columns(args)
    explain = partial(ap.compat.explain, args.tool)
    result = predictions.ask(explain, **passed_options(args, "versus", "k"))
    return _make_answer(args, predictions, [result])


def _make_answer(
    args: Namespace,
    predictions: Predictions,
    results: Sequence[Result],
    verdicts: Sequence[Verdict] = (),
    printed: Sequence[Result] = (),
) -> CommandAnswer:
    """Answer by results, in whose place others may be printed."""
    dicts = [result.to_dict() for result in results]
    texts = [_text_of(result, args) for result in printed or results]
    return CommandAnswer(predictions, dicts, texts, verdicts)


def _text_of(result: Result, args: Namespace) -> str:
    """Write a result as text, or its heading and its table as Markdown."""
    if args.format == "markdown":
        return f"{result.heading}\n\n{result.to_table('markdown')}"
    return str(result)


def answer_report(args: Namespace) -> CommandAnswer:
    """Make a page, and write it if it has a place."""
    files = [file for path in args.file for file in find_files(path)]
    for file in files if args.output is not None else ():
        if os.path.realpath(file) == os.path.realpath(args.output):  # also by another name
            raise ValueError(f"--output {args.output!r} is a file to read, {file!r}: name another")
    predictions = read_named_columns(args)
    command = printable(shlex.join(["sklearn-ap", *args.words]))
    page = ap.report(
        predictions.y_true,
        predictions.y_scores,
        segments=predictions.segments or None,
        source=f"{command}, positive label {predictions.positive_label!r}",
        **passed_options(args, *GOAL_OPTIONS, "prevalence", "confidence_level"),
        **predictions.options,
    )
    text = f"```text\n{page}\n```" if args.format == "markdown" else str(page)
    if args.output is not None:
        page.save(args.output)
        text = f"The report is in {args.output}"
    return CommandAnswer(predictions, [page.to_dict()], [text])
