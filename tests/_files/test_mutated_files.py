"""Files of every format with wrong bytes are read in a process of its own, which may crash."""

import gzip
import io
import os
import random
import subprocess
import sys
import warnings
from functools import partial
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from sklearn_ap._cli._labels_and_names import read_labels
from sklearn_ap._files.cells import read_codes, read_numbers
from sklearn_ap._files.formats import CsvRules
from sklearn_ap._files.sources import DataError
from sklearn_ap._files.tables import read_files
from sklearn_ap.retrieval._trec_files import QRELS, RUN, read_trec_rows

WORDS = (b"1e999", b"-1e999", b"\0", b"\xff", b'"', b"[" * 3000, b"\n\n", b"\xef\xbb\xbf", b"-")
WORDS += (b" ", b",", b"9" * 5000, b"NaN", b"\x1b[31m", b"18446744073709551615", b"\r")

ROWS = [(i % 2, i / 8, 1, "ab"[i // 5]) for i in range(10)]
COLUMNS = dict(zip("ypwq", map(list, zip(*ROWS, strict=True)), strict=True))
CODED = COLUMNS | {"q": pa.array(COLUMNS["q"]).dictionary_encode()}
TEXT = "y,p,w,q\n" + "".join(f"{y},{p},{w},{q}\n" for y, p, w, q in ROWS)
JSON = "".join(f'{{"y": {y}, "p": {p}, "w": {w}, "q": "{q}"}}\n' for y, p, w, q in ROWS)


def saved(save, columns=COLUMNS):
    file = io.BytesIO()
    save(pa.table(columns), file)
    return file.getvalue()


FILES = {
    "csv": TEXT.encode(),
    "jsonl": JSON.encode(),
    "csv.gz": gzip.compress(TEXT.encode()),
    "parquet": saved(parquet.write_table),
    "feather": saved(partial(feather.write_feather, compression="uncompressed")),
    "arrow": saved(partial(feather.write_feather, compression="lz4"), CODED),
    "qrels": "".join(f"{q} 0 d{i} {y}\n" for i, (y, _, _, q) in enumerate(ROWS)).encode(),
    "run": "".join(f"{q} Q0 d{i} {i} {p} t\n" for i, (_, p, _, q) in enumerate(ROWS)).encode(),
}


def mutated(content, rng):
    for _ in range(rng.choice((1, 1, 2, 8))):
        at, size = rng.randrange(len(content) + 1), rng.choice((1, 1, 4, 8, rng.randrange(1, 200)))
        old = content[at : at + size]
        flipped = bytes(byte ^ 1 << rng.randrange(8) for byte in old[:1]) + old[1:]
        replaced = rng.randbytes(size), bytes([rng.choice((0, 1, 127, 128, 255))]) * size, flipped
        new = rng.choice((*replaced, b"", old + old, rng.choice(WORDS) + old))
        content = content[:at] + new + content[at + size :]
    return content if rng.randrange(8) else content[: rng.randrange(len(content) + 1)]


def read(path):
    if path.endswith(("qrels", "run")):
        value = "label" if path.endswith("qrels") else "score"
        batches = read_trec_rows(path, QRELS if value == "label" else RUN)
        read_codes(batches, "query")
        read_codes(batches, "document")
        read_numbers(batches, value, finite=value == "label")
    else:
        batches = [*read_files(path, [*"ypwq"], CsvRules())]
        read_codes(batches, "q")
        read_numbers(batches, "p")
        read_numbers(batches, "w", may_be_missing=True)
        read_labels(batches, "y", "1")


def read_mutated_files(folder, n_files, kinds):
    """Read files until one is not read as it should be; its name is the last line."""
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    warnings.simplefilter("ignore")
    for kind, seed in product(kinds, range(n_files)):
        path = Path(folder, f"{seed}.{kind}")
        print(path, flush=True)
        path.write_bytes(FILES[kind])
        read(str(path))
        path.write_bytes(mutated(FILES[kind], random.Random(f"{kind} {seed}")))
        try:
            read(str(path))
        except DataError as error:
            said = str(error)
            assert said.startswith(f"{path}: ") and said.isprintable(), said  # noqa: PT018
        path.unlink()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of memory there")
@pytest.mark.parametrize(
    ("n_files", "kinds"),
    [
        pytest.param(10, [*FILES], marks=pytest.mark.slow),
        pytest.param(200, [*FILES], marks=pytest.mark.more),
    ],
)
def test_mutated_files_are_read_or_refused_in_one_line(tmp_path, n_files, kinds):
    command = [sys.executable, __file__, str(tmp_path), str(n_files), *kinds]
    options = {"timeout": 60 + n_files, "env": {"PYTHONPATH": os.pathsep.join(sys.path)}}
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    *_, last = done.stdout.splitlines()
    assert done.returncode == 0, f"{last} {done.stderr[-2000:]}"
    assert not done.stderr


if __name__ == "__main__":
    read_mutated_files(sys.argv[1], int(sys.argv[2]), sys.argv[3:])
