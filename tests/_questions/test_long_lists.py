"""Long lists are printed in part: the lines that matter most, and those that differ."""

import numpy as np
import pytest

from sklearn_ap import (
    chance_test,
    compare_segments,
)
from sklearn_ap._questions.long_lists import LongList

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
GROUP = np.repeat(np.arange(31), 250)
Y = np.tile(np.arange(250) % 8 == 0, 31).astype(int)
NOISE = RNG.normal(size=GROUP.size)
DAYS = np.datetime64("2025-03-01") + np.arange(31)
WORDS = np.array([f"{chr(97 + i % 26)}{'xyz'[i // 26]}" for i in range(31)])  # without an order


def scores(bad):
    """Scores that are much worse in some groups."""
    return np.where(np.isin(GROUP, bad), 0.3, 2.5) * Y + NOISE


def shown_names(found):
    """Names of lines above a blank line or a remark, in their order."""
    lines = repr(found).partition("\n\n")[0].splitlines()
    names = {str(name) for name in (*DAYS, *WORDS)}
    return [line.split()[0] for line in lines if line.split()[0] in names]


def remark(found):
    (line,) = (line for line in repr(found).splitlines() if line.startswith("shown: "))
    return line


def test_bad_days_late_in_a_month_are_printed():
    found = compare_segments(Y, scores([*range(22, 29)]), DAYS[GROUP])
    assert shown_names(found) == [*map(str, DAYS[11:])]
    assert remark(found) == "shown: the last 20 of 31 segments; to_frame() has all"
    assert len(found._rows()) == 31


def test_early_days_that_differ_are_printed_above_the_last():
    found = compare_segments(Y, scores([1, 3, 25]), DAYS[GROUP])
    assert shown_names(found) == [*map(str, [DAYS[1], DAYS[3], *DAYS[11:]])]
    more = "and 2 more of those that differ"
    assert remark(found) == f"shown: the last 20 of 31 segments, {more}; to_frame() has all"
    assert str(DAYS[3]) in found._repr_html_()
    assert f"<td>{DAYS[4]}" not in found._repr_html_().replace(' style="text-align: left"', "")


def test_a_reference_is_printed_wherever_it_stands():
    found = compare_segments(Y, scores([25]), DAYS[GROUP], reference=DAYS[2])
    assert shown_names(found) == [*map(str, [DAYS[2], *DAYS[11:]])]
    found = compare_segments(Y, scores([25]), DAYS[GROUP], reference="previous")
    assert shown_names(found) == [*map(str, DAYS[11:])]


def test_segments_without_an_order_are_printed_if_they_are_most_unlike():
    found = compare_segments(Y, scores([24, 30]), WORDS[GROUP])
    names = np.array(found.rankings)
    assert shown_names(found) == [*names[np.sort(np.argsort(found.pvalues)[:20])]]
    assert {WORDS[24], WORDS[30]} <= {*shown_names(found)}
    smallest = "the 20 of 31 segments with the smallest p-values"
    assert remark(found) == f"shown: {smallest}; to_frame() has all"


def test_rankings_above_chance_are_printed():
    found = chance_test(Y, scores([*range(8)]), queries=DAYS[GROUP], average=None)
    above = found.adjusted_pvalue <= 0.05
    assert 20 < above.sum() < 31
    assert shown_names(found) == [*map(str, DAYS[above])]
    assert f", and {above.sum() - 20} more of those above chance; " in remark(found)
    everything = chance_test(Y, scores([]), queries=DAYS[GROUP], average=None)
    assert shown_names(everything) == [*map(str, DAYS)]
    assert "shown: " not in repr(everything)


@pytest.mark.parametrize(
    ("n_decided", "n_shown", "others"),
    [(0, 20, ""), (1, 21, "and 1 more of"), (20, 40, "and 20 more of"), (21, 40, "20 of the 21")],
)
def test_at_most_40_lines_are_printed(n_decided, n_shown, others):
    order = [*reversed(range(2000))]
    chosen = LongList(order, "the last {}", "segments", {*range(n_decided)}).choose()
    assert len(chosen.places) == n_shown
    assert chosen.places == sorted(chosen.places)
    assert "the last 20 of 2,000 segments" in chosen.remarks[0]
    assert others in chosen.remarks[0]


def test_twenty_lines_are_all_printed():
    assert LongList(range(20), "the first {}", "months").choose() == ([*range(20)], [])
