"""Objects and boxes of COCO's files and evaluations become labels and scores."""

import copy
import io
import json
import sys
import warnings
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from pathlib import Path
from time import sleep
from types import SimpleNamespace

import numpy as np
import pytest

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    compare_average_precision,
    compat,
    detections,
    operating_point,
    report,
)
from sklearn_ap.definitions import Interpolated, Step
from sklearn_ap.detections._annotations import errors_of
from sklearn_ap.detections._rows import _break_ties
from tests.helpers.coco_tools import data_set, evaluation_of, matched
from tests.helpers.first_cases import quick

cocoeval = pytest.importorskip("pycocotools.cocoeval")
pytestmark = pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of few images
RECORDED = json.loads((Path(__file__).parents[1] / "data" / "coco.json").read_text())
TRUTH, FIRST, SECOND = RECORDED["ground_truth"], *RECORDED["results"].values()
NAN, INF = float("nan"), float("inf")


@pytest.fixture
def write(tmp_path):
    def paths(**contents):
        for name, content in contents.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(content))
        return [tmp_path / f"{name}.json" for name in contents]

    return paths


@pytest.mark.parametrize(
    ("options", "place"),
    [({}, 0), ({"overlap": 0.5}, 1), ({"overlap": 0.75}, 2), ({"area": "medium"}, 4)],
)
def test_files_give_the_recorded_summary_of_pycocotools(write, options, place):
    """Also of a detector that is not the first, in whose order rows stand."""
    coco = detections.from_coco(*write(truth=TRUTH, a=FIRST, b=SECOND), ties="coco", **options)
    stats = [each["stats"][place] for each in RECORDED["evaluated"].values()]
    scores = [average_precision_score(**coco[n], definition=coco.definition) for n in "ab"]
    assert scores == pytest.approx(stats, abs=1e-12)
    compared = compare_average_precision(**coco, definition=coco.definition)
    assert compared.estimate == pytest.approx(stats, abs=1e-12)
    shared = detections.from_coco(*write(truth=TRUTH, a=FIRST), **options)
    assert compat.score(**shared["a"], tool="COCO") == pytest.approx(stats[0], abs=1e-12)


@pytest.mark.parametrize("options", quick([{}, {"overlap": 0.5, "area": "medium"}], 1))
def test_summary_has_the_recorded_numbers_of_pycocotools_whatever_was_selected(write, options):
    coco = detections.from_coco(*write(truth=TRUTH, a=FIRST, b=SECOND), **options)
    summary = coco.summary(confidence_level=0.9)
    numbers = ["AP", "AP50", "AP75", "AP small", "AP medium", "AP large"]
    assert summary.names == tuple((name, number) for name in "ab" for number in numbers)
    stats = [each["stats"][:6] for each in RECORDED["evaluated"].values()]
    stats = np.where(np.ravel(stats) == -1, np.nan, np.ravel(stats))  # no object is small
    assert summary.estimate == pytest.approx(stats, abs=1e-12, nan_ok=True)
    for place, selected in enumerate([{}, {"overlap": 0.5}, {"overlap": 0.75}]):
        files = write(truth=TRUTH, a=FIRST, b=SECOND)
        one = detections.from_coco(*files, ties="coco", **selected)
        alone = average_precision_interval(**one["a"], confidence_level=0.9)
        assert summary.low[place] == pytest.approx(alone.low, abs=1e-12)
        assert summary.high[place] == pytest.approx(alone.high, abs=1e-12)
        assert summary.n_positives[place] == one.n_objects
    assert summary.n_positives[3] == 0


def test_images_are_matched_once_for_all_areas_and_overlaps(monkeypatch):
    calls = []
    evaluate = cocoeval.COCOeval.evaluate
    monkeypatch.setattr(
        cocoeval.COCOeval, "evaluate", lambda self: (calls.append(self), evaluate(self))
    )
    detections.from_coco(TRUTH, FIRST).summary()
    assert len(calls) == 1


