"""All tools' numbers side by side."""

import math
import re

import numpy as np
import pytest
from compat_inputs import NAMES, S, Y, options_of

from sklearn_ap import average_precision_score, compat
from sklearn_ap.compat import _comparison, _tools
from sklearn_ap.compat._tools import ENTRIES, get


def test_equal_numbers_stand_together_and_scikit_learn_first():
    groups = compat.compare(Y, S).groups
    assert groups[0][0].name == "sklearn.average_precision_score"
    assert sorted(row.name for group in groups for row in group) == sorted(NAMES)
    firsts = [group[0].value for group in groups]
    assert firsts[1:] == sorted(firsts[1:], reverse=True)
    for group in groups:
        assert max(row.value for row in group) - min(row.value for row in group) < 1e-5


def test_the_nearest_to_a_number_come_first():
    comparison = compat.compare(Y, S, k=3, near=0.734)
    assert comparison.groups[0][0].name == "keras.AUC_PR_interpolation"
    assert comparison.baseline == pytest.approx(0.7167, abs=1e-4)
    away = [abs(group[0].difference) for group in comparison.groups]
    assert away == sorted(away)
    for row in comparison.results:
        assert row.difference == pytest.approx(row.value - 0.734)
    said = "No function gives a number within 0.01 of 0.05 on these predictions."
    assert said not in str(comparison)
    assert said in str(nothing := compat.compare(Y, S, k=3, near=0.05))
    assert said in nothing._repr_html_()


def test_each_of_several_numbers_has_its_own_nearest():
    both = compat.compare(Y, S, k=3, near=[0.734, 0.05])
    assert compat.compare(Y, S, k=3, near=np.array([0.734, 0.05])).near == both.near
    assert len(values_printed(both)) == 10
    first, second = str(both).split("Near 0.05:")
    assert first.startswith("Near 0.734:\n 0.7326  -0.0014  keras.AUC_PR_interpolation")
    alone = str(compat.compare(Y, S, k=3, near=0.05)).splitlines()
    assert second.splitlines()[1:6] == alone[:5]
    for row in both.results:
        to_each = [abs(row.value - number) for number in (0.734, 0.05)]
        assert abs(row.difference) == pytest.approx(min(to_each))


def test_a_number_is_looked_for_with_each_divisor_and_among_pooled_queries():
    """Two queries of three rows: hits at 1 and 3 of two positives, and at 2 of one."""
    y_true, y_score, queries = [1, 0, 1, 0, 1, 0], [9, 8, 7, 3, 2, 1], [0, 0, 0, 1, 1, 1]
    found = compat.compare(y_true, y_score, queries=queries, k=2, near=0.6)
    values = {(row.name, row.k, row.pooled): row.value for row in found.results}
    of = {"pooled": (1 + 2 / 3 + 3 / 5) / 3, "mean": ((1 + 2 / 3) / 2 + 1 / 2) / 2}
    baseline = "sklearn.average_precision_score"
    assert values[baseline, None, True] == pytest.approx(of["pooled"])
    assert values[baseline, None, False] == found.baseline == pytest.approx(of["mean"])
    divided = {
        "ranx.map@k": (1 / 2 + 1 / 2) / 2,  # by positives
        "ml_metrics.apk": (1 / 2 + 1 / 2) / 2,  # by min(k, positives)
        "torchmetrics.RetrievalMAP": (1 + 1 / 2) / 2,  # by hits
        "rectools.MAP_divide_by_k": (1 / 2 + 1 / 4) / 2,  # by k
    }
    for name, value in divided.items():
        assert values[name, 2, False] == pytest.approx(value, abs=1e-6)
    asked = [{(name, k) for name, k, pooled in values if pooled is each} for each in (True, False)]
    assert asked[0] == asked[1]
    (row,) = (row for row in found.results if row.pooled and row.name == "ranx.map@k")
    assert row.note == "k=2, pooled"
    without = compat.compare(y_true, y_score, queries=queries, k=2)
    assert not any(row.pooled for row in without.results)


def test_pooled_queries_are_the_rows_as_one_ranking():
    rng = np.random.default_rng(0)
    y_true, y_score, weight = rng.integers(0, 2, 40), rng.random(40), rng.random(40)
    options = {"sample_weight": weight, "k": 3, "near": 0.5}
    by_query = {"queries": np.arange(40) % 3, "n_positives": [20, 30, 40]}
    found = compat.compare(y_true, y_score, **by_query, **options)
    of_all = compat.compare(y_true, y_score, n_positives=90, **options)
    alone = {(row.name, row.k): row.value for row in of_all.results}
    pooled = {(row.name, row.k): row.value for row in found.results if row.pooled}
    assert pooled == pytest.approx(alone)
    assert len(alone) > 10


