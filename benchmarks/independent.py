"""Whether limits of differences of two samples that share no rows hold, and how often they err."""

from functools import partial

import numpy as np
import populations
from populations import disguised, labels, scores_with, shape_with, shifts_with
from simulation import Cell, heard, main
from tables import COVERAGE, Section, doubt, promise, table_by, table_of

import sklearn_ap

ALPHA = 0.05
FAILS, ERRS = 93, 7  # a cell that covers less fails, and so does a test that errs more often
N_SAMPLES, N_OF_LABELS = 1_000, 300
LARGE = 400_000  # rows of a population, whose score is the truth
N_ROWS, N_LABELS = 20_000, 500  # of each week
LOWER = 0.75  # the score of the new sample, as a part of that of the old one
ERRORS = "60 and 100 of 10%, standard errors of two papers"
# Positives and the share of positives of both samples, and their true score at a prevalence; the
# rest is what the samples are, and how scores are drawn.
ROWS = {
    "30 and 300 positives of 5%": {"sizes": [(30, 0.05), (300, 0.05)], "score": 0.5},
    "300 and 30 positives of 5%": {"sizes": [(300, 0.05), (30, 0.05)], "score": 0.5},
    "10 and 30 of 1%": {"sizes": [(10, 0.01), (30, 0.01)], "score": 0.3},
    "20 of 0.2% each": {"sizes": [(20, 0.002)] * 2, "score": 0.3},
    "100 of 50% each": {"sizes": [(100, 0.5)] * 2, "score": 0.8},
    "40 and 80 of 10%, nearly perfect": {"sizes": [(40, 0.1), (80, 0.1)], "score": 0.98},
    "40 of 5%, 60 of 20%, at 10%": {
        "sizes": [(40, 0.05), (60, 0.2)],
        "score": 0.5,
        "prevalence": 0.1,
    },
    "60 of 10% each, easy and heavy-tailed": {
        "sizes": [(60, 0.1)] * 2,
        "score": 0.5,
        "shapes": ("easy", "heavy-tailed"),
    },
    "60 and 100 of 10%, counts": {"sizes": [(60, 0.1), (100, 0.1)], "score": 0.5, "of": "counts"},
    "60 and 100 of 10%, limits of two papers": {
        "sizes": [(60, 0.1), (100, 0.1)],
        "score": 0.5,
        "of": "limits",
    },
    "20 and 200 of 5%, limits of a paper, and rows": {
        "sizes": [(20, 0.05), (200, 0.05)],
        "score": 0.4,
        "of": "limits and rows",
    },
    ERRORS: {
        "sizes": [(60, 0.1), (100, 0.1)],
        "score": 0.5,
        "of": "errors",
    },
}
GROUPS = {
    "60 and 100 clusters": {"sizes": (60, 100), "of": "clusters"},
    "300 clusters each": {"sizes": (300, 300), "of": "clusters"},
    "30 and 60 queries": {"sizes": (30, 60), "of": "queries"},
}
LABELS = {
    "500 random labels of 20,000, 10% positive": {"share": 0.1, "way": "random"},
    "500 chosen labels of 20,000, 10% positive": {"share": 0.1, "way": "chosen"},
    "500 chosen labels of 20,000, 2% positive": {"share": 0.02, "way": "chosen"},
    "500 random labels of 20,000 and a judge, 10% positive": {"share": 0.1, "way": "judge"},
    "500 chosen labels of 20,000, 2% and 4% positive, at 2%": {
        "share": 0.02,
        "way": "chosen",
        "new_share": 0.04,
    },
}
COLUMNS = dict([*COVERAGE.items()][1:-1]) | {  # of two cells, which the line names
    "equal ones differ": "{differs, equal.most:.1f}",
    "lower one found": "{differs, lower.most:.0f}",
    "width beside weights": "{beside weights.median:.2f}",
}
FAILING = f"Cells below {FAILS}, or errors above {ERRS}, by two standard errors"


