"""Time and memory beside scikit-learn, other libraries, and one np.sort of the same scores.

    python benchmarks/speed.py [--quick] [--check]

Contestants take turns of some milliseconds in random order, and medians are compared, so that what
else the machine does disturbs all. Writes speed.json beside this file, docs/speed.md and speed.svg,
and the table of the README; --quick writes nothing. The bench extra has the peers; those that are
not installed are named and left out. --check measures some rows in a minute, and fails if a ratio
is much worse than that on the page. One ranking is also timed where NumPy is told not to use
AVX-512, and where it is told to use no vector instructions, which makes its sort slow.
"""

import argparse
import ctypes
import datetime
import gc
import itertools
import json
import os
import platform
import random
import statistics
import subprocess
import sys
import time
import warnings
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import certainty_cost
import contestants
import joblib
import labelled_lines
import numpy as np
import shapes
import sklearn
from contestants import Run
from simulation import table
from sklearn.metrics import average_precision_score as scikit_learn
from sklearn.model_selection import GridSearchCV
from sklearn.naive_bayes import GaussianNB

import sklearn_ap
from sklearn_ap.counts._threads import n_threads

ROOT = Path(__file__).parents[1]
TURN = 5e-3  # seconds
NOISE = 1.6  # times as long: other machines sort at other speeds
LOOP = "loop over scikit-learn"
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


def ranking(name: str, y: np.ndarray, s: np.ndarray, weight: np.ndarray | None = None) -> Scenario:
    """One ranking, with weights or without."""
    options = {} if weight is None else {"sample_weight": weight}
    runs = {
        "ours": partial(sklearn_ap.average_precision_score, y, s, **options),
        "np.sort": partial(np.sort, s),
        "scikit-learn": partial(scikit_learn, y, s, **options),
        **(contestants.torch_peers(y, s) if weight is None else {}),
        **contestants.boosters(y, s, weight),
    }
    return f"{y.size:,} rows, {name}", runs, s.nbytes


def one_ranking(sizes: tuple[int, ...]) -> Iterator[Scenario]:
    """Sizes and prevalences."""
    for n in sizes:
        for prevalence in (0.002, 0.02, 0.5) if n < 10**7 else (0.02, 0.5):
            yield ranking(f"{prevalence:.1%} positives", *draw(n, prevalence))


def kinds_of_scores(n: int) -> Iterator[Scenario]:
    """Other scores, and weights."""
    for kind in ("float32", "rounded", "constant"):
        yield ranking(f"2.0% positives, {kind}", *draw(n, 0.02, kind))
    yield weighted(n)


def weighted(n: int) -> Scenario:
    """One ranking with weights."""
    weight = np.random.default_rng(1).random(n)
    return ranking("2.0% positives, weighted", *draw(n, 0.02), weight)


def columns(shapes: tuple[tuple[int, int], ...]) -> Iterator[Scenario]:
    """Multilabel targets."""
    rng = np.random.default_rng(0)
    for shape in shapes:
        y, s = (rng.random(shape) < 0.02).astype(np.int64), rng.random(shape)
        y[0] = 1
        runs = {
            "ours": partial(sklearn_ap.average_precision_score, y, s),
            "scikit-learn": partial(scikit_learn, y, s),
            **contestants.torch_peers(y, s),
        }
        yield f"{shape[0]:,} rows x {shape[1]:,} labels", runs, s.nbytes


