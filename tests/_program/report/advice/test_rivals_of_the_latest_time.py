"""Another model that is better in the latest quarter, or in a country, than the best one."""

import re

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, compare_segments, report

N = 8_000
RNG = np.random.default_rng(2)
NAMES = [f"202{5 + i // 4}-Q{i % 4 + 1}" for i in range(8)]
STEP = np.arange(N) % 8
QUARTER = np.array(NAMES)[STEP]
IS_LAST = QUARTER == "2026-Q4"
Y = RNG.random(N) < 0.12
NOISE = RNG.normal(size=(4, N))
PLACE = "2026-Q4, the latest quarter"
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def models_with(rise, usual=1.2, steady=2.0):
    """A model of steady scores, and one whose positives stand higher in the last quarters."""
    shift = np.where(STEP % 4 == 3, rise, usual)
    return {"steady": steady * Y + NOISE[0], "seasonal": shift * Y + NOISE[1]}


def made_of(models, y=Y, segments=QUARTER, name="quarter", **options):
    parts = ["comparison", "segments"]
    return report(y, models, segments={name: segments}, parts=parts, **options)


def answer_of(made):
    return next(line.answer for line in made.summary if line.question == "Model")


def difference(models, rows=slice(None), level=0.95, names=("steady", "seasonal"), y=Y):
    """How much more the first of two models scores on some rows, and the limits."""
    best, other = names
    pair = {name: models[name][rows] for name in (other, best)}
    options = {"prevalence": y.mean(), "confidence_level": level}
    found = compare_average_precision(y[rows], pair, **options)
    return found.differences[1], found.difference_lows[1], found.difference_highs[1]


def adjusted(n_tests):
    """The level of one of several tests, by Bonferroni's rule."""
    return 1 - 0.05 / n_tests


def numbers(change, kind="adjusted 95% interval"):
    return "{:+.2f} ({} {:+.2f} to {:+.2f})".format(change[0], kind, *change[1:])


def verdicts_of(score, y=Y):
    return [row["verdict"] for row in compare_segments(y, score, QUARTER).rows()]


