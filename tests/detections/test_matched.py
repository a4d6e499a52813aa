"""Matched detections as arguments, by class, and printed."""

import json
from pathlib import Path

import numpy as np
import pytest

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    compare_average_precision,
    compare_independent,
    detections,
    sample_size_for_interval,
)
from sklearn_ap.definitions import Interpolated
from tests.helpers.coco_tools import data_set, evaluation_of
from tests.helpers.first_cases import quick

pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of few images
LEVELS = Interpolated(101)
RECORDED = json.loads((Path(__file__).parents[1] / "data" / "coco.json").read_text())


@pytest.fixture(scope="module")
def coco():
    pytest.importorskip("pycocotools")
    truth, *boxes = data_set("bbox")
    each = (evaluation_of("pycocotools", "bbox", truth, one) for one in boxes)
    return detections.from_coco(*each, names=["first", "second"])


def test_intervals_of_classes_take_one_detector_and_names_of_definitions(coco):
    found = coco.class_intervals("first", definition="interpolated AP")
    assert found.sample.definition == Interpolated()


def test_all_images_count_as_clusters_and_change_no_score(coco):
    """The last image of 24 has neither objects nor boxes."""
    for found in (coco, coco.of_class("class 2")):
        interval = average_precision_interval(**found["first"], definition=LEVELS)
        assert interval.sample.n_units == 24
        has_place = found.y_true | np.isfinite([*found.y_scores.values()]).any(axis=0)
        rows = {name: column[has_place] for name, column in found["first"].items()}
        fewer = average_precision_interval(**rows, definition=LEVELS)
        assert fewer.sample.n_units < 24
        for field in ("estimate", "standard_error", "n_positives", "n_effective"):
            assert getattr(interval, field) == pytest.approx(getattr(fewer, field), rel=1e-12)
    assert coco.class_intervals("first").sample.n_units == 24


def test_an_object_at_ten_overlaps_counts_once(coco):
    truth, boxes, _ = data_set("bbox")
    one = detections.from_coco(evaluation_of("pycocotools", "bbox", truth, boxes), overlap=0.5)
    n_objects = np.count_nonzero(one.y_true)
    assert coco.n_objects == one.n_objects == n_objects
    assert np.count_nonzero(coco.y_true) == 10 * n_objects
    assert repr(coco).splitlines()[0].endswith(f", 24 images, {n_objects} objects")
    whole = average_precision_interval(**coco["first"], definition=LEVELS)
    assert (whole.sample.averaged, whole.sample.mean.n_averaged) == ("fixed query", 30)
    assert whole.n_positives == 10 * n_objects


def test_class_interval_is_that_of_the_rows_of_the_class(coco):
    table = coco.class_intervals("second", confidence_level=0.9)
    assert table.names == ("class 1", "class 2", "class 3")
    for place, name in enumerate(table.names):
        found = coco.of_class(name)
        rows = found["second"]
        options = {"definition": coco.definition, "confidence_level": 0.9}
        alone = average_precision_interval(**rows, **options)
        for field in ("estimate", "low", "high", "standard_error", "n_effective"):
            assert getattr(table, field)[place] == getattr(alone, field)
        assert table.n_positives[place] == found.n_objects == alone.n_positives / 10
    assert sum(table.n_positives) == coco.n_objects
    assert "%" not in repr(table).splitlines()[2]  # positives are no share of rows
    sizes = sample_size_for_interval(table, half_width=0.1)
    assert sizes.number[place] == int(sample_size_for_interval(alone, half_width=0.1))


@pytest.mark.parametrize("alternative", quick(["two-sided", "greater"], 1))
def test_each_class_is_compared_as_alone_at_the_level_of_bonferroni(coco, alternative):
    found = coco.compare_classes(alternative=alternative)
    classes = "class 1", "class 2", "class 3"
    assert found.names == tuple((name, kind) for kind in classes for name in ("first", "second"))
    options = {"definition": coco.definition, "alternative": alternative}
    for place, name in enumerate(classes):
        rows = [2 * place, 2 * place + 1]
        alone = compare_average_precision(**coco.of_class(name), **options)
        strict = compare_average_precision(
            **coco.of_class(name), **options, confidence_level=1 - 0.05 / 3
        )
        for field in ("estimate", "low", "high", "difference"):
            np.testing.assert_array_equal(getattr(found, field)[rows], getattr(alone, field))
        for field in ("difference_low", "difference_high"):
            ours, theirs = getattr(found, field)[rows], getattr(strict, field)
            np.testing.assert_allclose(ours, theirs, atol=1e-9)
        assert found.pvalue[rows[1]] == pytest.approx(min(3 * alone.pvalue[1], 1), rel=1e-9)
        n_objects = coco.of_class(name).n_objects
        assert found.scores.n_positives[rows].tolist() == [n_objects, n_objects]
    wider = coco.compare_classes(alternative=alternative, confidence_level=0.99)
    np.testing.assert_allclose(found.confidence_interval(0.99), wider.confidence_interval())
    assert found.sample.n_units == 24


@pytest.mark.slow
def test_any_detector_may_be_the_reference_of_classes(coco):
    found = coco.compare_classes("second")
    assert found.reference == "second"
    other = coco.compare_classes()
    np.testing.assert_array_equal(found.difference[::2], -other.difference[1::2])
    with pytest.raises(
        ValueError, match=r"reference must be one of \['first', 'second'\], got 'x'"
    ):
        coco.compare_classes("x")


