"""sklearn-ap trec."""

import json

import pytest
import trec_measures
from every import every
from retrieval_files import QRELS, A, B, generated

from sklearn_ap import average_precision_score, retrieval
from sklearn_ap.__main__ import main


@pytest.fixture
def small(write):
    return write(QRELS, "qrels.txt"), write(A, "a.run"), write(B, "b.run")


@every("changed", [False, True])
def test_two_systems_in_one_command(capsys, write, changed):
    files = [write(text, name) for name, text in generated(n_queries=12).items()]
    options = ("--relevance-level", "3", "--unjudged", "left-out", "--complete") if changed else ()
    assert main(["trec", *files, *options, "--k", "2", "--format", "json"]) == 0
    found = json.loads(capsys.readouterr().out)
    told = {"relevance_level": 3, "unjudged": "left out", "complete": True} if changed else {}
    with pytest.warns(UserWarning, match="quer"):
        judged = retrieval.from_trec(*files, **told)
    assert (found["rows"], found["positives"]) == (judged.y_true.size, judged.y_true.sum())
    assert found["queries"] == len(judged.query_names)
    assert found["positive_label"] == ("3 or more" if changed else "1 or more")
    for i, (measure, definition) in enumerate(trec_measures.at(2).items()):
        for name, row in zip("ab", found["results"][2 * i : 2 * i + 2], strict=True):
            options = judged[name] | {"definition": definition, "zero_division": 0.0}
            value = average_precision_score(**options)
            title = measure if measure == "map" else f"{measure}_2"
            assert (row["title"], row["definition"]) == (title, repr(definition))
            assert (row["name"], row["estimate"]) == (name, pytest.approx(value))


def test_the_text(say, small):
    lines = say("trec", *small).splitlines()
    assert lines[0] == "5 rows, 3 positive (60%), 2 queries. The positive label is '1 or more'."
    assert lines[5] == "   estimate      95% interval    minus a        95% interval  p-value"
    assert lines[6].startswith("a    0.5000  [")
    assert {"map", "map_cut_10", "P_10", "recall_10"} < set(lines)


def test_ties_as_trec_eval_breaks_them(capsys, write):
    """And the warning names the map that is printed. Of the second query nothing is relevant."""
    qrels = "1 0 apples 1\n1 0 geese 1\n1 0 pears 0\n2 0 figs 0\n"
    rows = ("1 Q0 apples", "1 Q0 geese", "1 Q0 pears", "2 Q0 figs")
    run = "".join(f"{row} 1 0.9 x\n" for row in rows)
    # two of three tied documents are relevant; by name, pears come first: (1/2 + 2/3) / 2
    for name, way, ours, theirs in (
        ("ants", "zero", 1 / 3, 1 / 2),  # and ants last
        ("pears", "zero", 1 / 3, 7 / 24),
        ("pears", "left-out", 2 / 3, 7 / 12),
    ):
        texts = (text.replace("pears", name) for text in (qrels, run))
        files = [*map(write, texts, ("qrels.txt", "x.run"))]
        for option, value in ((), ours), (("--ties", "trec_eval"), theirs):
            options = (*option, "--without-positives", way, "--format", "json")
            assert main(["trec", *files, *options]) == 0
            printed = capsys.readouterr()
            assert json.loads(printed.out)["results"][0]["value"] == pytest.approx(value)
            warning = (
                "warning: Documents of x are tied. trec_eval breaks ties by their names, which "
                f"makes map {theirs:.4f} of {ours:.4f}: pass --ties trec_eval."
            )
            assert (warning in " ".join(printed.err.split())) == (not option)
            assert ("tied" in printed.err) == (not option)
    assert main(["trec", *files, "--definition", "P@2"]) == 0
    assert "tied" not in capsys.readouterr().err


def test_no_query_has_a_positive(capsys, small):
    for option in ([], ["--without-positives", "left-out"]):
        assert main(["trec", *small, "--relevance-level", "9", *option]) == 1
        assert "2 queries, none with positives. The" in " ".join(capsys.readouterr().out.split())


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
