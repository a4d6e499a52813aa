"""Worse segments whose rows fill the top of a ranking, and what is scored without them."""

import re
from types import MappingProxyType

import numpy as np
import pytest
from sklearn.metrics import average_precision_score

from sklearn_ap import compare_average_precision, compare_segments, report

N = 3_000
RNG = np.random.default_rng(4)
NAMES = "Riverside", "Hillside", "Northgate", "Eastend"
HOSPITAL = RNG.choice(NAMES, N, p=[0.21, 0.29, 0.25, 0.25])
IS_RIVERSIDE = HOSPITAL == "Riverside"
Y = RNG.random(N) < 0.15
NOISE = RNG.normal(size=N)
SHARE = IS_RIVERSIDE.mean()
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def shifted(shift):
    """Scores that rank the rows of one hospital at random, and higher by a number."""
    return np.where(IS_RIVERSIDE, shift, 1.9 * Y) + NOISE


def lines_of(scores, y=Y, hospital=HOSPITAL, **options):
    """The first lines, by their questions, and the part about hospitals."""
    parts = ["data", "segments"]
    scores = scores if isinstance(scores, dict) else {"risk": scores}
    made = report(y, scores, segments={"hospital": hospital}, parts=parts, **options)
    return {line.question: line.answer for line in made.summary}, made


def rows_of(score):
    return compare_segments(Y, score, HOSPITAL).rows()


def n_in_top(score, rows=IS_RIVERSIDE):
    return np.count_nonzero(rows[np.argsort(-score)[:100]])


def crowd_in(lines):
    """The sentence about the top rows, if there is one."""
    found = re.search(r"(?:All|\d+) of the top 100 rows are .*? scores 0\.\d+\.", lines["Distrust"])
    return found and found[0]


def sentence(count, score, y=Y, name="risk", rows=IS_RIVERSIDE, **options):
    others = average_precision_score(y[~rows], score[~rows], **options)
    share = f"{100 * rows.mean():.2g}% of all rows"
    has = f"hospital Riverside, which has {share}"
    return f"{count} of the top 100 rows are of {has}; without it, {name} scores {others:.2f}."


@pytest.mark.parametrize("shift", [3.5, 9.0])
def test_a_worse_segment_that_fills_the_top_is_named_with_the_score_without_it(shift):
    score = shifted(shift)
    n_top = n_in_top(score)
    assert (n_top == 100) == (shift == 9)
    assert n_top > 80
    count = "All" if n_top == 100 else n_top
    lines, made = lines_of(score)
    assert crowd_in(lines) == sentence(count, score)
    assert "but risk scores less in Riverside." in lines["Distrust"]
    owners = [row[1] for row in made.parts[-1].cells if row[0] == crowd_in(lines)]
    assert owners == ["Segments by hospital"]


def test_a_segment_that_fills_less_than_twice_its_share_of_the_top_is_not_named():
    are_named = []
    for shift in np.linspace(0, 2.5, 26):
        score = shifted(shift)
        verdicts = {row["segment"]: row["verdict"] for row in rows_of(score)}
        assert verdicts["Riverside"] == "worse"
        is_named = n_in_top(score) >= 2 * 100 * SHARE
        lines, _ = lines_of(score)
        assert crowd_in(lines) == (sentence(n_in_top(score), score) if is_named else None)
        are_named.append(is_named)
    assert {*are_named} == {False, True}


def test_a_segment_that_fills_the_top_as_its_positives_deserve_is_not_named():
    score = np.where(IS_RIVERSIDE, 5.0, 1.9) * Y + NOISE
    assert n_in_top(score) > 80
    lines, _ = lines_of(score)
    assert crowd_in(lines) is None


@pytest.mark.parametrize(("n_top", "is_named"), [(19, False), (20, True)])
def test_fewer_than_twenty_of_the_top_rows_are_no_crowd(n_top, is_named):
    rows = np.flatnonzero(~Y)[:n_top]
    small = np.flatnonzero(Y)[:60]
    is_small = np.zeros(N, dtype=bool)
    is_small[rows] = is_small[small] = True
    score = 1.9 * Y + NOISE
    score[rows] = 20 + NOISE[rows]
    score[small] = -3 + NOISE[small]
    hospital = np.where(is_small, "Riverside", HOSPITAL)
    hospital[IS_RIVERSIDE & ~is_small] = "Hillside"
    assert is_small.mean() < 0.05
    assert n_in_top(score, is_small) == n_top
    lines, _ = lines_of(score, hospital=hospital)
    assert "but risk scores less in Riverside." in lines["Distrust"]
    expected = sentence(n_top, score, rows=is_small) if is_named else None
    assert crowd_in(lines) == expected


