"""The commands: each returns the text that it prints, and its exit status."""

import argparse
import json
import os
import shlex
import warnings
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from math import isnan
from pathlib import Path
from typing import NamedTuple, cast

import numpy as np

from sklearn_ap import compat, retrieval
from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._extras import printable, progress
from sklearn_ap._files.sources import DataError
from sklearn_ap._inputs.names import encode_names
from sklearn_ap._program.cli._answer import Finding, Row, format_answer
from sklearn_ap._program.cli._file_predictions import FilePredictions, read
from sklearn_ap._program.cli._gates import (
    NOT_SHOWN,
    TRIES_ALONE,
    Gate,
    divide_error,
    find_guaranteed,
    find_none_worse,
    make_gate,
)
from sklearn_ap._program.cli._output_file import is_standard_output, write_file
from sklearn_ap._program.cli._reading_code import label_code, reading_code
from sklearn_ap._program.cli._scores import (
    ONE_MODEL_AND_MARGIN,
    rows_of_segments,
    score_definitions,
    score_segments,
)
from sklearn_ap._program.cli._unused_columns import find_unused_columns
from sklearn_ap._program.cli.arguments import DEFAULT_K, LATEST_NOT_WORSE, NONE_WORSE, TRY
from sklearn_ap._program.cli.example_file import Y_SCORE, Y_TRUE
from sklearn_ap._program.cli.lines import fold
from sklearn_ap._report.data import Coded, Column, Data, make_data
from sklearn_ap._report.facts import NotLookedAt
from sklearn_ap._report.report import make_report, refuse_pdf
from sklearn_ap._report.words import fact_sentence
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import names_as_text, number_as_text, score_as_text
from sklearn_ap._types import Keywords
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.definitions._spellings import (
    conventions,
    find_definition,
    ranking_conventions,
    trec_definitions,
)
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.operating_point import SHARES, operating_point
from sklearn_ap.metrics import average_precision_score
from sklearn_ap.retrieval._judged_runs import USUAL_K, break_ties, warn_if_judged_unlike
from sklearn_ap.scorers import get_scorer_names

NEXT_STEPS = f"""\
The first is what scikit-learn computes. To try the commands on these images:

{TRY}

sklearn-ap --help says more."""


class ExampleRow(NamedTuple):
    """The score of the ten images under a definition."""

    title: str
    definition: Definition
    score: float


class Answer(NamedTuple):
    """The text that a command prints, and its exit status."""

    text: str
    status: int = 0


def rows() -> list[ExampleRow]:
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    return [
        ExampleRow(definition.title, definition, float(definition(counts)[0]))
        for definition in ranking_conventions(k=3)
    ]


def example() -> str:
    examples = rows()
    width = max(len(row.title) for row in examples)
    return "\n".join(
        [
            "Ten images, best score first. Five are airplanes, the others geese:\n",
            f"  y_true  = {list(Y_TRUE)}",
            f"  y_score = {list(Y_SCORE)}",
            "\nTheir average precision, by definition:\n",
            *(
                f"  {score_as_text(row.score, 3)}  {row.title:<{width}}  {row.definition!r}"
                for row in examples
            ),
            f"\n{NEXT_STEPS}",
        ]
    )


MOST_COMMAND_CHARACTERS = 88  # of a line of a page
VISIBLE_CHANGE = 5e-5  # half a unit of the fourth digit


def _score(args: argparse.Namespace) -> Answer:
    named_definitions = _definitions(args)
    gate = make_gate(args, named_definitions)
    list_all = ranking_conventions if args.query is None else conventions
    definitions = [*named_definitions.values(), *gate.definitions] or list_all(args.k)
    titles = {definition.title: definition for definition in definitions}
    return _score_at_gate(args, _read(args), titles, gate)


def _score_at_gate(
    args: argparse.Namespace,
    predictions: FilePredictions,
    definitions: dict[str, Definition],
    gate: Gate,
) -> Answer:
    """Score the definitions, and say whether they show what is required."""
    level = divide_error("confidence_level", args.confidence_level, args.tries)
    scores = score_definitions(
        predictions,
        definitions,
        level,
        getattr(args, "prevalence", None),
        args.margin,
        is_required=bool(args.require),
    )
    findings = gate.find_shown(scores, level)
    text = _add_unused_columns(args, scores.text) if args.command == "score" else scores.text
    return _answer(args, predictions, scores.rows, text, findings=findings)


