"""Segments that each rank well alone, but whose scores are not on one scale."""

import re

import numpy as np
import pytest
from sklearn import metrics

from sklearn_ap import compare_segments, report

N_PATIENTS = 600
RNG = np.random.default_rng(7)
PATIENT = np.repeat(np.arange(N_PATIENTS), 7)
N = PATIENT.size
CLINIC = np.array(["Bern", "Lyon", "Porto"])[PATIENT % 3]
IS_PORTO = CLINIC == "Porto"
Y = (RNG.random(N_PATIENTS) < 0.3)[PATIENT] & (RNG.random(N) < 0.3)
ALIGNED = 2.4 * Y + RNG.normal(size=N)
SCORE = ALIGNED + 2.2 * IS_PORTO
NOT_ON_ONE_SCALE = "not on one scale"
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def lines_of(y=Y, score=SCORE, segments=CLINIC, name="clinic", **options):
    """The first lines, by their questions."""
    made = report(y, score, segments={name: segments}, parts=["data", "segments"], **options)
    return {line.question: line.answer for line in made.summary}


def average_precision(y, score, prevalence):
    """That of scikit-learn with weights by which positives have a share."""
    weight = np.where(y, prevalence / y.sum(), (1 - prevalence) / np.sum(~y))
    return metrics.average_precision_score(y, score, sample_weight=weight)


def scores_alone(y=Y, score=SCORE, segments=CLINIC, prevalence=None):
    """The score of every segment at the prevalence of all rows, or at another one."""
    share = y.mean() if prevalence is None else prevalence
    names = np.unique(segments)
    masks = [segments == name for name in names]
    return {
        name: average_precision(y[rows], score[rows], share)
        for name, rows in zip(names, masks, strict=True)
    }


def expected_sentence(low, high, together, noun="clinic", plural="clinics", owner=""):
    return (
        f"Each {noun} alone has a higher score{owner} ({low:.2f} to {high:.2f}) than all together "
        f"({together:.2f}): scores of different {plural} are not on one scale."
    )


@pytest.mark.parametrize("prevalence", [None, 0.02])
@pytest.mark.parametrize("clusters", [None, PATIENT], ids=["rows", "patients"])
def test_the_scores_of_segments_alone_and_together_are_quoted(prevalence, clusters):
    options = {} if prevalence is None else {"prevalence": prevalence}
    options |= {} if clusters is None else {"clusters": clusters}
    alone = scores_alone(prevalence=prevalence)
    compared = compare_segments(Y, SCORE, CLINIC, **options)
    assert [*alone.values()] == pytest.approx(compared.estimates, rel=1e-9)
    together = average_precision(Y, SCORE, Y.mean() if prevalence is None else prevalence)
    low, high = min(alone.values()), max(alone.values())
    assert low > together + 0.2
    answer = lines_of(**options)["Distrust"]
    assert answer.startswith(expected_sentence(low, high, together))


def test_without_a_prevalence_all_together_have_the_score_of_scikit_learn():
    together = metrics.average_precision_score(Y, SCORE)
    assert f"than all together ({together:.2f})" in lines_of()["Distrust"]


def test_months_are_named_by_their_noun():
    month = np.array(["2026-01", "2026-02", "2026-03"])[PATIENT % 3]
    alone = scores_alone(segments=month).values()
    together = metrics.average_precision_score(Y, SCORE)
    expected = expected_sentence(min(alone), max(alone), together, "month", "months")
    assert expected in lines_of(segments=month, name="month")["Distrust"]


OTHER = 2.4 * Y + np.random.default_rng(8).normal(size=N) + 1.5 * IS_PORTO


@pytest.mark.parametrize("is_shifted", [False, True])
def test_the_text_is_that_of_the_best_of_two_models_if_it_holds_of_it(is_shifted):
    second = OTHER - Y + IS_PORTO if is_shifted else RNG.normal(size=N)
    assert (NOT_ON_ONE_SCALE in str(lines_of(score=second))) == is_shifted
    together = metrics.average_precision_score(Y, SCORE)
    assert metrics.average_precision_score(Y, second) < together
    answer = lines_of(score={"second": second, "best": SCORE})["Distrust"]
    alone = scores_alone().values()
    assert expected_sentence(min(alone), max(alone), together) in answer
    assert answer.count(NOT_ON_ONE_SCALE) == 1


def test_the_second_of_two_models_has_the_text_if_it_does_not_hold_of_the_best():
    assert NOT_ON_ONE_SCALE not in str(lines_of(score=ALIGNED))
    alone = scores_alone(score=OTHER).values()
    together = metrics.average_precision_score(Y, OTHER)
    assert together < metrics.average_precision_score(Y, ALIGNED)
    answer = lines_of(score={"aligned": ALIGNED, "shifted": OTHER})["Distrust"]
    assert expected_sentence(min(alone), max(alone), together, owner=" of shifted") in answer
    assert answer.count(NOT_ON_ONE_SCALE) == 1


def test_the_second_of_three_models_has_no_such_text():
    models = {"aligned": ALIGNED, "shifted": OTHER, "noise": RNG.normal(size=N)}
    assert NOT_ON_ONE_SCALE not in str(lines_of(score=models))


def test_scores_on_one_scale_have_no_such_doubt():
    assert [*scores_alone(score=ALIGNED).values()] == pytest.approx([*scores_alone().values()])
    assert NOT_ON_ONE_SCALE not in str(lines_of(score=ALIGNED))


