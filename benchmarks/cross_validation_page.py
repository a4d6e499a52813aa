"""The section of docs/evidence.md that benchmarks/cross_validation.py writes."""

import math
from collections.abc import Callable, Iterable

import numpy as np
from simulation import Column, Row, Section, failing, grouped, mean, median, of, table_by, values

FEW = 200  # positives
LEAST, MOST = 93, 7  # coverage, and errors of tests
POOLINGS = {"": "scores", "odds": "odds", "ranks": "ranks"}
OWN_LINE = ("tree of depth 4", "hinge loss by SGD")  # learners whose warning advises something
MISSES = (
    "Cells that come without a warning in most runs, and have a bias above .03, an rmse 5% above "
    f"that of the mean, or a coverage below {LEAST}"
)
ERRORS = f'Comparisons in which "missed", or "training" of equal ways, stays above {MOST} again'
SILENT = f"Comparisons with a smaller C that miss more than {MOST}, without a warning in most runs"


def fails(row: Row) -> bool:
    """Whether a cell is to be run again: it held too rarely without a warning."""
    if row["task"] == "learner":
        return row["held"] < LEAST and row["warned"] <= 50
    is_wrong = 100 - row["held"] > MOST or (row["advantage"] == 0 and row["training"] > MOST)
    return row["task"] == "contest" and is_wrong


def last(rows: list[Row]) -> dict[str, list[Row]]:
    """By task, each cell once: as it was run the last time."""
    newest = {(row["name"].removesuffix(", again"), row["way"]): row for row in rows}
    return {"learner": [], "contest": [], "duel": []} | grouped([*newest.values()], "task")


def line_of(row: Row) -> Row:
    """The row, and the line of the table that it stands in."""
    name = row["learner"] if row["learner"] in OWN_LINE else "others"
    name = name if row["split"] == "stratified" else row["split"]
    size = "200 and more" if row["n"] >= FEW else "20 and 50"
    return row | {"line": f"{name}{', ' * bool(row['way'])}{row['way']}, {size}"}


def summary(rows: list[Row]) -> str:
    """By learner, or what it was advised, and by the number of positives."""
    columns = {
        "mean: bias": of(mean, "mean bias", "+.3f"),
        "held: least": of(min, "naive"),
        "pool: bias": of(mean, "bias", "+.3f"),
        "largest": of(lambda found: max(found, key=abs), "bias", "+.3f"),
        "pool held: least": of(min, "held", ".1f"),
        "median": of(median, "held", ".1f"),
        "width": of(median, "width", ".2f"),
        "warned": of(mean, "warned"),
    }
    lines = sorted(map(line_of, rows), key=lambda row: row["split"] != "stratified")
    return table_by("line", lines, columns, "learner, positives")


def contests_table(rows: list[Row]) -> str:
    """By advantage and number of positives."""
    lines = [row | {"line": f"{row['advantage']:g}, {row['n']} positives"} for row in rows]
    tests = {"models": "models", "training": "training", "nadeau": "Nadeau-Bengio"}
    tests |= {"naive": "paired t"}
    columns: dict[str, Column] = {"missed: most": of(lambda held: 100 - min(held), "held", ".1f")}
    columns["width"] = of(median, "width", ".2f")
    columns |= {f"{name}: median": of(median, test, ".1f") for test, name in tests.items()}
    lines.sort(key=lambda row: (row["advantage"], row["n"]))
    return table_by("line", lines, columns, "advantage")


def missed(held: list[float]) -> float:
    """Of one row."""
    return 100 - held[0]


def of_pooling(way: str, column: Column) -> Column:
    """A column of the rows with this pooling."""
    return lambda rows: column([row for row in rows if row["way"] == way])


def duels_table(rows: list[Row]) -> str:
    """By the folds, and by what is pooled."""
    columns: dict[str, Column] = {
        "bias": of_pooling("", of(mean, "bias", "+.3f")),
        "warned": of_pooling("", of(mean, "warned")),
        "missed, no warning": of_pooling("", lambda rows: f"{silent_misses(rows[0]):.0f}"),
    }
    for way, name in POOLINGS.items():
        columns[f"{name}: missed"] = of_pooling(way, of(missed, "held"))
        columns[f"{name}: width"] = of_pooling(way, of(mean, "width", ".2f"))
    return table_by("name", rows, columns)


def silent_misses(row: Row) -> float:
    """The percentage of samples that miss without a warning."""
    return 100 * (row["n_silent"] - row["n_silent_held"]) / row["n_samples"]


def missed_goals(row: Row) -> list[str]:
    """The goals that a cell misses."""
    of_mean = math.sqrt(row["mean square"])
    goals = {
        f"bias {row['bias']:+.3f}": abs(row["bias"]) > 0.03,
        f"rmse {row['rmse']:.3f} beside {of_mean:.3f}": row["rmse"] > 1.05 * of_mean,
        f"held {row['held']:.1f}": row["held"] < LEAST,
    }
    return [goal for goal, is_missed in goals.items() if is_missed]


def listed(what: str, rows: Iterable[Row], text: Callable[[Row], str]) -> str:
    """A list of rows that fail."""
    lines = []
    for row in rows:
        names = row["name"].removesuffix(", again"), row["way"]
        lines.append(f"{', '.join(filter(None, names))}: {text(row)}")
    return failing(what, lines)


def conclusion(rows: list[Row]) -> str:
    """The page in two sentences."""
    kept = [row for row in rows if row["warned"] <= 50] or rows
    few = [row for row in kept if row["n"] / row["n_folds"] <= 10] or kept
    worst = max(few, key=lambda row: row["mean bias"])
    held, naive = values(kept, "held"), values(kept, "naive")
    return (
        f"With at most 10 positives a fold, the mean of the folds is too high by "
        f"{np.mean(values(few, 'mean bias')):.3f} on average, and by {worst['mean bias']:.3f} at "
        f"worst, where the truth is {worst['truth']:.3f}; the pool is too high by "
        f"{np.mean(values(few, 'bias')):.3f} on average. The interval holds the truth in "
        f"{min(held):.0f} to {max(held):.0f} of 100 samples, mean +- 1.96 SE in {min(naive):.0f} "
        f"to {max(naive):.0f}."
    )


def sections(rows: list[Row]) -> dict[str, Section]:
    """The section of the page."""
    cells, contests, duels = last(rows).values()
    tables = [summary(cells), "Comparisons:", contests_table(contests)]
    tables += ["Comparisons of C = 1 with a smaller C:", duels_table(duels)]
    quiet = (row for row in cells if missed_goals(row) and row["warned"] <= 50)
    silent = (row for row in duels if row["held"] < 100 - MOST and row["warned"] <= 50)
    lists = [
        listed(MISSES, quiet, lambda row: ", ".join(missed_goals(row))),
        listed(
            ERRORS,
            filter(fails, contests),
            lambda row: f"missed {100 - row['held']:.1f}, training {row['training']:.1f}",
        ),
        listed(
            SILENT,
            silent,
            lambda row: f"missed {100 - row['held']:.1f}, warned {row['warned']:.0f}",
        ),
    ]
    n_again = len({row["name"] for row in rows if row["name"].endswith(", again")})
    doubt = f"{n_again} that failed at first without a warning have five times as many."
    text = Section(conclusion(cells), "\n\n".join(tables), "\n\n".join(lists), doubt)
    return {"cross-validation": text}
