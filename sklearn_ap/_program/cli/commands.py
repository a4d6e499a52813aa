"""What each command prints, the example of `example`, and its status."""

import argparse
import csv
import io
import re
import warnings
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from sklearn_ap import compat, retrieval
from sklearn_ap._base.extras import printable, progress
from sklearn_ap._base.files import cells
from sklearn_ap._base.files.errors import DataError, shown
from sklearn_ap._base.inputs.name_codes import encode_names
from sklearn_ap._base.text import first_and_more
from sklearn_ap._counts.counting import threshold_counts
from sklearn_ap._program.cli._file_predictions import (
    Columns,
    FilePredictions,
    cells_and_column,
    codes_in_units,
    read,
    read_columns,
    scores_of_cells,
)
from sklearn_ap._program.cli._output_file import is_standard_output, write_file
from sklearn_ap._program.cli._scores import beside_chance, of_segments, scores
from sklearn_ap._program.cli.arguments import TRY, K, share
from sklearn_ap._program.cli.output import Row, written
from sklearn_ap._program.report.page import lacking_pictures
from sklearn_ap._program.report.report import report
from sklearn_ap._questions.few_labels.plan import rows_to_label
from sklearn_ap._questions.looks.levels import look_levels
from sklearn_ap._questions.operating_points.operating_point import operating_point
from sklearn_ap._scikit_learn.scorers import get_scorer_names
from sklearn_ap._scores.definition_names import conventions, find_definition, trec_definitions
from sklearn_ap._scores.metrics import average_precision_score
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import Definition, Step
from sklearn_ap.retrieval._judged_runs import in_order_of_names

# McCann's ten images, ranked by a model that rounds its scores; 1 is an airplane, 0 a goose.
Y_TRUE = (1, 1, 0, 1, 0, 1, 0, 0, 0, 1)
Y_SCORE = (0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1)
USERS = ("ann",) * 5 + ("bob",) * 5
FILE = "user,y,p\n" + "".join(
    f"{user},{y},{p}\n" for user, y, p in zip(USERS, Y_TRUE, Y_SCORE, strict=True)
)
NEXT = f"""\
The first is what scikit-learn computes. To try the commands on these images:

{TRY}

sklearn-ap --help says more."""


def rows() -> list[tuple[str, Definition, float]]:
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    return [(each.title, each, float(each(counts)[0])) for each in conventions(k=3)]


def example() -> str:
    written = rows()
    width = max(len(title) for title, _, _ in written)
    return "\n".join(
        [
            "Ten images, best score first. Five are airplanes, the others geese:\n",
            f"  y_true  = {list(Y_TRUE)}",
            f"  y_score = {list(Y_SCORE)}",
            "\nTheir average precision, by definition:\n",
            *(f"  {value:.3f}  {title:<{width}}  {what!r}" for title, what, value in written),
            f"\n{NEXT}",
        ]
    )


LINE, CHANCE = "line", "inclusion_probability"  # columns that label writes
FORMULA = re.compile(r"(?!-(0|[1-9]\d*)(\.\d+)?(e[-+]?\d+)?$)[=+@-]", re.IGNORECASE)
SEEN = 5e-5  # what changes the fourth digit


def _score(args: argparse.Namespace) -> tuple[str, int]:
    named = _definitions(args).values() or conventions(args.k)
    definitions = {definition.title: definition for definition in named}
    predictions = _read(args)
    options = args.confidence_level, args.prevalence, args.method
    rows_and_text = scores(predictions, definitions, *options)
    return _answer(args, predictions, *rows_and_text)


def _label(args: argparse.Namespace) -> tuple[str, int]:
    _check_options_of_label(args)
    prevalence = None
    with suppress(argparse.ArgumentTypeError):
        prevalence = share(args.guess or "")
    known = args.label if args.exclude_labelled else None
    columns: Columns = {
        "guess": (args.guess if prevalence is None else None, cells.finite_numbers),
        "label": (known, partial(cells.names_of_labels, empty_hint=None)),
        "query": (args.query, cells_and_column),
        "line": (args.score[0], _lines),
        **{f"id {name}": (name, _texts) for name in args.id},
        **{f"score {name}": (name, scores_of_cells) for name in args.score},
    }
    parts = read_columns(args, columns)
    labels = [part.codes >= 0 for part in parts["label"]]
    y_scores = {
        name: cells.join_numbers(parts[f"score {name}"], f"column {name!r}") for name in args.score
    }
    plan = rows_to_label(
        y_scores[args.score[0]] if args.query is None else y_scores,
        args.n,
        queries=codes_in_units(args.query, parts["query"])[0],
        definition=Step() if args.definition is None else find_definition(args.definition, K),
        guess=np.concatenate(parts["guess"]) if parts["guess"] else prevalence,
        exclude=np.concatenate(labels) if labels else None,
        rng=args.seed,
    )
    to_fill = {} if args.label is None else {args.label: [""] * args.n}
    shown = {LINE: parts["line"]} | {name: parts[f"id {name}"] for name in args.id}
    table: dict[str, Any] = {
        name: np.concatenate(texts)[plan.rows] for name, texts in shown.items()
    }
    _warn_of_formulas({name: table[name] for name in args.id})
    table |= {CHANCE: plan.inclusion_probability[plan.rows]} | to_fill
    text = io.StringIO()
    csv.writer(text, lineterminator="\n").writerows([table, *zip(*table.values(), strict=True)])
    if args.output is None or is_standard_output(args.output):
        return text.getvalue().rstrip("\n"), 0
    write_file(args.output, text.getvalue())
    return f"{args.n:,} rows to label are in {args.output}", 0