def test_boxes_of_a_class_without_objects_in_an_image_are_those_of_pycocotools():
    truth, boxes, _ = data_set("bbox")
    for most_boxes in ([1, 10, 100], [2, 1]):  # out of order, too
        kept, again = (evaluated(truth, boxes, maxDets=most_boxes) for _ in range(2))
        matched(kept)
        for area in ("all", "small", "medium", "large"):
            ours, theirs = (detections.from_coco(each, area=area) for each in (again, kept))
            for field in ("y_true", "queries", "clusters"):
                np.testing.assert_array_equal(getattr(ours, field), getattr(theirs, field))
            np.testing.assert_array_equal(
                ours["detector"]["y_score"], theirs["detector"]["y_score"]
            )


def test_the_definition_of_coco_is_that_of_its_scores_until_another_one_is_passed():
    coco = detections.from_coco(TRUTH, FIRST, SECOND, names=["a", "b"], ties="coco")
    stats = [each["stats"][0] for each in RECORDED["evaluated"].values()]
    assert average_precision_score(**coco["a"]) == pytest.approx(stats[0], abs=1e-12)
    assert average_precision_interval(**coco["b"]).estimate == pytest.approx(stats[1], abs=1e-12)
    assert compare_average_precision(**coco).sample.definition == coco.definition
    assert average_precision_interval(**coco["a"], definition="AP").sample.definition == Step()
    parts = coco.of_class("car")["a"], {k: x[:99] for k, x in coco["a"].items()}
    for rows in parts:
        assert average_precision_interval(**rows).sample.definition == coco.definition
    arrays = {name: np.array(column) for name, column in coco["a"].items()}  # know no definition
    assert average_precision_interval(**arrays).sample.definition == Step()
    models = {"a": coco.y_scores["a"], "b": arrays["y_score"]}
    for y_scores in (models, dict(reversed(models.items()))):
        with pytest.raises(ValueError, match=r"of from_coco, and mean the AP of COCO; .*Pass def"):
            compare_average_precision(coco.y_true, y_scores, queries=coco.queries)


@pytest.mark.slow
def test_common_images_are_those_in_which_each_detector_has_a_box():
    images = {box["image_id"] for box in FIRST}
    left_out = {*sorted(images)[:3]}
    some = [box for box in SECOND if box["image_id"] not in left_out]
    common = images & {box["image_id"] for box in some}
    assert 0 < len(common) < len(images)
    kept = {"names": ["a", "b"], "ties": "coco"}
    found = detections.from_coco(TRUTH, FIRST, some, images="common", **kept)
    each = [evaluated(boxes=boxes, imgIds=sorted(common)) for boxes in (FIRST, some)]
    expected = detections.from_coco(*each, **kept)
    assert {*found.clusters} == common
    np.testing.assert_array_equal(found.summary().estimate, expected.summary().estimate)
    for field in ("y_true", "queries", "clusters", "classes"):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
    with pytest.raises(ValueError, match="no image in which each detector has a box"):
        detections.from_coco(TRUTH, FIRST, [], images="common")


@pytest.mark.parametrize("shift", [0, 1])
def test_ties_of_coco_are_broken_in_scores_of_any_sign(shift):
    """As of logits: all become distinct, and stand in the order of COCO, to the last digits."""
    scores = np.array([-1.0, 0.5, -1.0, -2.5, 0.5, -2.5, 0.0, 0.0]) - shift
    broken = _break_ties(scores)
    assert np.unique(broken).size == scores.size
    assert np.argsort(-broken).tolist() == np.argsort(-scores, kind="stable").tolist()
    assert broken == pytest.approx(scores, rel=1e-14, abs=1e-300)


def test_shared_ties_are_one_threshold_and_coco_ties_follow_the_images():
    truth, boxes, _ = data_set("bbox")
    evaluation = matched(evaluation_of("pycocotools", "bbox", truth, boxes))
    shared, ordered = (
        detections.from_coco(evaluation, overlap=0.5, ties=ties)["detector"]
        for ties in ("shared", "coco")
    )
    found = shared["y_score"] > -INF
    np.testing.assert_array_equal(found, ordered["y_score"] > -INF)
    assert {*shared["y_score"][found]} == {box["score"] for box in boxes}
    for name in {*shared["queries"]}:
        rows = np.flatnonzero((shared["queries"] == name) & found)  # in the order of the images
        ranks = rows[np.argsort(-shared["y_score"][rows], kind="stable")]
        assert (np.diff(ordered["y_score"][ranks]) < 0).all()
    np.testing.assert_allclose(ordered["y_score"][found], shared["y_score"][found], rtol=1e-12)


