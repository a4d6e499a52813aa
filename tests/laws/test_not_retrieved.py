"""A score of minus infinity: equal to leaving the row out and saying n_positives."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from sklearn_ap import average_precision_score, compat
from tests.helpers.registry import DEFINITIONS, WEIGHTS, predictions, score, takes_weights

pytestmark = [
    pytest.mark.filterwarnings("ignore:k=.* exceeds the total of sample_weight"),
    pytest.mark.filterwarnings("ignore:few"),
]
# A share counts the rows that were not retrieved, so that these cannot be left out.
WITHOUT_SHARES = [each for each in DEFINITIONS if not isinstance(each.depth, float)]


@pytest.mark.parametrize("definition", WITHOUT_SHARES, ids=repr)
@given(data=predictions(weights=WEIGHTS), seed=st.integers(0, 99), is_weighted=st.booleans())
def test_minus_infinity_equals_leaving_out_the_row(definition, data, seed, is_weighted):
    y_true, y_score, weight = data
    rng = np.random.default_rng(seed)
    lost = rng.random(len(y_true)) < rng.choice([0.2, 0.7])
    lost[rng.integers(len(y_true))] = False
    assume(weight[~lost].any())
    is_weighted = is_weighted and takes_weights(definition)
    weights = {"sample_weight": weight} if is_weighted else {}
    ours = score(definition, y_true, np.where(lost, -np.inf, y_score), **weights)
    left = {"sample_weight": weight[~lost]} if is_weighted else {}
    known = {"n_positives": (y_true * weight).sum() if is_weighted else y_true.sum()}
    expected = score(definition, y_true[~lost], y_score[~lost], **left, **known)
    np.testing.assert_allclose(ours, expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("dtype", [np.float32, np.longdouble, object])
def test_minus_infinity_of_every_float_type_is_accepted(dtype):
    assert average_precision_score([1, 1, 0], np.array([0.5, -np.inf, 0.25], dtype)) == 0.5


def test_tools_count_unretrieved_positives_as_misses():
    y_true, y_score = [1, 0, 1, 1], [0.9, 0.8, 0.7, -np.inf]
    assert compat.score(y_true, y_score, "pytrec_eval.map") == pytest.approx(5 / 9)
    assert compat.score(y_true, [-np.inf] * 4, "ranx.map") == 0
    for name, value in {"keras.PrecisionAtRecall": 0, "keras.RecallAtPrecision": 0.5}.items():
        for lowest in (-np.inf, 0):
            assert compat.score([1, 1, 0], [0.9, lowest, 0.2], name) == value
