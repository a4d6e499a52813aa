"""Which boxes found which objects: what an evaluation of COCO keeps, or pycocotools repeats."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
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

PARAMETERS = (
    *("iouThrs", "maxDets", "useCats", "imgIds", "catIds", "kpt_oks_sigmas"),
    *("areaRng", "areaRngLbl"),
)
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

    def at(self, overlap: float | None) -> "DetectorMatches":
        """Take those at one overlap; None takes all."""
        if overlap is None:
            return self
        overlaps = self.truth.overlaps
        levels = np.flatnonzero(np.isclose(overlaps, check_share("overlap", overlap)))
        if not levels.size:
            raise InputError(
                f"overlap must be one of {overlaps.round(4).tolist()}, got {overlap!r}."
            )
        return replace(
            self,
            truth=replace(self.truth, overlaps=overlaps[levels]),
            is_false=self.is_false[levels],
            box_of_object=self.box_of_object[levels],
        )

    def select_images(self, images: Iterable[Name]) -> "DetectorMatches":
        """Take the objects and boxes of these images."""
        truth, kept = self.truth, {*images}
        is_kept, is_box = (
            np.array([image in kept for image in each.tolist()], bool)
            for each in (truth.images, self.images)
        )
        fewer = replace(
            truth,
            all_images=[image for image in truth.all_images if image in kept],
            ids=truth.ids[is_kept],
            categories=truth.categories[is_kept],
            images=truth.images[is_kept],
        )
        categories = self.categories[is_box]
        new_index = np.append(is_box.cumsum() - 1, NO_BOX)  # the last of NO_BOX
        return replace(
            self,
            truth=fewer,
            categories=categories,
            images=self.images[is_box],
            scores=self.scores[is_box],
            is_false=self.is_false[:, is_box] & np.isin(categories, fewer.categories),
            box_of_object=new_index[self.box_of_object[:, is_kept]],
        )


def read_matches(evaluation: CocoEval) -> dict[str, DetectorMatches]:
    """Read the matches that an evaluation keeps, or let pycocotools match again: of each area."""
    kept = evaluation.evalImgs  # once: some tools make it anew
    is_kept = isinstance(kept, list) and any(kept)
    params = getattr(evaluation, "_paramsEval" if is_kept else "params", evaluation.params)
    if not is_kept:
        kept = _match_again(evaluation, params)
    entries_of_range: dict[tuple[float, ...], list[JsonValue]] = {}
    for entry in filter(None, kept):
        entries_of_range.setdefault(tuple(entry["aRng"]), []).append(entry)
    all_images = sorted(params.imgIds if len(params.imgIds) else evaluation.cocoGt.getImgIds())
    overlaps, class_names = np.array(params.iouThrs).round(9), _class_names(evaluation.cocoGt)
    return {
        area: _read_area(entries_of_range.get(tuple(pixels), []), overlaps, all_images, class_names)
        for area, pixels in zip(params.areaRngLbl, params.areaRng, strict=True)
    }


def _read_area(
    entries: list[JsonValue], overlaps: Float, all_images: list[Name], class_names: dict[Name, str]
) -> DetectorMatches:
    """Read the matches of an area, which are none if no image has an object or a box."""
    truth = GroundTruth(
        **_read_objects(entries),
        overlaps=overlaps,
        most_boxes=entries[0]["maxDet"] if entries else 0,
        all_images=all_images,
    )
    categories, images = _places(entries, "dtIds")
    no_boxes = [np.zeros((overlaps.size, 0))]
    found_id, is_ignored = (
        np.concatenate([entry[name] for entry in entries] or no_boxes, axis=1)
        for name in ("dtMatches", "dtIgnore")
    )
    is_counted = (is_ignored == 0) & np.isin(categories, truth.categories)
    scores = _join_lists(entries, "dtScores").astype(np.float64)
    if not np.isfinite(scores).all():
        raise InputError("A box has a score that is no finite number: leave it out.")
    level, box = (is_counted & (found_id != 0)).nonzero()
    box_of_object = np.full((overlaps.size, truth.ids.size), NO_BOX)
    box_of_object[level, truth.ids.searchsorted(found_id[level, box])] = box
    return DetectorMatches(
        truth=truth,
        class_names=class_names,
        categories=categories,
        images=images,
        scores=scores,
        is_false=is_counted & (found_id == 0),
        box_of_object=box_of_object,
    )


def _read_objects(entries: list[JsonValue]) -> dict[str, Array]:
    """Return the ids of objects that are not ignored, sorted, with their classes and images."""
    ids = _join_lists(entries, "gtIds").astype(np.float64)  # as pycocotools writes them
    is_clear = np.isfinite(ids).all() and (ids != 0).all()
    if not is_clear or (np.diff(np.sort(ids)) == 0).any():
        raise InputError(
            "Each object needs a number of its own as its id, and none is 0, which is what "
            "pycocotools writes for a box that found no object: number them from 1."
        )
    is_object = _join_lists(entries, "gtIgnore") == 0
    order = np.flatnonzero(is_object)[ids[is_object].argsort()]
    categories, images = _places(entries, "gtIds")
    return {"ids": ids[order], "categories": categories[order], "images": images[order]}


def _match_again(evaluation: CocoEval, params: CocoParams) -> list[JsonValue]:
    """Let pycocotools match by the parameters of an evaluation."""
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
        if hasattr(matcher, "evaluateImg"):  # else it is another tool
            image_matcher = _ImageMatcher(matcher)
            matcher.computeIoU = image_matcher.compute_overlaps
            matcher.evaluateImg = image_matcher.match_image
        matcher.evaluate()
    entries: list[JsonValue] = matcher.evalImgs
    if not entries and len(matcher.params.imgIds) and len(matcher.params.catIds):
        raise InputError(
            "pycocotools kept no matches, as another tool stands in its place. Run from_coco "
            "without init_as_pycocotools() of that tool."
        )
    return entries


class _ImageMatcher:
    """Matches the boxes of a class in an image for pycocotools, at once if it has no object there.

    Most classes have none in an image, and pycocotools takes as long for these, in each area.
    """

    def __init__(self, matcher: CocoEval) -> None:
        self.overlap = matcher.computeIoU
        self.match = matcher.evaluateImg
        self.has_object = {_place_of(each) for each in matcher.cocoGt.anns.values()}
        self.is_level = np.ones((len(matcher.params.iouThrs), 1), bool)
        most_boxes = max(matcher.params.maxDets)
        boxes: dict[tuple[Name, Name], list[JsonValue]] = {}
        for box in sorted(matcher.cocoDt.anns.values(), key=lambda box: -box["score"]):
            boxes.setdefault(_place_of(box), []).append(box)
        self.unmatched: dict[tuple[Name, Name], tuple[dict[str, JsonValue], Float]] = {}
        for place in boxes.keys() - self.has_object:
            first = boxes[place][:most_boxes]
            entry = {
                "image_id": place[0],
                "category_id": place[1],
                "maxDet": most_boxes,
                "dtIds": [box["id"] for box in first],
                "gtIds": [],
                "dtMatches": np.zeros((self.is_level.size, len(first))),
                "dtScores": [box["score"] for box in first],
                "gtIgnore": [],
            }
            self.unmatched[place] = entry, np.array([[box["area"] for box in first]])

    def compute_overlaps(self, image: Name, category: Name) -> JsonValue:
        """Return what ``COCOeval.computeIoU`` returns."""
        is_needed = category == ALL_CLASSES or (image, category) in self.has_object
        return self.overlap(image, category) if is_needed else []

    def match_image(
        self, image: Name, category: Name, pixels: list[float], most_boxes: int
    ) -> JsonValue:
        """Return what ``COCOeval.evaluateImg`` returns."""
        if category == ALL_CLASSES or (image, category) in self.has_object:
            return self.match(image, category, pixels, most_boxes)
        if (image, category) not in self.unmatched:
            return None
        entry, areas = self.unmatched[image, category]
        least, most = pixels
        is_outside = (areas < least) | (areas > most)
        return entry | {"aRng": pixels, "dtIgnore": self.is_level & is_outside}


def _place_of(entry: JsonValue) -> tuple[Name, Name]:
    return entry["image_id"], entry["category_id"]


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
