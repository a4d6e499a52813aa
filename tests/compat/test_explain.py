"""Why two numbers differ: the steps, and what is printed of them."""

import math
import random

import numpy as np
import pytest

from sklearn_ap import compat, metrics
from sklearn_ap.compat._tool_functions import CHOICES
from sklearn_ap.compat._tool_names import get_function
from sklearn_ap.definitions import (
    AtK,
    Expected,
    Linear,
    PrecisionAtK,
    PrecisionAtRecall,
    RecallAtK,
)
from tests.helpers.compat_inputs import (
    DEFINITIONS,
    IN_TURN,
    NAMES,
    RANKINGS,
    Before,
    LastRecall,
    S,
    Y,
    options_of,
)
from tests.helpers.first_cases import quick

BASELINE = NAMES[0]


def options(step):
    return [option.name for option in step.changes.values()]


def effects(found):
    """The options that change the number, and the number after each."""
    return [
        (options(step), step.estimate) for step in found.steps if not abs(step.difference) <= 1e-9
    ]


def check_sum(found):
    """The differences of the steps add up to that of the numbers."""
    if not math.isnan(found.first.estimate - found.estimate):
        expected = found.estimate - found.first.estimate
        assert math.fsum(step.difference for step in found.steps) == pytest.approx(
            expected, abs=1e-12
        )


@pytest.mark.filterwarnings(
    "ignore:reversed scores:sklearn_ap.UncertaintyWarning"
)  # of inverted scores
@pytest.mark.parametrize("n_pairs", quick([12, 45], 1))
@pytest.mark.parametrize("kind", quick(RANKINGS, [*RANKINGS][1::2]))
def test_steps_between_random_pairs_add_up(kind, n_pairs, subtests):
    draw = random.Random(kind)
    rows = RANKINGS[kind]
    everything = [
        each
        for each in (*NAMES, *DEFINITIONS)
        if "sample_weight" not in rows or get_function(each).takes_weights
    ]
    for _ in range(n_pairs):
        name, versus = draw.sample(everything, 2)
        with subtests.test(f"{name} {versus}"):
            found = compat.explain(**rows, tool=name, versus=versus, **options_of(name, versus))
            check_sum(found)
            k = options_of(name, versus) if get_function(name).takes_k else {}
            try:
                expected = compat.score(**rows, tool=name, **k)
            except ValueError:
                expected = math.nan
            np.testing.assert_equal(found.estimate, expected)
            differing = {
                choice
                for choice in CHOICES
                if get_function(name).choices[choice] != get_function(versus).choices[choice]
            }
            changed = {choice for step in found.steps for choice in step.changes}
            if not math.isnan(found.first.estimate - found.estimate):
                assert differing <= changed <= {*differing, "over", "divisor"}
            # Nothing but an answer to some queries is left to a special step.
            assert (
                found.first.special
                or found.last.special
                or all(step.changes for step in found.steps)
            )


@pytest.mark.filterwarnings(
    "ignore:reversed scores:sklearn_ap.UncertaintyWarning"
)  # of inverted scores
@pytest.mark.parametrize("kind", quick(RANKINGS, [*RANKINGS][::2]))
def test_choices_of_a_definition_reproduce_its_value(kind, subtests):
    rows = RANKINGS[kind]
    for definition in DEFINITIONS:
        function = get_function(definition)
        if "sample_weight" in rows and not function.takes_weights:
            continue
        with subtests.test(repr(definition)):
            expected = metrics.average_precision_score(
                **rows, definition=definition, average=None, zero_division=0.0
            )
            values = compat.score(**rows, tool=definition, average=None)
            np.testing.assert_allclose(values, expected, rtol=0, atol=1e-12)


def test_top_k_and_its_divisor_are_one_step():
    """Of the top 3 alone, and then of the divisor alone, shares would be -0.4 and +0.4."""
    data = [1, 1, 0, 1, 1], [5, 4, 3, 2, 1]
    _, step = compat.explain(*data, "recommenders.map_at_k", k=2).steps
    assert options(step) == ["top k", "min(k, positives)"]
    assert step.estimate == 1.0
    _, alone = compat.explain(*data, "ranx.map@k", k=2).steps
    assert (options(alone), alone.estimate) == (["top k"], 0.5)


def test_lines_start_level_before_their_start_is_changed():
    """A hit and a miss are tied: the line to precision 1/2 is level, and then starts at 1."""
    found = compat.explain([1, 0], [1, 1], "sklearn auc")
    assert [*map(options, found.steps)] == [["straight line"], ["(0, 1)"]]
    assert [step.estimate for step in found.steps] == [1 / 2, 3 / 4]


def test_explanation_names_k_if_only_k_differs():
    (step,) = compat.explain(*IN_TURN, AtK(4), versus=AtK(2)).steps
    assert step.title == "over: top k (k=4), divisor: min(k, positives) (k=4)"
    (step,) = compat.explain(*IN_TURN, PrecisionAtRecall(0.5), versus=PrecisionAtRecall(1)).steps
    assert step.title == "over: its own value (definition=PrecisionAtRecall(recall=0.5))"


def test_explanation_says_what_the_functions_were_told():
    for name, options, end in (
        ("lightgbm.map", {"k": 2}, "to lightgbm.map (k=2, 0.5000)"),
        ("torcheval.binary_auprc", {"dtype": "float64"}, "(dtype=float64, 0.7556)"),
    ):
        found = compat.explain(*IN_TURN, name, **options)
        assert found.heading.endswith(end)
        assert " ".join(str(found).split()).startswith(found.heading)
        assert found.to_dict()["heading"] == found.heading


