"""Every score with the options that change its meaning, its reference, and data to try both on."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import reference
from hypothesis import strategies as st

import sklearn_ap
from sklearn_ap import definitions


@dataclass(frozen=True)
class Entry:
    """A score, and what the laws need to know of it."""

    score: Callable[..., Any]
    reference: Callable[..., Any]
    weighted: bool = True
    best_is_one: bool = True  # a perfect ranking scores 1
    counts_to: int | None = None  # k
    needs_positives: bool = True


LEVELS = [0.1, 0.25, 0.9]

REGISTRY = {
    "step": Entry(sklearn_ap.step_average_precision_score, reference.step),
    "interpolated": Entry(sklearn_ap.interpolated_average_precision_score, reference.interpolated),
    "interpolated at 5 levels": Entry(
        partial(sklearn_ap.interpolated_average_precision_score, recall_levels=5),
        partial(reference.at_levels, levels=reference.equal_levels(5)),
    ),
    "interpolated at given levels": Entry(
        partial(sklearn_ap.interpolated_average_precision_score, recall_levels=LEVELS),
        partial(reference.at_levels, levels=reference.decimal(LEVELS)),
    ),
    "eleven-point": Entry(
        sklearn_ap.eleven_point_average_precision_score,
        partial(reference.at_levels, levels=reference.equal_levels(11)),
    ),
    **{
        f"at 3 over {normalizer}": Entry(
            partial(sklearn_ap.average_precision_at_k_score, k=3, normalizer=normalizer),
            partial(reference.at_k, k=3, normalizer=normalizer),
            best_is_one=normalizer == "attainable",
            counts_to=3,
        )
        for normalizer in ("attainable", "positives", "hits", "k")
    },
    "precision at 3": Entry(
        partial(sklearn_ap.precision_at_k_score, k=3),
        partial(reference.precision_at_k, k=3),
        best_is_one=False,
        counts_to=3,
        needs_positives=False,
    ),
    "recall at 3": Entry(
        partial(sklearn_ap.recall_at_k_score, k=3),
        partial(reference.recall_at_k, k=3),
        best_is_one=False,
        counts_to=3,
    ),
    "expected": Entry(
        sklearn_ap.expected_average_precision_score, reference.expected, weighted=False
    ),
    "expected at 3": Entry(
        partial(sklearn_ap.expected_average_precision_score, k=3),
        partial(reference.expected, k=3),
        weighted=False,
        counts_to=3,
    ),
}

# Every definition of the package, with all the options that its class calls worth trying.
KINDS = [
    kind
    for kind in (getattr(definitions, name) for name in definitions.__all__)
    if not inspect.isabstract(kind)
]
DEFINITIONS = [kind(**options) for kind in KINDS for options in kind.trials.good]

WEIGHTS = st.sampled_from([0.0, 0.125, 0.5, 1.0, 2.0, 3.5])


@st.composite
def predictions(draw, max_size=9, weights=None):
    """Labels, scores full of ties, and a weight each where a strategy for them is given."""
    n = draw(st.integers(1, max_size))
    labels = draw(st.lists(st.integers(0, 1), min_size=n, max_size=n))
    scores = draw(st.lists(st.integers(-4, 4), min_size=n, max_size=n))
    y_true, y_score = np.array(labels), np.array(scores) / 8
    if weights is None:
        return y_true, y_score
    weight = np.array(draw(st.lists(weights, min_size=n, max_size=n).filter(any)))
    return y_true, y_score, weight