def judged(truth, call, *weights):
    """The limits of a difference, and how wide they are beside those of weighted labels."""
    made, warned = heard("", call)
    found = {"estimate": made.difference, "truth": truth, "warned": warned}
    found |= {"low": made.difference_low, "high": made.difference_high}
    found["differs"] = bool(made.pvalue <= ALPHA)
    for other in weights:
        width = float(other.difference_highs[1] - other.difference_lows[1])
        found["beside weights"] = (made.difference_high - made.difference_low) / width
    return found


def named(which, found):
    found[f"differs, {which}"] = found.pop("differs")
    return found


# ---- rows, counts and papers


def given(kind, y, s, options):
    """A result of rows or of counts, or what a paper would print of it."""
    if kind == "counts":
        return sklearn_ap.Interval.from_counts(sklearn_ap.threshold_counts(y, s))
    found = sklearn_ap.average_precision_interval(y, s, **options)
    if kind == "limits":
        return tuple(round(each, 2) for each in (found.estimate, found.low, found.high))
    if kind == "errors":
        return round(found.estimate, 3), round(found.standard_error, 3)
    return found


def sample(rng, truth, which, sizes, scores, at, shapes, of, prevalence):
    drawn = []
    for (n, share), score, shape in zip(sizes, scores, shapes, strict=True):
        y = labels(rng, n, share, fewest=2)
        drawn.append(disguised(rng, y, shape_with(shape, score, at)(rng, y)))
    options = {} if prevalence is None else {"prevalence": prevalence}
    kinds = ("limits", "rows") if of == "limits and rows" else (of, of)

    def call():
        both = [given(kind, y, s, options) for kind, (y, s, _) in zip(kinds, drawn, strict=True)]
        return sklearn_ap.compare_independent(*both)

    return named(which, judged(truth, call))


def cells_of_rows():
    for kind, how in ROWS.items():
        score, how = how["score"], {"shapes": ("normal",) * 2, "of": "rows"} | how
        how = {"prevalence": None, "at": how.get("prevalence") or how["sizes"][0][1]} | how
        del how["score"]
        for which, ratio in (("equal", 1.0), ("lower", LOWER)):
            scores = score, score * ratio
            call = partial(sample, which=which, scores=scores, **how)
            truth = partial(float, scores[1] - scores[0])
            yield Cell(f"{kind}, {which}", call, N_SAMPLES, truth, {"kind": kind})


# ---- clusters and queries


def draw_groups(rng, n, of, shift):
    if of == "clusters":
        return of_clusters(rng, n, shift)
    y = rng.random(20 * n) < 0.15
    y[::20] = True
    s = rng.normal(size=y.size) + (shift + rng.normal(size=n).repeat(20)) * y
    return y * 1, s, {"queries": np.arange(n).repeat(20)}


def of_clusters(rng, n, shift):
    """Patients of 1 to 30 rows, who share a part of label and score."""
    sizes = np.minimum(rng.geometric(0.2, n), 30)
    cluster = np.arange(n).repeat(sizes)
    y = (rng.random(cluster.size) < rng.beta(0.6, 2.4, n)[cluster]) * 1
    y[:1] = 1
    return (
        y,
        shift * y + rng.normal(size=y.size) + rng.normal(size=n)[cluster],
        {"clusters": cluster},
    )


def true_score_of_groups(of, shift):
    n = LARGE // (5 if of == "clusters" else 20)
    y, s, options = draw_groups(np.random.default_rng(0), n, of, shift)
    return populations.score(y, s, **options)


def difference_of_groups(of, shifts):
    scores = [true_score_of_groups(of, shift) for shift in shifts]
    return scores[1] - scores[0]


def sample_groups(rng, truth, which, sizes, of, shifts):
    pairs = zip(sizes, shifts, strict=True)
    drawn = [disguised(rng, *draw_groups(rng, n, of, shift)) for n, shift in pairs]

    def call():
        both = [sklearn_ap.average_precision_interval(y, s, **options) for y, s, options in drawn]
        return sklearn_ap.compare_independent(*both)

    return named(which, judged(truth, call))