def test_ties_of_coco_are_broken_within_the_digits_of_the_scores(write):
    """Also of boxes that score 0 or less, and of one that scores a last digit less."""
    scores = [0.5, -2.0, 0.5, 0.0, -2.0, -0.0, np.nextafter(0.5, 0), 0.5]
    boxes = [
        each | {"score": s} for each, s in zip(objects_of(8)["annotations"], scores, strict=True)
    ]
    found = detections.from_coco(*write(truth=objects_of(8)), boxes, ties="coco")
    found_scores = found["detector 1"]["y_score"][:8]
    np.testing.assert_allclose(np.sort(found_scores), np.sort(scores), rtol=1e-12, atol=1e-300)
    assert len({*found_scores}) == 8


@pytest.mark.parametrize(
    ("change", "is_odd"),
    [
        (lambda x, y, w, h: [x, y, x + w, y + h], True),
        (lambda x, y, w, h: [x, y, w, h], False),
    ],
)
def test_corners_are_warned_of(write, recwarn, change, is_odd):
    place = {"image_id": 1, "category_id": 1}
    boxes = [place | {"bbox": [x, 300, 60, 50], "score": 0.5} for x in (300, 400, 500)]
    objects = [box | {"id": i, "area": 9, "iscrowd": 0} for i, box in enumerate(boxes, 1)]
    truth = {"annotations": objects, "categories": [{"id": 1}]}
    truth["images"] = [{"id": 1, "width": 640, "height": 480}]
    found = [box | {"bbox": change(*box["bbox"])} for box in boxes]
    detections.from_coco(*write(truth=truth), found)
    texts = [str(each.message) for each in recwarn]
    assert [text[:42] for text in texts] == ["detector 1: most boxes reach beyond their "] * is_odd
    if is_odd:
        warnings.simplefilter("error")  # until recwarn ends
        with pytest.raises(UserWarning, match="detector 1: most"):
            detections.from_coco(truth, found)


def objects_of(n_images):
    """Return a ground truth with an object in each image."""
    place = {"category_id": 1, "bbox": [300, 300, 60, 50], "area": 9, "iscrowd": 0}
    objects = [{"id": i, "image_id": i} | place for i in range(1, n_images + 1)]
    images = [{"id": i, "width": 640, "height": 480} for i in range(1, n_images + 1)]
    return {"annotations": objects, "images": images, "categories": [{"id": 1, "name": "car"}]}


@pytest.mark.parametrize("ties", ["shared", "coco"])
def test_a_confidence_threshold_is_asked_about(ties):
    truth = objects_of(101)

    def boxes(*scores):
        places = truth["annotations"]
        return [place | {"score": score} for place, score in zip(places, scores, strict=False)]

    high, low = np.linspace(0.25, 1, 101), np.linspace(0.09, 1, 101)
    with pytest.warns(UserWarning, match=r"detector 2: the lowest score of a box is 0\.25\. If a"):
        detections.from_coco(
            evaluated(truth, boxes(*low)), evaluated(truth, boxes(*high)), ties=ties
        )
    for scores in (high[:99], 50 * high):  # few, and no probabilities
        detections.from_coco(evaluated(truth, boxes(*scores)), ties=ties)


def test_classes_counted_from_0_are_asked_about(write):
    boxes = [each | {"score": 0.5} for each in objects_of(3)["annotations"]]
    boxes[0]["category_id"] = 0
    with pytest.warns(UserWarning, match="no category 0.*left out. Does one count classes from 0"):
        detections.from_coco(*write(truth=objects_of(3)), boxes)


