"""Limits, p-values and sizes of samples on pages, beside formulas, loops and simulations."""

import contextlib

import numpy as np
import pytest
import sklearn.metrics
from pages import DOCS, blocks, failures, numbers_in, run_example, run_page, run_under
from scipy.stats import norm
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

from sklearn_ap import (
    average_precision_interval,
    compare_average_precision,
    compare_segments,
    sample_size_for_interval,
)

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def ap(label, score):
    """Average precision without ties, of one ranking or of each row of a table."""
    hits = np.take_along_axis(label, np.argsort(-score, axis=-1), axis=-1)
    precision = hits.cumsum(axis=-1) / np.arange(1, hits.shape[-1] + 1)
    return (precision * hits).sum(axis=-1) / hits.sum(axis=-1)


# Segments


def test_equal_segments_with_calibrated_scores_are_rarely_called_different():
    rng, n_different = np.random.default_rng(66), 0
    for _ in range(20):
        labels, scores = [], []
        for n, prevalence in ((2000, 0.02), (400, 0.1), (133, 0.3)):
            label = (rng.random(n) < prevalence).astype(int)
            x = 2 * label + rng.normal(size=n)
            labels.append(label)
            scores.append(2 * x + np.log(prevalence / (1 - prevalence)))
        names = np.repeat([*"abc"], [2000, 400, 133])
        found = compare_segments(np.concatenate(labels), np.concatenate(scores), names)
        n_different += found.pvalue.min() < 0.05
    # Of 20 samples, 1 is expected at most, with a standard deviation of 1. One ranking of all other
    # rows, of which the levels of scores differ, calls about 9 different.
    assert n_different <= 1 + 3 * 1


# Sizes of samples


def half_width(scores, level=0.95):
    return norm.ppf((1 + level) / 2) * np.std(scores, ddof=1)


def evidence_of(n, rng):
    """Rows as on the page: labels, and scores of its model A."""
    label = rng.random(n) < 0.1
    return label, 2.3 * label + rng.normal(size=n) + 0.3 * rng.normal(size=n)


def test_planned_sizes_of_the_page_give_its_half_width():
    known = run_page("sample_size.md")
    interval = known["average_precision_interval"](known["y_true"], known["score_a"])
    positives = sample_size_for_interval(interval, half_width=0.02)
    clusters = sample_size_for_interval(known["by_patient"], half_width=0.02)
    rng = np.random.default_rng(0)
    # 50 samples: the standard error of a standard deviation is 10 %. The page's sample has 155
    # positives, and its answers a standard error of some 15 %, of the half width 7 %.
    for n in (positives * 10, clusters * 10):
        scores = [ap(*evidence_of(n, rng)) for _ in range(50)]
        assert half_width(scores) == pytest.approx(0.02, rel=0.3)


def clustered(n, rng):
    """Patients of 10 rows, whose scores share an effect; a fifth of the patients is ill."""
    ill = np.repeat(rng.random(n) < 0.2, 10)
    score = 1.5 * ill + np.repeat(rng.normal(size=n), 10) + rng.normal(size=10 * n)
    return ill, score


def test_planned_clusters_of_similar_rows_give_the_half_width():
    rng = np.random.default_rng(1)
    known = clustered(400, rng)
    found = average_precision_interval(*known, clusters=np.repeat(np.arange(400), 10))
    n = sample_size_for_interval(found, half_width=0.05)
    of_rows = sample_size_for_interval(average_precision_interval(*known), half_width=0.05)
    scores = [ap(*clustered(n, rng)) for _ in range(120)]
    # 120 samples: 6.5 %; the plan from 80 ill patients: about 10 % of the half width.
    assert half_width(scores) == pytest.approx(0.05, rel=0.3)
    assert 10 * 0.2 * n > 3 * of_rows  # rows as cases would promise far too much


def queries(n, rng):
    """Queries of 20 documents whose difficulty differs."""
    label = np.tile(np.arange(20) < 4, (n, 1))
    return label, rng.normal(size=(n, 20)) + label * rng.uniform(0, 2, (n, 1))


