"""What the data are, and what looks wrong with them."""

import numpy as np
import pandas as pd
import pytest
from report_data import AB, GROUP, MONTH, NOISE, A, B, N, Y, part, quiet

from sklearn_ap import report
from sklearn_ap._program.report.page.page import FINE


def sentence(*args, **options):
    found, *_ = report(*args, **options).parts  # all parts take such data
    return " ".join([found.sentence, *found.more, *found.notes])


def test_sentence_says_that_nothing_looks_wrong():
    positives = f"{Y.sum()} positive ({100 * Y.mean():.0f}%)"
    assert sentence(Y, AB) == f"600 rows, {positives}. Nothing looks wrong with labels and scores."
    assert "Nothing looks wrong" in sentence(Y, np.round(B, 2))  # ties by rounding


@pytest.mark.parametrize(
    ("scores", "options", "text"),
    [
        (-B, {}, "of the model, 0.11, is far below that of a random order, 0.20: its scores"),
        ({"a": A, "x": -B}, {}, "of x, 0.11, is far below that of a random order, 0.20: its"),
        (B > 1, {}, "the model: All scores are 0 or 1. These look like predicted classes"),
        (np.zeros(N), {}, "the model: All scores are equal."),
        ({"a": A, "b": 2 * A, "c": B}, {}, "a and b have the same average precision."),
        ({"a": A, "b": A, "c": B}, {}, "a and b have the same score for every row, as if"),
        (B, {"clusters": np.arange(N)}, "Each row is a cluster of its own"),
    ],
)
def test_sentence_warns_of_suspicious_scores_and_clusters(scores, options, text):
    assert text in sentence(Y, scores, **options)


def test_sentence_counts_duplicated_rows():
    y, b = np.append(Y, Y[:50]), np.append(B, B[:50])
    assert "50 rows repeat the label and all scores" in sentence(y, b)
    few = sentence(np.append(Y, Y[:6]), np.append(B, B[:6]))  # 1%
    assert "6 rows repeat the label and all scores" in few
    assert "50 rows repeat" not in sentence(y, {"b": b, "other": np.append(NOISE, A[:50])})
    queries = np.append(np.arange(N) % 5, np.full(50, 9))
    assert "50 rows repeat" not in sentence(y, b, queries=queries)


@pytest.mark.parametrize(
    ("y", "why"), [(0 * Y, "No row is positive"), (0 * Y + 1, "Every row is positive")]
)
def test_report_of_a_single_class_has_only_data_and_warnings(y, why):
    found = report(y, AB, segments=MONTH)
    assert [each.title for each in found.parts] == ["What the data are", "Warnings"]
    assert why in found.parts[0].more[0]


def test_ties_and_rows_that_were_not_retrieved_are_counted():
    score = np.where(np.arange(N) < 30, -np.inf, np.repeat(np.arange(N / 2), 2))
    row = part("What the data are", Y, {"m": score}).cells[1]
    assert row == ["m", "285", "95%", "15", "299", "30"]


@quiet
def test_few_positives_are_counted_by_their_weights():
    y = np.arange(600) < 100
    weight = np.where(np.arange(600) < 2, 100.0, 1.0)
    found = report(y, y + NOISE, sample_weight=weight, parts=["data"])
    worth = (2 * 100 + 98) ** 2 / (2 * 100**2 + 98)
    assert 4 < worth < 4.5
    few = "which tell as much as 4.4 if all weights were equal"
    assert f"There are 100 positives, {few}, so other" in found.summary[-1].answer
    share = np.average(y, weights=weight)
    facts = f"600 rows, 100 positive (17%, {share:.0%} of the weight), {few}."
    assert found.parts[0].sentence == facts
    assert report(y, y + NOISE, parts=["data"]).summary[-1].answer == FINE


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("customer", "60 customers"),
        ("customer_id", "60 customers"),
        ("Patients", "60 Patients"),
        ("city", "60 cities"),
        ("g", "60 clusters"),
        ("col_17", "60 clusters"),
        (None, "60 clusters"),
        (7, "60 clusters"),
    ],
)
@quiet
def test_clusters_are_counted_by_the_word_of_their_column(name, words):
    found = report(Y, B, clusters=pd.Series(GROUP, name=name), parts=["data", "score", "paper"])
    assert found.parts[0].sentence.endswith(f"positive (19%), {words}.")
    unit = "cluster" if "cluster" in words else "customer"
    if unit in words:
        assert f"Rows of one {unit} depend on each other" in found.parts[1].notes[-1]
    assert f"in {words})" in found.parts[2].copied_text


@quiet
def test_the_positive_label_is_named_if_it_is_a_text():
    words = np.where(Y, "fraud", "ok")
    found = report(words, B, pos_label="fraud", parts=["data"])
    assert found.parts[0].sentence == f'600 rows, {Y.sum()} positive (19%, label "fraud").'
