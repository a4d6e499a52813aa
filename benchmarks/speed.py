"""CPU time on one thread beside other libraries, and whether these give the same number.

NumPy sorts slowly with AVX-512 on some processors: set NPY_DISABLE_CPU_FEATURES=X86_V4 there.
"""

import datetime
import json
import os
import platform
import re
import time
import warnings
from itertools import product
from pathlib import Path

import numpy as np
import simulation
import sklearn
import speed_calls
import tables

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "speed.md"
STORED = simulation.RESULTS / "speed.json"
SIZES = 10**3, 10**5, 10**6, 10**7
BURST, TURNS, LONG = 5e-3, 5, 3.0  # seconds of small calls; turns, one of calls that take so long
SAME = 1e-9  # the relative difference of equal numbers, which are added up in another order


def timed(run, n_calls=1):
    """CPU seconds of a call, and its result."""
    start = time.process_time()
    for _ in range(n_calls):
        result = run()
    return (time.process_time() - start) / n_calls, result


def measured(questions=speed_calls.QUESTIONS, sizes=SIZES):
    """Yield a row for each call: its CPU milliseconds, the least of turns, and what it found."""
    for question, n in product(questions, sizes):
        calls = [*speed_calls.QUESTIONS[question](n)]
        if n == min(sizes):
            for call in calls:
                call.run()  # the first call of a library compiles
        found = [timed(call.run) for call in calls]
        seconds = [first for first, _ in found]
        for _ in range(TURNS):
            for i, call in enumerate(calls):
                if seconds[i] < LONG:
                    n_calls = max(1, int(BURST / max(seconds[i], 1e-5)))
                    seconds[i] = min(seconds[i], timed(call.run, n_calls)[0])
        for call, each, (_, result) in zip(calls, seconds, found, strict=True):
            yield {
                "question": question,
                "n": n,
                "name": call.name,
                "milliseconds": float(f"{1e3 * each * call.parts:.3g}"),
                "number": np.ravel(call.number(result)).tolist(),
                "why": call.why,
            }


def shown(rows):
    """Print rows as they come."""
    for row in rows:
        print(*row.values(), flush=True)
        yield row


def table(rows):
    """Our milliseconds of each question, how many times as long others take, and their numbers."""
    sizes = sorted({row["n"] for row in rows})
    lines = [["", *(f"{n:,} rows" for n in sizes), "its number"]]
    for question, of_question in tables.grouped(rows, "question").items():
        ours, *others = tables.grouped(of_question, "name").values()
        own = {row["n"]: row for row in ours}
        cells = [f"{own[n]['milliseconds']:,g} ms" if n in own else "" for n in sizes]
        lines.append([f"**{question}**", *cells, text_of(ours[0]["number"])])
        for peer in others:
            ratios = {row["n"]: row["milliseconds"] / own[row["n"]]["milliseconds"] for row in peer}
            cells = [times_as_long(ratios[n]) if n in ratios else "" for n in sizes]
            lines.append([peer[0]["name"], *cells, difference(peer, own)])
    return lines


def times_as_long(ratio):
    return f"{float(f'{ratio:.2g}'):,g}{' †' * (ratio < 1)}"


def text_of(number):
    return " to ".join(f"{x:.4f}" for x in number)


def difference(peer, own):
    """Say whether a peer has our number for the fewest rows, and why not."""
    first, ours = peer[0], own[peer[0]["n"]]["number"]
    if not first["number"]:
        return first["why"]
    if np.allclose(first["number"], ours, rtol=SAME, atol=0):
        return f"the same: {first['why']}".removesuffix(": ")
    if len(ours) == 1 and np.allclose(first["number"], ours, rtol=1e-6, atol=0):
        return f"to 7 digits: {first['why']}"
    return f"{text_of(first['number'])}: {first['why']}"


def processor():
    """The name of the processor, with the numbers that tell those of one name apart."""
    file = Path("/proc/cpuinfo")
    text = file.read_text() if file.exists() else ""
    found = re.findall(r"^(?:cpu family|model|model name)\s*: (.*)", text, re.M)[:3]
    if len(found) < 3:
        return platform.processor() or platform.machine()
    return "{2} (family {0} model {1})".format(*found)


def about(**versions):
    """The day, the processor and the versions."""
    left = os.environ.get("NPY_DISABLE_CPU_FEATURES")
    vectors = f"NumPy without {left}" if left else "all instructions of NumPy"
    known = {"Python": platform.python_version(), "NumPy": np.__version__}
    known |= {"scikit-learn": sklearn.__version__, **versions}
    there = ", ".join(f"{name} {version}" for name, version in known.items())
    return f"{datetime.date.today()}, {processor()}, {vectors}, {there}"


def sentence(rows):
    """What the README says of speed."""
    known = {tuple(row[key] for key in ("question", "name", "n")): row for row in rows}
    (ours, times), (half, times_of_half) = (
        (own["milliseconds"], other["milliseconds"] / own["milliseconds"])
        for own, other in (
            (known[question, "sklearn_ap", 10**6], known[question, "scikit-learn", 10**6])
            for question in ("Score, 2% positive", "Score, half positive")
        )
    )
    return (
        f"On one core, a million rows are scored in {ours:.0f} ms if 2% are positive, and in "
        f"{half:.0f} ms if half are; scikit-learn takes {times:.0f} and {times_of_half:.0f} times "
        f"as long ([measured](docs/speed.md))."
    )


def write():
    machine, rows = json.loads(STORED.read_text())
    tables.write_tables(table(rows), [], PAGE.with_suffix("") / "times")
    tables.replace_part(PAGE, "machine", tables.filled(f"{machine}."))
    tables.replace_part(ROOT / "README.md", "speed", sentence(rows))


def main():
    warnings.simplefilter("ignore")
    for library in ("OMP", "NUMBA", "RAYON"):  # read when peers are imported, by their calls
        os.environ[f"{library}_NUM_THREADS"] = "1"
    rows = [*shown(measured())]
    STORED.write_text(json.dumps([about(**speed_calls.versions()), rows], indent=1) + "\n")
    write()


if __name__ == "__main__":
    main()
