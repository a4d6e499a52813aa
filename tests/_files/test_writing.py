"""A report that is written is whole, and takes the place of no input."""

import os
import re
import stat
import subprocess
import sys
from contextlib import redirect_stderr
from errno import EBUSY, EPERM
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from sklearn_ap import InputError
from sklearn_ap.__main__ import main
from sklearn_ap._cli.arguments import EXAMPLE_FILE
from sklearn_ap._files.writing import write_whole
from sklearn_ap._report import page
from tests.helpers.sketches import sketch

ROWS = ["--label", "y", "--score", "p"]
OLD = "the report of last month"
IS_SUPERUSER = hasattr(os, "geteuid") and os.geteuid() == 0


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "p.csv").write_text(EXAMPLE_FILE)
    (tmp_path / "old.html").write_text(OLD)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(page, "write_figure", sketch)
    return tmp_path


class Ended(NamedTuple):
    """The status of a report, and what it said."""

    returncode: int
    stderr: str


def report(*words):
    """Run a report in this process."""
    said = StringIO()
    with redirect_stderr(said):
        try:
            status = main(["report", *words, *ROWS])
        except SystemExit as end:
            status = end.code
    return Ended(status, said.getvalue())


WRITER = """
import sys
from sklearn_ap._files.writing import write_whole
print("first")
write_whole(sys.argv[1], "new")
print("last")
"""


def run_writer(path, shell="true", **options):
    """Write a file in a process of its own, after commands of the shell."""
    command = ["bash", "-c", shell + '; exec "$@"', "bash", sys.executable, "-c", WRITER, path]
    options = {"stdout": subprocess.PIPE} | options
    return subprocess.run(command, text=True, check=True, **options).stdout


def check_is_refused(path, words=("p.csv",)):
    run = report(*words, "-o", path)
    assert run.returncode == 2
    assert f"--output '{path}' is a file to read" in run.stderr
    assert Path("p.csv").read_text() == EXAMPLE_FILE


def test_an_input_by_a_hard_link_is_no_output(folder):
    os.link("p.csv", "same.html")
    check_is_refused("same.html")


def test_an_input_by_a_symbolic_link_is_no_output(folder):
    os.symlink("p.csv", "same.html")
    check_is_refused("same.html")


def test_an_input_that_standard_input_is_redirected_from_is_no_output(folder, monkeypatch):
    with open("p.csv") as file:
        monkeypatch.setattr(sys, "stdin", file)
        check_is_refused("p.csv", ["-"])


def test_an_input_by_another_way_to_it_is_no_output(folder):
    (folder / "below").mkdir()
    check_is_refused("below/../p.csv")


def test_a_report_that_finds_no_room_leaves_the_one_before(folder):
    import resource

    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1024, limits[1]))
    try:
        run = report("p.csv", "-o", "old.html")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1
    assert "old.html" in run.stderr
    assert (folder / "old.html").read_text() == OLD
    assert sorted(os.listdir()) == ["old.html", "p.csv"]


def test_a_report_keeps_the_mode_of_the_one_before(folder):
    os.chmod("old.html", 0o640)
    assert report("p.csv", "-o", "old.html").returncode == 0
    assert stat.S_IMODE(os.stat("old.html").st_mode) == 0o640
    assert "<html" in (folder / "old.html").read_text()


def test_a_new_report_has_the_mode_that_the_system_gives(folder):
    mask = os.umask(0o027)
    try:
        write_whole("new.html", "new")
    finally:
        os.umask(mask)
    assert stat.S_IMODE(os.stat("new.html").st_mode) == 0o640


def test_the_target_of_a_link_is_replaced_and_the_link_stays(folder):
    os.symlink("old.html", "latest.html")
    assert report("p.csv", "-o", "latest.html").returncode == 0
    assert os.readlink("latest.html") == "old.html"
    assert "<html" in (folder / "old.html").read_text()


