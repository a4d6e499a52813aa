"""The commands: each reads predictions, asks public functions, and returns their results."""

import warnings
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from math import nan
from textwrap import fill

import sklearn_ap as ap
from sklearn_ap._cli._file_report import find_unused_columns, make_page
from sklearn_ap._cli._gates import (
    Finding,
    claim_of_models,
    claim_of_segments,
    guarantee_of,
    least_score,
)
from sklearn_ap._cli._output import (
    CommandAnswer,
    DefinitionTable,
    check_output,
    print_answer,
    shown,
    write_whole,
)
from sklearn_ap._cli._predictions import (
    Counted,
    Predictions,
    UndefinedError,
    can_be_counted,
    count,
    files_of,
    read,
)
from sklearn_ap._cli.arguments import TRY
from sklearn_ap._cli.example_file import Y_SCORE, Y_TRUE
from sklearn_ap._extras import progress, warn
from sklearn_ap._report.facts import NotLookedAt
from sklearn_ap._report.page import refuse_pdf
from sklearn_ap._report.words import fact_sentence
from sklearn_ap._results.result import PrintedResult
from sklearn_ap._results.text import MARKDOWN, TEXT_WIDTH, name_as_text, score_as_text
from sklearn_ap._types import Keywords
from sklearn_ap.definitions._conventions import (
    conventions,
    ranking_conventions,
    trec_conventions,
)
from sklearn_ap.definitions._spellings import find_definition

NOT_SHOWN, UNDEFINED = 3, 1  # statuses

Definition = ap.definitions.Definition
Ask = Callable[[Definition], ap.Interval | ap.Comparison]


def run(args: Namespace) -> tuple[str, int, list[Warning]]:
    """Return what a command prints, its status, and its warnings."""
    if args.command is None:
        return ten_images(), 0, []
    status = 0
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        try:
            answer = COMMANDS[args.command](args)
        except UndefinedError as error:
            required = [getattr(each, "text", each) for each in getattr(args, "require", [])]
            findings = [Finding(each, False, "No row is positive.") for each in required]
            answer, status = CommandAnswer(error.input, required=findings), UNDEFINED
            warn(str(error), UserWarning)
    if not status and not all(finding.shown for finding in answer.required):
        status = NOT_SHOWN
    found = {str(each.message): each.message for each in caught}  # each text once
    warned = [each for each in found.values() if isinstance(each, Warning)]
    return print_answer(args, answer, warned), status, warned


# ---- scores of one model, and comparisons of several


def _score(args: Namespace) -> CommandAnswer:
    """Score one model, or compare several with the first, under each definition."""
    compared = [_find(args, name) for name in args.definition] or [ap.definitions.Step()]
    scores = [_find(args, each.score) for each in args.require if each.score]
    has_claims = any(not each.score for each in args.require)
    named = [*(compared if args.definition or has_claims else []), *scores]
    predictions = count(args) if can_be_counted(args) else read(args)
    found = _ask_each(_question(args, predictions), named, _unnamed(args, predictions))
    comparisons = [each for of in compared if isinstance(each := found.get(of), ap.Comparison)]
    required = [
        least_score(each, found[_find(args, each.score)], of_new_models=has_claims)
        if each.score
        else claim_of_models(each.text, comparisons)
        for each in args.require
    ]
    results = [*found.values()]
    answer = _answer(args, predictions, results, required)
    if len(predictions.names) == 1:
        (name,) = map(name_as_text, predictions.names)
        for result in answer.results:  # the row of an interval is named after its column
            result["rows"][0]["name"] = name
        if len(results) > 1:
            answer = replace(answer, texts=[shown(DefinitionTable(results), args)])
    return answer if args.command == "trec" else _with_unused_columns(args, answer)


def _find(args: Namespace, name: str) -> Definition:
    return find_definition(name, args.k, ap.get_scorer_names())


def _question(args: Namespace, predictions: Predictions | Counted) -> Ask:
    """Return the function that answers for a definition."""
    given = {
        "confidence_level": _level(args.confidence_level, args),
        "prevalence": getattr(args, "prevalence", None),
        "n_positives": getattr(args, "n_positives", None),
        "zero_division": 0.0 if "queries" in predictions.options else nan,
        "margin": args.margin,
        **predictions.options,
    }
    options = {name: value for name, value in given.items() if value is not None}
    if isinstance(predictions, Counted):
        return lambda each: ap.Interval.from_counts(predictions.counts, definition=each, **options)
    y_true, models = predictions.y_true, predictions.y_scores
    if len(models) > 1:
        return lambda each: ap.compare_average_precision(y_true, models, definition=each, **options)
    (y_score,) = models.values()
    return lambda each: ap.average_precision_interval(y_true, y_score, definition=each, **options)


def _level(level: float, args: Namespace) -> float:
    """Divide the error by the number of tries."""
    return level if args.tries is None else 1 - (1 - level) / args.tries


def _unnamed(args: Namespace, predictions: Predictions | Counted) -> list[Definition]:
    """List the definitions of an answer for which none is named."""
    if args.command == "trec":
        return trec_conventions(args.k)
    if "queries" in predictions.options:
        return conventions(args.k)
    found = ranking_conventions(args.k)  # that of one row has no interval
    return [each for each in found if not isinstance(each, ap.definitions.RecallAtPrecision)]


