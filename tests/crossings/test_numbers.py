"""Numbers of text, and whole scores beyond 2**53: the same answer in every door, or none."""

import json
import math
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scipy.sparse import csr_array

from sklearn_ap import InputError, average_precision_score, large, retrieval, score_from_counts
from sklearn_ap.__main__ import main
from sklearn_ap._inputs.numbers import read_number, read_share
from sklearn_ap.definitions import PrecisionAtRecall
from sklearn_ap.definitions._spellings import read_definition

C = ("--label", "y", "--score", "p")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("10", 10),
        (" -3 ", -3),
        ("-.5", -0.5),
        ("1e-3", 0.001),
        ("9007199254740993", 2**53 + 1),
        ("1e-9999999", 0.0),
        ("0.1", 0.1),
    ],
)
def test_numbers_are_read(text, number):
    found = read_number(text)
    assert (found, type(found)) == (number, type(number))


@pytest.mark.parametrize(
    ("text", "number"), [("5%", 0.05), ("1/20", 0.05), ("0.05", 0.05), ("2", 2), ("1e-999%", 0.0)]
)
def test_shares_are_read(text, number):
    assert read_share(text) == number


@pytest.mark.parametrize("read", [read_number, read_share])
@pytest.mark.parametrize("text", ["1e400", "-1e400", "1e99999999", "-1e99999999", "9" * 400])
def test_numbers_beyond_all_floats_are_refused(read, text):
    with pytest.raises(InputError, match=r"is beyond the range of numbers\.$"):
        read(text)


def test_a_quotient_beyond_all_decimals_is_refused():
    with pytest.raises(InputError, match=r"is beyond the range of numbers\.$"):
        read_share("1e999999/1e-999999")


@pytest.mark.parametrize("read", [read_number, read_share])
@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-inf", "1/0", "1_0x", "%", "/", "1e"])
def test_other_texts_are_no_numbers(read, text):
    with pytest.raises(InputError, match=r"is not a number\.$"):
        read(text)


def test_large_exponents_of_names_and_flags_end_at_once(tmp_path, capsys):
    assert read_definition("precision_at_recall_1e-9999999") == PrecisionAtRecall(0)
    with pytest.raises(ValueError, match="1e9999999"):
        average_precision_score([0, 1], [0, 1], definition="precision_at_recall_1e9999999")
    path = tmp_path / "p.csv"
    path.write_text("y,p\n1,2\n0,1\n")
    with pytest.raises(SystemExit) as end:
        main(["threshold", str(path), *C, "--k", "1e99999999"])
    assert end.value.code == 2
    assert "--k" in capsys.readouterr().err


