"""Pictures of segments as rows: scores at the right, and when random orders are drawn."""

from itertools import pairwise

import numpy as np
import pytest

from sklearn_ap import compare_segments, report
from sklearn_ap._base.drawing.axes import axes_colors

N = 6_000
RNG = np.random.default_rng(2)
CODE = np.arange(N) % 4
COUNTRY = np.array(["DE", "ES", "FR", "IT"])[CODE]
MONTH = np.array([f"2026-0{1 + i}" for i in range(4)])[CODE]
Y = RNG.random(N) < 0.1
NOISE = RNG.normal(size=(3, N))
MODELS = {"old": 1.4 * Y + NOISE[0], "new": 2.2 * Y + NOISE[1]}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def draw(drawn_figures, scores, segments=COUNTRY, name="country", **options):
    """The picture of a column, and its axes."""
    options = {"parts": ["segments"]} | options
    part, *_ = report(Y, scores, segments={name: segments}, **options).parts
    drawn_figures.clear()
    _ = part.picture.image
    (figure,) = drawn_figures
    figure.draw_without_rendering()
    (axis,) = figure.axes
    return part.picture, axis


def remarks_of(axis):
    """The texts right of the axes, by the places of their rows."""
    right = axis.get_window_extent().x1
    texts = [text for text in axis.texts if text.get_window_extent().x0 > right]
    rows = [label.get_text() for label in axis.get_yticklabels()]
    return {name: [text for text in texts if text.xy[1] == i] for i, name in enumerate(rows)}


@pytest.mark.parametrize("is_swapped", [False, True])
@pytest.mark.parametrize("n_models", [2, 3])
def test_the_score_of_the_best_model_stands_above_that_of_the_next_one(
    drawn_figures, is_swapped, n_models
):
    models = MODELS | ({"weak": 0.5 * Y + NOISE[2]} if n_models == 3 else {})
    models = dict(reversed(models.items())) if is_swapped else models
    _, axis = draw(drawn_figures, models)
    remarks = remarks_of(axis)
    assert [*remarks] == ["DE", "ES", "FR", "IT"]
    scores = {
        name: dict(zip(remarks, compare_segments(Y, models[name], COUNTRY).estimates, strict=True))
        for name in ("new", "old")
    }
    for row, texts in remarks.items():
        assert [text.get_text() for text in texts] == [
            f"{scores[name][row]:.2f}" for name in ("new", "old")
        ]
        assert [text.get_color() for text in texts] == [*axes_colors(axis).models[:2]]
        upper, lower = (text.get_window_extent() for text in texts)
        assert upper.y0 >= lower.y1 - 1
        place = axis.get_yticks()[[*remarks].index(row)]
        middle = axis.transData.transform((0, place))[1]
        assert lower.y0 < middle < upper.y1
        assert (upper.y1 + lower.y0) / 2 == pytest.approx(middle, abs=2)
    assert not any("positives" in text.get_text() for text in axis.texts)


def test_a_single_model_has_its_score_and_the_positives_in_black(drawn_figures):
    _, axis = draw(drawn_figures, MODELS["new"])
    estimates = compare_segments(Y, MODELS["new"], COUNTRY).estimates
    for (row, texts), score in zip(remarks_of(axis).items(), estimates, strict=True):
        (text,) = texts
        assert text.get_text() == f"{score:.2f}, {Y[row == COUNTRY].sum()} positives"
        assert text.get_color() == "black"


@pytest.mark.parametrize("n_rows", [2, 3, 12])
def test_scores_of_a_row_stand_nearer_to_each_other_than_to_those_of_the_next_row(
    drawn_figures, n_rows
):
    names = np.char.add("site ", (np.arange(N) % n_rows).astype(str))
    _, axis = draw(drawn_figures, MODELS, names, "site")
    boxes = [text.get_window_extent() for texts in remarks_of(axis).values() for text in texts]
    assert len(boxes) == 2 * n_rows
    order = sorted(boxes, key=lambda box: -box.y0)
    gaps = [upper.y0 - lower.y1 for upper, lower in pairwise(order)]
    assert 0 < max(gaps[::2]) < 0.5 * min(gaps[1::2])  # in a row, and between rows
    figure = axis.figure
    assert all(box.y0 > 0 and box.y1 < figure.bbox.y1 for box in boxes)
    assert all(box.x1 < figure.bbox.x1 for box in boxes)


@pytest.mark.parametrize("n_models", [1, 2])
def test_effective_positives_are_explained_where_they_stand(drawn_figures, n_models):
    weight = np.where(np.arange(N) % 3, 1.0, 9.0)
    scores = MODELS if n_models == 2 else MODELS["new"]
    picture, axis = draw(drawn_figures, scores, sample_weight=weight)
    texts = " ".join(text.get_text() for each in remarks_of(axis).values() for text in each)
    is_one = n_models == 1
    assert ("(" in texts) == ("In brackets: effective positives." in picture.subject) == is_one


@pytest.mark.parametrize(("segments", "name"), [(COUNTRY, "country"), (MONTH, "month")])
@pytest.mark.parametrize("n_models", [1, 2])
def test_random_orders_are_drawn_if_scores_span_four_tenths_of_the_axis_then(
    drawn_figures, segments, name, n_models
):
    found = set()
    for shift in np.linspace(0.8, 2.6, 10):
        models = {"new": shift * Y + NOISE[1], "old": 0.95 * shift * Y + NOISE[0]}
        models = models if n_models == 2 else {"new": models["new"]}
        scores = models if n_models == 2 else models["new"]
        compared = [compare_segments(Y, score, segments) for score in models.values()]
        numbers = np.concatenate([[each.lows, each.highs] for each in compared])
        share = np.ptp(numbers) / np.ptp([*numbers.ravel(), Y.mean()])
        picture, axis = draw(drawn_figures, scores, segments, name)
        dotted = [line for line in axis.lines if line.get_linestyle() == ":"]
        is_drawn = share >= 0.4
        assert len(dotted) == is_drawn
        dotted_in_words = " (dotted)" if is_drawn else ""
        assert f" by {name} at prevalence {Y.mean():.3f}{dotted_in_words}, 95%" in picture.subject
        if is_drawn:
            (line,) = dotted
            places = line.get_ydata() if name == "month" else line.get_xdata()
            np.testing.assert_allclose(places, Y.mean())
        found.add((is_drawn, bool(share >= 0.25)))
    assert found >= {(True, True), (False, True)}
