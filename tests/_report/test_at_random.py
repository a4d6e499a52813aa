"""Where a page says that a model ranks as random orders do, and that its first line says so."""

from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap import average_precision_score, chance_test, report
from sklearn_ap._report._advice import AdviceKind
from sklearn_ap._report._at_random import AtRandom, find_at_random
from sklearn_ap._report._fact import select
from tests.helpers.first_cases import quick

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
RNG = np.random.default_rng(3)
N = 8000
Y = RNG.random(N) < 0.08
COUNTRY = np.array(["DE", "FR", "IT", "PL"])[np.arange(N) % 4]
MONTH = np.repeat([f"2026-{i:02d}" for i in range(1, 9)], N // 8)
NOISE = RNG.normal(size=N)
NEW = 2.2 * Y + RNG.normal(size=N)
OLD = 1.4 * Y + RNG.normal(size=N)
IS_PL, IS_LATE = COUNTRY == "PL", MONTH >= "2026-06"
DEAD_THERE = np.where(IS_PL, NOISE, NEW)


def random_facts(found):
    return select(AtRandom, found.facts)


def test_the_first_line_says_where_the_model_to_use_ranks_at_random():
    found = report(Y, {"old": OLD, "new": DEAD_THERE}, segments={"country": COUNTRY})
    advice = found.advice[0]
    (fact,) = random_facts(found)
    assert (advice.kind, advice.model, advice.but_not) == (AdviceKind.USE_BUT_NOT, "new", (fact,))
    assert (fact.place.model, fact.place.segment, fact.other) == ("new", "PL", "old")
    head = advice.sentences[0]
    assert head.startswith("Use new, but not in country PL: there it ranks as random orders do, ")
    assert head.endswith(f", and old {fact.other_score:.2f}.")
    assert f"<h1>{head}</h1>" in found.to_html()


@pytest.mark.parametrize("mistake", quick(["scores", "labels"], 1))
def test_scores_or_labels_that_are_reversed_in_a_place_rank_worse_than_random_orders(mistake):
    scores = np.where(IS_PL & (mistake == "scores"), -NEW, NEW)
    labels = Y ^ (IS_PL & (mistake == "labels"))
    head = report(labels, scores, segments={"country": COUNTRY}).advice[0].sentences[0]
    assert "in country PL: there it ranks worse than random orders, which score" in head
    assert head.endswith("are scores or labels reversed there?")


def test_equal_scores_in_a_place_are_not_reversed():
    found = report(Y, np.where(IS_PL, 0, NEW), segments={"country": COUNTRY})
    assert "there it ranks as random orders do, which" in found.advice[0].sentences[0]


def test_its_numbers_are_those_of_a_test_in_its_rows():
    (fact,) = random_facts(report(Y, DEAD_THERE, segments={"country": COUNTRY}))
    test = chance_test(Y[IS_PL], DEAD_THERE[IS_PL], prevalence=np.mean(Y))
    assert (fact.chance, fact.pvalue) == (test.chance, test.pvalue)
    score = average_precision_score(Y[IS_PL], DEAD_THERE[IS_PL], prevalence=np.mean(Y))
    assert fact.score == pytest.approx(score, rel=1e-12)
    assert "rows = np.asarray(segments['country']) == 'PL'\nchance_test(" in str(fact.calls[1])


@pytest.mark.slow
def test_several_places_stand_in_the_first_line():
    dead = np.where(IS_PL | (COUNTRY == "IT"), NOISE, NEW + Y)
    found = report(Y, dead, segments={"country": COUNTRY})
    head = found.advice[0].sentences[0]
    assert head.startswith("Use model, but not in country ")
    assert " and in country " in head
    assert {fact.place.segment for fact in random_facts(found)} == {"IT", "PL"}
    assert ": In country " in head  # whose numbers these are


def test_a_worse_place_with_skill_is_none():
    weak = NEW + Y - 1.9 * (Y & IS_PL)
    found = report(Y, weak, segments={"country": COUNTRY})
    assert "PL" in {getattr(fact, "segment", "") for fact in found.facts}
    assert not random_facts(found)
    assert found.advice[0].kind is AdviceKind.TELL


@pytest.mark.slow
def test_a_fall_to_random_is_said_and_no_country_is_lost_beside_it():
    old = np.where(IS_PL, NOISE, OLD + 0.6 * Y)
    dead = np.where(IS_LATE, NOISE, NEW + 1.5 * Y)
    found = report(Y, {"old": old, "new": dead}, segments={"month": MONTH, "country": COUNTRY})
    head, since, *_ = found.advice[0].sentences
    assert head.startswith("Use old for now, but not in country PL: new has fallen from ")
    assert since.startswith("Since 2026-06, new ranks as random orders do, which score 0.0")


@pytest.mark.parametrize(
    ("score", "pvalue", "is_random"),
    [(0.23, 0.5, True), (0.25, 0.5, False), (0.23, 0.04, False), (0.15, 0.9, True)],
)
def test_next_to_nothing_is_a_tenth_of_what_other_rows_score_above_chance(score, pvalue, is_random):
    """They score 0.6, where random orders score 0.2: up to 0.24."""
    answer = SimpleNamespace(result=SimpleNamespace(chance=0.2, pvalue=pvalue), call="asked")
    data = SimpleNamespace(has_queries=False)
    questions = SimpleNamespace(data=data, prevalence=0.1, ask=lambda *_, **options: answer)
    difference = SimpleNamespace(value=score - 0.6)
    place = SimpleNamespace(model="a", rows=None, score=score, difference=difference, calls=())
    assert (find_at_random(questions, place, None) is not None) == is_random
