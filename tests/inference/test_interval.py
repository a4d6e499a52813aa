"""Intervals of one score: what they count, say and refuse. Crossings hold their limits."""

import pickle
import warnings
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import sklearn_ap
from sklearn_ap import (
    InputError,
    Interval,
    average_precision_interval,
    compare_average_precision,
    compare_independent,
    threshold_counts,
)
from sklearn_ap.definitions import AtK, Expected, Interpolated, PrecisionAtK, Step
from tests.helpers.counted import counts_of_queries
from tests.helpers.interval_data import NUMBERS, S, Y, drawn, query_data

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
LABELS, SCORES = drawn()
TABLE = (np.random.default_rng(0).random((60, 3)) < 0.4).astype(int)
THREE = np.random.default_rng(1).normal(size=(60, 3))
WORDS = np.array(["ham", "spam", "eggs"])


def numbers_of(found, *more):
    return [getattr(found, name) for name in (*NUMBERS, "n_effective", "prevalence", *more)]


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"confidence_level": 95}, ValueError, "confidence_level must lie within"),
        ({"clusters": [None] * 10}, ValueError, "clusters contains NaN"),
        ({"n_positives": 2}, ValueError, "n_positives must be at least"),
        ({"definition": 5}, TypeError, "definition must be .* got 5"),
    ],
)
def test_wrong_options_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        average_precision_interval(Y, S, **options)


@pytest.mark.parametrize(
    ("y_true", "y_score", "options", "names"),
    [
        (TABLE[:, 0], THREE[:, 0], {"queries": np.repeat(WORDS, 20)}, ("eggs", "ham", "spam")),
        (WORDS[TABLE.argmax(axis=1)], THREE, {"labels": WORDS}, ("ham", "spam", "eggs")),
        (pd.DataFrame(TABLE, columns=["x", "y", "z"]), THREE, {}, ("x", "y", "z")),
        (TABLE, THREE, {}, (0, 1, 2)),
        (TABLE[:, 0], THREE[:, 0], {"queries": ["ham"] * 60}, ("ham",)),
    ],
)
def test_rows_have_the_names_of_queries_classes_and_columns(y_true, y_score, options, names):
    found = average_precision_interval(y_true, y_score, average=None, **options)
    assert found.names == names
    assert [*found.to_frame().index] == [*(names or range(3))]
    line = str(found).splitlines()[2].split()
    assert line[0] == str((*names, 0)[0])
    assert found.sentences == ()


def test_positives_that_were_never_scored_weigh_as_those_that_were():
    found = average_precision_interval(
        [1, 0, 1], [3, 2, 1], sample_weight=[2, 9, 2], n_positives=10
    )
    assert found.n_positives == 2 + 3
    assert found.sample.n_unscored == 3
    weight = [10, 1, 1, 1]  # typically 8.5
    found = average_precision_interval([1, 1, 1, 0], S[:4], sample_weight=weight, n_positives=64)
    assert found.n_positives == 3 + 6
    # Without any that was scored, those of negatives
    found = average_precision_interval(
        [0] * 20, range(20), sample_weight=[0.25] * 20, n_positives=5
    )
    assert found.n_positives == found.n_effective == 20


@pytest.mark.parametrize("average", ["macro", "weighted"])
def test_counts_have_the_positives_of_their_rows(average):
    y, score, queries = np.array([1, 0, 1, 1, 1, 1, 0, 0]), np.arange(8), np.repeat([0, 1], [5, 3])
    rows = average_precision_interval(y, score, queries=queries, average=average)
    counts = counts_of_queries(y, score, queries)
    found = sklearn_ap.Interval.from_counts(counts, average=average)
    assert found.n_positives == rows.n_positives == 5
    share = {"macro": (4 / 5 + 1 / 3) / 2, "weighted": (4 * 4 / 5 + 1 / 3) / 5}[average]
    assert found.prevalence == rows.prevalence == pytest.approx(share)


@pytest.mark.parametrize("prevalence", [Fraction(1, 10), np.float32(0.1)])
def test_a_prevalence_of_any_type_is_the_float_that_it_means(prevalence):
    found = average_precision_interval(Y, S, prevalence=prevalence)
    assert str(found.to_dict()) == str(average_precision_interval(Y, S, prevalence=0.1).to_dict())


