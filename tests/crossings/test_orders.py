"""No question depends on the order of models, rows, columns, queries or segments.

Nor does it on the unit of weights, unless a definition counts them, as those at k do.
"""

from functools import partial

import numpy as np
import pytest

import sklearn_ap
from tests.helpers.first_cases import first, quick
from tests.helpers.registry import DEFINITIONS, takes_weights

SIZES = (30, 60, 90, 200, 500)
KINDS = (
    *("rows", "weights", "clusters"),
    *("ties", "weighted clusters", "queries"),
    *("columns", "each column", "columns of clusters"),
)
NUMBERS = (
    *("estimate", "low", "high", "standard_error", "n_effective"),
    *("difference", "difference_low", "difference_high", "pvalue"),
    *("chance", "corrected"),
)
# Each definition with three kinds, one of each line, so that each kind has ten definitions.
CASES = [
    (definition, kind, SIZES[(i + j) % len(SIZES)])
    for i, definition in enumerate(DEFINITIONS)
    for j, kind in enumerate(KINDS[i % 3 :: 3])
    if "weight" not in kind or takes_weights(definition)
]
pytestmark = [pytest.mark.filterwarnings("ignore"), pytest.mark.usefixtures("few_halves")]


def draw(kind, size, seed=0):
    """Draw labels, scores of three models, and what else a kind has for each row."""
    rng = np.random.default_rng([seed, size])
    shape = (size, 3) if "column" in kind else size
    y = (rng.random(shape) < rng.choice([0.1, 0.4])).astype(int)
    y[:6] = 0
    y[:3] = 1
    noise = rng.normal(size=shape)
    digits = 1 if kind == "ties" else 9
    models = {
        name: np.round(gain * y + noise + rng.normal(size=shape), digits)
        for name, gain in {"a": 1.0, "b": 1.6, "c": 0.8}.items()
    }
    of_rows = {"segments": rng.integers(0, 3, size)}
    if "weight" in kind:
        of_rows["sample_weight"] = rng.choice([0.5, 1.0, 3.0], size)
    if "clusters" in kind:
        of_rows["clusters"] = rng.integers(0, size // 4, size)
    if kind == "queries":
        of_rows["queries"] = rng.integers(0, 8, size)
    return y, models, of_rows


def in_another_order(definition, kind, y, models, of_rows):
    """Reverse models and columns, shuffle rows, and reverse the names of clusters and queries."""
    order = np.random.default_rng(1).permutation(len(y))
    columns = slice(None, None, -1 if kind.startswith("columns") else 1)
    of_rows = {name: each[order] for name, each in of_rows.items()}
    for name in {"clusters", "queries"} & {*of_rows}:
        of_rows[name] = of_rows[name].max() - of_rows[name]
    if "sample_weight" in of_rows and definition.depth is None:
        of_rows["sample_weight"] = 3 * of_rows["sample_weight"]
    reverse = reversed(models.items())
    return y[order].T[columns].T, {n: s[order].T[columns].T for n, s in reverse}, of_rows


def answers(definition, kind, y, models, of_rows):
    """Answer all questions; the answer to one that is refused is its error."""
    segments = of_rows["segments"]
    options = {"definition": definition, **of_rows}
    del options["segments"]
    if kind == "each column":
        options["average"] = None
    score = models["a"]
    two = {name: each for name, each in models.items() if name != "c"}
    compare = partial(sklearn_ap.compare_average_precision, y, **options)

    def compare_independent():
        samples = {}
        for name in "012" if next(iter(models)) == "a" else "021":
            rows = segments == int(name)
            more = {n: x[rows] if n in of_rows else x for n, x in options.items()}
            samples[name] = sklearn_ap.average_precision_interval(y[rows], score[rows], **more)
        first, *others = samples.values()
        return sklearn_ap.compare_independent(first, others, names=[*samples])

    questions = {
        "interval": partial(sklearn_ap.average_precision_interval, y, score, **options),
        "two models": partial(compare, two, reference="a"),
        "three models": partial(compare, models, reference="a"),
        "the best": partial(compare, models, reference="best"),
        "independent": compare_independent,
        "segments": partial(sklearn_ap.compare_segments, y, score, segments, **options),
        "chance": partial(sklearn_ap.chance_test, y, score, **options, n_permutations=20),
    }
    return {name: answer(question) for name, question in questions.items()}


def answer(question):
    """Return the numbers of a result, by the name of each row, or the kind of its error."""
    try:
        rows = question().to_dict()["rows"]
    except (ValueError, TypeError) as error:
        return type(error)
    return {str(row["name"]): [row.get(name) for name in NUMBERS] for row in rows}


def has_tied_winners(answers):
    """Check whether two models have the highest score, of which the first is the reference."""
    if isinstance(answers["the best"], type):
        return False
    scores = sorted(numbers[0] for numbers in answers["the best"].values())
    return scores[-1] - scores[-2] < 1e-9


QUICK = [case for case in CASES if case[2] == 60 and "Expected" not in repr(case[0])]


OTHERS = [case for case in CASES if case not in QUICK]


@pytest.mark.parametrize(
    "case",
    [*quick(QUICK, [case for case in QUICK if "0.3" not in repr(case)][::4]), *first(OTHERS, 0)],
    ids=lambda case: "-".join(map(str, case)),
)
def test_no_order_matters(case):
    definition, kind, size = case
    data = draw(kind, size)
    found = answers(definition, kind, *data)
    other = answers(definition, kind, *in_another_order(definition, kind, *data))
    assert isinstance(found["chance"], type) == kind.startswith("columns")  # whose mean is refused
    if has_tied_winners(found):
        del found["the best"], other["the best"]
    for question, expected in found.items():
        if isinstance(expected, type):
            assert other[question] is expected, question
            continue
        assert {*other[question]} == {*expected}, question
        for name, numbers in expected.items():
            both = np.array([numbers, other[question][name]], float)
            np.testing.assert_allclose(*both, rtol=0, atol=1e-9, err_msg=f"{question}: {name}")
