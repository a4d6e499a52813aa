"""What each kind of warning separates: how often samples with it are wrong, and those without it.

A sample is wrong if its interval misses the true value, or else by the error that the warning
points at: ``POINTS_AT`` names it. Samples with and without a warning are compared within groups of
cells, which are on both sides of a limit.
"""

import math

import numpy as np
from simulation import main
from tables import Section, grouped
from warned_settings import MISSES, POINTS_AT, Z, cells


def strata_of(name, rows):
    """Samples with a kind of warning and without it, and how many are wrong, in each group.

    Ways to call within a group are groups, too.
    """
    rows = [row for row in rows if row["wrong"] == POINTS_AT.get(name, MISSES)]
    for of_group in grouped(rows, "{group}, {way}".format_map).values():
        pairs = [row.get("kinds", {}).get(name, (0, 0)) for row in of_group]
        n, covering = map(sum, zip(*pairs, strict=True))
        all_covering = sum(round(row["n_samples"] * row["covers"] / 100) for row in of_group)
        others = sum(row["n_samples"] for row in of_group) - n
        if n:
            yield np.array([n - covering, n, others - (all_covering - covering), others])


def ratio_of_risks(strata):
    """How many times as often samples are wrong with a warning, within groups, and its limits.

    Mantel and Haenszel's ratio (1959), with the variance of Greenland and Robins (1985). Half a
    wrong sample of one is added to each number, as none may be wrong.
    """
    a, n, b, m = np.transpose([numbers + np.array([0.5, 1, 0.5, 1]) for numbers in strata])
    both = n + m
    one, other = np.sum(a * m / both), np.sum(b * n / both)
    variance = np.sum(((a + b) * n * m - a * b * both) / both**2) / (one * other)
    ratio, error = one / other, math.sqrt(variance)
    return ratio, ratio * math.exp(-Z * error), ratio * math.exp(Z * error)


HEAD = ["warning", "what is wrong", "warned", "wrong", "not warned", "wrong there"]
HEAD += ["risk ratio", "its 95% interval"]


def line_of(name, rows):
    """The numbers of a kind of warning."""
    strata = [*strata_of(name, rows)]
    wrong, n, others_wrong, others = sum(strata)
    cells = [name, POINTS_AT.get(name, MISSES)]
    for part, number in ((wrong, n), (others_wrong, others)):
        cells += [f"{number:,}", f"{100 * part / number:.1f}%" if number else ""]
    ratio, low, high = ratio_of_risks(strata)
    return [*cells, f"{ratio:.1f}", f"{low:.1f} to {high:.1f}"]


def misses(rows):
    """How often intervals miss the true value, with a warning of any kind and without one."""
    rows = [row for row in rows if row["wrong"] == MISSES]
    n, silent, silent_covers = (
        sum(row[key] for row in rows) for key in ("n_samples", "n_silent", "n_silent_covers")
    )
    warned_covers = sum(row["covers"] * row["n_samples"] / 100 for row in rows) - silent_covers
    return 100 - 100 * warned_covers / (n - silent), 100 - 100 * silent_covers / silent


def section(rows):
    names = sorted({name for row in rows for name in row.get("kinds", {})})
    strata = {name: [*strata_of(name, rows)] for name in names}
    ratios = {name: ratio_of_risks(found) for name, found in strata.items() if found}
    ordered = sorted(ratios, key=ratios.get, reverse=True)
    lines = [
        [f"{row['name']}, {row['way']}".removesuffix(", "), *numbers_of_cell(row)] for row in rows
    ]
    promises = [
        [f"Results {which} are wrong", f"{share:.1f} of 100", "", ""]
        for which, share in zip(("with a warning", "without one"), misses(rows), strict=True)
    ]
    return Section(
        promises,
        [HEAD, *(line_of(name, rows) for name in ordered)],
        more=[[["All cells", "wrong", "warnings"], *lines]],
    )


def numbers_of_cell(row):
    """How many samples are wrong, and how many have a warning of each kind."""
    n = row["n_samples"]
    kinds = (f"{name} {100 * found[0] / n:.0f}%" for name, found in row.get("kinds", {}).items())
    return f"{100 - row['covers']:.1f}%", ", ".join(kinds)


if __name__ == "__main__":
    main("warning_kinds", __doc__, cells, {"warnings": section})