def _warn_of_formulas(ids: dict[str, Any]) -> None:
    """Name ids that a spreadsheet computes. A negative number stays what it is."""
    for name, texts in ids.items():
        formulas = [text for text in texts if FORMULA.match(text)]
        if formulas:
            some = first_and_more([*map(shown, dict.fromkeys(formulas))], 3)
            warnings.warn(
                f"a spreadsheet takes cells of column {printable(repr(name))} that begin with =, "
                f"+, - or @ for formulas: {some}. Import the column as text, or its ids change",
                stacklevel=2,
            )


def _lines(rows: cells.FileRows, name: str) -> Any:
    del name  # of the column, which is of no matter
    return [f"{rows.place}{number}" for number in rows.numbers]


def _texts(rows: cells.FileRows, name: str) -> Any:
    return cells.names(rows, name).as_text().to_numpy()


def _report(args: argparse.Namespace) -> tuple[str, int]:
    read_rows = read(args)
    segments: Any = read_rows.segments
    with progress(None, "", "reporting"):
        page = report(
            read_rows.y_true,
            read_rows.y_scores,
            segments=segments,
            clusters=read_rows.clusters,
            queries=read_rows.queries,
            sample_weight=read_rows.weight,
            prevalence=args.prevalence,
            confidence_level=args.confidence_level,
        )
    status = _status(args, read_rows)
    if args.output is None:
        return str(page), status
    if is_standard_output(args.output):
        return page.to_html().rstrip("\n"), status
    write_file(args.output, page.to_html())
    if text := lacking_pictures():
        warnings.warn(text, stacklevel=2)
    return f"The report is in {args.output}", status


def _check_options_of_label(args: argparse.Namespace) -> None:
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
    written = [LINE, *args.id, CHANCE, *([] if args.label is None else [args.label])]
    for name in written:
        if written.count(name) > 1:
            raise ValueError(
                f"the answer would have two columns {name!r}: --id and --label must name each "
                f"column once, and none that is called {LINE} or {CHANCE}"
            )


def _trec(args: argparse.Namespace) -> tuple[str, int]:
    named = _definitions(args)
    with progress(None, "", "reading"):
        judged = retrieval.from_trec(
            args.qrels,
            *args.runs,
            relevance_level=args.relevance_level,
            unjudged=args.unjudged.replace("-", " "),
            complete=args.complete,
            ties=args.ties,
        )
    level, (queries, _) = (
        f"{args.relevance_level:g} or more",
        encode_names(judged.queries, "queries"),
    )
    found = FilePredictions(judged.y_true, judged.y_scores, None, queries, level)
    predictions, named = _with_defined(args, found), named or trec_definitions(args.k)
    if Step() in named.values():
        _warn_of_ties(judged, np.nan if args.without_positives == "left-out" else 0.0)
    return _answer(
        args, predictions, *scores(predictions, named, args.confidence_level, method=args.method)
    )


def _warn_of_ties(judged: retrieval.JudgedRuns, zero_division: float) -> None:
    """Name the systems whose map is another one if ties are broken as trec_eval breaks them."""
    ways = judged, in_order_of_names(judged)
    for name in judged.systems:
        ours, other = (
            average_precision_score(**way[name], zero_division=zero_division) for way in ways
        )
        if abs(ours - other) > SEEN:
            warnings.warn(
                f"Documents of {printable(name)} are tied. trec_eval breaks ties by their names, "
                f"which makes map {other:.4f} of {ours:.4f}: pass --ties trec_eval.",
                stacklevel=2,
            )


def _chance(args: argparse.Namespace) -> tuple[str, int]:
    named = [*_definitions(args).values()] or [Step()]
    predictions = _read(args)
    ask = partial(beside_chance, definitions=named, prevalence=args.prevalence)
    return _answer(args, predictions, *_of_each_model(predictions, ask))


