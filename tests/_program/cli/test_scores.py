"""sklearn-ap score."""

import json
import re
from importlib import import_module

import pyarrow as pa
import pytest
from predictions_file import COLUMNS, packed

from sklearn_ap.__main__ import main
from sklearn_ap._program.cli.commands import Y_SCORE, Y_TRUE


class TestScore:
    def test_warning_names_its_definition_or_option(self, capsys, write):
        path = write("y,p,c\n" + "1,.5,a\n0,.4,a\n1,.3,b\n0,.2,b\n" * 3)
        main(["score", path, *COLUMNS, "--cluster", "c"])
        printed = capsys.readouterr()
        assert max(map(len, printed.err.splitlines())) <= 80
        assert "few clusters: The interval rests on few clusters" in " ".join(printed.err.split())
        path = write("y,p,w\n" + "1,.5,.1\n0,.4,.1\n" * 10)
        main(["score", path, *COLUMNS, "--weight", "w"])
        assert "k=10 exceeds the total of --weight" in " ".join(capsys.readouterr().err.split())

    def test_scores_at_a_prevalence_leave_out_definitions_at_k(self, say, write):
        printed = say("score", write(), *COLUMNS, "--prevalence", "0.1")
        assert re.search(r"\n0\.34 \(.*\)  step AP at prevalence 0\.1\n", printed)
        printed = " ".join(printed.split())
        assert "--prevalence does not go with the first k ranks" in printed

    @pytest.mark.parametrize(
        "text", ["y,p,w\n0,.5,1\n", "y,p,w\n1,.5,0\n0,.4,1\n"]
    )  # a weight of 0
    def test_score_without_positives_warns_and_exits_with_1(self, capsys, write, text):
        assert main(["score", write(text), *COLUMNS, "--weight", "w"]) == 1
        printed = capsys.readouterr()
        assert "undefined" in printed.out
        warning = "sklearn-ap: warning: no row is positive, so average precision is not defined\n"
        assert warning in printed.err
        main(["score", write("y,p\n1,.5\n"), *COLUMNS, "--prevalence", ".1", "--format", "json"])
        results = json.loads(capsys.readouterr().out)["results"]
        assert {row["value"] for row in results} == {None}  # positives alone have none there


class TestQueriesWithoutPositives:
    @pytest.mark.parametrize("command", [["score"], ["compare"], ["explain", "ranx.map"]])
    @pytest.mark.parametrize("rule", ["zero", "left-out", None])
    def test_commands_treat_queries_without_positives_alike(self, say, write, command, rule):
        path = write("y,p,q\n1,.5,a\n0,.4,a\n0,.5,b\n0,.4,b\n1,.2,c\n0,.1,c\n")
        chosen = [] if rule is None else ["--without-positives", rule]
        arguments = (*command, path, *COLUMNS, "--query", "q", *chosen)
        is_left_out = rule == "left-out"
        counted = (
            "2 queries (and 1 without positives, left out)"
            if is_left_out
            else "3 queries (1 without positives, counted as 0)"
        )
        assert counted in " ".join(say(*arguments).split())
        found = json.loads(say(*arguments, "--format", "json"))
        name = "value" if command == ["score"] else "estimate"
        assert found["results"][0][name] == pytest.approx(1 if is_left_out else 2 / 3)
        counts = found["queries_that_count_0"], found["queries_left_out"]
        assert counts == (not is_left_out, is_left_out)

    def test_queries_of_weight_0_are_ignored(self, say, write):
        path = write("y,p,q,w\n1,.5,a,1\n0,.4,a,1\n0,.6,b,1\n1,.5,c,0\n")
        options = ("--query", "q", "--weight", "w", "--definition", "AP", "--format", "json")
        found = json.loads(say("score", path, *COLUMNS, *options))
        assert (found["queries"], found["queries_that_count_0"]) == (2, 1)
        assert found["results"][0]["value"] == 1 / 2


class TestSeveralModels:
    TWO = ("--label", "y", "--score", "a", "--score", "b")

    @pytest.fixture
    def path(self, write):
        columns = {
            "y": Y_TRUE,
            "a": Y_SCORE,
            "b": Y_SCORE[::-1],
            "w": range(1, 11),
            "q": "aabbccddee",
        }
        return write(packed(pa.table({name: [*cells] for name, cells in columns.items()})))

    def test_slow_intervals_are_left_out(self, say, path, monkeypatch):
        module = import_module("sklearn_ap._program.cli._scores")
        monkeypatch.setattr(module, "MOST_RESAMPLED_ROWS", 9)
        weighted = ("--weight", "w")
        printed = say("score", path, *self.TWO[:4], *weighted)
        assert re.search(r"\n0\.55 \(.*\)  step AP\n0\.48 +AP@10\n", printed)
        printed = say("score", path, *self.TWO, *weighted)
        assert re.search(r"\nAP@10\n0\.\d{3}  a\n1\.000  b\n", printed)
        assert "Without an interval: AP@10" in printed
        queries = say("score", path, *self.TWO, *weighted, "--query", "q")
        assert "Without an interval" not in queries  # they resample queries
        found = say("score", path, *self.TWO, *weighted, "--format", "markdown")
        assert len({line.count("|") for line in found.splitlines() if "|" in line}) == 1
        assert re.search(r"\| AP@10 \|.*\|  \|  \|", found)
        assert not re.search("nan|None", found)

    def test_score_of_two_models_prints_the_table_of_compare(self, say, path):
        printed = say("score", path, *self.TWO)
        assert re.search(r"\nstep AP, 10 rows, .*\n +estimate +minus a .*\na  +0\.72 ", printed)
        assert max(map(len, printed.splitlines())) <= 100
        assert say("compare", path, *self.TWO) == printed


def test_requested_definitions_are_shown_in_order_or_refused(refuse, say, write):
    chosen = ("--definition", "recall@3", "--definition", "linear AP", "--definition", "Linear")
    found = json.loads(say("score", write(), *COLUMNS, *chosen, "--format", "json"))
    assert [row["definition"] for row in found["results"]] == ["RecallAtK(k=3)", "Linear()"]
    options = ("--weight", "w", "--definition", "expected AP")
    message = refuse("score", write(), *COLUMNS, *options)
    assert message.startswith("Expected average precision takes unweighted")
    said = refuse("score", write(), *COLUMNS, "--definition", "precision@.005")
    assert "For this share write 'precision@0.5%'." in said
    for name in ("AP@0", "AP@-5", "AP@1.5", "AP@0%", "AP@100%"):
        said = refuse("score", write(), *COLUMNS, "--definition", name)
        assert f"no definition '{name}': k must be" in said
