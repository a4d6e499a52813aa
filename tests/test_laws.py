"""What holds for every score, on generated data full of ties, weights and one-class cases."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
import reference
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from registry import REGISTRY, WEIGHTS, predictions

import sklearn_ap
from sklearn_ap import counts as counts_module

pytestmark = pytest.mark.filterwarnings("ignore:k=.* exceeds the total of sample_weight")

every_score = pytest.mark.parametrize("name", REGISTRY)
every_weighted = pytest.mark.parametrize("name", [n for n, e in REGISTRY.items() if e.weighted])


def score(name, *args, **options):
    return REGISTRY[name].score(*args, zero_division=np.nan, **options)


def close(first, second):
    return np.testing.assert_allclose(first, second, rtol=0, atol=1e-12)


def exact(value):
    return np.nan if value is None else float(value)


@every_score
@given(data=predictions())
def test_it_equals_the_reference(name, data):
    y_true, y_score = data
    expected = REGISTRY[name].reference(y_true.tolist(), y_score.tolist())
    close(score(name, y_true, y_score), exact(expected))


@every_weighted
@given(data=predictions(weights=WEIGHTS))
def test_it_equals_the_weighted_reference(name, data):
    y_true, y_score, weight = data
    entry = REGISTRY[name]
    expected = entry.reference(y_true.tolist(), y_score.tolist(), weight=weight.tolist())
    close(score(name, y_true, y_score, sample_weight=weight), exact(expected))


WIDE = st.sampled_from([1e-12, 1e-9, 1.0, 1e6, 1e9, 1e20])
without_levels = [n for n, e in REGISTRY.items() if e.weighted and "leve" not in n]


@pytest.mark.parametrize("name", without_levels)
@given(data=predictions(weights=WIDE))
def test_it_equals_the_reference_for_weights_of_all_sizes(name, data):
    """Recall levels are compared with a tolerance that these weights are below."""
    y_true, y_score, weight = data
    expected = REGISTRY[name].reference(y_true.tolist(), y_score.tolist(), weight=weight.tolist())
    close(score(name, y_true, y_score, sample_weight=weight), exact(expected))


@given(data=predictions(weights=WIDE))
def test_linear_and_hyperbolic_equal_the_reference_for_weights_of_all_sizes(data):
    y_true, y_score, weight = data
    counts = sklearn_ap.threshold_counts(y_true, y_score, sample_weight=weight)
    linear = reference.linear(y_true.tolist(), y_score.tolist(), weight.tolist())
    close(sklearn_ap.definitions.Linear()(counts)[0], exact(linear))
    value = sklearn_ap.definitions.Hyperbolic()(counts)[0]
    assert np.isnan(value) or 0 <= value <= 1 + 1e-12


@every_score
@given(data=predictions(), missed=st.integers(0, 5))
def test_positives_never_scored_equal_the_reference(name, data, missed):
    y_true, y_score = data
    known = int(y_true.sum()) + missed
    expected = REGISTRY[name].reference(y_true.tolist(), y_score.tolist(), n_positives=known)
    close(score(name, y_true, y_score, n_positives=known), exact(expected))


@every_score
@given(data=predictions(), seed=st.integers(0, 99))
def test_order_of_rows_does_not_matter(name, data, seed):
    y_true, y_score = data
    order = np.random.default_rng(seed).permutation(len(y_true))
    close(score(name, y_true[order], y_score[order]), score(name, y_true, y_score))


@every_score
@given(data=predictions(), steps=st.lists(st.floats(1e-3, 1e3), min_size=9, max_size=9))
def test_a_strictly_increasing_map_of_the_scores_does_not_matter(name, data, steps):
    y_true, y_score = data
    mapped = np.cumsum(steps)[(8 * y_score + 4).astype(int)]
    close(score(name, y_true, mapped), score(name, y_true, y_score))


with_threshold = pytest.mark.parametrize(
    "name",
    [n for n in REGISTRY if " over " in n or n in ("precision at 3", "recall at 3")],
)


@with_threshold
@given(data=predictions(max_size=20), threshold=st.integers(-5, 5))
def test_what_is_retrieved_of_a_long_ranking_equals_the_reference(name, data, threshold):
    y_true, y_score = data  # twenty items have a top three that a partition finds
    expected = REGISTRY[name].reference(y_true.tolist(), y_score.tolist(), threshold=threshold / 8)
    close(score(name, y_true, y_score, threshold=threshold / 8), exact(expected))


@with_threshold
@given(data=predictions(weights=WEIGHTS), threshold=st.integers(-5, 5))
def test_what_is_retrieved_above_a_threshold_equals_the_reference(name, data, threshold):
    y_true, y_score, weight = data
    expected = REGISTRY[name].reference(
        y_true.tolist(), y_score.tolist(), weight=weight.tolist(), threshold=threshold / 8
    )
    options = {"sample_weight": weight, "threshold": threshold / 8}
    close(score(name, y_true, y_score, **options), exact(expected))


@every_weighted
@given(data=predictions(weights=WEIGHTS), missed=st.sampled_from([0.0, 0.25, 3.0]))
def test_weighted_positives_never_scored_equal_the_reference(name, data, missed):
    y_true, y_score, weight = data
    known = float(weight[y_true == 1].sum()) + missed
    expected = REGISTRY[name].reference(
        y_true.tolist(), y_score.tolist(), weight=weight.tolist(), n_positives=known
    )
    options = {"sample_weight": weight, "n_positives": known}
    close(score(name, y_true, y_score, **options), exact(expected))


@with_threshold
@given(data=predictions(), threshold=st.integers(-5, 5))
def test_a_strictly_increasing_map_of_scores_and_threshold_does_not_matter(name, data, threshold):
    y_true, y_score = data
    close(
        score(name, y_true, np.exp(y_score), threshold=float(np.exp(threshold / 8))),
        score(name, y_true, y_score, threshold=threshold / 8),
    )


@every_weighted
@given(data=predictions(weights=st.integers(0, 3)))
def test_weight_is_repetition(name, data):
    y_true, y_score, weight = data
    repeated = score(name, np.repeat(y_true, weight), np.repeat(y_score, weight))
    close(score(name, y_true, y_score, sample_weight=weight), repeated)


@every_weighted
@given(data=predictions(weights=WEIGHTS))
def test_weight_zero_is_absence(name, data):
    y_true, y_score, weight = data
    kept = weight > 0
    alone = score(name, y_true[kept], y_score[kept], sample_weight=weight[kept])
    close(score(name, y_true, y_score, sample_weight=weight), alone)


@pytest.mark.parametrize(
    "name", [n for n, e in REGISTRY.items() if e.weighted and e.counts_to is None]
)
@given(data=predictions(weights=WEIGHTS), factor=st.sampled_from([1e-6, 1 / 3, 7.0, 1e6]))
def test_multiplying_all_weights_changes_nothing(name, data, factor):
    y_true, y_score, weight = data
    scaled = score(name, y_true, y_score, sample_weight=factor * weight)
    close(score(name, y_true, y_score, sample_weight=weight), scaled)


@given(data=predictions(weights=WEIGHTS), factor=st.integers(2, 5), k=st.integers(1, 4))
def test_k_counts_weight(data, factor, k):
    y_true, y_score, weight = data
    for function in (
        sklearn_ap.average_precision_at_k_score,
        sklearn_ap.precision_at_k_score,
        sklearn_ap.recall_at_k_score,
    ):
        close(
            function(y_true, y_score, k=k, sample_weight=weight, zero_division=0.0),
            function(
                y_true, y_score, k=factor * k, sample_weight=factor * weight, zero_division=0.0
            ),
        )


@every_weighted
@given(data=predictions(weights=st.floats(0, 1)))
def test_it_lies_between_0_and_1_for_any_weights(name, data):
    y_true, y_score, weight = data
    value = score(name, y_true, y_score, sample_weight=weight)
    assert np.isnan(value) or 0 <= value <= 1


@every_score
@given(data=predictions())
def test_it_lies_between_0_and_1(name, data):
    value = score(name, *data)
    assert np.isnan(value) or 0 <= value <= 1


@given(data=predictions(weights=WEIGHTS))
def test_interpolated_is_at_least_step(data):
    y_true, y_score, weight = data
    step = score("step", y_true, y_score, sample_weight=weight)
    assert np.isnan(step) or (
        score("interpolated", y_true, y_score, sample_weight=weight) >= step - 1e-15
    )


@every_score
@given(data=predictions())
def test_lists_and_other_dtypes_agree_with_arrays(name, data):
    y_true, y_score = data
    value = score(name, y_true, y_score)
    close(score(name, y_true.tolist(), y_score.tolist()), value)
    close(score(name, y_true.astype(bool), y_score.astype(np.float32)), value)
    close(score(name, y_true.astype(float), y_score.astype(np.float16)), value)
    close(score(name, y_true, (8 * y_score).astype(np.int8)), value)
    close(score(name, pd.Series(y_true), pd.Series(y_score)), value)
    close(score(name, pd.Series(y_true, dtype="Int64"), pd.Series(y_score, dtype="Float64")), value)
    close(score(name, pl.Series(y_true), pl.Series(y_score)), value)
    names = np.array(["no", "yes"])[y_true]
    close(score(name, names, y_score, pos_label="yes"), value)


@pytest.mark.parametrize("name", [n for n, e in REGISTRY.items() if e.best_is_one])
@given(labels=st.lists(st.integers(0, 1), min_size=1, max_size=9))
def test_a_perfect_ranking_scores_1(name, labels):
    assume(any(labels))
    close(score(name, labels, labels), 1.0)


@given(data=predictions(weights=st.integers(0, 3)))
def test_at_n_over_all_positives_is_step(data):
    y_true, y_score, weight = data
    at_n = sklearn_ap.average_precision_at_k_score(
        *(y_true, y_score),
        k=int(weight.sum()),
        sample_weight=weight,
        zero_division=np.nan,
    )
    close(at_n, score("step", y_true, y_score, sample_weight=weight))


@given(data=predictions())
def test_k_beyond_the_last_item_changes_only_what_divides_by_k(data):
    y_true, y_score = data
    n = len(y_true)
    at_k, precision = sklearn_ap.average_precision_at_k_score, sklearn_ap.precision_at_k_score
    for normalizer in ("attainable", "positives", "hits"):
        options = {"normalizer": normalizer, "zero_division": np.nan}
        close(at_k(y_true, y_score, k=n, **options), at_k(y_true, y_score, k=5 * n, **options))
    options = {"normalizer": "k", "zero_division": np.nan}
    close(at_k(y_true, y_score, k=n, **options), 5 * at_k(y_true, y_score, k=5 * n, **options))
    close(precision(y_true, y_score, k=n), 5 * precision(y_true, y_score, k=5 * n))


@given(labels=st.lists(st.integers(0, 1), min_size=1, max_size=9))
def test_constant_scores_give_the_prevalence_under_step(labels):
    assume(any(labels))
    close(score("step", labels, np.zeros(len(labels))), np.mean(labels))


@pytest.mark.parametrize(
    ("name", "weighted"),
    [(name, False) for name in REGISTRY] + [(n, True) for n, e in REGISTRY.items() if e.weighted],
)
@pytest.mark.parametrize("longest_row", [0, 4, counts_module.LONGEST_ROW])
@settings(max_examples=30)
@given(data=predictions(max_size=12, weights=WEIGHTS), seed=st.integers(0, 99))
def test_groups_score_as_if_alone(name, weighted, longest_row, data, seed):
    """Both ways of counting many rankings: alone, and short ones as rows of a table."""
    y_true, y_score, weight = data
    groups = np.random.default_rng(seed).integers(0, 4, len(y_true))
    present = np.unique(groups[weight > 0] if weighted else groups)
    options = {"sample_weight": weight} if weighted else {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(counts_module, "LONGEST_ROW", longest_row)
        values = score(name, y_true, y_score, groups=groups, average=None, **options)
        mean = score(name, y_true, y_score, groups=groups, **options)
    alone = [
        score(name, y_true[at], y_score[at], **{key: w[at] for key, w in options.items()})
        for at in (groups == group for group in present)
    ]
    close(values, alone)
    close(mean, np.mean(values[~np.isnan(values)]) if not np.isnan(values).all() else np.nan)


@every_score
@given(data=predictions(max_size=12), n_columns=st.integers(2, 3))
def test_columns_score_as_if_alone(name, data, n_columns):
    y_true, y_score = (array[: array.size // n_columns * n_columns] for array in data)
    assume(y_true.size)
    y_true, y_score = y_true.reshape(-1, n_columns), y_score.reshape(-1, n_columns)
    values = score(name, y_true, y_score, average=None)
    close(values, [score(name, *column) for column in zip(y_true.T, y_score.T, strict=True)])
    close(
        score(name, y_true, y_score, average="micro"), score(name, y_true.ravel(), y_score.ravel())
    )
    rows = np.array([score(name, *row) for row in zip(y_true, y_score, strict=True)])
    if not np.isnan(rows).all():
        close(score(name, y_true, y_score, average="samples"), np.nanmean(rows))
