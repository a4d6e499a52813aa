"""A page with several blocks of ``>>>`` says below its title that they run from top to bottom."""

from docutils import nodes

MARK = "Blocks with >>> run from top to bottom, and their output is tested."


def mark(app, tree):
    """Below the title; the start page is no place for it."""
    blocks = [
        each
        for each in tree.findall(nodes.literal_block)
        if each.get("language") == "python" and ">>>" in each.astext()
    ]
    if len(blocks) > 1 and app.env.docname != app.config.root_doc:
        section = next(tree.findall(nodes.section))
        section.insert(1, nodes.paragraph(MARK, MARK, classes=["from-the-top"]))


def setup(app):
    app.connect("doctree-read", mark)
    return {"parallel_read_safe": True}
