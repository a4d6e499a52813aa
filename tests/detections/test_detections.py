"""Objects and boxes that pycocotools matched become labels and scores."""

import inspect
import io
import json
import sys
from contextlib import redirect_stdout
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from pages import blocks
from public_names import public

from sklearn_ap import (
    UncertaintyWarning,
    average_precision_interval,
    average_precision_score,
    chance_test,
    compare_average_precision,
    compat,
    detections,
    retrieval,
    sample_size_for_interval,
)
from sklearn_ap.definitions import Interpolated

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "coco.json").read_text())
TRUTH, FIRST = RECORDED["ground_truth"], RECORDED["results"]["first"]
# Where COCO's summary has the numbers: all sizes and overlaps, those of 0.5 and 0.75, and medium.
LEVELS = Interpolated(101)
SUMMARY = [({}, 0), ({"overlap": 0.5}, 1), ({"overlap": 0.75}, 2), ({"area": "medium"}, 4)]


def recorded(detector, **changes):
    of = RECORDED["evaluated"][detector]
    arrays = ("dtMatches", "gtMatches", "dtIgnore", "gtIgnore")
    each = [one | {name: np.array(one[name]) for name in arrays} for one in of["evalImgs"]]
    cats = {one["id"]: one for one in TRUTH["categories"]}
    params = SimpleNamespace(**of["params"] | {"iouThrs": np.array(of["params"]["iouThrs"])})
    known = {"evalImgs": [None, *each], "params": params, "cocoGt": SimpleNamespace(cats=cats)}
    return SimpleNamespace(**known | changes)


@pytest.fixture
def write(tmp_path):

    def paths(**contents):
        for name, content in contents.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(content))
        return [tmp_path / f"{name}.json" for name in contents]

    return paths