def queries(shapes: tuple[tuple[int, int], ...]) -> Iterator[Scenario]:
    """Groups; the loop over scikit-learn runs on a hundredth of them, and is scaled."""
    rng = np.random.default_rng(0)
    for n_groups, size in shapes:
        y = (rng.random((n_groups, size)) < 0.1).astype(np.int64)
        y[:, 0] = 1
        s = rng.random((n_groups, size))
        queries = np.repeat(np.arange(n_groups), size)
        part = max(1, n_groups // 100)

        def loop(y: np.ndarray = y[:part], s: np.ndarray = s[:part]) -> None:
            for labels, scores in zip(y, s, strict=True):
                scikit_learn(labels, scores)

        ours = partial(sklearn_ap.average_precision_score, y.ravel(), s.ravel(), queries=queries)
        runs: dict[str, Run] = {"ours": ours, f"{LOOP} / {n_groups // part}": loop}
        runs |= contestants.retrieval_peers(y, s)
        yield f"{n_groups:,} queries of {size}", runs, s.nbytes


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


def searches(n: int) -> Iterator[Scenario]:
    """Twelve fits, with threads inside the scorer, without, and with workers outside."""
    rng = np.random.default_rng(0)
    y, _ = draw(n, 0.02)
    features = rng.normal(size=(n, 2)) + y[:, None]
    scoring = sklearn_ap.get_scorer("average_precision")
    grid = {"var_smoothing": [1e-9, 1e-3, 1e-1, 1.0]}

    def search(n_jobs: int | None) -> None:
        GridSearchCV(GaussianNB(), grid, scoring=scoring, cv=3, n_jobs=n_jobs).fit(features, y)

    def one_thread() -> None:
        with joblib.parallel_config(n_jobs=1):
            search(None)

    runs: dict[str, Run] = {
        "ours": partial(search, None),
        "one thread": one_thread,
        "n_jobs=2": partial(search, 2),
    }
    yield f"a search of 12 fits, {n:,} rows", runs, 8 * n


def timed(runs: dict[str, Run], seconds: float) -> dict[str, list[float]]:
    """Times of each contestant, in turns until the time is up, but at least five of each.

    A turn is as many calls as fit into it, so that small inputs are not timed with the caches of
    the contestant before; and the order of each turn is another one.
    """
    calls = {name: max(1, int(TURN / burst(run, 1))) for name, run in runs.items()}
    calls = {name: max(1, int(TURN / burst(run, calls[name]))) for name, run in runs.items()}
    times: dict[str, list[float]] = {name: [] for name in runs}
    order, rng, end = list(runs), random.Random(0), time.perf_counter() + seconds
    while len(times[order[0]]) < 5 or time.perf_counter() < end:
        rng.shuffle(order)
        for name in order:
            times[name].append(burst(runs[name], calls[name]))
    return times


def burst(run: Run, calls: int) -> float:
    """Time of one call, out of several in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        run()
    return (time.perf_counter() - start) / calls


def peak_memory(run: Run) -> int | None:
    """Bytes of the process at the peak of a call, beyond what it held before; None if unknown."""
    status = Path("/proc/self/status")

    def kilobytes(field: str) -> int:
        lines = status.read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith(field))

    gc.collect()
    try:
        ctypes.CDLL(None).malloc_trim(0)  # freed memory that is kept would hide what is used again
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew
        before = kilobytes("VmRSS")
        run()
        return 1024 * (kilobytes("VmHWM") - before)
    except (AttributeError, OSError, TypeError):  # not Linux, or not its usual C library
        return None


def measure(scenario: Scenario, seconds: float) -> dict:
    """One row of the tables, every number relative to ours or to the scores."""
    name, runs, size = scenario
    times = timed(runs, seconds)
    memory = {contestant: peak_memory(run) for contestant, run in runs.items()}
    found: dict = {"scenario": name, "ratios": {}, "spreads": {}, "memory": {}}
    ours = statistics.median(times["ours"])
    for contestant, taken in times.items():
        called, _, part = contestant.partition(" / ")
        first, median, third = statistics.quantiles(taken, n=4)
        found["ratios"][called] = median * int(part or 1) / ours
        found["spreads"][called] = (third - first) / median
        # Pages of memory are too coarse to tell for less; and a part of a loop tells nothing.
        if size >= 5e5 and memory[contestant] is not None and not part:
            found["memory"][called] = memory[contestant] / size
    sort = found["ratios"].pop("np.sort", None)
    del found["ratios"]["ours"]
    return found | {"milliseconds": 1e3 * ours, "sorts": None if sort is None else 1 / sort}


def elsewhere(part: str, *options: str, **environment: str) -> list[dict]:
    """Rows that another process measures."""
    command = [sys.executable, str(Path(__file__)), "--part", part, *options]
    found = subprocess.run(
        command, check=True, capture_output=True, text=True, env=os.environ | environment
    )
    return json.loads(found.stdout.splitlines()[-1])


def alone(quick: bool) -> list[dict]:
    """One ranking once more, in a process in which no other library has warmed the memory."""
    contestants.installed = {}.get  # nobody
    rows = [measure(s, seconds(quick)) for s in one_ranking((100_000 if quick else 1_000_000,))]
    return [row | {"scenario": f"{row['scenario']}, alone"} for row in rows]


def plain_sort(quick: bool) -> list[dict]:
    """One ranking, in a process where NumPy was told to use fewer vector instructions."""
    sizes = (10_000,) if quick else (10_000, 100_000, 1_000_000)
    found = [*one_ranking(sizes), *map(weighted, sizes)]
    return [measure(scenario, seconds(quick)) for scenario in found]


PARTS = {"alone": alone, "plain_sort": plain_sort}


def seconds(quick: bool) -> float:
    """How long the contestants of a scenario take turns."""
    return 0.3 if quick else 3.0


def vectors() -> list[str]:
    """The vector instructions of this processor, as NPY_DISABLE_CPU_FEATURES names them."""
    return list(np.show_config(mode="dicts")["SIMD Extensions"]["found"])


def avx512() -> list[str]:
    """Those that are AVX-512."""
    return [name for name in vectors() if name.startswith(("X86_V4", "AVX512"))]


def without(features: list[str], options: list[str]) -> list[dict]:
    """One ranking where NumPy does without some vector instructions; no rows if it has none."""
    if not features:
        return []
    return elsewhere("plain_sort", *options, NPY_DISABLE_CPU_FEATURES=" ".join(features))


def shaped(quick: bool) -> list[list[str]]:
    """The table of shapes, its head first."""
    n, turn = (20_000, 0.02) if quick else (1_000_000, 0.3)
    return [shapes.HEAD, *(row for p in (0.02, 0.5) for row in shapes.measure(n, p, turn))]


def about() -> str:
    """When, where and with what."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    known = {
        "Python": platform.python_version(),
        "NumPy": np.__version__,
        "scikit-learn": sklearn.__version__,
        **contestants.versions(),
    }
    there = ", ".join(f"{name} {version}" for name, version in known.items())
    absent = ", ".join(missing())
    used = f"this library on {n_threads(1_000_000)} of {cores} cores"
    machine = f"{used}, {platform.machine()} with {', '.join(vectors())}"
    left_out = f"; not installed and left out: {absent}" if absent else ""
    return f"{datetime.date.today()}, {machine}, {there}{left_out}"


