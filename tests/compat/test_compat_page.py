"""The pages on other tools, which docs/compat_page.py writes."""

import compat_page as page
from compat_inputs import NAMES
from pages import tables


def test_they_are_what_the_table_says():
    for path, text in page.PAGES.items():
        assert path.read_text() == text(), "run python docs/compat_page.py"


def test_a_symptom_is_seen_where_its_cause_is_and_nowhere_else():
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


def test_the_call_shown_for_a_function_of_r_gives_its_number():
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
