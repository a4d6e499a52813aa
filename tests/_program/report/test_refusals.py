"""What a report refuses, and odd data that it takes without a claim that is not true."""

import pickle
import re

import numpy as np
import pytest

from sklearn_ap import operating_point, report

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
N = 6000
RNG = np.random.default_rng(4)
MONTH = np.array([f"2026-0{i}" for i in range(1, 7)])[np.arange(N) % 6]
IS_LAST = MONTH == "2026-06"
Y = RNG.random(N) < 0.08
SCORE = np.where(IS_LAST, 0.2, 2.5) * Y + RNG.normal(size=N)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"parts": 3}, "parts must hold some of data"),
        ({"parts": [["score"]]}, "parts must hold some of data"),
        ({"source": 3}, "source must be a text"),
        ({"segments": {1: MONTH, "1": MONTH}}, "columns with different names"),
        ({"segments": {" ": MONTH}}, "columns with different names"),
    ],
)
def test_arguments_of_the_wrong_kind_are_refused(options, message):
    with pytest.raises(ValueError, match=message):
        report(Y, SCORE, **options)


def test_a_model_needs_a_name():
    with pytest.raises(ValueError, match="a model without a name"):
        report(Y, {"": SCORE, "a": SCORE + Y})


def test_a_class_without_weight_is_no_class():
    for is_weightless, problem in (
        (Y, "No row with weight is positive"),
        (~Y, "Every row with weight is positive"),
    ):
        found = report(Y, SCORE, sample_weight=np.where(is_weightless, 0.0, 1.0))
        assert problem in found.summary[-1].answer
        assert "nan" not in str(found)


def test_a_month_without_weight_has_no_share_of_positives():
    weight = np.where(IS_LAST, 0.0, 1.0)
    found = report(Y, SCORE + 2 * Y, sample_weight=weight, segments={"month": MONTH})
    assert "0% of the rows" not in str(found)


def test_a_threshold_that_fails_is_not_advised_for_a_lower_goal_either():
    found = report(Y, SCORE, segments={"month": MONTH}, precision=0.99)
    answer = next(line.answer for line in found.summary if line.question == "Threshold")
    assert re.match(r"Do not use the threshold \S+ until you know why it fails", answer)
    assert "No threshold of the model is sure to have a precision of 0.99 or more; for " in answer


def test_a_page_does_not_hold_the_arrays_of_the_user():
    small, large = (
        pickle.dumps(report(Y[:n], {"a": SCORE[:n], "b": SCORE[:n] + Y[:n]})) for n in (3000, 6000)
    )
    assert len(large) < 1.3 * len(small)


def test_segments_keep_their_names():
    names = np.where(np.arange(N) % 2, "all but the others", "b")
    found = report(Y, RNG.normal(size=N), segments={"kind": names}, parts=["segments"])
    assert "all but the others and b" in found.summary[0].answer


def test_one_month_in_two_columns_is_told_apart():
    found = report(Y, SCORE, segments={"month": MONTH, "period": MONTH})
    doubt = found.summary[-1].answer
    assert ", but month 2026-06 and period 2026-06 score less." in doubt
    assert doubt.count("Look first at the inputs of 2026-06.") == 1


def test_a_lower_precision_is_given_where_that_of_the_user_is_not_sure():
    y = np.arange(20_000) % 60 == 0
    score = 1.6 * y + np.random.default_rng(1).normal(size=20_000)
    point = operating_point(y, score, precision=0.8, guarantee=0.9)
    assert point.remark
    lower = float(f"{10 * y.mean():.2g}")
    sure = operating_point(y, score, precision=lower, guarantee=0.9)
    assert not sure.remark
    made = report(y, score, precision=0.8, parts=["thresholds"])
    none = "No threshold of the model is sure to have a precision of 0.8 or more"
    assert made.parts[0].sentence.startswith(f"{none}; for {lower:g}, select rows with scores of ")
    assert f"{sure.n_selected:,.0f} rows, " in made.parts[0].sentence


