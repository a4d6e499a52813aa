"""What other tools compute: every recorded answer, the reasons, and the comparison."""

import importlib
import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from peer_entries import entry_for
from registry import predictions
from sklearn import metrics

from sklearn_ap import (
    average_precision_at_k_score,
    average_precision_score,
    compat,
    definitions,
    interpolated_average_precision_score,
    threshold_counts,
)
from sklearn_ap.compat.choices import CHOICES, ORDER

CASES = json.loads((Path(__file__).parent / "data" / "peers.json").read_text())
NAMES = [entry.name for entry in compat.conventions()]
Y = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
S = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]


def options_of(entry):
    return {"k": 3} if entry.k == "required" else {}


class TestRecordedAnswers:
    @pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
    def test_every_one_is_reproduced(self, case):
        compared = 0
        for record in case["results"]:
            if record.get("tie_order_unspecified") or case["id"] == "nan_score":
                continue
            name, options = entry_for(record["tool"], record["function"], record["params"])
            if record["params"].get("sample_weight"):
                options["sample_weight"] = case["sample_weight"]
            compared += 1
            if "exception" in record:
                with pytest.raises(compat.ToolError, match=f"^{name}: "):
                    compat.score(name, case["y_true"], case["y_score"], **options)
                continue
            value = compat.score(name, case["y_true"], case["y_score"], **options)
            expected = math.nan if record.get("nan") else record["value"]
            assert value == pytest.approx(
                expected, abs=compat.get(name).tolerance, rel=0, nan_ok=True
            ), (name, options)
        assert compared > 150 or case["id"] == "nan_score"

    def test_every_record_has_an_entry(self):
        for case in CASES:
            for record in case["results"]:
                name, _ = entry_for(record["tool"], record["function"], record["params"])
                assert name in NAMES

    def test_every_entry_that_was_run_has_records(self):
        recorded = {
            entry_for(record["tool"], record["function"], record["params"])[0]
            for case in CASES
            for record in case["results"]
        }
        ran = {entry.name for entry in compat.conventions() if entry.source != "read"}
        assert ran == recorded


class TestTable:
    def test_names_are_qualified_and_unique(self):
        assert len(set(NAMES)) == len(NAMES)
        assert all(entry.tool and entry.function for entry in compat.conventions())

    def test_every_option_of_every_choice_is_used_and_known(self):
        for place, choice in enumerate(ORDER):
            used = {entry.choices[place] for entry in compat.conventions()}
            assert used == set(CHOICES[choice])

    def test_it_starts_with_scikit_learn(self):
        assert NAMES[0] == "sklearn.average_precision_score"
        assert compat.get(NAMES[0]).choices == (
            *("as given", "grouped", "step", "irrelevant", "every recall", "positives"),
        )

    def test_a_tool_lists_its_functions(self):
        assert [entry.function for entry in compat.get("catboost")] == [
            *("PRAUC", "MAP", "PrecisionAt", "AverageGain"),
        ]

    def test_case_does_not_matter(self):
        assert compat.get("XGBoost.AUCPR") is compat.get("xgboost.aucpr")
        assert compat.get("rocr") == compat.get("ROCR")

    @pytest.mark.parametrize(
        ("name", "near"),
        [("xgboost.auc", "xgboost.aucpr"), ("torchmetric", "torchmetrics"), ("prrocs", "PRROC")],
    )
    def test_an_unknown_name_is_told_the_near_ones(self, name, near):
        with pytest.raises(ValueError, match=f"'{name}' is not a known tool .* Near it: .*{near}"):
            compat.get(name)


