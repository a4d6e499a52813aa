"""The pages on other tools, which docs/compat_page.py writes."""

import importlib
import re
from pathlib import Path

import pytest
from compat_inputs import NAMES

from sklearn_ap.compat._tools import conventions

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
    for entry in conventions():
        rows = re.findall(r"^(?:- )?(`.*?): ", dict(sections)[entry.tool], re.MULTILINE)
        assert f"`{entry.function}`" in ", ".join(rows).split(", ")


def test_every_link_has_its_target(texts):
    targets = {tool.lower() for tool in re.findall(r"^## (\S+)$", texts["tools.md"], re.MULTILINE)}
    linked = set(re.findall(r"\]\(tools.md#(\S+?)\)", texts["compat.md"]))
    assert linked <= targets
    assert "](#" not in "".join(texts.values())


def test_no_table_is_wider_than_four_columns(texts):
    rows = [line for text in texts.values() for line in text.splitlines() if line.startswith("| ")]
    assert max(line.count(" | ") for line in rows) < 4


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


def test_counts_in_all_texts():
    """Of functions and tools, wherever they are written by hand; a changelog tells what was."""
    counts = {"functions of": len(NAMES), "tools": len({name.split(".")[0] for name in NAMES})}
    texts = {DOCS.parent / "README.md", *DOCS.glob("*.md")} - {DOCS / "changelog.md"}
    for path in texts:
        for number, what in re.findall(r"(\d+) (functions of|tools)", path.read_text()):
            assert int(number) == counts[what], f"{path} says {number} {what}"
