"""Files of one model are counted in two passes, and say the same as rows in memory."""

import io
import sys

import numpy as np
import pytest

from sklearn_ap._cli import _predictions
from tests.helpers.cli_rows import FRAME
from tests.helpers.first_cases import quick

C = "--label y --score old"
AP = f"{C} -m AP"
Y, OLD = FRAME.y.to_numpy(), FRAME.old.to_numpy()
POSITIVES = FRAME[Y == 1]
ROWS = {
    "plain": FRAME,
    "words": FRAME.assign(y=np.where(Y, " True", "no")),
    "kinds": FRAME.assign(y=np.where(Y, "fraud", "fine")),
    "signs": FRAME.assign(y=2 * Y - 1),
    "ties": FRAME.assign(old=OLD.round()),
    "classes": FRAME.assign(old=(OLD > 1).astype(int)),
    "signed classes": FRAME.assign(old=np.where(OLD > 1, 1.0, np.where(OLD < -1, -np.inf, -1.0))),
    "ten classes": FRAME[:10].assign(old=(OLD[:10] > 0).astype(int)),
    "reversed": FRAME.assign(old=-OLD),
    "not retrieved": FRAME.assign(old=np.where(OLD > 0, OLD, -np.inf)),
    "hashes": FRAME.assign(old=np.arange(FRAME.y.size) * 7919 % 600 + 2**60),
    "hashes beside fractions": FRAME.assign(old=[2**60 + 1, *OLD[1:].tolist()]),
    "no positives": FRAME[Y == 0],
    "only positives": POSITIVES,
    "one row": POSITIVES[:1],
    "few rows": FRAME[:7],
    "a third label": FRAME.assign(y=["maybe", *Y[1:].tolist()]),
    "a label of three": FRAME.assign(y=[*Y[1:].tolist(), 2]),
    "no label": FRAME.assign(y=[*Y[1:].tolist(), None]),
    "no score": FRAME.assign(old=[*OLD[1:].tolist(), None]),
    "a word for a score": FRAME.assign(old=["high", *OLD[1:].tolist()]),
    "names for labels": FRAME.assign(y=FRAME.place),
    "a mark for a label": FRAME.assign(y=np.where(Y, "1", "NA")),
}
WAYS = {
    ".csv": lambda frame: frame.to_csv(index=False).encode(),
    ".parquet": lambda frame: frame.to_parquet(),
    ".jsonl": lambda frame: frame.to_json(orient="records", lines=True).encode(),
}
LONGER = ["ties", "reversed", "hashes", "ten classes", "few rows", "one row", "signs"]
FLAGS = [
    "",
    "--format json",
    "--definition AP",
    "--definition AP --definition precision@10 --format markdown",
    "--definition AP@k --k 10% --format json",
    "--positive fraud --definition AP",
    "--positive 1 --definition AP --format json",
    "--positive 0 --definition AP",
    "--prevalence 1% --format json",
    "--confidence-level 80% --definition interpolated",
    "--require AP>=.4 --format json",
    "--require AP>=.99 --require precision@5>=.2",
    "--require better",
    "--definition recall@20 --k 20",
    "--definition rr",
    "--definition nothing",
    "--margin .1",
    "--prevalence 2",
    "--decimal ,",
]
pytestmark = pytest.mark.usefixtures("few_halves")  # both ways draw the same


@pytest.fixture
def both(ask, monkeypatch):
    """What a command says by counting, and by reading into memory."""

    def run(words):
        counted = ask(words)
        with monkeypatch.context() as patch:
            patch.setattr(_predictions, "_need_of_rows", lambda *_: "a test needs all rows")
            return counted, ask(words)

    return run


@pytest.mark.parametrize("flags", quick(["--format json", ""], 1))
@pytest.mark.parametrize("name", quick(ROWS, [name for name in ROWS if name not in LONGER][::2]))
@pytest.mark.filterwarnings("ignore::pandas.errors.Pandas4Warning")
def test_counted_rows_say_what_rows_in_memory_say(both, write, name, flags):
    frame = ROWS[name]
    if name == "kinds":
        flags = f"{flags} --positive fraud"
    columns = frame[["y", "old"]]
    counted, read = both(f"score {write(WAYS['.csv'](columns))} {C} {flags}")
    assert counted == read


