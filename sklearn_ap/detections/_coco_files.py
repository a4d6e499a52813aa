"""Annotations and results in COCO's files, checked before pycocotools reads them."""

from __future__ import annotations

import json
import reprlib
from collections.abc import Callable, Sequence
from copy import copy
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from sklearn_ap._base.common.types import Argument, Module
from sklearn_ap._base.inputs.checks import warn

# Of pycocotools, which need not be installed.
Coco: TypeAlias = Any
JsonValue: TypeAlias = Any  # what json.loads returns, before it is checked
N_KEYPOINTS = 17  # of a person; each has two coordinates and a flag for its visibility


def has_boxes(source: Argument) -> bool:
    """Tell whether a source is more than a path."""
    return isinstance(source, list) or hasattr(source, "loadRes")


def read_annotations(coco: Module, path: Argument, shape: str) -> Coco:
    """Read the objects of a file."""
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
    # Its boxes are copied, as pycocotools writes into them.
    boxes = [*map(copy, source)] if is_list else _read_json(source)
    path = "results" if is_list else source
    if not isinstance(boxes, list):
        raise ValueError(f"{path} must hold a list of boxes, as results of COCO do.")
    if not boxes:  # where loadRes fails
        return _make_coco(coco, ground_truth.dataset | {"annotations": []})
    needed = ["image_id", "category_id", shape, "score"]
    if isinstance(boxes[0], dict) and np.size(boxes[0].get("bbox", [])):
        needed += ["bbox"]  # of all boxes, as loadRes computes their areas then
    _check_entries(path, "box", boxes, needed)
    categories = {box["category_id"] for box in boxes}
    unknown = sorted(repr(category) for category in categories if category not in ground_truth.cats)
    if unknown:
        examples = ", ".join(unknown[:3])
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
    """Refuse what pycocotools cannot read."""
    checks = {name: FIELDS.get(f"{name} of {kind}", FIELDS[name]) for name in needed}
    for place, entry in enumerate(entries):
        missing = [name for name in needed if not (isinstance(entry, dict) and name in entry)]
        if missing:
            raise ValueError(f"{path}: {kind} {place} has no {missing[0]}, which COCO needs.")
        for name, (is_valid, description) in checks.items():
            if not is_valid(entry[name]):
                value = reprlib.repr(entry[name])
                raise ValueError(
                    f"{path}: {kind} {place} has the {name} {value}, not {description}."
                )


def _is_id(value: JsonValue) -> bool:
    return isinstance(value, str) or _is_number(value)


def _is_number(value: JsonValue) -> bool:
    # Most are of the first two types, which are known at once.
    return isinstance(value, (int, float, Real)) and isfinite(value)


def _are_numbers(values: JsonValue) -> bool:
    return isinstance(values, list | tuple | np.ndarray) and all(map(_is_number, values))


def _is_box(values: JsonValue) -> bool:
    return _are_numbers(values) and len(values) == 4


def _are_keypoints(values: JsonValue) -> bool:
    return _are_numbers(values) and len(values) == 3 * N_KEYPOINTS


def _is_mask(mask: JsonValue) -> bool:
    """Tell whether these are polygons of three corners or more, or lengths of runs."""
    if isinstance(mask, dict):
        size: JsonValue = mask.get("size")
        runs = mask.get("counts")
        is_packed = isinstance(runs, str | bytes)
        return _are_numbers(size) and len(size) == 2 and (is_packed or _are_numbers(runs))
    return isinstance(mask, list) and bool(mask) and all(map(_is_polygon, mask))


def _is_polygon(corners: JsonValue) -> bool:
    return _are_numbers(corners) and len(corners) >= 6 and len(corners) % 2 == 0


# Of each field that pycocotools reads without a check: its check here, and what it must be.
FIELDS: dict[str, tuple[Callable[[JsonValue], bool], str]] = {
    **dict.fromkeys(("image_id", "category_id"), (_is_id, "a number or a text")),
    "id": (_is_id, "a number or a text"),
    "id of annotation": (_is_number, "a finite number"),
    **dict.fromkeys(("score", "area"), (_is_number, "a finite number")),
    **dict.fromkeys(("height", "width", "num_keypoints"), (_is_number, "a finite number")),
    "iscrowd": (lambda value: value in (0, 1), "0 or 1"),
    "bbox": (_is_box, "four finite numbers"),
    "keypoints": (_are_keypoints, f"{3 * N_KEYPOINTS} finite numbers"),
    "segmentation": (_is_mask, "polygons of six finite numbers or more, or sizes and counts"),
}
