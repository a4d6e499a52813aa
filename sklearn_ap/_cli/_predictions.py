"""Predictions read from files: which rows are positive, their scores, and options of functions."""

import inspect
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sklearn_ap import retrieval
from sklearn_ap._cli._labels_and_names import NameColumn, column_and_unit, read_labels, read_names
from sklearn_ap._files.columns import read_numbers
from sklearn_ap._files.progress import progress
from sklearn_ap._files.tables import FileRows, read_files
from sklearn_ap._results.text import count_as_text
from sklearn_ap._types import Argument, Array, Bool, Keywords


class UndefinedError(Exception):
    """No row is positive, so that average precision is not defined."""

    def __init__(self, found: Keywords) -> None:
        super().__init__("no row is positive, so average precision is not defined")
        self.input = found


@dataclass(frozen=True, eq=False)
class Predictions:
    """Labels, which are nan where nobody looked, scores by model, and options by their names."""

    y_true: Array
    y_scores: dict[str, Array]
    positive: str
    options: Keywords
    segments: dict[str, NameColumn] = field(default_factory=dict)  # by what the user typed
    n_left_out: int = 0
    notes: Sequence[str] = ()  # what becomes of queries without positives

    def ask(self, function: Callable[..., Argument], args: Namespace, **own: Argument) -> Argument:
        """Ask a public function about the model, or the models, with what flags and columns say."""
        several = len(self.y_scores) > 1
        y_score = self.y_scores if several else next(iter(self.y_scores.values()))
        options = options_of(function, args) | self.options | own
        return function(self.y_true, y_score, **options)

    @property
    def input(self) -> Keywords:
        """What was read, for JSON."""
        queries = self.options.get("queries")
        return {
            "models": [*self.y_scores],
            "rows": self.y_true.size,
            "positives": int(np.count_nonzero(self.y_true == 1)),
            "positive_label": self.positive,
            "labelled": int(np.count_nonzero(self.y_true == self.y_true)),
            "queries": None if queries is None else len(np.unique(queries)),
            "queries_left_out": self.n_left_out,
        }


def read(args: Namespace) -> Predictions:
    """Read the columns that the arguments name, or the files of TREC."""
    found = _read_trec(args) if args.command == "trec" else _read_columns(args)
    has_weight = found.options.get("sample_weight", 1) > 0
    if not (has_weight & (found.y_true == 1)).any():
        raise UndefinedError(found.input)
    if "queries" not in found.options:
        return found
    may_be_positive = has_weight & (found.y_true != 0)  # nan is not known
    leaves_out = getattr(args, "without_positives", "zero") == "left-out"
    return _treat_queries(found, may_be_positive, leaves_out=leaves_out)


def _treat_queries(found: Predictions, may_be_positive: Bool, *, leaves_out: bool) -> Predictions:
    """Leave out queries without positives, or say that they count 0.

    No score leaves them out in the same way: without positives, precision at k is 0.
    """
    queries = found.options["queries"]
    kept = np.isin(queries, queries[may_be_positive])
    if kept.all():
        return found
    n = len(np.unique(queries[~kept]))
    text = f"{count_as_text(n, 'query')} without positives"
    if not leaves_out:
        return replace(found, notes=[f"{text}: counted as 0."])
    return replace(
        found,
        y_true=found.y_true[kept],
        y_scores={name: scores[kept] for name, scores in found.y_scores.items()},
        options={name: values[kept] for name, values in found.options.items()},
        n_left_out=n,
        notes=[f"{text}: left out."],
    )


def _read_columns(args: Namespace) -> Predictions:
    inclusion = getattr(args, "inclusion_probability", None)
    roles = {"queries": getattr(args, "query", None), "clusters": getattr(args, "cluster", None)}
    named = {role: typed for role, typed in roles.items() if typed}
    segments = getattr(args, "segment", None) or []
    column = None if inclusion == "equal" else inclusion
    columns = [args.label, *args.score, args.weight, column]
    batches = [*_read_batches(args, [*filter(None, columns)], [*named.values(), *segments])]
    may_be_missing = inclusion is not None
    labels = read_labels(batches, args.label, args.positive, may_be_missing=may_be_missing)
    options = {
        "sample_weight": args.weight and read_numbers(batches, args.weight, finite=True, least=0),
        **{role: read_names(batches, typed).groups for role, typed in named.items()},
        "inclusion_probability": inclusion
        if column is None
        else read_numbers(batches, column, finite=True, may_be_missing=True),
    }
    return Predictions(
        y_true=labels.y_true,
        y_scores={name: read_numbers(batches, name) for name in args.score},
        positive=labels.positive,
        options={name: values for name, values in options.items() if values is not None},
        segments={name: read_names(batches, name) for name in segments},
    )


def _read_trec(args: Namespace) -> Predictions:
    judged = retrieval.from_trec(
        args.qrels,
        *args.runs,
        relevance_level=args.relevance_level,
        unjudged="left out" if args.judged_only else "negative",
        complete=args.complete,
        ties=args.ties,
    )
    positive = f"{args.relevance_level:g} or more"
    options = {"queries": judged.queries}
    return Predictions(judged.y_true, judged.y_scores, positive, options)


def options_of(function: Callable[..., object], args: Namespace) -> Keywords:
    """Return the options of a public function: what flags of their names say."""
    known = inspect.signature(function).parameters
    return {
        name: value for name, value in vars(args).items() if name in known and value is not None
    }


def _read_batches(
    args: Namespace, columns: Sequence[str], dated: Sequence[str] = ()
) -> Iterator[FileRows]:
    """Read columns; of "ts:day", the column "ts" unless one has the whole name."""

    def choose(header: Sequence[str]) -> list[str]:
        return [*columns, *(column_and_unit(name, header)[0] for name in dated)]

    with progress(None, " rows", "reading") as advance:
        for rows in read_files(args.file, choose, args.delimiter, args.decimal):
            yield rows
            advance(len(rows))
