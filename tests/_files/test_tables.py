"""Rows of files of every format, and their columns as numbers and names."""

import io
import os
import re
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from sklearn_ap._files.cells import read_codes, read_numbers, write_label
from sklearn_ap._files.formats import CsvRules
from sklearn_ap._files.sources import DataError, names_of_files
from sklearn_ap._files.tables import FileRows, place_in, read_files

Y, P, Q = [1, 0, 1], [0.5, -0.25, 1e-3], ["a", "é", "a"]
CSV = "q,y,p,note\n" + "".join(f"{q},{y},{p},x\n" for q, y, p in zip(Q, Y, P, strict=True))
JSON = "".join(
    f'{{"q": "{q}", "y": {y}, "p": {p}, "list": [1]}}\n' for q, y, p in zip(Q, Y, P, strict=True)
)


def saved(save=parquet.write_table, **columns):
    file = io.BytesIO()
    save(pa.table(columns), file)
    return file.getvalue()


def packed(content, codec):
    sink = pa.BufferOutputStream()
    with pa.CompressedOutputStream(sink, codec) as stream:
        stream.write(content)
    return sink.getvalue().to_pybytes()


@pytest.fixture
def write(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def run(content, name="a.csv"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
        return name

    return run


def names(batches, column):
    return read_codes(batches, column).to_pylist()


def read(paths, columns, numbers="py", **options):
    """Batches of files, in which p and y are numbers."""
    return [*read_files(paths, columns, CsvRules(**options))]


def scores(*paths, **options):
    return read_numbers(read(paths, ["p"], **options), "p")


FORMATS = [
    ("a.csv", CSV, 2),
    ("a.tsv", CSV.replace(",", "\t"), 2),
    ("a.csv", CSV.replace(",", ";"), 2),
    ("a.csv", "\ufeff" + CSV, 2),
    ("a.csv", re.sub(r"[^,\n]+", r'"\g<0>"', CSV).replace("\n", "\r\n"), 2),
    ("a", CSV, 2),
    ("a.jsonl", JSON, 1),
    ("a.json", "\ufeff" + JSON, 1),
    ("part-0", JSON, 1),
    ("part-0", "\ufeff" + JSON, 1),
    ("a.parquet", saved(q=Q, y=Y, p=P), 1),
    ("a.feather", saved(feather.write_feather, q=Q, y=Y, p=P), 1),
]


@pytest.mark.parametrize("codec", [None, "gzip", "bz2", "zstd", "lz4"])
@pytest.mark.parametrize(("name", "content", "first_row"), FORMATS)
def test_every_format_is_read_packed_or_not(write, name, content, first_row, codec):
    suffix = {None: "", "gzip": ".gz", "bz2": ".bz2", "zstd": ".zst", "lz4": ".lz4"}[codec]
    if isinstance(content, bytes):  # which is packed within
        path = write(content, name)
    else:
        path = write(packed(content.encode(), codec) if codec else content, name + suffix)
    (rows,) = read(path, ["q", "y", "p"])
    assert (rows.first_row, len(rows)) == (first_row, 3)
    assert rows.place_of(1, "p") == f"{path}: row {first_row + 1}, column 'p'"
    assert names([rows], "q") == Q
    assert read_numbers([rows], "y").tolist() == Y
    assert read_numbers([rows], "p").tolist() == P


@pytest.mark.parametrize("content", [CSV, JSON])
def test_standard_input_is_a_pipe_of_text(monkeypatch, content):
    ours, theirs = os.pipe()
    os.write(theirs, content.encode())
    os.close(theirs)
    with open(ours) as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        (rows,) = read("-", ["p"])
    assert read_numbers([rows], "p").tolist() == P
    assert rows.place_of(0, "p").startswith("standard input: row ")


class TestText:
    def test_a_given_delimiter_and_decimal_comma_are_used(self, write):
        path = write("a;b|p\n1;2|0,5\n3;4|-1\n")
        assert scores(path, delimiter="|", decimal=",").tolist() == [0.5, -1]
        path = write("y,x,z;p\n1;0,5\n")
        with pytest.raises(DataError, match="there is no column 'p'; there are 'y', 'x' and 'z;p'"):
            scores(path)
        assert scores(path, decimal=",").tolist() == [0.5]

    def test_a_decimal_point_beside_commas_is_no_number(self, write):
        """It may separate thousands."""
        with pytest.raises(DataError, match=r"row 3, column 'p': '1.000' is not a number"):
            scores(write("y;p\n1;0,9\n0;1.000\n"), decimal=",")

    @pytest.mark.parametrize("begin", ["y,p\n", '{"p": 0}\n'])
    def test_rows_of_later_blocks_keep_their_numbers(self, write, monkeypatch, begin):
        monkeypatch.setattr("sklearn_ap._files.formats.BLOCK", 1000)
        line, wrong = ("1,0.5\n", "1,x\n") if "," in begin else ('{"p": 1}\n', '{"p": NaN}\n')
        path = write(begin + 500 * line + wrong, "a.csv" if "," in begin else "a.jsonl")
        with pytest.raises(DataError, match=r"row 502, column 'p': '(x|nan)' is not a number"):
            scores(path)

    def test_a_quoted_line_break_ends_no_row(self, write, monkeypatch):
        monkeypatch.setattr("sklearn_ap._files.formats.BLOCK", 1000)
        path = write("q,p\n" + '"a\nb",1\n"c",2\n' * 500)
        with pytest.warns(
            UserWarning, match="^a.csv: 1,500 lines make 1,000 rows, because quoted cells"
        ):
            batches = read(path, ["q", "p"])
        assert len(batches) > 1
        assert names(batches, "q") == ["a\nb", "c"] * 500

    @pytest.mark.parametrize("size", [16, 1000])
    @pytest.mark.parametrize("blank", ["\n", "\r\n\r\n", "\n\n\n"])
    def test_a_single_quotation_mark_beside_blank_lines_is_a_letter(
        self, write, monkeypatch, blank, size
    ):
        monkeypatch.setattr("sklearn_ap._files.formats.BLOCK", size)
        assert scores(write(f'p,note\n1,5" pipe\n{blank}2,x\n3,y{blank}')).tolist() == [1, 2, 3]

    def test_two_stray_quotation_marks_are_told_as_they_take_rows_into_one_cell(self, write):
        path = write('p,note\n1,a\n2,"b\n3,c\n4,d"\n5,e\n')
        with pytest.warns(
            UserWarning, match="^a.csv: 5 lines make 3 rows, because quoted cells span"
        ):
            assert scores(path).tolist() == [1, 2, 5]

    def test_a_quoted_line_break_ends_no_header(self, write):
        path = write('q;"the\nscore";"p\n"\na;1;2\nb;3;4\n')
        batches = read(path, ["the\nscore", "p\n"])
        assert read_numbers(batches, "the\nscore").tolist() == [1, 3]
        assert read_numbers(batches, "p\n").tolist() == [2, 4]

    def test_a_single_quotation_mark_within_a_cell_is_a_letter(self, write):
        assert scores(write('p,note\n1,5" pipe\n2,x\n')).tolist() == [1, 2]

    def test_a_row_that_never_ends_is_refused(self, write):
        with pytest.raises(DataError, match="a row below row 1 cannot be read: it is longer"):
            scores(write('y,p\n1,"' + "1" * 10_000_000))

    def test_blank_lines_are_no_rows(self, write):
        paths = write("\n \np\n\n0.5\n\n"), write('{"p": 1}\n\n{"p": 2}\n\n', "a.jsonl")
        assert scores(*paths).tolist() == [0.5, 1, 2]

    def test_json_rows_may_lack_keys_that_later_ones_have(self, write):
        path = write('{"p": 1}\n{"y": 1, "p": 2}\n', "a.jsonl")
        found = read_numbers(read(path, ["y", "p"]), "y", may_be_missing=True)
        np.testing.assert_array_equal(found, [np.nan, 1])

    def test_json_keys_that_nobody_names_may_stand_twice(self, write):
        path = write('{"q": 1, "p": 1, "q": 2}\n{"p": 2, "n": {"p": 3, "p": 4}}\n', "a.jsonl")
        assert scores(path).tolist() == [1, 2]

    def test_json_scores_may_begin_whole_and_go_on_with_decimals(self, write, monkeypatch):
        monkeypatch.setattr("sklearn_ap._files.formats.BLOCK", 100)
        path = write("".join(f'{{"p": {p}}}\n' for p in [*range(40), 0.5]), "a.jsonl")
        assert scores(path).tolist() == [*range(40), 0.5]


def test_a_row_of_all_batches_is_named_as_the_user_counts():
    batches = [FileRows("a.csv", 2, {"p": [1, 2]}), FileRows("b.json", 1, {"p": [3, 4, 5]})]
    places = [place_in(batches, "p", row).partition(",")[0] for row in range(5)]
    assert places == [f"a.csv: row {row}" for row in (2, 3)] + [
        f"b.json: row {i}" for i in (1, 2, 3)
    ]
    with pytest.raises(IndexError):
        place_in(batches, "p", 5)


class TestNumbers:
    @pytest.mark.parametrize(
        "cells",
        [
            pa.array([2**64 - 1, 2**64 - 2], pa.uint64()),
            pa.array([True, False]),
            pa.array(np.float16([0.1, 0.2])),
            pa.array([0.1, 0.2], pa.float32()),
            pa.array([Decimal("0.70"), Decimal("0.30")], pa.decimal128(5, 2)),
        ],
    )
    def test_all_digits_of_every_type_are_kept(self, write, cells):
        found = scores(write(saved(feather.write_feather, p=cells), "a.arrow"))
        expected = [*map(float, cells.to_pylist())]
        kept = found.tolist() if found.dtype.kind == "u" or found.max() > 2 else None
        assert kept is None or kept == [*map(int, cells.to_pylist())]
        assert found.astype(float).tolist() == expected

    @pytest.mark.parametrize("other", ["0.5", "1e5"])
    def test_whole_numbers_that_floats_would_round_are_refused(self, write, other):
        assert scores(write(f"p\n{2**53}\n{other}\n")).tolist() == [2**53, float(other)]
        with pytest.raises(DataError, match=r"column 'p' has whole numbers beyond 2\*\*53"):
            scores(write(f"p\n{2**53 + 1}\n{other}\n"))
        with pytest.raises(DataError, match="row 2, column 'p': '1e999' is beyond the range"):
            scores(write(f"p\n1e999\n{other}\n"))

    def test_minus_infinity_is_a_score_but_plus_infinity_is_none(self, write):
        assert scores(write("p\n-inf\n-Infinity\n 1 \n")).tolist() == [-np.inf, -np.inf, 1]
        wrong = r"row 2, column 'p': 'inf' is infinite \(1 more below\); leave such rows out"
        with pytest.raises(DataError, match=wrong):
            scores(write("p\ninf\n1\ninf\n"))

    @pytest.mark.parametrize("text", ["1_0", "0x10", "\uff11", "1d", "--1", ".", "1 0"])
    def test_only_decimal_numbers_are_numbers(self, write, text):
        with pytest.raises(DataError, match=f"row 1001, column 'p': '{text}' is not a number$"):
            scores(write("p\n" + "1\n" * 999 + f"{text}\n" + "2\n" * 99))

    def test_numbers_that_may_be_missing_are_nan(self, write):
        path = write("y,p\n1,0.5\n1,\n")
        typed = write(saved(y=[1, 1, 1], p=[0.5, None, np.nan]), "b.parquet")
        found = read_numbers(read([path, typed], ["y", "p"]), "p", may_be_missing=True)
        np.testing.assert_array_equal(found, [0.5, np.nan, 0.5, np.nan, np.nan])

    @pytest.mark.parametrize(
        ("cells", "kind"), [(pa.array([1], pa.date32()), "date32"), (pa.array([[1]]), "list<")]
    )
    def test_dates_and_lists_are_no_numbers(self, write, cells, kind):
        with pytest.raises(DataError, match=f"^a.parquet: column 'p' holds {kind}.*, not "):
            scores(write(saved(p=cells), "a.parquet"))


@pytest.mark.parametrize(
    ("text", "is_named", "label"),
    [
        *(("True", False, "1"), ("no", False, "0"), ("Yes", True, "yes"), ("FALSE", True, "false")),
        *(("1.0", False, "1"), ("+1", True, "1"), ("-1.0", False, "-1"), (" 0 ", False, "0")),
        *(("2.0", False, "2.0"), (" Fraud ", False, "Fraud")),
    ],
)
def test_a_label_is_written_in_one_way(text, is_named, label):
    assert write_label(text, is_named=is_named) == label


class TestNames:
    def test_a_number_is_one_name_in_all_formats(self, write):
        files = [
            write("q\n1\n", "a.csv"),
            write('{"q": 1}\n{"q": 1.0}\n', "b.jsonl"),
            write('{"q": "1"}\n{"q": "x"}\n', "c.jsonl"),
            *(write(saved(q=cells), f"{i}.parquet") for i, cells in enumerate(([1], [1.0], ["1"]))),
            write(saved(q=[1.0, -0.0, 1e15]), "c.parquet"),
            write(saved(q=[-0.0, 0.0, 1.5]), "d.parquet"),
        ]
        found = names(read(files, ["q"]), "q")
        assert found == [*"1111x1111", "0", "1000000000000000", "0", "0", "1.5"]

    @pytest.mark.parametrize("name", ["007", "1.10", "+1", " a", "a ", "NULL", "x" * 99, "a\0"])
    def test_texts_stay_as_they_are(self, write, name):
        path = write(f"q,p\n{name},1\n")
        assert names(read(path, ["q"]), "q") == [name]

    def test_an_empty_name_is_refused(self, write):
        batches = [*read(write("q,p\na,1\n  ,2\nNA,3\n"), ["q", "p"])]
        with pytest.raises(DataError, match=r"row 3, column 'q' is empty; leave such rows out"):
            names(batches, "q")

    def test_nan_is_no_name_and_marks_of_missing_ones_are_warned_of(self, write):
        batches = [*read(write(saved(q=[1.0, np.nan]), "a.parquet"), ["q"])]
        with pytest.raises(DataError, match=r"row 2, column 'q': 'nan' is no name; leave such"):
            names(batches, "q")
        batches = [*read([write("q\na\nNA\n"), write("q\nnan\nNA\n", "b.csv")], ["q"])]
        text = "^column 'q' has the name 'NA' and 'nan', which may mark what is missing; leave"
        with pytest.warns(UserWarning, match=text):
            assert names(batches, "q") == ["a", "NA", "nan", "NA"]


class TestPaths:
    def test_folders_and_patterns_give_visible_files_once_in_order(self, write):
        for i, name in enumerate(("b.csv", "a.csv", "deep/c.jsonl")):
            content = f'{{"p": {i}}}\n' if name.endswith("jsonl") else f"p\n{i}\n"
            write(content, f"all/{name}")
        for name in (".a.csv", "_SUCCESS", "_temporary/d.csv", "deep/.e/f.csv", "readme.txt"):
            write("no table", f"all/{name}")
        os.symlink("..", "all/deep/circle")
        everything = [1, 0, 2]
        for path, found in {
            "all": everything,
            Path("all"): everything,
            "al?": everything,
            "**/deep": [2],
            "all/*.csv": [1, 0],
            f"{os.getcwd()}/*/**/*.jsonl": [2],
        }.items():
            assert scores(path).tolist() == found, path
        write("p\n7\n", "[1].csv")
        assert scores("[1].csv").tolist() == [7]

    def test_folders_by_day_are_a_column(self, write):
        for i, day in enumerate(("2026-10-02", "2026-10-01")):
            write(saved(p=[i, i]), f"all/day={day}/kind=a%20b/x.parquet")
        for paths in ("all", "all/day=*", ["all/day=2026-10-01", "all/day=2026-10-02"]):
            batches = [*read(paths, ["p", "day", "kind"])]
            assert names(batches, "day") == ["2026-10-01"] * 2 + ["2026-10-02"] * 2
            assert names(batches, "kind") == ["a b"] * 4
            assert read_numbers(batches, "p").tolist() == [1, 1, 0, 0]

    def test_a_column_of_the_file_hides_its_folder(self, write):
        path = write("p,day\n1,a\n", "day=b/kind=c/p=3/a.csv")
        (rows,) = read(path, ["p", "day", "kind"])
        assert names([rows], "day") == ["a"]
        assert names([rows], "kind") == ["c"]
        assert read_numbers([rows], "p").tolist() == [1]

    @pytest.mark.parametrize("other", ["a.csv", "./a.csv", ".", "b.csv"])
    def test_one_file_is_read_once_also_by_a_link(self, write, other):
        write("p\n1\n")
        if other == "b.csv":
            os.symlink("a.csv", other)
        assert scores("a.csv", other).tolist() == [1]

    @pytest.mark.parametrize("path", ["notes", "none.csv", "notes/.*.csv"])
    def test_paths_without_files_are_named(self, write, path):
        write("no table", "notes/.a.csv")
        with pytest.raises(FileNotFoundError, match=f"{re.escape(path)}.* begin with"):
            scores(path)

    def test_an_empty_path_is_refused(self):
        with pytest.raises(FileNotFoundError, match="path is empty"):
            scores("")


def test_an_offset_that_points_outside_is_refused(write):
    content = saved(
        lambda table, file: feather.write_feather(table, file, compression="uncompressed"),
        y=["yes", "none", "no"],
    )
    # Not the last one, which a quick check would find.
    right, wrong = np.int32([0, 3, 7, 9]).tobytes(), np.int32([0, 30, 7, 9]).tobytes()
    path = write(content.replace(right, wrong), "a.feather")
    with pytest.raises(DataError, match="the file is damaged"):
        [*read(path, ["y"])]


def test_text_of_parquet_that_is_not_utf_8_is_refused(write):
    path = write(saved(y=pa.array([b"yes", b"\xff"]).view(pa.string())), "a.parquet")
    with pytest.raises(DataError, match=r"^a.parquet: the text is not UTF-8"):
        [*read(path, ["y"])]


def test_all_columns_that_are_missing_are_named_at_once(write):
    path = write("y,score\n1,2\n", "a.csv")
    with pytest.raises(DataError, match="there is no column 'p' and no column 'Y'; there are 'y'"):
        [*read(path, ["p", "Y"])]


def test_models_have_the_names_of_their_files_unless_two_are_equal():
    assert names_of_files(["a/new.csv", "b/old.csv.gz"]) == ["new", "old"]
    assert names_of_files(["a/run.csv", "b/run.csv"]) == ["a/run.csv", "b/run.csv"]
