"""Counts of real files and tables: Parquet, CSV, TSV, Feather, Arrow, Polars and DuckDB."""

import gzip
import shutil
import threading
from decimal import Decimal

import numpy as np
import pytest
from recipe import assert_same, rows, weights

from sklearn_ap import large, threshold_counts
from sklearn_ap.large._checked_batches import clean

pytestmark = pytest.mark.engines
pa = pytest.importorskip("pyarrow")
pl = pytest.importorskip("polars")
duckdb = pytest.importorskip("duckdb")
feather = pytest.importorskip("pyarrow.feather")
csv = pytest.importorskip("pyarrow.csv")
parquet = pytest.importorskip("pyarrow.parquet")

N = 50_000


@pytest.fixture(scope="module")
def table():
    y_true, y_score = rows(0, N)
    return pa.table({"id": np.arange(N), "y": y_true, "p": y_score, "w": weights(0, N)})


@pytest.fixture(scope="module")
def files(table, tmp_path_factory):
    """The table in files of all kinds."""
    folder = tmp_path_factory.mktemp("files")
    parquet.write_table(table, folder / "all.parquet", row_group_size=7_000)
    (folder / "parts").mkdir()
    for i in range(5):
        part = table.slice(i * N // 5, N // 5)
        parquet.write_table(part, folder / "parts" / f"{i}.parquet")
    feather.write_feather(table, folder / "all.feather")
    csv.write_csv(table, folder / "all.csv")
    csv.write_csv(table, folder / "all.tsv", csv.WriteOptions(delimiter="\t"))
    with open(folder / "all.csv", "rb") as plain, gzip.open(folder / "all.csv.gz", "wb") as packed:
        shutil.copyfileobj(plain, packed)
    return folder


@pytest.fixture(scope="module")
def expected():
    return threshold_counts(*rows(0, N))


@pytest.mark.parametrize(
    "name", ["all.parquet", "parts", "parts/*.parquet", "all.feather", "**/all.parquet"]
)
def test_files_give_the_same_digits(name, files, expected):
    assert_same(large.from_table(files / name, "y", "p"), expected)
    assert_same(large.from_table(str(files / name), "y", "p"), expected)


@pytest.mark.parametrize("name", ["all.csv", "all.tsv", "all.csv.gz"])
def test_text_gives_the_same_digits(name, files):
    """Text holds decimals, which are read as float64."""
    y_true, y_score = rows(0, N)
    decimals = np.array([float(str(score)) for score in y_score])
    assert_same(large.from_table(files / name, "y", "p"), threshold_counts(y_true, decimals))


@pytest.mark.parametrize(
    ("first", "then"),
    [(np.float32, np.float64), (np.int64, np.float64), (np.float64, np.int8)],
)
def test_each_file_is_read_in_its_own_types(first, then, tmp_path):
    """Arrow alone would read all files in the types of the first, and round silently."""
    parts = np.array([1, 0.3, 0.1, 0.7]).astype(first), np.array([0.1, 1, 0.7, 0.3]).astype(then)
    for i, (kind, scores) in enumerate(zip([bool, int], parts, strict=True)):
        y_true = np.array([1, 0, 1, 0], kind)
        parquet.write_table(pa.table({"y": y_true, "p": scores}), tmp_path / f"{i}.parquet")
    expected = threshold_counts([1, 0, 1, 0] * 2, np.concatenate(parts))
    assert_same(large.from_table(tmp_path, "y", "p"), expected)


def test_a_column_that_one_file_lacks_is_said_with_the_file(tmp_path):
    parquet.write_table(pa.table({"y": [1, 0], "p": [2.0, 1.0]}), tmp_path / "0.parquet")
    parquet.write_table(pa.table({"y": [1, 0], "score": [2.0, 1.0]}), tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"1.parquet: There is no column 'p'; there are 'y', 'sc"):
        large.from_table(tmp_path / "*.parquet", "y", "p")


@pytest.mark.parametrize(
    ("kind", "pos_label"),
    [
        (pa.string(), "1"),
        (pa.large_string(), "1"),
        (pa.string_view(), "1"),
        (pa.dictionary(pa.int8(), pa.string()), "1"),
        (pa.dictionary(pa.int8(), pa.int64()), None),
        (pa.bool_(), None),
        (pa.decimal128(20, 1), None),
        (pa.uint8(), None),
    ],
)
@pytest.mark.parametrize("sliced", [False, True])
def test_labels_of_any_arrow_type(kind, pos_label, sliced):
    texts = kind.value_type if pa.types.is_dictionary(kind) else kind
    values = ["0", "0", "1", "0", "1"] if pos_label else [0, 0, 1, 0, 1]
    labels = pa.array(values).cast(texts)
    labels = labels.dictionary_encode() if pa.types.is_dictionary(kind) else labels
    table = pa.table({"y": labels, "p": [9.0, 0.1, 0.2, 0.3, 0.4]})
    table = pa.concat_tables([table.slice(1, 2), table.slice(3)]) if sliced else table.slice(1)
    expected = threshold_counts([0, 1, 0, 1], [0.1, 0.2, 0.3, 0.4])
    assert_same(large.from_table(table, "y", "p", pos_label=pos_label), expected)


@pytest.mark.parametrize(
    "kind", [pa.float16(), pa.float32(), pa.int8(), pa.uint64(), pa.bool_(), pa.decimal256(40, 2)]
)
@pytest.mark.parametrize("coded", [False, True])
def test_scores_of_any_arrow_type(kind, coded):
    distinct, place = pa.array([0, 1]).cast(kind), [0, 1, 1, 0]
    scores = pa.DictionaryArray.from_arrays(place, distinct) if coded else distinct.take(place)
    numbers = [0.0, 1.0, 1.0, 0.0]
    if not pa.types.is_decimal(kind):
        numbers = distinct.to_numpy(False)[place]
    table = pa.table({"y": [1, 0, 1, 0], "p": scores})
    assert_same(large.from_table(table, "y", "p"), threshold_counts([1, 0, 1, 0], numbers))


@pytest.mark.parametrize(
    "values", [pa.nulls(3), pa.DictionaryArray.from_arrays([0, 1, 0], [1, None])]
)
def test_columns_of_nulls_are_missing_values(values):
    with pytest.raises(ValueError, match="y_true contains missing values"):
        large.from_table(pa.table({"y": values, "p": [1.0, 2.0, 3.0]}), "y", "p")


def test_a_column_that_is_there_twice():
    table = pa.Table.from_arrays([pa.array([1, 0]), *[pa.array([2.0, 1.0])] * 2], ["y", "p", "p"])
    with pytest.raises(ValueError, match="There are 2 columns 'p': rename them"):
        large.from_table(table, "y", "p")


def test_a_record_batch_is_a_table():
    batch = pa.record_batch({"y": [1, 0], "p": [2.0, 1.0]})
    assert_same(large.from_table(batch, "y", "p"), threshold_counts([1, 0], [2.0, 1.0]))


@pytest.mark.parametrize("size", [1_001, 30_000, 10**6])
def test_tables_give_the_same_digits_in_batches_of_any_size(table, expected, size, monkeypatch):
    monkeypatch.setattr("sklearn_ap.large._on_tables.ROWS", size)
    import pyarrow.dataset as ds

    frame = pl.from_arrow(table)
    for source in (table, ds.dataset(table), frame, frame.lazy(), duckdb.from_arrow(table)):
        assert_same(large.from_table(source, "y", "p"), expected)


def test_weights_come_from_a_column(table, files):
    expected = threshold_counts(*rows(0, N), sample_weight=weights(0, N))
    for source in (table, pl.from_arrow(table).lazy(), duckdb.from_arrow(table), files / "parts"):
        assert_same(large.from_table(source, "y", "p", sample_weight="w"), expected)


def test_duckdb_may_give_rows_in_any_order(files, expected):
    with duckdb.connect() as connection:
        connection.execute("SET preserve_insertion_order = false; SET threads = 2")
        relation = connection.sql(f"SELECT * FROM '{files}/parts/*.parquet'")
        assert_same(large.from_table(relation, "y", "p"), expected)


def test_an_error_in_the_middle_leaves_the_connection_of_duckdb_free(monkeypatch):
    monkeypatch.setattr("sklearn_ap.large._on_tables.ROWS", 2048)
    with duckdb.connect() as connection:
        relation = connection.sql(
            "SELECT i % 7 = 0 AS y, CASE WHEN i = 9000 THEN 'nan'::FLOAT ELSE i::FLOAT END AS p "
            "FROM range(20000) t(i)"
        )
        with pytest.raises(ValueError, match="y_score contains NaN or infinity: 1 of ") as raised:
            large.from_table(relation, "y", "p")
        # The error is still held here, and with it all frames.
        assert connection.sql("SELECT 42").fetchall() == [(42,)]
        assert raised.value


def test_an_interrupt_in_the_second_pass_leaves_no_thread_and_no_reader(monkeypatch):
    monkeypatch.setattr("sklearn_ap.large._on_tables.ROWS", 2048)
    monkeypatch.setattr("sklearn_ap.large._two_passes.FEWEST_ROWS", 2048)
    batches = []

    def interrupted(*arguments):
        batches.append(arguments)
        if len(batches) == 18:
            raise KeyboardInterrupt
        return clean(*arguments)

    monkeypatch.setattr("sklearn_ap.large._two_passes.clean", interrupted)
    with duckdb.connect() as connection:
        relation = connection.sql("SELECT i % 700 = 0 AS y, i::FLOAT AS p FROM range(20000) t(i)")
        before = set(threading.enumerate())
        with pytest.raises(KeyboardInterrupt) as raised:
            large.from_table(relation, "y", "p")
        assert connection.sql("SELECT 42").fetchall() == [(42,)]
        assert set(threading.enumerate()) <= before
        assert raised.value is not None  # the frames of the call still live


def test_decimals_and_strings_of_duckdb():
    relation = duckdb.sql(
        "SELECT * FROM (VALUES ('yes', 0.9), ('no', 0.8), ('yes', 0.70), ('no', 0.1)) t(y, p)"
    )
    expected = threshold_counts(["yes", "no", "yes", "no"], [0.9, 0.8, 0.7, 0.1], pos_label="yes")
    assert_same(large.from_table(relation, "y", "p", pos_label="yes"), expected)


def test_strings_of_polars_and_categories():
    expected = threshold_counts(["a", "b", "a"], [3.0, 2.0, 1.0], pos_label="a")
    frame = pl.DataFrame({"y": ["a", "b", "a"], "p": [3.0, 2.0, 1.0]})
    for source in (frame, frame.lazy(), frame.with_columns(pl.col("y").cast(pl.Categorical))):
        assert_same(large.from_table(source, "y", "p", pos_label="a"), expected)


def test_column_names_of_any_kind():
    columns = {'a "quoted", name': [1, 0], "p.q r": [2.0, 1.0]}
    table = pa.table(columns)
    for source in (table, pl.from_arrow(table).lazy(), duckdb.from_arrow(table)):
        counts = large.from_table(source, *columns)
        assert counts.n_positives == 1


@pytest.mark.parametrize("column", ["y", "p"])
def test_a_missing_value_is_said_with_its_batch_and_row(table, column):
    values = table.column(column).to_pylist()
    values[40_000] = None
    kind = table.column(column).type
    broken = table.set_column(
        table.schema.get_field_index(column), column, pa.array(values, type=kind)
    )
    relation = duckdb.from_arrow(broken)
    for source in (broken, pl.from_arrow(broken), relation):
        role = {"y": "y_true", "p": "y_score"}[column]
        text = f"batch .*: {role} contains missing values: 1 of .*, the first in row"
        with pytest.raises(ValueError, match=text):
            large.from_table(source, "y", "p")


def test_nan_in_one_file_of_many(files, tmp_path):
    shutil.copytree(files / "parts", tmp_path / "parts")
    broken = {"y": [True, False], "p": pa.array([np.nan, 1.0], pa.float32())}
    parquet.write_table(pa.table(broken), tmp_path / "parts" / "9.parquet")
    with pytest.raises(ValueError, match=r"from row 50000\): y_score contains NaN .*: 1 of 2"):
        large.from_table(tmp_path / "parts" / "*.parquet", "y", "p")


@pytest.mark.parametrize("kind", ["arrow", "polars", "lazy", "duckdb", "file"])
def test_a_column_that_is_not_there_is_named_beside_those_that_are(kind, table, files):
    frame = pl.from_arrow(table)
    source = {
        "arrow": table,
        "polars": frame,
        "lazy": frame.lazy(),
        "duckdb": duckdb.from_arrow(table),
        "file": files / "all.csv",
    }[kind]
    with pytest.raises(ValueError, match="no column 'score'; there are 'id', 'y', 'p', 'w'"):
        large.from_table(source, "y", "score")


def test_a_query_that_draws_anew_is_found_out():
    relation = duckdb.sql("SELECT i % 2 AS y, random() AS p FROM range(1000) t(i)")
    with pytest.raises(ValueError, match="The second pass saw other scores than the first"):
        large.from_table(relation, "y", "p")


def test_a_lazy_frame_that_draws_anew_is_found_out(table):
    rng = np.random.default_rng(0)
    frame = pl.from_arrow(table).lazy()
    drawn = frame.with_columns(
        p=pl.col("p").map_batches(
            lambda scores: pl.Series(rng.random(len(scores))), return_dtype=pl.Float64
        )
    )
    with pytest.raises(ValueError, match="The second pass saw"):
        large.from_table(drawn, "y", "p")


def test_a_reader_gives_its_rows_only_once(table):
    with pytest.raises(TypeError, match="RecordBatchReader does, cannot be counted"):
        large.from_table(table.to_reader(), "y", "p")


@pytest.mark.parametrize(
    ("path", "error", "message"),
    [
        ("none.parquet", FileNotFoundError, "There is no file"),
        ("*.nothing", FileNotFoundError, "There is no file"),
        ("empty", FileNotFoundError, "The folder .* is empty"),
        ("odd.xlsx", ValueError, "must end in .parquet, .csv"),
    ],
)
def test_a_path_that_leads_nowhere(path, error, message, tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "odd.xlsx").write_text("y,p\n1,2\n")
    with pytest.raises(error, match=message):
        large.from_table(tmp_path / path, "y", "p")


def test_progress_counts_the_rows_of_both_passes(table, capsys):
    large.from_table(table, "y", "p", progress=True)
    assert capsys.readouterr().err.count("50.0k rows") >= 2


def test_a_dictionary_of_lists_is_refused_as_a_list_is():
    lists = pa.DictionaryArray.from_arrays([0, 1], pa.array([[1], [2]]))
    with pytest.raises(ValueError, match=r"y_score holds dictionary.*not one value a row"):
        large.from_table(pa.table({"y": [1, 0], "p": lists}), "y", "p")


def test_decimals_that_would_become_one_float_are_refused():
    table = pa.table({"y": [1, 0], "p": [Decimal(2**70 + 1), Decimal(2**70)]})
    with pytest.raises(ValueError, match=r"batch 0.*is too large for a float of its own"):
        large.from_table(table, "y", "p")
