"""Segments that differ, one after another, and what a report says beside or instead of them."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_segments, report
from sklearn_ap._program.report.data.checks import check_predictions
from sklearn_ap._program.report.segments._dates import dates_of_texts
from sklearn_ap._program.report.segments.columns import compare_column

N = 24_000
RNG = np.random.default_rng(77)
CODE = np.arange(N) * 12 // N
NAMES = np.array([f"2025-{i:02d}" for i in range(1, 13)])
MONTH = NAMES[CODE]
Y = RNG.random(N) < 0.04
NOISE = RNG.normal(size=N)
SHOP = np.array(["A", "B", "C"])[np.random.default_rng(1).integers(0, 3, N)]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def scores_with(**shifts):
    """Scores whose positives stand 2.4 higher, or by another number in some months."""
    shift = np.full(12, 2.4)
    for month, value in shifts.items():
        shift[int(month[1:]) - 1] = value
    return shift[CODE] * Y + NOISE


def without(score, *months):
    is_kept = ~np.isin(MONTH, months)
    prevalence = float(Y.mean())
    found = compare_segments(Y[is_kept], score[is_kept], MONTH[is_kept], prevalence=prevalence)
    return {row["segment"]: row for row in found.rows()}


def segment_part(score, segments, y=Y, **options):
    """The first lines, and the part of the first column."""
    made = report(y, score, segments=segments, parts=["data", "segments", "paper"], **options)
    return {line.question: line.answer for line in made.summary}, made.parts[1]


TWO_BAD = scores_with(m5=0, m8=0.8)
PAIR = ("2025-05", "2025-08")


def test_two_bad_months_are_told_against_the_months_that_are_well():
    sizes, limits = [], []
    for month, other in (PAIR, PAIR[::-1]):
        is_kept = other != MONTH
        row = without(TWO_BAD, other)[month]
        # The smallest p-value of 12 months, of which the other one is left out.
        options = {"prevalence": float(Y.mean()), "confidence_level": 1 - 0.05 / 12}
        wide = compare_segments(Y[is_kept], TWO_BAD[is_kept], MONTH[is_kept], **options).rows()
        wide = next(each for each in wide if each["segment"] == month)
        sizes.append(f"{-row['difference']:.2f} less in")
        limits.append(f"{-wide['difference_high']:.2f} to {-wide['difference_low']:.2f}")
    lines, part = segment_part(TWO_BAD, {"month": MONTH})
    claim = f"{sizes[0]} 2025-05 and {sizes[1]} 2025-08 than in the other months"
    assert part.sentence == (
        f"The model scores {claim} (adjusted 95% intervals {limits[0]} and {limits[1]})."
    )
    assert lines["By month"].startswith(f"The model scores {claim}. ")
    assert "together, but 2025-05 and 2025-08 score less." in lines["Distrust"]


def test_a_segment_that_differs_only_without_an_outlier_as_a_test_is_none():
    """Holm's rule counts the outlier that was found before among the tests."""
    for seed in range(300):
        rng = np.random.default_rng(seed)
        shop = np.array([*"ABCDEF"])[np.arange(6000) % 6]
        y = rng.random(6000) < 0.1
        shift = np.array([0.8, 1.9, 1.9, 1.9, 1.9, 2.3])[np.arange(6000) % 6]
        score = shift * y + rng.normal(size=6000)
        is_kept = shop != "A"
        prevalence = float(y.mean())
        rest = compare_segments(y[is_kept], score[is_kept], shop[is_kept], prevalence=prevalence)
        smallest = rest.pvalues.min()
        if 0.05 / 6 < smallest < 0.05 / 5 and rest.pvalues[-1] == smallest:
            break
    else:
        pytest.fail("no such difference")
    data = check_predictions(y, score, {"shop": shop}, None, {"confidence_level": 0.95}, {})
    (found,) = compare_column(data, "shop").outliers
    row = compare_segments(y, score, shop).rows()[0]
    assert (found.name, found.left_out) == ("A", ())
    assert found.row["difference"] == pytest.approx(row["difference"])


def test_the_table_and_the_text_have_the_same_numbers():
    _, part = segment_part(TWO_BAD, {"month": MONTH})
    rest = without(TWO_BAD, "2025-05", "2025-08")
    assert {row["verdict"] for row in rest.values()} == {"undecided"}
    bad = {name: without(TWO_BAD, other)[name] for name, other in (PAIR, PAIR[::-1])}
    cells = {row[0]: row for row in part.cells[1:]}
    for name, row in rest.items():
        assert cells[name][-2].startswith(f"{row['difference']:+.2f} [")
        assert float(cells[name][-1]) == pytest.approx(row["adjusted_pvalue"], abs=0.006)
    for name, row in bad.items():
        assert cells[name][-2].startswith(f"{row['difference']:+.2f} [")
    assert [name for name, row in cells.items() if row[-1] == "< 0.001"] == [*PAIR]
    assert "2025-05 and 2025-08 are left out of the others." in part.notes
    assert part.most_rows >= 12
    assert part.picture.alt.startswith(
        "Score of the model by month, where 2025-05 and 2025-08 differ from the others: 2025-01 0."
    )


