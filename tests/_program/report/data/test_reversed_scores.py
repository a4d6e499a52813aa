"""Reversed scores are told whatever the options of rows, and random or weak ones are not."""

from itertools import permutations

import numpy as np
import pytest
from scipy.stats import norm
from sklearn.metrics import roc_auc_score

from sklearn_ap import report
from sklearn_ap._program.report.data.checks import check_predictions
from sklearn_ap._scores.roc_areas import roc_area

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 800
RNG = np.random.default_rng(1)
Y = RNG.random(N) < 0.2
GOOD = 0.8 * Y + RNG.normal(size=N)
WEIGHT = RNG.gamma(2, size=N)
FIVES = np.arange(N) // 5
FORTIES = np.arange(N) // 40
OPTIONS = {
    "no option": {},
    "equal weights": {"sample_weight": np.ones(N, np.int8)},
    "weights": {"sample_weight": WEIGHT},
    "clusters": {"clusters": FIVES},
    "clusters and weights": {"clusters": FIVES, "sample_weight": WEIGHT},
    "queries": {"queries": FORTIES},
    "queries and weights": {"queries": FORTIES, "sample_weight": WEIGHT},
    "clusters in queries": {"queries": FORTIES, "clusters": FIVES},
    "prevalence": {"prevalence": 0.05},
    "n_positives": {"n_positives": 200},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_reversed_scores_are_told(name):
    area = roc_auc_score(Y, -GOOD, sample_weight=OPTIONS[name].get("sample_weight"))
    assert area < 0.35
    found = report(Y, {"one": GOOD, "two": -GOOD}, parts=["data", "comparison"], **OPTIONS[name])
    first = "First check whether the scores of two are reversed: they rank worse than a random"
    assert found.summary[0].answer.startswith(first)
    (doubt,) = (line.answer for line in found.summary if line.question == "Distrust")
    assert "two" in doubt
    assert "its scores may be reversed" in doubt
    alone = report(Y, -GOOD, parts=["data", "score"], **OPTIONS[name]).summary[-1].answer
    assert "its scores may be reversed" in alone


@pytest.mark.parametrize("name", OPTIONS)
def test_weak_scores_are_not_called_reversed(name):
    weak = GOOD - 0.8 * Y
    area = roc_auc_score(Y, weak, sample_weight=OPTIONS[name].get("sample_weight"))
    assert 0.45 < area < 0.53
    assert not _are_reversed(Y, weak, **OPTIONS[name])


def _are_reversed(y_true, y_score, **options):
    options = {"confidence_level": 0.95, **options}
    return bool(check_predictions(y_true, y_score, None, None, options, {}).reversed_models)


def test_random_scores_are_not_called_reversed():
    rng = np.random.default_rng(0)
    alarms = []
    for _ in range(200):
        n = int(rng.integers(300, 2001))
        share = rng.uniform(0.05, 0.4)
        fives, twenties = np.arange(n) // 5, np.arange(n) // 20
        weight = rng.gamma(1.5, size=n)
        y, y_score = rng.random(n) < share, rng.normal(size=n)
        # Rows of a cluster are almost copies: taken one by one, they do give false alarms.
        noise = 0.95 * rng.normal(size=(2, n))[:, fives] + 0.3 * rng.normal(size=(2, n))
        alike = noise[0] < norm.ppf(share), noise[1]
        shifted = y_score + 3 * rng.normal(size=n)[twenties]
        alarms += [
            _are_reversed(y, y_score),
            _are_reversed(y, y_score, sample_weight=weight),
            _are_reversed(*alike, clusters=fives),
            _are_reversed(*alike, clusters=fives, sample_weight=weight),
            _are_reversed(y, shifted, queries=twenties),
            _are_reversed(y, y_score, prevalence=0.1),
        ]
    assert not any(alarms)


def test_copied_rows_are_no_evidence_that_scores_are_reversed():
    """By rows, both rules would tell; the 40 rows before the copies are too few for them."""
    y = np.arange(40) % 10 < 2
    bad = -0.6 * y + np.random.default_rng(6).normal(size=40)
    assert roc_auc_score(y, bad) < 0.35
    copied = np.repeat(y, 20), np.repeat(bad, 20)
    assert _are_reversed(*copied)
    assert not _are_reversed(y, bad)
    assert not _are_reversed(*copied, clusters=np.repeat(np.arange(40), 20))


@pytest.mark.parametrize("digits", [0, 9])
def test_area_is_that_of_scikit_learn(digits):
    bad = np.round(-GOOD, digits)  # without digits, most scores are tied
    area = roc_area(Y, bad, WEIGHT)
    assert area.value == pytest.approx(roc_auc_score(Y, bad, sample_weight=WEIGHT))
    areas, pairs = [], []
    for query in range(N // 40):
        rows = query == FORTIES
        areas.append(roc_auc_score(Y[rows], bad[rows], sample_weight=WEIGHT[rows]))
        pairs.append(WEIGHT[rows & Y].sum() * WEIGHT[rows & ~Y].sum())
    area = roc_area(Y, bad, WEIGHT, queries=FORTIES[::-1].max() - FORTIES)
    assert area.value == pytest.approx(np.average(areas, weights=pairs))


@pytest.mark.parametrize("weight", [np.ones(6), np.array([1, 2, 4, 3, 0.5, 1])])
def test_standard_error_is_that_of_all_orders(weight):
    y = np.array([1, 0, 1, 0, 0, 0], bool)
    areas = [
        roc_auc_score(y, order, sample_weight=weight) for order in permutations(np.arange(6.0))
    ]
    area = roc_area(y, np.arange(6.0), weight)
    assert area.standard_error == pytest.approx(np.std(areas))
    queries = np.repeat([0, 1], 6)
    area = roc_area(np.tile(y, 2), np.arange(12.0), np.tile(weight, 2), queries=queries)
    assert area.standard_error == pytest.approx(np.std(areas) / np.sqrt(2))
    # Twelve rows of six clusters whose scores are equal have the errors of six rows, at most.
    area = roc_area(
        np.repeat(y, 2), np.arange(12.0), np.repeat(weight, 2), None, np.arange(12) // 2
    )
    assert 0.9 * np.std(areas) < area.standard_error < 1.01 * np.std(areas)


def test_one_class_has_no_area():
    for y in (np.zeros(3, bool), np.ones(3, bool)):
        assert not roc_area(y, np.arange(3.0), np.ones(3)).is_reversed
