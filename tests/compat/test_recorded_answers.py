"""Every recorded answer of a tool is reproduced."""

import math
import re

import pytest

from sklearn_ap import compat
from tests.helpers import probe_rankings
from tests.helpers.compat_inputs import CASES, LINES, asked, tolerance_of
from tests.helpers.first_cases import first, quick

# By function: what was asked and answered, but for answers that are observations.
RECORDS = {}
# Answers that the lines of the functions note.
NOTED = ("weights_zero_top", "lightgbm.average_precision")
ZERO_WITHOUT_POSITIVES = "torch_geometric.LinkPredMAP"
for case in CASES:
    for record in case["results"]:
        is_observed = record.get("tie_order_unspecified") or case["id"] == "nan_score"
        if not is_observed and (case["id"], record["name"]) != NOTED:
            RECORDS.setdefault(record["name"], []).append((case, record))

RANKINGS, ANSWERS = probe_rankings.read()


def check(name, answer, y_true, y_score, **options):
    """An answer is a number, None for nan, or the text of an exception."""
    if name == ZERO_WITHOUT_POSITIVES and not any(y_true):
        assert answer == 0
        return
    if isinstance(answer, str):
        with pytest.raises(ValueError, match=f"^{name}: "):
            compat.score(y_true, y_score, name, **options)
        return
    theirs = math.nan if answer is None else answer
    ours = compat.score(y_true, y_score, name, **options)
    assert ours == pytest.approx(theirs, abs=tolerance_of(name), rel=0, nan_ok=True), (
        y_true,
        y_score,
    )


@pytest.mark.parametrize("tool", {name.partition(".")[0]: 0 for name in RECORDS})
def test_every_recorded_answer_is_reproduced(subtests, tool):
    for name, answers in RECORDS.items():
        if name.partition(".")[0] != tool:
            continue
        with subtests.test(name):
            for case, record in answers:
                answer = record.get("exception", record.get("value"))
                check(name, answer, case["y_true"], case["y_score"], **asked(case, record)[1])


@pytest.mark.filterwarnings("ignore:constant scores")
@pytest.mark.parametrize("step", [*quick([35, 7], 1), *first([1], 0)])
def test_every_answer_to_a_probe_ranking_is_reproduced(subtests, step):
    for each in ANSWERS:
        name, options = each["name"], each["options"]
        with subtests.test(f"compat.score({name!r}, **{options})"):
            for (y_true, y_score, weights), answer in zip(
                RANKINGS[::step], each["values"][::step], strict=True
            ):
                given = {"sample_weight": weights} if "sample_weight" in options else {}
                if answer != probe_rankings.NOT_ASKED:
                    check(name, answer, y_true, y_score, **options | given)


def test_functions_that_were_run_have_records_of_their_version():
    records = [record for case in CASES for record in case["results"]] + ANSWERS
    answered = {(record["name"], record["version"]) for record in records}
    ran = {name for name, line in LINES.items() if line["known"].startswith("run")}
    assert ran == {name for name, _ in answered}, "run python -m tests.helpers.record_peers"
    for name, version in answered:
        known, seen = (
            re.findall(r"\d+", text.split()[0]) for text in (LINES[name]["version"], version)
        )
        assert known == seen, name
