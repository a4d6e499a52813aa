"""Scores and differences with their limits in one picture."""

import sys
from base64 import b64decode
from dataclasses import replace

import numpy as np
import pytest
from drawings import LONG, SCORES, Y
from matplotlib import pyplot as plt
from matplotlib.colors import to_hex

from sklearn_ap import (
    best_average_precision,
    chance_test,
    compare_average_precision,
)
from sklearn_ap.definitions import Interpolated

NOISE = np.random.default_rng(0).normal(size=(60, Y.size))
MODELS = {
    "plain": SCORES,
    "noisy": SCORES + NOISE[0],
    "much $ noisier $": SCORES + 5 * NOISE[0],
}
MANY = {f"model {i}": SCORES + i * NOISE[i] for i in range(6)}


def check_drawn(axis, values, lows, highs):
    segments = [path.vertices[:, 0] for path in axis.collections[0].get_paths()]
    np.testing.assert_array_equal(segments, np.column_stack((lows, highs)))
    np.testing.assert_array_equal(axis.collections[1].get_offsets()[:, 0], values)


def colors(axis):
    return [to_hex(color) for color in axis.collections[0].get_colors()]


def names(axis):
    return [tick.get_text() for tick in axis.get_yticklabels()]


def test_comparison_picture_matches_its_table():
    found = compare_average_precision(Y, MODELS, reference="noisy", prevalence=0.055)
    left, right = found.plot()
    score, sample = left.get_xlabel().split("\n")
    assert score == "average precision at prevalence 0.055"
    assert sample.endswith(f"{Y.sum()} positives")
    check_drawn(left, found.estimates, found.lows, found.highs)
    limits = found.differences, found.difference_lows, found.difference_highs
    check_drawn(right, *(each[[0, 2]] for each in limits))
    assert names(left) == list(MODELS)
    assert names(right)[1] == "reference"
    assert names(right)[2].startswith(f"{found.differences[2]:+.2f}\np ")
    assert right.get_xlabel() == "difference from noisy"


@pytest.mark.parametrize("width", [4.4, 5.9])
def test_panels_of_a_narrow_figure_stand_below_each_other_and_both_have_names(width):
    found = compare_average_precision(Y, MODELS)
    figure = plt.figure(figsize=(width, 3))
    upper, lower = found.plot(figure)
    figure.canvas.draw()
    assert lower.get_position().y1 < upper.get_position().y0
    assert lower.get_position().x0 == pytest.approx(upper.get_position().x0)
    assert figure.get_size_inches()[0] == width
    assert names(lower) == names(upper) == list(MODELS)
    texts = [text.get_text() for text in lower.texts]
    assert texts[0] == "reference"
    assert texts[1].startswith(f"{found.differences[1]:+.2f}\np ")
    renderer = figure.canvas.get_renderer()
    for text in lower.texts:
        assert text.get_window_extent(renderer).x1 <= figure.bbox.x1 + 1


def test_panels_stand_below_each_other_on_the_axes_of_a_user():
    _, axes = plt.subplots(2, 1, layout="constrained")
    _, lower = compare_average_precision(Y, MODELS).plot(axes)
    assert names(lower) == list(MODELS)


@pytest.mark.parametrize("width", [6.0, 6.4, 12])
def test_panels_of_a_wider_figure_stand_side_by_side(width):
    left, right = compare_average_precision(Y, MODELS).plot(plt.figure(figsize=(width, 3)))
    assert left.get_position().x1 < right.get_position().x0


def test_comparison_picture_shows_adjusted_p_values():
    found = compare_average_precision(Y, MODELS)
    found = replace(found, adjusted_pvalues=np.array([np.nan, 0.00099, 0.00101]))
    shown = [text.split("\n")[1] for text in names(found.plot()[1])[1:]]
    assert shown == ["p < 0.001", "p = 0.001"]


def test_one_sided_interval_extends_beyond_the_axes():
    models = {"noise": NOISE[0], "plain": SCORES, "same": NOISE[0] + 1e-3 * NOISE[1]}
    found = compare_average_precision(Y, models, alternative="greater")
    right = found.plot()[1]
    low, high = right.get_xlim()
    assert low < 0 < found.difference_lows[1] < high < found.difference_highs[1]
    assert low < found.difference_lows[2] < 0
    assert colors(right)[0] != colors(right)[1]


def test_a_comparison_draws_a_row_for_each_model_and_ranking():
    queries = np.array(["x", "y"])[np.arange(Y.size) % 2]
    found = compare_average_precision(Y, MODELS, queries=queries, average=None)
    left, right = found.plot()
    check_drawn(left, *(each.T.ravel() for each in (found.estimates, found.lows, found.highs)))
    assert names(left) == [f"{model}, {ranking}" for ranking in "xy" for model in MODELS]
    limits = found.differences, found.difference_lows, found.difference_highs
    check_drawn(right, *(each[1:].T.ravel() for each in limits))
    assert [text == "reference" for text in names(right)] == [True, False, False] * 2


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_the_most_extreme_of_many_rows_are_drawn_and_named():
    queries = np.arange(Y.size) // 10
    known = np.where(np.arange(Y.size) % 10 == 0, 1, Y)
    given = queries, {name: MODELS[name] for name in ("plain", "noisy")}
    two = compare_average_precision(known, given[1], queries=given[0], average=None)
    left, _ = two.plot()
    drawn = [int(name.split(", ")[1]) for name in names(left)[::2]]
    moved = np.abs(two.differences[1])
    assert len(drawn) == 20
    assert moved[drawn].min() >= np.delete(moved, drawn).max()
    assert left.get_xlabel().endswith("the 20 of 60 with the largest differences")
    models = {str(i): SCORES + 0.1 * i * NOISE[i] for i in range(45)}
    crowd = compare_average_precision(Y, models, reference="7")
    left, _ = crowd.plot()
    assert len(names(left)) == 40
    assert "7" in names(left)
    assert left.get_xlabel().endswith("the 40 of 45 with the largest differences")