def test_rows_of_two_detectors_match_a_hand_example():
    """An object that both find, one that the second finds, false boxes, a crowd, empty images."""
    place = {"category_id": 7, "iscrowd": 0, "area": 100}
    squares = {1: [0, 0, 10, 10], 2: [50, 50, 10, 10], 3: [100, 100, 30, 30]}
    objects = [{"id": i, "image_id": 1, "bbox": box} | place for i, box in squares.items()]
    objects[2]["iscrowd"] = 1
    truth = {"annotations": objects, "images": [{"id": i} for i in (1, 2, 5, 9)]}
    truth["categories"] = [{"id": 7, "name": "dog"}, {"id": 8, "name": "cat"}]

    def box(image, corners, score, category=7):
        place = {"image_id": image, "category_id": category}
        return place | {"bbox": corners, "score": score}

    inside_crowd = box(1, [105, 105, 9, 9], 0.95)
    first = [box(1, squares[1], 0.8), box(1, [300, 300, 9, 9], 0.9), box(2, squares[1], 0.6)]
    second = [box(1, squares[2], 0.5), box(1, squares[1], 0.4), box(5, squares[1], 0.7, 8)]
    with redirect_stdout(io.StringIO()):
        data = evaluation_of("pycocotools", "bbox", truth, first).cocoGt
    coco = detections.from_coco(data, [*first, inside_crowd], second, overlap=0.5)
    columns = coco.y_true, *coco.y_scores.values(), coco.clusters
    assert [*zip(*map(np.ndarray.tolist, columns), strict=True)] == [
        (False, 0.9, -INF, 1),
        (True, 0.8, 0.4, 1),
        (False, 0.6, -INF, 2),
        (True, -INF, 0.5, 1),
        (False, -INF, -INF, 5),  # the box there is of a class without objects
        (False, -INF, -INF, 9),
    ]
    assert {*coco.queries} == {*coco.classes} == {"dog"}
    printed = "CocoDetections: 2 detectors, 1 ranking, 4 images, 2 objects\n"
    assert repr(coco).startswith(printed)


def test_a_threshold_takes_one_overlap():
    """With several, each object would count as often, and a guarantee would count it, too."""
    coco = detections.from_coco(TRUTH, FIRST, names=["a"])
    for found in (coco, coco.of_class("car")):
        with pytest.raises(ValueError, match=r"at each of 10 overlaps.* Pass overlap=0\.5"):
            operating_point(found.y_true, found.y_scores["a"], recall=0.5)


@pytest.mark.slow
def test_a_report_names_the_definition_of_coco():
    found = report(**detections.from_coco(TRUTH, FIRST, names=["a"]))
    assert found.title == "Mean AP at 101 recall levels of a"


def test_each_overlap_of_coco_can_be_selected():
    """Some of them are no round numbers, as 0.6000000000000001."""
    truth, boxes, _ = data_set("bbox")
    evaluation = matched(evaluation_of("pycocotools", "bbox", truth, boxes))
    whole = detections.from_coco(evaluation)
    for overlap in np.arange(50, 100, 5) / 100:
        one = detections.from_coco(evaluation, overlap=overlap)
        rows = [query.endswith(f" at {overlap}") for query in whole.queries]
        is_empty = len(one.queries) - sum(rows)  # an image, which is at the first overlap alone
        assert is_empty == (overlap > 0.5)
        found = one.y_scores["detector"][: sum(rows)]
        np.testing.assert_array_equal(found, whole.y_scores["detector"][rows])


def test_definition_reaches_recall_levels_exactly_as_coco():
    """Of all numbers of objects up to 40, which is where rounding moves recalls most."""
    rng = np.random.default_rng(0)
    labels = np.array([True])
    definition = detections.MatchedDetections(labels, {"a": labels}, labels, labels).definition
    moved = 0.0
    for n_objects in range(1, 41):
        y_true = np.repeat([1, 0], n_objects)
        y_score = np.where(rng.random(2 * n_objects) < 0.2, -INF, rng.permutation(2 * n_objects))
        coco = compat.score(y_true, y_score, "COCO")
        found = average_precision_score(y_true, y_score, definition=definition)
        assert found == pytest.approx(coco, abs=1e-12)
        plain = average_precision_score(y_true, y_score, definition=Interpolated(101))
        moved = max(moved, abs(plain - coco))
    assert moved > 1e-4


