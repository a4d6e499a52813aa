"""Exact binomial tests of thresholds."""

import re

import numpy as np
import pytest
from scipy.stats import beta, binom

from sklearn_ap import operating_point
from sklearn_ap._questions.operating_points._guarantees import is_hardly_shown


def test_hardly_reachable_precision_is_recognized_from_all_thresholds():
    """Each threshold's test is looked at here, and only those near its median there."""
    rng, answers = np.random.default_rng(0), []
    for _ in range(1000):
        is_positive = rng.random(rng.integers(1, 60)) < rng.random()
        size = 1.0 + np.flatnonzero(is_positive)
        tps, rows_of_one = np.arange(1.0, 1 + size.size), rng.choice([0.3, 1, 2.5])
        precision = rng.choice([0.01, 0.05, 0.2, 0.5, 0.8, 0.9, 0.99, 1.0])
        if not size.size:
            continue
        shapes = tps * rows_of_one, (size - tps) * rows_of_one + 1
        expected = bool((beta.cdf(min(precision, 0.5**0.1), *shapes) > 0.5).all())
        assert is_hardly_shown(tps, size, precision, rows_of_one) == expected
        answers.append(expected)
    assert 300 < np.sum(answers) < 700


@pytest.mark.parametrize(
    "goal", [{"precision": 0.8}, {"recall": 0.8}, {"precision": 0.7, "prevalence": 0.05}]
)
def test_suggested_number_of_random_labels_usually_gives_a_threshold(goal):
    def drawn(n, seed):
        rng = np.random.default_rng(seed)
        y = rng.random(n) < 0.1
        y[0] = True
        return y, rng.normal(size=n) + 2.3 * y, rng.random(n)

    y, s, u = drawn(20_000, 0)
    chance = np.where(s > 2, 1.0, 0.1)
    rows, weight = u < chance, 1 / chance[u < chance]
    with pytest.raises(ValueError, match="not go with sample_weight") as raised:
        operating_point(y[rows], s[rows], sample_weight=weight, guarantee=0.9, **goal)
    n = int(re.search(r"About ([\d,]+) would do", str(raised.value))[1].replace(",", ""))
    for size, low, high in ((n, 0.6, 1.0), (n // 10, 0.0, 0.4)):
        points = [operating_point(*drawn(size, i)[:2], guarantee=0.9, **goal) for i in range(40)]
        assert low <= np.mean([point.recall > 0 for point in points]) <= high


# ---- over clusters


def slow_effect(clusters, is_error, assumed):
    """Equation 37, cluster by cluster, with two assumed clusters of errors."""
    sizes, errors = zip(
        *(((clusters == c).sum(), is_error[clusters == c].sum()) for c in np.unique(clusters)),
        strict=True,
    )
    n, share = sum(sizes), sum(errors) / sum(sizes)
    shown, n_clusters = 1.0, 0
    if 0 < share < 1:
        n_clusters = sum(f > 0 for f in errors)
        variance = sum((f - share * m) ** 2 for m, f in zip(sizes, errors, strict=True))
        shown = variance / (n * share * (1 - share))
        pairs = sum(f * (m - 1) for m, f in zip(sizes, errors, strict=True))
        agreement = sum(f * (f - 1) for f in errors) / pairs if pairs else 0
        correlation = (agreement - share) / (1 - share)
        shown = max(shown, 1 + correlation * (sum(m * m for m in sizes) / n - 1))
    return max(1.0, (n_clusters * shown + 2 * assumed) / (n_clusters + 2))


def slow_pvalue(n_hits, n, share, effect):
    return beta.cdf(share, n_hits / effect, (n - n_hits) / effect + 1) if n_hits else 1.0


def squares(clusters):
    return np.sum(np.unique(clusters, return_counts=True)[1] ** 2)


def lowest_precise(y, s, clusters, precision, alpha):
    """The lowest threshold whose precision is shown over clusters, threshold by threshold."""
    n_of = {t: np.sum(s >= t) for t in np.unique(s)[::-1]}
    limit = min(y.size, y.sum() / precision)
    thresholds = [t for t, n in n_of.items() if n <= limit]
    if not thresholds:
        return np.nan
    kish = {t: n_of[t] ** 2 / squares(clusters[s >= t]) for t in thresholds}
    n_units = {t: max(kish[above] for above in thresholds if above >= t) for t in thresholds}
    limit *= n_units[thresholds[-1]] / n_of[thresholds[-1]]

    def error_clusters(t):
        return np.unique(clusters[(s >= t) & ~y]).size

    def assumed(t):
        rows = clusters[s >= t]
        following = [u for u in n_of if error_clusters(u) > error_clusters(t)]
        t = following[0] if following else min(n_of)
        rows_there, wrong = clusters[s >= t], clusters[(s >= t) & ~y]
        sizes = [np.sum(rows_there == c) for c in wrong]
        return max(squares(rows) / rows.size, np.mean(sizes) if sizes else 0)

    def pvalue(t):
        selected = s >= t
        effect = slow_effect(clusters[selected], ~y[selected], assumed(t))
        return slow_pvalue(y[selected].sum(), n_of[t], precision, effect)

    def ranks(levels):
        """The fewest clusters that show the precision with 0, 1, 2, 4, 8 ... errors."""
        rows = np.arange(1, y.size + 1)
        enough = [
            rows[binom.cdf(k, rows, 1 - precision) <= level]
            for k, level in zip((0, 1, 2, 4, 8, 13, 20, 32, 49, 74, 113), levels, strict=False)
        ]
        return [each[0] for each in enough if each.size and each[0] <= limit]

    def shared(n):
        return alpha / sum(1 / i for i in range(1, n + 1)) / np.arange(1, n + 1)

    starts = ranks(shared(len(ranks([alpha] * 11))))
    reached = [[t for t in thresholds if n_units[t] >= rank] for rank in starts]
    starts = sorted({each[0] for each in reached if each}, reverse=True)
    level = dict(zip(starts, shared(len(starts)), strict=True))
    lowest = np.nan
    for t in thresholds:
        if not starts or t > starts[0]:
            continue
        passes_below = any(pvalue(each) <= level[each] for each in starts if each <= t)
        if pvalue(t) > sum(level[each] for each in starts if each >= t) and not passes_below:
            break
        lowest = t
    return lowest


def highest_complete(y, s, clusters, recall, alpha):
    """The highest threshold whose recall is shown over clusters: all below it are shown, too."""
    highest = np.nan
    of_positives = clusters[y]
    size = np.array([np.sum(of_positives == c) for c in of_positives])

    def assumed(t):
        n_clusters = np.unique(of_positives[s[y] < t]).size
        above = [u for u in np.unique(s) if np.unique(of_positives[s[y] < u]).size > n_clusters]
        missed = s[y] < (above[0] if above else s.max())
        return max(size.mean(), size[missed].mean() if missed.any() else 0)

    for t in np.unique(s):
        missed = s[y] < t
        effect = slow_effect(of_positives, missed, assumed(t))
        if slow_pvalue(np.sum(~missed), missed.size, recall, effect) > alpha:
            break
        highest = t
    return highest


def patients(rng, n_patients):
    """One to ten images each, whose labels and scores are alike."""
    clusters = np.repeat(np.arange(n_patients), rng.integers(1, 11, n_patients))
    effect = rng.normal(size=(2, n_patients))[:, clusters]
    y = effect[0] + rng.normal(size=clusters.size) > 0
    s = 1.5 * y + 0.5 * effect[1] + 0.5 * rng.normal(size=clusters.size)
    return y, np.round(8 * s) / 8, clusters


@pytest.mark.parametrize("n_patients", [20, 60])
def test_guarantee_over_clusters_is_that_of_its_equations(n_patients):
    rng, found = np.random.default_rng(0), []
    for _ in range(8):
        y, s, clusters = patients(rng, n_patients)
        names = rng.permutation(n_patients)[clusters]  # only rows that share a name matter
        for goal, slow in (("precision", lowest_precise), ("recall", highest_complete)):
            point = operating_point(y, s, **{goal: 0.75}, guarantee=0.9, clusters=names)
            expected = slow(y, s, clusters, 0.75, 0.1)
            if goal == "recall":
                assert np.isnan(point.threshold) == np.isnan(expected)
                expected = max_precision(y, s, expected)
            assert point.threshold == pytest.approx(expected, nan_ok=True)
            found.append(point.threshold)
    assert np.isfinite(found).sum() > 4


def max_precision(y, s, highest):
    """The most precise threshold of those that are not above the highest one."""
    allowed = [t for t in np.unique(s) if t <= highest]
    return max(allowed, key=lambda t: (y[s >= t].mean(), -t), default=np.nan)


@pytest.mark.parametrize("goal", [{"precision": 0.8}, {"recall": 0.8}])
@pytest.mark.parametrize("prevalence", [None, 0.3])
def test_cluster_of_one_row_each_changes_no_guarantee(goal, prevalence):
    for seed in range(20):
        rng = np.random.default_rng(seed)
        y, s, _ = patients(rng, 80)
        options = goal | {"prevalence": prevalence, "guarantee": 0.9}
        expected = operating_point(y, s, **options).threshold
        point = operating_point(y, s, **options, clusters=rng.permutation(y.size))
        assert point.threshold == pytest.approx(expected, nan_ok=True)


def test_copies_of_rows_in_a_cluster_show_no_more_than_the_rows():
    y, s, _ = patients(np.random.default_rng(3), 100)
    rows = np.arange(y.size)
    for goal in ({"precision": 0.8}, {"recall": 0.8}):
        expected = operating_point(y, s, **goal, guarantee=0.9).threshold
        copies = [np.repeat(each, 6) for each in (y, s, rows)]
        point = operating_point(*copies[:2], **goal, guarantee=0.9, clusters=copies[2])
        assert point.threshold == pytest.approx(expected)


def test_single_cluster_shows_nothing():
    y, s, _ = patients(np.random.default_rng(0), 50)
    for goal in ({"precision": 0.5}, {"recall": 0.5}):
        point = operating_point(y, s, **goal, guarantee=0.6, clusters=np.zeros(y.size))
        assert np.isnan(point.threshold)
        assert "with a guarantee of 0.6" in point.remark
