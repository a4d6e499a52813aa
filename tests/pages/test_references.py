"""The literature: what is cited is in references.bib, with one entry for each work."""

import inspect
import re
from pathlib import Path
from urllib.parse import unquote

import pytest

import sklearn_ap

references = pytest.importorskip("references", exc_type=ImportError)  # of the group docs

DOCS = Path(references.__file__).parent
PAGES = sorted(DOCS.glob("*.md"))
ENTRIES = references.entries()
LINK = re.compile(r"https://(?:doi\.org|arxiv\.org/abs)/[^\s>`\]]+")


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


def test_bibliography_is_read_completely():
    text = references.BIBLIOGRAPHY.read_text()
    assert len(ENTRIES) == text.count("\n@") + 1
    for key, entry in ENTRIES.items():
        assert {"author", "title", "year"} <= entry.keys(), key
        assert any(name in entry for name in (*references.PLACES, "eprint")), key
        assert key.endswith(entry["year"])
    given = [entry["doi"] for entry in ENTRIES.values() if "doi" in entry]
    assert len({*given}) == len(given)


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
