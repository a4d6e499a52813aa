"""All tools' numbers side by side."""

import math
import re
import sys

import numpy as np
import pytest
from compat_inputs import IN_TURN, NAMES, S, Y, options_of

from sklearn_ap import compat
from sklearn_ap.compat._compare import WELL_KNOWN
from sklearn_ap.compat._tools import our_tools, tools
from sklearn_ap.definitions import AtK

BASELINE = NAMES[0]
TEN_QUERIES = np.arange(10) % 3


def names_of(found):
    return [row.tool.name for row in found.scores]


def test_equal_numbers_stand_together_with_scikit_learn_first():
    usual, everything = compat.compare(Y, S), compat.compare(Y, S, tools="all")
    assert sorted(names_of(usual)) == sorted([*NAMES, *(tool.name for tool in our_tools(10))])
    assert names_of(everything) == names_of(usual)
    numbers = [group[0].estimate for group in usual.groups]
    assert usual.scores[0].tool.name == BASELINE
    assert numbers[1:] == sorted(numbers[1:], reverse=True)
    for group in usual.groups:
        assert np.ptp([row.estimate for row in group]) < 1e-5
        is_known = [row.tool.name in WELL_KNOWN for row in group]
        assert is_known == sorted(is_known, reverse=True)


def test_every_number_is_that_of_score():
    found = compat.compare(Y, S, k=3)
    for row in found.scores:
        name = row.tool.definition or row.tool.name
        expected = compat.score(name, Y, S, **options_of(name))
        assert row.estimate == expected, row.tool.name
        assert row.difference == pytest.approx(expected - found.baseline)


def test_a_line_is_printed_for_each_number_of_well_known_functions():
    found = compat.compare(Y, S)
    heading, head, *lines, last = str(found).splitlines()
    assert heading == "scores of tools, and differences from scikit-learn's"
    assert head.split() == ["score", "difference"]
    n_numbers = len({round(compat.score(name, Y, S), 6) for name in WELL_KNOWN})
    assert len(lines) == n_numbers < len(WELL_KNOWN)
    assert lines[0].startswith(f"{BASELINE}, ")
    assert last == f'tools="all" names all {len(found.scores)} functions.'
    assert found._repr_html_().count("<tr>") == n_numbers + 1
    everything = str(compat.compare(Y, S, tools="all"))
    assert all(name in everything for name in names_of(found))


def test_frame_has_a_row_for_each_function_with_its_choices():
    frame = compat.compare(Y, S, tools=["pytrec_eval.map", AtK(4)]).to_frame()
    row = frame.loc["pytrec_eval.map"]
    assert (row["divisor"], row["ties"]) == ("positives", "reverse order")
    assert (row["version"], row["known"]) == ("0.5.11 (terrier)", "run")
    assert frame.loc["AtK(k=4)", "known"] == "ours"


def test_nearest_numbers_come_first():
    found = compat.compare(Y, S, k=3, near=0.734)
    distances = [abs(group[0].difference) for group in found.groups]
    assert distances == sorted(distances)
    assert found.difference == pytest.approx(found.estimate - 0.734)
    both = compat.compare(Y, S, k=3, near=np.array([0.734, 0.05]))
    for row in both.scores:
        to_each = [abs(row.estimate - number) for number in (0.734, 0.05)]
        assert abs(row.difference) == pytest.approx(min(to_each))


@pytest.mark.parametrize(
    ("near", "said"),
    [
        (0.05, "No function gives a number within 0.01 of 0.05 on these predictions."),
        (0.734, "No number rounds to 0.734."),
        (0.7167, None),
        (0.78, "3 numbers round to 0.78: pass more digits to tell them apart."),
    ],
)
def test_comparison_says_how_many_numbers_round_to_near(near, said):
    found = compat.compare(Y, S, near=near)
    assert found.sentences[:-1] == (() if said is None else (said,))


@pytest.mark.parametrize("digits", [0.8, 0.78, 0.783, 0.7833])
def test_all_numbers_that_round_to_near_are_printed(digits):
    y_true, y_score = np.tile(Y, 3), np.arange(30) % 7 / 7
    found = compat.compare(y_true, y_score, near=digits, queries=np.arange(30) % 2)
    half = 0.5 / 10 ** max(2, len(str(digits)) - 2) + 1e-12
    n_near = sum(abs(group[0].estimate - digits) <= half for group in found.groups)
    assert found._repr_html_().count("<tr>") - 1 == max(10, n_near)


def test_near_also_tries_k_no_k_and_pooled_queries():
    rows = {"queries": TEN_QUERIES, "n_positives": [6, 7, 8], "k": 3}
    found = compat.compare(Y, S, **rows, near=0.5)
    pooled = {(row.tool.name, row.k): row.estimate for row in found.scores if row.is_pooled}
    alone = compat.compare(Y, S, n_positives=21, k=3, near=0.5)
    expected = {(row.tool.name, row.k): row.estimate for row in alone.scores}
    assert pooled == pytest.approx(expected, nan_ok=True)
    assert {("catboost.MAP", None), ("catboost.MAP", 3)} <= {*pooled}
    without = compat.compare(Y, S, **rows)
    assert found.baseline == without.baseline
    assert not any(row.is_pooled for row in without.scores)


