"""Data sets in COCO's format, and the evaluators that read them, by their names."""

import importlib
import io
from contextlib import redirect_stdout

import numpy as np

# The modules of COCO and of COCOeval, and options of COCOeval.
EVALUATORS = {
    "pycocotools": ("pycocotools.coco", "pycocotools.cocoeval", {}),
    "hotcoco": ("hotcoco", "hotcoco", {}),
    "vernier": ("pycocotools.coco", "vernier", {}),
    "ultrafast": ("ultrafast_pycocotools.coco", "ultrafast_pycocotools.cocoeval", {}),
    "ultrafast, kept": (
        "ultrafast_pycocotools.coco",
        "ultrafast_pycocotools.cocoeval",
        {"store_eval_imgs": True},
    ),
    "faster": ("faster_coco_eval", "faster_coco_eval.core.faster_eval_api", {}),
    "faster, separate": (
        "faster_coco_eval",
        "faster_coco_eval.core.faster_eval_api",
        {"separate_eval": True},
    ),
}
AREAS = {
    "bbox": ("all", "small", "medium", "large"),
    "segm": ("all", "small", "medium", "large"),
    "keypoints": ("all", "medium", "large"),
}
N_IMAGES, N_CLASSES = 24, 4  # the last class has no objects, and the last image has nothing


def data_set(iou_type, seed=0):
    """Objects and boxes of two detectors, with crowds, equal scores, a class without objects."""
    rng = np.random.default_rng(seed)
    annotations, boxes = [], ([], [])
    for image in range(1, N_IMAGES):
        for _ in range(rng.integers(1, 9)):
            sides = np.exp(rng.uniform(np.log(12), np.log(200), 2)).round(1)
            corner = (rng.random(2) * (400 - sides)).round(1)
            category = int(rng.integers(1, N_CLASSES))
            common = {"image_id": image, "category_id": category}
            crowd = int(rng.random() < 0.05)
            number = {"id": len(annotations) + 1, "iscrowd": crowd, "area": float(sides.prod())}
            points = rng.random((17, 2)) * sides + corner
            seen = rng.integers(0, 3, 17) * (rng.random() < 0.9)
            annotations.append(common | number | shape_of(corner, sides, points, seen))
            for detector, noise in zip(boxes, (0.04, 0.1), strict=True):
                for _ in range(rng.integers(3)):
                    moved = corner + rng.normal(0, noise, 2) * sides
                    near = points + rng.normal(0, noise, (17, 2)) * sides
                    score = {"score": round(float(rng.beta(4, 2)), 1)}
                    other = int(rng.integers(1, N_CLASSES + 1))
                    of_class = {"category_id": category if rng.random() < 0.8 else other}
                    drawn = shape_of(np.abs(moved), sides, near, np.ones(17))
                    detector.append(result_of(iou_type, common | of_class | score | drawn))
    sizes = {"height": 480, "width": 640}
    truth = {
        "images": [{"id": image} | sizes for image in range(1, N_IMAGES + 1)],
        "annotations": annotations,
        "categories": [{"id": i, "name": f"class {i}"} for i in range(1, N_CLASSES + 1)],
    }
    return truth, *boxes


def shape_of(corner, sides, points, seen):
    x, y, right, low = map(float, np.concatenate((corner, corner + sides)))
    return {
        "bbox": [x, y, float(sides[0]), float(sides[1])],
        "segmentation": [[x, y, right, y, right, low, (x + right) / 2, low]],
        "keypoints": np.column_stack((points.round(1), seen)).ravel().tolist(),
        "num_keypoints": int(np.count_nonzero(seen)),
    }


def result_of(iou_type, box):
    """Keep what results of this kind hold; masks are packed, as pycocotools needs them."""
    field = {"segm": "segmentation"}.get(iou_type, iou_type)
    kept = {name: box[name] for name in ("image_id", "category_id", "score", field)}
    if iou_type == "segm":
        mask = importlib.import_module("pycocotools.mask")
        (packed,) = mask.frPyObjects(kept["segmentation"], 480, 640)
        kept["segmentation"] = {"size": [480, 640], "counts": packed["counts"].decode()}
    return kept


def evaluation_of(tool, iou_type, truth, boxes, **options):
    """Return an evaluation that has not matched yet."""
    data, evaluators, own_options = EVALUATORS[tool]
    annotations = importlib.import_module(data).COCO()
    with redirect_stdout(io.StringIO()):
        annotations.dataset = {**truth, "annotations": [dict(a) for a in truth["annotations"]]}
        annotations.createIndex()
        found = annotations.loadRes([dict(box) for box in boxes])
        if tool == "vernier":  # it refuses the arrays that loadRes makes of masks
            for each in found.dataset["annotations"]:
                each["bbox"] = list(map(float, each["bbox"]))
        make = importlib.import_module(evaluators).COCOeval
        return make(annotations, found, iou_type, **own_options | options)


def matched(evaluation):
    with redirect_stdout(io.StringIO()):
        evaluation.evaluate()
        evaluation.accumulate()
    return evaluation


def numbers_of(evaluation):
    """Return AP, AP50, AP75, that of each area, and that of each class, of its own tables."""
    params = evaluation.params
    shape = (len(params.iouThrs), 101, -1, len(params.areaRng), len(params.maxDets))
    precision = np.array(evaluation.eval["precision"]).reshape(shape)[..., -1]
    levels = np.round(params.iouThrs, 2)

    def mean(cells):
        cells = cells[cells > -1]
        return cells.mean() if cells.size else np.nan

    areas = {("all", None): mean(precision[..., 0])}
    areas |= {("all", o): mean(precision[levels == o, ..., 0]) for o in (0.5, 0.75)}
    for place, area in enumerate(params.areaRngLbl[1:], 1):
        areas[area, None] = mean(precision[..., place])
    classes = [mean(precision[:, :, place, 0]) for place in range(precision.shape[2])]
    return areas, [each for each in classes if not np.isnan(each)]
