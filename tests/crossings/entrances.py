"""The crossings: all options with all public functions, on random data, beside a reference.

- ``cases.py`` makes a case from a seed: labels, scores of three models, a definition, options.
- ``full_reference.py`` computes scores in exact fractions, ``threshold_reference.py`` limits of
  points, ``few_labels_reference.py`` those of few labels. They are slow loops that import nothing
  of the package. ``answers.py`` says what they know of a case, by the names of the results' fields.
- This file is the table. Each line of ``ENTRANCES`` is a public function: how it is called on a
  case, the options and the kinds of data that it takes, and what the reference expects.
  ``part_of`` leaves out what a function does not take, so each case goes everywhere.
- ``outcome`` compares: a call is right, wrong, refused (``REFUSALS`` says by which text, and why),
  or ends in an error that is not ours.
- ``test_entrances.py`` makes the cases and the calls. ``test_larger_samples.py`` has cases of a
  hundred rows, ``test_orders.py`` what changes no number.

README.md explains the words. A failure ends with the case of its simplest call, as values.
"""

import inspect
import re
import traceback
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pytest
import sklearn
from sklearn.base import BaseEstimator

import sklearn_ap
from sklearn_ap import large
from tests.crossings import answers
from tests.crossings.answers import definition_of, fields_of
from tests.crossings.cases import OF_SCORES, Case, plain
from tests.crossings.full_reference import operating_point
from tests.helpers import threshold_reference

EVERYWHERE = frozenset({"rows", "queries", "columns", "classes"})
ONE, NAMED, QUERIES = (frozenset(kinds) for kinds in (["rows"], ["rows", "queries"], ["queries"]))
OPTIONS = frozenset(OF_SCORES)
NEEDED = {"queries", "labels", "pos_label"}  # labels say nothing without them
OF_A_SCORE = OPTIONS | {"clusters"}
OF_COUNTS = frozenset({"average", "zero_division", "prevalence"})
INTERVALS_OF_COUNTS = OF_COUNTS | {"pos_label", "confidence_level"}
ROWS = frozenset({"pos_label", "sample_weight"})
OF_ROWS = "sample_weight", "queries", "clusters", "pos_label"
OF_INTERVALS = OF_A_SCORE | {"confidence_level"}
OF_TESTS = OF_INTERVALS | {"reference", "alternative"}
FEW = frozenset({"inclusion_probability", "judge"})
NOT_OF_FOLDS = frozenset({"labels", "n_positives"})
OF_COMPARED_FOLDS = frozenset({"reference", "alternative"})
NO_CLASSES = EVERYWHERE - {"classes"}
STEP = ("Step", {})


@dataclass(frozen=True)
class Entrance:
    """A call, the public name that it goes through, and what it takes."""

    name: str  # of a public function
    call: Callable[[Case], Any]
    options: frozenset[str] = OPTIONS
    kinds: frozenset[str] = EVERYWHERE
    fits: Callable[[Case], bool] = lambda case: True
    expected: Callable[[Case], Any] = Case.exact
    tolerance: float = 1e-12  # of scores
    definition: Any = None  # the only one, or the only kind
    of: str = ""  # what tells it from other lines of the function

    @property
    def line(self):
        of = "few labels" if self.options >= FEW else self.of
        return f"{self.name} of {of}" if of else self.name

    def part_of(self, case):
        """The case without what the function does not take; None if nothing is left."""
        dropped = {*case.options} - self.options
        if case.kind not in self.kinds or dropped & NEEDED:
            return None
        case = case.without(*dropped)
        if isinstance(self.definition, str):
            case = replace(
                case, definition=(self.definition, case.options_of_kinds[self.definition])
            )
        elif self.definition is not None:
            case = replace(case, definition=self.definition)
        return case if self.fits(case) else None


def parameters_of(name):
    """The arguments of a public function, with defaults."""
    parameters = inspect.signature(attrgetter(name)(sklearn_ap)).parameters
    return {key: parameter.default for key, parameter in parameters.items()}


# ---- scores and scorers


def score(case):
    given = {"definition": definition_of(case)} | case.options
    return sklearn_ap.average_precision_score(case.y_true, case.y_score, **given)


def named(name, kind, **fixed):
    """A score whose definition has these options, all others being arguments of the score."""

    def call(case):
        own = {key: value for key, value in case.definition[1].items() if key not in fixed}
        return getattr(sklearn_ap, name)(case.y_true, case.y_score, **own, **case.options)

    def expected(case):
        return replace(case, definition=(kind, case.definition[1] | fixed)).exact()

    options = OF_A_SCORE & parameters_of(name).keys()
    return Entrance(name, call, options, expected=expected, definition=kind)


class Copies(BaseEstimator):
    """A model whose predictions are its column, or its columns."""

    def fit(self, X, y=None):
        return self

    def predict(self, X):
        return X[:, 0] if X.shape[1] == 1 else X


