"""The command chance."""

import json

import numpy as np
from every import every

from sklearn_ap import chance_test


def one_each(*queries):
    """Predictions of which each query's 4 positives are the first, or the last, of 30 rows.

    The p-value of a fair one is 0.046, which is above 0.05 where it is adjusted for two queries.
    """
    fair = (0, 4, 9, 20)
    rows = [
        f"{i in (fair if name == 'fair' else range(4)):d},{i if name == 'bad' else -i},{name}\n"
        for name in queries
        for i in range(4 if name.startswith("none") else 0, 30)
    ]
    return "y,p,q\n" + "".join(rows)


@every("options", [[], ["--without-positives", "zero"], ["--without-positives", "left-out"]])
def test_queries_that_are_better_are_named_and_those_without_positives_are_not_counted(
    say, write, options
):
    arguments = ["--label", "y", "--score", "p", "--query", "q", *options]
    path = write(one_each("none", "x", "none too", "bad", "y", "fair"))
    last = "2 of the 4 queries with a p-value are better than chance: 'x', 'y'."
    assert say("chance", path, *arguments).splitlines()[-1] == last
    (row,) = json.loads(say("chance", path, *arguments, "--format", "json"))["results"]
    assert row["better_queries"] == ["x", "y"]
    for n, end in (12, "'9' and 2 more.\n"), (10, "'8', '9'.\n"):
        printed = say("chance", write(one_each(*map(str, range(n)))), *arguments)
        assert printed.endswith(end)


@every("names", ["badc", ["10", "9", "2", "1"]])
def test_the_pvalue_is_that_of_chance_test_with_queries_in_any_order(say, write, names):
    rng, queries = np.random.default_rng(0), np.repeat([*names], [12, 8, 10, 7])
    y = (rng.random(37) < 0.4).astype(int)
    s = np.round(0.6 * y + rng.normal(size=37), 3)
    rows = [f"{label},{score},{query}" for label, score, query in zip(y, s, queries, strict=True)]
    path = write("\n".join(["y,s,q", *rows]) + "\n")
    arguments = ["--label", "y", "--score", "s", "--query", "q", "--format", "json"]
    arguments += ["--definition", "AP@5", "--definition", "step"]
    first, found = json.loads(say("chance", path, *arguments))["results"]
    assert (first["title"], found["n_permutations"]) == ("AP@5", 9999)
    as_numbers = queries if queries[0].isalpha() else queries.astype(int)
    expected = chance_test(y, s, queries=as_numbers, zero_division=0.0)
    assert found["pvalue"] == expected.pvalue
