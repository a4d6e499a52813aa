"""The command line."""

import doctest
import gzip
import io
import json
import os
import re
import shlex
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import feather, parquet

import sklearn_ap
from sklearn_ap import compat, definitions
from sklearn_ap.__main__ import main
from sklearn_ap._cli import fold, formats
from sklearn_ap._cli.example import Y_SCORE, Y_TRUE, rows

PROGRAM = [sys.executable, "-m", "sklearn_ap"]
COLUMNS = ("--label", "y", "--score", "p")
ROWS = tuple(zip(Y_TRUE, Y_SCORE, [1] * 10, "aaaaabbbbb", strict=True))
TEXT = "".join(f"{','.join(map(str, row))}\n" for row in [("y", "p", "w", "q"), *ROWS])
# Without its time: each worker must give a test the same name.
ZIPPED = gzip.compress(TEXT.encode(), mtime=0)
HEAD = "10 rows, 5 positive (50%). The positive label is '1'.\n\n"


@pytest.fixture
def write(tmp_path):
    def path(content=TEXT, name="p.csv"):
        data = content.encode() if isinstance(content, str) else content
        (tmp_path / name).write_bytes(data)
        return str(tmp_path / name)

    return path


@pytest.fixture
def say(capsys):
    """What the command line prints; it warns of nothing but few positives."""

    def run(*arguments):
        assert main([*arguments]) == 0
        printed = capsys.readouterr()
        _, *said = " ".join(printed.err.split()).split("sklearn-ap: warning: ") or [""]
        assert all("rests on" in each or "no variance" in each for each in said), said
        return printed.out

    return run


@pytest.fixture
def refuse(capsys):
    """The one line with which the command line ends."""

    def run(*arguments):
        with pytest.raises(SystemExit) as stop:
            main([*arguments])
        assert stop.value.code == 2
        printed = capsys.readouterr()
        assert not printed.out
        assert printed.err.startswith("sklearn-ap: error: ")
        assert printed.err.count("\n") == 1
        return printed.err.removeprefix("sklearn-ap: error: ").rstrip()

    return run


def table(**columns):
    return pa.table(
        {"y": list(Y_TRUE), "p": list(Y_SCORE), "w": [1] * 10, "q": [*"aaaaabbbbb"]} | columns
    )


def packed(content, save=parquet.write_table):
    file = io.BytesIO()
    save(content, file)
    return file.getvalue()


class TestExample:
    """What is printed without a command."""

    def test_it_prints_every_definition_with_its_value(self, say):
        printed = say()
        assert str(list(Y_TRUE)) in printed
        assert str(list(Y_SCORE)) in printed
        for title, definition, value in rows():
            line = rf"  {value:.3f}  {re.escape(title)} +{re.escape(repr(definition))}\n"
            assert re.search(line, printed)

    def test_the_calls_that_it_prints_give_the_values_that_it_prints(self):
        counts = sklearn_ap.threshold_counts(Y_TRUE, Y_SCORE)
        for _, definition, value in rows():
            assert eval(repr(definition), vars(definitions))(counts)[0] == value

    def test_every_definition_is_there_and_the_first_is_that_of_scikit_learn(self):
        kinds = [type(definition).__name__ for _, definition, _ in rows()]
        assert {*kinds} == {*definitions.__all__} - {"Definition", "Heights"}
        assert kinds[0] == "Step"

    def test_it_has_the_cutoffs_and_all_tools(self, say):
        printed = say()
        assert "    1    0.9       yes      1.000   0.200\n" in printed
        assert "   10    0.1       yes      0.500   1.000\n" in printed
        for entry in compat.conventions():
            assert entry.name in printed

    def test_the_precision_that_it_explains_is_the_one_that_it_prints(self, say):
        assert "    2    0.8       yes      0.750   0.300\n" in say()
        assert "a precision of .750" in say()

    def test_it_fits_a_terminal(self, say):
        assert max(map(len, say().splitlines())) <= 80

    def test_it_runs_as_a_module(self):
        run = subprocess.run(PROGRAM, capture_output=True, text=True, check=True)
        assert "step AP" in run.stdout
        assert not run.stderr

    def test_it_needs_no_extra(self):
        code = (
            "import sys; sys.modules.update(dict.fromkeys(('pyarrow', 'tqdm', 'matplotlib')))\n"
            "from sklearn_ap.__main__ import main; main([])"
        )
        run = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        )
        assert "step AP" in run.stdout


