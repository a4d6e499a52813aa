"""Two labels and numbers go a fast way through the door, which gives what the slow way gives."""

from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from registry import WEIGHTS, predictions, score
from sklearn_ap._base.inputs import targets

from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap.definitions import Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
Y, S = np.array([0, 1, 1, 0]), np.array([0.1, 0.4, 0.35, 0.8])
NAMES = np.array(["ok", "fraud"], object)[Y]
TEXTS = {
    "object": NAMES,
    "list": NAMES.tolist(),
    "numpy": NAMES.astype(str),
    "pandas": pd.Series(NAMES),
    "category": pd.Series(NAMES, dtype="category"),
    "polars": pl.Series(NAMES.tolist()),
    "polars category": pl.Series(NAMES.tolist(), dtype=pl.Categorical),
}


@pytest.mark.parametrize("convert", [np.asarray, list, pd.Series, pl.Series])
@pytest.mark.parametrize(
    "dtype", [np.float64, np.float32, np.float16, np.int64, np.int8, np.uint8, bool]
)
def test_numeric_scores_and_two_labels_take_the_fast_path(convert, dtype):
    scores = convert((10 * S).astype(dtype))
    for labels, label in ((Y, None), (Y == 1, 1), (2.0 * Y - 1, None), (Y + 1, 2), (Y, 0)):
        found = targets._plain_targets(targets.to_numpy("y", convert(labels)), scores, label)
        expected = np.asarray(labels) == (1 if label is None else label)
        np.testing.assert_array_equal(found[0], expected)


@pytest.mark.parametrize("labels", TEXTS.values(), ids=TEXTS)
def test_two_text_labels_take_the_fast_path(labels):
    given = targets.to_numpy("y_true", labels)
    np.testing.assert_array_equal(targets._plain_targets(given, S, "fraud")[0], Y == 1)
    assert targets._plain_targets(given, S, 1) is None
    assert targets._plain_targets(given, S, "typo") is None


def outcome(call, *arguments, **options):
    try:
        return np.asarray(call(*arguments, **options)).tolist()
    except (TypeError, ValueError) as error:
        return type(error), str(error)


MISSING = pd.Series(["fraud", None, "ok", "ok"])
LABELS = {
    **TEXTS,
    "ints": Y,
    "bools": Y == 1,
    "list of ints": Y.tolist(),
    "signs": 2.0 * Y - 1,
    "nullable": pd.Series(Y, dtype="Int64"),
    "nullable bools": pd.Series(Y == 1, dtype="boolean"),
    "missing number": pd.Series([0, 1, None, 1], dtype="Int64"),
    "polars missing": pl.Series([0, 1, None, 1]),
    "polars missing text": pl.Series(["fraud", "ok", None, "ok"]),
    "nan": [0, 1, np.nan, 1],
    "missing text": MISSING,
    "missing category": MISSING.astype("category"),
    "None": [*NAMES[:3], None],
    "one text": ["ok"] * 4,
    "three texts": ["ok", "fraud", "other", "ok"],
    "text and number": np.array(["ok", 1, 1, "ok"], object),
    "bytes": np.array(["fraud", b"fraud", "fraud", "fraud"], object),
    "numbers of a category": pd.Series([1, 2, 1, 2], dtype="category"),
    "threes": [3] * 4,
    "halves": [0.5, 1, 1, 0.5],
    "only halves": [2.5] * 4,
    "huge": [1e300, 1, 1, 1],
    "infinite": [-np.inf, 1, 1, 1],
    "three numbers": [0, 1, 2, 1],
    "complex": Y.astype(complex),
    "dates": Y.astype("M8[D]"),
    "objects": Y.astype(object),
    "column": Y[:, None],
    "row": Y[None],
    "short": Y[:3],
    "ragged": [[1], [0, 1], [1], [1]],
    "text": "abcd",
    "mapping": {"a": 1},
    "nothing": [],
}
POSITIVE = [None, 0, 1, True, 2.0, 2.5, -1, np.nan, np.bool_(False), Fraction(1), "fraud", "typo"]


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS)
def test_labels_give_the_same_outcome_without_the_fast_path(subtests, labels):
    for label in POSITIVE:
        with subtests.test(f"pos_label={label!r}"):
            for call in (average_precision_score, threshold_counts):
                for scores in (S, [1, 2, 3, 4]):
                    fast = outcome(call, labels, scores, pos_label=label)
                    with pytest.MonkeyPatch.context() as patch:
                        patch.setattr(targets, "_plain_targets", lambda *_: None)
                        slow = outcome(call, labels, scores, pos_label=label)
                    assert str(fast) == str(slow)


SCORES = {
    "bools": S > 0.3,
    "half": S.astype(np.float16),
    "half nan": np.array([0, 1, np.nan, 2], np.float16),
    "half inf": np.array([0, 1, np.inf, 2], np.float16),
    "half not retrieved": np.array([0, 1, -np.inf, 2], np.float16),
    "long": S.astype(np.longdouble),
    "other byte order": S.astype(S.dtype.newbyteorder()),
    "nullable": pd.Series([0.1, 0.4, None, 0.8], dtype="Float64"),
    "polars missing": pl.Series([1, 2, None, 3]),
    "text": ["0.1", "0.2", "0.3", "0.4"],
    "text and numbers": ["0.1", 0.2, 0.3, 0.4],
    "table": np.column_stack([S, S]),
    "row": S[None],
    "column": S[:, None],
    "number": 1.0,
    "objects": S.astype(object),
    "huge integers": [2**70, 1, 2, 3],
}


@pytest.mark.parametrize("scores", SCORES.values(), ids=SCORES)
def test_scores_give_the_same_outcome_without_the_fast_path(subtests, scores):
    for labels in [Y, Y - 1, np.column_stack([Y, 1 - Y]), np.column_stack([Y, Y]) * 2 - 1]:
        with subtests.test(f"average_precision_score({labels.tolist()}, scores)"):
            for call in (average_precision_score, threshold_counts):
                fast = outcome(call, labels, scores, pos_label=1)
                with pytest.MonkeyPatch.context() as patch:
                    patch.setattr(targets, "_plain_targets", lambda *_: None)
                    slow = outcome(call, labels, scores, pos_label=1)
                assert str(fast) == str(slow)


@given(data=predictions(weights=WEIGHTS))
def test_weights_and_queries_give_the_same_without_the_fast_path(data):
    y_true, y_score, weight = data
    queries = np.arange(len(y_true)) % 2
    seen = []
    for way in (targets._plain_targets, lambda *_: None):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(targets, "_plain_targets", way)
            seen.append(
                [
                    score(Step(), y_true, y_score),
                    score(Step(), y_true, y_score, sample_weight=weight),
                    score(Step(), y_true, y_score, queries=queries),
                    threshold_counts(y_true, y_score, pos_label=None).fps.sum(),
                ]
            )
    np.testing.assert_array_equal(*seen)
