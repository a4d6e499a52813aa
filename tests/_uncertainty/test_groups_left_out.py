"""Groups of units are left out, beside derivatives of a formula that is written out here."""

import pytest

from sklearn_ap import average_precision_interval

STEP = 1e-30


def score(first, second, unscored):
    """Of two positives at ranks 1 and 3, with weights, at equal odds; one of two negatives at 2."""
    total = first + second + unscored
    recall = (first + second) / total
    return (first + second * recall / (recall + 1 / 2)) / total


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_bias_allows_for_unscored_positives_of_a_left_out_cluster():
    y_true, y_score, clusters = [1, 0, 1, 0], [4, 3, 2, 1], [1, 0, 2, 0]
    options = {"clusters": clusters, "n_positives": 6, "prevalence": 0.5}
    found = average_precision_interval(y_true, y_score, **options)
    share = 1 / 4  # of four groups: three clusters, and the positives that were never scored
    # Without the cluster of all negatives there is no score, so it counts as if it, and its share,
    # had no influence. The influences of all add up to 0, and only the share has one.
    others = score(0, 1, 3), score(1, 0, 3), score(1, 1, 3)
    of_unscored = score(1, 1, 4 + 4j * STEP).imag / STEP
    expected = sum(each - score(1, 1, 4) for each in others) - share * of_unscored
    assert found.estimate == pytest.approx(score(1, 1, 4), rel=1e-12)
    assert found.bias == pytest.approx(expected, rel=1e-9)
