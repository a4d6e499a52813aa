"""The directive ``picture``: a function of pictures.py, drawn for light and for dark pages.

Its first paragraph says what it shows, and the second, if any, stands below it.
"""

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


class Picture(SphinxDirective):
    """A picture, and the same with ``_dark`` behind its name."""

    required_arguments = 1
    has_content = True

    def run(self):
        """Parse the two plots."""
        shows, _, below = "\n".join(self.content).partition("\n\n")
        lines = ["```{eval-rst}"]
        for name, page in ((self.arguments[0], "light"), (f"{self.arguments[0]}_dark", "dark")):
            lines += [f".. plot:: pictures.py {name}", f"   :class: only-{page}"]
            lines += [f"   :alt: {' '.join(shows.split())}", ""]
            lines += [f"   {' '.join(below.split())}", ""] if below else []
        source = self.env.doc2path(self.env.docname)
        return self.parse_text_to_nodes(StringList([*lines, "```"], source=str(source)))


def setup(app):
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True}
