"""Settings in which some samples have a warning, and others do not: what is wrong is named."""

import math
from functools import partial
from itertools import product

import coverage_of_few_labels as few_labels
import coverage_of_thresholds
import cross_validation
import numpy as np
import populations
from simulation import Cell, heard, interval_cell, judged
from sklearn.model_selection import StratifiedKFold

import sklearn_ap
from sklearn_ap import FoldPredictions

MISSES = "the interval misses the true value"
OF_ERRORS = "the score is off by more than 1.96 standard errors"
OF_POOLS = "many rows in the same folds score lower than each model, by 0.03 or more"
OF_CLASSES = "the interval misses the score of the model"
OF_THRESHOLDS = "the interval of recall is above the recall at this precision"
# What is wrong where a kind of warning is right; for other kinds, the interval misses.
POINTS_AT = {
    "hidden positives": OF_ERRORS,
    "unlike folds": OF_POOLS,
    "predicted classes": OF_CLASSES,
    "unattainable precision": OF_THRESHOLDS,
}
Z = 1.96


def cell_of(group, name, sample, n_samples, truth=lambda: None, wrong=MISSES):
    facts = {"group": group, "wrong": wrong, "kind": group}
    return Cell(f"{group}: {name}", sample, n_samples, truth, facts)


def taken(group, cell, n_samples, wrong=MISSES, sample=None):
    """A cell of another script, with fewer samples."""
    return cell_of(group, cell.name, sample or cell.sample, n_samples, cell.truth, wrong)


def of_interval(group, name, draw, truth, n_samples, definition=sklearn_ap.definitions.Step()):
    return taken(group, interval_cell(name, draw, truth, n_samples, definition), n_samples)


# ---- one score


def scores_at_another_prevalence():
    for family, size in product(
        ("weak", "good", "near-perfect", "few distinct scores", "30% easy positives"),
        ((20, 0.5, 0.1), (50, 0.5, 0.1), (200, 0.5, 0.01), (200, 0.5, 0.1)),
    ):
        n, share, prevalence = size
        how = {"n": n, "prevalence": share, "family": family, "fewest": 2}
        draw = partial(populations.family_sample, options={"prevalence": prevalence}, **how)
        step = sklearn_ap.definitions.Step()
        truth = partial(populations.truth_at, prevalence, step, family)
        name = "{} positives, from {:g} to {:g}, {}".format(*size, family)
        yield of_interval("scores at another prevalence", name, draw, truth, 60)


def with_effects(rng, n_clusters, effect):
    """Clusters of 20 rows, which share an effect on the scores."""
    cluster = np.repeat(np.arange(n_clusters), 20)
    y = (rng.random(cluster.size) < 0.2) * 1
    s = 1.5 * y + rng.normal(size=y.size) + effect * rng.normal(size=n_clusters)[cluster]
    return y, s, {"clusters": cluster}


def patients(rng, n_patients, share, sizes="equal"):
    """A patient is ill or not, and has five images or so."""
    is_ill = rng.random(n_patients) < share
    is_ill[0] = True
    n_rows = rng.geometric(0.2, n_patients) if sizes == "unequal" else np.full(n_patients, 5)
    patient = np.repeat(np.arange(n_patients), n_rows)
    y = is_ill[patient] * 1
    s = 1.5 * y + rng.normal(size=y.size) + rng.normal(size=n_patients)[patient]
    return y, s, {"clusters": patient}


def sites(rng, n_sites, share, correlation):
    """Sites with five positives each; the first has a share of the negatives, if not equal."""
    n_negatives = 50 * n_sites
    first = round(share * n_negatives)
    site = np.r_[np.zeros(first, dtype=int), np.arange(n_negatives - first) % n_sites]
    site = np.r_[np.repeat(np.arange(n_sites), 5), site]
    y = (np.arange(site.size) < 5 * n_sites) * 1
    effect, noise = rng.normal(size=n_sites)[site], rng.normal(size=site.size)
    s = y + math.sqrt(correlation) * effect + math.sqrt(1 - correlation) * noise
    return y, s, {"clusters": site}


