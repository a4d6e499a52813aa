"""The threshold of another model in a single country where the best one ranks worse."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, operating_point, report

N = 18_000
RNG = np.random.default_rng(4)
COUNTRY = np.array(["DE", "FR", "IT", "PL", "SE", "US"])[np.arange(N) % 6]
IS_FR = COUNTRY == "FR"
Y = RNG.random(N) < 0.1
NOISE = RNG.normal(size=(3, N))
FAIR_RECALL = 0.1
PRECISIONS = 0.9, 0.8, 0.5
SELECT = (
    r"In country FR, select rows where old scores (-?[\d.]+) or more: (\S+)% of the positives "
    r"there found at a precision of at least ([\d.]+)"
)
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def pair(old, new=4, in_fr=0.8):
    """A model that ranks worse in France, and another one that does not."""
    return {"old": old * Y + NOISE[0], "new": np.where(IS_FR, in_fr, new) * Y + NOISE[1]}


def part_of(models, **options):
    """The part about thresholds, and its first line."""
    parts = ["thresholds", "segments"]
    made = report(Y, models, segments={"country": COUNTRY}, parts=parts, **options)
    return made.parts[0], made.summary[0].answer


def point_in_fr(models, precision, guarantee=0.9, **options):
    options = {"guarantee": guarantee, "precision": precision, **options}
    return operating_point(Y[IS_FR], models["old"][IS_FR], **options)


def highest_sure(models, **options):
    """The highest precision of which a threshold with a fair recall in France is sure."""
    points = {goal: point_in_fr(models, goal, **options) for goal in PRECISIONS}
    goal = max(
        goal for goal, point in points.items() if not point.remark and point.recall >= FAIR_RECALL
    )
    return goal, points[goal]


def assert_is_told(part, answer, models, goal, point):
    """Check that a sentence has a threshold, in both places, and below what it finds elsewhere."""
    text = re.search(rf" {SELECT}\. ?", answer)
    printed, share, least = text.groups()
    score = models["old"][IS_FR]
    assert np.array_equal(score >= float(printed), score >= point.threshold)
    assert share == f"{100 * point.recall:.2g}"
    assert float(least) == goal
    selected = models["new"] >= float(
        re.search(r"where new scores (\S+) or more", part.sentence)[1]
    )
    rows = selected & ~IS_FR
    counts = f"{np.sum(rows & Y):,} of {rows.sum():,} selected rows are positive"
    start = f"{text[0].strip()[:-1]}; elsewhere, {counts}, and "
    (below,) = (each for each in part.more if each.startswith(start))
    found = re.fullmatch(r"([\d.]+)% of the positives are found\.", below.removeprefix(start))
    assert float(found[1]) == pytest.approx(100 * selected[Y & ~IS_FR].mean(), abs=0.5)
    assert "; elsewhere" not in answer
    assert "Choose a threshold" not in answer


@pytest.mark.parametrize(("old", "goal"), [(1.6, 0.5), (2.2, 0.8), (2.6, 0.9)])
def test_the_highest_precision_that_is_sure_there_is_told(old, goal):
    models = pair(old)
    highest, point = highest_sure(models)
    assert highest == goal
    assert_is_told(*part_of(models), models, goal, point)


@pytest.mark.parametrize("precision", [0.5, 0.7])
def test_the_precision_of_the_user_is_told(precision):
    models = pair(2.6)
    point = point_in_fr(models, precision)
    assert point.recall >= FAIR_RECALL
    assert highest_sure(models)[0] > precision
    assert_is_told(*part_of(models, precision=precision), models, precision, point)


@pytest.mark.parametrize(("precision", "lowest"), [(None, "0.5"), (0.7, "0.7")])
def test_where_none_is_sure_the_lowest_precision_is_named(precision, lowest):
    models = pair(0.6, in_fr=-0.8)
    assert point_in_fr(models, float(lowest)).remark
    options = {} if precision is None else {"precision": precision}
    part, answer = part_of(models, **options)
    found = "that finds 10% of the positives there"
    none = f"In country FR, no threshold of old {found} is sure to have a precision of {lowest}"
    assert f" {none}." in answer
    assert any(text.startswith(f"{none}; elsewhere, ") for text in part.more)
    assert "select rows where old" not in answer


def test_clusters_are_those_of_the_country():
    users = np.arange(N) // 600 * 6 + np.arange(N) % 6  # of one country each
    models = pair(2.2)
    goal, point = highest_sure(models, clusters=users[IS_FR])
    assert point.threshold != highest_sure(models)[1].threshold
    assert_is_told(*part_of(models, clusters=users), models, goal, point)


def test_a_prevalence_is_that_of_the_user():
    models = pair(2.2)
    _, answer = part_of(models, prevalence=0.05, precision=0.5)
    point = point_in_fr(models, 0.5, prevalence=0.05)
    assert point.threshold > point_in_fr(models, 0.5).threshold
    printed, share, _ = re.search(SELECT, answer).groups()
    score = models["old"][IS_FR]
    assert np.array_equal(score >= float(printed), score >= point.threshold)
    assert share == f"{100 * point.recall:.2g}"


def test_among_three_models_the_guarantee_is_that_of_their_choice():
    models = pair(2.2) | {"rule": 0.3 * Y + NOISE[2]}
    goal, point = highest_sure(models, guarantee=1 - 0.1 / 3)
    assert point.threshold > point_in_fr(models, goal).threshold
    assert_is_told(*part_of(models), models, goal, point)


def test_several_countries_have_no_threshold_of_their_own():
    is_worse = np.isin(COUNTRY, ["FR", "PL"])
    models = {"old": 2 * Y + NOISE[0], "new": np.where(is_worse, 0.8, 4) * Y + NOISE[1]}
    for name in ("FR", "PL"):
        rows = name == COUNTRY
        inside = {each: models[each][rows] for each in ("old", "new")}
        level = 1 - 0.05 / 6
        found = compare_average_precision(Y[rows], inside, confidence_level=level)
        assert found.difference_highs[1] < 0
    _, answer = part_of(models)
    assert re.search(
        r" Choose a threshold of old for country (FR|PL) and country (PL|FR)\.", answer
    )
    assert "select rows where old" not in answer
    assert "no threshold of old" not in answer


def test_weights_have_no_guarantee():
    _, answer = part_of(pair(2.2), sample_weight=np.ones(N))
    assert " Choose a threshold of old for country FR." in answer
    assert "select rows where old" not in answer


@pytest.mark.parametrize("is_failing", [False, True])
def test_a_model_that_fails_in_a_country_is_not_praised_for_its_threshold(is_failing):
    """The best model has no threshold for the precision of the user, and the other one has."""
    rng = np.random.default_rng(0)
    n = 12_000
    y = rng.random(n) < 0.1
    country = np.array([*"ABCD"])[np.arange(n) % 4]
    best = np.where(y, 2.4, 0) + rng.normal(size=n)
    best[~y & (rng.random(n) < 0.01)] += 6
    other = np.where(is_failing & (country == "D"), 0, 1.3) * y + rng.normal(size=n)
    other[y & (rng.random(n) < 0.2) & ~(is_failing & (country == "D"))] += 8
    models = {"best": best, "other": other}
    made = report(y, models, segments={"country": country}, precision=0.95)
    (line,) = (line for line in made.summary if line.question == "Threshold")
    assert line.answer.startswith("No threshold of best is sure to have a precision of 0.95")
    assert ("other has one for 0.95: select rows where other scores " in line.answer) != is_failing