FLAGS = {
    "score": "--k --n-positives --prevalence --confidence-level --margin",
    "threshold": "--threshold --precision --recall --k --cost --guarantee --prevalence "
    "--confidence-level",
    "segments": "--prevalence --confidence-level --margin",
    "report": "--precision --recall --k --cost --prevalence --confidence-level",
    "tools": "--k --near",
}
FLAGS = [(command, flag) for command, flags in FLAGS.items() for flag in flags.split()]


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1e99999999"])
@pytest.mark.parametrize(("command", "flag"), FLAGS)
def test_flags_refuse_numbers_beyond_all_floats(command, flag, number, tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("y,p,s\n1,2,a\n0,1,b\n")
    more = ["--segment", "s"] if command == "segments" else []
    more += ["--precision", ".5"] if flag in {"--guarantee", "--prevalence"} else []
    with pytest.raises(SystemExit) as end:
        main([command, str(path), *C, *more, f"{flag}={number}"])
    said = capsys.readouterr()
    assert (end.value.code, said.out) == (2, "")
    assert "Traceback" not in said.err
    assert flag.strip("-") in said.err


@pytest.mark.parametrize("command", ["score", "threshold --precision .5"])
def test_requirements_refuse_numbers_beyond_all_floats(command, tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("y,p\n1,2\n0,1\n")
    name, *options = command.split()
    measure = "ap" if name == "score" else "precision"
    with pytest.raises(SystemExit) as end:
        main([name, str(path), *C, *options, "--require", f"{measure} >= 1e400"])
    assert end.value.code == 2
    assert "1e400" in capsys.readouterr().err


# Rows of which the first positive has a score that no float holds, as text
Y = [1, 1, 0, 0, 1, 0]
SCORES = [3, "X", 2, 1, 0.5, 0]


def csv(path, scores):
    path.write_text("y,p\n" + "".join(f"{y},{s}\n" for y, s in zip(Y, scores, strict=True)))
    return ["score", str(path), *C]


def json_lines(path, scores):
    rows = [f'{{"y": {y}, "p": {s}}}\n' for y, s in zip(Y, scores, strict=True)]
    path.write_text("".join(rows))
    return ["score", str(path), *C]


def parquet(path, scores):
    pq.write_table(pa.table({"y": Y, "p": [str(s) for s in scores]}), path)
    return ["score", str(path), *C]


def trec(path, scores):
    qrels = path.with_suffix(".qrels")
    qrels.write_text("".join(f"1 0 d{i} {y}\n" for i, y in enumerate(Y)))
    path.write_text("".join(f"1 Q0 d{i} 1 {s} r\n" for i, s in enumerate(scores)))
    return ["trec", str(qrels), str(path)]


DOORS = {"p.csv": csv, "p.jsonl": json_lines, "p.parquet": parquet, "p.run": trec}


@pytest.mark.parametrize("number", ["1e400", "-1e400", "1e99999999"])
@pytest.mark.parametrize("name", DOORS)
def test_files_refuse_numbers_beyond_all_floats(name, number, tmp_path, capsys):
    words = DOORS[name](tmp_path / name, [3, number, 2, 1, 0.5, 0])
    with pytest.raises(SystemExit) as end:
        main(words)
    said = capsys.readouterr()
    assert (end.value.code, said.out) == (2, "")
    known = "not numbers" if name == "p.parquet" else "beyond the range of numbers"
    assert known in said.err
    assert name in said.err


def test_minus_infinity_that_is_written_as_such_is_not_retrieved(tmp_path, capsys):
    words = csv(tmp_path / "p.csv", [3, "-inf", 2, 1, 0.5, 0])
    assert main([*words, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    expected = average_precision_score(Y, [3, -math.inf, 2, 1, 0.5, 0])
    assert f"{expected:.12g}" in json.dumps(found)


@pytest.mark.parametrize(
    "words",
    ["--score=", "--score", "--weight=", "--query=--", "--require=--", "--delimiter", "--cluster"],
)
def test_flags_without_a_value_are_refused(words, tmp_path, capsys):
    path = tmp_path / "p.csv"
    path.write_text("y,p\n1,2\n0,1\n")
    more = [words] if "=" in words else [words, ""]
    with pytest.raises(SystemExit) as end:
        main(["score", str(path), *C, *more])
    assert end.value.code == 2
    assert "is empty" in capsys.readouterr().err


# Two scores that are one float: 2**53 and 2**53 + 1.
LARGE = [2**53, 2**53 + 1, 5, 4, 3, 2]
LABELS = [0, 1, 1, 0, 1, 0]
EXACT = average_precision_score(LABELS, np.array(LARGE))


def test_whole_scores_of_files_keep_their_digits(tmp_path):
    names = []
    for name, write in (("p.csv", pd.DataFrame.to_csv), ("p.parquet", pd.DataFrame.to_parquet)):
        frame = pd.DataFrame({"y": LABELS, "p": LARGE})
        write(frame, tmp_path / name, index=False)
        names.append(str(tmp_path / name))
    for path in names:
        assert score_from_counts(large.from_table(path, "y", "p")) == EXACT


@pytest.mark.parametrize("other", [np.float64, np.uint64])
def test_parquet_files_of_unlike_types_are_refused_where_digits_would_go(other, tmp_path, capsys):
    first = pd.DataFrame({"y": LABELS[:3], "p": np.array(LARGE[:3], np.int64)})
    second = pd.DataFrame({"y": LABELS[3:], "p": np.array(LARGE[3:], other)})
    paths = [str(tmp_path / name) for name in ("a.parquet", "b.parquet")]
    for frame, path in zip((first, second), paths, strict=True):
        frame.to_parquet(path)
    words = ["score", *paths, *C, "--format", "json"]
    with pytest.raises(SystemExit) as end:
        main(words)
    assert end.value.code == 2
    assert "beyond 2**53" in capsys.readouterr().err


def mixed_doors():
    whole, other = np.array(LARGE[:3]), np.array(LARGE[3:], float)

    def chunks():
        return iter([(LABELS[:3], whole), (LABELS[3:], other)])

    runs = {"1": {f"d{i}": s for i, s in enumerate([*LARGE[:3], *map(float, LARGE[3:])])}}
    qrels = {"1": {f"d{i}": y for i, y in enumerate(LABELS)}}
    yield "list", lambda: average_precision_score(LABELS, [*LARGE[:3], 4.0, 3.0, 2.0])
    objects = np.array([*LARGE[:3], 4.0, 3.0, 2.0], object)
    yield "objects", lambda: average_precision_score(LABELS, objects)
    yield "chunks", lambda: large.from_chunks(chunks)
    yield "lists in chunks", lambda: large.from_chunks([(LABELS, [*LARGE[:5], 0.5])])
    huge = [([1], [2**70 + 1]), ([0], [2**70])]
    yield "chunks of larger numbers", lambda: large.from_chunks(huge)
    ones = [1] * 3
    yield "groups", lambda: large.from_groups([*LARGE[:2], 0.5], ones, ones)
    frame = pd.DataFrame({"a": LARGE, "b": np.arange(6) / 7})
    columns = np.c_[LABELS, LABELS]
    for name, table in (("pandas", frame), ("pyarrow", pa.table(frame))):
        yield name, lambda table=table: average_precision_score(columns, table, average=None)
    stored = csr_array([LARGE])
    yield "sparse", lambda: retrieval.from_sparse(csr_array([LABELS]), {"a": stored})
    yield "runs", lambda: retrieval.from_runs(qrels, {"a": runs})


@pytest.mark.parametrize("door", [pytest.param(door, id=name) for name, door in mixed_doors()])
def test_whole_scores_beside_fractions_are_refused_where_they_would_tie(door):
    with pytest.raises(InputError, match=r"beyond 2\*\*53 that no float holds"):
        door()


@pytest.mark.parametrize("sign", ["", "+", "-"])
@pytest.mark.parametrize("end", ["", ".0", "."])
@pytest.mark.parametrize("name", ["p.csv", "p.run"])
def test_the_first_whole_number_that_no_float_holds_is_refused(name, sign, end, tmp_path, capsys):
    scores = [f"{sign}{2**53 + 1}{end}", f"{sign}{2**53}{end}", "0.5", "0.4", "0.3", "0.2"]
    with pytest.raises(SystemExit) as status:
        main(DOORS[name](tmp_path / name, scores))
    assert status.value.code == 2
    assert "beyond 2**53" in capsys.readouterr().err


def test_decimals_of_parquet_are_refused_where_no_float_holds_them(tmp_path):
    path = str(tmp_path / "p.parquet")
    scores = pa.array([Decimal(2**53 + 1), Decimal(2**53), Decimal("0.5")], pa.decimal128(17, 1))
    pq.write_table(pa.table({"y": [1, 0, 0], "p": scores}), path)
    with pytest.raises(InputError, match=r"beyond 2\*\*53"):
        large.from_table(path, "y", "p")


def test_whole_scores_of_one_type_keep_their_digits():
    assert average_precision_score(LABELS, LARGE) == EXACT
    assert average_precision_score(LABELS, np.array(LARGE, object)) == EXACT
    chunks = [(LABELS[:3], np.array(LARGE[:3])), (LABELS[3:], np.array(LARGE[3:]))]
    assert score_from_counts(large.from_chunks(lambda: iter(chunks))) == EXACT
