"""What other tools compute: every recorded answer, the reasons, and the comparison."""

import importlib
import json
import math
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import record_peers
from hypothesis import given, settings
from hypothesis import strategies as st
from peer_entries import asked, entry_for
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
from sklearn_ap.compat.evaluation import Evaluation
from sklearn_ap.compat.predictions import check

CASES = json.loads((Path(__file__).parent / "data" / "peers.json").read_text())
DOCS = Path(__file__).parents[1] / "docs"
NAMES = [entry.name for entry in compat.conventions()]
Y = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
S = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]
W = np.ones(10)
# One of each kind: levels, a start, bins, the top k.
VERSUS = (
    *("chainercv.calc_detection_voc_ap_07", "ultralytics.compute_ap", "ROCR.aucpr"),
    *("keras.AUC_PR_minoring", "torchmetrics.RetrievalMAP"),
)


def forget_sklearn(record):
    forgotten = record | {"value": 0.5} if record["tool"] == "scikit-learn" else record
    return dict(forgotten)


def checked(y_true, y_score):
    return check(y_true, y_score, sample_weight=None, groups=None, pos_label=None)


def options_of(entry):
    return {"k": 3} if entry.k == "required" else {}


class TestRecordedAnswers:
    @pytest.mark.parametrize("case", CASES, ids=[case["id"] for case in CASES])
    def test_every_one_is_reproduced(self, case):
        compared = 0
        for record in case["results"]:
            if record.get("tie_order_unspecified") or case["id"] == "nan_score":
                continue
            name, options = asked(case, record)
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

    def test_the_table_names_the_versions_that_were_recorded(self):
        for case in CASES:
            for record in case["results"]:
                entry = compat.get(asked(case, record)[0])
                both = entry.versions, record["version"]
                known, seen = (re.findall(r"\d+", text.split()[0]) for text in both)
                assert known == seen, entry

    def test_the_script_writes_the_file_as_it_is(self):
        assert record_peers.written(CASES) == record_peers.DATA.read_text()

    def test_the_script_records_anew_what_is_installed_and_keeps_the_rest(self):
        forgotten = [
            case | {"results": [forget_sklearn(record) for record in case["results"]]}
            for case in CASES
        ]
        again = record_peers.recorded(forgotten, tools=["sklearn"])
        for old, new in zip(CASES, again, strict=True):
            for before, after in zip(old["results"], new["results"], strict=True):
                value = before.pop("value", None), after.pop("value", None)
                if value != (None, None) and None not in old["y_score"]:
                    assert value[0] == pytest.approx(value[1], abs=1e-12)

    def test_a_function_without_records_gets_some(self):
        name = "sklearn.average_precision_score"
        bare = [case | {"results": []} for case in CASES if case["id"] in ("perfect", "nan_score")]
        perfect, nan_score = record_peers.recorded(bare, tools=["sklearn"])
        found = {asked(perfect, record)[0]: record for record in perfect["results"]}
        assert found[name]["value"] == 1.0
        assert found[name]["params"] == {}
        assert nan_score["results"] == []


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
        assert [entry.function for entry in compat.conventions("catboost")] == [
            *("PRAUC", "MAP", "PrecisionAt", "AverageGain"),
        ]

    def test_case_does_not_matter(self):
        assert compat.get("XGBoost.AUCPR") is compat.get("xgboost.aucpr")
        assert compat.get("rocr") is compat.get("ROCR")

    def test_choices_have_names(self):
        choices = compat.get("xgboost.map@k").choices
        assert choices._fields == ORDER
        assert (choices.over, choices.divisor) == ("top k", "min(k, positives)")

    def test_one_option_has_one_default(self):
        """Two tools that are compared are told the same."""
        defaults = {}
        for entry in compat.conventions():
            for option, value in entry.options.items():
                assert defaults.setdefault(option, value) == value

    @pytest.mark.parametrize(
        ("name", "near"),
        [("xgboost.auc", "xgboost.aucpr"), ("torchmetric", "torchmetrics"), ("prrocs", "PRROC")],
    )
    def test_an_unknown_name_is_told_the_near_ones(self, name, near):
        with pytest.raises(ValueError, match=f"'{name}' is not a known tool .* Near it: .*{near}"):
            compat.get(name)
        with pytest.raises(ValueError, match=f"Near it: .*{near}"):
            compat.explain("ROCR", Y, S, versus=name)

    @pytest.mark.parametrize("find", [compat.get, lambda name: compat.compare(Y, S, tools=[name])])
    @pytest.mark.parametrize("name", [3, b"ROCR"])
    def test_a_name_is_a_string(self, find, name):
        with pytest.raises(TypeError, match=f"must be a string, got {name!r}"):
            find(name)

    def test_no_name_is_no_function(self):
        with pytest.raises(TypeError, match="must be a string, got None"):
            compat.get(None)


