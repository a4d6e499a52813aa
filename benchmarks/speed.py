"""Time and memory beside scikit-learn, other libraries, and one np.sort of the same scores.

    python benchmarks/speed.py [--quick] [--check] [--stored]

Contestants take turns of some milliseconds in random order, and medians are compared, so that what
else the machine does disturbs all. Peers that are not installed are named and left out; the bench
group has them. --check measures some rows in a minute, and fails if a ratio is much worse than that
on the page.
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
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path

import contestants
import labelled_lines
import numpy as np
import simulation
import sklearn
import speed_calls
import tables
from speed_calls import LOOP

import sklearn_ap
from sklearn_ap.counts._threads import n_threads

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "speed.md"
STORED = simulation.RESULTS / "speed.jsonl"
TURN = 5e-3  # seconds
OURS = ("ours", "np.sort")  # which have columns of their own
OF_SCORES = ("interval", "comparison")  # beside our own scores, so that less is better
DRAWN = {
    "ours": "this library",
    "scikit-learn": "scikit-learn",
    "lightgbm": "LightGBM",
    "np.sort": "one np.sort",
}
NOISE = 1.6  # times as long: other machines sort at other speeds


# ---- measuring


def timed(calls, seconds):
    """Times of each contestant, in turns until the time is up, but at least five of each.

    A turn is as many calls as fit into it, so that small inputs are not timed with the caches of
    the contestant before; and the order of each turn is another one.
    """
    numbers = {name: max(1, int(TURN / burst(run, 1))) for name, run in calls.items()}
    numbers = {name: max(1, int(TURN / burst(run, numbers[name]))) for name, run in calls.items()}
    times = {name: [] for name in calls}
    order, rng, end = list(calls), random.Random(0), time.perf_counter() + seconds
    while len(times[order[0]]) < 5 or time.perf_counter() < end:
        rng.shuffle(order)
        for name in order:
            times[name].append(burst(calls[name], numbers[name]))
    return times


def burst(run, n_calls):
    """Time of one call, out of several in a row."""
    start = time.perf_counter()
    for _ in range(n_calls):
        run()
    return (time.perf_counter() - start) / n_calls


def peak_memory(run):
    """Bytes of the process at the peak of a call, beyond what it held before; None if unknown."""
    status = Path("/proc/self/status")

    def kilobytes(field):
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


def measure(scenario, seconds):
    """A row in the digits that the pages show, every number relative to ours or to the scores."""
    times = timed(scenario.calls, seconds)
    ratios, memory, ours = {}, {}, statistics.median(times["ours"])
    first, _, third = statistics.quantiles(times["ours"], n=4)
    for contestant, run in scenario.calls.items():
        called, _, part = contestant.partition(" / ")
        ratios[called] = rounded(statistics.median(times[contestant]) * int(part or 1) / ours)
        peak = peak_memory(run)
        # Pages of memory are too coarse to tell for less; and a part of a loop tells nothing.
        if scenario.size >= 5e5 and peak is not None and not part:
            memory[called] = rounded(peak / scenario.size)
    sort = statistics.median(times["np.sort"]) if "np.sort" in times else None
    return {
        "scenario": scenario.name,
        "milliseconds": rounded(1e3 * ours),
        "sorts": sort and round(ours / sort, 2),
        "spread": round((third - first) / ours, 2),
        "ratios": {name: ratio for name, ratio in ratios.items() if name not in OURS},
        "memory": memory,
    }


def rounded(value):
    """Three digits are more than the machine is worth."""
    return float(f"{value:.3g}")


def measured_shapes(quick):
    """Fastest times of shapes over that of one ranking; and of both with weights."""
    n, seconds, rows = 20_000 if quick else 1_000_000, 0.02 if quick else 0.6, []
    for prevalence in (0.02, 0.5):
        (_, ones), *shapes = speed_calls.shapes(n, prevalence)
        for name, runs in shapes:
            ratios = []
            for one, run in zip(ones, runs, strict=False):
                base, taken = map(min, timed({"one": one, "shape": run}, seconds).values())
                ratios.append(round(taken / base, 2))
            rows.append({"scenario": name, "share": f"{prevalence:.1%}", "ratios": ratios})
    return rows


def shown(scenarios, quick):
    """Measure, and print each row."""
    rows = []
    for scenario in scenarios:
        print(f"timing {scenario.name} ...", end="\r", file=sys.stderr, flush=True)
        rows.append(measure(scenario, 0.3 if quick else 3.0))
        others = [f"{peer} {longer:.3g}" for peer, longer in rows[-1]["ratios"].items()]
        print(", ".join([*own_figures(rows[-1]), *others]), flush=True)
    return rows


def about():
    """When, where and with what."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    vectors = np.show_config(mode="dicts")["SIMD Extensions"]["found"]
    used = f"this library on {n_threads(1_000_000)} of {cores} cores"
    machine = f"{used}, {platform.machine()} with {', '.join(vectors)}"
    known = {"Python": platform.python_version(), "NumPy": np.__version__}
    known |= {"scikit-learn": sklearn.__version__, **contestants.versions()}
    there = ", ".join(f"{name} {version}" for name, version in known.items())
    absent = ", ".join(contestants.missing())
    left_out = f"; not installed and left out: {absent}" if absent else ""
    return f"{datetime.date.today()}, {machine}, {there}{left_out}"


