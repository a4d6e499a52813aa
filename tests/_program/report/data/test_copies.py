"""Rows that repeat another one are told apart from rows that are equal because of rounding."""

import numpy as np
import pytest

from sklearn_ap import report

N = 5000
RNG = np.random.default_rng(0)
Y = (RNG.random(N) < 0.1).astype(int)
LOGIT = Y + RNG.normal(size=N)
PROBABILITY = 1 / (1 + np.exp(3 - 2 * LOGIT))


def repeats(y_true, y_scores, **options):
    """The warning that rows repeat others, if there is one."""
    data, _ = report(y_true, y_scores, parts=["data"], **options).parts
    return [text.partition(" rows")[0] for text in data.warnings if "repeat the label" in text]


def with_copies(values, n):
    return np.append(values, values[:n])


@pytest.mark.parametrize("digits", [2, 5, 6, 7])
@pytest.mark.parametrize("scores", [PROBABILITY, PROBABILITY**4, LOGIT])
def test_rows_that_are_equal_by_rounding_are_no_copies(scores, digits):
    assert not repeats(Y, np.round(scores, digits))


def test_rounded_scores_of_several_models_are_no_copies():
    models = {"a": np.round(PROBABILITY, 5), "twin": np.round(PROBABILITY, 5)}
    assert len(np.unique(models["a"])) < 0.95 * N
    assert not repeats(Y, models)


@pytest.mark.parametrize("digits", [6, 7])
def test_copies_of_rounded_scores_are_counted(digits):
    scores = with_copies(np.round(LOGIT, digits), 500)
    (n,) = repeats(with_copies(Y, 500), scores)
    assert 500 <= int(n) < 530


def test_rows_of_other_weight_are_no_copies():
    y, scores = with_copies(Y, 500), with_copies(LOGIT, 500)
    weight = 0.5 + RNG.random(N + 500)
    assert repeats(y, scores) == ["500"]
    assert not repeats(y, scores, sample_weight=weight)
    assert repeats(y, scores, sample_weight=with_copies(weight[:N], 500)) == ["500"]


def test_rows_that_no_model_retrieved_are_no_copies():
    rng = np.random.default_rng(0)
    y = np.arange(1000) % 8 == 0
    scores = {name: y + rng.normal(size=1000) for name in "ab"}
    for score in scores.values():
        score[::10] = -np.inf
    found = report(y, scores, queries=np.arange(1000) // 50, parts=["data"])
    assert "repeat the label" not in repr(found)
