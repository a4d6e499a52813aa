"""Which boxes found which objects: what an evaluation of COCO keeps, or pycocotools repeats."""

from dataclasses import dataclass, fields
from itertools import chain

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._inputs.options import check_share
from sklearn_ap._types import Array, Bool, Float, Index, Name
from sklearn_ap.detections._annotations import (
    Coco,
    CocoEval,
    CocoParams,
    JsonValue,
    as_pycocotools,
    cocoeval_module,
    errors_of,
)

PARAMETERS = ("iouThrs", "maxDets", "useCats", "imgIds", "catIds", "kpt_oks_sigmas")
ALL_CLASSES = -1  # the class that pycocotools gives all boxes with useCats=0
NO_BOX = -1  # in the place of the index of a box


@dataclass(frozen=True, slots=True, eq=False)
class GroundTruth:
    """The objects that all detectors look for, and the rules by which boxes match them."""

    overlaps: Float
    most_boxes: int  # of a class in an image
    all_images: list[Name]  # sorted
    ids: Float  # of objects, sorted
    categories: Array
    images: Array

    def equals(self, other: "GroundTruth") -> bool:
        """Whether another detector looked for the same objects, by the same rules."""
        return all(
            np.array_equal(getattr(self, field.name), getattr(other, field.name))
            for field in fields(self)
        )


@dataclass(frozen=True, slots=True, eq=False)
class DetectorMatches:
    """The objects that the boxes of one detector found, at some overlaps."""

    truth: GroundTruth
    class_names: dict[Name, str]
    categories: Array  # of boxes
    images: Array
    scores: Float
    is_false: Bool  # (n_overlaps, n_boxes): neither ignored nor a match
    box_of_object: Index  # (n_overlaps, n_objects): NO_BOX of a missed object


def read_matches(evaluation: CocoEval, overlap: float | None, area: str) -> DetectorMatches:
    """Read the matches that an evaluation keeps, or let pycocotools match again."""
    params, entries = _match(evaluation, area)
    levels = _overlap_indices(np.array(params.iouThrs), overlap)
    truth = GroundTruth(
        **_read_objects(entries, area),  # before the first entry, as there may be none
        overlaps=np.array(params.iouThrs)[levels].round(9),
        most_boxes=entries[0]["maxDet"],
        all_images=sorted(params.imgIds if len(params.imgIds) else evaluation.cocoGt.getImgIds()),
    )
    categories, images = _places(entries, "dtIds")
    found_id, is_ignored = (
        np.concatenate([entry[name] for entry in entries], axis=1)[levels]
        for name in ("dtMatches", "dtIgnore")
    )
    is_counted = (is_ignored == 0) & np.isin(categories, truth.categories)
    scores = _join_lists(entries, "dtScores").astype(np.float64)
    if not np.isfinite(scores).all():
        raise InputError("A box has a score that is no finite number: leave it out.")
    level, box = (is_counted & (found_id != 0)).nonzero()
    box_of_object = np.full((levels.size, truth.ids.size), NO_BOX)
    box_of_object[level, truth.ids.searchsorted(found_id[level, box])] = box
    return DetectorMatches(
        truth=truth,
        class_names=_class_names(evaluation.cocoGt),
        categories=categories,
        images=images,
        scores=scores,
        is_false=is_counted & (found_id == 0),
        box_of_object=box_of_object,
    )


def _read_objects(entries: list[JsonValue], area: str) -> dict[str, Array]:
    """Return the ids of objects that are not ignored, sorted, with their classes and images."""
    ids = _join_lists(entries, "gtIds").astype(np.float64)  # as pycocotools writes them
    is_clear = np.isfinite(ids).all() and (ids != 0).all()
    if not is_clear or (np.diff(np.sort(ids)) == 0).any():
        raise InputError(
            "Each object needs a number of its own as its id, and none is 0, which is what "
            "pycocotools writes for a box that found no object: number them from 1."
        )
    is_object = _join_lists(entries, "gtIgnore") == 0
    if not is_object.any():
        raise InputError(f"There are no objects to find; area is {area!r}.")
    order = np.flatnonzero(is_object)[ids[is_object].argsort()]
    categories, images = _places(entries, "gtIds")
    return {"ids": ids[order], "categories": categories[order], "images": images[order]}


