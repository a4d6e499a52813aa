"""Time and memory beside scikit-learn, other libraries, and one np.sort of the same scores.

    python benchmarks/speed.py [--quick]

Contestants take turns of some milliseconds, and medians are compared, so that a noisy machine
disturbs all alike. Ratios say how many times as long as this library the others take; "sorts" how
many times as long as one np.sort this library takes; memory is the peak in multiples of the scores'
own, as Linux counts it. Writes speed.json beside this file, docs/speed.md and speed.svg, and the
table of the README; --quick writes nothing. The bench extra has the peers; those that are not
installed are named and left out.
"""

import argparse
import ctypes
import datetime
import gc
import importlib.util
import itertools
import json
import os
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import sklearn
from sklearn.metrics import average_precision_score as scikit_learn

import sklearn_ap

ROOT = Path(__file__).parents[1]
PEERS = ("torchmetrics", "torcheval", "lightgbm", "xgboost", "pytrec_eval", "ranx")
TURN = 5e-3  # seconds
Run = Callable[[], object]
Scenario = tuple[str, dict[str, Run], int]  # name, contestants, bytes of the scores


def draw(n: int, prevalence: float, kind: str = "distinct") -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of one ranking."""
    rng = np.random.default_rng(0)
    y_true = (rng.random(n) < prevalence).astype(np.int64)
    y_true[0] = 1
    y_score = rng.random(n)
    kinds = {
        "distinct": lambda: y_score,
        "float32": lambda: y_score.astype(np.float32),
        "rounded": lambda: y_score.round(2),
        "constant": lambda: np.full(n, 0.5),
    }
    return y_true, kinds[kind]()


def torch_peers(y_true: np.ndarray, y_score: np.ndarray) -> dict[str, Run]:
    """TorchMetrics and TorchEval, on tensors that are there already."""
    found: dict[str, Run] = {}
    if installed("torchmetrics"):
        import torch
        from torchmetrics.functional.classification import binary_average_precision

        score, label = torch.from_numpy(y_score), torch.from_numpy(y_true)
        found["torchmetrics"] = partial(binary_average_precision, score, label)
    if installed("torcheval"):
        import torch
        from torcheval.metrics.functional import binary_auprc

        score, label = torch.from_numpy(y_score), torch.from_numpy(y_true)
        found["torcheval"] = partial(binary_auprc, score, label)
    return found


def boosters(y_true: np.ndarray, y_score: np.ndarray) -> dict[str, Run]:
    """LightGBM's and XGBoost's metrics, through models without trees that start at the scores."""
    found: dict[str, Run] = {}
    feature = np.arange(y_true.size)[:, None]
    if installed("lightgbm"):
        import lightgbm

        data = lightgbm.Dataset(feature, label=y_true, init_score=y_score)
        settings = {"objective": "binary", "metric": "average_precision", "verbose": -1}
        found["lightgbm"] = lightgbm.Booster(settings, data).eval_train
    if installed("xgboost"):
        import xgboost

        matrix = xgboost.DMatrix(feature, label=y_true, base_margin=y_score)
        asked = {"objective": "binary:logitraw", "eval_metric": "aucpr", "base_score": 0.5}
        found["xgboost"] = partial(xgboost.train(asked, matrix, num_boost_round=0).eval, matrix)
    return found


def one_ranking(sizes: tuple[int, ...]) -> Iterator[Scenario]:
    """Sizes and prevalences."""
    for n in sizes:
        for prevalence in (0.002, 0.02, 0.5):
            y, s = draw(n, prevalence)
            runs: dict[str, Run] = {
                "ours": partial(sklearn_ap.average_precision_score, y, s),
                "scikit-learn": partial(scikit_learn, y, s),
                "np.sort": partial(np.sort, s),
                **torch_peers(y, s),
                **boosters(y, s),
            }
            yield f"{n:,} rows, {prevalence:.1%} positives", runs, s.nbytes


def kinds_of_scores(n: int) -> Iterator[Scenario]:
    """Other scores, and weights."""
    weight = np.random.default_rng(1).random(n)
    for kind in ("float32", "rounded", "constant", "weighted"):
        y, s = draw(n, 0.02, "distinct" if kind == "weighted" else kind)
        options = {"sample_weight": weight} if kind == "weighted" else {}
        runs: dict[str, Run] = {
            "ours": partial(sklearn_ap.average_precision_score, y, s, **options),
            "scikit-learn": partial(scikit_learn, y, s, **options),
            "np.sort": partial(np.sort, s),
        }
        yield f"{n:,} rows, 2.0% positives, {kind}", runs, s.nbytes


def columns(shapes: tuple[tuple[int, int], ...]) -> Iterator[Scenario]:
    """Multilabel targets."""
    rng = np.random.default_rng(0)
    for shape in shapes:
        y, s = (rng.random(shape) < 0.02).astype(np.int64), rng.random(shape)
        y[0] = 1
        runs: dict[str, Run] = {
            "ours": partial(sklearn_ap.average_precision_score, y, s),
            "scikit-learn": partial(scikit_learn, y, s),
        }
        yield f"{shape[0]:,} rows x {shape[1]:,} labels", runs, s.nbytes


def queries(shapes: tuple[tuple[int, int], ...]) -> Iterator[Scenario]:
    """Groups; the loop over scikit-learn runs on a hundredth of them, and is scaled."""
    rng = np.random.default_rng(0)
    for n_groups, size in shapes:
        y = (rng.random((n_groups, size)) < 0.1).astype(np.int64)
        y[:, 0] = 1
        s = rng.random((n_groups, size))
        groups = np.repeat(np.arange(n_groups), size)
        part = max(1, n_groups // 100)

        def loop(y: np.ndarray = y[:part], s: np.ndarray = s[:part]) -> None:
            for labels, scores in zip(y, s, strict=True):
                scikit_learn(labels, scores)

        ours = partial(sklearn_ap.average_precision_score, y.ravel(), s.ravel(), groups=groups)
        runs: dict[str, Run] = {"ours": ours, f"loop / {n_groups // part}": loop}
        runs |= retrieval_peers(y, s)
        yield f"{n_groups:,} groups of {size}", runs, s.nbytes


def retrieval_peers(y: np.ndarray, s: np.ndarray) -> dict[str, Run]:
    """pytrec_eval and ranx, with and without the building of their inputs."""

    def build() -> tuple[dict, dict]:
        judged = {f"q{q}": {f"d{i}": int(v) for i, v in enumerate(row)} for q, row in enumerate(y)}
        found = {f"q{q}": {f"d{i}": float(v) for i, v in enumerate(row)} for q, row in enumerate(s)}
        return judged, found

    runs: dict[str, Run] = {}
    judged, found = build()
    if installed("pytrec_eval"):
        import pytrec_eval

        evaluator = pytrec_eval.RelevanceEvaluator(judged, {"map"})
        runs["pytrec_eval"] = partial(evaluator.evaluate, found)
        runs["pytrec_eval, from arrays"] = lambda: pytrec_eval.RelevanceEvaluator(
            (inputs := build())[0], {"map"}
        ).evaluate(inputs[1])
    if installed("ranx"):
        import ranx

        qrels, run = ranx.Qrels(judged), ranx.Run(found)
        runs["ranx"] = partial(ranx.evaluate, qrels, run, "map")
        runs["ranx, from arrays"] = lambda: ranx.evaluate(
            ranx.Qrels((inputs := build())[0]), ranx.Run(inputs[1]), "map"
        )
    return runs


def definitions(sizes: tuple[int, ...]) -> Iterator[Scenario]:
    """The other scores beside step average precision."""
    for n in sizes:
        y, s = draw(n, 0.02)
        runs: dict[str, Run] = {
            "ours": partial(sklearn_ap.step_average_precision_score, y, s),
            "interpolated": partial(sklearn_ap.interpolated_average_precision_score, y, s),
            "eleven-point": partial(sklearn_ap.eleven_point_average_precision_score, y, s),
            "at 10": partial(sklearn_ap.average_precision_at_k_score, y, s, k=10),
            "expected": partial(sklearn_ap.expected_average_precision_score, y, s),
        }
        yield f"definitions, {n:,} rows", runs, s.nbytes


def installed(peer: str) -> bool:
    """Whether a peer is there."""
    return importlib.util.find_spec(peer) is not None


def timed(runs: dict[str, Run], seconds: float) -> dict[str, list[float]]:
    """Times of each contestant, in turns until the time is up, but at least three of each.

    A turn is as many calls as fit into it, so that small inputs are not timed with the caches of
    the contestant before; and each turn starts with another one.
    """
    calls = {
        name: max(1, int(TURN / min(burst(run, 1) for _ in range(3)))) for name, run in runs.items()
    }
    times: dict[str, list[float]] = {name: [] for name in runs}
    end, turns = time.perf_counter() + seconds, 0
    while turns < 3 or time.perf_counter() < end:
        first = turns % len(runs)
        for name in [*runs][first:] + [*runs][:first]:
            times[name].append(burst(runs[name], calls[name]))
        turns += 1
    return times


def burst(run: Run, calls: int) -> float:
    """Time of one call, out of several in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def peak_memory(run: Run) -> int | None:
    """Bytes of the process at the peak of a call, beyond what it held before; None off Linux."""
    status = Path("/proc/self/status")
    if not status.exists():
        return None
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # freed memory that is kept would hide what is used again
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew

    def kilobytes(field: str) -> int:
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(field))

    before = kilobytes("VmRSS")
    run()
    return 1024 * (kilobytes("VmHWM") - before)


