"""How often "not worse" is wrong at the margin, and how often it is shown."""

from functools import partial

import numpy as np
from populations import area, binormal, correlated, disguised, labels, over_patients, score_of_many
from scipy.stats import norm
from simulation import Cell, main
from tables import Section, doubt, promise, table_by, table_of

from sklearn_ap import compare_average_precision

ALPHA, ERRS, ERRS_OVER_CLUSTERS = 0.025, 3, 4  # errors above these fail
N_SAMPLES, N_OF_UNITS, N_PLANS = 500, 300, 100
X = np.linspace(-9, 15, 60_001)
COLUMNS = {
    "margin": "{margin.mean:.3f}",
    "not worse": "{not worse.mean:.1f}",
    "plain limit": "{plain.mean:.1f}",
    "equal: not worse": "{equal.mean:.0f}",
    "equal: plain limit": "{equal plain.mean:.0f}",
}


def normal(rng, n, prevalence, shifts, correlation=0.7):
    y = labels(rng, round(n), prevalence)
    return y, correlated(rng, y, shifts, correlation), {}


def loss_of_normal(prevalence, shifts):
    return binormal(shifts[0], prevalence) - binormal(shifts[1], prevalence)


def heavy_tailed(rng, n, prevalence, shifts):
    y = labels(rng, n, prevalence)
    noise = rng.standard_t(2, y.size)
    return y, np.stack([noise + shift * y + 0.5 * rng.normal(size=y.size) for shift in shifts]), {}


def false_alarms(rng, n, prevalence, shift, share):
    """B is A, but for some negatives above all other rows."""
    y = labels(rng, n, prevalence)
    a = shift * y + rng.normal(size=y.size)
    is_alarm = (y == 0) & (rng.random(y.size) < share)
    return y, np.stack([a, np.where(is_alarm, 30 + rng.random(y.size), a)]), {}


def loss_of_false_alarms(prevalence, shift, share):
    recall, false = norm.sf(X - shift), norm.sf(X)
    scores = [area(recall, part + (1 - part) * false, prevalence) for part in (0, share)]
    return scores[0] - scores[1]


def lost_positives(rng, n, prevalence, shift, share):
    """B is A, but for some positives below all other rows."""
    y = labels(rng, n, prevalence)
    a = shift * y + rng.normal(size=y.size)
    is_lost = (y == 1) & (rng.random(y.size) < share)
    return y, np.stack([a, a - 40 * is_lost]), {}


def loss_of_lost_positives(prevalence, shift, share):
    false = norm.sf(X)
    scores = [area((1 - part) * norm.sf(X - shift), false, prevalence) for part in (0, share)]
    # The lost positives come last, at the precision of the prevalence.
    return scores[0] - scores[1] - share * prevalence


def weighted(rng, n, shifts):
    y, s, _ = normal(rng, n, 0.1, shifts)
    return y, s, {"sample_weight": rng.lognormal(0, 0.7, y.size)}


def few_labels(rng, n, shifts):
    """600 rows have labels, chosen at random."""
    y, s, _ = normal(rng, 0.3 * n, 0.3, shifts)
    known = np.full(y.size, np.nan)
    chosen = rng.choice(y.size, 600, replace=False)
    known[chosen] = y[chosen]
    return known, s, {"inclusion_probability": "equal"}


def alarms_over_patients(rng, n_patients, share, of="patient", n_rows=10):
    """Patients of equal size; in some, all negatives of B stand above all other rows."""
    patient = np.repeat(np.arange(n_patients), n_rows)
    y = (rng.random(patient.size) < 0.3).astype(int)
    y[:2] = 0, 1
    a = 1.6 * y + rng.normal(size=y.size) + 0.7 * rng.normal(size=n_patients)[patient]
    unit = patient if of == "patient" else np.arange(y.size)
    is_alarm = (y == 0) & (rng.random(unit[-1] + 1) < share)[unit]
    return y, np.stack([a, np.where(is_alarm, 30 + rng.random(y.size), a)]), {"clusters": patient}


