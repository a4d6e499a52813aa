"""Segments in which a guaranteed precision at another prevalence does not hold."""

import re

import numpy as np
import pytest
from scipy.stats import binomtest, ttest_1samp
from sklearn.metrics import precision_score, recall_score

from sklearn_ap import compare_segments, operating_point, report
from sklearn_ap._program.report.advice._missed_goals import pvalue_of_goal
from sklearn_ap._program.report.data.checks import check_predictions
from sklearn_ap._program.report.page.page import Cutoff

PREVALENCE = 0.05
GOAL = 0.2
N = 6_000
RNG = np.random.default_rng(7)
MONTH = np.array([f"2026-0{i}" for i in range(1, 6)])[np.arange(N) % 5]
IS_LAST = MONTH == "2026-05"
PATIENT = np.arange(N) // 25
Y = RNG.random(N) < 0.15
NOISE = RNG.normal(size=N)
SCORE = 1.7 * Y + NOISE
NO_GUARANTEE = "The guarantee of the threshold does not hold in "
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def lines_of(score, y=Y, segments=MONTH, **options):
    """The first lines, by their questions."""
    options = {"prevalence": PREVALENCE, "precision": GOAL} | options
    parts = ["data", "thresholds", "segments"]
    made = report(y, score, segments={"month": segments}, parts=parts, **options)
    return {line.question: line.answer for line in made.summary}


def selected_by(score, y=Y, **options):
    point = operating_point(
        y, score, precision=GOAL, guarantee=0.9, prevalence=PREVALENCE, **options
    )
    return score >= point.threshold


def found_pvalue(y, selected, rows, prevalence=PREVALENCE, goal=GOAL, **options):
    """The p-value of the report, by rows that are selected or not."""
    options = {"confidence_level": 0.95, "prevalence": prevalence} | options
    data = check_predictions(
        y, selected * 1.0, {"month": np.where(rows, "A", "B")}, None, options, {}
    )
    cutoff = Cutoff("the model", 0.5, "", 0.5, 0.5, True, goal=goal)
    return pvalue_of_goal(data, cutoff, rows)


def precision_of(y, selected, prevalence=PREVALENCE):
    """That of scikit-learn with weights by which positives have a share."""
    weight = np.where(y, prevalence / y.sum(), (1 - prevalence) / np.sum(~y))
    return precision_score(y, selected, sample_weight=weight)


def expected_pvalue(y, selected, units=None, prevalence=PREVALENCE, goal=GOAL):
    """Student's test of the difference, by its change with the weight of a row or cluster."""

    def difference(weight):
        found = recall_score(y, selected, sample_weight=weight)
        wrong = 1 - recall_score(y, selected, pos_label=0, sample_weight=weight)
        return prevalence * (1 - goal) * found - (1 - prevalence) * goal * wrong

    if units is None:  # rows of a kind have the same change
        kinds = 2 * y + selected
        firsts, places = np.unique(kinds, return_index=True, return_inverse=True)[1:]
        marks = [np.arange(y.size) == first for first in firsts]
    else:
        marks = [units == name for name in np.unique(units)]
        places = np.arange(len(marks))
    step = 1e-4
    whole = difference(np.ones(y.size))
    changes = np.array([difference(1 + step * mark) - whole for mark in marks])[places] / step
    return ttest_1samp(whole + changes.size * changes, 0, alternative="less").pvalue


@pytest.mark.parametrize("clusters", [None, PATIENT], ids=["rows", "patients"])
@pytest.mark.parametrize(("prevalence", "goal"), [(0.05, 0.2), (0.3, 0.55)])
def test_the_p_value_is_that_of_students_test_over_rows_or_clusters(clusters, prevalence, goal):
    threshold = {0.05: 1.35, 0.3: 0.85}[prevalence]
    selected = threshold <= SCORE + 0.5 * IS_LAST
    options = {} if clusters is None else {"clusters": clusters}
    found = found_pvalue(Y, selected, IS_LAST, prevalence, goal, **options)
    y, chosen = Y[IS_LAST], selected[IS_LAST]
    units = None if clusters is None else clusters[IS_LAST]
    assert precision_of(y, chosen, prevalence) < goal
    assert found == pytest.approx(expected_pvalue(y, chosen, units, prevalence, goal), rel=0.01)
    assert 1e-6 < found < 0.2