def measure(scenario: Scenario, seconds: float) -> dict:
    """One row of the table."""
    name, runs, size = scenario
    times = timed(runs, seconds)
    memory = {contestant: peak_memory(run) for contestant, run in runs.items()}
    median = {contestant: statistics.median(taken) for contestant, taken in times.items()}
    for contestant in [c for c in median if c.startswith("loop / ")]:
        median["loop over scikit-learn"] = median.pop(contestant) * int(contestant[7:])
        memory.pop(contestant)
    ours = median.pop("ours")
    quartiles = statistics.quantiles(times["ours"], n=4)
    sort = median.pop("np.sort", None)
    return {
        "scenario": name,
        "milliseconds": 1e3 * ours,
        "spread": (quartiles[2] - quartiles[0]) / ours,
        "ratios": {contestant: taken / ours for contestant, taken in median.items()},
        "sorts": None if sort is None else ours / sort,
        # Pages of memory are too coarse to tell for less.
        "memory": {c: m / size for c, m in memory.items() if size >= 5e5 and m is not None},
    }


def line(row: dict) -> list[str]:
    """The scenario and our own figures."""
    sorts = "" if row["sorts"] is None else f"{row['sorts']:.2f}"
    return [row["scenario"], ratio(row["milliseconds"]), f"{row['spread']:.0%}", sorts]


