"""The influence of a row is the derivative of the value by the weight of that row."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from reference import derivatives
from registry import DEFINITIONS, predictions, reference_of, takes_weights

from sklearn_ap import average_precision_interval, threshold_counts
from sklearn_ap._inputs.request import Request
from sklearn_ap.definitions import AtK, Expected, Heights, Hyperbolic, Interpolated, Linear, Step
from sklearn_ap.metrics import check_and_count

Y_TRUE = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
Y_SCORE = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1])
WEIGHTS = st.sampled_from([0.125, 0.5, 1.0, 2.0, 3.5])
SIMPLE = threshold_counts(Y_TRUE, Y_SCORE)

SMOOTH = [definition for definition in DEFINITIONS if definition.influence(SIMPLE) is not None]
# Values at levels, and those that take no weights, borrow an influence that is not their own.
OWN = [d for d in SMOOTH if d.samples(SIMPLE) is None and takes_weights(d)]
EXACT_BIAS = [Step(), Linear(), Hyperbolic()]
EXACT = [*EXACT_BIAS, Interpolated()]


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
    """That of the reference, which moves weights by 1e-15.

    Exact to a difference's step, 1e-6 over weights of 1/8, as a height may have a kink at the data.
    """
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
    tolerance = 1e-8 if definition in EXACT else 3e-5
    np.testing.assert_allclose(found, np.array(rises, float), rtol=0, atol=tolerance)


def stranger(heights, divisor=lambda counts: counts.n_positives, smooth=True):
    """A definition that may say that it is smooth."""
    members = {
        "title": "of a stranger",
        "smooth": smooth,
        "heights": lambda self, counts: heights(counts),
        "divisor": lambda self, counts: divisor(counts),
    }
    return type("Stranger", (Heights,), members)()


def precision(counts):
    return counts.precision


@pytest.mark.parametrize(
    "definition",
    [
        stranger(lambda counts: counts.envelope(counts.precision)),
        stranger(lambda counts: counts.precision * counts.thresholds),
        stranger(lambda counts: counts.precision / counts.each(1.0 + counts.n_negatives)),
        stranger(precision, lambda counts: np.full(counts.n_positives.shape, 4)),
        AtK(3),
        Expected(3),
    ],
)
def test_definitions_beyond_threshold_and_positives_have_no_influence(definition):
    assert definition.influence(SIMPLE) is None


def test_numerical_influence_and_bias_scale_with_the_divisor():
    counts = check_and_count(Step(), Request(y_true=Y_TRUE, y_score=Y_SCORE, queries=[0, 1] * 5))[1]
    twice = stranger(precision, lambda counts: 2 * counts.n_positives)
    halved, whole = twice.influence(counts), Step().influence(counts)
    for name in ("positive", "unscored"):
        np.testing.assert_allclose(getattr(halved, name), getattr(whole, name) / 2, atol=1e-9)
    np.testing.assert_allclose(twice.bias(counts), Step().bias(counts) / 2, atol=1e-12)


def many_times(times):
    names = ("gained", "tps", "fps", "fps_above", "n_positives", "n_negatives")
    return replace(SIMPLE, **{name: getattr(SIMPLE, name) * times for name in names})


@pytest.mark.parametrize("definition", EXACT_BIAS)
@pytest.mark.parametrize("times", [10**8, 10**9, 10**11, 10**13, 9 * 10**15, 10**17])
def test_rounding_in_huge_samples_does_not_appear_as_bias(definition, times):
    """The bias falls as one over their number, and the standard error as one over its root."""
    expected = definition.bias(many_times(1000))[0] * 1000 / times
    noise = 0.02 * 0.45 / np.sqrt(times)
    assert definition.bias(many_times(times))[0] == pytest.approx(expected, abs=noise)


@over(SMOOTH)
@pytest.mark.parametrize("decimals", [1, 9])
@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
@pytest.mark.parametrize("n_samples", [400, pytest.param(4000, marks=pytest.mark.slow)])
def test_standard_error_and_bias_match_simulated_samples(definition, decimals, n_samples):
    n, rng = 300, np.random.default_rng(1)

    def draw(size):
        y = rng.random(size) < 0.2
        return y, np.round(0.5 * y + rng.normal(size=size), decimals)

    options = {"queries": np.arange(n_samples * n) // n, "average": None, "definition": definition}
    found = average_precision_interval(*draw(n_samples * n), **options)
    error = found.estimate.std(ddof=1)
    assert 0.85 < np.sqrt(np.mean(found.standard_error**2)) / error < 1.15
    if not np.isnan(found.bias).all():
        population = definition(threshold_counts(*draw(n * 1000)))[0]
        off = found.estimate.mean() - population - found.bias.mean()
        assert abs(off) < 3.5 * error * np.sqrt(1 / n_samples + 1 / 1000) + 0.002


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_definition_not_declared_smooth_is_resampled():
    rough = stranger(precision, smooth=False)
    assert rough.influence(SIMPLE) is None
    assert np.isnan(rough.bias(SIMPLE)).all()
    found = average_precision_interval(Y_TRUE, Y_SCORE, definition=rough, rng=0)
    assert found.variance_method == "resampling"


def test_interpolation_at_few_recall_levels_is_resampled():
    found = [Interpolated(n).influence(SIMPLE) is None for n in (2, 10, (0.1, 0.5), None, 11, 101)]
    assert found == [True, True, True, False, False, False]