def scores_of_clusters():
    draws = {
        "unequal": populations.in_clusters,
        "effects of 0.5": partial(with_effects, effect=0.5),
        "effects of 2": partial(with_effects, effect=2.0),
    }
    for (name, draw), n in product(draws.items(), (3, 6, 10, 15, 20, 30, 45, 80, 160)):
        truth = partial(populations.score_of_many, draw, n_clusters=40_000)
        draw = partial(draw, n_clusters=n)
        yield of_interval("scores of clusters", f"{n} clusters, {name}", draw, truth, 200)
    for n, n_ill, sizes in product((150, 400, 1000), (8, 15, 30, 60), ("equal", "unequal")):
        draw = partial(patients, share=n_ill / n, sizes=sizes)
        truth = partial(populations.score_of_many, draw, n_patients=400 * n)
        name = f"{n} patients, {n_ill} ill, {sizes}"
        yield of_interval("scores of clusters", name, partial(draw, n_patients=n), truth, 60)
    for n, share, correlation in product((30, 60, 150), (0.0, 0.15, 0.4), (0.3, 0.6)):
        how = {"n_sites": n, "share": share, "correlation": correlation}
        draw = partial(sites, **how)
        truth = partial(populations.binormal, 1.0, 1 / 11)
        name = f"{n} sites, one with {share:g} of the negatives, correlation {correlation:g}"
        yield of_interval("scores of clusters", name, draw, truth, 100)
    for n in (20, 40, 80, 300):
        how = {"overlaps": (0.5,), "n_images": n}
        draw = partial(populations.detectors, **how)
        many = {"n_images": 4_000, "objects": (2_000, 5_000)}
        truth = partial(populations.score_of_many, partial(populations.detectors, **how | many))
        yield of_interval("scores of clusters", f"a detector, {n} images", draw, truth, 60)


# ---- few labels

KINDS_OF_LABELS = ("random", "random, judge", "chosen", "alarms", "alarms, judge")


def of_few_labels(rng, truth, cell):
    labels, models, given = few_labels.drawn(cell, rng)
    made = heard("", sklearn_ap.average_precision_interval, labels, models[0], **given)
    return judged(truth, *made)


def by_standard_errors(rng, truth, cell):
    """The same limits, judged by the standard error in their place."""
    found = of_few_labels(rng, truth, cell)
    is_near = abs(found["estimate"] - truth) <= Z * found["error"]
    return {"covers": bool(is_near), "warned": found["warned"]}


def labels():
    for each in few_labels.of_rows():
        truth = partial(each.sample.truth, dict(each.options))
        if each.kind in KINDS_OF_LABELS:
            sample = partial(of_few_labels, cell=each)
            yield cell_of("few labels", each.name, sample, 30, truth)
        if each.kind == "alarms":
            group, sample = (
                "standard errors from few labels",
                partial(by_standard_errors, cell=each),
            )
            yield cell_of(group, each.name, sample, 60, truth, OF_ERRORS)
    for n in (8, 15, 22, 30, 45, 70):
        rows = few_labels.Sample(10_000, 10 * n, 0.1, 2.0, "cluster", 10)
        each = few_labels.Cell("cluster", f"{n} of 1,000 clusters", rows)
        sample = partial(of_few_labels, cell=each)
        yield cell_of("labelled clusters", each.name, sample, 100, partial(rows.truth, {}))


WRONG_LABELS = {  # and what would have been right
    "alarms, said to be random": "a random sample",
    "half of the probability": "alarms and others",
    "others left out": "alarms and others",
}


def sample_of_labels(rng, truth, way, n_rows, shift):
    """Labels at random, or of alarms and a tenth of the others; and what is passed wrongly."""
    y = rng.random(n_rows) < 0.1
    s = rng.normal(size=n_rows) + shift * y
    judge = np.where(rng.random(n_rows) < 0.9, y, ~y).astype(float)
    is_alarm = s > np.quantile(s, 0.95)
    chance = np.where(is_alarm, 1.0, 0.1)
    if "random" in way:
        chance = is_alarm * 1.0 if "alarms" in way else np.full(n_rows, 0.15)
    labels = np.where(rng.random(n_rows) < chance, y, np.nan)
    said = np.where(is_alarm, 1.0, 0.05) if way == "half of the probability" else chance
    options = {"inclusion_probability": "equal" if "random" in way else said, "judge": judge}
    if way == "others left out":
        known = ~np.isnan(labels)
        labels, s, options = labels[known], s[known], {"judge": judge[known]}
    return judged(truth, *heard("", sklearn_ap.average_precision_interval, labels, s, **options))


def labels_passed_wrongly():
    for wrong, n_rows, shift in product(WRONG_LABELS, (2_000, 10_000), (1.0, 2.0)):
        for way in (wrong, WRONG_LABELS[wrong]):
            sample = partial(sample_of_labels, way=way, n_rows=n_rows, shift=shift)
            truth = partial(populations.binormal, shift, 0.1)
            name = f"{way}, {n_rows:,} rows, shift {shift:g}"
            yield cell_of(f"labels, {wrong}", name, sample, 60, truth)


# ---- folds


MANY = 4_000  # rows of a fold that show what a pool does
TOO_LOW = 0.03  # what it may do, as models differ in their true scores


