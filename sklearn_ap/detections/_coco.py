"""What pycocotools and the evaluators beside it matched, or can match, as labels and scores."""

from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from os import PathLike, fspath
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_ap._files.sources import names_of_files
from sklearn_ap._inputs.named_scores import check_model_names
from sklearn_ap._inputs.options import check_choice, check_share
from sklearn_ap._results.text import printable, rounded_as_text
from sklearn_ap._results.warning import warn
from sklearn_ap._types import Argument, Array, Bool, Float, Index, Name
from sklearn_ap.detections._annotations import (
    Coco,
    CocoEval,
    CocoParams,
    IouType,
    JsonValue,
    as_pycocotools,
    cocoeval_module,
    errors_of,
    read_annotations,
    read_boxes,
)
from sklearn_ap.detections._matched import MatchedDetections

BoxTies = Literal["shared", "coco"]
PARAMETERS = ("iouThrs", "maxDets", "useCats", "imgIds", "catIds", "kpt_oks_sigmas")
ALL_CLASSES = -1  # the class that pycocotools gives all boxes with useCats=0
NO_BOX = -1  # in the place of the index of a box
# Tools that evaluate keep boxes that score 0.05 or more (Detectron2, torchvision), or less
# (Ultralytics); those that draw boxes keep 0.25 or more. Few boxes may all score high.
LOW_SCORE, MANY_BOXES = 0.1, 100


def from_coco(
    ground_truth: str | PathLike[str] | Coco | CocoEval,
    *results: str | PathLike[str] | list[dict[str, JsonValue]] | Coco | CocoEval,
    names: Sequence[str] | None = None,
    overlap: float | None = None,
    area: str = "all",
    iou_type: IouType = "bbox",
    ties: BoxTies = "shared",
) -> MatchedDetections:
    """Take what COCO's evaluators matched: labels and scores for intervals and comparisons.

    Objects and boxes that COCO ignores, as crowds, are left out, and so are classes without
    objects, which COCO leaves out of its mean. Of each image, COCO takes the first 100 boxes.

    Parameters
    ----------
    ground_truth : COCOeval, or path or COCO
        An evaluation of pycocotools or a tool like it, which knows its ground truth. If it keeps no
        matches, pycocotools matches again by its parameters. Or the annotations, as a JSON file or
        a ``COCO``: the results follow.
    *results : COCOeval, or paths, lists or COCO
        Of more detectors, if ``ground_truth`` is an evaluation. Otherwise the results of each: a
        JSON file, the list of boxes that it would hold, or what ``loadRes`` returns. pycocotools
        matches them, and has to be installed.
    names : sequence of str, default=None
        The names of the detectors. None calls each after its file, or by its path if two files
        have one name; one evaluation is "detector", and several are "detector 1" and so on.
    overlap : float, default=None
        The least overlap (intersection over union) of a match, such as 0.5. None takes all of
        COCO's, 0.5 to 0.95, and then each class is a ranking at each overlap: their mean is COCO's
        AP.
    area : str, default="all"
        Of objects: "all", "small", "medium" or "large".
    iou_type : {"bbox", "segm", "keypoints"}, default="bbox"
        What is compared in files and ``COCO`` objects; an evaluation knows it.
    ties : {"shared", "coco"}, default="shared"
        What boxes with equal scores do. "shared" counts them as one threshold. "coco" ranks them in
        the order of the images, as COCO does. The scores are then ranks of boxes.

    Returns
    -------
    MatchedDetections
        Arguments of every score, interval, comparison and picture.

    Notes
    -----
    ``Interpolated(101)`` shares ties, and reaches ten recall levels that COCO rounds up. With
    ``ties="coco"`` and the ``definition`` of what is returned, scores, intervals and comparisons
    are of the number that ``COCOeval`` prints.

    Examples
    --------
    >>> from sklearn_ap import detections
    >>> coco = detections.from_coco("instances_val2017.json", "first.json")  # doctest: +SKIP
    """
    check_choice("iou_type", iou_type, IouType)
    check_choice("ties", ties, BoxTies)
    default_names, evaluations = _evaluations(ground_truth, results, iou_type)
    detectors = check_model_names(MatchedDetections, default_names if names is None else names)
    if len(detectors) != len(default_names):
        raise ValueError(f"names must be {len(default_names)}, of the detectors, got {detectors}.")
    matches = {
        name: read_matches(evaluation, overlap, area)
        for name, evaluation in zip(detectors, evaluations, strict=True)
    }
    check_same_objects(matches)
    for name, detector in matches.items():
        _warn_of_threshold(name, detector.scores)
    return stack_rows(matches, ties)