def test_rounding_errors_of_weights_are_no_variance():
    y, score = np.repeat([1, 0], [15, 30]), -np.arange(45)
    weights = np.random.default_rng(0).exponential(size=(100, 45))
    found = [average_precision_interval(y, score, sample_weight=each) for each in weights]
    assert {each.standard_error for each in found} == {0}


def test_means_over_columns_tell_their_bias_if_it_is_seen():
    y, s = drawn(60, 30)
    mean = average_precision_interval(y, s)
    assert 0 < mean.notes["bias"] < mean.estimate - (mean.low + mean.high) / 2 + 0.01
    assert f"too high by about {mean.notes['bias']:.2f}, which" in str(mean)
    small = replace(mean, notes={"bias": 1e-5})
    assert "too high" not in str(small)
    assert not average_precision_interval(y, s, average=None).notes


def test_only_weights_make_positives_tell_less():
    rng = np.random.default_rng(5)
    y, weight = rng.random(3000) < 0.1, rng.exponential(size=3000)
    score = y + rng.normal(size=3000)
    alone = average_precision_interval(y, score)
    weighted = average_precision_interval(y, score, sample_weight=weight)
    assert " tell as much as " in weighted.sentences[1]
    # Clusters that mean nothing count as few, but the error is that of independent rows.
    meaningless = (551 * rng.random(3000) ** 3).astype(int)
    found = average_precision_interval(y, score, clusters=meaningless)
    assert found.n_effective < alone.n_effective / 4
    assert found.standard_error == pytest.approx(alone.standard_error, rel=0.1)
    assert " lie in clusters that count as " in found.sentences[1]


def test_undefined_scores_have_no_limits():
    sentences = {
        np.nan: "The step AP is not defined without a positive.",
        0.0: "Without a positive, the step AP counts as 0.00, and has no limits.",
    }
    for value, sentence in sentences.items():
        found = average_precision_interval(0 * Y, S, zero_division=value)
        assert np.isnan([found.low, found.high, found.standard_error]).all()
        assert found.sentences == (sentence,)
        assert found.to_dict()["rows"][0]["low"] is None
    at_k = average_precision_interval(0 * Y, S, definition=PrecisionAtK(10), zero_division=1.0)
    assert at_k.estimate == 0
    assert at_k.sentences == (
        "Without a positive, the precision@10 counts as 0.00, and has no limits.",
    )
    without_negatives = average_precision_interval(0 * Y + 1, S, prevalence=0.1, zero_division=1.0)
    assert without_negatives.sentences == (
        "Without positives and negatives, the step AP at prevalence 0.1 counts as 1.00, and has no "
        "limits.",
    )


@pytest.mark.parametrize(
    ("filled", "heading"), [(np.nan, "of 2 of 3 columns"), (0.0, "of 3 columns")]
)
def test_the_heading_of_a_mean_says_how_many_columns_count(filled, heading):
    y = np.repeat([[1, 0, 0], [0, 1, 0]], 20, axis=0)
    scores = np.random.default_rng(0).normal(size=y.shape)
    assert heading in average_precision_interval(y, scores, zero_division=filled).heading


@pytest.mark.parametrize("average", ["one ranking", "macro", "weighted", None])
@pytest.mark.parametrize("definition", [Step(), AtK(5), Expected(), Interpolated(11)])
def test_counts_give_the_interval_of_their_rows(average, definition):
    y, s, queries = query_data()
    options = {"definition": definition}
    if average == "one ranking":
        found = Interval.from_counts(threshold_counts(y, s), definition)
        expected = average_precision_interval(y, s, **options)
    else:
        counts = counts_of_queries(y, s, queries)
        options |= {"average": average}
        found = Interval.from_counts(counts, **options)
        expected = average_precision_interval(y, s, queries=queries, **options)
    for ours, theirs in zip(
        numbers_of(found, "n_positives"), numbers_of(expected, "n_positives"), strict=True
    ):
        np.testing.assert_allclose(ours, theirs)
    assert repr(found.sample) == repr(expected.sample)  # nan is not nan


