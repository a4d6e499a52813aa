"""The commands: each reads predictions, and asks public functions, whose answers are written."""

import json
import os
import shlex
import warnings
from argparse import Namespace
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from math import nan
from textwrap import fill

import sklearn_ap as ap
from sklearn_ap._cli._gates import (
    NOT_SHOWN,
    Finding,
    finding_of_guarantee,
    finding_of_models,
    finding_of_score,
    finding_of_segments,
)
from sklearn_ap._cli._predictions import Predictions, UndefinedError, options_of, read
from sklearn_ap._cli.arguments import USUAL_K
from sklearn_ap._extras import printable, warn
from sklearn_ap._files.formats import FORMATS
from sklearn_ap._files.progress import progress
from sklearn_ap._files.sources import find_files, name_of
from sklearn_ap._report.questions import make_questions
from sklearn_ap._report.report import make_report
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.table import MARKDOWN
from sklearn_ap._results.text import TEXT_WIDTH, name_as_text, names_as_text
from sklearn_ap._types import Keywords
from sklearn_ap.definitions import Definition, RecallAtPrecision, Step
from sklearn_ap.definitions._conventions import conventions, ranking_conventions, trec_conventions
from sklearn_ap.definitions._spellings import find_definition
from sklearn_ap.inference.interval import join_intervals

UNDEFINED = 1  # the status where no row is positive
# What calls of a page take.
COLUMNS_OF_CALLS = (
    "# y_true says which rows are positive; y_scores and segments are columns by name"
)

Ask = Callable[[Definition], ap.Interval | ap.Comparison]


@dataclass(frozen=True)
class CommandAnswer:
    """What a command found: results for JSON, and what is printed of them."""

    input: Keywords
    results: Sequence[Keywords] = ()
    texts: Sequence[str] = ()  # in the format that was asked for
    required: Sequence[Finding] = ()
    notes: Sequence[str] = ()  # beside the positive label


def run(args: Namespace) -> tuple[str, int, list[Warning]]:
    """Return what a command prints, its status, and its warnings."""
    status = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            answer = ANSWERS[args.command](args)
        except UndefinedError as error:
            required = [getattr(each, "text", each) for each in getattr(args, "require", [])]
            findings = [Finding(each, False, "No row is positive.") for each in required]
            answer, status = CommandAnswer(error.input, required=findings), UNDEFINED
            warn(str(error), UserWarning)
    if not status and not all(finding.shown for finding in answer.required):
        status = NOT_SHOWN
    found = {str(each.message): each.message for each in caught}  # each text once
    warned = [each for each in found.values() if isinstance(each, Warning)]
    return _write_answer(args, answer, warned), status, warned