@pytest.mark.parametrize("detector", ["first", "second"])
@pytest.mark.parametrize(("options", "place"), SUMMARY)
def test_from_coco_reproduces_the_summary_of_pycocotools(detector, options, place):
    """Equal scores, crowds, boxes of other sizes and a class without objects are among them."""
    coco = detections.from_coco(recorded(detector), **options)
    ours = compat.score("COCO", **coco["detector"])
    assert ours == pytest.approx(RECORDED["evaluated"][detector]["stats"][place], abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of ten images
@pytest.mark.parametrize(("options", "place"), SUMMARY)
def test_coco_ties_reproduce_the_summary_in_intervals_and_comparisons(options, place):
    """Also of a detector that is not the first, in whose order rows stand."""
    both = recorded("first"), recorded("second")
    coco = detections.from_coco(*both, names=["first", "second"], ties="coco", **options)
    stats = [RECORDED["evaluated"][name]["stats"][place] for name in coco.detectors]
    asked = {"definition": coco.definition}
    scores = [average_precision_score(**coco[name], **asked) for name in coco.detectors]
    assert scores == pytest.approx(stats, abs=1e-12)
    assert [compat.score("COCO", **coco[name]) for name in coco.detectors] == pytest.approx(stats)
    intervals = [average_precision_interval(**coco[name], **asked) for name in coco.detectors]
    assert [each.estimate for each in intervals] == pytest.approx(stats, abs=1e-12)
    rows = {"queries": coco.queries, "clusters": coco.clusters}
    compared = compare_average_precision(coco.y_true, coco.y_scores, **rows, **asked)
    assert compared.estimate == pytest.approx(stats, abs=1e-12)
    assert compared.difference[-1] == pytest.approx(stats[1] - stats[0], abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of ten images
def test_coco_ties_change_the_score_and_the_class_table():
    shared, ordered = (
        detections.from_coco(recorded("first"), ties=ties) for ties in ("shared", "coco")
    )
    numbers = [
        average_precision_score(**each["detector"], definition=LEVELS) for each in (shared, ordered)
    ]
    assert numbers[1] - numbers[0] > 0.003
    table = ordered.class_intervals("detector", definition=ordered.definition)
    stats = RECORDED["evaluated"]["first"]["stats"]
    assert table.estimate.mean() == pytest.approx(stats[0], abs=1e-12)


def test_coco_ties_only_break_ties_in_image_order():
    shared, ordered = (
        detections.from_coco(recorded("first"), overlap=0.5, ties=ties)["detector"]
        for ties in ("shared", "coco")
    )
    missed = shared["y_score"] == -np.inf
    np.testing.assert_array_equal(missed, ordered["y_score"] == -np.inf)
    for name in {*shared["queries"]}:
        rows = np.flatnonzero((shared["queries"] == name) & ~missed)  # in the order of the images
        ranks = rows[np.argsort(-shared["y_score"][rows], kind="stable")]
        assert (np.diff(ordered["y_score"][ranks]) < 0).all()
    found = shared["y_score"][~missed]
    assert len({*found}) < found.size  # there are ties


def test_definition_reaches_recall_levels_exactly_as_coco():
    """Of all numbers of objects up to 40, which is where rounding moves recalls most."""
    rng = np.random.default_rng(0)
    definition = detections.from_coco(ONE).definition
    moved = 0.0
    for n_objects in range(1, 41):
        y_true = np.repeat([1, 0], n_objects)
        y_score = np.where(rng.random(2 * n_objects) < 0.2, -np.inf, rng.permutation(2 * n_objects))
        coco = compat.score("COCO", y_true, y_score)
        found = average_precision_score(y_true, y_score, definition=definition)
        assert found == pytest.approx(coco, abs=1e-12)
        moved = max(moved, abs(average_precision_score(y_true, y_score, definition=LEVELS) - coco))
    assert moved > 1e-4


def test_each_overlap_threshold_of_coco_can_be_selected():
    """Some of them are no round numbers, as 0.6000000000000001."""
    whole = detections.from_coco(recorded("first"))
    for overlap in np.arange(50, 100, 5) / 100:
        one = detections.from_coco(recorded("first"), overlap=overlap)
        rows = [query.endswith(f" at {overlap}") for query in whole.queries]
        np.testing.assert_array_equal(one.y_scores["detector"], whole.y_scores["detector"][rows])


def test_rows_of_two_detectors_match_a_hand_example():
    """Two detectors, two images: an object that both find, one that the second finds, a crowd."""
    shared = {"category_id": 7, "aRng": [0, 9], "maxDet": 100, "gtMatches": None}
    one = shared | {"image_id": 1, "gtIds": [4, 5, 6], "gtIgnore": np.array([0, 0, 1])}
    two = shared | {"image_id": 2, "gtIds": [], "gtIgnore": np.array([])}

    def evaluated(in_one, in_two):
        rows = []
        for image, (scores, found, ignored) in ((one, in_one), (two, in_two)):
            matches = {"dtMatches": np.array([found]), "dtIgnore": np.array([ignored])}
            rows.append(image | matches | {"dtScores": scores, "dtIds": [*range(len(scores))]})
        params = SimpleNamespace(areaRng=[[0, 9]], areaRngLbl=["all"], iouThrs=np.array([0.5]))
        return SimpleNamespace(evalImgs=rows, params=params)

    first = evaluated(([0.9, 0.8, 0.7], [0, 4, 6], [0, 0, 1]), ([0.6], [0], [0]))
    second = evaluated(([0.5, 0.4], [5, 4], [0, 0]), ([0.3], [0], [1]))
    coco = detections.from_coco(first, second)
    none = -np.inf
    assert [*zip(coco.y_true, *coco.y_scores.values(), coco.clusters, strict=True)] == [
        (False, 0.9, none, 1),
        (True, 0.8, 0.4, 1),
        (False, 0.6, none, 2),
        (True, none, 0.5, 1),
    ]
    assert {*coco.queries} == {"7"}
    with pytest.raises(KeyError, match="No detector is named 'x'"):
        coco["x"]
    printed = "MatchedDetections: 2 detectors, 1 ranking, 2 images, 2 objects\n"
    assert repr(coco).startswith(printed)
    assert [*coco.to_frame()] == ["query", "cluster", "y_true", "detector 1", "detector 2"]


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of ten images
def test_intervals_and_comparisons_accept_detections():
    coco = detections.from_coco(recorded("first"), recorded("second"), names=["first", "second"])
    assert "dog at 0.75" in coco.queries
    assert "bird at 0.5" not in coco.queries
    rows = {"queries": coco.queries, "clusters": coco.clusters, "definition": LEVELS}
    both = compare_average_precision(coco.y_true, coco.y_scores, **rows)
    for name, estimate in zip(coco.detectors, both.estimate, strict=True):
        found = average_precision_interval(**coco[name], definition=LEVELS)
        assert found.low < found.estimate < found.high
        alone = detections.from_coco(recorded(name))["detector"]
        value = average_precision_score(**alone, definition=LEVELS)
        assert [found.estimate, estimate] == pytest.approx([value, value], abs=1e-12)


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of ten images
def test_an_object_at_ten_overlaps_is_counted_once():
    whole, one = (detections.from_coco(ONE, overlap=overlap) for overlap in (None, 0.5))
    n_objects = np.count_nonzero(one.y_true)
    for coco in (whole, one):
        assert repr(coco).splitlines()[0].endswith(f", {n_objects} objects")
    found = average_precision_interval(**whole["detector"], definition=LEVELS)
    assert found.sample.n_averaged == len({*whole.queries})
    assert found.n_positives == 10 * n_objects


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of ten images
@pytest.mark.parametrize("options", [{}, {"overlap": 0.5}])
def test_class_interval_averages_overlaps_and_clusters_by_image(options):
    coco = detections.from_coco(recorded("first"), recorded("second"), **options)
    table = coco.class_intervals("detector 2")
    assert table.names == ("car", "cat", "dog")
    whole = average_precision_score(**coco["detector 2"], definition=LEVELS)
    assert table.estimate.mean() == pytest.approx(whole, abs=1e-12)
    is_dog = np.array([query.startswith("dog") for query in coco.queries])
    rows = {name: values[is_dog] for name, values in coco["detector 2"].items()}
    alone = average_precision_interval(**rows, definition=LEVELS)
    assert (table.low[2], table.high[2]) == (alone.low, alone.high)
    n_overlaps = len({*coco.queries[is_dog]})
    assert table.n_positives[2] == coco.y_true[is_dog].sum() / n_overlaps
    assert table.n_effective[2] == pytest.approx(alone.n_effective)
    assert repr(table).splitlines()[2].startswith("car ")
    assert len(table.to_frame()) == 3
    assert coco.of_class("dog")["detector 2"]["clusters"].size == is_dog.sum()
    with pytest.raises(ValueError, match="result must come from one sample"):
        sample_size_for_interval(table, half_width=0.1)
    assert sample_size_for_interval(alone, half_width=0.1) > 0
    with pytest.raises(
        KeyError, match=r"No class is named 'bird'\. There are \['car', 'cat', 'dog'"
    ):
        coco.of_class("bird")


def test_each_warning_of_classes_appears_once_and_names_the_classes():
    coco = detections.from_coco(recorded("first"), overlap=0.5)
    with pytest.warns(UncertaintyWarning) as heard:
        coco.class_intervals("detector")
    names = [warning.message.name for warning in heard]
    assert len({*names}) == len(names)
    (few,) = [str(each.message) for each in heard if each.message.name == "few clusters"]
    assert few.endswith(" This is said of car, and holds for cat and dog, too.")


def test_classes_of_equal_name_are_called_by_their_ids():
    cats = {i: {"id": i, "name": "thing"} for i in range(1, 5)}
    coco = detections.from_coco(recorded("first", cocoGt=SimpleNamespace(cats=cats)), overlap=0.5)
    assert {*coco.queries} == {"1", "2", "3"}


def of_objects(numbers):
    each = FEWER | {"gtIds": numbers, "gtIgnore": np.zeros(len(numbers)), "dtIds": []}
    none = {"dtScores": [], "dtMatches": np.zeros((10, 0)), "dtIgnore": np.zeros((10, 0))}
    return recorded("first", evalImgs=[each | none])


ONE = recorded("first")
LOWER = SimpleNamespace(**vars(ONE.params) | {"iouThrs": ONE.params.iouThrs - 0.25})
ONE_BOX = [each and each | {"maxDet": 1} for each in ONE.evalImgs]
FEWER = next(each for each in ONE.evalImgs if each and len(each["gtIds"]))


@pytest.mark.parametrize(
    ("evaluated", "options", "message"),
    [
        ([recorded("first", evalImgs={})], {}, "call evaluate"),
        ([recorded("first", evalImgs=[None])], {}, "call evaluate"),
        (["truth.json"], {}, "got str alone"),
        ([ONE], {"overlap": 0.4}, "one of .*0.95"),
        ([ONE], {"area": "tiny"}, "'medium'"),
        ([ONE], {"ties": "trec_eval"}, "ties must be .*'coco'"),
        ([ONE], {"names": ["a", "b"]}, "names must be 1 different ones"),
        ([ONE, recorded("second")], {"names": ["a", "a"]}, "names must be 2 different ones"),
        ([ONE, recorded("first", evalImgs=[FEWER])], {}, "'detector 2' was .* other objects"),
        ([ONE, recorded("second", params=LOWER)], {}, "'detector 2' .*at other overlaps"),
        ([ONE, recorded("first", evalImgs=ONE_BOX)], {}, "'detector 2' .*with other maxDets"),
        ([of_objects([0, 1])], {}, "number them from 1"),
        ([of_objects([4, 4])], {}, "a number of its own"),
        ([of_objects([])], {}, "no objects to find"),
    ],
)
def test_error_names_the_fault_of_an_evaluation(evaluated, options, message):
    with pytest.raises((TypeError, ValueError), match=message):
        detections.from_coco(*evaluated, **options)


class Coco:
    """Stands in for pycocotools.coco.COCO."""

    def createIndex(self):  # noqa: N802
        self.cats = {each["id"]: each for each in self.dataset["categories"]}

    def loadRes(self, boxes):  # noqa: N802
        return [box["score"] for box in boxes]


class Evaluation:
    """Stands in for COCOeval, and gives what that gave for boxes of these scores."""

    def __init__(self, truth, scores, iou_type):
        is_second = scores == [box["score"] for box in RECORDED["results"]["second"]]
        self.__dict__ |= vars(recorded("second" if is_second else "first", cocoGt=truth))
        self.told.append((iou_type, self.params))

    def evaluate(self):
        pass


@pytest.fixture
def told(monkeypatch):
    modules = {"coco": SimpleNamespace(COCO=Coco), "cocoeval": SimpleNamespace(COCOeval=Evaluation)}
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, f"pycocotools.{name}", module)
    monkeypatch.setattr(Evaluation, "told", [], raising=False)
    return Evaluation.told


@pytest.fixture(params=["pycocotools", "stand-in"])
def _engine(request):
    if request.param == "pycocotools":
        pytest.importorskip("pycocotools")
    else:
        request.getfixturevalue("told")


def test_iou_type_and_area_options_reach_pycocotools(write, told):
    shape = {"segmentation": [[0, 0, 9, 0, 9, 9]]}
    annotations, boxes = ([one | shape for one in each] for each in (TRUTH["annotations"], FIRST))
    images = [one | {"height": 100, "width": 100} for one in TRUTH["images"]]
    (path,) = write(truth=TRUTH | {"annotations": annotations, "images": images})
    found = detections.from_coco(path, boxes, iou_type="segm", area="medium")
    ((iou_type, params),) = told
    assert (iou_type, params.areaRngLbl) == ("segm", ["medium"])
    kept = detections.from_coco(ONE, area="medium")
    np.testing.assert_array_equal(found["detector 1"]["y_score"], kept["detector"]["y_score"])


@pytest.mark.usefixtures("_engine")
def test_files_are_matched_by_pycocotools(write):
    of_files = detections.from_coco(*write(truth=TRUTH, **RECORDED["results"]))
    kept = detections.from_coco(ONE, recorded("second"), names=["first", "second"])
    assert of_files.detectors == kept.detectors
    for name in kept.detectors:
        np.testing.assert_array_equal(of_files.y_scores[name], kept.y_scores[name])
    np.testing.assert_array_equal(of_files.queries, kept.queries)


@pytest.mark.usefixtures("_engine")
def test_error_names_a_file_that_is_not_json(tmp_path):
    path = tmp_path / "truth.json"
    for content in (b"", b"\x1f\x8b\x08"):
        path.write_bytes(content)
        with pytest.raises(ValueError, match=r"truth\.json is no JSON: "):
            detections.from_coco(path, path)
    with pytest.raises(ValueError, match="iou_type must be"):
        detections.from_coco(path, path, iou_type="box")


@pytest.mark.usefixtures("told")
def test_files_are_read_as_utf_8_in_any_locale(tmp_path, monkeypatch):
    path, opened = tmp_path / "truth.json", io.open
    path.write_text(json.dumps({"name": "Häher"}, ensure_ascii=False), encoding="utf-8")

    def opened_in_ascii(file, mode="r", buffering=-1, encoding=None, *others, **options):
        encoding = "ascii" if encoding in (None, "locale") else encoding
        return opened(file, mode, buffering, encoding, *others, **options)

    monkeypatch.setattr("io.open", opened_in_ascii)
    with pytest.raises(ValueError, match="has no annotations"):
        detections.from_coco(path, path)


def test_coco_files_are_refused_without_pycocotools(monkeypatch):
    monkeypatch.setitem(sys.modules, "pycocotools.coco", None)
    with pytest.raises(ImportError, match=r"from_coco needs pycocotools.*pip install pycocotools"):
        detections.from_coco("truth.json", "first.json")


def test_file_without_boxes_is_accepted_and_foreign_images_refused(write):
    pytest.importorskip("pycocotools")
    other = [FIRST[0] | {"image_id": 987}]
    truth, first, none, other = write(truth=TRUTH, first=FIRST, none=[], other=other)
    coco = detections.from_coco(truth, first, none)
    alone = detections.from_coco(truth, first)
    assert np.isneginf(coco.y_scores["none"]).all()
    np.testing.assert_array_equal(coco.y_scores["first"], alone.y_scores["first"])
    with pytest.raises(ValueError, match=r"other\.json: .*do not correspond"):
        detections.from_coco(truth, other)


@pytest.mark.parametrize("part", ["images", "categories"])
def test_ids_of_numbers_and_of_texts_are_refused_together(write, part):
    pytest.importorskip("pycocotools")
    other = TRUTH | {part: [*TRUTH[part], TRUTH[part][0] | {"id": "last"}]}
    with pytest.raises(ValueError, match=r"cannot sort the ids .* all numbers or all texts"):
        detections.from_coco(*write(truth=other, first=FIRST))


def without(name):
    """The ground truth, of which the second annotation lacks a field."""
    first, second, *others = TRUTH["annotations"]
    rest = {field: value for field, value in second.items() if field != name}
    return TRUTH | {"annotations": [first, rest, *others]}


@pytest.mark.parametrize(
    ("truth", "boxes", "message"),
    [
        (FIRST, TRUTH, "truth.json has no annotations, .*Pass the ground truth first"),
        (TRUTH | {"images": None}, FIRST, "has no annotations, images"),
        (TRUTH, TRUTH, "boxes.json must hold a list of boxes"),
        (without("area"), FIRST, "truth.json: annotation 1 has no area"),
        (without("bbox"), FIRST, "annotation 1 has no bbox"),
        (without("iscrowd"), FIRST, "annotation 1 has no iscrowd"),
        (TRUTH, [*FIRST, {"image_id": 10}], f"boxes.json: box {len(FIRST)} has no category_id"),
        (TRUTH, [FIRST[0] | {"score": "high"}], "box 0 has the score 'high'"),
        (TRUTH, [FIRST[0] | {"score": float("nan")}], "box 0 has the score nan"),
        (TRUTH, ["box"], "box 0 has no image_id"),
    ],
)
@pytest.mark.usefixtures("_engine")
def test_error_names_files_that_pycocotools_cannot_read(write, truth, boxes, message):
    with pytest.raises(ValueError, match=message):
        detections.from_coco(*write(truth=truth, boxes=boxes))


SEEN = {"segmentation": [[0, 0, 9, 0, 9, 9]], "keypoints": [1, 1, 2] * 17, "num_keypoints": 17}
SIZES = {"height": 100, "width": 100}
NOT_BOXES = [[1, 2, 3], None, [1, 2, 3, None], [1, 2, 3, "4"], [1, 2, float("nan"), 4], [], {}, 5]
NOT_MASKS = [None, [], "abc", [[1, 2, 3, 4]], [[1, 2, 3, 4, 5, None]], [5], {"size": [9, 9]}]
NOT_KEYPOINTS = [None, [], [1, 2], [1] * 50 + [None], "abc"]
WRONG = {
    "bbox": ("bbox", NOT_BOXES, "not four finite numbers"),
    "segmentation": ("segm", NOT_MASKS, "not polygons of six finite numbers or more, or sizes"),
    "keypoints": ("keypoints", NOT_KEYPOINTS, "not 51 finite numbers"),
    "image_id": ("bbox", [None, [1]], "not a number or a text"),
    "category_id": ("bbox", [None, {}], "not a number or a text"),
}
OF_TRUTH = {
    "id": ("bbox", [None, "7", [1]], "not a finite number"),
    "area": ("bbox", [None, "9", float("inf")], "not a finite number"),
    "iscrowd": ("bbox", [None, "0", 2], "not 0 or 1"),
    "num_keypoints": ("keypoints", [None], "not a finite number"),
}


@pytest.mark.parametrize(
    ("field", "kind"),
    [*((name, "box") for name in WRONG), *((name, "annotation") for name in WRONG | OF_TRUTH)],
)
def test_error_names_an_invalid_field_before_pycocotools_fails(write, field, kind):
    """It would raise an IndexError or a TypeError, take all memory, or count a wrong number."""
    pytest.importorskip("pycocotools")
    iou_type, values, what = (WRONG | OF_TRUTH)[field]
    objects = [each | SEEN for each in TRUTH["annotations"]]
    truth = TRUTH | {"annotations": objects, "images": [i | SIZES for i in TRUTH["images"]]}
    boxes = [each | SEEN for each in FIRST]
    detections.from_coco(*write(truth=truth, boxes=boxes), iou_type=iou_type)
    for value in values:
        entries = boxes if kind == "box" else objects
        changed = [entries[0], entries[1] | {field: value}, *entries[2:]]
        new = {"truth": truth, "boxes": changed}
        if kind == "annotation":
            new = {"truth": truth | {"annotations": changed}, "boxes": boxes}
        with pytest.raises(ValueError, match=rf"\.json: {kind} 1 has the {field} .*, {what}"):
            detections.from_coco(*write(**new), iou_type=iou_type)


@pytest.mark.parametrize("part", ["images", "categories"])
@pytest.mark.parametrize("entry", [None, 5, {}, {"id": None}, {"id": [1]}])
def test_error_names_an_image_or_category_without_an_id(write, part, entry):
    pytest.importorskip("pycocotools")
    kind = {"images": "image", "categories": "category"}[part]
    truth = TRUTH | {part: [TRUTH[part][0], entry, *TRUTH[part][1:]]}
    with pytest.raises(ValueError, match=rf"truth\.json: {kind} 1 has (no|the) id"):
        detections.from_coco(*write(truth=truth, boxes=FIRST))


def test_masks_need_the_sizes_of_images(write):
    pytest.importorskip("pycocotools")
    objects = [each | SEEN for each in TRUTH["annotations"]]
    truth = TRUTH | {"annotations": objects, "images": [{"id": i["id"]} for i in TRUTH["images"]]}
    with pytest.raises(ValueError, match="image 0 has no height"):
        detections.from_coco(*write(truth=truth, boxes=FIRST), iou_type="segm")


@pytest.mark.usefixtures("_engine")
def test_boxes_of_an_unknown_class_are_warned_of(write):
    (path,) = write(truth=TRUTH)
    boxes = [*FIRST, FIRST[0] | {"category_id": "car"}]
    with pytest.warns(UserWarning, match="has no category 'car', so such boxes are left"):
        found = detections.from_coco(path, boxes)
    assert {*boxes[0]} == {"image_id", "category_id", "bbox", "score"}  # pycocotools got a copy
    alone = detections.from_coco(path, FIRST)
    np.testing.assert_array_equal(found.y_scores["detector 1"], alone.y_scores["detector 1"])


# ---- one of two: what detections are passed as, and what judged runs are


JUDGED = retrieval.from_dicts(
    {query: {"a": 1, "b": 0, "c": 1, "d": 0} for query in ("q1", "q2", "q3")},
    {"x": {"q1": ["a", "b", "c", "d"], "q2": ["b", "c", "d"], "q3": ["d", "a"]}},
)


def functions():
    """Every public function and method, by its name."""
    for name, thing in public():
        if inspect.isclass(thing):
            for method, function in inspect.getmembers(thing, inspect.isroutine):
                if hasattr(function, "__wrapped__") and not method.startswith("_"):
                    yield f"{name}.{method}", function
        elif inspect.isfunction(thing):
            yield name, thing


FIRST_ARGUMENTS = {
    "compat.score": ["COCO"],
    "compat.explain": ["COCO"],
    "average_precision_at_k_score": {"k": 3},
    "precision_at_k_score": {"k": 3},
    "recall_at_k_score": {"k": 3},
}
TAKES_ROWS = {
    name: (function, inspect.signature(function).parameters)
    for name, function in functions()
    if {"y_true", "y_score"} <= {*inspect.signature(function).parameters}
    or {"y_true", "y_scores"} <= {*inspect.signature(function).parameters}
    if not name.startswith("retrieval.")
}
ONE_RANKING = {
    *("hit_curve", "operating_point"),
    "threshold_counts",
}
ONE_OF_BOTH = {"compare_segments"}  # which takes queries or clusters
OF_TABLES = {"large.from_table", "large.from_dask", "large.from_spark"}  # names of columns


def test_every_function_with_queries_also_has_clusters():
    for name, (_, parameters) in TAKES_ROWS.items():
        assert ("queries" in parameters) == (name not in ONE_RANKING), name
        has_both = "queries" not in parameters or "clusters" in parameters
        assert has_both or name in OF_TABLES, name


@pytest.mark.parametrize("name", sorted(ONE_OF_BOTH))
def test_functions_of_queries_or_clusters_refuse_detections(name):
    function, parameters = TAKES_ROWS[name]
    assert {"queries", "clusters"} <= {*parameters}
    rows = detections.from_coco(recorded("first"), overlap=0.5)["detector"]
    with pytest.raises(ValueError, match="take queries or clusters, not both"):
        function(**rows, segments=rows["queries"], prevalence="own")


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of ten images, three queries
@pytest.mark.parametrize("name", sorted({*TAKES_ROWS} - ONE_RANKING - ONE_OF_BOTH - OF_TABLES))
def test_every_function_takes_detections_and_judged_runs(name):
    function, parameters = TAKES_ROWS[name]
    coco = detections.from_coco(recorded("first"), overlap=0.5)
    given = FIRST_ARGUMENTS.get(name, [])
    more, first = (given, []) if isinstance(given, dict) else ({}, given)
    found = []
    for source, model in ((coco, "detector"), (JUDGED, "x")):
        rows = dict(source[model])
        if "y_scores" in parameters:
            score = rows.pop("y_score")
            rows["y_scores"] = {"a": score, "b": np.nan_to_num(-score, neginf=-9)}
        mean = {"average": None} if name == "chance_test" and "clusters" in rows else {}
        found.append(function(*first, **rows, **more, **mean))
    if isinstance(found[0], float):
        fewer = {name: each for name, each in coco["detector"].items() if name != "clusters"}
        assert found[0] == function(*first, **fewer, **more)
        with pytest.raises(ValueError, match="y_true, y_score, clusters"):
            function(*first, **fewer, **more, clusters=coco.clusters[1:])


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")
def test_image_clusters_of_detections_affect_the_interval():
    coco = detections.from_coco(recorded("first"), overlap=0.5)
    rows = dict(coco["detector"])
    interval = average_precision_interval(**rows, definition=LEVELS)
    rows.pop("clusters")
    without = average_precision_interval(**rows, definition=LEVELS)
    assert interval.estimate == without.estimate
    assert interval.low != without.low


def test_each_class_of_detections_is_tested_against_shuffled_images():
    rows = dict(detections.from_coco(recorded("first"), overlap=0.5)["detector"])
    with pytest.raises(ValueError, match="Pass average=None, which tests each ranking by itself"):
        chance_test(**rows)
    found = chance_test(**rows | {"average": None}, zero_division=0.0)
    assert found.sample.unit == "cluster"
    assert np.isfinite(found.pvalue).all()


@pytest.mark.filterwarnings("ignore::sklearn_ap.UncertaintyWarning")  # of three images
def test_yolo_files_give_the_score_of_pycocotools(tmp_path, monkeypatch):
    image = pytest.importorskip("PIL.Image")
    coco_of, judge = (pytest.importorskip(f"pycocotools.{name}") for name in ("coco", "cocoeval"))
    monkeypatch.chdir(tmp_path)
    for folder in ("images/val", "labels/val"):
        Path(folder).mkdir(parents=True)
    for name, size in (("park", (100, 50)), ("street", (80, 80)), ("empty", (10, 10))):
        image.new("RGB", size).save(f"images/val/{name}.png")
    Path("labels/val/park.txt").write_text("0 0.5 0.5 0.2 0.4\n1 0.2 0.2 0.1 0.1\n")
    Path("labels/val/street.txt").write_text("0 0.25 0.5 0.5 0.5\n")
    boxes = [  # corner and size, in pixels: two that are right, one that is half right, one false
        ("park", 1, [40, 15, 20, 20], 0.9),
        ("street", 1, [0, 20, 40, 20], 0.8),
        ("park", 2, [15, 7.5, 10, 5], 0.7),
        ("empty", 1, [1, 1, 5, 5], 0.6),
    ]
    keys = "image_id", "category_id", "bbox", "score"
    predictions = [dict(zip(keys, box, strict=True)) for box in boxes]
    Path("predictions.json").write_text(json.dumps(predictions))
    known = {}
    (block,) = blocks("detections.md", under="From YOLO")
    exec(block, known)
    coco = known["coco"]
    assert repr(coco).startswith("MatchedDetections: 1 detector, 20 rankings, 3 images, 3 objects")
    with redirect_stdout(io.StringIO()):
        truth = coco_of.COCO("truth.json")
        judged = judge.COCOeval(truth, truth.loadRes("predictions.json"), "bbox")
        for step in (judged.evaluate, judged.accumulate, judged.summarize):
            step()
    assert compat.score("COCO", **coco["predictions"]) == pytest.approx(judged.stats[0], abs=1e-12)
    assert coco.class_intervals("predictions", confidence_level=0.9).estimate[1] == 1
