"""Counts of chunks: the digits of one array, and errors that name the chunk."""

import subprocess
import sys

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet
from recipe import KNOWN, assert_same, chunks, rows, weights
from registry import predictions

from sklearn_ap import large, threshold_counts
from sklearn_ap.definitions import AtK, Interpolated, Step
from sklearn_ap.large import _two_passes as two_passes


@pytest.mark.parametrize(("n", "c", "n_positives", "n_thresholds", "value"), KNOWN[:4])
@pytest.mark.parametrize("size", [3_000, 70_000, 10**6])
def test_the_digits_of_the_recipe(n, c, n_positives, n_thresholds, value, size):
    counts = large.from_chunks(lambda: chunks(n, size, c))
    assert counts.n_positives == n_positives
    assert counts.thresholds.size == n_thresholds
    assert Step()(counts)[0] == value
    assert_same(counts, threshold_counts(*rows(0, n, c)))


@pytest.mark.slow
def test_ten_million_rows():
    n, c, _, _, value = KNOWN[4]
    counts = large.from_chunks(lambda: chunks(n, 2**20, c))
    assert Step()(counts)[0] == pytest.approx(value, abs=1e-15)


@given(predictions(30), st.integers(1, 30))
def test_any_chunks_of_any_data(data, size):
    y_true, y_score = data
    parts = [(y_true[i : i + size], y_score[i : i + size]) for i in range(0, len(y_true), size)]
    assert_same(large.from_chunks(parts), threshold_counts(y_true, y_score))


def test_thresholds_are_merged_on_the_way_when_many_wait(monkeypatch):
    monkeypatch.setattr(two_passes, "FEW", 10)
    counts = large.from_chunks(lambda: chunks(5_000, 100))
    assert_same(counts, threshold_counts(*rows(0, 5_000)))


def test_the_order_of_rows_in_the_second_pass_does_not_matter():
    passed = []

    def once():
        passed.append(1)
        parts = list(chunks(10_000, 1_000))
        return iter(parts if len(passed) == 1 else parts[::-1])

    assert_same(large.from_chunks(once), threshold_counts(*rows(0, 10_000)))


def test_whole_number_weights_give_the_same_digits():
    counts = large.from_chunks(lambda: chunks(20_000, 900, weighted=True))
    expected = threshold_counts(*rows(0, 20_000), sample_weight=weights(0, 20_000))
    assert_same(counts, expected)


def test_any_weights_agree_to_a_trillionth():
    rng = np.random.default_rng(0)
    y_true, y_score = rows(0, 20_000)
    weight = rng.lognormal(size=20_000)
    parts = [(y_true[i::7], y_score[i::7], weight[i::7]) for i in range(7)]
    ours, expected = (
        large.from_chunks(parts),
        threshold_counts(y_true, y_score, sample_weight=weight),
    )
    for definition in (Step(), Interpolated(), AtK(50)):
        assert definition(ours) == pytest.approx(definition(expected), rel=1e-12)


def test_chunks_of_floats_and_of_integers_go_together():
    parts = [([1, 0], np.array([3, 2])), ([1, 0], np.array([2.5, 2.0])), ([0], np.array([9]))]
    expected = threshold_counts([1, 0, 1, 0, 0], [3, 2, 2.5, 2.0, 9])
    assert_same(large.from_chunks(parts), expected)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.float32([0.1, 0.2]), np.float64([0.1, 0.3])),
        (np.int64([2**53 - 1, 2**53 - 2]), np.float64([0.5, 1])),
        (np.int8([1, 2]), np.int16([300, 2])),
        (np.array([True, False]), np.uint64([2**63 + 1, 2**63])),
        (np.array([True, False]), np.float32([0.5, 1])),
        (np.array([-0.0, 0.0]), np.array([5e-324, -5e-324])),
    ],
)
@pytest.mark.parametrize("labels", [([1, 0], [0, 0]), ([0, 0], [1, 0]), ([0, 1], [1, 0])])
def test_dtypes_are_those_of_one_array_wherever_the_positives_stand(one, other, labels):
    parts = [(labels[0], one), (labels[1], other), ([], [])]
    expected = threshold_counts(np.concatenate(labels), np.concatenate([one, other]))
    assert_same(large.from_chunks(parts), expected)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (np.int64([2**60 + 1, 2**60]), np.float64([2.0**60, 1])),
        (np.uint64([2**63 + 1, 2**63]), np.int64([-1, 3])),
    ],
)
def test_huge_integers_that_would_become_equal_floats_are_refused(one, other, tmp_path):
    message = r"2\*\*53 or more.* different numbers would be tied"
    with pytest.raises(ValueError, match=message):
        large.from_chunks([([1, 0], one), ([1, 0], other)])
    for name, part in (("a", one), ("b", other)):
        table = pa.table({"y": [1, 0], "p": part, "q": ["one", "one"]})
        parquet.write_table(table, tmp_path / f"{name}.parquet")
    files = [tmp_path / "a.parquet", tmp_path / "b.parquet"]
    for queries in ({}, {"queries": "q"}):
        with pytest.raises(ValueError, match=message):
            large.from_table(files, "y", "p", **queries)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows_of_block", [4, 1_000, 2**22])
