"""What pycocotools and the evaluators beside it matched, or can match, as labels and scores."""

import reprlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path

from sklearn_ap._inputs.options import check_choice
from sklearn_ap._results.named_scores import check_model_names
from sklearn_ap._types import Argument
from sklearn_ap.detections._annotations import (
    Coco,
    CocoEval,
    IouType,
    JsonValue,
    as_pycocotools,
    cocoeval_module,
    errors_of,
    read_annotations,
    read_boxes,
)
from sklearn_ap.detections._matched import MatchedDetections
from sklearn_ap.detections._matches import BoxTies, check_same_objects, read_matches, stack_rows


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
        An evaluation of pycocotools, hotcoco, vernier, ultrafast-pycocotools or faster-coco-eval,
        which knows its ground truth. If it keeps no matches, or is not evaluated, pycocotools
        matches again by its parameters. Or the annotations, as a JSON file or a ``COCO``: the
        results follow.
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
    ``Interpolated(101)`` differs from COCO in two things: it counts equal scores as one threshold,
    which COCO ranks in the order of the images; and a few of COCO's recall levels are rounded up,
    so that a recall of 7/10 does not reach 0.7. With ``ties="coco"`` and the ``definition`` of what
    is returned, scores, intervals and comparisons are of the number that ``COCOeval`` prints.
    Without, ``compat.score("COCO", ...)`` gives it, for the first detector.

    Examples
    --------
    >>> from sklearn_ap import average_precision_interval, detections
    >>> from sklearn_ap.definitions import Interpolated
    >>> coco = detections.from_coco("instances_val2017.json", "detector.json")  # doctest: +SKIP
    >>> average_precision_interval(
    ...     **coco["detector"], definition=Interpolated(101)
    ... )  # doctest: +SKIP
    """
    check_choice("iou_type", iou_type, IouType)
    check_choice("ties", ties, BoxTies)
    if names is not None and (isinstance(names, str) or not isinstance(names, Iterable)):
        raise TypeError(f"names must be a list of texts, one for each detector, got {names!r:.80}.")
    default_names, evaluations = _evaluations(ground_truth, results, iou_type)
    detectors = check_model_names(MatchedDetections, default_names if names is None else names)
    if len(detectors) != len(default_names):
        raise ValueError(f"names must be {len(default_names)}, of the detectors, got {detectors}.")
    matches = {
        name: read_matches(evaluation, overlap, area, ties)
        for name, evaluation in zip(detectors, evaluations, strict=True)
    }
    check_same_objects(matches)
    return stack_rows(matches)


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
    for result in results:
        if isinstance(result, Mapping) or (
            isinstance(result, list) and any(isinstance(each, str | PathLike) for each in result)
        ):
            raise TypeError(
                f"from_coco takes the file of each detector as an argument of its own, and names= "
                f"names them, got {reprlib.repr(result)}."
            )
    paths = [
        str(result) if isinstance(result, str | PathLike) else f"detector {i}"
        for i, result in enumerate(results, 1)
    ]
    stems = [Path(path).stem for path in paths]
    names = stems if len({*stems}) == len(stems) else paths
    return names, _evaluations_of_files(ground_truth, results, iou_type)


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