def _evaluations(
    ground_truth: Argument, results: Sequence[Argument], iou_type: IouType
) -> tuple[list[str], Iterable[CocoEval]]:
    """Return the name of each detector, and its evaluation."""
    if hasattr(ground_truth, "params"):
        names = [f"detector {i}" for i in range(1, len(results) + 2)]
        return names if results else ["detector"], [ground_truth, *results]
    if not results:
        raise TypeError(
            f"from_coco takes a COCOeval, or the ground truth and then the results of detectors, "
            f"got {type(ground_truth).__name__} alone."
        )
    paths = [
        fspath(result) if isinstance(result, str | PathLike) else f"detector {i}"
        for i, result in enumerate(results, 1)
    ]
    return names_of_files(paths), _evaluations_of_files(ground_truth, results, iou_type)


def _evaluations_of_files(
    ground_truth: Argument, results: Sequence[Argument], iou_type: IouType
) -> Iterator[CocoEval]:
    """Yield one evaluation at a time, as each takes much memory."""
    if not hasattr(ground_truth, "dataset"):
        ground_truth = read_annotations(ground_truth, iou_type)
    truth = as_pycocotools(ground_truth)
    for result in results:
        is_read = hasattr(result, "dataset")
        boxes = result if is_read else read_boxes(truth, result, iou_type)
        with errors_of("the ids of images and categories"):
            evaluation = cocoeval_module.COCOeval(truth, as_pycocotools(boxes), iou_type)
        yield evaluation


class GroundTruth(NamedTuple):
    """The objects that all detectors look for, and the rules by which boxes match them."""

    overlaps: Float
    most_boxes: int  # of a class in an image
    all_images: list[Name]  # sorted
    ids: Float  # of objects, sorted
    categories: Array
    images: Array


class DetectorMatches(NamedTuple):
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
    ids = _join_lists(entries, "gtIds").astype(np.float64)  # as pycocotools writes them
    _check_ids(ids)
    is_object = _join_lists(entries, "gtIgnore") == 0
    if not is_object.any():
        raise ValueError(f"There are no objects to find; area is {area!r}.")
    order = np.flatnonzero(is_object)[ids[is_object].argsort()]
    at = _overlap_indices(np.array(params.iouThrs), overlap)
    truth = GroundTruth(
        np.array(params.iouThrs)[at].round(9),
        entries[0]["maxDet"],
        sorted(params.imgIds if len(params.imgIds) else evaluation.cocoGt.getImgIds()),
        ids[order],
        *(column[order] for column in _places(entries, "gtIds")),
    )
    categories, images = _places(entries, "dtIds")
    found_id, is_ignored = (
        np.concatenate([entry[name] for entry in entries], axis=1)[at]
        for name in ("dtMatches", "dtIgnore")
    )
    is_counted = (is_ignored == 0) & np.isin(categories, truth.categories)
    scores = _join_lists(entries, "dtScores").astype(np.float64)
    if not np.isfinite(scores).all():
        raise ValueError("A box has a score that is no finite number: leave it out.")
    level, box = (is_counted & (found_id != 0)).nonzero()
    box_of_object = np.full((at.size, order.size), NO_BOX)
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


def _match(evaluation: CocoEval, area: str) -> tuple[CocoParams, list[JsonValue]]:
    """Return the parameters by which boxes were matched, and the matches of an area."""
    if not all(hasattr(evaluation, name) for name in ("params", "cocoGt", "cocoDt", "evalImgs")):
        raise TypeError(
            f"Where the first argument is a COCOeval, all must be, got {type(evaluation).__name__}."
        )
    kept = evaluation.evalImgs  # once: some tools make it anew
    if isinstance(kept, list) and any(kept):
        params = getattr(evaluation, "_paramsEval", evaluation.params)
    else:
        params = evaluation.params
        kept = _match_again(evaluation, params, area)
    pixels = _pixel_range(params, area)
    return params, [entry for entry in kept if entry and [*entry["aRng"]] == [*pixels]]


def _match_again(evaluation: CocoEval, params: CocoParams, area: str) -> list[JsonValue]:
    """Let pycocotools match by the parameters of an evaluation, for one area alone."""
    is_lvis = getattr(evaluation, "lvis_style", False)
    uses_area = getattr(evaluation, "use_area", True)
    if is_lvis or not uses_area:
        raise ValueError(
            f"The evaluation has lvis_style={bool(is_lvis)} and use_area={bool(uses_area)}, and "
            f"pycocotools cannot repeat its matches. Evaluate by the rules of COCO."
        )
    with errors_of("The objects and boxes"):
        cocos = (as_pycocotools(each) for each in (evaluation.cocoGt, evaluation.cocoDt))
        matcher = cocoeval_module.COCOeval(*cocos, params.iouType)
        for name in PARAMETERS:
            value = np.asarray(getattr(params, name, []))
            if value.size:  # no images, or no classes, are all
                setattr(matcher.params, name, value)
        matcher.params.areaRng, matcher.params.areaRngLbl = [_pixel_range(params, area)], [area]
        matcher.evaluate()
    entries: list[JsonValue] = matcher.evalImgs
    if not entries:
        raise ValueError(
            "pycocotools kept no matches, as another tool stands in its place. Run from_coco "
            "without init_as_pycocotools() of that tool."
        )
    return entries


