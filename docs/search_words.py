"""Each page ends with words that people use for what it is about, and the search puts it first."""

import json
from pathlib import Path
from tempfile import mkdtemp

from docutils import nodes

HERE = Path(__file__).parent
FILE = HERE / "search_words.json"
WORDS = json.loads(FILE.read_text())


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


def setup(app):
    app.connect("doctree-read", add_words)
    return {"parallel_read_safe": True}
