"""What a threshold finds in the months of a fall, which are told together."""

import re

import numpy as np
import pytest
from scipy.stats import binomtest

from sklearn_ap import report

N = 12_000
RNG = np.random.default_rng(0)
CODE = np.arange(N) % 6
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[CODE]
COUNTRY = np.array(["DE", "FR", "IT"])[np.arange(N) // 6 % 3]
IS_FALLEN = np.isin(MONTH, ["2026-05", "2026-06"])
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(2, N))
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def made_of(scores, **options):
    options = {"segments": {"month": MONTH}, "parts": ["thresholds", "segments"]} | options
    made = report(Y, scores, **options)
    return made.parts[0], {line.question: line.answer for line in made.summary}["Threshold"]


def selected_in(text, scores):
    """The rows of the threshold that a sentence gives."""
    return scores >= float(re.search(r"(?:threshold|scores of|scores) (\d\S+) ", text)[1])


def counts(selected, rows):
    """What a threshold finds in some rows, in words."""
    found, n = np.sum(selected & rows & Y), np.sum(selected & rows)
    share = f"{100 * found / np.sum(rows & Y):.2g}% of the {np.sum(rows & Y)} positives are found"
    return f"{found} of {n} selected rows are positive", share


def judged(selected, rows, goal=0.5):
    """Whether the precision is below its goal, and whether that may be by chance."""
    labels = Y[selected & rows]
    if labels.mean() >= goal:
        return ""
    pvalue = binomtest(int(labels.sum()), labels.size, goal, alternative="less").pvalue
    return f" ({f'clearly below {goal}' if pvalue < 0.05 else f'below {goal}, perhaps by chance'})"


def before(selected, rows=~IS_FALLEN):
    return f"({100 * selected[rows & Y].mean():.2g}% before 2026-05)."


def test_a_threshold_that_fails_has_the_counts_of_all_months_of_the_fall():
    score = np.where(IS_FALLEN, 0.3, 2.2) * Y + NOISE[0]
    part, answer = made_of(score)
    selected = selected_in(answer, score)
    positive, share = counts(selected, IS_FALLEN)
    threshold = re.match(r"Do not use the threshold (\S+) until", answer)[1]
    heading = (
        f"Do not use the threshold {threshold} until you know why it fails: from 2026-05 on, "
        f"{positive}, and {share} {before(selected)}"
    )
    assert part.sentence == heading
    assert answer.startswith(f"{heading} Over all months, it selects {selected.sum()} rows, ")
    assert "2026-06" not in answer
    last, _ = counts(selected, MONTH == "2026-06")
    assert last != positive


def test_a_threshold_that_holds_has_the_counts_of_all_months_of_the_fall():
    score = np.where(IS_FALLEN, 2.6, 3.7) * Y + NOISE[0]
    part, answer = made_of(score, precision=0.5)
    selected = selected_in(answer, score)
    positive, share = counts(selected, IS_FALLEN)
    assert answer.startswith("Select rows with scores of ")
    assert f"confidence). From 2026-05 on, {positive}, and {share} {before(selected)}" in answer
    assert answer.count(" selected rows are positive") == 1
    assert part.more[0].startswith(f"From 2026-05 on, {positive}, ")
    assert "2026-06" not in part.more[0]


@pytest.mark.parametrize(
    ("fallen", "place"),
    [(["2026-06"], "In 2026-06, "), (["2026-04", "2026-05", "2026-06"], "From 2026-04 on, ")],
    ids=["one", "three"],
)
def test_one_month_stands_alone_and_three_are_told_together(fallen, place):
    rows = np.isin(MONTH, fallen)
    score = np.where(rows, 1.9, 3.2) * Y + NOISE[0]
    _, answer = made_of(score, precision=0.5)
    selected = selected_in(answer, score)
    positive, share = counts(selected, rows)
    elsewhere = f"{100 * selected[~rows & Y].mean():.2g}%"
    where = "in other months" if len(fallen) == 1 else f"before {fallen[0]}"
    found = f"{place}{positive}{judged(selected, rows)}, and {share} ({elsewhere} {where})."
    assert f"confidence). {found}" in answer


def test_an_earlier_worse_month_is_neither_in_the_fall_nor_in_the_months_before_it():
    is_early = MONTH == "2026-02"
    score = np.where(IS_FALLEN | is_early, 0.8, 3.2) * Y + NOISE[0]
    _, answer = made_of(score)
    selected = selected_in(answer, score)
    positive, share = counts(selected, IS_FALLEN)
    steady = before(selected, ~IS_FALLEN & ~is_early)
    assert f": from 2026-05 on, {positive}, and {share} {steady}" in answer
    assert steady != before(selected)


@pytest.mark.parametrize(("raised", "words"), [(0, "perhaps by chance"), (0.7, "clearly below")])
def test_a_goal_that_is_missed_is_judged_by_all_months_of_the_fall(raised, words):
    score = np.where(IS_FALLEN, 1.7, 3.7) * Y + NOISE[0] + raised * IS_FALLEN
    _, answer = made_of(score, precision=0.5)
    selected = selected_in(answer, score)
    positive, share = counts(selected, IS_FALLEN)
    doubt = judged(selected, IS_FALLEN)
    assert words in doubt
    assert f"rom 2026-05 on, {positive}{doubt}, and {share} " in answer


def test_the_country_of_a_fall_has_counts_of_its_own():
    is_it = COUNTRY == "IT"
    score = np.where(IS_FALLEN & is_it, -1, 3.2) * Y + NOISE[0]
    _, answer = made_of(score, segments={"month": MONTH, "country": COUNTRY})
    selected = selected_in(answer, score)
    for place, rows in (("From 2026-05 on", IS_FALLEN), ("In country IT", is_it)):
        positive, share = counts(selected, rows)
        assert f" {place}, {positive}, and {share} (" in answer
    assert f"{before(selected)} In country IT, " in answer


@pytest.mark.parametrize("has_fallen", [True, False])
def test_no_second_threshold_is_offered_where_the_latest_months_are_worse(has_fallen):
    low = np.where(has_fallen & IS_FALLEN, 2.4, 3.7)
    part, answer = made_of(low * Y + NOISE[0])
    assert answer.startswith("Select rows with scores of ")
    assert ("To find more, select " in answer) != has_fallen
    assert ("To find more, select " in " ".join(part.more)) != has_fallen