def test_a_precision_at_the_goal_or_above_has_no_p_value():
    for threshold in np.linspace(0, 3, 31):
        selected = threshold <= SCORE
        is_below = precision_of(Y[IS_LAST], selected[IS_LAST]) < GOAL
        assert np.isnan(found_pvalue(Y, selected, IS_LAST)) == (not is_below)


def selected_at_the_goal(rng, y, recall=0.6, unit=None, spread=0.0):
    """Select rows of both classes with shares by which the precision is the goal."""
    wrong = recall * PREVALENCE * (1 - GOAL) / GOAL / (1 - PREVALENCE)
    share = np.where(y, recall, wrong)
    if unit is not None:  # clusters with more and fewer selected negatives
        share = np.where(
            y, share, share * rng.choice([1 - spread, 1 + spread], unit.max() + 1)[unit]
        )
    return rng.random(y.size) < share


def n_rejected(clusters=None, *, told_clusters=None, n=1_500, n_positives=150):
    rejected = 0
    y = np.arange(n) % (n // n_positives) == 0
    options = {} if told_clusters is None else {"clusters": told_clusters}
    for seed in range(400):
        rng = np.random.default_rng(seed)
        selected = selected_at_the_goal(rng, y, unit=clusters, spread=0.95)
        rejected += found_pvalue(y, selected, np.ones(n, bool), **options) < 0.05
    return rejected


def is_too_often(rejected):
    return binomtest(rejected, 400, 0.05, alternative="greater").pvalue < 0.01


def test_a_precision_at_the_goal_is_found_below_it_in_five_percent_of_400_samples():
    rejected = n_rejected()
    assert not is_too_often(rejected)
    assert rejected >= 8


def test_clusters_keep_the_level_where_rows_would_not():
    patients = np.arange(1_500) // 50
    rejected = n_rejected(patients, told_clusters=patients)
    assert not is_too_often(rejected)
    assert rejected >= 8
    assert is_too_often(n_rejected(patients))


@pytest.mark.parametrize("n_false", [9, 10])
def test_fewer_than_ten_selected_negatives_have_no_p_value(n_false):
    selected = np.zeros(N, bool)
    selected[np.flatnonzero(IS_LAST & ~Y)[:n_false]] = True
    selected[np.flatnonzero(IS_LAST & Y)[:2]] = True
    selected |= ~IS_LAST
    assert precision_of(Y[IS_LAST], selected[IS_LAST], 0.005) < GOAL
    found = found_pvalue(Y, selected, IS_LAST, 0.005)
    assert np.isnan(found) == (n_false < 10)


def test_fewer_than_ten_clusters_or_no_positives_have_no_p_value():
    selected = SCORE + IS_LAST >= 1
    for n_clusters, is_tested in ((9, False), (10, True)):
        codes = (np.cumsum(IS_LAST) - IS_LAST) % n_clusters
        found = found_pvalue(Y, selected, IS_LAST, clusters=np.where(IS_LAST, codes, 99))
        assert np.isnan(found) != is_tested
    assert found_pvalue(Y, selected, IS_LAST) < 0.001
    assert np.isnan(found_pvalue(Y, selected, IS_LAST & ~Y))


@pytest.mark.parametrize("clusters", [None, PATIENT], ids=["rows", "patients"])
def test_a_segment_of_higher_scores_misses_the_guarantee(clusters):
    options = {} if clusters is None else {"clusters": clusters}
    units = None if clusters is None else clusters[IS_LAST]
    are_told = set()
    for shift in np.linspace(0, 1.5, 8):
        score = SCORE + shift * IS_LAST
        selected = selected_by(score, **options)
        inside = Y[IS_LAST], selected[IS_LAST]
        lines = lines_of(score, **options)
        is_missed = precision_of(*inside) < GOAL and expected_pvalue(*inside, units) < 0.05 / 5
        shares = f"{rows_of(selected, IS_LAST)} of the rows ({rows_of(selected, ~IS_LAST)}"
        sentence = f"{NO_GUARANTEE}2026-05, where it selects {shares} elsewhere)."
        assert (sentence in lines["Distrust"]) == is_missed
        assert (NO_GUARANTEE in str(lines)) == is_missed
        text = found_in_words(selected)
        assert (f"In 2026-05, {text}" in lines["Threshold"]) == is_missed
        are_told.add(bool(is_missed))
    assert are_told == {False, True}
    assert shift > 1
    assert is_missed


def share_of(marked):
    return f"{100 * float(f'{marked.mean():.2g}'):.3g}%"


def rows_of(selected, rows):
    """The share of some rows that is selected where positives are rare, as a text."""
    right, wrong = (selected[rows & kind].mean() for kind in (Y, ~Y))
    return share_of(np.array([PREVALENCE * right + (1 - PREVALENCE) * wrong]))


def found_in_words(selected, words=f"clearly below {GOAL}"):
    """What a threshold finds in the last month, and elsewhere."""
    precision = precision_of(Y[IS_LAST], selected[IS_LAST])
    judged = f", at a precision of {precision:.2g} ({words})" if words else ""
    rows = f"{rows_of(selected, IS_LAST)} of the rows are selected"
    found = f"{percent_of_positives(selected)} of the {np.sum(Y & IS_LAST)} positives are found"
    others = share_of(selected[Y & ~IS_LAST])
    elsewhere = rows_of(selected, ~IS_LAST)
    return f"{rows} ({elsewhere} elsewhere){judged}, and {found} ({others} in other months)."


def percent_of_positives(selected):
    share = selected[Y & IS_LAST].mean()
    return f"{100 * share:.3g}%" if share > 0.99 else share_of(selected[Y & IS_LAST])


@pytest.mark.parametrize(
    ("shift", "words"),
    [
        (0.5, f"clearly below {GOAL}"),
        (0, f"clearly below {GOAL}"),
        (-0.2, f"below {GOAL}, perhaps by chance"),
    ],
)
def test_a_segment_that_ranks_worse_has_its_precision_judged_and_is_told_once(shift, words):
    score = np.where(IS_LAST, 1.1 * Y + shift, 1.7 * Y) + NOISE
    compared = compare_segments(Y, score, MONTH, prevalence=PREVALENCE)
    assert compared.rows()[-1]["verdict"] == "worse"
    selected = selected_by(score)
    inside = Y[IS_LAST], selected[IS_LAST]
    assert precision_of(*inside) < GOAL
    assert (expected_pvalue(*inside) < 0.05) == words.startswith("clearly")
    lines = lines_of(score)
    text = found_in_words(selected, words)
    assert f"In 2026-05, {text}" in lines["Threshold"]
    assert NO_GUARANTEE not in lines["Distrust"]


def test_a_precision_that_is_not_below_the_goal_is_not_judged():
    score = np.where(IS_LAST, 1.1 * Y - 0.5, 1.7 * Y) + NOISE
    selected = selected_by(score)
    assert precision_of(Y[IS_LAST], selected[IS_LAST]) > GOAL
    lines = lines_of(score)
    text = found_in_words(selected, words="")
    assert f"in 2026-05, {text}" in lines["Threshold"]


def test_segments_of_the_same_kind_miss_nothing_in_forty_samples():
    missed = []
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.random(N) < 0.15
        lines = lines_of(1.7 * y + rng.normal(size=N), y)
        missed += re.findall(NO_GUARANTEE, str(lines))
        assert "clearly below" not in lines["Threshold"]
    assert missed == []


@pytest.mark.parametrize("n_positives", [2, 5, 10, 20])
def test_a_few_positives_that_were_not_found_by_chance_are_no_miss(n_positives):
    """The spread of a recall of 0 among a few positives would be 0."""
    shop = np.where(np.arange(3000) < 300, "Z", np.array([*"ABC"])[np.arange(3000) % 3])
    n_missed = 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = np.where(shop == "Z", np.arange(3000) < n_positives, rng.random(3000) < 0.15)
        lines = lines_of(1.3 * y + rng.normal(size=3000), y, shop)
        n_missed += f"{NO_GUARANTEE}" in lines["Distrust"]
    assert n_missed <= 3
