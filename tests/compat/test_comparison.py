"""All tools' numbers side by side."""

import math
import re
from html import unescape

import numpy as np
import pytest
from compat_inputs import ALL_NAMES, S, Y, options_of

from sklearn_ap import average_precision_score, compat
from sklearn_ap.compat import _comparison, _tools
from sklearn_ap.compat._tools import ALL_ENTRIES, get

BASELINE = "sklearn.average_precision_score"


def values_printed(comparison):
    return [float(each) for each in re.findall(r"^ *(-?\d\.\d{4}) ", str(comparison), re.M)]


def test_comparison_groups_equal_numbers_with_scikit_learn_first():
    usual, everything = compat.compare(Y, S), compat.compare(Y, S, tools="all")
    assert sorted(row.name for row in usual.results) == sorted(ALL_NAMES)
    assert everything.results == usual.results
    firsts = [group[0].value for group in usual.groups]
    assert usual.groups[0][0].name == BASELINE
    assert firsts[1:] == sorted(firsts[1:], reverse=True)
    for group in usual.groups:
        assert max(row.value for row in group) - min(row.value for row in group) < 1e-5
    *shown, last = str(usual).splitlines()
    assert sorted(re.findall(r"[a-z_]+\.\w+", " ".join(shown))) == sorted(_tools.WELL_KNOWN)
    assert last == f'tools="all" names all {len(ALL_NAMES)} functions.'
    assert len(set(values_printed(usual))) == len(values_printed(usual)) < len(_tools.WELL_KNOWN)
    assert values_printed(everything) == pytest.approx(firsts, abs=5e-5)
    html = unescape(everything._repr_html_())
    assert html.count("<tr>") == len(firsts) + 1
    assert all(name in text for text in (str(everything), html) for name in ALL_NAMES)
    row = usual.to_frame().set_index("name").loc["pytrec_eval.map"]
    assert row["divisor"] == get("pytrec_eval.map").choices.divisor
    assert (row["version"], row["known"]) == ("0.5.11 (terrier)", "run")


def test_tools_are_sorted_by_distance_from_each_near_number():
    found = compat.compare(Y, S, k=3, near=0.734)
    away = [abs(group[0].difference) for group in found.groups]
    assert away == sorted(away)
    for row in found.results:
        assert row.difference == pytest.approx(row.value - 0.734)
    said = "No function gives a number within 0.01 of 0.05 on these predictions."
    nothing = compat.compare(Y, S, k=3, near=0.05)
    assert said not in str(found)
    assert said in str(nothing)
    assert said in nothing._repr_html_()
    both = compat.compare(Y, S, k=3, near=np.array([0.734, 0.05]))
    assert len(values_printed(both)) == 10
    first, second = str(both).split("Near 0.05:")
    assert re.search(r"metrax\.AUCPR and \d+\n", first)
    first = first.replace("No number rounds to 0.734. The nearest:\n", "")
    nearest = (
        "Near 0.734:\n 0.7333  -0.0007  sklearn_ap.interpolated_average_precision_score\n"
        " 0.7326  -0.0014  keras.AUC_PR_interpolation"
    )
    assert first.startswith(nearest)
    assert second.splitlines()[1:6] == str(nothing).splitlines()[:5]
    for row in both.results:
        to_each = [abs(row.value - number) for number in (0.734, 0.05)]
        assert abs(row.difference) == pytest.approx(min(to_each))


@pytest.mark.parametrize("weighted", [False, True])
def test_near_also_tries_k_no_k_and_pooled_queries(weighted):
    """One query has no negatives, and the highest score no weight: LightGBM gives nan."""
    rng = np.random.default_rng(0)
    y_true, y_score, weight = rng.integers(0, 2, 40), rng.random(40), rng.random(40)
    y_true[::3], weight[y_score.argmax()] = 1, 0
    by_query = {"queries": np.arange(40) % 3, "n_positives": [60, 70, 80]}
    options = {"sample_weight": weight if weighted else None, "k": 3}
    found = compat.compare(y_true, y_score, **by_query, **options, near=0.5)
    of_all = compat.compare(y_true, y_score, n_positives=210, **options, near=0.5)
    alone = {(row.name, row.k): row.value for row in of_all.results}
    pooled = {(row.name, row.k): row.value for row in found.results if row.pooled}
    assert pooled == pytest.approx(alone, nan_ok=True)
    assert np.isnan(pooled["lightgbm.average_precision", None]) == weighted
    asked = {("ranx.map@k", 3), ("catboost.MAP", None), ("catboost.MAP", 3)}
    assert weighted or asked < pooled.keys()
    notes = {row.note for row in found.results if row.pooled}
    assert notes >= ({"pooled"} if weighted else {"pooled", "k=3, pooled"})
    without = compat.compare(y_true, y_score, **by_query, **options)
    assert found.baseline == without.baseline
    assert not any(row.pooled for row in without.results)


def test_a_number_of_positives_reaches_every_function():
    equal, few = {"sample_weight": [1] * 3, "n_positives": 2}, ([1, 0, 1], [3, 2, 1])
    plain = compat.score("lightgbm.average_precision", *few)
    assert compat.score("lightgbm.average_precision", *few, **equal) == pytest.approx(plain)
    name, known = "pytrec_eval.map", {"n_positives": 8}
    value = compat.score(name, Y, S, **known)
    assert value == pytest.approx(compat.score(name, Y, S) * 5 / 8)
    _, row = compat.compare(Y, S, tools=[name], **known).results
    assert value == row.value == compat.explain(name, Y, S, **known).value