def about() -> str:
    """When, where and with what."""
    simd = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    return (
        f"{datetime.date.today()}, {cores} cores, {platform.machine()} with {', '.join(simd)}, "
        f"Python {platform.python_version()}, NumPy {np.__version__}, scikit-learn "
        f"{sklearn.__version__}"
    )


def markdown(rows: list[list[str]]) -> str:
    """A table, its head first."""
    head, *body = rows
    return "\n".join(f"| {' | '.join(cells)} |" for cells in [head, ["---"] * len(head), *body])


def figures(rows: list[dict]) -> str:
    """Tables of times, one for each set of contestants, and of memory likewise."""
    tables = []
    for _, group in itertools.groupby(rows, lambda row: (*row["ratios"], row["sorts"] is None)):
        found = list(group)
        head = ["", "ms", "spread", "sorts", *found[0]["ratios"]]
        tables.append([head, *([*line(r), *map(ratio, r["ratios"].values())] for r in found)])
        if known := [row for row in found if row["memory"]]:
            cells = [[r["scenario"], *map(ratio, r["memory"].values())] for r in known]
            tables.append([["peak memory", *known[0]["memory"]], *cells])
    return "\n\n".join(map(markdown, tables))


def ratio(value: float) -> str:
    """Three digits are more than the machine is worth."""
    return f"{value:.3g}"


def summary(rows: list[dict]) -> str:
    """The table of the README: how many times as long others take."""
    wanted = {
        "scikit-learn": "scikit-learn",
        "torchmetrics": "TorchMetrics",
        "torcheval": "TorchEval",
    }
    kept = [
        r for r in rows if r["scenario"].endswith(("rows, 2.0% positives", "weighted", "labels"))
    ]
    head = ["", "milliseconds", *wanted.values()]
    cells = [[*map(ratio, (row["ratios"].get(name, 0) for name in wanted))] for row in kept]
    body = [
        line(row)[:2] + [c if c != "0" else "" for c in of]
        for row, of in zip(kept, cells, strict=True)
    ]
    return markdown([head, *body])


