"""The section of docs/evidence.md that benchmarks/cross_validation.py writes."""

from typing import Any

import numpy as np
from simulation import failing, grouped, section, table

KEYS = ("n", "prevalence", "folds", "split")  # of a cell, beside its learner
FEW = 200  # positives
SAMPLES = {20: 200, 50: 100, FEW: 60}  # from so many positives on; more of them take more time
AGAIN = 5  # times as many for what failed
BIASES = ("mean bias", "pool bias")
LEAST = 93  # coverage
MISSES = (
    "Cells that come without a warning in most runs, and have a bias above .03, an rmse 5% above "
    f"that of the mean, or a coverage below {LEAST}"
)
SILENT = "Comparisons with a smaller C that miss more than 7, without a warning in most samples"
ERRORS = 'Comparisons in which "missed", or "training" of equal ways, stays above 7 in more runs'
POOLINGS = ("scores", "odds", "ranks")
MENDED = ("tree of depth 4", "hinge loss by SGD")  # learners whose warning advises something


def n_samples(n_positives: int, again: bool = False) -> int:
    """How often a cell or a comparison is simulated."""
    first = SAMPLES[max(least for least in SAMPLES if least <= n_positives)]
    return AGAIN * first if again else first


def samples() -> str:
    """How often, in words."""
    more = "".join(f", {n} from {least} positives on" for least, n in [*SAMPLES.items()][1:])
    return f"with {SAMPLES[20]} samples each{more}"


def summary(rows: list[dict[str, Any]]) -> str:
    """By learner, or what it was advised, and by the number of positives."""
    head = "learner|positives|mean: bias|held: least|pool: bias|largest|held: least|median"
    lines = [[*head.split("|"), "warned"]]
    named = [row | {"who": who(row), "few": row["n"] < FEW} for row in rows]
    for learner, of_learner in grouped(named, "who").items():
        for group in grouped(of_learner, "few").values():
            n = " and ".join(map(str, grouped(group, "n")))
            of = {key: [row[key] for row in group] for key in ("held", "naive", "pool bias")}
            bias = [f"{np.mean([row[key] for row in group]):+.3f}" for key in BIASES]
            largest = f"{max(of['pool bias'], key=abs):+.3f}"
            held = [f"{min(of['held']):.1f}", f"{np.median(of['held']):.1f}"]
            warned = f"{np.mean([row['warned'] for row in group]):.0f}"
            naive = f"{min(of['naive']):.0f}"
            cells = [learner, n, bias[0], naive, bias[1], largest, *held]
            lines.append([*cells, warned])
    return table(lines)


def who(row: dict[str, Any]) -> str:
    """The learner, if it has a line of its own."""
    learner = row["learner"] if row["learner"].startswith(MENDED) else "others"
    advice = next((name for name in ("odds", "ranks") if row["learner"].endswith(name)), "")
    if row["split"] != "stratified":
        learner = f"{row['split']}{', ' + advice if advice else ''}"
    return learner


def misses(row: dict[str, Any]) -> list[str]:
    """The goals that a cell misses."""
    rmse = f"rmse {row['pool rmse']:.3f} beside {row['mean rmse']:.3f}"
    goals = {
        f"bias {row['pool bias']:+.3f}": abs(row["pool bias"]) > 0.03,
        rmse: row["pool rmse"] > 1.05 * row["mean rmse"],
        f"held {row['held']:.1f}": row["held"] < LEAST,
    }
    return [goal for goal, is_missed in goals.items() if is_missed]


def named(row: dict[str, Any]) -> str:
    """A cell, with the goals that it misses."""
    folds = f"{row['folds']} folds ({row['split']})".removesuffix(" (stratified)")
    return (
        f"{row['learner']}, {row['n']} positives, share {row['prevalence']:g}, {folds}: "
        f"{', '.join(misses(row))}"
    )


def contests_table(rows: list[dict[str, Any]]) -> str:
    """By advantage and number of positives."""
    names = ("missed", "models", "training", "nadeau", "naive")
    head = ["advantage", "positives", "missed: most", "models: median", "training: median"]
    lines = [[*head, "Nadeau-Bengio: median", "paired t: median"]]
    for advantage, equally in sorted(grouped(rows, "advantage").items()):
        for n, group in grouped(equally, "n").items():
            of = {name: [row[name] for row in group] for name in names}
            medians = (f"{np.median(of[name]):.1f}" for name in names[1:])
            most = f"{max(of['missed']):.1f}"
            lines.append([f"{advantage:g}", str(n), most, *medians])
    return table(lines)


