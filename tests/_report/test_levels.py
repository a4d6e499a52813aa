"""How models and columns of a report share the error, and what misses its share by little."""

import numpy as np
import pytest

from sklearn_ap import compare_segments, report
from sklearn_ap._report._levels import TESTS, share_of_column, share_of_model
from sklearn_ap._report._segments import needed_as_text
from sklearn_ap._report.questions import make_questions
from tests.helpers.first_cases import quick
from tests.helpers.report_scenarios import LATE_MONTHS, churn, study

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
SITE_B = [("site", ["B"], "algorithm", 2.5)]


def facts_of(kind, found):
    return [fact for fact in found.facts if type(fact).__name__ == kind]


def questions_of(page, **options):
    segments = page.options["segments"]
    shared = {name: each for name, each in page.options.items() if name != "segments"}
    return make_questions(page.y_true, page.y_scores, segments, {**shared, **options})


def test_most_of_the_error_is_for_the_best_model():
    questions = questions_of(study(np.random.default_rng(0)))
    shares = {model: share_of_model(questions, model) for model in questions.leading}
    assert shares == {"algorithm": 0.75, "first reader": 0.125, "second reader": 0.125}


@pytest.mark.parametrize("units", ["clusters", "queries", None])
def test_columns_share_the_error_by_segments_with_positives_of_several_units(units):
    page = study(np.random.default_rng(0))
    unit = page.options["clusters"]
    page.options["segments"]["patient"] = unit.astype(str)  # each is one patient, or query
    if units != "clusters":
        del page.options["clusters"]
    if units == "queries":
        page.options["queries"] = unit
    questions = questions_of(page)
    shares = [share_of_column(questions, column) for column in questions.columns]
    ill = np.flatnonzero(page.y_true)
    of_row = unit if units else np.arange(unit.size)
    questioned = [
        max(1, sum(len({*of_row[ill[cells[ill] == name]]}) >= 5 for name in {*cells}) - 1)
        for cells in page.options["segments"].values()
    ]
    assert questioned[1:] == [1, 1 if units else questioned[2]]
    assert shares == pytest.approx(np.array(questioned) / sum(questioned))


@pytest.mark.slow
@pytest.mark.parametrize("n_pages", quick([3, 12], 1))
def test_a_page_of_one_model_and_one_column_tells_what_the_function_shows(n_pages):
    told = []
    for seed in range(n_pages):
        page = study(np.random.default_rng(seed), SITE_B)
        site, clusters = page.options["segments"]["site"], page.options["clusters"]
        score = page.y_scores["algorithm"]
        result = compare_segments(page.y_true, score, site, clusters=clusters)
        shown = {
            name
            for name, p, d in zip(result.names, result.pvalue, result.difference, strict=True)
            if p < TESTS["worse segment"] and d < 0
        }
        found = report(page.y_true, score, segments=site, clusters=clusters)
        assert {fact.segment for fact in facts_of("WorseSegment", found)} == shown, seed
        told.append(bool(shown))
    assert n_pages / 2 < sum(told) < n_pages


@pytest.mark.slow
def test_a_near_miss_is_told_with_its_pvalue_and_the_one_it_takes():
    page = study(np.random.default_rng(7), [("site", ["B"], "algorithm", 2.0)])
    found = report(page.y_true, page.y_scores, **page.options)
    (missed,) = facts_of("NearMiss", found)
    assert not facts_of("WorseSegment", found)
    assert str(missed) == (
        "Shown only if nothing else is asked: algorithm scores 0.28 in site B, lower than "
        "elsewhere by 0.58 (95% interval 0.02 to 0.83); p = 0.0386, but p < 0.025 is needed here."
    )
    by_site = next(line for line in found.advice if line.question == "By site")
    assert by_site.facts == (missed,)
    del page.options["segments"]["sex"]
    alone = report(page.y_true, page.y_scores["algorithm"], **page.options)
    assert [fact.segment for fact in facts_of("WorseSegment", alone)] == ["B"]


def test_those_that_share_the_error_are_named():
    page = study(np.random.default_rng(0))
    questions = questions_of(page)
    assert needed_as_text(questions, questions.columns[0]).endswith(
        "for other models, because columns and models share the error"
    )
    page.y_scores.pop("first reader")
    page.y_scores.pop("second reader")
    questions = questions_of(page)
    assert needed_as_text(questions, questions.columns[0]) == (
        "p < 0.033, because columns share the error"
    )


@pytest.mark.slow
def test_a_fall_that_misses_its_share_is_told_as_such():
    page = churn(np.random.default_rng(2), [("month", LATE_MONTHS[-2:], "a", 0.7)], n=6000)
    del page.options["segments"]["region"]
    found = report(page.y_true, page.y_scores, **page.options)
    (missed,) = facts_of("NearMiss", found)
    assert missed.place.n_times == 2
    assert not facts_of("Fall", found)
    (fall,) = facts_of("Fall", report(page.y_true, page.y_scores["a"], **page.options))
    assert fall.pvalue == missed.place.pvalue
    assert missed.place.needed == pytest.approx(0.25 * fall.needed)
