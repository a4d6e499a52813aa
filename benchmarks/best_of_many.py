"""How often the interval of the best of many models holds its truth, and who may be the best."""

from functools import partial
from itertools import product

import cross_validation
import numpy as np
import populations
from cross_validation import LEARNERS
from simulation import Cell, heard, main
from sklearn.linear_model import LogisticRegression
from tables import COVERAGE, Section, promise, table_by, table_of

import sklearn_ap

FAILS, ERRS = 91, 8.8  # three standard errors of 300 samples from 95, and from 5
FAILS_OF_FOLDS = 89.5  # three of 150 samples from 95
N_LARGE = 20_000  # positives
N_FOLDS, PREVALENCE = 5, 0.1  # of cross-validated models
# Kinds, names, how far apart the classes are in each model, and positives with correlations.
SIZES = (*product((20, 100, 400), (0.5, 0.95)),)
NORMALS = (
    ("2 equal", "2 equal", np.full(2, 1.3), SIZES),
    ("20 or 100 equal", "20 equal", np.full(20, 1.3), SIZES),
    ("20 or 100 equal", "100 equal", np.full(100, 1.3), ((50, 0.5),)),
    ("20 spread", "20 spread", np.linspace(0.8, 1.5, 20), ((50, 0.5), *SIZES[2:])),
    (*("one of 20 better",) * 2, np.r_[np.full(19, 1.0), 1.4], ((50, 0.8), (200, 0.8))),
)


def in_units(rng, n_positives, kind):
    unit = np.repeat(np.arange(n_positives), {"clusters": 5, "queries": 20}[kind])  # one in each
    y = (rng.random(unit.size) < rng.beta(0.6, 2.4, n_positives)[unit]).astype(int)
    y[0] = 1
    common = rng.normal(size=unit.size) + rng.normal(size=n_positives)[unit]
    scores = 1.2 * y + 0.7 * common + 0.7 * rng.normal(size=(10, unit.size))
    return y, scores, {kind: unit} | ({"zero_division": np.nan} if kind == "queries" else {})


# Equal models: how they are drawn, positives, and how many models there are.
EQUAL = {
    f"20 {kind}, 50 positives": (partial(populations.alike, scores=scores, n_models=20), 50, 20)
    for kind, scores in {
        "near-perfect": populations.normal(4.0),
        "with few distinct scores": populations.rounded(1.5),
        "with two false alarms each": populations.two_alarms(50, 0.1),
    }.items()
}
EQUAL |= {
    f"10 equal, {kind}, {n} positives": (partial(in_units, kind=kind), n, 10)
    for kind, n in (("clusters", 100), ("queries", 60))
}


def beside_truth(best, warned, truth):
    """The interval of the best beside its truth, and how many of the truly best may be the best."""
    numbers = {"estimate": best.estimates[best.names.index(best.name)], "truth": truth[best.name]}
    numbers |= {"low": best.low, "high": best.high, "warned": warned}
    truly = {name for name, score in truth.items() if score == max(truth.values())}
    found = truly.intersection(best.may_be_best)
    return numbers | {"best": 100 * len(found) / len(truly), "size": len(best.may_be_best)}


def judged_best(y, scores, truth, order=None, **options):
    """The best of models, which are passed in an order that must not matter."""
    order = range(len(truth)) if order is None else order
    named, truths = ({f"{i}": found[i] for i in order} for found in (scores, truth))
    best, warned = heard("", sklearn_ap.best_average_precision, y, named, **options)
    return beside_truth(best, warned, truths) | {"winner": int(best.name)}


def sample(rng, truth, draw):
    """The best, the interval of the same model's score, and Holm's rule."""
    y, scores, options = populations.disguised(rng, *draw(rng))
    numbers = judged_best(y, scores, truth, rng.spawn(1)[0].permutation(len(truth)), **options)
    winner = numbers.pop("winner")
    alone = sklearn_ap.average_precision_interval(y, scores[winner], **options)
    named = {f"{i}": score for i, score in enumerate(scores)}
    made = sklearn_ap.compare_average_precision(y, named, **options)
    said, equal = made.adjusted_pvalues[1:] < 0.05, truth[1:] == truth[0]
    numbers["alone"] = alone.low <= truth[winner] <= alone.high
    numbers["holm errs"] = said[equal].any()
    numbers["holm finds"] = np.nan if equal.all() else 100 * said[~equal].mean()
    return numbers