def duels_table(rows: list[dict[str, Any]]) -> str:
    """By the folds, and by what is pooled."""
    head = ["C", "positives", "folds", "scores: bias", "missed", "warned", "missed, no warning"]
    lines = [[*head, "odds: missed", "ranks: missed"]]
    of_pooling = grouped(rows, "pooling")
    for row, odds, ranks in zip(*(of_pooling[name] for name in POOLINGS), strict=True):
        numbers = (f"{row[key]:.0f}" for key in ("missed", "warned", "silent"))
        others = (f"{each['missed']:.0f}" for each in (odds, ranks))
        cells = [f"{row['strength']:g}", str(row["n"]), f"{row['folds']}, {row['split']}"]
        lines.append([*cells, f"{row['bias']:+.3f}", *numbers, *others])
    return table(lines)


def silent(row: dict[str, Any]) -> str:
    """A duel that misses too often without a warning."""
    return (
        f"C = 1 and {row['strength']:g}, {row['pooling']}, {row['n']} positives, {row['folds']} "
        f"folds ({row['split']}): missed {row['missed']:.1f}, without a warning "
        f"{row['silent']:.1f}, warned {row['warned']:.0f}"
    )


def wrong(row: dict[str, Any]) -> str:
    """A contest that errs too often."""
    return (
        f"{row['learner']}, {row['n']} positives, {row['folds']} folds, advantage "
        f"{row['advantage']:g}: missed {row['missed']:.1f}, training {row['training']:.1f}"
    )


def last(rows: list[dict[str, Any]], again: list[dict[str, Any]], keys: Any) -> list[Any]:
    """Rows, and in the place of some those that were simulated again."""
    newer = {tuple(row[key] for key in keys): row for row in again}
    return [newer.get(tuple(row[key] for key in keys), row) for row in rows]


def conclusion(rows: list[dict[str, Any]]) -> str:
    """The page in two sentences."""
    kept = [row for row in rows if row["warned"] <= 50]
    few = [row for row in kept if row["n"] / row["folds"] <= 10] or kept
    worst = max(few, key=lambda row: row["mean bias"])
    return (
        f"With at most 10 positives a fold, the mean of the folds is too high by "
        f"{np.mean([row['mean bias'] for row in few]):.3f} on average, and by "
        f"{worst['mean bias']:.3f} at worst, where the truth is {worst['truth']:.3f}; the pool is "
        f"too high by {np.mean([row['pool bias'] for row in few]):.3f} on average. The interval "
        f"holds the truth in {min(row['held'] for row in kept):.0f} to "
        f"{max(row['held'] for row in kept):.0f} of 100 samples, mean +- 1.96 SE in "
        f"{min(row['naive'] for row in kept):.0f} to {max(row['naive'] for row in kept):.0f}."
    )


def page(
    cells: list[dict[str, Any]],
    contests: list[dict[str, Any]],
    again: list[dict[str, Any]],
    contests_again: list[dict[str, Any]],
    duels: list[dict[str, Any]],
    n_all: list[int],
    quick: bool = False,
) -> str:
    """The section of the page. ``n_all`` says how many tasks of each of these kinds there are."""
    again = [row for row in again if row["warned"] <= 50]
    held = [row["held"] for row in again]
    done = {(row["learner"].split(",")[0], *(row[key] for key in KEYS)) for row in cells}
    now = last(cells, again, ("learner", *KEYS))
    fought = last(contests, contests_again, ("learner", "n", "folds", "split", "advantage"))
    equal = [row for row in fought if row["advantage"] == 0 and row["training"] > 7]
    missed = [row for row in fought if row["missed"] > 7 and row not in equal]
    quiet = [row for row in duels if row["missed"] > 7 and row["warned"] <= 50]
    low = failing(MISSES, (named(row) for row in now if misses(row) and row["warned"] <= 50))
    if again:
        low += f"\n\nOf the cells that failed at first, {len(again)} cover "
        low += f"{min(held):.1f} to {max(held):.1f} in more samples."
    tables = f"{summary(now)}\n\nComparisons:\n\n{contests_table(fought)}"
    errors = failing(ERRORS, map(wrong, equal + missed))
    if duels:
        tables += f"\n\nComparisons of C = 1 with a smaller C:\n\n{duels_table(duels)}"
        errors += "\n\n" + failing(SILENT, map(silent, quiet))
    return section(
        conclusion(now),
        tables,
        f"{low}\n\n{errors}",
        "cross_validation",
        f"{len(done)} of {n_all[0]} cells and {len(contests)} of {n_all[1]} comparisons are done, "
        f"{'with few samples' if quick else samples()}. Of those that failed without a warning in "
        f"most samples, {len(again)} cells and {len(contests_again)} comparisons have {AGAIN} "
        f"times as many.",
    )