def queries(rng, n_queries, shifts, share=0.0):
    """Queries of 5 positives and 25 negatives; in some, one negative of B is above all rows."""
    y = (np.arange(30 * n_queries) % 30 < 5).astype(int)
    query = np.arange(y.size) // 30
    s = correlated(rng, y, shifts, 0.7)
    first = np.flatnonzero(np.arange(y.size) % 30 == 5)
    s[1, first[rng.random(n_queries) < share]] += 30
    return y, s, {"queries": query}


def loss_of(draw, **size):
    """The loss of B in one large sample."""
    return -score_of_many(draw, **size)


def found(y, s, options, margin):
    """Whether B is not worse, and not worse by the plain limit."""
    models = dict(zip("AB", s, strict=True))
    try:
        made = compare_average_precision(y, models, margin=margin, **options)
    except ValueError:  # hidden false alarms cost more than the margin
        made = compare_average_precision(y, models, **options)
        return False, bool(made.difference_lows[1] > -margin)
    is_shown = bool(made.not_worse_pvalues[1] < ALPHA)
    return is_shown, bool(made.difference_lows[1] > -margin)


def sample(rng, margin, draw, equal):
    not_worse, plain = found(*disguised(rng, *draw(rng)), margin)
    of_equal = found(*disguised(rng, *equal(rng)), margin)
    return {
        "margin": margin,
        "not worse": not_worse,
        "plain": plain,
    } | dict(zip(("equal", "equal plain"), of_equal, strict=True))


def plan(rng, _, draw, difference, margin, kind):
    """Whether as many positives or clusters as a pilot asks for show what they should."""
    y, s, options = disguised(rng, *draw(rng, 60))
    pilot = compare_average_precision(y, dict(zip("AB", s, strict=True)), **options)
    method = getattr(pilot, f"{kind}_for")
    n = int(method(difference, margin=margin)[1])
    is_shown, _ = found(*disguised(rng, *draw(rng, n)), margin)
    return {"margin": margin, "planned": n, "power": is_shown}


