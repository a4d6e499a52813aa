"""The commands: each asks public functions about predictions, and returns their results."""

import warnings
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from functools import partial

from sklearn_ap import compat
from sklearn_ap._cli._file_report import make_page, unused_columns_as_text
from sklearn_ap._cli._gates import Finding, find_guarantee, find_models, find_worse
from sklearn_ap._cli._output import (
    Answer,
    DefinitionTable,
    as_table,
    print_answer,
    refuse_input,
    write_whole,
)
from sklearn_ap._cli._predictions import (
    Counted,
    Predictions,
    can_be_counted,
    count,
    files_of,
    read,
    read_trec,
)
from sklearn_ap._cli.arguments import TRY
from sklearn_ap._cli.example_file import Y_SCORE, Y_TRUE
from sklearn_ap._extras import printable, progress, warn
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import MARKDOWN, name_as_text, number_as_text, score_as_text
from sklearn_ap._types import Keywords
from sklearn_ap.definitions import Definition, RecallAtPrecision, Step
from sklearn_ap.definitions._conventions import (
    conventions,
    ranking_conventions,
    trec_definitions,
)
from sklearn_ap.definitions._spellings import find_definition
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.interval import Interval
from sklearn_ap.inference.operating_point import operating_point
from sklearn_ap.inference.segments import compare_segments
from sklearn_ap.metrics import average_precision_score
from sklearn_ap.scorers import get_scorer_names

CLASSES = {-1, 0, 1}
VISIBLE_CHANGE = 5e-5  # half a unit of the fourth digit
NOT_SHOWN, UNDEFINED = 3, 1  # statuses


def run(args: Namespace, words: Sequence[str]) -> tuple[str, int]:
    """Return what a command prints, and its status. ``words`` are the command as it was typed."""
    if args.command is None:
        return ten_images(), 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        answer = _answer(args, words)
        if answer.missing_class:
            warn(f"{answer.missing_class}, so average precision is not defined", UserWarning)
    found = [*{str(each.message): each.message for each in caught}.values()]
    text = print_answer(args, answer, found)
    for each in found:
        warnings.warn(each, stacklevel=2)
    if answer.missing_class:
        return text, UNDEFINED
    return text, 0 if all(finding.shown for finding in answer.required) else NOT_SHOWN


def _answer(args: Namespace, words: Sequence[str]) -> Answer:
    """Read predictions, and ask about them unless average precision is not defined."""
    definitions = Definitions(args)  # wrong names are errors before files are read
    if getattr(args, "output", None) is not None:
        refuse_input(args.output, files_of(args))
    predictions = _read(args)
    prevalence = args.prevalence if args.command == "score" else None
    if missing := predictions.missing_class(prevalence):
        reason = f"{missing[0].upper()}{missing[1:]}."
        required = [
            Finding(getattr(each, "text", each), False, reason)
            for each in getattr(args, "require", [])
        ]
        return Answer(predictions.input, required=required, missing_class=missing)
    with progress(None, "", "computing"):
        asked = words if args.command == "report" else definitions
        return COMMANDS[args.command](args, predictions, asked)


def _read(args: Namespace) -> Predictions | Counted:
    if args.command == "trec":
        return read_trec(args, args.ties)
    if args.command == "score" and can_be_counted(args):
        counted = count(args)
        # Scores that look like classes have a warning where the scores of all rows are seen.
        if not {*counted.counts.thresholds.tolist()} <= CLASSES:
            return counted
    return read(args)


class Definitions:
    """The definitions that arguments name, and those of requirements."""

    def __init__(self, args: Namespace) -> None:
        def find(name: str) -> Definition:
            return find_definition(name, args.k, get_scorer_names())

        required = getattr(args, "require", []) if "margin" in args else []
        named = [*map(find, getattr(args, "definition", None) or [])]
        self.compared = named or [Step()]
        self.scores = {each.score: find(each.score) for each in required if each.score}
        has_claims = any(not each.score for each in required)
        asked = [*named, *(self.compared if has_claims else []), *self.scores.values()]
        self.named = [*dict.fromkeys(asked)]


