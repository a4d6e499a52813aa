"""Two options at once, in each question: numbers are those of the slow references, or of a law."""

from itertools import permutations

import few_labels_reference
import numpy as np
import pytest

import sklearn_ap as ap
from sklearn_ap._uncertainty import estimate, joint
from tests.helpers import comparison_reference as two
from tests.helpers import engine_reference as one
from tests.helpers import segments_reference, threshold_reference

STEP, ROWS = ("step",), {"sample_weight": "weight", "clusters": "unit", "prevalence": "prevalence"}
ALL = " ".join(ROWS)
PAIRS = ["sample_weight clusters", "sample_weight prevalence", "clusters prevalence", ALL]
pytestmark = pytest.mark.filterwarnings("ignore")


def drawn(seed, names, *shape):
    """Draw labels, the scores of two models, and the options that are named."""
    rng, n = np.random.default_rng(seed), shape[0]
    y = rng.permuted(np.resize([1, 0], shape[::-1]).T, axis=0)
    noise, own = rng.normal(size=shape), rng.normal(size=(2, *shape))
    models = {"a": noise + own[0] + 0.3 * y, "b": noise + own[1] + 1.5 * y}
    clusters = rng.permutation(np.arange(n) % (8 if n < 100 else n // 4))
    given = {"sample_weight": rng.lognormal(size=n), "clusters": clusters, "prevalence": 0.4}
    return y, models, {name: given[name] for name in names.split()}


def rows_of(y, score, options):
    return one.Rows(y, score, **{ROWS[name]: each for name, each in options.items()})


def in_folds(score, folds=None):
    """The pool is not in the order of folds."""
    folds = np.arange(len(score)) % 3 if folds is None else folds
    return ap.FoldPredictions({"y_score": score, "folds": folds})


def check(found, expected, near=1e-8):
    """Compare the estimate and its limits; of a difference, also the p-value."""
    names = ["estimate", "low", "high"]
    if isinstance(found, ap.Comparison):
        names = ["difference", "difference_low", "difference_high", "pvalue"]
    assert [getattr(found, name) for name in names] == pytest.approx([*expected], abs=near)


def check_difference(found, models, near=1e-8):
    expected = two.Difference(models, 1, 0)
    check(found, [expected.estimate, *expected.limits(0.05), expected.pvalue()], near)


def check_models(y, models, options, of_b, of_both, near=1e-8, folds=None):
    """Compare the interval of b, and its difference from a; of scores, and of folds."""
    pools = {name: in_folds(score, folds) for name, score in models.items()}
    for of_both.fold_factor, scores in ((1, models), (1.25, pools)):
        check(ap.average_precision_interval(y, scores["b"], **options), of_b, near)
        check_difference(ap.compare_average_precision(y, scores, **options), of_both, near)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("names", PAIRS)
def test_rows(names, seed):
    y, models, options = drawn(seed, names, 24)
    rows = [[rows_of(y, score, options)] for score in models.values()]
    of_b = one.one_ranking(STEP, rows[1][0])
    check_models(y, models, options, [of_b.value, *of_b.limits(0.95)], two.of_rows(STEP, rows))


@pytest.mark.parametrize("average", ["macro", "weighted"])
@pytest.mark.parametrize("names", ["", *ROWS, *PAIRS])
def test_columns(monkeypatch, names, average):
    n = 24 if "clusters" in names else 12  # as the reference takes all halves
    y, models, options = drawn(1, names, n, 2)
    shares = options.get("sample_weight", np.ones(n)) @ y
    shares = shares / shares.sum() if average == "weighted" else np.full(2, 0.5)
    rows = [[rows_of(y[:, j], s[:, j], options) for j in (0, 1)] for s in models.values()]
    biases, excess, near = None, None, 1e-8
    if "clusters" in names or "prevalence" in names:
        biases, near = two.biases_of_halves(STEP, rows, 1), 0.005
        excess = shares @ biases[:, 1]
        for engine in (estimate, joint):
            monkeypatch.setattr(engine, "N_PAIRS_OF_BIAS", 4_000)
    of_b = one.mean_of_columns(STEP, rows[1], shares, excess)
    of_both = two.of_rows(STEP, rows, shares, biases)
    options["average"] = average
    check_models(y, models, options, [of_b.value, *of_b.limits(0.95)], of_both, near)


@pytest.mark.parametrize("names", ["", "weighted", "clusters", "clusters weighted", ALL])
def test_queries_and_users(names):
    y, models, options = drawn(0, names.replace("weighted", ""), 98)
    query, weight = np.repeat(np.arange(14), 7), options.get("sample_weight", np.ones(98))
    users = np.maximum(np.arange(14) - 4, 0) if "clusters" in names else np.arange(14)
    if "clusters" in names:
        options["clusters"] = users[query]
        models["b"][users[query] == 0] *= -1  # one user decides

    def score_of(score, of):
        asked = {"sample_weight": weight[of], "prevalence": options.get("prevalence")}
        return ap.average_precision_score(y[of], score[of], **asked)

    values = np.array([[score_of(s, query == q) for s in models.values()] for q in range(14)])
    shares = np.bincount(query, y) if "weighted" in names else np.ones(14)
    options |= {"queries": query, "average": "weighted" if "weighted" in names else "macro"}
    of_b = one.limits_over_queries(values[:, 1], shares / shares.sum(), users, 0.95)
    of_both = two.of_queries(values, shares, users)
    check_models(y, models, options, of_b, of_both, folds=query % 3)


def test_the_best_of_folds_has_the_one_sided_limit():
    y, models, _ = drawn(2, "", 60)
    of_both = two.of_rows(STEP, [[one.Rows(y, score)] for score in models.values()])
    of_both.fold_factor = 1.25
    pools = {name: in_folds(score) for name, score in models.items()}
    found = ap.compare_average_precision(y, pools, reference="best")
    high = two.Difference(of_both, 0, 1).limits(0.1)[1]
    assert found.difference_high == pytest.approx(high, abs=0.005)  # by draws


def labelled(seed, names):
    """Label a part of the rows, or of the clusters, with unlike chances."""
    y, models, options = drawn(seed, names, 240)
    rng, unit = np.random.default_rng(seed), options.get("clusters", np.arange(240))
    q, luck = rng.choice([0.3, 0.8], 240)[unit], rng.random(240)[unit]
    options["inclusion_probability"], weight = q, options.get("sample_weight", np.ones(240))
    rows = {"hit": y, "weight": weight, "unit": unit, "seen": luck < q, "q": q, "judged": None}
    return rows | {"are_queries": False}, np.where(luck < q, y, np.nan), models, options


CAP = pytest.mark.xfail(strict=False, reason="degrees are n - 1 at most, not those of fewer units")
LABELS = [(names, 12) for names in ["", *ROWS, *PAIRS]]


@pytest.mark.parametrize(("names", "n"), [*LABELS, pytest.param("prevalence", 1, marks=CAP)])
def test_few_labels(names, n):
    rows, y, models, options = labelled(1, names)
    models["a"] = np.where(rows["unit"] % n, models["b"], models["a"])  # one in n units decides
    target = {"prevalence": 0.4} if "prevalence" in names else {}
    of_b = few_labels_reference.answer(rows, models["b"], STEP, target, 0.95)
    found = ap.average_precision_interval(y, models["b"], **options)
    check(found, [of_b[name] for name in ("estimate", "low", "high")])
    of_both = few_labels_reference.joint(rows, models.values(), **target)
    check_difference(ap.compare_average_precision(y, models, **options), of_both)


def test_few_labels_of_two_samples_have_the_limits_of_each_score():
    _, *old = labelled(3, "clusters")
    _, *new = labelled(4, "clusters")
    old, new = (ap.average_precision_interval(y, m["b"], **asked) for y, m, asked in (old, new))
    found = ap.compare_independent(old, new)
    low = found.difference - np.hypot(new.estimate - new.low, old.high - old.estimate)
    assert found.difference_low == pytest.approx(low)


@pytest.mark.parametrize("names", ["clusters", "sample_weight clusters", "clusters prevalence"])
def test_segments_and_two_samples(names):
    y, models, options = drawn(5, names, 120)
    segment = np.random.default_rng(0).choice([*"ab"], 120)
    score = models["b"] + 2 * np.random.default_rng(1).normal(size=30)[options["clusters"]]
    scored, samples = [], []
    for of in (segment == "a", segment == "b"):
        part = {name: each[of] if np.ndim(each) else each for name, each in options.items()}
        scored.append(segments_reference.of_rows(rows_of(y[of], score[of], part)))
        samples.append(ap.average_precision_interval(y[of], score[of], **part))
    options, (old, new) = {"prevalence": "own", "reference": "a"} | options, scored
    for scores in (score, in_folds(score)):
        found = ap.compare_segments(y, scores, segment, **options)
        check(found, segments_reference.difference(new, [old], 0.95), 2e-4)
    new.phi = None  # two samples share no clusters
    expected = segments_reference.difference(new, [old], 0.95)
    check(ap.compare_independent(*samples), expected, 2e-4)


def test_chance_does_not_depend_on_the_order_of_rows():
    y, models, options = drawn(0, "sample_weight clusters", 40)
    order = np.random.default_rng(0).permutation(40)
    moved = {name: each[order] for name, each in options.items()}
    found = ap.chance_test(y, models["b"], **options)
    other = ap.chance_test(y[order], models["b"][order], **moved)
    assert other.by_chance == pytest.approx(found.by_chance)


def test_chance_of_weighted_columns_is_that_of_all_orders():
    y, models, _ = drawn(0, "", 6, 2)
    score, weight = models["b"], np.array([1, 9, 2, 1, 1, 7.0])

    def score_of(order, j):
        means = np.array([weight[y[:, j] == label].mean() for label in (0, 1)])
        moved = weight / means[y[:, j]] * means[y[order, j]]
        return ap.average_precision_score(y[order, j], score[:, j], sample_weight=moved)

    each = [score_of([*order], 0) + score_of([*order], 1) for order in permutations(range(6))]
    found = ap.chance_test(y, score, sample_weight=weight, n_permutations=2_000)
    assert found.chance == pytest.approx(np.mean(each) / 2, abs=2 * np.std(each) / 2_000**0.5)


@pytest.mark.parametrize("seed", range(8))
def test_a_guarantee_of_both_goals_at_a_prevalence_halves_the_error(seed):
    """Odds of 1/4 where 20% are positive are odds of 1 where half are."""
    y, goals = np.repeat([1, 0], 100), {"precision": 0.2, "recall": 0.3}
    score = y + np.random.default_rng(seed).normal(size=200)
    point = ap.operating_point(y, score, **goals, guarantee=0.9, prevalence=0.2)
    cut = threshold_reference.with_precision(y, score, 0.5, 0.05)
    assert cut <= threshold_reference.with_recall(y, score, 0.3, 0.05)
    assert point.n_selected == np.count_nonzero(score >= cut)
