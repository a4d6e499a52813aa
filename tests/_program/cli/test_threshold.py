"""The command threshold."""

import json

import numpy as np
import pytest
from predictions_file import COLUMNS, HEAD

from sklearn_ap import operating_point
from sklearn_ap._program.cli.commands import Y_SCORE, Y_TRUE


def row_of(point):
    """What the command prints as JSON."""
    row = {"threshold": point.threshold, "n_selected": point.n_selected}
    for name, share in point.to_frame().iterrows():
        row |= {name: share.estimate, f"{name}_low": share.low, f"{name}_high": share.high}
    row |= {"prevalence": point.sample.target_prevalence, "cost": point.notes.get("cost")}
    row |= {"guarantee": point.guarantee, "confidence_level": point.confidence_level}
    return row | {"remark": ""}


@pytest.mark.parametrize(
    ("arguments", "options"),
    [
        (["--recall", "80%", "--prevalence", "10%"], {"recall": 0.8, "prevalence": 0.1}),
        (["--precision", ".3", "--guarantee", ".6"], {"precision": 0.3, "guarantee": 0.6}),
        (["--precision", ".5", "--recall", ".6"], {"precision": 0.5, "recall": 0.6}),
        (["--cost", "1", "20"], {"cost": {"false_positive": 1, "false_negative": 20}}),
    ],
)
def test_threshold_command_equals_operating_point(say, write, arguments, options):
    path, expected = write(), operating_point(Y_TRUE, Y_SCORE, **options)
    assert say("threshold", path, *COLUMNS, *arguments) == f"{HEAD}{expected}\n"
    printed = say("threshold", path, *COLUMNS, *arguments, "--format", "json")
    assert json.loads(printed)["results"] == [pytest.approx(row_of(expected))]


def test_interval_of_a_file_is_over_its_clusters_and_a_guarantee_is_refused(say, refuse, write):
    rows = [(number > 40 or number % 2, number, number // 4) for number in range(60)]
    path = write("y,p,patient\n" + "".join(f"{y:d},{p},{c}\n" for y, p, c in rows))
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    expected = operating_point(*columns[:2], precision=0.6, clusters=columns[2])
    arguments = ["--precision", ".6", "--cluster", "patient"]
    printed = say("threshold", path, *COLUMNS, *arguments, "--format", "json")
    assert json.loads(printed)["results"] == [pytest.approx(row_of(expected))]
    said = say("threshold", path, *COLUMNS, *arguments)
    assert "95% intervals over 15 clusters" in " ".join(said.split())
    said = refuse("threshold", path, *COLUMNS, *arguments, "--guarantee", ".8")
    assert said.startswith("--guarantee does not go with --cluster: its tests count rows")


def test_missing_threshold_is_null_with_the_reason_as_remark(say, write):
    arguments = [write("y,p\n1,1\n0,2\n"), *COLUMNS, "--cost", "1", "1", "--format", "json"]
    (row,) = json.loads(say("threshold", *arguments))["results"]
    assert (row["threshold"], row["cost"]) == (None, 0.5)
    assert row["remark"].startswith("Select no row: that costs least in this sample, 0.5 per row.")


def test_markdown_has_all_digits_of_a_threshold(say, write):
    path = write("y,p\n1,0.1234567\n0,0.1234566\n")
    printed = say("threshold", path, *COLUMNS, "--recall", "1", "--format", "markdown")
    assert "| 0.1234567 | 1 | 1.0000 |" in printed


@pytest.mark.parametrize(
    ("command", "arguments"),
    [("threshold", ["--k", "3"]), ("segments", ["--segment", "user"])],
)
def test_several_score_columns_give_their_separate_results(say, write, command, arguments):
    path = write("user,y,p,q\n" + "a,1,3,1\na,0,1,2\nb,1,2,2\nb,0,4,1\n" * 8)
    given = path, "--label", "y", *arguments

    def answer(*names):
        return say(command, *given, *names).partition("\n\n")[2].partition("\n\nNot looked at")[0]

    of_each = [answer("--score", name) for name in "pq"]
    both = answer("--score", "p", "--score", "q")
    assert both.rstrip() == "p:\n{}\n\nq:\n{}".format(*(each.rstrip() for each in of_each))
    found = [
        json.loads(say(command, *given, *names, "--format", "json"))["results"]
        for names in (["--score", "p"], ["--score", "p", "--score", "q"])
    ]
    alone = [{"name": "p"} | row for row in found[0]]
    assert found[1][: len(alone)] == alone
