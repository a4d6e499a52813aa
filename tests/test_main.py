"""The command line."""

import json
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap import compat
from sklearn_ap.__main__ import Y_SCORE, Y_TRUE, main, rows


def test_it_prints_every_definition_with_its_value(capsys):
    main([])
    printed = capsys.readouterr().out
    assert str(list(Y_TRUE)) in printed
    assert str(list(Y_SCORE)) in printed
    for title, definition, value in rows():
        assert f"{value:.3f}  {title:<24}  {definition!r}\n" in printed


def test_the_calls_that_it_prints_give_the_values_that_it_prints():
    counts = sklearn_ap.threshold_counts(Y_TRUE, Y_SCORE)
    for _, definition, value in rows():
        assert eval(repr(definition), vars(sklearn_ap.definitions))(counts)[0] == value


def test_it_runs_as_a_module():
    command = [sys.executable, "-m", "sklearn_ap"]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert "step AP" in run.stdout
    assert not run.stderr


class TestFiles:
    """compare and explain, for CSV, TSV and pipes."""

    ROWS = tuple(zip(Y_TRUE, Y_SCORE, [1] * 10, "aaaaabbbbb", strict=True))

    @pytest.fixture
    def file(self, tmp_path):
        def write(name="p.csv", rows=self.ROWS, separator=","):
            path = tmp_path / name
            header = separator.join(["y", "p", "w", "q"])
            lines = [separator.join(map(str, row)) for row in rows]
            path.write_text("\n".join([header, *lines]) + "\n")
            return str(path)

        return write

    COLUMNS = ("--label", "y", "--score", "p")

    def test_compare(self, file, capsys):
        main(["compare", file(), *self.COLUMNS])
        assert capsys.readouterr().out == f"{compat.compare(Y_TRUE, Y_SCORE)}\n"

    def test_compare_with_k_weights_and_groups(self, file, capsys):
        main(["compare", file(), *self.COLUMNS, "--k", "3", "--weight", "w", "--group", "q"])
        expected = compat.compare(
            Y_TRUE, Y_SCORE, k=3, sample_weight=np.ones(10), groups=list("aaaaabbbbb")
        )
        assert capsys.readouterr().out == f"{expected}\n"

    def test_explain(self, file, capsys):
        main(["explain", "MLmetrics.PRAUC", file(), *self.COLUMNS])
        explanation = compat.explain("MLmetrics.PRAUC", Y_TRUE, Y_SCORE)
        assert capsys.readouterr().out == f"{explanation}\n"

    def test_tabs(self, file, capsys):
        main(["explain", "cornac.MAP", file("p.tsv", separator="\t"), *self.COLUMNS])
        assert "0.7167  cornac.MAP" in capsys.readouterr().out

    def test_a_pipe(self, file):
        command = [sys.executable, "-m", "sklearn_ap", "explain", "cornac.MAP", "-", *self.COLUMNS]
        with open(file()) as rows:
            run = subprocess.run(command, stdin=rows, capture_output=True, text=True, check=True)
        assert "0.7167  cornac.MAP" in run.stdout

    @pytest.mark.parametrize(
        ("text", "code", "message"),
        [
            (b"\xef\xbb\xbfy,p\n1,0.5\n0,0.4\n", 0, b""),
            (b"y;p\r\n1;0.5\r\n0;0.4\r\n", 0, b""),
            (b"y,p\n1," + 140_000 * b"5" + b"\n", 2, b"field larger than field limit"),
            (b"y,p\n1,\xff\n", 2, b"codec can't decode"),
        ],
    )
    def test_odd_pipes(self, text, code, message):
        command = [sys.executable, "-m", "sklearn_ap", "compare", "-", *self.COLUMNS]
        run = subprocess.run(command, input=text, capture_output=True, check=False)
        assert run.returncode == code
        assert message in run.stderr
        assert run.stderr.count(b"\n") == (code != 0)

    def test_a_closed_pipe_and_a_full_disk(self, file):
        base = f"{sys.executable} -m sklearn_ap compare"
        for command, message in (
            (f"{base} - --label y --score p <&-", "there is no standard input"),
            (f"{base} {file()} --label y --score p > /dev/full", "No space left on device"),
        ):
            if "/dev/full" in command and not Path("/dev/full").exists():
                continue
            run = subprocess.run(command, shell=True, capture_output=True, text=True, check=False)
            assert run.returncode == 2
            assert run.stderr == f"sklearn-ap: error: {message}\n"

    def test_a_reader_that_stops_early(self, file):
        command = f"{sys.executable} -m sklearn_ap compare {file()} --label y --score p | head -n 1"
        run = subprocess.run(command, shell=True, capture_output=True, text=True, check=True)
        assert not run.stderr

    def test_json(self, file, capsys):
        main(["compare", file(), *self.COLUMNS, "--format", "json"])
        rows = json.loads(capsys.readouterr().out)
        assert rows[0]["name"] == "sklearn.average_precision_score"
        main(
            [
                "explain",
                "xgboost.aucpr",
                file(rows=[(0, 1, 1, "a")]),
                *self.COLUMNS,
                "--format",
                "json",
            ]
        )
        last = json.loads(capsys.readouterr().out)[-1]
        assert (last["choice"], last["value"]) == ("special case", None)

    def test_markdown(self, file, capsys):
        main(["explain", "MLmetrics.PRAUC", file(), *self.COLUMNS, "--format", "markdown"])
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == "| choice | option | why | value | share |"
        assert lines[1] == "| --- | --- | --- | --- | --- |"
        assert lines[-1].endswith("| 0.5444 | -0.2000 |")

    @pytest.mark.parametrize(
        ("labels", "options"),
        [
            (("no", "yes"), []),
            (("False", "True"), []),
            (("-1", "1"), []),
            (("0.0", "1.0"), []),
            (("goose", "plane"), ["--positive", "plane"]),
        ],
    )
    def test_labels(self, file, capsys, labels, options):
        rows = [(labels[y], *rest) for y, *rest in self.ROWS]
        main(["explain", "cornac.MAP", file(rows=rows), *self.COLUMNS, *options])
        assert "0.7167  cornac.MAP" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--label", "x", "--score", "p"], "no column 'x'; there are 'y', 'p', 'w', 'q'"),
            (["--label", "q", "--score", "p"], "column 'q' holds 'a' and 'b': say which with --po"),
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
    def test_what_is_wrong_is_said_in_one_line(self, file, capsys, arguments, message):
        with pytest.raises(SystemExit) as stop:
            main(["compare", file(), *arguments])
        assert stop.value.code == 2
        printed = capsys.readouterr()
        assert printed.out == ""
        assert printed.err.startswith(f"sklearn-ap: error: {message}")
        assert printed.err.count("\n") == 1

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("", "no column 'y'"),
            ("y,p\n", "no rows below the header"),
            ("y,p\n1,0.5\n0\n", "row 3 has only 1 columns"),
            ("y,p\n1,0.5\n0,\n", "row 3, column 'p': '' is not a number"),
            ("y,p\n1,0.5\n0,nan\n", "row 3, column 'p': 'nan' is not a number"),
            ("y,p\n1,0.5\n0,inf\n", "row 3, column 'p': 'inf' is not a number"),
            ("y,p\n1,0.5\n0,1_0\n", "row 3, column 'p': '1_0' is not a number"),
            ("y,p\n1,0.5\n,0.4\n", "row 3, column 'y' is empty"),
            ("y,p,y\n1,0.5,0\n", "several columns 'y'; there are 'y', 'p', 'y'"),
            ("y,p\n1,0.5\n\n0,x\n", "row 4, column 'p': 'x' is not a number"),
        ],
    )
    def test_broken_files(self, tmp_path, capsys, text, message):
        path = tmp_path / "broken.csv"
        path.write_text(text)
        with pytest.raises(SystemExit) as stop:
            main(["compare", str(path), *self.COLUMNS])
        assert stop.value.code == 2
        assert message in capsys.readouterr().err

    def test_missing_files(self, tmp_path, capsys):
        for path in (tmp_path / "nothing.csv", tmp_path):
            with pytest.raises(SystemExit) as stop:
                main(["compare", str(path), *self.COLUMNS])
            assert stop.value.code == 2
            assert capsys.readouterr().err.count("\n") == 1

    def test_an_unknown_tool(self, file, capsys):
        with pytest.raises(SystemExit) as stop:
            main(["explain", "xgbost.aucpr", file(), *self.COLUMNS])
        assert stop.value.code == 2
        assert "Near it: xgboost.aucpr" in capsys.readouterr().err