class TestScore:
    """sklearn-ap score."""

    def values(self, say, *arguments):
        found = json.loads(say("score", *arguments, *COLUMNS, "--format", "json"))
        return {row["definition"]: row["value"] for row in found["results"]}

    def test_every_definition_with_its_value(self, say, write):
        counts = sklearn_ap.threshold_counts(Y_TRUE, Y_SCORE)
        values = self.values(say, write(), "--k", "3")
        assert list(values) == [repr(definition) for _, definition, _ in rows()]
        for definition, value in values.items():
            assert eval(definition, vars(definitions))(counts)[0] == pytest.approx(value)

    def test_the_text(self, say, write):
        printed = say("score", write(), *COLUMNS)
        assert printed.startswith(HEAD)
        assert "\n0.717 [0.210, 0.960]  step AP\n" in printed

    def test_intervals(self, say, write):
        found = json.loads(say("score", write(), *COLUMNS, "--k", "3", "--format", "json"))
        for row in found["results"]:
            definition = eval(row["definition"], vars(definitions))
            with pytest.warns(sklearn_ap.UncertaintyWarning):
                expected = sklearn_ap.average_precision_interval(
                    Y_TRUE, Y_SCORE, definition=definition, rng=0
                )
            assert (row["low"], row["high"]) == (expected.low, expected.high)

    def test_the_same_file_has_the_same_intervals(self, say, write):
        assert say("score", write(), *COLUMNS) == say("score", write(), *COLUMNS)

    def test_a_warning_says_which_scores_it_is_about(self, capsys, write):
        main(["score", write(), *COLUMNS])
        printed = capsys.readouterr().err
        assert max(map(len, printed.splitlines())) <= 80
        _, first, second = " ".join(printed.split()).split("sklearn-ap: warning: ")
        assert first.startswith("The interval rests on 5 positives")
        assert second.startswith("recall@10: ")

    def test_k(self, say, write):
        values = self.values(say, write(), "--k", "2")
        expected = sklearn_ap.average_precision_at_k_score(Y_TRUE, Y_SCORE, k=2)
        assert values["AtK(k=2)"] == pytest.approx(expected)

    def test_groups_are_averaged(self, say, write):
        values = self.values(say, write(), "--group", "q")
        expected = sklearn_ap.average_precision_score(Y_TRUE, Y_SCORE, groups=[*"aaaaabbbbb"])
        assert values["Step()"] == pytest.approx(expected)

    def test_weights(self, say, write):
        weight = np.arange(1.0, 11)
        values = self.values(say, write(packed(table(w=weight))), "--weight", "w")
        expected = sklearn_ap.average_precision_score(Y_TRUE, Y_SCORE, sample_weight=weight)
        assert values["Step()"] == pytest.approx(expected)

    def test_what_takes_no_weights_is_named(self, say, write):
        printed = say("score", write(), *COLUMNS, "--weight", "w")
        assert "Left out: expected AP, expected AP@10. Expected average precision" in printed
        assert "expected AP" not in printed.partition("Left out")[0]

    def test_many_weighted_rows_have_no_interval_that_takes_minutes(self, say, write):
        y = np.arange(20_001) % 3 == 0
        path = write(packed(pa.table({"y": y, "p": np.arange(y.size), "w": np.ones(y.size)})))
        printed = say("score", path, *COLUMNS, "--weight", "w")
        assert re.search(r"^0\.333 \[.*\]  step AP$", printed, re.MULTILINE)
        assert re.search(r"^0\.\d{3} +AP@10$", printed, re.MULTILINE)
        assert "Without an interval: AP@10, AP@10 over positives, " in printed

    def test_wrong_weights_are_an_error_and_no_remark(self, refuse, write):
        path = write("y,p,w\n1,2,-1\n0,1,1\n")
        message = refuse("score", path, *COLUMNS, "--weight", "w")
        assert message == "row 2, column 'w': '-1' is negative"

    def test_without_positives_it_warns_and_has_a_status(self, capsys, write):
        assert main(["score", write("y,p\n0,.5\n0,.4\n"), *COLUMNS]) == 1
        printed = capsys.readouterr()
        assert "undefined" in printed.out
        warning = "sklearn-ap: warning: no row is positive, so average precision is not defined\n"
        assert printed.err == warning

    def test_positives_that_weigh_nothing_are_none(self, capsys, write):
        path = write("y,p,w\n1,.5,0\n0,.4,1\n")
        assert main(["score", path, *COLUMNS, "--weight", "w"]) == 1
        assert "warning: no row is positive" in capsys.readouterr().err

    def test_a_query_without_positives_is_left_out_of_the_mean(self, capsys, write):
        text = "y,p,q\n1,.5,a\n0,.4,a\n0,.5,b\n"
        path = write(text)
        assert main(["score", path, *COLUMNS, "--group", "q", "--format", "json"]) == 0
        printed = capsys.readouterr()
        assert json.loads(printed.out)["results"][0]["value"] == 1
        assert (
            "sklearn-ap: warning: queries without positives are left out: 1 of 2\n" in printed.err
        )


