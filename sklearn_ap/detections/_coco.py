"""What pycocotools and the evaluators beside it matched, or can match, as labels and scores."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike, fspath
from typing import Literal

import numpy as np

from sklearn_ap._counts.counting import count
from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._files.sources import names_of_files
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._inputs.request import Request, check_rankings
from sklearn_ap._inputs.rows_of_models import check_model_names
from sklearn_ap._results.doubt import issue
from sklearn_ap._scoring import low_scores
from sklearn_ap._types import Argument
from sklearn_ap._writing.text import count_as_text, names_as_text, printable, rounded_as_text
from sklearn_ap._writing.warning import warn
from sklearn_ap.definitions import Step
from sklearn_ap.detections._annotations import (
    Coco,
    CocoEval,
    IouType,
    JsonValue,
    as_pycocotools,
    cocoeval_module,
    read_annotations,
    read_boxes,
)
from sklearn_ap.detections._coco_detections import CocoDetections, check_same_objects
from sklearn_ap.detections._matches import NO_BOX, DetectorMatches, read_matches
from sklearn_ap.detections._rows import BoxTies, stack_rows

# Tools that evaluate keep boxes that score 0.05 or more (Detectron2, torchvision), or less
# (Ultralytics); those that draw boxes keep 0.25 or more. Few boxes may all score high.
LOW_SCORE = 0.1
MANY_BOXES = 100
MANY_OBJECTS = 10  # of a class, of which even a weak detector finds some


def from_coco(
    ground_truth: str | PathLike[str] | dict[str, JsonValue] | Coco | CocoEval,
    *results: str | PathLike[str] | list[dict[str, JsonValue]] | Coco | CocoEval,
    names: Sequence[str] | None = None,
    overlap: float | None = None,
    area: str = "all",
    iou_type: IouType = "bbox",
    ties: BoxTies = "shared",
    images: Literal["all", "common"] = "all",
) -> CocoDetections:
    """Take what COCO's evaluators matched: labels and scores for intervals and comparisons.

    Objects and boxes that COCO ignores, as crowds, are left out, and so are classes without
    objects, which COCO leaves out of its mean. Of each image, COCO takes the first 100 boxes.

    Parameters
    ----------
    ground_truth : path, dict or COCO; or COCOeval
        The annotations: a JSON file, the dict that it holds, or a ``COCO``. The results follow. Or
        an evaluation of pycocotools or a tool like it, which knows both. If it keeps no matches,
        pycocotools matches again by its parameters.
    *results : paths, lists or COCO; or COCOeval
        The results of each detector: a JSON file, the list of boxes that it holds, or what
        ``loadRes`` returns. pycocotools matches them, and has to be installed. Or, after an
        evaluation, those of more detectors.
    names : sequence of str, default=None
        The names of the detectors. None calls each after its file, or by its path if two files
        have one name; others are "detector 1" and so on, and one evaluation is "detector".
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
        the order of the images, as COCO does, by lowering their scores in the last digits: with
        the ``definition`` of what is returned, the score is the number that ``COCOeval`` prints.
        A threshold needs "shared".
    images : {"all", "common"}, default="all"
        "common" leaves out images in which a detector has no box, as those on which it was not run.
        So it favours detectors that find nothing where there is little.

    Returns
    -------
    CocoDetections
        Arguments of every score, interval, comparison and picture, whose ``definition`` is then
        COCO's unless another one is passed.

    Examples
    --------
    >>> from sklearn_ap import detections
    >>> coco = detections.from_coco("instances_val2017.json", "first.json")  # doctest: +SKIP
    """
    check_choice("iou_type", iou_type, IouType)
    check_choice("ties", ties, BoxTies)
    check_choice("images", images, Literal["all", "common"])
    default_names, given = _names_and_evaluations(ground_truth, results)
    names = default_names if names is None else names
    is_one = isinstance(names, str) or not np.iterable(names)
    if is_one or len(names) != len(default_names):
        raise InputError(
            f"names must hold {count_as_text(len(default_names), 'name')}, one of each detector, "
            f"got {names!r:.80}."
        )
    detectors = check_model_names(CocoDetections, names)
    evaluations = given or _evaluate(ground_truth, zip(detectors, results, strict=True), iou_type)
    areas = _read_areas(zip(detectors, evaluations, strict=True))
    if area not in [*areas]:  # also of what has no hash
        raise InputError(f"area must be one of {[*areas]}, got {area!r:.80}.")
    if images == "common":
        areas = _select_common_images(areas)
    matches = {name: detector.at(overlap) for name, detector in areas[area].items()}
    check_same_objects(matches)
    for name, detector in matches.items():
        if not detector.truth.ids.size:
            raise InputError(f"There are no objects to find; area is {area!r}.")
        _warn_of_boxes(name, detector)
        _warn_of_scores(name, detector)
        _warn_of_classes(name, detector)
    rows = stack_rows(matches, ties)
    found = CocoDetections(
        y_true=rows.y_true,
        y_scores=rows.y_scores,
        queries=rows.queries,
        clusters=rows.clusters,
        classes=rows.classes,
        _areas=areas,
    )
    issue(found._missing_results())
    return found


def _read_areas(
    evaluations: Iterable[tuple[str, CocoEval]],
) -> dict[str, dict[str, DetectorMatches]]:
    """Read the matches of each detector in each area that all of them have."""
    areas_by_detector = {name: read_matches(evaluation) for name, evaluation in evaluations}
    first, *others = areas_by_detector.values()
    return {
        area: {detector: areas[area] for detector, areas in areas_by_detector.items()}
        for area in first
        if all(area in other for other in others)
    }


def _select_common_images(
    areas: Mapping[str, Mapping[str, DetectorMatches]],
) -> dict[str, dict[str, DetectorMatches]]:
    """Take the images in which each detector has a box, whatever its class and its size."""
    first, *others = (
        {*detector.images.tolist()} for detector in next(iter(areas.values())).values()
    )
    common = first.intersection(*others)
    if not common:
        raise InputError("There is no image in which each detector has a box: leave out images.")
    return {
        area: {name: detector.select_images(common) for name, detector in matches.items()}
        for area, matches in areas.items()
    }


def _names_and_evaluations(
    ground_truth: Argument, results: Sequence[Argument]
) -> tuple[list[str], Sequence[CocoEval]]:
    """Return the usual name of each detector, and the evaluations, if these are given."""
    given = [ground_truth, *results]
    are_evaluations = [hasattr(each, "cocoGt") for each in given]
    if all(are_evaluations):
        names = [f"detector {i}" for i in range(1, len(given) + 1)]
        return names if results else ["detector"], given
    if any(are_evaluations) or not results:
        raise InputTypeError(
            f"from_coco takes the ground truth and then the results of detectors, or one COCOeval "
            f"or several, and nothing else beside these, got "
            f"({', '.join(type(each).__name__ for each in given)})."
        )
    paths = [
        fspath(result) if isinstance(result, str | PathLike) else f"detector {i}"
        for i, result in enumerate(results, 1)
    ]
    return names_of_files(paths), []


def _evaluate(
    ground_truth: Argument, results: Iterable[tuple[str, Argument]], iou_type: IouType
) -> Iterator[CocoEval]:
    """Yield one evaluation at a time, as each takes much memory."""
    if not hasattr(ground_truth, "dataset"):
        ground_truth = read_annotations(ground_truth, iou_type)
    truth = as_pycocotools(ground_truth)
    for name, result in results:
        is_read = hasattr(result, "dataset")
        boxes = result if is_read else read_boxes(truth, result, name, iou_type)
        yield cocoeval_module.COCOeval(truth, as_pycocotools(boxes), iou_type)


def _warn_of_boxes(name: str, detector: DetectorMatches) -> None:
    """Warn if there is no box, or if many find hardly any object."""
    scores, n_objects = detector.scores, detector.truth.ids.size
    n_found = np.count_nonzero(detector.box_of_object[0] != NO_BOX)
    n_least = min(scores.size, n_objects) if detector.truth.overlaps[0] <= 0.5 else 0
    if n_least >= MANY_BOXES and n_found < n_least / 100:
        warn(
            f"{printable(name)}: {scores.size:,} boxes find {n_found:,} of {n_objects:,} objects. "
            f"Are all boxes [x, y, width, height] in pixels, and ids those of the ground truth?",
            UserWarning,
        )
    if not scores.size:
        warn(f"{printable(name)}: there is no box, so it scores 0.", UserWarning)


def _warn_of_scores(name: str, detector: DetectorMatches) -> None:
    """Warn of scores that are equal, that look like those above a threshold, or are reversed."""
    scores = detector.scores
    if scores.size < MANY_BOXES:
        return
    if (lowest := scores.min()) == scores.max():
        warn(
            f"{printable(name)}: all boxes score {rounded_as_text(lowest, 2)}, so nothing ranks "
            f"them. Pass the scores of the detector.",
            UserWarning,
        )
    elif lowest >= LOW_SCORE and scores.max() <= 1:
        warn(
            f"{printable(name)}: the lowest score of a box is {rounded_as_text(lowest, 2)}. If a "
            f"confidence threshold left boxes out, AP is too low: keep them.",
            UserWarning,
        )
    if _are_reversed(detector):
        warn(
            f"{printable(name)}: most false boxes score above those that find objects. Are the "
            f"scores reversed? Pass higher ones for boxes that are surer.",
            UserWarning,
        )


def _are_reversed(detector: DetectorMatches) -> bool:
    """Whether false boxes rank first among the boxes that count, at the lowest overlap.

    Missed objects have no score, so that a low score of all objects does not tell.
    """
    found = detector.box_of_object[0]
    is_false = detector.is_false[0]
    is_counted = is_false.copy()
    is_counted[found[found != NO_BOX]] = True
    if not is_counted.any():
        return False
    request = Request(
        y_true=~is_false[is_counted],
        y_score=detector.scores[is_counted],
        queries=detector.categories[is_counted],
    )
    rankings = check_rankings(request, all_items=True)
    counts = count(rankings)
    values = np.array([[np.nan_to_num(Step().values(counts)).mean()]])
    return bool(low_scores(Step(), counts, values, (rankings,)))


def _warn_of_classes(name: str, detector: DetectorMatches) -> None:
    """Warn of classes in which a detector has no box, beside others in which it has."""
    if not detector.scores.size:
        return
    classes, n_objects = np.unique(detector.truth.categories, return_counts=True)
    is_lacking = (n_objects >= MANY_OBJECTS) & ~np.isin(classes, detector.categories)
    if is_lacking.any():
        lacking = [repr(detector.class_names[each]) for each in classes[is_lacking].tolist()]
        warn(
            f"{printable(name)}: no box of {names_as_text(lacking)}, of which there are objects, "
            f"so it scores 0 there. Does the detector know this class, by this number?",
            UserWarning,
        )
