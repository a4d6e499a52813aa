"""Annotated objects and found boxes in COCO's format, checked before pycocotools reads them."""

import io
import json
import reprlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from functools import partial
from itertools import chain
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from sklearn_ap._extras import LazyModule
from sklearn_ap._results.text import count_as_text, names_as_text
from sklearn_ap._results.uncertainty_warnings import warn
from sklearn_ap._types import Argument, Name

# Types of pycocotools, and of the evaluators beside it.
Coco: TypeAlias = Any
CocoEval: TypeAlias = Any
CocoParams: TypeAlias = Any
JsonValue: TypeAlias = Any

coco_module = LazyModule("pycocotools.coco", "from_coco", "coco")
cocoeval_module = LazyModule("pycocotools.cocoeval", "from_coco", "coco")
IouType = Literal["bbox", "segm", "keypoints"]
# Numbers that pycocotools reads of each annotation, beside the shape: the name of the field of the
# shape comes first. It takes wrong ones without a word.
FIELDS = {
    "bbox": ("bbox", "area", "iscrowd"),
    "segm": ("segmentation", "area", "iscrowd"),
    "keypoints": ("keypoints", "area", "iscrowd", "num_keypoints", "bbox"),
}
SIZES = {"bbox": 4, "keypoints": 3 * 17}  # of fields that hold several numbers
# A choice: so many images with objects, and more than this share, seldom lack all boxes of a
# detector whose boxes of low scores are kept.
MANY_IMAGES, MANY_MISSED = 10, 0.25
FARTHEST = 1e5  # pixels: pycocotools crashes at corners far outside of an image


def read_annotations(path: Argument, iou_type: IouType) -> Coco:
    """Read the annotated objects of a file."""
    with errors_of(path):
        content = json.loads(Path(path).read_text(encoding="utf-8"))
        if not isinstance(content, dict) or "annotations" not in content:
            raise ValueError("it has no annotations. Pass the ground truth first")
        annotations = content["annotations"]
        _check_ids("image", content.get("images"), "id")
        _check_ids("category", content.get("categories", []), "id")
        _check_ids("annotation", annotations, "id", "image_id", "category_id")
        truth = coco_of(content)
        _check_fields("annotation", annotations, FIELDS[iou_type])
        for field, entries_by_id in (("image_id", truth.imgs), ("category_id", truth.cats)):
            if unknown := {entry[field] for entry in annotations} - entries_by_id.keys():
                raise ValueError(
                    f"annotations have the {field} {_some(unknown)}, which the file does not "
                    f"list. List it, or leave them out"
                )
    if iou_type == "bbox" and annotations:
        _warn_of_shapes(path, annotations, truth)
    return truth


def read_boxes(truth: Coco, source: Argument, iou_type: IouType) -> Coco:
    """Read the boxes of a file, or of a list."""
    is_path = isinstance(source, str | PathLike)
    name = source if is_path else "results"
    with errors_of(name):
        boxes = json.loads(Path(source).read_text("utf-8")) if is_path else source
        _check_ids("box", boxes, "image_id", "category_id")
        if unknown := {box["image_id"] for box in boxes} - truth.imgs.keys():
            raise ValueError(
                f"boxes have the image_id {_some(unknown)}, which the ground truth does not list. "
                f"Write ids as it writes them, as numbers or as texts"
            )
        shape, *_ = FIELDS[iou_type]
        # Where the first has a box, loadRes computes the area of each from it.
        area_fields = ["bbox"] if boxes and boxes[0].get("bbox") else []
        _check_fields("box", boxes, ("score", shape, *area_fields))
        if boxes:
            results = truth.loadRes([*map(dict, boxes)])  # pycocotools writes into them
        else:  # where loadRes fails
            results = coco_of(truth.dataset | {"annotations": []})
        unknown = {box["category_id"] for box in boxes} - truth.cats.keys()
    if unknown:
        hint = " Does one count classes from 0, and the other from 1?" if 0 in unknown else ""
        text = f"{name}: the ground truth has no category {_some(unknown)}, so such boxes"
        warn(f"{text} are left out.{hint}", UserWarning)
    if not boxes:
        warn(f"{name}: there are no boxes, so each class scores 0.", UserWarning)
    elif iou_type == "bbox":
        _warn_of_images(name, boxes, truth)
        _warn_of_copies(name, boxes)
        _warn_of_shapes(name, boxes, truth)
    return results


def _warn_of_images(name: str, boxes: list[JsonValue], truth: Coco) -> None:
    """Warn if many images with objects have no box, as those of another part of the data."""
    images = {entry["image_id"] for entry in truth.dataset["annotations"]}
    n_missing = len(images - {box["image_id"] for box in boxes})
    if n_missing >= MANY_IMAGES and n_missing > MANY_MISSED * len(images):
        text = f"{name} has no box in {n_missing:,} of {len(images):,} images with objects"
        warn(
            f"{text}, which count as missed. Are these results of all images, with boxes of low "
            f"scores, too?",
            UserWarning,
        )


