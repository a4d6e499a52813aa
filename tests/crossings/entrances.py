"""Every entrance: a function from a case to a number, and the options that it takes."""

import contextlib
import inspect
import io
import json
import linecache
import re
import tempfile
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import sklearn
from cases import Case, plain
from full_reference import operating_point
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

import sklearn_ap
from sklearn_ap import compat, definitions, large, retrieval
from sklearn_ap.__main__ import main

PACKAGE = Path(sklearn_ap.__file__).parent
FOLDER = tempfile.TemporaryDirectory(prefix="crossings")
EVERYWHERE = frozenset({"rows", "queries", "columns", "classes"})
ONE, NAMED = frozenset({"rows"}), frozenset({"rows", "queries"})
OPTIONS = frozenset(
    {"average", "pos_label", "labels", "sample_weight", "queries", "n_positives", "prevalence"}
) | {"zero_division"}
NEEDED = {"queries", "labels", "pos_label"}  # labels say nothing without them
OF_COUNTS = frozenset({"average", "zero_division", "prevalence"})


def always(case):
    return True


@dataclass(frozen=True)
class Entrance:
    """A call, the public names that it goes through, and what it takes."""

    names: tuple[str, ...]
    call: Callable[[Case], Any]
    options: frozenset[str] = OPTIONS
    kinds: frozenset[str] = EVERYWHERE
    fits: Callable[[Case], bool] = always
    expected: Callable[[Case], Any] = Case.exact
    refusals: dict[str, str] = field(default_factory=dict)  # what a text holds, and the reason
    tolerance: float = 1e-12
    one_of: int = 1  # how many seeds there are for one that is tried, as some calls are slow
    definition: tuple[str, dict[str, Any]] | None = None  # the only one

    def part_of(self, case):
        """The case without what the entrance does not take; None if nothing is left."""
        dropped = {*case.options} - self.options
        if case.kind not in self.kinds or case.seed % self.one_of or dropped & NEEDED:
            return None
        if dropped:
            case = case.without(*dropped)
        if self.definition not in (None, case.definition):
            case = replace(case, definition=self.definition, known={})
        return case if self.fits(case) else None


def definition_of(case):
    name, options = case.definition
    return getattr(definitions, name)(**options)


def parameters_of(name):
    thing = sklearn_ap
    for part in name.split("."):
        thing = getattr(thing, part)
    return inspect.signature(thing).parameters


# ---- scores and scorers


def score(case):
    return sklearn_ap.average_precision_score(
        case.y_true, case.y_score, definition=definition_of(case), **case.options
    )


def named(name, kind, **fixed):
    """A score whose definition has these options, all others being arguments of the score."""

    def call(case):
        own = {key: value for key, value in case.definition[1].items() if key not in fixed}
        return getattr(sklearn_ap, name)(case.y_true, case.y_score, **own, **case.options)

    def fits(case):
        options = case.definition[1]
        return case.definition[0] == kind and fixed.items() <= options.items()

    return Entrance((name,), call, OPTIONS & {*parameters_of(name)}, fits=fits)


class Scores(RegressorMixin, BaseEstimator):
    """A model whose predictions are in its one column, or in its columns."""

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X[:, 0] if X.shape[1] == 1 else X


def scored(case, make, model=None):
    """Through a scorer: weights and queries are passed at the call, other options before it."""
    at_call = {k: v for k, v in case.options.items() if k in ("sample_weight", "queries")}
    before = case.without(*at_call).options
    X = np.asarray(case.y_score, dtype=float).reshape(len(case.y_true), -1)
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = make(definition_of(case), "queries" in at_call, before)
        return scorer(model or Scores(), X, case.y_true, **at_call)


class Classifier(ClassifierMixin, Scores):
    """A model of sorted classes, whose columns are scores, and which knows a class that y lacks."""

    def __init__(self, y, options):
        positive, listed = options.get("pos_label", 1), options.get("labels")
        self.columns_ = np.unique(y) if listed is None else np.asarray(listed)
        if self.columns_.size < 3:
            others = np.setdiff1d(y, [positive])
            self.columns_ = np.append(others if others.size else [type(positive)()], positive)
        self.order_ = np.argsort(self.columns_)
        self.classes_ = self.columns_[self.order_]

    def predict_proba(self, X):
        both = np.column_stack([-X, X]) if X.shape[1] == 1 else X
        return both[:, self.order_]


