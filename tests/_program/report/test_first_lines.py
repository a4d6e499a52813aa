"""The first lines of a report: answers, and what to distrust."""

import re

import numpy as np
import pytest
from report_data import AB, FOUND, MONTH, NOISE, WEIGHT, A, B, N, Y, quiet

import sklearn_ap
from sklearn_ap import report
from sklearn_ap._program.report.page.page import FINE


def test_warnings_are_listed_in_a_part_and_not_raised():
    y_true = np.r_[np.ones(4, int), np.zeros(40, int)]
    found = report(y_true, 99 * y_true + NOISE[:44])  # and none is raised as an error
    assert re.match("There are [234] warnings", found.parts[-1].sentence)
    (perfect,) = (row for row in found.parts[-1].cells if row[0].startswith("perfect score: A"))
    assert perfect[1].startswith("The score")


def test_first_lines_say_model_threshold_segments_and_doubts():
    found = report(Y, AB, segments={"month": MONTH})
    assert [line.question for line in found.summary] == [
        *("Model", "Threshold", "By month", "Distrust")
    ]
    for line in found.summary[:3]:
        answer = found.parts[line.part - 1]
        assert line.answer == " ".join(answer.brief or [answer.sentence])
    model, threshold, *_ = found.summary
    scores = r"\. b scores 0\.\d\d, a 0\.\d\d, and a random"
    assert re.match(f"b is better than a: .*{scores}", model.answer)
    assert "with 90% confidence" in threshold.answer


@quiet
def test_first_lines_distrust_the_first_warning_or_nothing():
    found = report(Y, {"a": A, "b": NOISE}, sample_weight=WEIGHT)
    (*_, doubt), warned = found.summary, found.parts[-1]
    same_rows = "The threshold is chosen and measured on the same rows"
    unsure = f"{same_rows}: expect a lower precision on new ones."
    assert warned.cells[1] == [unsure, "Thresholds"]
    text = doubt.answer.removeprefix(f"{unsure} ")
    first = warned.cells[2][0].partition(": ")[2]  # without the name of the warning
    assert text.startswith(first.split(". ")[0].rstrip("."))
    n_more = len(warned.cells) - 2 - text.count(".")
    assert n_more <= 0 or doubt.answer.endswith(f" {n_more} more warnings.")
    assert doubt.part == len(found.parts)
    (*_, doubt) = report(Y, AB, parts=["data", "score"]).summary
    assert doubt == ("Distrust", "Nothing looks wrong with labels and scores.", 1)


@quiet
def test_first_lines_name_the_problem_of_the_data_before_warnings():
    found = report(Y, -B)
    (doubt,) = (line for line in found.summary if line.question == "Distrust")
    assert "far below that of a random order" in doubt.answer
    assert doubt.part == len(found.parts)
    assert found.parts[-1].cells[1][1].startswith("What the data are, ")


@pytest.mark.parametrize(
    ("y", "score", "doubts"),
    [
        (
            np.arange(20) < 4,
            np.arange(20) % 4 + np.arange(20) / 9,
            [
                "There are only 4 positives, so other samples may give quite another score.",
                "The model scores 0.17, less than a random order, 0.31.",
                "The 95% interval of the model is wide: ",
            ],
        ),
        (
            np.arange(210) < 18,
            1.5 * (np.arange(210) < 18) + NOISE[:210],
            ["There are only 18 positives", "The 95% interval of the model is wide: "],
        ),
        (
            np.arange(300) < 60,
            np.zeros(300),
            ["the model: All scores are equal.", "It is not shown that the model scores hi"],
        ),
        (
            [1, 0],
            [2, 1],
            [
                "There is only 1 positive, so",
                "It is not shown that the model scores higher than by chance.",
                "The 95% interval of the model is wide: ",
                "perfect score: A score of 1 shows no variance",
            ],
        ),
    ],
)
def test_first_lines_data_and_warnings_have_the_same_doubts_in_order(y, score, doubts):
    found = report(y, score)
    data, *_, listed = found.parts
    texts = [row[0] for row in listed.cells[1:]]
    assert [text[: len(doubt)] for text, doubt in zip(texts, doubts, strict=True)] == doubts
    assert listed.sentence == f"There are {len(doubts)} warnings."
    is_of_data = [row[1].startswith(data.title) for row in listed.cells[1:]]
    assert data.more == [text for text, its in zip(texts, is_of_data, strict=True) if its]
    more = ["1 more warning: perfect score (The score)."] * (len(texts) - 3)
    answer = " ".join([*texts[:3], *more])
    assert found.summary[-1] == ("Distrust", answer, len(found.parts))


@quiet
def test_first_rows_that_are_all_positive_are_no_warning():
    y = np.arange(3000) % 10 == 0
    score = y + np.random.default_rng(0).normal(size=3000) + 9 * (np.arange(3000) < 400) * y
    found = report(y, score)
    assert found.summary[-1].answer == FINE
    assert found.parts[0].more == [FINE]
    assert y[np.argsort(-score)[:40]].all()  # the highest points of the curve
    assert found.parts[-1].sentence == "There is no warning."


@quiet
def test_first_lines_name_a_kind_of_warning_once():
    groups = np.arange(N) % 9
    found = report(Y, B, clusters=groups, segments=np.where(groups < 4, "x", "y"))
    kinds = [row[0] for row in found.parts[-1].cells if row[0].startswith("few clusters")]
    assert len(kinds) > 1
    answer = found.summary[-1].answer
    few = (
        "There are only 9 clusters, so intervals may be too narrow, and the guarantee may not hold."
    )
    assert answer.startswith(few)
    assert found.parts[0].more == []
    assert answer == f"{few} 1 more warning: few clusters (Segments)."


def test_links_of_the_first_lines_lead_to_their_parts(rendered):
    html = FOUND.to_html()
    links = re.findall('<dt><a href="#(part-[0-9]+)"', html)
    assert len(links) == len(FOUND.summary)
    for link in links:
        assert html.count(f'<section id="{link}">') == 1


def test_first_lines_have_version_and_source_but_no_date_of_today():
    lines = repr(report(Y, A, source="payments.csv, 1 October 2026")).splitlines()
    version = f"sklearn_ap {sklearn_ap.__version__}"
    assert f"payments.csv, 1 October 2026, {version}" in lines
    assert version in repr(FOUND).splitlines()


@pytest.mark.parametrize("is_worse", [True, False])
def test_adjusted_intervals_are_explained_below_the_first_lines_that_have_one(is_worse):
    worse = np.where(is_worse & (MONTH == "2026-03"), NOISE, B)
    page = report(Y, worse, segments={"month": MONTH})
    is_told = any("adjusted 95% interval" in line.answer for line in page.summary)
    assert is_told == is_worse
    explanation = "A perfect ranking has 1. Adjusted intervals are wider, as several segments"
    assert (explanation in " ".join(str(page).split())) == is_told
    assert (explanation in page.to_html()) == is_told
