"""How many clusters the first k ranks are worth, beside formulas of ``docs/methods.md``."""

import numpy as np
import pytest

from sklearn_ap import (
    compare_average_precision,
)
from sklearn_ap._inputs.request import Request
from sklearn_ap._uncertainty.former.model_influences import influences_of_models
from sklearn_ap._uncertainty.former.options import check_options
from sklearn_ap._uncertainty.former.variance import sample_of_difference
from sklearn_ap.definitions import AtK, PrecisionAtK, Step

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_a_difference_at_k_is_the_same_from_either_model():
    """The first ranks of one model may be in fewer clusters than those of the other."""
    rng = np.random.default_rng(1)
    clusters = np.arange(300) // 3
    y = (rng.random(300) < 0.3) * 1
    a, b = y + rng.normal(size=300), y + rng.normal(size=100)[clusters]
    options = {"clusters": clusters, "definition": AtK(10)}
    one = compare_average_precision(y, {"a": a, "b": b}, **options)
    other = compare_average_precision(y, {"b": b, "a": a}, **options)
    assert one.pvalues[1] == pytest.approx(other.pvalues[1], rel=1e-9)
    assert one.difference_lows[1] == pytest.approx(-other.difference_highs[1], rel=1e-9)


def test_a_difference_at_k_has_the_design_effect_of_the_steps():
    """Replicates have no rows, so their variance is not compared with that of the rows of steps."""
    rng = np.random.default_rng(3)
    clusters = np.arange(1500) // 3
    y = (rng.random(500) < 0.5)[clusters] * 1
    scores = y + rng.normal(size=(2, 500))[:, clusters] + rng.normal(size=(2, 1500))
    requests = [Request(y_true=y, y_score=s, clusters=clusters) for s in scores]
    options = check_options(0.95, 0)
    at_k, steps = (
        sample_of_difference(*influences_of_models(definition, requests, options), bias=0.0)
        for definition in (PrecisionAtK(10), Step())
    )
    assert steps.design_effect > 1.3
    assert at_k.design_effect == pytest.approx(steps.design_effect, rel=0.01)
    assert at_k.n_positive_rows == pytest.approx(10)
    assert at_k.n_effective <= 10