def test_as_many_queries_as_are_planned_give_the_half_width():
    rng = np.random.default_rng(2)
    label, score = queries(100, rng)
    found = average_precision_interval(
        label.ravel(), score.ravel(), queries=np.repeat(np.arange(100), 20)
    )
    n = sample_size_for_interval(found, half_width=0.03)
    each = ap(*queries(5000, rng))
    # The standard deviation over 100 queries, of which the plan knows no more, is known to 7 %.
    assert half_width(each) / np.sqrt(n) == pytest.approx(0.03, rel=0.2)


# P-values


def test_twice_the_median_p_value_keeps_its_level():
    known = run_example("wells_of_a_plate")
    p = known["wells"].pvalue.reshape(4, 4)
    doubled = [min(1, 2 * np.sort(each)[1:3].mean()) for each in p]
    np.testing.assert_allclose(known["doubled"], doubled)
    rng = np.random.default_rng(0)
    for share in (0, 0.5, 0.9, 1):  # of the variance that the wells of a compound have in common
        common = np.sqrt(share) * rng.normal(size=(20_000, 1))
        valid = norm.sf(common + np.sqrt(1 - share) * rng.normal(size=(20_000, 4)))
        twice = 2 * np.median(valid, axis=1)
        for level in (0.01, 0.05, 0.2):
            error = np.sqrt(level * (1 - level) / 20_000)
            assert (twice < level).mean() < level + 3 * error


# Detectors, users and folds


def voc(is_object, score):
    """The area under the envelope of precision; what has minus infinity was missed."""
    hits = is_object[np.argsort(-score)][: np.isfinite(score).sum()]
    precision = np.cumsum(hits) / np.arange(1, hits.size + 1)
    envelope = np.maximum.accumulate(precision[::-1])[::-1]
    return envelope[hits].sum() / is_object.sum()


def map_of(is_object, score, category):
    return np.mean(
        [voc(is_object[category == c], score[category == c]) for c in np.unique(category)]
    )


def test_interval_between_detectors_matches_an_image_bootstrap():
    headings = (
        *("From pycocotools", "From your own matching", "Compute mAP and AP per class"),
        *("A confidence interval for mAP", "Is the second detector better?"),
    )
    known = run_under("detections.md", *headings)
    is_object, (category, image) = (
        known["is_object"],
        (known["rows"][n] for n in ("queries", "clusters")),
    )
    a, b = known["detectors"].values()
    truth = map_of(is_object, b, category) - map_of(is_object, a, category)
    said, low, high = numbers_in("detections.md", r"\+(0\.15) \(\+([\d.]+) to \+([\d.]+)\)")
    assert said == round(truth, 2)
    rng, gains = np.random.default_rng(0), []
    of_images = [np.flatnonzero(image == i) for i in range(150)]
    for _ in range(100):
        i = np.concatenate([of_images[j] for j in rng.integers(0, 150, 150)])
        gains.append(
            map_of(is_object[i], b[i], category[i]) - map_of(is_object[i], a[i], category[i])
        )
    # 100 samples: the standard error of their standard deviation is 7 %. Limits may be wider than
    # those of a bootstrap, which are too narrow for classes with few objects, but not narrower.
    assert 0.85 < (high - low) / 2 / half_width(gains) < 1.5


def test_standard_error_over_users_equals_a_loop():
    known = run_under("queries.md", "Sparse matrices, for recommenders", "Lists of the top k")
    hits = known["hits"]
    each = []
    for row in hits:
        precision = [row[: i + 1].mean() for i in np.flatnonzero(row)]
        each.append(np.sum(precision) / min(row.sum() + 3, 10))
    error = np.std(each, ddof=1) / np.sqrt(500)
    pattern = r"mean over rows of AP@10 is ([\d.]+) \(95% interval ([\d.]+) to ([\d.]+)\)"
    said, low, high = numbers_in("queries.md", pattern)
    assert said == pytest.approx(np.mean(each), abs=5.1e-4)
    assert (high - low) / 2 == pytest.approx(1.965 * error, abs=1.1e-3)  # 499 degrees


