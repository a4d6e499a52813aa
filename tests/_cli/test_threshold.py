"""The command threshold."""

import json

import pytest
from every import every
from predictions_file import COLUMNS, HEAD

from sklearn_ap import operating_point
from sklearn_ap._cli.commands import Y_SCORE, Y_TRUE


@every(
    ("arguments", "options"),
    [
        (["--recall", "80%", "--prevalence", "10%"], {"recall": 0.8, "prevalence": 0.1}),
        (["--precision", ".3", "--guarantee", ".6"], {"precision": 0.3, "guarantee": 0.6}),
    ],
)
def test_it_prints_what_operating_point_says(say, write, arguments, options):
    path, expected = write(), operating_point(Y_TRUE, Y_SCORE, **options)
    assert say("threshold", path, *COLUMNS, *arguments) == f"{HEAD}{expected}\n"
    printed = say("threshold", path, *COLUMNS, *arguments, "--format", "json")
    assert json.loads(printed)["results"] == [pytest.approx(row) for row in expected.rows()]


def test_no_threshold_is_null_and_its_reason_the_remark(say, write):
    arguments = [write("y,p\n1,1\n0,2\n"), *COLUMNS, "--cost", "1", "1", "--format", "json"]
    (row,) = json.loads(say("threshold", *arguments))["results"]
    assert (row["threshold"], row["cost"]) == (None, 0.5)
    assert row["remark"].startswith("To select nothing costs least: 0.5 per row.")
