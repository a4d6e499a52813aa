"""What a report says of a prevalence that is not that of its rows: few negatives, other tools."""

import numpy as np
import pytest
from report_data import AB, GROUP, B, Y, part, quiet, shows

from sklearn_ap import average_precision_score, report
from sklearn_ap._program.report.page.page import FINE

N_POSITIVES = Y.sum()
FACTS = f"600 rows, {N_POSITIVES} positive (19%)"


def positives_with(y, prevalence):
    """How many positives stand beside as many negatives at a prevalence."""
    return np.sum(y == 0) * prevalence / (1 - prevalence)


@quiet
@pytest.mark.parametrize("prevalence", [0.04, 0.05, 0.1])
def test_few_negatives_for_a_prevalence_are_a_doubt(prevalence):
    found = report(Y, B, prevalence=prevalence, parts=["data", "score"])
    worth = positives_with(Y, prevalence)
    assert 20 < worth < N_POSITIVES / 2
    assert found.parts[0].sentence == f"{FACTS}."
    needed = N_POSITIVES / prevalence - N_POSITIVES
    doubt = (
        f"At a prevalence of {prevalence:g}, {N_POSITIVES} positives would come with {needed:,.0f} "
        f"negatives, and there are {np.sum(Y == 0):,}, so intervals are wider."
    )
    assert found.parts[0].more == [doubt]
    assert found.summary[-1].answer == doubt
    assert found.parts[-1].cells[1] == [doubt, "What the data are"]


@quiet
@pytest.mark.parametrize("prevalence", [0.01, 0.03])
def test_negatives_for_fewer_than_twenty_positives_may_give_another_score(prevalence):
    found = report(Y, B, prevalence=prevalence, parts=["data"])
    assert positives_with(Y, prevalence) < 20 < N_POSITIVES
    few = f"Negatives are few for a prevalence of {prevalence:g}"
    assert found.parts[0].doubts == [f"{few}, so other samples may give quite another score."]
    assert found.parts[0].sentence == f"{FACTS}."


@quiet
@pytest.mark.parametrize("prevalence", [0.01, 0.5])
def test_fewer_than_twenty_positives_are_the_doubt_whatever_the_prevalence(prevalence):
    kept = (Y == 0) | (np.cumsum(Y) <= 19)
    found = report(Y[kept], B[kept], prevalence=prevalence, parts=["data"])
    few = "There are only 19 positives"
    assert found.parts[0].doubts == [f"{few}, so other samples may give quite another score."]


@quiet
def test_a_small_loss_is_no_doubt():
    found = report(Y, B, prevalence=0.15, parts=["data"])
    worth = positives_with(Y, 0.15)
    assert N_POSITIVES / 2 < worth < N_POSITIVES - 1
    assert found.parts[0].sentence == f"{FACTS}."
    assert not found.parts[0].doubts
    assert found.summary[-1].answer == FINE


@quiet
@pytest.mark.parametrize(
    "options",
    [{"prevalence": 0.5}, {"prevalence": 0.01, "queries": GROUP}, {}],
    ids=["higher prevalence", "queries", "own prevalence"],
)
def test_negatives_are_not_few_at_a_higher_prevalence_or_where_queries_are_sampled(options):
    found = report(Y, B, **options, parts=["data"])
    queries = ", 60 queries" if "queries" in options else ""
    assert found.parts[0].sentence == f"{FACTS}{queries}."
    assert "egatives are few" not in str(found)


@quiet
def test_other_tools_print_the_score_at_the_prevalence_of_the_rows():
    found = part("What other tools print", Y, AB, prevalence=0.05)
    plain = part("What other tools print", Y, AB)
    own = f"At the prevalence of these rows, {Y.mean():.2f}, "
    assert found.sentence == f"{own}{plain.sentence}"
    assert plain.sentence.startswith("4 of 10 well-known functions print 0.")
    assert found.cells == plain.cells
    assert float(found.cells[1][0]) == pytest.approx(average_precision_score(Y, B), abs=5e-5)
    assert found.call == plain.call == "compat.compare(y_true, y_scores['b'])"
    assert not found.notes


@quiet
def test_a_paper_explains_effective_positives_at_a_prevalence():
    found = part("What to write in a paper", Y, B, prevalence=0.05)
    assert f"{positives_with(Y, 0.05):.1f} effective positives" in found.copied_text
    assert found.notes[0] == (
        "Effective positives are fewer where negatives are few for this prevalence."
    )
    enough = part("What to write in a paper", Y, B, prevalence=0.5)
    assert "effective positives" not in enough.copied_text
    assert not enough.notes


@quiet
def test_the_part_about_scores_and_the_curve_are_at_the_prevalence():
    found = report(Y, B, prevalence=0.05, parts=["score", "curve"])
    score, curve, _ = found.parts
    assert shows(score.cells[1][1].split()[0], average_precision_score(Y, B, prevalence=0.05))
    assert "All scores are those at a prevalence of 0.05." in score.notes
    assert curve.picture.subject.startswith("Precision by recall at prevalence 0.05, ")
