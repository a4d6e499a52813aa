"""The calls of public functions in a block, as code that can be pasted into Python.

A profiling hook sees each call with its arguments, so an entrance need not say how it calls. What a
later call takes has a name, and a file is written anew, into a folder of its own.
"""

import inspect
import re
import sys
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from of_files import FOLDER
from public_names import public
from pyarrow import parquet
from scipy import sparse

import sklearn_ap
from sklearn_ap.__main__ import main
from sklearn_ap.definitions import Definition

ROUTING = "import sklearn; sklearn.set_config(enable_metadata_routing=True)"
OF_TESTS = "import sys; sys.path[:0] = ['tests/crossings', 'tests/helpers']; from"
IMPORTS = {  # by the word that needs them
    "np": "import numpy as np",
    "inf": "from numpy import inf",
    "nan": "from numpy import nan",
    "sparse": "from scipy import sparse",
    "pa": "import pyarrow as pa",
    "parquet": "from pyarrow import parquet",
    "Figure": "from matplotlib.figure import Figure",
    "get_scorer": ROUTING,
    "make_ranking_scorer": ROUTING,
    "sklearn_ap": "import sklearn_ap",
    "main": "from sklearn_ap.__main__ import main",
    "folder": "import tempfile, pathlib; folder = pathlib.Path(tempfile.mkdtemp())",
    "stand_in": f"{OF_TESTS} transcript import stand_in",
    "OfFold": f"{OF_TESTS} of_folds import OfFold",
    "Probabilities": f"{OF_TESTS} of_folds import Probabilities",
    "Classifier": f"{OF_TESTS} entrances import Classifier",
}
PLAIN = (bool, int, float, str, list, tuple, dict, np.ndarray, type(None))


def stand_in(kind, **attributes):
    """A model of the tests, with the attributes that it had."""
    made = object.__new__(kind)
    vars(made).update(attributes)
    return made


@cache
def public_calls():
    """How each public function and method is written, by its code."""
    scorer = type(sklearn_ap.get_scorer("average_precision"))
    found = {main: "main", inspect.unwrap(scorer.__call__): "self"}
    for name, thing in public():
        if inspect.isfunction(thing):
            found[inspect.unwrap(thing)] = f"sklearn_ap.{name}"
        elif not issubclass(thing, Definition):
            found |= methods_of(thing, f"sklearn_ap.{name}")
    return {function.__code__: (function, text) for function, text in found.items()}


def methods_of(thing, name):
    found = {}
    for key, method in inspect.getmembers(thing, inspect.isroutine):
        function = inspect.unwrap(getattr(method, "__func__", method))
        if not inspect.isfunction(function) or (key.startswith("_") and key != "__init__"):
            continue
        found[function] = f"{'cls' if inspect.ismethod(method) else 'self'}.{key}"
        if key == "__init__":
            found[function] = name
    return found


def is_ours(code):
    """A property, or what prints a result."""
    return code.co_filename.startswith(sklearn_ap.__path__[0])