class TestScore:
    """Numbers where a second way to them is known."""

    @given(data=predictions(max_size=30))
    def test_scikit_learn(self, data):
        y_true, y_score = data
        if not y_true.any():
            return
        ours = compat.score("sklearn.average_precision_score", y_true, y_score)
        assert ours == pytest.approx(metrics.average_precision_score(y_true, y_score), abs=1e-12)
        precision, recall, _ = metrics.precision_recall_curve(y_true, y_score)
        ours = compat.score("sklearn.auc_of_precision_recall_curve", y_true, y_score)
        assert ours == pytest.approx(metrics.auc(recall, precision), abs=1e-12)
        ours = compat.score("sklearn.label_ranking_average_precision_score", y_true, y_score)
        theirs = metrics.label_ranking_average_precision_score([y_true], [y_score])
        assert ours == pytest.approx(theirs, abs=1e-12)

    @given(data=predictions(max_size=30))
    def test_definitions(self, data):
        y_true, y_score = data
        if not y_true.any() or y_true.all():
            return
        distinct = y_score - np.arange(len(y_score)) * 1e-3  # ties in the order of the input
        counts = threshold_counts(y_true, y_score)
        for name, value in {
            "xgboost.aucpr": definitions.Hyperbolic()(counts)[0],
            "catboost.PRAUC": definitions.Linear()(counts)[0],
            "chainercv.calc_detection_voc_ap": interpolated_average_precision_score(
                y_true, distinct
            ),
            "pyspark.meanAveragePrecision": average_precision_score(y_true, distinct),
        }.items():
            assert compat.score(name, y_true, y_score) == pytest.approx(value, abs=1e-6)
        for normalizer, name in {
            "positives": "rectools.MAP",
            "attainable": "ml_metrics.apk",
            "k": "rectools.MAP_divide_by_k",
        }.items():
            value = average_precision_at_k_score(y_true, distinct, k=4, normalizer=normalizer)
            assert compat.score(name, y_true, y_score, k=4) == pytest.approx(value, abs=1e-12)

    def test_weight_is_repetition_in_tools_that_take_weights(self):
        weight = np.array([1, 2, 3, 1, 1, 2, 1, 3, 1, 1])
        for entry in compat.conventions():
            if entry.weights:
                weighted = compat.score(entry.name, Y, S, sample_weight=weight)
                repeated = compat.score(entry.name, np.repeat(Y, weight), np.repeat(S, weight))
                assert weighted == pytest.approx(repeated, abs=1e-12), entry.name

    def test_labels_may_be_strings(self):
        names = np.where(Y, "plane", "goose")
        value = compat.score("xgboost.aucpr", names, S, pos_label="plane")
        assert value == compat.score("xgboost.aucpr", Y, S)

    @pytest.mark.parametrize(
        ("name", "options", "error", "message"),
        [
            (
                "xgboost",
                {},
                ValueError,
                "'xgboost' has several functions: choose from xgboost.aucpr",
            ),
            ("xgboost.aucpr", {"k": 3}, ValueError, "xgboost.aucpr has no k"),
            ("xgboost.map@k", {}, ValueError, "xgboost.map@k needs k"),
            ("xgboost.map@k", {"k": 0}, ValueError, "k must be at least 1"),
            (
                "xgboost.aucpr",
                {"bins": 3},
                TypeError,
                "xgboost.aucpr has no option 'bins'; it has none",
            ),
            (
                *("torcheval.binary_binned_auprc", {"thresholds": 3}),
                *(TypeError, "has no option 'thresholds'; it has dtype, threshold"),
            ),
            ("torcheval.binary_auprc", {"dtype": "int"}, ValueError, "dtype must be 'float32' or"),
            (
                *("keras.AUC_PR_minoring", {"num_thresholds": 1}),
                *(ValueError, "num_thresholds must be a whole number of at least 2, got 1"),
            ),
            (
                "keras.AUC_PR_minoring",
                {"from_logits": 1},
                ValueError,
                "from_logits must be True or",
            ),
            ("pytrec_eval.iprec_at_recall", {"level": 2}, ValueError, r"level must be .* \[0, 1\]"),
            (
                *("torchmetrics.RetrievalMAP", {"empty_target_action": "x"}),
                *(ValueError, "empty_target_action must be one of neg, pos, skip, error"),
            ),
            (
                "ranx.map",
                {"sample_weight": np.ones(10)},
                ValueError,
                "ranx.map takes no sample_weight",
            ),
        ],
    )
    def test_bad_input(self, name, options, error, message):
        with pytest.raises(error, match=message):
            compat.score(name, Y, S, **options)

    @pytest.mark.parametrize("name", NAMES)
    def test_bad_predictions(self, name):
        options = options_of(compat.get(name))
        with pytest.raises(ValueError, match="y_score contains NaN"):
            compat.score(name, Y, [np.nan, *S[1:]], **options)
        with pytest.raises(ValueError, match="inconsistent numbers of samples"):
            compat.score(name, Y, S[1:], **options)
        with pytest.raises(ValueError, match="multiclass format is not supported"):
            compat.score(name, [*Y[:-1], 2], S, **options)


