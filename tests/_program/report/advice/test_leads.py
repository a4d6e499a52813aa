"""What a report says of the lead of the best model where a single segment makes or hides it."""

import re

import numpy as np
import pytest

from sklearn_ap import average_precision_score, compare_average_precision, compare_segments, report

N = 12_000
RNG = np.random.default_rng(0)
Y = RNG.random(N) < 0.06
NOISE = RNG.normal(size=(2, N))
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) % 6]
IS_LAST = MONTH == "2026-06"
# Most rows are of a month that is over.
OVER = np.array(["2026-01", *["2026-02"] * 5, "2026-03", "2026-04", "2026-05", "2026-06"])[
    np.arange(N) // 6 % 10
]
COUNTRY = np.array(["DE", "FR", "IT"])[np.arange(N) // 6 % 3]
IS_IT = COUNTRY == "IT"
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def answers(*args, **options):
    """The first lines, by their questions."""
    made = report(*args, **options, parts=["comparison", "segments"])
    return {line.question: line.answer for line in made.summary}


def without_scores(answer):
    """An answer without the scores in the segments that are left out."""
    answer = re.sub(r"(Without \S+), where \w+ scores [\d.]+,", r"\1,", answer)
    return re.sub(r"(Before \S+), when \w+ falls to [\d.]+,", r"\1,", answer)


def pair(first, second, names=("champion", "challenger")):
    """Scores of two models whose positives stand higher by these numbers."""
    shifts = first, second
    return {
        name: shift * Y + noise for name, shift, noise in zip(names, shifts, NOISE, strict=True)
    }


def lead(scores, best, kept=slice(None), **options):
    """The lead of a model over the other one, and its limits, on some rows."""
    order = sorted(scores, key=lambda name: name == best)
    options = {name: each[kept] for name, each in options.items()}
    found = compare_average_precision(
        Y[kept], {name: scores[name][kept] for name in order}, **options
    )
    return found.differences[1], found.difference_lows[1], found.difference_highs[1]


class TestTheLeadWithoutASegment:
    @pytest.mark.parametrize("name", ["month", "country"])
    def test_a_lead_that_a_better_segment_makes_is_not_shown_without_it(self, name):
        segments, is_odd = {"month": (MONTH, IS_LAST), "country": (COUNTRY, IS_IT)}[name]
        scores = pair(1.6, np.where(is_odd, 5, 1.6), ("old", "new"))
        assert lead(scores, "new")[1] > 0
        _, low, high = lead(scores, "new", ~is_odd)
        assert low < 0 < high
        lines = answers(Y, scores, segments={name: segments})
        odd = "2026-06" if name == "month" else "IT"
        assert (
            f"). Without {odd}, no difference is shown: new minus old may be anything from "
            f"{low:+.2f} to {high:+.2f}. new scores"
        ) in without_scores(lines["Model"])

    def test_a_lead_to_which_the_next_model_falls_is_not_shown_before(self):
        scores = pair(2, np.where(IS_LAST, 0, 2))
        _, low, high = lead(scores, "champion", ~IS_LAST)
        assert low < 0 < high
        words = f"champion minus challenger may be anything from {low:+.2f} to {high:+.2f}."
        answer = answers(Y, scores, segments={"month": MONTH})["Model"]
        answer = without_scores(answer)
        assert answer.startswith("champion is better than challenger: ")
        assert f"Before 2026-06, no difference is shown: {words}" in answer

    def test_another_lead_is_told_with_its_numbers(self):
        scores = pair(2.6, np.where(IS_LAST, 0, 1.9))
        value, low, high = lead(scores, "champion", ~IS_LAST)
        assert 0 < low < value < lead(scores, "champion")[1]
        answer = answers(Y, scores, segments={"month": MONTH})["Model"]
        answer = without_scores(answer)
        assert (
            f"Before 2026-06, champion scores {value:.2f} more than challenger (95% interval "
            f"{low:.2f} to {high:.2f})."
        ) in answer

    def test_the_best_model_may_be_the_worse_one_without_a_segment(self):
        scores = pair(1.9, np.where(IS_IT, 5, 1.3), ("old", "new"))
        value, low, high = lead(scores, "new", ~IS_IT)
        assert lead(scores, "new")[1] > 0 > high
        made = report(Y, scores, segments={"country": COUNTRY}, parts=["comparison", "segments"])
        heading = made.parts[0].sentence
        worse = f"{value:+.2f} (95% interval {low:+.2f} to {high:+.2f})."
        assert heading.startswith("new is better than old: +0.0")
        assert heading.endswith(f", but worse than old outside country IT: {worse}")
        assert made.parts[0].more == ["Use old outside country IT."]
        answer = made.summary[0].answer
        assert answer.startswith(f"{heading} Use old outside country IT. new scores 0.")

    def test_the_best_model_may_be_the_worse_one_in_all_months_but_one(self):
        months = OVER  # in the latest alone, no difference is shown
        scores = pair(1.5, np.where(months == "2026-02", 3, 1.25), ("old", "new"))
        value, low, high = lead(scores, "new", months != "2026-02")
        assert lead(scores, "new")[1] > 0 > high
        worse = f"{value:+.2f} (95% interval {low:+.2f} to {high:+.2f})."
        answer = answers(Y, scores, segments={"month": months})["Model"]
        assert f", but worse than old in the other months: {worse} new scores 0." in answer
        assert "Use old" not in answer

    def test_a_lead_that_a_segment_hides_is_shown_without_it(self):
        scores = pair(np.where(IS_LAST, 6, 1.6), 2)
        assert lead(scores, "challenger")[1] < 0
        value, low, _ = lead(scores, "challenger", ~IS_LAST)
        assert low > 0
        answer = answers(Y, scores, segments={"month": MONTH})["Model"]
        answer = without_scores(answer)
        assert f"Without 2026-06, challenger scores {value:.2f} more than champion (" in answer

    @pytest.mark.parametrize(("share", "is_told"), [(0.1, False), (1, True)])
    def test_a_lead_within_the_interval_of_all_rows_is_the_same_claim(self, share, is_told):
        kept = ~IS_LAST | (np.arange(N) // 6 % 10 < 10 * share)
        scores = pair(2.6, np.where(IS_LAST, 0, 1.9))
        fallen = compare_segments(Y[kept], scores["challenger"][kept], MONTH[kept]).rows()[-1]
        assert fallen["verdict"] == "worse"
        assert fallen["adjusted_pvalue"] < 0.01
        _, low, high = lead(scores, "champion", kept)
        value, low_without, _ = lead(scores, "champion", kept & ~IS_LAST)
        assert low > 0 < low_without
        assert (low <= value <= high) != is_told
        models = {name: score[kept] for name, score in scores.items()}
        lines = {
            line.question: line.answer
            for line in report(Y[kept], models, segments={"month": MONTH[kept]}).summary
        }
        assert ("Before 2026-06, " in without_scores(lines["Model"])) == is_told
        assert "Without" not in lines["Model"]
        assert (
            "challenger falls in 2026-06: look at its inputs or scores since then."
            in lines["Distrust"]
        )

    def test_of_three_models_it_is_that_of_the_best_over_the_next_one_and_stands_behind_it(self):
        scores = pair(2.6, np.where(IS_LAST, 0, 1.9))
        value, low, high = lead(scores, "champion", ~IS_LAST)
        worst = {"oldest": 0.5 * Y + np.random.default_rng(3).normal(size=N)}
        answer = answers(Y, worst | scores, segments={"month": MONTH})["Model"]
        answer = without_scores(answer)
        before, _, words = answer.rpartition(" Before 2026-06, ")
        assert before.startswith("champion is the best of 3 models: 0.")
        assert " more than challenger, the next (95%" in before
        limits = f"(95% interval {low:.2f} to {high:.2f})."
        assert words == f"champion scores {value:.2f} more than challenger {limits}"

    @pytest.mark.parametrize("name", ["sample_weight", "clusters"])
    def test_rows_have_their_weights_and_clusters(self, name):
        weight = np.where(np.arange(N) // 18 % 2, 0.4, 1.6)
        options = {name: weight if name == "sample_weight" else np.arange(N) // 600}
        scores = pair(2.6, np.where(IS_LAST, 0, 1.9))
        value, low, high = lead(scores, "champion", ~IS_LAST, **options)
        plain = lead(scores, "champion", ~IS_LAST)
        assert (value, low, high) != pytest.approx(plain, abs=0.01)
        answer = answers(Y, scores, segments={"month": MONTH}, **options)["Model"]
        answer = without_scores(answer)
        words = f"{value:.2f} more than challenger (95% interval {low:.2f} to {high:.2f})."
        assert f"Before 2026-06, champion scores {words}" in answer

    def test_the_prevalence_of_the_user_holds_without_a_segment_too(self):
        scores = pair(2.6, np.where(IS_LAST, 0, 1.9))
        models = {name: scores[name][~IS_LAST] for name in ("challenger", "champion")}
        expected = compare_average_precision(Y[~IS_LAST], models, prevalence=0.3)
        answer = answers(Y, scores, segments={"month": MONTH}, prevalence=0.3)["Model"]
        answer = without_scores(answer)
        words = f"champion scores {expected.differences[1]:.2f} more than challenger"
        assert f"Before 2026-06, {words}" in answer

    @pytest.mark.parametrize(
        "scores",
        [
            pair(2.6, 1.9),
            pair(np.where(IS_LAST, 0.3, 2.7), 1.5),  # the best one falls, as other words tell
            pair(2.6, (0.6 + 0.5 * np.arange(6))[np.arange(N) % 6]),  # a trend
            pair(np.linspace(1.5, 2.8, 6)[np.arange(N) % 6], np.where(IS_LAST, 0, 1.5)),
        ],
        ids=["steady", "falls", "trend", "trend beside a fall"],
    )
    def test_nothing_is_told_where_no_segment_is_odd_or_the_best_one_is_worse(self, scores):
        answer = answers(Y, scores, segments={"month": MONTH})["Model"]
        assert not re.search("Without|Before", answer)

    def test_segments_with_too_few_positives_are_no_odd_ones(self):
        few = np.arange(N) % 1001 == 0
        scores = {"a": 2 * few + NOISE[0], "b": np.where(IS_LAST, 9, 1.5) * few + NOISE[1]}
        answer = answers(few, scores, segments={"month": MONTH})["Model"]
        assert not re.search("Without|Before", answer)


class TestALeadThatTurnsElsewhere:
    """The best model is worse outside of the one segment in which the next one fails."""

    MONTHS = np.array(["2026-01", "2026-02", "2026-03"])[np.arange(N) // 6 % 3]
    SCORES = pair(1.65, np.where(IS_IT, -0.5, 1.9))
    PARTS = ("comparison", "segments")

    def worse(self, kept, scores=SCORES):
        value, low, high = lead(scores, "champion", kept)
        assert lead(scores, "champion")[1] > 0 > high
        return f"{value:+.2f} (95% interval {low:+.2f} to {high:+.2f})."

    def better(self, scores=SCORES):
        value, low, high = lead(scores, "champion")
        limits = f"(95% interval {low:+.2f} to {high:+.2f})"
        return f"champion is better than challenger: {value:+.2f} {limits}"

    def test_the_claim_and_the_advice_say_it_of_a_country(self):
        made = report(Y, self.SCORES, segments={"country": COUNTRY}, parts=self.PARTS)
        outside = f"but worse than challenger outside country IT: {self.worse(~IS_IT)}"
        heading = f"{self.better()}, {outside}"
        assert made.parts[0].sentence == heading
        assert made.parts[0].more == ["Use challenger outside country IT."]
        start = f"{heading} Use challenger outside country IT. champion scores 0."
        assert made.summary[0].answer.startswith(start)
        assert "Without" not in made.summary[0].answer

    def test_the_claim_says_it_of_a_month_that_is_over_without_advice(self):
        is_odd = OVER == "2026-02"
        scores = pair(1.6, np.where(is_odd, 0.2, 1.9))
        made = report(Y, scores, segments={"month": OVER}, parts=self.PARTS)
        outside = f"but worse than challenger in the other months: {self.worse(~is_odd, scores)}"
        assert made.parts[0].sentence == f"{self.better(scores)}, {outside}"
        assert made.parts[0].more == []
        assert made.summary[0].answer.startswith(f"{made.parts[0].sentence} champion scores 0.")
        assert "Use " not in made.summary[0].answer

    def test_a_fall_of_the_next_model_is_told_behind_the_claim(self):
        is_last = self.MONTHS == "2026-03"
        scores = pair(1.66, np.where(is_last, -0.5, 1.9))
        value, low, high = lead(scores, "champion", ~is_last)
        assert lead(scores, "champion")[1] > 0 > high
        answer = answers(Y, scores, segments={"month": self.MONTHS})["Model"]
        assert answer.startswith(
            f"{self.better(scores)}. Before 2026-03, when challenger falls to "
        )
        less = f"champion scores {-value:.2f} less than challenger (95% interval {-high:.2f} to "
        assert f", {less}{-low:.2f})." in answer

    def test_a_claim_that_no_difference_is_shown_has_no_limit(self):
        scores = pair(1.55, np.where(IS_IT, -0.5, 1.9))
        _, low, high = lead(scores, "champion")
        assert low < 0 < high
        value, low, high = lead(scores, "champion", ~IS_IT)
        answer = without_scores(answers(Y, scores, segments={"country": COUNTRY})["Model"])
        assert ": no difference is shown. Without IT, champion scores " in answer
        less = f"{-value:.2f} less than challenger (95% interval {-high:.2f} to {-low:.2f})."
        advice = "Use challenger outside country IT."
        assert f" Without IT, champion scores {less} {advice} champion scores 0." in answer
        assert answer.count("outside") == 1  # in the advice alone
        assert "other grounds" not in answer

    def test_of_three_models_the_claim_has_no_limit(self):
        worst = {"oldest": 0.5 * Y + np.random.default_rng(3).normal(size=N)}
        answer = answers(Y, worst | self.SCORES, segments={"country": COUNTRY})["Model"]
        value, *_ = lead(self.SCORES, "champion", ~IS_IT)
        assert f" Without IT, champion scores {-value:.2f} less than" in without_scores(answer)
        assert "outside" not in answer

    def test_a_claim_is_limited_once(self):
        columns = {"country": COUNTRY, "market": np.char.lower(COUNTRY)}
        answer = answers(Y, self.SCORES, segments=columns)["Model"]
        assert answer.count("outside") == 2  # with the advice
        assert f", but worse than challenger outside country IT: {self.worse(~IS_IT)}" in answer
        assert "Without it, where challenger scores 0." in answer


class TestTheSecondModel:
    def scores_with_pvalue(self, least, most):
        """Scores whose second model falls in the last month with an adjusted p in a range."""
        for shift in np.linspace(2.0, 0.8, 61):
            scores = pair(2.8, np.where(IS_LAST, shift, 2))
            row = compare_segments(Y, scores["challenger"], MONTH).rows()[-1]
            if least < row["adjusted_pvalue"] < most and row["difference"] < 0:
                return scores, row
        return pytest.fail("no such difference")

    @pytest.mark.parametrize(("limits", "is_told"), [((0.01, 0.05), False), ((1e-3, 0.01), True)])
    def test_its_fall_needs_more_evidence(self, limits, is_told):
        scores, row = self.scores_with_pvalue(*limits)
        assert row["verdict"] == "worse"
        lines = answers(Y, scores, segments={"month": MONTH})
        doubt = "challenger falls in 2026-06: look at its inputs or scores since then."
        assert (doubt in lines.get("Distrust", "")) == is_told
        assert ("challenger falls" in lines.get("Distrust", "")) == is_told
        kept = ~IS_LAST
        rest = [each[kept] for each in (Y, scores["challenger"], MONTH)]
        before = compare_segments(*rest, prevalence=float(Y.mean())).overall
        fall = f"challenger falls from {before:.2f} to {row['estimate']:.2f} in 2026-06."
        assert lines["By month"].startswith(fall) == is_told
        part, _ = report(Y, scores, segments={"month": MONTH}, parts=["segments"]).parts
        assert part.picture.finding.startswith("challenger falls to ") == is_told

    def test_its_rise_is_told(self):
        scores = pair(2.8, np.where(IS_LAST, 3.4, 1.4))
        row = compare_segments(Y, scores["challenger"], MONTH).rows()[-1]
        rise = f"challenger rises to {row['estimate']:.2f} in 2026-06"
        distrust = answers(Y, scores, segments={"month": MONTH})["Distrust"]
        assert distrust == f"{rise}: look at its inputs or scores there."

    def test_segments_without_order_have_no_falls(self):
        scores = pair(2.6, np.where(IS_IT, 0.4, 2))
        row = compare_segments(Y, scores["challenger"], COUNTRY).rows()[-1]
        less = f"challenger scores {row['estimate']:.2f} in country IT"
        distrust = answers(Y, scores, segments={"country": COUNTRY})["Distrust"]
        assert distrust == f"{less}: look at its inputs or scores there."

    def test_it_is_not_told_where_the_best_one_changes(self):
        shift = np.where(IS_LAST, 0.3, 2.7)
        scores = {"best": shift * Y + NOISE[0], "other": 0.7 * shift * Y + NOISE[1]}
        distrust = answers(Y, scores, segments={"month": MONTH})["Distrust"]
        assert "look at its inputs" not in distrust


class TestLeaks:
    def say(self, score, segments):
        made = report(Y, score, segments=segments, parts=["score", "segments"])
        return {line.question: line.answer for line in made.summary}.get("Distrust", "")

    def test_a_segment_with_a_higher_score_may_have_leaks(self):
        score = np.where(IS_LAST, 4, 1.6) * Y + NOISE[1]
        row = compare_segments(Y, score, MONTH).rows()[-1]
        leak = "in 2026-06: look there for labels that leak into scores."
        said = self.say(score, {"month": MONTH})
        assert said == f"The model scores {row['estimate']:.2f} {leak}"
        scores = {"old": 1.5 * Y + NOISE[0], "new": score}
        assert f"new scores {row['estimate']:.2f} {leak}" in self.say(scores, {"month": MONTH})

    @pytest.mark.parametrize(("limits", "is_told"), [((0.01, 0.05), False), ((1e-3, 0.01), True)])
    def test_a_leak_needs_more_evidence(self, limits, is_told):
        for shift in np.linspace(1.6, 3, 71):
            score = np.where(IS_LAST, shift, 1.6) * Y + NOISE[1]
            row = compare_segments(Y, score, MONTH).rows()[-1]
            if limits[0] < row["adjusted_pvalue"] < limits[1]:
                break
        else:
            pytest.fail("no such difference")
        assert row["verdict"] == "better"
        assert ("leak" in self.say(score, {"month": MONTH})) == is_told

    @pytest.mark.parametrize(
        "shift",
        [1.6, np.where(IS_LAST, 0.2, 1.6), np.linspace(1, 2.6, 6)[np.arange(N) % 6]],
        ids=["steady", "falls", "trend"],
    )
    def test_a_lower_score_or_a_trend_is_no_leak(self, shift):
        assert "leak" not in self.say(shift * Y + NOISE[1], {"month": MONTH})


class TestSegmentsThatDifferTogether:
    def find(self, segments):
        """Scores of which it is shown that segments differ, and of no single one."""
        for size in np.linspace(0.05, 0.6, 40):
            shift = np.where(np.arange(N) % 2, 2 + size, 2 - size)
            score = shift * Y + NOISE[0]
            found = compare_segments(Y, score, segments)
            if found.homogeneity_pvalue < 0.05 < found.adjusted_pvalues.min():
                return score
        return pytest.fail("no such differences")

    @pytest.mark.parametrize(
        ("name", "words"),
        [
            ("month", "The months differ, so the next month may score less than all of them"),
            ("shop", "The shops differ, so one shop may score less than all of them"),
        ],
    )
    def test_the_next_one_may_score_less(self, name, words):
        segments = MONTH if name == "month" else np.array([*"ABCDEF"])[np.arange(N) % 6]
        score = self.find(segments)
        lines = report(Y, score, segments={name: segments}).summary
        assert f"{words} together." in lines[-1].answer

    @pytest.mark.parametrize("shift", [2, np.where(IS_LAST, 0.3, 2.7)], ids=["alike", "named"])
    def test_it_is_not_said_of_segments_that_are_alike_or_named(self, shift):
        lines = report(Y, shift * Y + NOISE[0], segments={"month": MONTH}).summary
        assert "may score less" not in lines[-1].answer


def test_the_first_lines_say_that_queries_lie_in_several_segments():
    queries = np.arange(N) // 40
    segments = {"type": np.where(np.arange(N) % 2, "x", "y")}
    made = report(Y, 2 * Y + NOISE[0], queries=queries, segments=segments)
    (line,) = (line for line in made.summary if line.question == "By type")
    assert line.answer == (
        "Not compared, because rows of one query lie in several segments. Without queries, the "
        "rows of each segment would be one ranking."
    )
    assert made.parts[line.part - 1].name == "segments"
    assert not made.parts[line.part - 1].cells
    assert not re.search(
        "By type: Not compared", repr(report(Y, 2 * Y + NOISE[0], segments=segments))
    )


def test_the_third_model_may_be_the_best_one_without_a_segment():
    rng = np.random.default_rng(2)
    n = 24_000
    y = rng.random(n) < 0.12
    region = rng.choice(["East", "Islands", "North", "West"], n)
    is_west = region == "West"
    models = {
        "nn": 1.9 * y + rng.normal(size=n),
        "logit": 1.72 * y + rng.normal(size=n),
        "gbm": np.where(is_west, 0.4, 2.1) * y + rng.normal(size=n),
        "rules": 0.7 * y + rng.normal(size=n),
    }
    parts = ["comparison", "segments"]
    made = report(y, models, segments={"region": region}, parts=parts)
    assert [*models][:3] == ["nn", "logit", "gbm"]
    overall = [average_precision_score(y, score) for score in models.values()]
    assert overall == sorted(overall, reverse=True)
    kept = ~is_west
    pair = {name: models[name][kept] for name in ("gbm", "nn")}
    found = compare_average_precision(y[kept], pair)
    less = -found.differences[1]
    assert found.difference_highs[1] < 0
    inside = average_precision_score(y[is_west], models["gbm"][is_west])
    answer = made.summary[0].answer
    pattern = rf"Without West, where gbm scores (0\.\d+), nn scores {less:.2f} less than gbm \("
    assert float(re.search(pattern, answer)[1]) == pytest.approx(inside, abs=0.02)
    lines = {line.question: line.answer for line in made.summary}
    assert "gbm scores 0." in lines["By region"]
    assert "No difference between the regions is shown for nn." in lines["By region"]
    assert "gbm scores 0." in lines["Distrust"]
    assert "in region West: look at its inputs or scores there." in lines["Distrust"]
    assert "gbm" in made.parts[1].picture.finding