def plot(rows: list[dict], path: Path) -> None:
    """Time and memory over rows at 2 % positives, all in powers of ten."""
    import matplotlib.pyplot as plt

    rows = [row for row in rows if row["scenario"].endswith("rows, 2.0% positives")]
    figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.5), layout="constrained")
    names = {"ours": "this library"} | {peer: peer for peer in rows[0]["ratios"]}
    names["np.sort"] = "one np.sort"
    for marker, (key, name) in zip("osD^vPX", names.items(), strict=False):
        times, peaks = {}, {}
        for row in rows:
            n = int(row["scenario"].split()[0].replace(",", ""))
            longer = {"ours": 1, "np.sort": 1 / row["sorts"]} | row["ratios"]
            times[n] = row["milliseconds"] * longer[key]
            if row["memory"]:
                peaks[n] = 8 * n * row["memory"][key] / 1e6
        left.loglog([*times], [*times.values()], marker=marker, label=name)
        right.loglog([*peaks], [*peaks.values()], marker=marker)
    left.set(xlabel="rows, 2 % positive", ylabel="milliseconds")
    right.set(xlabel="rows, 2 % positive", ylabel="megabytes beyond the inputs")
    for axis in (left, right):
        axis.grid(alpha=0.3)
    figure.legend(loc="outside right center", frameon=False)
    figure.savefig(path)


MARKS = ("<!-- written by benchmarks/speed.py -->\n", "\n<!-- until here -->")
PAGE = """# Speed

Written by `python benchmarks/speed.py`. {about}.

The tables say how many times as long as this library others take on the same data in the same
run, medians of interleaved turns; "sorts" is how many times one `np.sort` of the same scores this
library takes, and "spread" the interquartile range of our times over their median. Peak memory is
that of the process beyond the inputs, in multiples of the scores' own, where these take half a
megabyte or more. A loop over scikit-learn was run on a hundredth of the groups. LightGBM's and
XGBoost's metrics are asked of models without trees that start at the scores.

The cost grows as one sort does, n log n, and memory as n:

![time and memory over rows](speed.svg)

How near it comes to one sort depends on NumPy's. Where that uses AVX-512, a sort is so fast that as
much time again goes into fresh memory, into splitting positives from negatives and, where many are
positive, into searching them among the negatives. See [design](design.md#speed).

{figures}
"""


def main() -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, under a minute")
    quick = parser.parse_args().quick
    if missing := [peer for peer in PEERS if not installed(peer)]:
        print(f"not installed, left out: {', '.join(missing)}")
    scenarios: list[Iterator[Scenario]] = [
        one_ranking((1_000, 100_000) if quick else (100, *(10**e for e in range(3, 8)))),
        kinds_of_scores(100_000 if quick else 1_000_000),
        columns(((10_000, 10),) if quick else ((100_000, 10), (10_000, 1_000))),
        queries(((1_000, 10),) if quick else ((1_000, 100), (100_000, 10))),
        definitions((100_000,) if quick else (1_000, 1_000_000, 10_000_000)),
    ]
    rows = []
    print(f"{'':<40}{'ms':<8}{'spread':<8}{'sorts':<7}times as long")
    for scenario in (scenario for group in scenarios for scenario in group):
        print(f"timing {scenario[0]} ...", end="\r", file=sys.stderr, flush=True)
        rows.append(measure(scenario, 0.3 if quick else 4.0))
        name, taken, spread, sorts = line(rows[-1])
        others = [f"{peer} {ratio(longer)}" for peer, longer in rows[-1]["ratios"].items()]
        print(f"{name:<40}{taken:<8}{spread:<8}{sorts:<7}{', '.join(others)}", flush=True)
    if not quick:
        found = {"about": about(), "rows": rows}
        (ROOT / "benchmarks" / "speed.json").write_text(json.dumps(found, indent=1) + "\n")
        (ROOT / "docs" / "speed.md").write_text(PAGE.format(about=about(), figures=figures(rows)))
        readme, (start, end) = ROOT / "README.md", MARKS
        before, _, rest = readme.read_text().partition(start)
        after = rest.partition(end)[2]
        readme.write_text(f"{before}{start}{summary(rows)}{end}{after}")
        plot(rows, ROOT / "docs" / "speed.svg")


if __name__ == "__main__":
    main()
