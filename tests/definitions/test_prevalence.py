"""Values where positives are as rare as the user says."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.exceptions import UndefinedMetricWarning

from sklearn_ap import average_precision_score, threshold_counts
from sklearn_ap.definitions import Expected, Interpolated
from sklearn_ap.definitions._prevalence import at_prevalence
from tests.helpers.drawings import Y_SCORE, Y_TRUE
from tests.helpers.registry import (
    DEFINITIONS,
    WEIGHTS,
    predictions,
    reference_of,
    score,
    takes_prevalence,
)

TAKES = [definition for definition in DEFINITIONS if takes_prevalence(definition)]
PREVALENCES = st.sampled_from([Fraction(1, 2), Fraction(1, 100), Fraction(2, 3), Fraction(1, 7)])


@pytest.mark.parametrize("definition", TAKES, ids=repr)
@given(
    data=predictions(weights=WEIGHTS),
    missed=st.sampled_from([0.0, 0.25, 3.0]),
    prevalence=PREVALENCES,
)
def test_prevalence_equals_weighting_negatives_in_the_reference(
    definition, data, missed, prevalence
):
    y_true, y_score, weight = (array[data[2] > 0] for array in data)
    assume(0 < np.count_nonzero(y_true) < len(y_true))
    positives = Fraction(float(weight[y_true == 1].sum() + missed))
    negatives = Fraction(float(weight[y_true == 0].sum()))
    factor = positives * (1 - prevalence) / (prevalence * negatives)
    weights = [Fraction(w) * (1 if y else factor) for y, w in zip(y_true, weight, strict=True)]
    expected = reference_of(definition)(
        y_true.tolist(), y_score.tolist(), weight=weights, n_positives=positives
    )
    options = {"sample_weight": weight, "n_positives": float(positives)}
    found = score(definition, y_true, y_score, prevalence=float(prevalence), **options)
    assert found == pytest.approx(float(expected), abs=1e-12)


@pytest.mark.parametrize("label", [0, 1])
@pytest.mark.parametrize("definition", TAKES, ids=repr)
def test_single_class_is_undefined_at_a_prevalence(definition, label):
    y_true, y_score = np.full(3, label), np.arange(3)
    assert np.isnan(score(definition, y_true, y_score, prevalence=0.1))
    with pytest.warns(UndefinedMetricWarning, match="No positive or no negative class"):
        assert average_precision_score(y_true, y_score, prevalence=0.1) == 0


@pytest.mark.parametrize("wrong", [0, 1, -0.1, 1.5, np.nan, np.inf, 5e-324, 1 - 1e-17, 10**400])
def test_prevalence_outside_0_to_1_is_refused(wrong):
    with pytest.raises(ValueError, match=r"^prevalence is the proportion .* where you deploy"):
        average_precision_score(Y_TRUE, Y_SCORE, prevalence=wrong)
    with pytest.raises(ValueError, match=r"^prevalence"):
        threshold_counts(Y_TRUE, Y_SCORE).at_prevalence(wrong)
    with pytest.raises(TypeError, match=r"^prevalence must be a number, got"):
        average_precision_score(Y_TRUE, Y_SCORE, prevalence=str(wrong))


@pytest.mark.parametrize(
    "definition", [d for d in DEFINITIONS if d.depth is not None or d == Expected()], ids=repr
)
def test_definitions_at_k_and_expected_refuse_a_prevalence(definition):
    of_expected = "no prevalence: there is no order of half an item"
    text = of_expected if definition == Expected() else "^prevalence does not go with the first k"
    with pytest.raises(ValueError, match=text):
        score(definition, Y_TRUE, Y_SCORE, prevalence=0.1)


def test_recall_levels_are_compared_exactly_at_a_prevalence():
    """3 of 10 positives reach recall 0.3, though 3 / 10 >= 3 * 0.1 is False."""
    y_true = np.append(np.ones(10, int), 0)
    counts = threshold_counts(y_true, np.arange(11)[::-1]).at_prevalence(0.3)
    assert counts.tps.dtype.kind == "i"
    assert Interpolated(11)(counts) == 1


@pytest.mark.parametrize("definition", TAKES, ids=repr)
def test_a_definition_at_a_prevalence_keeps_its_class_variables(definition):
    other = at_prevalence(definition, 0.1)
    for name in "hangs_on_one_row", "bias_rate", "draws_precision":
        assert getattr(other, name) == getattr(definition, name)


def test_a_definition_at_a_prevalence_says_so():
    found = at_prevalence(Interpolated(11), 0.01)
    assert (found.title, found.prevalence) == ("eleven-point AP at prevalence 0.01", 0.01)
    assert repr(found) == "Interpolated(recall_levels=11) at prevalence 0.01"
