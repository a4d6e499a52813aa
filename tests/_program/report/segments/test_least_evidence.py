"""Where a report begins to say something, or stops: numbers just on both sides of its limits."""

import numpy as np
import pytest
from scipy.stats import fisher_exact

from sklearn_ap import compare_segments, operating_point, report
from sklearn_ap._program.report.data.checks import check_predictions
from sklearn_ap._program.report.segments._outliers import find_outliers

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 12_000
RNG = np.random.default_rng(0)
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) % 6]
IS_LAST = MONTH == "2026-06"
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=N)


def answers(*args, **options):
    """The first lines, by their questions."""
    return {line.question: line.answer for line in report(*args, **options).summary}


@pytest.mark.parametrize(("shift", "is_advised"), [(0, False), (0.7, True)])
def test_a_model_at_the_level_of_chance_is_not_advised(shift, is_advised):
    few = Y & (~IS_LAST | (np.arange(N) % 4 < 2))  # too few positives to show the difference
    noise = np.random.default_rng(2).normal(size=N)
    scores = {"old": shift * few + noise, "new": np.where(IS_LAST, -0.15, 2.7) * few + NOISE}
    old, new = (compare_segments(few, each, MONTH).rows()[-1] for each in scores.values())
    assert old["estimate"] > new["estimate"]
    assert (old["verdict"], new["verdict"]) == ("undecided", "worse")
    assert (old["low"] > few.mean()) == is_advised
    lines = answers(few, scores, segments={"month": MONTH}, parts=["comparison", "segments"])
    assert lines["Model"].startswith("Use old for now: new falls from ") == is_advised
    there = f"In 2026-06, new scores {new['estimate']:.2f} and old {old['estimate']:.2f}, but no"
    assert (there in lines["Model"]) == is_advised


@pytest.mark.parametrize(("n_shops", "n_outliers"), [(3, 1), (5, 2), (6, 3)])
def test_at_most_half_of_the_segments_are_outliers(n_shops, n_outliers):
    """Each differs from all others, so those that are left would be outliers, too."""
    code = np.arange(N) % n_shops
    scores = np.linspace(0, 4, n_shops)[code] * Y + NOISE
    shop = np.array([*"ABCDEF"])[code]
    first = max(compare_segments(Y, scores, shop).rows(), key=lambda row: abs(row["difference"]))
    data = check_predictions(Y, scores, {"shop": shop}, None, {"confidence_level": 0.95}, {})
    found = find_outliers(data, data.best_model, "shop", is_time=False).found
    assert len(found) == n_outliers
    assert found[0].name == first["segment"]


@pytest.mark.parametrize("n_selected", [1, 9])
def test_few_selected_rows_of_a_segment_are_counted(n_selected):
    country = np.array(["DE", "FR", "IT"])[np.arange(N) // 6 % 3]
    is_it = country == "IT"
    scores = np.where(is_it, np.minimum(NOISE, 0), 3 * Y + NOISE)
    scores[np.flatnonzero(Y & is_it)[:n_selected]] = 9
    lines = answers(Y, scores, segments={"country": country}, precision=0.5)
    point = operating_point(Y, scores, precision=0.5, guarantee=0.9)
    elsewhere = np.mean(scores[Y & ~is_it] >= point.threshold)
    n_positives = np.sum(Y & is_it)
    all_rows = "the only selected row is" if n_selected == 1 else "all 9 selected rows are"
    share = f"{100 * n_selected / n_positives:.2g}% of the {n_positives} positives are"
    share = f"1 of the {n_positives} positives is" if n_selected == 1 else share
    found = f"{all_rows} positive, and {share} found ({elsewhere:.0%} elsewhere)."
    assert f"In country IT, {found}" in lines["Threshold"]


@pytest.mark.parametrize(("n_found", "is_told"), [(8, False), (4, True)])
def test_a_lower_share_of_positives_in_the_latest_month_is_tested_for_all_months(n_found, is_told):
    """A p-value below 0.01 is not enough where one of six months could have it."""
    is_kept = ~IS_LAST | (np.arange(N) // 6 % 5 == 0)
    labels, is_last = Y[is_kept], IS_LAST[is_kept]
    places = np.flatnonzero(is_last)
    labels[places] = np.arange(len(places)) < n_found
    inside, outside = (np.bincount(labels[rows], minlength=2) for rows in (is_last, ~is_last))
    pvalue = 2 * fisher_exact([inside, outside], alternative="greater").pvalue
    assert pvalue < 0.01
    assert (pvalue < 0.01 / 6) == is_told
    assert labels[is_last].mean() < 0.5 * labels[~is_last].mean()
    scores = 2.5 * labels + NOISE[is_kept]
    lines = answers(labels, scores, segments={"month": MONTH[is_kept]})
    assert ("labels may be incomplete" in lines["Distrust"]) == is_told
