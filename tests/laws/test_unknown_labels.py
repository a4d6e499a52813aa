"""Tables of labels with gaps: each column ranks the rows whose label is known."""

import numpy as np
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
    of_sklearn = compat.score(y_true, y_score, "sklearn.average_precision_score")
    with pytest.warns(UserWarning, match="No positive class"):
        assert of_sklearn == pytest.approx(average_precision_score(y_true, y_score))
    assert compat.compare(y_true, y_score).answers[0].values.size == COLUMNS


def test_compat_treats_columns_as_queries(table):
    y_true, y_score = table
    column, row = (~np.isnan(y_true)).T.nonzero()
    expected = compat.compare(y_true[row, column], y_score[row, column], queries=column)
    found = compat.compare(y_true, y_score)
    assert repr(found) == repr(expected).replace("4 queries", "4 columns")