class TestSeenInTheTools:
    """Numbers that the tools gave, and a first version did not."""

    def test_levels_of_pytorch_on_the_edge_of_a_bin(self):
        edges = [75, 14, 73, 82, 74, 67, 42, 51]
        y_score = np.array(edges) / 99
        value = compat.score("torcheval.binary_binned_auprc", [1, 1, 1, 0, 1, 0, 0, 0], y_score)
        assert value == pytest.approx(0.6041667, abs=1e-6)

    def test_catboost_ranks_in_float64(self):
        for name in ("catboost.MAP", "catboost.PrecisionAt", "catboost.AverageGain"):
            assert compat.score(name, [0, 1], [1.0, 1.000000002], k=1) == 1.0

    def test_lightgbm_rounds_weights_to_float32(self):
        weight = [0.6041296232861818, 0.5843824410289801]
        name = "lightgbm.average_precision"
        value = compat.score(name, [0, 1], [0.333, 0.0], sample_weight=weight)
        assert value == pytest.approx(0.49169247043, abs=1e-10)
        steps = compat.explain(name, [0, 1], [0.333, 0.0], sample_weight=weight).steps
        assert [step.option for step in steps] == ["as given, float32 weights"]

    def test_lightgbm_with_only_positives_needs_no_weight_at_the_top(self):
        options = {"sample_weight": [0, 1, 1]}
        assert compat.score("lightgbm.average_precision", [1, 1, 1], [3, 2, 1], **options) == 1.0

    def test_globox_refuses_scores_whatever_the_labels(self):
        for y_true in ([0, 0], [0, 1], [1, 1]):
            with pytest.raises(compat.ToolError, match="AssertionError: Confidence should be"):
                compat.score("globox.ap_50", y_true, [3.0, 0.2])

    @pytest.mark.parametrize(
        "name", ["torchmetrics.RetrievalPrecision", "catboost.PrecisionAt", "catboost.AverageGain"]
    )
    def test_precision_without_k_takes_all(self, name):
        assert compat.score(name, [1, 0, 0, 1], [4, 3, 2, 1]) == 0.5

    def test_scores_beyond_float32_are_infinite_to_it_and_silent(self):
        assert compat.score("xgboost.aucpr", [1, 0], [2e300, 1e300]) == 0.5
        assert len(compat.compare([1, 0], [2e300, 1e300]).to_dict()) == len(NAMES)


class TestExplain:
    @pytest.mark.parametrize("name", NAMES)
    @given(data=predictions(max_size=20), shift=st.sampled_from([0.0, 0.5]))
    def test_the_shares_add_up_to_the_difference(self, name, data, shift):
        y_true, y_score = data
        y_score, options = y_score + shift, options_of(compat.get(name))
        explanation = compat.explain(name, y_true, y_score, **options)
        try:
            value = compat.score(name, y_true, y_score, **options)
        except compat.ToolError:
            assert explanation.steps[-1].share is None
            assert explanation.value is None
            return
        if math.isnan(value):
            assert explanation.steps[-1].share is None
            assert math.isnan(explanation.value)
            return
        assert explanation.value == value
        shares = math.fsum(step.share for step in explanation.steps)
        baseline = compat.score("sklearn.average_precision_score", y_true, y_score)
        assert shares == pytest.approx(value - baseline, abs=1e-12)

    @pytest.mark.parametrize("name", NAMES)
    def test_the_steps_are_the_choices_that_differ_in_the_order_of_the_table(self, name):
        entry = compat.get(name)
        steps = compat.explain(name, Y, S, **options_of(entry)).steps
        first = compat.conventions()[0].choices
        assert [(step.choice, step.option) for step in steps] == [
            (choice, option)
            for choice, option, usual in zip(ORDER, entry.choices, first, strict=True)
            if option != usual
        ]

    def test_printed(self):
        assert str(compat.explain("MLmetrics.PRAUC", Y, S)).splitlines() == [
            " 0.7167  sklearn.average_precision_score",
            "+0.0278  between: straight line",
            "           Operating points are joined by straight lines, which no threshold attains.",
            "-0.2000  start: lost",
            "           The area left of the first point is lost.",
            " 0.5444  MLmetrics.PRAUC",
            "The shares depend on the order in which the choices are changed.",
        ]

    def test_printed_where_nothing_differs(self):
        text = str(compat.explain("cornac.MAP", Y, S))
        assert text.endswith("Both give the same.")

    @pytest.mark.parametrize(
        ("name", "y_true", "text", "share"),
        [
            ("catboost.PRAUC", [0, 0], "The tool raises CatBoostError: No element of a", None),
            ("xgboost.aucpr", [0, 0], "The tool returns nan.", None),
            ("xgboost.aucpr", [1, 1], "The tool returns nan.", None),
            ("lightgbm.average_precision", [0, 0], "The tool returns 1.", 1.0),
            ("pycocotools.COCOeval", [0, 0], "The tool returns -1.", -1.0),
        ],
    )
    def test_a_special_case_is_the_last_step(self, name, y_true, text, share):
        last = compat.explain(name, y_true, [0.1, 0.2]).steps[-1]
        assert (last.choice, last.share) == ("special case", share)
        assert last.why.startswith(text)

    def test_the_weight_of_the_highest_score(self):
        """LightGBM divides by it."""
        options = {"sample_weight": [0, 1, 1]}
        name = "lightgbm.average_precision"
        assert math.isnan(compat.score(name, [0, 1, 0], [3, 2, 1], **options))
        assert compat.explain(name, [0, 1, 0], [3, 2, 1], **options).steps[-1].share is None

    def test_for_machines_and_notebooks(self):
        explanation = compat.explain("MLmetrics.PRAUC", Y, S)
        frame = pd.DataFrame(explanation.to_dict())
        assert list(frame.columns) == ["choice", "option", "why", "value", "share"]
        assert frame["share"].sum() == pytest.approx(explanation.value - explanation.start)
        html = explanation._repr_html_()
        assert html.startswith("<p>MLmetrics.PRAUC = ")
        assert html.endswith("The shares depend on the order in which the choices are changed.</p>")
        assert "straight line" in html
        assert html.count("<tr>") == 4


