"""Samples of a hundred rows beside the reference.

In those of random cases, which are smaller, the prior variance outweighs what a judge, or clusters
of both classes, change.
"""

from functools import partial

import numpy as np
import pytest

from tests.crossings.cases import Case, generator
from tests.crossings.entrances import ENTRANCES, fail_if_any, failure, outcome

N, of = 100, partial(generator, 0)  # each array has a generator of its own
Y = (of("labels").random(N) < 0.3).astype(int)
NOISE = 0.7 * of("noise").normal(size=(3, N))
NOISE[1:] += NOISE[0]
SCORES = {name: np.round(2 * (Y + each)) / 2 for name, each in zip("abc", NOISE, strict=True)}
SCORED_ALIKE = np.abs(10 * SCORES["a"]).astype(int)
PATIENTS = np.where(of("patients").random(N) < 0.5, SCORED_ALIKE, np.arange(N) % 9)
CHANCE = np.where((SCORES["a"] > 0) | Y, 0.7, 0.2)  # of the latter, none is positive
CHANCES = {
    "inclusion_probability": CHANCE,
    "judge": np.where(of("judge").random(N) < 0.15, 1 - Y, Y),
    "sample_weight": of("weights").choice([1.0, 2.0, 6.0], N),
}
SEEN = of("labelled").random(N) < CHANCE
CASES = {
    "clusters of both classes": Case(
        0, "rows", Y, SCORES, ("Step", {}), {"clusters": PATIENTS, "prevalence": 0.1}
    ),
    "chances": Case(0, "rows", Y, SCORES, ("Step", {}), CHANCES, is_labelled=SEEN),
}


FUNCTIONS = ("average_precision_interval", "compare_average_precision", "operating_point")


def takes_all(entrance, case):
    part = entrance.name in FUNCTIONS and entrance.part_of(case)
    return part and part.options == case.options


@pytest.mark.parametrize("name", CASES)
def test_every_call_gives_the_numbers_of_the_reference(name):
    case = CASES[name]
    takes = [each for each in ENTRANCES if takes_all(each, case)]
    calls = {each.line: each for each in takes}  # once each
    assert calls
    ended = [(entrance, name, case, outcome(entrance, case)) for entrance in calls.values()]
    fail_if_any(failure(*each) for each in ended if each[3].kind != "right")
