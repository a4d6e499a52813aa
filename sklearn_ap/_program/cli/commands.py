"""The commands: each returns the text that it prints, and its exit status."""

import argparse
import csv
import io
import os
import re
import shlex
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sklearn_ap import compat, retrieval
from sklearn_ap._base.common.types import Index, Keywords
from sklearn_ap._base.extras import printable, progress
from sklearn_ap._base.files import cells
from sklearn_ap._base.files.columns import Column
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._base.text import Table, first_and_more, number_as_text, table_as_text
from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._program.cli._file_predictions import (
    Columns,
    FilePredictions,
    Parts,
    cells_and_column,
    codes_in_units,
    read,
    read_columns,
)
from sklearn_ap._program.cli._gates import (
    NOT_SHOWN,
    TRIES_ALONE,
    Gate,
    divide_error,
    find_guaranteed,
    make_gate,
)
from sklearn_ap._program.cli._output_file import is_standard_output, write_file
from sklearn_ap._program.cli._scores import (
    ONE_MODEL_AND_MARGIN,
    score_definitions,
    score_segments,
)
from sklearn_ap._program.cli.arguments import DEFAULT_K, TRY, share
from sklearn_ap._program.cli.example_file import Y_SCORE, Y_TRUE
from sklearn_ap._program.cli.output import Finding, Row, format_answer
from sklearn_ap._questions.few_labels.plan import LabelPlan, rows_to_label
from sklearn_ap._questions.judged import RunScores
from sklearn_ap._questions.looks.levels import look_levels
from sklearn_ap._questions.operating_points.operating_point import operating_point
from sklearn_ap._report.report import refuse_pdf, report
from sklearn_ap._scikit_learn.scorers import get_scorer_names
from sklearn_ap._scores.definition_names import (
    conventions,
    find_definition,
    ranking_conventions,
    trec_definitions,
)
from sklearn_ap._scores.metrics import average_precision_score
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.retrieval._judged_runs import break_ties

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
            *(f"  {row.score:.3f}  {row.title:<{width}}  {row.definition!r}" for row in examples),
            f"\n{NEXT_STEPS}",
        ]
    )


# Columns that label writes.
LINE_COLUMN = "line"
PROBABILITY_COLUMN = "inclusion_probability"
FORMULA_PATTERN = re.compile(r"(?!-(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$)[=+@-]", re.IGNORECASE)
MOST_COMMAND_CHARACTERS = 88  # of a line of a page
JUDGED_DEPTHS = 5, 10, 20, 100
ONLY_PRECISION = "judgements name relevant documents only, so judged@k is the precision at k"
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
    return _answer(args, predictions, scores.rows, scores.text, findings=findings)


def _label(args: argparse.Namespace) -> Answer:
    _check_label_options(args)
    prevalence = _parse_prevalence(args.guess)
    parts = read_columns(args, _label_columns(args, prevalence))
    plan = _plan_labels(args, parts, prevalence)
    table: dict[str, Sequence[object]] = {LINE_COLUMN: _texts_of_rows(parts["line"], plan.rows)}
    for name in args.id:
        texts = _texts_of_rows(parts[f"id {name}"], plan.rows)
        _warn_of_formulas(name, texts)
        table[name] = texts
    table[PROBABILITY_COLUMN] = plan.inclusion_probability[plan.rows].tolist()
    if args.label is not None:
        table[args.label] = [""] * args.n  # to be filled in
    text = _csv_text(table)
    if args.output is None or is_standard_output(args.output):
        return Answer(text.rstrip("\n"))
    write_file(args.output, text)
    return Answer(f"{args.n:,} rows to label are in {args.output}")


def _parse_prevalence(guess: str | None) -> float | None:
    """Read a guess that is a number; None if there is none, or if it names a column."""
    try:
        return share(guess or "")
    except argparse.ArgumentTypeError:
        return None


def _plan_labels(args: argparse.Namespace, parts: Parts, prevalence: float | None) -> LabelPlan:
    is_labelled = [part.codes >= 0 for part in parts["label"]]
    y_scores = {
        name: cells.join_numbers(parts.pop(f"score {name}"), f"column {name!r}")
        for name in args.score
    }
    query_codes, _ = codes_in_units(args.query, parts["query"])
    definition: Definition = Step()
    if args.definition is not None:
        definition = find_definition(args.definition, DEFAULT_K)
    return rows_to_label(
        y_scores[args.score[0]] if args.query is None else y_scores,
        args.n,
        queries=query_codes,
        definition=definition,
        guess=np.concatenate(parts["guess"]) if parts["guess"] else prevalence,
        exclude=np.concatenate(is_labelled) if is_labelled else None,
        rng=args.seed,
    )


