"""Doubts stand with the results that they are about, and overturn verdicts."""

import json
import pickle
import re
import warnings
from dataclasses import replace
from functools import partial
from typing import get_args

import numpy as np
import pytest
from sklearn.model_selection import KFold, cross_validate
from sklearn.naive_bayes import GaussianNB

from sklearn_ap import (
    FoldPredictions,
    Interval,
    OperatingPoint,
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    chance_test,
    compare_average_precision,
    compare_independent,
    compare_segments,
    compat,
    operating_point,
    sample_size_for_interval,
    threshold_counts,
)
from sklearn_ap._inputs.sourced_scores import Source, SourcedScores
from sklearn_ap._results.doubt import OVERTURNS, Doubt
from sklearn_ap._writing.warning import WarningName
from sklearn_ap.inference.doubts.score_doubts import UnequalJudgements, unequal_judgements
from sklearn_ap.inference.interval import join_intervals
from tests.helpers.interval_data import drawn
from tests.helpers.pages import DOCS, tables

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
RNG = np.random.default_rng(0)
Y = (RNG.random(2000) < 0.2).astype(int)
FINE = 2 * Y + RNG.normal(size=2000)
WEAK = 0.5 * Y + RNG.normal(size=2000)
CLASSES = (FINE > 1).astype(int)
GRADES = np.clip(np.round(FINE), -1, 3)
MODELS = {"fine": FINE, "weak": WEAK, "classes": CLASSES, "grades": GRADES}
RARE = (Y == 0) | (np.arange(2000) % 4 == 0)
NOISE_Y = np.isin(np.arange(50), [0, 20, 30, 40])
TABLE = np.column_stack([Y, np.ones(2000, int)])


def half_labelled(judge):
    labels = np.where(np.arange(2000) % 2, np.nan, Y)
    return partial(average_precision_interval, labels, FINE, judge=judge)


def folds_that_share_clusters():
    """The folds of a model that saw the clusters of its test rows."""
    x = FINE[:, None]
    found = cross_validate(
        GaussianNB(),
        x,
        Y,
        cv=KFold(4),
        return_estimator=True,
        return_indices=True,
    )
    return FoldPredictions(found, x)


CALLS = {
    "predicted classes": lambda: average_precision_interval(Y, CLASSES),
    "constant scores": lambda: compare_average_precision(Y, {"a": FINE, "b": np.zeros(2000)}),
    "coarse scores": lambda: compare_average_precision(Y, {"a": FINE, "b": GRADES}),
    "reversed scores": lambda: compare_average_precision(Y, {"a": FINE, "b": -FINE}),
    "no negatives": lambda: operating_point(Y[Y == 1], FINE[Y == 1], precision=0.5),
    "few negatives": lambda: average_precision_interval(Y, FINE, prevalence=1e-4),
    "few clusters": lambda: average_precision_interval(Y, FINE, clusters=np.arange(2000) % 9),
    "unattainable precision": lambda: operating_point(NOISE_Y, -np.arange(50), precision=0.9),
    "unequal weights": lambda: operating_point(
        Y, FINE, threshold=2.5, sample_weight=1.0 + 9 * (Y == 0)
    ),
    "clusters in training": lambda: average_precision_interval(
        Y, folds_that_share_clusters(), clusters=np.arange(2000) % 50
    ),
    "unequal prevalence": lambda: compare_independent(
        average_precision_interval(Y, FINE), average_precision_interval(Y[RARE], FINE[RARE])
    ),
    "unknown prevalence": lambda: compare_independent(
        (0.5, 0.4, 0.6), average_precision_interval(Y, FINE)
    ),
    "copied labels": half_labelled(Y),
    "unlike labels": lambda: average_precision_interval(
        np.where(FINE > 1, Y, np.nan), FINE, inclusion_probability="equal"
    ),
    "wrong probabilities": lambda: average_precision_interval(
        np.where(np.arange(2000) % 2, np.nan, Y), FINE, inclusion_probability=0.05
    ),
    "only positives": lambda: average_precision_interval(TABLE, np.column_stack([FINE, WEAK])),
    "small pilot": lambda: sample_size_for_interval(
        average_precision_interval(Y[:50], FINE[:50]), half_width=0.1
    ),
    "few labelled queries": lambda: average_precision_interval(
        np.where(np.arange(2000) < 400, Y, np.nan),
        FINE,
        judge=(FINE > 1).astype(int),
        queries=np.arange(2000) // 25,
    ),
}


