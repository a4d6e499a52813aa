"""How often several looks at growing data err, with the levels of look_levels and without."""

from functools import partial

import numpy as np
from populations import binormal, correlated, disguised, in_clusters, score_of_many
from simulation import Cell, main
from tables import Section, doubt, promise, table_by, table_of

import sklearn_ap
from sklearn_ap import look_levels, rows_to_label

ALPHA, ERRS, FAILS = 0.05, 7, 93  # errors above it, and coverages below it, fail
SHIFT, BETTER, CORRELATION, PREVALENCE = 1.6, 1.8, 0.7, 0.1
N_SAMPLES, N_OF_ROUNDS = 250, 120
COLUMNS = {
    "p < 0.05": "{plain.mean:.1f}",
    "O'Brien-Fleming": "{obrien-fleming.mean:.1f}",
    "Pocock": "{pocock.mean:.1f}",
    "unlimited": "{unlimited.mean:.1f}",
    "95% covers": "{plain covers.mean:.1f}",
    "repeated covers": "{repeated covers.mean:.1f}",
    "one look": "{one.mean:.1f}",
    "cases used": "{used.mean:.0f}",
}


def first_rows(sizes, draw, rng):
    """The rows that each look has, from one sample, each time in another form."""
    y, s, options = draw(rng, sizes[-1])
    for n in sizes:
        some = {name: column[:n] for name, column in options.items()}
        yield disguised(rng, y[:n], s[:, :n], some)


def stream(rng, n_rows, shifts=(SHIFT, SHIFT), prevalence=PREVALENCE):
    y = (rng.random(n_rows) < prevalence).astype(int)
    y[:2] = 0, 1
    return y, correlated(rng, y, shifts, CORRELATION), {}