def test_at_most_four_segments_are_left_out():
    shifts = {f"m{i}": 0.3 * i - 0.9 for i in range(1, 12)}
    data = check_predictions(
        Y, scores_with(**shifts), {"shop": NAMES[CODE[::-1]]}, None, {"confidence_level": 0.95}, {}
    )
    column = compare_column(data, "shop")
    assert len(column.outliers) <= 4
    three = check_predictions(
        Y,
        np.choose(CODE % 3, [0.2, 1.3, 2.6]) * Y + NOISE,
        {"shop": np.array(["A", "B", "C"])[CODE % 3]},
        None,
        {"confidence_level": 0.95},
        {},
    )
    assert len(compare_column(three, "shop").outliers) == 1  # no more than half


def test_a_slow_decline_is_a_trend_and_no_odd_month():
    score = np.linspace(2.6, 1.4, 12)[CODE] * Y + NOISE
    expected = compare_segments(Y, score, MONTH.astype("M8[M]"))
    assert expected.adjusted_pvalues.min() < 0.05
    made = report(Y, score, segments={"month": MONTH}, parts=["segments", "paper"])
    falls = f"The score of the model falls: {expected.trend:+.2f} a month (95% interval "
    assert made.summary[0].answer.startswith(falls)
    assert "The latest, 2025-12, is the lowest: 0." in made.summary[0].answer
    assert "than in the other months" not in made.summary[0].answer
    size = f"{-expected.trend:.2f}"
    assert f"falls by {size} a month, to " not in made.summary[0].answer  # no part about the score
    assert made.summary[-1].answer.startswith(
        "If this goes on, the model scores less in the next month, with a lower precision at its "
        "thresholds."
    )
    paper = " ".join(made.parts[1].copied_text.split())
    assert (
        f"By month, at the prevalence of all rows, the score of the model fell: "
        f"{expected.trend:+.2f} a month (95% interval "
    ) in paper


def test_a_slow_decline_draws_its_line_over_all_months(drawn_figures):
    score = np.linspace(2.6, 1.4, 12)[CODE] * Y + NOISE
    made = report(Y, score, segments={"month": MONTH}, parts=["segments"])
    made.to_html()
    (axis,) = drawn_figures.pop().axes
    assert "Sloping line: trend with 95% band." in made.parts[0].picture.subject
    lines = [line for line in axis.lines if line.get_marker() == "None"]
    assert max(len(line.get_xdata()) for line in lines) == 12
    assert not any("mean" in text.get_text() for text in axis.texts)  # the trend has none
    assert not [line for line in axis.lines if line.get_markerfacecolor() == "none"]


def test_a_rise_is_told_without_a_doubt():
    score = np.linspace(1.4, 2.6, 12)[CODE] * Y + NOISE
    lines, part = segment_part(score, {"month": MONTH})
    assert part.sentence.startswith("The score of the model rises: +0.0")
    assert lines["Distrust"] == "Nothing looks wrong with labels and scores."


def test_a_month_far_off_a_decline_is_still_told_first():
    shift = np.linspace(2.9, 1.9, 12)
    shift[-1] = 0
    lines, _ = segment_part(shift[CODE] * Y + NOISE, {"month": MONTH})
    assert " less in 2025-12 than in the other months (" in lines["By month"]
    assert " Without 2025-12, the score falls: -0.0" in lines["By month"]


def test_segments_are_named_only_if_they_differ_after_adjustment_for_columns():
    """Shops with 0.025 < p < 0.05, which one column shows, and two columns do not."""
    for seed in range(200):
        shop = np.array(["A", "B", "C"])[np.random.default_rng(seed).integers(0, 3, N)]
        score = np.where(shop == "C", 2.1, 2.4) * Y + NOISE
        expected = compare_segments(Y, score, shop)
        pvalues = expected.adjusted_pvalues
        is_alone = pvalues[:2].min() > 0.05 and expected.differences[2] < 0
        if is_alone and 0.03 < pvalues[2] < 0.045 and expected.homogeneity_pvalue > 0.025:
            break
    else:
        pytest.fail("no such difference")
    one, _ = segment_part(score, {"shop": shop})
    assert "over all shops together, but C scores less." in one["Distrust"]
    two, part = segment_part(score, {"shop": shop, "month": MONTH})
    assert two["Distrust"] == "Nothing looks wrong with labels and scores."
    assert two["By shop"].startswith("No difference between the shops is shown. They score from ")
    assert part.sentence == (
        f"By shop, for the model: no difference between the shops is shown (test that all are "
        f"equal, for 2 columns: p = {2 * expected.homogeneity_pvalue:#.2g})."
    )
    assert float(part.cells[3][-1]) == pytest.approx(2 * pvalues[2], abs=0.001)
    assert "p (Holm) is adjusted for 3 tests and 2 columns." in part.notes


