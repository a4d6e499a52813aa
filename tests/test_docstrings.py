"""A parameter of one name reads the same everywhere, and types say which words an option takes."""

import dataclasses
import inspect
from collections import defaultdict
from typing import get_args, get_type_hints

import pytest
from every import every
from numpydoc.docscrape import NumpyDocString
from public_names import public

import sklearn_ap
from sklearn_ap import get_scorer, make_ranking_scorer
from sklearn_ap.scorers import Scorer

SCORES = sorted(name for name in sklearn_ap.__all__ if name.endswith("_score"))

# These are something else in each function.
FREE = {
    "**options": "the options of another function",
    "X": "what one estimator ranks, or what was cross-validated",
    "ax": "one axis, or one for each definition",
    "comparison": "of models, or of tools",
    "counts": "one ranking, or many",
    "cv_results": "of one model, or of several",
    "definition": "a display says where it draws several",
    "name": "a function of a tool, a scorer, a model or a list of them",
    "plot_chance_level": "chance has a precision, and it has hits",
    "start": "a choice of a tool, or the number that an explanation starts from",
    "values": "one per threshold, of another kind in each method",
    "y": "one column where folds are drawn",
    "versus": "an option, or the field of a result that says what it was",
}
# Their type lines differ; those of the same type read the same.
SEVERAL_TYPES = {
    "confidence_level": "a picture of one score has no interval unless it is asked for",
    "k": "expected average precision looks at all ranks unless it is told",
    "n_positives": "of all rankings, or of one, by chance",
    "precision": "an operating point is for one of several goals",
    "recall": "an operating point is for one of several goals",
    "prevalence": "counts have that of the sample if they are not asked",
    "average": "each ranking of counts was counted by itself",
    "recall_levels": "a definition may take all",
    "qrels": "a file of TREC, or a table too",
    "queries": "an array, a Dask array, or the name of a column",
    "sample_weight": "an array, a Dask array, or the name of a column",
    "y_score": "scores take several columns",
    "y_true": "scores take several columns",
}
# Where one module has a reason to say something else.
ELSEWHERE = {
    ("bands", "confidence_level"): "that of a whole curve",
    ("best_of_many", "average"): "it chooses by one score",
    ("best_of_many", "confidence_level"): "the level of a set, too",
    ("best_of_many", "queries"): "as in intervals",
    ("best_of_many", "rng"): "it always draws, and gives the same each time",
    ("best_of_many", "sample_weight"): "as in intervals",
    ("chance", "average"): "cells are not permuted",
    ("chance", "n_positives"): "random orders miss them, too",
    ("chance", "prevalence"): "cells are not permuted",
    ("chance", "queries"): "labels are permuted within a query",
    ("chance", "rng"): "it always draws",
    ("compat", "queries"): "each tool is averaged over the queries that it answers",
    ("compat", "k"): "most functions of tools take no k",
    ("compat", "sample_weight"): "most functions of tools take no weights",
    ("compat", "y_score"): "some tools round, bin or clip scores",
    ("compat", "y_true"): "each column is a query",
    ("display.average_precision", "average"): "it says which curves are drawn",
    ("display.average_precision", "clusters"): "for the interval in the legend",
    ("display.average_precision", "queries"): "each has a curve",
    ("intervals", "queries"): "for averages the queries are the cases",
    ("intervals", "sample_weight"): "a weight of 2 is not two cases",
    ("operating_points", "clusters"): "it has no queries, and no guarantee with clusters",
    ("operating_points", "k"): "rows that may be selected",
    ("large.histogram", "y_score"): "scores are rounded",
    ("counts", "y_score"): "thresholds are what it counts",
}


def documented():
    """Every public function, class and method."""
    for _, thing in public():
        yield thing
        if inspect.isclass(thing):
            for key, method in inspect.getmembers(thing, callable):
                if not key.startswith("_") and method.__doc__:
                    yield method


def is_result(thing):
    """Whether its parameters are the fields of a result, which nobody passes."""
    return dataclasses.is_dataclass(thing) and not issubclass(
        thing, sklearn_ap.definitions.Definition
    )


def place(thing, name):
    """The room that has a reason to read differently, or "anywhere"."""
    room = thing.__module__.removeprefix("sklearn_ap.").replace("._", ".")
    places = (known for known, of in ELSEWHERE if of == name and room.startswith(known))
    return next(places, "anywhere")


def readings():
    """What is said of each parameter: {name: {place: {(type, description)}}}."""
    said = defaultdict(lambda: defaultdict(set))
    for thing in documented():
        if is_result(thing):
            continue
        for parameter in NumpyDocString(inspect.getdoc(thing))["Parameters"]:
            if parameter.name not in FREE:
                where = place(thing, parameter.name)
                said[parameter.name][where].add((parameter.type, " ".join(parameter.desc)))
    return said


READINGS = readings()


@every("name", READINGS)
def test_a_parameter_of_one_name_reads_the_same_everywhere(name):
    readings = READINGS[name]["anywhere"]
    types = {kind for kind, _ in readings}
    assert len(readings) == len(types), sorted(readings)
    assert len(types) <= 1 or name in SEVERAL_TYPES, sorted(types)


@every("name", SCORES)
def test_types_say_which_words_an_option_takes(name):
    hints = get_type_hints(getattr(sklearn_ap, name))
    one, several = get_args(hints["average"])
    assert {*get_args(one)} == {"macro", "weighted", "micro", "samples"}
    assert several is type(None)
    words, number = get_args(hints["zero_division"])
    assert (get_args(words), number) == (("warn",), float)
    if "normalizer" in hints:
        assert set(get_args(hints["normalizer"])) == {"attainable", "positives", "hits", "k"}


@pytest.mark.parametrize("function", [get_scorer, make_ranking_scorer])
def test_types_say_what_a_scorer_can_do(function):
    assert get_type_hints(function)["return"] is Scorer
    assert get_type_hints(Scorer.__call__)["return"] is float
