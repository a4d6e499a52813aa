"""What a report says of segments: the one that differs by most, the others, trends and shares."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_segments, operating_point, report
from sklearn_ap._program.report.data.checks import check_predictions
from sklearn_ap._program.report.segments import comparisons
from sklearn_ap._program.report.segments.columns import compare_column
from sklearn_ap._program.report.segments.worst import find_worst

RNG = np.random.default_rng(5)
N = 12_000
NAMES = [f"2026-0{i}" for i in range(1, 7)]
CODE = np.arange(N) % 6
MONTH = np.array(NAMES)[CODE]
COUNTRY = np.array(["DE", "ES", "FR", "IT"])[np.arange(N) // 6 % 4]
Y = RNG.random(N) < 0.06
NOISE = RNG.normal(size=N)
IS_LAST = MONTH == "2026-06"
quiet = pytest.mark.filterwarnings("ignore::UserWarning")
pytestmark = quiet


def scores(*shifts):
    """Scores whose positives stand higher by another number in each month."""
    return np.array(shifts)[CODE] * Y + NOISE


def column_of(score, name="month", segments=MONTH, y=Y, **options):
    options = {"confidence_level": 0.95, **options}
    data = check_predictions(y, score, {name: segments}, None, options, {})
    return compare_column(data, name)


def by_column(score, column, y=Y, **options):
    """The first lines and the part about a column."""
    made = report(y, score, segments=column, parts=["data", "segments"], **options)
    return {line.question: line.answer for line in made.summary}, made.parts[1]


def rows_without(score, months):
    is_kept = ~np.isin(MONTH, months)
    found = compare_segments(Y[is_kept], score[is_kept], MONTH[is_kept], prevalence=float(Y.mean()))
    return {row["segment"]: row for row in found.rows()}


BETTER_LAST = scores(1.5, 1.5, 1.5, 1.5, 1.5, 3.5)
WORSE_LAST = scores(2.2, 2.2, 2.2, 2.2, 2.2, 0.2)
TWO_WORSE = scores(2.5, 0.9, 2.5, 2.5, 2.5, 0.1)  # February, and by more June


class TestTheOthersOfAnOutlier:
    def test_a_better_month_makes_no_other_month_worse(self):
        first = compare_segments(Y, BETTER_LAST, MONTH)
        assert "worse" in [verdict.decision for verdict in first.verdicts]
        assert {row["verdict"] for row in rows_without(BETTER_LAST, "2026-06").values()} == {
            "undecided"
        }
        lines, part = by_column(BETTER_LAST, {"month": MONTH})
        claim = r"The model scores 0\.\d\d more in 2026-06 than in the other months \(adj"
        assert re.match(claim, part.sentence)
        assert "Among the other months, no difference is shown." in lines["By month"]
        assert "together" not in lines["Distrust"]
        column = column_of(BETTER_LAST)
        assert find_worst(column) == []
        assert column.marked.tolist() == [False] * 5 + [True]

    def test_another_worse_month_is_named_with_its_difference_from_the_others(self):
        rows = [
            rows_without(TWO_WORSE, other)[name]
            for name, other in (("2026-02", "2026-06"), ("2026-06", "2026-02"))
        ]
        first, last = (f"{-row['difference']:.2f} less in" for row in rows)
        lines, _ = by_column(TWO_WORSE, {"month": MONTH})
        claim = f"{first} 2026-02 and {last} 2026-06 than in the other months."
        assert lines["By month"].startswith(f"The model scores {claim}")
        column = column_of(TWO_WORSE)
        assert [*np.array(NAMES)[column.marked]] == ["2026-02", "2026-06"]
        assert [each.name for each in find_worst(column)] == ["2026-06", "2026-02"]

    def test_a_month_that_is_worse_beside_a_better_one_is_told_in_all_parts(self):
        score = scores(1.8, 0.2, 1.8, 1.8, 4.5, 1.8)  # May is better by most, and February worse
        row = rows_without(score, "2026-05")["2026-02"]
        change = row["difference"]
        (found,) = find_worst(column_of(score))
        assert (found.name, found.left_out) == ("2026-02", ("2026-05",))
        lines, _ = by_column(score, {"month": MONTH})
        assert " more in 2026-05 than in the other months" in lines["By month"]
        less = f"The model scores {-change:.2f} less in 2026-02 than in the other months (adjusted"
        assert less in lines["By month"]
        assert "over all months together, but 2026-02 scores less." in lines["Distrust"]
        paper = report(Y, score, segments={"month": MONTH}, parts=["segments", "paper"]).parts[1]
        against = f"), {change:+.2f} against all months but 2026-05 and 2026-02."
        assert against in " ".join(paper.copied_text.split())

    def test_the_latest_month_is_preferred_if_it_is_worse_beside_a_better_one(self):
        score = scores(1.8, 0, 1.8, 1.8, 4.5, 0.5)
        found, other = find_worst(column_of(score))
        assert (found.name, other.name) == ("2026-06", "2026-02")
        for each, another in ((found, other), (other, found)):
            assert sorted(each.left_out) == sorted(["2026-05", another.name])
            expected = rows_without(score, [*each.left_out])[each.name]
            assert each.row["difference"] == pytest.approx(expected["difference"])

    def test_the_other_model_is_compared_without_the_better_month_too(self):
        best = scores(2.3, 2.3, 2.3, 2.3, 4.5, 0.4)
        other = 1.5 * Y + np.random.default_rng(8).normal(size=N)
        lines, _ = by_column({"best": best, "other": other}, {"month": MONTH})
        score = compare_segments(Y, other, MONTH).estimates[-1]
        holds = f"but best scores less in 2026-06. other still scores {score:.2f} in 2026-06, so"
        assert holds in lines["Distrust"]

    def test_the_rest_is_compared_at_the_same_prevalence_with_weights_and_clusters(self):
        weight = np.random.default_rng(1).integers(1, 4, N)
        clusters = np.arange(N) // 12
        column = column_of(WORSE_LAST, sample_weight=weight, clusters=clusters)
        kept = ~IS_LAST
        expected = compare_segments(
            Y[kept],
            WORSE_LAST[kept],
            MONTH[kept],
            prevalence=column.comparison.prevalence,
            sample_weight=weight[kept],
            clusters=clusters[kept],
        )
        np.testing.assert_allclose(column.rest.differences, expected.differences)
        np.testing.assert_allclose(column.rest.lows, expected.lows)
        np.testing.assert_allclose(column.rest.estimates, column.comparison.estimates[:-1])

    def test_the_rest_is_compared_once(self, monkeypatch):
        n_rows = []

        def listen(y_true, *args, **options):
            n_rows.append(len(y_true))
            return compare_segments(y_true, *args, **options)

        monkeypatch.setattr(comparisons, "compare_segments", listen)
        report(Y, WORSE_LAST, segments={"month": MONTH})
        assert n_rows.count(np.count_nonzero(~IS_LAST)) == 1

    def test_two_segments_have_no_others(self):
        places = np.array(["DE", "FR"])[CODE % 2]
        column = column_of(np.where(places == "FR", 0.3, 2) * Y + NOISE, "country", places)
        assert column.rest is None
        assert column.marked.tolist() == [False, True]
        lines, part = by_column(np.where(places == "FR", 0.3, 2) * Y + NOISE, {"country": places})
        assert " less in country FR than in DE (95% interval 0." in part.sentence
        assert "Among" not in lines["By country"]

    def test_the_latest_of_two_months_is_named_if_it_is_better(self):
        months = np.array(["2026-01", "2026-02"])[CODE % 2]
        score = np.where(months == "2026-02", 3, 1) * Y + NOISE
        lines, part = by_column(score, {"month": months})
        assert " more in 2026-02 than in 2026-01 (" in part.sentence
        assert "together" not in lines["Distrust"]


class TestTrends:
    def test_a_trend_that_one_month_explains_is_not_told(self):
        assert compare_segments(Y, WORSE_LAST, MONTH).trend < 0
        lines, part = by_column(WORSE_LAST, {"month": MONTH})
        assert "The score falls" not in " ".join([lines["By month"], part.sentence, *part.more])
        assert not column_of(WORSE_LAST).tells_trend

    def test_a_trend_of_the_other_months_is_told_without_the_outlier(self):
        score = scores(3.0, 2.75, 2.5, 2.25, 2.0, 0)
        is_kept = ~IS_LAST
        rest = compare_segments(
            Y[is_kept], score[is_kept], MONTH[is_kept], prevalence=float(Y.mean())
        )
        assert rest.trend_high < 0
        lines, _ = by_column(score, {"month": MONTH})
        trend = f"Without 2026-06, the score falls: {rest.trend:+.2f} a month (95% interval"
        assert trend in lines["By month"]
        assert "no difference is shown" not in lines["By month"]
        assert column_of(score).tells_trend

    def test_months_without_an_outlier_are_steps_apart(self):
        score = scores(3.0, 2.75, 0, 2.25, 2.0, 1.75)
        names = np.array(NAMES)
        rest = column_of(score).rest
        is_kept = MONTH != "2026-03"
        dates = names.astype("M8[M]")[CODE]
        expected = compare_segments(
            Y[is_kept], score[is_kept], dates[is_kept], prevalence=float(Y.mean())
        )
        assert rest.trend == pytest.approx(expected.trend)

    def test_a_trend_of_0_is_not_told(self):
        lines, _ = by_column(9 * Y + NOISE / 100, {"month": MONTH})
        assert lines["By month"].endswith("They all score 1.00.")

    def test_a_trend_is_shown_where_nothing_else_is(self):
        y = np.arange(N) // 6 % 20 == 0
        score = np.linspace(2.2, 1.8, 6)[CODE] * y + np.random.default_rng(17).normal(size=N)
        column = column_of(score, y=y)
        assert column.outlier is None
        assert column.trend.decision == "falling"
        assert column.tells_trend
        assert not column_of(1.5 * Y + NOISE).tells_trend


def thinned(share, months=IS_LAST):
    """Labels of which some in the last month are missing."""
    return Y & ~(months & (np.random.default_rng(3).random(N) < share))


class TestSharesOfPositives:
    def test_missing_labels_of_the_latest_month_are_doubted(self):
        y = thinned(0.7)
        score = 2.2 * y + NOISE
        made = report(y, score, segments={"month": MONTH}, precision=0.5)
        lines = {line.question: line.answer for line in made.summary}
        inside, outside = 100 * y[IS_LAST].mean(), 100 * y[~IS_LAST].mean()
        assert lines["Distrust"] == (
            f"In 2026-06, {inside:.2g}% of the rows are positive, and {outside:.2g}% before, "
            f"so labels may be incomplete, or precision at a threshold is lower there."
        )
        selected = score >= operating_point(y, score, precision=0.5, guarantee=0.9).threshold
        found = np.count_nonzero(selected & y & IS_LAST)
        elsewhere = np.mean(selected[y & ~IS_LAST])
        n_positives = np.count_nonzero(y & IS_LAST)
        share = f"{100 * found / n_positives:.2g}% of the {n_positives} positives"
        counts = f"In 2026-06, {found} of {np.sum(selected & IS_LAST)} selected rows are "
        assert counts in lines["Threshold"]
        assert f", and {share} are found ({elsewhere:.0%} in other months)." in lines["Threshold"]
        assert lines["Threshold"].startswith("Select rows")

    def test_a_rise_of_the_latest_month_is_told(self):
        y = thinned(0.7, ~IS_LAST)
        lines, _ = by_column(2.2 * y + NOISE, {"month": MONTH}, y)
        assert lines["Distrust"].endswith("% before, so precision at a threshold is higher there.")

    @pytest.mark.parametrize(
        ("y", "column"),
        [
            (thinned(0.4), {"month": MONTH}),  # a ratio of 0.6
            (thinned(0.7), {"shop": COUNTRY}),
            (thinned(0.7, MONTH == "2026-03"), {"month": MONTH}),
        ],
    )
    def test_smaller_changes_other_columns_and_earlier_months_are_not(self, y, column):
        lines, _ = by_column(2.2 * Y + NOISE, column, y)
        assert "labels may be incomplete" not in lines["Distrust"]

    def test_a_month_without_positives_is_doubted(self):
        lines, _ = by_column(2.2 * Y + NOISE, {"month": MONTH}, thinned(1))
        assert "In 2026-06, 0% of the rows are positive, and 5.9% before" in lines["Distrust"]
        report(thinned(1), 2.2 * Y + NOISE, segments={"month": MONTH}, parts=["thresholds"])

    def test_an_earlier_worse_month_and_the_latest_one_are_told_together(self):
        y = thinned(0.7)
        score = np.where(MONTH == "2026-02", 0.2, 2.7) * y + NOISE
        options = {"segments": {"month": MONTH}, "precision": 0.5}
        lines = {line.question: line.answer for line in report(y, score, **options).summary}
        selected = score >= operating_point(y, score, precision=0.5, guarantee=0.9).threshold
        for month in ("2026-02", "2026-06"):
            inside = selected & (month == MONTH)
            counts = f"In {month}, {np.sum(inside & y)} of {inside.sum()} selected rows are"
            assert f"{counts} positive (clearly below 0.5), " in lines["Threshold"]

    def test_a_latest_month_without_negatives_has_no_threshold(self):
        y = Y | IS_LAST
        made = report(y, 2.2 * y + NOISE, segments={"month": MONTH}, precision=0.5)
        lines = {line.question: line.answer for line in made.summary}
        assert "In 2026-06, 100% of the rows are positive, and 5.9% before, so" in lines["Distrust"]
        assert lines["Threshold"].startswith("Select rows ")
        assert "In 2026-06" not in lines["Threshold"]

    def test_few_rows_show_no_change(self):
        y = np.arange(600) % 60 < 3
        months = np.where(np.arange(600) < 570, "2026-01", "2026-02")
        y[570:] = False
        y[599] = True
        lines, _ = by_column(2 * y + NOISE[:600], {"month": months}, y)
        assert "% of the rows are positive" not in lines["Distrust"]
        clusters = np.arange(600) // 2
        lines, _ = by_column(2 * y + NOISE[:600], {"month": months}, y, clusters=clusters)
        assert "% of the rows are positive" not in lines["Distrust"]

    def test_shares_count_the_weight_of_rows(self):
        weight = np.where(IS_LAST & Y, 0.2, 1.0)
        lines, _ = by_column(2.2 * Y + NOISE, {"month": MONTH}, sample_weight=weight)
        assert "% of the rows are positive, and " in lines["Distrust"]
        assert (
            "% of the rows are positive"
            not in by_column(
                2.2 * Y + NOISE, {"month": MONTH}, sample_weight=np.where(IS_LAST, 0.2, 1.0)
            )[0]["Distrust"]
        )

    def test_labels_are_doubted_once_with_their_numbers(self):
        score = np.where(IS_LAST, 0.3, 2.7) * Y + NOISE
        lines, _ = by_column(score, {"month": MONTH}, thinned(0.6))
        assert lines["Distrust"].count("incomplete") == 1

    def test_the_prevalence_of_the_user_leaves_precision_as_it_is(self):
        lines, _ = by_column(2.2 * Y + NOISE, {"month": MONTH}, thinned(0.7), prevalence=0.2)
        assert lines["Distrust"].endswith("% before, so labels may be incomplete.")


@pytest.mark.parametrize(
    ("name", "names", "is_time"),
    [
        ("period", NAMES, True),
        ("calendar month", NAMES, True),
        ("date", [f"2026-03-0{i}" for i in range(1, 7)], True),
        ("when", ["2025-Q3", "2025-Q4", *(f"2026-Q{i}" for i in range(1, 5))], True),
        ("when", [f"2026-W0{i}" for i in range(1, 7)], True),
        ("Month", [*"123456"], True),
        ("version", [f"2026.{i}" for i in range(1, 7)], False),
        ("shop", [*"abcdef"], False),
    ],
)
def test_time_is_recognized_by_names_of_segments_or_of_their_column(name, names, is_time):
    column = column_of(1.5 * Y + NOISE, name, np.array(names)[CODE])
    assert column.is_time == is_time


@pytest.mark.parametrize(
    ("name", "plural"),
    [
        ("country", "countries"),
        ("g", "segments"),
        ("ab", "segments"),
        ("col_17", "segments"),
        ("calendar month", "segments"),
        ("sex", "sexes"),
        ("branch", "branches"),
        ("months", "months"),
    ],
)
def test_segments_are_called_by_the_word_of_their_column(name, plural):
    assert column_of(1.5 * Y + NOISE, name, COUNTRY).plural == plural


def test_notes_name_the_prevalence_of_the_user():
    _, part = by_column(1.5 * Y + NOISE, {"month": MONTH}, prevalence=0.02)
    assert part.notes[0].startswith("Scores are average precision at a prevalence of 0.02, so")
    _, part = by_column(1.5 * Y + NOISE, {"month": MONTH})
    assert part.notes[0].startswith("Scores are average precision at the prevalence of all rows,")
    kept = Y | ~IS_LAST | (np.arange(N) % 50 == 5)  # June has few negatives at any prevalence
    score, months = 2 * Y[kept] + NOISE[kept], MONTH[kept]
    _, part = by_column(score, {"month": months}, Y[kept], prevalence=0.05)
    words = [text for text in (*part.more, *part.notes) if "few negatives for" in text]
    assert len(words) == 1
    assert "few negatives for a prevalence of 0.05: its" in words[0]


def test_positives_alone_may_be_too_few():
    few = np.zeros(N, dtype=bool)
    few[np.arange(0, 60)] = True  # ten of each month, of which some are taken away
    few[np.arange(0, 18)] = False
    lines, part = by_column(few + NOISE, {"week": MONTH}, few)
    too_few = "each has too few positives (7 at most, and 10 are needed)."
    assert part.sentence == f"By week, for the model: {too_few}"
    assert lines["By week"].startswith(f"The weeks cannot be compared: {too_few}")
    assert "Merge weeks into longer times, or collect more rows." in lines["By week"]


def test_nothing_is_shown_with_two_digits_of_the_p_value():
    lines, part = by_column(1.5 * Y + NOISE, {"month": MONTH})
    pvalue = compare_segments(Y, 1.5 * Y + NOISE, MONTH).homogeneity_pvalue
    test = f"test that all are equal: p = {pvalue:.2g}"
    claim = f"o difference between the months is shown ({test})."
    assert lines["By month"].startswith("No difference between the months is shown. They score ")
    assert part.sentence == f"By month, for the model: n{claim}"


@quiet
def test_a_second_model_that_changes_is_told_where_the_best_one_is_steady():
    n = 24_000
    rng = np.random.default_rng(4)
    step = np.arange(n) * 12 // n
    month = np.array([f"2025-{1 + k:02d}" for k in range(12)])[step]
    y = rng.random(n) < 0.05
    noise = rng.normal(size=(2, n))
    scores = {"champion": (2.8 - 0.2 * step) * y + noise[0], "challenger": 2.2 * y + noise[1]}
    found = report(y, scores, segments={"month": month}, parts=["comparison", "segments"])
    trend = compare_segments(y, scores["champion"], month).trend
    fall = f"The score of champion falls by {abs(trend):.2f} a month"
    assert found.summary[-1].answer == f"{fall}, so its score is an average over months."
    steady = scores | {"champion": 1.5 * y + noise[0]}
    quiet_page = report(y, steady, segments={"month": month}, parts=["comparison", "segments"])
    assert [line.question for line in quiet_page.summary] == ["Model", "By month"]  # no doubt


def test_segments_with_few_positives_are_not_in_the_range_of_scores():
    """A shop with 4 positives is neither the best nor the worst."""
    is_rare = (np.arange(N) < 400) & (np.cumsum(Y) <= 4)
    shop = np.where(is_rare, "tiny", np.array(["A", "B", "C"])[np.arange(N) % 3])
    lines, _ = by_column(2.2 * Y + NOISE, {"shop": shop})
    rows = {row["segment"]: row for row in compare_segments(Y, 2.2 * Y + NOISE, shop).rows()}
    low, *_, high = sorted((rows[name] for name in "ABC"), key=lambda row: row["estimate"])
    assert (
        f"They score from {low['estimate']:.2f} in {low['segment']} (95% interval "
        f"{low['low']:.2f} to {low['high']:.2f}) to {high['estimate']:.2f} in {high['segment']} "
        f"({high['low']:.2f} to {high['high']:.2f}); tiny has too few positives to judge."
    ) in lines["By shop"]
