"""Time beside scikit-learn, other libraries, and one np.sort of the same scores."""

import argparse
import datetime
import json
import os
import platform
import random
import re
import statistics
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import product
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import simulation
import sklearn
import speed_calls
import tables
from speed_calls import LOOP

import sklearn_ap

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "speed.md"
STORED = simulation.RESULTS / "speed.jsonl"
# The time of np.sort beside an np.partition without vector instructions: 0.4 to 0.6 on a processor
# with them, and 5.7 on the same one if they are disabled. This is in the middle.
SLOW = 1.8
SORTS_SLOWLY = "NumPy's sort is slow here, and was fast for docs/speed.md: nothing is compared."
# The vector instructions that NumPy is told to leave, by what is added to names of rows.
LEFT_VECTORS = {
    "": "",
    ", without AVX-512": "X86_V4",
    ", without vector instructions": "X86_V3 X86_V4",
}
TURN = 5e-3  # seconds
OF_SCORES = ("interval", "comparison")  # beside our own scores, so that less is better
NOISE = 1.6  # times as long beside others: other machines sort at other speeds
# Beside our own scores, two machines on which NumPy sorts fast differ by 1.4 without other work.
OWN_NOISE = 2.0
# The folded tables, by a word in the names of their rows.
KINDS = {"labels": "Several labels", "queries": "Queries", "definitions": "Other scores"}
KINDS |= {"shapes": "Shapes of input"} | dict.fromkeys(OF_SCORES, "Intervals and comparisons")


def timed(calls, seconds):
    """Times of each contestant, in random turns until the time is up, but at least five of each."""
    # A turn is as many calls as fit into it: small inputs find no caches of the one before.
    numbers, times = dict.fromkeys(calls, 1), {name: [] for name in calls}
    for name in [*calls, *calls]:
        numbers[name] = max(1, int(TURN / burst(calls[name], numbers[name])))
    order, rng, end = list(calls), random.Random(0), time.perf_counter() + seconds
    while len(times[order[0]]) < 5 or time.perf_counter() < end:
        rng.shuffle(order)
        for name in order:
            times[name].append(burst(calls[name], numbers[name]))
    return times


def burst(run, n_calls):
    start = time.perf_counter()
    for _ in range(n_calls):
        run()
    return (time.perf_counter() - start) / n_calls


def measure(scenario, calls, seconds):
    """A row in the digits that the pages show, the time of each contestant relative to ours."""
    times = timed(calls, seconds)
    medians = {name: statistics.median(found) for name, found in times.items()}
    ratios, ours = {}, medians["ours"]
    first, _, third = statistics.quantiles(times["ours"], n=4)
    for contestant, median in medians.items():
        called, _, part = contestant.partition(" / ")
        ratios[called] = rounded(median * int(part or 1) / ours)
    del ratios["ours"]
    return {
        "scenario": scenario,
        "milliseconds": rounded(1e3 * ours),
        "sorts": round(ours / medians["np.sort"], 2) if ratios.pop("np.sort", None) else None,
        "spread": round((third - first) / ours, 2),
        "ratios": ratios,
    }


def rounded(value):
    return float(f"{value:.3g}")


