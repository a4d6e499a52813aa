"""Calls that type checkers should accept, and below them those that they should refuse.

No test imports this file: ``test_types.py`` has it checked. A line that ends with ``# wrong`` must
have an error, and no other line may have one.
"""

from typing import Any, Literal, assert_type

import numpy as np
import pandas as pd
import polars as pl
from sklearn.naive_bayes import GaussianNB

import sklearn_ap
from sklearn_ap import (
    Comparison,
    FoldPredictions,
    Interval,
    ThresholdCounts,
    average_precision_at_k_score,
    average_precision_interval,
    average_precision_score,
    candidate_predictions,
    chance_test,
    compare_average_precision,
    compare_segments,
    operating_point,
    score_from_counts,
    step_average_precision_score,
)
from sklearn_ap.definitions import AtK

y, s = np.array([1, 0, 1]), np.array([3.0, 2.0, 1.0])
scores = {"A": s, "B": -s}


def rounded(score: float) -> float:
    return round(score, 2)


def lower_limit(interval: Interval) -> float:
    return float(interval.low)  # which is an array of several scores


def right(counts: ThresholdCounts, cv: dict[str, Any], frame: pd.DataFrame) -> None:
    rounded(average_precision_score(y, s, average="micro", sample_weight=s))
    rounded(score_from_counts(counts, AtK(5)))
    rounded(float(chance_test(y, s, sample_weight=s).pvalue))
    np.round(chance_test(y, s, average=None).pvalue, 2)
    average_precision_score(y, s, average=None)[0].round(2)
    score_from_counts(counts, average=None)[0].round(2)
    assert_type(average_precision_score(y, s), float)
    assert_type(average_precision_score(y, s, average="macro", queries=y), float)
    assert_type(average_precision_at_k_score(y, s, k=3), float)
    average_precision_score([1, 0], [0.5, 0.2], queries=["a", "b"], definition=AtK(20))
    np.mean(average_precision_at_k_score(y, s, k=3, normalizer="k", average=None))
    rounded(average_precision_at_k_score(y, s, k=0.01))

    lower_limit(average_precision_interval(y, s, definition=AtK(20)))
    np.round(average_precision_interval(y, s, average=None, zero_division=np.nan).low, 2)
    low, high = average_precision_interval(y, s).confidence_interval(0.9)
    rounded(float(high) - float(low))
    lower_limit(Interval.from_counts(counts))

    compare_average_precision(y, frame).to_frame()
    compare_average_precision(y, pl.DataFrame(scores), alternative="greater")
    found = compare_average_precision(y, scores, average="samples", reference="B")
    assert_type(found, Comparison)
    found.low[1].round(2)
    compare_average_precision(y, frame, reference="best").low[0].round(2)

    folds = FoldPredictions(cv, frame)
    lower_limit(average_precision_interval(y, folds, clusters=s))
    np.round(average_precision_interval(y, folds, average=None).high, 2)
    compare_average_precision(y, {"A": folds, "B": folds}).high[1].round(2)
    compare_segments(y, folds, s).confidence_level.hex()
    compare_average_precision(
        y, candidate_predictions({"A": GaussianNB()}, frame, y), reference="A"
    )

    costs = {"false_positive": 1, "false_negative": 20.5}
    operating_point(y, s, cost=costs, prevalence=0.01).precision.low.hex()
    point = operating_point(y, s, precision=0.9, prevalence=0.01, guarantee=0.9)
    assert_type(point.recall.estimate, float)


def wrong(cv: dict[str, Any], frame: pd.DataFrame) -> None:
    print(sklearn_ap.average_precison_score)  # wrong
    average_precision_score(y, s, average="mikro")  # wrong
    average_precision_score(y, s, zero_division="warning")  # wrong
    average_precision_score(y, s, averages=None)  # wrong
    average_precision_score(y, s, average=None, k=3)  # wrong
    average_precision_at_k_score(y, s, normalizer="hit")  # wrong
    average_precision_at_k_score(y, s, prevalence=0.01)  # wrong
    step_average_precision_score(y, s, k=3)  # wrong

    average_precision_score(y, s)[0]  # wrong
    rounded(average_precision_score(y, s, average=None))  # wrong
    rounded(average_precision_interval(y, s).low)  # wrong
    print(average_precision_interval(y, s).lower)  # wrong
    _: Literal["influences"] = average_precision_interval(y, s).variance_method  # wrong

    compare_average_precision(y, s)  # wrong
    compare_average_precision(y, scores, alternative="larger")  # wrong
    compare_average_precision(y, scores).estimates.mean()  # wrong
    FoldPredictions(cv, frame, "ranks")  # wrong
    average_precision_score(y, FoldPredictions(cv, frame))  # wrong
    compare_average_precision(y, FoldPredictions(cv, frame))  # wrong
    compare_average_precision(y, {"A": FoldPredictions(cv, frame)}, margin="no")  # wrong
    compare_segments(y, s, s, folds=s)  # wrong
    candidate_predictions({"A": GaussianNB()}, frame, y, 3)  # wrong

    operating_point(y, s, cost=20)  # wrong
    operating_point(y, s, cost={"false_positive": "1"})  # wrong
    operating_point(y, s, recall=0.9, prevalence="1%")  # wrong