# ---- pages


def own_figures(row):
    """The scenario, our milliseconds, and how many sorts they are."""
    sorts = "" if row["sorts"] is None else f"{row['sorts']:.2f}"
    return [row["scenario"], f"{row['milliseconds']:.3g}", sorts]


def cells_of(numbers, names):
    """Numbers by name, empty where there is none."""
    return [f"{numbers[name]:.3g}" if name in numbers else "" for name in names]


def figures(title, rows, heads=("ms", "sorts", "memory")):
    """A table of our times and memory, and of how many times as long others take."""
    peers = list(dict.fromkeys(peer for row in rows for peer in row["ratios"]))
    lines = [[title, *heads, *peers]]
    for row in rows:
        own = [*own_figures(row), *cells_of(row["memory"], ["ours"])]
        lines.append([*own[: len(heads) + 1], *cells_of(row["ratios"], peers)])
    return lines


def shapes_table(rows):
    """A line for each shape, with and without weights for each share of positives."""
    shares = list(tables.grouped(rows, "share"))
    heads = (f"{share}{kind}" for share in shares for kind in ("", ", weighted"))
    lines = [["Shapes of input", *heads]]
    for shape, of_shape in tables.grouped(rows, "scenario").items():
        pairs = ([f"{ratio:.2f}" for ratio in row["ratios"]] for row in of_shape)
        lines.append([shape, *itertools.chain(*([*pair, ""][:2] for pair in pairs))])
    return lines


def summary(rows):
    """The table of the README."""
    ends = ("rows, 2.0% positives", "weighted", "labels")
    kept = [row for row in rows if row["scenario"].endswith(ends)]
    return figures("", kept, ["milliseconds"])


def kind_of(row):
    """The table of a row."""
    name = row["scenario"]
    kinds = {"labels": "Several labels", "queries": "Queries", "definitions": "Other scores"}
    return next((kind for word, kind in kinds.items() if word in name), "One ranking")


def all_tables(measured):
    """Those of the page that are folded."""
    groups = tables.grouped(measured["rows"], kind_of).items()
    certainty = figures("Intervals and comparisons", measured["certainty"])
    return [*(figures(*each) for each in groups), certainty, shapes_table(measured["shapes"])]


def plot(rows, path):
    """Time and memory over rows at 2% positives, all in powers of ten."""
    times, peaks = ({name: {} for name in DRAWN.values()} for _ in range(2))
    for row in rows:
        if row["scenario"].endswith("rows, 2.0% positives"):
            n = int(row["scenario"].split()[0].replace(",", ""))
            longer = {"ours": 1, "np.sort": 1 / row["sorts"]} | row["ratios"]
            for key in DRAWN.keys() & longer.keys():
                times[DRAWN[key]][n] = row["milliseconds"] * longer[key]
            for key in DRAWN.keys() & row["memory"].keys():
                peaks[DRAWN[key]][n] = 8 * n * row["memory"][key] / 1e6
    panels = {"milliseconds": times, "megabytes beyond the inputs": peaks}
    labelled_lines.save(path, "rows, 2% positive", panels)