def _score(args: Namespace, predictions: Predictions | Counted, names: Definitions) -> Answer:
    """Score one model, or compare several with the first, under each definition."""
    options: Keywords = {
        "confidence_level": 1 - (1 - args.confidence_level) / (args.tries or 1),
        "prevalence": getattr(args, "prevalence", None),
        "n_positives": getattr(args, "n_positives", None),
        "margin": args.margin,
    }
    given = {name: value for name, value in options.items() if value is not None}
    found = _ask_each(partial(predictions.ask, given), names.named, _unnamed(args, predictions))
    results = [*found.values()]
    dicts: list[Keywords] = [result.to_dict() for result in results]
    shown: list[PrintedResult] = [*results]
    if len(predictions.names) == 1:
        shown = [DefinitionTable(results)] if len(results) > 1 else shown
        (name,) = map(name_as_text, predictions.names)
        for each in dicts:  # the row of an interval is named after its column
            each["rows"] = [{**row, "name": name} for row in each["rows"]]
    required = [*find_models(args.require, found, names.compared, names.scores)]
    return _answer_of(args, predictions, shown, required, dicts)


def _unnamed(args: Namespace, predictions: Predictions | Counted) -> list[Definition]:
    """List the definitions of an answer for which none is named."""
    if args.command == "trec":
        return [*trec_definitions(args.k).values()]
    if isinstance(predictions, Predictions) and "queries" in predictions.options:
        return conventions(args.k)
    found = ranking_conventions(args.k)  # that of one row has no interval
    return [each for each in found if not isinstance(each, RecallAtPrecision)]


def _ask_each(
    ask: Callable[[Definition], Interval | Comparison],
    named: Sequence[Definition],
    others: Sequence[Definition],
) -> dict[Definition, Interval | Comparison]:
    """Ask of each definition; those that are not named are left out if they do not go."""
    found, errors = {}, {}
    with progress(len(named or others), " definitions", "scoring") as bar:
        for definition in named or others:
            try:
                found[definition] = ask(definition)
            except ValueError as error:
                errors[definition] = error
                if named:
                    raise
            bar.update()
    if not found:
        raise next(iter(errors.values()))
    if errors:
        titles = ", ".join(definition.title for definition in errors)
        warn(
            f"left out, as they do not go with these rows and options: {titles}. Name one with "
            f"--definition for the reason",
            UserWarning,
        )
    return found


def _trec(args: Namespace, predictions: Predictions, names: Definitions) -> Answer:
    """Score runs; warn of those whose map changes if ties are broken as in trec_eval."""
    found = _score(args, predictions, names)
    if args.ties == "shared" and Step() in (names.named or [Step()]):
        broken = read_trec(args, ties="trec_eval")
        for name, y_score in predictions.y_scores.items():
            shared, other = (
                average_precision_score(y_true, scores, queries=queries, zero_division=0.0)
                for y_true, scores, queries in (
                    (predictions.y_true, y_score, predictions.options["queries"]),
                    (broken.y_true, broken.y_scores[name], broken.options["queries"]),
                )
            )
            if abs(shared - other) > VISIBLE_CHANGE:
                warn(
                    f"Documents of {printable(name)} are tied. trec_eval breaks ties by their "
                    f"names, which makes map {number_as_text(other, 4)} of "
                    f"{number_as_text(shared, 4)}: pass --ties trec_eval.",
                    UserWarning,
                )
    return found


def _threshold(args: Namespace, predictions: Predictions, _: Definitions) -> Answer:
    """Choose a threshold for each model."""
    goal = {name: getattr(args, name) for name in ("precision", "recall", "k", "prevalence")}
    if args.cost is not None:
        goal["cost"] = dict(zip(("false_positive", "false_negative"), args.cost, strict=True))
    if args.guarantee is not None:
        goal["guarantee"] = 1 - (1 - args.guarantee) / (args.tries or 1)
    options = {**goal, "confidence_level": args.confidence_level, **predictions.options}
    points = {
        name: operating_point(predictions.y_true, y_score, **options)
        for name, y_score in predictions.y_scores.items()
    }
    required = [find_guarantee(points)] * bool(args.require)
    dicts = [{"model": name, **point.to_dict()} for name, point in points.items()]
    return _answer_of(args, predictions, [*points.values()], required, dicts, [*points])


