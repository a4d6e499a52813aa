"""A parameter of one name reads the same everywhere, and types say which words an option takes."""

import dataclasses
import inspect
from collections import defaultdict

from every import every
from numpydoc.docscrape import NumpyDocString
from public_names import public

import sklearn_ap

# These are something else in each function.
FREE = {
    *("**options", "X", "ax", "comparison", "counts", "cv_results", "definition", "name", "start"),
    *("plot_chance_level", "values", "y", "versus"),
}
# Their type lines differ; those of the same type read the same.
SEVERAL_TYPES = {
    *("confidence_level", "k", "n_positives", "precision", "recall", "prevalence", "average"),
    *("recall_levels", "difference", "half_width"),
    *("qrels", "queries", "sample_weight", "y_score", "y_true"),
}
# Where one module has a reason to say something else.
ELSEWHERE = {
    "average": ["best_of_many", "chance", "display.average_precision"],  # which are there
    "clusters": ["display.average_precision", "operating_points"],  # what they are for
    "confidence_level": ["bands", "best_of_many"],  # of a curve, and of a set
    "k": ["compat", "operating_points"],  # few tools take it; rows that may be selected
    "n_positives": ["chance"],  # random orders miss them, too
    "prevalence": ["sample_size", "chance"],
    # What is averaged, and what varies.
    "queries": ["best_of_many", "chance", "compat", "display.average_precision", "intervals"],
    "rng": ["best_of_many", "chance"],  # they always draw
    "sample_weight": ["best_of_many", "compat", "intervals"],  # a weight of 2 is not two cases
    "y_score": ["compat", "counts", "large.histogram"],  # what is rounded, and thresholds
    "y_true": ["compat"],  # each column is a query
}


def documented():
    """Every public function, class and method."""
    for _, thing in public():
        yield thing
        if inspect.isclass(thing):
            for key, method in inspect.getmembers(thing, inspect.isroutine):
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
    return next((it for it in ELSEWHERE.get(name, ()) if room.startswith(it)), "anywhere")


def readings():
    """What is said of each parameter: {name: {place: {(type, description)}}}."""
    said = defaultdict(lambda: defaultdict(set))
    for thing in filter(lambda thing: not is_result(thing), documented()):
        for parameter in NumpyDocString(inspect.getdoc(thing))["Parameters"]:
            where = place(thing, parameter.name)
            said[parameter.name][where].add((parameter.type, " ".join(parameter.desc)))
    return {name: places for name, places in said.items() if name not in FREE}


READINGS = readings()


@every("name", READINGS)
def test_a_parameter_of_one_name_reads_the_same_everywhere(name):
    readings = READINGS[name]["anywhere"]
    types = {kind for kind, _ in readings}
    assert len(readings) == len(types), sorted(readings)
    assert len(types) <= 1 or name in SEVERAL_TYPES, sorted(types)
