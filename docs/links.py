"""Names in the pages link to what they name, so that nobody writes the same link by hand.

``average_precision_score`` and ``GridSearchCV`` in code font become links to the reference, here or
in scikit-learn's documentation, whose addresses are in ``inventories``: a build needs no network.
"""

import re
from inspect import ismodule
from pathlib import Path

from docutils import nodes
from sphinx import addnodes
from sphinx.transforms import SphinxTransform

import sklearn_ap

SKLEARN = Path(__file__).parent / "inventories" / "scikit-learn.inv"
SITE = "https://scikit-learn.org/stable/"
CALL = re.compile(r"([\w.]+)(\(.*\))?", re.DOTALL)


def ours():
    """Each way to write one of our public names, and its full name."""
    public = {name: getattr(sklearn_ap, name) for name in sklearn_ap.__all__}
    rooms = {name: room for name, room in public.items() if ismodule(room)}
    names = {name: f"sklearn_ap.{name}" for name in set(sklearn_ap.__all__) - set(rooms)}
    for room, module in rooms.items():
        names |= {f"{room}.{name}": f"sklearn_ap.{room}.{name}" for name in module.__all__}
    names |= {name: f"sklearn_ap.definitions.{name}" for name in sklearn_ap.definitions.__all__}
    return names | {full: full for full in names.values()}


def scikit_learns():
    """The same of what we name of scikit-learn."""
    lines = SKLEARN.read_text().splitlines()[3:]
    full = [line.split()[0] for line in lines]
    return {name.rpartition(".")[2]: name for name in full} | {name: name for name in full}


NAMES = scikit_learns() | ours()


class LinkNames(SphinxTransform):
    """Make each literal that is a name, or a call of it, a reference."""

    default_priority = 500

    def apply(self):
        """Read one page."""
        if self.env.doc2path(self.env.docname).suffix != ".md":
            return  # the gallery and the reference have links of their own
        for literal in list(self.document.findall(nodes.literal)):
            asked = CALL.fullmatch(literal.astext())
            if isinstance(literal.parent, nodes.title | nodes.reference | addnodes.pending_xref):
                continue
            if asked and asked[1] in NAMES:
                link = addnodes.pending_xref(
                    refdomain="py", reftype="obj", reftarget=NAMES[asked[1]], refwarn=True
                )
                literal.replace_self(link)
                link += literal


class LinkExamples(SphinxTransform):
    """Make a link to the script of an example, which a forge shows, one to its page here."""

    default_priority = 500

    def apply(self):
        """Read one page."""
        for link in list(self.document.findall(addnodes.download_reference)):
            script = Path(link["reftarget"])
            if script.parent.name != "examples":
                continue
            page = addnodes.pending_xref(
                refdomain="std",
                reftype="doc",
                reftarget=f"/auto_examples/{script.stem}",
                refexplicit=True,
                refwarn=True,
            )
            link.replace_self(page)
            page += nodes.inline("", "", *link.children)


def allow_breaks(body):
    """Let long code within a sentence break after _ . = ( and before a capital."""
    place = re.compile(r"(?<=\w[._=(])(?=[\w&\[])|(?<=[a-z])(?=[A-Z][a-z])")
    for piece in set(re.findall(r'<span class="pre">[^<]{13,}</span>', body)):
        body = body.replace(piece, place.sub("<wbr>", piece))
    return body


def link_code(app, page, body):
    """Link the names in blocks of code."""
    known = app.env.get_domain("py").objects

    def link(found):
        name = NAMES.get(found[1], "")
        if name in known:
            address = f"{app.builder.get_relative_uri(page, known[name].docname)}#{name}"
        elif name.startswith("sklearn."):
            address = f"{SITE}modules/generated/{name}.html"
        else:
            return found[0]
        return f'<a class="in-code" href="{address}">{found[0]}</a>'

    return re.sub(r'<span class="n">(\w+)</span>', link, body)


def finish(app, page, _, context, __):
    """Change what Sphinx wrote."""
    if "body" in context:
        context["body"] = allow_breaks(context["body"])
        if app.env.doc2path(page).suffix == ".md":
            context["body"] = link_code(app, page, context["body"])


def setup(app):
    app.add_transform(LinkNames)
    app.add_transform(LinkExamples)
    app.connect("html-page-context", finish)
    return {"parallel_read_safe": True}
