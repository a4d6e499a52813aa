"""The commands: each reads predictions, and asks public functions, whose answers are written."""

import os
import shlex
import sys
import warnings
from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product
from math import nan
from typing import Any, TypeVar

import sklearn_ap as ap
from sklearn_ap._cli._counted import CountedPredictions
from sklearn_ap._cli._gates import (
    SHARES,
    LeastValue,
    Verdict,
    join_verdicts,
    judge_models,
    judge_points,
    judge_scores,
    judge_segments,
    read_requirements,
)
from sklearn_ap._cli._labels_and_names import column_and_unit, title_of_column
from sklearn_ap._cli._predictions import Predictions, read_predictions
from sklearn_ap._cli._printed_answers import (
    AnyPredictions,
    CommandAnswer,
    make_answer,
    text_of,
    write_answer,
)
from sklearn_ap._cli._times import (
    SegmentsOfRows,
    check_latest,
    judge_about,
    judge_latest,
    list_new_models,
    put_into_units,
)
from sklearn_ap._cli.arguments import (
    BETTER,
    GUARANTEE,
    LATEST_NOT_WORSE,
    NONE_WORSE,
    NOT_WORSE,
    one_line,
)
from sklearn_ap._cli.statuses import NOT_SHOWN, UNDEFINED
from sklearn_ap._errors import InputError
from sklearn_ap._files.sources import STANDARD_INPUT, find_files
from sklearn_ap._report.page import OTHER_FORMATS, check_ending
from sklearn_ap._report.questions import make_questions
from sklearn_ap._report.report import make_report
from sklearn_ap._results.result import Result
from sklearn_ap._writing.table import escape_markdown
from sklearn_ap._writing.text import name_as_text, names_as_text, printable
from sklearn_ap._writing.warning import warn
from sklearn_ap.definitions import Definition
from sklearn_ap.definitions._conventions import USUAL_K, conventions
from sklearn_ap.definitions._spellings import find_definition
from sklearn_ap.inference.interval import join_intervals
from sklearn_ap.inference.thresholds.goals import GOAL_OPTIONS

TREC_MEASURES = ("map", "map_cut", "P", "recall", "recip_rank")  # that are definitions here

EitherPredictions = TypeVar("EitherPredictions", bound=AnyPredictions)
ScoreResult = ap.Interval | ap.Comparison


def run(command: Callable[[Namespace, Any], CommandAnswer], args: Namespace) -> int:
    """Print what a command answers, and its warnings; and return the status."""
    status = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        predictions = read_predictions(args)
        if predictions.has_positives:
            answer = command(args, predictions)
            if not all(verdict.shown for verdict in answer.verdicts):
                status = NOT_SHOWN
        else:
            warn("no row is positive, so average precision is not defined", UserWarning)
            verdicts = [Verdict(False, "No row is positive.")] * len(args.require)
            answer, status = CommandAnswer(predictions, verdicts=verdicts), UNDEFINED
    messages = {str(each.message): each.message for each in caught}  # each text once
    issued = [message for message in messages.values() if isinstance(message, Warning)]
    print(write_answer(args, answer, issued), flush=True)
    if answer.texts and args.format != "json":  # doubts stand below the results
        issued = [each for each in issued if not isinstance(each, ap.UncertaintyWarning)]
    for warning in issued:
        print(f"sklearn-ap: warning: {one_line(str(warning))}", file=sys.stderr, flush=True)
    return status


def passed_options(args: Namespace, *names: str) -> dict[str, object]:
    """Return the options of a public function that were passed, as flags of their names."""
    values = {name: getattr(args, name) for name in names}
    return {name: value for name, value in values.items() if value is not None}


# ---- scores of one model, and comparisons of several