# Those of folds, methods and sources are in the tests of folds, of retrieval and of detections.
ELSEWHERE = {
    "same sample",
    "forgotten queries",
    "hidden positives",
    "missing results",
    "unequal judgements",
    "unlike folds",
    "unlike methods",
}


def test_every_doubt_is_asked_for_here_or_elsewhere():
    assert {*CALLS} | ELSEWHERE == {*OVERTURNS}
    assert not {*CALLS} & ELSEWHERE


def test_every_warning_overturns_verdicts_or_does_not():
    assert OVERTURNS.keys() == {*get_args(WarningName)}


# What the page of warnings calls "what to do" is in each text, too.
TO_DO = r"\b(?i:collect|pass|label|leave|plan|split|use|compare|calibrate|rely|choose|fill)\b"


@pytest.mark.parametrize("name", CALLS)
def test_each_warning_says_what_to_do(name):
    with pytest.warns(UncertaintyWarning, match=f"^{name}") as caught:
        CALLS[name]()
    assert all(re.search(TO_DO, str(each.message)) for each in caught)


@pytest.mark.parametrize("name", CALLS)
def test_each_warning_is_a_doubt_of_its_result_in_every_form(name):
    with pytest.warns(UncertaintyWarning, match=f"^{name}") as caught:
        found = CALLS[name]()
    issued = {str(each.message) for each in caught if each.category is UncertaintyWarning}
    assert issued == {str(doubt.warning()) for doubt in found.doubts}
    (doubt,) = (each for each in found.doubts if each.name == name)
    sentence = f"Doubt ({name}): {doubt.message}"
    assert sentence in " ".join(repr(found).split())
    assert sentence.split("'")[0] in found._repr_html_()
    assert found.to_table().splitlines()[-1].startswith(f"Doubt ({found.doubts[-1].name}): ")
    assert f"% Doubt ({name}): " in found.to_table("latex")
    (written,) = (
        each for each in json.loads(json.dumps(found.to_dict()))["doubts"] if each["name"] == name
    )
    assert written["text"] == doubt.text
    assert written["overturns"] == OVERTURNS[name]
    assert pickle.loads(pickle.dumps(found)).doubts == found.doubts


def test_the_table_says_what_overturns_and_so_does_the_page():
    (((*_,), *rows),) = tables((DOCS / "warnings.md").read_text())
    assert {row[0]: row[1] == "yes" for row in rows} == OVERTURNS
    overturning = {name for name, overturns in OVERTURNS.items() if overturns}
    assert overturning == {
        "clusters in training",
        "coarse scores",
        "constant scores",
        "copied labels",
        "forgotten queries",
        "missing results",
        "no negatives",
        "predicted classes",
        "reversed scores",
        "unequal judgements",
        "unequal prevalence",
        "unlike folds",
        "unlike labels",
        "unlike methods",
        "wrong probabilities",
    }


@pytest.mark.parametrize("ask", [chance_test, partial(compat.compare, tools=["xgboost.aucpr"])])
def test_other_results_have_the_doubts_about_their_scores(ask):
    found = ask(Y, CLASSES)
    assert [doubt.name for doubt in found.doubts] == ["predicted classes"]
    assert "Doubt (predicted classes): All scores are 0 or 1" in repr(found)
    explained = compat.explain(Y, CLASSES, "xgboost.aucpr")
    assert "Doubt (predicted classes): " in " ".join(repr(explained).split())


# ---- verdicts


def test_a_doubt_about_one_model_overturns_its_own_pairs():
    found = compare_average_precision(Y, MODELS)
    assert found.verdict.tolist() == ["reference", "worse", "worse", "worse"]
    assert found.is_overturned.tolist() == [False, False, True, True]
    assert found.sentences[0].startswith("weak is worse than fine: ")
    assert found.sentences[1].startswith("classes scores lower than fine: ")
    reason = "but scores look like predicted classes (classes): pass probabilities or decision "
    assert reason in found.sentences[1]
    assert found.to_frame()["is_overturned"].tolist() == found.is_overturned.tolist()
    panel = found._panels()[1]
    assert panel.is_established.tolist() == [False, True, False, False]


