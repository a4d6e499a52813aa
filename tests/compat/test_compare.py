"""All tools' numbers side by side."""

import math

import numpy as np
import pytest

from sklearn_ap import compat
from sklearn_ap.compat._answers import lack_answers
from sklearn_ap.compat._compare import WELL_KNOWN
from sklearn_ap.compat._tool_functions import our_functions
from sklearn_ap.definitions import AtK
from tests.helpers.compat_inputs import IN_TURN, NAMES, S, Y, options_of

BASELINE = NAMES[0]


def names_of(found):
    return [row.name for row in found.answers]


def test_scikit_learn_comes_first_and_then_the_highest():
    usual, everything = compat.compare(Y, S), compat.compare(Y, S, tools="all")
    assert sorted(names_of(usual)) == sorted(WELL_KNOWN)
    assert sorted(names_of(everything)) == sorted(
        [*NAMES, *(function.name for function in our_functions(10))]
    )
    for found in (usual, everything):
        assert names_of(found)[0] == BASELINE
        assert sorted(found.estimate[1:], reverse=True) == found.estimate[1:].tolist()


def test_every_number_is_that_of_score():
    words = np.where(np.asarray(Y) == 1, "a", "b")
    found = compat.compare(words, S, k=3, tools="all", pos_label="a")
    for row in found.answers:
        name = row.call.function.definition or row.name
        expected = compat.score(Y, S, name, **options_of(name))
        assert row.estimate == expected, row.name
    assert found.difference == pytest.approx(found.estimate - found.estimate[0])


def test_frame_has_a_row_for_each_function_with_its_choices():
    frame = compat.compare(Y, S, tools=["pytrec_eval.map", AtK(4)]).to_frame()
    row = frame.loc["pytrec_eval.map"]
    assert (row["divisor"], row["ties"]) == ("positives", "reverse order")
    assert frame.loc["AP@4", "over"] == "top k"


def test_nearest_numbers_come_first_and_ten_are_printed():
    found = compat.compare(Y, S, k=3, near=0.734)
    assert sorted(np.abs(found.difference)) == pytest.approx(np.abs(found.difference), abs=1e-6)
    assert found.difference == pytest.approx(found.estimate - 0.734)
    assert len(found.answers) > len(NAMES)
    assert found._repr_html_().count("<tr>") == 11


def test_functions_of_one_number_share_a_row_that_counts_them():
    frame = compat.compare(Y, S, near=0.7).to_frame()
    known = frame.dropna()
    for _, row in known.iterrows():
        equals = np.isclose(known["estimate"], row["estimate"], rtol=0, atol=1e-7)
        assert row["functions"] == np.count_nonzero(equals)
    lines = str(compat.compare(Y, S, near=0.7)).splitlines()[2:12]
    printed = [float(line.split()[-3]) for line in lines]
    assert len({*printed}) == 10


# scikit-learn gives 5/6 = 0.8333, and VOC 2010 the same
@pytest.mark.parametrize(
    ("near", "sentence"),
    [
        (0.833, "0.833 is the rounded number of 2 functions: sklearn.average_precision_score and"),
        ("0.834", "No function gives a number that rounds to 0.834."),
        (
            "0.830",
            "No function gives a number that rounds to 0.830. One may with another k, with",
        ),
        ("0.8", "0.8 is the rounded number of 3 functions: sklearn.auc_of_precision_recall_curve,"),
        (np.float32(5 / 6), "0.8333333 is the rounded number of 2 functions: sklearn"),
    ],
)
def test_digits_of_near_say_which_functions_round_to_it(near, sentence):
    tools = ["sklearn.auc_of_precision_recall_curve", "chainercv.calc_detection_voc_ap"]
    found = compat.compare([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], near=near, tools=tools)
    assert found.sentences[0].startswith(sentence)
    assert found.difference == pytest.approx(found.estimate - float(found.near))


def test_near_also_tries_an_optional_k():
    found = compat.compare(Y, S, k=3, near=0.5)
    calls = {(row.name, row.call.k) for row in found.answers}
    assert {("catboost.MAP", None), ("catboost.MAP", 3), ("ranx.map@k", 3)} <= calls
    assert ("ranx.map@k", None) not in calls


def test_queries_without_an_answer_are_left_out():
    """One query has margins, one only negative scores, one no positive, and one no negative."""
    rng = np.random.default_rng(0)
    query = rng.permutation(np.repeat(np.arange(6), 9))
    y_true, y_score = rng.integers(0, 2, 54), rng.integers(0, 9, 54) / 8
    y_score[query == 1] *= 40
    y_score[query == 2] -= 2
    y_true[query == 3], y_true[query == 4] = 0, 1
    for row in compat.compare(y_true, y_score, queries=query, k=3, tools="all").answers:
        name = row.call.function.definition or row.name
        answers = []
        for q in range(6):
            try:
                part = y_true[query == q], y_score[query == q]
                answers.append(compat.score(*part, name, **options_of(name)))
            except ValueError:
                answers.append(math.nan)
        known = [value for value in answers if not (value == -1 or math.isnan(value))]
        assert np.count_nonzero(lack_answers(row.values)) == 6 - len(known), name
        assert row.estimate == pytest.approx(np.mean(known), abs=1e-14), name


