"""The eleven levels of VOC 2007: those of its kit in MATLAB, of ports to Python, and exact ones."""

import json
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from sklearn_ap import compat, eleven_point_average_precision_score
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import Interpolated

KIT, PORT = "VOCdevkit2007.VOCevaldet", "chainercv.calc_detection_voc_ap_07"
EXACT = "sklearn_ap.eleven_point_average_precision_score"
OCTAVE = json.loads((Path(__file__).parents[1] / "data" / "octave.json").read_text())
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
    assert compat.score(name, *TEN) == pytest.approx(BY_HAND[name], abs=1e-12)


@pytest.mark.parametrize("name", ["voc2007", "VOC 2007", "VOC07", "PASCAL VOC 2007"])
def test_voc_2007_stands_for_the_matlab_kit(name):
    assert get(name).name == KIT
    assert compat.score(name, *TEN) == pytest.approx(BY_HAND[KIT], abs=1e-12)
    assert (get(name).source, get(PORT).source) == ("documented", "run as a copy")


def matlab_colon(n_steps, step):
    """The rule of MathWorks' answer 143255, statement by statement, for 0:step:1."""
    out = [None] * (n_steps + 1)
    for k in range(n_steps // 2 + 1):
        out[k] = 0 + k * step
        out[n_steps - k] = 1 - k * step
    if n_steps % 2 == 0:
        out[n_steps // 2] = (0 + 1) / 2
    return out


def test_kit_and_port_differ_from_exact_levels_as_counted():
    """The port differs from exact levels in 53 of these hundred, and the kit in 21."""
    levels = np.array(matlab_colon(10, 0.1))
    assert np.flatnonzero(levels > np.arange(11) / 10).tolist() == [3]
    n_differ = {KIT: 0, PORT: 0}
    for text in OCTAVE["labels"]:
        hits = np.array([*map(int, text)])
        recall, precision = hits.cumsum() / 10, hits.cumsum() / np.arange(1, hits.size + 1)
        kit = np.mean([max(precision[recall >= level], default=0) for level in levels])
        y_score = -np.arange(hits.size)
        assert compat.score(KIT, hits, y_score) == pytest.approx(kit, abs=1e-12)
        exact = eleven_point_average_precision_score(hits, y_score)
        for name in n_differ:
            n_differ[name] += abs(compat.score(name, hits, y_score) - exact) > 1e-9
    assert n_differ == {KIT: 21, PORT: 53}


def test_port_agrees_with_the_kit_run_in_octave():
    """GNU Octave ran the loop of the kit. It is not MATLAB: 0.6 and 0.7 are missed, too."""
    assert OCTAVE["levels"] == np.arange(0, 1.1, 0.1).tolist()
    for text, value in zip(OCTAVE["labels"], OCTAVE["values"], strict=True):
        hits = np.array([*map(int, text)])
        assert compat.score(PORT, hits, -np.arange(hits.size)) == pytest.approx(value, abs=1e-12)


def test_explain_names_the_levels_that_moved():
    *_, step = compat.explain("voc2007", *TEN, versus=EXACT).steps
    assert step.share == pytest.approx(float(-(1 - Fraction(5, 7)) / 11))
    assert step.why.endswith("Levels that moved: 0.3 from 3 to 4 of 10 positives.")
    *_, step = compat.explain(PORT, *TEN, versus="voc2007").steps
    assert step.why.endswith(
        "Levels that moved: 0.6 from 6 to 7 of 10 positives, 0.7 from 7 to 8 of 10 positives."
    )
    first_three = [1, 1, 1, 0], [0.9, 0.8, 0.7, 0.6]
    *_, step = compat.explain("voc2007", *first_three, versus=EXACT, n_positives=10).steps
    assert step.why.endswith("Levels that moved: 0.3 from 3 to none of 10 positives.")


def test_explain_does_not_name_user_defined_levels():
    found = compat.explain(Interpolated([0.35]), *TEN, versus=Interpolated([0.3]))
    assert "moved" not in found.steps[-1].why
    assert found.steps[-1].share == pytest.approx(float(BEST[3] - BEST[2]))


def test_explain_counts_the_queries_in_which_a_level_moved():
    """Three queries of ten positives, and one of four, whose levels are all exact."""
    y_true, y_score = np.tile(TEN[0], 3), np.tile(TEN[1], 3)
    queries = np.repeat([0, 1, 2], 20)
    y_true, y_score = np.append(y_true, [1, 1, 0, 1, 1]), np.append(y_score, [5, 4, 3, 2, 1])
    found = compat.explain(
        "voc2007", y_true, y_score, versus=EXACT, queries=np.append(queries, [3] * 5)
    )
    assert found.steps[-1].why.endswith("Levels that moved: 0.3 in 3 of 4 queries.")
