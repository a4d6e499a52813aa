"""The eleven levels of VOC 2007: those of its kit in MATLAB, of ports to Python, and exact ones."""

from fractions import Fraction

import pytest

from sklearn_ap import compat

KIT, PORT = "VOCdevkit2007.VOCevaldet", "chainercv.calc_detection_voc_ap_07"
EXACT = "eleven_point_average_precision_score"
# Hits at ranks 1, 2, 3, 6, 7, 9, 11, 14, 17 and 20, and the best precision from each on.
TEN = ([1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1], [*range(20, 0, -1)])
BEST = [1, 1, 1]
BEST += [Fraction(each) for each in ("5/7", "5/7", "2/3", "7/11", "4/7", "9/17", "1/2")]


def mean_at(*positives):
    """The mean of the best precisions from these positives on, counted from 1."""
    return float(sum(BEST[positive - 1] for positive in positives) / 11)


# Level 0 is reached by the first positive. Level 0.3 is the float above 3/10 everywhere, and those
# of 0.6 and 0.7 lie above 6/10 and 7/10 only if they are counted from the left.
BY_HAND = {
    EXACT: mean_at(1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    KIT: mean_at(1, 1, 2, 4, 4, 5, 6, 7, 8, 9, 10),
    PORT: mean_at(1, 1, 2, 4, 4, 5, 7, 8, 8, 9, 10),
}


@pytest.mark.parametrize("name", BY_HAND)
def test_eleven_levels_of_ten_positives_by_hand(name):
    assert compat.score(*TEN, name) == pytest.approx(BY_HAND[name], abs=1e-12)


def test_explanation_of_the_kit_is_its_levels_alone():
    """Level 0.3 is reached at hit 4 of 10 in place of hit 3."""
    *_, step = compat.explain(*TEN, KIT, versus=EXACT).steps
    assert [option.name for option in step.changes.values()] == ["11 levels, MATLAB"]
    assert step.estimate - BY_HAND[EXACT] == pytest.approx(float(-(1 - Fraction(5, 7)) / 11))
