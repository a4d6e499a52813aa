"""Record what pycocotools matches and computes: ``python -m tests.helpers.record_coco``.

It writes ``tests/data/coco.json``: annotations and the results of two detectors, with crowds, boxes
of classes without objects and equal scores; and of each COCOeval its ``evalImgs`` and ``stats``.
"""

import contextlib
import io
import json
from importlib.metadata import version
from pathlib import Path

import numpy as np

WRITTEN = Path(__file__).parents[1] / "data" / "coco.json"
AREAS = ("all", "medium")  # of which evalImgs are kept
PARAMS = ("areaRng", "areaRngLbl", "iouThrs")
CLASSES = ("car", "dog", "cat", "bird")  # the last without objects


def box(rng):
    return [*rng.uniform(0, 300, 2).round(1).tolist(), *rng.uniform(20, 150, 2).round(1).tolist()]


def near(rng, found):
    return (np.array(found) + rng.normal(0, 4, 4)).clip(1).round(1).tolist()


def annotations(rng):
    images = [{"id": 10 + i, "width": 640, "height": 480} for i in range(10)]
    objects = []
    for image in images:
        for _ in range(rng.poisson(5)):
            place, category = box(rng), int(rng.choice(3, p=[0.6, 0.3, 0.1])) + 1
            each = {"id": len(objects) + 1, "image_id": image["id"], "category_id": category}
            crowd = int(rng.random() < 0.1)
            objects.append(each | {"bbox": place, "area": place[2] * place[3], "iscrowd": crowd})
    categories = [{"id": i, "name": name} for i, name in enumerate(CLASSES, 1)]
    return {"info": {}, "images": images, "annotations": objects, "categories": categories}


def detected(rng, truth):
    """Most objects, and false boxes; scores have two digits."""
    rows = [
        (each["image_id"], each["category_id"], near(rng, each["bbox"]), rng.beta(5, 2))
        for each in truth["annotations"]
        if rng.random() < 0.8
    ]
    for image in truth["images"]:
        for _ in range(rng.poisson(3)):
            rows.append((image["id"], int(rng.integers(4)) + 1, box(rng), rng.beta(2, 4)))
    names = ("image_id", "category_id", "bbox", "score")
    return [dict(zip(names, (*row[:3], round(row[3], 2)), strict=True)) for row in rows]


def evaluated(truth, result):
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        known = COCO()
        known.dataset = json.loads(json.dumps(truth))
        known.createIndex()
        found = COCOeval(known, known.loadRes(json.loads(json.dumps(result))), "bbox")
        found.evaluate()
        found.accumulate()
        found.summarize()
    areas = dict(zip(found.params.areaRngLbl, found.params.areaRng, strict=True))
    kept = [each for each in found.evalImgs if each and each["aRng"] in [*map(areas.get, AREAS)]]
    return {
        "evalImgs": kept,
        "params": {name: getattr(found.params, name) for name in PARAMS},
        "stats": found.stats,
    }


def main():
    rng = np.random.default_rng(0)
    truth = annotations(rng)
    results = {name: detected(rng, truth) for name in ("first", "second")}
    found = {name: evaluated(truth, result) for name, result in results.items()}
    answers = {"pycocotools": version("pycocotools"), "ground_truth": truth, "results": results}
    answers |= {"evaluated": found}
    WRITTEN.write_text(json.dumps(answers, default=lambda each: each.tolist()) + "\n")


if __name__ == "__main__":
    main()