class TestTwoModels:
    MODELS = models_with(3.0)

    def test_the_other_one_is_better_in_the_latest_quarter_though_the_best_has_not_fallen(self):
        assert {*verdicts_of(self.MODELS["steady"])} == {"undecided"}
        change = difference(self.MODELS, IS_LAST, adjusted(8))
        assert change[2] < 0
        over_all = difference(self.MODELS)
        assert over_all[1] > 0
        claim = f"steady is better than seasonal: {numbers(over_all, '95% interval')}"
        worse = f"but worse than seasonal in {PLACE}: {numbers(change)}."
        made = made_of(self.MODELS)
        assert made.parts[0].sentence == f"{claim}, {worse}"
        assert answer_of(made).startswith(f"{claim}, {worse} ")
        assert "for now" not in answer_of(made)  # steady is as good as ever
        assert "Use seasonal" not in answer_of(made)

    def test_it_stands_behind_a_claim_that_nothing_is_shown(self):
        models = models_with(3.0, usual=1.45, steady=1.9)
        _, low, high = difference(models)
        assert low < 0 < high
        assert {*verdicts_of(models["steady"])} == {"undecided"}
        change = difference(models, IS_LAST, adjusted(8))
        assert change[2] < 0
        made = made_of(models)
        assert made.parts[0].sentence.endswith("no difference is shown.")
        text = f"In {PLACE}, however, steady is worse than seasonal: {numbers(change)}."
        assert text in answer_of(made)
        assert text in made.parts[0].more
        assert "This page goes on with steady." in answer_of(made)

    def test_a_quarter_before_the_latest_one_is_not_told(self):
        shift = np.where(QUARTER == "2026-Q3", 3.0, 1.2)
        models = self.MODELS | {"seasonal": shift * Y + NOISE[1]}
        assert difference(models, QUARTER == "2026-Q3", adjusted(8))[2] < 0
        assert "worse than" not in made_of(models).parts[0].sentence

    def test_the_level_is_that_of_one_of_all_quarters(self):
        is_told = []
        for rise in np.linspace(1.7, 3, 14):
            models = models_with(rise)
            if difference(models)[1] <= 0:
                continue
            single, strict = (difference(models, IS_LAST, adjusted(n))[2] < 0 for n in (1, 8))
            told = f"worse than seasonal in {PLACE}" in made_of(models).parts[0].sentence
            assert told == strict
            is_told.append((single, strict))
        assert {*is_told} == {(False, False), (True, False), (True, True)}

    def test_a_model_that_may_be_no_better_than_chance_there_is_not_worse(self):
        kept = ~IS_LAST | (np.arange(N) // 8 % 10 == 0)  # the last quarter has few rows
        shifts = {
            "steady": np.where(IS_LAST, 0.7, 2.0),
            "seasonal": np.where(IS_LAST, 2.2, 1.4),
        }
        models = {
            name: (shift * Y + noise)[kept]
            for (name, shift), noise in zip(shifts.items(), NOISE, strict=False)
        }
        y = Y[kept]
        latest = {
            name: compare_segments(y, score, QUARTER[kept]).rows()[-1]
            for name, score in models.items()
        }
        assert {row["verdict"] for row in latest.values()} == {"undecided"}
        assert latest["steady"]["low"] < y.mean() < latest["seasonal"]["low"]
        assert difference(models, IS_LAST[kept], adjusted(8), y=y)[2] > 0
        made = made_of(models, y, QUARTER[kept])
        assert made.parts[0].sentence.startswith("steady is better than seasonal: ")
        assert "worse than" not in made.parts[0].sentence

    def test_a_country_is_not_the_latest(self):
        shop = np.array([*"ABCDEFGH"])[STEP]
        change = difference(self.MODELS, IS_LAST, adjusted(8))
        made = made_of(self.MODELS, segments=shop, name="shop")
        worse = f"worse than seasonal in shop H: {numbers(change)}."
        assert made.parts[0].sentence.endswith(f", but {worse}")
        assert "for now" not in made.summary[0].answer


class TestThreeModels:
    MODELS = models_with(3.0) | {"rule": 0.8 * Y + NOISE[2]}

    def test_the_level_counts_the_other_models(self):
        change = difference(self.MODELS, IS_LAST, adjusted(8 * 2))
        assert change[2] < 0
        assert numbers(change) != numbers(difference(self.MODELS, IS_LAST, adjusted(8)))
        made = made_of(self.MODELS)
        worse = f"but worse than seasonal in {PLACE}: {numbers(change)}."
        assert made.parts[0].sentence.startswith("steady is the best of 3 models: 0.")
        assert made.parts[0].sentence.endswith(f", {worse}")
        assert worse in answer_of(made)

    def test_it_is_told_if_the_difference_is_shown_at_that_level(self):
        is_told = []
        for rise in np.linspace(2.0, 3, 21):
            models = self.MODELS | models_with(rise)
            two, three = (difference(models, IS_LAST, adjusted(n))[2] < 0 for n in (8, 16))
            told = f"worse than seasonal in {PLACE}" in made_of(models).parts[0].sentence
            assert told == three
            is_told.append((two, three))
        assert (True, False) in is_told
        assert (True, True) in is_told

    def test_the_best_of_several_rivals_is_named(self):
        models = self.MODELS | {"rule": np.where(IS_LAST, 5.0, 0.8) * Y + NOISE[2]}
        changes = [
            difference(models, IS_LAST, adjusted(16), ("steady", name))
            for name in ("seasonal", "rule")
        ]
        assert changes[1][0] < changes[0][0] < 0
        worse = f"but worse than rule in {PLACE}: {numbers(changes[1])}."
        assert made_of(models).parts[0].sentence.endswith(worse)


def test_nothing_is_told_in_thirty_samples_of_alike_quarters():
    for seed in range(30):
        rng = np.random.default_rng(seed)
        y = rng.random(N) < 0.12
        models = {name: 1.6 * y + rng.normal(size=N) for name in ("one", "two")}
        made = made_of(models, y)
        assert "worse than" not in f"{answer_of(made)} {made.parts[0].sentence}"


M = 9_000
COUNTRY = np.array(["DE", "ES", "IT"])[np.arange(M) % 3]
IS_IT = COUNTRY == "IT"
LABEL = np.random.default_rng(0).random(M) < 0.08
ERROR = np.random.default_rng(1).normal(size=(2, M))


def contenders(challenger, champion, in_it=-0.2):
    """Scores of which one model ranks the positives of IT last."""
    shift = np.where(IS_IT, in_it, challenger)
    return {
        "challenger": shift * LABEL + ERROR[0],
        "champion": champion * LABEL + ERROR[1],
    }


def advice_without_a_winner(models):
    """The first lines about models of which no difference is shown over all rows."""
    _, low, high = difference(models, names=("challenger", "champion"), y=LABEL)
    assert low < 0 < high
    made = made_of(models, LABEL, COUNTRY, "country")
    assert "no difference is shown" in made.parts[0].sentence.lower()
    assert "other grounds" not in repr(made)
    return made.parts[0], answer_of(made)


def test_the_best_model_that_fails_inside_a_country_gives_way_to_the_other_one_there():
    models = contenders(2.15, 1.5)
    change = difference(models, IS_IT, adjusted(3), ("challenger", "champion"), LABEL)
    assert change[2] < 0 < difference(models, names=("challenger", "champion"), y=LABEL)[0]
    lead = difference(models, ~IS_IT, names=("challenger", "champion"), y=LABEL)
    assert lead[1] > 0
    part, answer = advice_without_a_winner(models)
    test = (
        f"In country IT, however, challenger is worse than champion: {numbers(change)}. "
        f"In the other countries, it is better: {numbers(lead, '95% interval')}."
    )
    advice = "Use champion in country IT and challenger elsewhere."
    assert answer.startswith(f"{advice} challenger scores 0.")
    assert f" {test} challenger scores 0." in answer
    assert part.more[:2] == [test, advice]
    assert "outside" not in answer


@pytest.mark.parametrize(("challenger", "is_shown"), [(1.9, False), (2.0, True)])
def test_a_model_is_said_to_be_better_elsewhere_if_that_is_shown(challenger, is_shown):
    """Over all rows, another scale of IT makes both models alike."""
    names = "challenger", "champion"
    models = {
        "challenger": np.where(IS_IT, 0.6, challenger) * LABEL + ERROR[0],
        "champion": np.where(IS_IT, 1.9, 1.8) * LABEL + 1.5 * IS_IT + ERROR[1],
    }
    assert difference(models, IS_IT, adjusted(3), names, LABEL)[2] < 0
    lead = difference(models, ~IS_IT, names=names, y=LABEL)
    assert (lead[1] > 0) == is_shown
    part, answer = advice_without_a_winner(models)
    assert " In country IT, however, challenger is worse than champion: -0." in answer
    text = f" In the other countries, it is better: {numbers(lead, '95% interval')}."
    assert (text in answer) == ("In the other countries" in answer) == is_shown
    assert (text.strip() in " ".join(part.more)) == is_shown
    both = "Use champion in country IT and challenger elsewhere."
    assert answer.startswith(both) == (both in answer) == (both in part.more) == is_shown
    other = "Use champion in country IT; elsewhere, this page uses challenger."
    assert (f" {other} " in answer) == (other in part.more) != is_shown


def test_the_second_model_that_fails_inside_a_country_is_advised_outside_of_it():
    models = contenders(2.0, 1.5)
    names = "champion", "challenger"
    assert difference(models, names=names, y=LABEL)[0] > 0
    lead = difference(models, ~IS_IT, names=names, y=LABEL)
    assert lead[2] < 0
    part, answer = advice_without_a_winner(models)
    score = next(
        row["estimate"]
        for row in compare_segments(LABEL, models["challenger"], COUNTRY).rows()
        if row["segment"] == "IT"
    )
    less = f"{-lead[0]:.2f} less than challenger (95% interval {-lead[2]:.2f} to {-lead[1]:.2f})"
    text = re.search(
        rf" Without (?:country )?IT, where challenger scores (0\.\d+), champion scores "
        rf"{re.escape(less)}\. Use challenger outside country IT\. champion scores 0\.",
        answer,
    )
    assert float(text[1]) == pytest.approx(score, abs=0.005)
    assert "Use challenger outside country IT." in part.more
    assert "however" not in answer


def test_a_country_that_the_data_do_not_tell_apart_changes_no_advice():
    models = contenders(1.6, 1.55, in_it=1.5)
    _, low, high = difference(models, names=("challenger", "champion"), y=LABEL)
    assert low < 0 < high
    answer = answer_of(made_of(models, LABEL, COUNTRY, "country"))
    assert "on other grounds, or collect more rows. This page goes on with " in answer
    assert "country" not in answer
