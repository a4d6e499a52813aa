"""Count what a report tells where nothing differs, and where something does.

    python benchmarks/report.py [PAGES [SEEDS]]

PAGES (400) pages have models of one skill and segments without a difference. Each scenario has
SEEDS (12) pages. Prints the tables of docs/report.md; takes about five minutes.
"""

import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1] / "tests" / "helpers"))
from report_scenarios import SCENARIOS, has_false_fact, is_told

from sklearn_ap import report

FIRST_SEED = 1000
# Kinds of facts that claim a difference. Best is claimed of three models or more.
CLAIMS = {
    "a model is better, or the best of several": ("Lead", "Best"),
    "a model falls": ("Fall",),
    "a segment is worse": ("WorseSegment",),
    "another model is better there": ("BetterThere",),
    "a threshold misses its goal there": ("MissedGoal",),
    "labels of the latest time differ": ("UnlikeLabels",),
    "scores of a segment have another scale": ("UnlikeScales",),
}


def make_even_page(seed):
    """Draw rows, clusters, queries or weights, with 2 to 6 models and 4 to 24 segments."""
    rng = np.random.default_rng([FIRST_SEED, seed])
    design = ("rows", "clusters", "queries", "weights")[seed % 4]
    n, n_segments = int(rng.choice([3000, 8000, 20_000])), int(rng.integers(4, 25))
    unit = rng.integers(0, n // 20, n)
    y = rng.random(n) < rng.choice([0.03, 0.1, 0.25])
    shared = 0.5 * rng.normal(size=n) + 0.5 * rng.normal(size=n // 20)[unit] * (design != "rows")
    models = {
        f"m{i}": 1.5 * y + shared + 0.8 * rng.normal(size=n) for i in range(rng.integers(2, 7))
    }
    months = np.array([f"20{24 + i // 12}-{i % 12 + 1:02d}" for i in range(n_segments)])
    places = np.array([f"place {i}" for i in range(int(rng.integers(4, 25)))])
    of_row = [rng.choice(names, n) for names in (months, places)]
    of_unit = [rng.choice(names, n // 20)[unit] for names in (months, places)]
    month, place = of_unit if design in ("clusters", "queries") else of_row
    options = {
        "rows": {},
        "clusters": {"clusters": unit},
        "queries": {"queries": unit},
        "weights": {"sample_weight": rng.gamma(2, size=n)},
    }[design]
    return design, (y, models), {"segments": {"month": month, "place": place}, **options}


def kinds(found):
    return {type(fact).__name__ for fact in found.facts}


def count_even_pages(n_pages):
    counts, totals = Counter(), Counter()
    for seed in range(n_pages):
        design, data, options = make_even_page(seed)
        found = report(*data, **options)
        totals[design] += 1
        told = [name for name, names in CLAIMS.items() if kinds(found) & {*names}]
        counts.update((name, design) for name in told)
        counts["any of these", design] += bool(told)
    print(f"| told without a difference, of {n_pages} pages |", " | ".join(totals), "| all |")
    print("|---|" + "---|" * (len(totals) + 1))
    for name in (*CLAIMS, "any of these"):
        cells = [counts[name, design] for design in totals]
        print(f"| {name} |", " | ".join(map(str, cells)), f"| {sum(cells)} |")


def count_chance_pages(n_pages):
    """Count how often scores without skill are told to rank better than random orders."""
    counts = Counter()
    for seed in range(n_pages):
        rng = np.random.default_rng([FIRST_SEED, 1, seed])
        n = 3000
        unit = rng.integers(0, 150, n)
        y = rng.random(n) < 0.02 + 0.2 * (rng.random(150) < 0.2)[unit]
        score = rng.normal(size=n) + 0.7 * rng.normal(size=150)[unit]
        for design, options in (("rows", {}), ("clusters", {"clusters": unit})):
            rows = rng.permutation(n) if design == "rows" else np.arange(n)
            found = report(y[rows], score, **options)
            counts[design] += "AboveChance" in kinds(found)
    print(f"\nabove chance without skill, of {n_pages}: {dict(counts)}")


def count_scenarios(n_seeds):
    print(f"\n| what changes | told, of {n_seeds} | advised | a fact that is not so |")
    print("|---|---|---|---|")
    for place, (name, scenario) in enumerate(SCENARIOS.items()):
        told = advised = wrong = 0
        for seed in range(n_seeds):
            page = scenario.make(np.random.default_rng([FIRST_SEED, 2 + place, seed]))
            found = report(page.y_true, page.y_scores, **page.options)
            told += all(is_told(found, each) for each in scenario.expected)
            advised += found.advice[0].model == scenario.use
            wrong += has_false_fact(found, scenario)
        cells = told if scenario.expected else "", advised if scenario.use else "", wrong
        print(f"| {name} |", " | ".join(map(str, cells)), "|", flush=True)


def main(n_pages="400", n_seeds="12"):
    warnings.simplefilter("ignore")
    count_even_pages(int(n_pages))
    count_chance_pages(int(n_pages))
    count_scenarios(int(n_seeds))


if __name__ == "__main__":
    main(*sys.argv[1:])
