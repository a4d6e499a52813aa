"""The hit curve."""

import numpy as np
import pytest
from drawings import Y_SCORE, Y_TRUE, legend_texts
from matplotlib import pyplot as plt

from sklearn_ap import HitCurveDisplay


def test_hit_curve_requires_detected_and_hits_of_one_shape():
    line = np.array([0, 1])
    for detected, hits in (([0, 1], [0, 0.5, 1]), ([line, line], [line])):
        with pytest.raises(ValueError, match="detected and hits must be of one shape"):
            HitCurveDisplay(detected, hits).plot()


def test_hit_curve_is_drawn_with_perfect_and_random_curves():
    _, axis = plt.subplots()
    draw = HitCurveDisplay.from_predictions
    for name in ("a", "b"):
        display = draw(Y_TRUE, Y_SCORE, name=name, ax=axis)
    lines = {line.get_label(): line.get_xydata().tolist() for line in axis.lines}
    assert lines["perfect (0.5 are positive)"] == [[0, 0], [0.5, 0.5], [1, 0.5]]
    assert lines["random order"] == [[0, 0], [1, 0.5]]
    assert set(lines) == {"perfect (0.5 are positive)", "random order", "a", "b"}
    assert display.line_.get_xydata()[-1].tolist() == [1, 0.5]
    assert legend_texts(display.plot(name="c").ax_)[0] == "c"
    alone = draw(Y_TRUE, Y_SCORE, plot_chance_level=False)
    assert "random order" not in legend_texts(alone.ax_)


def test_prevalence_follows_from_the_end_of_the_hit_curve():
    assert repr(HitCurveDisplay([0, 0.5, 1], [0, 0.2, 0.25])) == "HitCurveDisplay(prevalence=0.25)"
    # the others, which were not looked at, count as positive where they are all retrieved last
    assert repr(HitCurveDisplay([0, 0.5], [0, 0.2])) == "HitCurveDisplay(prevalence=0.7)"
    mean = HitCurveDisplay([[0, 1], [0, 0.5, 1]], [[0, 0.5], [0, 0.5, 0.5]]).plot().mean_
    assert mean.get_xydata().tolist() == [[0, 0], [0.5, 0.375], [1, 0.5]]
