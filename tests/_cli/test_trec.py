"""sklearn-ap trec."""

import json

import pytest
from retrieval_files import QRELS, A, B, generated

from sklearn_ap import compare_average_precision, retrieval
from sklearn_ap.__main__ import main
from sklearn_ap.definitions import AtK, PrecisionAtK, RecallAtK, Step


@pytest.fixture
def small(write):
    return write(QRELS, "qrels.txt"), write(A, "a.run"), write(B, "b.run")


def test_two_systems_in_one_command(say, small):
    found = json.loads(say("trec", *small, "--k", "2", "--format", "json"))
    assert (found["queries"], found["positives"], found["positive_label"]) == (2, 3, "1 or more")
    judged = retrieval.from_trec(*small)
    asked = {
        "map": Step(),
        "map_cut_2": AtK(2, normalizer="positives"),
        "P_2": PrecisionAtK(2),
        "recall_2": RecallAtK(2),
    }
    expected = []
    for title, definition in asked.items():
        with pytest.warns(UserWarning, match="few queries with a positive"):
            compared = compare_average_precision(
                judged.y_true, judged.y_scores, queries=judged.queries, definition=definition
            )
        about = {"title": title, "definition": repr(definition)}
        expected += [about | row for row in compared.rows()]
    for row in (*found["results"], *expected):
        if row["name"] == next(iter(judged.y_scores)):
            row["difference_standard_error"] = None  # nan in Python
    assert found["results"] == expected


def test_the_text(say, small):
    lines = say("trec", *small).splitlines()
    assert lines[0] == "5 rows, 3 positive (60%), 2 queries. The positive label is '1 or more'."
    assert lines[4:6] == [
        "map",
        "   estimate      95% interval    minus a        95% interval  p-value",
    ]
    assert lines[6].startswith("a    0.5000  [")
    assert {"map_cut_10", "P_10", "recall_10"} < set(lines)


def test_one_definition(say, small):
    chosen = ("--definition", "map_cut_2", "--definition", "AP", "--format", "json")
    rows = json.loads(say("trec", *small, *chosen))["results"]
    assert [row["title"] for row in rows[::2]] == ["map_cut_2", "AP"]
    compared = {row["definition"]: row["estimate"] for row in rows if row["name"] == "a"}
    every = json.loads(say("trec", *small, "--k", "2", "--format", "json"))["results"]
    of_trec = {row["definition"]: row["estimate"] for row in every if row["name"] == "a"}
    assert compared == {name: of_trec[name] for name in compared}


def test_no_query_has_a_positive(capsys, small):
    for option in ([], ["--without-positives", "left-out"]):
        assert main(["trec", *small, "--relevance-level", "9", *option]) == 1
        assert "2 queries, none with positives. The" in " ".join(capsys.readouterr().out.split())


def test_one_system_and_one_document(capsys, say, small, write):
    assert say("trec", *small[:2]).splitlines()[4].endswith("  map")
    assert main(["trec", write("1 0 a 1\n", "q"), write("1 Q0 a 1 .5 x\n", "r")]) == 0
    assert capsys.readouterr().out.startswith("1 row, 1 positive (100%), 1 query. The positive")


def test_options(capsys, write):
    files = [write(text, name) for name, text in generated(n_queries=12).items()]
    options = ("--relevance-level", "3", "--unjudged", "left-out", "--complete")
    assert main(["trec", *files, *options, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    with pytest.warns(UserWarning, match="without judgements"):
        judged = retrieval.from_trec(*files, relevance_level=3, unjudged="left out", complete=True)
    assert found["rows"] == judged.y_true.size
    assert found["positives"] == judged.y_true.sum()
    assert found["queries"] == len(judged.query_names) == 10


def test_queries_without_positives(capsys, write):
    qrels, run = write(QRELS + "3 0 apples 0\n", "q"), write(A + "3 Q0 apples 1 1 a\n", "a")
    for rule, head, value in (
        ("zero", "3 queries (1 without positives, counted as 0)", 1 / 3),
        ("left-out", "2 queries (and 1 without positives, left out)", 1 / 2),
    ):
        chosen = ["trec", qrels, run, "--without-positives", rule]
        assert main(chosen) == 0
        assert head in " ".join(capsys.readouterr().out.split())
        assert main([*chosen, "--format", "json"]) == 0
        found = json.loads(capsys.readouterr().out)["results"][0]["value"]
        assert found == pytest.approx(value)


def test_what_is_left_out_is_said(capsys, small, write):
    assert main(["trec", small[0], write(A.replace("2 Q0", "7 Q0"), "a")]) == 0
    printed = " ".join(capsys.readouterr().err.split())
    assert "warning: 1 query without judgements: left out ('7')" in printed
    assert "warning: 1 query judged but in no run: left out ('2')" in printed


def test_faults(refuse, small, write):
    message = refuse("trec", *small, "--relevance-level", "nan")
    assert message == "--relevance-level must be a finite number, got nan."
    broken = write(b"1 Q0 d\xe9 1 x\n", "broken.run")  # pyarrow must print no traceback
    assert refuse("trec", small[0], broken) == f"{broken}: the text is not UTF-8"
    broken = write(A + "1 Q0 figs 1 0.9\n", "broken.run")
    assert refuse("trec", small[0], broken).startswith(f"{broken}: row 5 has 5 columns, not the 6")
    assert "nothing.run: No such file" in refuse("trec", small[0], "nothing.run")
    assert refuse("trec", small[0]) == "the following arguments are required: RUN"
    message = refuse("trec", small[0], write("8 Q0 x 1 1 a\n", "8"))
    assert "qrels.txt: none of its queries is in a run: it has '1', and a run has '8'" in message
