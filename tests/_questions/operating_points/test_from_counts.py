"""A threshold from counts: that of the rows, or an error that says what counts do not hold."""

import warnings

import numpy as np
import pyarrow as pa
import pytest

from sklearn_ap import OperatingPoint, large, operating_point, threshold_counts

COST = {"false_positive": 1, "false_negative": 20}
GOALS = [
    *({"precision": each} for each in (0, 0.3, 0.7, 0.95, 1)),
    *({"recall": each} for each in (0, 0.1, 0.5, 0.99, 1)),
    *({"recall": 0.5, "guarantee": each} for each in (0.5, 0.9, 1 - 1e-9)),
    {"cost": COST},
    {"cost": {"false_positive": 9, "false_negative": 1}},
    {"cost": {"false_positive": 0, "false_negative": 1}},
    {"cost": {"false_positive": 1, "false_negative": 0}},
]


def sample(seed):
    """Rows with ties, some of which were not retrieved."""
    rng = np.random.default_rng(seed)
    n = rng.integers(4, 300)
    y_true = rng.random(n) < rng.choice([0.03, 0.2, 0.6])
    y_true[0] = True
    y_score = rng.normal(size=n) + 1.5 * y_true
    y_score = y_score.round(rng.integers(0, 3)) + 0.0 if seed % 4 else (7 * y_score).astype(int)
    if seed % 3 == 0:
        y_score = np.where(rng.random(n) < 0.2, -np.inf, y_score)
        y_score[0] = 0
    return y_true, y_score


def outcome(call):
    """What is found and printed, with its warnings; or the error."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = call()
        except ValueError as error:
            return str(error)
    return found._rows(), repr(found), found.cases, [str(each.message) for each in caught]


@pytest.mark.parametrize("goal", GOALS)
@pytest.mark.parametrize("prevalence", [None, 0.01])
def test_operating_point_of_counts_equals_that_of_rows(goal, prevalence):
    options = goal | {"prevalence": prevalence, "confidence_level": 0.9}
    for seed in range(60):
        y_true, y_score = sample(seed)
        counts = threshold_counts(y_true, y_score)
        found = outcome(lambda: OperatingPoint.from_counts(counts, **options))  # noqa: B023
        assert found == outcome(lambda: operating_point(y_true, y_score, **options)), seed  # noqa: B023


def test_k_from_counts_equals_rows_if_k_ends_at_a_positive():
    n_exact = 0
    for seed in range(60):
        y_true, y_score = sample(seed)
        counts, retrieved = threshold_counts(y_true, y_score), y_score[y_score > -np.inf]
        ends_at_negatives = {*retrieved} - {*retrieved[y_true[y_score > -np.inf]]}
        for k in (0.01, 0.3, 1, 2, 5, 20, int(counts.tps[0] + counts.fps[0]), 10_000):
            expected = operating_point(y_true, y_score, k=k)
            try:
                found = OperatingPoint.from_counts(counts, k=k)
            except ValueError as error:
                near = int(str(error).partition("Pass k=")[2].partition(",")[0])
                assert OperatingPoint.from_counts(counts, k=near).n_selected == near
                continue
            assert expected.threshold not in ends_at_negatives
            assert (found._rows(), repr(found)) == (expected._rows(), repr(expected))
            n_exact += 1
    assert n_exact > 100


def test_error_for_k_among_negatives_states_their_number():
    counts = threshold_counts([0, 1, 0, 0, 1, 0, 0], [7, 6, 5, 4, 3, 2, 1])
    for k, text in {
        1: "k=1 ends among 1 negatives, .* Pass k=2,",
        3: "k=3 ends among 2 negatives, .* Pass k=2,",
        4: "k=4 ends among 2 negatives, .* Pass k=2,",
        0.9: "k=7 ends among 2 negatives, .* Pass k=5,",
    }.items():
        with pytest.raises(ValueError, match=text):
            OperatingPoint.from_counts(counts, k=k)
    for k, threshold in {2: 6, 5: 3}.items():
        assert OperatingPoint.from_counts(counts, k=k).threshold == threshold
    assert "3 share" in repr(OperatingPoint.from_counts(threshold_counts([1, 0, 0], [1] * 3), k=2))


def test_counts_of_a_table_give_the_operating_point_and_its_picture():
    y_true, y_score = sample(1)
    table = pa.table({"y": y_true.astype(int), "p": y_score})
    found = OperatingPoint.from_counts(large.from_table(table, "y", "p"), recall=0.8)
    assert found == operating_point(y_true, y_score, recall=0.8)


Y = [1, 0, 1, 0]
COUNTS = threshold_counts(Y, Y)
WEIGHTED = threshold_counts(Y, Y, sample_weight=[1, 2, 1, 1])


@pytest.mark.parametrize(
    ("counts", "options", "message"),
    [
        (WEIGHTED, {}, "unweighted ones.* random sample of them"),
        (large.from_chunks([(Y, Y, [1, 1, 2, 2])]), {}, "unweighted ones"),
        (COUNTS.at_prevalence(0.1), {}, "pass counts as they are, and prevalence beside them"),
        (large.from_table(pa.table({"y": Y}), "y", "y", queries="y"), {}, "one ranking, .* of 2"),
        (threshold_counts(Y, [-np.inf] * 4), {}, "no positive with a score"),
        (threshold_counts([0, 0], [1, 2]), {}, "no positive"),
        (COUNTS, {"precision": 0.9, "guarantee": 0.9}, "guarantee of a precision .* random sample"),
        (COUNTS, {"prevalence": 2}, "prevalence"),
        (COUNTS, {"guarantee": 2}, "guarantee"),
        (COUNTS, {"confidence_level": 2}, "confidence_level"),
    ],
)
def test_options_that_counts_cannot_support_are_refused_with_the_remedy(counts, options, message):
    goal = {} if "precision" in options else {"recall": 0.5}
    with pytest.raises(ValueError, match=message):
        OperatingPoint.from_counts(counts, **goal, **options)


def test_from_counts_requires_counts_and_one_goal():
    with pytest.raises(TypeError, match="counts must be ThresholdCounts"):
        OperatingPoint.from_counts(Y, recall=0.5)
    with pytest.raises(TypeError, match="from_counts takes one of precision, recall, k and cost"):
        OperatingPoint.from_counts(COUNTS)