def test_a_segment_that_differs_in_one_of_two_columns_has_the_interval_of_both():
    score = np.where(SHOP == "C", 0.5, 2.4) * Y + NOISE
    _, part = segment_part(score, {"shop": SHOP, "month": MONTH})
    level = 1 - 0.05 / (3 * 2)
    row = compare_segments(Y, score, SHOP, confidence_level=level).rows()[2]
    limits = -row["difference_high"], -row["difference_low"]
    assert "(adjusted 95% interval {:.2f} to {:.2f}).".format(*limits) in part.sentence


@pytest.mark.parametrize(
    ("n_large", "words"), [(1, "only 1 of 12 has enough"), (0, "each has negatives for at most ")]
)
def test_segments_are_not_compared_with_a_single_one(n_large, words):
    y = Y & ((n_large > CODE) | (np.arange(N) % 12 == 0))
    lines, part = segment_part(2.4 * y + NOISE, {"month": MONTH}, y)
    assert lines["By month"].startswith(f"The months cannot be compared: {words}")
    assert ("the 10 effective positives" in part.sentence) == (n_large == 1)
    remedy = "Merge months into longer times, or collect more rows." if n_large else "negatives."
    assert remedy in lines["By month"]
    assert not any("minus the others" in cell for cell in part.cells[0])


def test_a_latest_month_with_few_positives_cannot_be_judged():
    y = Y & ((CODE < 11) | (np.arange(N) % 20 == 0))
    n_positives = np.count_nonzero(y & (CODE == 11))
    assert 1 < n_positives < 10
    lines, _ = segment_part(2.4 * y + NOISE, {"month": MONTH}, y)
    few = f"has only {n_positives} positives, so its score cannot be judged."
    assert f"; the latest, 2025-12, {few}" in lines["By month"]
    assert f"The latest month, 2025-12, {few}" in lines["Distrust"]


def test_two_segments_with_one_score_are_both():
    lines, _ = segment_part(9 * Y + NOISE / 100, {"half": np.where(CODE < 6, "a", "b")})
    assert lines["By half"].endswith(" Both score 1.00.")


@pytest.mark.parametrize(
    ("names", "dates"),
    [
        (["2026-Q1", "2026-Q4"], ["2026-01-01", "2026-10-01"]),
        (["2026Q2", "2027Q1"], ["2026-04-01", "2027-01-01"]),
        (["2026-W01", "2026-W05"], ["2025-12-29", "2026-01-26"]),
        (["2026-01", "2026-02"], ["2026-01-01", "2026-02-01"]),
        (["2026-W01", "2026-W60"], None),
        (["2026-01", "2026-Q2"], None),
        (["W01", "W02"], None),
        ([1, 2], None),
    ],
)
def test_texts_are_read_as_the_first_day_of_their_time(names, dates):
    found = dates_of_texts(names)
    if dates is None:
        assert found is None
    else:
        np.testing.assert_array_equal(found, np.array(dates, "M8[D]"))


def test_reversals_of_several_months_are_told_one_after_another():
    old = 1.6 * Y + np.random.default_rng(3).normal(size=N)
    made = report(
        Y, {"old": old, "new": TWO_BAD}, segments={"month": MONTH}, parts=["comparison", "segments"]
    )
    answer = made.summary[0].answer
    assert re.match(r"new is better than old: \+[^,]*, but worse than old in 2025-05: -0\.", answer)
    assert re.findall(r"In (\S+), however, new is worse than old: -0\.", answer) == ["2025-08"]
    assert "Use old" not in answer  # these months are over


def test_two_segments_of_few_positives_are_not_compared():
    rng = np.random.default_rng(0)
    y = np.arange(160) % 10 == 0
    sex = np.array(["female", "male"])[np.arange(160) % 4 // 2]
    lines, part = segment_part(2 * y + rng.normal(size=160), {"sex": sex}, y)
    assert lines["By sex"].startswith("The sexes cannot be compared: each has too few positives (")
    assert "Left out" not in part.sentence