def missing() -> list[str]:
    """The peers that are not there."""
    return [peer for peer in contestants.PEERS if not contestants.installed(peer)]


def line(row: dict) -> list[str]:
    """The scenario and our own figures."""
    sorts = "" if row["sorts"] is None else f"{row['sorts']:.2f}"
    return [row["scenario"], short(row["milliseconds"]), sorts]


def short(value: float) -> str:
    """Three digits are more than the machine is worth."""
    return f"{value:.3g}"


def figures(rows: list[dict]) -> str:
    """A table of times, and of our memory, for each set of contestants."""
    tables = []
    for _, group in itertools.groupby(rows, lambda row: (*row["ratios"], row["sorts"] is None)):
        found = list(group)
        head = ["", "ms", "sorts", "memory", *found[0]["ratios"]]
        memory = [short(row["memory"]["ours"]) if row["memory"] else "" for row in found]
        pairs = zip(found, memory, strict=True)
        cells = [[*line(row), peak, *map(short, row["ratios"].values())] for row, peak in pairs]
        tables.append(table([head, *cells]))
    return "\n\n".join(tables)


def instructions(measured: dict) -> str:
    """One ranking with all vector instructions, without AVX-512 and without any."""
    peers = ("scikit-learn", "lightgbm")
    kinds = ("rows", "plain_sort", "slow_sort")
    names = [row["scenario"] for row in measured["slow_sort"] or measured["plain_sort"]]
    head = ["", "ms", "without AVX-512", *peers, "without any", *peers]
    lines = [head]
    for name in names:
        cells = [name]
        for kind in kinds:
            of_name = [row for row in measured[kind] if row["scenario"] == name]
            row = of_name[0] if of_name else {"ratios": {}}
            others = () if kind == "rows" else peers
            cells.append(short(row["milliseconds"]) if of_name else "")
            cells += [short(row["ratios"][p]) if p in row["ratios"] else "" for p in others]
        lines.append(cells)
    return table(lines)


def side_by_side(lines: list[list[str]]) -> str:
    """The table of shapes, in which each shape has a line for each share of positives."""
    shares: dict[str, dict[str, list[str]]] = {}
    for name, *cells in lines[1:]:
        shape, _, share = name.rpartition(", ")
        shares.setdefault(share, {})[shape] = [cells[1], cells[3]]
    head = ["shape", *(f"{share}{kind}" for share in shares for kind in ("", ", weighted"))]
    names = dict.fromkeys(shape for found in shares.values() for shape in found)
    found = [[found.get(n, ["", ""]) for found in shares.values()] for n in names]
    body = [[n, *itertools.chain(*cells)] for n, cells in zip(names, found, strict=True)]
    return table([head, *body])


