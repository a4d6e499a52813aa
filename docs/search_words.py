"""Each page ends with words that people use for what it is about, and the search puts it first."""

import json
from html import escape
from pathlib import Path
from tempfile import mkdtemp
from textwrap import shorten

from docutils import nodes
from sphinx import addnodes

HERE = Path(__file__).parent
FILE = HERE / "search_words.json"
WORDS = json.loads(FILE.read_text())
LENGTH = 200  # of a description


def scorer():
    """The file with the rules of the search, which has the words."""
    rules, marked = (HERE / "scorer.js").read_text(), "const WORDS = {};"
    assert marked in rules
    made = Path(mkdtemp()) / "scorer.js"
    made.write_text(rules.replace(marked, f"const WORDS = {json.dumps(WORDS)};"))
    return str(made)


def add_words(app, tree):
    """At the end of a page."""
    app.env.note_dependency(FILE)
    words = WORDS.get(app.env.docname)
    if words:
        section = next(tree.findall(nodes.section))
        text = f"Related words: {', '.join(words)}."
        section += nodes.paragraph(text, text, classes=["related-words"])


def tells(node):
    """Whether a node is a paragraph of the text itself."""
    is_in_text = isinstance(node.parent, nodes.section | nodes.container | addnodes.desc_content)
    return isinstance(node, nodes.paragraph) and is_in_text and not node["classes"]


def describe(*event):
    """The first paragraph describes a page to search engines."""
    context, tree = event[-2:]
    paragraph = tree and next(tree.findall(tells), None)
    if paragraph:
        text = shorten(paragraph.astext(), LENGTH, placeholder="\u2026")
        context["metatags"] += f'<meta name="description" content="{escape(text)}" />'


def setup(app):
    app.connect("doctree-read", add_words)
    app.connect("html-page-context", describe)
    return {"parallel_read_safe": True}
