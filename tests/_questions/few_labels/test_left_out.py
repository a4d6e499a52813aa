"""What leaving out labelled clusters changes of a score, and of the weight of a judge."""

from fractions import Fraction

import numpy as np
import pytest
import reference

from sklearn_ap import average_precision_interval
from sklearn_ap._base.inputs.rankings import Rankings
from sklearn_ap._questions.few_labels import _left_out
from sklearn_ap._questions.few_labels.labelled import Labelled
from sklearn_ap._questions.few_labels.labels import mistakes_together
from sklearn_ap._questions.few_labels.variances import UnitInfluences
from sklearn_ap.definitions import Interpolated, Linear, Step

UNKNOWN = -1.0  # where there is no score without the unit, the derivative stays


def drawn(seed):
    """A few tied rows in some units, with weights and without, of which some were not retrieved."""
    rng = np.random.default_rng(seed)
    n, n_units = rng.integers(4, 30), rng.integers(1, 6)
    y, unit = rng.random(n) < rng.choice([0.1, 0.5, 0.9]), rng.integers(n_units, size=n)
    score = rng.integers(rng.choice([3, 20]), size=n).astype(rng.choice([np.int16, np.float64]))
    if score.dtype.kind == "f":
        score[rng.random(n) < rng.choice([0.0, 0.2])] = -np.inf
    y[0] = True
    weight = rng.integers(1, 9, n) / 8 if seed % 2 else None
    return y, score, weight, unit, n_units


def value(of_definition, y, score, weight, kept):
    """The exact score of some rows; positives that were not retrieved only count among others."""
    weight = np.ones(y.size) if weight is None else weight
    n_positives = Fraction(weight[kept & y].sum())
    seen = kept & (score > -np.inf)
    rows = (y[seen] * 1).tolist(), score[seen].tolist(), weight[seen].tolist()
    return of_definition(*rows, n_positives=n_positives)


@pytest.mark.parametrize("definition", [Step(), Linear(), Interpolated()])
@pytest.mark.parametrize("cells", [1, 40, 2**20])
def test_influence_of_a_large_unit_is_the_leave_one_out_change(
    subtests, definition, cells, monkeypatch
):
    for seed in range(60):
        with subtests.test(f"drawn({seed})"):
            monkeypatch.setattr(_left_out, "TABLE_CELLS", cells)
            y, score, weight, unit, n_units = drawn(seed)
            of_definition = getattr(reference, type(definition).__name__.lower())
            of_all = value(of_definition, y, score, weight, unit >= 0)
            expected = []
            for left_out in range(n_units):
                rest = value(of_definition, y, score, weight, unit != left_out)
                is_there = np.any(unit == left_out)
                expected.append(UNKNOWN if rest is None or not is_there else float(of_all - rest))
            rankings, derivatives = Rankings(y, score, weight), np.full(n_units, UNKNOWN)
            found = _left_out.left_out_influence(definition, rankings, unit, derivatives)
            assert found == pytest.approx(expected, rel=1e-9, abs=1e-12)


def test_small_units_are_not_left_out():
    """At most 200 units have a 200th of the positives, and as many of the negatives."""
    rng = np.random.default_rng(0)
    unit = np.r_[np.zeros(10, int), np.arange(1, 401)]
    y = np.r_[np.ones(10, bool), np.arange(400) % 2 == 0]
    derivatives = np.full(401, UNKNOWN)
    asked = Step(), Rankings(y, rng.normal(size=410)), unit, derivatives
    found = _left_out.left_out_influence(*asked)
    assert found[0] != UNKNOWN  # 10 of 210 positives
    assert np.all(found[1:] == UNKNOWN)
    assert np.all(derivatives == UNKNOWN)


def test_leave_one_out_judge_weights_equal_direct_regression():
    rng = np.random.default_rng(0)
    by_labels, chance = rng.normal(size=9), rng.uniform(0.1, 0.9, 9)
    by_judge = by_labels + rng.normal(size=9)
    found = _left_out.left_out_judge_weight(UnitInfluences(by_labels, by_labels, chance), by_judge)
    for i in range(9):
        g, h, q = (np.delete(each, i) for each in (by_labels, by_judge, chance))
        assert found[i] == pytest.approx(((1 - q) * g) @ h / (((1 - q) * h) @ h))
    for sign, expected in ((-1, 0), (3, 1)):  # as the weight of all units is from 0 to 1
        of_units = UnitInfluences(sign * by_judge, by_labels, chance)
        assert _left_out.left_out_judge_weight(of_units, by_judge).tolist() == [expected] * 9
    alone = np.array([0.0, 0.3, 0.0])  # without this unit, the judge says nothing
    of_units = UnitInfluences(by_labels[:3], by_labels[:3], chance[:3])
    assert _left_out.left_out_judge_weight(of_units, alone)[1] == 0


def test_mistakes_together_is_the_mean_count_in_a_mistakes_cluster():
    """Three in one cluster and one in another: (9 + 1) / 4. Of rows, each comes alone."""
    unit, judged = np.repeat(range(4), 3), np.array([1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0, 1.0])
    y, known = np.arange(12) == 11, np.ones(12, bool)
    for kind, expected in (("cluster", 2.5), ("row", 1.0)):
        labelled = Labelled(judged, y, kind, unit, known, np.full(12, 0.5), judged, None)
        assert mistakes_together(labelled) == expected
        right = Labelled(judged, y, kind, unit, known, np.full(12, 0.5), 1.0 * y, None)
        assert mistakes_together(right) == 1


def test_work_with_clusters_and_a_judge_grows_linearly(monkeypatch):
    """At most 400 clusters are left out, of which each takes the thresholds once."""
    looked_at = []
    without = _left_out._Items.counts_without

    def counted(items, counts, begin, n):
        looked_at.append(n * counts.thresholds.size)
        return without(items, counts, begin, n)

    monkeypatch.setattr(_left_out._Items, "counts_without", counted)
    work = []
    for n in (100, 1_000, 10_000):
        rng, looked_at[:] = np.random.default_rng(0), []
        cluster = np.arange(20 * n) // 10
        y = rng.random(cluster.size) < 0.2
        judge = np.where(rng.random(y.size) < 0.9, y, ~y)
        labels = np.where(cluster < n, y, np.nan)
        average_precision_interval(
            labels, y + rng.normal(size=y.size), judge=judge, clusters=cluster
        )
        work.append(sum(looked_at))
    assert work[0] > 0
    assert work[1] <= 10 * work[0]
    assert work[2] <= 10 * work[1]
