"""A sample that is said in two ways has the same interval, comparison and best model."""

import numpy as np
import pytest
from answers import fields_of
from every import every
from interval_data import SMOOTH, Rough, drawn

from sklearn_ap import average_precision_interval, best_average_precision, compare_average_precision
from sklearn_ap.definitions import AtK, Expected, Interpolated, PrecisionAtRecall, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")

N, C = 90, 3
RNG = np.random.default_rng(2)
Y, S = drawn(N, C)
SCORES = {"a": S, "b": S + RNG.normal(size=S.shape), "c": -S}
WEIGHT, PATIENT = RNG.lognormal(size=N), RNG.integers(0, 30, N)
COLUMN, ROW = np.tile(np.arange(C), N), np.repeat(np.arange(N), C)
ORDER = RNG.permutation(Y.size)  # rows of the long form may be in any order
KNOWN = np.add(Y.sum(axis=0), [5, 0, 9])


def table(y=Y, scores=SCORES, **options):
    return y, scores, options


def cells(**options):
    """Each cell of the table as a row."""
    rows = {k: v[ORDER] for k, v in options.items() if np.size(v) == Y.size}
    scores = {name: score.ravel()[ORDER] for name, score in SCORES.items()}
    return table(Y.ravel()[ORDER], scores, **options | rows)


def long(**options):
    """The same with columns as queries, and rows as clusters."""
    options = {"clusters": np.arange(N)} | options
    rows = {k: np.repeat(v, C) for k, v in options.items() if np.size(v) == N}
    return cells(**options | rows, queries=COLUMN)


def first_column(**options):
    return table(Y[:, 0], {name: score[:, 0] for name, score in SCORES.items()}, **options)


def beside_an_empty_column(**options):
    scores = {name: np.column_stack((score, score[:, 0])) for name, score in SCORES.items()}
    return table(np.column_stack((Y, np.zeros(N, int))), scores, zero_division=np.nan, **options)


WEIGHTED = {"sample_weight": WEIGHT, "average": "weighted"}
IN_LONG_FORM = [{}, {"clusters": PATIENT}, {"n_positives": KNOWN}, {"prevalence": 0.05}]
IN_LONG_FORM += [WEIGHTED, WEIGHTED | {"clusters": PATIENT}]
OF_CLASSES = {"prevalence": 0.1, "sample_weight": np.where(Y[:, 0], 0.25, 50.0)}
QUARTERS = {"n_positives": KNOWN / 4, "sample_weight": np.full(N, 0.25)}
ZERO = {"zero_division": 0.0}
PAIRS = [
    *((table(**each), long(**each), [Step(), Interpolated(11), AtK(5)]) for each in IN_LONG_FORM),
    (table(), long(), [Expected(), PrecisionAtRecall(0.5)]),
    (table(average="micro"), cells(clusters=ROW), SMOOTH),
    (table(average="samples", **ZERO), cells(queries=ROW, **ZERO), [*SMOOTH, AtK(2)]),
    (first_column(), first_column(clusters=RNG.permutation(N)), SMOOTH),
    (first_column(prevalence=0.1), first_column(**OF_CLASSES), SMOOTH),
    *(
        (table(average=average, n_positives=KNOWN), table(average=average, **QUARTERS), of)
        for average, of in (("macro", SMOOTH), ("weighted", [Rough()]), (None, SMOOTH))
    ),
    (table(average="weighted"), beside_an_empty_column(average="weighted"), [Step()]),
]


def numbers(definition, y, scores, options):
    """What each function says of a sample."""
    asked = {"definition": definition, "n_resamples": 49} | options
    yield average_precision_interval(y, scores["a"], **asked)
    yield compare_average_precision(y, scores, **asked)
    if options.get("average", "macro") is not None:
        yield best_average_precision(y, scores, **asked)


@every(
    ("definition", "one", "other"),
    [(definition, *pair) for *pair, of in PAIRS for definition in of],
    ids=lambda part: part if not isinstance(part, tuple) else [*part[2]],
)
def test_both_ways_have_the_same_numbers(definition, one, other):
    if definition.depth is not None and "prevalence" in one[2]:
        return  # it takes none
    for found in zip(numbers(definition, *one), numbers(definition, *other), strict=True):
        first, second = map(fields_of, found)
        for name in first.keys() - {"rankings", "remark"}:
            if isinstance(first[name], float | np.ndarray):
                np.testing.assert_allclose(second[name], first[name], rtol=1e-5, atol=1e-6)
            else:
                assert second[name] == first[name], name
