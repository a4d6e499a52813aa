"""A model that fell long ago: the times before its fall are no outliers."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, compare_segments, report

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 12_000
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.06
NOISE = RNG.normal(size=(2, N))
STEADY = 1.2 * Y + NOISE[1]


def months(n_months):
    return np.array([f"2026-{i + 1:02d}" for i in np.arange(N) * n_months // N])


def fallen(n_months, n_last, low=0.6):
    is_late = np.arange(N) * n_months // N >= n_months - n_last
    return np.where(is_late, low, 2.2) * Y + NOISE[0]


def lines_of(scores, month, **options):
    made = report(Y, scores, segments={"month": month}, **options)
    return {line.question: line.answer for line in made.summary}


@pytest.mark.parametrize(("n_months", "n_last"), [(8, 5), (12, 6), (12, 9), (6, 4), (5, 3)])
def test_most_months_are_below_the_first_ones(n_months, n_last):
    first = f"2026-{n_months - n_last + 1:02d}"
    scores = {"gbm": fallen(n_months, n_last), "lr": STEADY}
    lines = lines_of(scores, months(n_months))
    assert re.match(
        rf"Use lr for now: gbm falls from 0\.\d+ to 0\.\d+ in {first}\.", lines["Model"]
    )
    assert f"Since {first}, gbm scores " in lines["Model"]
    assert " more in " not in lines["By month"]
    assert "leak" not in lines["Distrust"]
    assert "lr scores" in lines["Threshold"]


def test_the_months_since_a_long_fall_are_compared_together_with_those_before():
    month = months(8)
    score = fallen(8, 5)
    line = lines_of(score, month)["By month"]
    is_late = np.where(month >= "2026-04", "since", "before")
    found = compare_segments(Y, score, is_late, reference="before", confidence_level=1 - 0.05 / 7)
    change, low, high = (
        f"{-numbers[1]:.2f}"
        for numbers in (found.differences, found.difference_highs, found.difference_lows)
    )
    assert line.startswith(
        f"The model scores {change} less since 2026-04 than before (adjusted 95% interval "
        f"{low} to {high})."
    )


def test_months_of_a_fall_need_no_certainty_each():
    """With a second column and few positives, single months would not pass Holm's rule."""
    month = months(9)
    few = RNG.random(N) < 0.35
    country = RNG.choice(["DE", "FR", "IT"], N)
    options = {"segments": {"month": month[few], "country": country[few]}}
    scores = {"gbm": fallen(9, 6)[few], "lr": STEADY[few]}
    made = report(Y[few], scores, **options)
    lines = {line.question: line.answer for line in made.summary}
    assert re.match(r"Use lr for now: gbm falls from 0\.\d+ to 0\.\d+ in 2026-04\.", lines["Model"])
    late = compare_segments(Y[few], scores["gbm"], month[few])
    assert late.adjusted_pvalues.max() > 0.05  # not all of them are certain


def test_three_months_have_a_change_each():
    line = lines_of(fallen(8, 3), months(8))["By month"]
    assert re.search(r"less in 2026-06, 0\.\d+ less in 2026-07 and 0\.\d+ less in 2026-08", line)


@pytest.mark.parametrize("n_months", [6, 8, 12])
def test_a_slow_decline_is_no_step(n_months):
    strength = np.linspace(2.2, 0.6, n_months)[np.arange(N) * n_months // N]
    line = lines_of(strength * Y + NOISE[0], months(n_months))["By month"]
    assert "The score of the model falls: -0." in line
    assert "since" not in line


def test_one_good_month_before_bad_ones_is_no_rise():
    """It may be the last good one, so nobody is sent to look for leaked labels there."""
    lines = lines_of({"gbm": fallen(8, 7), "lr": STEADY}, months(8))
    assert "rises" not in " ".join(lines.values())
    assert "leak" not in " ".join(lines.values())
    assert "2026-01" in lines["By month"]


def test_a_paper_leaves_out_no_month_of_a_long_fall():
    month = months(8)
    score = fallen(8, 5)
    made = report(Y, score, segments={"month": month})
    (part,) = (part for part in made.parts if part.name == "paper")
    found = compare_segments(Y, score, month)
    late = found.estimates[3:]
    scores = f"{late.min():.2f} to {late.max():.2f}"
    assert part.sentence.endswith(f", and {scores} since 2026-04.")
    assert (
        f"Since 2026-04, at the prevalence of all rows, the model scored {scores} by month: -0."
        in (part.copied_text)
    )
    assert "In 2026-0" not in part.copied_text


@pytest.mark.parametrize("n_last", [2, 3, 5])
def test_the_picture_of_the_difference_leaves_all_months_of_a_fall_out_of_the_others(n_last):
    month = months(8)
    scores = {"gbm": fallen(8, n_last), "lr": STEADY}
    made = report(Y, scores, segments={"month": month})
    (part,) = (part for part in made.parts if part.name == "comparison")
    before = month < f"2026-{8 - n_last + 1:02d}"
    found = compare_average_precision(
        Y[before], {name: score[before] for name, score in scores.items()}, prevalence=Y.mean()
    )
    shown = re.search(r"other months ([+-]0\.\d+)", part.picture.alt)[1]
    assert float(shown) == pytest.approx(-found.differences[1], abs=0.006)
