"""Links and addresses are right."""

import importlib
import inspect
import re

import pytest
import sklearn

from tests.helpers.pages import DOCS

SOURCE = "https://github.com/sklearn-ap/sklearn-ap/"


def sections(page):
    """The addresses that a forge gives the headings of a page."""
    headings = re.findall("^#+ (.*)", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings}


def test_every_address_in_the_inventory_is_a_name_of_scikit_learn():
    for line in (DOCS / "inventories" / "scikit-learn.inv").read_text().splitlines()[3:]:
        name, kind, address = line.split()
        module, _, attribute = name.rpartition(".")
        found = getattr(importlib.import_module(module) if module else sklearn, attribute)
        assert (kind == "class") == inspect.isclass(found)
        assert address == f"modules/generated/{name}.html"


def test_every_link_of_the_readme_leads_to_a_file():
    """Relative ones: a release makes them absolute, for a package index."""
    links = re.findall(r"\]\(([^)]*)\)", (DOCS.parent / "README.md").read_text())
    assert len(links) > 10
    for link in links:
        if link.startswith((SOURCE, "https://img.shields.io/badge/")):
            continue
        link, _, section = link.partition("#")
        assert (DOCS.parent / link).exists(), link
        if section:
            assert section in sections(DOCS.parent / link)
        elif link.endswith(".md"):  # a forge shows a directive as it is written: these are short
            directives = re.findall(r"\n```\{([\w-]+)", (DOCS.parent / link).read_text())
            assert {*directives} <= {"code-block", "eval-rst", "tables", "toctree"}, link


def linked_files(page):
    """The links of a page that lead to other files, and to sections."""
    text = re.sub(r"^ *```.*?^ *```$", "", page.read_text(), flags=re.MULTILINE | re.DOTALL)
    links = re.findall(r"\]\(([^)\s]+)\)", text)
    return [link for link in links if not re.match("https?:", link)]


@pytest.mark.parametrize("page", sorted(DOCS.glob("*.md")), ids=lambda path: path.name)
def test_links_of_a_page_lead_to_files_and_sections_on_a_forge_too(page):
    """The site has more pages than the folder, and a build finds links to these alone."""
    for link in linked_files(page):
        name, _, section = link.partition("#")
        file = page.parent / name if name else page
        assert file.exists(), link
        assert not section or section in sections(file), link
