"""Which precisions a report asks of thresholds, and which of them leads."""

import numpy as np
import pytest
from report_data import AB, NOISE, B, N, Y, part, quiet, run_call, selects, threshold_in

from sklearn_ap import operating_point, report


def point_of(found, y_true, y_scores):
    """The threshold that the call of a part gives."""
    return run_call(found.call, y_true=y_true, y_scores=y_scores)


@quiet
def test_precisions_that_no_model_reaches_are_named_below_the_table():
    rng = np.random.default_rng(2)
    y = np.arange(3000) % 30 == 0
    scores = {name: rng.normal(size=3000) for name in "ab"}
    for score in scores.values():
        ranked = y[np.argsort(-score)]
        assert np.max(np.cumsum(ranked) / np.arange(1, 3001)) < 0.5
    found = part("Thresholds", y, scores)
    assert {row[0] for row in found.cells[1:]} == {"0.33", ""}
    assert found.notes[0] == "0.5, 0.8 and 0.9 are reached at no threshold in this sample."


@quiet
def test_a_weak_model_has_a_goal_that_it_reaches():
    y = np.arange(20_000) % 50 == 0
    score = 1.2 * y + np.random.default_rng(1).normal(size=y.size)
    usual = [operating_point(y, score, precision=goal, guarantee=0.9) for goal in (0.2, 0.5)]
    assert all(point.remark or point.recall < 0.1 for point in usual)
    goals = [multiple * 0.02 for multiple in (5, 3, 2, 1.5)]
    reached = [
        goal
        for goal in goals
        if operating_point(y, score, precision=goal, guarantee=0.9).recall >= 0.1
    ]
    found = part("Thresholds", y, score)
    goal = max(reached)
    sure = f"at least {goal:g}, {goal / 0.02:g} times the prevalence, with 90% confidence"
    assert f"({sure})" in found.sentence
    why = "A precision of 0.2 is not guaranteed with 10% or more of the positives found"
    lowered = f"so the goal is {goal:g}, {goal / 0.02:g} times the prevalence."
    assert found.more[0] == f"{why}, {lowered}"
    named = part("Thresholds", y, {"weak": score, "weaker": score - y})
    assert f"For weak, a{why[1:]}, {lowered}" in named.more
    assert [row[0] for row in found.cells[1:]] == [f"{goal:g}", "0.2", "0.5", "0.8", "0.9"]


@quiet
def test_a_threshold_that_finds_fewer_than_five_positives_does_not_lead():
    y = np.arange(400) % 20 == 0
    score = np.random.default_rng(0).normal(size=400)
    score[y] += 0.8
    score[np.flatnonzero(y)[:3]] = 9
    found = part("Thresholds", y, score)
    rare = operating_point(y, score, precision=0.25, guarantee=0.9)
    assert 0.1 < rare.recall < 0.25
    assert "Select" not in found.sentence or point_of(found, y, score).recall >= 0.25
    assert " with 25% or more of the positives found" in found.more[0]


@quiet
def test_a_goal_is_no_multiple_of_the_prevalence_beside_another_that_is_as_high():
    y = np.arange(2000) % 100 < 4.5
    score = 2 * y + np.random.default_rng(3).normal(size=2000)
    assert 0.4 < 10 * y.mean() < 0.6
    assert [row[0] for row in part("Thresholds", y, score).cells[1:]] == ["0.5", "0.8", "0.9"]


@quiet
def test_sentence_gives_a_lower_precision_where_only_that_is_guaranteed():
    y = np.arange(2000) % 10 == 0
    score = 1.7 * y + np.random.default_rng(3).normal(size=2000)
    options = {"guarantee": 0.9}
    higher = [operating_point(y, score, precision=goal, **options) for goal in (0.8, 0.9)]
    assert all(point.remark for point in higher)
    point = operating_point(y, score, precision=0.5, **options)
    found = part("Thresholds", y, score)
    assert selects(threshold_in(found), score, point)
    assert found.call == "operating_point(y_true, y_scores, precision=0.5, guarantee=0.9)"
    why = "0.8 and 0.9 are not guaranteed with 10% or more of the positives found"
    assert found.more == [f"{why}, so the goal is 0.5."]


@quiet
def test_sentence_prefers_a_lower_precision_at_a_fair_recall():
    y = np.arange(200_000) % 50 == 0
    score = 2 * y + np.random.default_rng(1).normal(size=y.size)
    points = {goal: operating_point(y, score, precision=goal, guarantee=0.9) for goal in (0.5, 0.8)}
    assert points[0.8].n_selected > 0
    assert points[0.8].recall < 0.1 < points[0.5].recall
    found = part("Thresholds", y, score)
    assert selects(threshold_in(found), score, points[0.5])
    assert found.call == "operating_point(y_true, y_scores, precision=0.5, guarantee=0.9)"