def scored_by_classes(case):
    """Through the scorer of a model whose classes are sorted, unlike ``labels``."""

    def make(definition, by_query, options):
        options = {"response_method": "predict_proba", "by_query": by_query} | options
        return sklearn_ap.make_ranking_scorer(definition, **options)

    return scored(case, make, Classifier(case.y_true, case.options))


def by_maker(definition, by_query, options):
    made = sklearn_ap.make_ranking_scorer
    return made(definition, response_method="predict", by_query=by_query, **options)


def by_name(definition, by_query, options):
    name = {
        "Step": "average_precision",
        "AtK": f"average_precision_at_{definition.depth}",
        "PrecisionAtK": f"precision_at_{definition.depth}",
        "RecallAtK": f"recall_at_{definition.depth}",
        "RecallAtPrecision": f"recall_at_precision_{getattr(definition, 'precision', 0):g}",
        "PrecisionAtRecall": f"precision_at_recall_{getattr(definition, 'recall', 0):g}",
    }.get(type(definition).__name__, definition)
    if type(definition).__name__ == "AtK":
        options = options | {"normalizer": definition.normalizer}
    get = sklearn_ap.get_scorer
    return get(name, response_method="predict", by_query=by_query, **options)


# ---- how sure


def of_models(case):
    return [case.exact(model) for model in case.scores]


def interval(case):
    return sklearn_ap.average_precision_interval(
        case.y_true, case.y_score, definition=definition_of(case), n_resamples=20, **case.options
    ).estimate


def comparison(case):
    return sklearn_ap.compare_average_precision(
        case.y_true, case.scores, definition=definition_of(case), n_resamples=20, **case.options
    ).estimates


def best(case):
    found = sklearn_ap.best_average_precision(
        case.y_true, case.scores, definition=definition_of(case), n_resamples=20, **case.options
    )
    estimates = dict(zip(found.names, found.estimates, strict=True))
    return [estimates[name] for name in case.scores]


def chance(case):
    return sklearn_ap.chance_test(
        case.y_true, case.y_score, definition=definition_of(case), n_permutations=9, **case.options
    ).score


def cross_validated(case):
    """Two folds test the rows; each model gives the scores that the case has."""
    return sklearn_ap.AveragePrecisionInterval.from_cv_results(**of_folds(case)).estimate


def models_cross_validated(case):
    """The same of two models that say the same."""
    given = of_folds(case)
    given["cv_results"] = dict.fromkeys("ab", given["cv_results"])
    made = sklearn_ap.AveragePrecisionComparison
    if case.seed % 2 and case.options.get("average", "macro") is not None:
        made = sklearn_ap.BestAveragePrecision
    return made.from_cv_results(**given).estimates[0]


def of_folds(case):
    X = np.asarray(case.y_score, dtype=float).reshape(len(case.y_true), -1)
    tests = folds_of(case)
    results = {
        "estimator": [Scores(), Scores()],
        "indices": {"train": tests[::-1], "test": tests},
        "test_score": np.zeros(2),
    }
    given = {"cv_results": results, "X": X, "y": case.y_true, "definition": definition_of(case)}
    return given | {"n_resamples": 20} | case.options


class Probabilities(ClassifierMixin, Scores):
    """A model whose columns are probabilities, which are in the order of the scores."""

    def __init__(self, positive=1):
        self.positive = positive

    def fit(self, X, y=None):
        self.classes_ = np.unique(y) if np.ndim(y) == 1 else np.arange(X.shape[1])
        return self

    def predict_proba(self, X):
        if self.classes_.size != 2 or X.shape[1] > 1:
            return X
        both = np.column_stack([1 - X, X])
        return both[:, ::-1] if self.classes_[0] == self.positive else both


