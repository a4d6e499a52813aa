"""At a level that is exactly 1 - p, all that a comparison says is the same: nothing is shown."""

import numpy as np
import pytest

from sklearn_ap import (
    average_precision_interval,
    chance_test,
    compare_average_precision,
    compare_independent,
    compare_segments,
)
from sklearn_ap._arithmetic import is_shown
from tests.helpers.first_cases import quick

Y = np.arange(240) % 5 == 0
RNG = np.random.default_rng(2)
A = RNG.normal(size=240) + 1.2 * Y
B, C = (A + noise * RNG.normal(size=240) for noise in (0.4, 0.8))
MODELS = {"a": A, "b": B, "c": C}
GROUPS = np.arange(240) // 6
SHARES = {"inclusion_probability": np.where(np.arange(240) % 3 == 0, 1.0, np.nan)}


MONTHS = np.arange(240) // 60


def of_models(models=MODELS, y=Y, **options):
    """Compare with the first model, which is the best, or, if others may be better, the last."""

    def compare(level, **more):
        if more.get("alternative") == "greater":
            more["reference"] = [*models][-1]
        return compare_average_precision(y, models, confidence_level=level, **options, **more)

    return compare


def of_months(level, **more):
    scores = A + 0.8 * Y * (MONTHS == 1) if more.get("alternative") == "greater" else A
    return compare_segments(Y, scores, MONTHS, confidence_level=level, **more)


def of_two_samples(level, **more):
    samples = [average_precision_interval(Y[rows], A[rows]) for rows in (GROUPS < 18, GROUPS >= 18)]
    if more.get("alternative") == "greater":
        samples.reverse()
    return compare_independent(*samples, confidence_level=level, **more)


QUESTIONS = {
    "one pair": of_models({"a": A, "b": B}),
    "three models": of_models(),
    "clusters": of_models(clusters=GROUPS),
    "queries": of_models(queries=GROUPS),
    "columns": of_models(
        {"a": np.c_[A, B], "b": np.c_[B, C]}, np.c_[Y, np.roll(Y, 1)], average="macro"
    ),
    "each column": of_models(
        {"a": np.c_[A, B], "b": np.c_[B, C]}, np.c_[Y, np.roll(Y, 1)], average=None
    ),
    "weights": of_models(sample_weight=1.0 + np.arange(240) % 3),
    "at k": of_models(definition="AP@20"),
    "prevalence": of_models(prevalence=0.1),
    "months": of_months,
    "two samples": of_two_samples,
}


def check(compare, alternative, *, is_exact):
    """Compare the answers just above, at and just below the level of each p-value."""
    options = {} if alternative == "two-sided" else {"alternative": alternative}
    pvalues = np.ravel(compare(0.95, **options).pvalue)
    most = 0.999 if alternative == "two-sided" else 0.499
    tried = np.flatnonzero((pvalues > 1e-6) & (pvalues < most))
    assert tried.size
    for place in tried.tolist():
        verdicts = []
        for wider in (1e-6, 0.0, -1e-6):
            level = 1 - pvalues[place] * (1 - wider)
            found = compare(level, **options)
            low, high = (np.ravel(v)[place] for v in (found.difference_low, found.difference_high))
            verdict = np.ravel(found.verdict)[place]
            assert (verdict == "better") == (low > 0)
            assert (verdict == "worse") == (high < 0)
            assert (verdict != "undecided") == is_shown(np.ravel(found.pvalue)[place], 1 - level)
            verdicts.append(str(verdict))
        if is_exact:
            assert verdicts[:2] == ["undecided", "undecided"]
            assert verdicts[2] in {"better", "worse"}


@pytest.mark.usefixtures("few_halves")
@pytest.mark.parametrize(
    "question", quick(QUESTIONS, [each for each in QUESTIONS if each != "at k"])
)
@pytest.mark.parametrize("alternative", quick(["two-sided", "less", "greater"], 1))
def test_verdict_limits_and_pvalue_change_at_one_level(question, alternative):
    # Limits of two samples are interpolated between levels, of which the one asked for is one.
    is_exact = question not in {"months", "two samples"}
    check(QUESTIONS[question], alternative, is_exact=is_exact)


def test_sentences_change_with_the_verdict():
    compare = QUESTIONS["one pair"]
    level = 1 - compare(0.95).pvalue[1]
    assert "No difference between b and a is shown" in str(compare(level))
    assert "is shown" not in str(compare(level - 1e-6))


@pytest.mark.parametrize("noise", quick([0.4, 0.8, 1.2], 1))
def test_the_best_set_leaves_out_no_model_at_the_level_of_its_pvalue(noise):
    models = MODELS | {"d": A + noise * RNG.normal(size=240)}
    compare = of_models(models, reference="best")
    pvalues = compare(0.95).pvalue
    for place in np.flatnonzero((pvalues > 1e-6) & (pvalues < 1)).tolist():
        for wider in (1e-6, 0.0, -1e-6):
            found = compare(1 - pvalues[place] * (1 - wider))
            is_worse = found.verdict[place] == "worse"
            assert is_worse == (wider < 0)
            assert is_worse == (found.difference_high[place] < 0)


def test_a_pvalue_of_one_in_twenty_is_no_skill_in_any_answer():
    y = np.arange(30) < 6
    score = 0.6 * y + np.random.default_rng(411).normal(size=30)
    test = chance_test(y, score)
    assert test.pvalue == 0.05
    assert "not shown that the score is higher than by chance" in " ".join(str(test).split())
