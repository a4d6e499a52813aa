"""Scores of few labels equal their equations, computed slowly by ``few_labels_reference``."""

import numpy as np
import pytest

from sklearn_ap import average_precision_interval, rows_to_label
from tests.crossings import few_labels_reference as reference
from tests.crossings.answers import fields_of
from tests.helpers.first_cases import seeds

STEP = ("Step", {})
KINDS = [
    "a random sample",
    "chosen rows",
    "chosen rows of weights",
    "clusters",
    "chosen clusters",
    "queries",
    "a judge of probabilities",
    "a judge of labels and chosen rows",
    "another prevalence",
    "chosen rows at another prevalence",
    "a judge that errs everywhere",
]


def draw(seed, kind, n=40):
    """Return the columns of all rows, of which some are labelled, as the reference takes them."""
    rng = np.random.default_rng(seed)
    unit = np.arange(n) // 4 if "cluster" in kind or "queries" in kind else np.arange(n)
    hit = rng.random(n) < 0.4
    score = np.round(rng.normal(size=n) + hit, 1)
    q = np.full(n, 0.5)
    if "chosen" in kind:
        q = rng.choice([0.3, 0.6, 1.0], n)[unit]
    seen = rng.random(n)[unit] < q
    seen[unit == unit[hit.argmax()]] = True
    weight = rng.lognormal(size=n) if "weights" in kind else np.ones(n)
    judged = None
    if "judge" in kind:
        judged = np.where(rng.random(n) < 0.2, ~hit, hit) * 1.0
        judged = np.clip(judged, 0.1, 0.8) if "probabilities" in kind else judged
        judged = 1.0 - hit if "everywhere" in kind else judged
    return {
        "hit": hit * 1.0,
        "seen": seen,
        "unit": unit,
        "judged": judged,
        "q": q,
        "weight": weight,
        "are_queries": "queries" in kind,
    }, score


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.UndefinedMetricWarning")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", seeds(8, 4))
def test_numbers_are_those_of_the_equations(seed, kind):
    rows, score = draw(seed, kind)
    options = {"prevalence": 0.1} if "prevalence" in kind else {}
    expected = reference.answer(rows, score, STEP, options, 0.9)
    column = {"queries": "queries", "clusters": "clusters"}.get(kind.split()[-1])
    found = average_precision_interval(
        np.where(rows["seen"], rows["hit"], np.nan),
        score,
        inclusion_probability=rows["q"],
        confidence_level=0.9,
        sample_weight=rows["weight"] if "weights" in kind else None,
        judge=rows["judged"],
        **options | ({column: rows["unit"]} if column else {}),
    )
    found = fields_of(found)
    for name, number in expected.items():
        assert found[name] == pytest.approx(number, rel=1e-8, abs=1e-9, nan_ok=True), name


def test_more_labels_of_chosen_rows_leave_less_room_for_units_that_are_right_or_wrong():
    """By equation 33, with V / 100, 100 nu and 100 n."""
    rows, score = draw(0, "chosen rows")
    labels = np.where(rows["seen"], rows["hit"], np.nan)
    few = average_precision_interval(
        labels, score, inclusion_probability=rows["q"]
    )._origin.estimate
    believed = 4 * few.value * (1 - few.value) / (100 * few.n_effective)
    variance = (few.nu * few.variance + believed) / (100 * few.nu + 4)
    low, high = few.enlarged(100.0).shown_limits(0.95)
    assert high - low == pytest.approx(2 * 1.96 * np.sqrt(variance), rel=0.01)


def test_clusters_are_chosen_by_their_highest_scores():
    rng = np.random.default_rng(0)
    patient = np.repeat(np.arange(200), 3)
    y, score = rng.random(600) < 0.3, rng.normal(size=600)
    options = {"clusters": patient, "inclusion_probability": "equal"}
    with pytest.raises(ValueError, match="labelled as a whole"):
        average_precision_interval(np.where(patient % 3, y, [np.nan, 1, 0] * 200), score, **options)
    plan = rows_to_label(score.reshape(200, 3).max(axis=1), 80)
    labels = np.where(np.isin(patient, plan.rows), y, np.nan)
    options["inclusion_probability"] = plan.inclusion_probability[patient]
    assert average_precision_interval(labels, score, **options).sample.n_labelled == 80