def test_cross_validated_comparison_equals_scikit_learn_out_of_fold_predictions():
    known = run_under("cross_validation.md", "")
    X, y, cv = known["X"], known["y"], known["keep"]["cv"]
    pools = []
    for model in (GaussianNB(), LogisticRegression()):
        scores = cross_val_predict(model, X, y, cv=cv, method="predict_proba")[:, 1]
        pools.append(sklearn.metrics.average_precision_score(y, scores))
    said = numbers_in(
        "cross_validation.md", r"Bayes (0\.16) .*?linear ([\d.]+) \([^)]*\) \+([\d.]+)"
    )
    np.testing.assert_allclose(said, [*pools, pools[1] - pools[0]], atol=5.1e-3)


def test_mean_over_sites_estimates_the_score_of_a_new_site():
    """Beside the mean over new sites of the page's kind, in 60 samples of 12 sites."""
    rng = np.random.default_rng(0)
    label = rng.random((4000, 150)) < 0.2
    label = label[label.any(axis=1)]
    truth = ap(
        label, rng.normal(1.5, 0.3, len(label))[:, None] * label + rng.normal(size=label.shape)
    )
    setup, by_site = blocks("segments.md", under="Cross-validated scores")
    sample, errors, is_within = setup[: setup.index(">>> sites")], [], []
    known = {"np": np}
    for seed in range(60):
        known["rng"] = np.random.default_rng(seed)
        failures("segments.md", sample + by_site, known)  # its last line prints another sample
        found, pool = known["found"], ap(known["y_true"], known["y_score"])
        errors.append((found.estimate - truth.mean(), pool - truth.mean()))
        is_within.append(found.low <= truth.mean() <= found.high)
    of_sites, of_pool = np.mean(errors, axis=0)
    assert abs(of_sites) < 0.02
    assert of_pool < -0.05
    assert np.mean(is_within) > 0.9


# Medical tests

SPREAD = np.sqrt(0.6**2 + 0.6**2 + 0.5**2)  # of the scores of healthy images, and of ill ones


def binormal_ap(shift, prevalence):
    """Of the population of the page, whose images have normal scores in each class."""
    recall = (np.arange(200_000) + 0.5) / 200_000
    fallout = norm.sf(norm.isf(recall) + shift / SPREAD)
    return np.mean(prevalence * recall / (prevalence * recall + (1 - prevalence) * fallout))


def medical_study(seed, *headings):
    """Run the recipes of the page on another study, so that what they print differs."""
    code = "".join(
        block for heading in ("", *headings) for block in blocks("medical_tests.md", under=heading)
    )
    lines = (line[4:] for line in code.splitlines() if line[:4] in (">>> ", "... "))
    known = {}
    exec("\n".join(lines).replace("default_rng(1)", f"default_rng({seed})"), known)
    return known


def test_medical_page_says_the_true_values_of_its_population():
    (difference,) = numbers_in("medical_tests.md", r"The true difference is ([\d.]+)\.")
    truth = binormal_ap(2.5, 0.35 * 0.7) - binormal_ap(2.2, 0.35 * 0.7)
    assert difference == round(truth, 3)
    low, high = numbers_in("medical_tests.md", r"\+0\.04 \(\+([\d.]+) to \+([\d.]+)\)")
    assert low < truth < high
    known = medical_study(1)
    of_rows = average_precision_interval(known["disease"], known["model_b"])
    pattern = r"from ([\d.]+) to ([\d.]+), which is too narrow\. The true value is ([\d.]+)\."
    *limits, said = numbers_in("medical_tests.md", pattern)
    assert limits == [round(of_rows.low, 2), round(of_rows.high, 2)]
    assert said == round(binormal_ap(2.5, 0.35 * 0.7), 2)
    (in_screening,) = numbers_in("medical_tests.md", r"The true value is ([\d.]+)\. At 2%")
    assert in_screening == round(binormal_ap(2.5, 0.02), 2)
    of_100, of_these = numbers_in("medical_tests.md", r"send (\d+)% of images .*? and (\d+)% of")
    (threshold,) = numbers_in("medical_tests.md", r"rows that score ([\d.]+) or more")
    recall, fallout = norm.sf(threshold - np.array([2.5, 0]), scale=SPREAD)
    selected = 0.02 * recall + 0.98 * fallout
    assert 100 * selected == pytest.approx(of_100, abs=3)
    assert 100 * 0.02 * recall / selected == pytest.approx(of_these, abs=2)


