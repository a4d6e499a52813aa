"""The directive ``references``: the entries of references.bib as a list."""

import re
from pathlib import Path
from urllib.parse import quote

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

BIBLIOGRAPHY = Path(__file__).parent / "references.bib"
ENTRY = re.compile(r"^@\w+\{(\w+),\n(.*?)^\}", re.M | re.S)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},$", re.M)
PLACES = ("journal", "booktitle", "publisher", "institution", "howpublished")


def entries():
    """The fields of each entry by its key."""
    return {key: dict(FIELD.findall(body)) for key, body in ENTRY.findall(BIBLIOGRAPHY.read_text())}


def markdown_of(entry):
    """An entry as people read it, with a link."""
    authors = entry["author"].replace(" and others", " et al.").replace(" and ", "; ")
    title = entry["title"].strip("{}")
    place = next((f" *{entry[name]}*" for name in PLACES if name in entry), "")
    if "volume" in entry:
        place += f" {entry['volume']}"
    if "number" in entry:
        place += f"({entry['number'].replace('--', '-')})"
    if "pages" in entry:
        place += f", {entry['pages'].replace('--', '-')}"
    mark = "" if title.endswith("?") else "."
    text = f"{authors} ({entry['year']}). {title}{mark}{place}{'.' if place else ''}"
    if "doi" in entry:
        return f"{text} [DOI](https://doi.org/{quote(entry['doi'])})"
    if "eprint" in entry:
        return f"{text} [arXiv:{entry['eprint']}](https://arxiv.org/abs/{entry['eprint']})"
    return text


class References(SphinxDirective):
    """All entries, in the order of the file."""

    def run(self):
        """Parse the list."""
        self.env.note_dependency(BIBLIOGRAPHY)
        lines = [f"- {markdown_of(entry)}" for entry in entries().values()]
        return self.parse_text_to_nodes(StringList(lines, source=str(BIBLIOGRAPHY)))


def setup(app):
    app.add_directive("references", References)
    return {"parallel_read_safe": True}
