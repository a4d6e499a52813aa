"""What chance gives, from all orders of the labels of small rankings."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations

import full_reference
import numpy as np
import pytest
from answers import definition_of
from cases import OF_SCORES, make, plain
from seeds import SEEDS

import sklearn_ap

N_ORDERS = 999
MOST_ROWS = 9
BY_FORMULA = ("Step", "Expected", "AtK")
DEFINITIONS = [
    *(("Step", {}), ("Interpolated", {}), ("Expected", {"k": 2})),
    *(("AtK", {"k": 3}), ("AtK", {"k": 3, "normalizer": "positives"}), ("PrecisionAtK", {"k": 2})),
    ("AtK", {"k": 3, "normalizer": "hits"}),
]
pytestmark = pytest.mark.filterwarnings("ignore")


def small_cases(seeds):
    """Single rankings of a few rows that have a positive, without weights, by definitions."""
    for seed in seeds:
        case = make(seed)
        if case.kind == "rows" and 1 < len(case.y_true) <= MOST_ROWS and case.is_positive.any():
            options = {*case.options} & OF_SCORES - {"sample_weight", "n_positives"}
            case = case.without(*({*case.options} - options))
            for definition in DEFINITIONS:
                at_k = {"prevalence"} if "k" in definition[1] else ()
                yield replace(case.without(*at_k), definition=definition)


def values_of_all_orders(case):
    """The value of each set of rows that may be the positives."""
    n, scores = len(case.y_true), plain(case.y_score)
    for chosen in combinations(range(n), int(case.is_positive.sum())):
        labels = [i in chosen for i in range(n)]
        ranking = full_reference.Ranking(labels, scores, [Fraction(1)] * n, [*range(n)])
        prevalence = case.options.get("prevalence")
        yield full_reference.value(case.definition, ranking, ranking.found, prevalence)


def wrong(case):
    """What chance_test says that all orders do not."""
    exact = [*values_of_all_orders(case)]
    if None in exact:  # no negative
        return
    exact, score = np.array(exact, float), case.exact()
    found = sklearn_ap.chance_test(
        case.y_true,
        case.y_score,
        definition=definition_of(case),
        n_permutations=N_ORDERS,
        **case.options,
    )
    name, options = case.definition
    has_formula = name in BY_FORMULA and options.get("normalizer") != "hits"
    error = exact.std() / np.sqrt(N_ORDERS)
    error = 0 if has_formula and "prevalence" not in case.options else error
    if abs(found.chance - exact.mean()) > 5 * error + 1e-12:
        yield f"seed {case.seed}, {case.definition}: chance {found.chance}, not {exact.mean()}"
    share = np.mean(exact >= score - 1e-12)
    if abs(found.pvalue - share) > 5 * np.sqrt(share * (1 - share) / N_ORDERS) + 1 / N_ORDERS:
        yield f"seed {case.seed}, {case.definition}: p-value {found.pvalue}, not {share}"


def test_chance_is_the_mean_of_all_orders_and_the_pvalue_their_share():
    cases = [*small_cases([*SEEDS, *range(1000, 1200)])]
    texts = [text for case in cases for text in wrong(case)]
    assert len(cases) > 5
    assert not texts, "\n".join(texts)
