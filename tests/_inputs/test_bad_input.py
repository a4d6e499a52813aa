"""Odd input of every kind: the error names the argument and the fault, or the number is right."""

import datetime
import re
from array import array
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.sparse import coo_array

from sklearn_ap import average_precision_at_k_score as at_k
from sklearn_ap import average_precision_interval as interval
from sklearn_ap import average_precision_score as score
from sklearn_ap import interpolated_average_precision_score as interpolated
from sklearn_ap import threshold_counts as counts
from sklearn_ap._errors import InputError, InputTypeError

NAN, INF, NA = np.nan, np.inf, pd.NA
Y, S = [1, 0, 1, 0], [0.9, 0.8, 0.7, 0.1]
STEP = (1 + Fraction(2, 3)) / 2  # the positives are at ranks 1 and 3
ABBA = [*"abba"]  # query a has its positive at rank 1, and b at rank 2
WORDS = ["ham", "spam", "ham", "spam"]
OF_CLASSES = {"y_true": [0, 1, 2, 1], "y_score": np.eye(3)[[0, 1, 2, 1]]}
FOUR_COLUMNS = OF_CLASSES | {"y_score": np.eye(4)}
DAYS = [datetime.date(2024, 1, day) for day in (2, 1, 2, 1)]
ROWS = pd.Series([1, 2, 3, 4], index=[*"abcd"])
# What other packages say does not tell a user what to do.
FOREIGN = "inhomogeneous|array element|not supported between|unknown format|has no len"


class Odd:
    """An array whose length is not what it says, or that cannot be read."""

    def __init__(self, values, length):
        self.values, self.length = values, length

    def __len__(self):
        return self.length

    def __array__(self, dtype=None, copy=None):
        if self.values is None:
            raise KeyError("the shard is gone")
        return np.array(self.values)


def bad(what, wrong, word, by=score, error=ValueError, **options):
    return what, wrong, word, by, error, options


REFUSED = {
    "y_true": [
        bad("cube", np.ones((4, 1, 1)), r"dimension|\(4, 1, 1\)"),
        bad("no dimension", np.array(1), "an array|dimension"),
        bad("a number", 1, r"an array.*\b1\b", interpolated),
        bad("tags", [["a"], ["b", "a"], []], "one type.*got .*list", y_score=np.eye(3)),
        bad("generator", (label for label in Y), "an array.*generator"),
        bad("dict", dict(enumerate(Y)), "an array|array-like|mapping"),
        bad("dates", DAYS, r"\bdates?\b|datetime"),
        bad("lazy table", pl.LazyFrame({"y": Y}), "an array|collect"),
        bad("sparse", coo_array(np.eye(4)), r"y_true is sparse: make it dense, with toarray\(\)"),
        bad("lost", Odd(None, 4), "shard is gone"),
        bad("null of pyarrow", pa.array([1, 0, 1, None]), "missing.*row 3", at_k),
        bad("nan and words", ["a", NAN, "b", "a"], "missing.*row 1", counts, pos_label="a"),
    ],
    "y_score": [
        bad("dates", np.array(DAYS, "M8[D]"), "numbers.*2024"),
        bad("NA", pd.Series([0.9, NA, 0.7, 0.1], dtype=object), "got <NA> in row 1"),
        bad("null of pyarrow", pa.array([0.9, None, 0.7, 0.1]), "NaN|missing", interval),
        bad("fewer than they say", Odd(S[:3], 4), r"\[4, 3\] \(y_true, y_score\)"),
    ],
    "sample_weight": [
        bad("weights of classes", {0: 1, 1: 5}, "an array|mapping|class_weight"),
        bad("durations", np.ones(4, "m8[D]"), "numbers.*delta"),
        bad("too many", [1] * 5, r"\[4, 4, 5\]", interval),
        *(
            bad(f"{n}", [1, 0, n, 1], rf"0, or from 1e-100 to 1e\+100, got {n:g} in row 2")
            for n in (-1, NAN, INF, 5e-324)
        ),
        bad("zero", [0] * 4, "zero in every row"),
        bad("table", np.ones((4, 2)), r"one-dimensional, got shape \(4, 2\).*np.where"),
        bad("complex", [1j, 1, 1, 1], "must hold numbers"),
        bad("texts", [*"1234"], "must hold numbers, got '1' in row 0"),
        bad("iterator", iter([1] * 4), "must be an array .*, got <list_it"),
    ],
    "queries": [
        bad("table", np.ones((4, 2)), r"one-dimensional, got shape \(4, 2\)"),
        bad("too few", [3, 2], r"\[4, 4, 2\] \(y_true, y_score, queries\)"),
        bad("dict", {0: "a", 1: "b"}, "an array|mapping"),
        bad("None", ["a", None, "b", "b"], "missing.*row 1", at_k),
        bad("no date", pd.to_datetime(["2024", None, "2025", "2025"]), "missing.*row 1"),
    ],
    "clusters": [
        bad("None", ["a", None, "b", "c"], "missing.*row 1", interval),
    ],
    "n_positives": [
        bad("too small", [1, 0], r"at least.*\b0\b.*ranking 1", queries=ABBA),
        bad("too many", [1, 1, 1], r"\b2 here.*\(3,\)", queries=ABBA),
        bad("True", True, "numbers.*True"),
        *(
            bad(f"{n}", n, f"It is {n} where y_true holds 2, in ranking 0")
            for n in (NAN, INF, 1.99)
        ),
        bad("one of two", 9, "2 here, got a single number", queries=ABBA),
    ],
    "pos_label": [
        bad("misspelled", "Ham", "'ham'.*'spam'", y_true=WORDS),
        bad("text", "1", r"'1'.*\[0,? 1\]", counts),
        bad("nan", NAN, r"nan.*\[0,? 1\]"),
    ],
    "average": [
        bad("NA", NA, "one of .*got <NA>", error=TypeError),
        bad("array", np.ones(2), "one of .*array", interval, TypeError),
    ],
    "labels": [
        bad("dict", {0: 0, 1: 1, 2: 2}, "an array|at least 3", **OF_CLASSES),
        bad("nested", [0, 1, [2]], "at least 3|one class", **OF_CLASSES),
        bad("text beside numbers", [0, 1, "2"], r": \[2\]|types", **OF_CLASSES),
        *(bad(f"{gap}", [0, 1, 2, gap], "none missing", **FOUR_COLUMNS) for gap in (NAN, None)),
    ],
}
REFUSED = [
    pytest.param(name, *case, id=f"{name}: {what}")
    for name in REFUSED
    for what, *case in REFUSED[name]
]


