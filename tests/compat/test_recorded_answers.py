"""Every recorded answer of a tool is reproduced."""

import math
import re

import pytest
from compat_inputs import CASES, asked
from every import every

from sklearn_ap import compat
from sklearn_ap.compat._tools import ENTRIES, get

# By function: what was asked and answered, but for answers that are observations.
RECORDS = {}
for case in CASES:
    for record in case["results"]:
        if not record.get("tie_order_unspecified") and case["id"] != "nan_score":
            RECORDS.setdefault(record["name"], []).append((case, record))


@every("name", RECORDS)
def test_every_one_is_reproduced(name):
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


def test_every_entry_that_was_run_has_records_and_names_their_version():
    answered = {(record["name"], record["version"]) for case in CASES for record in case["results"]}
    recorded = {*dict(answered)}
    ran = {entry.name for entry in ENTRIES if not entry.source.startswith("read")}
    assert ran == recorded, (
        f"no recorded answers: {sorted(ran - recorded)}: run tests/helpers/record_peers.py, "
        f"or say source='read'; recorded, but not said to be run: {sorted(recorded - ran)}."
    )
    for name, version in answered:
        both = get(name).versions, version
        known, seen = (re.findall(r"\d+", text.split()[0]) for text in both)
        assert known == seen, name
