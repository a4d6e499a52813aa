"""A threshold fails in a segment only where its lower recall or precision is not by chance."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from sklearn_ap import operating_point, report

N = 6_000
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) % 6]
N_POSITIVES = 50  # in the last month
LAST = np.flatnonzero(MONTH == "2026-06")
IS_LAST = MONTH == "2026-06"


def draw_fall(n_found):
    """Scores that tell nothing in the last month, apart from its first positives."""
    rng = np.random.default_rng(0)
    y = rng.random(N) < 0.05
    y[LAST] = np.arange(LAST.size) < N_POSITIVES
    score = 1.7 * y + rng.normal(size=N)
    rng = np.random.default_rng(1)
    score[LAST] = rng.normal(size=LAST.size).clip(max=1.5)
    score[LAST[:n_found]] = 9
    return y, score


@pytest.mark.parametrize("n_found", [0, 1, 2, 4])
@pytest.mark.parametrize("goal", [0.5, 0.6])
def test_lower_recall_is_a_failure_if_fishers_test_shows_it(goal, n_found):
    y, score = draw_fall(n_found)
    parts = ["thresholds", "segments"]
    page = report(y, score, segments={"month": MONTH}, precision=goal, parts=parts)
    answer = page.summary[0].answer
    found = score >= operating_point(y, score, precision=goal, guarantee=0.9).threshold
    counts = [[np.sum(hit & y & rows) for hit in (found, ~found)] for rows in (IS_LAST, ~IS_LAST)]
    is_shown = fisher_exact(counts, alternative="less").pvalue < 0.05
    assert n_found / N_POSITIVES < found[y].mean() / 2
    assert is_shown == ((goal, n_found) != (0.6, 1))  # one of 50, and 22 of 260 elsewhere
    assert answer.startswith("Do not use the threshold") == is_shown
    assert f"of the {N_POSITIVES} positives " in answer  # what it finds there is told anyway