@pytest.mark.parametrize("size", [70, 3_000])  # shorter than a block, and longer
def test_blocks_change_no_digit(weighted, rows_of_block, size, monkeypatch):
    monkeypatch.setattr(two_passes, "FEWEST_ROWS", rows_of_block)
    monkeypatch.setattr(two_passes, "BYTES_OF_THRESHOLD", 4)  # a row
    weight = weights(0, 20_000) if weighted else None
    expected = threshold_counts(*rows(0, 20_000), sample_weight=weight)
    assert_same(large.from_chunks(lambda: chunks(20_000, size, weighted=weighted)), expected)


@pytest.mark.parametrize(("weighted", "most"), [(False, 4_000), (True, 1_000)])
def test_a_block_counts_few_rows_at_a_time(weighted, most, monkeypatch):
    counted = []

    count_into = two_passes.count_into

    def noted(cells, thresholds, score, weight):
        counted.append(score.size)
        return count_into(cells, thresholds, score, weight)

    monkeypatch.setattr(two_passes, "FEWEST_ROWS", 4_000)
    monkeypatch.setattr(two_passes, "BYTES_OF_THRESHOLD", 0)
    monkeypatch.setattr(two_passes, "count_into", noted)
    large.from_chunks(lambda: chunks(20_000, 9_000, weighted=weighted))
    assert sum(counted) == (np.count_nonzero(weights(0, 20_000)) if weighted else 20_000)
    assert most // 2 < max(counted) <= most


def test_chunks_without_weights_weigh_1_beside_chunks_with_weights():
    parts = [([1, 0], [0.9, 0.8], [2, 3]), ([1, 0], [0.7, 0.85])]
    expected = threshold_counts([1, 0, 1, 0], [0.9, 0.8, 0.7, 0.85], sample_weight=[2, 3, 1, 1])
    assert_same(large.from_chunks(parts), expected)
    assert_same(large.from_chunks(parts[::-1]), expected)


def test_a_chunk_of_objects_that_are_all_true_is_scored_as_in_one_array():
    one, other = np.array([True, True], object), np.array([0.5, 2], object)
    expected = threshold_counts([1, 0, 1, 0], np.concatenate([one, other]))
    assert_same(large.from_chunks([([1, 0], one), ([1, 0], other)]), expected)


def test_integers_beyond_the_floats_keep_their_order():
    parts = [([1], [2**60 + 1]), ([0], [2**60])]
    assert Step()(large.from_chunks(parts)) == 1.0


@pytest.mark.parametrize("empty", [([], []), (np.empty(0, bool), np.empty(0))])
def test_empty_chunks_and_chunks_of_one_class_are_welcome(empty):
    parts = [empty, ([0, 0], [0.9, 0.1]), empty, ([1, 1], [0.8, 0.2])]
    assert_same(large.from_chunks(parts), threshold_counts([0, 0, 1, 1], [0.9, 0.1, 0.8, 0.2]))


def test_chunks_without_weight_are_absent():
    parts = [([1, 0], [0.9, 0.8], [0, 0]), ([1, 0], [0.7, 0.8], [1, 2])]
    expected = threshold_counts([1, 0], [0.7, 0.8], sample_weight=[1, 2])
    assert_same(large.from_chunks(parts), expected)


def test_no_positives_give_empty_counts_and_nan():
    counts = large.from_chunks([([0, 0], [0.9, 0.8]), ([0], [0.7])])
    assert (counts.thresholds.size, counts.n_negatives[0]) == (0, 3)
    assert np.isnan(Step()(counts))