def _match(evaluation: CocoEval, area: str) -> tuple[CocoParams, list[JsonValue]]:
    """Return the parameters by which boxes were matched, and the matches of an area."""
    kept = evaluation.evalImgs  # once: some tools make it anew
    is_kept = isinstance(kept, list) and any(kept)
    params = getattr(evaluation, "_paramsEval" if is_kept else "params", evaluation.params)
    pixels = _pixel_range(params, area)
    if not is_kept:
        kept = _match_again(evaluation, params, pixels)
    return params, [entry for entry in kept if entry and [*entry["aRng"]] == [*pixels]]


def _match_again(evaluation: CocoEval, params: CocoParams, pixels: list[float]) -> list[JsonValue]:
    """Let pycocotools match by the parameters of an evaluation, for one area alone."""
    is_lvis = getattr(evaluation, "lvis_style", False)
    uses_area = getattr(evaluation, "use_area", True)
    if is_lvis or not uses_area:
        raise InputError(
            f"The evaluation has lvis_style={bool(is_lvis)} and use_area={bool(uses_area)}, and "
            f"pycocotools cannot repeat its matches. Evaluate by the rules of COCO."
        )
    with errors_of("The objects and boxes"):
        if evaluation.cocoGt is None or evaluation.cocoDt is None:
            raise InputError("pass the ground truth and the results to COCOeval.")
        cocos = (as_pycocotools(each) for each in (evaluation.cocoGt, evaluation.cocoDt))
        matcher = cocoeval_module.COCOeval(*cocos, params.iouType)
        for name in PARAMETERS:
            value = np.asarray(getattr(params, name, []))
            if value.size:  # no images, or no classes, are all
                setattr(matcher.params, name, value)
        matcher.params.areaRng = [pixels]
        matcher.evaluate()
    entries: list[JsonValue] = matcher.evalImgs
    if not entries and len(matcher.params.imgIds) and len(matcher.params.catIds):
        raise InputError(
            "pycocotools kept no matches, as another tool stands in its place. Run from_coco "
            "without init_as_pycocotools() of that tool."
        )
    return entries


def _pixel_range(params: CocoParams, area: str) -> list[float]:
    """Return the least and the most pixels of an object."""
    areas: dict[str, list[float]] = dict(zip(params.areaRngLbl, params.areaRng, strict=True))
    if area not in [*areas]:  # also of what has no hash
        raise InputError(f"area must be one of {[*areas]}, got {area!r:.80}.")
    return areas[area]


def _overlap_indices(overlaps: Float, overlap: float | None) -> Index:
    """Find the indices of the wanted overlap, or of all."""
    if overlap is None:
        return np.arange(overlaps.size)
    indices = np.flatnonzero(np.isclose(overlaps, check_share("overlap", overlap)))
    if not indices.size:
        raise InputError(f"overlap must be one of {overlaps.round(4).tolist()}, got {overlap!r}.")
    return indices


def _join_lists(entries: list[JsonValue], name: str) -> Array:
    return np.array([*chain.from_iterable(entry[name] for entry in entries)])


def _places(entries: list[JsonValue], ids: str) -> tuple[Array, Array]:
    """Return the class and the image of each id in the lists of this name."""
    n_ids = [len(entry[ids]) for entry in entries]
    categories = np.array([entry["category_id"] for entry in entries])
    images = np.array([entry["image_id"] for entry in entries])
    return categories.repeat(n_ids), images.repeat(n_ids)


def _class_names(truth: Coco) -> dict[Name, str]:
    """Return the name of each class, with its number if two classes share a name."""
    names = {number: str(entry.get("name", number)) for number, entry in truth.cats.items()}
    if len({*names.values()}) < len(names):
        names = {number: f"{name} ({number})" for number, name in names.items()}
    return {ALL_CLASSES: "all classes"} | names
