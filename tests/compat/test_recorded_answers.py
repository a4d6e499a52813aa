"""Every recorded answer of a tool is reproduced, and the script that records them."""

import math
import re

import pytest
import record_peers
from compat_inputs import CASES
from every import every
from peer_entries import asked, entry_for

from sklearn_ap import compat
from sklearn_ap.compat._tools import ENTRIES, get

# By function: what was asked and answered, but for answers that are observations.
RECORDS = {}
for case in CASES:
    for record in case["results"]:
        if not record.get("tie_order_unspecified") and case["id"] != "nan_score":
            RECORDS.setdefault(asked(case, record)[0], []).append((case, record))


@every("name", RECORDS)
def test_every_one_is_reproduced(name):
    for case, record in RECORDS[name]:
        _, options = asked(case, record)
        if "exception" in record:
            with pytest.raises(compat.ToolError, match=f"^{name}: "):
                compat.score(name, case["y_true"], case["y_score"], **options)
            continue
        value = compat.score(name, case["y_true"], case["y_score"], **options)
        expected = math.nan if record.get("nan") else record["value"]
        assert value == pytest.approx(expected, abs=get(name).tolerance, rel=0, nan_ok=True), (
            case["id"],
            options,
        )


def test_every_entry_that_was_run_has_records():
    recorded = {
        entry_for(record["tool"], record["function"], record["params"])[0]
        for case in CASES
        for record in case["results"]
    }
    ran = {entry.name for entry in ENTRIES if not entry.source.startswith("read")}
    assert ran == recorded, (
        f"no recorded answers: {sorted(ran - recorded)}: run tests/helpers/record_peers.py, "
        f"or say source='read'; recorded, but not said to be run: {sorted(recorded - ran)}."
    )


def test_the_table_names_the_versions_that_were_recorded():
    answered = {
        (asked(case, record)[0], record["version"]) for case in CASES for record in case["results"]
    }
    for name, version in answered:
        both = get(name).versions, version
        known, seen = (re.findall(r"\d+", text.split()[0]) for text in both)
        assert known == seen, name


def test_the_script_writes_the_file_as_it_is():
    assert record_peers.written(CASES) == record_peers.DATA.read_text()