def answer_score(args: Namespace, predictions: AnyPredictions) -> CommandAnswer:
    """Score one model, or compare several with the first, under each definition."""
    required = read_requirements(args.require, (BETTER, NOT_WORSE), "ap >= 0.4")
    claims = [each for each in required if isinstance(each, str)]
    _check_claims(args, claims, len(predictions.models))
    compared = args.definition or (["AP"] if claims else [])
    judged = [each.name for each in required if isinstance(each, LeastValue)]
    definition_by_name = _find_definitions(args, [*compared, *judged])
    score = partial(_score, args, predictions)
    named = dict.fromkeys(definition_by_name.values())
    results = {each: score(each) for each in named} or _score_usual(args, predictions, score)
    found = (results[definition_by_name[name]] for name in compared)
    comparisons = [result for result in found if isinstance(result, ap.Comparison)]
    verdicts: Sequence[Verdict] = [
        judge_scores(each, results[definition_by_name[each.name]], only_new_models=bool(claims))
        if isinstance(each, LeastValue)
        else judge_models(each, comparisons)
        for each in required
    ]
    new_models = predictions.models[1 if claims else 0 :]
    predictions, verdicts = _look_at_latest(args, predictions, verdicts, new_models)
    intervals = [result for result in results.values() if isinstance(result, ap.Interval)]
    printed: Sequence[Result] = ()
    if len(intervals) > 1:  # of one model
        titles = tuple(interval.sample.title for interval in intervals)
        shared = replace(intervals[0].sample, definition=None)
        printed = [join_intervals(intervals, titles, shared)]
    return make_answer(args, predictions, [*results.values()], verdicts, printed)


answer_trec = answer_score


def _look_at_latest(
    args: Namespace,
    predictions: EitherPredictions,
    verdicts: Sequence[Verdict],
    models: Sequence[str],
) -> tuple[EitherPredictions, Sequence[Verdict]]:
    """With --time, also require that models are not shown to be worse in the latest time."""
    if args.time is None and args.latest is not None:
        raise InputError("--latest needs --time, the column of times")
    if args.time is None or isinstance(predictions, CountedPredictions):  # which have no times
        return predictions, verdicts
    if not args.require:
        raise InputError(
            "--time needs --require: its claims must then hold in the latest time, too"
        )
    segments = put_into_units(predictions, args.time)
    options = passed_options(args, "prevalence", "confidence_level")
    latest = judge_latest(predictions, segments, models, args.latest, **options)
    joined = [join_verdicts([verdict, latest]) for verdict in verdicts]
    return replace(predictions, notes=segments.add_note(predictions.notes)), joined


def _check_claims(args: Namespace, claims: Sequence[str], n_models: int) -> None:
    """Refuse claims about models, or their margin, without what these need."""
    if NOT_WORSE in claims and args.margin is None:
        raise InputError(f"--require {NOT_WORSE} needs --margin")
    if n_models == 1 and (claims or args.margin is not None):
        what = f"--require {claims[0]}" if claims else "--margin"
        raise InputError(
            f"{what} compares models: name the present model first, and then the new one"
        )


def _find_definitions(args: Namespace, names: Sequence[str]) -> dict[str, Definition]:
    """Find definitions by their names, and refuse a number of ranks that none of them has."""
    definitions = {name: find_definition(name, _k(args), ap.get_scorer_names()) for name in names}
    ranks = {getattr(definition, "k", None) for definition in definitions.values()}
    if args.k is not None and ranks and args.k not in ranks:
        listed = names_as_text(names)
        raise InputError(f"--k {args.k} is for definitions such as AP@k, not for {listed}")
    return definitions


def _k(args: Namespace) -> float:
    return USUAL_K if args.k is None else args.k


def _score_usual(
    args: Namespace, predictions: AnyPredictions, score: Callable[[Definition], ScoreResult]
) -> dict[Definition, ScoreResult]:
    """Score the usual definitions; those that do not go with the rows are left out."""
    if args.command == "trec":
        usual = [find_definition(name, _k(args)) for name in TREC_MEASURES]
    else:  # of one ranking, a score of one row has no interval
        has_queries = "queries" in predictions.options
        usual = [each for each in conventions(_k(args)) if has_queries or not each.hangs_on_one_row]
    first, *others = usual
    results = {first: score(first)}
    left_out, too_large = [], []
    for definition in others:
        try:
            results[definition] = score(definition)
        except InputError:
            left_out.append(definition.title)
        except MemoryError:
            too_large.append(definition.title)
    if too_large:
        warn(f"left out for lack of memory: {', '.join(too_large)}", UserWarning)
    if left_out:
        warn(
            f"left out, because they do not go with these rows or options: "
            f"{', '.join(left_out)}. Name one with --definition for the reason",
            UserWarning,
        )
    return results


def _score(args: Namespace, predictions: AnyPredictions, definition: Definition) -> ScoreResult:
    """Score one model, or compare several with the first."""
    options = passed_options(args, "n_positives", "prevalence", "confidence_level", "margin")
    options["definition"] = definition
    options["zero_division"] = 0.0 if "queries" in predictions.options else nan
    return predictions.score(**options)


