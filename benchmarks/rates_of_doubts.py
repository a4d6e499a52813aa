"""How often does each doubt come where nothing is wrong, and where something is?

    python benchmarks/rates_of_doubts.py

writes docs/evidence/doubts/summary.csv: of 400 samples, the highest percentage among the ordinary
settings of the room in which a doubt may come, and that of the setting in which it is right.
"""

import sys
import warnings
from functools import partial
from itertools import product
from math import isnan

import numpy as np
from coverage_of_folds import LEARNERS, Folds
from joblib import Parallel, delayed
from simulation import generators, write

import sklearn_ap as ap
from sklearn_ap import FoldPredictions, detections, retrieval
from sklearn_ap._results.doubt import OVERTURNS

SAMPLES, SEED = 400, 20261201


def rows(rng, n=2000, positive=0.1, shift=2.0):
    y = (rng.random(n) < positive).astype(int)
    y[:2] = 0, 1
    return y, shift * y + rng.normal(size=n)


# ---- groups of settings in which nothing is wrong, or one thing is


def models(rng, second=None, n=2000, positive=0.1, shift=2.0):
    """Two models, of which the second may have other scores."""
    y, s = rows(rng, n, positive, shift)
    other = s + rng.normal(size=n)
    return ap.compare_average_precision(y, {"a": s, "b": second(other) if second else other})


def positives_alone(rng):
    y, s = rows(rng)
    return ap.average_precision_interval(y[y == 1], s[y == 1])


def at_prevalence(rng, n, prevalence):
    return ap.average_precision_interval(*rows(rng, n), prevalence=prevalence)


def grades(cuts, scores):
    return np.digitize(scores, np.quantile(scores, np.arange(1, cuts) / cuts))


def leaves(scores):
    """The probabilities of a forest of 20 trees of 4 leaves each."""
    edges = np.random.default_rng(0).normal(size=(20, 3))
    return np.mean([np.digitize(scores, np.sort(each)) for each in edges], axis=0)


def clusters(rng, n=60, size=8, positive=0.2, unequal=0.5, **options):
    """Patients with images, a third of which has none of the positives."""
    sizes = np.maximum(rng.poisson(size * rng.lognormal(0, unequal, n)), 1)
    patient = np.repeat(np.arange(n), sizes)
    ill = rng.beta(1, 1 / positive - 1, n)[patient]
    y = (rng.random(patient.size) < ill).astype(int)
    y[:2] = 0, 1
    s = 2 * y + 0.6 * rng.normal(size=n)[patient] + rng.normal(size=y.size)
    return ap.average_precision_interval(y, s, clusters=patient, **options)