def _of_each_model(
    predictions: FilePredictions, ask: Callable[[FilePredictions], tuple[list[Row], str]]
) -> tuple[list[Row], str]:
    """Rows and text of each column of scores, with its name if there are several."""
    rows: list[Row] = []
    texts = []
    several = len(predictions.y_scores) > 1
    for name, y_score in predictions.y_scores.items():
        rows_of_model, text = ask(replace(predictions, y_scores={name: y_score}))
        rows += [{"name": name} | row for row in rows_of_model] if several else rows_of_model
        texts.append(f"{printable(name)}:\n{text}" if several else text)
    return rows, "\n".join(texts)


def _threshold(args: argparse.Namespace) -> tuple[str, int]:
    predictions = read(args)
    names = ("precision", "recall", "k", "cost", "guarantee", "prevalence", "confidence_level")
    options = {name: getattr(args, name) for name in names}
    if args.cost is not None:
        false_positive, false_negative = args.cost
        options["cost"] = {"false_positive": false_positive, "false_negative": false_negative}
    rows = _of_each_model(predictions, partial(_operating_point, options=options))
    return written(predictions, *rows, args.format, None), 0


def _operating_point(
    predictions: FilePredictions, options: dict[str, Any]
) -> tuple[list[Row], str]:
    arguments = replace(predictions, clusters=None).arguments | options
    del arguments["queries"]
    point = operating_point(**arguments, clusters=predictions.clusters)
    return point.rows(), f"{point}\n"


def _segments(args: argparse.Namespace) -> tuple[str, int]:
    named = [*_definitions(args).values()] or [Step()]
    predictions = _read(args)
    ask = partial(
        of_segments,
        definitions=named,
        reference=args.reference,
        prevalence=args.prevalence,
        level=args.confidence_level,
    )
    return _answer(args, predictions, *_of_each_model(predictions, ask))


def _compare(args: argparse.Namespace) -> tuple[str, int]:
    if len(args.score) > 1 or args.runs:
        if args.near is not None:
            raise ValueError("--near asks about one number: pass --score once, and no --runs")
        return _score(args)
    predictions = _read(args)
    with progress(None, "", "comparing"):
        tools = "all" if args.all else None
        comparison = compat.compare(**predictions.arguments, tools=tools, k=args.k, near=args.near)
    text = str(comparison).replace('tools="all"', "--all")
    return _answer(args, predictions, comparison.rows(), text)


def _explain(args: argparse.Namespace) -> tuple[str, int]:
    if Path(args.tool).suffix and Path(args.tool).is_file():  # a file may have the name of a tool
        raise DataError(f"{args.tool!r} is a file, but the tool comes first: explain TOOL FILE")
    names = {"name": args.tool} | ({} if args.versus is None else {"versus": args.versus})
    k = args.k
    if k is None and any(get(name).k == "required" for name in names.values()):
        k = K
    predictions = _read(args)
    with progress(None, "", "explaining"):
        explanation = compat.explain(**names, **predictions.arguments, k=k)
    return _answer(args, predictions, explanation.rows(), str(explanation), k)


def _definitions(args: argparse.Namespace) -> dict[str, Definition]:
    return {
        name: find_definition(name, args.k, get_scorer_names()) for name in args.definition or ()
    }


def _read(args: argparse.Namespace) -> FilePredictions:
    return _with_defined(args, read(args))


def _with_defined(args: argparse.Namespace, predictions: FilePredictions) -> FilePredictions:
    """Leave out queries without positives, if that is asked for."""
    is_left_out = args.without_positives == "left-out"
    return predictions.without_undefined() if is_left_out else predictions


def _answer(
    args: argparse.Namespace,
    predictions: FilePredictions,
    rows: list[Row],
    text: str,
    k: int | None = None,
) -> tuple[str, int]:
    return written(predictions, rows, text, args.format, k), _status(args, predictions)


def _status(args: argparse.Namespace, predictions: FilePredictions) -> int:
    """1, with a warning, where average precision is not defined."""
    undefined = bool(np.isnan(predictions.zero_division(getattr(args, "prevalence", None))))
    if undefined:
        has_positives = predictions.n_undefined < predictions.n_queries
        lacking = "no ranking has both classes" if has_positives else "no row is positive"
        warnings.warn(f"{lacking}, so average precision is not defined", stacklevel=2)
    return int(undefined)


def _looks(args: argparse.Namespace) -> tuple[str, int]:
    given = vars(args).copy()
    del given["command"]
    return str(look_levels(**given)), 0


COMMANDS: dict[str | None, Callable[[argparse.Namespace], tuple[str, int]]] = {
    None: lambda _: (example(), 0),
    "example": lambda _: (FILE.rstrip(), 0),
    "score": _score,
    "label": _label,
    "chance": _chance,
    "threshold": _threshold,
    "segments": _segments,
    "looks": _looks,
    "report": _report,
    "trec": _trec,
    "compare": _compare,
    "explain": _explain,
}
