"""Ways to draw samples from populations of known average precision, for all simulations.

What draws a sample takes a generator, and gives labels, scores, and the options of a call.
"""

import functools
import math

import numpy as np
from scipy.optimize import brentq
from scipy.stats import norm, t
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import sklearn_ap
from sklearn_ap.definitions import Expected, Step


def labels(rng, n, prevalence, fewest=1):
    """Labels of a sample of about n positives, at least so many of each kind."""
    y = np.zeros(max(round(n / prevalence), n + 1), dtype=np.int64)
    while not fewest <= y.sum() <= y.size - fewest:
        y = (rng.random(y.size) < prevalence).astype(np.int64)
    return y


def normal(shift):
    return lambda rng, y: rng.normal(size=y.size) + shift * y


def rounded(shift):
    return lambda rng, y: np.round(rng.normal(size=y.size) + shift * y)


def uniform(shift, share=0.0, of_class=1, by=1):
    """Uniform scores; a share of one class may stand higher than the rest of it."""

    def scores(rng, y):
        s = rng.random(y.size) + shift * y
        return moves(share, of_class, by)(rng, y, s) if share else s

    return scores


def giant_tie(rng, y):
    """Two thirds of normal scores are 0."""
    return normal(2.0)(rng, y) * (rng.random(y.size) >= 2 / 3)


def by_class(of_negatives, of_positives):
    return lambda rng, y: np.where(y == 1, of_positives(rng, y.size), of_negatives(rng, y.size))


def student(degrees, shift, wide=1.0):
    return lambda rng, y: rng.standard_t(degrees, y.size) * np.where(y, wide, 1.0) + shift * y


def levels(n, shift):
    cuts = np.linspace(-2, 2 + shift, n - 1)
    return lambda rng, y: np.digitize(normal(shift)(rng, y), cuts).astype(float)


def far(share, of_class, shift, by=20.0):
    """A share of one class stands far above all others, or, for minus infinity, below."""

    def scores(rng, y):
        is_far = (y == of_class) & (rng.random(y.size) < share)
        return normal(shift)(rng, y) + np.where(is_far, by, 0.0)

    return scores


def lost(share, shift):
    """A share of the positives has scores of negatives."""
    return lambda rng, y: rng.normal(size=y.size) + shift * (y & (rng.random(y.size) >= share))


def mostly_zero(shift, of_positives, of_negatives):
    def scores(rng, y):
        is_zero = rng.random(y.size) < np.where(y == 1, of_positives, of_negatives)
        return np.where(is_zero, 0.0, rng.gamma(2.0, 1.0, y.size) + shift * y)

    return scores


def sites(shift):
    """Three sites whose scores have other scales."""
    scales = np.array([0.5, 1.0, 2.0])
    return lambda rng, y: normal(shift)(rng, y) * rng.choice(scales, y.size)


def bibeta(rng, y):
    return by_class(lambda rng, n: rng.beta(2, 5, n), lambda rng, n: rng.beta(5, 2, n))(rng, y)


def two_decimals(rng, y):
    return np.round(np.where(y == 1, rng.beta(2, 4, y.size), rng.beta(0.7, 8, y.size)), 2)


def truth_of_definition(definition, prevalence, scores):
    """The score of another definition in one large sample."""
    rng = np.random.default_rng(0)
    if isinstance(definition, Expected):  # it takes no weights
        y, weight = (rng.random(500_000) < prevalence).astype(int), None
    else:
        y = np.repeat([1, 0], [100_000, 500_000])
        weight = np.where(y == 1, prevalence * 5, 1 - prevalence)
    return float(
        definition(sklearn_ap.threshold_counts(y, scores(rng, y), sample_weight=weight))[0]
    )


def rows(rng, n, prevalence, scores, other=None, weights=None):
    """So many positives on average, scores of one model or more, and another prevalence."""
    y = labels(rng, round(n), prevalence)
    options = {} if other is None else {"prevalence": other}
    if weights is not None:
        options["sample_weight"] = weights(rng, y)
    return y, scores(rng, y), options


def truth_of_scores(prevalence, scores):
    """The score of one large sample at a prevalence."""
    return truths_of_models(prevalence, apart(scores))[0]


def binormal(shift, prevalence):
    """The average precision of normal scores, by integration."""
    x = np.linspace(-9, 9 + shift, 40_001)
    return area(norm.sf(x - shift), norm.sf(x), prevalence)