def columns_of(case):
    return np.asarray(case.y_score, dtype=float).reshape(len(case.y_true), -1)


def scored(case):
    """Through a scorer: weights and queries are passed at the call, other options before it.

    A scorer takes sorted labels only, as models sort their classes.
    """
    metadata, columns = case.said("sample_weight", "queries"), columns_of(case)
    options = dict(case.without(*metadata).options)
    order = np.arange(columns.shape[1])
    if options.get("labels") is not None:
        order = np.argsort(options["labels"])
        for name in {"labels", "n_positives"} & options.keys():
            if np.size(options[name]) == order.size:  # one for each class
                options[name] = np.asarray(options[name])[order]
    options |= {"response_method": "predict", "by_query": "queries" in metadata}
    with sklearn.config_context(enable_metadata_routing=True):
        scorer = sklearn_ap.get_scorer(definition_of(case), **options)
        found = scorer(Copies(), columns[:, order], case.y_true, **metadata)
    return found[np.argsort(order)] if np.shape(found) == order.shape else found


# ---- how sure


def of(function, case, *rows, **more):
    """What a function says of rows."""
    given = {"definition": definition_of(case)} | case.options | more
    return function(*rows, **given)


def interval(case):
    return fields_of(of(sklearn_ap.average_precision_interval, case, case.y_true, case.y_score))


def few_labels(case, function):
    scores = case.y_score
    if function == "compare_average_precision":
        scores = case.scores
    return fields_of(of(getattr(sklearn_ap, function), case, case.seen, scores))


def comparison(case):
    return fields_of(of(sklearn_ap.compare_average_precision, case, case.y_true, case.scores))


def best(case):
    rows = case.y_true, case.scores
    return answers.best_of_models(
        of(sklearn_ap.compare_average_precision, case, *rows, reference="best")
    )


def has_folds(case):
    """Each of several folds tests several rows."""
    sizes = np.unique([] if case.folds is None else case.folds, return_counts=True)[1]
    return sizes.size > 1 and sizes.min() > 1


def folds_of(case):
    """The scores of each model as predictions of folds."""
    pools = ({"y_score": score, "folds": case.folds} for score in case.scores.values())
    return dict(zip(case.scores, map(sklearn_ap.FoldPredictions, pools), strict=True))


def chance(case):
    given = {"definition": definition_of(case), "n_permutations": 9} | case.options
    return sklearn_ap.chance_test(case.y_true, case.y_score, **given).estimate


# ---- counts


def counted(case, counts):
    return sklearn_ap.score_from_counts(
        counts, definition_of(case), **case.without(*OF_ROWS).options
    )


def counts_of(case):
    return sklearn_ap.threshold_counts(case.y_true, case.y_score, **case.said(*ROWS))


def counts_score(case):
    return counted(case, counts_of(case))


def from_table(case):
    names = [*case.said("sample_weight", "queries", "clusters")]
    columns = {"y": case.y_true, "a": case.y_score, **case.said(*names)}
    table = pa.table({name: np.asarray(each).tolist() for name, each in columns.items()})
    named = dict(zip(names, names, strict=True)) | case.said("pos_label")
    return counted(case, large.from_table(table, "y", "a", **named))


def interval_of_counts(case, counts_of=counts_of):
    made = sklearn_ap.Interval.from_counts
    return fields_of(of(made, case.without(*OF_ROWS), counts_of(case)))


def interval_of_queries(case):
    return interval_of_counts(case, groups_of)


def groups_of(case):
    """Each row is a group, so that scores come twice."""
    y, names = np.asarray(case.is_positive, int), case.said("queries")
    return large.from_groups(case.y_score, y, 1 - y, **names)


def grouped(case):
    return counted(case, groups_of(case))


def chunks_of(case):
    arrays, n = [case.y_true, case.y_score, *case.said("sample_weight").values()], len(case.y_true)
    starts = range(0, n, case.n_rows_of_chunk)
    return [tuple(each[i : i + case.n_rows_of_chunk] for each in arrays) for i in starts]


def chunked(case):
    return counted(case, large.from_chunks(chunks_of(case), **case.said("pos_label")))


# ---- operating points and curves


def point(case):
    goal, wanted = case.goal
    found = sklearn_ap.operating_point(case.y_true, case.y_score, **{goal: wanted}, **case.options)
    numbers = fields_of(found) | {"cost": found.notes.get("cost", np.nan)}
    for name in ("precision", "recall", "specificity", "selected"):
        share, *limits = numbers[name]
        numbers |= {name: share, f"{name}_interval": limits}
    return numbers | {"threshold": answers.lowest_selected(case, found.threshold)}


