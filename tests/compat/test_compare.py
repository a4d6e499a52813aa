"""All tools' numbers side by side."""

import math
import warnings

import numpy as np
import pytest
from compat_inputs import IN_TURN, NAMES, S, Y, options_of
from sklearn.metrics import average_precision_score

from sklearn_ap import UncertaintyWarning, compat
from sklearn_ap.compat._numbers_table import WELL_KNOWN
from sklearn_ap.compat._score import lack_answers
from sklearn_ap.compat._tools import our_tools
from sklearn_ap.definitions import AtK

BASELINE = NAMES[0]


def names_of(found):
    return [row.name for row in found.scores]


def test_scikit_learn_comes_first_and_then_the_highest():
    usual, everything = compat.compare(Y, S), compat.compare(Y, S, tools="all")
    assert sorted(names_of(usual)) == sorted(WELL_KNOWN)
    assert sorted(names_of(everything)) == sorted([*NAMES, *(tool.name for tool in our_tools(10))])
    for found in (usual, everything):
        assert names_of(found)[0] == BASELINE
        assert sorted(found.estimate[1:], reverse=True) == found.estimate[1:].tolist()


def test_every_number_is_that_of_score():
    words = np.where(np.asarray(Y) == 1, "a", "b")
    found = compat.compare(words, S, k=3, tools="all", pos_label="a")
    for row in found.scores:
        name = row.call.tool.definition or row.name
        expected = compat.score(name, Y, S, **options_of(name))
        assert row.estimate == expected, row.name
    assert found.difference == pytest.approx(found.estimate - found.baseline)


def test_frame_has_a_row_for_each_function_with_its_choices():
    frame = compat.compare(Y, S, tools=["pytrec_eval.map", AtK(4)]).to_frame()
    row = frame.loc["pytrec_eval.map"]
    assert (row["divisor"], row["ties"]) == ("positives", "reverse order")
    assert frame.loc["AtK(k=4)", "over"] == "top k"


def test_nearest_numbers_come_first_and_ten_are_printed():
    found = compat.compare(Y, S, k=3, near=0.734)
    assert sorted(np.abs(found.difference)) == pytest.approx(np.abs(found.difference), abs=1e-6)
    assert found.difference == pytest.approx(found.estimate - 0.734)
    assert len(found.scores) > len(NAMES)
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
    assert "functions" not in compat.compare(Y, S, near=0.7, tools="all").to_frame()


# y_score 0.9 ... 0.6: scikit-learn gives 5/6 = 0.8333, and VOC 2010 the same
@pytest.mark.parametrize(
    ("near", "sentence"),
    [
        (0.833, "One number rounds to 0.833, that of sklearn"),
        ("0.83", "One number rounds to 0.83, that of sklearn"),
        ("0,83", "One number rounds to 0.83, that of sklearn"),
        ("0.830", "No function gives a number that rounds to 0.830, also with other inputs: "),
        ("83%", "One number rounds to 0.83, that of sklearn"),
        ("83.0%", "No function gives a number that rounds to 0.830, also with other inputs: "),
        (0.79, "One number rounds to 0.79, that of sklearn.auc_of_precision_recall_curve."),
        ("0.8", "3 functions give 2 different numbers that round to 0.8: more digits"),
        (5 / 6, "One number rounds to 0.8333333333333334, that of sklearn"),
        (np.float32(5 / 6), "One number rounds to 0.8333333, that of sklearn"),
    ],
)
def test_digits_of_near_say_which_functions_round_to_it(near, sentence):
    tools = ["sklearn.auc_of_precision_recall_curve", "chainercv.calc_detection_voc_ap"]
    found = compat.compare([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1], near=near, tools=tools)
    assert found.sentences[0].startswith(sentence)
    assert found.difference == pytest.approx(found.estimate - float(found.near))


@pytest.mark.parametrize(
    ("average", "kind"),
    [
        ("micro", "micro"),
        ("samples", "samples"),
        ("weighted", "weighted by positives"),
        (None, "column 1 alone"),
    ],
)
def test_near_tries_other_averages_of_columns(average, kind):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, (60, 3))
    scores = labels + rng.normal(size=(60, 3))
    with warnings.catch_warnings(action="ignore"):  # of rows without positives
        near = average_precision_score(labels, scores, average=average)
    found = compat.compare(labels, scores, near=near if average else near[1])
    assert found.heading.startswith("scores of tools, means over 3 columns, and")
    assert found.scores[0].label == f"sklearn.average_precision_score ({kind})"
    assert found.sentences[0].startswith("One number rounds to 0.")


