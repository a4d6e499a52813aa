"""The picture of segments names its model, and has the scores of another one."""

import numpy as np
import pytest

from sklearn_ap import compare_segments, report

N = 3000
RNG = np.random.default_rng(2)
Y = RNG.random(N) < 0.2
MODELS = {"old": Y + RNG.normal(size=N), "new": 2 * Y + RNG.normal(size=N)}
MONTHS = np.array([f"2026-0{i}" for i in range(1, 6)])[np.arange(N) % 5]
COUNTRIES = np.array(["DE", "FR", "IT"])[np.arange(N) % 3]


@pytest.mark.parametrize(("name", "column"), [("month", MONTHS), ("country", COUNTRIES)])
def test_scores_of_the_other_model_are_marked(drawn_figures, name, column):
    made = report(Y, MODELS, segments={name: column}, parts=["segments"])
    made.to_html()
    (axis,) = drawn_figures.pop().axes
    assert axis.get_title() == f"new by {name}"
    assert "open diamonds: old" in axis.get_xlabel()
    (marks,) = (line for line in axis.lines if line.get_marker() == "D")
    drawn = marks.get_ydata() if name == "month" else marks.get_xdata()
    np.testing.assert_array_equal(drawn, compare_segments(Y, MODELS["old"], column).estimates)
    assert marks.get_markerfacecolor() == "none"
    low, high = axis.get_ylim() if name == "month" else axis.get_xlim()
    assert low < drawn.min()
    assert drawn.max() < high


def test_a_single_model_has_no_marks_of_another(drawn_figures):
    report(Y, MODELS["new"], segments={"month": MONTHS}, parts=["segments"]).to_html()
    (axis,) = drawn_figures.pop().axes
    assert axis.get_title() == "The model by month"
    assert "diamonds" not in axis.get_xlabel()
    assert not [line for line in axis.lines if line.get_marker() == "D"]