def times_the_scores(rows: list[dict]) -> str:
    """How many times as long other calls take as the scores of the same models."""
    of_scores = [row for row in rows if LOOP not in row["ratios"]]
    cells = [[*line(row)[:2], short(*row["ratios"].values())] for row in of_scores]
    others = figures([row for row in rows if LOOP in row["ratios"]])
    return f"{table([['', 'scores, ms', 'times as long'], *cells])}\n\n{others}".rstrip()


def spread_of(rows: list[dict]) -> str:
    """How much our times vary, in a sentence."""
    spreads = sorted(row["spreads"]["ours"] for row in rows)
    middle, highest = statistics.median(spreads), spreads[-1]
    return (
        f"The interquartile range of our times is {middle:.0%} of their median in the median row, "
        f"and {highest:.0%} in the worst."
    )


def summary(rows: list[dict]) -> str:
    """The table of the README: how many times as long others take."""
    ends = ("rows, 2.0% positives", "weighted", "labels")
    kept = [row for row in rows if row["scenario"].endswith(ends)]
    peers = list(dict.fromkeys(peer for row in kept for peer in row["ratios"]))
    cells = [[short(row["ratios"][p]) if p in row["ratios"] else "" for p in peers] for row in kept]
    body = [[*line(row)[:2], *others] for row, others in zip(kept, cells, strict=True)]
    return table([["", "milliseconds", *peers], *body])


def plot(rows: list[dict], path: Path) -> None:
    """Time and memory over rows at 2% positives, all in powers of ten."""
    import matplotlib.pyplot as plt

    rows = [row for row in rows if row["scenario"].endswith("rows, 2.0% positives")]
    names = {"ours": "this library", "scikit-learn": "scikit-learn", "lightgbm": "LightGBM"}
    names["np.sort"] = "one np.sort"
    times: dict[str, dict[int, float]] = {}
    peaks: dict[str, dict[int, float]] = {}
    for row in rows:
        n = int(row["scenario"].split()[0].replace(",", ""))
        longer = {"ours": 1, "np.sort": 1 / row["sorts"]} | row["ratios"]
        for key in names.keys() & longer.keys():
            times.setdefault(key, {})[n] = row["milliseconds"] * longer[key]
        for key in names.keys() & row["memory"].keys():
            peaks.setdefault(key, {})[n] = 8 * n * row["memory"][key] / 1e6
    figure, axes = plt.subplots(1, 2, figsize=(8, 4), layout="constrained")
    for axis, found in zip(axes, (times, peaks), strict=True):
        labelled_lines.draw(axis, {names[key]: found[key] for key in names if key in found})
        axis.set_xlabel("rows, 2% positive")
    axes[0].set_ylabel("milliseconds")
    axes[1].set_ylabel("megabytes beyond the inputs")
    figure.savefig(path)


MARKS = ("<!-- written by benchmarks/speed.py -->\n", "\n<!-- until here -->")
PAGE = (Path(__file__).parent / "pages" / "speed.md").read_text()


def page(measured: dict) -> str:
    """The page, from what was measured."""
    return PAGE.format(
        about=measured["about"],
        spread=spread_of(measured["rows"]),
        figures=figures(measured["rows"]),
        features=" ".join(measured["avx512"]) or "X86_V4 AVX512_ICL AVX512_SPR",
        vectors=" ".join(measured["vectors"]),
        instructions=instructions(measured),
        shapes=side_by_side(measured["shapes"]),
        searches=figures(measured["searches"]),
        certainty=times_the_scores(measured["certainty"]),
    )


def stored(measured: dict) -> str:
    """JSON in the digits that the pages show, a line for each row: a new run changes few lines."""
    sections = []
    for name, section in measured.items():
        text = json.dumps(section)
        if isinstance(section, list) and section and not isinstance(section[0], str):
            rows = (kept(row) if isinstance(row, dict) else row for row in section)
            text = "[\n  " + ",\n  ".join(map(json.dumps, rows)) + "\n ]"
        sections.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(sections) + "\n}\n"


def kept(row: dict) -> dict:
    """What the pages show of a row."""
    found = {"scenario": row["scenario"], "milliseconds": float(short(row["milliseconds"]))}
    found["sorts"] = None if row["sorts"] is None else round(row["sorts"], 2)
    found["spreads"] = {"ours": round(row["spreads"]["ours"], 2)}
    for name in ("ratios", "memory"):
        found[name] = {key: float(short(value)) for key, value in row[name].items()}
    return found


