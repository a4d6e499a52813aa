"""Our own scores and definitions have entries, and any two numbers are explained."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from compat_inputs import NAMES, OWN, Before, LastRecall, OfTwice, S, Y

import sklearn_ap
from sklearn_ap import compat, definitions, metrics
from sklearn_ap.compat._checked_predictions import check_predictions
from sklearn_ap.compat._evaluation import Evaluation
from sklearn_ap.compat._our_entries import OUR_ENTRIES
from sklearn_ap.compat._tools import get
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Hyperbolic,
    Interpolated,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
    RecallAtPrecision,
    ReciprocalRank,
    Step,
)
from sklearn_ap.definitions._names import conventions

# Hits at ranks 1, 3 and 5, where precision is 1, 2/3 and 3/5: recall reaches 1/3, 2/3 and 1.
IN_TURN = ([1, 0, 1, 0, 1], [5, 4, 3, 2, 1])
STEP = (1 + Fraction(2, 3) + Fraction(3, 5)) / 3
TOP_4 = 1 + Fraction(2, 3)
# Levels 0 to 0.3 are reached at recall 1/3, 0.4 to 0.6 at 2/3, and the four others at 1.
ELEVEN = (4 + 3 * Fraction(2, 3) + 4 * Fraction(3, 5)) / 11
# A score, what it is told, the definition that is the same, and the number by hand.
BY_HAND = [
    ("average_precision_score", {}, Step(), STEP),
    ("step_average_precision_score", {}, Step(), STEP),
    ("interpolated_average_precision_score", {}, Interpolated(), STEP),
    (
        "interpolated_average_precision_score",
        {"recall_levels": [0.3, 0.5]},
        Interpolated([0.3, 0.5]),
        Fraction(5, 6),
    ),
    ("eleven_point_average_precision_score", {}, Interpolated(11), ELEVEN),
    ("average_precision_at_k_score", {"k": 2}, AtK(2), Fraction(1, 2)),
    ("average_precision_at_k_score", {"k": 4}, AtK(4), TOP_4 / 3),
    (
        "average_precision_at_k_score",
        {"k": 2, "normalizer": "positives"},
        AtK(2, "positives"),
        Fraction(1, 3),
    ),
    ("average_precision_at_k_score", {"k": 4, "normalizer": "hits"}, AtK(4, "hits"), TOP_4 / 2),
    ("average_precision_at_k_score", {"k": 4, "normalizer": "k"}, AtK(4, "k"), TOP_4 / 4),
    ("precision_at_k_score", {"k": 4}, PrecisionAtK(4), Fraction(2, 4)),
    ("recall_at_k_score", {"k": 4}, RecallAtK(4), Fraction(2, 3)),
]
# The definitions without a score of their own, one of their names, and the number by hand.
WITHOUT_A_SCORE = [
    (Expected(), "expected AP", STEP),
    (Expected(4), "expected AP@4", TOP_4 / 3),
    (PrecisionAtRecall(0.5), "precision_at_recall_0.5", Fraction(2, 3)),
    (RecallAtPrecision(0.65), "recall_at_precision_0.65", Fraction(2, 3)),
]


@pytest.mark.parametrize(("name", "options", "definition", "value"), BY_HAND)
def test_score_names_and_definitions_give_the_number_by_hand(name, options, definition, value):
    near = pytest.approx(float(value), abs=1e-15)
    for each in (name, f"sklearn_ap.{name}"):
        assert compat.score(each, *IN_TURN, **options) == near
        assert compat.explain(each, *IN_TURN, **options).value == near
    check_definition(definition, value)
    found = compat.compare(*IN_TURN, tools=[definition, f"sklearn_ap.{name}"]).results
    assert {row.name for row in found} == {NAMES[0], get(definition).name, f"sklearn_ap.{name}"}
    assert found[[row.name for row in found].index(get(definition).name)].value == near


def check_definition(definition, value):
    near = pytest.approx(float(value), abs=1e-15)
    for each in (definition, repr(definition), f"sklearn_ap.definitions.{definition!r}"):
        if each is definition or "(0.3, " not in repr(definition):
            assert compat.score(each, *IN_TURN) == near
    assert compat.explain(definition, *IN_TURN).value == near


@pytest.mark.parametrize(("definition", "name", "value"), WITHOUT_A_SCORE)
def test_definitions_without_a_score_are_found_by_their_names(definition, name, value):
    assert get(name).definition == definition
    assert compat.score(name, *IN_TURN) == pytest.approx(float(value), abs=1e-15)
    check_definition(definition, value)


@pytest.mark.parametrize(
    ("normalizer", "value"), [("attainable", TOP_4 / 3), ("hits", TOP_4 / 2), ("k", TOP_4 / 4)]
)
def test_comparison_passes_k_to_scores_with_every_normalizer(normalizer, value):
    rows = compat.compare(*IN_TURN, tools=["sklearn_ap"], k=4).results
    is_usual = normalizer == "attainable"
    shown = f"AtK(normalizer={normalizer!r})"
    name = "sklearn_ap.average_precision_at_k_score" if is_usual else shown
    (row,) = (row for row in rows if row.name == name)
    assert (row.value, row.k) == (pytest.approx(float(value)), 4)


def test_every_public_score_has_an_entry():
    names = {entry.name for entry in OUR_ENTRIES if not entry.name.startswith("AtK(")}
    assert names == {f"sklearn_ap.{name}" for name in metrics.__all__}
    assert names <= {f"sklearn_ap.{name}" for name in sklearn_ap.__all__}
    at_k = [entry.choices for entry in OUR_ENTRIES if isinstance(entry.definition, AtK)]
    divisors = [choices.divisor for choices in at_k]
    assert divisors == ["min(k, positives)", "positives", "hits", "k"]
    assert get("average_precision_score").name == NAMES[0], "scikit-learn's has that name, too"


def test_definition_classes_and_repeated_options_are_refused():
    with pytest.raises(TypeError, match=r"Pass a definition with its options, such as AtK\(\)"):
        compat.score(AtK, Y, S)
    with pytest.raises(ValueError, match=r"AtK\(k=3\) has no k: leave it out"):
        compat.score(AtK(3), Y, S, k=2)
    with pytest.raises(ValueError, match="takes no sample_weight"):
        compat.score(Expected(), Y, S, sample_weight=np.ones(10))
    with pytest.raises(ValueError, match="normalizer must be"):
        compat.score("average_precision_at_k_score", Y, S, normalizer="ranks")


ALL_DEFINITIONS = [
    *conventions(3),
    *conventions(0.3),
    *(Interpolated(levels) for levels in (2, 7, [0.25, 0.6])),
    PrecisionAtRecall(0.4),
    RecallAtPrecision(0.5),
    *OWN,
]


def rankings():
    """Predictions with ties, without, with a block at rank k, with queries, weights and misses."""
    rng = np.random.default_rng(7)
    y_true, y_score = rng.random(40) < 0.4, rng.random(40)
    tied, queries = np.round(y_score, 1), rng.integers(0, 4, 40)
    lost = np.where(rng.random(40) < 0.2, -np.inf, tied)
    yield "ties", {"y_true": Y, "y_score": S}
    yield "many ties", {"y_true": y_true, "y_score": tied}
    yield "no ties", {"y_true": y_true, "y_score": y_score}
    yield "constant", {"y_true": Y, "y_score": [0.5] * 10}
    yield "queries", {"y_true": y_true, "y_score": tied, "queries": queries}
    yield "weights", {"y_true": y_true, "y_score": tied, "sample_weight": rng.random(40)}
    yield "misses", {"y_true": y_true, "y_score": lost}
    yield "misses of queries", {"y_true": y_true, "y_score": lost, "queries": queries}


RANKINGS = dict(rankings())


@pytest.mark.parametrize("kind", RANKINGS)
def test_choices_of_a_definition_reproduce_its_value(kind, subtests):
    given = {"sample_weight": None, "queries": None, "pos_label": None} | RANKINGS[kind]
    evaluation = Evaluation(check_predictions(**given))
    for definition in ALL_DEFINITIONS:
        with subtests.test(repr(definition)):
            entry = get(definition)
            if given["sample_weight"] is not None and not entry.weights:
                continue
            values = evaluation.values(entry.bind(None, {}))
            expected = metrics.average_precision_score(
                **RANKINGS[kind], definition=definition, average=None, zero_division=0.0
            )
            np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)
            assert compat.score(definition, **RANKINGS[kind]) == pytest.approx(
                np.mean(expected), abs=1e-15
            )


EVERYTHING = [*NAMES, *(entry.name for entry in OUR_ENTRIES), *ALL_DEFINITIONS]


def explained(name, versus, kind):
    entries = get(name), get(versus)
    options = {"k": 3} if "required" in {entry.k for entry in entries} else {}
    return compat.explain(name, **RANKINGS[kind], versus=versus, **options)


def check_sum(found):
    if found.value is None or found.start is None:
        return False
    if math.isnan(found.value) or math.isnan(found.start):
        return False
    shares = math.fsum(step.share for step in found.steps)
    assert abs(shares - (found.value - found.start)) <= 1e-12
    return True


@pytest.mark.parametrize("kind", [kind for kind in RANKINGS if kind != "weights"])
def test_steps_between_random_pairs_of_functions_add_up(kind, subtests):
    draw = random.Random(kind)
    n_checked = 0
    for _ in range(30):
        name, versus = draw.sample(EVERYTHING, 2)
        with subtests.test(f"{name} {versus}"):
            n_checked += check_sum(explained(name, versus, kind))
    assert n_checked >= 20


def test_steps_between_all_pairs_of_definitions_add_up(subtests):
    for name in ALL_DEFINITIONS:
        for versus in ALL_DEFINITIONS:
            with subtests.test(f"{name!r} {versus!r}"):
                found = explained(name, versus, "ties")
                assert check_sum(found)
                assert all(step.choice != "special case" for step in found.steps)


def test_relative_k_counts_unretrieved_rows():
    """Of eight rows a quarter are two ranks, also if five were not retrieved."""
    y_true, y_score = [1, 1, 1, 0, 0, 0, 0, 0], [3, 2, 1, *[-np.inf] * 5]
    found = compat.explain(PrecisionAtK(0.25), y_true, y_score, versus=RecallAtK(0.25))
    assert (found.start, found.value) == (pytest.approx(2 / 3), 1.0)
    check_sum(found)


def test_user_defined_definitions_are_explained():
    """Before the hits at ranks 1, 3 and 5, precision is 1 (by definition), 1/2 and 1/2."""
    found = compat.explain(Before(), *IN_TURN)
    assert found.value == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    assert [(step.choice, step.option) for step in found.steps] == [("between", "its own heights")]
    halved = compat.explain(OfTwice(), *IN_TURN)
    assert [step.option for step in halved.steps] == ["its own heights", "its own divisor"]
    last = compat.explain(LastRecall(), *IN_TURN)
    assert (last.value, last.steps[-1].option) == (1.0, "its own value")


def test_explanation_distinguishes_two_depths():
    (step,) = compat.explain(AtK(4), *IN_TURN, versus=AtK(2)).steps
    assert step.option == "top k (k=4) and min(k, positives) (k=4)"
    assert step.share == pytest.approx(float(TOP_4 / 3 - Fraction(1, 2)))
    (step,) = compat.explain(PrecisionAtRecall(0.5), *IN_TURN, versus=PrecisionAtRecall(1)).steps
    assert step.option == "precision at a recall (PrecisionAtRecall(recall=0.5))"


def test_explanations_between_definitions_and_tools_by_hand():
    """A block of a hit and a miss at rank 1, and a hit at rank 3, with k = 2.

    Grouped, the block is precision 1/2, so AP@2 is 1/2 of min(2, 2). In the order of the input
    the hit is first: 1 of 2. Over both orders its precision is 3/4 on average: 3/8.
    """
    data = [1, 0, 1], [5, 5, 4]
    found = compat.explain("xgboost.map@k", *data, versus=AtK(2), k=2)
    assert (found.start, found.value) == (0.25, 0.5)
    assert [step.share for step in found.steps if step.has_effect] == [0.25]
    found = compat.explain(Expected(2), *data, versus="xgboost.map@k", k=2)
    assert [step.option for step in found.steps if step.has_effect] == ["every order"]
    assert found.value == pytest.approx(3 / 8)
    linear = compat.explain("catboost.PRAUC", *data, versus=Linear())
    assert "Both give the same" in str(linear)
    assert "Both give the same" in str(compat.explain(Hyperbolic(), *data, versus="xgboost.aucpr"))


def test_explanations_between_reciprocal_ranks_by_hand():
    """A hit and a miss at ranks 2 and 3: 1/2 or 1/3, and 5/12 over both orders.

    The mean precision of the hits, at ranks 3 and 4 of the last order, is (1/3 + 2/4) / 2.
    """
    data = [0, 1, 0, 1], [5, 4, 4, 3]
    found = compat.explain("trec_eval.recip_rank", *data, versus=ReciprocalRank())
    assert (found.start, found.value) == pytest.approx((5 / 12, 1 / 3))
    (step,) = (step for step in found.steps if step.has_effect)
    assert (step.choice, step.option) == ("ties", "reverse order")
    found = compat.explain("ir_measures.RR@3", *data, versus="ir_measures.RR")
    assert (found.start, found.value) == pytest.approx((1 / 3, 1 / 2))
    found = compat.explain(Expected(), *data, versus="trec_eval.recip_rank")
    steps = [(step.choice, step.value) for step in found.steps if step.has_effect]
    assert steps == [
        ("over", pytest.approx((1 / 3 + 2 / 4) / 2)),
        ("ties", pytest.approx(((1 / 3 + 1 / 2) / 2 + 2 / 4) / 2)),
    ]


@pytest.mark.parametrize("definition", [Expected(), ReciprocalRank(), ReciprocalRank(2)])
def test_definitions_of_whole_items_are_explained_beside_a_prevalence(definition):
    names = definition, "calibrated_metrics.average_precision"
    for name, versus in (names, names[::-1]):
        found = compat.explain(name, *IN_TURN, versus=versus)
        assert found.value == pytest.approx(compat.score(name, *IN_TURN))


def test_compare_prints_ours_beside_tools():
    found = compat.compare(*IN_TURN, tools=[AtK(4), "recbole.MAP"], k=4)
    frame = found.to_frame()
    same = frame[frame["name"].isin(["AtK(k=4)", "recbole.MAP"])]
    assert same["value"].nunique() == 1
    whole = {row.name for row in compat.compare(*IN_TURN).results}
    assert whole >= {entry.name for entry in OUR_ENTRIES}
    assert set(definitions.__all__) >= {"Step", "AtK"}
