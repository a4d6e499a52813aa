"""Why two numbers differ: the steps, their shares, and how they are printed."""

import math

import numpy as np
import pytest
from compat_inputs import NAMES, S, Y, options_of
from hypothesis import given, settings
from hypothesis import strategies as st
from registry import predictions

from sklearn_ap import compat
from sklearn_ap.compat._tools import get

# One of each kind: levels, a start, bins, the top k.
VERSUS = (
    *("chainercv.calc_detection_voc_ap_07", "ultralytics.compute_ap", "ROCR.aucpr"),
    "keras.AUC_PR_minoring",
    "torchmetrics.RetrievalMAP",
    NAMES[0],
)


def check_shares(explanation):
    shares = math.fsum(step.share for step in explanation.steps)
    assert shares == pytest.approx(explanation.value - explanation.start, abs=1e-12)


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=12)
@given(data=predictions(20), shift=st.sampled_from([0.0, 0.5]), by_query=st.booleans())
def test_the_shares_add_up_to_the_difference(name, data, shift, by_query):
    y_true, y_score = data
    y_score, options = y_score + shift, options_of(get(name))
    if by_query:
        options["queries"] = np.arange(y_true.size) % 3
    explanation = compat.explain(name, y_true, y_score, **options)
    try:
        value = compat.score(name, y_true, y_score, **options)
    except compat.ToolError:
        value = None
    np.testing.assert_equal(explanation.value, value)
    if value is None or math.isnan(value):
        assert explanation.steps[-1].share is None
        return
    options.pop("k", None)
    assert explanation.start == compat.score(NAMES[0], y_true, y_score, **options)
    check_shares(explanation)


@pytest.mark.parametrize("versus", VERSUS)
def test_explanations_between_two_tools_agree_in_both_directions(subtests, versus):
    for name in NAMES:
        with subtests.test(f"compat.explain({name!r}, Y, S, versus={versus!r})"):
            options = {"k": 3} if "required" in {get(n).k for n in (name, versus)} else {}
            there = compat.explain(name, Y, S, versus=versus, **options)
            back = compat.explain(versus, Y, S, versus=name, **options)
            assert (there.start, there.value) == (back.value, back.start)
            k = options if get(name).k != "no" else {}
            assert there.value == compat.score(name, Y, S, **k)
            check_shares(there)
            check_shares(back)
            texts = [text for step in there.steps for text in (step.choice, step.option)]
            made = [part for text in texts for part in text.split(" and ")]
            choices, others = (get(n).choices._asdict() for n in (name, versus))
            differ = [text for pair in choices.items() - others.items() for text in pair]
            assert sorted(made) == sorted(differ)


def test_start_choice_moves_interpolated_points():
    """A single miss above the only positive: level 1/3 where it starts level, else 2/3."""
    steps = compat.explain("ROCR", [0, 0, 1], [3, 2, 1]).steps
    assert [step.value for step in steps] == pytest.approx([1 / 3, 2 / 3])


def test_top_k_and_its_divisor_are_one_step():
    """Of the top 3 alone, and then of the divisor alone, shares would be -0.4 and +0.4."""
    data = [1, 1, 0, 1, 1], [5, 4, 3, 2, 1]
    _, step = compat.explain("recommenders.map_at_k", *data, k=2).steps
    assert (step.choice, step.option) == ("over and divisor", "top k and min(k, positives)")
    assert step.why == "Only the top k items count. The sum is divided by min(k, positives)."
    assert step.value == 1.0
    _, alone = compat.explain("ranx.map@k", *data, k=2).steps
    assert (alone.choice, alone.value) == ("over", 0.5)


@pytest.mark.parametrize(
    ("versus", "options", "message"),
    [
        ("ranx.map@k", {}, "ranx.map@k needs k"),
        ("ranx.map", {"k": 3}, "ranx.map and xgboost.aucpr have no k"),
        ("ranx.map", {"sample_weight": np.ones(10)}, "ranx.map takes no sample_weight"),
    ],
)
def test_options_that_one_tool_lacks_are_refused(versus, options, message):
    with pytest.raises(ValueError, match=message):
        compat.explain("xgboost.aucpr", Y, S, versus=versus, **options)