@pytest.mark.parametrize("heaviest", [0, 1])
def test_pooled_columns_are_one_ranking_with_the_weights_of_their_rows(heaviest):
    """LightGBM gives nan where the highest score of all has no weight."""
    y_true, y_score = np.array([[0, 1], [1, 0], [0, 1]]), np.array([[3, 6], [5, 4], [2, 1]])
    weight = np.array([heaviest, 1, 2])
    found = compat.compare(y_true, y_score, sample_weight=weight, near=0.5)
    pooled = {(row.tool.name, row.k): row.estimate for row in found.scores if row.is_pooled}
    alone = compat.compare(
        y_true.T.ravel(), y_score.T.ravel(), sample_weight=np.tile(weight, 2), near=0.5
    )
    expected = {(row.tool.name, row.k): row.estimate for row in alone.scores}
    assert np.isnan(expected["lightgbm.average_precision", None]) == (heaviest == 0)
    assert pooled == pytest.approx(expected, nan_ok=True)


def test_queries_without_an_answer_are_left_out():
    """One query has margins, one only negative scores, one no positive, and one no negative."""
    rng = np.random.default_rng(0)
    query = rng.permutation(np.repeat(np.arange(6), 9))
    y_true, y_score = rng.integers(0, 2, 54), rng.integers(0, 9, 54) / 8
    y_score[query == 1] *= 40
    y_score[query == 2] -= 2
    y_true[query == 3], y_true[query == 4] = 0, 1
    for row in compat.compare(y_true, y_score, queries=query, k=3).scores:
        name = row.tool.definition or row.tool.name
        answers = []
        for q in range(6):
            try:
                part = y_true[query == q], y_score[query == q]
                answers.append(compat.score(name, *part, **options_of(name)))
            except compat.ToolError:
                answers.append(math.nan)
        known = [value for value in answers if not (value == -1 or math.isnan(value))]
        assert row.n_left_out == 6 - len(known), name
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
    found = compat.compare([0, 0], [0.1, 0.2], near=near)
    best, *_, undefined, raises = found.groups
    assert best[0].estimate == first
    assert all(math.isnan(row.estimate) and not row.refusal for row in undefined)
    assert all(row.refusal for row in raises)
    assert "catboost.PRAUC (raises CatBoostError)" in found.to_frame().index
    assert found.plot().axes


def test_functions_without_weights_are_left_out_with_weights():
    names = names_of(compat.compare(Y, S, sample_weight=np.ones(10)))
    everything = [*tools(), *our_tools(10)]
    assert {*names} == {tool.name for tool in everything if tool.takes_weights}


def test_compare_takes_names_and_definitions_each_once():
    names = ["MLmetrics", AtK(4), "MLmetrics.PRAUC", "recbole.MAP@4"]
    found = compat.compare(*IN_TURN, tools=names)
    assert sorted(names_of(found)) == sorted(
        [BASELINE, "MLmetrics.PRAUC", "AtK(k=4)", "recbole.MAP@4"]
    )
    numbers = dict(zip(names_of(found), found.estimate.tolist(), strict=True))
    assert numbers["AtK(k=4)"] == numbers["recbole.MAP@4"] == pytest.approx(5 / 9)
    for wrong in ("MLmetrics", 3):
        with pytest.raises(TypeError, match=f"tools must be several names, got {wrong!r}"):
            compat.compare(Y, S, tools=wrong)


def test_scores_beyond_float32_raise_no_warning():
    for y_score in ([2e300, 1e300], [1.7e308, -1.7e308]):
        assert len(compat.compare([1, 0], y_score).scores) > len(NAMES)


@pytest.mark.parametrize("near", [[], ["a"], "0.5", True, math.inf, [0.5, math.nan]])
def test_near_must_be_finite_numbers(near):
    with pytest.raises((TypeError, ValueError), match=r"near must be a .*number.*, got "):
        compat.compare(Y, S, near=near)


def test_picture_has_a_point_for_each_printed_number():
    found = compat.compare(Y, S, tools=["MLmetrics", "xgboost.aucpr"])
    axis = found.plot().axes[0]
    points = axis.collections[1].get_offsets()[:, 0]
    np.testing.assert_allclose(points, found.estimate)
    assert [label.get_text() for label in axis.get_yticklabels()] == names_of(found)


def test_picture_without_matplotlib_says_how_to_install_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.pyplot", None)
    with pytest.raises(ImportError, match=re.escape("pip install matplotlib.")):
        compat.compare([1, 0], [2, 1]).plot()