@pytest.mark.parametrize(
    ("mistake", "make"),
    [
        ("scores reversed", lambda y, s: (y, -s)),
        ("labels 1 - y", lambda y, s: (1 - y, s)),
        ("labels 1 - y, scores reversed", lambda y, s: (1 - y, 1 - s)),
        ("y_score and y_true swapped", lambda y, s: (s, y)),
    ],
)
def test_near_tries_turned_and_swapped_inputs(mistake, make):
    rng = np.random.default_rng(1)
    y_true = (rng.random(200) < 0.3).astype(int)
    y_score = rng.random(200)
    if "swapped" in mistake:
        y_score = (y_score + y_true > 0.9).astype(int)
    near = f"{average_precision_score(*make(y_true, y_score)):.5f}"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UncertaintyWarning)
        found = compat.compare(y_true, y_score, near=near)
    assert found.scores[0].label == f"{BASELINE} ({mistake})"
    assert found.baseline == pytest.approx(average_precision_score(y_true, y_score))
    plain = compat.compare(y_true, y_score + y_true, near=1)  # a match leaves other inputs alone
    assert not any(each.input for each in plain.scores)


def test_near_tries_predictions_and_one_ranking_of_all_queries():
    rng = np.random.default_rng(0)
    y_true, noise, queries = rng.integers(0, 2, 90), rng.random(90), rng.integers(0, 9, 90)
    rounded = noise.round(1)
    for scores, is_predicted, kind in (
        (noise, noise > 0.5, "y_score > 0.5"),
        (rounded, rounded >= 0.5, "y_score >= 0.5"),
        (rounded - 0.5, rounded > 0.5, "y_score > 0"),
    ):
        near = average_precision_score(y_true, is_predicted)
        found = compat.compare(y_true, scores, near=near)
        assert f"{BASELINE} ({kind})" in found.to_frame().index
    near = average_precision_score(y_true, noise)
    found = compat.compare(y_true, noise, queries=queries, near=near)
    assert found.scores[0].label == f"{BASELINE} (without queries)"


def test_a_number_without_a_match_says_what_was_tried():
    found = compat.compare([[1, 0], [0, 1], [1, 1]], [[3, 2], [2, 3], [1, 1]], near=0.0123)
    assert "micro; samples; y_score > 0; scores reversed; " in found.sentences[0]
    assert "Pass k if the first k ranks count, and queries if it is a mean" in found.sentences[0]


@pytest.mark.parametrize("labels", ["", "labels 1 - y, "])
def test_rows_that_were_not_retrieved_stay_last_when_inputs_are_turned(labels):
    rng = np.random.default_rng(0)
    y_true, y_score = rng.integers(0, 2, 90), rng.normal(size=90)
    is_missed = y_score < 0
    scores, turned = (np.where(is_missed, -np.inf, each) for each in (y_score, -y_score))
    near = compat.score(BASELINE, 1 - y_true if labels else y_true, turned)
    found = compat.compare(y_true, scores, near=near)
    assert found.scores[0].label == f"{BASELINE} ({labels}scores reversed)"


def test_few_digits_match_by_chance():
    rng = np.random.default_rng(1)
    y_true, y_score = rng.integers(0, 2, 90), rng.normal(size=90)
    usual = average_precision_score(y_true, y_score)
    two, three, five = (compat.compare(y_true, y_score, near=f"{usual:.{n}f}") for n in (2, 3, 5))
    nearby = three.estimate[np.abs(three.difference) <= 0.05]
    assert three.share_given == pytest.approx(len({*nearby.round(3)}) / 100, rel=0.01)
    share = f"By chance, {three.share_given:.1%} of the numbers within 0.05 of it, with as many"
    assert f"{share} digits, match a function." in three.sentences
    assert two.share_given > 2 * three.share_given
    assert five.share_given < 0.001
    assert "By chance" not in str(five)