def _pixel_range(params: CocoParams, area: str) -> list[float]:
    """Return the least and the most pixels of an object."""
    areas: dict[str, list[float]] = dict(zip(params.areaRngLbl, params.areaRng, strict=True))
    if area not in [*areas]:  # also of what has no hash
        raise ValueError(f"area must be one of {[*areas]}, got {area!r:.80}.")
    return areas[area]


def _overlap_indices(overlaps: Float, overlap: float | None) -> Index:
    """Find the indices of the wanted overlap, or of all."""
    if overlap is None:
        return np.arange(overlaps.size)
    indices = np.flatnonzero(np.isclose(overlaps, check_share("overlap", overlap)))
    if not indices.size:
        raise ValueError(f"overlap must be one of {overlaps.round(4).tolist()}, got {overlap!r}.")
    return indices


def _check_ids(object_id: Float) -> None:
    is_clear = np.isfinite(object_id).all() and (object_id != 0).all()
    if not is_clear or (np.diff(np.sort(object_id)) == 0).any():
        raise ValueError(
            "Each object needs a number of its own as its id, and none is 0, which is what "
            "pycocotools writes for a box that found no object: number them from 1."
        )


def _join_lists(entries: list[JsonValue], name: str) -> Array:
    return np.array([*chain.from_iterable(entry[name] for entry in entries)])


def _places(entries: list[JsonValue], ids: str) -> tuple[Array, Array]:
    """Return the class and the image of each id in the lists of this name."""
    n_ids = [len(entry[ids]) for entry in entries]
    categories = np.array([entry["category_id"] for entry in entries])
    images = np.array([entry["image_id"] for entry in entries])
    return categories.repeat(n_ids), images.repeat(n_ids)


def _ranks(score: Float) -> Float:
    """Rank boxes, of which those of equal scores are in the order of their images, as in COCO."""
    order = np.argsort(-score, kind="stable")
    return (order.size - order.argsort()).astype(np.float64)


def _class_names(truth: Coco) -> dict[Name, str]:
    """Return the name of each class, with its number if two classes share a name."""
    names = {number: str(entry.get("name", number)) for number, entry in truth.cats.items()}
    if len({*names.values()}) < len(names):
        names = {number: f"{name} ({number})" for number, name in names.items()}
    return {ALL_CLASSES: "all classes"} | names


def _warn_of_threshold(name: str, scores: Float) -> None:
    """Warn if no box of many has a low score, and scores look like probabilities."""
    if scores.size >= MANY_BOXES and (lowest := scores.min()) >= LOW_SCORE and scores.max() <= 1:
        warn(
            f"{printable(name)}: the lowest score of a box is {rounded_as_text(lowest, 2)}. If a "
            f"confidence threshold left boxes out, AP is too low: keep them.",
            UserWarning,
        )


def check_same_objects(matches: dict[str, DetectorMatches]) -> None:
    """Refuse detectors that were matched in other ways than the first."""
    truths: dict[str, tuple[Any, ...]] = {name: each.truth for name, each in matches.items()}
    first, *_ = truths.values()
    for name, truth in truths.items():
        if not all(map(np.array_equal, truth, first)):
            raise ValueError(
                f"{name!r} was matched with other objects or images, at other overlaps or with "
                f"other maxDets."
            )


class Rows(NamedTuple):
    """Rows of objects, of false boxes, or of empty images."""

    levels: Array  # the indices of their overlaps
    categories: Array
    images: Array
    boxes: Array  # (n_detectors, n_rows): the index of each detector's box, or NO_BOX


def stack_rows(matches: dict[str, DetectorMatches], ties: BoxTies) -> MatchedDetections:
    """Make a row for each object and overlap, for each false box, and for each empty image.

    Rows are sorted by overlap and by the boxes of the first detector, as COCO ranks its boxes.
    """
    detectors = [*matches.values()]
    scores = [_ranks(each.scores) if ties == "coco" else each.scores for each in detectors]
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
    return MatchedDetections(
        y_true=order < blocks[0].levels.size,
        y_scores={
            name: np.append(box_scores, -np.inf)[boxes]  # the last of NO_BOX
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
        categories=truth.categories[:1].repeat(images.size),
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