def binormals(shifts):
    return np.array([populations.binormal(shift, 0.1) for shift in shifts])


def truth_of_equal(draw, n_models):
    y, scores, options = draw(np.random.default_rng(0), n_positives=N_LARGE)
    return np.full(n_models, populations.score(y, scores[0], **options))


def cell_of(kind, name, draw, truth):
    facts = {"kind": kind, "section": "best of many"}
    return Cell(name, partial(sample, draw=draw), 300, truth, facts)


def cells():
    for kind, name, shifts, sizes in NORMALS:
        for n, correlation in sizes:
            how = {"n_positives": n, "shifts": shifts, "correlation": correlation}
            name_of_cell = f"{name}, {n} positives, correlation {correlation}"
            draw = partial(populations.normals, **how)
            yield cell_of(kind, name_of_cell, draw, partial(binormals, shifts))
    for name, (draw, n, n_models) in EQUAL.items():
        truth = partial(truth_of_equal, draw, n_models)
        yield cell_of("other scores and rows", name, partial(draw, n_positives=n), truth)
    for name, shifts in OPTIMISM.items():
        judge, facts = partial(sample_of_optimism, shifts=shifts), {"section": "optimism"}
        yield Cell(f"optimism, {name}", judge, 150, partial(binormals, shifts), facts)
    for n, (models, own) in product((5, 12, 30, 200), (("10 equal", 0.5), ("10 alike", 0.1))):
        name, judge = f"{models}, {n} ill patients", partial(sample_of_patients, n_ill=n, own=own)
        yield Cell(f"optimism, {name}", judge, 150, facts={"section": "optimism"})
    for kind, (split, n) in product(ALIKE, SIZES_OF_FOLDS):
        judge = partial(sample_of_folds_of_alike, kind=kind, split=split, n=n)
        unit = "ill patients" if "patients" in split else "positives"
        name = f"optimism of folds, {kind}, {n} {unit}"
        yield Cell(name, judge, 150, facts={"section": "optimism"})
    for kind, n_positives in product(MODELS, (50, 200)):
        judge = partial(sample_of_folds, kind=kind, n_positives=n_positives)
        facts = {"kind": kind, "section": "best of folds"}
        yield Cell(f"{kind}, {n_positives} positives", judge, 150, facts=facts)


# 20 models, whose classes are so far apart in each.
OPTIMISM = {
    "20 equal": np.full(20, 1.3),
    "20 different": np.linspace(0.8, 1.5, 20),
    "20 very different": np.linspace(0.5, 1.6, 20),
}


def sample_of_optimism(rng, truth, shifts):
    """How much more too high the winner's score is than those of all, and what the result says."""
    y, scores, _ = populations.normals(rng, 100, shifts, 0.5)
    best = sklearn_ap.best_average_precision(y, {f"{i:02}": s for i, s in enumerate(scores)})
    wrong = best.estimates - truth[[int(name) for name in best.names]]
    return {"found": float(wrong[0] - wrong.mean()), "said": best.optimism}


def sample_of_patients(rng, _, n_ill, own):
    """The same of ten models with one true score, where each patient has rows of one label.

    ``own`` is the share of the variance of scores that is each model's own.
    """
    is_ill = np.arange(round(n_ill / SHARE)) < n_ill
    patient = np.repeat(np.arange(is_ill.size), cross_validation.ROWS)
    effects = rng.normal(size=(11, is_ill.size))[:, patient] + rng.normal(size=(11, patient.size))
    scores = 1.3 * is_ill[patient] + np.sqrt(1 - own) * effects[0] + np.sqrt(own) * effects[1:]
    models = {f"{i}": score for i, score in enumerate(scores)}
    y = is_ill[patient].astype(int)
    best = sklearn_ap.best_average_precision(y, models, clusters=patient)
    return {"found": best.estimates[0] - best.estimates.mean(), "said": best.optimism}


def sample_of_folds_of_alike(rng, _, kind, split, n):
    """The same of cross-validated models, each with the true score of those that folds trained."""
    n_rows = cross_validation.ROWS if "patients" in split else 1
    size = n * n_rows, round(n * n_rows / SHARE) - n * n_rows
    folds = cross_validation.Folds(rng, split, N_FOLDS, *size, means=np.repeat(0.4, 12))
    cv = {name: folds.trained(model) for name, model in ALIKE[kind].items()}
    call, seed = sklearn_ap.best_average_precision, rng.integers(2**32)
    best, _ = heard("", call, folds.y, folds.predictions(cv), clusters=folds.patients)
    truth = {name: folds.truth(each["estimator"], seed, n=60) for name, each in cv.items()}
    wrong = best.estimates - [truth[name] for name in best.names]
    return {"found": wrong[0] - wrong.mean(), "said": best.optimism}


