"""From counts to the number: what average_precision_score gives for the same rows."""

import re
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import (
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
    average_precision_score,
    large,
    threshold_counts,
)
from sklearn_ap._counts.thresholds import check_counts
from sklearn_ap.definitions import AtK, Step

RNG = np.random.default_rng(0)
Y = (RNG.random(300) < 0.3).astype(int)
S = np.round(RNG.normal(size=300) + Y, 1)
QUERY = RNG.choice(["a", "10", "2", "b"], 300)
TABLE = pa.table({"y": Y, "s": S, "q": QUERY, "w": RNG.random(300) + 0.1})
ONE = threshold_counts(Y, S)


def of_queries(table=TABLE, **columns):
    return large.from_table(table, "y", "s", **{"queries": "q"} | columns)


def test_one_ranking_gives_a_float_and_one_query_an_array():
    assert type(ONE.score()) is type(ONE.score(average=None)) is float
    assert ONE.names is None
    one_query = of_queries(TABLE.filter(pa.compute.equal(TABLE["q"], "a")))
    assert type(one_query.score()) is float
    assert one_query.score(average=None).shape == (1,)
    with pytest.raises(ValueError, match="no ranking to score"):
        type(ONE)(*(getattr(ONE, name)[:0] for name in ONE.__slots__[:8])).score()


def test_queries_without_positives_follow_zero_division():
    counts = of_queries(pa.table({"y": [1, 0, 0], "s": [1.0, 2.0, 3.0], "q": ["a", "a", "b"]}))
    with pytest.warns(UndefinedMetricWarning, match="1 of 2 rankings") as record:
        assert counts.score() == 0.25
    assert record[0].filename == __file__
    assert counts.score(zero_division=1.0) == 0.75
    assert counts.score(zero_division=np.nan) == 0.5


def test_a_query_undefined_at_a_prevalence_keeps_its_weight():
    counts = of_queries(pa.table({"y": [1, 0, 1, 1], "s": [1, 2, 3, 4], "q": [*"aabb"]}))
    options = {"average": "weighted", "prevalence": 0.5, "zero_division": 1.0}
    assert counts.score(**options) == pytest.approx((1 / 2 + 2 * 1.0) / 3)


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"average": "micro"}, ValueError, "average must be 'macro', 'weighted' or None"),
        ({"average": np.array(["macro", "macro"])}, ValueError, "average must be"),
        ({"definition": "step"}, TypeError, "definition must be one of sklearn_ap.definitions"),
        ({"definition": AtK}, TypeError, "It is a class: write parentheses after its name"),
        ({"definition": AtK(3), "prevalence": 0.1}, ValueError, "first k ranks"),
        ({"zero_division": "no"}, ValueError, "zero_division must be"),
    ],
)
def test_invalid_options_of_score_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        ONE.score(**options)


def test_query_names_are_sorted_as_text_or_as_numbers(tmp_path):
    counts = of_queries()
    assert counts.names == counts.at_prevalence(0.1).names == ("10", "2", "a", "b")
    alone = [average_precision_score(Y[q == QUERY], S[q == QUERY]) for q in counts.names]
    np.testing.assert_allclose(counts.score(average=None), alone, rtol=1e-12)
    table = pa.table({"y": [1, 0, 1], "s": [1.0, 2.0, 3.0], "q": [10, 2, 10]})
    assert of_queries(table).names == (2, 10)
    path = tmp_path / "a.csv"
    for last, names in (("10", (2, 10)), ("010", ("010", "10", "2"))):
        path.write_text(f"y,s,q\n1,1,10\n0,2,2\n1,3,{last}\n")
        assert of_queries(str(path)).names == names


def test_weighted_counts_have_no_interval_over_rows():
    with pytest.raises(ValueError, match="takes unweighted ones"):
        AveragePrecisionInterval.from_counts(of_queries(sample_weight="w"), average=None)


class TestCountsMadeByHand:
    @pytest.mark.parametrize(
        ("name", "change", "text"),
        [
            ("gained", list, "counts.gained must be an array"),
            ("n_positives", list, "counts.n_positives must be an array"),
            ("fps", lambda fps: fps[1:], "counts.fps must be an array of shape"),
            ("n_negatives", lambda n: np.repeat(n, 2), "counts.n_negatives must be an array"),
            ("starts", lambda starts: starts + 1, "counts.starts must rise from 0"),
            ("gained", np.negative, "gained is not below 0"),
            ("gained", lambda gained: gained + 1, "tps adds up gained"),
            ("n_positives", lambda n: n // 2, "n_positives is not below tps"),
            ("fps_above", lambda fps: fps * 0, "fps and fps_above do not fall"),
            ("fps_above", lambda fps: fps + 10_000, "fps and fps_above do not fall"),
            ("n_negatives", lambda n: n - n, "n_negatives is not below fps"),
        ],
    )
    def test_counts_that_no_rows_can_have_are_refused(self, name, change, text):
        wrong = replace(ONE, **{name: change(getattr(ONE, name))})
        with pytest.raises(ValueError, match=re.escape(text)):
            AveragePrecisionInterval.from_counts(wrong)
        with pytest.raises(ValueError, match=re.escape(text)):
            AveragePrecisionDisplay(wrong).plot()

    @pytest.mark.parametrize("name", ["n_positives", "n_negatives"])
    def test_negative_totals_without_thresholds_are_refused(self, name):
        none = threshold_counts([0, 0], [1, 2])
        check_counts(replace(none, **{name: np.zeros(1)}))
        with pytest.raises(ValueError, match="totals are not below 0"):
            check_counts(replace(none, **{name: np.array([-1.0])}))

    def test_starts_of_rankings_must_increase(self):
        one, none = np.ones(2), np.zeros(2)
        two = type(ONE)(one, one, one, none, none, np.array([0, 1]), one, none)
        check_counts(two)
        for starts in ([0, 3], [1, 1]):
            with pytest.raises(ValueError, match=r"counts\.starts must rise from 0"):
                check_counts(replace(two, starts=np.array(starts)))

    def test_counts_of_extreme_weights_are_accepted(self):
        weights = np.array([3, 1e-300, 1, 5, 1e300, 0.1])
        for counts in (
            ONE.at_prevalence(1e-100),
            threshold_counts([0, 0], [1, 2]),
            replace(ONE, n_positives=ONE.n_positives + 5.5, n_unscored=np.array([5.5])),
            threshold_counts([1, 0, 0, 0, 1, 0], [2, 1, 2, 1, -np.inf, 2], sample_weight=weights),
            threshold_counts(Y, S, sample_weight=RNG.random(300) ** 40),
        ):
            check_counts(counts)

    @pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
    def test_a_tiny_prevalence_of_many_rows_overflows_nothing(self):
        start, n = np.zeros(1, int), np.array([10**12])
        counts = type(ONE)(np.ones(1), n, n, start, start, start, n, n)
        for definition in (None, Step()):
            assert counts.score(definition, prevalence=1e-100) == 1
        AveragePrecisionInterval.from_counts(counts, prevalence=1e-100)
        with pytest.raises(ValueError, match="at least 1e-100, got 1e-300"):
            AveragePrecisionInterval.from_counts(counts, prevalence=1e-300)
