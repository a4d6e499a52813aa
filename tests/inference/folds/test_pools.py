"""Ranks within folds, and how far apart they put the classes."""

import numpy as np
import pytest

from sklearn_ap._inputs.request import Request
from sklearn_ap.inference.folds.pools import _distance, _read_cells, _shares_below


def test_shares_below_count_half_of_tied_rows_within_a_fold():
    """Of 1, 2, 2 and 3 of one fold, and of 7 and 5 of another, in turn."""
    score, fold = np.array([1.0, 7, 2, 2, 5, 3]), np.array([0, 1, 0, 0, 1, 0])
    assert _shares_below(score, fold).tolist() == [0.125, 0.75, 0.5, 0.5, 0.25, 0.875]


@pytest.mark.parametrize("n_folds", [1, 3])
def test_the_distance_of_classes_is_that_of_least_squares_with_a_level_of_each_fold(n_folds):
    rng = np.random.default_rng(0)
    y, fold = rng.random(60) < 0.4, np.arange(60) % n_folds
    score = rng.normal(size=60) + y
    columns = np.column_stack([y, fold[:, None] == np.arange(n_folds)])
    fitted, *_ = np.linalg.lstsq(columns.astype(float), _shares_below(score, fold), rcond=None)
    distance, influence = _distance(score, y, fold)
    assert distance == pytest.approx(fitted[0])
    assert influence.sum() == pytest.approx(0, abs=1e-12)


def test_folds_of_one_class_say_nothing():
    distance, influence = _distance(np.arange(6.0), np.arange(6) < 3, np.arange(6) // 3)
    assert (distance, influence.tolist()) == (0.5, [0.0] * 6)


def test_cells_without_weight_or_label_do_not_count():
    y_true, y_score = np.array([[1, 0], [0, np.nan], [0, 1]]), np.arange(6.0).reshape(3, 2)
    pool = Request(y_true=y_true, y_score=y_score, sample_weight=[0, 1, 2])
    row, column, score, positive = _read_cells(pool)
    assert (row.tolist(), column.tolist()) == ([1, 2, 2], [0, 0, 1])
    assert (score.tolist(), positive.tolist()) == ([2, 4, 5], [False, False, True])