def test_medical_intervals_cover():
    truth = binormal_ap(2.5, 0.35 * 0.7)
    in_screening, estimates, errors, is_within = binormal_ap(2.5, 0.02), [], [], []
    for seed in range(40):
        known = medical_study(seed)
        disease, patient, score = (known[name] for name in ("disease", "patient", "model_b"))
        found = average_precision_interval(disease, score, clusters=patient)
        of_rows = average_precision_interval(disease, score)
        rare = average_precision_interval(disease, score, clusters=patient, prevalence=0.02)
        estimates.append(found.estimate)
        errors.append((of_rows.standard_error, found.standard_error))
        is_within.append((found.low < truth < found.high, rare.low < in_screening < rare.high))
    over_rows, over_patients = np.mean(errors, axis=0)
    # 40 samples: the standard error of a standard deviation is 11 %.
    assert over_patients == pytest.approx(np.std(estimates), rel=0.3)
    assert over_rows < 0.9 * over_patients
    assert np.mean(is_within, axis=0) == pytest.approx(1, abs=0.13)  # 95 %, and 3 errors


def test_medical_threshold_for_patients_finds_them():
    rng = np.random.default_rng(0)
    n_images, is_missed = rng.integers(2, 7, 20_000), []
    patient = np.repeat(np.arange(n_images.size), n_images)
    score = 2.5 * (rng.random(patient.size) < 0.7) + 0.6 * rng.normal(size=n_images.size)[patient]
    score += np.sqrt(0.61) * rng.normal(size=patient.size)
    highest = np.maximum.reduceat(score, np.r_[0, n_images.cumsum()[:-1]])
    for seed in range(40):
        known = medical_study(seed, "Which threshold finds 90% of the disease?")
        is_missed.append((highest >= known["by_patient"].threshold).mean() < 0.9)
    assert sum(is_missed) <= 2 + 3 * 1.4


def test_medical_plans_give_their_half_widths():
    images, patients = numbers_in(
        "medical_tests.md", r"half_width=0\.05\) (\d+) .* (\d+) ``` With \1"
    )
    rng = np.random.default_rng(0)
    label = np.arange(4 * int(images)) < images
    found = average_precision_interval(label, 2.1 * label + rng.normal(size=label.size))
    assert (found.high - found.low) / 2 == pytest.approx(0.05, rel=0.2)
    scores = []
    for _ in range(100):
        n_images = rng.integers(2, 7, int(patients))
        patient = np.repeat(np.arange(n_images.size), n_images)
        disease = (rng.random(n_images.size) < 0.35)[patient] & (rng.random(patient.size) < 0.7)
        common = 0.6 * rng.normal(size=n_images.size)[patient]
        noise = np.sqrt(0.61) * rng.normal(size=patient.size)
        scores.append(ap(disease, 2.5 * disease + common + noise))
    assert half_width(scores) == pytest.approx(0.03, rel=0.3)


def test_equal_ways_of_reading_are_rarely_called_different_over_new_readers():
    heading = "Can I generalise to new readers?"
    (code,) = blocks("medical_tests.md", under=heading)
    lines = (line[4:] for line in code.splitlines() if line[:4] in (">>> ", "... "))
    equal = "\n".join(lines).replace("rng.normal(0.4, 0.1", "rng.normal(0.0, 0.2")
    assert equal.count("0.0, 0.2") == 1
    n_different = 0
    for seed in range(40):
        known = medical_study(seed)
        with contextlib.redirect_stdout(None):
            exec(equal, known)
        n_different += not known["low"] <= 0 <= known["high"]
    assert n_different <= 2 + 3 * 1.4


# Comparisons


@pytest.fixture(scope="module")
def compared():
    """The samples of the page on comparisons, as arguments."""
    known = run_under("comparison.md", "")
    models = {"A": known["score_a"], "B": known["score_b"]}
    return known["y_true"], models


@pytest.mark.parametrize(("limit", "decision"), [(0.019, "better"), (0.018, "undecided")])
def test_a_limit_of_p_is_passed_as_a_confidence_level(compared, limit, decision):
    assert "Pass `confidence_level=1 - limit`" in (DOCS / "comparison.md").read_text()
    found = compare_average_precision(*compared, confidence_level=1 - limit)
    assert found.verdict[-1] == decision