def _label_columns(args: argparse.Namespace, prevalence: float | None) -> Columns:
    """Map each role to the column that label reads, and to the function that reads the cells."""
    guess = args.guess if prevalence is None else None
    label = args.label if args.exclude_labelled else None
    return {
        "guess": (guess, cells.finite_numbers),
        "label": (label, partial(cells.names_of_labels, allow_missing=True)),
        "query": (args.query, cells_and_column),
        "line": (args.score[0], _lines),
        **{f"id {name}": (name, cells.texts) for name in args.id},
        **{f"score {name}": (name, cells.scores) for name in args.score},
    }


def _csv_text(table: Mapping[str, Sequence[object]]) -> str:
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table, *zip(*table.values(), strict=True)])
    return text.getvalue()


def _warn_of_formulas(name: str, ids: list[str]) -> None:
    """Warn of ids that a spreadsheet takes for formulas. Negative numbers are harmless."""
    formulas = [text for text in ids if FORMULA_PATTERN.match(text)]
    if formulas:
        examples = first_and_more([*map(shown, dict.fromkeys(formulas))], 3)
        warnings.warn(
            f"a spreadsheet takes cells of column {printable(repr(name))} that begin with =, "
            f"+, - or @ for formulas: {examples}. Import the column as text, or its ids change",
            stacklevel=2,
        )


@dataclass(frozen=True, slots=True, eq=False)
class Lines:
    """The file and the number of each row; texts of all rows would take most of the memory."""

    place: str
    numbers: Index

    def __len__(self) -> int:
        return self.numbers.size

    def text_of(self, row: int) -> str:
        """Write the place and the number of a row."""
        return f"{self.place}{self.numbers[row]}"


def _lines(rows: cells.FileRows, name: str) -> Lines:
    """Return the lines of rows, whatever the column."""
    del name
    return Lines(rows.place, rows.numbers)


def _texts_of_rows(parts: Sequence[Lines | Column], rows: Index) -> list[str]:
    """Return the texts of some rows, in rising order, of columns that are in parts."""
    ends = np.cumsum([len(part) for part in parts])
    part_of_rows = np.searchsorted(ends, rows, "right")
    part_rows = rows - (ends - [len(part) for part in parts])[part_of_rows]
    return [
        parts[i].text_of(row)
        for i, row in zip(part_of_rows.tolist(), part_rows.tolist(), strict=True)
    ]


def _report(args: argparse.Namespace) -> Answer:
    if args.output is not None:
        refuse_pdf(args.output)  # before data are read
    predictions = read(args)
    columns = {
        name: np.asarray(segments.names)[segments.codes]
        for name, segments in predictions.segments.items()
    }
    with progress(None, "", "reporting"):
        page = report(
            predictions.y_true,
            predictions.y_scores,
            segments=columns or None,
            clusters=predictions.clusters,
            queries=predictions.queries,
            sample_weight=predictions.weight,
            prevalence=args.prevalence,
            precision=args.precision,
            confidence_level=args.confidence_level,
            source=_source(args.file),
        )
    page.call = _command(args.words)
    if args.output is None:
        return Answer(str(page))
    if is_standard_output(args.output):
        return Answer(page.to_html().rstrip("\n"))
    write_file(args.output, page.to_html())
    return Answer(f"The report is in {args.output}")


def _command(words: Sequence[str]) -> str:
    """Write the command as it was typed, with a line for each option if it is long."""
    command = shlex.join(["sklearn-ap", *words])
    if len(command) <= MOST_COMMAND_CHARACTERS:
        return command
    lines = ("\\\n    " * word.startswith("-") + shlex.quote(word) for word in words)
    return " ".join(["sklearn-ap", *lines])


def _source(files: Sequence[str]) -> str:
    """Name the files, and the day of the last change, so that equal files give equal pages."""
    names = first_and_more([os.path.basename(file) or file for file in files])
    times = [os.stat(file).st_mtime for file in files if os.path.isfile(file)]
    day = f" of {datetime.fromtimestamp(max(times)):%Y-%m-%d}" if times else ""
    return "standard input" if names == "-" else f"{names}{day}"


