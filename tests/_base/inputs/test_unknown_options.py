"""The error of an unknown option says where the option is, or what was meant."""

import dataclasses
import inspect
import re

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import average_precision_score, definitions
from sklearn_ap._base.inputs.unknown_options import OPTIONS_ELSEWHERE

Y, S = np.arange(20) % 2, np.arange(20.0)

# How options are called in scikit-learn, and what to write here.
OF_SCIKIT_LEARN = {
    "groups": "clusters",
    "random_state": "rng",
    **dict.fromkeys(("y_pred", "y_prob", "y_proba", "probas_pred"), "y_score"),
}


@pytest.mark.parametrize(
    ("function", "option", "text"),
    [
        ("average_precision_score", "k", r"average_precision_at_k_score takes it; .*AtK\(10\)"),
        ("step_average_precision_score", "definition", "average_precision_score takes it"),
        ("expected_average_precision_score", "sample_weight", "This one takes no weights"),
        ("interpolated_average_precision_score", "recall_level", "Did you mean 'recall_levels'?"),
        *(
            ("average_precision_interval", option, rf"(?!Did you mean).*\b{ours}\b")
            for option, ours in OF_SCIKIT_LEARN.items()
        ),
        ("compare_segments", "folds", r"Pass FoldPredictions\({'y_score': scores"),
        ("average_precision_interval", "pooling", "FoldPredictions takes it"),
        ("precision_at_recall_score", "xyz", "$"),
        ("average_precision_score", "target", "$"),
        ("operating_point", "sensitivity", r"The sensitivity is called recall=\."),
        ("operating_point", "tpr", r"The true positive rate is called recall=\."),
        ("operating_point", "ppv", r"The positive predictive value is called precision=\."),
        ("operating_point", "specificity", "No function takes it. operating_point takes recall="),
    ],
)
def test_error_tells_where_an_unknown_option_belongs(function, option, text):
    message = rf"^{function} has no option '{option}'\. ?{text}"
    with pytest.raises(TypeError, match=message):
        getattr(sklearn_ap, function)(Y, S, **{option: 1})


@pytest.mark.parametrize("method", ["positives_for", "clusters_for", "queries_for", "runs_for"])
def test_plans_explain_what_the_other_kind_of_result_takes(method):
    interval = sklearn_ap.average_precision_interval(Y, S)
    compared = sklearn_ap.compare_average_precision(Y, {"a": S, "b": -S})
    with pytest.raises(TypeError, match=rf"^{method} .* pass .* such as difference=0\.03\."):
        getattr(compared, method)(half_width=0.02)
    with pytest.raises(TypeError, match=rf"^{method} .* pass .* such as half_width=0\.03\."):
        getattr(interval, method)(difference=0.02)


def test_extra_positional_arguments_are_refused_with_the_remedy():
    text = r"y_true and y_scores without names, got 3 values\. Pass .* {\"A\": score_a, \"B\""
    with pytest.raises(TypeError, match=text):
        sklearn_ap.compare_average_precision(Y, S, S)
    with pytest.raises(TypeError, match=r"got 3 values\. Name the others, as in pos_label=1"):
        average_precision_score(Y, S, "macro")
    drawn = sklearn_ap.AveragePrecisionDisplay.from_predictions
    with pytest.raises(TypeError, match="y_true and y_score without names, got 3 values"):
        drawn(Y, S, 1)


@pytest.mark.parametrize("option", OPTIONS_ELSEWHERE)
def test_functions_named_in_the_advice_have_the_option(option):
    found = re.findall(r"\w+_(?:score|interval|segments|precision)\b", OPTIONS_ELSEWHERE[option])
    functions = [name for name in found if name != "y_score"]
    kinds = re.findall(r"definition=(\w+\(\d+\))", OPTIONS_ELSEWHERE[option])
    of_folds = ("folds", "pooling")  # which FoldPredictions takes
    of_plans = ("half_width", "difference")  # which the methods of results take
    of_medicine = ("sensitivity", "tpr", "ppv", "specificity")
    others = ("sample_weight", "progress", *of_folds, *of_plans, *of_medicine)
    assert functions or option in (*others, *OF_SCIKIT_LEARN)
    option = OF_SCIKIT_LEARN.get(option, option)
    for name in functions:
        assert option in inspect.signature(getattr(sklearn_ap, name)).parameters
    for call in kinds:
        made = eval(call, vars(definitions))
        assert option in {field.name for field in dataclasses.fields(made)}
