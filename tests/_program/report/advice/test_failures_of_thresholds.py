"""Segments in which a threshold fails have red rings in its picture at shares that are lower."""

import re
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pytest
from scipy.stats import binomtest

from sklearn_ap import operating_point, report
from sklearn_ap._base.drawing.axes import ON_LIGHT

N = 12_000
RNG = np.random.default_rng(0)
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) % 6]
COUNTRY = np.array(["DE", "FR", "IT"])[np.arange(N) // 6 % 3]
SHOP = np.array([*"ABCDE"])[np.arange(N) // 18 % 5]
IS_LAST = MONTH == "2026-06"
IS_FALLEN = np.isin(MONTH, ["2026-05", "2026-06"])
ALL = np.ones(N, dtype=bool)
IS_IT = COUNTRY == "IT"
Y = RNG.random(N) < 0.1
NOISE = RNG.normal(size=(3, N))
GOAL = 0.5
SHARES = "precision", "recall"
RED = " Red rings: where it fails."
BY_MONTH, BY_COUNTRY = {"month": MONTH}, {"country": COUNTRY}
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


class Case(NamedTuple):
    """Scores of which a threshold fails in some rows, and the shares that are lower there."""

    score: np.ndarray
    segments: dict
    rows: np.ndarray
    name: str
    failing: tuple


CASES = {
    "precision": Case(1.9 * Y + NOISE[0] + 1.2 * IS_LAST, BY_MONTH, IS_LAST, "2026-06", SHARES[:1]),
    "recall": Case(
        np.where(IS_LAST, 1.3 * Y - 0.4, 2.6 * Y) + NOISE[0],
        *(BY_MONTH, IS_LAST, "2026-06", SHARES[1:]),
    ),
    "both": Case(
        np.where(IS_IT, 0.2, 2.6) * Y + NOISE[0],
        *(BY_COUNTRY, IS_IT, "country IT", SHARES),
    ),
    "fall": Case(
        np.where(IS_FALLEN, 0.3, 2.6) * Y + NOISE[0],
        *(BY_MONTH, IS_FALLEN, "from 2026-05 on", SHARES),
    ),
    "mild fall": Case(
        np.where(IS_FALLEN, 1.1, 2.6) * Y + NOISE[0],
        *(BY_MONTH, IS_FALLEN, "from 2026-05 on", SHARES),
    ),
}


def draw(drawn_figures, score, segments, **options):
    """The part about thresholds, and the panels of precision and of recall."""
    drawn_figures.clear()
    options = {"precision": GOAL, "parts": ["thresholds", "segments"]} | options
    part, *_ = report(Y, score, segments=segments, **options).parts
    _ = part.picture.image
    (figure,) = drawn_figures
    figure.draw_without_rendering()
    return part, figure.axes


def selected_by(score):
    point = operating_point(Y, score, precision=GOAL, guarantee=0.9)
    return point.threshold, score >= point.threshold


def shares_of(selected, rows):
    """The precision and the recall of a threshold among some rows."""
    return Y[selected & rows].mean(), selected[Y & rows].mean()


def failing_in(selected, rows):
    """The shares that are lower than in all rows, if a threshold fails in a segment.

    It fails if one is less than half of that of all rows, or if its precision is clearly below the
    goal.
    """
    shares, everywhere = np.array([shares_of(selected, each) for each in (rows, ALL)])
    labels = Y[selected & rows]
    pvalue = binomtest(int(labels.sum()), labels.size, GOAL, alternative="less").pvalue
    if pvalue >= 0.05 and not np.any(shares < everywhere / 2):
        return ()
    return tuple(np.array(SHARES)[shares < everywhere].tolist())


def rings_of(panel):
    """The coordinates of the rings that are in sight."""
    hollow = [line for line in panel.lines if line.get_markerfacecolor() == "none"]
    assert all(line.get_color() == ON_LIGHT.alarm for line in hollow)
    points = np.concatenate([np.empty((0, 2)), *(line.get_xydata() for line in hollow)])
    return points[np.isfinite(points).all(axis=1)].tolist()


def red_texts(panel):
    return [text for text in panel.texts if text.get_color() == ON_LIGHT.alarm]


def words_of(texts):
    return [text.get_text().replace("\n", " ") for text in texts]


def printed(value):
    """A share with two digits."""
    return f"{value:.2f}" if value >= 0.1 or not value else f"{value:.2g}"


@pytest.mark.parametrize("name", CASES)
def test_a_failure_has_its_name_and_value_at_a_ring_in_the_panels_of_the_shares_that_are_lower(
    drawn_figures, name
):
    case = CASES[name]
    part, panels = draw(drawn_figures, case.score, case.segments)
    threshold, selected = selected_by(case.score)
    assert failing_in(selected, case.rows) == case.failing
    clauses = []
    for share, panel, value in zip(SHARES, panels, shares_of(selected, case.rows), strict=True):
        is_failing = share in case.failing
        np.testing.assert_allclose(rings_of(panel), [[threshold, value]] * is_failing)
        assert words_of(red_texts(panel)) == [f"{case.name} {printed(value)}"] * is_failing
        clauses += [rf"{share} {printed(value)} .*{case.name}"] * is_failing
    assert part.picture.subject.endswith(RED)
    assert part.picture.subject.count(RED) == 1
    assert re.search(f"; {'; '.join(clauses)}[.]$", part.picture.alt)
    assert part.picture.alt.count(case.name) == len(clauses)


@pytest.mark.parametrize(("gain", "least", "most"), [(1.3, 0.45, 0.5), (1.5, 0.5, 0.6)])
def test_a_recall_fails_below_half_of_that_of_all_rows(drawn_figures, gain, least, most):
    score = np.where(IS_LAST, gain * Y - 0.4, 2.6 * Y) + NOISE[0]
    threshold, selected = selected_by(score)
    (precision, recall), everywhere = shares_of(selected, IS_LAST), shares_of(selected, ALL)
    assert precision > GOAL
    assert least < recall / everywhere[1] < most
    part, (_, lower) = draw(drawn_figures, score, BY_MONTH)
    is_failing = most == 0.5
    np.testing.assert_allclose(rings_of(lower), [[threshold, recall]] * is_failing)
    assert part.picture.subject.endswith(RED) == is_failing


def test_a_precision_clearly_below_the_guaranteed_one_fails_though_it_is_more_than_half():
    selected = selected_by(CASES["precision"].score)[1]
    everywhere, _ = shares_of(selected, ALL)
    precision, recall = shares_of(selected, IS_LAST)
    assert everywhere / 2 < precision < GOAL
    assert recall > 0.8


@pytest.mark.parametrize(("n_selected", "n_found"), [(9, 1), (1, 1), (0, 0)])
def test_a_precision_of_few_rows_is_not_drawn_beside_a_recall_that_fails(
    drawn_figures, n_selected, n_found
):
    score = 2 * Y + NOISE[0]
    score[IS_IT] = NOISE[0][IS_IT] - 9
    score[np.flatnonzero(IS_IT & ~Y)[: n_selected - n_found]] = 6
    score[np.flatnonzero(IS_IT & Y)[:n_found]] = 6
    threshold, selected = selected_by(score)
    assert np.sum(selected & IS_IT) == n_selected
    _, (upper, lower) = draw(drawn_figures, score, BY_COUNTRY)
    assert not len(rings_of(upper))
    assert not red_texts(upper)
    recall = selected[Y & IS_IT].mean()
    np.testing.assert_allclose(rings_of(lower), [[threshold, recall]])
    assert words_of(red_texts(lower)) == [f"country IT {printed(recall)}"]


def test_the_last_third_of_the_times_of_a_trend_has_rings_together(drawn_figures):
    step = np.arange(N) % 9
    month = np.array([f"2026-0{1 + i}" for i in range(9)])[step]
    score = (3.4 - 0.3 * step) * Y + NOISE[0]
    part, panels = draw(drawn_figures, score, {"month": month})
    threshold, selected = selected_by(score)
    is_recent = step >= 6
    assert failing_in(selected, is_recent) == SHARES
    for panel, value in zip(panels, shares_of(selected, is_recent), strict=True):
        np.testing.assert_allclose(rings_of(panel), [[threshold, value]])
        assert words_of(red_texts(panel)) == [f"from 2026-07 on {value:.2f}"]
    assert part.picture.subject.endswith(RED)


@pytest.mark.parametrize(("gain", "is_told"), [(3.7, False), (2.6, True)])
def test_nothing_is_red_where_the_threshold_holds(drawn_figures, gain, is_told):
    """Months that rank worse are told, and what the threshold finds there, even if that will do."""
    score = np.where(IS_FALLEN, gain, 3.7) * Y + NOISE[0]
    part, panels = draw(drawn_figures, score, BY_MONTH)
    _, selected = selected_by(score)
    assert not failing_in(selected, IS_FALLEN)
    assert ("From 2026-05 on, " in " ".join(part.more)) == is_told
    for panel in panels:
        assert not rings_of(panel)
        assert not red_texts(panel)
    assert "Red" not in part.picture.subject
    assert "2026" not in part.picture.alt


@pytest.mark.parametrize("options", [{"prevalence": 0.05}, {"sample_weight": np.ones(N)}])
def test_nothing_is_red_at_another_prevalence_or_with_weights(drawn_figures, options):
    part, panels = draw(drawn_figures, CASES["fall"].score, BY_MONTH, **options)
    assert part.sentence.startswith("Do not use the threshold ")
    for panel in panels:
        assert not rings_of(panel)
        assert not red_texts(panel)
    assert "Red" not in part.picture.subject
    assert "2026" not in part.picture.alt


def test_two_failures_are_drawn_at_most_and_the_latest_time_comes_first(drawn_figures):
    is_a = SHOP == "A"
    score = np.where(IS_LAST, 0.6, np.where(IS_IT, 0.4, np.where(is_a, 0.2, 3.2))) * Y + NOISE[0]
    segments = BY_MONTH | BY_COUNTRY | {"shop": SHOP}
    part, panels = draw(drawn_figures, score, segments)
    threshold, selected = selected_by(score)
    rows = {"2026-06": IS_LAST, "country IT": IS_IT, "shop A": is_a}
    assert all("recall" in failing_in(selected, each) for each in rows.values())
    told = " ".join([part.sentence, *part.more])
    assert re.search("in 2026-06, .* In country IT, .* In shop A, ", told)
    lower = panels[1]
    names = ["2026-06", "country IT"]
    recalls = [shares_of(selected, rows[name])[1] for name in names]
    np.testing.assert_allclose(rings_of(lower), [[threshold, recall] for recall in recalls])
    texts = [f"{name} {printed(recall)}" for name, recall in zip(names, recalls, strict=True)]
    assert words_of(red_texts(lower)) == texts
    assert "shop A" not in part.picture.alt


def test_the_model_to_use_for_now_has_the_rings_of_its_own_threshold(drawn_figures):
    models = {
        "new": np.where(IS_LAST, 0.2, np.where(IS_IT, 1, 3.2)) * Y + NOISE[0],
        "old": np.where(IS_IT, 0.1, 2.4) * Y + NOISE[1],
    }
    segments = BY_MONTH | BY_COUNTRY
    part, (upper, lower) = draw(drawn_figures, models, segments)
    threshold, selected = selected_by(models["old"])
    assert part.sentence.startswith("Select rows where old scores ")
    assert failing_in(selected, IS_IT) == SHARES
    precision, recall = shares_of(selected, IS_IT)
    np.testing.assert_allclose(rings_of(upper), [[threshold, precision]])
    np.testing.assert_allclose(rings_of(lower), [[threshold, recall]])
    assert "2026-06" not in part.picture.alt


@pytest.mark.parametrize("name", CASES)
def test_names_of_failures_stand_near_their_rings_and_cover_no_text_and_no_point(
    drawn_figures, name
):
    """They lie on a curve, with a halo, rather than far from their ring."""
    case = CASES[name]
    _, panels = draw(drawn_figures, case.score, case.segments)
    for panel in panels:
        boxes = [text.get_window_extent() for text in panel.texts]
        assert not [1 for a, b in combinations(boxes, 2) if a.overlaps(b)]
        line, *_ = panel.lines
        x, y = (np.repeat(each, 2) for each in line.get_xydata().T)
        curve = panel.transData.transform(np.column_stack([x[1:], y[:-1]]))
        dots = [each.get_xydata()[0] for each in panel.lines if each.get_marker() == "o"]
        points = panel.transData.transform(dots)
        for text, box in zip(panel.texts, boxes, strict=True):
            assert panel.bbox.x0 <= box.x0 < box.x1 <= panel.bbox.x1
            assert panel.bbox.y0 <= box.y0 < box.y1 <= panel.bbox.y1
            assert not [1 for x, y in points if box.contains(x, y)]
            assert has_halo(text)
            is_failure = text in red_texts(panel)
            assert is_failure or not [1 for x, y in curve if box.contains(x, y)]
        for ring, text in zip(rings_of(panel), red_texts(panel), strict=True):
            box = text.get_window_extent()
            x, y = panel.transData.transform(ring)
            assert np.hypot(max(box.x0 - x, x - box.x1, 0), max(box.y0 - y, y - box.y1, 0)) < 28


def has_halo(text):
    """Whether its letters have a white edge."""
    effects = text.get_path_effects()
    return [effect._gc["foreground"] for effect in effects] == ["white"]