def _segments(args: Namespace, predictions: Predictions, names: Definitions) -> Answer:
    """Compare segments under each definition."""
    (y_score,), (column,) = predictions.y_scores.values(), predictions.segments.values()
    comparisons = [
        compare_segments(
            predictions.y_true,
            y_score,
            column.values,
            definition=definition,
            reference=args.reference,
            prevalence=args.prevalence,
            confidence_level=1 - (1 - args.confidence_level) / (args.tries or 1),
            **predictions.options,
        )
        for definition in names.compared
    ]
    required = [
        find_worse(claim, comparisons, are_times=column.are_times) for claim in args.require
    ]
    return _answer_of(args, predictions, comparisons, required)


def _tools(args: Namespace, predictions: Predictions, _: Definitions) -> Answer:
    """Compare what tools compute."""
    (y_score,) = predictions.y_scores.values()
    options = {"tools": "all" if args.all else None, "k": args.k, "near": args.near}
    table = compat.compare(predictions.y_true, y_score, **options, **predictions.options)
    return _answer_of(args, predictions, [table])


def _explain(args: Namespace, predictions: Predictions, _: Definitions) -> Answer:
    """Explain why two tools differ."""
    (y_score,) = predictions.y_scores.values()
    options: Keywords = {} if args.versus is None else {"versus": args.versus}
    given = {"k": args.k, **options, **predictions.options}
    explanation = compat.explain(args.tool, predictions.y_true, y_score, **given)
    return _answer_of(args, predictions, [explanation])


def _answer_of(
    args: Namespace,
    predictions: Predictions | Counted,
    results: Sequence[PrintedResult],
    required: Sequence[Finding] = (),
    dicts: Sequence[Keywords] | None = None,
    models: Sequence[str] = (),
) -> Answer:
    """Collect an answer; several models have their names above their results."""
    names = [
        f"{name_as_text(name)}:\n" * (len(models) > 1) for name in models or [""] * len(results)
    ]
    texts = [f"{name}{result}" for name, result in zip(names, results, strict=True)]
    tables = [
        f"{name.translate(MARKDOWN)}{as_table(result)}"
        for name, result in zip(names, results, strict=True)
    ]
    if args.command in ("score", "threshold"):
        texts += unused_columns_as_text(args)
    return Answer(
        input=predictions.input,
        results=[result.to_dict() for result in results] if dicts is None else dicts,
        texts=texts,
        tables=tables,
        required=required,
        notes=predictions.notes,
    )


def _report(args: Namespace, predictions: Predictions, words: Sequence[str]) -> Answer:
    """Make a page, and write it if it has a place."""
    page = make_page(args, predictions, words)
    text = str(page)
    if args.output is not None:
        text = f"The report is in {args.output}"
        write_whole(args.output, page.to_html())
    notes = predictions.notes
    return Answer(predictions.input, [page.to_dict()], [text], [page.to_markdown()], notes=notes)


COMMANDS: Mapping[str, Callable[..., Answer]] = {
    "score": _score,
    "trec": _trec,
    "threshold": _threshold,
    "segments": _segments,
    "tools": _tools,
    "explain": _explain,
    "report": _report,
}


def ten_images() -> str:
    """Write ten images, and their scores by definition."""
    definitions = ranking_conventions(k=3)
    width = max(len(definition.title) for definition in definitions)
    lines = [
        f"  {score_as_text(average_precision_score(Y_TRUE, Y_SCORE, definition=each), 3)}  "
        f"{each.title:<{width}}  {each!r}"
        for each in definitions
    ]
    return "\n".join(
        [
            "Ten images, best score first. Five are airplanes, the others geese:\n",
            f"  y_true  = {[*Y_TRUE]}",
            f"  y_score = {[*Y_SCORE]}",
            "\nTheir average precision, by definition:\n",
            *lines,
            "\nThe first is what scikit-learn computes. To try the commands on these images:\n",
            TRY,
            "\nsklearn-ap --help says more.",
        ]
    )
