"""Call the public functions with generated data in two states of the package, and compare.

    python benchmarks/same_numbers.py BEFORE [N]

BEFORE is a commit, and N the number of cases, 400 if it is left out. Cases and calls are those of
tests/crossings, as they are now, so BEFORE must know the names that they use, or MOVED the names
that it had. All fields of results must agree to 1e-12, errors must be of the same class, and there
must be as many warnings. Prints what differs, and ends with status 1 if anything does.
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

import numpy as np

ROOT = Path(__file__).parents[1]
# Modules that the cases import, by the names that they had before.
MOVED = {
    "sklearn_ap._base.inputs.request": "sklearn_ap._inputs.request",
    "sklearn_ap._program.cli.arguments": "sklearn_ap._cli.arguments",
    "sklearn_ap._scores.scoring": "sklearn_ap._scoring",
}


def plain(thing):
    if dataclasses.is_dataclass(thing) and not isinstance(thing, type):
        named = {each.name: getattr(thing, each.name) for each in dataclasses.fields(thing)}
        return plain(named | {"class": type(thing).__name__})
    if isinstance(thing, list | tuple):
        thing = dict(enumerate(thing))
    if not isinstance(thing, dict):
        return thing
    return {name: plain(value) for name, value in thing.items()}


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
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                try:
                    given = None if part is None else plain(entrance.call(part))
                except Exception as error:
                    given = type(error).__name__
            found[entrance.name, place, seed] = {"given": given, "warnings": len(caught)}
    Path(target).write_bytes(pickle.dumps(found))


def same(first, second):
    """Whether two outcomes agree; of a result, in the fields that both states have."""
    if isinstance(first, dict) and isinstance(second, dict):
        return all(same(first[k], second[k]) for k in first.keys() & second.keys())
    try:
        one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    except (TypeError, ValueError):
        return repr(first) == repr(second)
    return one.shape == other.shape and np.allclose(one, other, 1e-12, 1e-12, equal_nan=True)


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
    differ = [key for key in found if not same(found[key], now[key])]
    for key in differ[:20]:
        print(*key, found[key], now[key], sep="\n    ")
    print(f"{len(differ)} of {len(found)} calls differ", dict(Counter(key[0] for key in differ)))
    raise SystemExit(bool(differ))


if __name__ == "__main__":
    if sys.argv[1:2] == ["measure"]:
        measure(sys.argv[2], int(sys.argv[3]))
    else:
        main(*sys.argv[1:])