@quiet
def test_a_rare_class_has_a_threshold_at_ten_times_its_prevalence():
    y = np.arange(100_000) % 500 == 0
    score = 2 * y + np.random.default_rng(1).normal(size=y.size)
    point = operating_point(y, score, precision=0.02, guarantee=0.9)
    found = part("Thresholds", y, score)
    assert selects(threshold_in(found), score, point)
    sure = "at least 0.02, 10 times the prevalence, with 90% confidence"
    assert f"({sure})." in found.sentence
    assert found.call == "operating_point(y_true, y_scores, precision=0.02, guarantee=0.9)"
    assert [row[0] for row in found.cells[1:]] == ["0.02", "0.5", "0.8", "0.9"]
    assert not [note for note in found.notes if "times the prevalence" in note]
    usual = part("Thresholds", y[::10], 9 * y[::10] + score[::10])
    assert "A precision of 0.2 is 10 times the prevalence." in usual.notes
    common = part("Thresholds", y, score, prevalence=0.06)
    assert [row[0] for row in common.cells[1:]] == ["0.5", "0.8", "0.9"]


@quiet
@pytest.mark.parametrize(
    ("share", "goals"),
    [
        (0.6, ["0.8", "0.9"]),
        (0.8, ["0.9"]),  # 0.8 is no goal: all rows have it
        (0.95, ["0.975"]),  # halfway from the prevalence to 1
    ],
)
def test_goals_are_above_the_prevalence(share, goals):
    y = np.arange(4000) % 100 < 100 * share
    noise = np.random.default_rng(1).normal(size=4000)
    found = part("Thresholds", y, 2 * y + noise)
    assert [row[0] for row in found.cells[1:]] == goals
    point = operating_point(y, 2 * y + noise, precision=float(goals[-1]), guarantee=0.9)
    assert selects(threshold_in(found), 2 * y + noise, point)
    assert f"(at least {goals[-1]} with 90% confidence)." in found.sentence
    assert not any("guaranteed" in text for text in found.more)  # no goal is higher
    rare = part("Thresholds", y, 2 * y + noise, prevalence=0.06)
    assert [row[0] for row in rare.cells[1:]][-3:] == ["0.5", "0.8", "0.9"]


@quiet
@pytest.mark.parametrize(("share", "goal"), [(0.05, 0.9), (0.1, 0.5), (0.95, 0.975)])
def test_first_lines_say_that_the_page_chose_the_goal(share, goal):
    y = np.arange(4000) % 100 < 100 * share
    score = (1.7 if goal == 0.5 else 3) * y + np.random.default_rng(3).normal(size=4000)
    found = part("Thresholds", y, score)
    assert f"(at least {goal:g} with 90% confidence)." in found.sentence
    assert found.brief[-1] == f"You passed no goal, so this page chose {goal:g}."
    asked = part("Thresholds", y, score, precision=goal)
    assert asked.sentence == found.sentence
    assert "You passed" not in " ".join(asked.brief)


@quiet
def test_without_a_threshold_the_page_has_chosen_no_goal():
    assert "You passed" not in str(part("Thresholds", Y, NOISE).brief)


@quiet
@pytest.mark.parametrize(
    ("share", "prevalence"), [(0.33, None), (0.34, None), (0.4, None), (0.1, 0.33), (0.1, 0.34)]
)
def test_a_second_threshold_has_a_precision_of_at_least_one_and_a_half_prevalences(
    share, prevalence
):
    y = np.arange(4000) % 100 < 100 * share
    score = 1.3 * y + np.random.default_rng(1).normal(size=4000)
    options = {} if prevalence is None else {"prevalence": prevalence}
    first, second = (
        operating_point(y, score, precision=goal, guarantee=0.9, **options) for goal in (0.8, 0.5)
    )
    assert second.recall > first.recall + 0.2
    found = part("Thresholds", y, score, **options)
    assert selects(threshold_in(found), score, first)
    is_far = 1.5 * (prevalence or share) <= 0.5
    assert ("To find more, " in " ".join(found.brief)) == is_far
    assert ("To find more, " in " ".join(found.more)) == is_far
    assert ("Dashed: " in found.picture.subject) == is_far


@quiet
@pytest.mark.parametrize(("share", "goal"), [(0.6, "0.8"), (0.95, "0.975")])
def test_a_weak_model_reaches_no_goal_above_the_prevalence(share, goal):
    y = np.arange(4000) % 100 < 100 * share
    found = part("Thresholds", y, np.random.default_rng(1).normal(size=4000))
    assert found.more[-1].endswith(f" is guaranteed to have a precision of {goal}.")
    given = part("Thresholds", y, y + NOISE[np.arange(4000) % N], precision=0.5)
    assert given.cells[1][0] == "0.5"  # that of the user need not be above


@quiet
def test_the_precision_of_the_user_leads():
    found = report(Y, AB, precision=0.7, parts=["thresholds"])
    point = operating_point(Y, B, precision=0.7, guarantee=0.9)
    thresholds, _ = found.parts
    assert selects(threshold_in(thresholds), B, point)
    assert "(at least 0.7 with 90% confidence)." in thresholds.sentence
    assert [row[0] for row in thresholds.cells[1::2]] == ["0.5", "0.7", "0.8", "0.9"]
    assert found.call == "report(y_true, y_scores, precision=0.7, parts=['thresholds'])"
    none = part("Thresholds", Y, B, precision=0.999)
    assert none.sentence.startswith(
        "No threshold of the model is sure to have a precision of 0.999 or more; for 0.8, "
    )
    assert none.call == "operating_point(y_true, y_scores, precision=0.8, guarantee=0.9)"
