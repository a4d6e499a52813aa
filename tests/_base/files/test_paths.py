"""Files, folders and patterns."""

import os
import sys

import pytest

from sklearn_ap import average_precision_score, large, retrieval
from sklearn_ap._base.files.reader import check_extension, find_files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("scores/deep", "scores/_temporary", "empty", "notes"):
        (tmp_path / name).mkdir(parents=True)
    for name in ("b.csv", "a.csv", "deep/c.jsonl", "_SUCCESS", ".a.csv.crc", "_temporary/d.csv"):
        (tmp_path / "scores" / name).touch()
    (tmp_path / "[1].csv").touch()
    return tmp_path


@pytest.mark.parametrize(
    "pattern", ["**/deep/*.jsonl", "*/**/c*", "scores/**/deep/**", "**/**/c.*", "scores/*/*l"]
)
def test_recursive_pattern_gives_each_file_once(folder, pattern):
    assert find_files(pattern) == [os.path.join("scores", "deep", "c.jsonl")]
    assert find_files("scores/**/*").count(os.path.join("scores", "deep", "c.jsonl")) == 1
    assert find_files("scores/*.csv") == ["scores/a.csv", "scores/b.csv"]


@pytest.mark.parametrize("path", ["scores", "scores/", "score?"])
def test_a_folder_gives_each_of_its_files_once_in_order(folder, path):
    for name in ("readme.txt", "deep/notes.md", "part-0000"):
        (folder / "scores" / name).touch()
    found = [os.path.relpath(file, "scores") for file in find_files(path)]
    assert found == ["a.csv", "b.csv", os.path.join("deep", "c.jsonl"), "part-0000"]


def test_existing_path_that_looks_like_a_pattern_is_read_literally(folder):
    (folder / "readme.txt").touch()
    for path in (folder / "readme.txt", "[1].csv"):
        assert find_files(path) == [str(path)]


def test_path_without_readable_files_is_an_error(folder):
    (folder / "notes" / "readme.txt").touch()
    for path, message in (
        ("empty", r"'empty' is empty, or no .* \.parquet,"),
        ("notes", r"'notes' is empty, or no .* \.parquet,"),
        ("none.csv", "There is no file"),
        ("*.nothing", "There is no file"),
    ):
        with pytest.raises(FileNotFoundError, match=message):
            find_files(path)


def test_readable_extensions_are_accepted_and_others_refused():
    for name in ("a.parquet", "A.CSV", "a.tsv.zst", "a.ndjson", "a.json.bz2", "part-0000"):
        check_extension(name)
    for name in ("a.xlsx", "a.txt.gz", "notes.md"):
        with pytest.raises(ValueError, match=r"must end in .parquet, .csv.*, got 'a|notes"):
            check_extension(name)


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
@pytest.mark.parametrize("pattern", ["**/*.jsonl", "scores/**/c*", "./scores/**/deep/*.jsonl"])
def test_circular_links_give_each_file_once(folder, pattern):
    for name in ("one", "two"):  # of two, there are 2**40 ways around
        if not (link := folder / "scores" / "deep" / name).is_symlink():
            link.symlink_to("..")
    assert find_files(pattern) == ["scores/deep/c.jsonl"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
class TestTheSameFileTwice:
    @pytest.mark.parametrize("how", ["itself", "dot", "link", "hard link", "folder", "pattern"])
    def test_file_given_twice_is_refused_under_any_path(self, tmp_path, how):
        tmp_path = tmp_path / how
        tmp_path.mkdir()
        file = tmp_path / "a.csv"
        file.write_text("y,p,query,document,score\n1,.5,q,d,1\n0,.4,q,e,2\n")
        other = tmp_path / "b.csv"
        if how in ("link", "folder", "pattern"):
            other.symlink_to(file)
        elif how == "hard link":
            os.link(file, other)
        paths = {"itself": [file] * 2, "dot": [file, f"{tmp_path}/./a.csv"], "folder": [tmp_path]}
        paths = paths.get(how, [f"{tmp_path}/*.csv"] if how == "pattern" else [file, other])
        paths = [*map(str, paths)]
        with pytest.raises(ValueError, match=r"a.csv'? would count twice"):
            large.from_table(paths, "y", "p")
        if how in ("folder", "pattern"):
            with pytest.raises(ValueError, match=r"is the same file as .*count twice"):
                retrieval.from_tables(paths[0], {"x": paths[0]}, label="y")
        else:
            qrels = tmp_path / "qrels.txt"
            qrels.write_text("q 0 d 1\n")
            with pytest.raises(ValueError, match="twice"):
                retrieval.from_trec(qrels, *paths)

    def test_one_table_may_hold_judgements_and_scores(self, tmp_path):
        file = tmp_path / "a.csv"
        file.write_text("y,query,document,score\n1,q,d,1\n0,q,e,2\n")
        judged = retrieval.from_tables(file, {"x": file}, label="y")
        assert average_precision_score(**judged["x"]) == 0.5