def cross_validated_odds(case):
    """The same of odds. Both models are trained on all rows, so the odds have one divisor."""
    given, y = of_folds(case), np.asarray(case.y_true)
    given["X"] = np.unique(given["X"], return_inverse=True)[1].reshape(given["X"].shape)
    given["X"] = given["X"] / (given["X"].max() + 1)
    given["cv_results"]["indices"]["train"] = [np.arange(len(y))] * 2
    given["cv_results"]["estimator"] = [
        Probabilities(case.options.get("pos_label", 1)).fit(given["X"], y)
    ] * 2
    if case.seed % 2:
        return sklearn_ap.AveragePrecisionInterval.from_cv_results(**given, pooling="odds").estimate
    given["cv_results"] = dict.fromkeys("ab", given["cv_results"])
    made = sklearn_ap.AveragePrecisionComparison
    if case.seed % 4 and case.options.get("average", "macro") is not None:
        made = sklearn_ap.BestAveragePrecision
    return made.from_cv_results(**given, pooling="odds").estimates[0]


def has_odds(case):
    """Whether there are two classes, and all rows were retrieved: a probability cannot say no."""
    y, needs_pool = np.asarray(case.y_true), case.options.get("average") != "samples"
    are_known = np.all(np.asarray(case.y_score) > -np.inf) and np.unique(y).size == 2
    return has_folds(case) and needs_pool and bool(are_known)


def folds_of(case):
    """The rows that each of two folds tests. A query is in one of them."""
    codes = np.arange(len(case.y_true)) * 2 // len(case.y_true)
    if case.kind == "queries":
        codes = np.unique(case.options["queries"], return_inverse=True)[1] % 2
    return np.flatnonzero(codes == 0), np.flatnonzero(codes == 1)


def has_folds(case):
    return min(map(len, folds_of(case))) > 1


def point(case):
    goal, wanted = goal_of(case)
    found = sklearn_ap.operating_point(case.y_true, case.y_score, **{goal: wanted}, **case.options)
    return [found.precision, found.recall]


def goal_of(case):
    goal = ("precision", "recall", "k")[case.seed % 3]
    return goal, (1 + case.seed % 7 if goal == "k" else (0.3, 0.5, 0.8, 1.0)[case.seed % 4])


def sums_tell_rows_apart(case):
    """Beside 1, a weight of 1e-300 changes no sum, so k says nothing of its row."""
    weight = case.options.get("sample_weight")
    if weight is None or goal_of(case)[0] != "k":
        return True
    return weight[weight > 0].min() > 1e-9 * weight.max()


def exact_point(case):
    rows = plain(case.y_true), plain(case.y_score)
    options = {name: plain(value) for name, value in case.options.items()}
    return operating_point(*rows, *goal_of(case), **options) or (0.0, 0.0)


# ---- counts, files and tables


def rest_of(case, *taken):
    """The options that are not passed with the rows."""
    return {name: value for name, value in case.options.items() if name not in taken}


def counted(case):
    rows = {k: v for k, v in case.options.items() if k in ("pos_label", "sample_weight")}
    return sklearn_ap.threshold_counts(case.y_true, case.y_score, **rows)


def counts_score(case):
    rest = rest_of(case, "pos_label", "sample_weight")
    return counted(case).score(definition_of(case), **rest)


def counts_interval(case):
    rest = rest_of(case, "pos_label")
    made = sklearn_ap.AveragePrecisionInterval.from_counts
    return made(counted(case), definition_of(case), n_resamples=20, **rest).estimate


def chunked(case):
    arrays = [case.y_true, case.y_score]
    arrays += [case.options["sample_weight"]] if "sample_weight" in case.options else []
    size = 1 + case.seed % 9
    chunks = [tuple(a[i : i + size] for a in arrays) for i in range(0, len(case.y_true), size)]
    counts = large.from_chunks(chunks, pos_label=case.options.get("pos_label"))
    return counts.score(definition_of(case), **rest_of(case, "pos_label", "sample_weight"))


def table_of(case):
    columns = {"y": case.y_true, "p": case.y_score}
    columns |= {name: np.asarray(each) for name, each in case.scores.items()}
    for name, option in (("w", "sample_weight"), ("q", "queries")):
        columns |= {name: case.options[option]} if option in case.options else {}
    return pa.table({name: column.tolist() for name, column in columns.items()})


