"""The trend of segments in an order."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import brentq
from scipy.stats import t

from sklearn_ap import compare_segments
from sklearn_ap._questions.segments._differences import Groups
from sklearn_ap._questions.segments._trend import Regression, TrendModel
from sklearn_ap._uncertainty.shrinkage import Uncertainty
from sklearn_ap.definitions import Linear

pytestmark = pytest.mark.filterwarnings(
    "ignore::sklearn_ap.UncertaintyWarning",
    "ignore::sklearn.exceptions.UndefinedMetricWarning",
)
TREND = "trend", "trend_low", "trend_high", "trend_pvalue"
RNG = np.random.default_rng(3)
PLACE = np.sort(RNG.integers(0, 6, 3000))
Y = (RNG.random(3000) < np.array([0.02, 0.05, 0.2, 0.1, 0.1, 0.1])[PLACE]).astype(int)
S = (1.8 - 0.15 * PLACE) * Y + RNG.normal(size=3000)
MONTH = np.datetime64("2024-01") + PLACE


def numbers(found):
    return [getattr(found, name) for name in TREND]


def with_months(y, s, month, n, **options):
    """The comparison of the first months; at the share of each, Linear has no bias."""
    kept = month < n
    rows = y[kept], s[kept], np.datetime64("2024-01") + month[kept]
    return compare_segments(*rows, prevalence=None, definition=Linear(), **options)


def test_the_trend_of_five_segments_is_a_regression_weighted_by_positives():
    """With all positives of equal weight, the share of all rows, and Linear, which has no bias."""
    found = with_months(Y, S, PLACE, 5)
    n, place = found.n_positives, np.arange(5)
    slope = np.polyfit(place, found.estimates, 1, w=np.sqrt(n))[0]
    assert found.trend == pytest.approx(slope, abs=0.01)  # scores there are less their bias
    assert (found.trend_low + found.trend_high) / 2 == pytest.approx(found.trend)
    # Its standard error is that of independent scores, of which limits are about so wide.
    weight = n * (place - n @ place / n.sum())
    error = np.sqrt(np.sum((weight * (found.highs - found.lows) / 2 / 1.96) ** 2))
    error /= weight @ place
    assert (found.trend_high - found.trend_low) / 2 / 1.96 == pytest.approx(error, rel=0.15)
    assert found.trend_unit == "month"
    assert np.isnan(found.trend_scatter)
    assert " ".join(repr(found).split()).endswith(", given these months.")
    assert "given these segments" in found.to_paper()
    level = 1 - found.trend_pvalue
    at = with_months(Y, S, PLACE, 5, confidence_level=level)
    assert at.trend_high == pytest.approx(0, abs=1e-9)


def test_variance_of_the_trend_line_follows_regression_weights():
    """The line at a place is a weighted sum of the scores, whose variances are very unequal."""
    place, n, variances = np.arange(5.0), np.full(5, 9.0), np.array([9.0, 4, 1, 1, 0.5]) / 1000
    uncertainty = Uncertainty(np.sqrt(variances), variances, n, *[n] * 5)
    model = TrendModel(Groups(n / 20, uncertainty, n, n), Regression(place, n))
    unit = [np.polyval(np.polyfit(place, one, 1), place) for one in np.eye(5)]
    expected = variances @ np.square(unit)
    distances = model.regression.standardize(place)
    assert model.line_variance(distances) == pytest.approx(expected)


def scattered(n_positives, shifts, seed=0):
    """Months of so many positives of 10%, whose distance between the classes is a shift."""
    rng, month = np.random.default_rng(seed), np.repeat(range(len(shifts)), 10 * n_positives)
    y = (rng.random(month.size) < 0.1).astype(int)
    return y, rng.normal(size=y.size) + np.array(shifts)[month] * y, month


VARYING = np.array([1.5, 1.9, 1.6, 1.2, 1.8, 1.3, 1.5, 1.1, 1.7, 1.3])
SIZES = np.array([4, 3, 2, 6, 1, 5, 3, 8, 2, 4]) * 50


def test_scatter_about_the_line_widens_the_trend_interval():
    """Paule and Mandel: squares of residuals, over variances, add up to K - 2, written apart.

    Sampling variances are v / n_k. The v that gives the width gives the slope and the sum, too.
    """
    found = with_months(*scattered(SIZES, VARYING), 10)
    n, place, scatter = found.n_positives, np.arange(10), found.trend_scatter
    assert scatter > 0.02
    half = (found.trend_high - found.trend_low) / 2 / t.ppf(0.975, 8)

    def regression(v):
        weight = 1 / (v / n + scatter**2)
        slope, start = np.polyfit(place, found.estimates, 1, w=np.sqrt(weight))
        distance = place - weight @ place / weight.sum()
        residuals = found.estimates - start - slope * place
        return slope, np.sqrt(1 / (weight @ distance**2)), weight @ residuals**2

    v = brentq(lambda v: regression(v)[1] - half, 0, 1)
    slope, _, squares = regression(v)
    assert found.trend == pytest.approx(slope, abs=1e-3)  # Linear's bias is not quite 0
    assert squares == pytest.approx(8, rel=0.05)
    # v is the mean of n V, of which the limits of a month are about so wide.
    of_limits = np.mean(n * ((found.highs - found.lows) / 2 / 1.96) ** 2)
    assert v == pytest.approx(of_limits, rel=0.1)
    assert found.trend_pvalue == pytest.approx(2 * t.sf(abs(slope) / half, 8), abs=0.02)
    vary = f"months vary about it by {scatter:.4f}; if neighbours vary together, p is too low"
    assert vary in repr(found).splitlines()


def test_months_that_vary_without_a_trend_rarely_show_one():
    """Their true scores have a standard deviation of .035, and 400 positives show more of it."""
    rng, n_found = np.random.default_rng(1), 0
    for seed in range(40):
        shifts = 1.55 + 0.11 * rng.normal(size=12)  # AP of .5, a tenth of the shift is .032
        found = compare_segments(*scattered(400, shifts, seed), prevalence=0.1)
        n_found += found.trend_pvalue < 0.05
    # Of 40 samples, 2 are expected, with a standard deviation of 1.4. By sampling alone it is 11.
    assert n_found <= 2 + 3 * 1.4


def test_trend_without_scatter_uses_k_minus_2_degrees_of_freedom():
    y, s, _ = scattered(np.array([100]), [1.5])
    equal = np.tile(y, 6), np.tile(s, 6), np.repeat(range(6), y.size)
    found = with_months(*equal, 6)
    assert found.trend_scatter == 0
    of_five = with_months(*equal, 5)
    # The error of a slope over n places is in proportion to 1 / sqrt(n (n^2 - 1)).
    error = (of_five.trend_high - of_five.trend_low) / 2 / 1.96 * np.sqrt(5 * 24 / (6 * 35))
    half = (found.trend_high - found.trend_low) / 2
    assert half == pytest.approx(t.ppf(0.975, 4) * error, rel=0.1)
    assert "months vary about it by 0.0000" in str(found)


def test_segments_of_fewer_than_5_positives_are_not_in_the_trend():
    few = (Y == 0) | (PLACE != 3) | (np.cumsum(Y * (PLACE == 3)) <= 4)
    changed = np.where(PLACE == 3, -S, S)
    one, other = (
        compare_segments(Y[few], each[few], MONTH[few], prevalence=0.1) for each in (S, changed)
    )
    assert one.n_positives[3] == 4
    assert numbers(one) == pytest.approx(numbers(other))
    all_few = compare_segments(*[each[np.isin(PLACE, (3, 4, 5)) & few] for each in (Y, S, MONTH)])
    assert np.isnan(numbers(all_few)).all()
    assert "no trend, as fewer than three segments have 5 positives" in str(all_few)


@pytest.mark.parametrize(
    ("given", "unit", "times"),
    [
        (MONTH, "month", 1),
        (MONTH.astype("M8[D]"), "month", 1),
        (pd.Series(MONTH.astype("M8[ns]")).dt.to_period("M"), "month", 1),
        (pd.Series(MONTH.astype("M8[ns]")).dt.date, "month", 1),
        (np.datetime64("2020") + PLACE, "year", 1),
        (np.datetime64("2024-01") + 3 * PLACE, "quarter", 1),
        (np.datetime64("2024-01") + 2 * PLACE, "month", 2),
        (np.datetime64("2024-01-03") + 7 * PLACE, "week", 1),
        (np.datetime64("2024-01-03") + 2 * PLACE, "day", 2),
        (PLACE, "step", 1),
        (PLACE.astype(str), "step", 1),
        (np.char.add("week ", (PLACE + 7).astype(str)), "step", 1),
        (pd.Categorical(np.array([*"zyxwvu"])[PLACE], [*"zyxwvu"], ordered=True), "step", 1),
        (pd.Categorical(np.array([*"zaywcu"])[PLACE], [*"zaywcu"]), "step", 1),
    ],
)
def test_segments_in_an_order_have_a_trend(given, unit, times):
    found, known = compare_segments(Y, S, given), compare_segments(Y, S, MONTH)
    assert found.trend_unit == unit
    expected = [each / times for each in numbers(known)[:3]]
    assert numbers(found) == pytest.approx([*expected, known.trend_pvalue])
    assert f" a {unit} [" in str(found)


@pytest.mark.parametrize(
    "given",
    [
        np.array([*"zyxwvu"])[PLACE],
        np.array(["January", "February", "March", "April", "May", "June"])[PLACE],
        np.char.add(np.array(["01.", "02.", "03.", "04.", "05.", "06."])[PLACE], "10.2024"),
        pd.Categorical(np.array([*"abcdef"])[PLACE]),
        PLACE > 2,
    ],
)
def test_segments_without_an_order_have_no_trend(given):
    found = compare_segments(Y, S, given)
    assert np.isnan(numbers(found)).all()
    assert found.trend_unit == ""
    assert found.trend_line is None
    assert "trend" not in str(found)


def test_segments_that_are_left_out_keep_their_place():
    is_left_out = (PLACE == 2) & (Y == 1)
    rows = Y[~is_left_out], S[~is_left_out]
    with_gap = compare_segments(*rows, PLACE[~is_left_out])
    dates = compare_segments(*rows, MONTH[~is_left_out])
    assert with_gap.left_out == (2,)
    assert numbers(with_gap) == pytest.approx(numbers(dates))
    kept = PLACE != 2
    given = pd.Categorical(PLACE[kept], range(6), ordered=True)  # without rows
    without = compare_segments(Y[kept], S[kept], given, prevalence=with_gap.prevalence)
    assert numbers(without) == pytest.approx(numbers(with_gap))


def test_order_of_rows_and_scale_of_scores_change_no_trend():
    order = np.random.default_rng(0).permutation(Y.size)
    found = compare_segments(Y, S, MONTH)
    other = compare_segments(Y[order], np.exp(S[order]), MONTH[order])
    assert numbers(other) == pytest.approx(numbers(found))


def test_clusters_in_neighbouring_months_widen_the_trend():
    """Rows of a cluster are copies, so two months together have as much as one."""
    pair = PLACE // 2
    rows = [np.tile(np.flatnonzero(pair == i), 2) for i in range(3)]
    month = np.concatenate(
        [np.repeat([2 * i, 2 * i + 1], each.size // 2) for i, each in enumerate(rows)]
    )
    rows = np.concatenate(rows)
    alone = compare_segments(Y[rows], S[rows], month, clusters=np.arange(rows.size))
    together = compare_segments(Y[rows], S[rows], month, clusters=rows)
    assert alone.trend_scatter == together.trend_scatter == 0
    widths = [each.trend_high - each.trend_low for each in (alone, together)]
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(2), rel=0.1)


@pytest.mark.parametrize("n", [5, 6])
def test_clusters_in_all_months_narrow_the_trend(n):
    """Scores of the same patients vary together, and so do not look like a trend."""
    everywhere, month = np.tile(np.arange(500), n), np.repeat(range(n), 500)
    y, rng = (everywhere < 60).astype(int), np.random.default_rng(0)
    s = np.tile(rng.normal(size=500), n) + y + 0.1 * rng.normal(size=y.size)
    narrow = compare_segments(y, s, month, clusters=everywhere)
    alone = compare_segments(y, s, month)
    assert narrow.trend_high - narrow.trend_low < (alone.trend_high - alone.trend_low) / 2


def test_few_clusters_in_all_months_leave_their_own_degrees_of_freedom():
    """Four clusters leave three, and eight months would leave six. Two levels tell how many."""
    rng, month = np.random.default_rng(0), np.repeat(range(8), 200)
    y = (rng.random(month.size) < 0.3).astype(int)
    given = y, y + rng.normal(size=y.size), month
    clusters, halves = np.arange(month.size) % 4, []
    for level in (0.95, 0.5):
        found = compare_segments(*given, clusters=clusters, confidence_level=level)
        halves.append((found.trend_high - found.trend_low) / 2)
    expected = t.ppf(0.975, 3) / t.ppf(0.75, 3)
    assert halves[0] / halves[1] == pytest.approx(expected, rel=1e-6)


def test_clusters_in_all_months_do_not_hide_scatter_of_scores():
    """Residuals are smaller where scores vary together, so more of them is of true scores."""
    everywhere, month = np.tile(np.arange(500), 8), np.repeat(range(8), 500)
    y, rng = (everywhere < 60).astype(int), np.random.default_rng(0)
    shifts = np.array([1.0, 1.3, 0.9, 1.2, 0.8, 1.3, 1.0, 1.1])[month]
    s = np.tile(rng.normal(size=500), 8) + shifts * y + 0.1 * rng.normal(size=y.size)
    together = compare_segments(y, s, month, clusters=everywhere)
    alone = compare_segments(y, s, month)
    assert alone.trend_scatter < together.trend_scatter
    # The true scores have about this standard deviation, over the same patients.
    assert together.trend_scatter == pytest.approx(np.std(together.estimates, ddof=1), rel=0.2)


def test_a_frame_and_a_paper_have_the_trend():
    found = compare_segments(Y, S, MONTH)
    frame = found.to_frame()
    assert [*frame.trend.unique(), *frame.trend_pvalue.unique()] == [
        numbers(found)[0],
        numbers(found)[3],
    ]
    change = f"trend {found.trend:+.4f} a month"
    assert change in found.to_paper()
    assert f"trend: {found.trend:+.4f} a month" in found._repr_html_()


def test_equal_segments_have_no_trend():
    rows = np.tile(np.flatnonzero(PLACE == 3), 4)
    month = np.repeat(range(4), rows.size // 4)
    found = compare_segments(Y[rows], S[rows], month)
    assert found.trend == pytest.approx(0, abs=1e-12)
    assert found.trend_pvalue == 1