@pytest.mark.parametrize(
    ("n_above", "precision", "is_told"), [(1, 0.8, True), (1, 0.5, False), (40, 0.3, False)]
)
def test_a_precision_at_a_prevalence_rests_on_negatives(n_above, precision, is_told):
    y = np.arange(4000) < 400
    score = np.where(y, 3.0, -3.0) + np.random.default_rng(0).normal(size=4000) / 2
    score[400 : 400 + n_above] = np.linspace(2.5, 6, n_above + 1)[1:]
    made = report(y, score, prevalence=0.01, precision=precision, parts=["thresholds"])
    threshold = float(re.search(r"scores of (\S+) or more", made.parts[0].sentence)[1])
    n_negatives = np.sum(score[400:] >= threshold)
    noun = "negative" if n_negatives == 1 else "negatives"
    doubt = f"The precision at the threshold rests on {n_negatives} {noun} above it."
    assert (doubt in made.parts[0].doubts) == is_told == (0 < n_negatives < 10)


def test_positives_that_a_model_did_not_retrieve_are_counted():
    score = SCORE.copy()
    score[::7] = -np.inf
    n_lost = np.count_nonzero(Y[::7])
    made = report(Y, {"bm25": score, "dense": SCORE}, queries=np.arange(N) // 60, parts=["data"])
    assert (
        f"bm25 did not retrieve {len(Y[::7])} rows with {n_lost} positives, which count as not "
        f"found." in made.parts[0].warnings
    )
    assert "dense did not" not in repr(made)


def test_the_next_lower_step_is_given_where_the_precision_of_the_user_is_not_sure():
    y = np.arange(4000) % 4 == 0
    score = 1.9 * y + np.random.default_rng(3).normal(size=4000)
    points = {
        goal: operating_point(y, score, precision=goal, guarantee=0.9) for goal in (0.97, 0.9, 0.8)
    }
    useful = [goal for goal, point in points.items() if not point.remark and point.recall >= 0.1]
    assert 0.97 not in useful
    sentence = report(y, score, precision=0.97, parts=["thresholds"]).parts[0].sentence
    assert f"precision of 0.97 or more; for {useful[0]:g}, select" in sentence


def test_a_threshold_that_finds_more_than_the_top_rows_takes_their_place():
    rng = np.random.default_rng(0)
    for _ in range(300):
        y = rng.random(72) < 0.17
        score = np.round(1.2 * y + rng.normal(size=72), 1)
        if y.sum() < 8:
            continue
        top = operating_point(y, score, k=10)
        half = operating_point(y, score, precision=0.5)
        is_better = not half.remark and half.recall > top.recall and half.precision >= top.precision
        if is_better and half.precision_interval[0] > y.mean():
            break
    else:
        pytest.fail("no such sample")
    sentence = report(y, score, parts=["thresholds"]).parts[0].sentence
    assert f"finds {half.recall:.0%} of the positives" in sentence.replace("and finds", "finds")
    assert "top 10" not in sentence


def test_the_second_threshold_is_that_of_the_next_lower_precision():
    y = np.arange(9000) % 9 == 0
    score = 2.6 * y + np.random.default_rng(1).normal(size=9000)
    points = {
        goal: operating_point(y, score, precision=goal, guarantee=0.9) for goal in (0.5, 0.8, 0.9)
    }
    assert points[0.9].recall >= 0.1
    assert points[0.8].recall >= points[0.9].recall + 0.1
    made = report(y, score, parts=["thresholds"])
    more = f"{points[0.8].n_selected:,.0f} rows, "
    assert re.search(rf"To find more, select scores from \S+: {more}", made.summary[0].answer)


@pytest.mark.parametrize("n", [12, 400])
def test_a_perfect_score_of_clusters_has_a_page(n):
    y = np.arange(n) % 4 == 0
    made = report(y, y + np.arange(n) / n / 9, clusters=np.arange(n) // 3)
    assert made.summary[0].part == 2
    assert made.parts[1].cells[1][1].startswith("1.00 [")
