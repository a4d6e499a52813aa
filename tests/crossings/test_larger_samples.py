"""Samples of a hundred rows beside the reference.

In those of random cases, which are smaller, the prior variance outweighs what a judge, clusters of
both classes, few clusters that differ, or rows that determine all columns change.
"""

from functools import partial

import numpy as np
import pytest
from cases import Case, generator
from entrances import ENTRANCES, fail_if_any, failure, outcome
from of_segments import expected_refusal

N, of = 100, partial(generator, 0)  # each array has a generator of its own
TABLE = (of("labels").random((N, 3)) < 0.3).astype(int)
NOISE = 0.7 * of("noise").normal(size=(3, N, 3))
NOISE[1:] += NOISE[0]
SCORES = {name: np.round(2 * (TABLE + each)) / 2 for name, each in zip("abc", NOISE, strict=True)}
Y, ONE_SCORE = TABLE[:, 0], {name: score[:, 0] for name, score in SCORES.items()}
WEIGHT = of("weights").choice([1.0, 2.0, 6.0], N)
SCORED_ALIKE = np.abs(10 * ONE_SCORE["a"]).astype(int)
PATIENTS = np.where(of("patients").random(N) < 0.5, SCORED_ALIKE, np.arange(N) % 9)
ALONE, GROUPS = np.arange(N), of("groups").permutation(np.arange(N) // 3)
JUDGE = np.where(of("judge").random(N) < 0.15, 1 - Y, Y)
UNSURE = np.clip(0.8 * JUDGE + 0.1 * of("unsure judge").random(N), 0.05, 0.9)
CHANCE = np.where((ONE_SCORE["a"] > 0) | Y, 0.7, 0.2)  # of the latter, none is positive


# One of them has many positives, so its derivative is wrong; that of the 600 others is not.
UNEQUAL = np.repeat(np.arange(601), [20, *[2] * 600])
OF_UNEQUAL = np.where(UNEQUAL == 0, 1, of("unequal").random(UNEQUAL.size) < 0.5).astype(int)
NOISE_OF_UNEQUAL = of("noise of unequal").normal(size=UNEQUAL.size)


def first_rows_differ(n, scores):
    return scores | {"b": np.concatenate((scores["b"][:n], scores["a"][n:]))}


def columns(scores=SCORES, **options):
    return Case(0, "columns", TABLE, scores, ("Step", {}), options)


def rows(scores=ONE_SCORE, y_true=Y, **options):
    return Case(0, "rows", y_true, scores, ("Step", {}), options)


def segments(**options):
    options |= {"queries": np.arange(N) % 3, "sample_weight": WEIGHT, "clusters": GROUPS}
    return Case(1, "queries", Y, ONE_SCORE, ("Step", {}), options)


# Three segments of many positives, and one of few that is in no mean of others
HALF, OF_SEGMENT = (of("half").random(N) < 0.5).astype(int), np.minimum(np.arange(N) // 31, 3)


def others(**options):
    scores = dict.fromkeys("abc", np.round(2 * (HALF + NOISE[0, :, 0])) / 2 + OF_SEGMENT)
    options |= {"queries": OF_SEGMENT}
    return Case(1, "queries", HALF, scores, ("Step", {}), options)


# Segments in an order, of which the last two are small
IN_ORDER = np.repeat(np.arange(9), [*[40] * 7, 6, 14])
OF_ORDER = (of("labels in an order").random(IN_ORDER.size) < 0.5).astype(int)
NOISE_OF_ORDER = of("noise in an order").normal(size=IN_ORDER.size)
FEW_MONTHS = IN_ORDER < 4


def ordered_segments(kept=IN_ORDER >= 0, seed=1, **options):
    varying = np.array([0.2, 1.8, 0.4, 2.0, 0.0, 1.5, 0.6, 1.0, 1.0])[IN_ORDER]
    scores = np.round(4 * (varying * OF_ORDER + NOISE_OF_ORDER)) / 4
    given = {name: column[kept] for name, column in ({"queries": IN_ORDER} | options).items()}
    return Case(
        seed, "queries", OF_ORDER[kept], dict.fromkeys("abc", scores[kept]), ("Step", {}), given
    )


# Queries of 5 rows, of which those of segment 1 are ranked worse, and some have no positive
OF_QUERY = np.repeat(3 * np.arange(140), 5)
OF_QUERIES = (of("labels of queries").random(OF_QUERY.size) < 0.3).astype(int)
SIGNAL = np.where(OF_QUERY // 3 % 3 == 1, 0.0, 2.0) * OF_QUERIES
SCORED_QUERIES = np.round(2 * (SIGNAL + of("noise of queries").normal(size=OF_QUERY.size))) / 2


def segments_of_queries(n, definition="Step", **options):
    rows = slice(5 * n)
    options = {"queries": OF_QUERY} | options
    given = {k: each[rows] if isinstance(each, np.ndarray) else each for k, each in options.items()}
    scores = dict.fromkeys("abc", SCORED_QUERIES[rows])
    return Case(1, "queries", OF_QUERIES[rows], scores, (definition, {}), given)


def labelled(chance, judge=JUDGE, kind="rows", units=ALONE, scores=ONE_SCORE, **options):
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
    "missed positives of columns": columns(n_positives=np.add(TABLE.sum(axis=0), [30, 5, 0])),
    "few rows that differ in all columns": columns(first_rows_differ(8, SCORES)),
    "clusters of both classes": rows(clusters=PATIENTS, prevalence=0.1),
    "few clusters that differ": rows(
        first_rows_differ(4, ONE_SCORE), clusters=np.arange(N) // 4, alternative="less"
    ),
    "a large cluster": rows(
        dict.fromkeys("abc", np.round(OF_UNEQUAL + NOISE_OF_UNEQUAL)),
        OF_UNEQUAL,
        clusters=UNEQUAL,
    ),
    "others of segments": others(),
    "others with clusters": others(clusters=GROUPS, alternative="greater"),
    "others with weights": others(clusters=PATIENTS, sample_weight=np.sqrt(WEIGHT)),
    "segments that are worse": segments(alternative="less", reference="b"),
    "segments in an order": ordered_segments(),
    "segments in an order, of folds": ordered_segments(seed=3),
    "segments in an order with weights": ordered_segments(
        sample_weight=1 + IN_ORDER % 3 / 2 + OF_ORDER
    ),
    "segments of clusters in an order": ordered_segments(clusters=np.arange(IN_ORDER.size) // 2),
    "clusters in two segments": ordered_segments(
        clusters=(np.arange(IN_ORDER.size) + 20) // 4 % 60
    ),
    "clusters in all segments": ordered_segments(clusters=np.arange(IN_ORDER.size) % 40),
    "few segments in an order": ordered_segments(FEW_MONTHS),
    "clusters in a few segments": ordered_segments(
        FEW_MONTHS, clusters=np.arange(IN_ORDER.size) % 40
    ),
    "three segments of 20 queries": segments_of_queries(60),
    "segments of 10 and 9 queries": segments_of_queries(29, "Expected"),
    "segments of queries with weights": segments_of_queries(
        60, sample_weight=OF_QUERY % 4 * 0.5 + OF_QUERIES, alternative="less", reference="c"
    ),
    "segments of queries at a prevalence": segments_of_queries(60, prevalence=0.2, reference="b"),
    "seven segments of 20 queries": segments_of_queries(140),
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
    "compare_segments",
)


def takes_all(entrance, case):
    part = entrance.part_of(case)
    if entrance.name.startswith("compare") and {"judge", "clusters"} <= case.options.keys():
        return False  # refused, as it was not measured
    if "best" in entrance.of and {"queries", "clusters"} <= case.options.keys():
        return False  # refused over classes of images
    return part is not None and part.options == case.options


@pytest.mark.parametrize("name", CASES)
def test_every_call_gives_the_numbers_of_the_reference(name):
    case = CASES[name]
    takes = [each for each in ENTRANCES if each.name in FUNCTIONS and takes_all(each, case)]
    takes = [each for each in takes if each.expected is not expected_refusal]
    calls = {each.line: each for each in takes}  # once each
    assert calls
    ended = [(entrance, name, case, outcome(entrance, case)) for entrance in calls.values()]
    fail_if_any(failure(*each) for each in ended if each[3].kind != "right")
