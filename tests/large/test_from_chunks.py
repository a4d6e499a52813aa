"""Counts of chunks: the digits of one array, and errors that name the chunk."""

import sys
import tracemalloc

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap import large, threshold_counts
from sklearn_ap.large import _passes
from tests.helpers.first_cases import quick
from tests.helpers.recipe import assert_same, chunks, rows, weights
from tests.helpers.registry import predictions


def changing(*passes):
    calls = iter(passes)
    return lambda: next(calls)


@given(predictions(30), st.integers(1, 30))
def test_chunks_in_any_order_equal_one_array(data, size):
    y_true, y_score = data
    parts = [(y_true[i : i + size], y_score[i : i + size]) for i in range(0, len(y_true), size)]
    ours = large.from_chunks(changing(parts, parts[::-1]))
    assert_same(ours, threshold_counts(y_true, y_score))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.float32([0.1, 0.2]), np.float64([0.1, 0.3])),
        (np.int64([2**53 - 1, 2**53 - 2]), np.float64([0.5, 1])),
        (np.int64([2**60, 2**60 + 256]), np.float64([2.0**60, 1])),
        (np.array([True, False]), np.uint64([2**63 + 1, 2**63])),
        (np.array([-0.0, 0.0]), np.array([5e-324, -5e-324])),
        (np.array([True, False]), np.float16([0.5, 1])),
        (np.uint8([200, 3]), np.int16([-1, 300])),
        (np.array([-np.inf, -np.inf]), np.float32([-np.inf, 3])),
    ],
)
@pytest.mark.parametrize("labels", [([1, 0], [0, 0]), ([1, 1], [0, 0]), ([0, 1], [1, 0])])
def test_score_dtype_equals_that_of_one_array(one, other, labels):
    ours = large.from_chunks([(labels[0], one), (labels[1], other), ([], [])])
    assert_same(ours, threshold_counts(np.concatenate(labels), np.concatenate([one, other])))


@pytest.mark.parametrize(
    ("parts", "one_array"),
    [
        (
            [([1, 0], [0.9, 0.8], [2, 3]), ([1, 0], [0.7, 0.85])],  # weight 1
            ([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.85], [2, 3, 1, 1]),
        ),
        (
            [([1, 0], [0.9, 0.8], [0, 0]), ([1, 0], [3, 4], [1, 2])],
            ([1, 0, 1, 0], [0.9, 0.8, 3, 4], [0, 0, 1, 2]),
        ),
        (
            [(np.empty(0, bool), []), ([0, 0], [0.9, 0.1]), ([1], [0.8])],
            ([0, 0, 1], [0.9, 0.1, 0.8]),
        ),
        ([(["no", "yes"], [1, 2]), (["yes"], [2]), (["no"], [3])], ([0, 1, 1, 0], [1, 2, 2, 3])),
        ([([False, True], [1, 2]), ([True], [3])], ([0, 1, 1], [1, 2, 3])),
    ],
)
def test_chunks_are_counted_as_one_array(parts, one_array):
    y_true, y_score, weight = (*one_array, None)[:3]
    ours = large.from_chunks(parts, pos_label="yes" if "yes" in parts[0][0] else None)
    assert_same(ours, threshold_counts(y_true, y_score, sample_weight=weight))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("size", [70, 9_000])  # of a chunk, shorter than a block, and longer