class TestTools:
    """sklearn-ap compare and explain."""

    def test_compare(self, say, write):
        expected = f"{HEAD}{compat.compare(Y_TRUE, Y_SCORE)}\n"
        assert say("compare", write(), *COLUMNS) == expected

    def test_compare_with_k_weights_and_groups(self, say, write):
        printed = say("compare", write(), *COLUMNS, "--k", "3", "--weight", "w", "--group", "q")
        expected = compat.compare(
            Y_TRUE, Y_SCORE, k=3, sample_weight=np.ones(10), groups=[*"aaaaabbbbb"]
        )
        assert printed.endswith(f"\n\n{expected}\n")
        assert printed.startswith("10 rows, 5 positive (50%), 2 queries. The positive label is '1'")

    def test_explain(self, say, write):
        expected = f"{HEAD}{fold(str(compat.explain('MLmetrics.PRAUC', Y_TRUE, Y_SCORE)))}\n"
        assert say("explain", "MLmetrics.PRAUC", write(), *COLUMNS) == expected

    def test_explain_by_query_between_two_tools(self, say, write):
        options = ("--group", "q", "--versus", "pytrec_eval.map", "--k", "3")
        printed = say("explain", "ranx.map@k", write(), *COLUMNS, *options)
        expected = compat.explain(
            "ranx.map@k", Y_TRUE, Y_SCORE, versus="pytrec_eval.map", groups=[*"aaaaabbbbb"], k=3
        )
        assert printed.endswith(f"\n\n{fold(str(expected))}\n")

    def test_json(self, say, write):
        found = json.loads(say("compare", write(), *COLUMNS, "--format", "json"))
        assert found["results"][0]["name"] == "sklearn.average_precision_score"
        assert (found["rows"], found["positives"], found["positive_label"]) == (10, 5, "1")

    def test_json_without_a_number(self, capsys, write):
        path = write("y,p\n0,1\n")
        assert main(["explain", "xgboost.aucpr", path, *COLUMNS, "--format", "json"]) == 1
        last = json.loads(capsys.readouterr().out)["results"][-1]
        assert (last["choice"], last["value"]) == ("special case", None)

    def test_markdown(self, say, write):
        printed = say("explain", "MLmetrics.PRAUC", write(), *COLUMNS, "--format", "markdown")
        lines = printed.splitlines()
        assert lines[0] == HEAD.rstrip()
        assert lines[2] == "| choice | option | why | value | share |"
        assert lines[3] == "| --- | --- | --- | --- | --- |"
        assert lines[-1].endswith("| 0.5444 | -0.2000 |")

    def test_an_unknown_tool(self, refuse, write):
        message = refuse("explain", "xgbost.aucpr", write(), *COLUMNS)
        assert "Near it: xgboost.aucpr" in message

    def test_long_lines_are_broken(self, say, write):
        for command in (["score"], ["compare"], ["explain", "pycocotools.COCOeval"]):
            printed = say(*command, write(), *COLUMNS, "--group", "q")
            assert max(map(len, printed.splitlines())) <= 80

    def test_the_rest_of_a_long_line_stands_in_its_column(self, capsys, write):
        main(["compare", write("y,p\n0,.5\n0,.4\n"), *COLUMNS])
        lines = capsys.readouterr().out.splitlines()
        broken = next(place for place, line in enumerate(lines) if line.startswith(" raises"))
        assert lines[broken].endswith(" a")
        assert lines[broken + 1].startswith(" " * 18)