def test_three_detectors_and_a_class_without_objects_are_compared():
    rng = np.random.default_rng(0)
    y_true = rng.random(400) < 0.4
    queries = np.repeat(["bird", "cat", "dog"], [20, 180, 200])
    y_true[:20] = False
    found = detections.MatchedDetections(
        y_true=y_true,
        y_scores={name: d * y_true + rng.normal(size=400) for d, name in enumerate("abc")},
        queries=queries,
        clusters=rng.integers(0, 60, 400),
    )
    with pytest.warns(UserWarning, match=r"unreliable: bird\. Of bird: "):
        table = found.compare_classes()
    assert np.isfinite(table.difference).tolist() == [*[False] * 3, *[False, True, True] * 2]
    assert "2 (b in bird and c in bird) cannot be compared" in " ".join(table.sentences)
    for name, rows in (("cat", slice(3, 6)), ("dog", slice(6, 9))):
        alone = compare_average_precision(**found.of_class(name), definition=found.definition)
        np.testing.assert_array_equal(table.difference[rows], alone.difference)
        # Of four differences, and not of two
        assert (table.difference_low[rows][1:] < alone.difference_low[1:]).all()


@pytest.mark.slow
def test_class_intervals_of_the_same_images_are_refused_as_independent_samples(coco):
    first, second = (coco.class_intervals(name) for name in ("first", "second"))
    with pytest.raises(
        ValueError, match=r"'A' and 'B' are of the same images.*compare_classes\(\)"
    ):
        compare_independent(first, second, names=("A", "B"))
    fields = ("y_true", "queries", "classes", "clusters", "y_scores")
    rows = {name: getattr(coco, name) for name in fields}
    for change in (
        {"clusters": coco.clusters + 24},  # with the same objects
        {"y_true": coco.y_true & (coco.clusters > 1)},  # with the same names
    ):
        other = detections.MatchedDetections(**rows | change).class_intervals("first")
        assert compare_independent(first, other).difference.size == 6


def test_error_names_the_classes(coco):
    with pytest.raises(
        KeyError, match=r"No class with objects is named 'bird'\. There are \['class 1', 'cl"
    ):
        coco.of_class("bird")


@pytest.mark.parametrize("nobody", [None, np.zeros(2)])  # which has no truth of its own
def test_what_is_no_name_is_refused(coco, nobody):
    with pytest.raises(KeyError, match="No class with objects is named"):
        coco.of_class(nobody)
    with pytest.raises(KeyError, match="No detector is named"):
        coco.class_intervals(nobody)


def test_one_warning_names_the_classes_and_the_reason_of_the_first():
    pytest.importorskip("pycocotools")
    truth, boxes = RECORDED["ground_truth"], RECORDED["results"]["first"]  # of ten images
    coco = detections.from_coco(evaluation_of("pycocotools", "bbox", truth, boxes))
    with pytest.warns(UncertaintyWarning, match="few clusters: The interval rests") as heard:
        found = coco.class_intervals("detector")
    assert [warning.message.name for warning in heard] == ["few clusters"]
    assert [(doubt.name, doubt.about) for doubt in found.doubts] == [("few clusters", ())]


def test_own_matches_need_no_overlaps_and_a_class_without_objects_is_warned_of():
    found = detections.MatchedDetections(
        y_true=np.array([True, True, False, True, False]),
        y_scores={"a": np.array([0.9, 0.8, 0.85, 0.7, 0.3])},
        queries=np.array(["cat", "cat", "cat", "dog", "bird"]),
        clusters=np.array([1, 1, 2, 2, 3]),
    )
    assert found.n_objects == 3
    assert [*found.to_frame()] == ["query", "cluster", "y_true", "a"]
    with pytest.warns(UserWarning, match=r"unreliable: bird\. Of bird: ") as heard:
        table = found.class_intervals("a")
    assert table.names == ("bird", "cat", "dog")
    assert table.n_positives.tolist() == [0, 2, 1]
    assert len(heard) == 1


def test_an_object_counts_once_where_classes_have_unlike_numbers_of_overlaps():
    overlaps = ["0.5", "0.6", "0.7"]
    found = detections.MatchedDetections(
        y_true=np.ones(16, bool),
        y_scores={"a": np.arange(16.0)},
        queries=np.append(np.repeat([f"cat at {overlap}" for overlap in overlaps], 5), "dog"),
        clusters=np.arange(16),
        classes=np.repeat(["cat", "dog"], [15, 1]),
    )
    assert found.n_objects == 5 + 1


def test_each_kind_of_warning_names_its_own_classes():
    found = detections.MatchedDetections(
        y_true=np.arange(19) < 12,  # three cats in each of four images
        y_scores={"a": np.linspace(1, 0.1, 19)},
        queries=np.repeat(["cat", "bird"], [16, 3]),
        clusters=np.concatenate([np.arange(12) // 3, np.arange(4), np.arange(3)]),
    )
    with pytest.warns(UserWarning, match="Intervals of classes") as heard:
        found.class_intervals("a")
    texts = [str(each.message) for each in heard]
    assert [("bird" in text, "cat" in text) for text in texts] == [(True, False), (False, True)]


@pytest.mark.parametrize(
    ("field", "value"),
    [("queries", "cat"), ("classes", 0.5), ("clusters", None), ("y_scores", 0.5)],
)
def test_error_names_the_field_that_is_no_column(field, value):
    fields = {"y_true": [1, 0], "queries": ["a", "a"], "clusters": [1, 2]}
    fields |= {"y_scores": {"yolo": [0.2, 0.1]}, field: value}
    with pytest.raises((TypeError, ValueError), match=f"^{field} must"):
        detections.MatchedDetections(**fields)