def test_explanations_between_definitions_and_tools_by_hand():
    """A block of a hit and a miss at rank 1, and a hit at rank 3, with k = 2.

    Grouped, the block is precision 1/2, so AP@2 is 1/2 of min(2, 2). In the order of the input
    the hit is first: 1 of 2. Over both orders its precision is 3/4 on average: 3/8.
    """
    data = [1, 0, 1], [5, 5, 4]
    found = compat.explain(*data, "xgboost.map@k", versus=AtK(2), k=2)
    assert (found.first.estimate, effects(found)) == (0.25, [(["input order"], 0.5)])
    found = compat.explain(*data, Expected(2), versus="xgboost.map@k", k=2)
    assert effects(found) == [(["every order"], pytest.approx(3 / 8))]
    assert not effects(compat.explain(*data, "catboost.PRAUC", versus=Linear()))


def test_definitions_of_users_are_explained():
    """Before the hits at ranks 1, 3 and 5, precision is 1 (by definition), 1/2 and 1/2."""
    for definition, value in ((Before(), 2 / 3), (LastRecall(), 1.0)):
        found = compat.explain(*IN_TURN, definition)
        assert effects(found) == [(["its own value"], pytest.approx(value))]
        assert "mean of precisions" not in str(found)  # Before is one
    steeper = type("Steeper", (AtK,), {"heights": lambda _, counts: counts.precision / 2})(5)
    expected = metrics.average_precision_score(*IN_TURN, definition=steeper)
    assert compat.score(*IN_TURN, steeper) == pytest.approx(expected)
    mixed = {"heights": lambda _, counts: np.full(counts.tps.shape, counts.precision.max())}
    with pytest.raises(ValueError, match="mixes rankings"):
        compat.score(*IN_TURN, type("Mixed", (AtK,), mixed)(5), queries=[0, 1, 1, 1, 1])


def test_relative_k_counts_rows_that_were_not_retrieved():
    """Of eight rows a quarter are two ranks, also if five were not retrieved."""
    y_true, y_score = [1, 1, 1, 0, 0, 0, 0, 0], [3, 2, 1, *[-np.inf] * 5]
    found = compat.explain(y_true, y_score, PrecisionAtK(0.25), versus=RecallAtK(0.25))
    assert (found.first.estimate, found.estimate) == (pytest.approx(2 / 3), 1.0)


def test_special_answers_are_the_last_step():
    """Two users found their purchase at ranks 1 and 2; two bought nothing."""
    users = {"queries": [0, 0, 1, 1, 2, 3], "k": 12}
    data = [1, 0, 0, 1, 0, 0], [2, 1, 2, 1, 1, 1]
    found = compat.explain(*data, "ml_metrics.mapk", versus="kaggle_hm.map@12", **users)
    assert (found.first.estimate, [step.estimate for step in found.steps]) == (1.5 / 2, [3.5 / 4])
    assert found.sentences == (
        "2 of 4 queries with no positive: kaggle_hm.map@12 gives nan for each, which is left out.",
        "2 of 4 queries with no positive: ml_metrics.mapk gives 1 for each.",
    )


@pytest.mark.parametrize(
    ("name", "gives"),
    [
        ("catboost.PRAUC", "raises CatBoostError: No element of a positive class"),
        ("xgboost.aucpr", "gives nan"),
        ("pycocotools.COCOeval", "gives -1"),
    ],
)
def test_only_special_answers_explain_a_ranking_without_positives(name, gives):
    found = compat.explain([0, 0], [0.1, 0.2], name)
    assert found.sentences[1] == f"With no positive, {name} {gives}."
    assert effects(found) == [([], pytest.approx(found.estimate, nan_ok=True))]
    back = compat.explain([0, 0], [0.1, 0.2], BASELINE, versus=name)
    assert effects(back) == [([], 0.0)]


def test_two_functions_without_a_number_give_the_same_unless_they_raise_different_errors():
    nothing = [0, 0], [0.1, 0.2]
    both_nan = compat.explain(*nothing, "xgboost.aucpr", versus="polars_ds")
    assert both_nan.sentences[0] == "Both give the same."
    raising = compat.explain(*nothing, "catboost.PRAUC", versus="ogb.Evaluator")
    assert [step.title for step in raising.steps] == ["special answers"]


def test_explanation_as_text_frame_and_html():
    found = compat.explain(Y, S, "MLmetrics.PRAUC")
    _, _, *steps = str(found).splitlines()[:5]
    assert [line.split()[-1] for line in steps] == ["0.7167", "+0.0278", "-0.2000"]
    frame = found.to_frame()
    assert [*frame.columns] == ["estimate", "difference", "why"]
    assert frame["difference"].sum() == pytest.approx(found.estimate - found.first.estimate)
    assert found._repr_html_().count("<tr>") == 4
    assert found.to_dict()["estimate"] == found.estimate
    assert found.to_table("markdown").count("\n| ") == 4


def test_steps_without_effect_are_named_at_the_end_only():
    found = compat.explain(Y, S, "catboost.PRAUC")
    last = "Without effect here: scores: tied below 1e-8; start: (0, 1)."
    assert str(found).endswith(last)
    assert found._repr_html_().count("<tr>") == 3
    assert len(found.to_frame()) == 4
    assert "Both give the same." in str(compat.explain([1, 0], [2, 1], "xgboost.aucpr"))
