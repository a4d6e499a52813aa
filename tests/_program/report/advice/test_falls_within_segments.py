"""A fall of months inside one channel, which all channels together dilute."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_segments, report

N = 24_000
RNG = np.random.default_rng(3)
NAMES = [f"2026-0{i}" for i in range(1, 9)]
MONTH = np.array(NAMES)[np.arange(N) % 8]
CHANNEL = RNG.choice(["app", "shop", "web"], N, p=[0.15, 0.425, 0.425])
SHOP = np.array([f"s{i:02d}" for i in range(20)])[np.arange(N) // 8 % 20]
IS_APP = CHANNEL == "app"
Y = RNG.random(N) < 0.06
NOISE = RNG.normal(size=N)
COLUMNS = {"month": MONTH, "channel": CHANNEL}
CLEAR = 0.01  # an adjusted p-value below it is beyond doubt
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def score_with(fallen, low=0.0, rows=IS_APP, high=1.9):
    """Scores whose positives stand higher, but less in some months of some rows."""
    return np.where(np.isin(MONTH, fallen) & rows, low, high) * Y + NOISE


ONE = score_with(["2026-08"])
TWO = score_with(["2026-07", "2026-08"])


def made_of(score, columns=COLUMNS, y=Y, **options):
    return report(y, {"gbm": score}, segments=columns, parts=["segments"], **options)


def doubts_of(made):
    return next((line.answer for line in made.summary if line.question == "Distrust"), "")


def falls_told(made):
    """Where the doubts say that months fall."""
    return re.findall(r"Within ([^,]*), gbm falls", doubts_of(made))


def months_inside(score, rows=IS_APP, y=Y, **options):
    """The months of some rows at the prevalence of all rows, by their names."""
    found = compare_segments(y[rows], score[rows], MONTH[rows], prevalence=y.mean(), **options)
    return {row["segment"]: row for row in found.rows()}


def verdicts_over_all_rows(score, y=Y):
    return {row["verdict"] for row in compare_segments(y, score, MONTH).rows()}


@pytest.mark.parametrize(("score", "n_months"), [(ONE, 1), (TWO, 2)], ids=["one", "two"])
def test_the_fall_of_months_inside_a_channel_is_told(score, n_months):
    assert verdicts_over_all_rows(score) == {"undecided"}
    months = months_inside(score)
    worse = [name for name in NAMES if months[name]["verdict"] == "worse"]
    assert worse == NAMES[8 - n_months :]
    assert max(months[name]["adjusted_pvalue"] for name in worse) < CLEAR / 3
    first, last = (f"{months[name]['estimate']:.2f}" for name in (worse[0], worse[-1]))
    latest = f" and scores {last} in 2026-08" if n_months == 2 else ""
    fall = f"gbm falls to {first} in {worse[0]}{latest}: look first at what changed there."
    made = made_of(score)
    assert f"Within channel app, {fall}" in doubts_of(made)
    assert falls_told(made) == ["channel app"]


def test_a_single_model_is_named_as_elsewhere():
    made = report(Y, TWO, segments=COLUMNS, parts=["segments"])
    assert "Within channel app, the model falls to 0." in doubts_of(made)


def test_the_fall_is_that_of_the_best_model():
    rules = {"rules": 0.9 * Y + np.random.default_rng(9).normal(size=N)}
    parts = ["comparison", "segments"]
    made = report(Y, {"gbm": TWO} | rules, segments=COLUMNS, parts=parts)
    assert made.parts[0].sentence.startswith("gbm is better than rules")
    assert falls_told(made) == ["channel app"]
    made = report(Y, {"gbm": TWO - 3 * Y} | rules, segments=COLUMNS, parts=parts)
    assert made.parts[0].sentence.startswith("rules is better than gbm")
    assert "Within" not in doubts_of(made)


def test_a_channel_that_scores_more_in_a_month_is_not_told():
    score = score_with(["2026-08"], low=4)
    latest = months_inside(score)["2026-08"]
    assert latest["verdict"] == "better"
    assert latest["adjusted_pvalue"] < CLEAR / 3
    assert "Within" not in doubts_of(made_of(score))


def test_a_fall_that_is_over_is_not_told():
    score = score_with(NAMES[5:7])
    months = months_inside(score)
    assert [months[name]["verdict"] for name in NAMES[5:]] == ["worse", "worse", "undecided"]
    assert "Within" not in doubts_of(made_of(score))


def test_nothing_is_told_within_if_months_fall_over_all_rows():
    score = score_with(NAMES[6:], rows=True)
    over_all = compare_segments(Y, score, MONTH).rows()
    assert over_all[-1]["verdict"] == "worse"
    assert months_inside(score)["2026-08"]["adjusted_pvalue"] < CLEAR / 3
    doubts = doubts_of(made_of(score))
    assert "months from 2026-07 on" in doubts
    assert "Within" not in doubts


def test_nothing_is_told_in_thirty_samples_without_a_fall():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = rng.random(N) < 0.06
        made = made_of(1.9 * y + rng.normal(size=N), y=y)
        assert "Within" not in doubts_of(made)


def test_a_channel_that_scores_less_in_all_months_has_no_fall():
    score = score_with(NAMES, low=0.9)
    assert compare_segments(Y, score, CHANNEL).rows()[0]["verdict"] == "worse"
    assert {row["verdict"] for row in months_inside(score).values()} == {"undecided"}
    assert "Within" not in doubts_of(made_of(score))


def score_with_pvalue(least, most):
    """Scores that fall inside the app in the last month, by an adjusted p-value in a range."""
    for low in np.linspace(1.5, 0, 151):
        score = score_with(["2026-08"], low=low)
        if least < months_inside(score)["2026-08"]["adjusted_pvalue"] < most:
            return score
    return pytest.fail("no such fall")


@pytest.mark.parametrize(
    ("least", "most", "n_columns"),
    [(CLEAR / 3, CLEAR, 0), (CLEAR / 23, CLEAR / 3, 1), (CLEAR / 200, CLEAR / 23, 2)],
)
def test_p_values_are_adjusted_for_all_pairs_of_a_segment_and_a_column_of_times(
    least, most, n_columns
):
    score = score_with_pvalue(1.1 * least, most / 1.1)
    for n, columns in enumerate((COLUMNS, COLUMNS | {"shop": SHOP}), start=1):
        assert falls_told(made_of(score, columns)) == ["channel app"] * (n <= n_columns)


def test_times_of_two_columns_are_pairs_of_their_own():
    score = score_with_pvalue(1.1 * CLEAR / 6, CLEAR / 3 / 1.1)
    quarter = np.array(["2026-Q1", "2026-Q2"])[RNG.integers(2, size=N)]
    assert falls_told(made_of(score)) == ["channel app"]
    assert falls_told(made_of(score, COLUMNS | {"quarter": quarter})) == []


def test_columns_of_more_than_twenty_segments_are_no_pairs():
    score = score_with_pvalue(1.1 * CLEAR / 23, CLEAR / 3 / 1.1)
    many = np.where(SHOP == "s00", np.where(np.arange(N) % 2, "s20", "s00"), SHOP)
    assert np.unique(many).size == 21
    assert falls_told(made_of(score, COLUMNS | {"shop": many})) == ["channel app"]


def test_the_channels_alone_or_the_months_alone_have_no_fall_within():
    for name, values in COLUMNS.items():
        assert "Within" not in doubts_of(made_of(TWO, {name: values}))


def test_a_channel_of_a_single_cluster_is_passed_over():
    customer = np.where(IS_APP, 0, 1 + np.arange(N) // 2)
    months = months_inside(TWO, clusters=customer[IS_APP])
    assert {(row["low"], row["high"]) for row in months.values()} == {(0, 1)}
    assert falls_told(made_of(TWO, clusters=customer)) == []
    assert falls_told(made_of(TWO, clusters=np.arange(N) // 2)) == ["channel app"]


def test_a_channel_without_positives_in_an_earlier_month_falls_nevertheless():
    kept = ~(IS_APP & Y & (MONTH == "2026-02"))
    columns = {name: values[kept] for name, values in COLUMNS.items()}
    made = made_of(TWO[kept], columns, Y[kept])
    prevalence = Y[kept].mean()
    rows = (kept & IS_APP & (MONTH != "2026-02")).nonzero()[0]
    inside = compare_segments(Y[rows], TWO[rows], MONTH[rows], prevalence=prevalence).rows()
    first, last = (f"{row['estimate']:.2f}" for row in inside[-2:])
    fall = f"gbm falls to {first} in 2026-07 and scores {last} in 2026-08"
    assert f"Within channel app, {fall}: look first" in doubts_of(made)


@pytest.mark.parametrize("has_positives", [False, True], ids=["no positives", "positives alone"])
def test_a_channel_without_a_score_in_the_latest_month_has_no_fall(has_positives):
    score = score_with(NAMES[5:7])
    kept = ~(IS_APP & (MONTH == "2026-08") & np.logical_xor(Y, has_positives))
    inside = kept & IS_APP & (MONTH != "2026-08")
    assert months_inside(score, inside)["2026-07"]["adjusted_pvalue"] < CLEAR / 3
    columns = {name: values[kept] for name, values in COLUMNS.items()}
    assert "Within" not in doubts_of(made_of(score[kept], columns, Y[kept]))


def test_a_channel_of_a_single_month_is_passed_over():
    kept = ~IS_APP | (MONTH == "2026-08")
    columns = {name: values[kept] for name, values in COLUMNS.items()}
    assert "Within" not in doubts_of(made_of(TWO[kept], columns, Y[kept]))


def test_a_channel_without_positives_is_passed_over():
    kept = ~(IS_APP & Y)
    columns = {name: values[kept] for name, values in COLUMNS.items()}
    assert "Within" not in doubts_of(made_of(TWO[kept], columns, Y[kept]))


class TestManyWeeks:
    """Single weeks of a channel have few positives, and all since a fall are tested together."""

    NAMES = tuple(f"2026-W{i:02d}" for i in range(1, 17))
    WEEK = np.array(NAMES)[np.arange(N) // 8 % 16]

    def since(self, first, low=0.0, last=None):
        names = self.NAMES[first:last]
        return np.where(np.isin(self.WEEK, names) & IS_APP, low, 1.9) * Y + NOISE

    def weeks_inside(self, score):
        found = compare_segments(Y[IS_APP], score[IS_APP], self.WEEK[IS_APP], prevalence=Y.mean())
        return found.rows()

    def test_the_scores_since_a_week_and_before_it_are_told(self):
        score = self.since(12, low=0.5)
        rows = self.weeks_inside(score)
        assert all(row["adjusted_pvalue"] > CLEAR / 3 for row in rows[12:])  # of three channels
        times = np.where(self.NAMES[12] <= self.WEEK, "since", "before")[IS_APP]
        both = compare_segments(
            Y[IS_APP], score[IS_APP], times, prevalence=Y.mean(), reference="before"
        ).rows()
        before, since = (f"{row['estimate']:.2f}" for row in both)
        assert 15 * 3 * both[1]["pvalue"] < CLEAR  # weeks at which it could begin, and channels
        fall = f"gbm falls from {before} to {since} since 2026-W13"
        made = made_of(score, {"week": self.WEEK, "channel": CHANNEL})
        assert f"Within channel app, {fall}: look first at what changed there." in doubts_of(made)

    def test_weeks_that_are_over_are_not_told(self):
        made = made_of(self.since(9, last=13), {"week": self.WEEK, "channel": CHANNEL})
        assert not falls_told(made)

    def test_equal_weeks_are_not_told(self):
        assert not falls_told(made_of(self.since(16), {"week": self.WEEK, "channel": CHANNEL}))

    def test_the_heading_says_where_the_better_model_falls(self):
        models = {"gbm": self.since(12, low=0.2), "lr": 1.2 * Y + RNG.normal(size=N)}
        columns = {"week": self.WEEK, "channel": CHANNEL}
        made = report(Y, models, segments=columns, parts=["comparison", "segments"])
        fall = r"falls from 0\.\d+ to 0\.\d+ in channel app since 2026-W13\."
        pattern = rf"gbm is better than lr: .*, but {fall}"
        assert re.match(pattern, made.parts[0].sentence)
        assert re.match(pattern, made.summary[0].answer)

    def test_the_heading_of_a_single_model_says_it_too(self):
        made = report(
            Y,
            self.since(12, low=0.2),
            segments={"week": self.WEEK, "channel": CHANNEL},
            parts=["score", "segments"],
        )
        pattern = r".*; it falls from 0\.\d+ to 0\.\d+ in channel app since 2026-W13\."
        assert re.fullmatch(pattern, made.parts[0].sentence)

    def test_a_latest_week_that_is_a_bit_better_by_chance_does_not_end_a_fall(self):
        """The week is higher than the others since the fall, though its interval is wide."""
        score = self.since(12, low=0.5)
        last = IS_APP & Y & (self.NAMES[-1] == self.WEEK)
        score[np.flatnonzero(last)[:4]] += 2.5
        rows = self.weeks_inside(score)
        assert rows[-1]["high"] > np.mean([row["estimate"] for row in rows[:12]])
        made = made_of(score, {"week": self.WEEK, "channel": CHANNEL})
        assert " since 2026-W13: look first at what changed there." in doubts_of(made)