class TestFormats:
    """The same predictions in files of every kind."""

    @pytest.mark.parametrize(
        ("name", "content"),
        [
            ("p.csv", TEXT.encode()),
            ("with-bom.csv", b"\xef\xbb\xbf" + TEXT.encode()),
            ("windows.csv", TEXT.replace("\n", "\r\n").encode()),
            ("without-last-newline.csv", TEXT.rstrip().encode()),
            ("quoted.csv", re.sub(r"[^,\n]+", r'"\g<0>"', TEXT).encode()),
            ("spaces.csv", TEXT.replace(",", ", ").replace(", p, w, q", ",p,w,q").encode()),
            ("p.tsv", TEXT.replace(",", "\t").encode()),
            ("semicolons.csv", TEXT.replace(",", ";").encode()),
            ("p.csv.gz", ZIPPED),
            ("p.tsv.gz", gzip.compress(TEXT.replace(",", "\t").encode(), mtime=0)),
            ("p.parquet", packed(table())),
            ("p.parquet.gz", gzip.compress(packed(table()), mtime=0)),
            ("p.feather", packed(table(), feather.write_feather)),
            ("float32.parquet", packed(table(p=np.array(Y_SCORE, np.float32)))),
            ("bool.parquet", packed(table(y=np.array(Y_TRUE, bool)))),
            ("float_labels.parquet", packed(table(y=np.array(Y_TRUE, float)))),
            ("codes.parquet", packed(table(y=pa.array(map(str, Y_TRUE)).dictionary_encode()))),
            ("bytes.parquet", packed(table(y=[b"%d" % y for y in Y_TRUE]))),
            ("text_scores.parquet", packed(table(p=[*map(str, Y_SCORE)]))),
        ],
    )
    def test_a_file_and_a_pipe(self, say, write, name, content):
        path = write(content, name)
        printed = say("score", path, *COLUMNS, "--group", "q", "--format", "json")
        expected = sklearn_ap.average_precision_score(Y_TRUE, Y_SCORE, groups=[*"aaaaabbbbb"])
        assert json.loads(printed)["results"][0]["value"] == pytest.approx(expected)
        assert json.loads(printed)["rows"] == 10

    @pytest.mark.parametrize("content", [TEXT.encode(), packed(table()), ZIPPED])
    def test_a_pipe(self, say, monkeypatch, content):
        ours, theirs = os.pipe()
        os.write(theirs, content)
        os.close(theirs)
        with os.fdopen(ours) as stdin:
            monkeypatch.setattr(sys, "stdin", stdin)
            assert "0.7167  cornac.MAP" in say("explain", "cornac.MAP", "-", *COLUMNS)

    def test_a_redirected_file(self, write):
        command = [*PROGRAM, "explain", "cornac.MAP", "-", *COLUMNS]
        with open(write(packed(table()))) as file:
            run = subprocess.run(command, stdin=file, capture_output=True, text=True, check=True)
        assert "0.7167  cornac.MAP" in run.stdout

    def test_whole_numbers_beyond_floats_keep_their_order(self, say, write):
        path = write(packed(pa.table({"y": [1, 0], "p": [2**60 + 1, 2**60]})))
        printed = say("score", path, *COLUMNS, "--format", "json")
        assert json.loads(printed)["results"][0]["value"] == 1

    def test_many_rows_come_in_parts(self, say, write):
        rng = np.random.default_rng(0)
        y, p = rng.random(300_000) < 0.1, rng.random(300_000)
        expected = sklearn_ap.average_precision_score(y, p)
        text = "y,p\n" + "".join(f"{a:d},{b!r}\n" for a, b in zip(y, p.tolist(), strict=True))
        printed = json.loads(say("compare", write(text), *COLUMNS, "--format", "json"))
        assert printed["rows"] == 300_000
        assert printed["results"][0]["value"] == pytest.approx(expected, rel=1e-12)

    def test_the_number_of_a_row_far_down(self, refuse, write):
        text = "y,p\n" + 900_000 * "1,0.125\n" + "\n0,x\n"
        message = "row 900003, column 'p': 'x' is not a number"
        assert refuse("score", write(text), *COLUMNS) == message
        whole = pa.table({"y": [1] * 300_000, "p": [0.5] * 299_999 + [None]})
        assert refuse("score", write(packed(whole)), *COLUMNS) == "row 300000, column 'p' is empty"

    def test_empty_rows_are_left_out_with_a_warning(self, capsys, write):
        assert main(["score", write("y,p\n1,.5\n\n0,.4\n\n"), *COLUMNS]) == 0
        printed = capsys.readouterr()
        assert printed.out.startswith("2 rows, ")
        assert "sklearn-ap: warning: empty rows are left out: 2\n" in printed.err


