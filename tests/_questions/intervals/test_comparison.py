"""Comparisons as users call them: results, refusals, printing."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from interval_data import Rough, S, Y, drawn, models

import sklearn_ap
from sklearn_ap import (
    best_average_precision,
    compare_average_precision,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_models_that_rank_alike_do_not_differ():
    y, s = drawn()
    found = compare_average_precision(y, {"a": s, "b": 2 * s + 1})
    assert found.differences[1] == found.difference_standard_errors[1] == 0
    assert found.pvalues[1] == 1
    assert found.difference_lows[1] < 0 < found.difference_highs[1]


GAIN = type("Gain", (Rough,), {"bounds": (-1.0, 1.0), "title": "gain"})()


@pytest.mark.parametrize(
    ("options", "error", "text"),
    [
        ({"confidence_level": 95}, ValueError, "confidence_level must lie within"),
        ({"clusters": [None] * 10}, ValueError, "clusters contains missing values"),
        ({"n_positives": 2}, ValueError, "n_positives must be finite and at least"),
        ({"rng": -1}, ValueError, "rng must be a seed"),
        ({"rng": True}, TypeError, "rng must be a seed .* got True"),
        ({"rng": np.False_}, TypeError, "rng must be a seed"),
        ({"rng": np.array(True)}, TypeError, "rng must be a seed"),
        # NumPy crashes for this one.
        ({"rng": np.array([[0.5]]).view(np.matrix)}, TypeError, "rng must be a seed"),
        ({"definition": "step"}, TypeError, "definition must be one of .* got 'step'"),
        ({"definition": GAIN}, ValueError, r"Gain\(\) has no interval: its values lie"),
    ],
)
def test_wrong_options_are_refused(options, error, text):
    with pytest.raises(error, match=text):
        compare_average_precision(Y, {"a": S, "b": -S}, **options)


@pytest.mark.parametrize(
    ("scores", "options", "error", "text"),
    [
        ([S, S], {}, TypeError, "y_scores must map names to scores"),
        ({"a": S}, {}, ValueError, "at least two models"),
        (pd.DataFrame([[0, 0]] * 10, columns=["a", "a"]), {}, ValueError, r"own, got \('a', 'a'\)"),
        (pa.table([S, S], names=["a", "a"]), {}, ValueError, "give each column a name of its own"),
        ({"a": S, "b": S}, {"reference": "c"}, ValueError, "reference must be one of"),
        ({"a": S, "b": S}, {"alternative": "better"}, ValueError, "alternative must be one of"),
        ({"1": S, 1: S}, {}, ValueError, "each model a name of its own"),
        ({"a": S, "b": S[:5]}, {}, ValueError, "inconsistent numbers of samples"),
    ],
)
def test_wrong_models_are_refused(scores, options, error, text):
    with pytest.raises(error, match=text):
        compare_average_precision(Y, scores, **options)


def test_a_comparison_prints_as_a_table():
    y, scores = models()
    lines = repr(compare_average_precision(y, scores, confidence_level=0.9)).splitlines()[1:]
    head = "estimate 90% interval minus a 90% interval p-value p (Holm)"
    assert " ".join(lines[0].split()) == head
    assert lines[1].endswith("reference")
    assert lines[2].startswith("b")
    assert len(lines) == 5 + len("bcd")
    for names, last in (("ab", "p-value"), ("abc", "p (Holm)")):  # two need no adjustment
        few = repr(compare_average_precision(y, {name: scores[name] for name in names}))
        assert few.splitlines()[1].endswith(last)
    nothing = repr(compare_average_precision(0 * y, scores, zero_division=0.0))
    assert "nan" not in nothing
    assert "\N{EN DASH}" in nothing


def test_two_models_print_one_table_within_100_columns():
    y, scores = models()
    old_and_new = ("a model that is called old", "a model that is called new")
    for (old, new), n_lines in ((("a", "b"), 4), (old_and_new, 5)):  # the sentence fills two
        name, *lines = repr(
            compare_average_precision(y, {old: scores["a"], new: scores["b"]})
        ).splitlines()
        assert name.startswith("step AP, 200 rows")
        assert (len(lines), max(map(len, lines)) <= 100) == (n_lines, True)
    named = {f"a model that is called {name}": score for name, score in scores.items()}
    lines = repr(compare_average_precision(y, named)).splitlines()
    assert (len(lines), max(map(len, lines)) <= 100) == (13, True)
    lines = repr(compare_average_precision(y, named, average=None, queries=np.arange(200) % 3))
    assert "minus a model that is called a:" in lines
    assert "\np-values are adjusted for all models and rankings of this table\n" in lines


def test_one_sided_interval_is_printed_as_one_limit():
    y, scores = models()
    for alternative, limit in (("greater", r">= -0\.\d{4}"), ("less", r"<= \+0\.\d{4}")):
        found = compare_average_precision(y, scores, alternative=alternative)
        assert "95% one-sided" in repr(found)
        assert len(re.findall(limit, repr(found))) > 0
        assert "1.0000]" not in repr(found)


def test_frame_columns_are_models_with_names_as_text():
    y, scores = models()
    expected = compare_average_precision(y, scores, reference="b")
    chosen = best_average_precision(y, scores)
    frame = pd.DataFrame(scores, index=range(200, 0, -1))
    for given in (frame, pl.DataFrame(scores), pa.table(scores)):
        found = compare_average_precision(y, given, reference="b")
        np.testing.assert_equal(found._rows(), expected._rows())
        np.testing.assert_equal(best_average_precision(y, given)._rows(), chosen._rows())
    numbered = pd.DataFrame(np.column_stack([*scores.values()]))
    found = compare_average_precision(y, numbered, reference=1)
    assert (found.names, found.reference) == (("0", "1", "2", "3"), "1")
    assert "minus 1" in repr(found)


def test_notebook_output_matches_the_printed_table():
    y, scores = models()
    named = {"<old>": scores["a"], **{name * 30: score for name, score in scores.items()}}
    html = compare_average_precision(y, named)._repr_html_()
    assert (html.count("<table>"), html.count("<tr>")) == (1, 6)
    assert '<th style="text-align: left">minus &lt;old&gt;</th>' in html


TABLE = (np.random.default_rng(0).random((60, 3)) < 0.4).astype(int)
THREE = np.random.default_rng(1).normal(size=(60, 3))
WORDS = np.array(["ham", "spam", "eggs"])


@pytest.mark.parametrize(
    ("y_true", "y_score", "options", "names"),
    [
        (TABLE[:, 0], THREE[:, 0], {"queries": np.repeat(WORDS, 20)}, ("eggs", "ham", "spam")),
        (WORDS[TABLE.argmax(axis=1)], THREE, {"labels": WORDS}, ("ham", "spam", "eggs")),
        (pd.DataFrame(TABLE, columns=["x", "y", "z"]), THREE, {}, ("x", "y", "z")),
        (TABLE, THREE, {}, None),
    ],
)
def test_results_name_queries_classes_and_columns(y_true, y_score, options, names):
    options = options | {"average": None}
    for found in (
        compare_average_precision(y_true, {"a": y_score, "b": -y_score}, **options),
        sklearn_ap.chance_test(y_true, y_score, n_permutations=9, **options),
    ):
        assert found.rankings == names
        assert {row["ranking"] for row in found._rows()} == {*(names or range(3))}
        assert {*found.to_frame()["ranking"]} == {*(names or range(3))}


def test_p_values_are_adjusted_over_all_models_and_rankings():
    y, scores = np.random.default_rng(2).random((400, 3)) < 0.3, {}
    for name, signal in (("a", 0.5), ("b", 0.9), ("c", 1.2)):
        scores[name] = signal * y + np.random.default_rng(len(scores)).normal(size=y.shape)
    found = compare_average_precision(y, scores, average=None)
    p = found.pvalues[1:].ravel()
    order = np.argsort(p)
    holm = np.minimum(1, np.maximum.accumulate(p[order] * np.arange(6, 0, -1)))
    np.testing.assert_allclose(found.adjusted_pvalues[1:].ravel()[order], holm)
    assert np.array_equal(found.adjusted_pvalues[0], found.pvalues[0])