@pytest.mark.parametrize("flags", quick(FLAGS, [*FLAGS][::2]))
@pytest.mark.parametrize("name", quick(["plain", "kinds"], 1))
def test_options_mean_the_same(both, write, name, flags):
    counted, read = both(f"score {write(WAYS['.csv'](ROWS[name]))} {C} {flags}")
    assert counted == read


@pytest.mark.parametrize("kind", WAYS)
@pytest.mark.parametrize(
    "name", quick(["words", "no label", "hashes", "plain", "ties", "classes"], 2)
)
def test_formats_and_several_files_mean_the_same(both, write, kind, name):
    frame = ROWS[name][["y", "old"]]
    thirds = enumerate(np.array_split(np.arange(len(frame)), 3))
    files = [write(WAYS[kind](frame.iloc[rows]), f"{i}{kind}") for i, rows in thirds]
    counted, read = both(f"score {' '.join(files)} {C} --format json")
    assert counted == read


def test_labels_may_be_written_in_another_way_in_each_file(both, write):
    first = write("y,old\nyes,3\nno,2\n", "a.csv")
    second = write('{"y": true, "old": 1}\n{"y": false, "old": 2.5}\n', "b.jsonl")
    counted, read = both(f"score {first} {second} {C} --format json")
    assert counted == read
    assert counted.json["input"]["positive_label"] == "yes"
    assert counted.json["input"]["rows"] == 4


def test_a_definition_that_lacks_memory_is_left_out_of_the_table(ask, rows, monkeypatch):
    def lack(self, counts):
        raise MemoryError

    monkeypatch.setattr(_predictions.ap.definitions.PrecisionAtRecall, "values", lack)
    said = ask(f"score {rows} {C}")
    assert (said.status, "precision at recall" in said.out) == (0, False)
    assert "left out for lack of memory: precision at recall 0.8" in said.err


# ---- what stays in memory


@pytest.mark.parametrize(
    ("words", "need"),
    [
        (f"score rows.csv {AP} --weight w", "--weight needs all rows"),
        (f"score rows.csv {AP} --query g", "--query needs all rows"),
        (f"score rows.csv {AP} --cluster g", "--cluster needs all rows"),
        (f"score rows.csv {AP} --n-positives 300", "--n-positives needs all rows"),
        (f"score rows.csv {AP} --score new", "a comparison of models needs all rows"),
        (f"threshold rows.csv {C} --recall .9", "threshold needs all rows"),
        (f"score rows.csv {AP}", ""),
    ],
)
def test_what_needs_memory_is_said_before_large_files_are_read(
    ask, rows, monkeypatch, capsys, words, need
):
    assert "note" not in ask(words).err
    monkeypatch.setattr(_predictions, "MANY_BYTES", 1)
    monkeypatch.setattr(_predictions, "_read_named_columns", lambda _: sys.exit(0))
    expected = f"sklearn-ap: note: {need}, so the named columns are read into memory, up to 80 "
    said = ask(words)
    assert said.err == (f"{expected}bytes a row\n" if need else "")


def test_a_pipe_is_read_once(ask, monkeypatch, tmp_path):
    path = tmp_path / "input"
    path.write_bytes(WAYS[".csv"](FRAME))
    with path.open("rb") as file:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BufferedReader(file.raw)))
        piped = ask(f"score - {C}")
    counted = ask.words("score", str(path), *C.split())
    table, _, unused = counted.out.partition("\n\nColumns not used")  # of a pipe, none are left
    assert unused
    assert piped == counted._replace(out=f"{table}\n")


def test_a_file_that_changes_between_the_passes_is_refused(ask, write, monkeypatch):
    path = write(WAYS[".csv"](FRAME))
    read, n_reads = _predictions.read_files, []

    def change(*args):
        n_reads.append(args)
        if len(n_reads) == 2:
            write(WAYS[".csv"](FRAME[:500]))
        return read(*args)

    monkeypatch.setattr(_predictions, "read_files", change)
    said = ask(f"score {path} {C}")
    assert said.status == 2
    assert "second pass saw 500 rows, not 600" in said.err
