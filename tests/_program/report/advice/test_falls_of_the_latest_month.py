"""What a report says first where the best model falls in the latest month."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, compare_segments, report

N = 12_000
RNG = np.random.default_rng(0)
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) % 6]
IS_LAST = MONTH == "2026-06"
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(3, N))
IS_KEPT = ~IS_LAST | (np.arange(N) // 6 % 3 < 1)  # fewer rows of the latest month
WHY = "the latest month: find out why before you use"
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def models(**shifts):
    """Scores whose positives stand higher by a number in other months, and another in the last."""
    return {
        name: (np.where(IS_LAST, last, others) * Y + noise)[IS_KEPT]
        for (name, (others, last)), noise in zip(shifts.items(), NOISE, strict=False)
    }


def rows_of_last(scores):
    """The rows of the latest month, as each model ranks it."""
    return {
        name: compare_segments(Y[IS_KEPT], score, MONTH[IS_KEPT]).rows()[-1]
        for name, score in scores.items()
    }


def mean_of_others(score):
    """The mean score of the months before the latest one."""
    kept = ~IS_LAST[IS_KEPT]
    rest = [Y[IS_KEPT][kept], score[kept], MONTH[IS_KEPT][kept]]
    return f"{compare_segments(*rest, prevalence=float(Y[IS_KEPT].mean())).overall:.2f}"


def advice_of(scores):
    """The advice to use the old model, as the new one falls."""
    fallen = f"{rows_of_last(scores)['new']['estimate']:.2f}"
    fall = f"new falls from {mean_of_others(scores['new'])} to {fallen}"
    return f"Use old for now: {fall} in 2026-06, the latest month."


def made_of(scores, *parts):
    parts = [*(parts or ("comparison",)), "segments"]
    return report(Y[IS_KEPT], scores, segments={"month": MONTH[IS_KEPT]}, parts=parts)


def is_shown_to_be_worse(scores, best):
    """Whether another model is better in the latest month, at the level of one of six months."""
    is_last = IS_LAST[IS_KEPT]
    found = compare_average_precision(
        Y[IS_KEPT][is_last],
        {name: scores[name][is_last] for name in sorted(scores, key=lambda name: name == best)},
        prevalence=Y[IS_KEPT].mean(),
        confidence_level=1 - 0.05 / 6,
    )
    return found.difference_highs[1] < 0


def test_no_other_model_is_advised_where_the_fallen_one_is_better_than_chance():
    scores = models(old=(2, 2), new=(2.9, 1.4))
    rows = rows_of_last(scores)
    chance = Y[IS_KEPT].mean()
    assert (rows["old"]["verdict"], rows["new"]["verdict"]) == ("undecided", "worse")
    assert rows["new"]["low"] > chance
    assert rows["old"]["estimate"] > rows["new"]["estimate"]
    assert not is_shown_to_be_worse(scores, "new")
    made = made_of(scores)
    new, old = (f"{rows[name]['estimate']:.2f}" for name in ("new", "old"))
    others = mean_of_others(scores["new"])
    fall = f"new falls from {others} to {new} in 2026-06, {WHY} it."
    there = f"In 2026-06, old scores {old}, and no difference is shown."
    assert made.summary[0].answer.startswith(
        f"{fall} {there} Over all months, new is better than old: +0."
    )
    assert made.parts[0].more[:2] == [fall, there]
    assert made.parts[0].sentence.startswith("Over all months, new is better than old: +0.")


def test_another_model_is_advised_where_the_fallen_one_may_be_no_better_than_chance():
    scores = models(old=(1.6, 1.6), new=(2.7, 0.5))
    rows = rows_of_last(scores)
    chance = Y[IS_KEPT].mean()
    assert (rows["old"]["verdict"], rows["new"]["verdict"]) == ("undecided", "worse")
    assert rows["new"]["low"] <= chance < rows["old"]["low"]
    assert is_shown_to_be_worse(scores, "new")
    assert made_of(scores).summary[0].answer.startswith(advice_of(scores))


def test_the_advice_for_now_is_the_heading_of_the_page():
    scores = models(old=(1.6, 1.6), new=(2.7, 0))
    made = made_of(scores)
    heading = re.search("<h1>(.*?)</h1>", made.to_html(), re.DOTALL)[1]
    assert re.sub("<[^>]*>", "", heading) == advice_of(scores)
    assert made.parts[0].more[0] == advice_of(scores)


def test_all_models_may_fall():
    scores = models(old=(2, 0.6), new=(2.9, 1.4))
    rows = rows_of_last(scores)
    assert {row["verdict"] for row in rows.values()} == {"worse"}
    new, old = (f"{rows[name]['estimate']:.2f}" for name in ("new", "old"))
    made = made_of(scores)
    assert made.summary[0].answer.startswith(
        f"Both models fall in 2026-06, {WHY} them. In 2026-06, new scores {new} and old {old}. "
        f"Over all months, new is better than old: +0."
    )
    third = models(old=(2, 0.6), new=(2.9, 1.4), oldest=(1.8, 0.4))
    rows = rows_of_last(third)
    assert {row["verdict"] for row in rows.values()} == {"worse"}
    oldest = f"{rows['oldest']['estimate']:.2f}"
    assert (
        made_of(third)
        .summary[0]
        .answer.startswith(
            f"All models fall in 2026-06, {WHY} them. In 2026-06, new scores {new}, old {old} and "
            f"oldest {oldest}. Over all months, new scores highest of 3 models: 0."
        )
    )


def test_a_single_model_has_its_fall_in_the_part_about_the_score():
    scores = models(new=(2.9, 1.4))["new"]
    row = compare_segments(Y[IS_KEPT], scores, MONTH[IS_KEPT]).rows()[-1]
    others = mean_of_others(scores)
    fall = f"The model falls from {others} to {row['estimate']:.2f} in 2026-06, {WHY} it."
    made = made_of(scores, "score")
    all_months = "Over all months, the model has an average precision of 0."
    assert made.summary[0].answer.startswith(f"{fall} {all_months}")
    assert made.parts[0].sentence.startswith(all_months)
    assert made.parts[0].more == [fall]


@pytest.mark.parametrize("shifts", [{"new": (2.4, 2.4)}, {"new": (2.4, 2.4), "old": (1.5, 1.5)}])
def test_nothing_is_limited_to_all_months_where_none_is_worse(shifts):
    scores = models(**shifts)
    assert {row["verdict"] for row in rows_of_last(scores).values()} == {"undecided"}
    made = made_of(scores, "score", *["comparison"] * (len(scores) > 1), "curve", "top")
    assert "Over all months" not in repr(made)
    assert "find out why" not in repr(made)


def test_an_earlier_month_does_not_limit_claims_to_all_months():
    score = np.where(MONTH == "2026-03", 0.3, 2.7) * Y + NOISE[0]
    made = report(Y, score, segments={"month": MONTH}, parts=["score", "curve", "segments"])
    assert " less in 2026-03 than " in made.parts[2].sentence
    assert "Over all months" not in repr(made)


@pytest.mark.parametrize(
    ("fallen", "falls"),
    [
        (["2026-06"], "falls{} to {} in 2026-06"),
        (["2026-05", "2026-06"], "falls{}{before} in 2026-05 and scores {} in 2026-06"),
        (["2026-03", "2026-06"], "falls{} to {} in 2026-06"),
    ],
)
def test_a_fall_begins_with_the_first_of_the_last_worse_months(fallen, falls):
    is_fallen = np.isin(MONTH, fallen)
    scores = np.where(is_fallen, 0.9, 2.8) * Y + NOISE[0]
    score = compare_segments(Y, scores, MONTH).estimates[-1]
    made = report(Y, scores, segments={"month": MONTH}, parts=["score", "segments"])
    rest = [each[~is_fallen] for each in (Y, scores, MONTH)]
    others = compare_segments(*rest, prevalence=float(Y.mean())).overall
    before = f" to {compare_segments(Y, scores, MONTH).estimates[-2]:.2f}"
    claim = falls.format(f" from {others:.2f}", f"{score:.2f}", before=before)
    assert made.summary[0].answer.startswith(f"The model {claim}, the latest month: find out why")
    assert (
        made.parts[1].picture.finding
        == f"The model {falls.format('', f'{score:.2f}', before=before)}"
    )


def test_the_mean_before_a_fall_has_none_of_its_months():
    """The first month of the fall is no outlier by itself, but worse than those before."""
    n = 24_000
    step = np.arange(n) % 12
    month = np.array([f"2025-{1 + i:02d}" for i in step])
    rng = np.random.default_rng(0)
    y = rng.random(n) < 0.06
    score = np.array([2.2] * 8 + [1.7, 0.6, 0.6, 0.6])[step] * y + rng.normal(size=n)

    def mean_before(first):
        rows = month < first
        options = {"prevalence": float(y.mean())}
        return f"{compare_segments(y[rows], score[rows], month[rows], **options).overall:.2f}"

    assert mean_before("2025-09") != mean_before("2025-10")
    scores = {
        name: f"{each:.2f}"
        for name, each in zip(
            np.unique(month), compare_segments(y, score, month).estimates, strict=True
        )
    }
    start = f"falls from {mean_before('2025-09')} to {scores['2025-09']} in 2025-09"
    answer = report(y, score, segments={"month": month}).summary[0].answer
    assert answer.startswith(
        f"The model {start} and scores {scores['2025-12']} in 2025-12, the latest month"
    )
    models = {"new": score, "old": 1.2 * y + rng.normal(size=n)}
    answer = report(y, models, segments={"month": month}).summary[0].answer
    assert answer.startswith(f"Use old for now: new {start}. Since 2025-09, new scores ")


def test_a_model_that_fades_falls_by_its_trend():
    n = 24_000
    step = np.arange(n) * 12 // n
    month = np.array([f"2026-{1 + i:02d}" for i in step])
    y = np.arange(n) % 25 == 0
    score = (2.8 - 0.15 * step) * y + np.random.default_rng(3).normal(size=n)
    found = compare_segments(y, score, month)
    answer = report(y, score, segments={"month": month}).summary[0].answer
    first, *_, last = found.trend_line[0]  # the ends of the line, not the scores of both months
    assert (last - first) / 11 == pytest.approx(found.trend)
    assert f"{last:.2f}" != f"{found.estimates[-1]:.2f}"
    ends = f"from about {first:.2f} to {last:.2f} in 2026-12"
    assert answer.startswith(
        f"The model falls by {-found.trend:.2f} a month, {ends}, the latest month: find out why "
        f"before you use it."
    )


@pytest.mark.parametrize("n_last", [2, 3, 4])
def test_a_step_down_is_no_slow_decline(n_last):
    """Each of these samples has a trend that is shown, but no line is under it."""
    n = 24_000
    step = np.arange(n) * 12 // n
    month = np.array([f"2026-{1 + i:02d}" for i in step])
    y = np.arange(n) % 25 == 0
    score = np.where(step >= 12 - n_last, 1.5, 2.8) * y + np.random.default_rng(4).normal(size=n)
    found = compare_segments(y, score, month)
    assert found.trend_high < 0
    made = report(y, score, segments={"month": month}, parts=["score", "segments"])
    before = step < 12 - n_last
    options = {"prevalence": float(y.mean())}
    mean = compare_segments(y[before], score[before], month[before], **options).overall
    start = f"2026-{13 - n_last:02d}"
    first, last = (f"{found.estimates[-n]:.2f}" for n in (n_last, 1))
    fall = f"falls from {mean:.2f} to {first} in {start} and scores {last} in 2026-12"
    assert made.summary[0].answer.startswith(f"The model {fall}, the latest month")
    assert "Sloping line" not in made.parts[1].picture.subject
    assert "a month" not in made.summary[1].answer
