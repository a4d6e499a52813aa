"""Covariances of models, and what is read from draws that have them."""

from types import SimpleNamespace

import numpy as np
import pytest
from interval_data import Rough, drawn

from sklearn_ap._inputs.request import Request
from sklearn_ap._questions.best_of_many import _draws
from sklearn_ap._questions.best_of_many import _limits as best_of_many
from sklearn_ap._questions.best_of_many._draws import Covariance, draw_errors, estimate_covariance
from sklearn_ap._questions.best_of_many._limits import _may_be_best
from sklearn_ap._uncertainty.former.model_influences import influences_of_models
from sklearn_ap._uncertainty.former.options import check_options
from sklearn_ap._uncertainty.former.variance import sample_of_difference, sample_of_scores
from sklearn_ap.definitions import AtK, Step

OPTIONS = check_options(0.95, 0)


def samples_of(y, scores, definition=Step(), **options):
    return influences_of_models(
        definition, [Request(y_true=y, y_score=s, **options) for s in scores], OPTIONS
    )


def two_models(n_columns=None):
    y, s = drawn(200, n_columns)
    return y, [s, s + np.random.default_rng(1).normal(size=s.shape)]


@pytest.mark.parametrize(
    "samples",
    [
        samples_of(*two_models(), AtK(20)),
        samples_of(*two_models(3), Rough(), average="weighted"),
        samples_of(*two_models(3), average="weighted", n_positives=[90, 90, 90]),
    ],
)
def test_the_squares_of_deviations_add_up_to_the_variances(samples):
    first, second = samples
    for sample in samples:
        error = sample_of_scores(sample).uncertainty().standard_error
        assert sample.score_influence @ sample.score_influence == pytest.approx(error**2)
    apart = second.score_influence - first.score_influence
    error = sample_of_difference(second, first, np.nan).uncertainty().standard_error
    assert apart @ apart == pytest.approx(error**2)


def test_covariance_does_not_depend_on_chunk_size(monkeypatch):
    samples = samples_of(*two_models())
    given = samples, [sample_of_scores(each).uncertainty() for each in samples]
    whole = estimate_covariance(*given)
    monkeypatch.setattr(_draws, "CHUNK_VALUES", 7)
    for name, other in estimate_covariance(*given)._asdict().items():
        np.testing.assert_allclose(getattr(whole, name), other)


def test_shortcut_without_draws_equals_quantiles_of_all_draws():
    """Each model against the quantile of its own largest difference, as Hsu says."""
    rng = np.random.default_rng(5)
    root = rng.normal(size=(30, 40))
    covariance, degrees = root @ root.T / 40, np.full((30, 30), 1e9)
    scores = np.linspace(0, 5.5, 30)
    draws = draw_errors(scores, covariance, rng)
    found = _may_be_best(scores, covariance, degrees, draws, 0.05)
    for i in range(30):
        others = np.arange(30) != i
        apart = np.sqrt((covariance.diagonal() + covariance[i, i] - 2 * covariance[i])[others])
        largest = ((draws[:, others] - draws[:, [i]]) / apart).max(axis=1)
        ruled_out = ((scores[others] - scores[i]) / apart).max() > np.quantile(largest, 0.95)
        assert found[i] != ruled_out
    assert 3 < found.sum() < 27


@pytest.mark.parametrize("seed", range(3))
def test_variance_factor_equals_dividing_score_differences_by_its_root(seed):
    rng = np.random.default_rng(seed)
    root = rng.normal(size=(30, 40))
    covariance = Covariance(root @ root.T / 40, np.zeros(30), np.full(30, 1e9), np.ones(30, bool))
    scores = np.linspace(0, 5.5, 30)
    draws = draw_errors(scores, covariance.sample_covariance, rng)

    def not_ruled_out(scores, factor):
        models = SimpleNamespace(
            influences=[SimpleNamespace(score=np.array([each]), is_mean=False) for each in scores],
            uncertainties=[SimpleNamespace(known_bias=0.0)] * 30,
            covariance=covariance,
        )
        options = OPTIONS._replace(difference_factor=factor)
        return best_of_many._not_ruled_out(models, draws, options)

    found = not_ruled_out(scores, 2.25)
    np.testing.assert_array_equal(found, not_ruled_out(scores / 1.5, 1.0))
    assert 1 < found.sum() < 30