# ---- the other commands


def answer_threshold(args: Namespace, predictions: Predictions) -> CommandAnswer:
    """Choose a threshold for each model, or measure a given one."""
    required = read_requirements(args.require, (GUARANTEE,), "recall >= 0.8", SHARES)
    for text, each in zip(args.require, required, strict=True):
        if isinstance(each, LeastValue) and args.threshold is None:
            raise InputError(
                f"--require {text!r} needs --threshold, a threshold chosen on other rows. For one "
                f"chosen on these rows, pass --guarantee and --require {GUARANTEE}"
            )
        if each == GUARANTEE and args.guarantee is None:
            raise InputError(f"--require {GUARANTEE} needs --guarantee")
    points = _find_points(args, predictions)
    verdicts: Sequence[Verdict] = [judge_points(each, points) for each in required]
    predictions, verdicts = _look_at_latest(args, predictions, verdicts, [*points])
    dicts = [{"model": name, **point.to_dict()} for name, point in points.items()]
    texts = [text_of(point, args) for point in points.values()]
    if len(points) > 1:
        escape = escape_markdown if args.format == "markdown" else str
        names = (escape(name_as_text(name)) for name in points)
        texts = [f"{name}:\n{text}" for name, text in zip(names, texts, strict=True)]
    return CommandAnswer(predictions, dicts, texts, verdicts)


def _find_points(args: Namespace, predictions: Predictions) -> dict[str, ap.OperatingPoint]:
    """Choose a threshold for each model, or measure a given one."""
    options = passed_options(args, *GOAL_OPTIONS, "guarantee", "prevalence", "confidence_level")
    return {
        name: replace(predictions, y_scores={name: y_score}).ask(ap.operating_point, **options)
        for name, y_score in predictions.y_scores.items()
    }


def answer_segments(args: Namespace, predictions: Predictions) -> CommandAnswer:
    """Compare segments under each definition. Dates without a unit are in the finest."""
    definitions = _find_definitions(args, args.definition or ["AP"])
    (typed,) = predictions.segments
    segments = put_into_units(predictions, typed)
    predictions = replace(predictions, notes=segments.add_note(predictions.notes))
    options = passed_options(args, "reference", "prevalence", "confidence_level")
    ask = partial(predictions.ask, ap.compare_segments, segments=segments.values, **options)
    comparisons = [ask(definition=definition) for definition in definitions.values()]
    verdicts = [judge_segments(claim, comparisons) for claim in args.require]
    if args.latest is not None:
        if LATEST_NOT_WORSE not in args.require:
            raise InputError(f"--latest needs --require {LATEST_NOT_WORSE}")
        latest = check_latest(args.latest, segments)
        verdicts = [join_verdicts([latest, verdict]) for verdict in verdicts]
    return make_answer(args, predictions, comparisons, verdicts)


def answer_tools(args: Namespace, predictions: Predictions) -> CommandAnswer:
    """Compare what tools compute."""
    tools = {"tools": "all"} if args.all else {}
    result = predictions.ask(ap.compat.compare, **tools, **passed_options(args, "near", "k"))
    return make_answer(args, predictions, [result])


def answer_explain(args: Namespace, predictions: Predictions) -> CommandAnswer:
    """Explain why two tools differ."""
    explain = partial(ap.compat.explain, tool=args.tool)
    result = predictions.ask(explain, **passed_options(args, "versus", "k"))
    return make_answer(args, predictions, [result])


# What a command prints instead, as standard output can be written to a file
OTHER_OUTPUTS = {
    **OTHER_FORMATS,
    ".json": "for JSON, pass --format json and > FILE, without --output",
    ".md": "for Markdown, pass --format markdown and > FILE, without --output",
    ".txt": "for text, pass > FILE, without --output",
}


def _refuse_input(output: str, files: Sequence[str]) -> None:
    """Refuse an output that is one of the files to read, by whatever name."""
    if not output:
        raise InputError("--output names no file")
    target = os.path.realpath(output)  # also of a name with a slash at its end
    if not os.path.isfile(target):
        return
    place = os.stat(target)
    for file in files:
        source = os.fstat(sys.stdin.fileno()) if file == STANDARD_INPUT else os.stat(file)
        if os.path.samestat(source, place):
            raise InputError(f"--output {output!r} is a file to read, {file!r}: name another")