def test_the_score_without_it_is_at_the_prevalence_of_the_user():
    score = shifted(3.5)
    rest = Y[~IS_RIVERSIDE]
    weight = np.where(rest, 1.0, rest.sum() / np.sum(~rest) * (1 - 0.1) / 0.1)
    lines, _ = lines_of(score, prevalence=0.1)
    assert crowd_in(lines) == sentence(n_in_top(score), score, sample_weight=weight)
    assert crowd_in(lines) != sentence(n_in_top(score), score)


def test_the_best_of_two_models_is_named():
    scores = {"new": shifted(3.5), "old": 0.3 * Y + RNG.normal(size=N)}
    lines, _ = lines_of(scores)
    assert crowd_in(lines) == sentence(n_in_top(scores["new"]), scores["new"], name="new")


@pytest.mark.parametrize(
    "options",
    [{"sample_weight": np.ones(N)}, {"queries": np.arange(N) // 500}],
    ids=["weights", "queries"],
)
def test_rows_of_weights_and_of_queries_have_no_top(options):
    lines, _ = lines_of(shifted(3.5), **options)
    assert crowd_in(lines) is None


class TestTheSecondModel:
    """Months whose scores are too high for a model push it below the other one."""

    MONTH = np.array([f"2026-{i:02d}" for i in range(1, 13)])[np.arange(8 * N) % 12]
    IS_LATE = MONTH >= "2026-11"
    LABELS = np.tile(Y, 8) & (RNG.random(8 * N) < 0.08)
    NOISE = RNG.normal(size=(2, 8 * N))
    BOOSTED = np.where(IS_LATE, 1.6 * LABELS + 3 * NOISE[0], 1.9 * LABELS + NOISE[0])
    MODELS = MappingProxyType({"rules": 1.6 * LABELS + NOISE[1], "boosted": BOOSTED})

    def made_of(self, models=None, **options):
        parts = ["comparison", "segments"]
        segments = {"month": self.MONTH}
        return report(self.LABELS, models or self.MODELS, segments=segments, parts=parts, **options)

    def test_the_claim_says_how_they_differ_without_these_months(self):
        kept = ~self.IS_LATE
        pair = {name: self.MODELS[name][kept] for name in ("boosted", "rules")}
        found = compare_average_precision(self.LABELS[kept], pair)
        limits = found.differences[1], found.difference_lows[1], found.difference_highs[1]
        change = "{:+.2f} (95% interval {:+.2f} to {:+.2f})".format(*limits)
        assert limits[2] < 0
        sentence = self.made_of().parts[0].sentence
        assert sentence.startswith("rules is better than boosted: +0.")
        assert sentence.endswith(f", but worse than boosted without 2026-11 and 2026-12: {change}.")

    def test_the_doubt_counts_the_top_rows(self):
        score, late = self.MODELS["boosted"], self.IS_LATE
        assert n_in_top(score, late) == 100
        prevalence = self.LABELS.mean()
        own = self.LABELS[~late].mean()
        weight = np.where(self.LABELS, prevalence / own, (1 - prevalence) / (1 - own))[~late]
        others = average_precision_score(self.LABELS[~late], score[~late], sample_weight=weight)
        doubt = (
            f"All of the top 100 rows by boosted are of 2026-11 and 2026-12, which have 17% of "
            f"all rows; without them, boosted scores {others:.2f}: look at its inputs or scores "
            f"there."
        )
        assert doubt in self.made_of().summary[-1].answer

    def test_months_with_more_positives_are_no_crowd(self):
        labels = self.LABELS | (self.IS_LATE & (RNG.random(8 * N) < 0.1))
        score = 1.8 * labels + RNG.normal(size=8 * N)
        assert n_in_top(score, self.IS_LATE) > 2 * 17
        models = {"rules": self.MODELS["rules"], "boosted": score}
        parts = ["comparison", "segments"]
        made = report(labels, models, segments={"month": self.MONTH}, parts=parts)
        assert "of the top 100" not in made.summary[-1].answer

    def test_weights_have_no_number_of_top_rows(self):
        weight = 1 + np.arange(8 * N) % 2
        assert "of the top 100" not in self.made_of(sample_weight=weight).summary[-1].answer
