"""Do studies need as many positives, clusters or queries as are planned?

    python benchmarks/sample_size.py

writes the table "sample-size" of docs/evidence. The size that is needed is found from studies of
sizes around the plan.
"""

import warnings
import zlib
from functools import partial

import numpy as np
import populations
from joblib import Parallel, delayed
from scipy.special import ndtri
from simulation import write

from sklearn_ap import (
    average_precision_interval,
    compare_average_precision,
    pilot_comparison,
    pilot_interval,
    sample_size_for_difference,
    sample_size_for_interval,
)

N_SAMPLES = 400
N_LARGE, N_SMALL = 4_000, 60  # positives, clusters or queries of a pilot
SHARES = (0.7, 0.85, 1.0, 1.2, 1.45)  # sizes of studies, over the size that is asked for
TRUE = {"difference": None}  # the true one


def rows(*shifts, correlation=0.8, prevalence=0.1):
    scores = populations.alike_in_noise(shifts, correlation)
    return partial(populations.rows, prevalence=prevalence, scores=scores)


def queries(rng, n):
    y = ((np.arange(20 * n) % 20 == 0) | (rng.random(20 * n) < 0.1)) * 1
    return y, populations.correlated(rng, y, (1.0, 1.3), 0.8), {"queries": np.arange(20 * n) // 20}


def pair(first, second, power=0.8, correlation=0.8):
    """Rows of two models of normal scores, and their true difference."""
    apart = populations.binormal_difference((first, second), 0.1)
    return rows(first, second, correlation=correlation), {"difference": apart, "power": power}


def before(goal, score, prevalence, correlation=None):
    """Rows of which one knows scores, but has no data."""
    scores = [score] if correlation is None else [score, score + goal["difference"]]
    shifts = populations.shifts_with(scores, prevalence)
    draw = rows(*shifts, correlation=correlation or 0.0, prevalence=prevalence)
    if correlation is None:
        pilot = partial(pilot_interval, average_precision=score, prevalence=prevalence)
    else:
        known = {"prevalence": prevalence, "correlation": correlation}
        pilot = partial(pilot_comparison, worse=scores[0], better=scores[1], **known)
    return draw, goal, {}, pilot


SETTINGS = {  # samples, the goal, options of comparisons, and the pilot of those before any data
    "interval: weak model": (rows(1.0), {"half_width": 0.05}),
    "interval: ordinary model": (rows(2.0), {"half_width": 0.05}),
    "interval: strong model": (rows(3.5), {"half_width": 0.03}),
    "interval: queries": (partial(populations.unequal_queries, size=20), {"half_width": 0.03}),
    "interval: patients": (populations.patients, {"half_width": 0.05}),
    "interval before data: 0.2 at 5%": before({"half_width": 0.05}, 0.2, 0.05),
    "interval before data: 0.4 at 2%": before({"half_width": 0.05}, 0.4, 0.02),
    "interval before data: 0.85 at 25%": before({"half_width": 0.03}, 0.85, 0.25),
    "two models before data: 0.4 and 0.45 at 2%": before({"difference": 0.05}, 0.4, 0.02, 0.8),
    "two models before data: 0.8 and 0.83 at 10%": before({"difference": 0.03}, 0.8, 0.1, 0.95),
    "two models: correlation 0.5": pair(1.3, 1.5, correlation=0.5),
    "two models: correlation 0.95": pair(1.3, 1.4, correlation=0.95),
    "two models: strong": pair(2.5, 2.8),
    "two models: few positives": pair(1.3, 2.2),
    "two models: power of 90%": pair(2.0, 2.2, power=0.9),
    "two models: one-sided": (*pair(1.3, 1.5), {"alternative": "greater"}),
    "two models: not worse by 0.03": (rows(2.0, 2.0), {"difference": 0}, {"margin": 0.03}),
    "two models: queries": (queries, TRUE),
    "two models: equal patients": (partial(populations.over_patients, sizes=(20, 20)), TRUE),
    "two models: unequal patients": (populations.over_patients, TRUE),
}


def result(rng, n, draw, options):
    y, s, own = draw(rng, n)
    if len(s) != 2:
        return average_precision_interval(y, np.ravel(s), **own)
    return compare_average_precision(y, dict(zip("AB", s, strict=True)), **own, **options)


def plan(draw, goal, options, pilot):
    """The size that is asked for, and those of small pilots over it."""
    if goal == TRUE:
        goal = {"difference": populations.score_of_many(lambda rng: draw(rng, 50_000))}
    size = sample_size_for_difference if "difference" in goal else sample_size_for_interval
    if pilot:
        return int(size(pilot(), **goal)), np.nan
    rng, sizes = np.random.default_rng(0), [N_LARGE, *100 * [N_SMALL]]
    n, *small = (int(size(result(rng, each, draw, options), **goal)) for each in sizes)
    return n, np.array(small) / n


def sample(rng, n, draw, goal, options):
    """What studies of each size show: a half width, or whether there is a difference."""
    for share in SHARES:
        made = result(rng, round(share * n), draw, options)
        if "difference" in goal:
            yield made.verdict[1] in ("better", "not worse")
        else:
            yield np.log((made.high - made.low) / 2 / goal["half_width"])


def percent_too_large(means, goal):
    """The size that is asked for beside the one that is needed, from studies of sizes around it."""
    share = np.array(SHARES)
    if "difference" not in goal:
        slope, level = np.polyfit(np.log(share), means, 1)
        return 100 * np.expm1(level / slope)
    shown = ndtri(np.clip(means, 0.001, 0.999))
    slope, level = np.polyfit(np.sqrt(share), shown - ndtri(goal.get("power", 0.8)), 1)
    return 100 * ((slope / level) ** 2 - 1)


def line_of(name):
    """The line of a setting in the table."""
    warnings.simplefilter("ignore")
    draw, goal, *more = SETTINGS[name]
    options, pilot = [*more, {}, None][:2]
    n, small = plan(draw, goal, options, pilot)
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    means = np.mean([[*sample(rng, n, draw, goal, options)] for _ in range(N_SAMPLES)], axis=0)
    power = f"{100 * means[SHARES.index(1.0)]:.0f}" if "difference" in goal else ""
    low, median, high = np.quantile(small, [0.16, 0.5, 0.84])
    pilots = ["", ""] if pilot else [f"{median:.2f}", f"{(high - low) / 2:.2f}"]
    return [name, f"{n:.0f}", f"{percent_too_large(means, goal):+.0f}%", power, *pilots]


def main():
    head = ["asked for", "size", "too large by", "power", "small pilots", "spread"]
    write("sample-size", [head, *Parallel(-1)(map(delayed(line_of), SETTINGS))])


if __name__ == "__main__":
    main()
