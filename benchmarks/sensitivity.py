"""What halving or doubling each constant that is a choice changes of coverage and width.

Each family draws samples once, on which all values of all constants are tried.
"""

import sys
from contextlib import contextmanager
from functools import partial

import numpy as np
import populations
from populations import easy, normal
from simulation import Cell, heard, judged, main
from tables import Section, promise, table_by, table_of

import sklearn_ap
from sklearn_ap.definitions import Interpolated

N_SAMPLES = 200
AS_IT_IS = "as it is"
# Names in the package, and what they are.
CONSTANTS = {
    "PRIOR_DEGREES": "degrees of freedom of the prior variance",
    "BOUND_LOG_FACTOR": "factor of ln(N)",
    "HIDDEN_ROW_SQUARES": "squares of a hidden row",
    "MOST_HIDDEN": "rows that a class may hide, where it weighs more",
    "MANY_CLUSTERS_SHARE": "share of clusters that are many",
    "FEWEST_DEGREES": "fewest degrees of freedom over clusters",
    "LARGE_CLUSTER_SHARE": "share of a class that makes a cluster large",
    "ENVELOPE_BIAS_FACTOR": "factor of the bias of interpolated AP",
}


def one(n, share, scores, **options):
    """A ranking of about so many positives, which are such a share of the rows."""

    def draw(rng, times=1):
        y = populations.labels(rng, n * times, share)
        return y, scores(rng, y), options

    return draw


def far(n_far, n, share, shift, of_class):
    """So many rows of a class, on average, stand far above all others."""
    n_of_class = n if of_class else n * (1 - share) / share

    def scores(rng, y):
        is_far = rng.random(y.size) < np.where(y == of_class, n_far / n_of_class, 0.0)
        return normal(shift)(rng, y) + 20.0 * is_far

    return one(n, share, scores)


def heavy_tailed(rng, y):
    return rng.standard_t(3, y.size) + 2.0 * y


def weighted(rng, times=1):
    y, s, _ = one(80, 0.1, normal(2.0))(rng, times)
    return y, s, {"sample_weight": rng.lognormal(0, 1, y.size)}


def of_columns(rng, times=1):
    prevalences = np.linspace(0.05, 0.2, 5)
    return populations.columns(rng, 600 * times, prevalences, shift=1.5, shared=0.5)


def in_clusters(rng, times=1):
    return populations.in_clusters(rng, n_clusters=100 * times)


def alike(rng, times=1):
    return populations.normals(rng, 40 * times, shifts=(2.0, 2.0), correlation=0.8)


def easy_for_one(rng, times=1):
    """Two weak models, for one of which one of 30 positives is easy, on average."""
    y = populations.labels(rng, 30 * times, 0.01)
    s = normal(0.5)(rng, np.stack([y, y]).ravel()).reshape(2, y.size)
    s[1] += 20.0 * (rng.random(y.size) < y / 30)
    return y, s, {}


def over_patients(rng, times=1):
    return populations.over_patients(rng, n_patients=60 * times)


FAMILIES = {
    "weak, 300 positives": one(300, 0.01, normal(0.3)),
    "weak, 3 of 200 positives easy": far(3, 200, 0.02, 0.5, of_class=1),
    "good, 3 negatives above all": far(3, 80, 0.1, 3.0, of_class=0),
    "nearly perfect, 100 positives": one(100, 0.1, normal(5.0)),
    "8 positives": one(8, 0.05, normal(2.0)),
    "a third of the positives easy": one(50, 0.1, easy(1 / 3)),
    "heavy tails": one(100, 0.05, heavy_tailed),
    "100 clusters": in_clusters,
    "unequal weights": weighted,
    "from a prevalence of 0.2 to 0.02": one(100, 0.2, normal(2.0), prevalence=0.02),
    "mean of 5 columns": of_columns,
    "interpolated AP": one(60, 0.1, normal(1.5), definition=Interpolated()),
    "two equal models": alike,
    "two weak models, a positive easy for one": easy_for_one,
    "two models over 60 unequal patients": over_patients,
}


@contextmanager
def changed(name, factor):
    """Multiply a constant of the package, in each module that imports it."""
    modules = [
        module
        for path, module in sys.modules.items()
        if path.startswith("sklearn_ap._uncertainty") and hasattr(module, name)
    ]
    before = [getattr(module, name) for module in modules]
    if not modules:
        raise AttributeError(f"No module of sklearn_ap._uncertainty has {name}.")
    try:
        for module, number in zip(modules, before, strict=True):
            setattr(module, name, number * factor)
        yield
    finally:
        for module, number in zip(modules, before, strict=True):
            setattr(module, name, number)


def tried(rng, truth, draw):
    y, s, options = populations.disguised(rng, *draw(rng))
    has_models = np.ndim(s) == np.ndim(y) + 1
    call = (
        sklearn_ap.compare_average_precision
        if has_models
        else sklearn_ap.average_precision_interval
    )
    scores = dict(zip("AB", s, strict=True)) if has_models else s
    found = {AS_IT_IS: judged(truth, *heard("", call, y, scores, **options))}
    for name, meaning in CONSTANTS.items():
        for word, factor in (("halved", 0.5), ("doubled", 2.0)):
            with changed(name, factor):
                made = heard("", call, y, scores, **options)
            found[f"{meaning}, {word}"] = judged(truth, *made)
    return found


def truth_of(draw):
    """The score of a large sample, or the difference of its models."""
    n_rows = len(draw(np.random.default_rng(0))[0])
    y, s, options = draw(np.random.default_rng(1), times=max(2_000_000 // n_rows, 1))
    options = dict(options)
    options.pop("sample_weight", None)  # weights do not depend on scores
    return populations.score(y, s, **options)


def cells():
    for name, draw in FAMILIES.items():
        truth = (lambda: 0.0) if draw is alike else partial(truth_of, draw)
        yield Cell(name, partial(tried, draw=draw), N_SAMPLES, truth, {"kind": "sensitivity"})


def section_of(rows):
    before = {row["name"]: row for row in rows if row["way"] == AS_IT_IS}
    rows = [
        row
        | {
            "change": row["covers"] - before[row["name"]]["covers"],
            "widening": 100 * (row["width"] / before[row["name"]]["width"] - 1),
        }
        for row in rows
    ]
    columns = {
        "lowest coverage": "{covers.least:.0f}",
        "median": "{covers.median:.0f}",
        "largest change": "{change.largest:+.1f}",
        "median width": "{width.median:.2f}",
        "largest change of width": "{widening.largest:+.0f}%",
        "family of lowest coverage": "{covers.worst}",
    }
    summary = table_by("way", rows, columns, "constant")
    change = "Change of coverage if a constant is halved or doubled"
    each = [row | {"name": f"{row['name']}: {row['way']}"} for row in rows]
    others = [row for row in each if row["way"] != AS_IT_IS]
    promises = [promise(change, others, "change", "largest", "{:+.1f} points")]
    figures = {"coverage": "{covers:.1f}", "width": "{width:.2f}"}
    return Section(promises, summary, [], [table_of("All families", each, **figures)])


if __name__ == "__main__":
    main("sensitivity", __doc__, cells, {"sensitivity": section_of})