class TestLabels:
    """Which label is positive."""

    @pytest.mark.parametrize(
        ("labels", "options", "positive"),
        [
            (("no", "yes"), [], "yes"),
            (("False", "True"), [], "True"),
            (("-1", "1"), [], "1"),
            (("0.0", "1.0"), [], "1.0"),
            (("goose", "plane"), ["--positive", "plane"], "plane"),
            (("1", "0"), ["--positive", "0"], "0"),
        ],
    )
    def test_labels(self, say, write, labels, options, positive):
        text = "".join(f"{labels[y]},{p}\n" for y, p, *_ in ROWS)
        printed = say("explain", "cornac.MAP", write(f"y,p\n{text}"), *COLUMNS, *options)
        assert "0.7167  cornac.MAP" in printed
        assert f"The positive label is {positive!r}." in printed

    def test_whole_labels_of_a_column_of_floats_are_written_without_a_point(self, say, write):
        path = write(packed(table(y=np.array(Y_TRUE) + 1.0)))
        printed = say("score", path, *COLUMNS, "--positive", "2")
        assert printed.startswith(HEAD.replace("'1'", "'2'"))

    def test_one_label_alone(self, capsys, write):
        for label, positives in (("1", 1), ("0", 0), ("yes", 1), ("-1", 0)):
            main(["score", write(f"y,p\n{label},1\n"), *COLUMNS, "--format", "json"])
            assert json.loads(capsys.readouterr().out)["positives"] == positives


