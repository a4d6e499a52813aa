"""Which parts a report makes, and which it leaves out for some data."""

import os
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from report_data import (
    AB,
    FOUND,
    GROUP,
    MONTH,
    NOISE,
    TITLES,
    A,
    B,
    N,
    Y,
    is_shown,
    part,
    quiet,
    shows,
)

import sklearn_ap
from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_interval,
    average_precision_score,
    report,
)
from sklearn_ap._program.report.data.predictions import Predictions
from sklearn_ap.definitions import PrecisionAtK


@quiet
def test_report_of_queries_leaves_out_parts_of_a_single_ranking():
    page = report(Y, AB, queries=GROUP, segments=MONTH)
    found = {each.title: each for each in page.parts}
    left_out = "Left out: this part does not go with queries, because "
    own = "each query is a ranking of its own."
    mixed = "rows of one query lie in several segments."
    assert found["Thresholds"].sentence == f"{left_out}{own}"
    assert found["Segments"].sentence == f"{left_out}{mixed}"
    answers = {line.question: line.answer for line in page.summary}
    assert answers["Threshold"] == f"None, because {own}"
    one_ranking = "Without queries, the rows of each segment would be one ranking."
    assert answers["Segments"] == f"Not compared, because {mixed} {one_ranking}"
    assert found["The curve"].notes[-1] == (
        "The table has an interval at each recall; a band over all recalls is only for a "
        "single ranking."
    )
    assert (
        found["The top rows"].sentence
        == "Left out: There are too few rows of a query: the top 10 are more than half of them."
    )
    expected = average_precision_interval(Y, B, queries=GROUP)
    models = found["Is one model better?"]
    assert models.cells[1][0] == "b"
    assert is_shown(models.cells[1][1], expected)
    assert "queries=queries" in models.call


@quiet
def test_many_weighted_rows_have_an_interval_for_the_score_only():
    n = 21_000
    y = np.arange(n) % 10 == 0
    score, options = y + np.random.default_rng(1).normal(size=n), {"sample_weight": 1.0 + y}
    found = report(y, score, **options)
    assert is_shown(found.parts[1].cells[1][1], average_precision_interval(y, score, **options))
    expected = average_precision_score(y, score, definition=PrecisionAtK(0.01), **options)
    assert shows(found.parts[3].cells[1][2], expected)
    for notes, is_said in ((found.parts[2].notes, True), (found.parts[3].notes, False)):
        text = " ".join(notes)
        assert ("as resampling rows with weights takes minutes." in text) == is_said


def test_report_makes_the_parts_that_are_asked_for_in_its_order():
    found = report(Y, AB, parts=["curve", "score"])
    assert [each.title for each in found.parts] == ["The score", "The curve", "Warnings"]
    assert [line.question for line in found.summary] == ["Model"]
    assert found.call == "report(y_true, y_scores, parts=['score', 'curve'])"
    assert found.summary[0].answer == found.parts[0].sentence


def test_parts_without_content_are_left_out_and_the_others_numbered_on():
    found = report(Y, A)
    titles = [title for title in TITLES if title not in ("Is one model better?", "Segments")]
    assert [each.title for each in found.parts] == titles
    numbered = re.findall(r"(?m)^(\d)\. (.*)$", repr(found))
    assert numbered == [(str(i), title) for i, title in enumerate(titles, 1)]
    assert [line.part for line in found.summary if line.question == "Threshold"] == [5]


def test_pages_of_the_documentation_exist():
    docs = Path(sklearn_ap.__file__).parents[1] / "docs"
    if not docs.is_dir():
        pytest.skip("there is no documentation beside this package")
    for each in FOUND.parts:
        assert (docs / f"{each.page}.md").is_file(), each.title


@quiet
def test_left_out_part_always_names_its_first_unsupported_option():
    options = {"n_positives": np.full(60, 50), "queries": np.arange(N) % 60}
    assert part("Thresholds", Y, A, **options).sentence == (
        "Left out: this part does not go with queries, because each query is a ranking of its own."
    )
    names = ["sample_weight", "queries", "clusters", "n_positives"]
    for first in names:
        sorted_names = dict.fromkeys([first, *names], 1)
        data = Predictions(Y, {}, sorted_names, None, None, True)
        with pytest.raises(ValueError, match=f"does not go with {first}, because "):
            data.arguments(lambda: None)


def test_printed_call_of_the_curve_is_the_display_constructor():
    assert AveragePrecisionDisplay.from_predictions.__qualname__ in part("The curve").call


@pytest.mark.slow
@quiet
def test_report_of_many_rows_is_complete_and_small():
    n, rng = 3_000_000 if os.environ.get("WEEKLY") else 150_000, np.random.default_rng(0)
    y = rng.random(n) < 0.02
    base = rng.normal(size=n)
    found = report(y, {"a": y + base, "b": 1.2 * y + base}, segments=rng.integers(0, 12, n))
    assert [each.title for each in found.parts] == [t for t in TITLES if t != "The score"]
    assert found.parts[1].sentence.startswith("b is better than a: +0.0")
    assert any("99 resamples" in note for note in found.parts[2].notes)  # those of the curve
    assert len(found.to_html()) < 1_000_000


@quiet
def test_queries_are_named_where_they_have_no_positives_and_where_shares_are_means():
    queries = np.arange(N) // 20
    y = (np.arange(N) % 5 == 0) & (queries != 7)
    found = report(y, 1.5 * y + NOISE, queries=pd.Series(queries, name="query_id"))
    lines = {line.question: line.answer for line in found.summary}
    score = average_precision_score(y, 1.5 * y + NOISE, queries=queries) * 30 / 29
    says = "1 of 30 queries has no positive, and counts as 0; without it, the model scores"
    without = f"{says} {score:.2f}."
    assert lines["Distrust"].startswith(without)
    assert [row[0] for row in found.parts[-1].cells[1:] if "no positive" in row[0]] == [without]
    assert lines["Threshold"] == "None, because each query is a ranking of its own."
    top = next(each for each in found.parts if each.name == "top")
    assert re.search(r" are positive, on average over 30 queries: a precision of ", top.sentence)