class Transcript:
    """``with Transcript() as told: ...``, and then ``told.code()``."""

    def __init__(self):
        self.calls = public_calls()
        self.classes = {thing: f"sklearn_ap.{name}" for name, thing in public()}
        self.lines = []
        self.results = {}  # by their names; they stay alive, so nothing else has their id
        self.outermost = None
        self.text = ""

    def __enter__(self):
        sys.setprofile(self.hook)
        return self

    def __exit__(self, *error):
        sys.setprofile(None)

    def hook(self, frame, event, result):
        code = frame.f_code
        if event == "call" and self.outermost is None and (code in self.calls or is_ours(code)):
            self.outermost = frame
            self.text = self.call_of(frame) if code in self.calls else ""
        elif event == "return" and frame is self.outermost:
            self.outermost = None
            if code in self.calls:
                self.keep(frame.f_locals["self"] if code.co_name == "__init__" else result)

    @property
    def last(self):
        return [*self.results.values()][-1]

    def keep(self, result):
        name = f"{type(result).__name__.lower()}_{len(self.results)}"
        self.results[name] = result
        self.lines.append(f"{name} = {self.text}")

    def call_of(self, frame):
        """The arguments that are not the default; those without a default in their places."""
        (function, text), said = self.calls[frame.f_code], frame.f_locals
        texts = []
        for name, parameter in inspect.signature(function).parameters.items():
            value = said[name]
            if name in ("self", "cls"):
                text = re.sub(rf"^{name}\b", lambda _, thing=value: self.code_of(thing), text)
            elif parameter.kind is parameter.VAR_POSITIONAL:
                texts += map(self.code_of, value)
            elif parameter.kind is parameter.VAR_KEYWORD:
                texts += [f"{key}={self.code_of(each)}" for key, each in value.items()]
            elif (
                parameter.kind is parameter.KEYWORD_ONLY or parameter.default is not parameter.empty
            ):
                is_said = repr(value) != repr(parameter.default)
                texts += [f"{name}={self.code_of(value)}"] if is_said else []
            else:
                texts.append(self.code_of(value))
        inner = "".join(f"    {each},\n" for each in texts)
        return f"{text}(\n{inner})"

    def name_of(self, value):
        """The name of a result, or of something in it."""
        if isinstance(value, PLAIN):
            return None
        for name, result in self.results.items():
            if result is value:
                return name
            for key, attribute in getattr(result, "__dict__", {}).items():
                if attribute is value:
                    return f"{name}.{key}"
                if isinstance(attribute, list | tuple) and any(each is value for each in attribute):
                    return f"{name}.{key}[{[*map(id, attribute)].index(id(value))}]"
        return self.classes.get(value) if isinstance(value, type) else None

    def code_of(self, value):
        if name := self.name_of(value):
            return name
        if isinstance(value, str | Path) and str(value).startswith(FOLDER.name):
            return self.file(value)
        if isinstance(value, dict):
            return f"{{{', '.join(f'{k!r}: {self.code_of(v)}' for k, v in value.items())}}}"
        if isinstance(value, list):
            return f"[{', '.join(map(self.code_of, value))}]"
        if isinstance(value, tuple):
            return f"({''.join(f'{self.code_of(each)}, ' for each in value)})"
        if isinstance(value, np.ndarray):
            is_plain = value.dtype.kind == "U" or np.array(value.tolist()).dtype == value.dtype
            return f"np.array({value.tolist()}{'' if is_plain else f', {value.dtype.name!r}'})"
        if isinstance(value, np.generic):
            return repr(value.item())
        if isinstance(value, pa.Table):
            return f"pa.table({value.to_pydict()})"
        if isinstance(value, sparse.coo_array):
            return f"sparse.coo_array({self.code_of((value.data, value.coords))}, {value.shape})"
        if isinstance(value, Axes):
            return "Figure().subplots()"
        if type(value).__name__ in IMPORTS:  # a model of the tests
            inner = "".join(f", {k}={self.code_of(v)}" for k, v in vars(value).items())
            return f"stand_in({type(value).__name__}{inner})"
        return repr(value)

    def file(self, path):
        """The path of a file that the code writes first."""
        file = Path(path)
        name = f"folder / {file.name!r}"
        write = f"({name}).write_text({file.read_text()!r})" if file.suffix != ".parquet" else ""
        write = write or f"parquet.write_table({self.code_of(parquet.read_table(file))}, {name})"
        if write not in self.lines:
            self.lines.append(write)
        return f"str({name})" if isinstance(path, str) else name

    def code(self):
        """All calls; the result of the last one is ``found``."""
        last = [*self.results][-1] if self.results else "found"
        body = re.sub(rf"\b{last}\b", "found", "\n".join(self.lines))
        words = {*re.findall(r"\w+", body)}
        imports = [line for word, line in IMPORTS.items() if word in words]
        used = sorted(words & {*sklearn_ap.definitions.__all__})
        imports += [f"from sklearn_ap.definitions import {', '.join(used)}"] if used else []
        return "\n".join([*dict.fromkeys(imports), "", body])


def code_of(call):
    """The code of a call that ends well."""
    with Transcript() as told:
        call()
    return told.code()