class TestComposition:
    """Choices go together, or are refused when the entry is made."""

    @pytest.mark.parametrize(
        ("changed", "message"),
        [
            ({"over": "11 levels"}, "over '11 levels' needs between 'envelope', not 'step'"),
            (
                {"over": "one level", "between": "hyperbola"},
                "over 'one level' needs between 'envelope', not 'hyperbola'",
            ),
            ({"start": "(0, 1)"}, "between 'step' has no use for start '(0, 1)'"),
            ({"between": "straight line"}, "between 'straight line' needs a start"),
            ({"ties": "a coin"}, "ties has no option 'a coin'; it has 'grouped', 'input order'"),
        ],
    )
    def test_what_does_not_go_together(self, changed, message):
        choices = compat.conventions()[0].choices._replace(**changed)
        with pytest.raises(ValueError, match=re.escape(f"a.b: {message}")):
            compat.Entry("a.b", "1", choices)

    @pytest.mark.parametrize(
        ("changed", "options", "message"),
        [
            ({"scores": "floored"}, {}, "dtype, threshold, not none"),
            ({"scores": "dtype"}, {"level": 0.5}, "dtype, not level"),
            ({}, {"from_logits": False}, "none, not from_logits"),
        ],
    )
    def test_an_entry_has_the_options_that_its_choices_ask_for(self, changed, options, message):
        choices = compat.conventions()[0].choices._replace(**changed)
        with pytest.raises(ValueError, match=f"a.b: its choices ask for the options {message}"):
            compat.Entry("a.b", "1", choices, options=options)

    @pytest.mark.parametrize("between", CHOICES["between"])
    @pytest.mark.parametrize("over", ["every recall", "top k"])
    @settings(max_examples=15)
    @given(data=predictions(max_size=12))
    def test_any_line_goes_with_the_top_k(self, between, over, data):
        """Heights within [0, 1], averaged over the positives of the top k."""
        y_true, y_score = data
        if not y_true.any():
            return
        evaluation = Evaluation(checked(y_true, y_score))
        start = "(0, 1)" if CHOICES["between"][between].asks_start else "irrelevant"
        choices = compat.Choices("as given", "grouped", between, start, over, "positives")
        (value,) = evaluation.values(choices, 3, {})
        (shares,) = evaluation.values(
            choices._replace(between="each hit", start="irrelevant"), 3, {}
        )
        assert -1e-12 <= value <= shares + 1e-12

    def test_the_hyperbola_over_the_top_k(self):
        """Two blocks of one hit and one miss: precision is 1/2 all along."""
        y_true, y_score = [1, 0, 1, 0], [2, 2, 1, 1]
        evaluation = Evaluation(checked(y_true, y_score))
        choices = compat.Choices(
            "as given", "grouped", "hyperbola", "irrelevant", "top k", "min(k, positives)"
        )
        # Rank 3 holds half of the second block.
        assert evaluation.values(choices, 3, {}) == pytest.approx((0.5 + 0.5 * 0.5) / 2)

    def test_a_bad_default_of_an_option_is_refused(self):
        choices = compat.conventions()[0].choices._replace(scores="dtype")
        with pytest.raises(ValueError, match="dtype must be one of float32, float64"):
            compat.Entry("a.b", "1", choices, options={"dtype": "float16"})


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
            (
                "torcheval.binary_auprc",
                {"dtype": "int"},
                ValueError,
                "dtype must be one of float32, float64",
            ),
            (
                *("keras.AUC_PR_minoring", {"num_thresholds": True}),
                *(ValueError, "num_thresholds must be a whole number of at least 2, got True"),
            ),
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

    def test_numbers_of_numpy_are_options_too(self):
        options = {"num_thresholds": 5, "from_logits": True}
        value = compat.score("keras.AUC_PR_minoring", Y, S, **options)
        given = {"num_thresholds": np.int64(5), "from_logits": np.True_}
        assert compat.score("keras.AUC_PR_minoring", Y, S, **given) == value

    def test_a_misspelt_option_gets_a_hint(self):
        with pytest.raises(TypeError, match=r"no option 'verus'.* Did you mean 'versus'"):
            compat.explain("xgboost.aucpr", Y, S, verus="ROCR")
        with pytest.raises(TypeError, match=r"no option 'treshold'.* Did you mean 'threshold'"):
            compat.score("torcheval.binary_binned_auprc", Y, S, treshold=5)

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

    def test_levels_of_pytorch_count_from_both_ends(self):
        """Level 66 of 200 is that of the lower half, 3e-8 below the one counted from the top."""
        y_score = [0.331658273935318, 0.3291]
        name = "torchmetrics.BinaryAveragePrecision_thresholds"
        assert compat.score(name, [1, 0], y_score) == 1.0

    def test_a_positive_that_scores_exactly_0_is_not_relevant_to_torchmetrics(self):
        assert compat.score("torchmetrics.RetrievalMAP", [1, 0, 1], [0.5, 0.3, 0.0]) == 1.0

    @pytest.mark.parametrize(
        ("y_true", "y_score", "value"),
        [
            ([0, 1, 1, 0], [1e-9, 0, -1, -2], 2 / 3),
            ([0, 1, 1, 0], [5 + 1e-7, 5, 4, 3], 5 / 12),
            ([0, 1, 0, 1], [0, 0.6e-8, 1.2e-8, 1.8e-8], 0.75),  # a chain
            ([0, 1], [1e-8, 0], 0.25),  # as far apart as that is not tied
            ([0, 1], [1 + 1e-8, 1], 0.75),  # a little less in floats
            ([0, 1], [1 + 1.1e-8, 1], 0.25),
        ],
    )
    def test_catboost_ties_neighbours(self, y_true, y_score, value):
        assert compat.score("catboost.PRAUC", y_true, y_score) == pytest.approx(value, abs=1e-12)

    def test_catboost_ties_neighbours_of_one_query_alone(self):
        """The scores of the other query lie between."""
        y_true, y_score = np.array([0, 1, 0, 1]), np.array([1.2e-8, 0, 1.8e-8, 0.6e-8])
        query = np.array([0, 0, 1, 1])
        rows = compat.compare(y_true, y_score, groups=query, tools=["catboost.PRAUC"]).to_dict()
        assert rows[1]["value"] == 0.25

    def test_weights_rounded_to_float32_are_summed_in_float64(self):
        """As LightGBM does; float32 sums would be off by 1e-8."""
        rng = np.random.default_rng(0)
        weight, y_true = rng.random(300), np.arange(300) % 2
        rounded = weight.astype(np.float32).astype(np.float64)
        ours = compat.score(
            "lightgbm.average_precision", y_true, -np.arange(300), sample_weight=weight
        )
        theirs = metrics.average_precision_score(y_true, -np.arange(300), sample_weight=rounded)
        assert ours == pytest.approx(theirs, abs=1e-12)

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

    @pytest.mark.parametrize("name", ["torchmetrics.RetrievalPrecision", "catboost.PrecisionAt"])
    def test_precision_without_k_takes_all(self, name):
        assert compat.score(name, [1, 0, 0, 1], [4, 3, 2, 1]) == 0.5

    def test_average_gain_must_be_told_the_top(self):
        with pytest.raises(ValueError, match="AverageGain needs k"):
            compat.score("catboost.AverageGain", [1, 0, 0, 1], [4, 3, 2, 1])

    def test_scores_beyond_float32_are_infinite_to_it_and_silent(self):
        assert compat.score("xgboost.aucpr", [1, 0], [2e300, 1e300]) == 0.5
        for y_score in ([2e300, 1e300], [1.7e308, -1.7e308]):
            assert len(compat.compare([1, 0], y_score).to_dict()) == len(NAMES)