def answer_report(args: Namespace, predictions: Predictions) -> CommandAnswer:
    """Make a page, and write it if it has a place."""
    if args.output is not None:
        _refuse_input(args.output, [file for path in args.file for file in find_files(path)])
        check_ending("--output", args.output, OTHER_OUTPUTS)
    verdicts = judge_page(args, predictions)
    typed = [*predictions.segments]
    titles = [*map(title_of_column, typed)]
    if len({*titles}) < len(titles):  # days of a column "time", and a column "time:day"
        titles = typed
    cells = [column.values for column in predictions.segments.values()]
    units = [column_and_unit(each)[1] for each in typed]
    questions = make_questions(  # as report does, which takes no units
        predictions.y_true,
        predictions.y_scores,
        dict(zip(titles, cells, strict=True)) or None,
        passed_options(args, *GOAL_OPTIONS, "prevalence", "confidence_level") | predictions.options,
        units=dict(zip(titles, units, strict=True)),
    )
    command = printable(shlex.join(["sklearn-ap", *args.words]))
    source = f"{command}, positive label {predictions.positive_label!r}"
    page = make_report(questions, f"# {command}", source, predictions.not_used)
    data = page.to_dict()  # before it is saved, as nothing may fail when a page is replaced
    text = f"```text\n{page}\n```" if args.format == "markdown" else str(page)
    if args.output is not None:
        page.save(args.output)
        text = f"The report is in {args.output}"
    return CommandAnswer(predictions, [data], [text], verdicts)


def judge_page(args: Namespace, predictions: Predictions) -> list[Verdict]:
    """Judge what score, threshold and segments judge, all of it also in the latest times.

    Of several models, those but the first are new.
    """
    claims = (BETTER, NOT_WORSE, GUARANTEE, NONE_WORSE, LATEST_NOT_WORSE)
    required = read_requirements(args.require, claims, "ap >= 0.4")
    about_models = [each for each in required if each in (BETTER, NOT_WORSE)]
    _check_claims(args, [*map(str, about_models)], len(predictions.y_scores))
    if (GUARANTEE in required) != (args.guarantee is not None):
        raise InputError(f"a page takes --guarantee and --require {GUARANTEE} only together")
    if args.margin is not None and NOT_WORSE not in required:
        raise InputError(f"a page takes --margin only with --require {NOT_WORSE}")
    models = list_new_models(predictions)
    if not required and args.latest is not None:
        raise InputError("--latest needs --require")
    if not required:
        return []
    columns = [put_into_units(predictions, typed) for typed in predictions.segments]
    times = [column for column in columns if column.are_times]
    if not times and (LATEST_NOT_WORSE in required or args.latest is not None):
        raise InputError("--require latest-not-worse and --latest need a --segment of times")
    options = passed_options(args, "prevalence", "confidence_level")
    latest = [judge_latest(predictions, each, models, args.latest, **options) for each in times]
    return [
        join_verdicts(
            [
                *_judge_claim(args, predictions, each, columns),
                *(latest if each != NONE_WORSE else ()),  # which is also about these
            ]
        )
        for each in required
    ]


def _judge_claim(
    args: Namespace,
    predictions: Predictions,
    required: LeastValue | str,
    columns: Sequence[SegmentsOfRows],
) -> list[Verdict]:
    """Judge one requirement of a page, without the latest times."""
    if isinstance(required, LeastValue):
        (definition,) = _find_definitions(args, [required.name]).values()
        result = _score(args, predictions, definition)
        return [judge_scores(required, result, only_new_models=isinstance(result, ap.Comparison))]
    if required in (BETTER, NOT_WORSE):
        (definition,) = _find_definitions(args, ["AP"]).values()
        found = _score(args, predictions, definition)
        return [judge_models(required, [found])] if isinstance(found, ap.Comparison) else []
    if required == GUARANTEE:
        return [judge_points(required, _find_points(args, predictions))]
    if required == LATEST_NOT_WORSE:
        return []
    if not columns:
        raise InputError(f"--require {NONE_WORSE} needs --segment")
    options = passed_options(args, "prevalence", "confidence_level")
    return [
        judge_about(NONE_WORSE, predictions, column, name, **options)
        for column, name in product(columns, list_new_models(predictions))
    ]