def from_table(case):
    table, path = table_of(case), Path(FOLDER.name, "rows")
    if case.seed % 3 == 1:
        pa.parquet.write_table(table, path := path.with_suffix(".parquet"))
    elif case.seed % 3 == 2:
        path = write_csv(case)
    options = {k: v for k, v in {"sample_weight": "w", "queries": "q"}.items() if k in case.options}
    options |= {k: v for k, v in case.options.items() if k == "pos_label"}
    counts = large.from_table(path if case.seed % 3 else table, "y", "p", **options)
    return counts.score(
        definition_of(case), **rest_of(case, "pos_label", "sample_weight", "queries")
    )


def write_csv(case):
    path = Path(FOLDER.name, "rows.csv")
    columns = table_of(case).to_pydict()
    lines = [[*columns], *zip(*columns.values(), strict=True)]
    path.write_text("\n".join(",".join(map(str, line)) for line in lines) + "\n")
    return path


def histogram(case):
    made = large.ScoreHistogram(pos_label=case.options.get("pos_label"))
    for rows in np.array_split(np.arange(len(case.y_true)), 3):
        if rows.size:
            made.update(case.y_true[rows], case.y_score[rows])
    return made.counts().score(definition_of(case), **rest_of(case, "pos_label"))


def on_a_grid(case):
    """Scores that a histogram does not round."""
    return bool(
        np.all(np.isinf(case.y_score) | (np.nan_to_num(8 * case.y_score, neginf=0) % 1 == 0))
    )


def lines_of(case):
    """The query, the document, the label and the scores of each row, as in TREC's files."""
    positive = np.asarray(case.y_true) == case.options.get("pos_label", 1)
    names = [str(name) for name in case.options["queries"]]
    return names, [f"d{i}" for i in range(len(names))], positive.astype(int)


def judged_score(case, judged):
    arguments = judged["a"]
    values = sklearn_ap.average_precision_score(
        **arguments, definition=definition_of(case), **rest_of(case, "pos_label", "queries")
    )
    if case.options.get("average", "macro") is not None:
        return values
    of_name = dict(zip(judged.query_names, values, strict=True))
    return [of_name[str(name)] for name in np.unique(case.options["queries"])]


def from_tables(case):
    names, documents, label = lines_of(case)
    qrels = pa.table({"query": names, "document": documents, "label": label})
    runs = {}
    for model, scores in case.scores.items():
        kept = np.flatnonzero(scores > -np.inf)
        query, document = ([column[i] for i in kept] for column in (names, documents))
        runs[model] = pa.table({"query": query, "document": document, "score": scores[kept]})
    return judged_score(case, retrieval.from_tables(qrels, runs, complete=True))


def trec_files(case):
    names, documents, label = lines_of(case)
    qrels, *runs = (Path(FOLDER.name, name) for name in ("qrels.txt", "a.run", "b.run"))
    rows = list(zip(names, documents, label, strict=True))
    qrels.write_text("".join(f"{q} 0 {d} {y}\n" for q, d, y in rows))
    for run in runs:
        scored = zip(rows, case.scores[run.stem].tolist(), strict=True)
        run.write_text("".join(f"{q} Q0 {d} 1 {s} x\n" for (q, d, _), s in scored if s > -np.inf))
    return str(qrels), *map(str, runs)


def from_trec(case):
    return judged_score(case, retrieval.from_trec(*trec_files(case), complete=True))


def all_retrieved_something(case):
    """A run without a row is no file."""
    return all(np.any(scores > -np.inf) for scores in case.scores.values())


# ---- the command line, pictures, other tools, curves


