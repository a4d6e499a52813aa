"""Any text is read alike with pyarrow and by Python alone: rows, cells, digits and errors."""

import random
from functools import partial

import pyarrow as pa
import pytest
from both_ways import both_ways

from sklearn_ap._base.files import cells
from sklearn_ap._base.files.columns import make_column
from sklearn_ap._base.files.errors import DataError
from sklearn_ap._base.files.reader import FileReader
from sklearn_ap._base.files.trec import QRELS, RUN, trec_rows, wanted_columns

pytestmark = pytest.mark.filterwarnings("ignore:empty rows are left out:UserWarning")

# What the cells of a column may be.
NUMBERS = (
    *("1", "0", "-1", "0.5", ".5", "5.", "1e3", "1E-3", "+1", "-0", "-0.0", "007", "1e999"),
    *("-1e999", "1e-999", "9007199254740993", "9223372036854775808", "18446744073709551616"),
    *("9007199254740993.0", "0.1000000000000000055511151231257827", "5e-324", "-9007199254740993"),
    *("nan", "NaN", "-nan", "inf", "-inf", "Infinity", "+inf"),
)
OTHERS = (
    *(
        "1_0",
        "0x10",
        "1,5",
        "1.5,2",
        "\uff11",
        "\u0661",
        "1d",
        "--1",
        "1e",
        ".",
        "-",
        "nan(x)",
        "1\0",
    ),
    *("yes", "no", "YES", "True", "false", "fraud", "é", "NA", "na", "N/A", "null", "None"),
    *("2026-10-01", "2026-10", "12:30", "", " ", " 1", "1 ", "\t1", "\u00a01", "yes ", "\ufeff1"),
)
ROLES = {
    "scores": cells.scores,
    "weights": cells.weights,
    "numbers or nan": cells.numbers_or_nan,
    "labels": cells.labels,
    "names": cells.read_names,
    "names or none": partial(cells.read_names, allow_missing=True),
    "names of labels": cells.names_of_labels,
    "texts": cells.texts,
}
MARKED = ("1", "-3", "0,5", "-1,000", "2,5e3", "1,5", "0.5", "1.000", "2.5e3", "1.5")
PARTS = (
    "1",
    "0",
    "a",
    "é",
    '"',
    '""',
    ",",
    ",",
    "\n",
    "\n",
    "\r",
    "\r\n",
    " ",
    "\t",
    "\0",
    "\ufeff",
)
LINES = ("1,2,3\n", "4,5,6\r\n", '"x\ny",2,3\n', '1,"a,""b",3\n', "\n", " , ,\n", "7,8,9\r")


def write(path, content):
    """Write a file of its own, since to empty an old one takes longer than to read it."""
    path.unlink(missing_ok=True)
    path.write_bytes(content.encode() if isinstance(content, str) else content)


def plain(found):
    """Whatever a role gives as what can be compared: with its type, and the order of rows."""
    if isinstance(found, cells.CodedNames):
        return [found.values[i] if i >= 0 else None for i in found.codes.tolist()]
    return found.to_list() if hasattr(found, "to_list") else (found.dtype.str, found.tolist())


def values(path, role):
    parts = FileReader([path], ["y", "p"], brief=True)
    return [(rows.numbers.tolist(), plain(ROLES[role](rows, "y"))) for rows in parts]


def texts(path, columns):
    parts = FileReader([path], columns)
    return [
        (
            rows.numbers.tolist(),
            rows.is_kept.size,
            [rows.columns[name].to_list() for name in columns],
        )
        for rows in parts
    ]


def of_trec(path, columns):
    return [
        [
            rows.numbers.tolist(),
            plain(cells.read_names(rows, "query")),
            cells.texts(rows, "document").to_list(),
            cells.scores(rows, wanted_columns(columns)[-1]).astype(float).tolist(),
        ]
        for rows in trec_rows(path, columns)
    ]


def is_read(read):
    try:
        both_ways(read)
    except DataError:
        return False
    return True


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("mark", [",", ";", "\t"])
def test_both_readers_agree_on_cells_of_every_kind(tmp_path, role, mark):
    path, rng = tmp_path / "a", random.Random(f"{role} {mark}")
    n_read = 0
    for _ in range(100):
        pool = rng.choice((NUMBERS, OTHERS, NUMBERS + OTHERS))
        column = rng.choices(rng.choices(pool, k=rng.choice((1, 2, 9))), k=rng.choice((1, 2, 6)))
        quoted = [f'"{cell}"' if mark in cell or rng.random() < 0.1 else cell for cell in column]
        write(path, f"y{mark}p\n" + "".join(f"{cell}{mark}1\n" for cell in quoted))
        n_read += is_read(partial(values, str(path), role))
    assert n_read > 10


