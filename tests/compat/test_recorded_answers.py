"""Every recorded answer of a tool is reproduced."""

import math
import re
from collections import Counter

import hard_rankings
import pytest
from compat_inputs import CASES, asked

from sklearn_ap import compat
from sklearn_ap.compat._tools import ENTRIES, get

# By function: what was asked and answered, but for answers that are observations.
RECORDS = {}
for case in CASES:
    for record in case["results"]:
        if not record.get("tie_order_unspecified") and case["id"] != "nan_score":
            RECORDS.setdefault(record["name"], []).append((case, record))

RANKINGS, ANSWERS = hard_rankings.read()


def test_every_recorded_answer_is_reproduced(subtests):
    for name in RECORDS:
        with subtests.test(name):
            for case, record in RECORDS[name]:
                data, (_, options) = (case["y_true"], case["y_score"]), asked(case, record)
                if "exception" in record:
                    with pytest.raises(compat.ToolError, match=f"^{name}: "):
                        compat.score(name, *data, **options)
                    continue
                value = compat.score(name, *data, **options)
                expected = math.nan if record.get("nan") else record["value"]
                close = pytest.approx(expected, abs=get(name).tolerance, rel=0, nan_ok=True)
                assert value == close, (case["id"], options)


def test_every_answer_to_a_hard_ranking_is_reproduced(subtests):
    data = [*map(hard_rankings.as_arrays, RANKINGS)]
    for answer in ANSWERS:
        with subtests.test(f"compat.score({answer['name']!r}, **{answer['options']})"):
            name, options = answer["name"], answer["options"]
            near = {"abs": get(name).tolerance, "rel": 0, "nan_ok": True}
            for ranking, arrays, value in zip(RANKINGS, data, answer["values"], strict=True):
                y_true, y_score, weights = arrays
                given = options | ({"sample_weight": weights} if "sample_weight" in options else {})
                if isinstance(value, str) and value != hard_rankings.NOT_ASKED:
                    with pytest.raises(compat.ToolError, match=f"^{name}: "):
                        compat.score(name, y_true, y_score, **given)
                elif value != hard_rankings.NOT_ASKED:
                    ours, theirs = compat.score(name, y_true, y_score, **given), value
                    theirs = math.nan if theirs is None else theirs
                    assert ours == pytest.approx(theirs, **near), ranking


def test_hard_rankings_include_ties_and_single_classes_of_all_sizes():
    assert len(RANKINGS) == 150
    tied = [[*Counter(blocks).values()] for _, blocks, _ in RANKINGS]
    assert {size for sizes in tied for size in sizes} >= {*range(1, 11)}
    assert {sum(sizes) for sizes in tied} >= {1, 2, 60}
    assert sum(len(sizes) == 1 < sizes[0] for sizes in tied) >= 10  # all tied
    assert sum(len(sizes) == sum(sizes) > 10 for sizes in tied) >= 5  # none
    one_class = Counter(labels[0] for labels, *_ in RANKINGS if len({*labels}) == 1)
    assert min(one_class["0"], one_class["1"]) >= 10
    hits = Counter()
    for labels, blocks, _ in RANKINGS:
        pairs = zip(blocks, labels, strict=True)
        hits.update(Counter(block for block, label in pairs if label == "1").values())
    assert {*hits} >= {*range(1, 11)}


def test_entry_dates_match_the_run_of_hard_rankings():
    ran = {answer["name"] for answer in ANSWERS}
    of_tools = {}
    for entry in ENTRIES:
        of_tools.setdefault(entry.tool, set()).add(entry.name)
    whole = {tool for tool, names in of_tools.items() if names <= ran}
    were_run = [entry for entry in ENTRIES if entry.source.startswith("run")]
    dated = {entry.tool for entry in were_run if entry.date >= "2026-11-25"}
    assert whole == dated, (
        f"tests/helpers/record_peers.py: record answers of {dated - whole}; "
        f"DATES of sklearn_ap/compat/_tools.py: write when {whole - dated} were run."
    )


def test_entries_that_were_run_have_records_of_their_version():
    records = [record for case in CASES for record in case["results"]] + ANSWERS
    answered = {(record["name"], record["version"]) for record in records}
    recorded = {*dict(answered)}
    ran = {entry.name for entry in ENTRIES if entry.source.startswith("run")}
    assert ran == recorded, (
        f"no recorded answers: {sorted(ran - recorded)}: run tests/helpers/record_peers.py, "
        f"or say source='read' or 'documented'; recorded, but not said to be run: "
        f"{sorted(recorded - ran)}."
    )
    for name, version in answered:
        both = get(name).versions, version
        known, seen = (re.findall(r"\d+", text.split()[0]) for text in both)
        assert known == seen, name
