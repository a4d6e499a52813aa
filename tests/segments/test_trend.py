"""The trend of segments in an order."""

import numpy as np
import pandas as pd
import pytest
from every import every

from sklearn_ap import compare_segments
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


def test_the_trend_is_a_weighted_regression_on_time():
    """With all positives of equal weight, the share of all rows, and Linear, which has no bias."""
    found = compare_segments(Y, S, MONTH, prevalence=None, definition=Linear())
    n, place = found.n_positives, np.arange(6)
    slope = np.polyfit(place, found.estimates, 1, w=np.sqrt(n))[0]
    assert found.trend == pytest.approx(slope, abs=0.01)  # scores there are less their bias
    assert (found.trend_low + found.trend_high) / 2 == pytest.approx(found.trend)
    # Its standard error is that of independent scores, of which limits are about so wide.
    weight = n * (place - n @ place / n.sum())
    error = np.sqrt(np.sum((weight * (found.highs - found.lows) / 2 / 1.96) ** 2))
    error /= weight @ place
    assert (found.trend_high - found.trend_low) / 2 / 1.96 == pytest.approx(error, rel=0.15)
    assert found.trend_unit == "month"
    level = 1 - found.trend_pvalue
    at = compare_segments(Y, S, MONTH, prevalence=None, definition=Linear(), confidence_level=level)
    assert at.trend_high == pytest.approx(0, abs=1e-9)


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


@every(
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


@every(
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


def test_clusters_in_neighbouring_months_widen_the_trend_and_clusters_in_all_narrow_it():
    """Rows of a cluster are copies, so two months together have as much as one."""
    pair = PLACE // 2
    rows = [np.tile(np.flatnonzero(pair == i), 2) for i in range(3)]
    month = np.concatenate(
        [np.repeat([2 * i, 2 * i + 1], each.size // 2) for i, each in enumerate(rows)]
    )
    rows = np.concatenate(rows)
    alone = compare_segments(Y[rows], S[rows], month, clusters=np.arange(rows.size))
    together = compare_segments(Y[rows], S[rows], month, clusters=rows)
    widths = [each.trend_high - each.trend_low for each in (alone, together)]
    assert widths[1] / widths[0] == pytest.approx(np.sqrt(2), rel=0.1)
    everywhere = np.tile(np.arange(500), 6)
    y = (everywhere < 60).astype(int)
    s = np.tile(RNG.normal(size=500), 6) + y + 0.1 * RNG.normal(size=3000)
    month = np.repeat(range(6), 500)
    narrow = compare_segments(y, s, month, clusters=everywhere)
    alone = compare_segments(y, s, month)
    assert narrow.trend_high - narrow.trend_low < (alone.trend_high - alone.trend_low) / 2


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
