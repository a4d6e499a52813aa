"""The score beside that of random orders: levels, clusters, weights and prevalence."""

import re

import numpy as np
import pytest
from report_data import AB, GROUP, NOISE, WEIGHT, B, N, Y, is_shown, number, part, quiet, shows

from sklearn_ap import average_precision_interval, average_precision_score, chance_test, report


@quiet
def test_score_part_of_clusters_shows_chance_without_p_value():
    head, row, _ = part("The score", Y, AB, clusters=GROUP).cells
    assert is_shown(row[1], average_precision_interval(Y, B, clusters=GROUP))
    chance = chance_test(Y, B, n_permutations=1).chance
    assert head[2:] == ["random order"]  # and no empty column
    assert shows(row[2], chance)


@quiet
@pytest.mark.parametrize(("shift", "is_sure"), [(2, True), (0.3, False)])
def test_interval_decides_at_levels_beyond_999_permutations(shift, is_sure):
    y = np.arange(600) % 5 == 0
    score = shift * y + np.random.default_rng(0).normal(size=600)
    found = report(y, score, confidence_level=1 - 1e-7).parts[1]
    assert ("than a random order" not in found.sentence) == is_sure
    assert "99.99999% interval" in found.sentence


@quiet
def test_score_part_uses_weights_and_prevalence():
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


def test_note_explains_a_precision_of_100_percent():
    (note,) = part("The score", Y, Y + 0.5 * np.random.default_rng(0).random(N)).notes
    assert "precision of 1.00 means" in note
    assert "100% of the rows" in note


@quiet
def test_an_interval_that_holds_the_score_of_random_orders_is_doubted():
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
@pytest.mark.parametrize(("share", "places"), [(0.2, 2), (0.05, 3)])
def test_a_weak_score_has_the_digits_of_random_orders_and_more_where_both_would_look_equal(
    share, places
):
    extra_digits = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        y = rng.random(3000) < share
        score = rng.normal(size=3000)
        sentence = report(y, score, parts=["score"]).parts[0].sentence
        numbers = re.search(
            r": (0\.\d+) \(95% interval (\S+) to (\S+)\) against (\S+)\.$", sentence
        )
        if numbers is None:  # it is clearly better, by luck
            continue
        value, low, high, random = numbers.groups()
        n_digits = len(value) - 2
        assert len(random) - 2 == n_digits == len(low) - 2 == len(high) - 2
        found = average_precision_interval(y, score)
        chance = chance_test(y, score, n_permutations=999).chance
        assert shows(value, found.estimate)
        assert shows(random, chance)
        tell_apart = (n for n in range(places, 5) if f"{found.estimate:.{n}f}" != f"{chance:.{n}f}")
        assert n_digits == next(tell_apart, 5)
        extra_digits.add(n_digits - places)
    assert extra_digits >= {0, 1}