def stored():
    """What was measured for the page."""
    measured = defaultdict(list)
    for table, row in map(json.loads, STORED.read_text().splitlines()):
        measured[table].append(row)
    return measured


def write(measured):
    """Write the tables of the page and of the README, and the picture."""
    ((machine,), rows) = measured["about"], measured["rows"]
    spreads = [row["spread"] for row in rows]
    spread = (
        f"The interquartile range of our times is {statistics.median(spreads):.0%} of their median "
        f"in the median row, and {max(spreads):.0%} in the worst."
    )
    tables.write_tables(summary(rows), all_tables(measured), PAGE.with_suffix("") / "times")
    tables.replace_part(PAGE, "machine", tables.filled(f"{machine['text']}. {spread}"))
    tables.replace_part(ROOT / "README.md", "speed", tables.in_markdown(summary(rows)))
    plot(rows, PAGE.with_suffix(".svg"))


# ---- running


def scenarios(quick):
    """What is timed beside others."""
    sizes = (1_000, 100_000) if quick else (100, *(10**e for e in range(3, 8)))
    yield from speed_calls.one_ranking(sizes)
    yield from speed_calls.kinds_of_scores(100_000 if quick else 1_000_000)
    yield from speed_calls.columns(*[(10_000, 10)] if quick else [(100_000, 10), (10_000, 1_000)])
    yield from speed_calls.queries(*[(1_000, 10)] if quick else [(1_000, 100), (100_000, 10)])
    yield from speed_calls.definitions((100_000,) if quick else (1_000, 1_000_000, 10_000_000))


def checked():
    """What --check measures: calls of all kinds beside scikit-learn, or beside our own scores."""
    yield from speed_calls.one_ranking((10_000, 1_000_000))
    yield speed_calls.weighted(1_000_000)
    yield from speed_calls.columns((100_000, 10))
    yield from speed_calls.queries((1_000, 100))
    yield from speed_calls.intervals((10_000, 1_000_000))


def losses(now, before):
    """What became slower than noise explains, beside what it was compared with."""
    known = {row["scenario"]: row["ratios"] for row in before}
    found = []
    for row in now:
        for peer, ratio in row["ratios"].items():
            was = known.get(row["scenario"], {}).get(peer)
            if was is None or peer not in ("scikit-learn", LOOP, *OF_SCORES):
                continue
            slower = ratio / was if peer in OF_SCORES else was / ratio
            if slower > NOISE:
                found.append(f"{row['scenario']}: {peer} {was:.3g}, now {ratio:.3g}")
    return found


def check():
    """Fail if a call lost speed since the page was measured."""
    contestants.installed = {}.get  # nobody but scikit-learn
    before = stored()
    if found := losses(shown(checked(), quick=False), before["rows"] + before["certainty"]):
        raise SystemExit("slower than on docs/speed.md:\n" + "\n".join(found))


def main(arguments=None):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="small sizes, a minute or two")
    parser.add_argument("--check", action="store_true", help="compare some rows with the page")
    parser.add_argument("--stored", action="store_true", help="run nothing, write what is stored")
    asked = parser.parse_args(arguments)
    quick = asked.quick
    warnings.simplefilter("ignore", sklearn_ap.UncertaintyWarning)
    if asked.check or asked.stored:
        check() if asked.check else write(stored())
        return
    if absent := contestants.missing():
        print(f"not installed, left out: {', '.join(absent)}")
    measured = {
        "about": [{"text": about()}],
        "rows": shown(scenarios(quick), quick),
        "shapes": measured_shapes(quick),
        "certainty": shown(speed_calls.intervals((10_000,) if quick else (10_000, 10**6)), quick),
    }
    if not quick:
        lines = [json.dumps([table, row]) for table, rows in measured.items() for row in rows]
        STORED.write_text("\n".join(lines) + "\n")
        write(measured)


if __name__ == "__main__":
    main()
