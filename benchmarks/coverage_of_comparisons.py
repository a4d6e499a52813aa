"""Do limits of differences hold the true ones, and how often do comparisons err, or find?

    python benchmarks/coverage_of_comparisons.py

writes the tables "comparisons", "best-of-many" and "margins" of docs/evidence: coverage and width
as of intervals, the largest share of samples with a false p <= 0.05 of any difference, and the mean
power. Of several models, limits hold all at once; the best one is in the set, and the winner's
lower limit holds, at least so often. Margins have the largest error at a nominal 2.5%, and how
often equal models are shown not worse.
"""

import warnings

import numpy as np
from cells_of_comparisons import cells
from coverage_of_intervals import COLUMNS, LEVELS
from scipy.stats import norm
from simulation import CLOSE, Table, column, generators, lowest_and_median, main, number

from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._uncertainty.best import best_of
from sklearn_ap._uncertainty.differences_of_models import differences_of
from sklearn_ap._uncertainty.scores_of_models import models_of_rows
from sklearn_ap.inference.scored_samples import FOLD_FACTOR

SEED, ERROR = 20261128, 0.05


def compare(definition, y, s, options, margin=None):
    """Return differences, limits at all levels and p-values; and of the margin, or of the best."""
    folds = options.pop("folds", None)
    requests = [Request(y_true=y, y_score=each, **options) for each in s]
    rankings = [check_rankings(request, all_items=True) for request in requests]
    factor = 1.0 if folds is None else FOLD_FACTOR
    joint = models_of_rows(definition, requests[0], rankings, difference_factor=factor)
    pairs = [(model, 0) for model in range(1, len(s))]
    made = differences_of(joint, pairs)
    facts = {"estimates": made.estimate, "p": made.pvalues}
    z = np.abs(made.estimate - made.bias) / np.sqrt(np.maximum(made.variance, 1e-30))
    facts["z"] = 2 * norm.sf(z) * len(pairs)  # the usual test, by the same influences
    facts["limits"] = np.array([made.limits(level) for level in LEVELS])
    if margin is not None:
        facts["not worse"] = made.margin_low(1 - ERROR)[0] > -margin
    elif len(s) > 2:
        best = best_of(joint, 1 - ERROR)
        winner = np.argmax(joint.estimate.value)
        facts |= {"set": best.pvalues >= ERROR, "winner": winner, "low": best.winner_low}
        facts["gap_high"] = best.gap_high
    return facts


def ask(cell, n_samples):
    """Return the figures of a cell, in percent."""
    warnings.simplefilter("ignore")
    true = None if cell.truth is None else cell.truth()
    margin, found, truths = None if cell.equal is None else true[0] - true[1], [], []
    for rng in generators(n_samples, cell.kind + cell.name, SEED):
        y, s, options = cell.draw(rng)
        truths.append(options.pop("truths", true))
        found.append(compare(cell.definition, y, s, options, margin))
        if cell.equal is not None:
            found[-1]["shown"] = compare(cell.definition, *cell.equal(rng), margin)["not worse"]
    made = {name: np.array([each[name] for each in found]) for name in found[0]}
    if truths[0] is None:
        difference = 0.0 if cell.are_equal else np.mean(made["estimates"])
        truths = [(0.0, difference)] * n_samples
    facts = figures(made, np.array(truths))
    return {"kind": cell.kind, "name": cell.name, "order": facts["covers"][2], **facts}