def test_near_counts_tied_rows_of_each_ranking():
    tied = compat.compare([1, 0, 1, 0, 1, 1], [3, 3, 2, 3, 2, 1], queries=list("aabbbb"), near=0.2)
    assert tied.sentences[-1].startswith("4 rows share their score with another: ")


def test_near_also_tries_an_optional_k():
    found = compat.compare(Y, S, k=3, near=0.5)
    calls = {(row.name, row.call.k) for row in found.scores}
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
    for row in compat.compare(y_true, y_score, queries=query, k=3, tools="all").scores:
        name = row.call.tool.definition or row.name
        answers = []
        for q in range(6):
            try:
                part = y_true[query == q], y_score[query == q]
                answers.append(compat.score(name, *part, **options_of(name)))
            except compat.ToolError:
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


@pytest.mark.parametrize(("near", "first"), [(None, 0.0), (-0.9, -1.0)])
def test_functions_that_give_nan_or_raise_come_last(near, first):
    found = compat.compare([0, 0], [0.1, 0.2], near=near, tools="all")
    kinds = [(bool(row.exception), math.isnan(row.estimate)) for row in found.scores]
    assert found.estimate[0] == first
    assert kinds == sorted(kinds)
    assert {*kinds} == {(False, False), (False, True), (True, True)}
    assert "catboost.PRAUC (raises CatBoostError)" in found.to_frame().index


def test_functions_that_are_left_out_are_named():
    found = compat.compare(Y, S, sample_weight=np.ones(10), tools=["COCO AP", "ranx.mrr", "h2o"])
    assert names_of(found)[1:] == ["h2o.aucpr"]
    assert found.left_out[-1] == "ranx.mrr"
    assert "pycocotools.COCOeval" in found.left_out
    assert found.sentences[0].startswith("Left out, as they take no weights: ")
    assert compat.compare(Y, S, tools=["COCO"]).sentences == ()
    alone = compat.compare(Y, S, sample_weight=np.ones(10), tools=["ranx.mrr"])
    assert alone.sentences == (
        f"{BASELINE} gives 0.7167.",
        "Left out, as they take no weights: ranx.mrr.",
    )


def test_difference_within_rounding_is_printed_as_0():
    data = [1, 1, 1, 0, 1], [5, 4, 3, 2, 1]
    text = str(compat.compare(*data, near=0.95 + 1e-15, tools=["ranx.map"]))
    assert [line.split()[-1] for line in text.splitlines()[2:4]] == ["0", "0"]


def test_compare_takes_names_and_definitions_each_once():
    names = ["MLmetrics", AtK(4), "MLmetrics.PRAUC", "recbole.MAP@4"]
    found = compat.compare(*IN_TURN, tools=names, k=np.int64(3))
    assert sorted(names_of(found)) == sorted(
        [BASELINE, "MLmetrics.PRAUC", "AtK(k=4)", "recbole.MAP@4"]
    )
    numbers = dict(zip(names_of(found), found.estimate.tolist(), strict=True))
    assert numbers["AtK(k=4)"] == numbers["recbole.MAP@4"] == pytest.approx(5 / 9)
    with pytest.raises(ValueError, match="tools is empty: pass names, or None for well-known"):
        compat.compare(Y, S, tools=[])
    for wrong in ("MLmetrics", 3):
        with pytest.raises(TypeError, match=f"tools must be several names, got {wrong!r}"):
            compat.compare(Y, S, tools=wrong)


def test_scores_beyond_float32_raise_no_warning():
    for y_score in ([2e300, 1e300], [1.7e308, -1.7e308]):
        assert len(compat.compare([1, 0], y_score, tools="all").scores) > len(NAMES)


@pytest.mark.parametrize("near", [[0.5], "half", "nan", True, math.inf, math.nan, 101])
def test_near_must_be_a_number_that_a_score_can_be(near):
    with pytest.raises((TypeError, ValueError), match=r"near must be a .*number.*, got .*[^.]\.?$"):
        compat.compare(Y, S, near=near)


def test_near_above_1_may_be_a_percentage():
    with pytest.raises(ValueError, match=r"got 74.4. Is it a percentage\? Pass 0.744\.$"):
        compat.compare(Y, S, near=74.4)
