"""Decisions of verdicts are those of adjusted p-values, at the level that is passed."""

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import (
    chance_test,
    compare_segments,
    operating_point,
)

RNG = np.random.default_rng(7)
Y = RNG.random(400) < 0.3
NOISE = RNG.normal(size=(20, 400))


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


def test_all_results_with_verdicts_give_tuples_of_them():
    kinds = [name for name in sklearn_ap.__all__ if hasattr(getattr(sklearn_ap, name), "verdicts")]
    assert {*kinds} == {
        "ChanceTest",
        "IndependentComparison",
        "OperatingPoint",
        "SegmentComparison",
    }