def test_what_it_does_not_know_is_an_error(capsys):
    with pytest.raises(SystemExit) as stop:
        main(["--nonsense"])
    assert stop.value.code == 2
    assert "unrecognized arguments" in capsys.readouterr().err


def test_the_example_has_the_cutoffs_and_all_tools(capsys):
    main([])
    printed = capsys.readouterr().out
    assert "    1    0.9       yes      1.000   0.200\n" in printed
    assert "   10    0.1       yes      0.500   1.000\n" in printed
    for entry in compat.conventions():
        assert entry.name in printed


def test_the_table_of_the_readme_has_the_same_definitions_and_values():
    readme = (Path(__file__).parents[1] / "README.md").read_text()
    assert f"`y_true = {list(Y_TRUE)}`" in readme
    assert f"`y_score = {list(Y_SCORE)}`" in readme
    table = re.findall(r"^\| `(.+)` \| .* \| (\d\.\d{3}) \|$", readme, re.MULTILINE)
    known = vars(sklearn_ap) | {"counts": sklearn_ap.threshold_counts(Y_TRUE, Y_SCORE)}
    for call, value in table:
        of_data = call if "(counts)" in call else call.replace("(", f"({Y_TRUE}, {Y_SCORE}, ")
        assert f"{float(np.ravel(eval(of_data, known))[0]):.3f}" == value