def figures(made, truths):
    wanted = truths[:, 1:] - truths[:, :1]
    low, high = made["limits"][:, :, 0], made["limits"][:, :, 1]
    holds = (low - CLOSE <= wanted[:, None]) & (wanted[:, None] <= high + CLOSE)
    sd = max(np.std(made["estimates"] - wanted, axis=0)[0], 1e-12)
    needed = 2 * norm.ppf((1 + np.array(LEVELS)) / 2) * sd
    is_null, says = np.abs(wanted) < CLOSE, made["p"] <= ERROR
    facts = {"covers": [*100 * holds.all(axis=2).mean(axis=0)]}
    facts["width"] = [*np.median(high - low, axis=0)[:, 0] / needed]
    facts["misses"] = [100 * (low[:, 2] > wanted + CLOSE).any(axis=1).mean()]
    facts["misses"] += [100 * (high[:, 2] < wanted - CLOSE).any(axis=1).mean()]
    for name, shown in (("", says), (" at 1%", made["p"] <= 0.01), (" by z", made["z"] <= ERROR)):
        false = (shown & is_null).any(axis=1).mean() if is_null.any() else np.nan
        facts[f"false{name}"] = 100 * false
        facts[f"power{name}"] = 100 * shown[~is_null].mean() if (~is_null).any() else np.nan
    if "shown" in made:
        facts |= {"error": 100 * made["not worse"].mean(), "shown": 100 * made["shown"].mean()}
    if "set" in made:
        is_best = truths == truths.max(axis=1, keepdims=True)
        of_winner = np.take_along_axis(truths, made["winner"][:, None], axis=1)[:, 0]
        facts["set"] = 100 * made["set"][is_best].mean()
        facts["low"] = 100 * (made["low"] <= of_winner).mean()
        others = np.where(np.eye(truths.shape[1], dtype=bool), -np.inf, truths[:, None, :])
        gaps = truths - others.max(axis=2)
        facts["each"] = 100 * (made["gap_high"] >= gaps - CLOSE).mean(axis=0).min()
        facts["excluded"] = 100 * (~made["set"] & is_best).any(axis=1).mean()
    return facts


def misses(cells):
    """How often the lower limit is above the truth, and the upper one below it, on average."""
    return " / ".join(f"{column(cells, 'misses', side).mean():.1f}" for side in (0, 1))


TABLES = {
    "comparisons": Table(
        "settings",
        {
            "rows": ["rows"],
            "rows, sizes of no earlier grid": ["rows, new"],
            "rows, hard: rare alarms or losses, strong models": ["rows, hard"],
            "weights": ["weights"],
            "another prevalence": ["prevalence"],
            "another prevalence, few heavy negatives": ["prevalence, hard"],
            "clusters": ["clusters"],
            "clusters, hard: whole clusters fail, 12 clusters": ["clusters, hard"],
            "queries, also of users": ["queries"],
            "means over columns": ["columns"],
            "columns of unlike models": ["columns, hard"],
            "two detectors, classes over images": ["detectors"],
            "scores at k, at a recall": ["at k"],
            "pools of folds": ["folds"],
            "unlike models: rare alarms, lost positives": ["unlike, rows"],
            "unlike models: rare hits of a weak one": ["unlike, hits"],
            "unlike models: near copies, one with rare alarms": ["unlike, near copies"],
            "unlike models, weights": ["unlike, weights"],
            "unlike models, another prevalence": ["unlike, prevalence"],
            "unlike models, whole clusters fail": ["unlike, clusters"],
            "unlike models, noise of rows or clusters": ["unlike, noise of clusters"],
            "unlike models, rows fail in all columns": ["unlike, columns"],
            "unlike models, at k": ["unlike, at k"],
            "at k, over clusters": ["at k, clusters"],
            "at k, means over columns": ["at k, columns"],
            "scores of three kinds, which chose no constant": ["fresh"],
        },
        COLUMNS
        | {
            "misses below, above": misses,
            "p ≤ .05 if equal": number("{:.1f}", "false", np.max),
            "p ≤ .01": number("{:.1f}", "false at 1%", np.max),
            "finds": number("{:.1f}", "power", np.mean),
            "z test: p ≤ .05 if equal": number("{:.1f}", "false by z", np.max),
            "z test finds": number("{:.1f}", "power by z", np.mean),
        },
    ),
    "best-of-many": Table(
        "settings",
        {"3 to 25 models": ["many"]},
        {
            "all limits hold": lambda cells: lowest_and_median(column(cells, "covers", 2)),
            "p ≤ .05 of any equal model": number("{:.1f}", "false", np.max),
            "finds": number("{:.1f}", "power", np.mean),
            "the best is in the set: lowest": number("{:.1f}", "set", np.min),
            "each limit holds: lowest": number("{:.1f}", "each", np.min),
            'any of the best is called "worse": most': number("{:.1f}", "excluded", np.max),
            "the winner's lower limit holds: lowest": number("{:.1f}", "low", np.min),
        },
    ),
    "margins": Table(
        "settings",
        {
            "rows, also with 1.2 to 4 alarms expected": ["margins"],
            "queries, of which 1.2 to 4 fail": ["margins of queries"],
        },
        {
            'called "not worse", though worse: most': number("{:.1f}", "error", np.max),
            'equal models called "not worse": mean': number("{:.1f}", "shown", np.mean),
        },
    ),
}

if __name__ == "__main__":
    main(cells(), ask, TABLES, __doc__, samples=200, again=600)