def sums_tell_rows_apart(case):
    """Beside 1, a weight of 1e-90 changes no sum, so a threshold says nothing of its row."""
    weight = case.weight[case.weight > 0]
    return bool(weight.min() > 1e-9 * weight.max())


def expected_point(case):
    options = {k: plain(v) for k, v in case.said(*ROWS, "prevalence").items()}
    found = operating_point(plain(case.y_true), plain(case.y_score), *case.goal, **options)
    if np.isnan(found["threshold"]):
        return found
    rows, selected = case.weight > 0, case.y_score >= found["threshold"]
    clusters = case.options.get("clusters", np.arange(rows.size))
    arrays = (each[rows] for each in (case.is_positive, selected, case.weight, clusters))
    limits = threshold_reference.limits(
        *arrays, answers.level_of(case), case.options.get("prevalence")
    )
    return limits | found | {"n_selected": case.weight[selected].sum()}


def area_of_hits(detected, hits, share):
    return np.sum(np.diff(hits) * (hits[1:] / detected[1:])) / share


def hit_curve(case):
    detected, hits, _ = sklearn_ap.hit_curve(case.y_true, case.y_score, **case.options)
    return area_of_hits(detected, hits, case.share_positive)


def has_a_positive(case):
    return bool(np.any(case.weight[case.is_positive]))


# ---- the table


class Refusal(NamedTuple):
    """An error of ours that a call may end with."""

    text: str  # that the error holds
    why: str
    by: str = ""  # a pattern of the functions that may refuse; by default all


REFUSALS = [
    Refusal("n_positives must", by="expected_|chance", why="it counts weights, which are left out"),
    Refusal("Each query, or segment, lies in one cluster", why="which says nothing of others"),
    Refusal("of one ranking has no interval", why="it hangs on a single row"),
    Refusal("cannot test a mean", by="chance", why="its rankings share what moves"),
    Refusal("is for models with one score each", by="best", why="there is no best of several"),
    Refusal(
        " cannot be compared ",
        by="compare",
        why="the limits of half samples of clusters cover too seldom",
    ),
    Refusal(
        "nothing is left to score",
        by="of folds",
        why="a fold has no weight, or no known label",
    ),
    Refusal("There is no positive", by="point", why="no threshold has a recall"),
    Refusal("prevalence needs negatives", by="point", why="nothing says how many are selected"),
    Refusal(
        "does not go with the first k",
        by="point",
        why="it does not say how many rows there are",
    ),
    Refusal("takes unweighted counts", by="few", why="a probability is a part of an item"),
    Refusal("sample_weight is zero in every labelled row", by="few", why="nothing is left"),
    Refusal(
        "does not go with inclusion_probability and judge",
        by="few",
        why="says what labels do not say",
    ),
    Refusal(
        "has no influence by row", by="few", why="labels of some rows do not tell how sure it is"
    ),
    Refusal("judge does not go with clusters where models", by="few", why="it was not measured"),
    Refusal("zero_division=nan leaves queries out", by="few", why="the judge leaves out others"),
    Refusal(
        "go with y_true and y_score of one column", by="few", why="each column has other labels"
    ),
]
REFUSED = frozenset({"labels", "n_positives", "average"})  # beside few labels


def model_entrance(
    name, call, options=OF_INTERVALS, kinds=EVERYWHERE, expected=answers.interval_of, **more
):
    return Entrance(name, call, options=options, kinds=kinds, expected=expected, **more)


def counts_entrance(name, call, options=OF_COUNTS | ROWS, kinds=ONE, **more):
    return Entrance(name, call, options, kinds, **more)


def point_entrance(name, call, more, fits):
    return Entrance(
        name,
        call,
        options=ROWS | {"clusters", "prevalence"} | more,
        kinds=ONE,
        fits=fits,
        expected=expected_point,
    )


def few_labels_entrances(name, options, models):
    """Of some rows of one ranking or of queries; and with what is always refused."""
    for kinds, taken in ((NAMED, options - REFUSED), (EVERYWHERE, options)):
        yield Entrance(
            name,
            partial(few_labels, function=name),
            options=taken | FEW,
            kinds=kinds,
            fits=lambda case: case.is_labelled is not None,
            expected=partial(answers.few_labels_answer, models=models),
            tolerance=1e-6,  # derivatives say how much the judge counts
        )


def folds_entrance(name, call, expected, more=frozenset(), of="folds"):
    """Predictions of folds in the place of scores, whose pool has the score of all rows."""
    return Entrance(
        name,
        lambda case: call(replace(case, scores=folds_of(case))),
        options=OF_INTERVALS - NOT_OF_FOLDS | more,
        kinds=NO_CLASSES,
        fits=has_folds,
        expected=expected,
        of=of,
    )