class TestExplain:
    @pytest.mark.parametrize("name", NAMES)
    @settings(max_examples=12)
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

    @pytest.mark.parametrize("name", NAMES)
    @pytest.mark.parametrize("versus", VERSUS)
    def test_between_any_two_tools_there_and_back(self, name, versus):
        options = {"k": 3} if "required" in {compat.get(n).k for n in (name, versus)} else {}
        there = compat.explain(name, Y, S, versus=versus, **options)
        back = compat.explain(versus, Y, S, versus=name, **options)
        assert (there.start, there.value) == (back.value, back.start)
        for explanation in (there, back):
            shares = math.fsum(step.share for step in explanation.steps)
            assert shares == pytest.approx(explanation.value - explanation.start, abs=1e-12)
        choices = {n: compat.get(n).choices for n in (name, versus)}
        differ = [c for c in ORDER if getattr(choices[name], c) != getattr(choices[versus], c)]
        assert sorted(step.choice for step in there.steps) == sorted(differ)
        assert all(step.option == getattr(choices[name], step.choice) for step in there.steps)

    def test_levels_are_left_before_the_envelope_that_they_need(self):
        steps = compat.explain("ROCR", Y, S, versus="chainercv.calc_detection_voc_ap_07").steps
        assert [step.choice for step in steps] == ["ties", "start", "over", "between"]

    def test_a_start_that_is_asked_for_moves_the_best_points(self):
        """A single miss above the only positive: level 1/3 where it starts level, else 2/3."""
        steps = compat.explain("ROCR", [0, 0, 1], [3, 2, 1]).steps
        assert [step.value for step in steps] == pytest.approx([1 / 3, 2 / 3])

    def test_k_is_for_both(self):
        explanation = compat.explain(
            "rectools.MAP_divide_by_k", Y, S, versus="torchmetrics.RetrievalMAP", k=3
        )
        assert explanation.start == compat.score("torchmetrics.RetrievalMAP", Y, S, k=3)
        assert explanation.value == compat.score("rectools.MAP_divide_by_k", Y, S, k=3)

    def test_an_option_is_for_the_function_that_has_it_alone(self):
        names = "pytrec_eval.11pt_avg", "pytrec_eval.iprec_at_recall"
        explanation = compat.explain(names[0], Y, S, versus=names[1], level=0.9)
        assert explanation.value == compat.score(names[0], Y, S)
        assert explanation.start == compat.score(names[1], Y, S, level=0.9)
        assert explanation.start != explanation.value

    @pytest.mark.parametrize(
        ("name", "versus", "options", "message"),
        [
            ("xgboost.aucpr", "ranx.map@k", {}, "ranx.map@k needs k"),
            ("xgboost.aucpr", "ranx.map", {"k": 3}, "ranx.map and xgboost.aucpr has no k"),
            ("xgboost.aucpr", "ranx.map", {"sample_weight": W}, "ranx.map takes no sample_weight"),
            ("xgboost.aucpr", "ranx", {}, "'ranx' has several functions: choose from ranx.map,"),
        ],
    )
    def test_what_both_must_take(self, name, versus, options, message):
        with pytest.raises(ValueError, match=message):
            compat.explain(name, Y, S, versus=versus, **options)

    @given(data=predictions(max_size=15), seed=st.integers(0, 5))
    def test_queries(self, data, seed):
        y_true, y_score = data
        query = np.random.default_rng(seed).integers(0, 3, y_true.size)
        rows = {row["name"]: row for row in compat.compare(y_true, y_score, groups=query).to_dict()}
        for name, versus in (("xgboost.aucpr", NAMES[0]), ("ROCR.aucpr", "lightgbm.map")):
            options = {} if versus == NAMES[0] else {"k": 10}
            explanation = compat.explain(
                name, y_true, y_score, versus=versus, groups=query, **options
            )
            for found, row in (
                (explanation.value, rows[name]["value"]),
                (explanation.start, rows[versus]["value"]),
            ):
                assert (found is None) == (row is None)
                assert found is None or found == pytest.approx(row, abs=1e-15, nan_ok=True)
            shares = [step.share for step in explanation.steps]
            if None not in shares:
                total = explanation.value - explanation.start
                assert math.fsum(shares) == pytest.approx(total, abs=1e-12)

    def test_from_a_special_answer(self):
        """LightGBM gives 1 where all are positive; its choices give that too, and XGBoost nan."""
        name, versus = "MLmetrics.PRAUC", "xgboost.aucpr"
        assert compat.explain(name, [1, 1], [2, 1], versus=versus).steps[0].option == "undone"
        text = str(compat.explain("lightgbm.average_precision", [0, 0], [2, 1], versus=versus))
        assert text.splitlines()[0] == "    nan  xgboost.aucpr"
        assert text.splitlines()[-1] == " 1.0000  lightgbm.average_precision"
        raised = compat.explain(NAMES[0], [0, 0], [2, 1], versus="catboost.PRAUC")
        assert (raised.start, raised.value) == (None, 0.0)
        assert str(raised).startswith(" raises  catboost.PRAUC\n")

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

    def test_steps_without_effect_are_named_at_the_end(self):
        explanation = compat.explain("catboost.PRAUC", Y, S)
        assert [step.choice for step in explanation.without_effect] == ["scores", "start"]
        assert str(explanation).splitlines() == [
            " 0.7167  sklearn.average_precision_score",
            "+0.0278  between: straight line",
            "           Operating points are joined by straight lines, which no threshold attains.",
            " 0.7444  catboost.PRAUC",
            "Different, but without effect on these predictions: scores: tied below 1e-8; "
            "start: (0, 1).",
        ]
        assert "(0, 1)" not in explanation._repr_html_().partition("</table>")[0]

    def test_a_small_step_is_printed_with_its_exponent(self):
        y_true, y_score = np.arange(1, 401) % 2, -np.arange(400.0)
        y_score[-2] = y_score[-1]
        explanation = compat.explain("pyspark.meanAveragePrecision", y_true, y_score)
        assert 1e-6 < abs(explanation.steps[0].share) < 5e-5
        assert re.search(r"^ ?[+-]\de-0[56]  ties: input order", str(explanation), re.MULTILINE)

    def test_printed_where_nothing_differs(self):
        text = str(compat.explain("cornac.MAP", Y, S))
        assert text.endswith("Both give the same.")
        text = str(compat.explain("xgboost.aucpr", [1, 0], [2, 1]))
        assert "Both give the same.\nDifferent, but without effect" in text

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
        assert len(compat.explain("catboost.PRAUC", Y, S).to_dict()) == 4
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

    def test_each_query_is_decided_alone(self):
        """One has margins, one only negative scores, one no positive, one no negative."""
        rng = np.random.default_rng(0)
        query = rng.permutation(np.repeat(np.arange(8), 9))
        y_true = rng.integers(0, 2, 72)
        y_score = rng.integers(0, 9, 72) / 8
        y_score[query == 1] *= 40
        y_score[query == 2] -= 2
        y_true[query == 3], y_true[query == 4] = 0, 1
        y_score[query == 5] *= 1e-8
        for row in compat.compare(y_true, y_score, groups=query, k=3).to_dict():
            entry, each = compat.get(row["name"]), []
            for q in range(8):
                try:
                    part = y_true[query == q], y_score[query == q]
                    each.append(compat.score(row["name"], *part, **options_of(entry)))
                except compat.ToolError:
                    each.append(math.nan)
            answers = [value for value in each if value >= 0]
            assert row["left_out"] == 8 - len(answers), row["name"]
            assert row["value"] == pytest.approx(np.mean(answers), abs=1e-14), row["name"]

    @pytest.mark.parametrize(
        ("weight", "message"),
        [
            (np.ones(11), "inconsistent numbers of samples"),
            (np.ones(9), "inconsistent numbers of samples"),
            (np.zeros(10), "sample_weight is zero in every row"),
            (-np.ones(10), "sample_weight must not be negative"),
            (np.full(10, np.nan), "sample_weight contains NaN"),
            (np.ones((10, 2)), "sample_weight"),
        ],
    )
    @pytest.mark.parametrize("groups", [None, [0, 1] * 5])
    def test_bad_weights(self, weight, message, groups):
        with pytest.raises(ValueError, match=message):
            compat.compare(Y, S, sample_weight=weight, groups=groups)

    def test_a_row_says_in_fields_what_it_knows(self):
        (_,), (row,) = compat.compare([0, 0], [1, 2], tools=["catboost.PRAUC"]).groups
        assert (row.value, row.k) == (None, None)
        assert row.refusal == "CatBoostError: No element of a positive class"
        assert row.note == f"raises {row.refusal}"
        (_, row), *_ = compat.compare(Y, S, tools=["cornac"], groups=[0] * 10).groups
        assert (row.refusal, row.left_out, row.n_queries, row.note) == (None, 0, 1, "")

    def test_queries_without_an_answer_are_left_out_and_counted(self):
        comparison = compat.compare([1, 0, 0, 0], [4, 3, 2, 1], groups=[0, 0, 1, 1], k=1)
        rows = {row["name"]: row for row in comparison.to_dict()}
        assert rows["xgboost.aucpr_ranking"]["value"] == 1.0
        assert rows["pycocotools.COCOeval"]["value"] == 1.0
        assert rows["recommenders.map"]["left_out"] == 1
        assert "recommenders.map  (k=1, 1 of 2 queries left out)" in str(comparison)
        assert rows["sklearn.average_precision_score"]["value"] == 0.5
        assert rows["sklearn.average_precision_score"]["left_out"] == 0

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


