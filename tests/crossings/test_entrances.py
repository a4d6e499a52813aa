"""Every call gives the numbers of the reference, or an error of ours that names an argument."""

import inspect
from dataclasses import fields

import pytest
from hypothesis import settings

from sklearn_ap._inputs.request import Request
from tests.crossings.cases import make
from tests.crossings.entrances import ENTRANCES, fail_if_any, failure, outcome, parameters_of
from tests.helpers.first_cases import quick
from tests.helpers.public_names import public

# 5 examples are the default, 50 thorough, and 500 long.
N_SEEDS = {5: 120, 50: 2_000}.get(settings.default.max_examples, 20_000)
N_QUICK = 10 if N_SEEDS == 120 else N_SEEDS


def failures(seed):
    """What the calls of a case do that they should not do."""
    case = make(seed)
    for entrance in ENTRANCES:
        part = entrance.part_of(case)
        if part and (found := outcome(entrance, part)).kind not in ("right", "refused"):
            yield failure(entrance, seed, part, found)


@pytest.mark.usefixtures("few_halves")  # limits are compared with equations elsewhere
@pytest.mark.parametrize("seed", quick(range(N_SEEDS), N_QUICK))
def test_every_call_gives_the_numbers_of_the_reference(seed):
    fail_if_any(failures(seed))


def test_functions_of_labels_and_scores_are_called_with_all_options_of_requests():
    shared = {option.name for option in fields(Request)} - {"y_true", "y_score", "xp"}
    called = {entrance.name for entrance in ENTRANCES}
    for name, thing in public():
        if inspect.isfunction(thing) and "." not in name and "y_true" in parameters_of(name):
            # Segments have tests of their own, and the report asks the other functions.
            assert name in called | {"compare_segments", "report"}, f"ENTRANCES needs {name}"
    for name in called - {"large.from_groups"}:  # whose n_positives is a column
        taken = {option for each in ENTRANCES if each.name == name for option in each.options}
        left = shared & parameters_of(name).keys() - taken
        assert not left, f"{name} in ENTRANCES needs {left}"
