"""Samples of a hundred rows beside the reference.

In those of random cases, which are smaller, the prior variance outweighs what a judge, or clusters
of both classes, change.
"""

from functools import partial

import numpy as np
import pytest
from cases import Case, generator
from entrances import ENTRANCES, fail_if_any, failure, outcome

N, of = 100, partial(generator, 0)  # each array has a generator of its own
Y = (of("labels").random(N) < 0.3).astype(int)
NOISE = 0.7 * of("noise").normal(size=(3, N))
NOISE[1:] += NOISE[0]
SCORES = {name: np.round(2 * (Y + each)) / 2 for name, each in zip("abc", NOISE, strict=True)}
WEIGHT = of("weights").choice([1.0, 2.0, 6.0], N)
SCORED_ALIKE = np.abs(10 * SCORES["a"]).astype(int)
PATIENTS = np.where(of("patients").random(N) < 0.5, SCORED_ALIKE, np.arange(N) % 9)
ALONE, GROUPS = np.arange(N), of("groups").permutation(np.arange(N) // 3)
JUDGE = np.where(of("judge").random(N) < 0.15, 1 - Y, Y)
UNSURE = np.clip(0.8 * JUDGE + 0.1 * of("unsure judge").random(N), 0.05, 0.9)
CHANCE = np.where((SCORES["a"] > 0) | Y, 0.7, 0.2)  # of the latter, none is positive
# One of them has many positives, so its derivative is wrong; that of the 600 others is not.
UNEQUAL = np.repeat(np.arange(601), [20, *[2] * 600])
OF_UNEQUAL = np.where(UNEQUAL == 0, 1, of("unequal").random(UNEQUAL.size) < 0.5).astype(int)
NOISE_OF_UNEQUAL = of("noise of unequal").normal(size=UNEQUAL.size)


def rows(scores=SCORES, y_true=Y, **options):
    return Case(0, "rows", y_true, scores, ("Step", {}), options)


def labelled(chance, judge=JUDGE, kind="rows", units=ALONE, scores=SCORES, **options):
    """Some rows, or groups of them, have labels."""
    seen = of("labelled").random(N)[units] < chance
    options |= {"inclusion_probability": chance, "judge": judge}
    return Case(0, kind, Y, scores, ("Step", {}), options, is_labelled=seen)


OF_GROUPS = np.where(np.arange(N) % 2, 0.3, 0.9)[GROUPS]
OF_MANY_CLUSTERS = Case(
    seed=0,
    kind="rows",
    y_true=OF_UNEQUAL,
    scores=dict.fromkeys("abc", np.round(2 * (OF_UNEQUAL + NOISE_OF_UNEQUAL))),
    definition=("Step", {}),
    options={
        "clusters": UNEQUAL,
        "judge": np.where(of("judge of unequal").random(UNEQUAL.size) < 0.1, 0, OF_UNEQUAL),
    },
    is_labelled=(of("labelled unequal").random(601) < 0.4)[UNEQUAL],
)
CASES = {
    "clusters of both classes": rows(clusters=PATIENTS, prevalence=0.1),
    "a large cluster": rows(
        dict.fromkeys("abc", np.round(OF_UNEQUAL + NOISE_OF_UNEQUAL)),
        OF_UNEQUAL,
        clusters=UNEQUAL,
    ),
    "a judge": labelled(0.4),
    "an unsure judge": labelled(0.4, UNSURE),
    "a judge, and weights": labelled(0.4, sample_weight=WEIGHT),
    "a judge, and chances": labelled(CHANCE, sample_weight=WEIGHT),
    "perfect scores": labelled(CHANCE, scores=dict.fromkeys("abc", Y), sample_weight=WEIGHT / 7),
    "a judge of clusters": labelled(OF_GROUPS, units=GROUPS, clusters=GROUPS),
    "an unsure judge of clusters": labelled(0.5, UNSURE, units=GROUPS, clusters=GROUPS),
    "a judge of many clusters": OF_MANY_CLUSTERS,
    "a judge of queries": labelled(OF_GROUPS, kind="queries", units=GROUPS, queries=GROUPS),
}
FUNCTIONS = (
    "average_precision_interval",
    "compare_average_precision",
    "operating_point",
)


def takes_all(entrance, case):
    part = entrance.part_of(case)
    if entrance.name.startswith("compare") and {"judge", "clusters"} <= case.options.keys():
        return False  # refused, as it was not measured
    return part is not None and part.options == case.options


@pytest.mark.parametrize("name", CASES)
def test_every_call_gives_the_numbers_of_the_reference(name):
    case = CASES[name]
    takes = [each for each in ENTRANCES if each.name in FUNCTIONS and takes_all(each, case)]
    calls = {each.line: each for each in takes}  # once each
    assert calls
    ended = [(entrance, name, case, outcome(entrance, case)) for entrance in calls.values()]
    fail_if_any(failure(*each) for each in ended if each[3].kind != "right")
