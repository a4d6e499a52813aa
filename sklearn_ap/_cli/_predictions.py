"""Predictions read from files: which rows are positive, their scores, and what else flags name."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

import numpy as np

import sklearn_ap as ap
from sklearn_ap import retrieval
from sklearn_ap._cli._counted import CountedPredictions, count_predictions
from sklearn_ap._cli._labels_and_names import NameColumn, column_and_unit, read_labels, read_names
from sklearn_ap._cli._unused_columns import find_unused_columns
from sklearn_ap._cli.arguments import PERIODS
from sklearn_ap._errors import InputError
from sklearn_ap._extras import show_progress
from sklearn_ap._files.cells import read_numbers
from sklearn_ap._files.formats import CsvRules
from sklearn_ap._files.sources import DataError, NoColumnError, can_be_read_again, find_files
from sklearn_ap._files.tables import FileRows, read_files
from sklearn_ap._report.not_used import NotUsed
from sklearn_ap._types import Argument, Array, Json
from sklearn_ap._writing.text import count_as_text

Answer = TypeVar("Answer")
# Options of ``score`` whose answer the counts of a model do not tell
ROWS_ARE_FOR = {
    "weight": "--weight",
    "query": "--query",
    "cluster": "--cluster",
    "n_positives": "--n-positives",
    "inclusion_probability": "--inclusion-probability",
    "without_positives": "--without-positives",
    "time": "--time",
}
MANY_BYTES = 100 * 2**20  # of files, from which memory is spoken of
BYTES_OF_ROW = 80  # in memory


@dataclass(frozen=True, eq=False)
class Predictions:
    """Labels, which are nan where nobody looked, scores by model, and options by their names."""

    y_true: Array
    y_scores: dict[str, Array]
    positive_label: str
    # With a value for each row, but for inclusion_probability="equal"
    options: dict[str, Array | str]
    segments: dict[str, NameColumn] = field(default_factory=dict)  # by what the user typed
    n_left_out: int = 0
    notes: Sequence[str] = ()  # what becomes of queries without positives
    not_used: NotUsed | None = None  # columns of the file

    @property
    def models(self) -> list[str]:
        """The names of the models."""
        return [*self.y_scores]

    @property
    def has_positives(self) -> bool:
        """Whether a score is defined."""
        return bool(((self.y_true == 1) & (self.weights > 0)).any())

    def score(self, **options: Argument) -> ap.Interval | ap.Comparison:
        """Score one model, or compare several with the first."""
        if len(self.y_scores) > 1:
            return self.ask(ap.compare_average_precision, **options)
        return self.ask(ap.average_precision_interval, **options)

    def ask(self, function: Callable[..., Answer], **options: Argument) -> Answer:
        """Ask a public function about the model, or the models."""
        models = self.y_scores if len(self.y_scores) > 1 else next(iter(self.y_scores.values()))
        return function(self.y_true, models, **self.options, **options)

    @property
    def weights(self) -> Array:
        """The weight of each row."""
        return np.asarray(self.options.get("sample_weight", np.ones(self.y_true.size)))

    @property
    def input(self) -> dict[str, Json]:
        """What was read, for JSON."""
        queries = self.options.get("queries")
        return {
            "models": [*self.models],
            "rows": self.y_true.size,
            "positives": int(np.count_nonzero(self.y_true == 1)),
            "positive_label": self.positive_label,
            "labelled": int(np.count_nonzero(self.y_true == self.y_true)),
            "queries": None if queries is None else len(np.unique(queries)),
            "left_out_without_positives": self.n_left_out,
            "not_used": self.not_used.to_dict()["columns"] if self.not_used else [],
        }


def read_predictions(args: Namespace) -> Predictions | CountedPredictions:
    """Read what the flags name; queries without positives are left out, or a note counts them."""
    if args.command == "trec":
        return _count_or_leave_out(_read_trec(args), args.without_positives)
    try:
        return _read_columns(args)
    except NoColumnError as error:
        if not any("," in name for name in [*args.score, *args.segment]):
            raise
        raise NoColumnError(
            f"{error}; repeat an option, as --score, for each of its columns"
        ) from error


def _read_columns(args: Namespace) -> Predictions | CountedPredictions:
    """Read the columns that flags name, or count the rows of one model."""
    files = [file for path in args.file for file in find_files(path)]
    need = _need_of_rows(args, files)
    if not need:
        counted = count_predictions(_FileBatches(args), args.label, args.positive, args.score[0])
        n_rows = int(counted.counts.n_rows.item())
        return replace(counted, not_used=find_unused_columns(args, _rules_of(args), n_rows))
    n_bytes = sum(map(os.path.getsize, filter(os.path.isfile, files)))
    if n_bytes >= MANY_BYTES:
        print(
            f"sklearn-ap: note: {need}, so the named columns are read into memory, up to "
            f"{BYTES_OF_ROW} bytes a row",
            file=sys.stderr,
            flush=True,
        )
    return _count_or_leave_out(_read_named_columns(args), args.without_positives)


def _need_of_rows(args: Namespace, files: Sequence[str]) -> str:
    """Say what needs all rows in memory; "" if the counts of two passes are enough."""
    if args.command != "score":
        return f"{args.command} needs all rows"
    for name, typed in ROWS_ARE_FOR.items():
        if getattr(args, name) is not None:
            return f"{typed} needs all rows"
    if len(args.score) > 1:
        return "a comparison of models needs all rows"
    if not all(map(can_be_read_again, files)):
        return "a pipe can be read only once"
    return ""


@dataclass(frozen=True)
class _FileBatches:
    """The rows of the columns of one model, which are read anew each time."""

    args: Namespace

    def __iter__(self) -> Iterator[FileRows]:
        columns = [self.args.label, *self.args.score]
        return read_files(self.args.file, columns, _rules_of(self.args))


def _rules_of(args: Namespace) -> CsvRules:
    if args.delimiter and (len(args.delimiter) != 1 or args.delimiter in '"\r\n'):
        raise InputError(f"--delimiter must be one letter, such as ; or |, got {args.delimiter!r}")
    return CsvRules(args.delimiter, args.decimal or ".")


def _read_named_columns(args: Namespace) -> Predictions:
    probability = args.inclusion_probability
    probability_column = None if probability == "equal" else probability
    if len({*args.score}) < len(args.score):
        raise InputError("--score names a column twice: each model needs a column of its own")
    numbers = [*filter(None, [*args.score, args.weight, probability_column])]
    named = {"queries": args.query, "clusters": args.cluster}
    segments = [*args.segment, *filter(None, [args.time])]
    names = [*filter(None, named.values()), *segments]
    columns = [args.label, *numbers, *(column_and_unit(name)[0] for name in names)]
    rules = _rules_of(args)
    try:
        read = read_files(args.file, columns, rules)
        batches = [*show_progress(read, None, " parts")]
    except DataError as error:
        if not any(":" in name and not column_and_unit(name)[1] for name in names):
            raise
        raise type(error)(f"{error}; units of dates are {PERIODS}") from error
    may_be_missing = probability is not None
    labels = read_labels(batches, args.label, args.positive, may_be_missing=may_be_missing)
    options: dict[str, Array | str] = {
        option: read_names(batches, name).codes for option, name in named.items() if name
    }
    if args.weight:
        weights = read_numbers(batches, args.weight, finite=True, least=0)
        if not weights.any():
            raise InputError(f"--weight {args.weight!r} is 0 in every row, so no row counts")
        options["sample_weight"] = weights
    if probability_column:
        probability = read_numbers(batches, probability_column, finite=True, may_be_missing=True)
    if may_be_missing:
        options["inclusion_probability"] = probability
    return Predictions(
        y_true=labels.y_true,
        y_scores={name: read_numbers(batches, name) for name in args.score},
        positive_label=labels.positive_label,
        options=options,
        segments={name: read_names(batches, name) for name in segments},
        not_used=find_unused_columns(args, rules, labels.y_true.size),
    )


def _read_trec(args: Namespace) -> Predictions:
    level = 1 if args.relevance_level is None else args.relevance_level
    judged = retrieval.from_runs(
        args.qrels,
        args.runs,
        relevance_level=level,
        unjudged="left out" if args.judged_only else "negative",
        complete=args.complete,
        ties=args.ties or "shared",
    )
    options: dict[str, Array | str] = {"queries": judged.queries}
    return Predictions(judged.y_true, judged.y_scores, f"{level:g} or more", options)


def _count_or_leave_out(predictions: Predictions, without_positives: str | None) -> Predictions:
    """Leave out queries without positives, or say that they count 0.

    No score leaves queries out in the same way: without positives, precision at k is 0.
    """
    y_true, options = predictions.y_true, predictions.options
    if without_positives and ("queries" not in options or "inclusion_probability" in options):
        raise InputError("--without-positives needs --query, and no --inclusion-probability")
    if "queries" not in options:
        return predictions
    queries = np.asarray(options["queries"])
    has_weight = predictions.weights > 0
    kept = np.isin(queries, queries[has_weight & (y_true != 0)])  # nan is not known
    n_queries = len(np.unique(queries[has_weight & ~kept]))
    if not n_queries:
        return predictions
    text = f"{count_as_text(n_queries, 'query')} without positives"
    if without_positives != "left-out":
        return replace(predictions, notes=[f"{text}: counted as 0."])
    return replace(
        predictions,
        y_true=y_true[kept],
        y_scores={name: y_score[kept] for name, y_score in predictions.y_scores.items()},
        options={name: np.asarray(values)[kept] for name, values in options.items()},
        n_left_out=n_queries,
        notes=[f"{text}: left out."],
    )
