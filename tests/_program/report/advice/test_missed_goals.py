"""Segments whose scores are too high, so that a guaranteed precision does not hold there."""

import re

import numpy as np
import pytest
from scipy.stats import binomtest, t, ttest_1samp

from sklearn_ap import average_precision_score, compare_segments, operating_point, report
from sklearn_ap._program.report.advice._missed_goals import pvalue_of_goal
from sklearn_ap._program.report.data.checks import check_predictions
from sklearn_ap._program.report.page.page import Cutoff

N = 6_000
RNG = np.random.default_rng(7)
NAMES = [f"2026-0{i}" for i in range(1, 6)]
MONTH = np.array(NAMES)[np.arange(N) % 5]
IS_LAST = MONTH == "2026-05"
SHOP = np.array([*"ABCDE"])[np.arange(N) // 5 % 5]
Y = RNG.random(N) < 0.15
SCORE = 1.7 * Y + RNG.normal(size=N)
SHIFTED = SCORE + 1.5 * IS_LAST
GOAL = 0.5
NO_GUARANTEE = "The guarantee of the threshold does not hold in "
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def lines_of(score, segments=MONTH, name="month", y=Y, **options):
    """The first lines, by their questions."""
    columns = segments if isinstance(segments, dict) else {name: segments}
    options = {"precision": GOAL, "parts": ["data", "thresholds", "segments"]} | options
    made = report(y, score, segments=columns, **options)
    return {line.question: line.answer for line in made.summary}


def selected_by(score, y=Y, **options):
    point = operating_point(y, score, precision=GOAL, guarantee=0.9, **options)
    return score >= point.threshold


def pvalue_of(selected, rows, y=Y):
    """Whether the precision of the selected rows of a segment is below the goal."""
    labels = y[selected & rows]
    return binomtest(int(labels.sum()), labels.size, GOAL, alternative="less").pvalue


def percent(share):
    return f"{100 * share:.2g}%"


def missed_in(lines):
    """The segments of which the doubts say that a guarantee does not hold."""
    return re.findall(rf"{NO_GUARANTEE}([^,]*), where", lines["Distrust"])


def shares_in_words(selected, rows, prevalence=None):
    """How much a threshold selects in a segment and elsewhere."""

    def share_of(part):
        if prevalence is None:
            return percent(selected[part].mean())
        right, wrong = (selected[part & kind].mean() for kind in (Y, ~Y))
        return percent(prevalence * right + (1 - prevalence) * wrong)

    inside, outside = share_of(rows), share_of(~rows)
    return f"where it selects {inside} of the rows ({outside} elsewhere)."


@pytest.mark.parametrize(
    ("name", "place", "elsewhere"),
    [("month", "2026-05", "in other months"), ("shop", "shop 2026-05", "elsewhere")],
)
def test_a_segment_of_higher_scores_in_the_same_order_misses_the_guarantee(name, place, elsewhere):
    for rows in (IS_LAST, ~IS_LAST):
        expected = average_precision_score(Y[rows], SCORE[rows])
        assert average_precision_score(Y[rows], SHIFTED[rows]) == expected
    selected = selected_by(SHIFTED)
    inside = Y[selected & IS_LAST]
    assert pvalue_of(selected, IS_LAST) < 0.01
    segments = MONTH if name == "month" else np.char.replace(MONTH, "2026", "x2026")
    place = place if name == "month" else "shop x2026-05"
    lines = lines_of(SHIFTED, segments, name)
    share = percent(selected[Y & IS_LAST].mean())
    others = percent(selected[Y & ~IS_LAST].mean())
    counts = f"In {place}, {inside.sum()} of {inside.size} selected rows are positive"
    found = f"{share} of the {np.sum(Y & IS_LAST)} positives are found ({others} {elsewhere})."
    assert f"{counts} (clearly below 0.5), and {found}" in lines["Threshold"]
    assert lines["Threshold"].startswith("Select rows with scores of ")
    shares = shares_in_words(selected, IS_LAST)
    assert f"{NO_GUARANTEE}{place}, {shares}" in lines["Distrust"]
    assert missed_in(lines) == [place]


def test_a_segment_that_ranks_worse_is_told_once():
    score = np.where(IS_LAST, 0.9 * Y + 0.9, 1.7 * Y) + np.random.default_rng(1).normal(size=N)
    assert compare_segments(Y, score, MONTH).rows()[-1]["verdict"] == "worse"
    lines = lines_of(score)
    assert pvalue_of(selected_by(score), IS_LAST) < 0.001
    assert "In 2026-05, " in lines["Threshold"]
    assert "(clearly below 0.5)" in lines["Threshold"]
    assert missed_in(lines) == []
    assert "month 2026-05" not in lines["Distrust"]
    assert "but 2026-05 scores less." in lines["Distrust"]


def test_segments_of_the_same_kind_miss_nothing_in_forty_samples():
    n_missed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.random(N) < 0.15
        score = 1.7 * y + rng.normal(size=N)
        lines = lines_of(score, {"month": MONTH, "shop": SHOP}, y=y)
        n_missed += len(missed_in(lines))
        assert "clearly below" not in lines["Threshold"]
    assert n_missed == 0


def shift_with_pvalue(least, most):
    """Scores that are too high in the last month, by a p-value in a range."""
    for shift in np.linspace(0, 1, 201):
        score = SCORE + shift * IS_LAST
        if least < pvalue_of(selected_by(score), IS_LAST) < most:
            return score
    return pytest.fail("no such shift")


@pytest.mark.parametrize(
    ("limits", "n_columns"), [((0.012, 0.05), 0), ((0.0055, 0.0095), 1), ((1e-4, 0.0045), 2)]
)
def test_p_values_are_adjusted_for_all_segments_of_all_columns(limits, n_columns):
    score = shift_with_pvalue(*limits)
    for n, columns in enumerate(({"month": MONTH}, {"month": MONTH, "shop": SHOP}), start=1):
        assert missed_in(lines_of(score, columns)) == ["2026-05"] * (n <= n_columns)


def test_at_most_two_are_told_and_the_clearest_come_first():
    code = np.minimum(np.arange(N) // 5 % 20, 3)  # most rows are of the last shop
    shop = np.array([*"ABCD"])[code]
    score = SCORE + np.array([0.9, 1.2, 1.3, 0])[code]
    selected = selected_by(score)
    pvalues = {name: pvalue_of(selected, name == shop) for name in "ABCD"}
    first, second, third, _ = sorted(pvalues, key=pvalues.get)
    assert pvalues[third] < 0.05 / 4
    lines = lines_of(score, shop, "shop")
    assert missed_in(lines) == [f"shop {first}", f"shop {second}"]
    assert f"shop {third}" not in str(lines)
    assert lines["Threshold"].count("(clearly below 0.5)") == 2


def test_a_precision_of_weights_is_not_tested():
    lines = lines_of(SHIFTED, sample_weight=np.ones(N))
    assert "does not hold" not in str(lines)
    assert "clearly below" not in lines["Threshold"]
    assert missed_in(lines_of(SHIFTED)) == ["2026-05"]


def test_a_precision_at_another_prevalence_is_tested():
    selected = selected_by(SHIFTED, prevalence=0.3)
    lines = lines_of(SHIFTED, prevalence=0.3)
    assert missed_in(lines) == ["2026-05"]
    shares = shares_in_words(selected, IS_LAST, 0.3)
    assert f"{NO_GUARANTEE}2026-05, {shares}" in lines["Distrust"]
    assert " (clearly below 0.5), and " in lines["Threshold"]


def test_a_precision_without_a_guarantee_is_not_tested():
    noise = np.random.default_rng(0).normal(size=N) + 2 * IS_LAST
    assert operating_point(Y, noise, precision=0.9, guarantee=0.9).remark
    assert missed_in(lines_of(noise, precision=0.9)) == []


@pytest.mark.parametrize("n_selected", [9, 10])
def test_a_precision_of_fewer_than_ten_selected_rows_is_not_tested(n_selected):
    few = np.flatnonzero(IS_LAST & ~Y)[:n_selected]
    score = SCORE.copy()
    score[IS_LAST] = -9
    score[few] = 9
    score[np.flatnonzero(IS_LAST & Y)] = -5
    score[np.flatnonzero(IS_LAST & Y)[0]] = -4
    selected = selected_by(score)
    assert np.sum(selected & IS_LAST) == n_selected
    cutoff = Cutoff("the model", score[selected].min(), "", 0.5, 0.5, True, goal=GOAL)
    data = check_predictions(Y, score, {"month": MONTH}, None, {"confidence_level": 0.95}, {})
    pvalue = pvalue_of_goal(data, cutoff, IS_LAST)
    assert np.isnan(pvalue) == (n_selected < 10)
    if n_selected == 10:
        assert pvalue == pytest.approx(0.5**10)


class TestClusters:
    """Rows of a patient share their label, so they tell less than as many patients."""

    N_PATIENTS = 900
    PATIENT = np.repeat(np.arange(N_PATIENTS), 5)
    CLINIC = np.array([*"ABC"])[np.arange(N_PATIENTS) % 3][PATIENT]
    IS_C = CLINIC == "C"
    Y = (np.random.default_rng(1).random(N_PATIENTS) < 0.2)[PATIENT]
    SCORE = 1.7 * Y + np.random.default_rng(2).normal(size=Y.size)

    def expected(self, score):
        """The p-value of Student's test, whose variance is about the goal and not the mean."""
        selected = selected_by(score, self.Y, clusters=self.PATIENT) & self.IS_C
        excess = np.zeros(self.N_PATIENTS)
        np.add.at(excess, self.PATIENT[selected], self.Y[selected] - GOAL)
        excess = excess[np.unique(self.PATIENT[selected])]
        n = excess.size
        statistic = ttest_1samp(excess, 0).statistic
        statistic /= np.sqrt(1 + statistic**2 / (n - 1))
        return t.cdf(statistic, n - 1)

    def lines_with(self, shift):
        score = self.SCORE + shift * self.IS_C
        lines = lines_of(score, self.CLINIC, "clinic", self.Y, clusters=self.PATIENT)
        return score, lines

    def test_the_p_value_is_that_of_patients(self):
        score = self.SCORE + 0.8 * self.IS_C
        options = {"confidence_level": 0.95, "clusters": self.PATIENT}
        data = check_predictions(self.Y, score, {"clinic": self.CLINIC}, None, options, {})
        selected = selected_by(score, self.Y, clusters=self.PATIENT)
        cutoff = Cutoff("the model", score[selected].min(), "", 0.5, 0.5, True, goal=GOAL)
        found = pvalue_of_goal(data, cutoff, self.IS_C)
        assert found == pytest.approx(self.expected(score), rel=1e-9)
        assert found > 3 * pvalue_of(selected, self.IS_C, self.Y)

    def test_the_guarantee_does_not_hold_by_the_p_value_of_patients(self):
        are_told = []
        for shift in np.linspace(0, 1.6, 17):
            score, lines = self.lines_with(shift)
            selected = selected_by(score, self.Y, clusters=self.PATIENT)
            is_below = self.Y[selected & self.IS_C].mean() < GOAL
            is_missed = bool(is_below and self.expected(score) < 0.05 / 3)
            assert missed_in(lines) == ["clinic C"] * is_missed
            if is_missed:
                shares = shares_in_words(selected, self.IS_C)
                assert f"{NO_GUARANTEE}clinic C, {shares}" in lines["Distrust"]
            are_told.append(is_missed)
        assert {*are_told} == {False, True}