def _report(args: argparse.Namespace) -> Answer:
    if args.output is not None:
        refuse_pdf(args.output)  # before data are read
        if args.format != "text":
            raise DataError("-o writes HTML: leave out --format, or -o")
    predictions = read(args)
    with progress(None, "", "reporting"):
        data = _report_data(args, predictions)
        command = _command(args.words).replace("\n", "\n# ")
        page = make_report(data, f"# {command}", reading_code(args, predictions.segments.values()))
    if args.format == "json":
        return Answer(json.dumps(page.to_dict(), indent=1))
    if args.format == "markdown":
        return Answer(page.to_markdown())
    if args.output is None:
        return Answer(str(page))
    if is_standard_output(args.output):
        return Answer(page.to_html().rstrip("\n"))
    write_file(args.output, page.to_html())
    return Answer(f"The report is in {args.output}")


def _report_data(args: argparse.Namespace, predictions: FilePredictions) -> Data:
    """Make the data of a report, whose calls name the columns of a file as pandas reads it."""
    columns, units = {}, {}
    names = [each.column for each in predictions.segments.values()]
    for words, each in predictions.segments.items():
        name = each.column if names.count(each.column) == 1 else words
        is_time = each.unit is not None
        segments = each.written if is_time else each.ordered
        values = np.asarray(segments.names)[segments.codes]
        columns[name] = Coded(values, f"segments[{each.column!r}]")
        units[name] = None if each.is_chosen else each.unit
    options = {
        "clusters": predictions.clusters,
        "queries": predictions.queries,
        "sample_weight": predictions.weight,
        "pos_label": Coded(True, label_code(args, predictions.positive)),
        "prevalence": args.prevalence,
    }
    if options["pos_label"].code in ("1", "True"):  # which need not be passed
        del options["pos_label"]
    level, precision = args.confidence_level, args.precision
    models = predictions.y_scores
    data = make_data(predictions.y_true, models, columns or None, options, level, precision, units)
    data.source, data.unused = _source(args.file), find_unused_columns(args)
    return data


def _add_unused_columns(args: argparse.Namespace, text: str) -> str:
    """Name the columns of the files that a text says nothing of."""
    unused = find_unused_columns(args) if args.format == "text" else ()
    fact = NotLookedAt(unused, takes_segments=False)
    return f"{text.rstrip()}\n\n{fold(fact_sentence(fact))}" if unused else text


def _command(words: Sequence[str]) -> str:
    """Write the command as it was typed, with a line for each option if it is long."""
    command = shlex.join(["sklearn-ap", *words])
    if len(command) <= MOST_COMMAND_CHARACTERS:
        return command
    lines = ("\\\n    " * word.startswith("-") + shlex.quote(word) for word in words)
    return " ".join(["sklearn-ap", *lines])


def _source(files: Sequence[str]) -> str:
    """Name the files, and the day of the last change, so that equal files give equal pages."""
    names = names_as_text([os.path.basename(file) or file for file in files])
    times = [os.stat(file).st_mtime for file in files if os.path.isfile(file)]
    day = f" of {datetime.fromtimestamp(max(times)):%Y-%m-%d}" if times else ""
    return "standard input" if names == "-" else f"{names}{day}"


def _trec(args: argparse.Namespace) -> Answer:
    definitions = _definitions(args)
    gate = make_gate(args, definitions)
    required = gate.definitions
    definitions |= {each.title: each for each in required if each not in definitions.values()}
    with progress(None, "", "reading"):
        judged_runs = retrieval.from_trec(
            args.qrels,
            *args.runs,
            relevance_level=args.relevance_level,
            unjudged=args.unjudged.replace("-", " "),
            complete=args.complete,
            ties=args.ties,
        )
    queries, _ = encode_names(judged_runs.queries, "queries")
    all_queries = FilePredictions(
        y_true=judged_runs.y_true,
        y_scores=judged_runs.y_scores,
        weight=None,
        queries=queries,
        positive=f"{args.relevance_level:g} or more",
    )
    predictions = _drop_undefined(args, all_queries)
    definitions = definitions or trec_definitions(args.k)
    if args.unjudged == "negative":
        depths = {each.depth or 0 for each in definitions.values()}
        for k in sorted(int(depth) for depth in depths - {USUAL_K} if depth >= 1):
            warn_if_judged_unlike(judged_runs, k)
    if Step() in definitions.values():
        _warn_of_ties(judged_runs, np.nan if args.without_positives == "left-out" else 0.0)
    return _score_at_gate(args, predictions, definitions, gate)


