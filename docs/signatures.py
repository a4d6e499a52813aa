"""Results are returned by functions: their pages list fields, not a call of thirty arguments."""


def leave_out(*event):
    """A class with rows is a result."""
    what, thing, returns = event[1], event[3], event[-1]
    if what == "class" and {"_rows", "_columns"} & {*dir(thing)}:
        return "", returns
    return None


def setup(app):
    """For the page of each class."""
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-signature", leave_out)
    return {"parallel_read_safe": True}
