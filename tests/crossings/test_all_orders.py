"""What chance gives, from all orders of the labels of small rankings."""

from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import combinations

import full_reference
import numpy as np
import pytest
from answers import definition_of
from cases import make, plain
from seeds import SEEDS

import sklearn_ap

N_ORDERS = 999
DEFINITIONS = [
    ("Step", {}),
    ("Expected", {"k": 2}),
    ("AtK", {"k": 3}),
    ("AtK", {"k": 3, "normalizer": "positives"}),
    ("Interpolated", {}),
    ("PrecisionAtK", {"k": 2}),
    ("AtK", {"k": 3, "normalizer": "hits"}),
]
pytestmark = pytest.mark.filterwarnings("ignore")


def values_of_all_orders(case):
    """The value of each set of rows that may be the positives; None where it is undefined."""
    n, scores = len(case.y_true), plain(case.y_score)
    for chosen in combinations(range(n), int(case.is_positive.sum())):
        labels = [i in chosen for i in range(n)]
        ranking = full_reference.Ranking(labels, scores, [Fraction(1)] * n, [*range(n)])
        prevalence = case.options.get("prevalence")
        yield full_reference.value(case.definition, ranking, ranking.found, prevalence)


@pytest.mark.parametrize("seed", [*SEEDS, *range(1000, 1200)])
def test_chance_test_equals_enumeration_of_all_orders(seed):
    case = make(seed)
    if case.kind != "rows" or len(case.y_true) > 9 or not case.is_positive.any():
        return
    for definition in DEFINITIONS:
        taken = ["pos_label", "prevalence"] if "k" not in definition[1] else ["pos_label"]
        small = replace(case, definition=definition, options=case.said(*taken))
        values = [*values_of_all_orders(small)]
        if len(values) == 1 or None in values:  # no negative
            continue
        values, score, options = np.array(values, float), small.exact(), small.options
        ask = {"definition": definition_of(small), "n_permutations": N_ORDERS} | options
        call = partial(sklearn_ap.chance_test, small.y_true, small.y_score, **ask)
        found = call()
        error = values.std() / np.sqrt(N_ORDERS)
        is_mean = abs(found.chance - values.mean()) < 5 * error + 1e-12
        assert is_mean, f"chance is {found.chance}, not {values.mean()}:\n{call}"
        share = np.mean(values >= score - 1e-12)
        error = np.sqrt(share * (1 - share) / N_ORDERS)
        is_share = abs(found.pvalue - share) < 5 * error + 1.01 / N_ORDERS
        assert is_share, f"pvalue is {found.pvalue}, not {share}:\n{call}"
