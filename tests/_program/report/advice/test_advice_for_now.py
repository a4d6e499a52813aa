"""What a report says where another model is to be used for now, beside the numbers of all rows."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, compare_segments, report

N = 12_000
RNG = np.random.default_rng(0)
NAMES = [f"2026-0{i}" for i in range(1, 7)]
MONTH = np.array(NAMES)[np.arange(N) % 6]
CODE = np.arange(N) % 6
Y = RNG.random(N) < 0.05
NOISE = RNG.normal(size=(2, N))
LEVEL = 1 - 0.05 / 6  # of one of six months, by Bonferroni's rule
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def pair(new, old):
    """Scores whose positives stand higher by a number in each month."""
    shifts = {"new": new, "old": old}
    return {
        name: np.broadcast_to(shift, 6)[CODE] * Y + noise
        for (name, shift), noise in zip(shifts.items(), NOISE, strict=True)
    }


def months_with(value, **others):
    """A number for each month, some of which have another one."""
    return [others.get(f"m{i}", value) for i in range(1, 7)]


def inside_of(scores, *months):
    """Compare the new model with the old one on the rows of some months."""
    inside = np.isin(MONTH, months)
    models = {name: scores[name][inside] for name in ("old", "new")}
    options = {"prevalence": Y.mean(), "confidence_level": LEVEL}
    return compare_average_precision(Y[inside], models, **options)


def change_in(scores, *months):
    """How much more the new model scores in some months, in words, and its upper limit."""
    found = inside_of(scores, *months)
    numbers = found.differences[1], found.difference_lows[1], found.difference_highs[1]
    return "{:+.2f} (adjusted 95% interval {:+.2f} to {:+.2f})".format(*numbers), numbers[2]


def lead_in(scores, *months):
    """The sentence that the new model is better in some months."""
    others = np.isin(MONTH, months)
    models = {name: scores[name][others] for name in ("old", "new")}
    found = compare_average_precision(Y[others], models, prevalence=Y.mean())
    limits = found.differences[1], found.difference_lows[1], found.difference_highs[1]
    assert limits[1] > 0
    change = "{:+.2f} (95% interval {:+.2f} to {:+.2f})".format(*limits)
    return f"In the other months, new is better: {change}."


def overall(scores):
    found = compare_average_precision(Y, {name: scores[name] for name in ("old", "new")})
    return found.differences[1], found.difference_lows[1], found.difference_highs[1]


def monthly(score):
    return {row["segment"]: row for row in compare_segments(Y, score, MONTH).rows()}


def made_of(scores):
    made = report(Y, scores, segments={"month": MONTH}, parts=["comparison", "segments"])
    return made, {line.question: line.answer for line in made.summary}


class TestTheHeading:
    def test_it_has_the_latest_month_and_all_months(self):
        scores = pair(months_with(2.7, m6=0.6), 1.6)
        change, high = change_in(scores, "2026-06")
        assert high < 0
        lead = "{:+.2f} (95% interval {:+.2f} to {:+.2f})".format(*overall(scores))
        made, _ = made_of(scores)
        now = "new is worse than old in 2026-06"
        assert made.parts[0].sentence == f"{now}; over all months, it is better: {lead}."
        rows = [monthly(scores[name])["2026-06"] for name in ("new", "old")]
        there = "In 2026-06, new scores {:.2f} and old {:.2f}".format(
            *(row["estimate"] for row in rows)
        )
        assert made.parts[0].more[1:] == [f"{there}: {change}.", lead_in(scores, *NAMES[:5])]

    def test_a_lead_that_is_not_shown_is_no_better_one(self):
        scores = pair(months_with(1.85, m6=0.6), 1.6)
        value, low, high = overall(scores)
        assert low < 0 < value
        made, _ = made_of(scores)
        now = "new is worse than old in 2026-06"
        fits = f"anything from {low:+.2f} to {high:+.2f} fits: no difference is shown."
        lead = f"over all months, new scores {value:.2f} more than old, but {fits}"
        assert made.parts[0].sentence == f"{now}; {lead}"

    def test_earlier_months_in_which_it_is_worse_stand_below_it_alone(self):
        scores = pair(months_with(3.2, m2=0.5, m3=0.6, m6=0.7), 1.7)
        changes = {name: change_in(scores, name) for name in ("2026-02", "2026-03", "2026-06")}
        assert all(high < 0 for _, high in changes.values())
        made, lines = made_of(scores)
        part = made.parts[0]
        assert part.sentence.startswith(
            "new is worse than old in 2026-02, 2026-03 and 2026-06; over all months, it is better: "
        )
        earlier = [
            f"new is worse than old in {name}, too: {changes[name][0]}."
            for name in ("2026-02", "2026-03")
        ]
        assert part.more[2:] == [*earlier, lead_in(scores, "2026-01", "2026-04", "2026-05")]
        assert part.more[1].startswith("In 2026-06, new scores 0.")
        assert part.more[1].endswith(f": {changes['2026-06'][0]}.")
        assert not [text for text in earlier if text in lines["Model"]]

    def test_all_months_of_a_fall_are_compared_together(self):
        scores = pair(months_with(3.2, m3=0.5, m5=0.6, m6=0.7), 1.7)
        changes = {name: change_in(scores, name) for name in ("2026-03", "2026-05", "2026-06")}
        assert all(high < 0 for _, high in changes.values())
        made, lines = made_of(scores)
        part = made.parts[0]
        lead = "{:+.2f} (95% interval {:+.2f} to {:+.2f})".format(*overall(scores))
        now = "new is worse than old since 2026-05"
        assert part.sentence == f"{now}; over all months, it is better: {lead}."
        fall = ["2026-05", "2026-06"]
        old, new = inside_of(scores, *fall).estimates
        change, high = change_in(scores, *fall)
        assert high < 0
        assert part.more[1:] == [
            f"Since 2026-05, new scores {new:.2f} and old {old:.2f}: {change}.",
            f"new is worse than old in 2026-03, too: {changes['2026-03'][0]}.",
            lead_in(scores, "2026-01", "2026-02", "2026-04"),
        ]
        assert part.more[2] not in lines["Model"]
        assert f"{' '.join(part.more[:2])} Over all months, new is better" in lines["Model"]
        start = re.escape(f"to {monthly(scores['new'])['2026-05']['estimate']:.2f} in 2026-05.")
        assert re.fullmatch(rf"Use old for now: new falls from 0\.\d+ {start}", part.more[0])

    def test_earlier_months_in_which_it_is_not_shown_to_be_worse_are_not_named(self):
        scores = pair(months_with(2.7, m4=1.3, m6=0.5), 1.6)
        assert change_in(scores, "2026-04")[1] > 0 > change_in(scores, "2026-06")[1]
        assert monthly(scores["new"])["2026-04"]["verdict"] == "worse"
        made, lines = made_of(scores)
        assert " in 2026-06, the latest month. In 2026-06, new scores 0." in lines["Model"]
        heading = "new is worse than old in 2026-06; over all months, it is better: +0."
        assert made.parts[0].sentence.startswith(heading)
        assert not [text for text in made.parts[0].more if ", too: " in text]

    def test_months_of_a_fall_in_which_it_is_not_shown_to_be_worse_count_in_the_fall(self):
        scores = pair(months_with(2.7, m5=1.3, m6=0.5), 1.6)
        assert change_in(scores, "2026-05")[1] > 0 > change_in(scores, "2026-06")[1]
        assert monthly(scores["new"])["2026-05"]["verdict"] == "worse"
        fall = ["2026-05", "2026-06"]
        old, new = inside_of(scores, *fall).estimates
        change, high = change_in(scores, *fall)
        assert high < 0
        made, lines = made_of(scores)
        now = f"Since 2026-05, new scores {new:.2f} and old {old:.2f}: {change}."
        assert f" in 2026-05. {now} Over all months, new is better than old: " in lines["Model"]
        heading = "new is worse than old since 2026-05; over all months, it is better: +0."
        assert made.parts[0].sentence.startswith(heading)
        assert not [text for text in made.parts[0].more if ", too: " in text]


FALLEN = months_with(2.7, m6=0.6)


class TestTheMonths:
    """The scores of both models in the latest month stand in the first line already."""

    def both_of(self, scores):
        new, old = (monthly(scores[name])["2026-06"]["estimate"] for name in ("new", "old"))
        return f"There, new scores {new:.2f}, and old {old:.2f}."

    def test_the_model_to_use_may_have_no_difference(self):
        scores = pair(FALLEN, 1.6)
        assert {row["verdict"] for row in monthly(scores["old"]).values()} == {"undecided"}
        made, lines = made_of(scores)
        nothing = "For old, no difference between the months is shown."
        among = "Among the other months, no difference is shown."
        assert lines["By month"] == f"{made.parts[1].sentence} {among} {nothing}"
        assert self.both_of(scores) in made.parts[1].more
        assert made.parts[1].more[-1] == nothing

    @pytest.mark.parametrize(
        ("shift", "words"), [(0.3, "scores only {:.2f} in"), (3, "rises to {:.2f} in")]
    )
    def test_the_model_to_use_may_differ_in_another_month(self, shift, words):
        scores = pair(FALLEN, months_with(1.6, m2=shift))
        score = monthly(scores["old"])["2026-02"]["estimate"]
        made, lines = made_of(scores)
        change = f"old {words.format(score)} 2026-02."
        assert lines["Model"].startswith("Use old for now: ")
        assert lines["By month"].endswith(f" {change}")
        assert made.parts[1].more[-1] == change
        assert self.both_of(scores) in made.parts[1].more
        assert "There, new" not in lines["By month"]

    def test_the_model_to_use_may_have_a_trend(self):
        scores = pair(FALLEN, np.linspace(1.2, 2.2, 6))
        found = compare_segments(Y, scores["old"], MONTH.astype("M8[M]"))
        assert found.trend_low > 0
        _, lines = made_of(scores)
        assert lines["Model"].startswith("Use old for now: ")
        rise = f"The score of old rises by {found.trend:.2f} a month."
        assert lines["By month"].endswith(f" {rise}")

    def test_a_difference_that_is_not_beyond_doubt_has_its_range(self):
        for shift in np.linspace(1.5, 0.8, 36):
            scores = pair(FALLEN, months_with(1.6, m2=shift))
            rows = monthly(scores["old"])
            if 0.01 < rows["2026-02"]["adjusted_pvalue"] < 0.05:
                break
        else:
            pytest.fail("no such difference")
        assert rows["2026-02"]["verdict"] == "worse"
        low, *_, high = sorted(rows.values(), key=lambda row: row["estimate"])
        assert low["segment"] == "2026-02"
        latest = rows["2026-06"]
        limits = f"(95% interval {latest['low']:.2f} to {latest['high']:.2f})"
        _, lines = made_of(scores)
        assert lines["By month"].endswith(
            f" old scores from {low['estimate']:.2f} in 2026-02 to {high['estimate']:.2f} in "
            f"{high['segment']}; the latest, 2026-06, {latest['estimate']:.2f} {limits}."
        )


def test_the_lead_before_the_fall_is_told_below_the_heading():
    scores = pair(months_with(3.0, m6=0.2), 1.9)
    part = report(Y, scores, segments={"month": MONTH}, parts=["comparison"]).parts[0]
    assert part.more[0].startswith("Use old for now: new falls ")
    assert part.more[-1] == lead_in(scores, *NAMES[:5])