def _check_label_options(args: argparse.Namespace) -> None:
    if args.exclude_labelled and args.label is None:
        raise ValueError("--exclude-labelled needs --label, the column of labels")
    if args.query is None and args.definition is not None:
        raise ValueError("--definition needs --query, whose single rows are chosen")
    if args.query is not None and args.definition is None:
        raise ValueError("--query needs --definition, such as precision@10")
    if args.query is None and len(args.score) > 1:
        raise ValueError(
            "pass --score once: rows are chosen by one column. To compare models, write the mean "
            "of their scores into the file, and choose by it."
        )
    columns = [LINE_COLUMN, *args.id, PROBABILITY_COLUMN]
    if args.label is not None:
        columns.append(args.label)
    for name in columns:
        if columns.count(name) > 1:
            raise ValueError(
                f"the answer would have two columns {name!r}: --id and --label must name each "
                f"column once, and none that is called {LINE_COLUMN} or {PROBABILITY_COLUMN}"
            )


def _trec(args: argparse.Namespace) -> Answer:
    if args.judged and (args.require or args.definition):
        raise ValueError("--judged shows no score: leave out --definition and --require")
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
    if args.judged:
        return _judged_shares(args, judged_runs, all_queries)
    predictions = _drop_undefined(args, all_queries)
    definitions = definitions or trec_definitions(args.k)
    if Step() in definitions.values():
        _warn_of_ties(judged_runs, np.nan if args.without_positives == "left-out" else 0.0)
    return _score_at_gate(args, predictions, definitions, gate)


def _judged_shares(
    args: argparse.Namespace, judged_runs: retrieval.JudgedRuns, predictions: FilePredictions
) -> Answer:
    """Show the share of the first documents of each run that have a label, a column for each k."""
    shares = {f"judged@{k}": judged_runs.judged_at_k(k) for k in JUDGED_DEPTHS}
    rows: list[Row] = []
    lines = [["", *shares]]
    for name in judged_runs.systems:
        rows.append({"name": name} | {head: column[name] for head, column in shares.items()})
        lines.append([name, *(number_as_text(column[name]) for column in shares.values())])
    scores = judged_runs.y_scores
    names_irrelevant = isinstance(scores, RunScores) and scores.judged.names_irrelevant
    remarks = [] if names_irrelevant else [ONLY_PRECISION]
    return _answer(args, predictions, rows, table_as_text(Table(lines, remarks)))


def _warn_of_ties(judged_runs: retrieval.JudgedRuns, zero_division: float) -> None:
    """Warn of systems whose map changes if ties are broken as in trec_eval."""
    broken_ties = break_ties(judged_runs)
    for name in judged_runs.systems:
        shared = average_precision_score(**judged_runs[name], zero_division=zero_division)
        broken = average_precision_score(**broken_ties[name], zero_division=zero_division)
        if abs(shared - broken) > VISIBLE_CHANGE:
            warnings.warn(
                f"Documents of {printable(name)} are tied. trec_eval breaks ties by their names, "
                f"which makes map {broken:.4f} of {shared:.4f}: pass --ties trec_eval.",
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
    answer = format_answer(predictions, rows, text, args.format, findings=findings)
    return Answer(answer, _status_of(findings))


def _check_guarantee(args: argparse.Namespace) -> None:
    if args.tries is not None and not args.require:
        raise DataError(TRIES_ALONE)
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
    return point._rows(), f"{point}\n"


def _segments(args: argparse.Namespace) -> Answer:
    definitions = [*_definitions(args).values()] or [Step()]
    predictions = _read(args)
    ask = partial(
        score_segments,
        definitions=definitions,
        reference=args.reference,
        prevalence=args.prevalence,
        level=args.confidence_level,
    )
    rows, text = _ask_models(predictions, ask)
    return _answer(args, predictions, rows, text)


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
    text = str(comparison).replace('tools="all"', "--all")
    return _answer(args, predictions, comparison._rows(), text)


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
    return _answer(args, predictions, explanation._rows(), str(explanation), k)


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


def _looks(args: argparse.Namespace) -> Answer:
    options = vars(args).copy()
    del options["command"]
    return Answer(str(look_levels(**options)))


COMMANDS: dict[str | None, Callable[[argparse.Namespace], Answer]] = {
    None: lambda _: Answer(example()),
    "score": _score,
    "label": _label,
    "threshold": _threshold,
    "segments": _segments,
    "looks": _looks,
    "report": _report,
    "trec": _trec,
    "compare": _compare,
    "explain": _explain,
}
