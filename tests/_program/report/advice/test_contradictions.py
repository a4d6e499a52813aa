"""Sentences of one page that would contradict each other, or advise what cannot hold."""

import re

import numpy as np
import pytest

from sklearn_ap import average_precision_score, report

MONTHS = [f"2026-{i:02d}" for i in range(1, 13)]
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def draw(seed, n, shift=2.0, n_months=6):
    """Labels, two scores that rank alike, countries and months."""
    rng = np.random.default_rng(seed)
    y = rng.random(n) < 0.1
    scores = {name: (shift + 0.2 * i) * y + rng.normal(size=n) for i, name in enumerate("AB")}
    country = rng.choice(["DE", "FR", "IT", "ES", "PL"], n)
    return rng, y, scores, country, rng.choice(MONTHS[:n_months], n)


def answers(*args, **options):
    return {line.question: line.answer for line in report(*args, **options).summary}


def test_no_limit_follows_a_sentence_that_no_difference_is_shown():
    rng, y, scores, country, _ = draw(31, 4_000, 1.5)
    scores["B"] = np.where(country == "DE", 0, 1.7 * y) + rng.normal(size=y.size)
    columns = {"country": country, "land": country}
    model = answers(y, scores, segments=columns)["Model"]
    assert "no difference is shown" in model
    assert "no difference is shown, but" not in model


def test_a_random_order_is_not_advised_for_a_country():
    """The best model is reversed there, so a random order is better by far."""
    rng, y, scores, country, _ = draw(62, 6_000)
    inside = country == "DE"
    scores["B"] = np.where(inside, -2 * y, 2.2 * y) + rng.normal(size=y.size)
    scores["A"] = np.where(inside, 0, 0.8 * y) + rng.normal(size=y.size)
    assert average_precision_score(y[inside], scores["A"][inside]) < 0.13
    page = report(y, scores, segments={"country": country})
    text = " ".join(str(page).split())
    assert "Use A" not in text
    assert "area under the ROC curve" not in text  # that of B in this country alone
    assert "B scores less in DE" in page.summary[-1].answer


def test_a_nearly_perfect_score_in_a_country_may_be_a_leak():
    rng, y, scores, country, _ = draw(46, 8_000)
    scores["A"] = np.where(country == "DE", 7, 1.7) * y + rng.normal(size=y.size)
    lines = answers(y, scores, segments={"country": country})
    assert "Use A in country DE" in lines["Model"]
    leak = r"A scores (0\.9\d+|1\.00) in country DE: look there for labels that leak into scores\."
    assert re.match(leak, lines["Distrust"])
    assert "A score of 1" not in lines["Distrust"]


@pytest.mark.parametrize("order", [1, -1])
def test_tied_top_rows_are_no_crowd_whatever_the_order_of_rows(order):
    rng = np.random.default_rng(0)
    country = np.sort(rng.choice(["AT", "DE", "FR", "IT", "PL"], 6_000))
    y = rng.random(6_000) < 0.1
    share = np.where(y, 0.6, np.where(country == "AT", 0.25, 0.03))
    score = 3.0 * (rng.random(6_000) < share) + (rng.random(6_000) < 0.3)
    assert np.sum(score == score.max()) > 100
    lines = answers(y[::order], score[::order], segments={"country": country[::order]})
    assert "top 100" not in lines["Distrust"]


def test_a_fall_at_the_prevalence_of_the_rows_says_so():
    rng, y, scores, country, month = draw(9, 6_000, n_months=9)
    fallen = (country == "IT") & (month >= "2026-07")
    score = np.where(fallen, rng.normal(size=y.size), scores["A"])
    columns = {"country": country, "month": month}
    text = " ".join(str(report(y, score, segments=columns, prevalence=0.01)).split())
    falls = re.findall(r"falls from 0\.\d+ to 0\.\d+ (.{15})", text)
    assert falls
    assert set(falls) == {f"at prevalence 0.{str(round(y.mean(), 3))[2:]}"[:15]}