def _warn_of_copies(name: str, boxes: list[JsonValue]) -> None:
    different = {(box["image_id"], box["category_id"], box["score"], *box["bbox"]) for box in boxes}
    if len(different) < len(boxes):
        copies = count_as_text(len(boxes) - len(different), "copy")
        text = f"{name} holds {copies} of boxes (the same image, class, place and score)"
        warn(f"{text}, which count as false, as in COCO. Leave them out.", UserWarning)


def _warn_of_shapes(name: str, boxes: list[JsonValue], truth: Coco) -> None:
    """Warn if most boxes look like corners, or shares of the image."""
    corner, size = np.split(np.array([box["bbox"] for box in boxes], np.float64), 2, axis=1)
    images = [truth.imgs[box["image_id"]] for box in boxes]
    ends = np.array(
        [[image.get(side) or np.inf for side in ("width", "height")] for image in images], float
    )
    is_beyond = (corner + size > ends + 1).any(axis=1)
    if np.mean((size < 0).any(axis=1) | (size < 1).all(axis=1) | is_beyond) > 0.5:
        warn(
            f"{name}: most boxes are smaller than a pixel, or reach beyond their image. Pass [x, "
            f"y, width, height] in pixels: no corners, and no shares of the image.",
            UserWarning,
        )


def _check_ids(kind: str, entries: JsonValue, *fields: str) -> None:
    """Refuse entries without these ids, and an "id" that two of them have."""
    if not isinstance(entries, list):
        raise ValueError(f"there is no list where each {kind} belongs, but {reprlib.repr(entries)}")
    for index, entry in enumerate(entries):
        for field in fields:
            if not isinstance(entry, dict) or not isinstance(entry.get(field), str | Real):
                raise ValueError(
                    f"{kind} {index} has no {field} that is a number or a text: "
                    f"{reprlib.repr(entry)}"
                )
    times = Counter(entry["id"] for entry in entries if "id" in fields)
    if repeated := {number for number, n_times in times.items() if n_times > 1}:
        raise ValueError(
            f"the id {_some(repeated)} is there twice. Give each {kind} an id of its own"
        )


def _check_fields(kind: str, entries: list[JsonValue], fields: Sequence[str]) -> None:
    """Refuse what pycocotools would count as another score, or crash at."""
    for field in fields:
        are_valid = _are_masks if field == "segmentation" else partial(_are_numbers, field)
        values = [entry.get(field) for entry in entries]
        if values and not are_valid(values):
            index = next(i for i, value in enumerate(values) if not are_valid([value]))
            n_numbers = f", {SIZES[field]} of them" if field in SIZES else ""
            raise ValueError(
                f"{kind} {index} has the {field} {reprlib.repr(values[index])}. Give it finite "
                f"numbers{n_numbers}"
            )


def _are_numbers(field: str, values: list[JsonValue]) -> bool:
    try:
        numbers = np.asarray(values)
    except ValueError:  # of lists of several lengths
        return False
    shape = (len(values), SIZES[field]) if field in SIZES else (len(values),)
    return (
        numbers.shape == shape and numbers.dtype.kind in "biuf" and bool(np.isfinite(numbers).all())
    )


def _are_masks(values: list[JsonValue]) -> bool:
    """Check polygons; pycocotools itself refuses most of other wrong masks."""
    lists = (value for value in values if not isinstance(value, dict))
    try:
        polygons = [np.reshape(corners, (-1, 2)) for corners in chain.from_iterable(lists)]
    except (TypeError, ValueError):
        return False
    return all(values) and all(
        len(corners) > 2 and corners.dtype.kind in "iuf" and (np.abs(corners) < FARTHEST).all()
        for corners in polygons
    )


def _some(ids: set[Name]) -> str:
    return names_as_text(sorted(map(repr, ids)))


@contextmanager
def errors_of(source: Argument) -> Iterator[None]:
    """Let pycocotools work without its prints, and give all that it raises one type."""
    try:
        with redirect_stdout(io.StringIO()):
            yield
    except (OSError, ImportError):
        raise
    except Exception as error:  # it raises many types, and Exception itself
        kind = "" if type(error) is ValueError else f"{type(error).__name__}: "
        reason = str(error).rstrip(".")
        raise ValueError(f"{source} cannot be read as COCO's: {kind}{reason}.") from error


def coco_of(dataset: dict[str, JsonValue]) -> Coco:
    coco = coco_module.COCO()
    coco.dataset = dataset
    coco.createIndex()
    return coco


def as_pycocotools(coco: Coco) -> Coco:
    """Return a COCO of pycocotools, which reads other fields of it than other tools do."""
    if isinstance(coco, coco_module.COCO):
        return coco
    dataset = coco.dataset  # once: some tools make it anew
    annotations = [*map(dict, dataset["annotations"])]  # pycocotools writes into them
    return coco_of({**dataset, "annotations": annotations})
