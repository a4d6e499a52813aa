"""What a report says of the top rows: how many are positive, and which top it takes."""

import re

import numpy as np
import pytest
from report_data import B, Y, number, part, quiet, run_call

from sklearn_ap import average_precision_interval
from sklearn_ap.definitions import PrecisionAtK


def test_sentence_states_how_many_top_rows_are_positive():
    precision = average_precision_interval(Y, B, definition=PrecisionAtK(100))
    expected = f"Of the top 100 rows by b, {100 * precision.estimate:.3g} are positive"
    assert part("The top rows").sentence.startswith(expected)


@quiet
@pytest.mark.parametrize(
    ("n", "k", "tops"),
    [
        (20, 10, ["10"]),
        (140, 10, ["1% (2)", "10"]),
        (200, 10, ["1% (2)", "10", "100"]),
        (499, 10, ["1% (5)", "10", "100"]),
        (500, 100, ["1% (5)", "10", "100"]),
    ],
)
def test_the_top_is_a_small_part_of_the_ranking(n, k, tops):
    found = part("The top rows", Y[:n], B[:n])
    assert found.sentence.startswith(f"Of the top {k} rows by the model, ")
    assert found.call.endswith(f"definition=PrecisionAtK(k={k}))")
    assert [row[0] for row in found.cells[1:]] == tops


@quiet
def test_the_median_query_tells_which_top_is_a_small_part():
    def sentence(*sizes):
        queries = np.repeat(np.arange(len(sizes)), sizes)
        labels = np.arange(len(queries)) % 4 == 0
        scores = labels + np.random.default_rng(0).normal(size=len(queries))
        return part("The top rows", labels, scores, queries=queries).sentence

    assert sentence(30, 30, 30, 3000).startswith("Of the top 10 rows of a query by the model,")
    assert sentence(600, 600, 20).startswith("Of the top 100 rows of a query by the model, ")
    assert sentence(19, 19, 3000).startswith("Left out: There are too few rows of a query: ")


@quiet
def test_top_rows_of_weights_are_shares_of_the_weight():
    rng = np.random.default_rng(0)
    y = (rng.random(2000) < 0.1).astype(int)
    score = 1.5 * y + rng.normal(size=2000)
    alike = part("The top rows", y, score, sample_weight=np.full(2000, 30.0))
    rows = np.argsort(-score)[:20]
    precision, recall = y[rows].mean(), y[rows].sum() / y.sum()
    assert [row[0] for row in alike.cells[1:]] == [
        "1% (weight 600)",
        "5% (weight 3,000)",
        "10% (weight 6,000)",
    ]
    assert number(alike.cells[1][2]) == pytest.approx(precision, abs=5.1e-3)
    assert number(alike.cells[1][3]) == pytest.approx(recall, abs=5.1e-3)
    assert alike.sentence.startswith(
        f"The top 1% (weight 600) by the model has a precision of {precision:.2f} ("
    )
    assert alike.sentence.endswith(f"holds {100 * recall:.2g}% of the weight of the positives.")
    uneven = part("The top rows", y, score, sample_weight=0.5 + rng.random(2000))
    assert re.fullmatch(r"1% \(weight 20\.?\d*\)", uneven.cells[1][0])
    assert not re.search(r"\brows by\b", uneven.sentence)


@quiet
def test_the_call_of_the_top_rows_runs_at_a_prevalence():
    found = part("The top rows", Y, B, prevalence=0.05)
    score = run_call(found.call, y_true=Y, y_scores=B)
    assert f"precision of {score.estimate:.2f} (" in found.sentence


@quiet
def test_one_percent_is_rounded_up_to_a_row():
    y = np.arange(2450) % 10 == 0
    found = part("The top rows", y, y + np.random.default_rng(0).normal(size=2450))
    assert [row[0] for row in found.cells[1:]] == ["10", "1% (25)", "100"]