def cells():
    def cell(kind, draw, loss, equal, n_samples=N_SAMPLES):
        given = {"draw": draw, "equal": equal}
        unit = "unit" if "patients" in kind or "queries" in kind else "row"
        facts = {"kind": kind, "unit": unit, "section": "margins"}
        return Cell(kind, partial(sample, **given), n_samples, loss, facts)

    for name, n, prevalence, shifts in (
        ("normal scores, 300 positives", 300, 0.1, (1.6, 1.45)),
        ("normal scores, 1,000 positives of 2%", 1_000, 0.02, (2.0, 1.9)),
        ("nearly perfect, 200 positives", 200, 0.3, (3.6, 2.8)),
        ("half positive, 300 positives", 300, 0.5, (1.2, 1.05)),
    ):
        draw = partial(normal, n=n, prevalence=prevalence)
        worse, equal = (partial(draw, shifts=each) for each in (shifts, shifts[:1] * 2))
        yield cell(name, worse, partial(loss_of_normal, prevalence, shifts), equal)
    draw = partial(heavy_tailed, n=300, prevalence=0.1)
    worse, equal = (partial(draw, shifts=each) for each in ((3.0, 2.6), (3.0, 3.0)))
    yield cell("heavy-tailed, 300 positives", worse, partial(large_loss, worse), equal)
    draw = partial(lost_positives, n=300, prevalence=0.1, shift=2.0)
    worse, equal = (partial(draw, share=each) for each in (0.05, 0.0))
    loss = partial(loss_of_lost_positives, 0.1, 2.0, 0.05)
    yield cell("B loses 5% of 300 positives", worse, loss, equal)
    draw = partial(weighted, n=400)
    worse, equal = (partial(draw, shifts=each) for each in ((1.6, 1.4), (1.6, 1.6)))
    loss = partial(loss_of_normal, 0.1, (1.6, 1.4))
    yield cell("weighted rows, 400 positives", worse, loss, equal)
    draw = partial(few_labels, n=4_000)
    worse, equal = (partial(draw, shifts=each) for each in ((1.6, 1.2), (1.6, 1.6)))
    loss = partial(loss_of_normal, 0.3, (1.6, 1.2))
    yield cell("600 labels of 4,000 rows", worse, loss, equal)
    for n, share in ((100, 0.01), (100, 0.003), (100, 0.001), (300, 0.001)):
        draw = partial(false_alarms, n=n, prevalence=0.1, shift=2.0)
        worse, equal = (partial(draw, share=each) for each in (share, 0.0))
        loss = partial(loss_of_false_alarms, 0.1, 2.0, share)
        name = f"rare false alarms, {share:.1%} of {9 * n:,} negatives"
        yield cell(name, worse, loss, equal)
    worse = partial(over_patients, n_patients=80, gain=-0.3)
    equal = partial(over_patients, n_patients=80, gain=0.0)
    yield cell("80 unequal patients", worse, partial(large_loss, worse), equal, N_OF_UNITS)
    for name, n, share, of in (
        ("300 patients, 1% of rows false alarms", 300, 0.01, "row"),
        ("300 patients, 2% whose negatives are alarms", 300, 0.02, "patient"),
        ("300 patients, 1% whose negatives are alarms", 300, 0.01, "patient"),
    ):
        draw = partial(alarms_over_patients, n_patients=n, of=of)
        worse, equal = (partial(draw, share=each) for each in (share, 0.0))
        yield cell(name, worse, partial(large_loss, worse), equal, N_OF_UNITS)
    draw = partial(queries, n_queries=100)
    worse, equal = (partial(draw, shifts=each) for each in ((1.5, 1.35), (1.5, 1.5)))
    yield cell("100 queries", worse, partial(large_loss, worse), equal, N_OF_UNITS)
    draw = partial(queries, n_queries=100, shifts=(1.5, 1.5))
    worse, equal = (partial(draw, share=each) for each in (0.3, 0.0))
    name = "100 queries, 30% with a false alarm"
    yield cell(name, worse, partial(large_loss, worse), equal, N_OF_UNITS)
    of_rows = partial(normal, prevalence=0.1)
    perfect = partial(normal, prevalence=0.3, shifts=(3.6, 3.6))
    of_queries = partial(queries, shifts=(1.5, 1.5))
    for name, draw, difference, margin, kind in (
        ("equal models", partial(of_rows, shifts=(1.6, 1.6)), 0.0, 0.03, "positives"),
        ("better by 0.02", partial(of_rows, shifts=(1.6, 1.65)), 0.02, 0.02, "positives"),
        ("nearly perfect", perfect, 0.0, 0.02, "positives"),
        ("equal models", alike_patients, 0.0, 0.05, "clusters"),
        ("equal models", of_queries, 0.0, 0.05, "queries"),
    ):
        given = {"draw": draw, "difference": difference, "margin": margin, "kind": kind}
        name = f"{kind}, {name}, margin {margin}"
        facts = {"kind": name, "section": "plans of margins"}
        yield Cell(f"plan: {name}", partial(plan, **given), N_PLANS, facts=facts)


def alike_patients(rng, n_patients):
    return over_patients(rng, n_patients, gain=0.0)


def large_loss(draw):
    """The loss of B in a sample that is a thousand times as large, or has 400,000 rows."""
    (name,) = [name for name in draw.keywords if name in ("n", "n_patients", "n_queries")]
    return loss_of(draw, **{name: 40_000 if name == "n" else 20_000})


def is_wrong(row):
    most = ERRS if row["unit"] == "row" else ERRS_OVER_CLUSTERS
    return row["not worse"] > most + 2 * doubt(row, most)


def section(rows):
    for row in rows:
        row |= {f"{row['unit']} error": row["not worse"]}
    what = f"Errors above {ERRS}, or {ERRS_OVER_CLUSTERS} over clusters, by two standard errors"
    fails = [table_of(what, filter(is_wrong, rows), errs="{not worse:.1f}")]
    error = "Worse by the margin, and called not worse (2.5 of 100)"
    promises = [promise(error, rows, "not worse", "most", "{:.1f} of 100")]
    return Section(promises, table_by("kind", rows, COLUMNS, "at the margin"), fails)


PLAN_COLUMNS = {"planned": "{planned.mean:.0f}", "power": "{power.mean:.0f}"}


def section_of_plans(rows):
    promises = [promise("Power of plans for 80 of 100, with a margin", rows, "power")]
    return Section(promises, table_by("kind", rows, PLAN_COLUMNS, "plan"))


if __name__ == "__main__":
    sections = {"margins": section, "plans of margins": section_of_plans}
    main("margins", __doc__, cells, sections)
