"""The report: each number is that of the function it quotes, and each sentence is right."""

import os
import pickle
import re
import warnings
from dataclasses import replace
from functools import partial
from html import unescape
from importlib.util import find_spec
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    best_average_precision,
    chance_test,
    compare_average_precision,
    compare_segments,
    compat,
    operating_point,
    report,
)
from sklearn_ap._base.inputs import targets
from sklearn_ap._counts import counting
from sklearn_ap._program.report import _checked_predictions, _html, _page, _predictions, pictures
from sklearn_ap._program.report import _parts as parts
from sklearn_ap.definitions import AtK, PrecisionAtK, PrecisionAtRecall, RecallAtK

RNG = np.random.default_rng(0)
N = 600
Y = (RNG.random(N) < 0.2).astype(int)
BASE = RNG.normal(size=N)
A, B = 1.0 * Y + BASE, 1.8 * Y + BASE + 0.1 * RNG.normal(size=N)
AB = {"a": A, "b": B}
GROUP = RNG.integers(0, 60, N)
NOISE = RNG.normal(size=N)
WEAK = 0.2 * Y + np.random.default_rng(5).normal(size=N)  # its top 100 rows beat chance
MONTH = np.array(["2026-01", "2026-02", "2026-03"])[np.arange(N) % 3]
WEIGHT = RNG.random(N) + 0.5
TITLES = (
    *("What the data are", "The score", "Is one model better?", "The curve", "The top rows"),
    *("Thresholds", "Segments", "What other tools print", "What to write in a paper", "Warnings"),
)
FOUND = report(Y, AB, segments=MONTH)
UNDRAWN = pickle.dumps(FOUND)
quiet = pytest.mark.filterwarnings("ignore::UserWarning")


def part(title, *args, **options):
    """A part of the report of all, or of another one, of which no other part is then made."""
    names = [name for name, topic in parts.TOPICS.items() if topic.title == title]
    found = report(*args, **options, parts=names) if args else FOUND
    return next(each for each in found.parts if each.title == title)


def undrawn():
    """The report of all, of which no test has drawn a picture yet."""
    return pickle.loads(UNDRAWN)


def number(text):
    return float(text.split()[0])


def limits(text):
    return [float(each) for each in re.findall(r"[+-]?\d\.\d+", text.split("[")[1])]


def shows(cell, *expected):
    """Whether a cell has a number, or one and its limits, rounded to two digits or more."""
    places = len(cell.split()[0].partition(".")[2])
    assert places >= 2
    numbers = [float(each) for each in re.findall(r"[+-]?\d\.\d+", cell)]
    return numbers == pytest.approx(expected, abs=0.5001 * 10.0**-places)


def selects(cell, scores, point):
    """Whether a printed threshold selects the rows of an operating point, with few digits."""
    n_digits = len(cell.lstrip("-0.").replace(".", ""))
    is_exact = np.count_nonzero(scores >= float(cell)) == point.n_selected
    return is_exact and (n_digits <= 3 or float(cell[:-1]) <= point.next_score)


def is_shown(cell, found):
    """Whether a cell has a score and its limits."""
    return shows(cell, found.estimate, found.low, found.high)


def calls(title):
    """What the call below a part gives, run as a user would run it."""
    known = globals() | {"y_true": Y, "y_scores": AB, "segments": MONTH}
    return eval(part(title).call, known)


