"""What the tests of sklearn_ap.compat share: predictions, names, and recorded answers of tools."""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sklearn_ap.compat._tool_functions import other_functions, read_table
from sklearn_ap.compat._tool_names import get_function
from sklearn_ap.definitions import (
    Definition,
    Interpolated,
    PrecisionAtRecall,
    RecallAtPrecision,
)
from sklearn_ap.definitions._conventions import conventions

CASES = json.loads((Path(__file__).parents[1] / "data" / "peers.json").read_text())
NAMES = [function.name for function in other_functions()]  # of functions of tools
LINES = {line["name"]: line for line in read_table("tools.tsv")}
Y = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
S = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]
# Hits at ranks 1, 3 and 5, where precision is 1, 2/3 and 3/5.
IN_TURN = ([1, 0, 1, 0, 1], [5, 4, 3, 2, 1])


def options_of(*names):
    """What functions must be told."""
    return {"k": 3} if any(get_function(name).needs_k for name in names) else {}


def tolerance_of(name):
    """How near the number of a function is to that of its tool."""
    return float(LINES[get_function(name).name]["tolerance"])


def asked(case, record):
    """The name and the options of compat.score, with the weights of the case if they were used."""
    weight = {name: case[name] for name in {"sample_weight"} & {*record["options"]}}
    return record["name"], record["options"] | weight


@dataclass(frozen=True, repr=False)
class Before(Definition):
    title = "AP before"

    def heights(self, counts):
        return counts.precision_above(1.0)


@dataclass(frozen=True, repr=False)
class LastRecall(Definition):
    title = "the last recall"

    def __call__(self, counts):
        return counts.highest(counts.recall)


# Ours, with whole and relative numbers of ranks, and those that a user may write.
DEFINITIONS = [
    *conventions(3),
    *conventions(0.3),
    *(Interpolated(levels) for levels in (2, 7, [0.25, 0.6])),
    PrecisionAtRecall(0.4),
    RecallAtPrecision(0.5),
    *(Before(), LastRecall()),
]


def _rankings():
    rng = np.random.default_rng(7)
    y_true, y_score = rng.random(40) < 0.4, rng.random(40)
    tied, queries = np.round(y_score, 1), rng.integers(0, 4, 40)
    lost = np.where(rng.random(40) < 0.2, -np.inf, tied)
    ordered = np.sort(y_true)
    yield "ties", {"y_true": y_true, "y_score": tied}
    yield "no ties", {"y_true": y_true, "y_score": y_score}
    yield "constant", {"y_true": Y, "y_score": [0.5] * 10}
    yield "perfect", {"y_true": ordered, "y_score": np.sort(y_score)}
    yield "inverted", {"y_true": ordered, "y_score": -np.sort(y_score)}
    yield "no positive", {"y_true": np.zeros(9), "y_score": tied[:9]}
    yield "all positives", {"y_true": np.ones(9), "y_score": tied[:9]}
    yield "queries", {"y_true": y_true & (queries > 0), "y_score": tied, "queries": queries}
    yield "weights", {"y_true": y_true, "y_score": tied, "sample_weight": rng.random(40)}
    yield "misses", {"y_true": y_true, "y_score": lost, "n_positives": 25}
    yield "misses of queries", {"y_true": y_true, "y_score": lost, "queries": queries}


RANKINGS = dict(_rankings())
