"""Files of every format with wrong bytes are read in a process of its own, which may crash."""

import io
import json
import os
import random
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from functools import partial
from pathlib import Path

import pyarrow as pa
import pytest
from both_ways import assert_same_error, without_pyarrow
from predictions_file import TEXT, ZIPPED, packed, table
from pyarrow import feather
from retrieval_files import QRELS, A

WORDS = (b"1e999", b"-1e999", b"\0", b"\xff", b'"', b"[" * 3000, b"\n\n", b"\xef\xbb\xbf", b"-")
WORDS += (b" ", b",", b"9" * 5000, b"NaN", b"\x1b[31m", b"18446744073709551615", b"\r")

CODED = table(q=pa.array([*"aaaaabbbbb"]).dictionary_encode())
FILES = {
    "csv": TEXT.encode(),
    "jsonl": "".join(json.dumps(row) + "\n" for row in table().to_pylist()).encode(),
    "csv.gz": ZIPPED,
    "parquet": packed(table()),
    "feather": packed(table(), partial(feather.write_feather, compression="uncompressed")),
    "arrow": packed(CODED, partial(feather.write_feather, compression="lz4")),
    "qrels": QRELS.encode(),
    "run": A.encode(),
}
TREC = "qrels", "run"
TEXTS = ("csv", "jsonl", "csv.gz", *TREC)  # which are the same without pyarrow
MANY = 1000 if os.environ.get("WEEKLY") else 250


def mutated(content, rng):
    for _ in range(rng.choice((1, 1, 2, 8))):
        at, size = rng.randrange(len(content) + 1), rng.choice((1, 1, 4, 8, rng.randrange(1, 200)))
        old = content[at : at + size]
        flipped = bytes(byte ^ 1 << rng.randrange(8) for byte in old[:1]) + old[1:]
        replaced = rng.randbytes(size), bytes([rng.choice((0, 1, 127, 128, 255))]) * size, flipped
        new = rng.choice((*replaced, b"", old + old, rng.choice(WORDS) + old))
        content = content[:at] + new + content[at + size :]
    return content if rng.randrange(8) else content[: rng.randrange(len(content) + 1)]


def check(path, kind):
    from sklearn_ap.__main__ import main

    if kind in TREC:
        files = [str(path if name == kind else path.with_name(name)) for name in TREC]
        command = ["trec", *files]
    else:
        command = ["score", str(path), "--label", "y", "--score", "p", "--query", "q"]
        command += ["--weight", "w"]
    command += ["--definition", "AP"]
    out, said, status = printed(main, command)
    assert status < 2 or (said.startswith("sklearn-ap: error: ") and said.count("\n") == 1), said
    assert (out + said).replace("\n", "").isprintable()
    if kind in TEXTS:
        with without_pyarrow():
            other, other_said, other_status = printed(main, command)
        assert_same_error(said if status == 2 else "", other_said if other_status == 2 else "")
        assert (out, status) == (other, other_status)


def printed(main, command):
    out, err, status = io.StringIO(), io.StringIO(), 2
    with redirect_stdout(out), redirect_stderr(err), suppress(SystemExit):
        status = main(command)
    return out.getvalue(), err.getvalue(), status


def read_mutated_files(folder, n_files):
    """Read files until one is not read as it should be; its name is the last line."""
    import resource
    import warnings

    resource.setrlimit(resource.RLIMIT_AS, (8 << 30, 8 << 30))
    warnings.simplefilter("ignore")
    ignored = []
    sys.unraisablehook = ignored.append
    for name in TREC:
        (folder / name).write_bytes(FILES[name])
    for kind in FILES:
        for seed in range(n_files):
            path = folder / f"{seed}.{kind}"
            print(path.name, flush=True)
            path.write_bytes(mutated(FILES[kind], random.Random(f"{kind} {seed}")))
            check(path, kind)
            assert not ignored, ignored
            path.unlink()


@pytest.mark.skipif(sys.platform == "win32", reason="no limit of memory there")
@pytest.mark.parametrize("n_files", [25, pytest.param(MANY, marks=pytest.mark.slow)])
def test_mutated_files_give_a_number_or_a_one_line_error(tmp_path, n_files):
    command = [sys.executable, __file__, str(tmp_path), str(n_files)]
    seconds = 60 + 5 * n_files * len(FILES)
    options = {"timeout": seconds, "env": os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}}
    done = subprocess.run(command, capture_output=True, text=True, check=False, **options)
    assert done.returncode == 0, f"{done.stdout.splitlines()[-1:]} {done.stderr[-2000:]}"
    assert not done.stderr


if __name__ == "__main__":
    read_mutated_files(Path(sys.argv[1]), int(sys.argv[2]))
