"""Every definition and every score with options to try, their references, and data for both."""

import inspect
import re
import runpy
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import definitions, threshold_counts
from sklearn_ap._inputs.request import Request
from sklearn_ap._scoring import score_of_request
from sklearn_ap.definitions import (
    AtK,
    Interpolated,
    PrecisionAtK,
    RecallAtK,
    Step,
)
from tests.helpers import reference

# Every definition of the package, with options worth trying: all of them, where it has some.
KINDS = [getattr(definitions, name) for name in definitions.__all__]
KINDS = [kind for kind in KINDS if not inspect.isabstract(kind)]
GOOD_OPTIONS = {
    "AtK": [
        {"k": k, "normalizer": name}
        for k in (3, 0.3)
        for name in ("attainable", "positives", "hits", "k")
    ],
    "Expected": [{}, {"k": 3}, {"k": 0.3}],
    "Interpolated": [{}, *({"recall_levels": levels} for levels in (11, 101, (0.1, 0.5)))],
    "PrecisionAtK": [{"k": 3}, {"k": 0.3}],
    "PrecisionAtRecall": [{}, {"recall": 0.5}],
    "RecallAtK": [{"k": 3}, {"k": 0.3}],
    "RecallAtPrecision": [{}, {"precision": 0.5}],
    "ReciprocalRank": [{}, {"k": 3}, {"k": 0.3}],
}


def good_options(kind):
    """Options of a definition that are worth trying, each of them in one set at least."""
    return GOOD_OPTIONS.get(kind.__name__, [{}])


DEFINITIONS = [kind(**options) for kind in KINDS for options in good_options(kind)]

# Values that every definition refuses for an option of this name, unless one is its default.
BAD_SHARES = (-0.1, 1.1, np.nan, True, "0.5", None, 10**400)
BAD_LEVELS = ((), (0.5, 1.1), (-0.1,), ((0.1,),), (10**400,))
BAD_OPTIONS = {
    "k": (0, -1, 1.5, 1.0, 0.0, np.nan, True, "3", None, 2**63),
    "normalizer": ("atainable", None, 1),
    "precision": BAD_SHARES,
    "recall": BAD_SHARES,
    "recall_levels": (1, 0, True, 2.5, "all", 2**63, *BAD_LEVELS),
}

# The definition behind each score, and the options of it that the score does not leave open.
SCORES = {
    "average_precision_score": (Step, {}),
    "step_average_precision_score": (Step, {}),
    "interpolated_average_precision_score": (Interpolated, {}),
    "eleven_point_average_precision_score": (Interpolated, {"recall_levels": 11}),
    "average_precision_at_k_score": (AtK, {}),
    "precision_at_k_score": (PrecisionAtK, {}),
    "recall_at_k_score": (RecallAtK, {}),
}


def options_of(definition):
    return {field.name: getattr(definition, field.name) for field in fields(definition)}


def score(definition, y_true, y_score, **options):
    """The score that any definition gives, whether the package has a function for it or not."""
    request = Request(y_true=y_true, y_score=y_score, **{"zero_division": np.nan} | options)
    return score_of_request(definition, request)


def takes_weights(definition):
    try:
        definition(threshold_counts([1, 0], [1, 0], sample_weight=[1, 1]))
    except ValueError:
        return False
    return True


def takes_prevalence(definition):
    """Some look at the first ranks only, or refuse weighted counts."""
    return definition.depth is None and takes_weights(definition)


def reference_of(definition):
    """Its function in tests/helpers/reference.py, or in its test file, from data to a fraction."""
    kind = type(definition).__name__
    name = re.sub("(?<!^)(?=[A-Z])", "_", kind).lower()  # PrecisionAtK -> precision_at_k
    test_file = Path(__file__).parents[1] / f"definitions/test_{name}.py"
    if hasattr(reference, name):
        function = getattr(reference, name)
    elif test_file.exists() and (function := runpy.run_path(str(test_file)).get(name)):
        pass
    else:
        pytest.fail(
            f"{test_file} has no function {name}: write the value of one ranking in slow loops "
            f"over fractions, with the options of {kind}, as at_k of reference.py does for AtK."
        )
    return partial(function, **options_of(definition))


@dataclass(frozen=True)
class Entry:
    """A score with options, and the definition that it hands on to."""

    score: Callable[..., Any]
    definition: definitions.Definition

    @property
    def weighted(self):
        return takes_weights(self.definition)

    @property
    def needs_positives(self):
        return bool(np.isnan(score(self.definition, [0], [1])))


REGISTRY = {
    f"{name}({', '.join(f'{key}={value!r}' for key, value in options.items())})": Entry(
        partial(getattr(sklearn_ap, name), **options), kind(**fixed | options)
    )
    for name, (kind, fixed) in SCORES.items()
    for options in ([{}] if fixed else good_options(kind))
}
# The definitions that have no score of their own.
REGISTRY |= {
    f"average_precision_score(definition={definition!r})": Entry(
        partial(sklearn_ap.average_precision_score, definition=definition), definition
    )
    for definition in DEFINITIONS
    if type(definition) not in {kind for kind, _ in SCORES.values()}
}

WEIGHTS = (0.0, 0.125, 0.5, 1.0, 2.0, 3.5)


@st.composite
def predictions(draw, max_size=9, weights=None):
    """Labels, scores full of ties, and a weight each where values or a strategy are given.

    Not all of them are 0.
    """
    n = draw(st.integers(1, max_size))
    row_bytes = st.binary(min_size=n, max_size=n)  # one draw takes less time than n
    scores, y_true = np.divmod(np.frombuffer(draw(row_bytes), np.uint8).astype(int) % 18, 2)
    y_score = (scores - 4) / 8
    if weights is None:
        return y_true, y_score
    if isinstance(weights, tuple):
        weight = np.array([weights[byte % len(weights)] for byte in draw(row_bytes)])
    else:
        weight = np.array(draw(st.lists(weights, min_size=n, max_size=n)))
    weight[-1] += not weight.any()
    return y_true, y_score, weight
