"""What an interval rests on: warnings, and rankings without positives."""

import pickle
import warnings
from functools import partial
from typing import get_args

import numpy as np
import pytest

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    chance_test,
    compare_average_precision,
    operating_point,
)
from sklearn_ap._writing.warning import WarningName
from tests.helpers.interval_data import S, Y, drawn, query_data
from tests.helpers.pages import DOCS, tables

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
interval, compare = average_precision_interval, compare_average_precision


NOISE = np.random.default_rng(0).normal(size=1000)


def test_sufficiently_wide_intervals_raise_no_warning():
    """Of few positives, queries or differing rows, intervals cover as often as others do."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        interval(Y, S)
        interval(*drawn(200, 3))
        interval([1, 0], [1.0, 2])
        interval(*query_data(3)[:2], queries=query_data(3)[2])
        compare(Y, {"a": S, "b": np.r_[S[0] + 1, S[1:]]})
        y, s = drawn(300, 8)
        compare(y, {"a": s, "b": s + 0.3 * np.random.default_rng(1).normal(size=s.shape)})


def text_of(call):
    with pytest.warns(UncertaintyWarning) as caught:
        call()
    return str(caught[0].message)


def test_a_warning_begins_with_its_name_also_after_pickling():
    with pytest.warns(UncertaintyWarning) as caught:
        interval(*drawn(), clusters=np.arange(200) % 6)
    assert caught[0].filename == __file__
    again = pickle.loads(pickle.dumps(caught[0].message))
    assert str(again) == str(caught[0].message)
    assert str(again).startswith(f"{again.name}: The interval rests on few clusters")
    y, s = drawn()
    text = text_of(lambda: compare(y, {"a": s, "b": y}))
    assert text.startswith("predicted classes: 'b': All scores are 0 or 1")


@pytest.mark.parametrize(("n_grades", "is_warned"), [(10, True), (11, False)])
def test_grades_are_coarse_beside_the_finer_scores_of_another_model(n_grades, is_warned):
    y, s = NOISE[::-1] > 1, NOISE
    grades = np.digitize(s, np.quantile(s, np.arange(1, n_grades) / n_grades))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare(y, {"fine": s, "grades": grades})
        compare(y, {"grades": grades, "the same": -grades})
        compare(y, {"fine": s, "grades": grades}, queries=np.arange(y.size) // 50)
    names = [each.message.name for each in caught if "'grades': 10 different" in str(each.message)]
    assert names == ["coarse scores"] * is_warned


def test_predicted_classes_are_those_of_rows_that_count_with_labels_or_without():
    y = np.arange(40) % 2
    weight = np.r_[np.ones(40), 0]
    for ask in (interval, chance_test, partial(operating_point, precision=0.5)):
        text_of(partial(ask, np.r_[y, 0], np.r_[y, 5], sample_weight=weight))
    some = np.where(np.arange(40) < 20, y, np.nan)
    text = text_of(lambda: compare(some, {"a": y, "b": NOISE[:40]}, inclusion_probability="equal"))
    assert text.startswith("predicted classes: 'a': All scores are 0 or 1")


def test_the_page_explains_the_name_of_each_warning():
    (((_, *_), *rows),) = tables((DOCS / "warnings.md").read_text())
    assert [row[0] for row in rows] == [*get_args(WarningName)]


def named(name, function, data, **options):
    """Whether a call warns by this name."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UncertaintyWarning)
        function(*data, **options)
    names = [w.message.name for w in caught if isinstance(w.message, UncertaintyWarning)]
    return name in names


def in_clusters(n):
    rng = np.random.default_rng(0)
    y = np.tile([1, 0, 0, 0], 3 * n)
    return (y, y + rng.normal(size=y.size)), np.repeat(np.arange(n), 12)


def test_few_clusters_warning_stops_at_sixteen():
    for n, is_few in ((15, True), (16, False)):
        data, clusters = in_clusters(n)
        assert named("few clusters", interval, data, clusters=clusters) == is_few


def test_one_dominant_cluster_raises_the_few_clusters_warning():
    """A site with a half of the negatives leaves an effective number of 4."""
    site = np.r_[np.repeat(np.arange(60), 5), np.zeros(300, int), np.arange(300) % 60]
    y = np.repeat([1, 0], [300, 600])
    data = y, y + np.random.default_rng(0).normal(size=900)
    assert named("few clusters", interval, data, clusters=site)
    assert not named("few clusters", interval, data, clusters=np.arange(900) % 60)


def test_few_clusters_in_one_ranking_raise_no_warning_for_means():
    """The positives of one column are in 12 of 60 clusters."""
    rng, clusters = np.random.default_rng(0), np.arange(600) % 60
    y = np.column_stack([rng.random(600) < 0.3, rng.random(600) < 0.3, clusters < 12])
    data = y, y + rng.normal(size=y.shape)
    assert named("few clusters", interval, data, clusters=clusters, average=None)
    assert not named("few clusters", interval, data, clusters=clusters)
    models = {"a": data[1], "b": 2 * data[1]}
    text = text_of(lambda: compare(y, models, clusters=clusters, average=None))
    assert text.startswith("few clusters: '2': The interval rests on")


def test_one_cluster_clusters_of_one_row_and_of_queries_raise_no_warning():
    (y, s), queries = in_clusters(40)
    assert not named("few clusters", interval, (y, s), clusters=0 * y)  # its limits are 0 and 1
    assert not named("few clusters", interval, (y[:30], s[:30]), clusters=np.arange(30))
    assert not named("few clusters", interval, (y, s), queries=queries, clusters=queries // 10)


def test_negatives_that_stand_for_less_than_one_positive_raise_a_warning():
    """At 0.003, 320 of them stand for 0.962 positives, and at 0.004 for 1.285."""
    data = np.arange(400) % 10 < 2, NOISE[:400]
    for prevalence, is_few in ((0.003, True), (0.004, False)):
        assert named("few negatives", interval, data, prevalence=prevalence) == is_few


def test_heavy_rows_that_lower_a_precision_or_recall_raise_a_warning():
    """Both are 0.9 without weights, and 0.75 if the rows that lower them weigh 3."""
    y, s = np.repeat([1, 0], 100), np.repeat([1, 0, 1], [90, 100, 10])
    call = partial(operating_point, threshold=1)
    for heavy, name in ((s < 1, "recall"), (s > y, "precision")):
        text = text_of(lambda weight=1 + 2 * heavy: call(y, s, sample_weight=weight))
        assert text.startswith(f"unequal weights: Rows that lower the {name} weigh on average 3 ")
        assert not named("unequal weights", call, (y, s), sample_weight=1 + heavy)
    assert not named("unequal weights", call, (y, s), sample_weight=1 + 2 * heavy, prevalence=0.5)
    text = text_of(lambda: call(y, y, sample_weight=3 - 2 * y))  # no false positive, and no miss
    assert text.startswith("unequal weights: Rows that lower the precision weigh on average 3 ")
    assert "recall" not in text
    assert not named("unequal weights", call, (y, 1 - s), sample_weight=3 - 2 * s)  # both are 0.1
