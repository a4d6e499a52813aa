"""Two options at once, in each question: numbers are those of the slow references, or of a law."""

from operator import attrgetter

import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._uncertainty import means, scores_of_models
from tests.crossings import few_labels_reference
from tests.helpers import comparison_reference as comparisons
from tests.helpers import engine_reference as engine
from tests.helpers import segments_reference as segments
from tests.helpers.first_cases import quick

STEP, ALL = ("step",), "sample_weight clusters prevalence"
PAIRS = ["sample_weight clusters", "sample_weight prevalence", "clusters prevalence", ALL]
SCORE = attrgetter("estimate", "low", "high")
NUMBERS = attrgetter("difference", "difference_low", "difference_high", "pvalue")
pytestmark = pytest.mark.filterwarnings("ignore")


def difference_of(found):
    """The numbers of the last row."""
    return tuple(each[-1] for each in NUMBERS(found))


def drawn(seed, names, *shape):
    """Draw labels, the scores of two models, and the options that are named."""
    rng, n = np.random.default_rng(seed), shape[0]
    y = rng.permuted(np.resize([1, 0], shape[::-1]).T, axis=0)
    models = {"a": rng.normal(size=shape) + 0.3 * y, "b": rng.normal(size=shape) + 1.5 * y}
    clusters = rng.permutation(np.arange(n) % (8 if n < 100 else n // 4))
    given = {"sample_weight": rng.lognormal(size=n), "clusters": clusters, "prevalence": 0.4}
    return y, models, {name: given[name] for name in names.split()}


def check_models(y, models, options, of_b, of_both, near=1e-8):
    """Compare the interval of b, its difference from a, and the best; of scores and of folds."""
    fold = options.get("queries", np.arange(len(y))) % 3  # a pool is not in the order of folds
    pools = {m: ap.FoldPredictions({"y_score": s, "folds": fold}) for m, s in models.items()}
    winner = np.argmax(of_both.theta)
    for of_both.fold_factor, scores in ((1, models), (1.25, pools)):
        found = ap.average_precision_interval(y, scores["b"], **options)
        assert SCORE(found) == pytest.approx(of_b, abs=near)
        found = ap.compare_average_precision(y, scores, **options)
        assert difference_of(found) == pytest.approx(comparisons.numbers(of_both), abs=near)
        found = ap.compare_average_precision(y, scores, reference="best", **options)
        high = comparisons.Difference(of_both, 1 - winner, winner).limits(0.1)[1]
        assert found.difference_high[1] == pytest.approx(high, abs=0.02)  # by draws


@pytest.mark.parametrize("names", PAIRS)
def test_rows(names):
    y, models, options = drawn(0, names, 24)
    rows = [[engine.rows_of(y, score, options)] for score in models.values()]
    of_b = engine.one_ranking(STEP, rows[1][0])
    of_b, of_both = [of_b.value, *of_b.limits(0.95)], comparisons.of_rows(STEP, rows)
    check_models(y, models, options, of_b, of_both)


@pytest.mark.slow
@pytest.mark.parametrize("names", quick([ALL, "clusters", "prevalence", *PAIRS[:3]], 1))
def test_columns(monkeypatch, names):
    for module in (means, scores_of_models):
        monkeypatch.setattr(module, "N_PAIRS_OF_BIAS", 4_000)  # the reference takes all halves
    n = 24 if "clusters" in names else 12
    y, models, options = drawn(1, names, n, 2)
    n_each = options.get("sample_weight", np.ones(n)) @ y
    shares = n_each / n_each.sum()
    rows = [[engine.rows_of(y[:, j], s[:, j], options) for j in (0, 1)] for s in models.values()]
    biases = comparisons.biases_of_halves(STEP, rows, 1)
    of_b = engine.mean_of_columns(STEP, rows[1], shares, shares @ biases[:, 1], are_sampled=True)
    of_both = comparisons.of_rows(STEP, rows, shares, biases, are_sampled=True)
    of_b, options["average"] = (of_b.value, *of_b.limits(0.95)), "weighted"
    check_models(y, models, options, of_b, of_both, near=0.006)


@pytest.mark.parametrize("average", quick(["macro", "weighted"], ["weighted"]))
@pytest.mark.parametrize("users", [np.arange(14), np.maximum(np.arange(14) - 4, 0)])
@pytest.mark.parametrize("names", ["", "sample_weight prevalence"])
def test_queries_and_users(names, users, average):
    y, models, options = drawn(0, names, 98)
    query, weight = np.repeat(np.arange(14), 7), options.get("sample_weight", np.ones(98))
    models["b"][users[query] == 0] *= -1  # one user decides
    options |= {"queries": query, "average": None}
    each = [ap.average_precision_score(y, s, **options) for s in models.values()]
    options |= {"clusters": users[query], "average": average}
    shares = np.bincount(query, y * weight) if average == "weighted" else np.ones(14)
    of_b = engine.limits_over_queries(each[1], shares / shares.sum(), users, 0.95)
    of_both = comparisons.of_queries(np.transpose(each), shares, users)
    check_models(y, models, options, of_b, of_both)


def labelled(seed, names):
    """Label a part of the rows, or of the clusters, with unlike chances."""
    y, models, options = drawn(seed, names, 240)
    rng, unit = np.random.default_rng(seed), options.get("clusters", np.arange(240))
    q, luck = rng.choice([0.3, 0.8], 240)[unit], rng.random(240)[unit]
    options["inclusion_probability"], weight = q, options.get("sample_weight", np.ones(240))
    rows = {"hit": y, "weight": weight, "unit": unit, "seen": luck < q, "q": q, "judged": None}
    return rows | {"are_queries": False}, np.where(luck < q, y, np.nan), models, options


@pytest.mark.parametrize("n", [1, 12])
@pytest.mark.parametrize(
    "names", quick(["", "clusters", *PAIRS, "prevalence"], ["", "clusters", PAIRS[0], *PAIRS[2:]])
)
def test_few_labels(names, n):
    rows, y, models, options = labelled(1, names)
    models["a"] = np.where(rows["unit"] % n, models["b"], models["a"])  # one in n units decides
    target = {"prevalence": 0.4} if "prevalence" in names else {}
    of_b = few_labels_reference.answer(rows, models["b"], STEP, target, 0.95)
    found = ap.average_precision_interval(y, models["b"], **options)
    assert SCORE(found) == pytest.approx((of_b["estimate"], of_b["low"], of_b["high"]))
    of_both = few_labels_reference.joint(rows, models.values(), **target)
    found = ap.compare_average_precision(y, models, **options)
    assert difference_of(found) == pytest.approx(comparisons.numbers(of_both))


def test_few_labels_of_two_samples_have_the_limits_of_each_score():
    samples = (labelled(seed, "clusters")[1:] for seed in (3, 4))
    old, new = (ap.average_precision_interval(y, m["b"], **options) for y, m, options in samples)
    found = ap.compare_independent(old, new)
    reach = np.hypot(new.estimate - new.low, old.high - old.estimate)
    assert found.difference_low[1] == pytest.approx(found.difference[1] - reach)


@pytest.mark.parametrize("names", quick([PAIRS[0], PAIRS[2], "clusters"], 2))
def test_segments_and_two_samples(names):
    y, models, options = drawn(5, names, 120)
    segment, scored, samples = np.random.default_rng(0).choice([*"ab"], 120), [], []
    score = models["b"] + 2 * np.random.default_rng(1).normal(size=30)[options["clusters"]]
    for of in (segment == "a", segment == "b"):
        part = {name: each[of] if np.ndim(each) else each for name, each in options.items()}
        scored.append(segments.of_rows(engine.rows_of(y[of], score[of], part)))
        samples.append(ap.average_precision_interval(y[of], score[of], **part))
    options, (old, new) = {"prevalence": "own", "reference": "a"} | options, scored
    expected = segments.difference(new, [old], 0.95)
    for each in (score, ap.FoldPredictions({"y_score": score, "folds": np.arange(120) % 3})):
        found = ap.compare_segments(y, each, segment, **options)
        assert difference_of(found) == pytest.approx(expected, abs=1e-3)
    new.phi = None  # two samples share no clusters
    expected = segments.difference(new, [old], 0.95)
    assert difference_of(ap.compare_independent(*samples)) == pytest.approx(expected, abs=1e-3)
