"""Segments of queries in a report: each query lies in one segment, and scores are their means."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn import metrics

from sklearn_ap import average_precision_interval, compare_average_precision, report
from sklearn_ap._base.drawing.axes import axes_colors

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")
RNG = np.random.default_rng(3)
N_TOPICS = 240
TOPIC = pd.Series(np.repeat(np.arange(N_TOPICS), 40), name="topic")
N = len(TOPIC)
LANGUAGE = RNG.choice(["de", "en", "fr", "ja"], N_TOPICS)[TOPIC]
MONTH = np.array([f"2026-{i:02d}" for i in range(1, 7)])[np.arange(N_TOPICS) * 6 // N_TOPICS][TOPIC]
Y = RNG.random(N) < 0.1
NOISE = RNG.normal(size=(2, N))
BM25 = 1.2 * Y + NOISE[0]
EVEN = {"bm25": BM25, "dense": 1.9 * Y + NOISE[1]}
WORSE_IN_JA = {"bm25": BM25, "dense": np.where(LANGUAGE == "ja", 0.3, 1.9) * Y + NOISE[1]}
FALLEN = {"bm25": BM25, "dense": np.where(MONTH == "2026-06", 0.2, 1.9) * Y + NOISE[1]}


def make(scores, queries=TOPIC, **options):
    return report(Y, scores, queries=queries, **options)


def lines_of(made):
    """The first lines, by their questions."""
    return {line.question: line.answer for line in made.summary}


def part_of(made, title):
    return next(part for part in made.parts if part.title == title)


def mean_average_precision(score, rows, y=Y):
    """The mean over topics; one without positives counts as 0."""
    scores = []
    for topic in np.unique(TOPIC[rows]):
        inside = rows & (topic == TOPIC).to_numpy()
        found = y[inside]
        scores.append(metrics.average_precision_score(found, score[inside]) if found.any() else 0.0)
    return np.mean(scores)


def test_the_table_has_the_mean_over_the_topics_of_each_segment():
    made = make(WORSE_IN_JA, segments={"language": LANGUAGE})
    head, *rows = part_of(made, "Segments by language").cells
    assert head[:5] == [
        "language",
        "dense [95% interval]",
        "bm25 [95% interval]",
        "topics",
        "positives",
    ]
    assert [row[0] for row in rows] == ["de", "en", "fr", "ja"]
    for row in rows:
        inside = row[0] == LANGUAGE
        for cell, name in zip(row[1:3], ("dense", "bm25"), strict=True):
            score = WORSE_IN_JA[name]
            assert cell.split()[0] == f"{mean_average_precision(score, inside):.2f}"
            found = average_precision_interval(Y[inside], score[inside], queries=TOPIC[inside])
            assert cell.endswith(f"[{found.low:.2f}, {found.high:.2f}]")
        assert row[3] == str(TOPIC[inside].nunique())
        assert row[4] == str(Y[inside].sum())


def test_a_language_in_which_the_best_model_is_worse_limits_the_claim():
    made = make(WORSE_IN_JA, segments={"language": LANGUAGE})
    model = lines_of(made)["Model"]
    assert "Use bm25 in language ja." in model
    inside = LANGUAGE == "ja"
    scores = {name: score[inside] for name, score in WORSE_IN_JA.items()}
    found = compare_average_precision(
        Y[inside], scores, queries=TOPIC[inside], confidence_level=1 - 0.05 / 4
    )
    change = f"{found.differences[1]:+.2f} (adjusted 95% interval {found.difference_lows[1]:+.2f}"
    assert f"but worse than bm25 in language ja: {change}" in model
    line = lines_of(made)["By language"]
    assert re.match(r"dense scores 0\.\d\d less in language ja than in the other languages", line)


def test_a_fall_in_the_latest_month_advises_the_other_model():
    made = make(FALLEN, segments={"month": MONTH})
    rows = MONTH == "2026-06"
    fallen, stable = (
        f"{mean_average_precision(FALLEN[name], rows):.2f}" for name in ("dense", "bm25")
    )
    before = f"{mean_average_precision(FALLEN['dense'], ~rows):.2f}"
    advice = f"Use bm25 for now: dense falls from {before} to {fallen} in 2026-06"
    assert lines_of(made)["Model"].startswith(advice)
    assert f"dense scores {fallen} and bm25 {stable}" in lines_of(made)["Model"]
    (paper,) = (part.copied_text for part in made.parts if part.name == "paper")
    assert f"In 2026-06, dense scored {fallen}" in paper
    assert "prevalence of all rows" not in paper


def test_nothing_is_told_of_segments_that_are_alike():
    made = make(EVEN, segments={"month": MONTH, "language": LANGUAGE})
    lines = lines_of(made)
    assert lines["By month"].startswith("No difference between the months is shown for dense.")
    assert lines["By language"].startswith(
        "No difference between the languages is shown for dense."
    )


def test_notes_and_the_picture_name_topics_and_no_prevalence(drawn_figures):
    made = make(EVEN, segments={"language": LANGUAGE})
    part = part_of(made, "Segments by language")
    assert part.notes[0] == (
        "The score of a segment is the mean over its topics, so it is also higher where more of "
        "the rows are positive. Intervals are over topics."
    )
    assert part.picture.subject.startswith("Mean average precision by language, 95% intervals; 240")
    assert "240 topics" in part.picture.subject
    assert "dotted" not in part.picture.subject
    drawn_figures.clear()
    _ = part.picture.image
    (axis,) = drawn_figures[0].axes
    languages = [label.get_text() for label in axis.get_yticklabels()]
    assert languages == ["de", "en", "fr", "ja"]
    for name, color in zip(("dense", "bm25"), axes_colors(axis).models, strict=False):
        beside = {
            text.xy[1]: text.get_text()
            for text in axis.texts
            if text.get_color() == color and text.xy[0] == 1  # not the name above the rows
        }
        scores = [mean_average_precision(EVEN[name], each == LANGUAGE) for each in languages]
        assert beside == {place: f"{score:.2f}" for place, score in enumerate(scores)}
    assert not any("topic" in text.get_text() for text in axis.texts)
    assert part.call.endswith("queries=queries, prevalence=None)")


def test_the_picture_of_a_single_model_counts_the_topics_of_rows(drawn_figures):
    part = part_of(make(BM25, segments={"language": LANGUAGE}), "Segments by language")
    _ = part.picture.image
    (axis,) = drawn_figures[-1].axes
    languages = [label.get_text() for label in axis.get_yticklabels()]
    rows = [each == LANGUAGE for each in languages]
    assert [text.get_text() for text in axis.texts] == [
        f"{mean_average_precision(BM25, each):.2f}, {TOPIC[each].nunique()} topics" for each in rows
    ]


def test_scores_over_all_languages_are_to_be_distrusted_and_no_guarantees():
    doubts = lines_of(make(WORSE_IN_JA, segments={"language": LANGUAGE}))["Distrust"]
    assert doubts.startswith("Scores are over all languages together, but dense scores less in ja.")
    assert "uarantee" not in doubts


def test_a_prevalence_of_the_user_is_that_of_each_query():
    made = make(EVEN, segments={"language": LANGUAGE}, prevalence=0.2)
    part = part_of(made, "Segments by language")
    assert part.cells[0][1] == "dense at prevalence 0.20 [95% interval]"
    assert "at a prevalence of 0.2, the mean over the topics of each, so that" in part.notes[0]
    assert "prevalence=0.2" in part.call
    warnings = " ".join(lines_of(made).values())
    assert "more warnings" not in warnings


def test_segments_of_few_topics_are_not_compared():
    is_early = (TOPIC < 30).to_numpy()
    segments = {"language": LANGUAGE[is_early]}
    scores = {name: score[is_early] for name, score in EVEN.items()}
    made = report(Y[is_early], scores, queries=TOPIC[is_early], segments=segments)
    n_topics = pd.Series(TOPIC[is_early]).groupby(LANGUAGE[is_early]).nunique()
    n_enough = int((n_topics >= 10).sum())
    line = lines_of(made)["By language"]
    assert n_enough == 1
    assert f"only {n_enough} of {len(n_topics)} has enough topics with positives" in line
    assert "collect more topics" in line


def test_rows_of_a_topic_in_several_segments_are_not_compared():
    device = RNG.choice(["phone", "desk"], N)
    made = make(EVEN, segments={"device": device, "language": LANGUAGE})
    assert lines_of(made)["By device"] == (
        "Not compared, because rows of one topic lie in several segments. Without queries, the "
        "rows of each segment would be one ranking."
    )
    assert lines_of(made)["By language"].startswith("No difference")


def test_topics_that_were_sampled_in_clusters_are_not_compared():
    users = pd.Series(TOPIC.to_numpy() // 4, name="user")
    made = make(EVEN, clusters=users, segments={"language": LANGUAGE})
    assert lines_of(made)["By language"] == (
        "Not compared, because segments of topics have intervals over topics, not over users."
    )


def test_a_row_without_weight_may_lie_in_another_segment():
    weight = np.ones(N)
    weight[::40] = 0
    language = np.where(weight > 0, LANGUAGE, "xx")
    made = make(EVEN, segments={"language": language}, sample_weight=weight)
    assert lines_of(made)["By language"].startswith("No difference between the languages")