@pytest.mark.parametrize("n_rows", quick([4, 4_000, 2**20], [4, 4_000]))
def test_block_size_does_not_change_counts(weighted, size, n_rows, monkeypatch):
    monkeypatch.setattr(_passes, "LEAST_BLOCK_ROWS", n_rows)
    monkeypatch.setattr(_passes, "BLOCK_ROWS_PER_THRESHOLD", n_rows // 1000)
    weight = weights(0, 20_000) if weighted else None
    expected = threshold_counts(*rows(0, 20_000), sample_weight=weight)
    assert_same(large.from_chunks(lambda: chunks(20_000, size, weighted=weighted)), expected)


def test_three_million_rows_take_less_than_64_mb():
    large.from_chunks(lambda: chunks(1_000, 100))  # imports
    tracemalloc.start()
    large.from_chunks(lambda: chunks(3_000_000, 100_000))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 64e6


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ([([1], [1]), ([0, 0, 1], [1, 2, np.inf])], "^chunk 1: Input y_score contains infinity"),
        ([([1, np.nan], [1, 2])], "^chunk 0: y_true contains NaN .* in row 1"),
        ([(pd.Series([1, 0]), pd.Series([1, 2], [1, 0]))], "^chunk 0: The indexes of"),
        ([([1, 0], [1, 2]), ([1, 0], [1])], "^chunk 1: .* inconsistent numbers of samples"),
        ([([1, 0], [1, 2], [1, -1])], "^chunk 0: sample_weight must be 0, or from"),
        ([([1, 0], [1, 2], ["", ""])], "^chunk 0: sample_weight must hold numbers, got ''"),
        ([([1, 2], [1, 2])], r"^chunk 0: y_true takes value in \{1, 2\} and pos_label is not"),
        ([([0, 1], [1, 2]), ([5, 5], [1, 2])], r"^chunk 1: y_true takes value in \{5\}"),
        ([([0, 1], [1, 2]), ([-1, 1], [3, 4])], r"^y_true has 3 labels, \[-1, 0, 1\]"),
        ([([0, 1], [1, 2], [0, 0])], "^sample_weight is zero in every row"),
        (
            [([0, 1, 5], [1, 2, 3])],
            r"^chunk 0: y_true has 3 labels, \[0, 1, 5\]",
        ),
        ([], "^y_true and y_score are empty"),
        ([([1, 0], np.ones((2, 2)))], r"^chunk 0: y_score .*one-dimensional.* shape \(2, 2\)"),
        ([([1],)], "^chunk 0 must be a tuple"),
        (5, "^chunks must be tuples, .* got 5"),
        (lambda: None, "^chunks must be tuples, .* got None"),
        (iter([([1, 0], [0.9, 0.8])]), "of which the second pass would see nothing"),
    ],
)
def test_error_names_the_chunk_at_fault(parts, message):
    with pytest.raises((TypeError, ValueError), match=message):
        large.from_chunks(parts)


@pytest.mark.parametrize(
    ("labels", "pos_label", "message"),
    [
        (["a", 0], "a", "y_true must hold labels of one type"),
        (["Fraud", "ok"], "fraud", "'fraud' is not a valid label"),
        (["a", "b", "c"], "a", r"y_true has 3 labels, \['a', 'b', 'c'\]"),
    ],
)
def test_labels_of_all_chunks_are_checked_together(labels, pos_label, message):
    with pytest.raises(ValueError, match=message):
        large.from_chunks([([label] * 2, [1, 2]) for label in labels], pos_label=pos_label)


FIRST = [([1, 0, 1], [3.0, 2, 1], [1, 2, 1])]


@pytest.mark.parametrize(
    ("passes", "message"),
    [
        ((FIRST, []), "second pass saw 0 rows, not 3 as the first.* takes two passes"),
        (([([1, 0], [0, 0])], [([1, 1], [0, 0])]), "saw other scores, labels or weights"),
        *(
            ((FIRST, [other]), "saw other scores, labels or weights than the first")
            for other in (
                ([1, 0, 1], [3, 2, 1.5], [1, 2, 1]),
                ([1, 0, 1], [2, 4, 0], [1, 2, 1]),  # of one sum
                ([0, 1, 1], [3, 2, 1], [1, 2, 1]),
                ([1, 0, 0], [3, 2, 1], [1, 2, 1]),
                ([1, 0, 1], [3, 2, 0], [1, 2, 1]),
                ([1, 0, 1], [3, 2, -np.inf], [1, 2, 1]),
                ([1, 0, 1], [3, 0, 1], [1, 2, 1]),
                ([1, 0, 1], [3, 2, 1], [1, 3, 1]),
                ([1, 0, 1], [3, 2, 1], [2, 1, 1]),  # of other rows
                ([1, 0, 1], [3, 2, 1]),
            )
        ),
    ],
)
def test_a_source_that_changes_between_the_passes_is_found_out(passes, message):
    with pytest.raises(ValueError, match=message):
        large.from_chunks(changing(*passes))


@pytest.mark.parametrize(
    ("call", "package"),
    [
        (lambda: large.from_dask(None, "y", "p"), "dask"),
        (lambda: large.from_spark(None, "y", "p"), "pyspark"),
        (lambda: large.from_table(pa.table({"y": [1]}), "y", "y"), "pyarrow"),
    ],
)
def test_a_missing_package_is_named_with_its_remedy(call, package, monkeypatch):
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ImportError, match=rf"needs {package}, which .*pip install .*{package}"):
        call()


def test_text_labels_without_pos_label_and_misordered_rows_are_refused():
    hits, scores = pd.Series([1, 0, 1, 0]), pd.Series([4.0, 3.0, 2.0, 1.0])
    with pytest.raises(ValueError, match=r"another order.*Pass y_score\.loc\[y_true\.index\]"):
        large.from_chunks([(hits, scores[::-1])])
    with pytest.raises(ValueError, match=r"pos_label is not specified.*Pass pos_label='fraud' or "):
        large.from_chunks([(np.where(hits, "fraud", "ok"), scores)])
