"""The tables of api.md that list names get their heading as a caption in the sidebar."""

from docutils import nodes
from sphinx import addnodes

PAGE = "api"


def caption(app, tree):
    """Before Sphinx collects the contents of the page."""
    if app.env.docname != PAGE:
        return
    for section in tree.findall(nodes.section):
        for child in section.children:
            for names in child.findall(addnodes.toctree) if child.tagname != "section" else ():
                names["caption"] = names["rawcaption"] = section.next_node(nodes.title).astext()


def setup(app):
    app.connect("doctree-read", caption, priority=1)
    return {"parallel_read_safe": True}