def test_compare_accepts_a_list_of_tools():
    comparison = compat.compare(Y, S, tools=np.array(["ROCR", "xgboost.aucpr", "ROCR.aucpr"]))
    assert [row["name"] for row in comparison._rows()] == [BASELINE, "ROCR.aucpr", "xgboost.aucpr"]
    for tools in ("ROCR", 3):
        with pytest.raises(TypeError, match=f"tools must be several names, got {tools!r}"):
            compat.compare(Y, S, tools=tools)


def test_functions_without_weight_support_are_left_out_with_weights():
    names = {row["name"] for row in compat.compare(Y, S, sample_weight=np.ones(10))._rows()}
    assert names == {entry.name for entry in ALL_ENTRIES if entry.weights}


def test_queries_are_scored_separately_and_undefined_ones_left_out():
    """One has margins, one only negative scores, one no positive, one no negative.

    The tool that raises an error there has no answer; -1 and nan are none.
    """
    rng = np.random.default_rng(0)
    query = rng.permutation(np.repeat(np.arange(8), 9))
    y_true, y_score = rng.integers(0, 2, 72), rng.integers(0, 9, 72) / 8
    y_score[query == 1] *= 40
    y_score[query == 2] -= 2
    y_true[query == 3], y_true[query == 4] = 0, 1
    y_score[query == 5] *= 1e-8
    baseline = average_precision_score(y_true, y_score, queries=query, zero_division=0.0)
    found = compat.compare(y_true, y_score, queries=query, k=3, tools="all")
    assert "(k=3, 1 of 8 queries left out)" in " ".join(str(found).split())
    for row in found._rows():
        options, each = options_of(get(row["name"])), []
        for q in range(8):
            try:
                part = y_true[query == q], y_score[query == q]
                each.append(compat.score(row["name"], *part, **options))
            except compat.ToolError:
                each.append(math.nan)
        answers = [value for value in each if not (value == -1 or math.isnan(value))]
        assert row["left_out"] == 8 - len(answers), row["name"]
        assert row["value"] == pytest.approx(np.mean(answers), abs=1e-14), row["name"]
        assert row["difference"] == pytest.approx(row["value"] - baseline)
        assert compat.score(row["name"], y_true, y_score, queries=query, **options) == row["value"]


def test_all_numbers_that_round_to_near_are_printed(monkeypatch):
    monkeypatch.setattr(_comparison, "MOST_LINES", 1)
    for near, half in ((0.8, 0.005), (0.78, 0.005), (0.783, 0.0005), (0.7833, 0.00005)):
        found = compat.compare(Y, S, k=3, near=near)
        alike = [group[0].value for group in found.groups if abs(group[0].value - near) <= half]
        assert values_printed(found)[: len(alike)] == pytest.approx(alike, abs=5e-5)
        remark = f"{len(alike)} results round to {near}: pass more digits to tell them apart."
        none = f"No number rounds to {near}. The nearest:"
        for text in (str(found), found._repr_html_()):
            assert (remark in text) == (len(alike) > 1)
            assert (none in text) == (not alike)
    assert str(compat.compare(Y, S, k=3, near=0.734)).startswith("No number rounds to 0.734. The n")


def test_halfway_number_rounds_to_either_side():
    options = {"tools": ["catboost.PRAUC"]}
    for near in (0.87, 0.88):
        found = str(compat.compare([1, 0, 0, 1], [0.9, 0.6, 0.6, 0.6], near=near, **options))
        assert found.splitlines()[0].split()[0] == "0.8750"


def test_nearness_is_judged_by_the_first_function_of_a_group():
    """The last two of 2000 ranks are tied: 1 - 1 / 1001000, and 1 where they are not."""
    y_true, y_score = np.repeat([1, 0], 1000), -np.arange(2000)
    y_score[1000] = y_score[999]
    tools = ["mmdet.average_precision"]
    (group,) = (found := compat.compare(y_true, y_score, near=0.9899995, tools=tools)).groups
    assert [row.value for row in group] == pytest.approx([1 - 1 / 1001000, 1], abs=1e-9)
    assert "No function" not in str(found)
    assert "No function" in str(compat.compare(y_true, y_score, near=0.98999, tools=tools))


@pytest.mark.parametrize(("near", "first"), [(None, 0.0), (-0.9, -1.0)])
def test_functions_that_give_nan_or_raise_come_last(near, first):
    comparison = compat.compare([0, 0], [0.1, 0.2], near=near)
    best, *_, (nan, *_), (raises, *_) = comparison.groups
    assert (best[0].value, raises.value) == (first, None)
    assert math.isnan(nan.value)
    assert (nan.difference, raises.difference) == (None, None)
    assert "raises" in str(comparison)


@pytest.mark.parametrize("near", [[], ["a"], "0.5", True, math.inf, [0.5, math.nan]])
def test_near_must_be_finite_numbers(near):
    with pytest.raises((TypeError, ValueError), match=r"near must be a .*number.*, got "):
        compat.compare(Y, S, near=near)


@pytest.mark.parametrize(
    ("near", "number"), [("0.58", "0.58"), (" .580 ", "0.58"), ([0.3, "1e-3"], "0.001")]
)
def test_error_for_numeric_text_shows_how_to_pass_the_number(near, number):
    text = rf"near must be a number, got '.*'\. Pass near={number}\.$"
    with pytest.raises(TypeError, match=text):
        compat.compare(Y, S, near=near)


@pytest.mark.parametrize("near", ["nan", "inf", "a", ""])
def test_error_for_other_text_gives_no_advice(near):
    with pytest.raises(TypeError, match=rf"near must be a number, got '{near}'\.$"):
        compat.compare(Y, S, near=near)