def sort_ratio(n=1_000_000):
    """The time of one np.sort beside one np.partition of long doubles, which has no vectors."""
    scores = np.random.default_rng(0).random(n)
    runs = partial(np.sort, scores), partial(np.partition, scores.astype(np.longdouble), n // 2)
    sort, partition = (min(burst(run, 1) for _ in range(9)) for run in runs)
    return sort / partition


def shown(scenarios, seconds=3.0):
    rows = []
    for scenario in scenarios:
        rows.append(measure(*scenario, seconds))
        print(rows[-1]["scenario"], rows[-1]["milliseconds"], rows[-1]["ratios"], flush=True)
    return rows


def processor():
    file = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", file.read_text()) if file.exists() else None
    return found[1] if found else platform.processor() or platform.machine()


def about():
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    vectors = ", ".join(np.show_config(mode="dicts")["SIMD Extensions"]["found"])
    used = f"this library on one core of {cores}"
    known = {"Python": platform.python_version(), "NumPy": np.__version__}
    known |= {"scikit-learn": sklearn.__version__, **speed_calls.versions()}
    there = ", ".join(f"{name} {version}" for name, version in known.items())
    return f"{datetime.date.today()}, {processor()} with {vectors}, {used}, {there}"


def figures(title, rows, heads=("ms", "sorts")):
    """A table of our times, and of how many times as long others take."""
    peers = list(dict.fromkeys(peer for row in rows for peer in row["ratios"]))
    lines = [[title, *heads, *peers]]
    for row in rows:
        own = f"{row['milliseconds']:.3g}", "" if row["sorts"] is None else f"{row['sorts']:.2f}"
        others = [f"{row['ratios'][peer]:.3g}" if peer in row["ratios"] else "" for peer in peers]
        lines.append([row["scenario"], *own[: len(heads)], *others])
    return lines


def summary(rows):
    ends = ("rows, 2.0% positives", "00,000 rows, 50.0% positives", "weighted", "labels")
    return figures("", [r for r in rows if r["scenario"].endswith(ends)], ["milliseconds"])


def sentence(rows):
    """What the README says of speed."""
    row = next(row for row in rows if row["scenario"] == "1,000,000 rows, 2.0% positives")
    times = row["ratios"]["scikit-learn"]
    return tables.filled(
        f"A million rows are scored in {row['milliseconds']:.0f} ms on one core; "
        f"scikit-learn takes {times:.0f} times as long ([more](docs/speed.md))."
    )


def kind_of(row):
    return next((kind for word, kind in KINDS.items() if word in row["scenario"]), "One ranking")


def all_tables(rows):
    return [figures(*each) for each in tables.grouped(rows, kind_of).items()]


def stored():
    machine, *rows = map(json.loads, STORED.read_text().splitlines())
    return machine, rows


def write():
    machine, rows = stored()
    spreads = [row["spread"] for row in rows]
    spread = (
        f"The interquartile range of our times is {statistics.median(spreads):.0%} of their median "
        f"in the median row, and {max(spreads):.0%} in the worst."
    )
    tables.write_tables(summary(rows), all_tables(rows), PAGE.with_suffix("") / "times")
    tables.replace_part(PAGE, "machine", tables.filled(f"{machine}. {spread}"))
    tables.replace_part(ROOT / "README.md", "speed", sentence(rows))


def scenarios():
    for n, prevalence in product((100, *(10**e for e in range(3, 8))), (0.002, 0.02, 0.5)):
        if n < 10**7 or prevalence > 0.002:
            yield speed_calls.ranking(n, prevalence)
    for kind in ("float32", "rounded", "constant", "weighted"):
        yield speed_calls.ranking(1_000_000, kind=kind)
    yield from map(speed_calls.columns, (100_000, 10_000), (10, 1_000))
    yield from map(speed_calls.queries, (1_000, 100_000), (100, 10))
    yield from map(speed_calls.definitions, (1_000, 1_000_000, 10_000_000))
    yield from (speed_calls.shapes(1_000_000, prevalence) for prevalence in (0.02, 0.5))
    for n, prevalence in product((10_000, 1_000_000), (0.02, 0.5)):
        yield from speed_calls.interval(n, prevalence)


def quick(n=1_000):
    yield from (speed_calls.ranking(n, kind=kind) for kind in ("", "weighted"))
    yield from (speed_calls.columns(n, 10), speed_calls.queries(n // 10, 10))
    yield from (speed_calls.definitions(n), speed_calls.shapes(n, 0.5))
    yield from speed_calls.interval(n, 0.5)


def rankings():
    yield from map(speed_calls.ranking, (10_000, 100_000, 1_000_000))
    yield speed_calls.ranking(1_000_000, 0.5)
    yield speed_calls.ranking(1_000_000, kind="weighted")


def checked():
    yield from rankings()
    yield from (speed_calls.columns(100_000, 10), speed_calls.queries(1_000, 100))
    yield from speed_calls.interval(1_000_000, 0.5)


def leave_out_peers(*kept):
    """Time nobody but scikit-learn and those that are kept."""
    speed_calls.installed = kept.__contains__


def shown_beside_lightgbm():
    leave_out_peers("lightgbm")
    return shown(rankings())


def measured_without(features):
    """The rows of a new process, as NumPy reads the variable when it is imported."""
    os.environ["NPY_DISABLE_CPU_FEATURES"] = features
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        return pool.submit(shown_beside_lightgbm).result()


def with_fewer_vectors():
    """A table of the same rows with fewer and fewer vector instructions."""
    found = [
        [row | {"scenario": row["scenario"] + name} for row in measured_without(features)]
        for name, features in LEFT_VECTORS.items()
    ]
    return figures("", [row for same in zip(*found, strict=True) for row in same], ["milliseconds"])


def write_other():
    leave_out_peers("lightgbm")
    tables.write_tables(with_fewer_vectors(), [], PAGE.with_suffix("") / "other-processors")
    tables.replace_part(PAGE, "other", tables.filled(f"{about()}."))


def losses(now, before):
    """What became slower than noise explains, beside what it was compared with."""
    known = {(row["scenario"], peer): r for row in before for peer, r in row["ratios"].items()}
    for row in now:
        for peer in ("scikit-learn", LOOP, *OF_SCORES):
            was, ratio = known.get((row["scenario"], peer)), row["ratios"].get(peer)
            if not was or not ratio:
                continue
            is_slower = ratio / was > OWN_NOISE if peer in OF_SCORES else was / ratio > NOISE
            if is_slower:
                yield f"{row['scenario']}: {peer} {was:.3g}, now {ratio:.3g}"


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, and nothing is written")
    parser.add_argument("--check", action="store_true", help="compare some rows with the page")
    parser.add_argument("--other", action="store_true", help="do without vector instructions")
    parser.add_argument("--stored", action="store_true", help="run nothing, write what is stored")
    asked = parser.parse_args(arguments)
    warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
    if asked.stored:
        write()
    elif asked.quick:
        shown(quick(), 0.1)
    elif sort_ratio() > SLOW:
        print(SORTS_SLOWLY)
    elif asked.check:
        leave_out_peers()
        if found := [*losses(shown(checked()), stored()[1])]:
            raise SystemExit("slower than on docs/speed.md:\n" + "\n".join(found))
    elif asked.other:
        write_other()
    else:
        machine, rows = about(), shown(scenarios())
        STORED.write_text("\n".join(map(json.dumps, [machine, *rows])) + "\n")
        write()


if __name__ == "__main__":
    main()
