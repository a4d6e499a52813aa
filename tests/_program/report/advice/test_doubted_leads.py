"""A country where the best of two models may not be better, though it is over all rows."""

import numpy as np
import pytest

from sklearn_ap import compare_average_precision, compare_segments, report

N = 12_000
RNG = np.random.default_rng(0)
COUNTRY = np.array(["DE", "ES", "FR", "IT"])[np.arange(N) % 4]
IS_IT = COUNTRY == "IT"
Y = RNG.random(N) < 0.08
NOISE = RNG.normal(size=(3, N))
TEXT = "it is not shown to be better"
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def pair(in_it, new=2.4):
    """A model that ranks worse in Italy, and another one that does not."""
    return {"old": 1.5 * Y + NOISE[0], "new": np.where(IS_IT, in_it, new) * Y + NOISE[1]}


def answer_of(models, segments=COUNTRY, name="country"):
    parts = ["comparison", "segments"]
    return report(Y, models, segments={name: segments}, parts=parts).summary[0].answer


def change_in_it(models):
    """How much more new scores than old in Italy, at the level of one of four countries."""
    pair = {name: models[name][IS_IT] for name in ("old", "new")}
    found = compare_average_precision(
        Y[IS_IT], pair, prevalence=Y.mean(), confidence_level=1 - 0.05 / 4
    )
    return found.differences[1], found.difference_lows[1], found.difference_highs[1]


def test_it_is_told_of_a_worse_country_in_which_the_other_model_scores_more():
    found = set()
    for in_it in np.linspace(0.9, 1.9, 11):
        models = pair(in_it)
        if compare_segments(Y, models["new"], COUNTRY).rows()[-1]["verdict"] != "worse":
            continue
        value, low, high = change_in_it(models)
        answer = answer_of(models)
        assert answer.startswith("new is better than old: +0.")
        is_told = bool(value < 0 < high)
        numbers = f"{value:+.2f} (adjusted 95% interval {low:+.2f} to {high:+.2f})"
        assert (f" In country IT, {TEXT}: {numbers}." in answer) == (TEXT in answer) == is_told
        assert (", but worse than old in country IT: " in answer) == (high < 0)
        found.add((bool(value < 0), bool(high < 0)))
    assert found == {(False, False), (True, False), (True, True)}


def test_months_have_no_such_text():
    month = np.char.add("2026-0", (1 + np.arange(N) % 4).astype(str))
    assert TEXT in answer_of(pair(1.4))
    assert TEXT not in answer_of(pair(1.4), month, "month")


def test_three_models_have_no_such_text():
    assert TEXT not in answer_of(pair(1.4) | {"noise": NOISE[2]})


def test_countries_that_are_alike_have_no_such_text():
    assert TEXT not in answer_of(pair(2.4))
