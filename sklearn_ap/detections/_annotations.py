"""Annotated objects and found boxes in COCO's format, as pycocotools reads them."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from math import isfinite
from os import PathLike, fspath
from pathlib import Path
from threading import Lock
from typing import Any, Literal, TypeAlias

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._extras import LazyModule
from sklearn_ap._types import Argument, Float
from sklearn_ap._writing.text import count_as_text, names_as_text
from sklearn_ap._writing.warning import warn

# Of pycocotools, and of the evaluators beside it: none has annotations, and their fields are dicts.
Coco: TypeAlias = Any
CocoEval: TypeAlias = Any
CocoParams: TypeAlias = Any
JsonValue: TypeAlias = Any  # of a file in COCO's format, whose entries are checked key by key

coco_module = LazyModule("pycocotools.coco", "from_coco", "coco")
cocoeval_module = LazyModule("pycocotools.cocoeval", "from_coco", "coco")
IouType = Literal["bbox", "segm", "keypoints"]
# Without which pycocotools fails while it matches, and names no file.
SHAPES = {"bbox": ["bbox"], "segm": ["segmentation"], "keypoints": ["keypoints", "num_keypoints"]}
MANY_REPEATED = 0.1  # of objects or boxes
ORDER = "Pass the ground truth first, and then the lists of boxes"
# Of two threads that redirect prints, the last one would leave those of the first.
_PRINTING = Lock()


def read_annotations(source: Argument, iou_type: IouType) -> Coco:
    """Read the annotated objects of a file, or of a dict."""
    name = source if isinstance(source, str | PathLike) else "ground_truth"
    keys = "id", "image_id", "category_id", "area", *SHAPES[iou_type]
    with errors_of(name):
        content = _read_json(source)
        if not isinstance(content, dict) or "annotations" not in content:
            raise InputError(f"it has no annotations. {ORDER}.")
        _check_keys(content["annotations"], *keys)
        if iou_type == "segm":
            _check_masks(content["annotations"])
        truth = _copy_of(content)
        if iou_type == "bbox":
            _check_boxes(name, content["annotations"], truth)
        _warn_of_unlisted(name, content["annotations"], truth)
    return truth


def read_boxes(truth: Coco, source: Argument, name: str, iou_type: IouType) -> Coco:
    """Read the boxes of a file, or of a list; errors name the file, or else the detector."""
    name = fspath(source) if isinstance(source, str | PathLike) else name
    with errors_of(name):
        boxes = _read_json(source)
        if not isinstance(boxes, list):
            remedy = "Pass coco.loadRes(array)" if hasattr(boxes, "dtype") else ORDER
            raise InputError(f"it is no list of boxes. {remedy}.")
        shape = [] if iou_type == "segm" else [iou_type]  # masks may be boxes
        _check_keys(boxes, "image_id", "category_id", "score", *shape)
        # pycocotools writes into them, and takes no arrays.
        boxes = [
            {key: v.tolist() if hasattr(v, "tolist") else v for key, v in box.items()}
            for box in boxes
        ]
        for index, box in enumerate(boxes):
            if not hasattr(box["score"], "__float__"):
                raise InputError(f"entry {index} has the score {box['score']!r}, and no number.")
            if not isfinite(box["score"]):
                raise InputError(
                    f"entry {index} has a score that is no finite number, {box['score']!r}. Leave "
                    f"it out."
                )
            if box["image_id"] not in truth.imgs:
                raise InputError(
                    f"it has a box of image {box['image_id']!r}, and the ground truth has images "
                    f"such as {next(iter(truth.imgs), None)!r}. Write their ids in one way."
                )
        if iou_type == "bbox":
            _check_boxes(name, boxes, truth)
        # loadRes fails of no boxes.
        results = truth.loadRes(boxes) if boxes else _copy_of(truth.dataset | {"annotations": []})
        unknown = {box["category_id"] for box in boxes} - truth.cats.keys()
    if unknown:
        ids = names_as_text(sorted(map(repr, unknown)))
        warn(
            f"{name}: the ground truth has no category {ids}, so such boxes are left out. Does one "
            f"count classes from 0, and the other from 1?",
            UserWarning,
        )
    return results


def _check_keys(entries: list[JsonValue], *keys: str) -> None:
    for index, entry in enumerate(entries):
        for key in keys:
            if not isinstance(entry, dict) or key not in entry:
                remedy = " Give boxes width times height." if key == "area" else ""
                raise InputError(f"entry {index} has no {key!r}.{remedy}")


def _check_masks(entries: list[JsonValue]) -> None:
    """Refuse objects without a mask, as tools write them that know boxes alone."""
    for index, entry in enumerate(entries):
        if not entry["segmentation"]:
            raise InputError(
                f"entry {index} has an empty 'segmentation'. For boxes, leave out iou_type."
            )


def _warn_of_unlisted(name: Argument, entries: list[JsonValue], truth: Coco) -> None:
    """Warn of objects that pycocotools leaves out, as it looks at images and classes by lists."""
    unlisted = [
        index
        for index, entry in enumerate(entries)
        if entry["image_id"] not in truth.imgs or entry["category_id"] not in truth.cats
    ]
    if unlisted:
        warn(
            f"{name}: images or categories do not list those of {len(unlisted):,} of "
            f"{count_as_text(len(entries), 'object')}, first of entry {unlisted[0]}, so such "
            f"objects are left out. Write ids in one way, and list all.",
            UserWarning,
        )


def _check_boxes(name: Argument, entries: list[JsonValue], truth: Coco) -> None:
    """Refuse boxes that pycocotools counts without a word; warn if most look like corners."""
    given = [entry["bbox"] for entry in entries]
    numbers = [box if np.shape(box) == (4,) else [np.nan] * 4 for box in given]
    boxes = np.array(numbers, np.float64).reshape(-1, 4)
    is_finite = np.isfinite(boxes).all(axis=1)
    if not is_finite.all():
        index = is_finite.argmin()
        raise InputError(f"entry {index} has the bbox {given[index]}. Give it 4 finite numbers.")
    _warn_of_repeated_boxes(name, entries, boxes)
    images = [truth.imgs.get(entry["image_id"], {}) for entry in entries]
    ends = [[image.get(side) or np.inf for side in ("width", "height")] for image in images]
    is_beyond = (boxes[:, :2] + boxes[:, 2:] > np.reshape(ends, (-1, 2)) + 1).any(axis=1)
    if np.count_nonzero(is_beyond) > len(entries) / 2:
        warn(
            f"{name}: most boxes reach beyond their image. Pass [x, y, width, height] in pixels, "
            f"and no corners.",
            UserWarning,
        )


def _warn_of_repeated_boxes(name: Argument, entries: list[JsonValue], boxes: Float) -> None:
    """Warn of many that are equal in all, of which COCO counts all but one as false or missed."""
    keys = [(each["image_id"], each["category_id"], each.get("score")) for each in entries]
    n_repeated = len(keys) - len({*zip(keys, map(tuple, boxes.tolist()), strict=True)})
    if n_repeated > MANY_REPEATED * len(keys):
        warn(
            f"{name}: {n_repeated:,} of {len(keys):,} entries repeat another one with the same "
            f"image, class, score and box. Was a file joined twice? Leave out the repeated ones.",
            UserWarning,
        )


@contextmanager
def errors_of(source: Argument) -> Iterator[None]:
    """Let pycocotools work without its prints, and give all that it raises one type."""
    try:
        with _PRINTING, redirect_stdout(io.StringIO()):
            yield
    except (OSError, ImportError, MemoryError, Warning):
        raise
    except Exception as error:  # it raises many types, and Exception itself
        is_plain = isinstance(error, InputError) or type(error) is ValueError
        kind = "" if is_plain else f"{type(error).__name__}: "
        raise InputError(f"{source} cannot be read as COCO's: {kind}{error}") from error


def _read_json(source: Argument) -> JsonValue:
    """Read a file, or take what it would hold."""
    if isinstance(source, str | PathLike):
        return json.loads(Path(source).read_text(encoding="utf-8"))
    return source


def as_pycocotools(coco: Coco) -> Coco:
    """Return a COCO of pycocotools, which reads other fields of it than other tools do."""
    return coco if isinstance(coco, coco_module.COCO) else _copy_of(coco.dataset)


def _copy_of(dataset: dict[str, JsonValue]) -> Coco:
    coco = coco_module.COCO()
    annotations = [{"iscrowd": 0} | each for each in dataset["annotations"]]  # written into
    coco.dataset = {**dataset, "annotations": annotations}
    coco.createIndex()
    return coco
