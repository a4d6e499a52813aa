"""Ten predictions as the content of files."""

import gzip
import io

import pyarrow as pa
from pyarrow import parquet

from sklearn_ap._cli.example_file import Y_SCORE, Y_TRUE

COLUMNS = ("--label", "y", "--score", "p")
ROWS = tuple(zip(Y_TRUE, Y_SCORE, [1] * 10, "aaaaabbbbb", strict=True))
TEXT = "".join(f"{','.join(map(str, row))}\n" for row in [("y", "p", "w", "q"), *ROWS])
# Without its time: each worker must give a test the same name.
ZIPPED = gzip.compress(TEXT.encode(), mtime=0)
HINT = "; write -inf for what was not retrieved, or leave the row out"  # after an empty score
HEAD = "10 rows, 5 positive (50.0%). The positive label is '1'.\n\n"


def table(**columns):
    return pa.table(
        {"y": list(Y_TRUE), "p": list(Y_SCORE), "w": [1] * 10, "q": [*"aaaaabbbbb"]} | columns
    )


def packed(content, save=parquet.write_table):
    file = io.BytesIO()
    save(content, file)
    return file.getvalue()
