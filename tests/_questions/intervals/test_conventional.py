"""Conventional intervals, which journals ask for: of the logit, and normal ones of differences."""

import json
import warnings
from dataclasses import replace

import numpy as np
import pytest
from interval_data import S, Y, drawn, models
from scipy.stats import norm, t

from sklearn_ap import (
    AveragePrecisionDisplay,
    AveragePrecisionInterval,
    average_precision_interval,
    best_average_precision,
    compare_average_precision,
    compare_segments,
    operating_point,
    report,
    threshold_counts,
)
from sklearn_ap.__main__ import main

PERFECT = np.repeat([1, 0], [10, 90]), np.arange(100.0)[::-1]


def by_logit(found, degrees):
    """The limits by the formula of Boyd, Eng and Page, from what is printed."""
    error = found.standard_error / (found.estimate * (1 - found.estimate))
    half = t.isf((1 - found.confidence_level) / 2, degrees) * error
    middle = np.log(found.estimate / (1 - found.estimate))
    return 1 / (1 + np.exp(-(middle + np.array([-half, half]))))


@pytest.mark.parametrize("level", [0.8, 0.95, 0.999])
def test_logit_limits_follow_from_score_and_standard_error(level):
    y, s = drawn(4000, 1200)
    found = average_precision_interval(y, s, method="logit", confidence_level=level)
    default = average_precision_interval(y, s, confidence_level=level)
    degrees = found.pilot.samples[0].uncertainty().degrees_of_freedom[0]
    np.testing.assert_allclose([found.low, found.high], by_logit(found, degrees), rtol=1e-12)
    same = ("estimate", "standard_error", "bias", "n_positives", "n_effective")
    assert all(getattr(found, name) == getattr(default, name) for name in same)
    assert (found.method, default.method) == ("logit", "wilson")
    assert (found.low, found.high) != (default.low, default.high)
    assert average_precision_interval(y, s, method="wilson").low == (
        average_precision_interval(y, s).low
    )


@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_normal_test_divides_the_difference_by_its_standard_error(alternative):
    y, scores = models()
    asked = {"method": "normal", "alternative": alternative, "confidence_level": 0.9}
    found = compare_average_precision(y, scores, **asked)
    z = (found.differences / found.difference_standard_errors)[1:]
    tails = {"two-sided": 2 * norm.sf(abs(z)), "greater": norm.sf(z), "less": norm.cdf(z)}
    np.testing.assert_allclose(found.pvalues[1:], tails[alternative], rtol=1e-9)
    half = norm.isf(0.05 if alternative == "two-sided" else 0.1)
    half = half * found.difference_standard_errors[1:]
    lows, highs = found.differences[1:] - half, found.differences[1:] + half
    lows = lows if alternative != "less" else np.full(lows.size, -1.0)
    highs = highs if alternative != "greater" else np.full(lows.size, 1.0)
    np.testing.assert_allclose(found.difference_lows[1:], lows, rtol=1e-12)
    np.testing.assert_allclose(found.difference_highs[1:], highs, rtol=1e-12)
    by_itself = average_precision_interval(y, scores["b"], method="logit", confidence_level=0.9)
    assert (found.lows[1], found.highs[1]) == (by_itself.low, by_itself.high)


def test_a_p_value_agrees_with_its_limits_and_holm_adjusts_it():
    y, scores = models()
    pvalue = compare_average_precision(y, scores, method="normal").pvalues[1]
    for level, is_found in ((1 - pvalue - 1e-6, True), (1 - pvalue + 1e-6, False)):
        at = compare_average_precision(y, scores, method="normal", confidence_level=level)
        assert (at.difference_lows[1] > 0 or at.difference_highs[1] < 0) == is_found
    found = compare_average_precision(y, scores, method="normal")
    assert found.adjusted_pvalues[1:].min() == pytest.approx(
        min(1, (len(scores) - 1) * found.pvalues[1:].min())
    )


