"""What is drawn of rankings is their score."""

import numpy as np
import pytest
from drawings import PICTURED, QUERIES, SCORES, Y_SCORE, Y_TRUE, Y, area, folds_of, legend_texts
from matplotlib import pyplot as plt
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import AveragePrecisionDisplay, average_precision_score, threshold_counts
from sklearn_ap.definitions import AtK, Hyperbolic, Interpolated, Linear, RecallAtPrecision, Step
from sklearn_ap.definitions._for_displays import point, samples

draw = AveragePrecisionDisplay.from_predictions


def point_of(definition):
    """The point that is marked for the ten predictions."""
    return point(definition, threshold_counts(Y_TRUE, Y_SCORE))


@pytest.mark.parametrize("definition", [d for d in PICTURED if not point_of(d)])
def test_the_line_of_a_definition_is_drawn_with_its_score(definition):
    counts = threshold_counts(Y_TRUE, Y_SCORE)
    display = AveragePrecisionDisplay(counts, definition=definition).plot()
    np.testing.assert_allclose(display.line_.get_data(), definition.line(counts), atol=1e-12)
    if (levels := samples(definition, counts)) is not None:
        np.testing.assert_allclose(display.samples_.get_data(), levels)
    assert display.ax_.get_title().endswith(f" = {definition(counts)[0]:.3f}")


@pytest.mark.parametrize("definition", [d for d in PICTURED if point_of(d)], ids=repr)
def test_a_point_is_marked_with_lines_to_both_axes(definition):
    _, axis = plt.subplots()
    draw(Y_TRUE, Y_SCORE, definition=definition, ax=axis)
    (corner,) = [line for line in axis.lines if line.get_linestyle() == "--"]
    recall, precision = point_of(definition)
    assert corner.get_xydata().tolist() == [[0, precision], [recall, precision], [recall, 0]]
    assert axis.get_title().startswith(definition.title)


def test_named_rankings_have_a_marked_point_and_means_none():
    counts = [threshold_counts(Y_TRUE, Y_SCORE)] * 2
    for name, n_points in (["A", "B"], 2), (None, 0):
        display = AveragePrecisionDisplay(counts, definition=RecallAtPrecision(0.7), name=name)
        lines = display.plot(plt.subplots()[1]).ax_.lines
        assert sum(line.get_markevery() == [1] for line in lines) == n_points


def test_area_overestimated_by_straight_lines_is_shaded():
    (shade,) = draw([1] + 9 * [0], 10 * [0.5], definition=Linear()).ax_.collections
    x, y = shade.get_paths()[0].vertices.T
    shaded = abs(np.sum(x * np.roll(y, 1) - y * np.roll(x, 1))) / 2
    assert shaded == pytest.approx(0.55 - 0.1)


def test_operating_points_are_marked_where_they_are_few():
    few, many = draw(Y_TRUE, Y_SCORE, prevalence=0.1), draw(Y, np.arange(Y.size))
    marked = [[line for line in d.ax_.lines if line.get_marker() == "o"] for d in (few, many)]
    assert [len(lines) for lines in marked] == [1, 0]
    np.testing.assert_allclose(marked[0][0].get_xdata(), [0.2, 0.4, 0.6, 0.8, 1.0])
    assert marked[0][0].get_ydata()[-1] == pytest.approx(5 / (5 + 9 * 5))


def test_ranking_without_positives_draws_nothing_and_warns():
    with pytest.warns(UndefinedMetricWarning, match="1 of 1 rankings have no positive"):
        display = draw([0, 0], [1, 2])
    assert display.line_.get_xdata().size == 0
    assert repr(display) == "AveragePrecisionDisplay(step AP = 0.000)"


def test_one_large_bend_among_many_thresholds_is_drawn():
    y_true = np.r_[0, np.ones(50_000), np.tile([1, 0], 10_001)]
    y_score = np.r_[2, np.ones(50_000), -np.arange(20_002.0)]
    display = draw(y_true, y_score, definition=Hyperbolic())
    assert area(display.line_) == pytest.approx(Hyperbolic()(display.counts)[0], abs=5e-4)


def test_standard_deviation_of_a_weighted_mean_uses_its_weights():
    """1 of one positive and 1/2 of three: 5/8, and the root of 9/64 / 4 + 3/4 / 64."""
    options = {"queries": [1, 1, *[2] * 6, 3], "average": "weighted"}
    with pytest.warns(UndefinedMetricWarning, match="1 of 3 rankings have no positive"):
        display = draw([1, 0, 1, 1, 1, 0, 0, 0, 0], [2, 1, *[0] * 7], **options)
    assert legend_texts(display.ax_)[0] == "mean of 2 of 3 queries: 0.625 (SD 0.217)"


@pytest.mark.parametrize("average", [None, "macro", "weighted"])
@pytest.mark.parametrize(("definition", "prevalence"), [(Step(), 0.1), (Interpolated(), None)])
def test_the_mean_of_queries_is_the_score_despite_queries_without_positives(
    average, definition, prevalence
):
    options = {"queries": QUERIES, "prevalence": prevalence}
    with pytest.warns(UndefinedMetricWarning) as record:
        display = draw(Y, SCORES, average=average, definition=[definition] * 2, **options)
    options |= {"definition": definition, "average": average or "macro"}
    score = average_precision_score(Y, SCORES, zero_division=0.0, **options)
    assert [warning.filename for warning in record] == [__file__]
    assert area(display.mean_[0]) == pytest.approx(score, abs=1e-12)
    assert f": {score:.3f} (SD" in legend_texts(display.ax_[1])[0]


@pytest.mark.filterwarnings("ignore:.* rankings have no positive")
def test_queries_are_drawn_behind_their_mean_if_they_are_few():
    display = draw(Y, SCORES, queries=QUERIES, definition=Interpolated(11))
    assert len(display.line_) == len(display.samples_) == 40
    assert legend_texts(display.ax_)[0].startswith("mean of 40 queries: 0.")
    many = draw(Y, SCORES, queries=np.arange(600) // 5)
    assert many.line_ is many.mean_


def test_legend_explains_how_the_area_becomes_the_score_at_k():
    display = draw(Y_TRUE, Y_SCORE, definition=AtK(3))
    assert display.ax_.get_title() == "average precision at 3 = 0.556"
    assert "top 3: area 0.333 \N{MULTIPLICATION SIGN} 5 positives / 3" in legend_texts(display.ax_)


def test_mean_curve_ends_at_the_largest_recall_reached():
    both = folds_of((Y_TRUE, Y_SCORE), ([1, 0, 0, 1], [4, 3, 2, 1]))
    display = AveragePrecisionDisplay(both, definition=AtK(3)).plot()
    ends = [line.get_xdata()[-1] for line in display.line_]
    assert display.mean_.get_xdata()[-1] == max(ends) < 1
