"""The directive ``tables``: what the scripts of benchmarks wrote.

On evidence.md, ``{tables} intervals`` shows evidence/intervals/summary.csv, and the other files of
the folder, each folded below the head of its first column.
"""

import csv
from pathlib import Path

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective


class Tables(SphinxDirective):
    """The tables of a section."""

    required_arguments = 1

    def run(self):
        """Parse what shows them."""
        folder = Path(self.env.doc2path(self.env.docname)).with_suffix("") / self.arguments[0]
        files = sorted(folder.glob("*.csv"), key=lambda path: (path.stem != "summary", path.stem))
        text = "\n\n".join(map(self.shown, files))
        return self.parse_text_to_nodes(StringList(text.splitlines(), source=str(folder)))

    def shown(self, path):
        """The table of a file."""
        name = path.relative_to(path.parents[2])
        self.env.note_dependency(path)
        table = f"```{{csv-table}}\n:file: {name}\n:header-rows: 1\n:class: figures\n```"
        with path.open() as file:
            title = next(csv.reader(file))[0]
        return table if path.stem == "summary" else f":::{{dropdown}} {title}\n{table}\n:::"


def setup(app):
    app.add_directive("tables", Tables)
    return {"parallel_read_safe": True}
