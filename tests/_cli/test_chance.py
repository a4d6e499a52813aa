"""The command chance."""

import json

import pytest

from sklearn_ap import chance_test

CSV = "y,p,q\n" + "".join(f"{i % 3 == 0:d},{(7 * i) % 20},{i % 2}\n" for i in range(20))
Y = [int(i % 3 == 0) for i in range(20)]
P = [(7 * i) % 20 for i in range(20)]


def test_one_ranking(say, write):
    printed = say("chance", write(CSV), "--label", "y", "--score", "p")
    found = chance_test(Y, P)
    assert f"{found.score:.4f}" in printed
    assert f"{found.chance:.4f}" in printed
    assert "better than chance" not in printed


def test_queries_and_definitions_as_json(say, write):
    arguments = ["--label", "y", "--score", "p", "--query", "q", "--format", "json"]
    arguments += ["--definition", "AP@5", "--definition", "step"]
    first, second = json.loads(say("chance", write(CSV), *arguments))["results"]
    assert first["title"] == "AP@5"
    found = chance_test(Y, P, queries=[i % 2 for i in range(20)])
    assert second["score"] == pytest.approx(found.score)
    assert second["pvalue"] == found.pvalue
    assert second["queries_above_chance"] == 0
    assert second["n_permutations"] == 9999


def test_at_a_prevalence(say, write):
    arguments = ["--label", "y", "--score", "p", "--prevalence", "0.1", "--format", "json"]
    (row,) = json.loads(say("chance", write(CSV), *arguments))["results"]
    assert row["title"] == "step AP at prevalence 0.1"
    assert row["score"] == pytest.approx(chance_test(Y, P, prevalence=0.1).score)


def test_queries_that_are_better(say, write):
    rows = [(int(i < 4), 30 - i, q) for q in range(3) for i in range(30)]
    text = "y,p,q\n" + "".join(f"{y},{p},{q}\n" for y, p, q in rows)
    printed = say("chance", write(text), "--label", "y", "--score", "p", "--query", "q")
    assert printed.splitlines()[-1] == "3 of 3 queries are better than chance."


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        (["--weight", "p"], "chance takes no --weight: rows of unequal weight"),
        (["--cluster", "q"], "--cluster is for intervals"),
        (["--score", "q"], "pass --score once"),
    ],
)
def test_what_it_does_not_take(refuse, write, arguments, text):
    assert text in refuse("chance", write(CSV), "--label", "y", "--score", "p", *arguments)
