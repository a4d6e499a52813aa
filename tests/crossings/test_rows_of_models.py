"""Judged runs and matched detections are one kind of mapping."""

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import retrieval
from sklearn_ap.detections import MatchedDetections


def runs(names):
    return retrieval.from_runs({"q": ["a"]}, {name: {"q": ["a"]} for name in names})


def boxes(names):
    row = np.array([True])
    return MatchedDetections(row, {name: np.array([0.5]) for name in names}, row, row)


BOTH = pytest.mark.parametrize("made", [runs, boxes])


@BOTH
def test_the_arguments_of_all_models_and_of_each_are_found_by_name(made):
    rows = made(["a", 7])
    assert [*rows] == [*rows.keys()] == [*dict(rows)]
    assert rows["y_true"] is rows.y_true
    assert {*rows[7]} == {*rows["a"]} == {*rows} - {"y_scores"} | {"y_score"}
    assert rows["a"]["y_score"] is rows["y_scores"]["a"]
    with pytest.raises(KeyError, match=r"No \w+ is named 'z'. There are \['a', '7'\]"):
        rows["z"]


def test_lists_become_arrays_of_one_length():
    rows = MatchedDetections([True, False], {"a": [0.5, 0.6]}, [*"xy"], [1, 2], [*"xx"])
    assert repr(rows).startswith("MatchedDetections: 1 detector, 2 rankings, 2 images")
    assert rows.of_class("x").classes.tolist() == ["x", "x"]
    with pytest.raises(ValueError, match=r"numbers of samples: \[1, 1, 1, 2\] \(y_true, .*, a\)"):
        MatchedDetections([True], {"a": [0.5, 0.6]}, ["x"], [1])
    with pytest.raises(ValueError, match=r"a must be one-dimensional, got shape \(2, 2\)"):
        MatchedDetections([True, False], {"a": np.eye(2)}, [*"xy"], [1, 2])


def test_columns_of_pandas_in_other_orders_are_refused():
    columns = {"y_true": [True, False], "queries": ["x", "x"], "clusters": [1, 2], "a": [0.5, 0.6]}
    for name in columns:
        series = {each: pd.Series(values) for each, values in columns.items()}
        series[name] = series[name][::-1]
        y_scores = {"a": series.pop("a")}
        with pytest.raises(ValueError, match=f"indexes of .*{name}.* in another order"):
            MatchedDetections(**series, y_scores=y_scores)


def test_no_model_has_the_name_of_a_field():
    with pytest.raises(ValueError, match="'classes' is the name of an argument"):
        MatchedDetections([True], {"classes": [0.5]}, ["x"], [1], ["x"])
    with pytest.raises(ValueError, match="'documents' is the name of an argument"):
        runs(["documents"])


@BOTH
@pytest.mark.parametrize(
    ("names", "message"),
    [
        (["a", "y_true"], "'y_true' is the name of an argument or of a column: rename the "),
        (["queries"], "'queries' is the name of an argument"),
        (["query"], "'query' is the name of an argument or of a column"),
        ([1, "1"], "needs a name of its own: '1' is given twice"),
        ([], r"No \w+ is given"),
    ],
)
def test_names_that_would_hide_something_are_refused(made, names, message):
    with pytest.raises(ValueError, match=message):
        made(names)