def _write_answer(args: Namespace, answer: CommandAnswer, warned: Sequence[Warning]) -> str:
    """Write an answer. Its last line says whether each requirement is shown."""
    required = [finding._asdict() for finding in answer.required]
    if args.format == "json":
        data = {
            "command": args.command,
            "version": ap.__version__,
            "input": answer.input,
            "results": [*answer.results],
            "required": required,
            "shown": all(finding.shown for finding in answer.required) if required else None,
            "warnings": [
                {"name": getattr(each, "name", None), "text": str(each.args[0])} for each in warned
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


# ---- scores of one model, and comparisons of several


def _answer_score(args: Namespace) -> CommandAnswer:
    """Score one model, or compare several with the first, under each definition."""
    claims = [each for each in args.require if not each.score]
    named = _find(args, [*args.definition, *(each.score for each in args.require if each.score)])
    compared = [named[name] for name in args.definition] or [Step()] * bool(claims)
    predictions = read(args)
    asked = dict.fromkeys([*compared, *named.values()])
    results = _ask_each(partial(_score, args, predictions), asked, _unnamed(args, predictions))
    comparisons = [each for each in map(results.get, compared) if isinstance(each, ap.Comparison)]
    required = [
        finding_of_score(each, results[named[each.score]], only_new_models=bool(claims))
        if each.score
        else finding_of_models(each.text, comparisons)
        for each in args.require
    ]
    intervals = [each for each in results.values() if isinstance(each, ap.Interval)]
    table = [_join_scores(intervals)] if len(intervals) > 1 else []
    return _make_answer(args, predictions, [*results.values()], required, table)


def _find(args: Namespace, names: Sequence[str]) -> dict[str, Definition]:
    """Find definitions by their names, and refuse a number of ranks that none of them has."""
    found = {name: find_definition(name, _k(args), ap.get_scorer_names()) for name in names}
    ranks = {getattr(each, "k", None) for each in found.values()}
    if args.k is not None and ranks and args.k not in ranks:
        typed = names_as_text(names)
        raise ValueError(f"--k {args.k} is for definitions such as AP@k, and not for {typed}")
    return found


def _k(args: Namespace) -> float:
    return USUAL_K if args.k is None else args.k


def _score(
    args: Namespace, predictions: Predictions, definition: Definition
) -> ap.Interval | ap.Comparison:
    """Score one model, or compare several with the first."""
    several = len(predictions.y_scores) > 1
    function = ap.compare_average_precision if several else ap.average_precision_interval
    own = {"zero_division": 0.0 if "queries" in predictions.options else nan}
    return predictions.ask(function, args, definition=definition, **own)


def _unnamed(args: Namespace, predictions: Predictions) -> list[Definition]:
    """List the definitions of an answer for which none is named."""
    if args.command == "trec":
        return trec_conventions(_k(args))
    if "queries" in predictions.options:
        return conventions(_k(args))
    found = ranking_conventions(_k(args))  # that of one row has no interval
    return [each for each in found if not isinstance(each, RecallAtPrecision)]


def _ask_each(
    ask: Ask, named: Collection[Definition], others: Sequence[Definition]
) -> dict[Definition, ap.Interval | ap.Comparison]:
    """Ask of each definition; those that are not named are left out if they do not go."""
    found, errors = {}, {}
    asked = named or others
    with progress(len(asked), " definitions", "scoring") as advance:
        for definition in asked:
            try:
                found[definition] = ask(definition)
            except ValueError as error:
                errors[definition.title] = error
                if named:
                    raise
            advance(1)
    if not found:
        raise next(iter(errors.values()))
    if errors:
        warn(
            f"left out, as they do not go with these rows and options: {', '.join(errors)}. Name "
            f"one with --definition for the reason",
            UserWarning,
        )
    return found


def _join_scores(intervals: Sequence[ap.Interval]) -> ap.Interval:
    """Gather the scores of one model, which share the sample."""
    names = tuple(each.sample.score for each in intervals)
    return join_intervals(intervals, names, replace(intervals[0].sample, definition=None))


# ---- the other commands


def _answer_threshold(args: Namespace) -> CommandAnswer:
    """Choose a threshold for each model."""
    predictions = read(args)
    points = {
        name: replace(predictions, y_scores={name: y_score}).ask(ap.operating_point, args)
        for name, y_score in predictions.y_scores.items()
    }
    required = [finding_of_guarantee(points)] if args.require else []
    dicts = [{"model": name, **point.to_dict()} for name, point in points.items()]
    texts = [_text_of(point, args) for point in points.values()]
    if len(points) > 1:
        escaped = MARKDOWN if args.format == "markdown" else {}
        names = (name_as_text(name).translate(escaped) for name in points)
        texts = [f"{name}:\n{text}" for name, text in zip(names, texts, strict=True)]
    return CommandAnswer(predictions.input, dicts, texts, required, predictions.notes)


def _answer_segments(args: Namespace) -> CommandAnswer:
    """Compare segments under each definition."""
    definitions = _find(args, args.definition or ["AP"])
    predictions = read(args)
    (column,) = predictions.segments.values()
    segments, notes = column.as_segments(predictions.y_true)
    comparisons = [
        predictions.ask(ap.compare_segments, args, segments=segments, definition=each)
        for each in definitions.values()
    ]
    required = [finding_of_segments(claim, comparisons) for claim in args.require]
    noted = replace(predictions, notes=[*notes, *predictions.notes])
    return _make_answer(args, noted, comparisons, required)


def _answer_tools(args: Namespace) -> CommandAnswer:
    """Compare what tools compute."""
    predictions = read(args)
    return _make_answer(args, predictions, [predictions.ask(ap.compat.compare, args)])


def _answer_explain(args: Namespace) -> CommandAnswer:
    """Explain why two tools differ."""
    predictions = read(args)
    explain = partial(ap.compat.explain, args.tool)
    return _make_answer(args, predictions, [predictions.ask(explain, args)])


def _make_answer(
    args: Namespace,
    predictions: Predictions,
    results: Sequence[PrintedResult],
    required: Sequence[Finding] = (),
    table: Sequence[ap.Interval] = (),
) -> CommandAnswer:
    """Answer by results, of which a table may have the numbers."""
    dicts = [result.to_dict() for result in results]
    texts = [_text_of(result, args) for result in table or results]
    return CommandAnswer(predictions.input, dicts, texts, required, predictions.notes)


def _text_of(result: PrintedResult, args: Namespace) -> str:
    """Write a result as text, or its heading and its table as Markdown."""
    if args.format == "markdown":
        return f"{result.heading}\n\n{result.to_table('markdown')}"
    return str(result)


def _answer_report(args: Namespace) -> CommandAnswer:
    """Make a page, and write it if it has a place."""
    files = [file for path in args.file for file in find_files(path, FORMATS)]
    for file in files if args.output is not None else ():
        if os.path.realpath(file) == os.path.realpath(args.output):  # also by another name
            raise ValueError(f"--output {args.output!r} is a file to read, {file!r}: name another")
    predictions = read(args)
    page = _make_page(args, predictions)
    text = f"```text\n{page}\n```" if args.format == "markdown" else str(page)
    if args.output is not None:
        page.save(args.output)
        text = f"The report is in {args.output}"
    return CommandAnswer(predictions.input, [page.to_dict()], [text], notes=predictions.notes)


def _make_page(args: Namespace, predictions: Predictions) -> ap.Report:
    """Make the page of a command. It puts dates into units, as its calls write how."""
    columns = predictions.segments
    questions = make_questions(
        predictions.y_true,
        predictions.y_scores,
        {name: column.values for name, column in columns.items()} or None,
        options_of(ap.report, args) | predictions.options,
        units={name: each.unit for name, each in columns.items() if each.dates is not None},
    )
    command = printable(f"# {shlex.join(['sklearn-ap', *args.typed])}")
    files = names_as_text([name_of(os.path.basename(path) or path) for path in args.file])
    source = f"{files}, positive label {predictions.positive!r}"
    return make_report(questions, f"{command}\n{COLUMNS_OF_CALLS}", source)


ANSWERS: Mapping[str, Callable[[Namespace], CommandAnswer]] = {
    "score": _answer_score,
    "trec": _answer_score,
    "threshold": _answer_threshold,
    "segments": _answer_segments,
    "tools": _answer_tools,
    "explain": _answer_explain,
    "report": _answer_report,
}
