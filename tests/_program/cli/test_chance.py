"""The command chance."""

import json

import pytest


def one_each(*queries):
    """Each query's positives are 4 of 30 rows: the first, the last, or fair (p-value 0.046)."""
    fair = (0, 4, 9, 20)
    rows = [
        f"{i in (fair if name == 'fair' else range(4)):d},{i if name == 'bad' else -i},{name}\n"
        for name in queries
        for i in range(4 if name.startswith("none") else 0, 30)
    ]
    return "y,p,q\n" + "".join(rows)


@pytest.mark.parametrize(
    "options", [[], ["--without-positives", "zero"], ["--without-positives", "left-out"]]
)
def test_better_queries_are_named_among_queries_with_positives(say, write, options):
    arguments = ["--label", "y", "--score", "p", "--query", "q", *options]
    path = write(one_each("none", "x", "none too", "bad", "y", "fair"))
    last = "2 of the 4 queries with a p-value are better than chance: 'x', 'y'."
    assert say("chance", path, *arguments).splitlines()[-1] == last
    (row,) = json.loads(say("chance", path, *arguments, "--format", "json"))["results"]
    assert row["better_queries"] == ["x", "y"]
    for n, end in (12, "'9' and 2 more.\n"), (10, "'8', '9'.\n"):
        printed = say("chance", write(one_each(*map(str, range(n)))), *arguments)
        assert printed.endswith(end)