def test_explanations_start_from_special_cases():
    """LightGBM gives 1 where all are positive; its choices give that too, and XGBoost nan."""
    name, versus = "MLmetrics.PRAUC", "xgboost.aucpr"
    assert compat.explain(name, [1, 1], [2, 1], versus=versus).steps[0].option == "undone"
    text = str(compat.explain("lightgbm.average_precision", [0, 0], [2, 1], versus=versus))
    assert text.splitlines()[0] == "    nan  xgboost.aucpr"
    assert text.splitlines()[-1] == " 1.0000  lightgbm.average_precision"
    raised = compat.explain(NAMES[0], [0, 0], [2, 1], versus="catboost.PRAUC")
    assert (raised.start, raised.value) == (None, 0.0)
    assert str(raised).startswith(" raises  catboost.PRAUC\n")


def test_explanation_as_text_frame_and_html():
    explanation = compat.explain("MLmetrics.PRAUC", Y, S)
    assert str(explanation).splitlines() == [
        " 0.7167  sklearn.average_precision_score",
        "+0.0278  interpolation: straight line",
        "           Operating points are joined by straight lines, which no threshold attains.",
        "-0.2000  start: lost",
        "           The area left of the first point is lost.",
        " 0.5444  MLmetrics.PRAUC",
        "Another order would split the difference differently.",
    ]
    frame = explanation.to_frame()
    assert list(frame.columns) == ["choice", "option", "why", "value", "share"]
    assert frame["share"].sum() == pytest.approx(explanation.value - explanation.start)
    html = explanation._repr_html_()
    assert html.startswith("<p>MLmetrics.PRAUC = ")
    assert html.endswith("Another order would split the difference differently.</p>")
    assert html.count("<tr>") == 4


def test_steps_without_effect_are_named_at_the_end():
    explanation = compat.explain("catboost.PRAUC", Y, S)
    assert [step.choice for step in explanation.without_effect] == ["scores", "start"]
    _, remark = str(explanation).split("Also different, with no effect here: ")
    assert " ".join(remark.split()) == (
        "neighbouring scores that differ by less than 1e-8 are tied, and ties chain. Weights are "
        "rounded to float32. The curve starts at precision 1, which no threshold need attain."
    )
    assert max(map(len, str(explanation).splitlines())) <= 88
    assert "starts at precision 1" not in explanation._repr_html_().partition("</table>")[0]
    text = str(compat.explain("xgboost.aucpr", [1, 0], [2, 1]))
    assert "Both give the same.\nAlso different, with no effect" in text


def test_a_small_step_is_printed_with_its_exponent():
    y_true, y_score = np.arange(1, 401) % 2, -np.arange(400.0)
    y_score[-2] = y_score[-1]
    here, there = "sklearn.average_precision_score", "pyspark.meanAveragePrecision"
    for pair, printed in (((there, here), "+6e-06"), ((here, there), "-6e-06")):
        explanation = compat.explain(pair[0], y_true, y_score, versus=pair[1])
        assert f"{printed}  ties: " in str(explanation)


def test_special_cases_and_queries_without_an_answer_are_the_last_step():
    for name, text, share in (
        ("catboost.PRAUC", "The tool raises CatBoostError: No element of a", None),
        ("xgboost.aucpr", "The tool returns nan.", None),
        ("pycocotools.COCOeval", "The tool returns -1.", -1.0),
    ):
        last = compat.explain(name, [0, 0], [0.1, 0.2]).steps[-1]
        assert (last.choice, last.share) == ("special case", share)
        assert last.why.startswith(text)
    queries = {"queries": [0, 0, 1, 1]}
    last = compat.explain("catboost.PRAUC", [1, 0, 0, 0], [4, 3, 2, 1], **queries).steps[-1]
    assert (last.choice, last.option, last.share) == ("special case", "some queries", 0.5)
    assert last.why == (
        "1 of 2 queries has no positive: the tool raises CatBoostError, and it is left out."
    )
