"""The influence of a row is the derivative of the value by the weight of that row."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sklearn_ap import average_precision_interval, threshold_counts
from sklearn_ap.definitions import AtK, Expected, Interpolated
from sklearn_ap.definitions._prevalence import at_prevalence
from tests.helpers.reference import derivatives
from tests.helpers.registry import DEFINITIONS, predictions, reference_of, takes_weights

Y_TRUE = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
Y_SCORE = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1])
WEIGHTS = st.sampled_from([0.125, 0.5, 1.0, 2.0, 3.5])
SIMPLE = threshold_counts(Y_TRUE, Y_SCORE)

SMOOTH = [definition for definition in DEFINITIONS if definition.influence(SIMPLE) is not None]
# Values at levels, and those that take no weights, borrow an influence that is not their own.
OWN = [d for d in SMOOTH if getattr(d, "recall_levels", None) is None and takes_weights(d)]


def over(chosen):
    return pytest.mark.parametrize("definition", chosen, ids=repr)


def of_rows(definition, y_true, y_score, counts):
    """The influence of each row of one ranking."""
    influence = definition.influence(counts)
    found = np.zeros(len(y_true))  # a negative below the last threshold has none
    for i, (label, score) in enumerate(zip(y_true, y_score, strict=True)):
        place = np.count_nonzero(counts.thresholds > score)  # the threshold at the row or below
        if label:
            found[i] = influence.positive[place]
        elif place < counts.thresholds.size:
            tied = counts.thresholds[place] == score
            found[i] = (influence.tied if tied else influence.between)[place]
    return found


def counts_of(definition, data, missed=0):
    y_true, y_score, weight = data
    weight = weight if takes_weights(definition) else None
    counts = threshold_counts(y_true, y_score, sample_weight=weight)
    return replace(counts, n_positives=counts.n_positives + missed)


@over(OWN)
@given(data=predictions(max_size=7, weights=WEIGHTS), missed=st.integers(0, 3))
def test_influence_is_the_derivative_by_row_weight(definition, data, missed):
    """That of the reference, which moves weights by 1e-15."""
    counts = counts_of(definition, data, missed)
    assume(counts.thresholds.size)
    y_true, y_score, weight = (array.tolist() for array in data)
    known, value = Fraction(float(counts.n_positives[0])), reference_of(definition)

    def moved(by, row):
        weights = [Fraction(w) + (by if i == row else 0) for i, w in enumerate(weight)]
        grown = by if row == "unscored" or y_true[row] else 0
        return value(y_true, y_score, weight=weights, n_positives=known + grown)

    rows = [*range(len(y_true)), "unscored"]
    falls, rises = zip(*(derivatives(lambda by, r=r: moved(by, r)) for r in rows), strict=True)
    # Where two vertices of an envelope are equally high, the value has a kink.
    assume(np.allclose(np.array(falls, float), np.array(rises, float), rtol=0, atol=1e-9))
    unscored = definition.influence(counts).unscored[0]
    found = [*of_rows(definition, y_true, y_score, counts), unscored]
    np.testing.assert_allclose(found, np.array(rises, float), rtol=0, atol=1e-8)


@over(SMOOTH)
@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("n_samples", [400, pytest.param(4000, marks=pytest.mark.more)])
def test_standard_error_matches_simulated_samples(definition, decimals, n_samples):
    n, rng = 300, np.random.default_rng(1)

    def draw(size):
        y = rng.random(size) < 0.2
        return y, np.round(0.5 * y + rng.normal(size=size), decimals)

    options = {"queries": np.arange(n_samples * n) // n, "average": None, "definition": definition}
    found = average_precision_interval(*draw(n_samples * n), **options)
    error = found.estimate.std(ddof=1)
    assert 0.85 < np.sqrt(np.mean(found.standard_error**2)) / error < 1.15


@over([definition for definition in OWN if definition.prevalence is None])
def test_at_a_prevalence_the_influences_of_a_class_add_up_to_0(definition):
    """A weight that all rows of a class share changes nothing there."""
    y_true, y_score = [*Y_TRUE, 0, 0], [*Y_SCORE, 0.05, 0]
    counts, wrapped = threshold_counts(y_true, y_score), at_prevalence(definition, 0.1)
    found = of_rows(wrapped, y_true, y_score, counts)
    found[-2:] = wrapped.influence(counts).below[0]
    assert np.abs(found).max() > 0.01
    assert [found[np.equal(y_true, c)].sum() for c in (0, 1)] == pytest.approx([0, 0], abs=1e-15)


def test_interpolation_at_few_recall_levels_is_resampled():
    found = [Interpolated(n).influence(SIMPLE) is None for n in (2, 10, (0.1, 0.5), None, 11, 101)]
    assert found == [True, True, True, False, False, False]


@pytest.mark.parametrize("definition", [AtK(3), Expected(3)])
def test_scores_at_k_jump_and_have_no_influence(definition):
    assert definition.influence(SIMPLE) is None


@over(OWN)
@pytest.mark.parametrize("power", [-300, 300])
def test_weights_of_all_sizes_have_a_finite_influence(definition, power):
    weight = np.ldexp(np.array([1, 2, 1, 3, 1, 1, 2, 1, 1, 1.0]), power)
    tiny = threshold_counts(Y_TRUE, Y_SCORE, sample_weight=weight)
    plain = threshold_counts(Y_TRUE, Y_SCORE, sample_weight=np.ldexp(weight, -power))
    found, expected = (definition.influence(counts).unscored for counts in (tiny, plain))
    np.testing.assert_allclose(np.ldexp(found, power), expected, rtol=1e-12)
    wide = threshold_counts(Y_TRUE, Y_SCORE, sample_weight=np.ldexp(1.0, -np.arange(0, 300, 30)))
    assert np.isfinite(definition.influence(wide).positive).all()