def test_a_dict_a_list_and_an_empty_file_of_boxes_are_read(write):
    truth, boxes = copy.deepcopy(TRUTH), copy.deepcopy(FIRST)
    with pytest.warns(UserWarning, match="^none: there is no box, so it scores 0"):
        coco = detections.from_coco(truth, boxes, *write(none=[]))
    assert (truth, boxes) == (TRUTH, FIRST)  # pycocotools got copies
    assert tuple(coco.y_scores) == ("detector 1", "none")
    assert np.isneginf(coco.y_scores["none"]).all()


def test_boxes_of_unknown_classes_are_left_out_with_a_warning(write):
    (truth,) = write(truth=TRUTH)
    with pytest.warns(UserWarning, match="has no category 'car', so such boxes are left out"):
        found = detections.from_coco(truth, [*FIRST, FIRST[0] | {"category_id": "car"}])
    alone = detections.from_coco(truth, FIRST)
    np.testing.assert_array_equal(found.y_scores["detector 1"], alone.y_scores["detector 1"])


def test_classes_of_equal_names_have_their_ids_too():
    categories = [each | {"name": "thing"} for each in TRUTH["categories"]]
    evaluation = evaluation_of("pycocotools", "bbox", TRUTH | {"categories": categories}, FIRST)
    assert {*detections.from_coco(evaluation).classes} == {f"thing ({i})" for i in (1, 2, 3)}
    named = zip(TRUTH["categories"], ["thing", "thing", "thing (1)", "other"], strict=True)
    categories = [each | {"name": name} for each, name in named]
    evaluation = evaluation_of("pycocotools", "bbox", TRUTH | {"categories": categories}, FIRST)
    assert len({*detections.from_coco(evaluation).classes}) == 3


def evaluated(truth=TRUTH, boxes=FIRST, **params):
    evaluation = evaluation_of("pycocotools", "bbox", truth, boxes)
    vars(evaluation.params).update(params)
    return evaluation


def numbered(*ids):
    objects = [dict(TRUTH["annotations"][i], id=number) for i, number in enumerate(ids)]
    return TRUTH | {"annotations": objects}