def cells_of_groups():
    for kind, how in GROUPS.items():
        for which, shift in (("equal", 1.5), ("lower", 1.0)):
            how = how | {"shifts": (1.5, shift)}
            truth = partial(difference_of_groups, how["of"], how["shifts"])
            truth = partial(float, 0.0) if which == "equal" else truth
            call = partial(sample_groups, which=which, **how)
            yield Cell(f"{kind}, {which}", call, N_OF_LABELS, truth, {"kind": kind})


# ---- few labels of two weeks


def week(rng, share, shift, way, prevalence):
    """A result of 500 labels, and the labelled rows with the weights of the old advice."""
    y = rng.random(N_ROWS) < share
    s = shift * y + rng.normal(size=N_ROWS)
    options = {"prevalence": prevalence, "inclusion_probability": "equal"}
    rows, probability = rng.choice(N_ROWS, N_LABELS, replace=False), np.ones(N_ROWS)
    if way == "chosen":
        plan = sklearn_ap.rows_to_label(s, N_LABELS, guess=share, rng=rng)
        rows, probability = plan.rows, plan.inclusion_probability
        options["inclusion_probability"] = probability
    if way == "judge":
        options["judge"] = np.where(rng.random(N_ROWS) < np.where(y, 0.9, 0.98), y, ~y) * 1
    known = np.full(N_ROWS, np.nan)
    known[rows] = y[rows]
    found = sklearn_ap.average_precision_interval(known, s, **options)
    return found, (y[rows] * 1, s[rows], 1 / probability[rows])


def sample_labels(rng, truth, which, shares, shifts, way, prevalence):
    weighted = []

    def call():
        both = [
            week(rng, share, shift, way, prevalence)
            for share, shift in zip(shares, shifts, strict=True)
        ]
        weighted.extend(rows for _, rows in both)
        return sklearn_ap.compare_independent(*(found for found, _ in both))

    made, warned = heard("", call)
    y, s, weight = map(np.concatenate, zip(*weighted, strict=True))
    segments = np.repeat([0, 1], [len(rows[0]) for rows in weighted])
    options = {"sample_weight": weight, "reference": 0, "prevalence": prevalence}
    other, _ = heard("", sklearn_ap.compare_segments, y, s, segments, **options)
    found = judged(truth, lambda: made, other) | {"warned": warned}
    return named(which, found)


def cells_of_labels():
    for kind, how in LABELS.items():
        share = how["share"]
        shares = share, how.get("new_share", share)
        prevalence = share if len({*shares}) > 1 else None
        for which, ratio in (("equal", 1.0), ("lower", LOWER)):
            shifts = 2.0, float(shifts_with(scores_with(2.0, share) * ratio, share))
            call = partial(
                sample_labels,
                which=which,
                shares=shares,
                shifts=shifts,
                way=how["way"],
                prevalence=prevalence,
            )
            truth = partial(populations.binormal_difference, shifts, share)
            yield Cell(f"{kind}, {which}", call, N_OF_LABELS, truth, {"kind": kind})


def cells():
    yield from cells_of_rows()
    yield from cells_of_groups()
    yield from cells_of_labels()


def is_wrong(row):
    """Whether a cell covers too little, or errs, beyond two standard errors."""
    is_low = row["covers"] < FAILS - 2 * doubt(row, FAILS)
    return is_low or row.get("differs, equal", 0.0) > ERRS + 2 * doubt(row, ERRS)


def section(rows):
    summary = table_by("kind", rows, COLUMNS, "samples, positives in each")
    errors = [row for row in rows if row["kind"] == ERRORS]
    others = [row for row in rows if row["kind"] != ERRORS]
    error = "p < 0.05 for samples with equal scores (5 of 100)"
    promises = [
        promise("95% intervals of the difference of two samples", others),
        promise(error, others, "differs, equal", "most"),
        promise("95% intervals where papers give a standard error alone", errors),
    ]
    fails = [table_of(FAILING, filter(is_wrong, others), covers="{covers:.1f}")]
    return Section(promises, summary, fails)


if __name__ == "__main__":
    main("independent", __doc__, cells, {"two samples": section})
