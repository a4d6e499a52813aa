"""All tools' numbers side by side."""

import math

import numpy as np
import pytest
from compat_inputs import NAMES, S, Y, options_of

from sklearn_ap import average_precision_score, compat
from sklearn_ap.compat import _tools


def test_every_function_has_the_number_of_score():
    for row in compat.compare(Y, S, k=3).rows():
        entry = compat.get(row["name"])
        assert row["value"] == compat.score(row["name"], Y, S, **options_of(entry))
        assert row["difference"] == pytest.approx(row["value"] - average_precision_score(Y, S))


def test_equal_numbers_stand_together_and_scikit_learn_first():
    groups = compat.compare(Y, S).groups
    assert groups[0][0].name == "sklearn.average_precision_score"
    assert sorted(row.name for group in groups for row in group) == sorted(NAMES)
    firsts = [group[0].value for group in groups]
    assert firsts[1:] == sorted(firsts[1:], reverse=True)
    for group in groups:
        assert max(row.value for row in group) - min(row.value for row in group) < 1e-5


def test_what_raises_or_is_nan_comes_last():
    groups = compat.compare([0, 0], [0.1, 0.2]).groups
    assert math.isnan(groups[-2][0].value)
    assert groups[-1][0].value is None
    assert [groups[-2][0].difference, groups[-1][0].difference] == [None, None]
    assert "raises" in str(compat.compare([0, 0], [0.1, 0.2]))


def test_the_nearest_to_a_number_come_first():
    comparison = compat.compare(Y, S, k=3, near=0.734)
    assert comparison.groups[0][0].name == "keras.AUC_PR_interpolation"
    assert comparison.baseline == pytest.approx(0.7167, abs=1e-4)
    away = [abs(group[0].difference) for group in comparison.groups]
    assert away == sorted(away)
    for row in comparison.results:
        assert row.difference == pytest.approx(row.value - 0.734)
    names = {row.name for row in compat.compare(Y, S, k=3).results}
    assert names == {row.name for row in comparison.results}


def test_what_has_no_number_is_near_to_none():
    groups = compat.compare([0, 0], [0.1, 0.2], near=-0.9).groups
    assert groups[0][0].value == -1
    assert math.isnan(groups[-2][0].value)
    assert groups[-1][0].value is None


def test_nothing_near_a_number_is_said():
    far = compat.compare(Y, S, k=3, near=0.05)
    said = "No function gives a number within 0.01 of 0.05 on these predictions."
    assert str(far).startswith(f"{said}\n")
    assert said in far._repr_html_()
    for found in (compat.compare(Y, S, k=3, near=0.734), compat.compare(Y, S, k=3)):
        assert "No function" not in str(found) + found._repr_html_()


def test_some_tools():
    comparison = compat.compare(Y, S, tools=["ROCR", "xgboost.aucpr", "ROCR.aucpr"])
    assert [row["name"] for row in comparison.rows()] == [
        *("sklearn.average_precision_score", "ROCR.aucpr", "xgboost.aucpr"),
    ]
    with pytest.raises(TypeError, match="tools must be several names, got 'ROCR'"):
        compat.compare(Y, S, tools="ROCR")
    with pytest.raises(TypeError, match="tools must be several names, got 3"):
        compat.compare(Y, S, tools=3)
    names = np.array(["ROCR", "xgboost.aucpr"])
    assert str(compat.compare(Y, S, tools=names)) == str(compat.compare(Y, S, tools=[*names]))
    with pytest.raises(ValueError, match="'nothing' is not a known tool"):
        compat.compare(Y, S, tools=["nothing"])


def test_weights_leave_out_functions_without_them():
    names = {row["name"] for row in compat.compare(Y, S, sample_weight=np.ones(10)).rows()}
    assert names == {entry.name for entry in compat.conventions() if entry.weights}


def test_queries_are_averaged():
    queries = np.array(list("ababababab"))
    for row in compat.compare(Y, S, queries=queries, k=3).rows():
        options = options_of(compat.get(row["name"]))
        each = [
            compat.score(row["name"], np.array(Y)[at], np.array(S)[at], **options)
            for at in (queries == "a", queries == "b")
        ]
        assert row["value"] == pytest.approx(np.mean(each), abs=1e-15)


def test_each_query_is_decided_alone():
    """One has margins, one only negative scores, one no positive, one no negative."""
    rng = np.random.default_rng(0)
    query = rng.permutation(np.repeat(np.arange(8), 9))
    y_true = rng.integers(0, 2, 72)
    y_score = rng.integers(0, 9, 72) / 8
    y_score[query == 1] *= 40
    y_score[query == 2] -= 2
    y_true[query == 3], y_true[query == 4] = 0, 1
    y_score[query == 5] *= 1e-8
    for row in compat.compare(y_true, y_score, queries=query, k=3).rows():
        entry, each = compat.get(row["name"]), []
        for q in range(8):
            try:
                part = y_true[query == q], y_score[query == q]
                each.append(compat.score(row["name"], *part, **options_of(entry)))
            except compat.ToolError:
                each.append(math.nan)
        answers = [value for value in each if not (value == -1 or math.isnan(value))]
        assert row["left_out"] == 8 - len(answers), row["name"]
        assert row["value"] == pytest.approx(np.mean(answers), abs=1e-14), row["name"]


def test_queries_without_an_answer_are_left_out_and_counted():
    queries = {"queries": [0, 0, 1, 1], "tools": "all"}
    comparison = compat.compare([1, 0, 0, 0], [4, 3, 2, 1], k=1, **queries)
    rows = {row["name"]: row for row in comparison.rows()}
    assert rows["xgboost.aucpr_ranking"]["value"] == 1.0
    assert rows["pycocotools.COCOeval"]["value"] == 1.0
    assert rows["recommenders.map"]["left_out"] == 1
    assert "recommenders.map  (k=1, 1 of 2 queries left out)" in str(comparison)
    assert rows["sklearn.average_precision_score"]["value"] == 0.5
    assert rows["sklearn.average_precision_score"]["left_out"] == 0


def test_for_machines_and_notebooks():
    comparison = compat.compare(Y, S, tools="all")
    assert len(comparison.to_frame()) == len(NAMES)
    assert comparison._repr_html_().count("<tr>") == len(NAMES) + 1


@pytest.mark.parametrize("near", [None, 0.4])
def test_ten_functions_are_printed_unless_tools_are_named(near):
    comparison = compat.compare(Y, S, near=near)
    assert len(comparison.results) == len(NAMES)
    *shown, last = str(comparison).splitlines()
    assert len(shown) == 10
    assert last == f'{len(NAMES) - 10} more: tools="all", or --all, shows them.'
    assert comparison._repr_html_().count("<tr>") == 11
    printed = [line.split()[-1] for line in shown if not line.endswith(")")]
    if near is None:
        assert sorted(printed) == sorted(_tools.MOST_USED)
    else:
        assert {row.name for row in comparison.results[:10]} >= {*printed}
    everything = compat.compare(Y, S, near=near, tools="all")
    assert len(str(everything).splitlines()) == len(NAMES)
    assert everything.results == comparison.results