@pytest.mark.parametrize(
    "shares",
    [[0.2] * 4, [0.04, 0.1, 0.2, 0.4], [0.03] * 4],
    ids=["same prevalence", "different prevalences", "few positives"],
)
def test_segments_of_the_same_kind_have_no_such_doubt_in_forty_samples(shares):
    code = np.arange(2_000) % len(shares)
    for seed in range(40):
        rng = np.random.default_rng(seed)
        y = rng.random(code.size) < np.array(shares)[code]
        score = 1.7 * y + rng.normal(size=code.size)
        lines = lines_of(y, score, np.array([*"ABCD"])[code])
        assert NOT_ON_ONE_SCALE not in str(lines)


def test_a_segment_that_scores_less_than_all_together_leaves_no_such_doubt():
    score = np.where(CLINIC == "Lyon", 0.2 * ALIGNED + RNG.normal(size=N), SCORE)
    alone = scores_alone(score=score)
    assert alone["Lyon"] < metrics.average_precision_score(Y, score) < alone["Bern"]
    assert NOT_ON_ONE_SCALE not in str(lines_of(score=score))


def with_a_small_clinic(n_positives, shift):
    """All rows, and a clinic with as many positives, in which most of them rank low."""
    rng = np.random.default_rng(0)
    y = np.arange(20 * n_positives) < n_positives
    score = shift * y + rng.normal(size=y.size)
    clinic = np.concatenate([CLINIC, np.repeat("Vaduz", y.size)])
    return np.concatenate([Y, y]), np.concatenate([SCORE, score]), clinic


def test_a_small_segment_that_may_score_as_much_as_others_leaves_no_such_doubt_if_it_scores_less():
    found = set()
    for shift in np.linspace(0.8, 4, 17):
        y, score, clinic = with_a_small_clinic(10, shift)
        compared = compare_segments(y, score, clinic)
        if {row["verdict"] for row in compared.rows()} != {"undecided"}:
            continue
        alone = scores_alone(y, score, clinic)
        is_higher = min(alone.values()) > metrics.average_precision_score(y, score)
        assert (NOT_ON_ONE_SCALE in str(lines_of(y, score, clinic))) == is_higher
        found.add(is_higher)
    assert found == {False, True}


def test_a_segment_with_fewer_than_ten_positives_is_left_out():
    y, score, clinic = with_a_small_clinic(9, 1)
    alone = scores_alone(y, score, clinic)
    together = metrics.average_precision_score(y, score)
    assert alone.pop("Vaduz") < together
    noun = "clinic with enough positives"
    expected = expected_sentence(min(alone.values()), max(alone.values()), together, noun)
    assert expected in lines_of(y, score, clinic)["Distrust"]


def test_a_gap_of_less_than_five_hundredths_is_no_such_doubt_even_with_many_rows():
    y, clinic = np.tile(Y, 8), np.tile(CLINIC, 8)
    aligned = 2.4 * y + np.random.default_rng(1).normal(size=y.size)
    found = set()
    for shift in np.linspace(0.3, 1.5, 13):
        score = aligned + shift * (clinic == "Porto")
        alone = scores_alone(y, score, clinic)
        weight = [y[name == clinic].sum() for name in alone]
        mean = np.average([*alone.values()], weights=weight)
        gap = mean - metrics.average_precision_score(y, score)
        is_told = NOT_ON_ONE_SCALE in str(lines_of(y, score, clinic))
        assert is_told == (gap > 0.05)
        found.add(is_told)
    assert found == {False, True}


def mean_average_precisions(query):
    """The mean of each clinic over its queries; one without positives counts as 0."""
    scores = {clinic: [] for clinic in np.unique(CLINIC)}
    for each in np.unique(query):
        rows = query == each
        has_any = Y[rows].any()
        score = metrics.average_precision_score(Y[rows], SCORE[rows]) if has_any else 0.0
        scores[CLINIC[rows][0]].append(score)
    return {clinic: np.mean(each) for clinic, each in scores.items()}


def test_queries_have_no_such_doubt_because_only_rows_of_a_query_are_ranked_together():
    query = np.arange(N) // 7 // 5 * 3 + PATIENT % 3  # of one clinic each
    assert all(np.unique(CLINIC[query == each]).size == 1 for each in np.unique(query))
    lines = lines_of(queries=query)
    low, high = re.fullmatch(
        r"No difference between the clinics is shown\. They score from (\S+) in .* to (\S+) in .*",
        lines["By clinic"],
    ).groups()
    means = mean_average_precisions(query).values()
    assert [float(low), float(high)] == pytest.approx([min(means), max(means)], abs=0.005)
    assert NOT_ON_ONE_SCALE not in str(lines)
    assert NOT_ON_ONE_SCALE in str(lines_of())


def test_segments_at_the_prevalence_of_their_rows_are_not_compared_with_a_score_at_another_one():
    rows = np.arange(N) < N // 4
    y, score, clinic = Y[rows], SCORE[rows], CLINIC[rows]
    is_kept = {}
    for prevalence in (0.05, 0.002):
        counts = [
            np.sum(compare_segments(y, score, clinic, **options).n_effective >= 10)
            for options in ({"prevalence": prevalence}, {})
        ]
        is_kept[prevalence] = counts[0] == counts[1]
        lines = lines_of(y, score, clinic, prevalence=prevalence)
        assert (NOT_ON_ONE_SCALE in str(lines)) == is_kept[prevalence]
    assert is_kept == {0.05: True, 0.002: False}
