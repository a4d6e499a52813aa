"""The pages on other tools, which docs/compat_page.py writes."""

import importlib
import re
from pathlib import Path

import pytest
from compat_inputs import NAMES

from sklearn_ap.compat._tools import ENTRIES

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def page():
    return importlib.import_module("compat_page")


@pytest.fixture(scope="module")
def texts(page):
    return {path.name: text() for path, text in page.PAGES.items()}


def test_they_are_what_the_table_says(texts):
    """If not: python docs/compat_page.py."""
    for name, text in texts.items():
        assert (DOCS / name).read_text() == text


def test_every_tool_has_a_section_and_every_function_a_row(texts):
    sections = re.findall(r"^## (\S+)\n(.*?)(?=^## |\Z)", texts["tools.md"], re.M | re.S)
    assert [tool for tool, _ in sections] == sorted(dict(sections), key=str.lower)
    for entry in ENTRIES:
        rows = re.findall(r"^(?:- )?(`.*?): ", dict(sections)[entry.tool], re.MULTILINE)
        assert f"`{entry.function}`" in ", ".join(rows).split(", ")


def test_every_link_has_its_target(texts):
    targets = {tool.lower() for tool in re.findall(r"^## (\S+)$", texts["tools.md"], re.MULTILINE)}
    linked = set(re.findall(r"\]\(tools.md#(\S+?)\)", texts["compat.md"]))
    assert linked <= targets
    assert "](#" not in "".join(texts.values())


def test_a_symptom_is_seen_where_its_cause_is_and_nowhere_else(page):
    for symptom in page.SYMPTOMS:
        shown = {entry.name for entry in page.seen(symptom)}
        assert shown, symptom.what
        assert NAMES[0] not in shown
        if symptom.has:
            caused = {entry.name for entry in page.AVERAGES if symptom.has(entry)}
            assert shown == caused, (
                f"row {symptom.what!r} of SYMPTOMS: seen without its cause: "
                f"{sorted(shown - caused)}; not seen despite its cause: {sorted(caused - shown)}."
            )
