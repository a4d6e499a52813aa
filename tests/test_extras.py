"""Long work shows how far it is: on a terminal alone, and where tqdm is installed."""

import io
import sys

import numpy as np
import pytest

from sklearn_ap import chance_test, large
from sklearn_ap.__main__ import main
from sklearn_ap._extras import show_progress

tqdm = pytest.importorskip("tqdm")
Y = np.tile([1, 0, 0, 0], 1000)
SCORE = np.random.default_rng(0).normal(size=Y.size)
COLUMNS = ["--label", "y", "--score", "p"]


class Terminal(io.StringIO):
    """A standard error that may be a terminal."""

    def __init__(self, *, is_terminal):
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self):
        return self.is_terminal


@pytest.fixture
def show(monkeypatch):
    """Run work of which a bar is shown at once, and return what standard error shows."""

    def run(work, *, is_terminal=True):
        stream = Terminal(is_terminal=is_terminal)
        monkeypatch.setattr("sklearn_ap._extras.DELAY", 0)
        monkeypatch.setattr(sys, "stderr", stream)
        work()
        return stream.getvalue()

    return run


@pytest.fixture
def files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parts").mkdir()
    for i, rows in enumerate(np.array_split(np.column_stack([Y, SCORE]), 3)):
        np.savetxt(f"parts/{i}.csv", rows, "%g", ",", header="y,p", comments="")
    return "parts"


def chunks():
    return [(Y, SCORE), (Y, SCORE)]


WORK = {
    "files of the command line": (
        lambda: main(["score", "parts", *COLUMNS, "--definition", "ap"]),
        ["0/3 ", " files/s", " chunks/s"],
    ),
    "files in memory": (lambda: main(["threshold", "parts", *COLUMNS, "--k", "9"]), [" parts/s"]),
    "files of large": (lambda: large.from_table("parts", "y", "p"), [" files/s", " chunks/s"]),
    "chunks": (lambda: large.from_chunks(chunks()), ["0/2 ", " chunks/s"]),
    "chunks of a function": (lambda: large.from_chunks(chunks), [" chunks/s"]),
    "orders": (lambda: chance_test(Y, SCORE, n_permutations=99), ["0/2 ", " parts/s"]),
    "orders of queries": (
        lambda: chance_test(Y, SCORE, queries=np.arange(Y.size) // 400, n_permutations=99),
        ["0/10 ", " rankings/s"],
    ),
}


@pytest.mark.parametrize("name", WORK)
@pytest.mark.usefixtures("files")
def test_a_terminal_shows_how_far_long_work_is(show, name):
    work, parts = WORK[name]
    shown = show(work)
    assert all(part in shown for part in parts), shown


@pytest.mark.parametrize("name", WORK)
@pytest.mark.usefixtures("files")
def test_elsewhere_nothing_is_shown(show, monkeypatch, name):
    work, _ = WORK[name]
    assert not show(work, is_terminal=False)
    monkeypatch.setitem(sys.modules, "tqdm", None)
    assert not show(work)


@pytest.mark.usefixtures("files")
def test_short_work_shows_nothing(show, monkeypatch):
    monkeypatch.setattr("sklearn_ap._extras.DELAY", 1)
    stream = Terminal(is_terminal=True)
    monkeypatch.setattr(sys, "stderr", stream)
    large.from_table("parts", "y", "p")
    assert not stream.getvalue()


@pytest.mark.usefixtures("files")
def test_an_error_begins_a_line_of_its_own(show, tmp_path):
    (tmp_path / "parts" / "1.csv").write_text("y,p\n1,high\n")

    def fail():
        with pytest.raises(SystemExit):
            main(["score", "parts", *COLUMNS])

    *_, bar, last = show(fail).split("\r")
    assert not bar.strip()
    assert last.startswith("sklearn-ap: error: parts/1.csv: row 2")


def test_no_semaphore_of_processes_is_made(show, monkeypatch):
    def work():
        assert [*show_progress(range(3), 3, " items")] == [0, 1, 2]

    lock = tqdm.std.TqdmDefaultWriteLock
    monkeypatch.delattr(lock, "mp_lock", raising=False)
    assert " items/s" in show(work)
    assert not hasattr(lock, "mp_lock")
