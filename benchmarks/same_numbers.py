"""Call the public functions with generated data in two states of the package, and compare.

    python benchmarks/same_numbers.py BEFORE [--calls N] [--texts]

BEFORE is a commit. Numbers must agree to 1e-12, results and errors must be of the same class, and
there must be as many warnings; with ``--texts``, each word of warnings and errors is compared, too.
Prints what differs, and ends with status 1 if anything does. Names are those of the newer state;
``RENAMED`` has what they were called before.
"""

import argparse
import contextlib
import dataclasses
import io
import json
import os
import pickle
import subprocess
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[1]
TOLERANCE = 1e-12
# The names of results and of their fields: today's, by those of the state before.
RENAMED = {"n_positives": "n_effective"}  # where both are there, the latter comes last
TOOLS = ("xgboost.aucpr", "ranx.map@k", "sklearn.average_precision_score", "trec_eval.map")
EVERY = 4  # seeds, of which one makes the calls that take long


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


def calls(ap: Any, d: Any, rng: np.random.Generator, *, has_all: bool) -> dict[str, Any]:
    """The public functions, each with the same request."""
    y, (a, b), options = request(rng)
    known = [d.Step(), d.Step(), d.Linear(), d.Hyperbolic(), d.Interpolated(), d.Interpolated(11)]
    known += [d.Expected(), d.AtK(5), d.PrecisionAtK(3), d.RecallAtPrecision(0.5), d.Expected(4)]
    definition = known[rng.integers(len(known))]
    of_score = without(options, "clusters")
    of_interval = options | {"definition": definition, "n_resamples": 20, "rng": 0}
    models = {"a": a, "b": b, "c": np.where(a > -np.inf, -a, a)}
    side = str(rng.choice(["two-sided", "less", "greater"]))
    of_chance = {"definition": definition, "n_permutations": 49, "rng": 0}
    found = {
        "score": lambda: ap.average_precision_score(y, a, definition=definition, **of_score),
        "interval": lambda: ap.average_precision_interval(y, a, **of_interval),
        "comparison": lambda: ap.compare_average_precision(
            y, models, alternative=side, reference="b", **of_interval
        ),
        "best": lambda: ap.best_average_precision(y, models, **of_interval),
        "chance": lambda: ap.chance_test(y, a, **without(of_score, "sample_weight"), **of_chance),
        "size": lambda: ap.average_precision_interval(y, a, **of_interval).positives_for(0.05),
        "size of a difference": lambda: ap.compare_average_precision(
            y, models, **of_interval
        ).positives_for(0.05),
    }
    if y.ndim == 1:
        found |= of_one_ranking(ap, rng, y, a, definition, options)
        found |= of_other_tools(ap, rng, y, a, options)
        found |= of_commands(rng, y, models, options)
    if has_all:
        found |= of_folds(ap, rng, y, definition, options)
    return found


def without(options: dict[str, Any], *names: str) -> dict[str, Any]:
    """The options but some."""
    return {name: option for name, option in options.items() if name not in names}


def of_one_ranking(
    ap: Any, rng: Any, y: Any, a: Any, definition: Any, options: dict[str, Any]
) -> dict[str, Any]:
    """Counts of all sources, curves and thresholds, of rows without queries; and judged runs."""
    weight, queries = options.get("sample_weight"), options.get("queries")
    goal, share = str(rng.choice(["precision", "recall"])), float(rng.choice([0.3, 0.8]))
    average, size = options["average"], int(rng.integers(3, 40))
    of_counts = {name: options[name] for name in ("prevalence",) if name in options}

    def interval_of(counts: Any) -> Any:
        made = ap.AveragePrecisionInterval.from_counts
        return made(counts, definition, n_resamples=20, rng=0, average=average, **of_counts)

    def chunks() -> Any:
        parts = [slice(start, start + size) for start in range(0, len(y), size)]
        columns = [y, a] if weight is None else [y, a, weight]
        return ap.large.from_chunks([tuple(each[part] for each in columns) for part in parts])

    def table() -> Any:
        import pyarrow as pa

        columns = {"y": y, "p": a, "w": weight, "q": queries}
        given = {name: column for name, column in columns.items() if column is not None}
        options = {"sample_weight": "w", "queries": "q"}
        taken = {name: column for name, column in options.items() if column in given}
        return ap.large.from_table(pa.table(given), "y", "p", **taken)

    def histogram() -> Any:
        made = ap.large.ScoreHistogram(12)
        made.update(y, a)
        return [*made.bounds(), interval_of(made.counts())]

    def judged() -> Any:
        documents = [f"d{i}" for i in range(len(y))]
        names = [f"q{query}" for query in queries]
        rows = {"query": names, "document": documents}
        kept = a > -np.inf
        run = {name: np.array(column)[kept].tolist() for name, column in rows.items()}
        import pyarrow as pa

        runs = ap.retrieval.from_tables(
            pa.table(rows | {"label": y}), {"a": pa.table(run | {"score": a[kept]})}, complete=True
        )
        made = ap.average_precision_interval
        return made(**runs["a"], definition=definition, n_resamples=20, rng=0, average=average)

    found = {"interval of a table": lambda: interval_of(table())}
    if queries is not None:
        return found | {"judged runs": judged}
    if "n_positives" in options:
        return {}
    counted = {"clusters": options["clusters"]} if "clusters" in options else {}
    return found | {
        "interval of counts": lambda: interval_of(ap.threshold_counts(y, a, sample_weight=weight)),
        "interval of chunks": lambda: interval_of(chunks()),
        "histogram": histogram,
        "point": lambda: ap.operating_point(y, a, **{goal: share}, sample_weight=weight),
        "guaranteed point": lambda: ap.operating_point(y, a, **{goal: share}, guarantee=0.9),
        "point of clusters": lambda: ap.operating_point(
            y, a, **{goal: share}, sample_weight=weight, **counted
        ),
        "hit curve": lambda: ap.hit_curve(y, a, sample_weight=weight),
    }