def area(recall, false, prevalence):
    """The average precision of the shares of positives and of negatives above thresholds."""
    precision = (
        prevalence * recall / np.maximum(prevalence * recall + (1 - prevalence) * false, 1e-300)
    )
    return float(np.sum((precision[1:] + precision[:-1]) / 2 * -np.diff(recall)))


@functools.cache
def shifts_and_scores(prevalence):
    shifts = np.linspace(0, 5, 200)
    return shifts, np.array([binormal(shift, prevalence) for shift in shifts])


def shifts_with(scores, prevalence):
    """The shifts of normal scores that have such an average precision."""
    return np.interp(scores, *shifts_and_scores(prevalence)[::-1])


def positives_of(shape, shift):
    """How often a positive is above x, and how scores are drawn."""
    if shape == "easy":  # a share of the positives stands above all others
        share = 1 / (1 + math.exp(-shift))
        return (
            lambda x: share * norm.sf(x - 30) + (1 - share) * norm.sf(x),
            lambda rng, y: rng.normal(size=y.size) + 30 * (y & (rng.random(y.size) < share)),
        )
    if shape == "heavy-tailed":
        return lambda x: t.sf(x - shift, 2), student(2, shift)
    return lambda x: norm.sf(x - shift), normal(shift)


@functools.cache
def shape_with(shape, score, prevalence=0.1):
    """How scores of a shape are drawn that have this average precision."""
    x = np.sinh(np.linspace(-8, 8, 40_001))
    false = t.sf(x, 2) if shape == "heavy-tailed" else norm.sf(x)

    def excess(shift):
        return area(positives_of(shape, shift)[0](x), false, prevalence) - score

    return positives_of(shape, brentq(excess, -8, 60))[1]


def binormal_difference(shifts, prevalence):
    return binormal(shifts[1], prevalence) - binormal(shifts[0], prevalence)


def score(y, s, **options):
    """The score of a model, or by how much the second of two is better."""
    options.pop("clusters", None)
    models = [s] if np.shape(s) == y.shape else s
    found = [sklearn_ap.average_precision_score(y, each, **options) for each in models]
    return found[0] if len(found) == 1 else found[1] - found[0]


def score_of_many(draw, definition=Step(), **size):
    """The score of one large sample, or the difference of its models."""
    y, s, options = draw(np.random.default_rng(0), **size)
    return score(y, s, definition=definition, **options)


def correlated(rng, y, shifts, correlation):
    shared, *own = rng.normal(size=(len(shifts) + 1, y.size))
    noise = math.sqrt(correlation) * shared + math.sqrt(1 - correlation) * np.stack(own)
    return noise + np.reshape(shifts, (-1, 1)) * y


def columns(rng, n_rows, prevalences, shift, shared, options=None):
    """Columns that share some of the variance of their scores, each with a positive at least."""
    y = (rng.random((n_rows, len(prevalences))) < prevalences) * 1
    y[0] |= ~y.any(axis=0)  # one; fixed ones would raise the prevalence
    own, common = rng.normal(size=y.shape), rng.normal(size=(n_rows, 1))
    noise = math.sqrt(1 - shared) * own + math.sqrt(shared) * common
    return y, noise + shift * y, options or {}


def shared_alarms(rng, n_rows, prevalences, alarms):
    """Perfect columns, of whose rows a share, negative in all, ranks above all positives."""
    y, scores, options = columns(rng, n_rows, prevalences, 9.0, 0.0)
    of_negatives = alarms / np.prod(1 - np.array(prevalences))
    is_alarm = (rng.random(n_rows) < of_negatives) & ~y.any(axis=1)
    return y, scores + 30.0 * is_alarm[:, None], options


def gaps(rng, n_rows, prevalences, unknown):
    """Columns of which a share of the labels is unknown."""
    y, s, options = columns(rng, n_rows, prevalences, shift=1.5, shared=0.3)
    return np.where(rng.random(y.shape) < unknown, np.nan, y), s, options