def _warn_of_ties(judged_runs: retrieval.JudgedRuns, zero_division: float) -> None:
    """Warn of systems whose map changes if ties are broken as in trec_eval."""
    broken_ties = break_ties(judged_runs)
    for name in judged_runs.systems:
        shared = average_precision_score(**judged_runs[name], zero_division=zero_division)
        broken = average_precision_score(**broken_ties[name], zero_division=zero_division)
        if abs(shared - broken) > VISIBLE_CHANGE:
            warnings.warn(
                f"Documents of {printable(name)} are tied. trec_eval breaks ties by their names, "
                f"which makes map {number_as_text(broken, 4)} of {number_as_text(shared, 4)}: pass "
                f"--ties trec_eval.",
                stacklevel=2,
            )


def _ask_models(
    predictions: FilePredictions, ask: Callable[[FilePredictions], tuple[list[Row], str]]
) -> tuple[list[Row], str]:
    """Ask for each column of scores, and add its name if there are several."""
    if len(predictions.y_scores) == 1:
        return ask(predictions)
    rows: list[Row] = []
    texts = []
    for name, y_score in predictions.y_scores.items():
        model_rows, text = ask(replace(predictions, y_scores={name: y_score}))
        rows += [{"name": name} | row for row in model_rows]
        texts.append(f"{printable(name)}:\n{text}")
    return rows, "\n".join(texts)


def _threshold(args: argparse.Namespace) -> Answer:
    goals = {
        name for name in ("precision", "recall", "k", "cost") if getattr(args, name) is not None
    }
    if len(goals) != 1 and goals != {"precision", "recall"}:
        raise DataError("pass one of --precision, --recall, --k and --cost, or the first two")
    _check_guarantee(args)
    predictions = read(args)
    names = ("precision", "recall", "k", "cost", "guarantee", "prevalence", "confidence_level")
    options = {name: getattr(args, name) for name in names}
    if args.cost is not None:
        false_positive, false_negative = args.cost
        options["cost"] = {"false_positive": false_positive, "false_negative": false_negative}
    if args.tries is not None:
        options["guarantee"] = divide_error("guarantee", args.guarantee, args.tries)
    rows, text = _ask_models(predictions, partial(_operating_point, options=options))
    findings = [find_guaranteed(rows, options)] if args.require else []
    text = _add_unused_columns(args, text)
    answer = format_answer(predictions, rows, text, args.format, findings=findings)
    return Answer(answer, _status_of(findings))


def _check_guarantee(args: argparse.Namespace) -> None:
    if args.tries is not None and not args.require:
        raise DataError(TRIES_ALONE)
    if args.guarantee is not None and args.cluster is not None:
        raise DataError(
            "--guarantee does not go with --cluster: its tests count rows, which are alike within "
            "a cluster. Leave out --cluster for a file with one row of each cluster, drawn at "
            "random: the guarantee then speaks of a random row of a random cluster"
        )
    if args.require and args.guarantee is None:
        raise DataError(
            "--require needs --guarantee, such as --guarantee 0.95: without one, the precision or "
            "recall is reached in this sample only, which shows little of other rows"
        )


def _operating_point(predictions: FilePredictions, options: Keywords) -> tuple[list[Row], str]:
    point = operating_point(
        predictions.y_true,
        predictions.single_score(takes_clusters=True),
        sample_weight=predictions.weight,
        clusters=predictions.clusters,
        **options,
    )
    row: Row = {"threshold": point.threshold, "n_selected": point.n_selected}
    for name in SHARES:
        low, high = getattr(point, f"{name}_interval")
        row |= {name: getattr(point, name), f"{name}_low": low, f"{name}_high": high}
    row |= {"prevalence": point.sample.target_prevalence, "cost": point.notes.get("cost")}
    row |= {"guarantee": point.guarantee, "confidence_level": point.confidence_level}
    row["remark"] = point.sentences[0] if isnan(point.threshold) else ""
    return [row], f"{point}\n"


def _segments(args: argparse.Namespace) -> Answer:
    definitions = [*_definitions(args).values()] or [Step()]
    predictions = _read(args)
    _check_last_is_latest(args, predictions)
    comparisons: list[tuple[str, Comparison]] = []

    def ask(model: FilePredictions) -> tuple[list[Row], str]:
        found = score_segments(
            model, definitions, args.reference, args.prevalence, args.confidence_level
        )
        (name,) = model.y_scores if len(predictions.y_scores) > 1 else [""]
        comparisons.extend((name, each) for each in found.values())
        rows = [row for pair in found.items() for row in rows_of_segments(*pair)]
        return rows, "\n".join(f"{each}\n" for each in found.values())

    rows, text = _ask_models(predictions, ask)
    findings = [find_none_worse(claim, comparisons) for claim in args.require]
    return _answer(args, predictions, rows, text, findings=findings)