class TestEachNumberIsThatOfAPublicFunction:
    def test_score_part_equals_interval_and_chance_test(self):
        cells = {row[0]: row[1:] for row in part("The score").cells[1:]}
        assert [*cells] == ["b", "a"]
        for name, row in cells.items():
            chance = chance_test(Y, AB[name], n_permutations=999)
            assert is_shown(row[0], average_precision_interval(Y, AB[name]))
            assert shows(row[1], chance.chance)
            assert row[2] == "≤ 0.001"
            assert chance.pvalue == 0.001

    def test_comparison_part_equals_compare_average_precision(self):
        found = compare_average_precision(Y, AB)
        head, second, first = part("Is one model better?").cells  # the highest score first
        assert head[2] == "minus a [95% interval]"
        assert first[2:] == ["", ""]
        for place, (name, score, *_) in enumerate((first, second)):
            limits = found.lows[place], found.highs[place]
            assert (name, shows(score, found.estimates[place], *limits)) == ("ab"[place], True)
        limits = found.difference_lows[1], found.difference_highs[1]
        assert shows(second[2], found.differences[1], *limits)
        assert second[3] == "< 0.001"
        assert found.pvalues[1] < 0.001

    @quiet
    def test_comparison_part_of_three_models_equals_best_average_precision(self):
        models = AB | {"c": BASE}
        rows = best_average_precision(Y, models).rows()
        cells = part("Is one model better?", Y, models).cells[1:]
        for (name, score, may_be_best), row in zip(cells, rows, strict=True):
            assert name == row["name"]
            assert shows(score, row["estimate"], row["low"], row["high"])
            assert may_be_best == "yes" * row["may_be_best"]

    def test_curve_part_equals_precision_at_recall_intervals(self):
        for recall, *cells in part("The curve").cells[1:]:
            definition = PrecisionAtRecall(float(recall))
            for name, cell in zip("ba", cells, strict=True):
                found = average_precision_interval(Y, AB[name], definition=definition)
                assert is_shown(cell, found)

    def test_top_rows_part_equals_scores_at_k(self):
        rows = part("The top rows").cells[1:]
        assert [row[0] for row in rows] == ["1% (6)", "", "10", "", "100", ""]
        for i, (_, name, *cells) in enumerate(rows):
            k = (0.01, 10, 100)[i // 2]
            for kind, cell in zip((PrecisionAtK, RecallAtK, AtK), cells, strict=True):
                found = average_precision_interval(Y, AB[name], definition=kind(k))
                assert is_shown(cell, found), (k, name, kind)

    @quiet
    def test_thresholds_part_equals_operating_point(self):
        head, *rows = part("Thresholds").cells
        assert head[2:5] == ["guaranteed from", "rows", "precision"]
        assert head[5:7] == ["recall", "best in this sample from"]
        for i, (_, name, sure, n_sure, *shares, best, n_best, _, _) in enumerate(rows):
            cells = rows[i][-2:]
            goal = {"precision": (0.5, 0.8, 0.9)[i // 2]}
            found = operating_point(Y, AB[name], **goal, guarantee=0.9)
            assert (sure == "none") == bool(found.remark)
            if not found.remark:
                assert selects(sure, AB[name], found)
                assert n_sure == f"{found.n_selected}"
                assert shows(shares[0], found.precision)
                assert shows(shares[1], found.recall)
            found = operating_point(Y, AB[name], **goal)
            assert (best == "none") == bool(found.remark)
            if not found.remark:
                assert selects(best, AB[name], found)
                assert n_best == f"{found.n_selected}"
                assert shows(cells[0], found.precision, *found.precision_interval)
                assert shows(cells[1], found.recall)

    @pytest.mark.parametrize("options", [{}, {"sample_weight": WEIGHT}])
    def test_segments_part_equals_compare_segments(self, options):
        found = compare_segments(Y, B, MONTH, **options)
        head, *rows = part("Segments", Y, B, segments=MONTH, **options).cells
        prevalence = f"score at prevalence {found.prevalence:.2f} [95% interval]"
        assert head[:3] == ["segment", prevalence, "positives"]
        assert (head[3] == "effective positives") == bool(options)
        assert head[-2:] == ["minus the others [95%, not adjusted]", "p (Holm)"]
        for row, expected, n_effective in zip(rows, found.rows(), found.n_effective, strict=True):
            assert (row[0], row[2]) == (expected["segment"], f"{expected['n_positives']:.0f}")
            assert shows(row[1], expected["estimate"], expected["low"], expected["high"])
            if options:
                assert int(row[3]) == pytest.approx(n_effective - 0.5, abs=0.51)
            assert shows(row[-3], expected["share"])
            limits = expected["difference_low"], expected["difference_high"]
            assert shows(row[-2], expected["difference"], *limits)
            assert float(row[-1]) == pytest.approx(expected["adjusted_pvalue"], rel=0.06)

    def test_other_tools_part_equals_compat(self):
        expected = {row.name: row.value for row in compat.compare(Y, B).results}
        for value, names, why in part("What other tools print").cells[1:]:
            for name in names.split(", "):
                assert float(value) == pytest.approx(expected[name], abs=5e-5)
            steps = compat.explain(names.split(", ")[0], Y, B).steps
            assert why == " ".join(step.why for step in steps if step.has_effect)

    def test_paper_part_equals_to_paper(self):
        table = compare_average_precision(Y, AB).to_paper()
        assert part("What to write in a paper").copied_text.endswith(f"\n\n{table}")

    @quiet
    @pytest.mark.parametrize("title", TITLES[1:-1])
    def test_the_call_below_a_part_runs(self, title):
        assert calls(title) is not None or title == "What to write in a paper"
        plt.close("all")


def point_of(found, y_true, y_scores):
    """The threshold that the call of a part gives."""
    return eval(found.call, globals() | {"y_true": y_true, "y_scores": y_scores})


def threshold_in(found):
    """The threshold in the sentence of a part."""
    return re.search(r"scores (?:of )?(\S+) or more", found.sentence)[1]


class TestTheSentenceInFront:
    def test_sentence_names_the_better_of_two_models_and_the_difference(self):
        found = compare_average_precision(Y, AB)
        change, low, high = (
            f"{getattr(found, of)[1]:+.2f}"
            for of in ("differences", "difference_lows", "difference_highs")
        )
        better = f"b is better than a: {change} (95% interval {low} to {high})."
        assert part("Is one model better?").sentence == better == found.verdicts[0].sentence
        turned = report(Y, {"b": B, "a": A})
        assert turned.parts[2].sentence == better == turned.summary[0].answer[: len(better)]
        call = "compare_average_precision(y_true, y_scores, reference='a')"
        assert turned.parts[2].call == call
        paper = turned.parts[-2]
        assert paper.call == f"print({call}.to_paper())"
        assert f"The difference of b from a on the same rows was {change} (95%" in paper.copied_text
        table = compare_average_precision(Y, {"b": B, "a": A}, reference="a").to_paper()
        assert paper.copied_text.endswith(f"\n\n{table}")

    def test_sentence_states_when_a_difference_is_uncertain(self):
        other = A + 0.1 * NOISE
        assert average_precision_score(Y, A) > average_precision_score(Y, other)
        found = compare_average_precision(Y, {"a": A, "other": other}, reference="other")
        assert found.pvalues[0] > 0.05
        sentence = part("Is one model better?", Y, {"a": A, "other": other}).sentence
        low, high = found.difference_lows[0], found.difference_highs[0]
        assert sentence == (
            f"No difference is shown: a minus other may be anything from {low:+.2f} to {high:+.2f}."
        )
        sentence = part("Is one model better?", Y, {"a": A, "b": B, "twin": 2 * B}).sentence
        assert re.match(
            "It is not shown that b, .*, is the best of 3 models: twin may be, too", sentence
        )
        weak = part("The score", Y, NOISE).sentence
        assert re.match(
            "The model (is not shown to be better|scores less) than a random order", weak
        )

    def test_sentence_names_the_best_of_three_models(self):
        sentence = part("Is one model better?", Y, {"a": A, "b": B, "c": BASE}).sentence
        assert sentence.startswith("b is the best of 3 models: 0.75")

    def test_sentence_states_a_threshold_or_its_absence(self):
        sentence = part("Thresholds").sentence
        point = operating_point(Y, B, precision=0.8, guarantee=0.9)
        found = re.fullmatch(
            r"Select rows where b scores (\S+) or more: (\d+) rows, (\d+)% of the positives found, "
            r"precision ([01]\.\d\d) \(at least 0\.8 with 90% confidence\)\.",
            sentence,
        )
        threshold, n_rows, share, precision = found.groups()
        assert selects(threshold, B, point)
        assert int(n_rows) == point.n_selected
        assert float(share) == pytest.approx(100 * point.recall, abs=0.5)
        assert float(precision) == pytest.approx(point.precision, abs=0.005)
        assert "guarantee=0.9" in part("Thresholds").call
        why = (
            "For b, 0.8 is the highest of 0.5, 0.8 and 0.9 that is guaranteed with 10% or more of "
            "the positives found."
        )
        assert part("Thresholds").more[-1] == why
        sentence = part("Thresholds", Y, NOISE).sentence
        assert sentence.startswith("No threshold of the model is known to be worth using: the top")
        assert "Select" not in sentence

    @quiet
    def test_where_no_threshold_is_sure_the_top_rows_are_given(self):
        found = part("Thresholds", Y, WEAK)
        top = average_precision_interval(Y, WEAK, definition=PrecisionAtK(100))
        point = operating_point(Y, WEAK, k=100)
        assert top.low > Y.mean()
        precision = f"{top.estimate:.2f} (95% interval {point.precision_interval[0]:.2f} to"
        _, _, rest = found.sentence.partition("; in this sample, selecting the top 100 rows, with ")
        threshold, _, rest = rest.removeprefix("scores of ").partition(" or more, finds ")
        assert selects(threshold, WEAK, point)
        share = f"{100 * point.recall:.0f}% of the positives"
        assert rest.startswith(f"{share} at a precision of {precision}")
        assert found.call == "operating_point(y_true, y_scores, k=100)"
        lowest = f"{1.5 * Y.mean():.2g}"
        none = "that finds 10% or more of the positives"
        assert found.more == [
            f"No threshold {none} is guaranteed to have a precision of even {lowest}, 1.5 times "
            f"the prevalence."
        ]
        named = part("Thresholds", Y, {"weak": WEAK, "noise": WEAK - Y})
        assert f"No threshold of weak {none} is guaranteed to have a " in named.more[-1]
        weighted = part("Thresholds", Y, WEAK, sample_weight=WEIGHT)
        expected = f"No threshold {none} reaches a precision of 0.5 in this sample."
        assert weighted.more == [expected]
        common = part("Thresholds", np.arange(N) % 50 < 21, NOISE)  # 1.5 times it is above 0.5
        assert common.more == [f"No threshold {none} is guaranteed to have a precision of 0.5."]
        ten = part("Thresholds", Y[:90], NOISE[:90])
        assert "the top 10 rows hold" in ten.sentence
        assert ten.call.endswith("k=10)")

    @quiet
    def test_no_threshold_is_advised_where_the_top_rows_may_be_as_good_as_random_ones(self):
        found = report(Y, NOISE, parts=["thresholds"])
        top = np.argsort(-NOISE)[:100]
        low, _ = operating_point(Y, NOISE, k=100).precision_interval
        assert low < Y.mean()
        assert found.summary[0].answer == (
            f"No threshold of the model is known to be worth using: the top 100 rows hold "
            f"{Y[top].sum()} positives, and {100 * Y.mean():.0f} are expected by chance."
        )
        asked = part("Thresholds", Y, NOISE, precision=0.7)
        assert asked.sentence.startswith("No threshold of the model is sure to have a precision of")

    @quiet
    def test_a_closed_table_shows_where_another_model_alone_has_a_guarantee(self):
        rng = np.random.default_rng(0)
        y = np.arange(2000) < 200
        noise = rng.normal(size=(3, 2000))
        scores = {
            "best": 2.5 * y + noise[0] + 9 * (np.arange(2000) >= 1960),  # negatives lead
            "pure": 9 * (np.arange(2000) < 60) + noise[1],
            "weak": 0.1 * y + noise[2],
        }
        found = part("Thresholds", y, scores)
        _, *rows = found.cells
        sure = {(row[0], row[1]) for row in rows if row[2] != "none"}
        assert ("", "pure") in sure
        shown = [rows[place] for place in found.first_rows]
        highest = [row for row in rows if row[1] == "pure"][-1]
        assert highest[2] != "none"
        assert highest in shown
        assert [row[0] for row in shown if row[1] == "best"] == ["0.5", "0.8", "0.9"]
        assert "weak" not in [row[1] for row in shown]

    @quiet
    def test_precisions_that_no_model_reaches_are_named_below_the_table(self):
        rng = np.random.default_rng(2)
        y = np.arange(3000) % 30 == 0
        scores = {name: rng.normal(size=3000) for name in "ab"}
        for score in scores.values():
            ranked = y[np.argsort(-score)]
            assert np.max(np.cumsum(ranked) / np.arange(1, 3001)) < 0.5
        found = part("Thresholds", y, scores)
        assert {row[0] for row in found.cells[1:]} == {"0.33", ""}
        assert found.notes[0] == "0.5, 0.8 and 0.9 are reached at no threshold in this sample."

    def test_another_model_is_named_that_has_a_guarantee_where_the_best_has_none(self):
        rng = np.random.default_rng(0)
        y = np.arange(2000) < 200
        scores = {
            "best": 5.0 * y + 9 * (np.arange(2000) >= 1900) + rng.normal(size=2000),
            "pure": 9 * (np.arange(2000) < 60) + rng.normal(size=2000),
        }
        found = part("Thresholds", y, scores, precision=0.9)
        best, pure = (average_precision_score(y, scores[name]) for name in ("best", "pure"))
        assert best > pure
        point = operating_point(y, scores["pure"], precision=0.9, guarantee=0.9)
        text = " ".join(found.brief).partition(
            " pure has one for 0.9: select rows where pure scores "
        )[2]
        threshold, _, rest = text.partition(" or more: ")
        assert np.sum(scores["pure"] >= float(threshold)) == point.n_selected
        assert "(at least 0.9 with 90% confidence)." in rest

    def test_first_lines_name_a_threshold_that_finds_more_at_a_lower_precision(self):
        threshold = part("Thresholds")
        point = operating_point(Y, B, precision=0.5, guarantee=0.9)
        _, _, other = " ".join(threshold.brief).partition(" To find more, select scores from ")
        found = (
            f"{point.n_selected} rows, {100 * point.recall:.0f}% of the positives found, "
            f"precision {point.precision:.2f} (at least 0.5, also with 90% confidence)."
        )
        assert other.endswith(f": {found}")
        assert selects(other.partition(":")[0], B, point)
        assert threshold.more[0] == f"To find more, select scores from {other}"
        assert "another goal" not in " ".join(threshold.brief)
        assert "To find more" not in " ".join(part("Thresholds", Y, B, precision=0.5).brief)

    @quiet
    def test_a_weak_model_has_a_goal_that_it_reaches(self):
        y = np.arange(20_000) % 50 == 0
        score = 1.2 * y + np.random.default_rng(1).normal(size=y.size)
        usual = [operating_point(y, score, precision=goal, guarantee=0.9) for goal in (0.2, 0.5)]
        assert all(point.remark or point.recall < 0.1 for point in usual)
        goals = [multiple * 0.02 for multiple in (5, 3, 2, 1.5)]
        reached = [
            goal
            for goal in goals
            if operating_point(y, score, precision=goal, guarantee=0.9).recall >= 0.1
        ]
        found = part("Thresholds", y, score)
        goal = max(reached)
        sure = f"at least {goal:g}, {goal / 0.02:g} times the prevalence, with 90% confidence"
        assert f"({sure})" in found.sentence
        times = f"{goal:g} is {goal / 0.02:g} times the prevalence, as 0.2, the lowest usual goal"
        assert found.more[0].startswith(
            f"{times}, is not guaranteed with 10% or more of the positives"
        )
        assert [row[0] for row in found.cells[1:]] == [f"{goal:g}", "0.2", "0.5", "0.8", "0.9"]

    @quiet
    def test_a_threshold_that_finds_fewer_than_five_positives_does_not_lead(self):
        y = np.arange(400) % 20 == 0
        score = np.random.default_rng(0).normal(size=400)
        score[y] += 0.8
        score[np.flatnonzero(y)[:3]] = 9
        found = part("Thresholds", y, score)
        rare = operating_point(y, score, precision=0.25, guarantee=0.9)
        assert 0.1 < rare.recall < 0.25
        assert "Select" not in found.sentence or point_of(found, y, score).recall >= 0.25
        assert " with 25% or more of the positives found" in found.more[0]

    @quiet
    def test_a_goal_is_no_multiple_of_the_prevalence_beside_another_that_is_as_high(self):
        y = np.arange(2000) % 100 < 4.5
        score = 2 * y + np.random.default_rng(3).normal(size=2000)
        assert 0.4 < 10 * y.mean() < 0.6
        assert [row[0] for row in part("Thresholds", y, score).cells[1:]] == ["0.5", "0.8", "0.9"]

    @quiet
    def test_precision_is_that_at_the_prevalence_of_the_user(self):
        found = part("Thresholds", Y, B, prevalence=0.1)
        point = operating_point(Y, B, precision=0.5, guarantee=0.9, prevalence=0.1)
        precision = f"precision {point.precision:.2f} (at least 0.5 with 90% confidence)"
        selected = f"where it selects {100 * point.selected:.2g}% of the rows"
        assert found.sentence.endswith(f", {precision} at prevalence 0.1, {selected}.")

    @quiet
    def test_the_guarantee_allows_for_the_choice_among_several_models(self):
        found = part("Thresholds", Y, AB | {"c": BASE})
        choice = "confidence, even after the choice among 3 models)."
        assert found.sentence.endswith(choice)
        alone, stricter = (
            operating_point(Y, B, precision=0.5, guarantee=guarantee)
            for guarantee in (0.9, 1 - 0.1 / 3)
        )
        assert stricter.n_selected < alone.n_selected
        assert selects(threshold_in(found), B, stricter)
        assert found.call.endswith("guarantee=0.966666666667)")
        how = "each threshold has a guarantee of 0.9667, which is 1 - 0.1 / 3."
        assert any(f"the choice among 3 models, {how}" in note for note in found.notes)
        assert "choice" not in " ".join([part("Thresholds").sentence, *part("Thresholds").notes])

    @quiet
    def test_sentence_gives_a_lower_precision_where_only_that_is_guaranteed(self):
        y = np.arange(2000) % 10 == 0
        score = 1.7 * y + np.random.default_rng(3).normal(size=2000)
        options = {"guarantee": 0.9}
        assert operating_point(y, score, precision=0.8, **options).remark
        point = operating_point(y, score, precision=0.5, **options)
        found = part("Thresholds", y, score)
        assert selects(threshold_in(found), score, point)
        assert found.call == "operating_point(y_true, y_scores, precision=0.5, guarantee=0.9)"

    @quiet
    def test_sentence_prefers_a_lower_precision_at_a_fair_recall(self):
        y = np.arange(200_000) % 50 == 0
        score = 2 * y + np.random.default_rng(1).normal(size=y.size)
        points = {
            goal: operating_point(y, score, precision=goal, guarantee=0.9) for goal in (0.5, 0.8)
        }
        assert points[0.8].n_selected > 0
        assert points[0.8].recall < 0.1 < points[0.5].recall
        found = part("Thresholds", y, score)
        assert selects(threshold_in(found), score, points[0.5])
        assert found.call == "operating_point(y_true, y_scores, precision=0.5, guarantee=0.9)"

    @quiet
    def test_a_rare_class_has_a_threshold_at_ten_times_its_prevalence(self):
        y = np.arange(100_000) % 500 == 0
        score = 2 * y + np.random.default_rng(1).normal(size=y.size)
        point = operating_point(y, score, precision=0.02, guarantee=0.9)
        found = part("Thresholds", y, score)
        assert selects(threshold_in(found), score, point)
        sure = "at least 0.02, 10 times the prevalence, with 90% confidence"
        assert f"({sure})." in found.sentence
        assert found.call == "operating_point(y_true, y_scores, precision=0.02, guarantee=0.9)"
        assert [row[0] for row in found.cells[1:]] == ["0.02", "0.5", "0.8", "0.9"]
        assert not [note for note in found.notes if "times the prevalence" in note]
        usual = part("Thresholds", y[::10], 9 * y[::10] + score[::10])
        assert "A precision of 0.2 is 10 times the prevalence." in usual.notes
        common = part("Thresholds", y, score, prevalence=0.06)
        assert [row[0] for row in common.cells[1:]] == ["0.5", "0.8", "0.9"]

    @quiet
    @pytest.mark.parametrize(
        ("share", "goals", "words"),
        [
            (0.6, ["0.8", "0.9"], "0.9 is the highest of 0.8 and 0.9 that is guaranteed with 10%"),
            (0.8, ["0.9"], "0.9 is guaranteed with 10%"),  # 0.8 is no goal: all rows have it
            (0.95, ["0.975"], "0.975 is guaranteed with 10%"),  # halfway from the prevalence to 1
        ],
    )
    def test_goals_are_above_the_prevalence(self, share, goals, words):
        y = np.arange(4000) % 100 < 100 * share
        noise = np.random.default_rng(1).normal(size=4000)
        found = part("Thresholds", y, 2 * y + noise)
        assert [row[0] for row in found.cells[1:]] == goals
        point = operating_point(y, 2 * y + noise, precision=float(goals[-1]), guarantee=0.9)
        assert selects(threshold_in(found), 2 * y + noise, point)
        assert any(text.startswith(words) for text in found.more)
        rare = part("Thresholds", y, 2 * y + noise, prevalence=0.06)
        assert [row[0] for row in rare.cells[1:]][-3:] == ["0.5", "0.8", "0.9"]

    @quiet
    @pytest.mark.parametrize(("share", "goal"), [(0.6, "0.8"), (0.95, "0.975")])
    def test_a_weak_model_reaches_no_goal_above_the_prevalence(self, share, goal):
        y = np.arange(4000) % 100 < 100 * share
        found = part("Thresholds", y, np.random.default_rng(1).normal(size=4000))
        assert found.more[-1].endswith(f" is guaranteed to have a precision of {goal}.")
        given = part("Thresholds", y, y + NOISE[np.arange(4000) % N], precision=0.5)
        assert given.cells[1][0] == "0.5"  # that of the user need not be above

    @quiet
    def test_the_precision_of_the_user_leads(self):
        found = report(Y, AB, precision=0.7, parts=["thresholds"])
        point = operating_point(Y, B, precision=0.7, guarantee=0.9)
        thresholds, _ = found.parts
        assert selects(threshold_in(thresholds), B, point)
        assert "(at least 0.7 with 90% confidence)." in thresholds.sentence
        assert [row[0] for row in thresholds.cells[1::2]] == ["0.5", "0.7", "0.8", "0.9"]
        assert found.call == "report(y_true, y_scores, precision=0.7, parts=['thresholds'])"
        none = part("Thresholds", Y, B, precision=0.999)
        assert none.sentence.startswith(
            "No threshold of the model is sure to have a precision of 0.999 or more; for 0.8, "
        )
        assert none.call == "operating_point(y_true, y_scores, precision=0.8, guarantee=0.9)"

    @quiet
    @pytest.mark.parametrize("scores", [B, A, WEAK])
    @pytest.mark.parametrize("options", [{}, {"sample_weight": WEIGHT}, {"precision": 0.85}])
    def test_the_call_gives_the_threshold_of_the_sentence(self, scores, options):
        found = part("Thresholds", Y, scores, **options)
        known = {"y_true": Y, "y_scores": scores, "sample_weight": WEIGHT}
        point = eval(found.call, globals() | known)
        n_rows = np.count_nonzero(scores >= point.threshold)
        assert np.count_nonzero(scores >= float(threshold_in(found))) == n_rows
        assert f" {n_rows} row" in found.sentence
        is_sure = "guarantee" in found.call
        assert is_sure == ("with 90% confidence" in found.sentence)
        assert is_sure != ("the top 100 rows" in found.sentence or "weight" in found.sentence)

    @quiet
    def test_sentence_says_why_weighted_rows_have_no_guarantee(self):
        found = part("Thresholds", Y, B, sample_weight=WEIGHT)
        assert found.sentence.startswith("With weights, no threshold can be guaranteed; in this ")
        assert "sample_weight" not in found.sentence
        taken = re.search(r"takes (\d+) rows \(weight ([\d.]+)\) and finds", found.sentence)
        n_rows, weight = taken.groups()
        is_selected = float(threshold_in(found)) <= B
        assert int(n_rows) == np.count_nonzero(is_selected)
        assert float(weight) == pytest.approx(WEIGHT[is_selected].sum(), rel=5e-3)
        point = eval(found.call, globals() | {"y_true": Y, "y_scores": B, "sample_weight": WEIGHT})
        low, _ = point.precision_interval
        goal = float(re.search(r"precision=([\d.]+)", found.call)[1])
        assert low < goal
        assert "is not shown" not in found.sentence  # nobody has asked for it
        asked = part("Thresholds", Y, B, sample_weight=WEIGHT, precision=goal)
        assert asked.sentence.endswith(f"), so a precision of {goal:g} or more is not shown.")
        assert (
            f" at a precision of {point.precision:.2f} (95% interval {low:.2f} to" in found.sentence
        )
        assert "guaranteed from" not in found.cells[0]
        assert found.cells[0][2:4] == ["best in this sample from", "rows"]
        assert f"{n_rows} (weight {weight})" in [row[3] for row in found.cells[1:]]

    def test_weighted_rows_have_one_warning_of_all_precisions_that_luck_explains(self):
        noise = (np.random.default_rng(seed).normal(size=N) for seed in (2, 4, 6))
        models = {name: 0.9 * Y + each for name, each in zip("abc", noise, strict=True)}
        found = report(Y, models, sample_weight=WEIGHT, parts=["thresholds"])
        claims = {}
        for name, score in models.items():
            for goal in (0.5, 0.8, 0.9):
                with warnings.catch_warnings(record=True) as caught:
                    warnings.simplefilter("always", UserWarning)
                    operating_point(Y, score, precision=goal, sample_weight=WEIGHT)
                if caught:
                    claims.setdefault(name, []).append(f"{goal}")
        assert sum(map(len, claims.values())) > 2
        *_, row = found.parts[-1].cells
        best = max(
            models, key=lambda name: average_precision_score(Y, models[name], sample_weight=WEIGHT)
        )
        claim = f"any threshold of {best} has a precision of {' or '.join(claims[best])}"
        assert claim in row[0]
        assert row[0].count("any threshold of") == 1  # others are not advised
        assert row[0].endswith("Collect more rows, or ask for a lower precision.")
        assert "guarantee" not in row[0]

    def test_sentence_names_a_worse_segment(self):
        worse = np.where(MONTH == "2026-02", NOISE, B)
        sentence = part("Segments", Y, worse, segments=MONTH).sentence
        words = r"The model scores 0\.\d+ less in 2026-02 than in the other segments \(adjusted 95%"
        assert re.match(words, sentence)
        nothing = "By segment, for b: no difference between the segments is shown (p = "
        assert part("Segments").sentence.startswith(nothing)
        few = np.arange(N) % 300
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sentence = part("Segments", Y, B, segments=few).sentence
        assert sentence.startswith("By segment, for the model: each has too few positives to comp")

    @quiet
    def test_notes_and_cells_say_what_others_and_effective_positives_are(self):
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
    def test_too_few_effective_positives_are_counted(self, column, aim):
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
    def test_positives_that_count_for_just_too_little_are_shown(self):
        y, places = np.arange(900) % 30 < 1, np.repeat([*"abc"], 300)
        weight = np.where(np.arange(900) % 60 < 30, 0.8, 1.2)  # (10 * 1)^2 / (10 * 1.04) = 9.6
        score = y + BASE[np.arange(900) % N]
        found = part("Segments", y, score, sample_weight=weight, segments=places)
        assert [row[2:4] for row in found.cells[1:]] == [["10", "9.6"]] * 3

    @quiet
    def test_bullets_name_the_numbers_of_wide_tables(self):
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
    def test_sentence_combines_the_overall_test_with_single_segments(self):
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
            "It is not shown that the segments differ as a whole (p = 0.100), although single "
            "ones do."
        )
        both = part_of([1.5] * 9 + [0.2], 27)
        assert "as a whole" not in " ".join([both.sentence, *both.more])

    def test_sentence_states_how_many_top_rows_are_positive(self):
        precision = average_precision_interval(Y, B, definition=PrecisionAtK(100))
        expected = f"Of the top 100 rows by b, {100 * precision.estimate:.3g} are positive"
        assert part("The top rows").sentence.startswith(expected)

    @quiet
    @pytest.mark.parametrize(
        ("n", "k", "tops"),
        [
            (20, 10, ["10"]),
            (140, 10, ["1% (2)", "10"]),
            (200, 10, ["1% (2)", "10", "100"]),
            (499, 10, ["1% (5)", "10", "100"]),
            (500, 100, ["1% (5)", "10", "100"]),
        ],
    )
    def test_the_top_is_a_small_part_of_the_ranking(self, n, k, tops):
        found = part("The top rows", Y[:n], B[:n])
        assert found.sentence.startswith(f"Of the top {k} rows by the model, ")
        assert found.call.endswith(f"definition=PrecisionAtK(k={k}))")
        assert [row[0] for row in found.cells[1:]] == tops

    @quiet
    def test_the_median_query_tells_which_top_is_a_small_part(self):
        def sentence(*sizes):
            queries = np.repeat(np.arange(len(sizes)), sizes)
            labels = np.arange(len(queries)) % 4 == 0
            scores = labels + np.random.default_rng(0).normal(size=len(queries))
            return part("The top rows", labels, scores, queries=queries).sentence

        assert sentence(30, 30, 30, 3000).startswith("Of the top 10 rows of a query by the model,")
        assert sentence(600, 600, 20).startswith("Of the top 100 rows of a query by the model, ")
        assert sentence(19, 19, 3000).startswith("Left out: There are too few rows of a query: ")


class TestWhatLooksWrong:
    def sentence(self, *args, **options):
        found, *_ = report(*args, **options).parts  # all parts take such data
        return " ".join([found.sentence, *found.more, *found.notes])

    def test_sentence_says_that_nothing_looks_wrong(self):
        positives = f"{Y.sum()} positive ({100 * Y.mean():.0f}%)"
        assert (
            self.sentence(Y, AB)
            == f"600 rows, {positives}. Nothing looks wrong with labels and scores."
        )
        assert "Nothing looks wrong" in self.sentence(Y, np.round(B, 2))  # ties by rounding

    @pytest.mark.parametrize(
        ("scores", "options", "text"),
        [
            (-B, {}, "of the model, 0.11, is far below that of a random order, 0.20: its scores"),
            ({"a": A, "x": -B}, {}, "of x, 0.11, is far below that of a random order, 0.20: its"),
            (B > 1, {}, "the model: All scores are 0 or 1. These look like predicted classes"),
            (np.zeros(N), {}, "the model: All scores are equal."),
            ({"a": A, "b": 2 * A, "c": B}, {}, "a and b have the same average precision."),
            ({"a": A, "b": A, "c": B}, {}, "a and b have the same score for every row, as if"),
            (B, {"clusters": np.arange(N)}, "Each row is a cluster of its own"),
        ],
    )
    def test_sentence_warns_of_suspicious_scores_and_clusters(self, scores, options, text):
        assert text in self.sentence(Y, scores, **options)

    def test_sentence_counts_duplicated_rows(self):
        y, b = np.append(Y, Y[:50]), np.append(B, B[:50])
        assert "50 rows repeat the label and all scores" in self.sentence(y, b)
        few = self.sentence(np.append(Y, Y[:6]), np.append(B, B[:6]))  # 1%
        assert "6 rows repeat the label and all scores" in few
        assert "50 rows repeat" not in self.sentence(y, {"b": b, "other": np.append(NOISE, A[:50])})
        queries = np.append(np.arange(N) % 5, np.full(50, 9))
        assert "50 rows repeat" not in self.sentence(y, b, queries=queries)

    @pytest.mark.parametrize(
        ("y", "why"), [(0 * Y, "No row is positive"), (0 * Y + 1, "Every row is positive")]
    )
    def test_report_of_a_single_class_has_only_data_and_warnings(self, y, why):
        found = report(y, AB, segments=MONTH)
        assert [each.title for each in found.parts] == ["What the data are", "Warnings"]
        assert why in found.parts[0].more[0]

    def test_ties_and_rows_that_were_not_retrieved_are_counted(self):
        score = np.where(np.arange(N) < 30, -np.inf, np.repeat(np.arange(N / 2), 2))
        row = part("What the data are", Y, {"m": score}).cells[1]
        assert row == ["m", "285", "95%", "15", "299", "30"]


class TestOptions:
    @quiet
    def test_report_of_queries_leaves_out_parts_of_a_single_ranking(self):
        found = {each.title: each for each in report(Y, AB, queries=GROUP, segments=MONTH).parts}
        left_out = (
            "Left out: this part does not go with queries, because each query is a ranking of its "
            "own."
        )
        assert found["Thresholds"].sentence == found["Segments"].sentence == left_out
        assert found["The curve"].notes[-1] == (
            "The table has an interval at each recall; a band over all recalls is only for a "
            "single ranking."
        )
        assert (
            found["The top rows"].sentence
            == "Left out: There are too few rows of a query: the top 10 are more than half of them."
        )
        expected = average_precision_interval(Y, B, queries=GROUP)
        assert is_shown(found["The score"].cells[1][1], expected)
        assert "queries=queries" in found["The score"].call

    @quiet
    def test_score_part_of_clusters_shows_chance_without_p_value(self):
        head, row, _ = part("The score", Y, AB, clusters=GROUP).cells
        assert is_shown(row[1], average_precision_interval(Y, B, clusters=GROUP))
        chance = chance_test(Y, B, n_permutations=1).chance
        assert head[2:] == ["random order"]  # and no empty column
        assert shows(row[2], chance)

    @quiet
    @pytest.mark.parametrize(("shift", "is_sure"), [(2, True), (0.3, False)])
    def test_interval_decides_at_levels_beyond_999_permutations(self, shift, is_sure):
        y = np.arange(600) % 5 == 0
        score = shift * y + np.random.default_rng(0).normal(size=600)
        found = report(y, score, confidence_level=1 - 1e-7).parts[1]
        assert ("than a random order" not in found.sentence) == is_sure
        assert "99.99999% interval" in found.sentence

    @quiet
    def test_score_part_uses_weights_and_prevalence(self):
        options = {"sample_weight": WEIGHT, "prevalence": 0.05}
        found = report(Y, B, **options, confidence_level=0.9)
        row = found.parts[1].cells[1]
        expected = average_precision_interval(Y, B, **options, confidence_level=0.9)
        assert is_shown(row[1], expected)
        equal = average_precision_score(Y, 0.0 * B, **options)
        assert number(row[2]) == pytest.approx(equal, abs=5e-5) == pytest.approx(0.05)
        assert found.parts[1].call == (
            "average_precision_interval(y_true, y_scores, sample_weight=sample_weight, "
            "prevalence=0.05, confidence_level=0.9)"
        )
        assert "90% interval" in found.parts[1].sentence
        assert "at a prevalence of 0.05" in found.parts[-2].copied_text

    @quiet
    def test_many_weighted_rows_have_an_interval_for_the_score_only(self):
        n = 21_000
        y = np.arange(n) % 10 == 0
        score, options = y + np.random.default_rng(1).normal(size=n), {"sample_weight": 1.0 + y}
        found = report(y, score, **options)
        assert is_shown(found.parts[1].cells[1][1], average_precision_interval(y, score, **options))
        expected = average_precision_score(y, score, definition=PrecisionAtK(0.01), **options)
        assert shows(found.parts[3].cells[1][2], expected)
        for notes, is_said in ((found.parts[2].notes, True), (found.parts[3].notes, False)):
            text = " ".join(notes)
            assert ("as resampling rows with weights takes minutes." in text) == is_said

    @quiet
    def test_top_rows_of_weights_are_shares_of_the_weight(self):
        rng = np.random.default_rng(0)
        y = (rng.random(2000) < 0.1).astype(int)
        score = 1.5 * y + rng.normal(size=2000)
        alike = part("The top rows", y, score, sample_weight=np.full(2000, 30.0))
        rows = np.argsort(-score)[:20]
        precision, recall = y[rows].mean(), y[rows].sum() / y.sum()
        assert [row[0] for row in alike.cells[1:]] == [
            "1% (weight 600)",
            "5% (weight 3,000)",
            "10% (weight 6,000)",
        ]
        assert number(alike.cells[1][2]) == pytest.approx(precision, abs=5.1e-3)
        assert number(alike.cells[1][3]) == pytest.approx(recall, abs=5.1e-3)
        assert alike.sentence.startswith(
            f"The top 1% (weight 600) by the model has a precision of {precision:.2f} ("
        )
        assert alike.sentence.endswith(f"holds {100 * recall:.2g}% of the weight of the positives.")
        uneven = part("The top rows", y, score, sample_weight=0.5 + rng.random(2000))
        assert re.fullmatch(r"1% \(weight 20\.?\d*\)", uneven.cells[1][0])
        assert not re.search(r"\brows by\b", uneven.sentence)

    @quiet
    def test_the_call_of_the_top_rows_runs_at_a_prevalence(self):
        found = part("The top rows", Y, B, prevalence=0.05)
        score = eval(found.call, globals() | {"y_true": Y, "y_scores": B})
        assert f"precision of {score.estimate:.2f} (" in found.sentence

    @quiet
    def test_one_percent_is_rounded_up_to_a_row(self):
        y = np.arange(2450) % 10 == 0
        found = part("The top rows", y, y + np.random.default_rng(0).normal(size=2450))
        assert [row[0] for row in found.cells[1:]] == ["10", "1% (25)", "100"]

    def test_note_explains_a_precision_of_100_percent(self):
        (note,) = part("The score", Y, Y + 0.5 * np.random.default_rng(0).random(N)).notes
        assert "precision of 1.00 means" in note
        assert "100% of the rows" in note

    def test_report_supports_text_labels_frames_and_a_single_model(self):
        words = pd.Series(np.where(Y, "yes", "no"))
        found = report(words, pd.DataFrame(AB), pos_label="yes")
        assert found.parts[1].sentence == FOUND.parts[1].sentence
        assert "pos_label='yes'" in found.parts[1].call
        assert found.parts[2].call.startswith("compare_average_precision(y_true, y_scores")
        alone = report(words, pd.DataFrame({"b": B}), pos_label="yes")
        assert alone.parts[1].sentence.startswith("b has an average precision")

    @pytest.mark.parametrize(
        ("y", "scores", "options", "error", "text"),
        [
            (Y, {"a": A, "b": B[1:]}, {}, ValueError, "y_scores\\['b'\\]"),
            (Y, {}, {}, ValueError, "y_scores must hold at least two models"),
            (Y + (A > 2), AB, {}, ValueError, "pos_label|multiclass"),
            (Y, AB, {"confidence_level": 95}, ValueError, "confidence_level"),
            (Y, AB, {"prevalence": 2}, ValueError, "prevalence"),
            (Y, AB, {"precision": 95}, ValueError, "precision must lie within"),
            (Y, AB, {"precision": 1}, ValueError, "precision must lie within"),
            (Y, AB, {"sample_weight": -WEIGHT}, ValueError, "sample_weight"),
            (Y, AB, {"sample_weight": WEIGHT[1:]}, ValueError, "sample_weight"),
            (Y, AB, {"clusters": [*GROUP[1:], None]}, ValueError, "clusters"),
            (Y, AB, {"queries": GROUP[1:]}, ValueError, "queries"),
            (Y, AB, {"segments": MONTH[1:]}, ValueError, "segments"),
            (Y, AB, {"groups": GROUP}, TypeError, "clusters"),
            (
                pd.Series(Y),
                pd.Series(B, index=range(N)[::-1]),
                {},
                ValueError,
                "names in another order",
            ),
        ],
    )
    def test_error_names_invalid_report_arguments(self, y, scores, options, error, text):
        with pytest.raises(error, match=text):
            report(y, scores, **options)

    def test_warnings_are_listed_in_a_part_and_not_raised(self):
        y_true = np.r_[np.ones(4, int), np.zeros(40, int)]
        found = report(y_true, 99 * y_true + NOISE[:44])  # and none is raised as an error
        assert re.match("There are [234] warnings", found.parts[-1].sentence)
        (perfect,) = (row for row in found.parts[-1].cells if row[0].startswith("perfect score: A"))
        assert perfect[1].startswith("The score")


class TestTheFirstLines:
    def test_first_lines_say_model_threshold_segments_and_doubts(self):
        found = report(Y, AB, segments={"month": MONTH})
        assert [line.question for line in found.summary] == [
            *("Model", "Threshold", "By month", "Distrust")
        ]
        for line in found.summary[:3]:
            answer = found.parts[line.part - 1]
            assert line.answer == " ".join(answer.brief or [answer.sentence])
        model, threshold, *_ = found.summary
        scores = r"\. b scores 0\.\d\d, a 0\.\d\d, and a random"
        assert re.match(f"b is better than a: .*{scores}", model.answer)
        assert "with 90% confidence" in threshold.answer

    @quiet
    def test_first_lines_distrust_the_first_warning_or_nothing(self):
        found = report(Y, {"a": A, "b": NOISE}, sample_weight=WEIGHT)
        (*_, doubt), warned = found.summary, found.parts[-1]
        same_rows = "The threshold is chosen and measured on the same rows"
        unsure = f"{same_rows}: expect a lower precision on new ones."
        assert warned.cells[1] == [unsure, "Thresholds"]
        text = doubt.answer.removeprefix(f"{unsure} ")
        first = warned.cells[2][0].partition(": ")[2]  # without the name of the warning
        assert text.startswith(first.split(". ")[0].rstrip("."))
        n_more = len(warned.cells) - 2 - text.count(".")
        assert n_more <= 0 or doubt.answer.endswith(f" {n_more} more warnings.")
        assert doubt.part == len(found.parts)
        (*_, doubt) = report(Y, AB, parts=["data", "score"]).summary
        assert doubt == ("Distrust", "Nothing looks wrong with labels and scores.", 1)

    @quiet
    def test_first_lines_name_the_problem_of_the_data_before_warnings(self):
        found = report(Y, -B)
        (doubt,) = (line for line in found.summary if line.question == "Distrust")
        assert "far below that of a random order" in doubt.answer
        assert doubt.part == len(found.parts)
        assert found.parts[-1].cells[1][1].startswith("What the data are, ")

    @pytest.mark.parametrize(
        ("y", "score", "doubts"),
        [
            (
                np.arange(20) < 4,
                np.arange(20) % 4 + np.arange(20) / 9,
                [
                    "There are only 4 positives, so other samples may give quite another score.",
                    "The model scores 0.17, less than a random order, 0.31.",
                    "The 95% interval of the model is wide: ",
                ],
            ),
            (
                np.arange(210) < 18,
                1.5 * (np.arange(210) < 18) + NOISE[:210],
                ["There are only 18 positives", "The 95% interval of the model is wide: "],
            ),
            (
                np.arange(300) < 60,
                np.zeros(300),
                ["the model: All scores are equal.", "It is not shown that the model scores hi"],
            ),
            (
                [1, 0],
                [2, 1],
                [
                    "There is only 1 positive, so",
                    "It is not shown that the model scores higher than by chance.",
                    "The 95% interval of the model is wide: ",
                    "perfect score: A score of 1 shows no variance",
                ],
            ),
        ],
    )
    def test_first_lines_data_and_warnings_have_the_same_doubts_in_order(self, y, score, doubts):
        found = report(y, score)
        data, *_, listed = found.parts
        texts = [row[0] for row in listed.cells[1:]]
        assert [text[: len(doubt)] for text, doubt in zip(texts, doubts, strict=True)] == doubts
        assert listed.sentence == f"There are {len(doubts)} warnings."
        is_of_data = [row[1].startswith(data.title) for row in listed.cells[1:]]
        assert data.more == [text for text, its in zip(texts, is_of_data, strict=True) if its]
        more = ["1 more warning: perfect score (The score)."] * (len(texts) - 3)
        answer = " ".join([*texts[:3], *more])
        assert found.summary[-1] == ("Distrust", answer, len(found.parts))

    @quiet
    def test_first_rows_that_are_all_positive_are_no_warning(self):
        y = np.arange(3000) % 10 == 0
        score = y + np.random.default_rng(0).normal(size=3000) + 9 * (np.arange(3000) < 400) * y
        found = report(y, score)
        assert found.summary[-1].answer == _page.FINE
        assert found.parts[0].more == [_page.FINE]
        assert y[np.argsort(-score)[:40]].all()  # the highest points of the curve
        assert found.parts[-1].sentence == "There is no warning."

    @quiet
    def test_first_lines_name_a_kind_of_warning_once(self):
        groups = np.arange(N) % 9
        found = report(Y, B, clusters=groups, segments=np.where(groups < 4, "x", "y"))
        kinds = [row[0] for row in found.parts[-1].cells if row[0].startswith("few clusters")]
        assert len(kinds) > 1
        answer = found.summary[-1].answer
        few = (
            "There are only 9 clusters, so intervals may be too narrow, and the guarantee may not "
            "hold."
        )
        assert answer.startswith(few)
        assert found.parts[0].more == []
        assert answer == f"{few} 1 more warning: few clusters (Segments)."

    @quiet
    def test_first_lines_say_how_much_too_high_a_chosen_model_scores(self):
        rng = np.random.default_rng(0)
        models = {f"m{i}": Y + rng.normal(size=N) for i in range(9)}
        best = best_average_precision(Y, models)
        found = report(Y, models, parts=["data", "comparison"])
        model, doubt = found.summary
        limits = f"{best.low:.2f} to {best.high:.2f}"
        score = (
            f"{best.name} scores highest of 9 models, {best.estimate:.2f} (95% interval {limits})"
        )
        assert len(best.may_be_best) > 1
        assert model.answer.startswith(f"{score}, but {best.may_be_best[1]}")
        first, second = best.names[:2]
        pair = {second: models[second], first: models[first]}
        lead = compare_average_precision(Y, pair).rows()[1]
        numbers = (lead["difference"], lead["difference_low"], lead["difference_high"])
        words = "{:.2f} more than {}, the next (95% interval {:+.2f} to {:+.2f}); a random"
        words = words.format(numbers[0], second, *numbers[1:])
        assert f" {first} scores {words}" in model.answer
        new = round(best.estimate - best.optimism, 2)
        expected = f"expect about {new:.2f} for new rows."
        added = round(best.estimate, 2) - new
        size = f"adds about {added:.2g} to the score of {best.name}: {expected}"
        assert doubt.answer == f"The choice among 9 models {size}"
        clear = report(Y, {"a": A, "b": B, "c": BASE}, parts=["data", "comparison"])
        assert re.match(
            r"b is the best of 3 models: 0\.\d+ \([^(]*\)\. b scores \S+ more than a, the next \(",
            clear.summary[0].answer,
        )
        assert "highest" not in clear.summary[0].answer
        assert clear.summary[1].answer == _page.FINE

    @quiet
    def test_a_choice_that_two_digits_do_not_show_is_not_told(self):
        rng = np.random.default_rng(0)
        is_told = []
        for spread in (0.05, 0.1, 1):
            models = {f"m{i}": Y + BASE + spread * rng.normal(size=N) for i in range(6)}
            best = best_average_precision(Y, models)
            answer = report(Y, models, parts=["data", "comparison"]).summary[-1].answer
            is_told.append("The choice among 6 models adds" in answer)
            assert best.optimism > 0.0005
            shown = {f"{score:.2f}" for score in (best.estimate, best.estimate - best.optimism)}
            assert is_told[-1] == (len(shown) == 2)
        assert {*is_told} == {False, True}

    @quiet
    def test_an_interval_that_holds_the_score_of_random_orders_is_doubted(self):
        y = np.arange(4000) % 40 == 0
        score = 0.4 * y + np.random.default_rng(0).normal(size=4000)
        interval = average_precision_interval(y, score)
        chance = chance_test(y, score, n_permutations=999)
        assert interval.low < chance.chance
        assert chance.pvalue < 0.05
        found = report(y, score, parts=["data", "score"])
        limits = f"{interval.low:.3f} to {interval.high:.3f}"
        assert found.summary[0].answer == (
            f"The model is barely better than a random order, if at all: {interval.estimate:.3f} "
            f"(95% interval {limits}) against {chance.chance:.3f}."
        )
        none = report(Y, NOISE, parts=["score"]).summary[0].answer
        assert re.match("The model (scores less than|is not shown to be better than) a rand", none)
        assert "has an average precision" in report(Y, B, parts=["score"]).summary[0].answer
        assert found.summary[-1].answer == (
            f"The 95% interval of the model, {limits}, reaches down to a random order, "
            f"{chance.chance:.3f}, though the test of chance has p = {chance.pvalue:#.2g}."
        )

    @quiet
    def test_few_positives_are_counted_by_their_weights(self):
        y = np.arange(600) < 100
        weight = np.where(np.arange(600) < 2, 100.0, 1.0)
        found = report(y, y + NOISE, sample_weight=weight, parts=["data"])
        worth = (2 * 100 + 98) ** 2 / (2 * 100**2 + 98)
        assert 4 < worth < 4.5
        few = "which tell as much as 4.4 if all weights were equal"
        assert f"There are 100 positives, {few}, so other" in found.summary[-1].answer
        share = np.average(y, weights=weight)
        facts = f"600 rows, 100 positive (17%, {share:.0%} of the weight), {few}."
        assert found.parts[0].sentence == facts
        assert report(y, y + NOISE, parts=["data"]).summary[-1].answer == _page.FINE

    @quiet
    def test_segments_without_skill_are_doubted(self):
        worse = np.where(MONTH == "2026-02", NOISE, B)
        found = report(Y, worse, segments={"month": MONTH})
        assert (
            "). The model is not shown to be better than a random order in month 2026-02."
        ) in found.summary[-1].answer
        less = report(Y, np.where(MONTH == "2026-02", A, Y + B), segments={"month": MONTH})
        assert "less in month 2026-02 than" in less.summary[2].answer
        assert "random order" not in less.summary[-1].answer

    def test_links_of_the_first_lines_lead_to_their_parts(self, rendered):
        html = FOUND.to_html()
        links = re.findall('<dt><a href="#(part-[0-9]+)"', html)
        assert len(links) == len(FOUND.summary)
        for link in links:
            assert html.count(f'<section id="{link}">') == 1

    def test_first_lines_have_version_and_source_but_no_date_of_today(self):
        lines = repr(report(Y, A, source="payments.csv, 1 October 2026")).splitlines()
        version = f"sklearn_ap {sklearn_ap.__version__}"
        assert f"payments.csv, 1 October 2026, {version}" in lines
        assert version in repr(FOUND).splitlines()


class TestSegments:
    @quiet
    def test_first_lines_name_the_lowest_and_the_latest_month_where_no_change_is_shown(self):
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
        limits = scores[lowest].partition(" ")[2]
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
            assert found.startswith(f"{low}{names[lowest]} {limits} {words} No trend is shown: ")
            assert answer.endswith(" a month fits, given these months.")
        column = {"month": np.roll(months, lowest - 4)[np.arange(N) * 5 // N]}
        answer = report(Y, A, segments=column, parts=["segments"]).summary[0].answer
        before = np.delete(estimates, lowest)
        assert (
            f"The latest, 2026-05, is the lowest: {scores[lowest]}; earlier months score "
            f"{before.min():.2f} to {before.max():.2f}."
        ) in answer

    @quiet
    def test_first_lines_give_the_score_of_a_worse_month_and_those_before(self):
        worse = np.where(MONTH == "2026-03", NOISE, B)
        expected = compare_segments(Y, worse, MONTH)
        assert expected.verdicts[2].decision == "worse"
        answer = report(Y, worse, segments={"month": MONTH}, parts=["segments"]).summary[0].answer
        first, second, last = expected.estimates
        limits = f"{expected.lows[2]:.2f} to {expected.highs[2]:.2f}"
        lowest = f"The latest, 2026-03, is the lowest: {last:.2f} (95% interval {limits}); "
        before = f"earlier months score {min(first, second):.2f} to {max(first, second):.2f}."
        assert f"). {lowest}{before}" in answer
        assert re.match(
            r"The model scores 0\.\d+ less in month 2026-03 than in the other months \(", answer
        )

    @quiet
    def test_two_segments_are_compared_by_their_names(self):
        places = np.array(["DE", "FR"])[np.arange(N) % 2]
        answer = report(Y, A, segments={"country": places}, parts=["segments"]).summary[0].answer
        assert "No difference between DE and FR is shown: anything from " in answer

    @quiet
    def test_segments_that_are_not_compared_are_to_be_distrusted(self):
        places = np.where(np.arange(N) % 3, "DE", np.where(Y, "FR", "IT"))
        found = report(Y, B, segments={"country": np.where(np.arange(N) < 9, "ES", places)})
        doubts = found.parts[-1].cells[1:]
        missing = "Not compared, without positives or negatives: country FR and IT."
        assert [missing, "Segments by country"] in doubts
        assert missing in found.summary[-1].answer
        assert not [row for row in doubts if "left out" in row[0]]

    @quiet
    def test_the_table_shows_the_lowest_and_the_latest_of_many_segments(self):
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
    def test_interval_of_the_sentence_is_adjusted_as_its_p_value_is(self):
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

    def test_each_column_of_segments_has_a_part_and_a_word(self):
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
    def test_the_trend_is_named_by_the_word_of_the_column(self):
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
    def test_sentence_names_three_other_segments_and_the_score_of_the_other_model(self):
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
    def test_the_worst_segment_is_among_many(self):
        segments = np.arange(12000) % 80
        y = np.arange(12000) // 80 % 3 == 0
        score = np.where(segments == 33, 0, 2) * y + np.random.default_rng(0).normal(size=12000)
        found = report(y, score, segments=segments, parts=["segments"]).parts[0]
        assert "less in 33 than in the other segments (" in found.sentence
        assert len(found.cells) == 61
        assert "33" in [row[0] for row in found.cells]
        assert "These are the 60 of 80 that differ most clearly." in found.notes


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("customer", "60 customers"),
        ("customer_id", "60 customers"),
        ("Patients", "60 Patients"),
        ("city", "60 cities"),
        ("g", "60 clusters"),
        ("col_17", "60 clusters"),
        (None, "60 clusters"),
        (7, "60 clusters"),
    ],
)
@quiet
def test_clusters_are_counted_by_the_word_of_their_column(name, words):
    found = report(Y, B, clusters=pd.Series(GROUP, name=name), parts=["data", "score", "paper"])
    assert found.parts[0].sentence.endswith(f"positive (19%), {words}.")
    unit = "cluster" if "cluster" in words else "customer"
    if unit in words:
        assert f"Rows of a {unit} depend on each other" in found.parts[1].notes[-1]
    assert f"in {words})" in found.parts[2].copied_text


class TestParts:
    def test_report_makes_the_parts_that_are_asked_for_in_its_order(self):
        found = report(Y, AB, parts=["curve", "score"])
        assert [each.title for each in found.parts] == ["The score", "The curve", "Warnings"]
        assert [line.question for line in found.summary] == ["Model"]
        assert found.call == "report(y_true, y_scores, parts=['score', 'curve'])"
        assert found.summary[0].answer == found.parts[0].sentence

    @pytest.mark.parametrize("names", ["treshold", ["score", "scores"], []])
    def test_error_names_the_parts(self, names):
        with pytest.raises(ValueError, match="parts must hold some of data, score, comparison"):
            report(Y, A, parts=names)

    def test_parts_without_content_are_left_out_and_the_others_numbered_on(self):
        found = report(Y, A)
        titles = [title for title in TITLES if title not in ("Is one model better?", "Segments")]
        assert [each.title for each in found.parts] == titles
        numbered = re.findall(r"(?m)^(\d)\. (.*)$", repr(found))
        assert numbered == [(str(i), title) for i, title in enumerate(titles, 1)]
        assert [line.part for line in found.summary if line.question == "Threshold"] == [5]

    @pytest.mark.parametrize(
        ("names", "needs"),
        [
            (["score", "segments"], "parts has 'segments', which needs segments, such as"),
            ("comparison", "parts has 'comparison', which needs the scores of several models"),
        ],
    )
    def test_error_says_what_a_part_needs(self, names, needs):
        with pytest.raises(ValueError, match=needs):
            report(Y, A, parts=names)

    def test_pages_of_the_documentation_exist(self):
        docs = Path(sklearn_ap.__file__).parents[1] / "docs"
        if not docs.is_dir():
            pytest.skip("there is no documentation beside this package")
        for each in FOUND.parts:
            assert (docs / f"{each.page}.md").is_file(), each.title


def test_a_name_of_a_pdf_is_refused_with_the_way_out(tmp_path):
    with pytest.raises(ValueError, match=r"HTML file, not a PDF.*print it to a PDF"):
        FOUND.save(tmp_path / "report.PDF")
    assert not [*tmp_path.iterdir()]


def test_a_missing_folder_is_named_before_pictures_are_drawn(tmp_path, monkeypatch):
    monkeypatch.setattr(pictures, "svg_image", refuse_to_draw)
    with pytest.raises(FileNotFoundError, match=r"no folder '.*absent' for 'a\.html'\. Create it"):
        undrawn().save(tmp_path / "absent" / "a.html")
    assert not [*tmp_path.iterdir()]


@quiet
def test_functions_that_print_the_same_number_are_counted_as_in_the_table():
    y = np.arange(300) % 7 == 0
    score = y + np.random.default_rng(8).normal(size=300)
    for scores in (score, np.where(y, 3, score)):
        found = part("What other tools print", y, scores)
        n_alike = len(found.cells[1][1].split(", "))
        assert found.sentence.startswith(f"{n_alike} of 10 well-known functions print")
        assert found.cells[1][0] not in [row[0] for row in found.cells[2:]]


@quiet
@pytest.mark.parametrize("are_probabilities", [True, False])
def test_a_tool_that_is_far_from_all_others_is_named_apart(are_probabilities):
    """Keras clips scores to [0, 1]."""
    y = np.arange(3000) % 50 == 0
    logit = 2.0 * y + np.random.default_rng(8).normal(size=3000)
    score = 1 / (1 + np.exp(-logit)) if are_probabilities else logit
    found = part("What other tools print", y, score)
    numbers = {row[1]: row[0] for row in found.cells[1:]}
    keras = numbers.pop("keras.AUC_PR_interpolation")
    first, *others = numbers.values()
    others += [keras] if are_probabilities else []
    far = "" if are_probabilities else f", and keras.AUC_PR_interpolation {keras}"
    ends = f"{min(others)} to {max(others)}{far}."
    assert found.sentence.endswith(f" print {first} for the model; the others print {ends}")


class TestForms:
    @quiet
    @pytest.mark.parametrize("options", [{}, {"sample_weight": WEIGHT}, {"clusters": GROUP}])
    @pytest.mark.parametrize("scores", [AB, B, NOISE, {f"m{i}": A + i * NOISE for i in range(9)}])
    def test_each_heading_is_a_single_sentence(self, scores, options):
        for each in report(Y, scores, segments={"month": MONTH}, **options).parts:
            assert re.search(r"[.?!:]\s*$", each.sentence), each.sentence
            assert not re.search(r"[.?!] [A-Z]", each.sentence), each.sentence

    @quiet
    def test_long_tables_are_closed_below_their_most_relevant_rows(self, rendered):
        models = {f"m{i}": (1 + i / 10) * Y + BASE for i in range(9)}
        found = report(Y, models, parts=["data", "comparison", "thresholds", "top"])
        text = found.to_html()
        closed = re.findall(r"<details><summary>All (\d+) rows</summary>", text)
        shown = [len(each.first_rows) for each in found.parts[1:] if len(each.cells) > 9]
        assert closed == ["9", "9", "9"]
        assert shown == [5, 3, 3]
        for each in found.parts[2:4]:
            assert {each.cells[1 + place][1] for place in each.first_rows} == {"m8"}
        assert [row[0] for row in found.parts[0].cells[1:]] == [f"m{i}" for i in range(8, -1, -1)]
        above = re.findall(r"(?s)<tbody>((?:(?!<tbody>).)*)</tbody></table></div>\n<p class", text)
        assert [table.count("<tr>") for table in above] == shown
        assert FOUND.to_html().count("<details") == 2  # of the data, and of both scores

    def test_a_picture_shares_a_block_with_the_heading_and_a_wide_table_does_not(self, rendered):
        sections = FOUND.to_html().split("<section ")[1:-1]
        blocks = [
            section.split('<div class="sheet">')[1].split("\n</div>\n") for section in sections
        ]
        assert sum("<img " in first for first, *_ in blocks) > 2
        for first, *rest in blocks:
            assert "<h2>" in first
            assert "<img " not in "".join(rest)
        assert any("<table" in "".join(rest) for _, *rest in blocks)

    def test_an_option_of_the_command_is_not_broken(self):
        assert ' or <span class="option">--precision</span> in a shell.' in FOUND.to_html()
        assert "p&nbsp;=&nbsp;" in report(Y, A, segments=MONTH).to_html()

    @quiet
    def test_both_intervals_of_a_score_are_explained_where_they_stand(self):
        rng = np.random.default_rng(0)
        models = {f"m{i}": Y + rng.normal(size=N) for i in range(9)}
        best = best_average_precision(Y, models)
        alone = average_precision_interval(Y, models[best.name])
        assert best.low < alone.low
        score, comparison, _ = report(Y, models, parts=["score", "comparison"]).parts
        assert comparison.notes[1] == (
            f"The lower limits hold for all 9 models at once, so the interval of {best.name}, "
            f"{best.low:.2f} to {best.high:.2f}, allows for its choice. By itself, it would be "
            f"{alone.low:.2f} to {alone.high:.2f}."
        )
        assert score.notes[1].startswith("Each interval is for one model by itself.")
        assert not [note for note in part("The score").notes if "by itself" in note]

    def test_the_text_has_all_parts_in_order_within_a_terminal(self):
        lines = repr(FOUND).splitlines()
        places = [lines.index(f"{i}. {title}") for i, title in enumerate(TITLES, 1)]
        assert places == sorted(places)
        assert ">>> compare_average_precision(y_true, y_scores)" in lines
        assert all(len(line) <= 100 for line in lines if line.startswith("- "))

    def test_names_are_escaped_in_the_page_and_printable_in_the_text(self):
        names = "<script>alert('&')</script>\x1b" + "x" * 30, "b" * 60
        found = report(Y, dict(zip(names, (A, B), strict=True)), segments=np.where(Y, "<i>", "$a$"))
        text = found.to_html()
        assert "<script" not in text
        assert "<i>" not in text
        assert "&lt;script&gt;" in text
        assert "\x1b" not in repr(found)

    def test_pictures_are_embedded_with_alt_text_and_figures_closed(self, rendered):
        figures = plt.get_fignums()
        text = report(Y, AB, segments=MONTH).to_html()
        assert plt.get_fignums() == figures
        images = re.findall(r'<img alt="([^"]+)" src="([^"]{40})', text)
        assert len(images) == 4
        assert images[0] not in images[1:]  # beside the summary, and not in the part below it
        assert ": b 0.7" in images[0][0]
        assert "; a 0.4" in images[0][0]
        assert all(src.startswith("data:image/svg+xml;base64,") for _, src in images)
        assert not re.findall(r'src="(?!data:)|<link|url\(|@import', text)
        links = re.findall('href="([^"]*)"', text)
        assert all(link.startswith(("#", _html.DOCS)) for link in links)

    def test_report_page_does_not_depend_on_the_matplotlib_style(self, rendered):
        first = undrawn().to_html()
        with plt.style.context("dark_background"):
            assert report(Y, AB, segments=MONTH).to_html() == first

    def test_the_call_of_the_page_stands_below_all_numbers(self):
        text = FOUND.to_html()
        assert text.count(FOUND.call) == 1
        assert text.index(FOUND.call) > text.rindex("</table>")
        assert text.index(FOUND.call) > text.index("The calls that give these numbers")

    def test_only_heads_with_long_names_may_be_broken_inside_a_word(self):
        name = "n" * 60
        text = report(Y, {"a": A, name: B}, parts=["curve"]).to_html()
        heads = dict(re.findall('<th scope="col" class="([^"]*)">([^<]*)', text))
        assert heads["long numbers"] == f"best precision of {name}"
        assert heads["numbers"] == "best precision of a"

    def test_a_head_is_repeated_where_a_table_goes_on_on_the_next_sheet(self):
        text = FOUND.to_html()
        assert text.count("<thead><tr><th") == text.count("<table>") > 5

    def test_a_file_and_a_notebook_have_the_same_page(self, tmp_path):
        FOUND.save(tmp_path / "report.html")
        text = (tmp_path / "report.html").read_text(encoding="utf-8")
        assert text == FOUND.to_html()
        (inside,) = re.findall('srcdoc="([^"]*)"', FOUND._repr_html_())
        assert unescape(inside) == text

    def test_page_without_matplotlib_has_tables_and_a_notice(self, monkeypatch):
        missing = {"matplotlib"}
        monkeypatch.setattr(pictures, "find_spec", lambda name: None if name in missing else 1)
        text = report(Y, AB).to_html()
        assert "There are no pictures without Matplotlib: pip install matplotlib" in text
        assert "<img" not in text
        assert text.count("<table>") == FOUND.to_html().count("<table>") - 1  # that of segments
        assert find_spec("matplotlib")


MISSED = {name: np.where(NOISE > 1, -np.inf, score) for name, score in AB.items()}
WAYS = {
    "rows": (AB, {}),
    "segments": (AB, {"segments": MONTH}),
    "one model": (B, {"prevalence": 0.01}),
    "rows not retrieved": (MISSED, {"segments": MONTH, "n_positives": 200}),
    "integers": ({name: np.round(9 * score).astype(int) for name, score in AB.items()}, {}),
    "queries": (MISSED, {"queries": GROUP}),
    "clusters": (AB, {"clusters": GROUP}),
    "clusters of queries": (AB, {"queries": GROUP, "clusters": GROUP % 20}),
    "weights": (MISSED, {"sample_weight": np.where(NOISE > 2, 0, WEIGHT)}),
}


@quiet
@pytest.mark.parametrize(("scores", "options"), WAYS.values(), ids=WAYS)
def test_rows_are_checked_once_without_changing_the_report(monkeypatch, scores, options):
    checked = listen(monkeypatch, targets, "_plain_targets")
    found = report(Y, scores, **options)
    for score in scores.values() if isinstance(scores, dict) else [scores]:
        assert sum(np.array_equal(args[1], score) for args in checked) == 1
    monkeypatch.setattr(_checked_predictions, "_mark_checked", lambda data: data)
    checked.clear()
    again = report(Y, scores, **options)
    assert len(checked) > 10
    assert repr(found) == repr(again)
    if "segments" in options:  # pages take long
        assert found.to_html() == again.to_html()


def test_the_rows_of_a_model_are_counted_once(monkeypatch):
    counted = listen(monkeypatch, counting, "_count_one")
    report(Y, AB)
    for score in AB.values():
        assert sum(np.array_equal(args[1], score) for args in counted) == 1


def listen(monkeypatch, module, name):
    """A list that gets the arguments of each call of a function."""
    heard, function = [], getattr(module, name)
    monkeypatch.setattr(module, name, lambda *args: heard.append(args) or function(*args))
    return heard


class TestPicturesAreDrawnForPages:
    def test_thresholds_have_a_picture_of_the_threshold_of_the_heading(self, drawn_figures):
        found = report(Y, AB, precision=0.6, parts=["thresholds"])
        found.to_html()
        (axis,) = drawn_figures[0].axes
        point = operating_point(Y, B, precision=0.6, guarantee=0.9)
        precision, _, _, dot, *_ = axis.lines
        (asked,) = (line for line in axis.lines if line.get_linestyle() == ":")
        np.testing.assert_array_equal(precision.get_ydata(), point.curve.precision)
        assert dot.get_xydata().tolist() == [[point.threshold, point.precision]]
        assert asked.get_ydata()[0] == 0.6
        assert not axis.get_title()  # the caption says it
        picture = found.parts[0].picture
        alt = picture.alt
        assert alt.startswith("Precision and recall of b by threshold, for precision >= 0.6 with")
        selected = point.threshold <= B
        precision, recall = Y[selected].mean(), selected[Y == 1].mean()
        (threshold,) = re.findall(r"scores (\d+\.\d+)", found.parts[0].sentence)
        assert f"{threshold}: precision {precision:.2f}, recall {recall:.2f}" in alt
        shares = (
            f"{precision:.0%} of the selected rows are positive, and {recall:.0%} of the positives"
        )
        assert picture.finding == f"Scores of b from {threshold}: {shares} are found"
        assert f"; {selected.sum()} rows selected; {N:,} rows, " in picture.subject

    @pytest.mark.parametrize("weight", [np.ones(N), WEIGHT])
    def test_the_picture_of_a_threshold_counts_rows_and_weight_as_the_heading(self, weight):
        (part, _) = report(Y, AB, sample_weight=weight, parts=["thresholds"]).parts
        (counted,) = re.findall(r"(\d+ rows? \(weight \S+\)) selected", part.picture.subject)
        assert counted in part.sentence

    def test_notes_stand_beside_a_picture_and_a_wide_table_below_it(self, rendered):
        found = report(Y, AB, segments=MONTH, parts=["curve", "thresholds", "segments"])
        sections = found.to_html().split("<section")[1:4]
        order = [re.findall("<(img|table|p)(?: alt| src|>)", section)[:3] for section in sections]
        assert order == [["img", "table", "p"], ["img", "p", "table"], ["img", "p", "table"]]

    def test_dates_need_no_row_for_each(self):
        days = np.datetime64("2026-01-01") + np.arange(N) % 25
        texts = days.astype(str)
        columns = {"day": days, "text": texts, "name": np.char.add("day ", texts)}
        by_day, by_text, by_name = report(Y, A, segments=columns, parts=["segments"]).parts[:3]
        assert by_day.picture.height == by_text.picture.height < 4 < by_name.picture.height

    def test_thresholds_of_rows_that_were_not_retrieved_have_no_picture(self):
        found = report(Y, np.full(N, -np.inf), parts=["thresholds"])
        assert found.parts[0].picture is None
        assert found.parts[0].cells

    def test_printing_a_report_draws_nothing(self, monkeypatch, rendered):
        monkeypatch.setattr("matplotlib.figure.Figure.savefig", refuse_to_draw)
        found = report(Y, AB, segments=MONTH)
        assert repr(found) == repr(FOUND)
        with pytest.raises(AssertionError, match="drawn"):
            found.to_html()

    def test_panels_of_a_comparison_stand_below_each_other_without_overprint(self, drawn_figures):
        names = "<b>x</b>|*y* [a](b)", "a_very_long_name_" * 9
        found = report(Y, dict(zip(names, (A, B), strict=True)), parts=["comparison"])
        found.to_html()
        (figure,) = drawn_figures
        figure.draw_without_rendering()
        scores, differences = (axis.get_tightbbox() for axis in figure.axes)
        assert differences.y1 < scores.y0
        assert min(scores.width, differences.width) > 0.8 * figure.bbox.width
        for axis in figure.axes:
            labels = [label.get_window_extent() for label in axis.get_xticklabels()]
            assert all(a.x1 < b.x0 for a, b in pairwise(labels))

    def test_two_pages_draw_each_picture_once(self, drawn_figures):
        found = undrawn()
        assert found.to_html() == found.to_html()
        assert len(drawn_figures) == 4

    def test_pictures_do_not_change_with_later_changes_of_the_arrays(self, rendered):
        y, scores, months = Y.copy(), {"a": A.copy(), "b": B.copy()}, MONTH.copy()
        found = report(y, scores, segments=months)
        before = pickle.loads(pickle.dumps(found)).to_html()
        for each in (y, *scores.values()):
            each[:] = 0
        months[:] = "2026-01"
        assert found.to_html() == before

    def test_drawing_warnings_appear_only_on_the_page(self, rendered):
        found = report(Y, {"\N{CJK UNIFIED IDEOGRAPH-65E5}": A, "b": B})
        text = repr(found)
        for _ in range(2):
            html = found.to_html()
            assert html.count("missing from font") == 1
            assert "Is one model better?, The curve" in html
        assert "missing from font" not in text
        assert repr(found) == text

    def test_picture_that_cannot_be_drawn_is_left_out_with_the_reason(self):
        refused = pictures.Picture(partial(refuse_to_draw, error=ValueError), 3, "")
        found = report(Y, A)
        parts = [
            replace(each, picture=refused) if each.name == "thresholds" else each
            for each in found.parts
        ]
        text = replace(found, parts=(*parts,)).to_html()
        assert text.count("Left out: Nothing is drawn here.") == 1
        assert text.count("<img") == found.to_html().count("<img") - 1 == 1

    def test_a_pickled_report_gives_the_same_page(self, rendered):
        found = report(Y, AB, segments=MONTH)
        assert undrawn().to_html() == found.to_html()


def refuse_to_draw(*_, error=AssertionError, **__):
    raise error("Nothing is drawn here. This is for a page.")


@quiet
def test_left_out_part_always_names_its_first_unsupported_option():
    options = {"n_positives": np.full(60, 50), "queries": np.arange(N) % 60}
    assert part("Thresholds", Y, A, **options).sentence == (
        "Left out: this part does not go with queries, because each query is a ranking of its own."
    )
    names = ["sample_weight", "queries", "clusters", "n_positives"]
    for first in names:
        sorted_names = dict.fromkeys([first, *names], 1)
        data = _predictions.Predictions(Y, {}, sorted_names, None, None, True)
        with pytest.raises(ValueError, match=f"does not go with {first}, because "):
            data.arguments(lambda: None)


def test_printed_call_of_the_curve_is_the_display_constructor():
    assert AveragePrecisionDisplay.from_predictions.__qualname__ in part("The curve").call


@quiet
def test_rows_with_an_unknown_label_are_left_out_of_each_part():
    known = np.arange(N) % 9 > 0
    labels = np.where(known, Y, np.nan)[:, None]
    of_rows = {"segments": MONTH, "clusters": GROUP, "sample_weight": WEIGHT}
    found = report(labels, AB, **of_rows)
    less = {name: each[known] for name, each in of_rows.items()}
    expected = report(Y[known], {name: s[known] for name, s in AB.items()}, **less)
    numbers = [(each.title, each.sentence, each.cells, each.notes) for each in found.parts]
    assert numbers == [
        (each.title, each.sentence, each.cells, each.notes) for each in expected.parts
    ]
    with pytest.raises(ValueError, match="y_true has no known label"):
        report(np.nan * labels, A)


@quiet
def test_weights_may_be_a_single_column_table():
    found = [report(Y, A, sample_weight=weight) for weight in (WEIGHT, WEIGHT[:, None])]
    sentences = [[each.sentence for each in one.parts] for one in found]
    assert sentences[1] == sentences[0]


@pytest.mark.slow
@quiet
def test_report_of_many_rows_is_complete_and_small():
    n, rng = 3_000_000 if os.environ.get("WEEKLY") else 150_000, np.random.default_rng(0)
    y = rng.random(n) < 0.02
    base = rng.normal(size=n)
    found = report(y, {"a": y + base, "b": 1.2 * y + base}, segments=rng.integers(0, 12, n))
    assert [each.title for each in found.parts] == [*TITLES]
    assert found.parts[2].sentence.startswith("b is better than a: +0.0")
    assert any("99 resamples" in note for note in found.parts[3].notes)  # those of the curve
    assert len(found.to_html()) < 1_000_000


@quiet
def test_queries_are_named_where_they_have_no_positives_and_where_shares_are_means():
    queries = np.arange(N) // 20
    y = (np.arange(N) % 5 == 0) & (queries != 7)
    found = report(y, 1.5 * y + NOISE, queries=pd.Series(queries, name="query_id"))
    lines = {line.question: line.answer for line in found.summary}
    score = average_precision_score(y, 1.5 * y + NOISE, queries=queries) * 30 / 29
    says = "1 of 30 queries has no positive, and counts as 0; without it, the model scores"
    without = f"{says} {score:.2f}."
    assert lines["Distrust"].startswith(without)
    assert [row[0] for row in found.parts[-1].cells[1:] if "no positive" in row[0]] == [without]
    assert lines["Threshold"] == "None, because each query is a ranking of its own."
    top = next(each for each in found.parts if each.name == "top")
    assert re.search(r" are positive, on average over 30 queries: a precision of ", top.sentence)


@quiet
def test_the_positive_label_is_named_if_it_is_a_text():
    words = np.where(Y, "fraud", "ok")
    found = report(words, B, pos_label="fraud", parts=["data"])
    assert found.parts[0].sentence == f'600 rows, {Y.sum()} positive (19%, label "fraud").'