def test_a_picture_in_html_has_no_date_and_leaves_no_figure_open(rendered, monkeypatch):
    found = compare_average_precision(Y, {"a <b>": SCORES, "plain": NOISE[0]})
    before, html = plt.get_fignums(), found._repr_html_()
    assert plt.get_fignums() == before
    assert html == found._repr_html_()
    _, picture = html.split("<img ")
    assert "plain minus a &lt;b&gt;" in picture.partition(" style")[0]
    svg = b64decode(picture.split("base64,")[1].partition('"')[0]).decode()
    assert "<svg" in svg
    assert "date>" not in svg
    several = chance_test(Y, SCORES, queries=np.arange(Y.size) % 2, average=None, n_permutations=9)
    assert "<img" not in several._repr_html_()
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    assert "<img" not in found._repr_html_()
    assert found._repr_html_().startswith("<table>" if html.startswith("<table>") else "<p")


def test_best_of_many_picture_matches_its_table():
    best = best_average_precision(Y, MANY)
    axis = best.plot()
    check_drawn(axis, best.estimates, best.lows, best.highs)
    assert names(axis) == list(best.names)
    assert axis.get_ylim()[0] > axis.get_ylim()[1]  # the best stands at the top
    n_best = len(best.may_be_best)
    assert axis.get_title() == f"in colour: may be the best ({n_best} of 6)"
    seen = colors(axis)
    assert 0 < n_best < 6
    assert len({*seen[:n_best]}) == len({*seen[n_best:]}) == 1
    assert seen[0] != seen[-1]
    assert axis.get_xlabel().split("\n")[0] == (
        "average precision, 95% interval valid for the best model"
    )


@pytest.mark.parametrize("size", [(6, 3), (3, 3)])
def test_long_names_fit_the_figure_and_so_do_forty_rows(size):
    figure, axis = plt.subplots(figsize=size)
    models = {f"{LONG} {name} $": scores for name, scores in MANY.items()}
    assert best_average_precision(Y, models, confidence_level=0.9).plot(axis) is axis
    assert "90%" in axis.get_xlabel()
    pair, axes = plt.subplots(1, 2, figsize=(size[0] + 1, 3))
    assert compare_average_precision(Y, models).plot(axes)[0] is axes[0]
    for drawn, sides, share in ((figure, [axis], 0.3), (pair, axes, 0.13)):
        drawn.canvas.draw()
        for text in (label for side in sides for label in side.get_yticklabels()):
            box = text.get_window_extent()
            assert drawn.bbox.x0 - 1 <= box.x0 < box.x1 <= drawn.bbox.x1 + 1
        assert sides[0].bbox.width > share * drawn.bbox.width
    models = {str(i): SCORES + 0.1 * noise for i, noise in enumerate(NOISE)}
    crowd = best_average_precision(Y, models, definition=Interpolated()).plot()
    assert len(names(crowd)) == 40
    assert crowd.get_xlabel().endswith("\nthe 40 highest of 60")
    assert crowd.figure.get_figheight() < 13


def test_differences_are_coloured_by_their_printed_p_value():
    """A column of ten differs by its own interval, and not by p-values that are adjusted."""
    rng = np.random.default_rng(3)
    y = np.tile(np.arange(200) % 5 == 0, (10, 1)).T.astype(int)
    old = y + rng.normal(size=y.shape)
    new = old + 0.1 * rng.normal(size=y.shape)
    new[:, 0] = old[:, 0] + 0.3 * y[:, 0] + rng.normal(size=200) / 2
    found = compare_average_precision(y, {"old": old, "new": new}, average=None)
    assert found.pvalues[1, 0] < 0.05 < found.adjusted_pvalues[1].min()
    assert len({*colors(found.plot()[1])}) == 1


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("nearest neighbours", "nearest\nneighbours"),
        ("short", "short"),
        ("n" * 60, None),
    ],
)
def test_long_names_of_a_narrow_picture_are_broken_before_they_are_shortened(name, shown):
    rng = np.random.default_rng(0)
    y_true = np.arange(200) < 40
    scores = {name: y_true + rng.normal(size=200), "b": y_true + rng.normal(size=200)}
    figure = plt.figure(figsize=(4.4, 4))
    left, right = compare_average_precision(y_true, scores).plot(figure)
    for axis in (left, right):
        (text, _) = (label.get_text() for label in axis.get_yticklabels())
        assert text == shown if shown else "…" in text
    if shown:
        assert right.get_xlabel() in (f"b minus {name}", f"b\nminus {name}")