@pytest.mark.parametrize(("argument", "wrong", "word", "function", "error", "options"), REFUSED)
def test_error_names_the_argument_and_the_fault(argument, wrong, word, function, error, options):
    given = {"y_true": Y, "y_score": S} | options | {argument: wrong}
    with pytest.raises(error, match=rf"\b{argument}\b") as raised:
        function(**given)
    assert type(raised.value) is (InputTypeError if error is TypeError else InputError)
    assert re.search(word, str(raised.value))
    assert not re.search(FOREIGN, str(raised.value))


def estimate(*rows, **options):
    return interval(*rows, **options).estimate


def fine(what, expected, by=score, **options):
    return pytest.param(by, options, expected, id=what)


FINE = [
    fine("fractions", STEP, y_score=[*map(Fraction, S)]),
    fine("decimal weights", Fraction(8, 9), sample_weight=[*map(Decimal, (4, 3, 2, 1))]),
    fine("a column of bools as weights", STEP, sample_weight=[[True]] * 3 + [[False]]),
    fine("nullable weights", STEP, sample_weight=pd.Series([2] * 4, dtype="Int64")),
    fine("memoryview", STEP, y_score=memoryview(array("d", S))),
    fine("pyarrow table of one column", Fraction(1, 2), at_k, y_score=pa.table({"p": S}), k=2),
    fine("one column of queries", Fraction(3, 4), queries=pd.DataFrame({"query": ABBA})),
    fine("one column of clusters", STEP, estimate, clusters=np.arange(4)[:, None]),
    fine("a label that no array holds", 0, y_true=[1] * 4, pos_label=10**30, zero_division=0.0),
    fine("other names", STEP, y_score=-ROWS, sample_weight=pd.Series(1, [*"wxyz"])),
    fine("wrong length of labels", STEP, y_true=Odd(Y, 9)),
    fine("wrong length of scores beside clusters", STEP, y_score=Odd(S, 9), clusters=ABBA),
    fine("one row", 1, interpolated, y_true=[1], y_score=[0.5]),
    fine("one row of a table", 1, y_true=[[1, 0]], y_score=[[0.5, 0.5]], zero_division=NAN),
    fine("positives of weight 0", 1, sample_weight=[0, 1, 0, 1], zero_division=1.0),
    fine("huge n_positives", STEP * 2 / 10**30, n_positives=10**30),
    fine("half a positive", STEP * 2 / Fraction(5, 2), n_positives=Fraction(5, 2)),
]


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of few clusters
@pytest.mark.parametrize(("function", "options", "expected"), FINE)
def test_odd_input_that_is_right_gives_the_right_number(function, options, expected):
    found = function(**{"y_true": Y, "y_score": S} | options)
    assert found == pytest.approx(float(expected), rel=1e-12, abs=0)


@pytest.mark.parametrize("labels", [[True, False] * 2, WORDS], ids=["bools", "words"])
def test_reading_labels_of_pyarrow_raises_no_warning(labels, recwarn):
    assert score(pa.array(labels), S, pos_label=labels[0]) == pytest.approx(float(STEP))
    assert not recwarn.list