def images(rng, n_images, rates, shift=1.5, alarms=3.0):
    """Objects of classes over images that share a part of the scores; rates are by image."""
    n_objects = np.maximum(rng.poisson(rates * n_images), 1)
    n_alarms = rng.poisson(alarms * rates * n_images)
    y = np.repeat([1, 0], [n_objects.sum(), n_alarms.sum()])
    of_class = np.concatenate([np.repeat(np.arange(rates.size), n) for n in (n_objects, n_alarms)])
    image = rng.integers(0, n_images, y.size)
    s = shift * y + 0.8 * rng.normal(size=y.size) + 0.6 * rng.normal(size=n_images)[image]
    return y, s, {"queries": of_class, "clusters": image}


MODELS = {
    "logistic": LogisticRegression(),
    "Bayes": GaussianNB(),
    "tree": DecisionTreeClassifier(max_depth=4, random_state=0),
}


def in_clusters(rng, n_clusters, weighted=False, size=5.0):
    """Rows in clusters of unequal size that share a part of label and score; 1 is no clusters."""
    sizes = rng.geometric(1 / size, n_clusters)
    clusters = np.repeat(np.arange(n_clusters), sizes)
    risk = np.repeat(rng.beta(0.6, 2.4, n_clusters), sizes)
    y = (rng.random(clusters.size) < risk).astype(int)
    y[0] = 1
    s = 1.2 * y + rng.normal(size=y.size) + np.repeat(rng.normal(size=n_clusters), sizes)
    options = {} if size == 1 else {"clusters": clusters}
    if weighted:
        options["sample_weight"] = rng.lognormal(0.4 * s, 0.8)  # that go with the scores
    return y, s, options


def noise_of_clusters(rng, n, share=0.6, shift=1.5, prevalence=0.2):
    """Two models that are as good; so much of the first one's noise is that of whole clusters.

    Clusters have lognormal numbers of rows, about seven on average.
    """
    sizes = np.clip(np.round(rng.lognormal(1.5, 1.0, n)), 1, 150).astype(int)
    cluster = np.repeat(np.arange(n), sizes)
    y = (rng.random(cluster.size) < prevalence) * 1
    y[0], y[-1] = 1, 0
    own, other = rng.normal(size=(2, y.size))
    shared = rng.normal(size=n)[cluster]
    noise = np.stack([math.sqrt(1 - share) * own + math.sqrt(share) * shared, other])
    return y, noise + shift * y, {"clusters": cluster}


def tops(rng, size, n_rows=1_000, alarms=0.0, of="row"):
    """Rows in clusters of one size, for scores of the first ranks.

    All positives stand above all negatives but so many false alarms, on average: single rows, or
    whole clusters. Without any, scores are normal, and clusters share a third of their variance.
    """
    cluster = np.arange(n_rows) // size
    y = (rng.random(n_rows) < 0.1) * 1
    if not alarms:
        effect, noise = rng.normal(size=n_rows)[cluster], rng.normal(size=n_rows)
        return y, 1.5 * y + (effect + math.sqrt(2) * noise) / math.sqrt(3), {"clusters": cluster}
    unit = cluster if of == "cluster" else np.arange(n_rows)
    is_false = (rng.random(n_rows) < alarms / (unit[-1] + 1))[unit]
    y[is_false] = 0
    return y, rng.random(n_rows) + y + 2 * is_false, {"clusters": cluster}


def easy_queries(rng, n_queries, share):
    query = np.repeat(np.arange(n_queries), 100)
    y = (np.arange(query.size) % 100 < 5) * 1
    shift = np.where(rng.random(n_queries) < share, 8.0, 0.0)[query]
    return y, rng.normal(size=y.size) + shift * y, {"queries": query}


