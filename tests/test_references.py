"""The literature: what is cited is in references.bib, with one entry for each work."""

import inspect
import re
from pathlib import Path
from urllib.parse import unquote

import pytest
import references

import sklearn_ap

DOCS = Path(references.__file__).parent
PAGES = sorted(DOCS.glob("*.md"))
ENTRIES = references.entries()
METHODS = (DOCS / "methods.md").read_text()
LINK = re.compile(r"https://(?:doi\.org|arxiv\.org/abs)/[^\s>`\]]+")
NAME = r"(?:[vV]an (?:der )?)?[A-Z][\w-]+"
YEAR = re.compile(rf"((?:{NAME}, )*{NAME}(?: and {NAME}| et al\.)?)(?:'s)? \(?((?:19|20)\d\d)\)?")


def docstrings():
    """The docstrings of public names by name, modules of which are searched once deeper."""
    found = {}
    for name in sklearn_ap.__all__:
        value = getattr(sklearn_ap, name)
        inner = value.__all__ if inspect.ismodule(value) else ()
        found |= {f"{name}.{each}": inspect.getdoc(getattr(value, each)) or "" for each in inner}
        found[name] = inspect.getdoc(value) or ""
    return found


WITH_REFERENCES = {name: text for name, text in docstrings().items() if "\nReferences\n" in text}


def identifier(link):
    """The DOI, or the number in arXiv."""
    link = link.rstrip(".,")
    while link.count(")") > link.count("("):  # the end of a link in Markdown
        link = link.rpartition(")")[0]
    return unquote(link.partition(".org/")[2].removeprefix("abs/"))


def identifiers(text):
    return {*map(identifier, LINK.findall(text))}


KNOWN = {entry.get("doi", entry.get("eprint")) for entry in ENTRIES.values()} - {None}


def known_works():
    """The surnames of the authors of each entry, and its year."""
    works = []
    for entry in ENTRIES.values():
        surnames = [each.partition(",")[0] for each in entry["author"].split(" and ")]
        works.append((surnames, entry["year"]))
    return works


def is_known(cited, year):
    names = re.split(r", | and ", cited.removesuffix(" et al."))
    found = [surnames for surnames, its_year in known_works() if its_year == year]
    first = names[0].lower()
    return any(
        surnames[0].lower() == first
        and (cited.endswith("et al.") or len(names) in (1, len(surnames)))
        for surnames in found
    )


def test_bibliography_is_read_completely():
    text = references.BIBLIOGRAPHY.read_text()
    assert len(ENTRIES) == text.count("\n@") + 1
    for key, entry in ENTRIES.items():
        assert {"author", "title", "year"} <= entry.keys(), key
        assert any(name in entry for name in (*references.PLACES, "eprint")), key
        assert key.endswith(entry["year"])
    given = [entry["doi"] for entry in ENTRIES.values() if "doi" in entry]
    assert len({*given}) == len(given)


def test_entry_is_shown_with_its_journal_and_an_encoded_link():
    shown = references.in_markdown(ENTRIES["newcombe1998"])
    assert shown.startswith("Newcombe, Robert G. (1998). Interval estimation for the difference")
    assert (
        "eleven methods. *Statistics in Medicine* 17(8), 873-890. [DOI](https://doi.org/" in shown
    )
    assert identifiers(shown) == {ENTRIES["newcombe1998"]["doi"]}
    assert not {"<", ">"} & {*shown}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_doi_of_a_page_is_in_the_bibliography(page):
    links = {link for link in LINK.findall(page.read_text()) if "doi.org" in link}
    assert {*map(identifier, links)} <= KNOWN


@pytest.mark.parametrize("name", WITH_REFERENCES)
def test_every_reference_of_a_docstring_is_in_the_bibliography(name):
    text = WITH_REFERENCES[name].partition("\nReferences\n")[2].partition("\nExamples\n")[0]
    each = re.split(r"^\.\. \[\d+\] ", text, flags=re.M)[1:]
    assert each
    assert identifiers(text) <= KNOWN
    titles = {entry["title"].strip("{}").lower(): entry for entry in ENTRIES.values()}
    for reference in each:
        words = " ".join(reference.split())
        title = re.search(r'"(.*?)"', words)[1].lower()
        assert title in titles, title
        entry = titles[title]
        assert entry["year"] in words
        for doi in {entry.get("doi", entry.get("eprint"))} & KNOWN:
            assert identifiers(words) == {doi}, title


def test_every_work_that_methods_cite_is_in_the_bibliography():
    cited = {*YEAR.findall(" ".join(METHODS.replace("**", "").split()))}
    assert len(cited) > 20
    unknown = [f"{names} {year}" for names, year in cited if not is_known(names, year)]
    assert unknown == []


def test_functions_of_the_table_of_sources_are_public():
    table = (DOCS / "reporting.md").read_text().partition("## What do I cite")[2]
    rows = [row for row in table.splitlines() if row.startswith("| `")]
    names = {name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[1])}
    options = {"clusters", "sample_weight", "inclusion_probability", "judge", "guarantee", "margin"}
    assert names - options <= {*sklearn_ap.__all__}
    assert len(rows) > 10