def _check_last_is_latest(args: argparse.Namespace, predictions: FilePredictions) -> None:
    """Refuse a requirement of the latest segment where segments are no times."""
    ((name, each),) = predictions.segments.items()
    codes = Coded(np.asarray(each.ordered.names)[each.ordered.codes], name)
    if LATEST_NOT_WORSE in args.require and not Column(name, codes, name).are_times:
        raise DataError(
            f"--require {LATEST_NOT_WORSE} needs segments that are times, such as --segment "
            f"date:month, but those of {name!r} are not: pass --require {NONE_WORSE}"
        )


def _compare(args: argparse.Namespace) -> Answer:
    if len(args.score) > 1:
        if args.near is not None:
            raise ValueError("--near asks about one number: pass --score once")
        return _score(args)
    if args.margin is not None:
        raise DataError(ONE_MODEL_AND_MARGIN)
    if args.require or args.tries is not None:
        raise DataError(
            "--require and --tries of compare are about several models: pass --score once more, or "
            "use score for one model"
        )
    predictions = _read(args)
    with progress(None, "", "comparing"):
        tools = "all" if args.all else None
        comparison = compat.compare(
            predictions.y_true,
            predictions.single_score(),
            sample_weight=predictions.weight,
            queries=predictions.queries,
            tools=tools,
            k=args.k,
            near=args.near,
        )
    return _answer(args, predictions, _rows_of(comparison), str(comparison))


def _explain(args: argparse.Namespace) -> Answer:
    if Path(args.tool).suffix and Path(args.tool).is_file():  # a file may have the name of a tool
        raise DataError(f"{args.tool!r} is a file, but the tool comes first: explain TOOL FILE")
    options: Keywords = {} if args.versus is None else {"versus": args.versus}
    k = args.k
    if k is None and any(get(tool).k == "required" for tool in (args.tool, *options.values())):
        k = DEFAULT_K
    predictions = _read(args)
    with progress(None, "", "explaining"):
        explanation = compat.explain(
            args.tool,
            predictions.y_true,
            predictions.single_score(),
            sample_weight=predictions.weight,
            queries=predictions.queries,
            k=k,
            **options,
        )
    return _answer(args, predictions, _rows_of(explanation), str(explanation), k)


def _rows_of(result: PrintedResult) -> list[Row]:
    return cast("list[Row]", result.to_dict()["rows"])


def _definitions(args: argparse.Namespace) -> dict[str, Definition]:
    return {
        name: find_definition(name, args.k, get_scorer_names()) for name in args.definition or ()
    }


def _read(args: argparse.Namespace) -> FilePredictions:
    return _drop_undefined(args, read(args))


def _drop_undefined(args: argparse.Namespace, predictions: FilePredictions) -> FilePredictions:
    """Leave out queries without positives, if the arguments ask for it."""
    is_left_out = args.without_positives == "left-out"
    return predictions.drop_undefined() if is_left_out else predictions


def _answer(
    args: argparse.Namespace,
    predictions: FilePredictions,
    rows: list[Row],
    text: str,
    k: int | None = None,
    findings: Sequence[Finding] = (),
) -> Answer:
    answer = format_answer(predictions, rows, text, args.format, k, findings)
    return Answer(answer, _status(args, predictions) or _status_of(findings))


def _status_of(findings: Sequence[Finding]) -> int:
    """Return 3 if a requirement is not shown."""
    return 0 if all(finding.is_shown for finding in findings) else NOT_SHOWN


def _status(args: argparse.Namespace, predictions: FilePredictions) -> int:
    """Return 1, with a warning, if average precision is not defined."""
    is_undefined = bool(np.isnan(predictions.zero_division(getattr(args, "prevalence", None))))
    if is_undefined:
        has_positives = predictions.n_undefined < predictions.n_queries
        reason = "no ranking has both classes" if has_positives else "no row is positive"
        warnings.warn(f"{reason}, so average precision is not defined", stacklevel=2)
    return int(is_undefined)


COMMANDS: dict[str | None, Callable[[argparse.Namespace], Answer]] = {
    None: lambda _: Answer(example()),
    "score": _score,
    "threshold": _threshold,
    "segments": _segments,
    "report": _report,
    "trec": _trec,
    "compare": _compare,
    "explain": _explain,
}