def numbers_of_two_columns(path):
    return [
        (rows.numbers.tolist(), plain(read(rows, name)))
        for rows in FileReader([path], ["y", "p"], brief=True)
        for read, name in ((cells.labels, "y"), (cells.numbers_or_nan, "p"))
    ]


def test_both_readers_refuse_two_decimal_marks_in_a_file(tmp_path, monkeypatch):
    path, rng = tmp_path / "a", random.Random(0)
    n_refused = 0
    for _ in range(300):
        # Mostly, the two marks stand in two blocks.
        monkeypatch.setattr("sklearn_ap._base.files.formats.BLOCK", rng.choice((21, 64, 1 << 20)))
        marks = rng.choice((",", ".", ",."))
        pool = [cell for cell in MARKED if not {*cell}.intersection({*",."} - {*marks})]
        column = rng.choices(pool, k=10)
        others = rng.choices([*rng.choices(pool, k=2), "", "NA", " 1 "], k=10)
        lines = [f"{y};{p}\n" for y, p in zip(column, others, strict=True)]
        write(path, "y;p\n" + "".join(lines))
        is_refused = {*",."} <= {*"".join(lines)}
        assert is_read(partial(numbers_of_two_columns, str(path))) == (not is_refused)
        n_refused += is_refused
    assert 50 < n_refused < 250


@pytest.mark.parametrize("parts", [PARTS, LINES])
@pytest.mark.parametrize("columns", [["y"], ["p", "q"], ["q", "p", "y"]])
def test_both_readers_agree_on_rows_of_every_shape(tmp_path, monkeypatch, parts, columns):
    path, rng = tmp_path / "a", random.Random(f"{parts} {columns}")
    n_read = 0
    for _ in range(300):
        # Where blocks end matters to pyarrow in what is no CSV.
        size = rng.choice((16, 21, 64)) if parts is LINES else 1 << 20
        monkeypatch.setattr("sklearn_ap._base.files.formats.BLOCK", size)
        content = "".join(rng.choices(parts, k=rng.choice((3, 10, 40)))).encode()
        if rng.random() < 0.2:
            content = content.replace(b"a", b"\xff").replace(b"x", b"\xff")
        write(path, rng.choice((b"y,p,q\n", b"\xef\xbb\xbfy,p,q\r\n")) + content)
        n_read += is_read(partial(texts, str(path), columns))
    assert 5 < n_read < 300


@pytest.mark.parametrize("columns", [QRELS, RUN])
def test_both_readers_agree_on_trec_lines(tmp_path, columns):
    path, rng = tmp_path / "a", random.Random(len(columns))
    words = ("q1", "0", "7", "d", "é", "0.5", "-inf", "nan", "NaN", "+1", "#", "\0", "\u00a0", '"')
    line = ["q1", "Q0", "d1", "3", "0.5", "tag"] if columns is RUN else ["q1", "0", "d1", "1"]
    n_read = 0
    for _ in range(1500):
        lines = []
        for _ in range(rng.choice((1, 1, 4))):
            cells_of_line = [word if rng.random() < 0.8 else rng.choice(words) for word in line]
            cells_of_line += rng.choices(words, k=rng.choice((0, 0, 0, 0, 0, 1, 2)))
            spaces = rng.choice((" ", " ", " ", "\t", "  ", " \v", "\r"))
            lines.append(spaces.join(cells_of_line) + rng.choice(("", "", "", " ")))
        text = rng.choice(("\n", "\r\n", "\n\n")).join(lines).encode()
        write(path, text.replace("é".encode(), b"\xff") if rng.random() < 0.1 else text)
        n_read += is_read(partial(of_trec, str(path), columns))
    assert 50 < n_read < 1500


def test_json_lines_values_have_the_types_of_pyarrow():
    rng = random.Random(0)
    kinds = {
        "numbers": [0, 1, -1, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 2**64, -(2**63), 0.5, 1e300],
        "whole": [0, 1, -1, 2**53 + 1, 2**63, 2**64 - 1],
        "truth": [True, False, 0],
        "text": ["a", "", "1", "é", 1],
    }
    for pool in kinds.values():
        for _ in range(200):
            found = rng.choices(rng.choices([*pool, None], k=3), k=rng.choice((1, 2, 5)))
            try:
                expected = pa.array(found)
            except (pa.ArrowException, OverflowError):
                expected = pa.array([None if each is None else str(each) for each in found])
            column = make_column(found)
            missing = column.are_missing(or_nan=True)
            pairs = zip(column.to_list(), missing, strict=True)
            given = [None if is_missing else value for value, is_missing in pairs]
            assert given == [each if each != "" else None for each in expected.to_pylist()]
            if expected.type != pa.null():
                assert column.kind == str(expected.type), found


LONG = "text of any length, " * 20_000
