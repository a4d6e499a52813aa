"""Call every entrance with generated data in two states of the package, and compare what they give.

    python benchmarks/same_numbers.py BEFORE [--calls N]

BEFORE is a commit. Numbers must agree to 1e-12, warnings and errors in every word. Prints what
differs, and ends with status 1 if anything does.
"""

import argparse
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
TOLERANCE = 1e-12


def request(rng: np.random.Generator) -> tuple[Any, Any, dict[str, Any]]:
    """Labels, scores of two models, and options that cross."""
    n, n_columns = int(rng.integers(2, 90)), int(rng.choice([1, 1, 1, 2, 4]))
    shape = (n, n_columns) if n_columns > 1 else (n,)
    y = (rng.random(shape) < rng.choice([0.05, 0.3, 0.6])).astype(int)
    digits = int(rng.integers(0, 4))
    scores = [np.round(rng.normal(size=shape) + shift * y, digits) for shift in (1.0, 1.2)]
    if rng.random() < 0.25:
        for score in scores:
            score[rng.random(shape) < 0.2] = -np.inf
    options: dict[str, Any] = {"zero_division": float(rng.choice([0.0, 1.0, np.nan]))}
    if rng.random() < 0.3:
        options["zero_division"] = "warn"
    averages = ["macro", "weighted", None]
    if n_columns > 1:
        averages += ["micro", "samples"]
    elif rng.random() < 0.4:
        options["queries"] = rng.integers(0, rng.integers(1, 12), n)
    options["average"] = averages[rng.integers(len(averages))]
    if rng.random() < 0.3:
        options["clusters"] = rng.integers(0, rng.integers(1, n + 1), n)
    if rng.random() < 0.3:
        weights = (rng.random(n), rng.integers(0, 4, n) + 0.0, np.full(n, 1e-3), 10 * rng.random(n))
        options["sample_weight"] = weights[rng.integers(4)]
        options["sample_weight"][0] = 1.0
    if rng.random() < 0.15:
        options["prevalence"] = float(rng.choice([0.01, 0.3]))
    if rng.random() < 0.15 and n_columns == 1 and "queries" not in options:
        options["n_positives"] = float(y.sum() * 10 + rng.integers(0, 5))
    return y, scores, options


def calls(ap: Any, d: Any, rng: np.random.Generator) -> dict[str, Any]:
    """The entrances, each with the same request."""
    y, (a, b), options = request(rng)
    known = [d.Step(), d.Step(), d.Linear(), d.Hyperbolic(), d.Interpolated(), d.Interpolated(11)]
    known += [d.Expected(), d.AtK(5), d.PrecisionAtK(3), d.RecallAtPrecision(0.5), d.Expected(4)]
    definition = known[rng.integers(len(known))]
    of_score = {name: value for name, value in options.items() if name != "clusters"}
    of_interval = options | {"definition": definition, "n_resamples": 20, "rng": 0}
    models = {"a": a, "b": b, "c": -a}
    side = str(rng.choice(["two-sided", "less", "greater"]))
    found = {
        "score": lambda: ap.average_precision_score(y, a, definition=definition, **of_score),
        "interval": lambda: ap.average_precision_interval(y, a, **of_interval),
        "comparison": lambda: ap.compare_average_precision(
            y, models, alternative=side, reference="b", **of_interval
        ),
        "best": lambda: ap.best_average_precision(y, models, **of_interval),
    }
    if y.ndim == 1 and not {"queries", "n_positives"} & {*options}:
        weight, goal = options.get("sample_weight"), str(rng.choice(["precision", "recall"]))
        share = float(rng.choice([0.3, 0.8]))

        def from_counts() -> Any:
            counts = ap.threshold_counts(y, a, sample_weight=weight)
            return ap.AveragePrecisionInterval.from_counts(
                counts, definition, n_resamples=20, rng=0, prevalence=options.get("prevalence")
            )

        found["counts"] = from_counts
        found["point"] = lambda: ap.operating_point(y, a, **{goal: share}, sample_weight=weight)
    return found


def outcome(call: Any) -> tuple[Any, list[str]]:
    """What a call gives: numbers by name, or the text of its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given = call()
        except Exception as error:
            given = f"{type(error).__name__}: {error}"
    if hasattr(given, "__slots__"):
        given = {name: getattr(given, name) for name in given.__slots__}
    return given, sorted({str(warning.message) for warning in caught})


def same(first: Any, second: Any) -> bool:
    """Whether two outcomes agree."""
    if isinstance(first, dict) and isinstance(second, dict):
        return first.keys() == second.keys() and all(same(first[k], second[k]) for k in first)
    try:
        one, other = np.asarray(first, dtype=float), np.asarray(second, dtype=float)
    except (TypeError, ValueError):
        return bool(np.array_equal(first, second))
    close = np.allclose(one, other, rtol=TOLERANCE, atol=TOLERANCE, equal_nan=True)
    return one.shape == other.shape and bool(close)


def measure(target: str, n_calls: int) -> None:
    """Call the package that is found first, and keep what it gives."""
    import sklearn_ap
    from sklearn_ap import definitions

    outcomes = {}
    for seed in range(n_calls):
        rng = np.random.default_rng(seed)
        for name, call in calls(sklearn_ap, definitions, rng).items():
            outcomes[name, seed] = outcome(call)
    Path(target).write_bytes(pickle.dumps(outcomes))


def outcomes_of(folder: Path | str, target: str, n_calls: int) -> dict[Any, Any]:
    """What the package in a folder gives, called in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, __file__, "--measure", target, "--calls", str(n_calls)]
    subprocess.run(command, check=True, env=environment, cwd=folder)
    return dict(pickle.loads(Path(target).read_bytes()))


def main() -> None:
    """Compare two states."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", nargs="?", default="HEAD")
    parser.add_argument("--calls", type=int, default=1500)
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
        before = outcomes_of(folder, f"{folder}/before", asked.calls)
        after = outcomes_of(ROOT, f"{folder}/after", asked.calls)
    differ = [key for key in before if not all(map(same, before[key], after[key]))]
    for key in differ[:20]:
        print(*key, before[key], after[key], sep="\n    ")
    print(f"{len(differ)} of {len(before)} calls differ")
    raise SystemExit(bool(differ))


if __name__ == "__main__":
    main()
