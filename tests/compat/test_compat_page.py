"""The pages on other tools, which docs/compat_page.py writes."""

import re

import compat_page as page
from compat_inputs import NAMES
from pages import tables

from sklearn_ap import compat
from sklearn_ap.compat._tools import ENTRIES


def test_generated_pages_are_up_to_date():
    for path, text in page.PAGES.items():
        assert path.read_text() == text(), "run python docs/compat_page.py"


def test_table_of_tools_contains_every_entry():
    text = (page.DOCS / "tools.md").read_text()
    (rows,) = (rows for rows in tables(text) if rows[0][0] == "tool")
    frame = compat.compare([1, 0], [2, 1], tools=["xgboost.aucpr"]).to_frame()
    assert [*page.HEADS] == [name for name in frame.columns if name in page.HEADS]
    assert rows[0] == [*page.HEADS.values()]
    assert len(rows) == len(ENTRIES) + 1
    shown = {}
    for cells in rows[1:]:
        read = [re.sub(r"^\[(.*)\]\(#[a-z0-9_-]+\)$", r"\1", cell.strip("`")) for cell in cells]
        row = dict(zip(page.HEADS, read, strict=True))
        usual = page.BASELINE.columns()
        shown[f"{row['tool']}.{row['function']}"] = {
            name: told or (usual[name] if name in page.OPTIONS else "")
            for name, told in row.items()
        }
    known = {
        entry.name: {name: told for name, told in entry.columns().items() if name in page.HEADS}
        for entry in ENTRIES
    }
    assert shown == known


def test_each_choice_that_the_table_names_is_explained_once():
    text = (page.DOCS / "tools.md").read_text()
    anchors = re.findall(r"^\((.+)\)=$", text, re.MULTILINE)
    assert len({*anchors}) == len(anchors) == sum(map(len, page.OPTIONS.values()))
    sections = {title.lower() for title in re.findall(r"^## (.+)$", text, re.MULTILINE)}
    assert {*re.findall(r"\]\(#([^)]+)\)", text)} <= {*anchors} | sections


def test_symptoms_appear_exactly_in_functions_with_their_cause():
    for symptom in page.SYMPTOMS:
        shown = {entry.name for entry in page.seen(symptom)}
        assert shown, symptom.what
        assert NAMES[0] not in shown
        if symptom.has:
            caused = {entry.name for entry in page.AVERAGES if symptom.has(entry)}
            assert shown == caused, (
                f"docs/compat_page.py, {symptom.what!r} of SYMPTOMS: seen without its cause: "
                f"{sorted(shown - caused)}; not seen despite its cause: {sorted(caused - shown)}."
            )


def test_r_functions_have_their_equivalent_call_on_the_page():
    text = (page.DOCS / "differences.md").read_text()
    (rows,) = (rows for (head, *_), *rows in tables(text) if head == "in R")
    for entry in (entry for tool in page.ALIASES["R"] for entry in page.find(tool)):
        (here,) = (
            here
            for there, here in rows
            if entry.tool in there and (entry.function in there or "ROCR" in there)
        )
        call, _ = page.ours(entry)
        assert here.startswith("`compat.score(" if "compat" in call else f"`{call}`"), entry.name


def test_the_page_says_how_many_functions_were_run():
    first = page.page().partition("<!--")[0]
    n_run = sum(entry.source == "run" for entry in page.ENTRIES)
    assert f"{n_run} of them were run, " in first
    for source in {entry.source for entry in page.ENTRIES} - {"run"}:
        n_functions = sum(entry.source == source for entry in page.ENTRIES)
        assert page.KNOWN[source].format(n_functions) in first