ENTRANCES = [
    Entrance("average_precision_score", score, OF_A_SCORE),
    named("step_average_precision_score", "Step"),
    named("interpolated_average_precision_score", "Interpolated"),
    named("eleven_point_average_precision_score", "Interpolated", recall_levels=11),
    named("average_precision_at_k_score", "AtK"),
    named("precision_at_k_score", "PrecisionAtK"),
    named("recall_at_k_score", "RecallAtK"),
    Entrance("get_scorer", scored),
    model_entrance("average_precision_interval", interval, OF_INTERVALS),
    model_entrance(
        "compare_average_precision",
        comparison,
        options=OF_TESTS,
        expected=answers.comparison_of,
    ),
    model_entrance(
        "compare_average_precision", best, expected=answers.best_of, of="the best of many"
    ),
    *few_labels_entrances("average_precision_interval", OF_INTERVALS, "a"),
    *few_labels_entrances("compare_average_precision", OF_TESTS, "abc"),
    Entrance("chance_test", chance, OF_A_SCORE),
    folds_entrance("average_precision_interval", interval, answers.interval_of),
    folds_entrance(
        "compare_average_precision", comparison, answers.comparison_of, OF_COMPARED_FOLDS
    ),
    folds_entrance("compare_average_precision", best, answers.best_of, of="the best of folds"),
    # counts
    counts_entrance("threshold_counts", counts_score),
    counts_entrance("score_from_counts", counts_score),
    model_entrance(
        "Interval.from_counts",
        interval_of_counts,
        options=INTERVALS_OF_COUNTS,
        kinds=ONE,
    ),
    model_entrance(
        "Interval.from_counts",
        interval_of_queries,
        options=INTERVALS_OF_COUNTS | {"queries"},
        kinds=QUERIES,
    ),
    counts_entrance("large.from_chunks", chunked),
    counts_entrance("large.from_table", from_table),
    counts_entrance("large.from_groups", grouped, OF_COUNTS | {"queries"}, NAMED),
    # operating points and curves
    point_entrance("operating_point", point, more={"confidence_level"}, fits=sums_tell_rows_apart),
    counts_entrance("hit_curve", hit_curve, ROWS, fits=has_a_positive, definition=STEP),
]


class Outcome(NamedTuple):
    """How a call ended: "right", "wrong", "refused" as expected, or with an error."""

    kind: str
    text: str = ""


def failure(entrance, name, part, found):
    """What a test says of a call on a case of this name, and the values that it was called with."""
    return f"case {name}, {entrance.line}: {found.kind}: {found.text}", part


def fail_if_any(failures):
    """The first lines of the table are the simplest calls, so the text ends with one of them."""
    if failures := [*failures]:
        texts = dict.fromkeys(text for text, _ in reversed(failures))
        pytest.fail("\n\n".join([*texts, repr(failures[0][1])]), pytrace=False)


def outcome(entrance, case):
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            given = entrance.call(case)
    except Exception as error:
        return error_outcome(entrance, error)
    if text := difference(given, entrance.expected(case), entrance.tolerance):
        return Outcome("wrong", text)
    numpy_warnings = [w for w in caught if issubclass(w.category, RuntimeWarning)]
    if numpy_warnings:
        return Outcome("not our warning", str(numpy_warnings[0].message))
    return Outcome("right")


OF_SCORE = ("estimate", "value")
LOOSE = 1e-6  # of limits, which come from derivatives


def numbers_by_name(numbers):
    """What a call gives, or the reference: a score has no name of its own."""
    return numbers if isinstance(numbers, dict) else {"value": numbers}


def difference(given, expected, tolerance):
    """What is wrong, in words: the reference may not know all numbers."""
    given, texts = numbers_by_name(given), []
    for name, number in numbers_by_name(expected).items():
        known, number = np.asarray(given[name], float), np.asarray(number, float)
        limit = tolerance if name in OF_SCORE else LOOSE
        is_same = known.shape == number.shape
        if not (is_same and np.allclose(known, number, limit, limit, equal_nan=True)):
            texts.append(f"{name} is {known.tolist()}, not {number.tolist()}")
    return "; ".join(texts)


def error_outcome(entrance, error):
    text = f"{type(error).__name__}: {error}"
    if any(each.text in text and re.search(each.by, entrance.line) for each in REFUSALS):
        return Outcome("refused", text)
    return Outcome("refused, and not expected" if is_ours(error) else "not our error", text)


def is_ours(error):
    """Whether we raised it, with a text that names an argument."""
    place = traceback.extract_tb(error.__traceback__)[-1]
    is_raised = place.filename.startswith(sklearn_ap.__path__[0]) and place.line.startswith("raise")
    words = {*re.findall(r"\w+", str(error))}
    arguments = OPTIONS | {"y_true", "y_score", "y_scores", "counts", "definition", "k", "column"}
    arguments |= {"reference"}
    return isinstance(error, ValueError | TypeError) and is_raised and bool(words & arguments)
