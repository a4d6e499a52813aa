"""Links and addresses are right."""

import importlib
import inspect
import re

import sklearn

from tests.helpers.pages import DOCS

SOURCE = "https://github.com/sklearn-ap/sklearn-ap/"


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
            headings = re.findall("^#+ (.*)", (DOCS.parent / link).read_text(), re.MULTILINE)
            addresses = {
                re.sub(r"[^\w -]", "", each.lower()).replace(" ", "-") for each in headings
            }
            assert section in addresses
        elif link.endswith(".md"):  # a forge shows a directive as it is written: these are short
            directives = re.findall(r"\n```\{([\w-]+)", (DOCS.parent / link).read_text())
            assert {*directives} <= {"code-block", "eval-rst", "tables", "toctree"}, link