def test_a_link_to_no_file_yet_makes_that_file(folder):
    os.symlink("new.html", "latest.html")
    write_whole("latest.html", "new")
    assert os.path.islink("latest.html")
    assert (folder / "new.html").read_text() == "new"


@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1"])
def test_standard_output_is_written_in_place(folder, path):
    assert run_writer(path) == "first\nnewlast\n"


def test_a_report_on_standard_output_is_followed_by_its_place(folder, capfd):
    assert report("p.csv", "-o", "/dev/stdout").returncode == 0
    text = capfd.readouterr().out
    assert re.fullmatch(r"(?s)<!doctype.*</html>\n.*in /dev/stdout\n", text, re.IGNORECASE)


def test_a_file_that_standard_output_is_redirected_to_is_written_in_place(folder):
    with open("old.html", "w") as file:
        place = os.stat("old.html").st_ino
        run_writer("/dev/stdout", stdout=file)
    assert os.stat("old.html").st_ino == place
    assert (folder / "old.html").read_text() == "first\nnewlast\n"


def test_a_named_pipe_is_written_in_place(folder):
    os.mkfifo("pipe")
    with subprocess.Popen(["cat", "pipe"], stdout=subprocess.PIPE, text=True) as reader:
        assert report("p.csv", "-o", "pipe").returncode == 0
        assert "<html" in reader.communicate()[0]
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)


@pytest.mark.skipif(IS_SUPERUSER, reason="the superuser may write everywhere")
def test_a_file_that_may_not_be_written_stays(folder):
    os.chmod("old.html", 0o440)
    with pytest.raises(PermissionError, match=r"old\.html"):
        write_whole("old.html", "new")
    assert (folder / "old.html").read_text() == OLD


@pytest.mark.skipif(IS_SUPERUSER, reason="the superuser may write everywhere")
def test_a_file_in_a_folder_that_takes_no_new_files_is_written_in_place(folder):
    os.chmod(folder, 0o550)
    try:
        write_whole("old.html", "new")
    finally:
        os.chmod(folder, 0o750)
    assert (folder / "old.html").read_text() == "new"


def test_a_folder_that_is_not_there_is_named_with_the_file(folder):
    with pytest.raises(FileNotFoundError, match=r"'no/report\.html'$"):
        write_whole("no/report.html", "new")


@pytest.mark.parametrize("path", ["p.csv/", "p.csv/.", "p.csv/x/..", "no/../p.csv", "no/", "loop"])
def test_a_path_that_is_no_file_writes_none(folder, path):
    os.symlink("loop", "loop")
    run = report("p.csv", "-o", path)
    assert run.returncode == 2
    assert "Traceback" not in run.stderr
    assert Path("p.csv").read_text() == EXAMPLE_FILE
    assert sorted(os.listdir()) == ["loop", "old.html", "p.csv"]


@pytest.mark.parametrize("path", [3, None, b"x", "", "a\0b"])
def test_what_is_no_path_is_refused(path):
    with pytest.raises(InputError, match="path must be the path of a file"):
        write_whole(path, "new")


def test_an_open_file_is_written_after_what_it_has(folder):
    run_writer("/dev/fd/7", shell="exec 7>log; echo before >&7")
    assert Path("log").read_text() == "before\nnew"


@pytest.mark.skipif(not IS_SUPERUSER, reason="only the superuser may give files away")
def test_a_file_stays_that_of_its_owner(folder):
    os.chown("old.html", 12345, 54321)
    write_whole("old.html", "new")
    found = os.stat("old.html")
    assert (found.st_uid, found.st_gid) == (12345, 54321)


@pytest.mark.parametrize("errno", [EPERM, EBUSY])
def test_a_file_that_cannot_be_replaced_is_written_in_place(folder, errno, monkeypatch):
    def fail(*paths):
        raise OSError(errno, "no")

    monkeypatch.setattr(os, "replace", fail)
    write_whole("old.html", "new")
    assert (folder / "old.html").read_text() == "new"
    assert sorted(os.listdir()) == ["old.html", "p.csv"]