def on_pairs(learner):
    on = partial(cross_validation.on_columns, learner=learner)
    return {f"columns {i} and {i + 1}": on(i, i + 2) for i in range(0, 12, 2)}


THREE = ("logistic", "naive Bayes", "tree of depth 4")
MODELS = {
    "three learners": {name: LEARNERS[name]() for name in THREE},
    "eight penalties": {f"C={c:g}": LogisticRegression(C=c) for c in np.geomspace(1e-4, 1e3, 8)},
    "six equal logistic": on_pairs(LogisticRegression()),
    "six equal trees": on_pairs(LEARNERS["tree of depth 4"]()),
}


def on_eight(learner):
    """Five models that share most of their columns."""
    on = partial(cross_validation.on_columns, learner=learner)
    return {f"columns {i} to {i + 7}": on(i, i + 8) for i in range(5)}


ALIKE = {
    "six logistic": on_pairs(LogisticRegression()),
    "five alike logistic": on_eight(LogisticRegression()),
    "five alike trees": on_eight(LEARNERS["tree of depth 4"]()),
}
SHARE = 0.2  # of positives
SIZES_OF_FOLDS = [("stratified patients", n) for n in (12, 30, 100)]
SIZES_OF_FOLDS += [("stratified", n) for n in (12, 60)]


def sample_of_folds(rng, _, kind, n_positives):
    how = {"means": np.repeat(0.8, 12)} if "equal" in kind else {}
    n_negatives = round(n_positives / PREVALENCE) - n_positives
    folds = cross_validation.Folds(rng, "stratified", N_FOLDS, n_positives, n_negatives, **how)
    cv = {name: folds.trained(model) for name, model in MODELS[kind].items()}
    seed, call = rng.integers(2**32), sklearn_ap.best_average_precision
    best, warned = heard("", call, folds.y, folds.predictions(cv))
    truth = {name: folds.truth(each["estimator"], seed, n=200) for name, each in cv.items()}
    numbers = beside_truth(best, warned, truth)
    return numbers | {"named": 100 * numbers.pop("size") / len(truth)}


SHOWN = {"covers": "{covers:.1f}", "in_the_set": "{best:.1f}"}


def section_of_many(rows):
    columns = COVERAGE | {
        "of one score: lowest": "{alone.least:.0f}",
        "in the set: lowest": "{best.least:.0f}",
        "Holm errs: most": "{holm errs.most:.1f}",
        "Holm finds": "{holm finds.mean:.0f}",
    }
    low = [r for r in rows if min(r["covers"], r["best"]) < FAILS or r["holm errs"] > ERRS]
    title = f"Cells below {FAILS}, or Holm's errors above {ERRS}"
    fails = [table_of(title, low, **SHOWN, Holm_errs="{holm errs:.1f}")]
    promises = [
        promise("95% intervals of the best of many models", rows),
        promise("The truly best model is in the set", rows, "best"),
        promise("Holm's p < 0.05 for equal models (5 of 100)", rows, "holm errs", "most"),
    ]
    return Section(promises, table_by("kind", rows, columns, "models"), fails)


def section_of_folds(rows):
    low = [row for row in rows if min(row["covers"], row["best"]) < FAILS_OF_FOLDS]
    fails = [table_of(f"Cells below {FAILS_OF_FOLDS}", low, **SHOWN)]
    promises = [
        promise("95% intervals of the best of cross-validated models", rows),
        promise("The truly best of cross-validated models is in the set", rows, "best"),
    ]
    return Section(promises, table_by("kind", rows, COVERAGE, "models"), fails)


def section_of_optimism(rows):
    columns = {"is": "{found.median:.3f}", "result says": "{said.median:.3f}"}
    for row in rows:
        row["name"] = row["name"].removeprefix("optimism, ").removeprefix("optimism of ")
    about = "The winner's score is too high by", rows, "found", "most", "{:.3f}"
    return Section([promise(*about)], table_by("name", rows, columns, "models"))


SECTIONS = {"optimism": section_of_optimism} | {
    "best of many": section_of_many,
    "best of folds": section_of_folds,
}

if __name__ == "__main__":
    main("best_of_many", __doc__, cells, SECTIONS)