@pytest.mark.parametrize(
    ("given", "options", "message"),
    [
        (lambda: ["truth.json"], {}, r"got \(str\)"),
        (lambda: [evaluated(), "second.json"], {}, r"one COCOeval or .* got \(COCOeval, str\)"),
        (lambda: ["truth.json", evaluated()], {}, r"beside these, got \(str, COCOeval\)"),
        (lambda: [evaluated()], {"overlap": 0.4}, "one of .*0.95"),
        (lambda: [evaluated()], {"area": "tiny"}, "^area must be one of .*'medium'"),
        (lambda: [evaluated()], {"area": "small"}, "no objects to find; area is 'small'"),
        (lambda: [evaluated()], {"images": "both"}, "images must be"),
        (lambda: [TRUTH, FIRST], {"area": "tiny"}, "^area must be one of .*'medium'"),
        (lambda: [evaluated()], {"names": 0.5}, "names must hold 1 name, .* got 0.5"),
        (lambda: ["a", "b"], {"iou_type": "box"}, "iou_type must be"),
        (lambda: [evaluated()], {"names": ["a", "b"]}, "names must hold 1 name, one of each"),
        (
            lambda: [evaluated(), evaluated()],
            {"names": "ab"},
            "names must hold 2 names, .* got 'ab'",
        ),
        (lambda: [evaluated(), evaluated(catIds=[1])], {}, "'detector 2' was .* other objects"),
        (lambda: [evaluated(), evaluated(imgIds=[10])], {}, "'detector 2' was .* or images"),
        (lambda: [evaluated(), evaluated(iouThrs=[0.5])], {}, "'detector 2' .*at other overlaps"),
        (lambda: [evaluated(), evaluated(maxDets=[1])], {}, "'detector 2' .*with other maxDets"),
        (lambda: [evaluated(numbered(0, 1))], {}, "number them from 1"),
        (lambda: [evaluated(numbered(4, 4))], {}, "a number of its own"),
        (lambda: [evaluated(numbered(NAN, 4))], {}, "a number of its own"),
        (lambda: [evaluated(numbered())], {}, "no objects to find"),
        (lambda: [numbered() | {"images": []}, []], {}, "no objects to find"),
        (lambda: [TRUTH, np.ones((2, 7))], {}, r"no list of boxes. Pass coco.loadRes\(array\)"),
    ],
)
def test_error_names_the_fault_of_a_call(given, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        detections.from_coco(*given(), **options)


def test_an_evaluation_without_results_is_refused():
    evaluation = evaluated()
    evaluation.cocoDt = None
    with pytest.raises(ValueError, match="the ground truth and the results to COCOeval"):
        detections.from_coco(evaluation)


# Each alone gives another number in silence, or one of the many types of errors of pycocotools.
NO_BOXES = [[1, 2, 3], [1, 2, 3, None], [1, 2, 3, "x"], [1, 2, NAN, 4], [1, 2, INF, 4]]
FAULTS = [
    ("bbox", "annotations", "bbox", NO_BOXES, "truth.json cannot be read as COCO's"),
    ("bbox", "boxes", "bbox", NO_BOXES, "boxes.json cannot be read as COCO's"),
    (
        "bbox",
        "boxes",
        "score",
        [NAN, INF, -INF],
        "entry 1 has a score that is no finite number",
    ),
    ("bbox", "annotations", "id", [0], "number them from 1"),
    ("bbox", "annotations", "id", [3], "Each object needs a number of its own"),
    ("bbox", "annotations", "id", [None, [1]], "cannot be read|a number of its own"),
    ("bbox", "boxes", "score", [None, "0.5"], "boxes.json cannot .*entry 1 has the score"),
    ("bbox", "boxes", "image_id", [None, [1]], "boxes.json cannot be read as COCO's"),
    ("bbox", "boxes", "image_id", [99, "10"], "of image .*such as 1. Write their ids in one way"),
    ("segm", "boxes", "segmentation", [{"size": [9, 9]}], "KeyError: 'counts'"),
]


@pytest.mark.parametrize("iou_type", ["bbox", "segm"])
def test_entries_without_a_fault_are_read_from_files_lists_and_arrays(write, iou_type):
    truth, boxes, _ = data_set(iou_type)
    lists = detections.from_coco(*write(truth=truth, boxes=boxes), iou_type=iou_type)
    if iou_type == "bbox":
        arrays = [{key: np.array(value) for key, value in box.items()} for box in boxes]
        found = detections.from_coco(truth, arrays, names=["boxes"])
        np.testing.assert_array_equal(found.y_scores["boxes"], lists.y_scores["boxes"])


@pytest.mark.parametrize(
    ("iou_type", "part", "field", "value", "message"),
    [(*place, value, message) for *place, values, message in FAULTS for value in values],
)
def test_error_names_an_entry_that_would_count_as_another_number(
    write, iou_type, part, field, value, message
):
    truth, boxes, _ = data_set(iou_type)
    entries = boxes if part == "boxes" else truth[part]
    changed = [entries[0], entries[1] | {field: value}, *entries[2:]]
    new = {"truth": truth, "boxes": changed}
    if part != "boxes":
        new = {"truth": truth | {part: changed}, "boxes": boxes}
    with pytest.raises(ValueError, match=message):
        detections.from_coco(*write(**new), iou_type=iou_type)


@pytest.mark.parametrize("key", ["id", "image_id", "category_id", "bbox", "area"])
def test_error_names_what_an_object_lacks(key):
    first, *others = TRUTH["annotations"]
    others[0] = {name: value for name, value in others[0].items() if name != key}
    remedy = " Give boxes width" if key == "area" else ""
    with pytest.raises(ValueError, match=f"ground_truth cannot .* 1 has no '{key}'.{remedy}"):
        detections.from_coco(TRUTH | {"annotations": [first, *others]}, FIRST)


@pytest.mark.parametrize("key", ["image_id", "category_id", "bbox", "score"])
def test_error_names_what_a_box_lacks_and_its_detector(key):
    box = {name: value for name, value in FIRST[0].items() if name != key}
    with pytest.raises(ValueError, match=f"^detr cannot .*: entry 0 has no '{key}'"):
        detections.from_coco(TRUTH, FIRST, [box], names=["yolo", "detr"])


def boxes_of_random_places(n_images=120):
    """A detector that finds each object, and as many false boxes, which score less."""
    rng = np.random.default_rng(0)
    truth = objects_of(n_images)
    found = [each | {"score": rng.uniform(0.4, 1)} for each in truth["annotations"]]
    false = [each | {"bbox": [500, 400, 9, 9], "score": rng.uniform(0, 0.6)} for each in found]
    return truth, found + false


def test_reversed_scores_of_boxes_are_warned_of():
    truth, boxes = boxes_of_random_places()
    detections.from_coco(truth, boxes)  # a warning would be an error
    reverse = [box | {"score": 1 - box["score"]} for box in boxes]
    with pytest.warns(UserWarning, match="^bad: most false boxes score above those that find"):
        detections.from_coco(truth, boxes, reverse, names=["good", "bad"])


def test_equal_scores_of_all_boxes_are_no_threshold():
    truth, boxes = boxes_of_random_places()
    with pytest.warns(UserWarning, match="all boxes score 1, so nothing ranks them") as caught:
        detections.from_coco(truth, [box | {"score": 1.0} for box in boxes])
    assert len(caught) == 1


def test_a_class_without_a_box_of_a_detector_is_warned_of():
    """But not one of few objects, which a weak detector may miss."""
    truth, boxes = boxes_of_random_places()
    truth["categories"] += [{"id": 2, "name": "bird"}, {"id": 3, "name": "bus"}]
    for number, (first, last) in {2: (0, 10), 3: (10, 19)}.items():
        for each in truth["annotations"][first:last]:
            each["category_id"] = number
    with pytest.warns(UserWarning, match="^detector 1: no box of 'bird', of which") as caught:
        detections.from_coco(truth, boxes)
    assert len(caught) == 1


@pytest.mark.parametrize("name", ["ground_truth", "detector 1"])
def test_entries_that_stand_there_twice_are_warned_of(name):
    truth, boxes = boxes_of_random_places()
    if name == "ground_truth":
        twice = [each | {"id": each["id"] + 1000} for each in truth["annotations"]]
        truth["annotations"] = truth["annotations"] + twice
        match = "^ground_truth: 120 of 240 entries repeat another one"
    else:
        boxes += boxes
        match = "^detector 1: 240 of 480 entries repeat another one"
    with pytest.warns(UserWarning, match=match):
        detections.from_coco(truth, boxes)


def test_boxes_in_shares_of_images_find_no_object_and_get_a_warning():
    truth = objects_of(100)
    boxes = [each | {"score": each["id"] / 200} for each in truth["annotations"]]
    assert (detections.from_coco(truth, boxes).y_scores["detector 1"] > 0).all()
    shares = [box | {"bbox": [0.5, 0.6, 0.1, 0.1]} for box in boxes]
    with pytest.warns(UserWarning, match="detector 1: 100 boxes find 0 of 100 objects. Are all"):
        detections.from_coco(truth, shares)
    few = detections.from_coco(truth, [*boxes[:2], *shares[2:]])  # a weak detector is no mistake
    assert few.n_objects == 100


@pytest.mark.slow
def test_a_detector_that_lacks_many_images_of_another_is_warned_of():
    truth = objects_of(100)
    boxes = [each | {"score": each["id"] / 200} for each in truth["annotations"]]
    images = sorted({box["image_id"] for box in boxes})
    half = [box for box in boxes if box["image_id"] in images[: len(images) // 2]]
    text = rf"missing results: 'b': {len(images) // 2} of \d+ images .*images='common'\."
    with pytest.warns(UncertaintyWarning, match=text):
        found = detections.from_coco(truth, boxes, half, names=["a", "b"])
    comparison = compare_average_precision(**found)
    assert comparison.verdict[1] == "worse"
    for result in (found.compare_classes(), found.summary()):
        assert [(each.name, each.about) for each in result.doubts] == [("missing results", ("b",))]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        detections.from_coco(truth, boxes, half, images="common")
    assert comparison.is_overturned.tolist() == [False, True]
    assert "b scores lower than a: " in comparison.sentences[0]
    reason = "clusters with positives have no row (b): run the model on all of them, or leave"
    assert reason in comparison.sentences[0]
    one = detections.from_coco(truth, half)  # which has one box in most images
    names = [each.name for each in average_precision_interval(**one["detector 1"]).doubts]
    assert "missing results" not in names


def test_one_detector_that_lacks_images_with_objects_is_doubted_if_it_finds_many_in_others():
    truth = objects_of(60)
    boxes = [each | {"score": each["id"] / 99} for each in truth["annotations"]]
    part = [box for box in boxes if box["image_id"] <= 40]
    with warnings.catch_warnings():  # one box in each of many images, and none in others
        warnings.simplefilter("error")
        detections.from_coco(truth, part)
    others = [box | {"bbox": [9, 9, 9, 9], "score": 0.01 + box["score"]} for box in part]
    with pytest.warns(UncertaintyWarning, match="20 of 60 images with positives have"):
        found = detections.from_coco(truth, part + others)
    assert "missing results" in [each.name for each in found.class_intervals("detector 1").doubts]


def test_an_object_without_a_mask_is_named():
    truth = objects_of(2)
    for each, mask in zip(truth["annotations"], ([[1, 1, 1, 9, 9, 9]], []), strict=True):
        each["segmentation"] = mask
    with pytest.raises(ValueError, match=r"entry 1 has an empty 'segmentation'\. For boxes, leave"):
        detections.from_coco(truth, FIRST, iou_type="segm")


@pytest.mark.parametrize(
    ("truth", "boxes", "message"),
    [
        (TRUTH | {"images": [3.5]}, FIRST, r"truth.json cannot be read"),
        (FIRST, TRUTH, r"truth.json .*no annotations. Pass the ground truth first, and"),
        (TRUTH | {"images": None}, FIRST, "truth.json cannot be read"),
        (TRUTH, TRUTH, "boxes.json .* no list of boxes. Pass the ground truth first"),
        (TRUTH, ["a.json"], "boxes.json cannot be read"),
    ],
)
def test_error_names_a_file_of_another_kind(write, truth, boxes, message):
    with pytest.raises(ValueError, match=message):
        detections.from_coco(*write(truth=truth, boxes=boxes))


@pytest.mark.parametrize("content", [b"", b"\x1f\x8b\x08"])
def test_error_names_a_file_that_is_not_json(tmp_path, content):
    path = tmp_path / "truth.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"truth\.json cannot be read"):
        detections.from_coco(path, path)


def test_error_names_a_file_that_is_missing(tmp_path):
    with pytest.raises(FileNotFoundError, match="missing"):
        detections.from_coco(tmp_path / "missing.json", [])


def test_another_tool_in_the_place_of_pycocotools_is_named(monkeypatch):
    """As after init_as_pycocotools() of faster-coco-eval."""

    def evaluator(truth, boxes, iou_type):
        return SimpleNamespace(params=SimpleNamespace(), evalImgs={}, evaluate=lambda: None)

    evaluation = evaluated()
    monkeypatch.setattr("pycocotools.cocoeval.COCOeval", evaluator)
    with pytest.raises(ValueError, match="another tool stands in its place"):
        detections.from_coco(evaluation)


def test_threads_leave_standard_output_as_it_was():
    def hold(seconds):
        with errors_of("a"):
            sleep(seconds)

    stream = sys.stdout
    with ThreadPoolExecutor(2) as pool:
        _ = [*pool.map(hold, [0.05, 0.1])]
    assert sys.stdout is stream


def test_too_little_memory_is_no_error_of_a_file():
    with pytest.raises(MemoryError), errors_of("a"):
        raise MemoryError


@pytest.mark.parametrize("key", ["image_id", "category_id"])
def test_objects_that_no_list_has_are_told(key):
    objects = [dict(each) for each in TRUTH["annotations"]]
    objects[2][key] = str(objects[2][key])
    truth = TRUTH | {"annotations": objects}
    text = rf"ground_truth: .* 1 of {len(objects)} objects, first of entry 2, .* left out"
    with pytest.warns(UserWarning, match=text):
        detections.from_coco(truth, FIRST)
