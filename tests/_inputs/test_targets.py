"""Plain arrays go a fast way through the door, which gives what the slow way gives."""

import re

import numpy as np
import pandas as pd
import pytest
from every import every
from hypothesis import given
from registry import REGISTRY, WEIGHTS, predictions, score

from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap._inputs import targets
from sklearn_ap.definitions import Step

Y = np.array([0, 1, 1, 0])
S = np.array([0.1, 0.4, 0.35, 0.8])
PLAIN = {
    "integers": (Y, S),
    "bools": (Y == 1, S),
    "floats": (Y.astype(float), S),
    "small": (Y.astype(np.int8), S.astype(np.float32)),
    "columns": (np.column_stack((Y, Y)), np.column_stack((S, S))),
}
ODD = {
    "lists": (Y.tolist(), S.tolist()),
    "labels -1 and 1": (2 * Y - 1, S),
    "classes": (Y + 1, S),
    "names": (np.array(["no", "yes"])[Y], S),
    "integer scores": (Y, np.array([1, 4, 3, 8])),
    "nan": (Y, np.array([0.1, np.nan, 0.3, 0.2])),
    "infinite": (Y, np.array([0.1, np.inf, 0.3, 0.2])),
    "shapes": (Y, S[:3]),
    "one column": (Y[:, None], S[:, None]),
    "pandas": (pd.Series(Y, dtype="Int64"), pd.Series(S)),
    "nothing": (Y[:0], S[:0]),
}


@pytest.mark.parametrize("data", PLAIN.values(), ids=PLAIN)
def test_plain_arrays_take_it(data):
    positive, scores, _ = targets._plain(*data)
    np.testing.assert_array_equal(positive, data[0] == 1)
    np.testing.assert_array_equal(scores, data[1])


@pytest.mark.parametrize("data", ODD.values(), ids=ODD)
def test_all_else_does_not(data):
    assert targets._plain(*data) is None


@given(data=predictions(weights=WEIGHTS))
def test_without_it_nothing_changes(data):
    y_true, y_score, weight = data
    queries = np.arange(len(y_true)) % 2
    seen = []
    for way in (targets._plain, lambda *_: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(targets, "_plain", way)
            seen.append(
                [
                    score(Step(), y_true, y_score),
                    score(Step(), y_true, y_score, sample_weight=weight),
                    score(Step(), y_true, y_score, queries=queries),
                    threshold_counts(y_true, y_score, pos_label=None).fps.sum(),
                ]
            )
    np.testing.assert_array_equal(*seen)


@pytest.mark.parametrize("convert", [list, np.array, pd.Series])
@every("name", REGISTRY)
def test_1_is_positive_where_labels_are_0_and_1_or_minus_1_and_1(name, convert):
    score = REGISTRY[name].score
    expected = score(Y, S, pos_label=1)
    for labels in (Y, Y == 1, Y.astype(float), 2 * Y - 1):
        assert score(convert(labels), S) == score(convert(labels), S, pos_label=None) == expected


@pytest.mark.parametrize("labels", [[0, 0], [1, 1], [-1, -1], [True, True], [False, False]])
def test_one_of_these_labels_is_enough(labels):
    expected = average_precision_score(labels, [2, 1], pos_label=1, zero_division=0.0)
    assert average_precision_score(labels, [2, 1], zero_division=0.0) == expected


@every("name", REGISTRY)
@pytest.mark.parametrize(
    ("labels", "known"),
    [
        (np.array(["no", "yes"])[Y], ["no", "yes"]),
        (np.array(["no", "yes"], object)[Y], ["no", "yes"]),
        (["yes"] * 4, ["yes"]),
        (Y + 1, [1, 2]),
        (2 - 2 * Y, [0, 2]),
        ([2] * 4, [2]),
        (Y - 1, [-1, 0]),
    ],
    ids=repr,
)
def test_other_labels_do_not_say_which_is_positive(name, labels, known):
    ways = " or ".join(f"pos_label={label!r}" for label in known)
    if len(known) == 1:
        ways = "the positive label, whether it is present or not"
    begin = f"y_true takes value in {{{str(known)[1:-1]}}} and pos_label is not specified: either"
    for options in ({}, {"pos_label": None}):
        with pytest.raises(ValueError, match=f"{re.escape(begin)}.* Pass {ways}\\.$"):
            REGISTRY[name].score(labels, S, **options)


def test_the_scores_of_several_models_are_no_array():
    with pytest.raises(TypeError, match="compare_average_precision"):
        average_precision_score([0, 1], {"A": [0.1, 0.2], "B": [0.2, 0.1]})


@pytest.mark.parametrize("convert", [np.asarray, pd.Series])
@pytest.mark.parametrize("labels", [[0, 1, 1, 0], [False, True, True, False], [0.0, 1.0, 1, 0]])
def test_objects_that_are_numbers_are_labels(labels, convert):
    y_true = convert(np.array(labels, dtype=object))
    assert average_precision_score(y_true, S) == average_precision_score(Y, S)
    assert threshold_counts(y_true, S).score(Step()) == average_precision_score(Y, S)


def test_objects_of_several_classes_are_labels():
    classes, scores = np.array([0, 1, 2, 1]), np.random.default_rng(0).random((4, 3))
    expected = average_precision_score(classes, scores)
    assert average_precision_score(classes.astype(object), scores) == expected


@pytest.mark.parametrize("labels", [[0, 1, None, 1], [0, 1, "x", 1]])
def test_objects_that_are_no_numbers_are_refused_as_before(labels):
    with pytest.raises(ValueError, match="y_true"):
        average_precision_score(np.array(labels, dtype=object), S)


@pytest.mark.parametrize("score", [average_precision_score, threshold_counts])
@pytest.mark.parametrize(
    ("labels", "pos_label", "text"),
    [
        ([0, 1, 1, 2, 0], None, r"labels are \[0, 1, 2\].*rarest is 2, in 1 of 5 rows"),
        (
            [*["ham", "spam"] * 2, "Spam"],
            None,
            r"\['Spam', 'ham', 'spam'\].*rarest is 'Spam', in 1",
        ),
    ],
)
def test_a_third_label_by_a_typo_is_named(score, labels, pos_label, text):
    with pytest.raises(ValueError, match=text):
        score(labels, np.arange(5.0), pos_label=pos_label)


def test_a_third_label_is_named_where_pos_label_is_passed():
    labels = [*["ham", "spam"] * 2, "Spam"]
    with pytest.raises(
        ValueError, match=r"fixed to 1 .*\['Spam', 'ham', 'spam'\].*'Spam', in 1 of"
    ):
        average_precision_score(labels, np.arange(5.0), pos_label="spam")