def of_patients(rng, n_rows):
    y, s, options = in_clusters(rng, n_rows // 3)
    s = np.stack([s + 0.5 * rng.normal(size=y.size) for _ in "ab"])
    return y[:n_rows], s[:, :n_rows], {"clusters": options["clusters"][:n_rows]}


def of_queries(rng, n_rows):
    y = (np.arange(n_rows) % 20 < 3).astype(int)
    return y, correlated(rng, y, (1.0, 1.0), CORRELATION), {"queries": np.arange(n_rows) // 20}


def in_rounds(n_rounds, rng):
    """Labels that rows_to_label chooses, round after round; others are unknown."""
    y, s, _ = stream(rng, 5_000)
    known, chance = np.full(y.size, np.nan), np.zeros(y.size)
    for _ in range(n_rounds):
        done, seed = ~np.isnan(known), int(rng.integers(2**31))
        plan = rows_to_label(s.mean(axis=0), 150, exclude=done, rng=seed)
        known[plan.rows] = y[plan.rows]
        chance = 1 - (1 - chance) * (1 - plan.inclusion_probability)
        yield known.copy(), s, {"inclusion_probability": chance}


def looked_at(rng, truth, rows, levels, repeated):
    """What is significant at some look, and what covers at all looks."""
    pvalues, covers = [], []
    for (y, s, options), level in zip(rows(rng=rng), repeated, strict=True):
        models = dict(zip("ab", s, strict=True))
        found = sklearn_ap.compare_average_precision(y, models, confidence_level=level, **options)
        plain = sklearn_ap.average_precision_interval(y, s[0], **options)
        pvalues.append(found.pvalues[1])
        covers.append([plain.low <= truth <= plain.high, found.lows[0] <= truth <= found.highs[0]])
    of_plain, of_repeated = np.all(covers, axis=0)
    return significant(np.array(pvalues), levels) | {
        "plain covers": bool(of_plain),
        "repeated covers": bool(of_repeated),
    }


def significant(pvalues, levels):
    found = {name: bool((pvalues < each.pvalues).any()) for name, each in levels.items()}
    is_found = pvalues < levels["obrien-fleming"].pvalues
    share = levels["obrien-fleming"].information[np.argmax(is_found) if is_found.any() else -1]
    last = levels["obrien-fleming"].information[-1]
    return found | {
        "plain": bool((pvalues < ALPHA).any()),
        "one": bool(pvalues[-1] < ALPHA),
        "used": 100 * share / last,
    }


def months(rng, _, levels, n_months):
    """Each month is a look at all months so far, which are alike."""
    n = 400
    y, s, _ = stream(rng, n * n_months)
    when, pvalues = np.arange(y.size) // n, []
    for month in range(2, n_months + 1):
        some = when < month
        y_some, s_some, options = disguised(rng, y[some], s[0, some], {"clusters": when[some]})
        options = {"segments": options["clusters"]}  # whose names and order are others
        found = sklearn_ap.compare_segments(y_some, s_some, **options)
        pvalues.append(found.homogeneity_pvalue)
    return significant(np.array(pvalues), levels)


def levels_of(information):
    given = {"information": information}
    names = "obrien-fleming", "pocock", "unlimited"
    return {name: look_levels(len(information), spending=name, **given) for name in names}


def cells():
    def cell(name, sizes, draw=stream, truth=None, n_samples=N_SAMPLES, rows=None):
        rows = rows or partial(first_rows, sizes, draw)
        repeated = look_levels(len(sizes), spending="repeated", information=sizes)
        given = {"levels": levels_of(sizes), "repeated": repeated.confidence_levels}
        truth = truth or partial(binormal, SHIFT, PREVALENCE)
        is_equal = "better" not in name
        facts = {"kind": name, "is_equal": is_equal}
        return Cell(name, partial(looked_at, rows=rows, **given), n_samples, truth, facts)

    weeks = np.arange(1, 11)
    yield cell("5 looks of 300 rows", 300 * weeks[:5])
    yield cell("10 looks of 300 rows", 300 * weeks)
    yield cell("20 looks of 150 rows", 150 * np.arange(1, 21))
    yield cell("10 looks of 30 rows, 3 positives", 30 * weeks)
    yield cell("10 looks of 50 rows, 5 positives", 50 * weeks)
    growing = np.array([100, 130, 200, 400, 800, 1_000, 2_000])
    yield cell("7 looks at unequal distances", growing)
    perfect = partial(stream, shifts=(4.5, 4.5))
    yield cell(
        "10 looks of 200 rows, near-perfect", 200 * weeks, perfect, partial(binormal, 4.5, 0.1)
    )
    even = partial(stream, prevalence=0.5)
    yield cell(
        "10 looks of 60 rows, half positive", 60 * weeks, even, partial(binormal, SHIFT, 0.5)
    )
    patients = partial(of_first, of_patients)
    yield cell("8 looks of 24 patients", 120 * np.arange(1, 9), of_patients, patients)
    queries = partial(of_first, of_queries)
    yield cell("10 looks of 12 queries", 240 * weeks, of_queries, queries)
    rounds = partial(in_rounds, 6)
    yield cell("6 rounds of 150 labels", 150 * weeks[:6], None, None, N_OF_ROUNDS, rounds)
    levels, facts = levels_of(np.arange(2, 13)), {"kind": "12 months of 400 rows", "is_equal": True}
    sample = partial(months, levels=levels, n_months=12)
    yield Cell("12 months of 400 rows", sample, N_OF_ROUNDS, facts=facts)
    better = partial(stream, shifts=(SHIFT, BETTER))
    yield cell("10 looks of 300 rows, one better", 300 * weeks, better)


def of_first(draw):
    """The score of the first model in a large sample."""

    def first(rng):
        y, s, options = draw(rng, 300_000)
        return y, s[0], options

    return score_of_many(first)


def is_wrong(row):
    errors = max(row["obrien-fleming"], row["pocock"]) if row["is_equal"] else 0
    is_low = row.get("repeated covers", 100) < FAILS - 2 * doubt(row, FAILS)
    return is_low or errors > ERRS + 2 * doubt(row, ERRS)


def section(rows):
    for row in rows:
        if row["is_equal"]:
            row |= {"plain error": row["plain"], "error": row["obrien-fleming"]}
    what = f"Errors above {ERRS}, or coverages below {FAILS}, by two standard errors"
    shown = {"errs": "{obrien-fleming:.1f}"}
    fails = [table_of(what, filter(is_wrong, rows), **shown)]
    error = "Any of several looks is significant for equal models (5 of 100)"
    promises = [
        promise(error, [row for row in rows if row["is_equal"]], "error", "most"),
        promise("Repeated 95% intervals, all looks together", rows, "repeated covers"),
    ]
    return Section(promises, table_by("kind", rows, COLUMNS, "looks"), fails)


if __name__ == "__main__":
    main("looks", __doc__, cells, {"looks": section})