def of_other_tools(ap: Any, rng: Any, y: Any, a: Any, options: dict[str, Any]) -> dict[str, Any]:
    """The module ``compat``."""
    tool = str(rng.choice(TOOLS))
    rows = {name: options[name] for name in ("sample_weight", "queries") if name in options}
    k = {"k": 5} if tool.endswith("@k") else {}
    return {
        "tool": lambda: ap.compat.score(tool, y, a, **without(rows, "queries"), **k),
        "tools": lambda: ap.compat.compare(y, a, k=10, **rows),
        "explanation": lambda: ap.compat.explain(tool, y, a, **rows, **k),
    }


def of_folds(ap: Any, rng: Any, y: Any, definition: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Cross-validations of two models, with each pooling."""
    from sklearn.dummy import DummyClassifier
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GroupKFold, KFold, cross_validate
    from sklearn.multioutput import MultiOutputClassifier
    from sklearn.tree import DecisionTreeClassifier

    n = 200
    rows = rng.integers(0, len(y), n)
    y, options = y[rows], {k: v[rows] if np.ndim(v) else v for k, v in options.items()}
    X = rng.normal(size=(n, 3)) + 0.8 * (y if y.ndim == 1 else y[:, 0])[:, None]
    models = {"tree": DecisionTreeClassifier(max_depth=3, random_state=0)}
    models["line"] = LogisticRegression(C=float(rng.choice([0.01, 1.0])))
    if y.ndim == 2:
        models = {name: MultiOutputClassifier(model) for name, model in models.items()}
    groups = options.get("queries", options.get("clusters"))
    splitter: Any = KFold(4, shuffle=True, random_state=0)
    if groups is not None and np.unique(groups).size >= 4:
        splitter = GroupKFold(4)
    given = {"return_estimator": True, "return_indices": True, "cv": splitter, "groups": groups}
    try:
        folds = {name: cross_validate(model, X, y, **given) for name, model in models.items()}
    except ValueError:  # the training rows of a fold may lack a class
        folds = {name: cross_validate(DummyClassifier(), X, y, **given) for name in models}
    rest = without(options, "n_positives") | {"definition": definition, "n_resamples": 20}
    found = {}
    for pooling in ("scores", "ranks", "odds"):
        of = str(rng.choice(["models", "training"]))
        rest = rest | {"pooling": pooling, "rng": 0}
        found[f"interval of folds, {pooling}"] = partial_of(
            ap.AveragePrecisionInterval.from_cv_results, folds["line"], X, y, **rest
        )
        found[f"comparison of folds, {pooling}"] = partial_of(
            ap.AveragePrecisionComparison.from_cv_results, folds, X, y, of=of, **rest
        )
        found[f"best of folds, {pooling}"] = partial_of(
            ap.BestAveragePrecision.from_cv_results, folds, X, y, **rest
        )
    return found


def partial_of(function: Any, *args: Any, **options: Any) -> Any:
    """A call without arguments."""
    return lambda: function(*args, **options)


def of_commands(
    rng: Any, y: Any, models: dict[str, Any], options: dict[str, Any]
) -> dict[str, Any]:
    """The command line, on a file of these rows."""
    named = {"sample_weight": "w", "queries": "q", "clusters": "c"}
    columns = {"y": y} | models
    columns |= {column: options[name] for name, column in named.items() if name in options}
    flags = {"sample_weight": "--weight", "queries": "--query", "clusters": "--cluster"}
    asked = [part for name in flags if name in options for part in (flags[name], named[name])]
    one, several = ["--label", "y", "--score", "a"], ["--score", "b", "--score", "c"]
    left_out = ["--without-positives", "left-out"] if rng.random() < 0.3 else []
    name = str(rng.choice(["AP@5", "step", "recall_at_3", "Expected()"]))
    share = ["--prevalence", "0.02"] if rng.random() < 0.2 else []
    plain = [each for each in asked if each not in ("--cluster", "c", "--weight", "w")]

    def command(verb: str, *arguments: str) -> Any:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "rows.csv")
            lines = zip(*(np.asarray(each).tolist() for each in columns.values()), strict=True)
            path.write_text(
                "\n".join(",".join(map(str, line)) for line in [columns.keys(), *lines]) + "\n"
            )
            return answer(*verb.split(), str(path), *arguments, "--format", "json")

    return {
        "command score": lambda: command("score", *one, *asked, *left_out),
        "command score, one": lambda: command(
            "score", *one, *asked, *left_out, *share, "--definition", name
        ),
        "command score, several": lambda: command("score", *one, *several, *asked, *left_out),
        "command chance": lambda: command("chance", *one, *plain, *left_out),
        "command compare": lambda: command("compare", *one, *plain, "--all"),
        "command explain": lambda: command("explain xgboost.aucpr", *one, *plain),
    }


def answer(*arguments: str) -> Any:
    """What the command line prints as JSON, and its status."""
    from sklearn_ap.__main__ import main

    out, error, status = io.StringIO(), io.StringIO(), 0
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(error):
        try:
            status = main([*arguments])
        except SystemExit as end:
            status = end.code
    text = out.getvalue()
    return {"status": status or 0} | (flat(json.loads(text)) if text.startswith("{") else {})


def flat(thing: Any, place: str = "answer") -> dict[str, Any]:
    """The numbers and names of nested lists and dicts, by their places."""
    if isinstance(thing, dict):
        thing = {RENAMED.get(name, name): each for name, each in thing.items()}
    elif isinstance(thing, list | tuple):
        thing = dict(enumerate(thing))
    else:
        return {place: np.nan if thing is None else thing}
    found: dict[str, Any] = {}
    for name, each in thing.items():
        found |= flat(each, f"{place}.{name}")
    return found


def plain(thing: Any) -> Any:
    """Results as dicts of their fields, with today's names."""
    if isinstance(thing, list | tuple):
        return {str(i): plain(each) for i, each in enumerate(thing)}
    if not dataclasses.is_dataclass(thing) or isinstance(thing, type):
        return thing
    fields = {each.name: plain(getattr(thing, each.name)) for each in dataclasses.fields(thing)}
    name = type(thing).__name__
    known = {RENAMED.get(name, name): value for name, value in fields.items()}
    return known | {"class": RENAMED.get(name, name)}


def outcome(call: Any) -> tuple[Any, list[str]]:
    """What a call gives: numbers by name, or the class and text of its error; and its warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            given = plain(call())
        except Exception as error:
            given = {"class": type(error).__name__, "text": str(error)}
    return given, sorted({str(warning.message) for warning in caught})


def same(first: Any, second: Any) -> bool:
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


def agree(before: Any, after: Any, *, texts: bool) -> bool:
    """Whether two outcomes agree in numbers, classes and warnings."""
    (given, warned), (now_given, now_warned) = before, after
    if not texts:
        warned, now_warned = len(warned), len(now_warned)
        given, now_given = (
            {k: v for k, v in each.items() if k != "text"} if isinstance(each, dict) else each
            for each in (given, now_given)
        )
    return warned == now_warned and same(given, now_given)


def measure(target: str, n_calls: int) -> None:
    """Call the package that is found first, and keep what it gives."""
    import sklearn_ap
    from sklearn_ap import definitions

    outcomes = {}
    for seed in range(n_calls):
        rng, has_all = np.random.default_rng(seed), seed % EVERY == 0
        for name, call in calls(sklearn_ap, definitions, rng, has_all=has_all).items():
            outcomes[name, seed] = outcome(call)
    Path(target).write_bytes(pickle.dumps(outcomes))


def started(folder: Path | str, target: str, n_calls: int) -> subprocess.Popen[bytes]:
    """Call the package in a folder, in a process of its own."""
    environment = os.environ | {"PYTHONPATH": str(folder)}
    command = [sys.executable, __file__, "--measure", target, "--calls", str(n_calls)]
    return subprocess.Popen(command, env=environment, cwd=folder)


def main() -> None:
    """Compare two states."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before", nargs="?", default="HEAD")
    parser.add_argument("--calls", type=int, default=400)
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
