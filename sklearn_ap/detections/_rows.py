"""A row for each object and for each false box, with the scores of all detectors."""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from sklearn_ap._inputs.sourced_scores import Source, SourcedScores
from sklearn_ap._types import Array, Float, Index
from sklearn_ap.definitions import Interpolated
from sklearn_ap.detections._matched import COCO_LEVELS, MatchedDetections
from sklearn_ap.detections._matches import ALL_CLASSES, NO_BOX, DetectorMatches

BoxTies = Literal["shared", "coco"]


class Rows(NamedTuple):
    """Rows of objects, of false boxes, or of empty images."""

    levels: Index  # of their overlaps
    categories: Array
    images: Array
    boxes: Index  # (n_detectors, n_rows): the index of each detector's box, or NO_BOX


def stack_rows(matches: Mapping[str, DetectorMatches], ties: BoxTies) -> MatchedDetections:
    """Make a row for each object and overlap, for each false box, and for each empty image.

    Rows are sorted by overlap and by the boxes of the first detector, as COCO ranks its boxes.
    """
    detectors = [*matches.values()]
    scores = [
        _break_ties(detector.scores) if ties == "coco" else detector.scores
        for detector in detectors
    ]
    blocks = [
        _rows_of_objects(detectors),
        *(_rows_of_false_boxes(detectors, i) for i in range(len(detectors))),
        _rows_of_empty_images(detectors),
    ]
    rows = Rows(*(np.concatenate(column, axis=-1) for column in zip(*blocks, strict=True)))
    first_box = rows.boxes[0]
    order = np.lexsort((first_box, first_box == NO_BOX, rows.levels))
    rows = Rows(*(column[..., order] for column in rows))
    queries, classes = _names_of_rows(rows, detectors[0])
    n_overlaps = detectors[0].truth.overlaps.size
    source = Source(definition=Interpolated(COCO_LEVELS), n_overlaps=n_overlaps)
    return MatchedDetections(
        y_true=order < blocks[0].levels.size,
        y_scores={
            name: SourcedScores.of(
                np.append(box_scores, -np.inf)[boxes],  # the last of NO_BOX
                source,
            )
            for name, box_scores, boxes in zip(matches, scores, rows.boxes, strict=True)
        },
        queries=queries,
        clusters=rows.images,
        classes=classes,
    )


def _rows_of_objects(detectors: list[DetectorMatches]) -> Rows:
    truth = detectors[0].truth
    n_overlaps = truth.overlaps.size
    return Rows(
        levels=np.repeat(np.arange(n_overlaps), truth.ids.size),
        categories=np.tile(truth.categories, n_overlaps),
        images=np.tile(truth.images, n_overlaps),
        boxes=np.array([detector.box_of_object.ravel() for detector in detectors]),
    )


def _rows_of_false_boxes(detectors: list[DetectorMatches], i: int) -> Rows:
    levels, box = detectors[i].is_false.nonzero()
    boxes = np.full((len(detectors), box.size), NO_BOX)
    boxes[i] = box
    return Rows(levels, detectors[i].categories[box], detectors[i].images[box], boxes)


def _rows_of_empty_images(detectors: list[DetectorMatches]) -> Rows:
    """Make rows for images without objects and without false boxes, in some class."""
    truth = detectors[0].truth
    images_of_rows = {*truth.images.tolist()}.union(
        *(detector.images[detector.is_false.any(axis=0)].tolist() for detector in detectors)
    )
    images = np.array([image for image in truth.all_images if image not in images_of_rows])
    return Rows(
        levels=np.zeros(images.size, np.intp),
        categories=np.append(truth.categories, ALL_CLASSES)[:1].repeat(images.size),
        images=images if images.size else truth.images[:0],
        boxes=np.full((len(detectors), images.size), NO_BOX),
    )


def _names_of_rows(rows: Rows, matches: DetectorMatches) -> tuple[Array, Array]:
    """Return the ranking of each row, its class at one of several overlaps, and its class."""
    categories, code = np.unique(rows.categories, return_inverse=True)
    names = [matches.class_names.get(number, str(number)) for number in categories.tolist()]
    overlaps = matches.truth.overlaps
    endings = [f" at {overlap:g}" for overlap in overlaps] if overlaps.size > 1 else [""]
    rankings = np.array([[f"{name}{ending}" for name in names] for ending in endings], object)
    return rankings[rows.levels, code], np.array(names, object)[code]


def _break_ties(scores: Float) -> Float:
    """Lower scores by their last digits so that equal ones follow the order of the images."""
    order = np.argsort(-scores, kind="stable")
    # Scores as integers of the same order, each at least 1 below the one before it.
    integers = _swap_integers(scores[order].view(np.int64)) + np.arange(order.size)
    lowered = np.minimum.accumulate(integers) - np.arange(order.size)
    broken = np.empty_like(scores)
    broken[order] = _swap_integers(lowered).view(np.float64)
    return broken


def _swap_integers(bits: Index) -> Index:
    """Turn the bits of floats into integers of their order, and back."""
    return np.where(bits < 0, np.iinfo(np.int64).min - bits, bits)