@pytest.mark.parametrize(
    ("labels", "pos_label"),
    [(["no", "yes"], "yes"), ([-1, 1], None), ([False, True], None), (["a", "b", "yes"], "yes")],
)
def test_labels_as_in_memory(labels, pos_label):
    y_true, y_score = np.array(labels * 3), np.arange(3.0 * len(labels))
    parts = [(y_true[:4], y_score[:4]), (y_true[4:], y_score[4:])]
    expected = threshold_counts(y_true, y_score, pos_label=pos_label)
    assert_same(large.from_chunks(parts, pos_label=pos_label), expected)


@pytest.mark.parametrize(
    ("parts", "options", "message"),
    [
        ([([1, 0], [1, np.nan])], {}, "chunk 0: y_score contains NaN or infinity: 1 of 2 values, "
         "the first in row 1"),
        ([([1], [1]), ([0, 0, 1], [1, 2, np.inf])], {}, "chunk 1: .*1 of 3 .* in row 2"),
        ([([1, np.nan], [1, 2])], {}, "chunk 0: y_true contains missing values: 1 of 2 .* row 1"),
        ([(["a", None], [1, 2])], {"pos_label": "a"}, "chunk 0: y_true contains missing values"),
        ([([1, 0], [1])], {}, "chunk 0: Found input variables with inconsistent numbers"),
        ([([1, 0], [1, 2], [1])], {}, "chunk 0: Found input variables with inconsistent numbers"),
        ([([1, 0], [1, 2], [1, -1])], {}, "chunk 0: sample_weight must not be negative"),
        ([([1, 0], [1, 2], [1, np.nan])], {}, "chunk 0: sample_weight contains NaN"),
        ([([0.2, 0.7], [1, 2])], {}, "chunk 0: y_true holds 0.2, which is no label .* row 0"),
        ([([1, 2], [1, 2])], {}, r"y_true takes value in \{1, 2\} and pos_label is not"),
        ([([0], [1]), ([1], [1]), ([-1], [1])], {}, "y_true: multiclass format is not supported"),
        ([([-1, 0, 1], [1, 2, 3])], {}, "y_true: multiclass format is not supported"),
        ([([0, 1], [1, 2])], {"pos_label": 2}, "pos_label=2 is not a valid label"),
        ([([0, 1], [1, 2], [0, 0])], {}, "sample_weight is zero in every row"),
        ([([], [])], {}, "y_true and y_score are empty"),
        ([], {}, "y_true and y_score are empty"),
        ([(np.ones((2, 2)), [1, 2])], {}, "chunk 0: y_true must be one-dimensional"),
        ([(np.array(["a", 1], object), [1, 2])], {"pos_label": "a"},
         "chunk 0: y_true holds strings and numbers: 'a' and 1"),
        ([(["a", "b"], [1, 2]), ([0, 1], [1, 2])], {"pos_label": "a"},
         "y_true holds strings and numbers: 'a' and 0. The label 0 is first in chunk 1, row 0"),
        ([([0, 1], [1, 2]), ([1, 0, 5], [1, 2, 3])], {}, "label 5 is first in chunk 1, row 2"),
        ([(["a", "b"], [1, 2]), (["c"], [1])], {}, "label 'c' is first in chunk 1, row 0"),
        ([([-1, 1], [1, 2]), ([1, 1, 0], [1, 2, 3])], {}, "label 0 is first in chunk 1, row 2"),
        ([([0, 1], ["a", "b"])], {}, "y_score must hold numbers, got the text 'a': .* row 0"),
        ([([0, 1], np.array([0.5, "b"], object))], {}, "the text 'b': 1 of 2 .* row 1"),
        ([([0, 1], [1, 2], ["a", "b"])], {}, "chunk 0: sample_weight must hold .* the text 'a'"),
        ([([0, 1], np.array([1, 2], "M8[D]"))], {}, r"must hold numbers, got datetime64\[D\]"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_chunk(parts, options, message):
    with pytest.raises(ValueError, match=message):
        large.from_chunks(parts, **options)


@pytest.mark.parametrize("chunk", [1, ([1],), "ab", {"y": 1}])
def test_a_chunk_that_is_no_tuple_is_refused(chunk):
    with pytest.raises(TypeError, match="chunk 0 must be a tuple"):
        large.from_chunks([chunk])


def test_missing_values_of_pandas():
    pd = pytest.importorskip("pandas")
    for values in (pd.array([True, None], dtype="boolean"), pd.Series([1, None], dtype="Int64")):
        with pytest.raises(ValueError, match=r"y_true contains missing values: 1 of 2 .* row 1"):
            large.from_chunks([(values, [1, 2])])


def test_labels_beyond_integers_are_refused():
    with pytest.raises(ValueError, match="chunk 0: y_true"):
        large.from_chunks([([10**400, 0], [0.5, 0.4])])


def test_dates_are_no_labels():
    days = np.array(["2026-01-01", "2026-01-02"], "M8[D]")
    with pytest.raises(TypeError, match="chunk 0: y_true must hold numbers, strings or bools, got"):
        large.from_chunks([(days, [1, 2])])


@pytest.mark.parametrize("chunks", [5, None])
def test_chunks_that_are_none(chunks):
    with pytest.raises(TypeError, match="chunks must be an iterable of tuples"):
        large.from_chunks(chunks)
    with pytest.raises(TypeError, match="given as chunks must return an iterator, got"):
        large.from_chunks(lambda: chunks)


def test_a_generator_is_refused_before_the_first_pass():
    with pytest.raises(ValueError, match="of which the second pass would see nothing"):
        large.from_chunks(chunk for chunk in [([1, 0], [0.9, 0.8])])


def changing(first, second):
    """A source that gives other chunks at the second call."""
    calls = iter([first, second])
    return lambda: next(calls)


@pytest.mark.parametrize(
    ("second", "what"),
    [
        ([], "saw 0 rows, not 3 as the first"),
        ([([1, 0, 1, 1], [3, 2, 1, 0])], "saw 4 rows, not 3 as the first"),
        ([([1, 0, 0], [3, 2, 1])], "saw 1 positives, not 2 as the first"),
        ([([1, 0, 1], [3, 2, 1.5])], "saw other scores than the first"),
        ([([0, 1, 1], [3, 2, 1])], "saw other labels than the first"),
    ],
)
def test_a_source_that_changes_between_the_passes_is_found_out(second, what):
    source = changing([([1, 0, 1], [3, 2, 1])], second)
    with pytest.raises(ValueError, match=f"The second pass {what}"):
        large.from_chunks(source)


def test_weights_that_change_between_the_passes_are_found_out():
    first, second = [([1, 0], [3, 2], [1, 2])], [([1, 0], [3, 2], [2, 1])]
    with pytest.raises(ValueError, match="saw other weights than the first"):
        large.from_chunks(changing(first, second))


def test_a_spent_iterator_of_a_callable_is_found_out():
    spent = iter([([1, 0], [3, 2])])
    with pytest.raises(ValueError, match="second pass saw 0 rows"):
        large.from_chunks(lambda: spent)


def test_progress_is_shown_on_standard_error(capsys):
    pytest.importorskip("tqdm")
    large.from_chunks([([1, 0], [3, 2])], progress=True)
    shown = capsys.readouterr()
    assert "2.00" in shown.err
    assert not shown.out


@pytest.mark.slow
def test_nothing_of_the_engines_is_imported_with_the_package():
    """But what scikit-learn imports itself."""
    code = (
        "import sys, sklearn.metrics; before = set(sys.modules); import sklearn_ap.large; "
        "print({'dask', 'pyspark', 'pyarrow', 'duckdb', 'polars', 'tqdm'} "
        "& (set(sys.modules) - before))"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout == "set()\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("call", "package", "extra"),
    [
        ("large.from_dask(None, None)", "dask", "dask"),
        ("large.from_spark(None, 'y', 'p')", "pyspark", "spark"),
        ("large.from_table('x.parquet', 'y', 'p')", "pyarrow", "table"),
        ("large.from_chunks([([1, 0], [2, 1])], progress=True)", "tqdm", "table"),
    ],
)
def test_a_missing_package_names_its_extra(call, package, extra):
    code = f"import sys; sys.modules[{package!r}] = None\nfrom sklearn_ap import large\n{call}"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (
        f"needs {package}, which is not installed: pip install 'sklearn-ap[{extra}]'" in run.stderr
    )
