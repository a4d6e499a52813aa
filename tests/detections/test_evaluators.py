"""The numbers of COCO's evaluators, to the last digit, from what each of them holds.

pycocotools is in the default run, the others with ``pytest -m peers``.
"""

import copy
import importlib

import numpy as np
import pytest

from sklearn_ap import average_precision_interval, average_precision_score, detections
from tests.helpers.coco_tools import EVALUATORS, data_set, evaluation_of, matched, numbers_of
from tests.helpers.first_cases import quick

pytestmark = pytest.mark.filterwarnings("ignore")
pytest.importorskip("pycocotools")
TOOLS = [
    pytest.param(tool, marks=[] if tool == "pycocotools" else pytest.mark.peers)
    for tool in EVALUATORS
]
WITH_OPTIONS = pytest.mark.parametrize(
    ("tool", "options", "named"),
    [
        pytest.param(*case, marks=pytest.mark.peers)
        for case in (
            ("faster", {"lvis_style": True}, "lvis_style=True"),
            ("faster", {"use_area": False}, "use_area=False"),
            ("faster", {"iouType": "boundary"}, "iouType not supported"),
            ("ultrafast", {"lvis_style": True}, "lvis_style=True"),
            ("ultrafast", {"use_area": False}, "use_area=False"),
            ("vernier", {"iouType": "boundary"}, "iouType not supported"),
        )
    ],
)


def installed(tool):
    for module in EVALUATORS[tool][:2]:
        pytest.importorskip(module)


def ap_of(evaluation, **options):
    found = detections.from_coco(evaluation, ties="coco", **options)
    return average_precision_score(**found["detector"], definition=found.definition)


@pytest.mark.parametrize("is_evaluated", quick([True, False], [False]))
@pytest.mark.parametrize("iou_type", quick(["bbox", "segm", "keypoints"], ["bbox", "keypoints"]))
@pytest.mark.parametrize("tool", TOOLS)
def test_each_number_of_an_evaluator_is_ours(tool, iou_type, is_evaluated):
    installed(tool)
    truth, first, _ = data_set(iou_type)
    areas, classes = numbers_of(matched(evaluation_of(tool, iou_type, truth, first)))
    evaluation = evaluation_of(tool, iou_type, truth, first)
    evaluation = matched(evaluation) if is_evaluated else evaluation
    for (area, overlap), number in areas.items():
        assert ap_of(evaluation, area=area, overlap=overlap) == pytest.approx(number, abs=1e-12)
    found = detections.from_coco(evaluation, ties="coco")
    table = found.class_intervals("detector")
    assert table.names == ("class 1", "class 2", "class 3")
    assert table.estimate == pytest.approx(classes, abs=1e-12)
    whole = average_precision_interval(**found["detector"], definition=found.definition)
    assert whole.estimate == pytest.approx(areas["all", None], abs=1e-12)
    summary = found.summary()  # in the order of COCO
    named = {("all", None): "AP", ("all", 0.5): "AP50", ("all", 0.75): "AP75"}
    assert summary.names == tuple(named.get(key, f"AP {key[0]}") for key in areas)
    assert summary.estimate == pytest.approx([*areas.values()], abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("tool", TOOLS)
@pytest.mark.parametrize(
    ("iou_type", "changes"),
    [
        ("bbox", {"maxDets": [1, 2, 3]}),
        ("bbox", {"iouThrs": [0.3, 0.6]}),
        ("bbox", {"catIds": [2, 3]}),
        ("bbox", {"imgIds": [*range(3, 17)]}),
        ("bbox", {"useCats": 0}),
        ("keypoints", {"kpt_oks_sigmas": np.linspace(0.01, 0.2, 17)}),
    ],
)
def test_pycocotools_matches_again_by_the_parameters_of_an_evaluation(tool, iou_type, changes):
    installed(tool)
    truth, first, _ = data_set(iou_type)
    if tool == "vernier" and {"imgIds", "useCats"} & changes.keys():
        pytest.skip("vernier evaluates all images, and orders those of useCats=0 in its own way")

    def changed():
        evaluation = evaluation_of(tool, iou_type, truth, first)
        for name, value in changes.items():
            setattr(evaluation.params, name, value)
        return evaluation

    number = numbers_of(matched(changed()))[0]["all", None]
    assert ap_of(changed()) == pytest.approx(number, abs=1e-12)
    assert ap_of(matched(changed())) == pytest.approx(number, abs=1e-12)


def test_matches_are_read_by_the_parameters_that_made_them():
    truth, first, _ = data_set("bbox")
    evaluation = matched(evaluation_of("pycocotools", "bbox", truth, first))
    number = ap_of(evaluation)
    evaluation.params.imgIds, evaluation.params.iouThrs = [*range(3, 17)], [0.5]
    assert ap_of(evaluation) == number


@pytest.mark.parametrize("tool", TOOLS)
def test_empty_lists_of_images_and_classes_mean_all(tool):
    installed(tool)
    truth, first, _ = data_set("bbox")
    evaluation = evaluation_of(tool, "bbox", truth, first)
    number = ap_of(evaluation)
    evaluation.params.imgIds, evaluation.params.catIds = [], []
    assert ap_of(evaluation) == number


@WITH_OPTIONS
def test_rules_that_pycocotools_cannot_repeat_are_named(tool, options, named):
    installed(tool)
    iou_type = options.get("iouType", "keypoints" if "use_area" in options else "bbox")
    truth, first, _ = data_set("segm" if iou_type == "boundary" else iou_type[:9])
    made = {name: value for name, value in options.items() if name != "iouType"}
    evaluation = evaluation_of(tool, iou_type, truth, first, **made)
    with pytest.raises(ValueError, match=named):
        detections.from_coco(evaluation)


@pytest.mark.parametrize("tool", TOOLS)
def test_an_evaluation_is_not_changed(tool):
    installed(tool)
    truth, first, second = data_set("bbox")
    one, two = (evaluation_of(tool, "bbox", truth, boxes) for boxes in (first, second))
    before = copy.deepcopy(one.cocoDt.dataset["annotations"])
    found = detections.from_coco(one, two, names=["a", "b"])
    assert (tuple(found.y_scores), one.cocoDt.dataset["annotations"]) == (("a", "b"), before)
    assert ap_of(one) == pytest.approx(numbers_of(matched(one))[0]["all", None], abs=1e-12)


@pytest.mark.peers
def test_states_of_torchmetrics_are_read(tmp_path):
    torch = pytest.importorskip("torch")
    detection = importlib.import_module("torchmetrics.detection")
    metric = detection.MeanAveragePrecision()
    boxes, labels = torch.tensor([[0.0, 0, 9, 9], [20, 20, 50, 60]]), torch.tensor([0, 1])
    predicted = {"boxes": boxes + 1, "scores": torch.tensor([0.9, 0.8]), "labels": labels}
    metric.update([predicted], [{"boxes": boxes, "labels": labels}])
    metric.tm_to_coco(str(tmp_path / "tm"))
    found = detections.from_coco(tmp_path / "tm_target.json", tmp_path / "tm_preds.json")
    score = average_precision_score(**found["tm_preds"], definition=found.definition)
    assert score == pytest.approx(float(metric.compute()["map"]), abs=1e-6)
