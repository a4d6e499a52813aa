"""Labels and scores of every kind, and which label is positive."""

import re

import numpy as np
import pandas as pd
import pytest

from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap.definitions import Step

Y = np.array([0, 1, 1, 0])
S = np.array([0.1, 0.4, 0.35, 0.8])


@pytest.mark.parametrize("convert", [list, np.array, pd.Series])
def test_label_1_is_positive_beside_0_or_minus_1(convert):
    expected = average_precision_score(Y, S, pos_label=1)
    for labels in (Y, Y == 1, Y.astype(float), 2 * Y - 1):
        for options in ({}, {"pos_label": None}):
            assert average_precision_score(convert(labels), S, **options) == expected
    for label in (0, 1, -1, True, False):  # one of them is enough
        alone, expected = [label] * 2, float(label is True or label == 1)
        assert average_precision_score(alone, [2, 1], zero_division=0.0) == expected


@pytest.mark.parametrize(
    ("labels", "known"),
    [
        (np.array(["no", "yes"])[Y], ["no", "yes"]),
        (np.array(["no", "yes"], object)[Y], ["no", "yes"]),
        (["yes"] * 4, ["yes"]),
        (Y + 1, [1, 2]),
        ([2] * 4, [2]),
        (Y - 1, [-1, 0]),
    ],
)
def test_labels_other_than_0_and_1_require_pos_label(labels, known):
    ways = " or ".join(f"pos_label={label!r}" for label in known)
    if len(known) == 1:
        ways = "the positive label, whether it is present or not"
    begin = f"y_true takes value in {{{str(known)[1:-1]}}} and pos_label is not specified: either"
    for options in ({}, {"pos_label": None}):
        with pytest.raises(ValueError, match=f"{re.escape(begin)}.* Pass {ways}\\.$"):
            average_precision_score(labels, S, **options)


@pytest.mark.parametrize("convert", [np.asarray, pd.Series])
@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [False, True, True, False], [0.0, 1.0, 1, 0]])
def test_numbers_of_dtype_object_are_accepted_as_labels(labels, convert):
    y_true = convert(np.array(labels, dtype=object))
    assert average_precision_score(y_true, S) == average_precision_score(Y, S)
    assert threshold_counts(y_true, S).score(Step()) == average_precision_score(Y, S)
    classes, scores = np.array([0, 1, 2, 1]), np.random.default_rng(0).random((4, 3))
    expected = average_precision_score(classes, scores)
    assert average_precision_score(classes.astype(object), scores) == expected
