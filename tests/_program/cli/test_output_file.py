"""Where ``label`` writes, and what it leaves as it was."""

import os
import shlex
import subprocess
import sys
import threading

import pytest
from predictions_file import TEXT

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
OPTIONS = ("--score", "p", "--n", "3", "--output")


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "in.csv").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("output", ["in.csv", "./in.csv", "link.csv", "hard.csv"])
@pytest.mark.parametrize("source", ["in.csv", "link.csv", "-", "*n.csv"])
def test_an_output_that_is_an_input_is_refused(folder, refuse, monkeypatch, output, source):
    if not (folder / "link.csv").exists():
        (folder / "link.csv").symlink_to("in.csv")
        os.link("in.csv", "hard.csv")
    with open("in.csv") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        said = refuse("label", source, *OPTIONS, output)
    assert said.startswith(f"--output {output!r} is the file to read, ")
    assert (folder / "in.csv").read_text() == TEXT


def test_short_output_option_writes_the_file(folder, say):
    said = say("label", "in.csv", *OPTIONS[:-1])
    assert say("label", "in.csv", *OPTIONS[:-1], "-o", "out.csv") != said
    assert (folder / "out.csv").read_text() == said


class TestARegularFile:
    def test_output_to_a_link_replaces_its_target_and_keeps_permissions(self, folder, say):
        (folder / "deep").mkdir()
        (folder / "deep" / "old.csv").write_text("old")
        (folder / "deep" / "old.csv").chmod(0o640)
        (folder / "link.csv").symlink_to("deep/old.csv")
        (folder / "new.csv").symlink_to("deep/new.csv")  # which is not there yet
        printed = say("label", "in.csv", *OPTIONS[:-1])
        for name in ("link.csv", "new.csv", "plain.csv"):
            said = say("label", "in.csv", *OPTIONS, name)
            assert said == f"3 rows to label are in {name}\n"
            assert (folder / name).read_text() == printed
            assert (folder / name).is_symlink() == (name != "plain.csv")
        assert (folder / "deep" / "old.csv").stat().st_mode & 0o777 == 0o640
        plain = (folder / "plain.csv").stat().st_mode & 0o777
        (folder / "other").touch()
        assert plain == (folder / "other").stat().st_mode & 0o777
        assert sorted(os.listdir(folder / "deep")) == ["new.csv", "old.csv"]

    def test_empty_label_column_keeps_the_bytes_of_its_name(self, folder, say):
        name = os.fsdecode(b"\xff")
        say("label", "in.csv", *OPTIONS, "out.csv", "--label", name)
        assert (folder / "out.csv").read_bytes().startswith(b"line,inclusion_probability,\xff\n")

    @pytest.mark.parametrize("before", ["old\n", None])
    def test_full_disk_is_reported_and_the_old_file_kept(self, folder, refuse, before):
        resource = pytest.importorskip("resource")
        if before:
            (folder / "out.csv").write_text(before)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
        try:
            said = refuse("label", "in.csv", *OPTIONS, "out.csv")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert said == "out.csv: File too large"
        assert sorted(os.listdir(folder)) == ["in.csv", *["out.csv"] * bool(before)]
        if before:
            assert (folder / "out.csv").read_text() == before
            (folder / "out.csv").unlink()

    @pytest.mark.parametrize("name", ["in.csv/x", "nowhere/x.csv", ".", "loop"])
    def test_error_names_a_path_that_cannot_be_written(self, folder, refuse, name):
        if not os.path.lexists("loop"):
            (folder / "loop").symlink_to("loop")
        said = refuse("label", "in.csv", *OPTIONS, name)
        assert said.startswith(f"{name}: ")
        assert "Errno" not in said
        assert sorted(os.listdir(folder)) == ["in.csv", "loop"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_error_names_a_full_device(folder, refuse):
    said = refuse("label", "in.csv", *OPTIONS, "/dev/full")
    assert said == "/dev/full: No space left on device"


def test_output_to_a_named_pipe_writes_all_rows(folder, say):
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_text()))
    reader.start()
    assert say("label", "in.csv", *OPTIONS, "pipe") == "3 rows to label are in pipe\n"
    reader.join()
    assert read == [say("label", "in.csv", *OPTIONS[:-1])]


@pytest.mark.skipif(not os.path.exists("/dev/stdout"), reason="needs /dev/stdout")
@pytest.mark.parametrize("redirected", ["| cat", "> out.csv && cat out.csv"])
def test_standard_output_gets_the_rows_alone(folder, say, redirected):
    command = shlex.join([sys.executable, "-m", "sklearn_ap", "label", "in.csv", *OPTIONS])
    run = subprocess.run(
        f"{command} /dev/stdout {redirected}", shell=True, capture_output=True, text=True
    )
    assert (run.stdout, run.stderr) == (say("label", "in.csv", *OPTIONS[:-1]), "")


def test_file_without_write_permission_is_left_unchanged(folder, refuse, monkeypatch):
    (folder / "out.csv").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # as root may write all files
    assert refuse("label", "in.csv", *OPTIONS, "out.csv") == "out.csv: Permission denied"
    assert (folder / "out.csv").read_text() == "old"


@pytest.mark.parametrize(("output", "named"), [("", "--output ''"), ("new/", "new/"), ("./", "./")])
def test_output_path_without_a_file_name_is_refused(folder, refuse, output, named):
    before = {*os.listdir(folder.parent)}
    assert refuse("label", "in.csv", *OPTIONS, output) == f"{named}: Is a directory"
    assert os.listdir(folder) == ["in.csv"]
    assert {*os.listdir(folder.parent)} == before