def folds():
    learners = ("logistic", "shrunken logistic", "15 neighbours", "tree of depth 4")
    splits = ((5, "stratified"), (10, "plain"), (10, "sorted"), (10, "patients"))
    for learner, (n_folds, split) in product((*learners, "hinge loss by SGD"), splits):
        cell = cross_validation.of_learner(learner, 50, 0.2, n_folds, split)
        sample = partial(sample_of_folds, learner=learner, n_folds=n_folds, split=split)
        yield taken("pools of folds", cell, 40, OF_POOLS, sample)
    for search, split in product(cross_validation.SEARCHES, ("stratified", "patients")):
        cell = cross_validation.of_learner(search, 50, 0.2, 5, split)
        sample = partial(sample_of_folds, learner=search, n_folds=5, split=split)
        yield taken("pools of folds", cell, 30, OF_POOLS, sample)
    for split, learner in product(("stratified", "patients"), ("15 neighbours", "forest")):
        sample = partial(sample_of_patients, learner=learner, split=split)
        yield cell_of("folds of patients", f"{learner}, {split}", sample, 60)


def sample_of_folds(rng, _, learner, n_folds, split):
    """Whether a pool warns, and how many rows score in such a pool."""
    folds = cross_validation.Folds(rng, split, n_folds, 50, 200)
    learners = cross_validation.LEARNERS | cross_validation.SEARCHES
    cv, seed = folds.trained(learners[learner]()), rng.integers(2**32)
    truth = folds.truth(cv["estimator"], seed)
    many, X, y = with_many_rows(rng, folds, cv)
    call = sklearn_ap.average_precision_interval
    of_folds = FoldPredictions(cv, folds.X)
    _, warned = heard("", call, folds.y, of_folds, clusters=folds.patients)
    of_many, _ = heard("", call, y, FoldPredictions(many, X))
    return {"covers": bool(truth - of_many.estimate < TOO_LOW), "warned": warned}


def with_many_rows(rng, folds, cv):
    """The same models and training rows, with many test rows of the prevalence of each fold."""
    X, y, tests, n_rows = [folds.X], [folds.y], [], folds.y.size
    for rows in folds.indices["test"]:
        n_positives = round(MANY * folds.y[rows].mean())
        of_fold = cross_validation.draw(rng, n_positives, MANY - n_positives, **folds.population)
        X, y = [*X, of_fold[0]], [*y, of_fold[1]]
        tests.append(np.arange(n_rows, n_rows + of_fold[1].size))
        n_rows += of_fold[1].size
    cv = cv | {"indices": {"train": folds.indices["train"], "test": tuple(tests)}}
    return cv, np.concatenate(X), np.concatenate(y)


def sample_of_patients(rng, _, learner, split, n_folds=5):
    """Patients of whom each is in one fold, or in several."""
    folds = cross_validation.Folds(rng, "patients", n_folds, 250, 500)
    if split == "stratified":
        pairs = StratifiedKFold(n_folds, shuffle=True, random_state=0).split(folds.X, folds.y)
        folds.indices = dict(zip(("train", "test"), zip(*pairs, strict=True), strict=True))
    cv = folds.trained(cross_validation.LEARNERS[learner]())
    truth = folds.truth(cv["estimator"], rng.integers(2**32))
    call, predictions = sklearn_ap.average_precision_interval, FoldPredictions(cv, folds.X)
    return judged(truth, *heard("", call, folds.y, predictions, clusters=folds.patients))


# ---- other errors than those of intervals


def sample_of_classes(rng, truth, shift, share, cut):
    y = rng.random(1_000) < share
    s = rng.normal(size=y.size) + shift * y
    s = s if cut is None else (s > cut) * 1
    return judged(truth, *heard("", sklearn_ap.average_precision_interval, y, s))


def sample_of_threshold(rng, _, population, n_positives):
    """Whether the recall that is claimed at a precision is attainable."""
    y = (rng.random(round(n_positives / population.prevalence)) < population.prevalence) * 1
    goal = {"precision": coverage_of_thresholds.PRECISION}
    point, warned = heard("", sklearn_ap.operating_point, y, population.draw(rng, y), **goal)
    if np.isnan(point.threshold):  # no threshold is claimed
        return {"covers": True, "warned": warned}
    return {"covers": bool(point.recall_interval[0] <= population.attainable()), "warned": warned}


def other_errors():
    for shift, share, cut in product((1.0, 2.5), (0.1, 0.3), (None, 0.5, 1.5)):
        sample = partial(sample_of_classes, shift=shift, share=share, cut=cut)
        name = f"shift {shift:g}, share {share:g}, " + ("scores" if cut is None else f"cut {cut:g}")
        truth = partial(populations.binormal, shift, share)
        yield cell_of("classes and scores", name, sample, 60, truth, OF_CLASSES)
    for population, n in product(coverage_of_thresholds.populations(0.1), (50, 200)):
        sample = partial(sample_of_threshold, population=population, n_positives=n)
        name = f"{population.kind}, {n} positives"
        yield cell_of("thresholds by hand", name, sample, 60, wrong=OF_THRESHOLDS)


def cells():
    for make in (
        *(scores_at_another_prevalence, scores_of_clusters),
        *(labels, labels_passed_wrongly, folds, other_errors),
    ):
        yield from make()
