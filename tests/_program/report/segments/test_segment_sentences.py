"""The part about the segments of a column: its sentences, its table, and its first lines."""

import re
import warnings

import numpy as np
import pandas as pd
import pytest
from report_data import BASE, MONTH, NOISE, A, B, N, Y, part, quiet

from sklearn_ap import compare_segments, report


def test_sentence_names_a_worse_segment():
    worse = np.where(MONTH == "2026-02", NOISE, B)
    sentence = part("Segments", Y, worse, segments=MONTH).sentence
    words = r"The model scores 0\.\d+ less in 2026-02 than in the other segments \(adjusted 95%"
    assert re.match(words, sentence)
    pvalue = compare_segments(Y, B, MONTH).homogeneity_pvalue
    test = f"test that all are equal: p = {pvalue:.2g}"
    nothing = f"By segment, for b: no difference between the segments is shown ({test})."
    assert part("Segments").sentence == nothing
    few = np.arange(N) % 300
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sentence = part("Segments", Y, B, segments=few).sentence
    assert sentence == (
        "By segment, for the model: each has too few positives (1 at most, and 10 are needed)."
    )


@quiet
def test_notes_and_cells_say_what_others_and_effective_positives_are():
    n_positives, n_negatives = [400, 18, 5], [7000, 100, 100]  # 100 are as 6 positives
    y = np.repeat([1, 0] * 3, np.transpose([n_positives, n_negatives]).ravel())
    places = np.repeat(["FR", "DE", "a name"], np.add(n_positives, n_negatives))
    score = y + np.random.default_rng(0).normal(size=y.size)

    def part_of(is_used):
        return part("Segments", y[is_used], score[is_used], segments=places[is_used])

    why = (
        "A segment has fewer effective positives than positives if its rows have weights, or "
        "if it has few negatives for the prevalence of all rows: its rows then count for less."
    )
    found = part_of(np.ones(y.size, dtype=bool))
    assert found.sentence == (
        "By segment, for the model: only 1 of 3 has the 10 effective positives that a "
        "comparison needs."
    )
    assert why in found.more
    assert [row[2:4] for row in found.cells] == [
        ["positives", "effective positives"],
        ["18", "5.8"],
        ["400", "400"],
        ["5", "5"],
    ]
    # Where each positive counts, there is nothing to explain.
    few = (places == "FR") | (y == 0) | (np.arange(y.size) % 3 == 0)
    alike = part_of(few & (places != "DE"))
    assert "effective positives" not in alike.cells[0]
    assert why not in alike.notes


@quiet
@pytest.mark.parametrize(("column", "aim"), [("month", "show a change"), ("shop", "compare")])
def test_too_few_effective_positives_are_counted(column, aim):
    start = "2026-0" if column == "month" else ""
    names = np.array([f"{start}{name}" for name in ("123456" if start else "abcdef")])
    names = names[np.arange(N) % 6]
    weight = np.where(np.arange(N) % 50 < 6, 20.0, 0.1)
    expected = compare_segments(Y, B, names, sample_weight=weight)
    assert expected.n_effective.max() < 10 < expected.n_positives.min()
    found = report(Y, B, segments={column: names}, sample_weight=weight, parts=["segments"])
    segments = found.parts[0]
    most = int(10 * expected.n_effective.max()) / 10
    needed = f"(at most {most:g} effective ones, and 10 are needed)."
    few = "each has too few positives"
    assert segments.sentence == f"By {column}, for the model: {few} to {aim} {needed}"
    assert segments.more[1].startswith("A segment has fewer effective positives than positives")
    cannot = f"The {column}s cannot be compared: {few} {needed}"
    assert found.summary[0].answer.startswith(cannot)
    shown = [float(row[3]) for row in segments.cells[1:]]
    assert segments.cells[0][3] == "effective positives"
    assert shown == pytest.approx(expected.n_effective - 0.05, abs=0.051)
    merge = "Merge months into longer times" if column == "month" else "Merge similar ones"
    remedy = f"{merge}, or collect more rows."
    assert segments.more[0] == remedy
    assert f"{cannot} {remedy}" in found.summary[0].answer


