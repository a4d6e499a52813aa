"""Decisions of verdicts are those of adjusted p-values, at the level that is passed."""

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import (
    best_average_precision,
    chance_test,
    compare_average_precision,
    compare_segments,
    operating_point,
)

RNG = np.random.default_rng(7)
Y = RNG.random(400) < 0.3
NOISE = RNG.normal(size=(20, 400))


def scores(**shifts):
    return {name: d * Y + NOISE[i] for i, (name, d) in enumerate(shifts.items())}


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
@pytest.mark.parametrize("level", [0.5, 0.95])
def test_decisions_are_those_of_adjusted_pvalues(alternative, level):
    models = scores(A=1.0, B=1.9, C=1.1, D=0.3, E=1.3, F=0.7)
    found = compare_average_precision(
        Y, models, reference="C", alternative=alternative, confidence_level=level
    )
    assert [verdict.name for verdict in found.verdicts] == [*"ABDEF"]
    decisions = dict.fromkeys(models, "reference") | {
        verdict.name: verdict.decision for verdict in found.verdicts
    }
    assert [row["verdict"] for row in found._rows()] == [*decisions.values()]
    for name, difference, pvalue in zip(
        found.names, found.differences, found.adjusted_pvalues, strict=True
    ):
        if name != "C":
            decided = "better" if difference > 0 else "worse"
            assert decisions[name] == (decided if pvalue < 1 - level else "undecided")


def test_rankings_have_verdicts_of_their_own():
    queries = np.arange(400) % 8
    models = {"A": NOISE[0], "B": np.where(queries < 2, 5.0, 0.0) * Y + NOISE[1]}
    found = compare_average_precision(Y, models, queries=queries, average=None)
    decided = [verdict.ranking for verdict in found.verdicts if verdict.decision == "better"]
    assert decided == [0, 1]


def test_the_best_has_rivals_or_none():
    found = best_average_precision(Y, scores(A=0.2, B=3.0, C=0.1))
    decisions = [verdict.decision for verdict in found.verdicts]
    assert decisions == ["best", "not the best", "not the best"]
    alike = {
        name: Y + NOISE[0] + 0.2 * noise for name, noise in zip("ABC", NOISE[1:4], strict=True)
    }
    rows = best_average_precision(Y, alike)._rows()
    assert [row["verdict"] for row in rows] == ["may be best"] * 3


def test_segments_have_verdicts():
    rng = np.random.default_rng(1)
    months = np.repeat(np.arange(8), 400)
    y = rng.random(3200) < 0.3
    falling = (3 - 0.4 * months) * y + rng.normal(size=3200)
    found = compare_segments(y, falling, months)
    assert [verdict.name for verdict in found.verdicts] == [*map(str, range(8))]
    for verdict, pvalue in zip(found.verdicts, found.adjusted_pvalues, strict=True):
        assert (verdict.decision == "undecided") == (pvalue >= 0.05)
    level = compare_segments(y, y + rng.normal(size=3200), months)
    assert {verdict.decision for verdict in level.verdicts} == {"undecided"}
    previous = compare_segments(y, falling, months, reference="previous")
    assert next(row["verdict"] for row in previous._rows()) == "reference"


@pytest.mark.parametrize(
    ("gain", "n_orders", "decision"),
    [(2, 999, "above chance"), (0, 999, "undecided"), (2, 9, "undecided")],
)
def test_a_score_is_above_chance_or_undecided(gain, n_orders, decision):
    (verdict,) = chance_test(Y, gain * Y + NOISE[0], n_permutations=n_orders).verdicts
    assert (verdict.name, verdict.ranking, verdict.decision) == ("score", None, decision)


@pytest.mark.parametrize(
    ("goal", "decision"),
    [
        ({"precision": 0.8, "guarantee": 0.9}, "guaranteed"),
        ({"precision": 0.8}, "chosen"),
        ({"recall": 0.8, "prevalence": 0.1}, "chosen"),
        ({"k": 50}, "chosen"),
        ({"cost": {"false_positive": 1, "false_negative": 2}}, "chosen"),
        ({"precision": 0.99, "guarantee": 0.99}, "no threshold"),
    ],
)
def test_a_threshold_is_guaranteed_or_chosen(goal, decision):
    point = operating_point(Y, 2 * Y + NOISE[0], **goal)
    assert point.verdicts[0].decision == point._rows()[0]["verdict"] == decision


def test_verdict_uses_the_level_that_is_passed():
    models = scores(A=1.0, B=1.45)
    usual = compare_average_precision(Y, models)
    (pvalue,) = usual.pvalues[1:]
    assert 1e-6 < pvalue < 0.05
    early = compare_average_precision(Y, models, confidence_level=1 - pvalue / 2)
    assert usual.verdicts[0].decision == "better"
    assert early.verdicts[0].decision == "undecided"


def test_all_results_with_verdicts_give_tuples_of_them():
    kinds = [name for name in sklearn_ap.__all__ if hasattr(getattr(sklearn_ap, name), "verdicts")]
    assert {*kinds} == {
        "AveragePrecisionComparison",
        "BestAveragePrecision",
        "ChanceTest",
        "IndependentComparison",
        "OperatingPoint",
        "SegmentComparison",
    }