def heard(function, *args, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = function(*args, **options)
    return found, [str(each.message) for each in caught]


def test_no_positives_give_nan_and_one_cluster_the_full_range():
    found, _ = heard(average_precision_interval, np.zeros(9), np.arange(9), method="logit")
    assert np.isnan([found.low, found.high]).all()
    y, scores = models()
    one = {"clusters": np.zeros(y.size)}
    found, _ = heard(average_precision_interval, y, scores["a"], method="logit", **one)
    assert (found.low, found.high) == (0, 1)
    compared, _ = heard(compare_average_precision, y, scores, method="normal", **one)
    assert (compared.difference_lows[1], compared.difference_highs[1]) == (-1, 1)
    assert compared.pvalues[1] == 1


@pytest.mark.parametrize(
    ("function", "given", "text"),
    [
        (average_precision_interval, "normal", r"method must be one of \('wilson', 'logit'\)"),
        (average_precision_interval, "influence", "method must be one of"),
        (compare_average_precision, "logit", r"method must be one of \('student', 'normal'\)"),
    ],
)
def test_an_unknown_method_is_refused(function, given, text):
    scores = S if function is average_precision_interval else {"a": S, "b": -S}
    with pytest.raises(ValueError, match=text):
        function(Y, scores, method=given)
    with pytest.raises(TypeError, match="method must be one of"):
        function(Y, scores, method=None)


def test_few_labels_refuse_conventional_methods_with_the_remedy():
    y, scores = models()
    for options in ({"inclusion_probability": "equal"}, {"judge": y}):
        with pytest.raises(ValueError, match=r"method='logit' does not go with.*leave out method="):
            average_precision_interval(y, scores["a"], method="logit", **options)
        with pytest.raises(ValueError, match="method='normal' does not go with"):
            compare_average_precision(y, scores, method="normal", **options)


@pytest.mark.parametrize(
    "function",
    [
        best_average_precision,
        compare_segments,
        operating_point,
        report,
        AveragePrecisionDisplay.from_predictions,
    ],
)
def test_other_functions_refuse_conventional_methods(function):
    with pytest.raises(TypeError, match=r"no option 'method'.*have no conventional form"):
        function(Y, S, method="logit")


@pytest.mark.parametrize(
    "function",
    [AveragePrecisionInterval.from_counts, AveragePrecisionInterval.from_cv_results],
)
def test_from_counts_and_from_cv_results_support_the_logit_method(function):
    y, s = drawn()
    if function == AveragePrecisionInterval.from_counts:
        found = function(threshold_counts(y, s), method="logit")
        of_rows = average_precision_interval(y, s, method="logit")
        assert found.low == pytest.approx(of_rows.low, rel=1e-12)
    else:
        out_of_fold = {"y_score": s, "folds": np.arange(y.size) % 5}
        found = function(out_of_fold, None, y, method="logit")
        degrees = found.pilot.samples[0].uncertainty().degrees_of_freedom[0]
        np.testing.assert_allclose([found.low, found.high], by_logit(found, degrees), rtol=1e-12)
    assert found.method == "logit"


def test_plans_use_the_method_of_the_result():
    y, s = drawn(4000, 1200)
    found = average_precision_interval(y, s, method="logit")
    needed = found.positives_for(0.02)
    assert needed != average_precision_interval(y, s).positives_for(0.02)
    times = needed / found.n_positives
    sample = found.pilot.samples[0].enlarge(times).uncertainty()
    larger = replace(found, standard_error=sample.standard_error[0])
    low, high = by_logit(larger, sample.degrees_of_freedom[0])
    assert (high - low) / 2 == pytest.approx(0.02, rel=2e-3)

    y, scores = models(n=60)
    pair = {name: scores[name] for name in "ab"}
    compared = compare_average_precision(y, pair, method="normal")
    times = compared.positives_for(0.2)[1] / compared.pilot_factors()[1] / compared.n_positives
    error = compared.pilot.samples[0].enlarge(times).uncertainty().standard_error
    assert norm.cdf(0.2 / error - norm.isf(0.025)) == pytest.approx(0.8, abs=0.02)  # rounded up


def test_text_picture_and_paper_name_the_conventional_method():
    y, scores = models()
    found = average_precision_interval(y, scores["a"], method="logit")
    assert "95% logit interval" in repr(found)
    assert "corrected for the bias" not in repr(found)
    assert found.rows()[0]["method"] == "logit"
    assert "95% logit interval" in found.plot().get_xlabel()
    paper = found.to_paper()
    assert "95% logit confidence intervals by influence functions" in paper
    assert "those of the logit of the score, transformed back (Boyd, Eng and Page)" in paper
    assert "Wilson" not in paper

    compared = compare_average_precision(y, scores, method="normal")
    assert "95% logit interval" in repr(compared)
    assert "95% normal interval" in repr(compared)
    left, right = compared.plot()
    assert left.get_title() == "score, 95% logit interval"
    assert right.get_title() == "difference, 95% normal interval"
    paper = compared.to_paper()
    assert "normal test and interval" in paper
    assert "Student's test" not in paper
    one_sided = compare_average_precision(y, scores, method="normal", alternative="less")
    assert "95% normal one-sided" in repr(one_sided)


def test_command_line_supports_the_logit_method(tmp_path, capsys):
    y, scores = models()
    path = tmp_path / "rows.csv"
    columns = np.column_stack([y, scores["a"], scores["b"]])
    np.savetxt(path, columns, delimiter=",", header="y,a,b", comments="", fmt="%.17g")
    asked = [str(path), "--label", "y", "--definition", "Step()", "--method", "logit"]
    main(["score", *asked, "--score", "a"])
    assert "95% logit interval" in capsys.readouterr().out
    main(["score", *asked, "--score", "a", "--score", "b", "--format", "json"])
    rows = json.loads(capsys.readouterr().out)["results"]
    pair = {name: scores[name] for name in "ab"}
    found = compare_average_precision(y, pair, method="normal")
    assert rows[1]["pvalue"] == pytest.approx(found.pvalues[1])
    assert rows[1]["low"] == pytest.approx(found.lows[1])
