"""Where a file is written, and what is left as it was."""

import os
import sys
import threading

import pytest

from sklearn_ap._files.sources import DataError
from sklearn_ap._program.cli._output_file import refuse_input, write_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
TEXT = "y,p\n1,0.5\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "in.csv").write_text(TEXT)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("output", ["in.csv", "./in.csv", "link.csv", "hard.csv"])
@pytest.mark.parametrize("source", ["in.csv", "link.csv", "-"])
def test_an_output_that_is_an_input_is_refused(folder, monkeypatch, output, source):
    (folder / "link.csv").symlink_to("in.csv")
    os.link("in.csv", "hard.csv")
    with open("in.csv") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(DataError, match=f"^--output {output!r} is the file to read, "):
            refuse_input(output, [source])


class TestARegularFile:
    def test_output_to_a_link_replaces_its_target_and_keeps_permissions(self, folder):
        (folder / "deep").mkdir()
        (folder / "deep" / "old.csv").write_text("old")
        (folder / "deep" / "old.csv").chmod(0o640)
        (folder / "link.csv").symlink_to("deep/old.csv")
        (folder / "new.csv").symlink_to("deep/new.csv")  # which is not there yet
        for name in ("link.csv", "new.csv", "plain.csv"):
            write_file(name, TEXT)
            assert (folder / name).read_text() == TEXT
            assert (folder / name).is_symlink() == (name != "plain.csv")
        assert (folder / "deep" / "old.csv").stat().st_mode & 0o777 == 0o640
        plain = (folder / "plain.csv").stat().st_mode & 0o777
        (folder / "other").touch()
        assert plain == (folder / "other").stat().st_mode & 0o777
        assert sorted(os.listdir(folder / "deep")) == ["new.csv", "old.csv"]

    def test_bytes_of_names_are_kept(self, folder):
        write_file("out.csv", os.fsdecode(b"\xff\n"))
        assert (folder / "out.csv").read_bytes() == b"\xff\n"

    @pytest.mark.parametrize("before", ["old\n", None])
    def test_full_disk_is_reported_and_the_old_file_kept(self, folder, before):
        resource = pytest.importorskip("resource")
        if before:
            (folder / "out.csv").write_text(before)
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
        try:
            with pytest.raises(OSError, match=r"File too large: 'out\.csv'$"):
                write_file("out.csv", 10 * TEXT)
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert sorted(os.listdir(folder)) == ["in.csv", *["out.csv"] * bool(before)]
        if before:
            assert (folder / "out.csv").read_text() == before

    @pytest.mark.parametrize("name", ["in.csv/x", "nowhere/x.csv", ".", "loop"])
    def test_error_names_a_path_that_cannot_be_written(self, folder, name):
        (folder / "loop").symlink_to("loop")
        with pytest.raises(OSError, match=f": '{name}'$"):
            write_file(name, TEXT)
        assert sorted(os.listdir(folder)) == ["in.csv", "loop"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is full")
def test_error_names_a_full_device():
    with pytest.raises(OSError, match=r"No space left on device: '/dev/full'$"):
        write_file("/dev/full", TEXT)


def test_output_to_a_named_pipe_writes_all_rows(folder):
    os.mkfifo("pipe")
    read = []
    reader = threading.Thread(target=lambda: read.append((folder / "pipe").read_text()))
    reader.start()
    write_file("pipe", TEXT)
    reader.join()
    assert read == [TEXT]


def test_file_without_write_permission_is_left_unchanged(folder, monkeypatch):
    (folder / "out.csv").write_text("old")
    monkeypatch.setattr(os, "access", lambda *_: False)  # as root may write all files
    with pytest.raises(PermissionError, match=r": 'out\.csv'$"):
        write_file("out.csv", TEXT)
    assert (folder / "out.csv").read_text() == "old"


@pytest.mark.parametrize(("output", "named"), [("", "--output ''"), ("new/", "new/"), ("./", "./")])
def test_output_path_without_a_file_name_is_refused(folder, output, named):
    before = {*os.listdir(folder.parent)}
    with pytest.raises(IsADirectoryError, match="Is a directory") as told:
        write_file(output, TEXT)
    assert told.value.filename == named
    assert os.listdir(folder) == ["in.csv"]
    assert {*os.listdir(folder.parent)} == before