def answer_of(arguments):
    """The results of the command line, which prints JSON."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            main([*map(str, arguments), "--format", "json"])
        except SystemExit as end:
            raise CommandLineError(err.getvalue()) from end
    return json.loads(out.getvalue())["results"]


class CommandLineError(ValueError):
    """What the command line says before it ends with status 2."""


def asked_of(case):
    name = repr(definition_of(case))
    options = ["--definition", name if "k" not in case.definition[1] else called(case)]
    for option, column in (("--weight", "w"), ("--query", "q")):
        named = {"--weight": "sample_weight", "--query": "queries"}[option]
        options += [option, column] if named in case.options else []
    if "pos_label" in case.options:
        options += ["--positive", case.options["pos_label"]]
    if "prevalence" in case.options:
        options += ["--prevalence", case.options["prevalence"]]
    return options


def called(case):
    """The call of a definition at k, as JSON shows it: AtK(k=10, normalizer='hits')."""
    name, options = case.definition
    shown = {k: v for k, v in options.items() if v != "attainable"}
    return f"{name}({', '.join(f'{k}={v!r}' for k, v in shown.items())})"


def command_line(case):
    (row,) = answer_of(["score", write_csv(case), "--label", "y", "--score", "p", *asked_of(case)])
    return np.nan if row["value"] is None else row["value"]


def command_line_of_models(case):
    columns = [part for name in case.scores for part in ("--score", name)]
    rows = answer_of(["score", write_csv(case), "--label", "y", *columns, *asked_of(case)])
    return [np.nan if row["estimate"] is None else row["estimate"] for row in rows]


def command_line_of_runs(case):
    named = [
        "--definition",
        called(case) if "k" in case.definition[1] else repr(definition_of(case)),
    ]
    rows = answer_of(["trec", *trec_files(case), "--complete", *named])
    return [np.nan if row["estimate"] is None else row["estimate"] for row in rows]


def as_the_command_line(case, *models):
    """Undefined queries count 0; if all are undefined, or the one ranking, the answer is null."""
    found = [case.exact(model, zero_division=0.0) for model in models]
    undefined = [np.isnan(case.exact(model, zero_division=np.nan)) for model in models]
    return [np.nan if no else value for no, value in zip(undefined, found, strict=True)]


def has_a_name(case):
    """Whether the command line shows the definition: not one with a share or levels."""
    values = case.definition[1].values()
    is_shown = case.definition[1].get("recall_levels") in (None, 11, 101)
    return is_shown and not any(isinstance(value, float | tuple) for value in values)


def plain_mean(case):
    return has_a_name(case) and case.options.get("average", "macro") == "macro"


def display(case):
    """Each number in the legend, which has three digits."""
    shown = sklearn_ap.AveragePrecisionDisplay.from_predictions(
        case.y_true,
        case.y_score,
        definition=definition_of(case),
        ax=Figure().subplots(),
        **case.without("zero_division").options,
    )
    found = [float(each) for each in re.findall(r"= (\d\.\d+)", repr(shown))]
    return found[0] if len(found) == 1 else found


def as_the_display(case):
    """Undefined rankings count as 0, as in the scores; queries have their mean in the legend."""
    average = case.options.get("average")
    changes = {"average": average or "macro"} if case.kind == "queries" else {"average": average}
    return case.exact(zero_division=0.0, **changes)


def tool(case):
    name = "sklearn.average_precision_score"
    return compat.score(name, case.y_true, case.y_score, **case.options)


def tools(case):
    return compat.compare(case.y_true, case.y_score, **case.options).baseline


def is_scikit_learns(case):
    """scikit-learn knows no row that was not retrieved."""
    return bool(np.all(case.y_score > -np.inf))


def area(case):
    precision, recall, _ = sklearn_ap.interpolated_precision_recall_curve(
        case.y_true, case.y_score, **case.options
    )
    return -np.sum(np.diff(recall) * precision[:-1])


def area_of_hits(case):
    detected, hits, _ = sklearn_ap.hit_curve(case.y_true, case.y_score, **case.options)
    gained, selected = np.diff(hits), detected[1:]
    positive = case.y_true == case.options.get("pos_label", 1)
    weight = case.options.get("sample_weight", np.ones(positive.size))
    return np.sum(gained * (hits[1:] / selected)) * (weight.sum() / weight[positive].sum())


def has_a_positive(case):
    return any(weight_of_positives(case))


def weight_of_positives(case):
    weight = case.options.get("sample_weight", np.ones(len(case.y_true)))
    return weight[np.asarray(case.y_true) == case.options.get("pos_label", 1)]


def without_undefined(case):
    """Other tools give 0."""
    return case.exact(zero_division=0.0)


NO_POSITIVE = {"y_true holds no positive": "no threshold has a recall"}
STEP, ENVELOPE = ("Step", {}), ("Interpolated", {})
ROWS = frozenset({"pos_label", "sample_weight"})
ENTRANCES = {
    "score": Entrance(("average_precision_score",), score),
    "step": named("step_average_precision_score", "Step"),
    "interpolated": named("interpolated_average_precision_score", "Interpolated"),
    "eleven points": named(
        "eleven_point_average_precision_score", "Interpolated", recall_levels=11
    ),
    "at k": named("average_precision_at_k_score", "AtK"),
    "precision at k": named("precision_at_k_score", "PrecisionAtK"),
    "recall at k": named("recall_at_k_score", "RecallAtK"),
    "precision at recall": named("precision_at_recall_score", "PrecisionAtRecall"),
    "recall at precision": named("recall_at_precision_score", "RecallAtPrecision"),
    "expected": named("expected_average_precision_score", "Expected"),
    "scorer": Entrance(("make_ranking_scorer",), lambda case: scored(case, by_maker)),
    "scorer of classes": Entrance(
        ("make_ranking_scorer",), scored_by_classes, kinds=EVERYWHERE - {"columns"}
    ),
    "scorer by name": Entrance(("get_scorer",), lambda case: scored(case, by_name)),
    "interval": Entrance(("average_precision_interval", "AveragePrecisionInterval"), interval),
    "comparison": Entrance(
        ("compare_average_precision", "AveragePrecisionComparison"),
        comparison,
        expected=of_models,
        one_of=2,
    ),
    "best": Entrance(
        ("best_average_precision", "BestAveragePrecision"),
        best,
        expected=of_models,
        refusals={"average must give each model one score": "there is no best of several scores"},
        one_of=2,
    ),
    "chance": Entrance(
        ("chance_test", "ChanceTest"),
        chance,
        OPTIONS - {"sample_weight"},
        refusals={
            "takes no average='micro'": "the cells of a row belong together",
            "of a table with unknown labels": "rows with gaps cannot be dealt anew",
            "n_positives must": "it counts weights, and queries with weight, which are left out",
        },
    ),
    "cross-validation": Entrance(
        ("AveragePrecisionInterval.from_cv_results",),
        cross_validated,
        OPTIONS - {"labels", "n_positives"},
        EVERYWHERE - {"classes"},
        has_folds,
        refusals={"nothing is left to score": "a fold has no weight, or no known label"},
    ),
    "cross-validation by odds": Entrance(
        ("AveragePrecisionInterval.from_cv_results", "BestAveragePrecision.from_cv_results"),
        cross_validated_odds,
        OPTIONS - {"labels", "n_positives"},
        EVERYWHERE - {"classes"},
        has_odds,
        refusals={
            "nothing is left to score": "a fold has no weight, or no known label",
            "needs training rows of both classes": "odds of 0 or of infinity divide nothing",
        },
        one_of=2,
    ),
    "cross-validation of models": Entrance(
        ("AveragePrecisionComparison.from_cv_results", "BestAveragePrecision.from_cv_results"),
        models_cross_validated,
        OPTIONS - {"labels", "n_positives"},
        EVERYWHERE - {"classes"},
        has_folds,
        refusals={"nothing is left to score": "a fold has no weight, or no known label"},
        one_of=3,
    ),
    "counts": Entrance(
        ("threshold_counts", "ThresholdCounts", "ThresholdCounts.score"),
        counts_score,
        OF_COUNTS | ROWS,
        ONE,
    ),
    "interval of counts": Entrance(
        ("AveragePrecisionInterval.from_counts",),
        counts_interval,
        OF_COUNTS | {"pos_label"},
        ONE,
    ),
    "chunks": Entrance(("large.from_chunks",), chunked, OF_COUNTS | ROWS, ONE),
    "table": Entrance(("large.from_table",), from_table, OF_COUNTS | ROWS | {"queries"}, NAMED),
    "histogram": Entrance(
        ("large.ScoreHistogram",), histogram, OF_COUNTS | {"pos_label"}, ONE, on_a_grid, one_of=2
    ),
    "tables of runs": Entrance(
        ("retrieval.from_tables", "retrieval.JudgedRuns"),
        from_tables,
        OPTIONS - {"sample_weight", "labels", "n_positives"},
        frozenset({"queries"}),
        all_retrieved_something,
    ),
    "runs": Entrance(
        ("retrieval.from_trec",),
        from_trec,
        OPTIONS - {"sample_weight", "labels", "n_positives"},
        frozenset({"queries"}),
        all_retrieved_something,
        one_of=2,
    ),
    "command line": Entrance(
        (),
        command_line,
        OPTIONS - {"labels", "n_positives"},
        NAMED,
        plain_mean,
        lambda case: as_the_command_line(case, "a")[0],
    ),
    "command line of models": Entrance(
        (),
        command_line_of_models,
        OPTIONS - {"labels", "n_positives"},
        NAMED,
        plain_mean,
        lambda case: as_the_command_line(case, *case.scores),
        one_of=3,
    ),
    "command line of runs": Entrance(
        (),
        command_line_of_runs,
        frozenset({"queries", "average", "pos_label", "zero_division"}),
        frozenset({"queries"}),
        lambda case: plain_mean(case) and all_retrieved_something(case),
        lambda case: as_the_command_line(case, "a", "b"),
        one_of=3,
    ),
    "picture": Entrance(
        ("AveragePrecisionDisplay.from_predictions",),
        display,
        expected=as_the_display,
        refusals={"has no line to draw": "at k, precision and recall are no area"},
        tolerance=5.1e-4,
        one_of=4,
    ),
    "tool": Entrance(
        ("compat.score",),
        tool,
        ROWS | {"queries"},
        NAMED,
        is_scikit_learns,
        without_undefined,
        definition=STEP,
    ),
    "tools": Entrance(
        ("compat.compare",),
        tools,
        ROWS | {"queries"},
        NAMED,
        is_scikit_learns,
        without_undefined,
        one_of=4,
        definition=STEP,
    ),
    "operating point": Entrance(
        ("operating_point", "OperatingPoint"),
        point,
        ROWS,
        ONE,
        sums_tell_rows_apart,
        expected=exact_point,
        refusals=NO_POSITIVE,
    ),
    "envelope": Entrance(
        ("interpolated_precision_recall_curve",),
        area,
        ROWS,
        ONE,
        has_a_positive,
        definition=ENVELOPE,
    ),
    "hit curve": Entrance(("hit_curve",), area_of_hits, ROWS, ONE, has_a_positive, definition=STEP),
}


@dataclass(frozen=True)
class Outcome:
    """How a call ended: "right", "wrong", "refused" as expected, or with an error."""

    kind: str
    text: str = ""


def outcome(entrance, case):
    """Call, and compare with the reference."""
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            given = entrance.call(case)
    except Exception as error:
        return of_error(entrance, error)
    expected = entrance.expected(case)
    if not same(given, expected, entrance.tolerance):
        return Outcome("wrong", f"gives {np.asarray(given).tolist()}, not {expected}")
    of_numpy = [w for w in caught if issubclass(w.category, RuntimeWarning)]
    return Outcome("not our warning", str(of_numpy[0].message)) if of_numpy else Outcome("right")


def same(given, expected, tolerance):
    given, expected = np.asarray(given, dtype=float), np.asarray(expected, dtype=float)
    if given.shape != expected.shape:
        return False
    return np.allclose(given, expected, rtol=tolerance, atol=tolerance, equal_nan=True)


def of_error(entrance, error):
    text = f"{type(error).__name__}: {error}"
    if any(part in text for part in entrance.refusals):
        return Outcome("refused", text)
    return Outcome("refused, and not expected" if is_ours(error) else "not our error", text)


def is_ours(error):
    """Whether we raised it, with a text that names an argument."""
    frame = error.__traceback__
    while frame.tb_next is not None:
        frame = frame.tb_next
    path = frame.tb_frame.f_code.co_filename
    line = linecache.getline(path, frame.tb_lineno)
    is_raised = path.startswith(str(PACKAGE)) and line.strip().startswith("raise")
    is_raised |= isinstance(error, CommandLineError)
    words = {*re.findall(r"\w+", str(error))}
    arguments = OPTIONS | {"y_true", "y_score", "y_scores", "counts", "definition", "k", "column"}
    return isinstance(error, ValueError | TypeError) and is_raised and bool(words & arguments)


def kind_of(text):
    """The text of an error without its numbers."""
    return re.sub(r"-?\d[\d.e+-]*|'[^']*'", "#", text.splitlines()[0])[:150]
