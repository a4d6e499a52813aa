"""Call the public functions with generated data in two states of the package, and compare.

    python benchmarks/same_numbers.py BEFORE [N]

BEFORE is a commit, and N the number of cases, 400 if it is left out. Cases and calls are those of
tests/crossings, as they are now, so BEFORE must know the names that they use, or MOVED the names
that it had. The fields of results that both states have must agree to 1e-12, errors must be of the
same class, and there must be as many warnings of each kind that both states have. Prints what
differs, and ends with status 1 if anything does. Results that are not equal to the last bit are
counted, those of rows with weights apart. So are calls that gave a result before and are refused
now, whose case uses something that is gone: read the texts of these errors.
"""

import dataclasses
import importlib
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import NamedTuple, get_args

import numpy as np

ROOT = Path(__file__).parents[1]
# Modules that the cases import, by the names that they had before.
MOVED = {
    "sklearn_ap._inputs.request": "sklearn_ap._base.inputs.request",
    "sklearn_ap._cli.arguments": "sklearn_ap._program.cli.arguments",
    "sklearn_ap._types": "sklearn_ap._base.common.types",
    "sklearn_ap.metrics": "sklearn_ap._scores.scoring",
}
WEIGHTS = {"sample_weight", "inclusion_probability"}


def kinds_of_warnings():
    """The kinds that this state of the package has."""
    return get_args(importlib.import_module("sklearn_ap._uncertainty.warnings").WarningName)


def count_warnings(found):
    """How many there are of each kind that this state has, and of all that have no kind."""
    names = Counter(getattr(warning, "name", "no kind") for warning in found)
    return {name: names[name] for name in ("no kind", *kinds_of_warnings())}


def plain(thing):
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        named = {each.name: getattr(thing, each.name) for each in dataclasses.fields(thing)}
        return plain(named | {"class": type(thing).__name__})
    if hasattr(thing, "_asdict"):
        thing = thing._asdict()
    if isinstance(thing, frozenset):
        thing = sorted(thing, key=repr)
    if isinstance(thing, list | tuple):
        thing = dict(enumerate(thing))
    if not isinstance(thing, dict):
        return thing
    counted = {"warnings": count_warnings(thing["warnings"])} if "warnings" in thing else {}
    return {name: plain(value) for name, value in (thing | counted).items()}


def import_by_the_names_of_today():
    for name, before in MOVED.items():
        try:
            importlib.import_module(name)
        except ModuleNotFoundError:
            sys.modules[name] = importlib.import_module(before)


def measure(target, n_cases):
    import_by_the_names_of_today()
    sys.path += [str(ROOT / "tests" / name) for name in ("crossings", "helpers")]
    from cases import make
    from entrances import ENTRANCES

    found = {}
    for seed in range(n_cases):
        for place, entrance in enumerate(ENTRANCES):
            part = entrance.part_of(make(seed))
            if part is not None:
                has_weights = bool(WEIGHTS & part.options.keys())
                found[entrance.name, place, seed] = outcome(entrance.call, part), has_weights
    Path(target).write_bytes(pickle.dumps(found))


def outcome(call, part):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given = plain(call(part))
        except Exception as error:
            return Failed(type(error).__name__, str(error))
    return {"given": given, "caught": count_warnings(each.message for each in caught)}


class Failed(NamedTuple):
    """The class and the text of an error."""

    name: str
    text: str


def same(first, second, tolerance=1e-12):
    """Whether two outcomes agree; of a result, in the fields that both states have."""
    if isinstance(first, Failed) or isinstance(second, Failed):
        return type(first) is type(second) and first.name == second.name
    if isinstance(first, dict) and isinstance(second, dict):
        both = first.keys() & second.keys()
        return all(same(first[name], second[name], tolerance) for name in both)
    try:
        one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    except (TypeError, ValueError):
        return repr(first) == repr(second)
    is_same_shape = one.shape == other.shape
    return is_same_shape and np.allclose(one, other, tolerance, tolerance, equal_nan=True)


def is_refused_now(first, second):
    is_refusal = isinstance(second, Failed) and second.name in ("ValueError", "TypeError")
    return is_refusal and not isinstance(first, Failed)


def main(before="HEAD", n_cases="400"):
    with tempfile.TemporaryDirectory() as folder:
        kept = subprocess.run(["git", "archive", before], check=True, stdout=-1, cwd=ROOT).stdout
        subprocess.run(["tar", "-x", "-C", folder], check=True, input=kept)
        running, targets = [], (f"{folder}/before", f"{folder}/after")
        for target, place in zip(targets, (folder, ROOT), strict=True):
            command = [sys.executable, __file__, "measure", target, n_cases]
            names = os.environ | {"PYTHONPATH": str(place)}
            running.append(subprocess.Popen(command, env=names, cwd=place))
        if [each.wait() for each in running] != [0, 0]:
            raise SystemExit("a process ended with an error")
        found, now = (pickle.loads(Path(target).read_bytes()) for target in targets)
    raise SystemExit(report(found, now))


def report(found, now):
    """Print what differs, and say whether anything does."""
    pairs = {key: (found[key][0], now[key][0]) for key in found}
    gone = [key for key, pair in pairs.items() if is_refused_now(*pair)]
    differ = [key for key, pair in pairs.items() if key not in {*gone} and not same(*pair)]
    for key in differ[:20]:
        print(*key, *pairs[key], sep="\n    ")
    print(f"{len(differ)} of {len(pairs)} calls differ", dict(Counter(key[0] for key in differ)))
    for (name, text), n in Counter((key[0], now[key][0].text) for key in gone).items():
        print(f"{n} calls of {name} are refused now: {text}")
    for has_weights, rows in ((False, "without"), (True, "with")):
        keys = [key for key in pairs if found[key][1] == has_weights and key not in {*gone}]
        n = sum(not same(*pairs[key], tolerance=0) for key in keys)
        print(f"{n} of {len(keys)} {rows} weights are not equal to the last bit")
    return bool(differ)


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2], int(sys.argv[3]))
    else:
        main(*sys.argv[1:])
