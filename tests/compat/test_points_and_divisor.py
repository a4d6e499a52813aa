"""Averages go with any line, and divide by what they say."""

import pytest
from compat_inputs import S, Y, checked

from sklearn_ap import compat
from sklearn_ap.compat._choices import Choices
from sklearn_ap.compat._evaluation import Evaluation


def test_the_hyperbola_over_the_top_k():
    """Two blocks of one hit and one miss: precision is 1/2 all along."""
    y_true, y_score = [1, 0, 1, 0], [2, 2, 1, 1]
    evaluation = Evaluation(checked(y_true, y_score))
    choices = Choices(
        "as given", "grouped", "hyperbola", "irrelevant", "top k", "min(k, positives)"
    )
    # Rank 3 holds half of the second block.
    assert evaluation.values(choices, 3, {}) == pytest.approx((0.5 + 0.5 * 0.5) / 2)


@pytest.mark.parametrize("name", ["torchmetrics.RetrievalPrecision", "catboost.PrecisionAt"])
def test_precision_without_k_takes_all(name):
    assert compat.score(name, [1, 0, 0, 1], [4, 3, 2, 1]) == 0.5


@pytest.mark.parametrize("tool", ["torchmetrics", "torcheval"])
def test_the_best_recall_at_a_precision(tool):
    """The precisions are 1, 2/3, 3/4, 2/3 and 1/2 at the recalls .2, .4, .6, .8 and 1."""
    name = f"{tool}.binary_recall_at_fixed_precision"
    for precision, recall in ((0.9, 0.2), (0.75, 0.6), (0.7, 0.6), (0.5, 1.0)):
        value = compat.score(name, Y, S, min_precision=precision)
        assert value == pytest.approx(recall, abs=1e-6)
    assert compat.score(name, [0, 1], [0.9, 0.8], min_precision=0.9) == 0


def test_the_best_precision_at_a_recall():
    name = "torchmetrics.binary_precision_at_fixed_recall"
    for recall, precision in ((0.8, 2 / 3), (0.81, 0.5), (0.3, 0.75)):
        value = compat.score(name, Y, S, min_recall=recall)
        assert value == pytest.approx(precision, abs=1e-6)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        # With 3 positives and 2 negatives, recall gain is 0 at 9/5 true positives, and there is
        # one false positive: precision gain is 1 - 3/2 * 5/9 = 1/6. It is 1/4 at the next point,
        # with recall gain 1/4, then -1/2, and 0 in the end.
        ("pyprg.calc_auprg", (1 / 6 + 1 / 4) / 2 / 4 + (-1 / 2 + 0) / 2 * 3 / 4),
        # The point before, with recall gain -2, has the precision gain -1/2.
        ("keras.AUC_PRGAIN", (-1 / 2 + 1 / 4) / 2 / 4 + (-1 / 2 + 0) / 2 * 3 / 4),
    ],
)
def test_the_area_of_gains(name, value):
    y_true, y_score = [0, 1, 1, 0, 1], [0.9, 0.8, 0.7, 0.6, 0.5]
    assert compat.score(name, y_true, y_score) == pytest.approx(value, abs=1e-6)


def test_an_area_of_gains_below_0_is_an_answer():
    """A mean over queries holds it, though -1 stands for none elsewhere."""
    data, queries = ([0, 1, 0, 1], [2, 1, 2, 1]), [1, 1, 2, 2]
    rows = compat.compare(*data, queries=queries, tools=["pyprg.calc_auprg"]).results
    (row,) = [row for row in rows if row.name == "pyprg.calc_auprg"]
    assert row.left_out == 0
    assert row.value < 0


HALF_AND_ALL = [0, 1, 0, 0, 1]


def test_nuscenes_reads_straight_lines_above_a_tenth():
    """Hits at ranks 2 and 5 of 5: from 0 up to 1/2 at recall 1/2, then from 1/4 up to 2/5 at 1.

    At recall 1/2 itself, precision is that of the rank before the next hit.
    """
    levels = [i / 100 for i in range(11, 101)]
    line = [x if x < 0.5 else 1 / 4 + (x - 0.5) * 2 * (2 / 5 - 1 / 4) for x in levels]
    expected = sum(max(height - 0.1, 0) for height in line) / 90 / 0.9
    assert compat.score("nuscenes", HALF_AND_ALL, [5, 4, 3, 2, 1]) == pytest.approx(expected)
    # At recall 1, precision is that of the last rank: 2/6, with one more miss.
    more = compat.score("nuscenes", [*HALF_AND_ALL, 0], [6, 5, 4, 3, 2, 1])
    assert more == pytest.approx(expected - (2 / 5 - 2 / 6) / 90 / 0.9)
    # Half of the positives were not retrieved: there is nothing beyond recall 1/2.
    lost = compat.score("nuscenes", [1, 0, 1], [2, 1, float("-inf")])
    assert lost == pytest.approx((39 * 0.9 + 0.4) / 90 / 0.9)


def test_kitti_samples_41_positives():
    """A miss, 79 hits, 80 misses and a hit: of 80 hits, 1, 2, 4, 6 and so on to 80 are sampled.

    The best precision is that of hit 79, which is not sampled; that of hit 78 is.
    """
    y_true = [0] + 79 * [1] + 80 * [0] + [1]
    y_score = [-i for i in range(len(y_true))]
    best, last = 78 / 79, 80 / 161
    assert compat.score("kitti.AP_R11", y_true, y_score) == pytest.approx((10 * best + last) / 11)
    assert compat.score("kitti.AP_R40", y_true, y_score) == pytest.approx((39 * best + last) / 40)


def test_kitti_samples_each_of_few_positives():
    """The precisions at hits are 1, 2/3, 3/4, 4/6 and 5/7; beyond the last sample they are 0."""
    y_true, y_score = [1, 0, 1, 1, 0, 1, 1], [7, 6, 5, 4, 3, 2, 1]
    r11 = compat.score("kitti.AP_R11", y_true, y_score)
    r40 = compat.score("kitti.AP_R40", y_true, y_score)
    assert r11 == pytest.approx((1 + 5 / 7) / 11)
    assert r40 == pytest.approx((3 / 4 + 3 / 4 + 5 / 7 + 5 / 7) / 40)
    steps = compat.explain("kitti.AP_R40", y_true, y_score).steps
    assert [step.option for step in steps if step.has_effect] == ["40 of 41 positives"]
    # Tied items are one threshold, which is sampled once for each of its positives.
    assert compat.score("kitti.AP_R40", [1, 1, 0], [1, 1, 1]) == pytest.approx(2 / 3 / 40)
