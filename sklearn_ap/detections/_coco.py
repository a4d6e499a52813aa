"""What pycocotools and the evaluators beside it matched, or can match, as labels and scores."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from os import PathLike, fspath

import numpy as np

from sklearn_ap._errors import InputError, InputTypeError
from sklearn_ap._files.sources import names_of_files
from sklearn_ap._inputs.options import check_choice
from sklearn_ap._inputs.rows_of_models import check_model_names
from sklearn_ap._inputs.sourced_scores import SourcedScores
from sklearn_ap._results.doubt import Doubt, issue, name_doubts
from sklearn_ap._results.text import printable, rounded_as_text
from sklearn_ap._results.warning import warn
from sklearn_ap._types import Argument
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
from sklearn_ap.detections._matched import MatchedDetections
from sklearn_ap.detections._matches import NO_BOX, DetectorMatches, read_matches
from sklearn_ap.detections._rows import BoxTies, stack_rows
from sklearn_ap.inference.score_doubts import source_of

# Tools that evaluate keep boxes that score 0.05 or more (Detectron2, torchvision), or less
# (Ultralytics); those that draw boxes keep 0.25 or more. Few boxes may all score high.
LOW_SCORE = 0.1
MANY_BOXES = 100
MANY_IMAGES = 20
MOST_WITHOUT_BOXES = 0.2  # of the images, without a box
FEW_ONES = 0.25  # images with one box, for each without any


def from_coco(
    ground_truth: str | PathLike[str] | dict[str, JsonValue] | Coco | CocoEval,
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

    Returns
    -------
    MatchedDetections
        Arguments of every score, interval, comparison and picture.

    Examples
    --------
    >>> from sklearn_ap import detections
    >>> coco = detections.from_coco("instances_val2017.json", "first.json")  # doctest: +SKIP
    """
    check_choice("iou_type", iou_type, IouType)
    check_choice("ties", ties, BoxTies)
    default_names, given = _names_and_evaluations(ground_truth, results)
    names = default_names if names is None else names
    is_one = isinstance(names, str) or not np.iterable(names)
    if is_one or len(names) != len(default_names):
        raise InputError(
            f"names must be {len(default_names)}, of the detectors, got {names!r:.80}."
        )
    detectors = check_model_names(MatchedDetections, names)
    evaluations = given or _evaluate(ground_truth, zip(detectors, results, strict=True), iou_type)
    matches = {
        name: read_matches(evaluation, overlap, area)
        for name, evaluation in zip(detectors, evaluations, strict=True)
    }
    _check_same_objects(matches)
    for name, detector in matches.items():
        _warn_of_boxes(name, detector)
    doubts = [
        _missing_images(detector, [each for each in matches.values() if each is not detector])
        for detector in matches.values()
    ]
    issue(name_doubts(doubts, [*matches]))
    found = stack_rows(matches, ties)
    for (name, scores), own in zip(found.y_scores.items(), doubts, strict=True):
        source = source_of(scores)._replace(doubts=(*own,))
        found.y_scores[name] = SourcedScores.of(scores, source)
    return found


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
    """Warn if many boxes find hardly any object, or if all look like those above a threshold."""
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
    if scores.size >= MANY_BOXES and (lowest := scores.min()) >= LOW_SCORE and scores.max() <= 1:
        warn(
            f"{printable(name)}: the lowest score of a box is {rounded_as_text(lowest, 2)}. If a "
            f"confidence threshold left boxes out, AP is too low: keep them.",
            UserWarning,
        )


def _missing_images(detector: DetectorMatches, others: Sequence[DetectorMatches]) -> list[Doubt]:
    """Doubt a detector without a box in many images in which another one has boxes.

    One detector alone should have boxes where there are objects. A detector that finds little has
    one box in many images, and one that was not run on all images has one in few.
    """
    boxes = Counter(detector.images.tolist())
    images = set().union(*(each.images.tolist() for each in others), boxes)
    what = "another detector has boxes"
    if not others:
        images, what = {*detector.truth.images.tolist()}, "there are objects"
    n_lacking = sum(image not in boxes for image in images)
    is_run_on_all = (
        not others and sum(boxes[image] == 1 for image in images) >= FEW_ONES * n_lacking
    )
    are_many = len(images) >= MANY_IMAGES and n_lacking > MOST_WITHOUT_BOXES * len(images)
    if not boxes or not are_many or is_run_on_all:
        return []
    lacking = f"{n_lacking:,} of {len(images):,} images"
    return [
        Doubt(
            name="missing results",
            text=f"There is no box in {lacking} in which {what}. If the detector was not run on "
            f"all of them, run it, or leave these images out.",
            reason=f"it has no box in {lacking}: run it on all of them first",
        )
    ]


def _check_same_objects(matches: dict[str, DetectorMatches]) -> None:
    """Refuse detectors that were matched in other ways than the first."""
    first, *others = matches
    for name in others:
        if not matches[name].truth.equals(matches[first].truth):
            raise InputError(
                f"{name!r} was matched with other objects or images, at other overlaps or with "
                f"other maxDets than {first!r}."
            )
