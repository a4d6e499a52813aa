"""Tables of labels with gaps: each column ranks the rows whose label is known."""

from functools import partial

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import sklearn_ap
from sklearn_ap import average_precision_score, compat

NAN = np.nan
N, COLUMNS = 80, 4


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    y_true = (rng.random((N, COLUMNS)) < 0.3).astype(float)
    y_score = rng.normal(size=(N, COLUMNS)) + y_true
    y_true[rng.random((N, COLUMNS)) < 0.4] = NAN
    y_true[3] = NAN
    return y_true, y_score


def test_a_column_without_known_labels_is_undefined(table):
    y_true, y_score = table
    y_true[:, 2] = NAN
    found = average_precision_score(y_true, y_score, average=None, zero_division=NAN)
    assert np.isnan(found).tolist() == [False, False, True, False]
    interval = sklearn_ap.average_precision_interval(y_true, y_score, zero_division=NAN)
    rest = np.delete(y_true, 2, axis=1), np.delete(y_score, 2, axis=1)
    alone = sklearn_ap.average_precision_interval(*rest)
    assert (interval.low, interval.high) == pytest.approx((alone.low, alone.high), abs=1e-12)
    for zero_division in ("warn", 0.0, 1.0, NAN):
        options = {"average": None, "zero_division": zero_division}
        at_2 = sklearn_ap.precision_at_k_score(y_true, y_score, k=2, **options)
        assert (at_2 > 0).tolist() == [True, True, False, True]
    of_sklearn = compat.score("sklearn.average_precision_score", y_true, y_score)
    with pytest.warns(UserWarning, match="No positive class"):
        assert of_sklearn == pytest.approx(average_precision_score(y_true, y_score))
    assert compat.compare(y_true, y_score).answers[0].values.size == COLUMNS


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_single_column_table_leaves_out_unknown_labels(table):
    """Its score is that of the column within a wider table, and of the rows that are known."""
    (y_true, y_score), is_known = table, ~np.isnan(table[0][:, 0])
    column, score, group = y_true[:, :1], y_score[:, :1], np.arange(N) // 20
    within = average_precision_score(y_true, y_score, average=None)[0]
    words = np.where(np.isnan(column), None, np.where(column == 1, "fraud", "ok"))
    for given in (column, pd.DataFrame(column).astype("Int64"), column.tolist(), words):
        pos_label = "fraud" if given is words else None
        for scores in (score, score.ravel()):
            found = average_precision_score(given, scores, pos_label=pos_label)
            assert found == pytest.approx(within, rel=1e-12)
    known = column[is_known, 0], score[is_known, 0]
    for function, options in (
        (sklearn_ap.average_precision_interval, {"clusters": group}),
        (sklearn_ap.average_precision_interval, {"queries": group, "zero_division": 0.0}),
        (sklearn_ap.average_precision_interval, {"sample_weight": 1.0 + group}),
        (sklearn_ap.chance_test, {"n_permutations": 9}),
        (sklearn_ap.operating_point, {"recall": 0.5, "clusters": group}),
        (sklearn_ap.threshold_counts, {"sample_weight": 1.0 + group}),
        (sklearn_ap.compare_average_precision, {}),
    ):
        of_known = {k: v[is_known] if np.ndim(v) else v for k, v in options.items()}
        scores = [score, known[1]]
        if function is sklearn_ap.compare_average_precision:
            scores = [{"a": each, "b": each**3 - each} for each in scores]
        found = function(column, scores[0], **options)
        of_rows = function(known[0], scores[1], **of_known)
        assert repr(found) == repr(of_rows)


def test_single_column_of_classes_is_not_a_label_table():
    y_true = np.array([[0.0], [1.0], [2.0], [NAN]])
    with pytest.raises(ValueError, match="first in row 3"):
        average_precision_score(y_true, np.ones((4, 3)))


def test_invalid_tables_with_unknown_labels_are_refused(table):
    y_true, y_score = table
    for labels, score, text in (
        ([1, 0, NAN], [1, 2, 3], "first in row 2"),
        (np.ma.MaskedArray([*"abb"], mask=[0, 0, 1]), [1, 2, 3], "first in row 2"),
        (np.full((3, 2), NAN), np.zeros((3, 2)), "no known label"),
        (np.nan_to_num(y_true, nan=-1), y_score, r"labels \[-1.0, 0.0, 1.0\]"),
    ):
        with pytest.raises(ValueError, match=text):
            average_precision_score(labels, score)
    with pytest.raises(ValueError, match="cannot test a mean \\(average='macro'\\) of columns"):
        sklearn_ap.chance_test(y_true, y_score)


def test_columns_in_another_order_are_refused(table):
    y_true, y_score = np.nan_to_num(table[0]), table[1]
    expected, columns = average_precision_score(y_true, y_score), list("abcd")
    labels, scores = (pd.DataFrame(each, columns=columns) for each in (y_true, y_score))
    assert average_precision_score(labels, scores.set_axis(list("efgh"), axis=1)) == expected
    for convert in (lambda frame: frame, pa.Table.from_pandas):
        given, other = convert(labels), convert(scores[list("badc")])
        assert average_precision_score(given, convert(scores)) == expected
        tested = sklearn_ap.chance_test(given, convert(scores), average=None, n_permutations=9)
        assert tested.names == ("a", "b", "c", "d")
        for call in (average_precision_score, partial(compat.score, "xgboost.aucpr")):
            with pytest.raises(ValueError, match="the same names in another order"):
                call(given, other)


def test_compat_treats_columns_as_queries(table):
    y_true, y_score = table
    column, row = (~np.isnan(y_true)).T.nonzero()
    expected = compat.compare(y_true[row, column], y_score[row, column], queries=column)
    found = compat.compare(y_true, y_score)
    assert repr(found) == repr(expected).replace("4 queries", "4 columns")
