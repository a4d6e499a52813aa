"""Files, folders and patterns."""

import os
import sys

import pytest

from sklearn_ap._files.paths import check_extension, find_files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("b.csv", "a.csv", "deep/c.jsonl", "_SUCCESS", ".a.csv.crc", "_temporary/d.csv"):
        path = tmp_path / "scores" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "[1].csv").touch()
    return tmp_path


@pytest.mark.parametrize("path", ["scores", "scores/", "score?", "scores/[!_]*", "scores/[!_]**"])
def test_a_folder_gives_its_files_in_order_and_each_once(folder, path):
    names = ["a.csv", "b.csv", os.path.join("deep", "c.jsonl")]
    assert [os.path.relpath(file, "scores") for file in find_files(path)] == names


def test_notes_in_a_folder_are_left_out(folder):
    for name in ("readme.txt", "deep/notes.md", "part-0000"):
        (folder / "scores" / name).touch()
    found = [os.path.relpath(file, "scores") for file in find_files("scores")]
    assert found == ["a.csv", "b.csv", os.path.join("deep", "c.jsonl"), "part-0000"]
    assert find_files("score?") == find_files("scores")
    assert find_files("scores/*.txt") == [os.path.join("scores", "readme.txt")]


def test_a_folder_of_notes_alone_names_the_extensions(folder):
    (folder / "notes").mkdir()
    (folder / "notes" / "readme.txt").touch()
    with pytest.raises(FileNotFoundError, match=r"'notes' is empty, or no .* \.parquet,"):
        find_files("notes")


def test_a_pattern_that_matches_a_folder_and_its_files_gives_each_once(folder):
    assert find_files("scores/**/*").count(os.path.join("scores", "deep", "c.jsonl")) == 1


def test_a_file_and_a_pattern(folder):
    assert find_files(folder / "scores" / "a.csv") == [str(folder / "scores" / "a.csv")]
    assert find_files("scores/*.csv") == ["scores/a.csv", "scores/b.csv"]
    assert find_files("[1].csv") == ["[1].csv"]


def test_nothing_is_an_error(folder):
    (folder / "empty").mkdir()
    (folder / "notes").mkdir()
    (folder / "notes" / "_SUCCESS").touch()
    for path in ("empty", "notes"):
        with pytest.raises(FileNotFoundError, match=f"The folder '{path}' is empty"):
            find_files(path)
    for path in ("none.csv", "*.nothing"):
        with pytest.raises(FileNotFoundError, match="There is no file"):
            find_files(path)


@pytest.mark.parametrize(
    "name", ["a.parquet", "A.CSV", "a.csv.gz", "a.tsv.zst", "a.ndjson", "a.json.bz2", "part-0000"]
)
def test_names_of_what_can_be_read(name):
    check_extension(name)


@pytest.mark.parametrize("name", ["a.xlsx", "a.txt.gz", "notes.md"])
def test_names_of_what_cannot_be_read(name):
    with pytest.raises(ValueError, match=r"must end in .parquet, .csv.*, got 'a|notes"):
        check_extension(name)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("pattern", ["**", "scores/**", "**/*.csv", "./scores/**/"])
def test_links_that_lead_in_a_circle_give_each_file_once(tmp_path, monkeypatch, pattern):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scores" / "deep").mkdir(parents=True)
    (tmp_path / "scores" / "deep" / "a.csv").touch()
    for name in ("one", "two"):  # of two, there are 2**40 ways around
        (tmp_path / "scores" / "deep" / name).symlink_to("..")
    assert find_files(pattern) == ["scores/deep/a.csv"]


@pytest.mark.parametrize(
    "pattern", ["**/deep/*.jsonl", "*/**/c*", "scores/**/deep/**", "**/**/c.*"]
)
def test_a_pattern_looks_into_all_folders(folder, pattern):
    assert find_files(pattern) == [os.path.join("scores", "deep", "c.jsonl")]
