"""What a page says where a doubt stands, and where functions refuse or find nothing."""

import numpy as np
import pytest

from sklearn_ap import FoldPredictions, chance_test, report
from sklearn_ap._report._looked_at import ChangedShare, Looked, Warned
from sklearn_ap._report.questions import ReportWarning, leave_out_repeated

RNG = np.random.default_rng(0)
Y = (RNG.random(2000) < 0.2).astype(int)
FINE = 2 * Y + RNG.normal(size=2000)
WEAK = 0.5 * Y + RNG.normal(size=2000)
CLASSES = (FINE > 1).astype(int)
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")


def test_a_page_calls_no_model_better_while_a_doubt_stands():
    page = report(Y, {"fine": FINE, "classes": CLASSES})
    assert "fine scores higher than classes over all rows: " in str(page.advice[0].facts[0])
    assert "but scores look like predicted classes (classes)" in str(page.advice[0].facts[0])
    page = report(Y, {"fine": FINE, "classes": CLASSES, "weak": WEAK})
    best = str(page.advice[0].facts[0])
    assert "; classes scores lower, but scores look like predicted classes (classes)" in best


@pytest.mark.slow
def test_a_page_advises_no_model_that_is_worse_by_its_numbers_alone():
    """A doubt about a weak model is no reason to use it where the best one fell."""
    months = np.repeat([f"2024-{month:02d}" for month in range(1, 9)], 250)
    fallen = np.where(np.arange(2000) < 1500, 4 * Y, Y) + RNG.normal(size=2000)
    weak = (Y + RNG.normal(size=2000) > 1).astype(int)
    page = report(Y, {"A": fallen, "B": weak}, segments={"month": months})
    assert page.advice[0].model == "A"
    written = page.to_dict()["warnings"]
    assert [each["models"] for each in written if each["name"] == "predicted classes"] == [["B"]]


def test_a_pvalue_of_one_in_twenty_is_no_skill_on_a_page():
    y = np.arange(30) < 6
    score = 0.6 * y + np.random.default_rng(411).normal(size=30)
    assert chance_test(y, score).pvalue == 0.05
    assert "Do not use" in str(report(y, score))


def test_sentences_of_what_to_distrust():
    changed = ChangedShare("month", "2026-06", share=0.02, before=0.1)
    assert str(changed) == (
        "2.0% of the rows are positive in 2026-06, the latest month, and 10.0% before: labels may "
        "be missing, or mean something else."
    )
    looked = Looked(1200, 30, "cluster", 90, columns=("month",), lacks=("subgroups",))
    assert str(looked) == (
        "Without columns of subgroups, the page cannot see worse subgroups. Looked at: 1,200 "
        "rows, 30 positives, 90 clusters, month."
    )
    assert str(Warned(kinds=("few clusters",), models=("a", "b"))) == (
        "Warnings about a and b stand below: few clusters."
    )


def test_a_page_takes_no_folds():
    folds = FoldPredictions({"y_score": FINE, "folds": np.arange(2000) % 5})
    with pytest.raises(ValueError, match=r", got .* Only intervals and comparisons take FoldP"):
        report(Y, {"A": folds})


def test_a_page_doubts_another_model_whose_scores_are_reversed():
    """Its comparison alone would say that the reversed model is worse."""
    page = report(Y, {"weak": WEAK, "fine": -FINE})
    assert page.advice[0].model == "weak"
    head = page.advice[0].sentences[0]
    assert head.startswith("weak scores higher than fine over all rows")
    assert "but scores seem reversed (fine): check whether high scores mean positive" in head
    assert "reversed" not in str(report(Y, {"fine": FINE, "weak": WEAK}))


def test_a_warning_about_some_rows_names_them_as_readers_do():
    months = np.repeat([f"2024-{month:02d}" for month in range(1, 9)], 250)
    fallen = np.where(np.arange(2000) < 1500, 3 * Y, -2 * Y) + RNG.normal(size=2000)
    page = report(Y, fallen, segments={"month": months}, clusters=np.arange(2000) // 100)
    notes = page.parts[-1].notes
    start = "few clusters: 'before 2024-07' and 'since 2024-07': The interval"
    assert any(note.startswith(f"model: {start}") for note in notes)
    assert any(note.startswith(f"model before 2024-08: {start}") for note in notes)
    assert "model before 2024-08" not in {name for each in page.warnings for name in each["models"]}
    assert "before 2024-08" in {each["where"] for each in page.warnings}
    assert "'since'" not in str(page)


def test_a_warning_about_all_rows_is_not_told_again_of_some():
    of_all, of_some = ReportWarning("t", "k"), ReportWarning("t", "k", "in site B")
    told = leave_out_repeated({of_some: ["a", "b"], of_all: ["a"]})
    assert told == {of_some: ["b"], of_all: ["a"]}
    assert leave_out_repeated({of_some: ["a"], of_all: ["a"]}) == {of_all: ["a"]}
    assert leave_out_repeated({of_some: []}) == {of_some: []}


def test_a_page_that_distrusts_nothing_says_what_it_looked_at():
    month = np.repeat([f"2024-{month:02d}" for month in range(1, 9)], 250)
    columns = {"month": month, "site": np.arange(2000) % 3}
    page = report(Y, FINE, segments=columns, clusters=np.arange(2000) // 2)
    assert (page.advice[-1].question, page.advice[-1].sentences) == (
        "Data",
        [f"Looked at: 2,000 rows, {Y.sum()} positives, 1,000 clusters, month, site."],
    )
    assert report(Y, FINE, segments=columns).advice[-1].question == "Distrust"


@pytest.mark.slow
def test_a_page_names_the_segments_without_a_positive():
    """Perhaps their labels are missing, and nothing else on the page would say so."""
    site = np.repeat(["A", "B", "C", "D"], 500)
    dead = Y * (site != "D")
    page = report(dead, FINE, segments={"site": site})
    assert "Nothing is known of site D: no row there is positive." in " ".join(
        page.advice[-1].sentences
    )
    (part,) = [part for part in page.parts if part.title == "By site"]
    assert any(note.startswith("Nothing is known of D, because a score is") for note in part.notes)
    month = np.datetime64("2025-01") + np.arange(2000) // 500
    of_months = report(dead, FINE, segments={"month": month})
    assert "Nothing is known of month 2025-04: no row" in " ".join(of_months.advice[-1].sentences)
    dead = report(Y, FINE, segments={"site": site}, sample_weight=np.where(site == "D", 0, 1))
    assert "Nothing is known of site D: no row there is positive." in str(dead).replace("\n ", "")