def write(measured: dict) -> None:
    """Write the pages, from what was measured."""
    rows = measured["rows"]
    (ROOT / "docs" / "speed.md").write_text(page(measured))
    plot([row for row in rows if "alone" not in row["scenario"]], ROOT / "docs" / "speed.svg")
    readme, (start, end) = ROOT / "README.md", MARKS
    before, _, rest = readme.read_text().partition(start)
    readme.write_text(f"{before}{start}{summary(rows)}{end}{rest.partition(end)[2]}")


def scenarios(quick: bool) -> Iterator[Scenario]:
    """What is timed beside others."""
    yield from one_ranking((1_000, 100_000) if quick else (100, *(10**e for e in range(3, 8))))
    yield from kinds_of_scores(100_000 if quick else 1_000_000)
    yield from columns(((10_000, 10),) if quick else ((100_000, 10), (10_000, 1_000)))
    yield from queries(((1_000, 10),) if quick else ((1_000, 100), (100_000, 10)))
    yield from definitions((100_000,) if quick else (1_000, 1_000_000, 10_000_000))


def shown(found: Iterator[Scenario], quick: bool) -> list[dict]:
    """Measure, and print each row."""
    rows = []
    for scenario in found:
        print(f"timing {scenario[0]} ...", end="\r", file=sys.stderr, flush=True)
        rows.append(measure(scenario, seconds(quick)))
        show(rows[-1])
    return rows


def show(row: dict) -> None:
    """Print a row."""
    name, taken, sorts = line(row)
    spread = f"{row['spreads']['ours']:.0%}"
    others = [f"{peer} {short(longer)}" for peer, longer in row["ratios"].items()]
    print(f"{name:<54}{taken:<8}{spread:<8}{sorts:<7}{', '.join(others)}", flush=True)


def checked() -> Iterator[Scenario]:
    """What --check measures: calls of all kinds beside scikit-learn, or beside our own scores."""
    yield from one_ranking((10_000, 1_000_000))
    yield weighted(1_000_000)
    yield from columns(((100_000, 10),))
    yield from queries(((1_000, 100),))
    yield from certainty_cost.scenarios((10_000, 1_000_000))


def losses(now: list[dict], before: list[dict]) -> list[str]:
    """What became slower than noise explains, beside what it was compared with."""
    known = {row["scenario"]: row["ratios"] for row in before}
    found = []
    for row in now:
        for peer, ratio in row["ratios"].items():
            was = known.get(row["scenario"], {}).get(peer)
            if was is None or peer not in ("scikit-learn", LOOP, "interval", "comparison"):
                continue
            # Of others' times over ours, more is better; of our intervals over our scores, less.
            slower = ratio / was if peer in ("interval", "comparison") else was / ratio
            if slower > NOISE:
                found.append(f"{row['scenario']}: {peer} {short(was)}, now {short(ratio)}")
    return found


def check() -> None:
    """Fail if a call lost speed since the page was measured."""
    measured = json.loads((ROOT / "benchmarks" / "speed.json").read_text())
    contestants.installed = {}.get  # nobody but scikit-learn
    now = shown(checked(), quick=False)
    if found := losses(now, measured["rows"] + measured["certainty"]):
        raise SystemExit("slower than on docs/speed.md:\n" + "\n".join(found))


def main(arguments: list[str] | None = None) -> None:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, a minute or two")
    parser.add_argument("--check", action="store_true", help="compare some rows with the page")
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    asked = parser.parse_args(arguments)
    quick, options = asked.quick, ["--quick"] * asked.quick
    if asked.part:
        print(json.dumps(PARTS[asked.part](quick)))
        return
    warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
    if asked.check:
        check()
        return
    if absent := missing():
        print(f"not installed, left out: {', '.join(absent)}")
    print(f"{'':<54}{'ms':<8}{'spread':<8}{'sorts':<7}times as long")
    measured = {
        "about": about(),
        "avx512": avx512(),
        "vectors": vectors(),
        "rows": shown(scenarios(quick), quick) + elsewhere("alone", *options),
        "plain_sort": without(avx512(), options),
        "slow_sort": without(vectors(), options),
        "shapes": shaped(quick),
        "searches": shown(searches(20_000 if quick else 1_000_000), quick),
        "certainty": shown(
            certainty_cost.scenarios((10_000,) if quick else (10_000, 1_000_000)), quick
        ),
    }
    for what, rows in (("AVX-512", "plain_sort"), ("vector instructions", "slow_sort")):
        print(f"without {what}:")
        for row in measured[rows]:
            show(row)
    print(table(measured["shapes"]))
    if not quick:
        text = stored(measured)
        (ROOT / "benchmarks" / "speed.json").write_text(text)
        write(json.loads(text))


if __name__ == "__main__":
    main()