@quiet
def test_positives_that_count_for_just_too_little_are_shown():
    y, places = np.arange(900) % 30 < 1, np.repeat([*"abc"], 300)
    weight = np.where(np.arange(900) % 60 < 30, 0.8, 1.2)  # (10 * 1)^2 / (10 * 1.04) = 9.6
    score = y + BASE[np.arange(900) % N]
    found = part("Segments", y, score, sample_weight=weight, segments=places)
    assert [row[2:4] for row in found.cells[1:]] == [["10", "9.6"]] * 3


@quiet
def test_bullets_name_the_numbers_of_wide_tables():
    names = np.array(["DE", "a name that is too long for a column of the table"])
    found = report(Y, B, segments=names[np.arange(N) % 2], parts=["segments"])
    head, *rows = found.parts[0].cells
    score, *_ = head[1].split(" [")
    text = " ".join(repr(found).split())
    kinds = (" [95% interval]", " [95%, not adjusted]"), ("", "")
    for row, (kind, change_kind) in zip(rows, kinds, strict=True):
        numbers = f"{score}{kind}: {row[1]}; positives: {row[2]}; own prevalence: {row[3]}; "
        assert f"- {row[0]}; {numbers}minus the others{change_kind}: {row[4]}" in text


@quiet
def test_sentence_combines_the_overall_test_with_single_segments():
    segments, y = np.repeat(range(10), 600), np.tile(np.repeat([1, 0], [60, 540]), 10)

    def part_of(shifts, seed):
        s = np.random.default_rng(seed).normal(size=y.size) + np.array(shifts)[segments] * y
        return part("Segments", y, s, segments=segments)

    whole = part_of(np.linspace(1.1, 1.9, 10), 7)
    assert whole.sentence == (
        "By segment, for the model: the segments differ as a whole (p = 0.005), but no single "
        "one can be named."
    )
    assert whole.more[1] == "The score rises: +0.03 a step (95% interval +0.01 to +0.05)."
    single = part_of([1.5] * 9 + [0.9], 27)
    assert re.match(r"The model scores 0\.\d+ less in 9 than in the other", single.sentence)
    assert single.more[-1] == (
        "It is not shown that the segments differ as a whole (p = 0.100), although single ones do."
    )
    both = part_of([1.5] * 9 + [0.2], 27)
    assert "as a whole" not in " ".join([both.sentence, *both.more])


@quiet
def test_segments_without_skill_are_doubted():
    worse = np.where(MONTH == "2026-02", NOISE, B)
    found = report(Y, worse, segments={"month": MONTH})
    assert (
        "2026-02 scores less. The model is not shown to be better than a random order in 2026-02."
    ) in found.summary[-1].answer
    less = report(Y, np.where(MONTH == "2026-02", A, Y + B), segments={"month": MONTH})
    assert "less in 2026-02 than" in less.summary[2].answer
    assert "random order" not in less.summary[-1].answer