class TestCompare:
    def test_every_function_has_the_number_of_score(self):
        for row in compat.compare(Y, S, k=3).to_dict():
            entry = compat.get(row["name"])
            assert row["value"] == compat.score(row["name"], Y, S, **options_of(entry))
            assert row["difference"] == pytest.approx(row["value"] - average_precision_score(Y, S))

    def test_equal_numbers_stand_together_and_scikit_learn_first(self):
        groups = compat.compare(Y, S).groups
        assert groups[0][0].name == "sklearn.average_precision_score"
        assert sorted(row.name for group in groups for row in group) == sorted(NAMES)
        firsts = [group[0].value for group in groups]
        assert firsts[1:] == sorted(firsts[1:], reverse=True)
        for group in groups:
            assert max(row.value for row in group) - min(row.value for row in group) < 1e-5

    def test_what_raises_or_is_nan_comes_last(self):
        groups = compat.compare([0, 0], [0.1, 0.2]).groups
        assert math.isnan(groups[-2][0].value)
        assert groups[-1][0].value is None
        assert "raises" in str(compat.compare([0, 0], [0.1, 0.2]))

    def test_some_tools(self):
        comparison = compat.compare(Y, S, tools=["ROCR", "xgboost.aucpr", "ROCR.aucpr"])
        assert [row["name"] for row in comparison.to_dict()] == [
            *("sklearn.average_precision_score", "ROCR.aucpr", "xgboost.aucpr"),
        ]
        with pytest.raises(TypeError, match="tools must be several names, got the string 'ROCR'"):
            compat.compare(Y, S, tools="ROCR")
        with pytest.raises(ValueError, match="'nothing' is not a known tool"):
            compat.compare(Y, S, tools=["nothing"])

    def test_weights_leave_out_functions_without_them(self):
        names = {row["name"] for row in compat.compare(Y, S, sample_weight=np.ones(10)).to_dict()}
        assert names == {entry.name for entry in compat.conventions() if entry.weights}

    def test_groups_are_averaged(self):
        groups = np.array(list("ababababab"))
        for row in compat.compare(Y, S, groups=groups, k=3).to_dict():
            options = options_of(compat.get(row["name"]))
            each = [
                compat.score(row["name"], np.array(Y)[at], np.array(S)[at], **options)
                for at in (groups == "a", groups == "b")
            ]
            assert row["value"] == pytest.approx(np.mean(each), abs=1e-15)

    def test_queries_without_an_answer_are_left_out_and_counted(self):
        comparison = compat.compare([1, 0, 0, 0], [4, 3, 2, 1], groups=[0, 0, 1, 1], k=1)
        rows = {row["name"]: row for row in comparison.to_dict()}
        assert rows["xgboost.aucpr_ranking"]["value"] == 1.0
        assert rows["pycocotools.COCOeval"]["value"] == 1.0
        assert rows["recommenders.map"]["outcome"] == "k=1, 1 of 2 queries left out"
        assert rows["sklearn.average_precision_score"]["value"] == 0.5
        assert "left out" not in rows["sklearn.average_precision_score"]["outcome"]

    def test_queries_with_weights(self):
        """Of queries with weights, and of one without any, which is absent."""
        y_true, y_score, groups = [1, 0, 1, 0, 1], [9, 8, 7, 2, 1], [0, 0, 1, 1, 2]
        weight = [0, 1, 1, 2, 0]
        comparison = compat.compare(y_true, y_score, groups=groups, sample_weight=weight)
        rows = {row["name"]: row["value"] for row in comparison.to_dict()}
        assert rows["sklearn.average_precision_score"] == pytest.approx((0 + 1) / 2)
        assert rows["lightgbm.average_precision"] == pytest.approx((1 + 1) / 2)

    def test_for_machines_and_notebooks(self):
        comparison = compat.compare(Y, S)
        assert len(pd.DataFrame(comparison.to_dict())) == len(NAMES)
        assert comparison._repr_html_().count("<tr>") == len(NAMES) + 1


def test_the_page_is_what_the_table_says(monkeypatch):
    """If not: python docs/compat_page.py."""
    monkeypatch.syspath_prepend(Path(__file__).parents[1] / "docs")
    page = importlib.import_module("compat_page")
    assert page.PAGE.read_text() == page.page()
    for name in NAMES:
        assert f"| `{name}` |" in page.page()