def test_a_frame_has_the_choices_and_versions():
    frame = compat.compare(Y, S).to_frame().set_index("name")
    row = frame.loc["pytrec_eval.map"]
    assert [*row[["scores", "ties", "between", "over", "divisor"]]] == [
        *get("pytrec_eval.map").choices[:3],
        *get("pytrec_eval.map").choices[4:],
    ]
    assert (row["version"], row["known"]) == ("0.5.11 (terrier)", "run")


def test_a_number_of_positives_reaches_every_function():
    known = {"n_positives": 8, "tools": ["pytrec_eval.map"]}
    _, row = compat.compare(Y, S, **known).results
    assert (
        row.value
        == compat.score("pytrec_eval.map", Y, S, n_positives=8)
        == compat.explain("pytrec_eval.map", Y, S, n_positives=8).value
    )
    assert row.value == pytest.approx(compat.score("pytrec_eval.map", Y, S) * 5 / 8)


def test_some_tools():
    comparison = compat.compare(Y, S, tools=["ROCR", "xgboost.aucpr", "ROCR.aucpr"])
    assert [row["name"] for row in comparison.rows()] == [
        *("sklearn.average_precision_score", "ROCR.aucpr", "xgboost.aucpr"),
    ]
    for tools in ("ROCR", 3):
        with pytest.raises(TypeError, match=f"tools must be several names, got {tools!r}"):
            compat.compare(Y, S, tools=tools)
    names = np.array(["ROCR", "xgboost.aucpr"])
    assert str(compat.compare(Y, S, tools=names)) == str(compat.compare(Y, S, tools=[*names]))
    with pytest.raises(ValueError, match="'nothing' is not a known tool"):
        compat.compare(Y, S, tools=["nothing"])


def test_weights_leave_out_functions_without_them():
    names = {row["name"] for row in compat.compare(Y, S, sample_weight=np.ones(10)).rows()}
    assert names == {entry.name for entry in ENTRIES if entry.weights}


def test_each_query_is_decided_alone():
    """One has margins, one only negative scores, one no positive, one no negative.

    The tool that raises an error there has no answer; -1 and nan are none.
    """
    rng = np.random.default_rng(0)
    query = rng.permutation(np.repeat(np.arange(8), 9))
    y_true = rng.integers(0, 2, 72)
    y_score = rng.integers(0, 9, 72) / 8
    y_score[query == 1] *= 40
    y_score[query == 2] -= 2
    y_true[query == 3], y_true[query == 4] = 0, 1
    y_score[query == 5] *= 1e-8
    baseline = average_precision_score(y_true, y_score, queries=query, zero_division=0.0)
    for row in compat.compare(y_true, y_score, queries=query, k=3).rows():
        entry, each = get(row["name"]), []
        for q in range(8):
            try:
                part = y_true[query == q], y_score[query == q]
                each.append(compat.score(row["name"], *part, **options_of(entry)))
            except compat.ToolError:
                each.append(math.nan)
        answers = [value for value in each if not (value == -1 or math.isnan(value))]
        assert row["left_out"] == 8 - len(answers), row["name"]
        assert row["value"] == pytest.approx(np.mean(answers), abs=1e-14), row["name"]
        assert row["difference"] == pytest.approx(row["value"] - baseline)
        options = options_of(entry) | {"queries": query}
        assert compat.score(row["name"], y_true, y_score, **options) == row["value"]


def test_queries_without_an_answer_are_left_out_and_counted():
    queries = {"queries": [0, 0, 1, 1], "tools": "all"}
    comparison = compat.compare([1, 0, 0, 0], [4, 3, 2, 1], k=1, **queries)
    rows = {row["name"]: row for row in comparison.rows()}
    assert rows["xgboost.aucpr_ranking"]["value"] == 1.0
    assert rows["pycocotools.COCOeval"]["value"] == 1.0
    assert rows["recommenders.map"]["left_out"] == 1
    assert "recommenders.map (k=1, 1 of 2 queries left out)" in " ".join(str(comparison).split())
    assert rows["sklearn.average_precision_score"]["value"] == 0.5
    assert rows["sklearn.average_precision_score"]["left_out"] == 0


def test_ten_functions_are_printed_unless_tools_are_named():
    comparison = compat.compare(Y, S)
    assert len(comparison.results) == len(NAMES)
    *shown, last = str(comparison).splitlines()
    assert sorted(re.findall(r"[a-z_]+\.\w+", " ".join(shown))) == sorted(_tools.MOST_USED)
    assert last == f'tools="all", or --all, names all {len(NAMES)} functions.'
    everything = compat.compare(Y, S, tools="all")
    assert everything.results == comparison.results
    for shown in (str(everything), everything._repr_html_()):
        assert all(name in shown for name in NAMES)
    assert len(everything.to_frame()) == len(NAMES)


