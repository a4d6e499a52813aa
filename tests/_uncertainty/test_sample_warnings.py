"""Warnings of samples whose intervals cover less often than others."""

import numpy as np
import pytest

from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._uncertainty.joint import models_of
from sklearn_ap._uncertainty.sample_warnings import warnings_of_sample
from sklearn_ap.definitions import Step

RNG = np.random.default_rng(0)
Y = np.tile([1, 1, 0, 0, 0, 0, 0, 0, 0, 0], 40)
SCORE = RNG.normal(size=400) + Y
PATIENT = np.arange(400) // 10


def warned(y=Y, score=SCORE, **options):
    request = Request(y_true=y, y_score=score, **options)
    rankings = check_rankings(request, all_items=True)
    return warnings_of_sample(models_of(Step(), request, [rankings]).estimate)


@pytest.mark.parametrize("n", [15, 16])
def test_fewer_than_16_effective_clusters_by_positives(n):
    found = warned(Y[: 10 * n], SCORE[: 10 * n], clusters=PATIENT[: 10 * n])
    assert [warning.name for warning in found] == ["few clusters"] * (n < 16)
    assert all("positives is 15." in str(warning) for warning in found)


def test_clusters_without_positives_do_not_count():
    y = np.where(PATIENT < 12, Y, 0)
    assert [warning.name for warning in warned(y, clusters=PATIENT)] == ["few clusters"]


def test_few_clusters_hold_most_negatives():
    patient = np.where((PATIENT > 10) & (Y == 0), 0, PATIENT)
    (found,) = warned(clusters=patient)
    assert found.name == "few clusters"
    assert "Few clusters hold most negatives" in str(found)


def test_few_rows_queries_or_negatives_alone_have_no_warning():
    assert warned(Y[:30], SCORE[:30]) == []
    assert warned(queries=PATIENT, clusters=PATIENT // 10) == []
    assert warned(np.arange(400) > 3) == []


def test_one_cluster_and_clusters_of_one_row_have_no_warning():
    assert warned(clusters=np.zeros(400)) == []  # its limits are 0 and 1
    assert warned(Y[:30], SCORE[:30], clusters=np.arange(30)) == []  # those of rows


@pytest.mark.parametrize(("prevalence", "names"), [(0.003, ["few negatives"]), (0.004, [])])
def test_negatives_stand_for_less_than_one_positive(prevalence, names):
    found = warned(prevalence=prevalence)  # of 320 negatives
    assert [warning.name for warning in found] == names
    if names:
        assert "stand for 0.962 positives" in str(found[0])