def test_scores_that_rank_negatives_first_warn():
    y, s = drawn(400)
    low = -3 * y + 0.1 * s
    tables = [np.column_stack((each, each)) for each in (y, low)]
    for data, options in (
        ((y, low), {}),
        ((y, low), {"queries": 0 * y}),
        (tables, {"average": "micro"}),
    ):
        with pytest.warns(UserWarning, match="below that of random scores"):
            average_precision_interval(*data, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        average_precision_interval(y, s)


def test_standard_errors_at_tiny_and_small_prevalence_agree():
    """The score is then the share of the positives above all negatives, which varies."""
    errors = [
        average_precision_interval(LABELS, SCORES, prevalence=p).standard_error
        for p in (1e-12, 1e-20, 1e-50, 1e-99)
    ]
    assert errors[0] > 0.001
    np.testing.assert_allclose(errors, errors[0], rtol=1e-6)


@pytest.mark.filterwarnings("ignore")  # of a single cluster
@pytest.mark.parametrize("definition", [Expected(), Interpolated()])
def test_single_cluster_gives_the_full_interval_for_column_means(definition):
    y_true, y_score = [[1, 0], [0, 1], [1, 1], [0, 0]], [[4, 3], [2, 1], [1, 1], [2, 3]]
    found = average_precision_interval(y_true, y_score, clusters=[7] * 4, definition=definition)
    assert (found.low, found.high) == (0, 1)


# ---- other levels


@pytest.mark.parametrize("name", ["one", "columns", "queries", "halves", "counts"])
def test_an_interval_gives_the_limits_of_any_level(name):
    rng = np.random.default_rng(0)
    y, s = rng.random((400, 3)) < 0.2, rng.normal(size=(400, 3))
    y, s = y.astype(int), s + y

    def found(level):
        one = {"confidence_level": level}
        if name == "columns":
            return average_precision_interval(y, s, average=None, **one)
        if name == "queries":
            return average_precision_interval(
                y[:, 0], s[:, 0], queries=np.arange(400) // 40, zero_division=0.0, **one
            )
        if name == "counts":
            return Interval.from_counts(threshold_counts(y[:, 0], s[:, 0]), **one)
        return average_precision_interval(
            y[:, 0], s[:, 0], definition=AtK(20) if name == "halves" else Step(), **one
        )

    usual = found(0.95)
    for level in (0.5, 0.95, 0.999):
        limits = usual.confidence_interval(level)
        expected = found(level)
        np.testing.assert_array_equal(limits.low, expected.low)
        np.testing.assert_array_equal(limits.high, expected.high)
        assert type(limits.low) is type(expected.low)
        again = pickle.loads(pickle.dumps(usual)).confidence_interval(level)
        np.testing.assert_array_equal(again, limits)
    np.testing.assert_array_equal(usual.confidence_interval(), (usual.low, usual.high))


def test_limits_have_no_other_level_than_theirs():
    found = average_precision_interval([1, 0, 1, 0], [4, 3, 2, 1])
    copy = pickle.loads(pickle.dumps(replace(found, sample=found.sample)))
    with pytest.raises(InputError, match=r"limits at the level 0.95.*confidence_interval\(0.5\)"):
        replace(copy, confidence_level=0.5)
    with pytest.raises(InputError, match="confidence_level must lie"):
        found.confidence_interval(95)


SIX_ROWS = [1, 0, 1, 0, 1, 0], {"a": [6, 5, 4, 3, 2, 1], "b": [6, 1, 5, 2, 4, 3]}
ONE_LEVEL = {
    "best": compare_average_precision(*SIX_ROWS, reference="best"),
    "independent": compare_independent((0.5, 0.4, 0.6), (0.6, 0.5, 0.7)),
}


@pytest.mark.parametrize("result", [*ONE_LEVEL.values(), *(r.scores for r in ONE_LEVEL.values())])
def test_limits_that_are_known_at_one_level_alone_say_so(result):
    result.confidence_interval(0.95)
    with pytest.raises(InputError, match=r"their own level alone, 0.95\. Pass confidence_level"):
        result.confidence_interval(0.9)
