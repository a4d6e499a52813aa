"""sklearn-ap trec."""

import json

import pytest
from retrieval_files import QRELS, A, B, generated

from sklearn_ap import average_precision_score, retrieval
from sklearn_ap.__main__ import main


@pytest.fixture
def small(write):
    return write(QRELS, "qrels.txt"), write(A, "a.run"), write(B, "b.run")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ([], {}),
        (["--relevance-level", "3", "--complete"], {"relevance_level": 3, "complete": True}),
        (["--unjudged", "left-out"], {"unjudged": "left out"}),
    ],
)
def test_options_of_the_trec_command_match_from_trec(capsys, write, options, told):
    files = [write(text, name) for name, text in generated(n_queries=12).items()]
    assert main(["trec", *files, *options, "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    with pytest.warns(UserWarning, match="quer"):
        judged = retrieval.from_trec(*files, **told)
    assert (found["rows"], found["positives"]) == (judged.y_true.size, judged.y_true.sum())
    assert found["positive_label"] == f"{told.get('relevance_level', 1)} or more"
    score = average_precision_score(**judged["a"], zero_division=0.0)
    assert found["results"][0]["estimate"] == pytest.approx(score)


def test_trec_prints_counts_table_and_measures(say, small):
    lines = say("trec", *small).splitlines()
    assert lines[0] == "5 rows, 3 positive (60.0%), 2 queries. The positive label is '1 or more'."
    assert lines[5] == "mean step AP, 5 rows, 3 positives (60.0%), 95% intervals over 2 queries"
    assert lines[6].split() == ["estimate", "minus", "a", "p-value"]
    assert lines[7].startswith("a  0.50 (")
    assert {"map", "map_cut_10", "P_10", "recall_10", "recip_rank"} < set(lines)


@pytest.mark.parametrize(
    ("name", "way", "ours", "theirs"),
    [  # two of three tied documents are relevant; the third comes last by name, or first
        ("ants", "zero", 1 / 3, 1 / 2),
        ("pears", "zero", 1 / 3, 7 / 24),  # (1/2 + 2/3) / 2, and 0 of the second query
        ("pears", "left-out", 2 / 3, 7 / 12),
    ],
)
def test_ties_option_matches_trec_eval_and_its_absence_warns(
    capsys, write, name, way, ours, theirs
):
    qrels = f"1 0 apples 1\n1 0 geese 1\n1 0 {name} 0\n2 0 figs 0\n"
    rows = "1 Q0 apples", "1 Q0 geese", f"1 Q0 {name}", "2 Q0 figs"
    run = "".join(f"{row} 1 0.9 x\n" for row in rows)
    command = ["trec", write(qrels, "qrels.txt"), write(run, "x.run"), "--without-positives", way]
    for ties, value in ("shared", ours), ("trec_eval", theirs):
        assert main([*command, "--ties", ties, "--format", "json"]) == 0
        printed = capsys.readouterr()
        assert json.loads(printed.out)["results"][0]["value"] == pytest.approx(value)
        warning = (
            "warning: Documents of x are tied. trec_eval breaks ties by their names, which "
            f"makes map {theirs:.4f} of {ours:.4f}: pass --ties trec_eval."
        )
        said = " ".join(printed.err.split())
        assert (warning in said) == ("tied" in said) == (ties == "shared")
    assert main([*command, "--definition", "P@2"]) == 0
    assert "tied" not in capsys.readouterr().err


def test_trec_without_positives_exits_with_status_1(capsys, small):
    for option in ([], ["--without-positives", "left-out"]):
        assert main(["trec", *small, "--relevance-level", "9", *option]) == 1
        assert "2 queries, none with positives. The" in " ".join(capsys.readouterr().out.split())


def test_invalid_trec_files_and_options_are_refused(refuse, small, write):
    message = refuse("trec", *small, "--relevance-level", "nan")
    assert message == "--relevance-level must be a finite number, got nan."
    broken = write(b"1 Q0 d\xe9 1 0.5 x\n", "broken.run")  # pyarrow must print no traceback
    assert refuse("trec", small[0], broken) == f"{broken}: the text is not UTF-8: save it in this encoding"
    message = refuse("trec", small[0], write("8 Q0 x 1 1 a\n", "8"))
    assert "qrels.txt: none of its queries is in a run: it has '1', and a run has '8'" in message


def test_warning_names_judged_queries_missing_from_runs(capsys, write):
    qrels, run = write("1 0 a 1\n2 0 a 1\n", "q.txt"), write("1 Q0 a 1 0.5 x\n", "x.run")
    assert main(["trec", qrels, run]) == 0
    said = " ".join(capsys.readouterr().err.split())
    assert "1 query judged but in no run: left out; --complete counts 0 ('2')" in said


def test_map_and_mrr_stand_in_one_table(say, small):
    chosen = ("--definition", "MAP", "--definition", "MRR", "--format", "markdown")
    rows = [line.split(" | ") for line in say("trec", *small, *chosen).splitlines() if "()" in line]
    names = [row[1] for row in rows]
    assert names == ["Step()"] * 2 + ["ReciprocalRank()"] * 2


def test_shares_of_judged_documents_are_told_at_the_ranks_that_are_scored(capsys, write):
    queries = range(12)
    qrels = "\n".join(f"q{i} 0 {name} {int(name == 'a')}" for i in queries for name in "abcd")
    runs = {
        name: "\n".join(f"q{i} Q0 {doc} 1 {9 - rank} x" for i in queries for rank, doc in found)
        for name, found in (("old", [*enumerate("abcd")]), ("new", [*enumerate("axyb")]))
    }
    files = [
        write(qrels, "qrels.txt"),
        *(write(text, f"{name}.run") for name, text in runs.items()),
    ]
    main(["trec", *files, "--definition", "precision@3"])
    told = capsys.readouterr().err.splitlines()
    assert any("judged@3: old 1.00 and new 0.33." in line for line in told)
