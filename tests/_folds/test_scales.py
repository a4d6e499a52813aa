"""Whether scores mean the same in all folds, also where rows belong to patients."""

import warnings

import numpy as np
import pytest
from pooled import pooled_best, pooled_comparison, pooled_interval
from scipy.stats import chi2_contingency

from sklearn_ap._folds.warnings import TestedRows as Rows

OTHER_SCALES = np.array([1.0, 1.0, 4.0, 0.25, 1.0])  # of folds, as a search over C gives them


def patients(seed, n=250, n_rows=5, effect=1.0):
    """Labels, scores, folds and patients: rows of a patient share a label and part of the score."""
    rng = np.random.default_rng(seed)
    patient, ill = np.repeat(np.arange(n), n_rows), rng.random(n) < 0.2
    score = 1.5 * ill + effect * rng.normal(size=n)
    score = score[patient] + rng.normal(size=patient.size)
    return ill[patient].astype(int), score, (rng.permutation(n) % 5)[patient], patient


def heard(y, score, fold, patient, call=pooled_interval, **options):
    """The names of the warnings, and the result."""
    given = {"y_score": score, "folds": fold}
    if call is not pooled_interval:
        given = {"a": given, "b": {"y_score": np.round(score, 1), "folds": fold}}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        found = call(given, None, y, clusters=patient, **options)
    return {str(each.message).split(":")[0]: str(each.message) for each in caught}, found


@pytest.mark.parametrize("call", [pooled_interval, pooled_comparison, pooled_best])
def test_unequal_fold_scales_with_patients_raise_a_warning(call):
    y, score, fold, patient = patients(0)
    scaled = score * OTHER_SCALES[fold], fold, patient
    found, _ = heard(y, *scaled, call=call)
    assert "Pass pooling='ranks'" in found["unequal scales"]
    assert "pass clusters" not in found["unequal scales"]
    assert "unequal scales" not in heard(y, *scaled, call=call, pooling="ranks")[0]
    assert "unequal scales" not in heard(y, score, fold, patient, call=call)[0]


def test_differences_between_patients_are_not_taken_for_unequal_scales():
    """Of 12 cross-validations, the test of independent rows warns in some."""
    names = [heard(*patients(seed, effect=4.0))[0] for seed in range(12)]
    assert not any("unequal scales" in found for found in names)
    data = (patients(seed, effect=4.0)[:3] for seed in range(12))
    names = [heard(*each, patient=None)[0] for each in data]
    assert any("unequal scales" in found for found in names)


def test_scale_warning_ignores_row_order_cluster_names_and_monotone_maps():
    y, score, fold, patient = patients(1)
    for scale in (OTHER_SCALES, np.ones(5)):
        scaled = score * scale[fold]
        order = np.random.default_rng(0).permutation(y.size)
        new_names = np.array([f"patient {(7 * i) % 250}" for i in range(250)])[patient]
        expected = heard(y, scaled, fold, patient)[0].get("unequal scales")
        assert (expected is not None) == (scale is OTHER_SCALES)
        for each in (
            (y[order], scaled[order], fold[order], patient[order]),
            (y, np.arctan(scaled) + 3, fold, patient),
            (y, scaled, fold, new_names),
        ):
            assert heard(*each)[0].get("unequal scales") == expected


def test_p_value_matches_random_assignment_of_clusters_to_folds():
    rng = np.random.default_rng(3)
    cluster, n_folds = np.repeat(np.arange(48), 3), 4
    label = rng.integers(0, 2, cluster.size)
    is_top = (rng.normal(size=48)[cluster] + label + rng.normal(size=cluster.size)) > 1
    residual = [float(t) - is_top[label == c].mean() for t, c in zip(is_top, label, strict=True)]
    sums = np.array([sum(residual[3 * i : 3 * i + 3]) for i in range(48)])
    dealt = rng.permuted(np.tile(np.arange(48) % n_folds, (20_000, 1)), axis=1)
    squares = sum(((dealt == fold) @ sums) ** 2 for fold in range(n_folds))
    order = np.argsort(squares)
    for share in (0.3, 0.05, 0.01):
        fold = dealt[order[-round(share * len(order))]]
        found = Rows.from_units(fold[cluster], cluster).pvalue(is_top, label.astype(float))
        assert found == pytest.approx(share, rel=0.25)


def test_p_value_for_independent_rows_is_the_chi_squared_test():
    fold = np.repeat([0, 1, 2], [1000, 1500, 2000])
    is_top = np.concatenate([np.arange(n) < m for n, m in ((1000, 230), (1500, 300), (2000, 380))])
    table = [np.bincount(fold[is_top]), np.bincount(fold[~is_top])]
    expected = chi2_contingency(table).pvalue
    found = Rows.from_units(fold, np.arange(4500)).pvalue(is_top, np.zeros(4500))
    assert found == pytest.approx(expected, rel=0.01)
    unknown = np.full(4500, np.nan)  # a class of its own
    assert Rows.from_units(fold, np.arange(4500)).pvalue(is_top, unknown) == found


@pytest.mark.parametrize(("n_top", "is_found"), [(36, False), (37, True)])
def test_unequal_tops_are_detected_below_p_of_1_in_4000(n_top, is_found):
    """Of four tops together in 1,000: a correlation of .26 over 200 rows."""
    score = np.concatenate([np.repeat([0.0, 1.0], [100 - n, n]) for n in (n_top, 50 - n_top)])
    rows = Rows.from_units(np.repeat([0, 1], 100), np.arange(200))
    assert (rows.pvalue(score > 0, np.zeros(200)) <= 1e-3 / 4) == is_found


@pytest.mark.parametrize(
    ("n_positives", "is_found"), [(2, False), (3, True), (150, True), (151, False)]
)
def test_top_is_between_4_rows_per_fold_and_half_the_rows(n_positives, is_found):
    """They are shared unequally at 12 rows, and at 300 of 600."""
    score = np.arange(600.0).reshape(200, 3).T
    if n_positives < 4:
        score[0, -12:] += 1000
    else:
        score[0, :150] -= 1000
    labels = np.arange(600) * 7 % 600 < n_positives
    found = Rows.from_units(np.repeat([0, 1, 2], 200), np.arange(600)).unequal_shares(
        score.ravel(), labels.astype(float)
    )
    assert (found is not None) == is_found
    if is_found:
        n_top, n_rows = found
        assert n_top.sum() == (12 if n_positives < 4 else 300)
        assert n_rows.tolist() == [200, 200, 200]


def test_one_cluster_per_fold_gives_no_evidence_of_unequal_scales():
    fold = np.repeat([0, 1, 2], [60, 60, 60])
    cluster = np.where(fold == 0, 0, np.arange(180))
    is_top = fold == 0
    assert Rows.from_units(fold, cluster).pvalue(is_top, np.zeros(180)) > 0.05
    assert Rows.from_units(fold, np.arange(180)).pvalue(is_top, np.zeros(180)) < 1e-9
    assert Rows.from_units(fold, fold).pvalue(is_top, np.zeros(180)) == 1
    assert Rows.from_units(np.zeros(180, int), cluster).pvalue(is_top, np.zeros(180)) == 1
    assert Rows.from_units(fold, cluster).pvalue(np.ones(180, bool), np.zeros(180)) == 1