def folds(rng, model="logistic", split="stratified", n_positives=50, n=500, shares=False):
    sample = Folds(rng, split, 5, n_positives, n - n_positives)
    found = FoldPredictions(sample.trained(LEARNERS[model]()), sample.X)
    if shares:  # patients of two rows, in several folds
        return ap.average_precision_interval(sample.y, found, clusters=np.arange(n) // 2)
    return ap.average_precision_interval(sample.y, found, clusters=sample.patients)


def classes_of_folds(rng, n=300, c=0.01, methods=("predict_proba", "predict_proba")):
    """Two models of three classes."""
    X = rng.normal(size=(n, 4))
    y = np.argmax(X[:, :3] + rng.normal(size=(n, 3)), axis=1)
    sample = Folds(rng, "stratified", 5, n // 2, n // 2)
    sample.X, sample.y = X, y
    found = {
        name: FoldPredictions(sample.trained(LEARNERS["logistic"](C=c)), X, response_method=method)
        for (name, c), method in zip({"a": 1.0, "b": c}.items(), methods, strict=True)
    }
    return ap.compare_average_precision(y, found)


def few_labels(rng, n=300, judge=(0.92, 0.985), way="random", of_all=5000, positive=0.1):
    """Rows of which few have labels, and perhaps a judge of the others."""
    y, s = rows(rng, of_all, positive)
    chance = np.full(of_all, n / of_all)
    if way == "chosen":
        plan = ap.rows_to_label(s, n, guess=positive, rng=rng)
        seen, chance = np.isin(np.arange(of_all), plan.rows), plan.inclusion_probability
    elif way == "alarms":
        seen, chance = s >= np.sort(s)[-n], "equal"
    else:
        seen = np.isin(np.arange(of_all), rng.permutation(of_all)[:n])
        chance = chance * (2 if way == "wrong" else 1)
    words = None
    if judge:
        is_right = rng.random(of_all) < np.where(y == 1, *judge)
        words = np.where(is_right | (seen & (way == "copied")), y, 1 - y)
    options = {} if words is None else {"judge": words}
    return ap.average_precision_interval(
        np.where(seen, y, np.nan), s, inclusion_probability=chance, **options
    )


def judged_queries(rng, n=25, of_all=100):
    query = np.repeat(np.arange(of_all), 20)
    y, s = rows(rng, query.size, 0.3, 1.5)
    y[::20] = 1
    words = np.where(rng.random(y.size) < 0.9, y, 1 - y)
    seen = np.isin(query, rng.permutation(of_all)[:n])
    return ap.average_precision_interval(np.where(seen, y, np.nan), s, judge=words, queries=query)


def months(rng, n=1000, positive=0.1, other=None, twice=False, paper=None):
    y, s = rows(rng, n, positive)
    y_new, s_new = (y, s + rng.normal(size=n)) if twice else rows(rng, n, other or positive)
    old = paper or ap.average_precision_interval(y, s)
    return ap.compare_independent(old, ap.average_precision_interval(y_new, s_new))


def threshold(rng, shift=2.5, n=2000, positive=0.1, weights=0.0, **goal):
    y, s = rows(rng, n, positive, shift)
    is_missed = (y == 1) & (s < goal.get("threshold", 0))
    options = {"sample_weight": 1 + weights * is_missed} if weights else {}
    return ap.operating_point(y, s, **goal, **options)


def runs(rng, n=50, judged=0.6, of_new=None, lacks=0, forgets=False):
    """Two systems, of whose first documents random ones are judged, or fewer of the new one's."""
    qrels, found = {}, {"old": {}, "new": {}}
    for query in range(n):
        y, s = rows(rng, 40, 0.2, 1.5)
        new = 1.5 * y + rng.normal(size=40)
        place = np.argsort(np.argsort(-new))
        share = np.where(place < 10, judged if of_new is None else of_new, judged)
        labels = {f"d{i}": int(y[i]) for i in np.flatnonzero(rng.random(40) < share)}
        qrels[f"q{query}"] = {"d0": 0, "d1": 1} | labels
        for name, scores in (("old", s), ("new", new)):
            if name == "old" or query >= lacks:
                found[name][f"q{query}"] = {f"d{i}": x for i, x in enumerate(scores.tolist())}
    with warnings.catch_warnings(action="ignore"):
        options = {**retrieval.from_runs(qrels, found)}
    if forgets:
        del options["queries"]
    return ap.compare_average_precision(**options)


def boxes(rng, finds=0.6, false=2.0, keep=0.0, run_on=1.0, n=60, detectors=1):
    """Objects in images, and the boxes of detectors, which may keep only those of high scores."""
    of_image = np.repeat(np.arange(n), rng.poisson(2, n))
    truth = {"images": [{"id": i + 1, "width": 640, "height": 480} for i in range(n)]}
    truth["categories"] = [{"id": 1, "name": "car"}]
    common = {"category_id": 1, "iscrowd": 0, "area": 9}
    truth["annotations"] = [
        {"id": k + 1, "image_id": int(i) + 1, "bbox": [60 * (k % 9), 9, 40, 40], **common}
        for k, i in enumerate(of_image)
    ]
    results = []
    for detector in range(detectors):
        share = run_on if detector == detectors - 1 else 1.0
        places = [each for each in truth["annotations"] if rng.random() < finds]
        places += [
            {"image_id": int(i) + 1, "bbox": [9, 300, 40, 40], "category_id": 1, "false": 1}
            for i in np.repeat(np.arange(n), rng.poisson(false, n))
        ]
        scored = [{**each, "score": rng.beta(1 if "false" in each else 3, 2)} for each in places]
        results.append(
            [each for each in scored if each["score"] > keep and each["image_id"] <= share * n]
        )
    with warnings.catch_warnings(action="ignore"):
        found = detections.from_coco(truth, *results, overlap=0.5)
    if detectors > 1:
        return ap.compare_average_precision(**found)
    (only,) = found.y_scores
    return ap.average_precision_interval(**found[only])


def assays(rng, n=600, positive=0.05, gaps=0.5, actives=False):
    """A table of 8 columns with gaps."""
    shares = positive * np.exp(rng.normal(size=8))
    y = (rng.random((n, 8)) < shares).astype(float)
    y[:2] = [[0] * 8, [1] * 8]
    s = 2 * y + rng.normal(size=y.shape)
    y[2:][rng.random((n - 2, 8)) < gaps] = np.nan
    if actives:
        y[y[:, 0] == 0, 0] = np.nan
    return ap.average_precision_interval(y, s)


def plan(rng, n=2000, positive=0.1):
    found = ap.average_precision_interval(*rows(rng, n, positive))
    return ap.sample_size_for_interval(found, half_width=0.05)


ROOMS = {
    "rows": [partial(models, n=n, positive=q) for n, q in ((300, 0.2), (2000, 0.1), (9000, 0.01))]
    + [
        partial(models, second=each) for each in (leaves, partial(grades, 20), lambda s: s.round(2))
    ],
    "prevalence": [
        partial(at_prevalence, n=n, prevalence=p)
        for n, p in product((400, 2000), (0.01, 0.05, 0.2))
    ],
    "clusters": [
        partial(clusters, n=n, size=size, unequal=unequal)
        for n, size, unequal in (
            *(
                (60, 8, 0.3),
                (60, 8, 0.5),
                (300, 4, 0.8),
                (60, 30, 0.3),
                (100, 2, 0.5),
                (600, 5, 1.0),
            ),
        )
    ],
    "folds": [
        *(
            partial(folds, model=model)
            for model in ("logistic", "naive Bayes", "boosting", "forest")
        ),
        partial(folds, n_positives=200, n=1000),
        partial(folds, split="stratified patients", n_positives=100, n=1000),
    ],
    "classes of folds": [
        partial(classes_of_folds, n=n, c=c) for n, c in product((200, 400, 800), (0.01, 0.5))
    ],
    "few labels": [
        few_labels,
        partial(few_labels, judge=None),
        partial(few_labels, judge=None, way="chosen"),
        partial(few_labels, way="chosen"),
        partial(few_labels, n=600, judge=(0.75, 0.9)),
        partial(few_labels, n=600, judge=(0.97, 0.995), positive=0.3),
    ],
    "judged queries": [partial(judged_queries, n=n) for n in (20, 25, 30, 40, 50, 80)],
    "two samples": [
        partial(months, n=n, positive=q) for n, q in product((300, 1000, 9000), (0.02, 0.3))
    ],
    "thresholds": [
        *(partial(threshold, precision=q) for q in (0.3, 0.5, 0.7)),
        partial(threshold, recall=0.8),
        partial(threshold, k=100),
        partial(threshold, threshold=1.5, weights=0.1),
    ],
    "runs": [partial(runs, n=n, judged=judged) for n, judged in product((25, 50, 200), (0.4, 0.8))],
    "detectors": [
        boxes,
        partial(boxes, finds=0.9, false=9.0),
        partial(boxes, finds=0.4, false=0.5),
        partial(boxes, keep=0.5),
        partial(boxes, finds=0.9, detectors=2),
        partial(boxes, keep=0.3, detectors=2),
    ],
    "columns": [
        partial(assays, n=n, gaps=gaps) for n, gaps in product((300, 600, 2000), (0.2, 0.6))
    ],
    "plans": [partial(plan, n=n, positive=q) for n, q in product((1000, 2000, 9000), (0.05, 0.3))],
}
# The room of each doubt, and what is wrong
WRONG = {
    "predicted classes": ("rows", partial(models, second=lambda s: (s > 1).astype(int))),
    "constant scores": ("rows", partial(models, second=np.zeros_like)),
    "coarse scores": ("rows", partial(models, second=partial(grades, 5))),
    "reversed scores": ("rows", partial(models, second=lambda s: -s)),
    "no negatives": ("rows", positives_alone),
    "few negatives": ("prevalence", partial(at_prevalence, n=400, prevalence=0.001)),
    "few clusters": ("clusters", partial(clusters, n=12)),
    "small pilot": ("plans", partial(plan, n=200, positive=0.05)),
    "unattainable precision": ("thresholds", partial(threshold, shift=0.5, n=300, precision=0.6)),
    "unequal weights": ("thresholds", partial(threshold, weights=3.0, threshold=1.0)),
    "clusters in training": ("folds", partial(folds, shares=True)),
    "unequal prevalence": ("two samples", partial(months, other=0.2)),
    "unknown prevalence": ("two samples", partial(months, paper=(0.66, 0.58, 0.73))),
    "unlike folds": ("folds", partial(folds, model="hinge loss by SGD", n_positives=200, n=1000)),
    "unlike methods": (
        "classes of folds",
        partial(classes_of_folds, methods=("predict_proba", "decision_function")),
    ),
    "hidden positives": (
        "few labels",
        partial(few_labels, n=60, judge=None, way="chosen", positive=0.01),
    ),
    "unlike labels": ("few labels", partial(few_labels, judge=None, way="alarms")),
    "wrong probabilities": ("few labels", partial(few_labels, judge=None, way="wrong")),
    "copied labels": ("few labels", partial(few_labels, way="copied")),
    "unequal judgements": ("runs", partial(runs, of_new=0.4)),
    "missing results": ("detectors", partial(boxes, run_on=0.67)),
    "forgotten queries": ("runs", partial(runs, forgets=True)),
    "same sample": ("two samples", partial(months, twice=True)),
    "only positives": ("columns", partial(assays, actives=True)),
    "few labelled queries": ("judged queries", partial(judged_queries, n=12)),
}


def share(draw, name, setting):
    """How often a result has a doubt of this name, in percent; a threshold must be found."""
    warnings.simplefilter("ignore")
    found = (draw(rng) for rng in generators(SAMPLES, setting, SEED))
    with_number = (each for each in found if not isnan(getattr(each, "threshold", 0)))
    return 100 * np.mean([name in {doubt.name for doubt in each.doubts} for each in with_number])


def main():
    only = sys.argv[1:] or [*WRONG]
    assert {*WRONG} == {*OVERTURNS}
    asked = [
        (draw, name, f"{room} {place}")
        for name in only
        for room in [WRONG[name][0]]
        for place, draw in enumerate([*ROOMS[room], WRONG[name][1]])
    ]
    rates = iter(Parallel(n_jobs=-1)(delayed(share)(*each) for each in asked))
    lines = [["doubt", "overturns", "settings", "nothing is wrong", "something is"]]
    for name in only:
        *usual, wrong = (next(rates) for _ in [*ROOMS[WRONG[name][0]], None])
        overturns = "yes" if OVERTURNS[name] else "no"
        lines.append([name, overturns, WRONG[name][0], f"{max(usual):.1f}", f"{wrong:.1f}"])
        print(" | ".join(lines[-1]), usual, flush=True)
    if not sys.argv[1:]:
        write("doubts", lines)


if __name__ == "__main__":
    main()