def test_labels_say_what_a_number_lacks():
    tools = ["pycocotools", "catboost.PRAUC", "pytrec_eval.map"]
    found = compat.compare([1, 0, 0, 0], [4, 3, 2, 1], tools=tools, queries=[*"aabb"])
    assert {*found.to_frame().index} == {
        BASELINE,
        "catboost.PRAUC (1 query left out)",
        "pycocotools.COCOeval (1 query left out)",
        "pytrec_eval.map",
    }


def test_a_0_with_an_exponent_is_0():
    found = compat.compare(Y, S, near="0E+400", tools=["ranx.map"])
    assert found.sentences[0].startswith("No function gives a number that rounds to 0E+400")


@pytest.mark.parametrize(("near", "first"), [(None, 0.0), (0.1, 0.0)])
def test_functions_that_give_nan_or_raise_come_last(near, first):
    found = compat.compare([0, 0], [0.1, 0.2], near=near, tools="all")
    assert found.estimate[0] == first
    is_nan = np.isnan(found.estimate)
    assert is_nan.any()
    assert (np.diff(is_nan.astype(int)) >= 0).all()
    assert "catboost.PRAUC (raises CatBoostError)" in found.to_frame().index


def test_functions_that_are_left_out_are_named():
    found = compat.compare(Y, S, sample_weight=np.ones(10), tools=["COCO AP", "ranx.mrr", "h2o"])
    assert names_of(found)[1:] == ["h2o.aucpr"]
    assert found.left_out[-1] == "ranx.mrr"
    assert "pycocotools.COCOeval" in found.left_out
    assert found.sentences[0].startswith("Left out, because they take no weights: ")
    assert compat.compare(Y, S, tools=["COCO"]).sentences == ()
    alone = compat.compare(Y, S, sample_weight=np.ones(10), tools=["ranx.mrr"])
    assert alone.sentences == ("Left out, because they take no weights: ranx.mrr.",)
    assert f"{BASELINE}  {alone.estimate[0]:.4f}" in str(alone)


def test_a_definition_of_a_user_that_takes_no_weights_is_left_out():
    def heights(_, counts):
        return counts.precision[np.cumsum(counts.gained) - 1]  # no floats

    definition = type("OfIntegers", (AtK,), {"heights": heights})(5)
    found = compat.compare(Y, S, sample_weight=np.ones(10), tools=[definition])
    assert found.left_out == (repr(definition),)
    assert compat.score([1, 0], [1, 0], definition) == 1


def test_difference_within_rounding_is_printed_as_0():
    data = [1, 1, 1, 0, 1], [5, 4, 3, 2, 1]
    text = str(compat.compare(*data, near=0.95 + 1e-15, tools=["ranx.map"]))
    assert [line.split()[-2] for line in text.splitlines()[2:4]] == ["0", "0"]


def test_compare_takes_names_and_definitions_each_once():
    names = ["MLmetrics", AtK(4), "MLmetrics.PRAUC", "recbole.MAP@4"]
    found = compat.compare(*IN_TURN, tools=names, k=np.int64(3))
    assert sorted(names_of(found)) == sorted([BASELINE, "MLmetrics.PRAUC", "AP@4", "recbole.MAP@4"])
    numbers = dict(zip(names_of(found), found.estimate.tolist(), strict=True))
    assert numbers["AP@4"] == numbers["recbole.MAP@4"] == pytest.approx(5 / 9)


@pytest.mark.parametrize("no_names", ["MLmetrics", 3])
def test_tools_must_be_several_names(no_names):
    with pytest.raises(TypeError, match=f"tools must be several names, got {no_names!r}. Write"):
        compat.compare(Y, S, tools=no_names)


def test_scores_beyond_float32_raise_no_warning():
    for y_score in ([2e300, 1e300], [1.7e308, -1.7e308]):
        assert len(compat.compare([1, 0], y_score, tools="all").answers) > len(NAMES)


@pytest.mark.parametrize("near", [[0.5], "half", "nan", True, math.nan, "74.3%", 74.3])
def test_near_must_be_a_number_that_a_score_can_be(near):
    with pytest.raises((TypeError, ValueError), match=r"near must be a number.*, got "):
        compat.compare(Y, S, near=near)