def _ask_each(
    ask: Ask, named: Sequence[Definition], others: Sequence[Definition]
) -> dict[Definition, ap.Interval | ap.Comparison]:
    """Ask of each definition; those that are not named are left out if they do not go."""
    found, errors = {}, {}
    asked = [*dict.fromkeys(named or others)]
    with progress(len(asked), " definitions", "scoring") as bar:
        for definition in asked:
            try:
                found[definition] = ask(definition)
            except ValueError as error:
                errors[definition.title] = error
                if named:
                    raise
            bar.update()
    if not found:
        raise next(iter(errors.values()))
    if errors:
        warn(
            f"left out, as they do not go with these rows and options: {', '.join(errors)}. Name "
            f"one with --definition for the reason",
            UserWarning,
        )
    return found


# ---- the other commands


def _threshold(args: Namespace) -> CommandAnswer:
    """Choose a threshold for each model."""
    predictions = read(args)
    goal = {name: getattr(args, name) for name in ("precision", "recall", "k", "prevalence")}
    if args.cost is not None:
        goal["cost"] = dict(zip(("false_positive", "false_negative"), args.cost, strict=True))
    if args.guarantee is not None:
        goal["guarantee"] = _level(args.guarantee, args)
    options = {**goal, "confidence_level": args.confidence_level, **predictions.options}
    points = {
        name: ap.operating_point(predictions.y_true, y_score, **options)
        for name, y_score in predictions.y_scores.items()
    }
    required = [guarantee_of(points)] if args.require else []
    answer = _answer(args, predictions, [*points.values()], required)
    dicts = [{"model": name, **result} for name, result in zip(points, answer.results, strict=True)]
    answer = replace(answer, results=dicts)
    if len(points) > 1:
        escaped = MARKDOWN if args.format == "markdown" else {}
        names = (name_as_text(name).translate(escaped) for name in points)
        texts = [f"{name}:\n{text}" for name, text in zip(names, answer.texts, strict=True)]
        answer = replace(answer, texts=texts)
    return _with_unused_columns(args, answer)


def _segments(args: Namespace) -> CommandAnswer:
    """Compare segments under each definition."""
    definitions = [_find(args, name) for name in args.definition] or [ap.definitions.Step()]
    predictions = read(args)
    (y_score,), (column,) = predictions.y_scores.values(), predictions.segments.values()
    segments, notes = column.as_segments(predictions.y_true)
    options = {
        "reference": args.reference,
        "prevalence": args.prevalence,
        "confidence_level": _level(args.confidence_level, args),
        **predictions.options,
    }
    comparisons = [
        ap.compare_segments(predictions.y_true, y_score, segments, definition=each, **options)
        for each in definitions
    ]
    are_times = column.dates is not None
    required = [
        claim_of_segments(claim, comparisons, are_times=are_times) for claim in args.require
    ]
    answer = _answer(args, predictions, comparisons, required)
    return _with_unused_columns(args, replace(answer, notes=[*notes, *answer.notes]))


def _tools(args: Namespace) -> CommandAnswer:
    """Compare what tools compute."""
    predictions = read(args)
    (y_score,) = predictions.y_scores.values()
    options = {"tools": "all" if args.all else None, "k": args.k, "near": args.near}
    table = ap.compat.compare(predictions.y_true, y_score, **options, **predictions.options)
    return _answer(args, predictions, [table])


def _explain(args: Namespace) -> CommandAnswer:
    """Explain why two tools differ."""
    predictions = read(args)
    (y_score,) = predictions.y_scores.values()
    given: Keywords = {} if args.versus is None else {"versus": args.versus}
    options = {"k": args.k, **given, **predictions.options}
    explanation = ap.compat.explain(args.tool, predictions.y_true, y_score, **options)
    return _answer(args, predictions, [explanation])


def _answer(
    args: Namespace,
    predictions: Predictions | Counted,
    results: Sequence[PrintedResult],
    required: Sequence[Finding] = (),
) -> CommandAnswer:
    dicts = [result.to_dict() for result in results]
    texts = [shown(result, args) for result in results]
    return CommandAnswer(predictions.input, dicts, texts, required, predictions.notes)


def _with_unused_columns(args: Namespace, answer: CommandAnswer) -> CommandAnswer:
    """Name the columns of the files that a text says nothing of, if there are any."""
    unused = find_unused_columns(args) if args.format == "text" else ()
    if not unused:
        return answer
    text = fact_sentence(NotLookedAt(unused, takes_segments=False))
    return replace(answer, texts=[*answer.texts, fill(text, TEXT_WIDTH, break_on_hyphens=False)])


def _report(args: Namespace) -> CommandAnswer:
    """Make a page, and write it if it has a place."""
    if args.output is not None:
        refuse_pdf(args.output)
        check_output(args.output, files_of(args))
    predictions = read(args)
    page = make_page(args, predictions)
    text = page.to_markdown() if args.format == "markdown" else str(page)
    if args.output is not None:
        text = f"The report is in {args.output}"
        write_whole(args.output, page.to_html())
    return CommandAnswer(predictions.input, [page.to_dict()], [text], notes=predictions.notes)


COMMANDS: Mapping[str, Callable[[Namespace], CommandAnswer]] = {
    "score": _score,
    "trec": _score,
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
        f"  {score_as_text(ap.average_precision_score(Y_TRUE, Y_SCORE, definition=each), 3)}  "
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