class TestErrors:
    """One line each, status 2, and the row and the column where there are some."""

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--label", "x", "--score", "p"], "no column 'x'; there are 'y', 'p', 'w', 'q'"),
            (
                ["--label", "q", "--score", "p"],
                "column 'q' holds 'a' and 'b': say which is positive with --positive",
            ),
            (
                ["--label", "p", "--score", "p"],
                "column 'p' holds 7 labels, not two: '0.1', '0.3', '0.4', '0.6', ...",
            ),
            (["--label", "y", "--score", "q"], "row 2, column 'q': 'a' is not a number"),
            (
                ["--label", "y", "--score", "p", "--positive", "7"],
                "column 'y' holds '0' and '1', not '7'",
            ),
            (["--label", "y", "--score", "p", "--k", "0"], "k must be at least 1"),
        ],
    )
    def test_options(self, refuse, write, arguments, message):
        for command in ("score", "compare"):
            assert refuse(command, write(), *arguments).startswith(message)

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "the file is empty"),
            ("\n1,0.5\n", "no column 'y'; there are none"),
            ("y,p\n", "no rows below the header"),
            ("y,p\n\n\n", "no rows below the header"),
            ("y,p\n1,0.5\n0\n", "row 3 has only 1 column; the header has 2"),
            ("y,p\n1,0.5\n0,1,2\n", "row 3 has 3 columns; the header has 2"),
            ("y,p\n1,0.5\n\n0\n", "row 4 has only 1 column; the header has 2"),
            ("y,p\n1,0.5\n0,\n", "row 3, column 'p' is empty"),
            ("y,p\n1,0.5\n0,nan\n", "row 3, column 'p': 'nan' is not a number"),
            ("y,p\n1,0.5\n0,inf\n", "row 3, column 'p': 'inf' is not finite"),
            ("y,p\n1,0.5\n0,1e400\n", "row 3, column 'p': '1e400' is not finite"),
            ("y,p\n1,0.5\n0,1_0\n", "row 3, column 'p': '1_0' is not a number"),
            ("y,p\n1,0.5\n,0.4\n", "row 3, column 'y' is empty"),
            ("y,p,y\n1,0.5,0\n", "several columns 'y'; there are 'y', 'p', 'y'"),
            ("y,p\n1,0.5\n\n0,x\n", "row 4, column 'p': 'x' is not a number"),
            (
                f"y,p\n1,{140_000 * '5'}\n",
                "row 2, column 'p': '55555555555555555555...' is not finite",
            ),
            (",".join(["y", *map(str, range(30))]), "no column 'p'; there are 'y', '0', '1', "),
        ],
    )
    def test_text(self, refuse, write, text, message):
        assert refuse("score", write(text), *COLUMNS).startswith(message)

    @pytest.mark.parametrize(
        ("columns", "message"),
        [
            ({"p": [0.5] * 9 + [None]}, "row 10, column 'p' is empty"),
            ({"p": [0.5] * 9 + [np.nan]}, "row 10, column 'p': 'nan' is not a number"),
            ({"p": [0.5] * 9 + [-np.inf]}, "row 10, column 'p': '-inf' is not finite"),
            ({"y": [0.0] * 9 + [np.nan]}, "row 10, column 'y' is empty"),
            ({"y": [[0]] * 10}, "column 'y' holds list<element: int64>, not one value a row"),
            ({"p": pa.array([0] * 10, pa.timestamp("s"))}, "column 'p' holds timestamp[ms], not n"),
        ],
    )
    def test_parquet_has_no_header_so_that_its_first_row_is_1(
        self, refuse, write, columns, message
    ):
        assert refuse("score", write(packed(table(**columns))), *COLUMNS).startswith(message)

    @pytest.mark.parametrize(
        ("content", "message"),
        [
            (b"y,p\n1,\xff\n", "the text is not UTF-8"),
            (b"\xff\xfey,p", "the text is not UTF-8"),
            (b"y,p\n1," + b"5" * (9 << 20) + b"\n0,1\n", "a row is longer than 4 MB"),
            (ZIPPED[:-9], "Compressed file ended before"),
            (b"\x1f\x8bno gzip at all", "Unknown compression method"),
            (packed(table())[:-9], "Parquet magic bytes not found"),
            (b"ARROW1 " + 99 * b"no", "not an Arrow file"),
        ],
    )
    def test_broken_files_are_named(self, refuse, write, content, message):
        found = refuse("score", write(content, "broken"), *COLUMNS)
        assert "broken: " in found
        assert message.lower() in found.lower()

    def test_missing_files(self, refuse, tmp_path):
        for path in (tmp_path / "nothing.csv", tmp_path):
            assert str(path) in refuse("compare", str(path), *COLUMNS)

    def test_arguments(self, refuse):
        assert refuse("--nonsense") == "unrecognized arguments: --nonsense"
        assert refuse("score") == "the following arguments are required: FILE, --label, --score"
        assert "invalid choice: 'xml'" in refuse("score", "f", *COLUMNS, "--format", "xml")
        assert "invalid int value: 'x'" in refuse("compare", "f", *COLUMNS, "--k", "x")
        assert "invalid choice: 'scroe'" in refuse("scroe")

    @pytest.mark.parametrize("missing", ["pyarrow", "tqdm"])
    def test_without_the_extra_the_error_names_it(self, refuse, write, monkeypatch, missing):
        monkeypatch.setitem(sys.modules, missing, None)
        assert 'pip install "sklearn-ap[table]"' in refuse("score", write(), *COLUMNS)


@pytest.mark.parametrize("command", [[], ["score"], ["compare"], ["explain"]])
def test_the_help_fits_a_terminal(capsys, command, monkeypatch):
    monkeypatch.setenv("COLUMNS", "200")
    with pytest.raises(SystemExit) as stop:
        main([*command, "--help"])
    assert stop.value.code == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 80


