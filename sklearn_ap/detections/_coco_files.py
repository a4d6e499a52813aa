"""Annotations and results in COCO's files, checked before pycocotools reads them."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Sequence
from copy import copy
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from sklearn_ap._extras import warn
from sklearn_ap._types import Argument, Module

# A COCO object of pycocotools, which need not be installed.
Coco: TypeAlias = Any
JsonValue: TypeAlias = Any  # what json.loads returns, before it is checked
N_KEYPOINTS = 17  # points of a person; each has two coordinates and a flag for its visibility


class FieldCheck(NamedTuple):
    """A check of the value of a field, and the description of a valid one."""

    is_valid: Callable[[JsonValue], bool]
    description: str


def is_loaded(source: Argument) -> bool:
    """Check whether a source holds boxes, and is not the path of a file."""
    return isinstance(source, list) or hasattr(source, "loadRes")


def read_annotations(coco: Module, path: Argument, shape: str) -> Coco:
    """Read the annotated objects of a file."""
    content = _read_json(path)
    parts = ("annotations", "images", "categories") if isinstance(content, dict) else ()
    if not parts or not all(isinstance(content.get(part), list) for part in parts):
        raise ValueError(
            f"{path} has no annotations, images and categories. Pass the ground truth first, then "
            f"results."
        )
    needed = ["id", "image_id", "category_id", shape, "area", "iscrowd"]
    needed += ["bbox", "num_keypoints"] if shape == "keypoints" else []
    _check_entries(path, "annotation", content["annotations"], needed)
    sizes = ["height", "width"] if shape == "segmentation" else []
    _check_entries(path, "image", content["images"], ["id", *sizes])
    _check_entries(path, "category", content["categories"], ["id"])
    return _make_coco(coco, content)


def _read_json(path: Argument) -> JsonValue:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}.") from error


def _make_coco(coco: Module, content: dict[str, JsonValue]) -> Coco:
    dataset = coco.COCO()
    dataset.dataset = content
    dataset.createIndex()
    return dataset


def read_boxes(coco: Module, ground_truth: Coco, source: Argument, shape: str) -> Coco:
    """Read the boxes of a file, or of a list."""
    is_list = isinstance(source, list)
    # The boxes of a list are copied, as pycocotools writes into them.
    boxes = [*map(copy, source)] if is_list else _read_json(source)
    path = "results" if is_list else source
    if not isinstance(boxes, list):
        raise ValueError(f"{path} must hold a list of boxes, as results of COCO do.")
    if not boxes:  # where loadRes fails
        return _make_coco(coco, ground_truth.dataset | {"annotations": []})
    needed = ["image_id", "category_id", shape, "score"]
    if isinstance(boxes[0], dict) and np.size(boxes[0].get("bbox", [])):
        needed += ["bbox"]  # loadRes then computes the area of every box from it
    _check_entries(path, "box", boxes, needed)
    categories = {box["category_id"] for box in boxes}
    unknown_categories = sorted(
        repr(category) for category in categories if category not in ground_truth.cats
    )
    if unknown_categories:
        examples = ", ".join(unknown_categories[:3])
        warn(
            f"{path}: the ground truth has no category {examples}, so such boxes are left out.",
            UserWarning,
        )
    try:
        return ground_truth.loadRes(boxes)
    except AssertionError as error:
        raise ValueError(
            f"{path}: {error}. The image_id of each box must be the id of an image of the ground "
            f"truth, a number where that is a number."
        ) from error


def _check_entries(path: Argument, kind: str, entries: JsonValue, needed: Sequence[str]) -> None:
    """Refuse entries that pycocotools cannot read."""
    checks = {name: FIELDS[kind][name] for name in needed}
    for index, entry in enumerate(entries):
        missing_names = [name for name in needed if not (isinstance(entry, dict) and name in entry)]
        if missing_names:
            raise ValueError(f"{path}: {kind} {index} has no {missing_names[0]}, which COCO needs.")
        for name, check in checks.items():
            if not check.is_valid(entry[name]):
                value = reprlib.repr(entry[name])
                raise ValueError(
                    f"{path}: {kind} {index} has the {name} {value}, not {check.description}."
                )


def _is_id(value: JsonValue) -> bool:
    return isinstance(value, str) or _is_number(value)


def _is_number(value: JsonValue) -> bool:
    # int and float come first: most numbers are of these types, which isinstance checks fast.
    return isinstance(value, (int, float, Real)) and isfinite(value)


def _are_numbers(values: JsonValue) -> bool:
    return isinstance(values, list | tuple | np.ndarray) and all(map(_is_number, values))


def _is_box(values: JsonValue) -> bool:
    return _are_numbers(values) and len(values) == 4


def _are_keypoints(values: JsonValue) -> bool:
    return _are_numbers(values) and len(values) == 3 * N_KEYPOINTS


def _is_mask(mask: JsonValue) -> bool:
    """Check for polygons of three corners or more, or lengths of runs."""
    if isinstance(mask, dict):
        size: JsonValue = mask.get("size")
        runs = mask.get("counts")
        is_packed = isinstance(runs, str | bytes)
        return _are_numbers(size) and len(size) == 2 and (is_packed or _are_numbers(runs))
    return isinstance(mask, list) and bool(mask) and all(map(_is_polygon, mask))


def _is_polygon(corners: JsonValue) -> bool:
    return _are_numbers(corners) and len(corners) >= 6 and len(corners) % 2 == 0


ID = FieldCheck(_is_id, "a number or a text")
NUMBER = FieldCheck(_is_number, "a finite number")
SHAPES = {
    "bbox": FieldCheck(_is_box, "four finite numbers"),
    "keypoints": FieldCheck(_are_keypoints, f"{3 * N_KEYPOINTS} finite numbers"),
    "segmentation": FieldCheck(
        _is_mask, "polygons of six finite numbers or more, or sizes and counts"
    ),
}
# The fields that pycocotools reads without a check, by the kind of the entry.
FIELDS: dict[str, dict[str, FieldCheck]] = {
    "annotation": {
        "id": NUMBER,
        "image_id": ID,
        "category_id": ID,
        "area": NUMBER,
        "iscrowd": FieldCheck(lambda value: value in (0, 1), "0 or 1"),
        "num_keypoints": NUMBER,
        **SHAPES,
    },
    "image": {"id": ID, "height": NUMBER, "width": NUMBER},
    "category": {"id": ID},
    "box": {"image_id": ID, "category_id": ID, "score": NUMBER, **SHAPES},
}