def test_reversed_scores_overturn_their_own_pairs():
    models = {"fine": FINE, "weak": WEAK, "up": -FINE}
    found = compare_average_precision(Y, models)
    assert found.verdict.tolist() == ["reference", "worse", "worse"]
    assert found.is_overturned.tolist() == [False, False, True]
    assert "but scores seem reversed (up): check whether high scores mean " in found.sentences[1]
    tables = {name: np.column_stack([FINE, each]) for name, each in models.items()}
    labels = np.column_stack([Y, Y])
    columns = compare_average_precision(labels, tables, average=None)
    assert columns.is_overturned.tolist() == [False] * 5 + [True]
    assert columns.doubts[0].about == (("up", 1),)
    counted = [Interval.from_counts(threshold_counts(Y, each)) for each in (FINE, -FINE)]
    assert [[doubt.name for doubt in each.doubts] for each in counted] == [[], ["reversed scores"]]


def test_constant_scores_overturn_their_own_pairs():
    zeros = np.zeros(2000)
    models = {"fine": FINE, "weak": WEAK, "down": zeros}
    found = compare_average_precision(Y, models)
    assert found.verdict.tolist() == ["reference", "worse", "worse"]
    assert found.is_overturned.tolist() == [False, False, True]
    assert "but all scores are equal (down): pass the true scores first" in found.sentences[1]
    labels = np.where(np.arange(2000) % 2, np.nan, Y)
    found = compare_average_precision(labels, models, inclusion_probability="equal")
    assert found.is_overturned.tolist() == [False, False, True]
    segments = np.where(np.arange(2000) % 2, "odd", "even")
    for found in (
        average_precision_interval(Y, zeros),
        average_precision_interval(Y, zeros, queries=np.arange(2000) // 200),
        Interval.from_counts(threshold_counts(Y, zeros)),
        chance_test(Y, zeros),
        compare_segments(Y, zeros, segments, prevalence="own"),
        compat.compare(Y, zeros, tools=["xgboost.aucpr"]),
        operating_point(Y, zeros, threshold=-1),
        OperatingPoint.from_counts(threshold_counts(Y, zeros), recall=0.5),
    ):
        assert [doubt.name for doubt in found.doubts] == ["constant scores"]


def test_a_column_of_constant_scores_is_named():
    labels, scores = np.column_stack([Y] * 3), np.column_stack([FINE, np.ones(2000), WEAK])
    (doubt,) = average_precision_interval(labels, scores).doubts
    assert doubt.text.startswith("All scores of column 1 are equal, so no row ranks above another")
    models = {"a": scores, "b": scores + 1}
    found = compare_average_precision(labels, models, average=None)
    assert [doubt.about for doubt in found.doubts] == [(("a", 1), ("b", 1))]
    assert found.is_overturned.tolist() == [False] * 4 + [True, False]
    labels = np.where(RNG.random((2000, 3)) < 0.3, np.nan, labels)
    (doubt,) = average_precision_interval(labels, scores).doubts
    assert doubt.name == "constant scores"


def test_few_rows_and_documents_of_some_queries_may_score_the_same():
    queries = np.arange(2000) // 200
    for y, scores, options in (
        (Y[:10], np.zeros(10), {}),
        (Y, np.where(queries == 3, 0.0, FINE), {"queries": queries}),
        (Y, np.r_[np.zeros(1999), 1.0], {}),
    ):
        found = average_precision_interval(y, scores, zero_division=0.0, **options)
        assert "constant scores" not in [doubt.name for doubt in found.doubts]
    counts = [threshold_counts(Y, scores) for scores in (np.where(Y, 1.0, 0.0), FINE)]
    assert not any(Interval.from_counts(each).doubts for each in counts)


@pytest.mark.parametrize("unit", [None, "clusters", "queries"])
def test_few_labels_show_reversed_scores_too(unit):
    """Rows stand for others, and an order of the scores that is not that of the labels is told."""
    options = {unit: np.arange(2000) // 10} if unit else {}
    is_drawn = np.random.default_rng(1).random(2000 if unit is None else 200) < 0.4
    is_drawn = is_drawn if unit is None else is_drawn.repeat(10)
    labels = np.where(is_drawn, Y, np.nan)
    for scores, names in ((FINE, []), (-FINE, ["reversed scores"])):
        found = average_precision_interval(
            labels, scores, inclusion_probability="equal", zero_division=0.0, **options
        )
        assert [doubt.name for doubt in found.doubts] == names
    models = {"fine": FINE, "up": -FINE}
    found = compare_average_precision(
        labels, models, inclusion_probability="equal", zero_division=0.0, **options
    )
    assert found.is_overturned.tolist() == [False, True]


def test_grades_are_compared_with_grades():
    """Only a finer model is no match for grades."""
    grades = {"one": GRADES, "two": np.clip(np.round(WEAK), -1, 3), "fine": FINE}
    found = compare_average_precision(Y, grades)
    assert found.verdict[1] == "worse"
    assert found.is_overturned.tolist() == [False, False, True]
    assert "it has 5 different scores" not in found.sentences[0]
    swapped = compare_average_precision(Y, grades, reference="fine")
    assert swapped.is_overturned.tolist() == [True, True, False]
    assert "but it has 5 different scores and the other model 2,000, and " in swapped.sentences[1]


def test_one_doubt_is_told_once_of_several_models():
    models = {"fine": FINE, "a": CLASSES, "b": (WEAK > 1).astype(int)}
    (doubt,) = compare_average_precision(Y, models).doubts
    assert doubt.about == ("a", "b")
    (doubt,) = compare_average_precision(Y, {"a": CLASSES, "b": (WEAK > 1) * 1}).doubts
    assert doubt.about == ()


def test_doubts_about_pairs_of_models_say_nothing_of_two_samples():
    parts = [slice(0, 1000), slice(1000, 2000)]
    found = [
        compare_average_precision(Y[rows], {"a": FINE[rows], "b": GRADES[rows]}).scores
        for rows in parts
    ]
    both = compare_independent(*found)
    assert not both.doubts
    assert not both.is_overturned.any()


def test_renamed_models_have_the_same_doubts():
    found = compare_average_precision(Y, {"b": FINE, "a": CLASSES})
    assert found.is_overturned.tolist() == [False, True]
    assert found.doubts[0].about == ("a",)


def test_no_model_is_the_best_while_a_doubt_stands():
    models = {"fine": FINE, "classes": CLASSES}
    found = compare_average_precision(Y, models, reference="best")
    assert found.verdict.tolist() == ["reference", "worse"]
    assert found.sentences[0] == "It is not shown that fine is the best of 2."
    assert found.sentences[1].startswith("classes scores lower than fine: ")
    assert found.sentences[2].startswith("fine scores ")
    both = compare_average_precision(Y, models | {"weak": WEAK}, reference="best")
    assert both.sentences[0] == "It is not shown that fine is the best of 3."
    assert "weak is not the best: at least one other model is better." in both.sentences
    assert (
        compare_average_precision(Y, {"fine": FINE, "weak": WEAK}, reference="best").sentences[0]
        == "fine is the best of 2."
    )


def test_many_doubtful_models_share_a_sentence():
    coarse = {f"m{i}": np.round(WEAK + RNG.normal(size=2000) / 9) for i in range(5)}
    found = compare_average_precision(Y, {"fine": FINE, **coarse, "weak": WEAK})
    assert found.sentences[0].startswith("weak is worse than fine")
    assert found.sentences[1] == (
        "By the numbers alone, 5 of 6 (m0, m1, m2, m3 and m4) are worse than fine, but doubts "
        "overturn these verdicts."
    )
    best = compare_average_precision(Y, {"fine": FINE, **coarse}, reference="best")
    assert best.sentences[0] == "It is not shown that fine is the best of 6."
    assert "Doubts also overturn 1 other verdict." in best.sentences
    assert [doubt.about for doubt in found.doubts] == [tuple(coarse)]


def test_a_doubt_about_the_labels_overturns_all_verdicts():
    labels = np.where(FINE > 1, Y, np.nan)
    found = compare_average_precision(
        labels, {"a": FINE, "b": WEAK, "c": WEAK + FINE}, inclusion_probability="equal"
    )
    assert found.is_overturned.tolist() == [False, True, True]
    assert "but labelled rows are no random sample of all: pass " in " ".join(found.sentences)


def test_doubts_that_limits_allow_for_leave_verdicts():
    clusters = np.arange(2000) % 9
    found = compare_average_precision(Y, {"a": FINE, "b": WEAK}, clusters=clusters)
    assert [doubt.name for doubt in found.doubts] == ["few clusters"]
    assert not found.is_overturned.any()
    assert found.sentences[0].startswith("b is worse than a")


def test_segments_of_predicted_classes_have_no_verdict():
    segments = np.where(np.arange(2000) % 2, "odd", "even")
    scores = np.where(segments == "odd", CLASSES, (RNG.random(2000) < 0.5).astype(int))
    found = compare_segments(Y, scores, segments)
    assert found.verdict.tolist() == ["worse", "better"]
    assert found.is_overturned.all()
    assert "even scores lower than odd: " in found.sentences[0]


def test_a_result_made_of_others_has_their_doubts():
    old = average_precision_interval(Y[:1000], FINE[:1000])
    new = average_precision_interval(Y[1000:], CLASSES[1000:])
    found = compare_independent(old, new)
    assert [(doubt.name, doubt.about) for doubt in found.doubts] == [
        ("predicted classes", ("new",))
    ]
    assert found.is_overturned.tolist() == [False, True]
    assert found.scores._origin.estimate is None  # of two samples
    joined = join_intervals([old, new], ("a", "b"), old.sample)
    assert [doubt.about for doubt in joined.doubts] == [("b",)]
    joined = join_intervals([new, new], ("a", "b"), old.sample)
    assert [doubt.about for doubt in joined.doubts] == [()]


def test_earlier_doubts_are_not_issued_again():
    old = average_precision_interval(Y[:1000], FINE[:1000])
    new = average_precision_interval(Y[1000:], CLASSES[1000:])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert compare_independent(old, new).doubts


def test_shares_of_positives_overturn_the_samples_that_differ():
    old, same, other = (
        average_precision_interval(Y[rows], FINE[rows])
        for rows in (np.arange(2000) < 900, np.arange(2000) >= 900, RARE)
    )
    found = compare_independent(old, [same, other], names=("old", "same", "other"))
    assert found.is_overturned.tolist() == [False, False, True]
    assert "the share of positives is another than in old (other): pass" in found.sentences[1]


# ---- what was silent


def test_a_column_of_positives_alone_is_named():
    scores = np.column_stack([FINE, WEAK])
    names = {"columns": ["tox", "all"]}
    pd = pytest.importorskip("pandas")
    for average in ("macro", "weighted", None):
        with pytest.warns(UncertaintyWarning, match="only positives: 'all': Without a negative"):
            average_precision_score(pd.DataFrame(TABLE, **names), scores, average=average)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        average_precision_score(Y[Y == 1], FINE[Y == 1])
        average_precision_score(np.column_stack([Y, Y]), scores)
        average_precision_score(TABLE, scores, average="micro")


def test_one_ranking_of_positives_alone_is_doubted_unless_some_were_not_retrieved():
    """Of these the score is a share of positives; of queries, one may have no negative."""
    y, scores = np.ones(40, int), np.arange(40.0)
    missed = np.where(scores < 4, -np.inf, scores)
    sure = {"scores": scores, "n": np.arange(40)[::-1]}
    for doubts in (
        average_precision_interval(y, scores, clusters=np.arange(40) // 2).doubts,
        average_precision_interval(y, scores, sample_weight=scores + 1).doubts,
        Interval.from_counts(threshold_counts(y, scores)).doubts,
        operating_point(y, scores, threshold=3).doubts,
        OperatingPoint.from_counts(threshold_counts(y, scores), recall=0.5).doubts,
        compare_average_precision(y, sure).doubts,
        average_precision_interval(
            np.where(scores % 2, np.nan, 1), scores, inclusion_probability="equal"
        ).doubts,
    ):
        assert [each.name for each in doubts if each.overturns] == ["no negatives"]
    for quiet in (
        average_precision_interval(y, missed),
        Interval.from_counts(threshold_counts(y, missed)),
        operating_point(y, missed, recall=0.4),
        compare_average_precision(y, {"all": scores, "some": missed}),
        compare_average_precision(y, {"some": missed, "all": scores}),
        average_precision_interval(y, scores, n_positives=50),
        average_precision_interval(y, scores, queries=np.arange(40) // 20),
    ):
        assert "no negatives" not in [each.name for each in quiet.doubts]


def test_an_undefined_query_is_named():
    queries = np.array(["a", "a", "b", "b"])
    with pytest.warns(UserWarning, match=r"for 1 of 2 rankings \('b'\)\. Their score"):
        average_precision_score([1, 0, 0, 0], [4, 3, 2, 1], queries=queries)
    with pytest.warns(UserWarning, match=r"for 1 of 2 rankings \('b'\)\. Their score"):
        average_precision_interval([1, 0, 0, 0], [4, 3, 2, 1], queries=queries)


def same_sample(*intervals):
    return "same sample" in [doubt.name for doubt in compare_independent(*intervals).doubts]


def test_two_models_on_one_sample_are_no_independent_samples():
    one, other = (average_precision_interval(Y, scores) for scores in (FINE, WEAK))
    with pytest.warns(UncertaintyWarning, match=r"same sample: 'new': The positives .* pass both"):
        assert not compare_independent(one, other).is_overturned.any()
    y, s = drawn(2000, 3)
    assert same_sample(*(average_precision_interval(y, each, average=None) for each in (s, s / 2)))
    classes = RNG.integers(0, 3, 2000)
    scores = [RNG.dirichlet(np.ones(3), 2000) for _ in range(2)]
    assert same_sample(*(average_precision_interval(classes, each) for each in scores))
    clusters = np.sort(RNG.integers(0, 300, 2000))
    assert same_sample(
        *(
            average_precision_interval(np.r_[Y, 0], np.r_[s, 9], clusters=np.r_[clusters, image])
            for s, image in ((FINE, 5), (WEAK, 7))  # a false box of each
        )
    )


def test_samples_of_sorted_or_repeated_labels_may_be_independent():
    for y in (np.arange(1000) < 100, np.arange(1000) % 10 == 0, np.tile([1, 1, 0, 0], 250)):
        assert not same_sample(
            *(average_precision_interval(y, RNG.normal(size=1000)) for _ in range(2))
        )


def test_a_doubt_prints_pairs_of_a_model_and_a_ranking():
    doubt = Doubt(name="few clusters", text="Collect more.", about=(("old", "cat"), "b"))
    assert str(doubt.warning()) == "few clusters: 'old' in 'cat' and 'b': Collect more."
    assert doubt.to_dict()["about"] == [["old", "cat"], "b"]
    doubt = replace(doubt, name="unlike folds", reason="folds are unlike", remedy="pool ranks")
    reason = "folds are unlike ({}): pool ranks first"
    assert doubt.why_not(("new", "cat"), ("old", "cat")) == reason.format("old in cat")
    assert doubt.why_not(("b", "c", 0), "c") == reason.format("b")
    assert doubt.why_not(("old", "cat", 0), "c") == reason.format("old in cat")
    assert doubt.why_not(("new", "cat"), ("old", "dog")) == ""


@pytest.mark.parametrize(
    ("shares", "is_doubted"),
    [
        ((0.75, 0.34), True),
        ((0.75, 0.35), False),  # as far apart as 0.4 over the root of the number of queries
        ((0.75, np.nan), False),
        ((0.75, 0.0), False),  # which has a warning of its own
    ],
)
def test_systems_are_doubted_from_a_difference_of_judged_shares_on(shares, is_doubted):
    sources = (Source(n_queries=1, judged_share=share) for share in shares)
    models = [*(SourcedScores.of(FINE, source) for source in sources), WEAK]
    assert bool(unequal_judgements(models, ["old", "new", "unknown"])) == is_doubted


def test_only_systems_whose_judged_shares_are_unequal_have_no_verdict():
    shares = {"old": 1.0, "near": 0.75, "new": 0.5}
    doubt = UnequalJudgements(text="Label more.", shares=shares, limit=0.25)
    reason = doubt.why_not("new", "old")
    assert reason.startswith("50.0% of its first 10 documents are judged, and 100.0% of the other")
    assert doubt.why_not(("new", "cat"), ("old", "cat")) == reason
    assert [doubt.why_not(name, "old") for name in ("near", "unknown")] == ["", ""]
    assert {doubt} == {replace(doubt)}  # it has a hash, as all doubts


def test_a_doubt_about_a_model_stays_in_rankings_of_two_samples():
    y, scores = np.column_stack([Y, Y[::-1]]), np.column_stack([FINE, WEAK])
    halves = [slice(0, 1000), slice(1000, 2000)]
    old, new = (
        compare_average_precision(
            y[rows], {"A": scores[rows], "B": (scores[rows] > cut) * 1.0}, average=None
        ).scores
        for rows, cut in zip(halves, (-9, 1), strict=True)
    )
    found = compare_independent(old, new)
    assert found.is_overturned.tolist() == [False] * 6 + [True] * 2


def test_an_unequal_prevalence_of_one_class_overturns_its_own_verdict():
    y = np.column_stack([Y, Y])
    y[1000:, 1] |= RNG.random(1000) < 0.4
    scores = np.column_stack([FINE, FINE])
    halves = [slice(0, 1000), slice(1000, 2000)]
    found = [average_precision_interval(y[rows], scores[rows], average=None) for rows in halves]
    both = compare_independent(*found)
    assert both.is_overturned.tolist() == [False, False, False, True]
