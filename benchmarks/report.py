"""How often is a report right, where nothing differs and where something does?

    python benchmarks/report.py [PAGES [SEEDS]]

PAGES (400) pages have models of one skill and segments without a difference, and half as many have
each drift or study of few patients. Each other scenario has SEEDS (12) pages. Writes the tables of
docs/report.md in about 30 minutes on two cores.
"""

import sys
import warnings
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parents[1]))
from joblib import Parallel, delayed
from tables import write_csv

from sklearn_ap import compare_segments, report
from tests.helpers.report_scenarios import DRIFTS, SCENARIOS, claims, has_false_fact, is_told, study

FIRST_SEED = 1000
ANY = "any of these"
ALONE = "shown only if nothing else is asked"
# Kinds of facts that claim a difference. HighestScore is of three models or more.
CLAIMS = {
    "a model is better, or the best of several": ("TwoModels", "HighestScore"),
    "a model falls": ("Fall",),
    "a segment is worse": ("WorseSegment",),
    "another model is better there": ("BetterThere",),
    "labels of the latest time differ": ("ChangedShare",),
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
    """Kinds of facts, without comparisons that show nothing."""
    return {type(fact).__name__ for fact in found.facts if getattr(fact, "is_shown", True)}


def count_even_pages(n_pages):
    """Count what is told where nothing differs, by design."""
    counts, designs = Counter(), []
    for seed in range(n_pages):
        design, data, options = make_even_page(seed)
        found = kinds(report(*data, **options))
        told = [name for name, names in CLAIMS.items() if found & {*names}]
        told += [ANY] * bool(told) + [ALONE] * ("NearMiss" in found)
        counts.update((name, design) for name in told)
        designs.append(design)
    names = [*dict.fromkeys(designs)]
    rows = [[name, *(counts[name, each] for each in names)] for name in (*CLAIMS, ANY, ALONE)]
    head = [f"told without a difference, of {n_pages // len(names)} pages each", *names]
    write("no-difference", head, [[*row, sum(row[1:])] for row in rows], "all")


def ask_page(scenario, *seed):
    """Whether a page tells what changes and advises the right model, and what it says wrongly."""
    page = scenario.make(np.random.default_rng([FIRST_SEED, *seed]))
    with warnings.catch_warnings(action="ignore"):
        found = report(page.y_true, page.y_scores, **page.options)
    told = all(is_told(found, each) for each in scenario.expected)
    advised = not scenario.use or found.advice[0].model == scenario.use
    return told, advised, bool(claims(found)), bool(has_false_fact(found, scenario))


def ask_pages(scenario, first, n_pages):
    """Return the answers of pages as an array, a column for each question."""
    found = Parallel(2)(delayed(ask_page)(scenario, first, seed) for seed in range(n_pages))
    return np.array(found).T


def count_scenarios(n_seeds):
    """Count the pages of each scenario with the facts that tell it, and with others."""
    rows = []
    for place, (name, scenario) in enumerate(SCENARIOS.items()):
        told, advised, _, wrong = ask_pages(scenario, 2 + place, n_seeds).sum(axis=1)
        told, advised = (told if scenario.expected else ""), (advised if scenario.use else "")
        rows.append([name, told, advised, wrong])
    head = [f"what changes, in {n_seeds} pages each", "told", "the other model is advised"]
    write("changes", head, rows, "another segment or time is named")


def count_drifts(n_pages):
    """Count the pages of each drift that tell it and advise the right model."""
    rows = []
    for place, (name, scenario) in enumerate(DRIFTS.items()):
        told, advised, claimed, _ = ask_pages(scenario, 100 + place, n_pages)
        right = told & advised if scenario.expected else ~claimed
        told = told if scenario.expected else claimed
        rows.append([name, told.sum(), advised.sum() if scenario.use else "", right.sum()])
    head = [f"what changes, in {n_pages} pages each", "told", "the right model is advised"]
    write("drifts", head, rows, "right")


def ask_study(falls, seed):
    """Whether a page tells a lower site, nearly tells it, and tells others, and a call shows it."""
    page = study(np.random.default_rng([FIRST_SEED, 200, seed]), falls)
    with warnings.catch_warnings(action="ignore"):
        found = report(page.y_true, page.y_scores, **page.options)
        site, clusters = page.options["segments"]["site"], page.options["clusters"]
        alone = compare_segments(page.y_true, page.y_scores["algorithm"], site, clusters=clusters)
    is_worse = (alone.difference < 0) & (alone.pvalue < 0.05)
    shown = [name for name, each in zip(alone.names, is_worse, strict=True) if each]
    told = [fact.segment for fact in found.facts if type(fact).__name__ in ("WorseSegment", "Fall")]
    missed = [fact.place.segment for fact in found.facts if type(fact).__name__ == "NearMiss"]
    return "B" in told, "B" in missed, "B" in shown, any(name != "B" for name in told)


def count_studies(n_pages):
    """Count the pages of a study that tell a site of few patients, beside the function alone."""
    rows = []
    for name, falls in {
        "no site differs": (),
        "the advised model is worse in site B": [("site", ["B"], "algorithm", 2.5)],
    }.items():
        found = Parallel(2)(delayed(ask_study)(falls, seed) for seed in range(n_pages))
        rows.append([name, *np.sum(found, axis=0)])
    head = [f"three scores, five sites, two sexes, in {n_pages} pages each", "site B is told"]
    head += [ALONE, "shown by compare_segments alone"]
    write("studies", head, rows, "another segment is told")


def write(name, head, rows, last):
    """Write a table of docs/report.md, and print it."""
    path = Path(__file__).parents[1] / "docs" / "report" / name / "summary.csv"
    write_csv(path, [[*head, last], *rows])
    print(path.read_text())


def main(n_pages="400", n_seeds="12"):
    warnings.simplefilter("ignore")
    count_studies(int(n_pages) // 2)
    count_drifts(int(n_pages) // 2)
    count_even_pages(int(n_pages))
    count_scenarios(int(n_seeds))


if __name__ == "__main__":
    main(*sys.argv[1:])
