"""What changes no number of intervals and comparisons: laws that need no reference.

Warnings of NumPy are errors here. Limits hold their estimates, and p-values and verdicts agree with
them: ``fields_of`` holds that.
"""

from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from answers import MODELS, definition_of, fields_of
from cases import make
from entrances import OF_INTERVALS, OF_TESTS, is_ours

import sklearn_ap

SEEDS = range(5000, 5120)
pytestmark = [
    pytest.mark.filterwarnings("ignore"),
    pytest.mark.filterwarnings("error::RuntimeWarning"),
]


def interval(case, names):
    given = {"definition": definition_of(case)} | case.said(*OF_INTERVALS)
    return partial(sklearn_ap.average_precision_interval, case.y_true, case.y_score, **given)


def comparison(case, names, **more):
    given = {"definition": definition_of(case), "reference": "a"} | case.said(*OF_TESTS) | more
    models = {name: case.scores[name] for name in names}
    return partial(sklearn_ap.compare_average_precision, case.y_true, models, **given)


def best(case, names):
    return comparison(case.without("alternative"), names, reference="best")


def numbers_of(call):
    """The numbers in the order of the names of models; None if the call is refused."""
    try:
        found = call()
    except (ValueError, TypeError) as error:
        if not is_ours(error):
            raise
        return None
    numbers = fields_of(found)
    if isinstance(found, sklearn_ap.Comparison):
        order = sorted(range(len(found.names)), key=lambda i: found.names[i])
        numbers = {name: np.atleast_1d(number)[order] for name, number in numbers.items()}
    return {name: np.atleast_1d(number).astype(float) for name, number in numbers.items()}


def doubled(case):
    """The same rows, each of which counts twice as much."""
    twice = {name: 2 * np.asarray(value) for name, value in case.said("n_positives").items()}
    return case.having(sample_weight=2 * case.weight, **twice)


def with_whole_scores(case):
    """The same orders and ties, by integers; rows that were not retrieved keep their score."""
    whole = {name: np.unique(each, return_inverse=True)[1] for name, each in case.scores.items()}
    are_whole = all(np.isfinite(each).all() for each in case.scores.values())
    return replace(case, scores=whole) if are_whole else case


def changed_cases(case):
    """What changes no number, and why the case is not asked for some of it.

    A definition at k counts weight, and its half samples are drawn in an order of rows.
    """
    if "k" in case.definition[1] or case.definition[0] in ("ReciprocalRank", "Interpolated"):
        return
    if len({str(case.exact(name)) for name in MODELS}) == len(MODELS):  # else the first is best
        yield "models in another order", case, MODELS[::-1]
    yield "whole numbers as scores", with_whole_scores(case), MODELS
    yield "rows in another order", case.only(np.arange(len(case.y_true))[::-1]), MODELS
    if "sample_weight" in case.options:
        yield "weights times two", doubled(case), MODELS


@pytest.mark.parametrize("asked", [interval, comparison, best])
def test_units_of_weight_and_orders_of_rows_and_models_change_no_number(asked):
    n_given = 0
    for seed in SEEDS:
        case = make(seed)
        call = asked(case, MODELS)
        expected = numbers_of(call)
        if expected is None:
            continue
        n_given += 1
        low, estimate, high = (expected[name] for name in ("low", "estimate", "high"))
        is_known = ~np.isnan(low)
        holds = (low <= estimate + 1e-12) & (estimate <= high + 1e-12)
        assert holds[is_known].all(), call
        for law, changed, models in changed_cases(case):
            found = numbers_of(asked(changed, models))
            assert found is not None, f"{law} is refused:\n{call}"
            for name, number in expected.items():
                wanted = pytest.approx(number, rel=1e-8, abs=1e-9, nan_ok=True)
                if name != "n_positives":
                    assert found[name] == wanted, f"case {seed}, {law}: {name}:\n{call}"
    assert n_given > len(SEEDS) / 2