def unequal_queries(rng, n, size, n_users=None, skill=1.0):
    sizes = rng.integers(size // 2, size * 2, n)
    queries = np.repeat(np.arange(n), sizes)
    y = (rng.random(queries.size) < np.repeat(rng.beta(1, 6, n), sizes)) * 1
    user = np.arange(n) if n_users is None else rng.integers(n_users, size=n)
    shift = skill + rng.normal(size=n) + (0 if n_users is None else rng.normal(size=n_users)[user])
    options = {"queries": queries, "zero_division": np.nan}
    if n_users is not None:
        options["clusters"] = user[queries]
    return y, rng.normal(size=y.size) + shift[queries] * y, options


def equal_sizes(_, sizes, n=1):
    return sizes * n


def uniform_sizes(rng, low, high, n):
    return rng.integers(low, high, n)


def unrelated_scores(rng, skill, unit, sizes, change):
    """Scores with little skill or none, and labels: both have effects of clusters or queries.

    A label has the log odds -2.5, with a standard deviation of 1.5 between units: 13% positives.
    """
    sizes = np.array(sizes(rng), int)
    name = np.repeat(np.arange(sizes.size), sizes)
    own = np.zeros(2) if unit == "rows" else np.array([1.5, 3.0 if "strong" in change else 1.0])
    effects = own[:, None] * rng.normal(size=(2, sizes.size))
    y = rng.random(name.size) < 1 / (1 + np.exp(2.5 - effects[0, name]))
    y[0] |= not y.any()
    noise = 0.0 if "alike" in change else 1.0
    s = effects[1, name] + noise * rng.normal(size=y.size) + skill * y
    options = {} if unit == "rows" else {unit: name}
    if change == "few levels":
        s = np.round(s)
    elif change.startswith("half"):
        s[rng.random(s.size) < 0.5] = -np.inf
    elif change.endswith("weights"):
        weight = np.where(y, 1, 10.0) if "class" in change else np.ones(y.size)
        options["sample_weight"] = weight * (np.exp(s) if "score" in change else 1)
    return y * 1, s, options


def zipf(rng, n, prevalence, shift, effect=0.5, easy_clusters=0.0):
    sizes = np.minimum(rng.zipf(1.8, n), 200)
    cluster = np.repeat(np.arange(n), sizes)
    y = (rng.random(cluster.size) < prevalence) * 1
    y[0] = 1
    s = shift * y + effect * rng.normal(size=n)[cluster] + rng.normal(size=y.size)
    return y, s + 9.0 * (y & (rng.random(n) < easy_clusters)[cluster]), {"clusters": cluster}


def patients(rng, n, size=10, ill=0.2, shift=2.0, failing=0.0, heavy=0.0):
    """Whole patients are ill; all negatives of some are on top; some have 10 times as many rows."""
    sizes = np.where(rng.random(n) < heavy, 10 * size, size)
    patient = np.repeat(np.arange(n), sizes)
    y = ((rng.random(n) < ill)[patient] & (rng.random(patient.size) < 0.5)) * 1
    y[0] = 1
    s = shift * y + rng.normal(size=y.size) + 0.5 * rng.normal(size=n)[patient]
    return y, s + 20.0 * ((y == 0) & (rng.random(n) < failing)[patient]), {"clusters": patient}


def over_patients(rng, n_patients=80, sizes=(3, 200)):
    """Two models over unequal patients; B gains on each positive."""
    n_rows = np.clip(np.exp(rng.normal(3.3, 1.0, n_patients)), *sizes).astype(int)
    patient = np.repeat(np.arange(n_patients), n_rows)
    y = (rng.random(patient.size) < 0.4) * 1
    of_patient = 0.5 * rng.normal(size=n_patients)[patient]
    a = y + rng.normal(size=y.size) + of_patient
    b = a + 0.1 * y + 0.3 * rng.normal(size=y.size) - of_patient / 10
    return y, np.stack([a, b]), {"clusters": patient}


OVERLAPS = np.arange(50, 100, 5) / 100  # COCO's


def detectors(
    rng,
    n_images=80,
    n_classes=6,
    objects=(40, 100),
    overlaps=OVERLAPS,
    skills=(1.5,),
    tight=8,
    missed=0.1,
    weak_top=0.0,
):
    """Boxes of detectors, matched at overlaps: each class is a ranking at each overlap.

    The rarest and the most frequent class have so many ``objects`` in 80 images. A box that
    overlaps its object too little is false, and the object is missed. What must not matter is
    random: the order of rows, and the names of images, classes and overlaps.
    """
    means = np.geomspace(*objects, n_classes) / 80
    busy = rng.gamma(2.0, 0.5, (n_images, 1))
    numbers = [rng.poisson(busy * means), *(rng.poisson(1.5 * busy * means) for _ in skills)]
    image, category = (
        np.concatenate([np.repeat(cells.ravel(), each.ravel()) for each in numbers])
        for cells in np.indices((n_images, n_classes))
    )
    owner = np.repeat(np.arange(-1, len(skills)), [each.sum() for each in numbers])
    is_object, easy = owner < 0, 0.2 * rng.normal(size=n_images)[image]
    common, parts = rng.normal(size=owner.size), []
    of_models = [
        boxes_of(rng, is_object, skill, common, easy, tight, missed, weak_top) for skill in skills
    ]
    for place, overlap in enumerate(rng.permutation(overlaps)):
        kinds = [(is_object, np.full(owner.size, -1)), (~is_object, owner)]
        kinds += [
            (is_object & (fit < overlap), np.full(owner.size, i))
            for i, (_, fit) in enumerate(of_models)
        ]
        for number, (kept, of) in enumerate(kinds):
            scores = [
                np.where((fit >= overlap) if number == 0 else of == i, score, -np.inf)[kept]
                for i, (score, fit) in enumerate(of_models)
            ]
            columns = image[kept], category[kept], np.full(kept.sum(), place)
            parts.append(np.stack([np.full(kept.sum(), number == 0), *columns, *scores]))
    y, image, category, place, *scores = rng.permutation(np.concatenate(parts, axis=1), axis=1)
    seen = np.isfinite(scores).any(axis=0) | (y == 1)  # a box that was not found is no row
    names, images = rng.permutation(n_classes * len(overlaps)), rng.permutation(n_images)
    queries = names[(category * len(overlaps) + place).astype(int)][seen]
    options = {"queries": queries, "clusters": images[image.astype(int)][seen]}
    scores = np.stack(scores)[:, seen]
    scores = scores if len(skills) > 1 else scores[0]
    return y[seen].astype(int), scores, options | {"zero_division": np.nan}


def boxes_of(rng, is_object, skill, common, easy, tight, missed, weak_top):
    """The score of a detector's box of each object, or of each false box, and its overlap."""
    overlap = rng.beta(tight, 2, is_object.size)
    score = 0.8 * common + 0.6 * rng.normal(size=is_object.size)
    score += is_object * (skill + easy + 3 * (overlap - tight / (tight + 2)))
    score += 6 * (~is_object & (rng.random(is_object.size) < weak_top))
    return np.where(is_object & (rng.random(is_object.size) < missed), -np.inf, score), overlap


# Several models


def lognormal_weights(rng, y, spread):
    return rng.lognormal(0, spread, y.size)


def tenth_of_20(rng, y):
    return rng.choice([1.0, 20.0], y.size, p=[0.9, 0.1])


def unequal_positives(rng, y):
    return rng.gamma(0.5, 2, y.size) ** y


def kept_negatives(_, y):
    """A tenth of the negatives was kept."""
    return 10.0 ** (1 - y)


def stacked(rng, y, models):
    return np.stack([of(rng, y) for of in models])


def exponential(mean):
    """Exponential scores, whose mean is 1 for negatives."""
    return by_class(lambda rng, n: rng.exponential(1, n), lambda rng, n: rng.exponential(mean, n))


def apart(*models):
    """Models that share nothing."""
    return functools.partial(stacked, models=models)


def alike_in_noise(shifts, correlation):
    return functools.partial(correlated, shifts=shifts, correlation=correlation)


def changed(of, *changes):
    """B is A, but for some changes."""

    def models(rng, y):
        a = b = of(rng, y)
        for change in changes:
            b = change(rng, y, b)
        return np.stack([a, b])

    return models


def noisy(by):
    return lambda rng, y, s: s + by * rng.normal(size=y.size)


def moves(share, of_class, by):
    return lambda rng, y, s: s + by * ((y == of_class) & (rng.random(y.size) < share))


def copies(share, of):
    return lambda rng, y, s: np.where(rng.random(y.size) < share, s, of(rng, y))


def rounds(_, __, s):
    return np.round(s)


def models_in_clusters(
    rng, n, size=5, shape="geometric", ill=None, shifts=(1.2, 1.2), own=0.7, broken=0.0, top=0.0
):
    """Clusters share a part of scores; whole ones may be ill, break all models, or fail for B."""
    sizes = {
        "geometric": lambda: rng.geometric(1 / size, n),
        "equal": lambda: np.full(n, size),
        "Zipf": lambda: np.minimum(rng.zipf(1.8, n), 100),
    }[shape]()
    cluster = np.repeat(np.arange(n), sizes)
    risk = rng.beta(0.6, 2.4, n) if ill is None else 1.0 * (rng.random(n) < ill)
    y = (rng.random(cluster.size) < risk[cluster]) * 1
    y[:2] = 0, 1
    shared = rng.normal(size=y.size) + rng.normal(size=n)[cluster]
    works = (rng.random(n) >= broken)[cluster]
    s = shared + own * rng.normal(size=(len(shifts), y.size)) + np.outer(shifts, y * works)
    s[-1] += 40.0 * ((y == 0) & (rng.random(n) < top)[cluster])
    return y, s, {"clusters": cluster}


def models_of_queries(
    rng,
    n,
    size=20,
    relevant=0.2,
    shifts=(1.0, 1.0),
    correlation=0.7,
    users=None,
    failing=0.0,
    weighted=False,
):
    """Queries of unlike difficulty; B ranks some, or all of a user, the wrong way round."""
    query = np.repeat(np.arange(n), size)
    prevalence = np.clip(relevant * rng.lognormal(0, 1.0 * weighted, n), 0.03, 0.9)
    y = (rng.random(query.size) < prevalence[query]) * 1
    y[::size] = 1
    user = np.arange(n) if users is None else rng.integers(max(2, round(users * n)), size=n)
    ease = 0.5 * rng.normal(size=n) + 0.7 * rng.normal(size=n)[user]
    s = correlated(rng, y, shifts, correlation) + ease[query] * y
    s[-1] = np.where((rng.random(n) < failing)[user][query], -s[-1], s[-1])
    options = {"queries": query, "average": "weighted" if weighted else "macro"}
    return y, s, options if users is None else options | {"clusters": user[query]}


def models_of_columns(
    rng, n_rows, prevalences, shifts, shared=0.3, correlation=0.5, n_clusters=None, **options
):
    """Columns share a part of their noise, and so do models."""
    y = (rng.random((round(n_rows), len(prevalences))) < prevalences) * 1
    y[0] |= ~y.any(axis=0)
    of_row, of_cell = rng.normal(size=(len(y), 1)), rng.normal(size=y.shape)
    common = math.sqrt(shared) * of_row + math.sqrt(1 - shared) * of_cell
    own = rng.normal(size=(len(shifts), *y.shape))
    s = math.sqrt(correlation) * common + math.sqrt(1 - correlation) * own
    if n_clusters is not None:
        options["clusters"] = np.arange(len(y)) * n_clusters // len(y)
    return y, s + np.multiply.outer(np.array(shifts), y), options


def models_of_images(rng, n_images, rates, shifts):
    """Detectors whose classes are rankings, over images that are easy for all of them."""
    y, s, options = images(rng, n_images, rates, shift=0.0)
    return y, s + 0.7 * rng.normal(size=(len(shifts), y.size)) + np.outer(shifts, y), options


def truths_of_shifts(prevalence, shifts):
    """The scores of models whose scores are normal."""
    return np.array([binormal(shift, prevalence) for shift in shifts])


def truths_of_each(prevalence, models):
    """The scores of models, each in a large sample of its own: those of equal models are equal."""
    return np.array([truth_of_scores(prevalence, of) for of in models])


def truths_of_models(prevalence, models):
    """The scores of models in one large sample at a prevalence."""
    y = np.repeat([1, 0], [200_000, 600_000])
    weight = np.where(y == 1, 3 * prevalence, 1 - prevalence)
    scores = models(np.random.default_rng(0), y)
    return np.array(
        [sklearn_ap.average_precision_score(y, s, sample_weight=weight) for s in scores]
    )


def truths_of_many(draw, definition=Step(), equal=(), **size):
    """The scores of models in one large sample; those with one entry of ``equal`` are equal."""
    y, s, options = draw(np.random.default_rng(0), **size)
    options = {name: option for name, option in options.items() if name != "clusters"}
    score = functools.partial(sklearn_ap.average_precision_score, y, definition=definition)
    found = np.array([score(each, **options) for each in s])
    return np.array([found[np.equal(equal, x)].mean() for x in equal]) if len(equal) else found


def folds_of_models(rng, n, prevalence, names, n_folds=5):
    """The pools of models that the same folds trained, with the true scores of these models."""
    y, fresh = labels(rng, n, prevalence), (rng.random(20_000) < prevalence) * 1
    x, of_fresh = (rng.normal(size=(each.size, 5)) + 0.6 * each[:, None] for each in (y, fresh))
    s, fold = np.empty((len(names), y.size)), np.empty(y.size, int)
    truths = np.zeros(len(names))
    splits = StratifiedKFold(n_folds, shuffle=True, random_state=0).split(x, y)
    for i, (train, test) in enumerate(splits):
        for j, name in enumerate(names):
            fitted = MODELS[name].fit(x[train], y[train])
            s[j, test] = fitted.predict_proba(x[test])[:, 1]
            scores = fitted.predict_proba(of_fresh)[:, 1]
            truths[j] += sklearn_ap.average_precision_score(fresh, scores) / n_folds
        fold[test] = i
    return y, s, {"folds": fold, "truths": truths}


PERFECT, TOP = 12.0, 30.0  # where positives stand, and what stands above them


def unlike_parts(kind, share, shift=1.0, gain=0.0):
    """Where shares of the negatives and of the positives stand, beside 0 and the rest of them."""
    return {
        "alarms above all": ([(share, TOP)], [(1, PERFECT)]),
        "alarms above half": ([(share, 20.0)], [(0.5, PERFECT), (0.5, TOP)]),
        "alarms among the best": ([(share, TOP)], [(0.9, PERFECT), (0.1, TOP)]),
        "lost": ([], [(share, 0.0), (1 - share, PERFECT)]),
        "hits": ([], [(share, TOP), (1 - share, shift)]),
        "near copy": ([(share, TOP)], [(1, shift + gain)]),
    }[kind]


@functools.cache
def score_of_parts(kind, share, prevalence, shift=1.0, gain=0.0):
    """The average precision of such scores, which are normal around their places."""
    x = np.linspace(-9, 40, 60_001)
    false, recall = (
        sum((weight * norm.sf(x - place) for weight, place in parts), np.zeros(x.size))
        for parts in unlike_parts(kind, share, shift, gain)
    )
    rest = 1 - sum(weight for weight, _ in unlike_parts(kind, share, shift, gain)[0])
    return area(recall, false + rest * norm.sf(x), prevalence)


@functools.cache
def equal_model(kind, share, prevalence, shift):
    """The shift of normal scores that are as good, or the gain of a near copy."""
    if kind == "near copy":
        wanted = binormal(shift, prevalence)
        return brentq(
            lambda gain: score_of_parts(kind, share, prevalence, shift, gain) - wanted, 0, 3
        )
    wanted = score_of_parts(kind, share, prevalence, shift)
    return brentq(lambda other: binormal(other, prevalence) - wanted, 0.01, 9)


def unlike(
    rng,
    n,
    prevalence,
    kind,
    expected,
    shift=1.0,
    other=None,
    weights=None,
    size=1,
    n_columns=None,
    equal=None,
):
    """Two models that are as good and err in unlike ways: the first has normal scores.

    So many of the second one's rows, on average, are alarms, lost positives or hits above all; with
    a size, so many clusters of it are; with columns, so many rows in all of them.
    """
    n_rows = round(n / prevalence) // size * size
    shape = n_rows if n_columns is None else (n_rows, n_columns)
    y = (rng.random(shape) < prevalence) * 1
    y[0], y[-1] = 1, 0
    is_whole = size > 1 or n_columns is not None  # all its negatives fail, of all columns
    own = prevalence if kind in ("lost", "hits") else 1 - prevalence
    share = expected * size / n_rows / (1 if is_whole else own)
    place = prevalence if other is None else other
    equal = equal_model(kind, share, place, shift) if equal is None else equal
    unit = rng.random(n_rows // size).repeat(size)
    draw = rng.random(shape) if not is_whole else unit.reshape(-1, *[1] * (y.ndim - 1)) + 0 * y
    noise = rng.normal(size=shape)
    a = noise + (shift if kind == "near copy" else equal) * y
    b = noise if kind == "near copy" else rng.normal(size=shape)
    parts = unlike_parts(kind, share, shift, equal if kind == "near copy" else 0.0)
    for is_class, of_class in zip((y == 0, y == 1), parts, strict=True):
        ends = np.cumsum([0.0, *(weight for weight, _ in of_class)])
        for low, high, (_, at) in zip(ends, ends[1:], of_class, strict=False):
            b = b + at * (is_class & (low <= draw) & (draw < high))
    options = {} if size == 1 else {"clusters": np.arange(n_rows) // size}
    if other is not None:
        options["prevalence"] = other
    if weights is not None:
        options["sample_weight"] = weights(rng, y)
    return y, np.stack([a, b]), options
