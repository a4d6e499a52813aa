"""The directive ``picture``: a function of pictures.py.

Its first paragraph says what it shows, and the second, if any, stands below it.
"""

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


class Picture(SphinxDirective):
    """A picture with a text for those who do not see it."""

    required_arguments = 1
    has_content = True

    def run(self):
        """Parse the plot."""
        shows, _, below = "\n".join(self.content).partition("\n\n")
        lines = ["```{eval-rst}", f".. plot:: pictures.py {self.arguments[0]}"]
        lines += [f"   :alt: {' '.join(shows.split())}", ""]
        lines += [f"   {' '.join(below.split())}", ""] if below else []
        source = self.env.doc2path(self.env.docname)
        return self.parse_text_to_nodes(StringList([*lines, "```"], source=str(source)))


def setup(app):
    app.add_directive("picture", Picture)
    return {"parallel_read_safe": True}