class TestProcess:
    """What only a process of its own shows."""

    def test_the_status_without_positives(self, write):
        command = [*PROGRAM, "score", write("y,p\n0,1\n"), *COLUMNS]
        assert subprocess.run(command, capture_output=True, check=False).returncode == 1

    def test_a_closed_pipe_and_a_full_disk(self, write):
        base = f"{sys.executable} -m sklearn_ap compare"
        for command, message in (
            (f"{base} - --label y --score p <&-", "there is no standard input"),
            (f"{base} {write()} --label y --score p > /dev/full", "No space left on device"),
        ):
            if "/dev/full" in command and not Path("/dev/full").exists():
                continue
            run = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            assert run.returncode == 2
            assert run.stderr == f"sklearn-ap: error: {message}\n"

    def test_a_reader_that_stops_early(self, write):
        command = (
            f"{sys.executable} -m sklearn_ap compare {write()} --label y --score p | head -n 1"
        )
        run = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
        assert not run.stderr


class Terminal(io.StringIO):
    """Standard error, as a terminal."""

    def isatty(self):
        return True


class TestProgress:
    """Bars on standard error."""

    @pytest.fixture(autouse=True)
    def at_once(self, monkeypatch):
        monkeypatch.setattr(formats, "DELAY", 0)

    @pytest.mark.parametrize("content", [TEXT, packed(table()), ZIPPED])
    def test_a_terminal_sees_progress(self, write, monkeypatch, content):
        monkeypatch.setattr(sys, "stderr", Terminal())
        assert main(["score", write(content), *COLUMNS]) == 0
        shown = re.split("[\r\n]", sys.stderr.getvalue())
        bars = [line for line in shown if line.startswith(("reading: ", "scoring: "))]
        assert {line.partition(":")[0] for line in bars} == {"reading", "scoring"}
        assert max(map(len, bars)) <= 80

    def test_nobody_else_does(self, say, write):
        say("score", write(), *COLUMNS)


def test_the_version_is_the_same_everywhere():
    root = Path(__file__).parents[1]
    assert f"\nversion: {sklearn_ap.__version__}\n" in (root / "CITATION.cff").read_text()
    assert f"\n## {sklearn_ap.__version__} (" in (root / "docs" / "changelog.md").read_text()


PAGE = (Path(__file__).parents[1] / "docs" / "command_line.md").read_text()


@pytest.mark.parametrize("example", re.findall(r"```console\n\$ (.*?)```", PAGE, re.DOTALL))
def test_the_page_shows_what_is_printed(capsys, write, monkeypatch, tmp_path, example):
    write(re.search(r"```text\n(.*?)```", PAGE, re.DOTALL)[1], "predictions.csv")
    monkeypatch.chdir(tmp_path)
    command, _, shown = example.replace("\\\n", "").partition("\n")
    with suppress(SystemExit):
        main(shlex.split(command)[1:])
    printed = "".join(capsys.readouterr())
    assert doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS), printed


def test_the_page_has_every_command_and_every_option(capsys):
    for command in ("score", "compare", "explain"):
        assert f"## {command.capitalize()}\n" in PAGE
        with suppress(SystemExit):
            main([command, "--help"])
        for option in re.findall(r"--\w+", capsys.readouterr().out):
            assert option == "--help" or f"{option} " in PAGE


def test_the_table_of_the_readme_has_the_same_definitions_and_values():
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    assert f"`y_true = {list(Y_TRUE)}`" in readme
    assert f"`y_score = {list(Y_SCORE)}`" in readme
    table = re.findall(r"^\| `(.+)` \| .* \| (\d\.\d{3}) \|$", readme, re.MULTILINE)
    known = vars(sklearn_ap) | {"counts": sklearn_ap.threshold_counts(Y_TRUE, Y_SCORE)}
    for call, value in table:
        of_data = call if "(counts)" in call else call.replace("(", f"({Y_TRUE}, {Y_SCORE}, ")
        assert f"{float(np.ravel(eval(of_data, known))[0]):.3f}" == value
