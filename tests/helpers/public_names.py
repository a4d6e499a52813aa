"""The public names of the package, room by room."""

import inspect

import sklearn_ap


def public(module=sklearn_ap, prefix=""):
    for name in module.__all__:
        thing = getattr(module, name)
        if inspect.ismodule(thing):
            yield from public(thing, f"{prefix}{name}.")
        else:
            yield prefix + name, thing
