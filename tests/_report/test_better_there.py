"""Another model is called better in a place only if the limits of the difference say so."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_average_precision
from sklearn_ap._report._better_there import compare_there

RNG = np.random.default_rng(0)
Y = (np.arange(300) % 5 == 0).astype(int)
WORSE = RNG.normal(size=300) + Y
BETTER = WORSE + 0.3 * Y + 0.3 * RNG.normal(size=300)


def compare(_, models, confidence_level, **options):
    scores = dict(zip(models, (WORSE, BETTER), strict=True))
    found = compare_average_precision(Y, scores, confidence_level=confidence_level)
    return SimpleNamespace(result=found, call="asked")


QUESTIONS = SimpleNamespace(
    data=SimpleNamespace(has_queries=False),
    sample=SimpleNamespace(target_prevalence=None),
    prevalence=0.2,
    ask=compare,
)
PLACE = SimpleNamespace(model="worse", rows=None)


@pytest.mark.parametrize(("level", "is_better"), [(0.5, True), (0.9999, False)])
def test_a_higher_score_alone_is_not_better(level, is_better):
    found = compare_there(QUESTIONS, PLACE, "better", level)
    assert (found is not None) == is_better
    if found:
        assert found.score == pytest.approx(average_precision_score(Y, WORSE))
        assert found.other_score == pytest.approx(average_precision_score(Y, BETTER))
        assert found.difference.value > found.difference.low > 0
