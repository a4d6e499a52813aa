"""What the tests of sklearn_ap.compat share: predictions, names, and recorded answers of tools."""

import json
from dataclasses import dataclass
from pathlib import Path

from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._tools import ALL_ENTRIES, ENTRIES
from sklearn_ap.definitions import Definition

CASES = json.loads((Path(__file__).parents[1] / "data" / "peers.json").read_text())
NAMES = [entry.name for entry in ENTRIES]  # of functions of tools
ALL_NAMES = [entry.name for entry in ALL_ENTRIES]
Y = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
S = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]


def checked(y_true, y_score):
    return check_predictions(y_true, y_score, sample_weight=None, queries=None, pos_label=None)


def options_of(entry):
    """What a function must be told."""
    return {"k": 3} if entry.k in ("required", "usual") else {}


def asked(case, record):
    """The name and the options of compat.score, with the weights of the case if they were used."""
    weight = {name: case[name] for name in {"sample_weight"} & {*record["options"]}}
    return record["name"], record["options"] | weight


@dataclass(frozen=True, repr=False)
class Before(Definition):
    title = "AP before"

    def heights(self, counts):
        return counts.precision_before(1.0)


@dataclass(frozen=True, repr=False)
class OfTwice(Definition):
    title = "half of AP"

    def heights(self, counts):
        return counts.precision

    def divisor(self, counts):
        return 2 * counts.n_positives


@dataclass(frozen=True, repr=False)
class LastRecall(Definition):
    title = "the last recall"

    def __call__(self, counts):
        return counts.highest(counts.recall)


# Definitions that a user may write.
OWN = [Before(), OfTwice(), LastRecall()]