def test_each_distinct_number_has_a_line():
    comparison = compat.compare(Y, S, tools="all")
    firsts = [group[0].value for group in comparison.groups]
    assert values_printed(comparison) == pytest.approx(firsts, abs=5e-5)
    assert comparison._repr_html_().count("<tr>") == len(firsts) + 1
    usual = compat.compare(Y, S)
    assert len(set(values_printed(usual))) == len(values_printed(usual)) < len(_tools.MOST_USED)


def values_printed(comparison):
    return [float(each) for each in re.findall(r"^ *(-?\d\.\d{4}) ", str(comparison), re.M)]


def test_each_number_near_one_has_a_line_however_many_functions_give_another():
    """Ten or more functions give a perfect ranking's 1, and others 0.995 and 0.75."""
    y_true, y_score = [1, 1, 1, 1, 0, 0], [6, 5, 4, 3, 2, 1]
    comparison = compat.compare(y_true, y_score, k=3, near=1)
    assert len(comparison.groups[0]) > 10
    firsts = [group[0].value for group in comparison.groups[:10]]
    assert values_printed(comparison) == pytest.approx(firsts, abs=5e-5)
    assert comparison._repr_html_().count("<tr>") == 11
    assert f" and {len(comparison.groups[0]) - 3} more\n" in str(comparison)


@pytest.mark.parametrize(
    ("near", "half"), [(0.8, 0.005), (0.78, 0.005), (0.783, 0.0005), (0.7833, 0.00005)]
)
@pytest.mark.parametrize("most", [1, 10])
def test_all_numbers_that_round_to_the_one_asked_for_are_printed(monkeypatch, near, half, most):
    monkeypatch.setattr(_comparison, "MOST_LINES", most)
    comparison = compat.compare(Y, S, k=3, near=near)
    alike = [group[0].value for group in comparison.groups if abs(group[0].value - near) <= half]
    assert values_printed(comparison)[: len(alike)] == pytest.approx(alike, abs=5e-5)
    remark = f"{len(alike)} numbers round to {near}: you cannot tell which it is."
    assert (remark in str(comparison)) == (len(alike) > 1)
    assert (remark in comparison._repr_html_()) == (len(alike) > 1)


def test_the_first_function_of_a_line_says_how_near_it_is():
    """The last two of 2000 ranks are tied: 1 - 1 / 1001000, and 1 where they are not."""
    y_true, y_score = np.repeat([1, 0], 1000), -np.arange(2000)
    y_score[1000] = y_score[999]
    tools = ["mmdet.average_precision"]
    (group,) = (found := compat.compare(y_true, y_score, near=0.9899995, tools=tools)).groups
    assert [row.value for row in group] == pytest.approx([1 - 1 / 1001000, 1], abs=1e-9)
    assert "No function" not in str(found)
    assert "No function" in str(compat.compare(y_true, y_score, near=0.98999, tools=tools))


@pytest.mark.parametrize(("near", "first"), [(None, 0.0), (-0.9, -1.0)])
def test_what_is_nan_or_raises_comes_last(near, first):
    comparison = compat.compare([0, 0], [0.1, 0.2], near=near)
    groups = comparison.groups
    assert groups[0][0].value == first
    assert math.isnan(groups[-2][0].value)
    assert groups[-1][0].value is None
    assert [groups[-2][0].difference, groups[-1][0].difference] == [None, None]
    assert "raises" in str(comparison)


@pytest.mark.parametrize("near", [[], ["a"], "0.5", True, math.inf, [0.5, math.nan]])
def test_near_is_finite_numbers(near):
    with pytest.raises((TypeError, ValueError), match=r"near must be a .*number.*, got "):
        compat.compare(Y, S, near=near)


def test_a_pooled_ranking_may_have_no_weight_on_top_if_one_of_its_queries_has_none():
    queries = {"queries": [0, 0, 1, 1], "sample_weight": [0, 1, 1, 1]}
    found = compat.compare([1, 0, 1, 0], [9, 8, 2, 1], near=0.5, tools=["lightgbm"], **queries)
    (value,) = (r.value for r in found.results if r.pooled and r.name.endswith("ge_precision"))
    assert math.isnan(value)


def test_pooled_queries_are_one_ranking_also_if_one_of_them_has_no_negatives():
    rows, queries = ([1, 0, 1, 1], [4, 3, 2, 1]), [0, 0, 1, 1]
    found = compat.compare(*rows, queries=queries, near=0.8, tools=["xgboost.aucpr"])
    alone = compat.score("xgboost.aucpr", *rows)
    pooled = {row.name: row.value for group in found.groups for row in group if row.pooled}
    assert pooled["xgboost.aucpr"] == alone
