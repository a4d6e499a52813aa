"""The directives ``tables`` and ``promises``: what the scripts of benchmarks wrote.

On evidence.md, ``{tables} certainty`` shows evidence/certainty/summary.csv, and the other files of
the folder, each folded below the head of its first column. ``{promises}`` shows promises.csv of all
sections of the page as one table, whose lines link to their section. Lines about the methods of
others stand in a table of their own, ``{promises} others``. Names of settings that need a sentence
have it in settings.json.
"""

import csv
import json
import re
from pathlib import Path

from docutils.statemachine import StringList
from sphinx.util.docutils import SphinxDirective

PROMISES = "promises"
SETTINGS = Path(__file__).with_name("settings.json")
OTHERS = "The mean of folds", "The winner's score is too high by"
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)")
PART = re.compile(r"^##+ (.*)$|^```\{tables\} ([\w-]+)$", re.M)


def anchor(heading):
    """The address of a heading within its page."""
    words = LINK.sub(r"\1", heading).lower()
    return re.sub(r"[^\w -]", "", words).replace(" ", "-")


class Tables(SphinxDirective):
    """The tables of a section."""

    required_arguments = 1

    def run(self):
        """Parse what shows them."""
        folder = Path(self.env.doc2path(self.env.docname)).with_suffix("") / self.arguments[0]
        files = [path for path in folder.glob("*.csv") if path.stem != PROMISES]
        files.sort(key=lambda path: (path.stem != "summary", path.stem))
        text = "\n\n".join(map(self.shown, files))
        return self.parse_text_to_nodes(StringList(text.splitlines(), source=str(folder)))

    def shown(self, path):
        """The table of a file."""
        name = path.relative_to(path.parents[2])
        self.env.note_dependency(path)
        table = f"```{{csv-table}}\n:file: {name}\n:header-rows: 1\n```"
        with path.open() as file:
            title = next(csv.reader(file))[0]
        return table if path.stem == "summary" else f":::{{dropdown}} {title}\n{table}\n:::"


class Promises(SphinxDirective):
    """What is typical, what is worst, and where."""

    optional_arguments = 1

    def run(self):
        """Parse the table, in the order of the page."""
        page = Path(self.env.doc2path(self.env.docname))
        heading, table = "", []
        settings = json.loads(SETTINGS.read_text())
        self.env.note_dependency(SETTINGS)
        for title, name in PART.findall(page.read_text()):
            heading = title or heading
            path = page.with_suffix("") / name / f"{PROMISES}.csv"
            if not name or not path.exists():
                continue
            self.env.note_dependency(path)
            with path.open() as file:
                (_, *head), *lines = csv.reader(file)
            table = table or [["result", *head], ["---"] * (len(head) + 1)]
            table += [
                [f"[{what}](#{anchor(heading)})", *(settings.get(cell, cell) for cell in cells)]
                for what, *cells in lines
                if what.startswith(OTHERS) == bool(self.arguments)
            ]
        text = [f"| {' | '.join(cells)} |" for cells in table]
        shown = self.parse_text_to_nodes(StringList(text, source=str(page)))
        for each in shown:
            each["classes"].append(PROMISES)
        return shown


def setup(app):
    app.add_directive("promises", Promises)
    app.add_directive("tables", Tables)
    return {"parallel_read_safe": True}