@quiet
def test_first_lines_name_the_lowest_and_the_latest_month_where_no_change_is_shown():
    months = np.array([f"2026-0{i}" for i in range(1, 6)])
    expected = compare_segments(Y, A, months[np.arange(N) * 5 // N])
    assert [verdict.decision for verdict in expected.verdicts] == ["undecided"] * 7
    estimates = expected.estimates
    scores = [
        f"{score:.2f} (95% interval {low:.2f} to {high:.2f})"
        for score, low, high in zip(estimates, expected.lows, expected.highs, strict=True)
    ]
    lowest, highest = int(np.argmin(estimates)), int(np.argmax(estimates))
    low = f"{estimates[lowest]:.2f} in "
    middle = next(place for place in range(5) if place not in (lowest, highest))
    expected_words = {
        middle: f"to {estimates[highest]:.2f} in X; the latest, 2026-05, {scores[middle]}.",
        highest: f"to {scores[highest]} in 2026-05, the latest.",
    }
    for latest, words in expected_words.items():
        names = np.roll(months, latest - 4)
        column = {"month": names[np.arange(N) * 5 // N]}
        answer = report(Y, A, segments=column, parts=["segments"]).summary[0].answer
        nothing, _, found = answer.partition(" They score from ")
        assert nothing == "No difference between the months is shown."
        words = words.replace("X", names[highest])
        assert found.startswith(f"{low}{names[lowest]} {words} No trend is shown: ")
        assert answer.endswith(" a month fits, given these months.")
    column = {"month": np.roll(months, lowest - 4)[np.arange(N) * 5 // N]}
    answer = report(Y, A, segments=column, parts=["segments"]).summary[0].answer
    before = np.delete(estimates, lowest)
    assert (
        f"The latest, 2026-05, is the lowest: {scores[lowest]}; earlier months score "
        f"{before.min():.2f} to {before.max():.2f}."
    ) in answer


@quiet
def test_first_lines_give_the_score_of_a_worse_month_and_those_before():
    worse = np.where(MONTH == "2026-03", NOISE, B)
    expected = compare_segments(Y, worse, MONTH)
    assert expected.verdicts[2].decision == "worse"
    answer = report(Y, worse, segments={"month": MONTH}, parts=["segments"]).summary[0].answer
    first, second, last = expected.estimates
    limits = f"{expected.lows[2]:.2f} to {expected.highs[2]:.2f}"
    lowest = f"The latest, 2026-03, is the lowest: {last:.2f} (95% interval {limits}); "
    before = f"earlier months score {min(first, second):.2f} to {max(first, second):.2f}."
    assert f"). {lowest}{before}" in answer
    assert re.match(r"The model scores 0\.\d+ less in 2026-03 than in the other months \(", answer)


@quiet
def test_two_segments_are_compared_by_their_names():
    places = np.array(["DE", "FR"])[np.arange(N) % 2]
    answer = report(Y, A, segments={"country": places}, parts=["segments"]).summary[0].answer
    assert "No difference between DE and FR is shown: anything from " in answer


@quiet
def test_segments_that_are_not_compared_are_to_be_distrusted():
    places = np.where(np.arange(N) % 3, "DE", np.where(Y, "FR", "IT"))
    found = report(Y, B, segments={"country": np.where(np.arange(N) < 9, "ES", places)})
    doubts = found.parts[-1].cells[1:]
    missing = "Not compared, without positives or negatives: country FR and IT."
    assert [missing, "Segments by country"] in doubts
    assert missing in found.summary[-1].answer
    assert not [row for row in doubts if "left out" in row[0]]


@quiet
def test_the_table_shows_the_lowest_and_the_latest_of_many_segments():
    months = np.arange("2020-01", "2027-07", dtype="M8[M]")
    segments = months[np.arange(18000) % 90]
    y = np.arange(18000) // 90 % 3 == 0
    score = 1.5 * y + np.random.default_rng(0).normal(size=18000)
    expected = compare_segments(y, score, segments)
    found = report(y, score, segments={"month": segments}, parts=["segments"]).parts[0]
    names = [row[0] for row in found.cells[1:]]
    lowest = str(expected.rankings[int(np.argmin(expected.estimates))])
    assert len(names) == 60
    assert {lowest, "2027-06"} <= {names[place] for place in found.first_rows}
    assert len(found.first_rows) == 5


@quiet
def test_interval_of_the_sentence_is_adjusted_as_its_p_value_is():
    worse = np.where(MONTH == "2026-02", NOISE, B)
    found = compare_segments(Y, worse, MONTH)
    order = np.argsort(found.pvalues)
    (place,) = np.flatnonzero(np.array(found.rankings) == "2026-02")
    n_tests = 3 - int(np.flatnonzero(order == place)[0])
    level = 1 - 0.05 / n_tests
    adjusted = compare_segments(Y, worse, MONTH, confidence_level=level)
    sentence = part("Segments", Y, worse, segments=MONTH).sentence
    low, high = re.search(r"adjusted 95% interval (\S+) to (\S+)\)", sentence).groups()
    assert float(low) == pytest.approx(-adjusted.difference_highs[place], abs=5.1e-3)
    assert float(high) == pytest.approx(-adjusted.difference_lows[place], abs=5.1e-3)


def test_each_column_of_segments_has_a_part_and_a_word():
    country = np.array(["DE", "FR"])[np.arange(N) % 2]
    columns = {"country": country, "month": MONTH}
    for segments in (columns, pd.DataFrame(columns)):
        found = report(Y, B, segments=segments, parts=["segments"])
        titles = [each.title for each in found.parts]
        assert titles == ["Segments by country", "Segments by month", "Warnings"]
        for each, (name, column) in zip(found.parts[:2], columns.items(), strict=True):
            assert each.cells[0][0] == name
            expected = compare_segments(Y, B, column)
            assert [row[0] for row in each.cells[1:]] == [*expected.rankings]
            assert f"segments=segments['{name}']" in each.call
    named = report(Y, B, segments=pd.Series(MONTH, name="months"), parts=["segments"])
    assert named.parts[0].title == "Segments by month"
    with pytest.raises(ValueError, match="segments"):
        report(Y, B, segments={"month": MONTH[1:]})


@quiet
def test_the_trend_is_named_by_the_word_of_the_column():
    y, step = np.arange(12_000) // 6 % 20 == 0, np.arange(12_000) % 6
    noise = np.random.default_rng(17).normal(size=12_000)
    falling = np.linspace(2.2, 1.8, 6)[step] * y + noise
    months = np.array([f"2026-0{i}" for i in range(1, 7)])[step]
    expected = compare_segments(y, falling, months)
    assert expected.trend_high < 0
    assert expected.adjusted_pvalues.min() > 0.05
    found = report(y, falling, segments={"month": months}, parts="segments").parts[0]
    words = " ".join([found.sentence, *found.more])
    trend = f"The score of the model falls: {expected.trend:+.2f} a month (95% interval"
    assert words.startswith(trend)
    assert found.brief[0].startswith(trend)


@quiet
def test_sentence_names_three_other_segments_and_the_score_of_the_other_model():
    segments, y = np.repeat([*"ABCDEFGH"], 600), np.tile(np.repeat([1, 0], [120, 480]), 8)
    shifts = np.repeat([-0.5, 0.3, 0.3, 0.3, 0.3, 4, 2.2, 2.2], 600)
    noise = np.random.default_rng(0).normal(size=y.size)
    models = {"other": 0.2 * y + noise, "best": shifts * y + noise}
    found = part("Segments", y, models, segments=segments)
    rows = {
        name: {row["segment"]: row for row in compare_segments(y, score, segments).rows()}
        for name, score in models.items()
    }
    numbers = (rows[name]["F"]["estimate"] for name in ("best", "other"))
    scores = "In F, best scores {:.2f}, and other {:.2f}.".format(*numbers)
    sizes = []
    for name, others in (("F", "AHG"), ("H", "AFG"), ("G", "AFH")):
        kept = ~np.isin(segments, [*others])
        rest = compare_segments(y[kept], models["best"][kept], segments[kept], prevalence=0.2)
        (row,) = (each for each in rest.rows() if each["segment"] == name)
        sizes.append(f"{row['difference']:.2f} more in {name}")
    claim = f"best scores {sizes[0]}, {sizes[1]} and {sizes[2]} than in the other segments"
    assert found.sentence.startswith(f"{claim} (adjusted 95% intervals 0.")
    assert found.more[0] == scores
    assert found.brief[0] == f"{claim}."
    assert found.more[1].startswith("best scores 0.")
    assert " less in A than in the other segments (adjusted 95% interval" in found.more[1]


@quiet
def test_the_worst_segment_is_among_many():
    segments = np.arange(12000) % 80
    y = np.arange(12000) // 80 % 3 == 0
    score = np.where(segments == 33, 0, 2) * y + np.random.default_rng(0).normal(size=12000)
    found = report(y, score, segments=segments, parts=["segments"]).parts[0]
    assert "less in 33 than in the other segments (" in found.sentence
    assert len(found.cells) == 61
    assert "33" in [row[0] for row in found.cells]
    assert "These are the 60 of 80 that differ most clearly." in found.notes


def test_dates_need_no_row_for_each():
    days = np.datetime64("2026-01-01") + np.arange(N) % 25
    texts = days.astype(str)
    columns = {"day": days, "text": texts, "name": np.char.add("day ", texts)}
    by_day, by_text, by_name = report(Y, A, segments=columns, parts=["segments"]).parts[:3]
    assert by_day.picture.height == by_text.picture.height < 4 < by_name.picture.height
