"""Whether a threshold has a guarantee."""

import numpy as np
import pytest

from sklearn_ap import operating_point

RNG = np.random.default_rng(7)
Y = RNG.random(400) < 0.3
NOISE = RNG.normal(size=(20, 400))


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
