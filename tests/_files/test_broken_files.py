"""Broken files, and the one line that each of them gives."""

import gzip
import io
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from sklearn_ap._files.cells import read_numbers
from sklearn_ap._files.formats import CsvRules
from sklearn_ap._files.sources import DataError
from sklearn_ap._files.tables import read_files

GOOD = "y,p\n1,0.5\n0,0.25\n1,0.125\n"


def typed(save, **columns):
    file = io.BytesIO()
    save(pa.table({"y": [1, 0, 1], "p": [0.5, 0.25, 0.125]} | columns), file)
    return file.getvalue()


def damaged(content):
    middle = len(content) // 3
    return content[:middle] + bytes(40) + content[middle + 40 :]


PARQUET = typed(parquet.write_table)
BROKEN = "the file is damaged, cut short, or not what its name says"
UTF_8 = "the text is not UTF-8: save it in this encoding"

OPEN_QUOTE = 'a quotation mark " is not closed, so its cell takes all that is below'
NO_HEADER = "row 1 is no header of CSV:"
NO_OBJECT = "row 2 is no JSON object on a line of its own"
SECOND = "row 2, column 'p'"

FILES = {  # for each name, what the file holds and how the error begins
    "open quote.csv": ('y,p,note\n1,0.5,"x\n0,0.25,x\n1,0.125,x\n', OPEN_QUOTE),
    "open quote above the last line.csv": ('y,p,note\n1,0.5,"x\n0,0.25,x', OPEN_QUOTE),
    "three quotes.csv": ('y,p,note\n1,0.5,"x\n0,0.25,x\n1,0.125,"x"\n', OPEN_QUOTE),
    "empty.csv": ("", "the file is empty"),
    "old mac.csv": (GOOD.replace("\n", "\r"), f"{NO_HEADER} a line ends by a carriage"),
    "open header.csv": ('y,p,"note\n' + "1,0.5,x\n" * 20_000, NO_HEADER),
    "short row.csv": (GOOD + "0\n", "row 5 has 1 column, not 2: '0'"),
    "latin 1.csv": (
        GOOD.replace("0,", "größe,").encode("latin-1"),
        f"row 3, column 'y': {UTF_8}",
    ),
    "latin 1.jsonl": (b'{"y": 1, "p": 1}\n{"y": "\xf6", "p": 1}\n', f"row 2: {UTF_8}"),
    "utf-16.csv": (GOOD.encode("utf-16"), UTF_8),
    "damaged.parquet": (damaged(PARQUET), BROKEN),
    "cut.parquet": (PARQUET[:-9], BROKEN),
    "brace.jsonl": ('{"y": 1, "p": 1}\n{"y": 0, "p": 2\n', f"{NO_OBJECT}, from letter 17 on"),
    "huge.jsonl": (
        f'{{"y": 1, "p": {2**53 + 1}}}\n{{"y": 1, "p": 0.5}}\n',
        "rows 1 to 2, column 'p' has whole numbers beyond 2**53 that no float holds",
    ),
    "mixed.jsonl": (
        '{"y": 1, "p": 1}\n{"y": 0, "p": "x"}\n',
        f"{SECOND} is a text, and others are a number",
    ),
    "true.jsonl": ('{"y": 1, "p": 1}\n{"y": 0, "p": true}\n', f"{SECOND} is true or false, and "),
    "number.jsonl": ('{"y": 1, "p": true}\n{"y": 0, "p": 1}\n', f"{SECOND} is a number, and "),
    "list.jsonl": ('{"y": 1, "p": null}\n{"y": 0, "p": [1]}\n', f"{SECOND} is a list: write a"),
    "twice.jsonl": (
        '{"y": 1, "p": 1}\n{"p": 0, "y": 0, "p": 2}\n',
        f"{SECOND} is there twice, and others",
    ),
    "long.jsonl": (f'{{"y": 1, "p": {2**70}}}\n', "rows 1 to 1, column 'p' has whole numbers"),
    "deep.jsonl": ('{"y": ' + "[" * 10**6 + "]" * 10**6 + "}\n", "row 1 is no JSON object"),
    "cut.csv.gz": (gzip.compress(GOOD.encode() * 99)[:-9], BROKEN),
}


@pytest.mark.parametrize("name", FILES)
def test_a_broken_file_is_named_in_one_line_with_what_is_wrong(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    content, said = FILES[name]
    Path(name).write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises(DataError) as raised:
        read_numbers(read_files(name, ["y", "p"], CsvRules()), "p")
    assert str(raised.value).startswith(f"{name}: {said}")
    assert str(raised.value).isprintable()
