"""Call the public functions with generated data in two states of the package, and compare.

    python benchmarks/same_numbers.py BEFORE [--calls N] [--texts]

BEFORE is a commit, and N the number of cases. The cases and the calls are those of tests/crossings,
as they are now, so BEFORE must know the names that they use. Some calls are added: all fields of
results, the pool of ranks, sizes of samples, guarantees, and explanations.

Numbers must agree to 1e-12, results and errors must be of the same class, and there must be as many
warnings; with ``--texts``, each word of warnings and errors is compared, too. Prints what differs,
and ends with status 1 if anything does.
"""

import argparse
import dataclasses
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np

import sklearn_ap as ap

ROOT = Path(__file__).parents[1]
sys.path += [str(ROOT / "tests" / name) for name in ("crossings", "helpers")]
import of_files  # noqa: E402
import of_folds  # noqa: E402
from answers import definition_of  # noqa: E402
from cases import make  # noqa: E402
from entrances import ENTRANCES  # noqa: E402

TOLERANCE = 1e-12


def calls(seed):
    """Each public function with the case of a seed, if it takes it, and more calls of the case."""
    case = make(seed)
    for place, entrance in enumerate(ENTRANCES):
        part = entrance.part_of(case)
        if part is not None:
            yield f"{entrance.name}, {place}", partial(entrance.call, part)
            for name, call in more_calls(part).items():
                if name.startswith(f"{entrance.name}, "):
                    yield name, call


def more_calls(case):
    """Calls that the reference of the crossings does not judge, each after a public function."""
    rows, models, options = (case.y_true, case.y_score), (case.y_true, case.scores), case.options
    ask = {"definition": definition_of(case), "rng": 0} | options
    size = partial(ap.average_precision_interval, *rows, n_resamples=20, **ask)
    size_of_pair = partial(ap.compare_average_precision, *models, n_resamples=20, **ask)
    found = {
        "average_precision_interval, size": lambda: size().positives_for(0.1),
        "compare_average_precision, size": lambda: size_of_pair().positives_for(0.1),
        "best_average_precision, all": partial(
            ap.best_average_precision, *models, n_resamples=20, **ask
        ),
        "chance_test, all": partial(ap.chance_test, *rows, n_permutations=49, **ask),
        "operating_point, guarantee": partial(
            ap.operating_point, *rows, precision=0.5, guarantee=0.9
        ),
        "compat.compare, all": partial(ap.compat.compare, *rows, k=10, **options),
        "compat.compare, explanation": partial(
            ap.compat.explain, "xgboost.aucpr", *rows, **options
        ),
    }
    for tool, rank in {"xgboost.aucpr": {}, "ranx.map@k": {"k": 5}, "trec_eval.map": {}}.items():
        found[f"compat.compare, {tool}"] = partial(ap.compat.score, tool, *rows, **options, **rank)
    for name, call in (
        ("AveragePrecisionInterval", of_folds.interval_of_folds),
        ("AveragePrecisionComparison", of_folds.comparison_of_folds),
        ("BestAveragePrecision", of_folds.best_of_folds),
    ):
        ranks = partial(call, case, by=lambda case: of_folds.by_scores(case) | {"pooling": "ranks"})
        found[f"{name}.from_cv_results, ranks"] = ranks
    return found


def plain(thing):
    """Results as dicts of their fields."""
    if isinstance(thing, dict):
        return {name: plain(each) for name, each in thing.items()}
    if isinstance(thing, list | tuple):
        return {f"{i}": plain(each) for i, each in enumerate(thing)}
    if not dataclasses.is_dataclass(thing) or isinstance(thing, type):
        return thing
    fields = {each.name: plain(getattr(thing, each.name)) for each in dataclasses.fields(thing)}
    return fields | {"class": type(thing).__name__}


def outcome(call):
    """What a call gives: numbers by name, or the class and text of its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given = plain(call())
        except Exception as error:
            text = str(error).replace(of_files.FOLDER.name, "folder")
            given = {"class": type(error).__name__, "text": text}
    return given, sorted({str(warning.message) for warning in caught})


def same(first, second):
    """Whether two outcomes agree; of a result, in the fields that both states have."""
    if isinstance(first, dict) and isinstance(second, dict):
        return all(same(first[k], second[k]) for k in first.keys() & second.keys())
    try:
        one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    except (TypeError, ValueError):
        return repr(first) == repr(second)
    close = one.shape == other.shape and np.allclose(
        one, other, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True
    )
    return bool(close)


def agree(before, after, *, texts):
    """Whether two outcomes agree in numbers, classes and warnings."""
    (given, warned), (now_given, now_warned) = before, after
    if not texts:
        warned, now_warned = len(warned), len(now_warned)
        given, now_given = (
            {k: v for k, v in each.items() if k != "text"} if isinstance(each, dict) else each
            for each in (given, now_given)
        )
    return warned == now_warned and same(given, now_given)


def measure(target, n_calls):
    """Call the package that is found first, and keep what it gives."""
    found = {(name, seed): outcome(call) for seed in range(n_calls) for name, call in calls(seed)}
    Path(target).write_bytes(pickle.dumps(found))


def started(folder, target, n_calls):
    """Call the package in a folder, in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, __file__, "--measure", target, "--calls", str(n_calls)]
    return subprocess.Popen(command, env=environment, cwd=folder)


def main():
    """Compare two states."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", nargs="?", default="HEAD")
    parser.add_argument("--calls", type=int, default=400, help="cases, of some 30 calls each")
    parser.add_argument("--texts", action="store_true", help="compare each word, too")
    parser.add_argument("--measure", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.measure:
        measure(asked.measure, asked.calls)
        return
    with tempfile.TemporaryDirectory() as folder:
        archive = subprocess.run(
            ["git", "archive", asked.before], check=True, stdout=subprocess.PIPE, cwd=ROOT
        ).stdout
        subprocess.run(["tar", "-x", "-C", folder], check=True, input=archive)
        targets = {f"{folder}/before": folder, f"{folder}/after": ROOT}
        running = [started(place, target, asked.calls) for target, place in targets.items()]
        if any(each.wait() for each in running):
            raise SystemExit("a process ended with an error")
        before, after = (pickle.loads(Path(target).read_bytes()) for target in targets)
    differ = [key for key in before if not agree(before[key], after[key], texts=asked.texts)]
    for key in differ[:20]:
        print(*key, before[key], after[key], sep="\n    ")
    kinds = Counter(name for name, _ in differ)
    print(f"{len(differ)} of {len(before)} calls differ", dict(kinds) or "")
    raise SystemExit(bool(differ))


if __name__ == "__main__":
    main()