@pytest.fixture(scope="module")
def page():
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(DOCS)
        return importlib.import_module("compat_page")


@pytest.fixture(scope="module")
def text(page):
    return page.page()


class TestPage:
    def test_it_is_what_the_table_says(self, page, text):
        """If not: python docs/compat_page.py."""
        assert page.PAGE.read_text() == text

    def test_every_tool_has_an_anchor_and_every_function_a_row(self, page, text):
        sections = dict(re.findall(r"^\(tool-(\S+)\)=\n\n(.*?)(?=^\()", text, re.M | re.S))
        assert list(sections) == sorted(sections)
        for entry in compat.conventions():
            assert f"| `{entry.function}` |" in sections[page.anchor(entry.tool)]

    def test_every_link_has_its_target(self, text):
        targets = set(re.findall(r"^\((\S+)\)=$", text, re.MULTILINE))
        assert set(re.findall(r"\]\(#(\S+?)\)", text)) <= targets

    def test_no_table_is_wider_than_six_columns(self, text):
        rows = [line for line in text.splitlines() if line.startswith("| ")]
        assert max(line.count(" | ") for line in rows) < 6

    def test_a_symptom_is_seen_where_its_cause_is_and_nowhere_else(self, page):
        for symptom in page.SYMPTOMS:
            shown = {entry.name for entry in page.seen(symptom)}
            assert shown, symptom.what
            assert NAMES[0] not in shown
            if symptom.has:
                caused = {entry.name for entry in compat.conventions() if symptom.has(entry)}
                assert shown == caused, symptom.what

    def test_counts_in_all_texts(self):
        """Of functions and tools, wherever they are written by hand; a changelog tells what was."""
        counts = {"functions of": len(NAMES), "tools": len({name.split(".")[0] for name in NAMES})}
        texts = {DOCS.parent / "README.md", *DOCS.glob("*.md")} - {DOCS / "changelog.md"}
        for path in texts:
            for number, what in re.findall(r"(\d+) (functions of|tools)", path.read_text()):
                assert int(number) == counts[what], path
