"""Objects and boxes that pycocotools matched, as labels and scores."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from os import PathLike
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, cast

import numpy as np

from sklearn_ap._counts.sums import order_by_ranking
from sklearn_ap._extras import import_extra, warn
from sklearn_ap._inputs.names import encode_names, list_names
from sklearn_ap._inputs.options import Seed, check_choice
from sklearn_ap._results.sample import Sample
from sklearn_ap._results.text import PrintedArrays, counts_as_text, names_as_text
from sklearn_ap._types import (
    Argument,
    Array,
    Bool,
    Float,
    Index,
    Keywords,
    Module,
    Name,
)
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import Definition, Interpolated
from sklearn_ap.detections._coco_files import (
    Coco,
    JsonValue,
    is_loaded,
    read_annotations,
    read_boxes,
)
from sklearn_ap.inference.interval import (
    Interval,
    average_precision_interval,
)

# Types of pycocotools, which need not be installed.
CocoEval: TypeAlias = Any
CocoParams: TypeAlias = Any
ImageMatches: TypeAlias = dict[str, Any]  # an entry of evalImgs, for a class of an image

IouType = Literal["bbox", "segm", "keypoints"]
Ties = Literal["shared", "coco"]
COCO = Interpolated(101)
# COCO compares recall with np.linspace(0, 1, 101), where 0.7 and nine others are rounded up, so
# that a recall of 7/10 is below its level. The next recall is further away than 1e-9.
HUNDREDTHS = np.arange(101) / 100
COCO_LEVELS = np.where(np.linspace(0, 1, 101) > HUNDREDTHS, HUNDREDTHS + 1e-9, HUNDREDTHS)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatchedDetections(PrintedArrays):
    """The objects of images and the false boxes of detectors, with the score of each detector.

    There is a row for each object, whose score is minus infinity where a detector missed it, and a
    row for each false box, with the score of its detector and minus infinity for all others. There
    are such rows for each overlap. Those that the first detector found are in the order of its
    boxes.

    Parameters
    ----------
    y_true : ndarray of shape (n_rows,)
        Whether the row is an object.
    y_scores : dict of str to ndarray of shape (n_rows,)
        The scores of each detector.
    queries : ndarray of shape (n_rows,)
        The class; with several overlaps, the class and the overlap, as "dog at 0.5".
    clusters : ndarray of shape (n_rows,)
        The image.
    n_objects : int or None, default=None
        How many objects there are. Each has a row at each overlap. None means one row for each.
    classes : ndarray of shape (n_rows,), default=None
        The class, whatever the overlap. None takes the queries.

    See Also
    --------
    from_coco : Makes them from pycocotools.

    Examples
    --------
    >>> import numpy as np
    >>> from sklearn_ap import detections, interpolated_average_precision_score
    >>> found = detections.MatchedDetections(
    ...     y_true=np.array([True, True, False, True, True]),
    ...     y_scores={"yolo": np.array([0.9, 0.8, 0.85, 0.7, -np.inf])},  # the last was missed
    ...     queries=np.array(["cat", "cat", "cat", "dog", "dog"]),
    ...     clusters=np.array([1, 1, 2, 2, 3]),  # the image
    ... )
    >>> found
    MatchedDetections: 1 detector, 2 rankings, 3 images, 4 objects
    query  cluster  y_true  yolo
    cat          1    True   0.9
    cat          1    True   0.8
    cat          2   False  0.85
    dog          2    True   0.7
    dog          3    True  -inf
    >>> interpolated_average_precision_score(**found["yolo"], average=None).round(2)  # cat, dog
    array([0.83, 0.5 ])
    """

    y_true: Bool
    y_scores: dict[str, Float]
    queries: Array
    clusters: Array
    n_objects: int | None = None
    classes: Array | None = None

    @property
    def detectors(self) -> tuple[str, ...]:
        """The names of the detectors."""
        return tuple(self.y_scores)

    @property
    def definition(self) -> Interpolated:
        """The definition of COCO, to the last digit: ten of its levels are rounded up."""
        return Interpolated(COCO_LEVELS)

    def __getitem__(self, detector: str) -> Keywords:
        """Return the arguments of a score or an interval, of the detector of this name."""
        if detector not in self.y_scores:
            raise KeyError(f"No detector is named {detector!r}. There are {[*self.y_scores]}.")
        return {
            "y_true": self.y_true,
            "y_score": self.y_scores[detector],
            "queries": self.queries,
            "clusters": self.clusters,
        }

    def of_class(self, name: str) -> MatchedDetections:
        """Take the objects and boxes of one class, at all overlaps.

        Parameters
        ----------
        name : str
            The class.

        Returns
        -------
        MatchedDetections
            Its rows.
        """
        rows = np.flatnonzero(self._row_classes() == name)
        if not rows.size:
            names = [*self._class_rows()]
            raise KeyError(f"No class is named {name!r}. There are {names}.")
        return self._take(rows)

    def class_intervals(
        self,
        detector: str,
        *,
        definition: Definition = COCO,
        confidence_level: float = 0.95,
        rng: Seed = 0,
    ) -> Interval:
        """Compute the average precision of each class, over its overlaps, with its interval.

        Parameters
        ----------
        detector : str
            The name of a detector.
        definition : Definition, default=Interpolated(101)
            The definition of average precision.
        confidence_level : float, default=0.95
            How often these intervals should contain the true value.
        rng : int, numpy.random.Generator or None, default=0
            Seed or generator of the samples that are simulated for a definition without influence,
            such as one at k. None draws others at each call.

        Returns
        -------
        Interval
            A number for each class, as COCO's table of classes has. An object counts once.
        """
        compute_interval = partial(
            average_precision_interval,
            definition=definition,
            confidence_level=confidence_level,
            rng=rng,
        )
        classes = {name: self._take(rows) for name, rows in self._class_rows().items()}
        intervals: list[Interval] = []
        caught: dict[str, list[warnings.WarningMessage]] = {}
        for name, detections in classes.items():
            with warnings.catch_warnings(record=True) as messages:
                warnings.simplefilter("always")
                intervals.append(compute_interval(**detections[detector]))
            caught[name] = messages
        _warn_once(caught)

        def numbers(field: str) -> Float:
            return np.array([getattr(interval, field) for interval in intervals])

        # An object has a row at each overlap, but counts once.
        n_overlaps = [len({*detections.queries}) for detections in classes.values()]
        first = intervals[0]
        return replace(
            first,
            estimate=numbers("estimate"),
            low=numbers("low"),
            high=numbers("high"),
            standard_error=numbers("standard_error"),
            n_positives=numbers("n_positives") / n_overlaps,
            n_effective=numbers("n_effective"),  # of images, which overlaps share
            prevalence=numbers("prevalence"),
            sample=Sample(
                definition=first.sample.definition,
                n_rows=self.y_true.size,
                unit="cluster",
                n_units=np.unique(self.clusters).size,
            ),
            names=(*classes,),
            notes={},
            _source=first._source._replace(estimate=None),
        )

    def _row_classes(self) -> Array:
        return self.queries if self.classes is None else self.classes

    def _class_rows(self) -> dict[Name, Index]:
        codes, distinct = encode_names(self._row_classes(), "classes")
        names = list_names(distinct)
        ends = np.bincount(codes).cumsum()[:-1]
        return dict(zip(names, np.split(order_by_ranking(codes, len(names)), ends), strict=True))

    def _take(self, rows: Index) -> MatchedDetections:
        """Take some rows, which are whole rankings of one class."""
        y_true = self.y_true[rows]
        queries = self.queries[rows]
        return MatchedDetections(
            y_true=y_true,
            y_scores={detector: scores[rows] for detector, scores in self.y_scores.items()},
            queries=queries,
            clusters=self.clusters[rows],
            n_objects=int(np.count_nonzero(y_true)) // len({*queries}),
            classes=None if self.classes is None else self.classes[rows],
        )

    def _columns(self) -> dict[str, Array]:
        columns = {"query": self.queries, "cluster": self.clusters, "y_true": self.y_true}
        return columns | {str(name): scores for name, scores in self.y_scores.items()}

    def _heading(self) -> str:
        n_objects = np.count_nonzero(self.y_true) if self.n_objects is None else self.n_objects
        numbers = counts_as_text(
            detector=len(self.y_scores),
            ranking=len({*self.queries}),
            image=np.unique(self.clusters).size,
            object=int(n_objects),
        )
        return f"MatchedDetections: {numbers}"


def from_coco(
    ground_truth: str | PathLike[str] | Coco | CocoEval,
    *results: str | PathLike[str] | list[dict[str, JsonValue]] | Coco | CocoEval,
    names: Sequence[str] | None = None,
    overlap: float | None = None,
    area: str = "all",
    iou_type: IouType = "bbox",
    ties: Ties = "shared",
) -> MatchedDetections:
    """Take what pycocotools matched: labels and scores for intervals, comparisons and tests.

    Objects and boxes that pycocotools ignores, as crowds, are left out, and so are classes without
    objects, which COCO leaves out of its mean. Of each image, COCO takes the first 100 boxes.

    Parameters
    ----------
    ground_truth : COCOeval, or path or COCO
        A ``pycocotools.cocoeval.COCOeval`` after ``evaluate()``, which knows its ground truth. Or
        the annotations, as a JSON file or a ``pycocotools.coco.COCO``: the results follow.
    *results : COCOeval, or paths, lists or COCO
        Of more detectors, if ``ground_truth`` is a COCOeval. Otherwise the results of each: a JSON
        file, the list of boxes that it would hold, or what ``loadRes`` returns. pycocotools matches
        them, and has to be installed.
    names : sequence of str, default=None
        The names of the detectors. None calls each after its file; one COCOeval is "detector",
        and several are "detector 1", "detector 2" and so on.
    overlap : float, default=None
        The least overlap (intersection over union) of a match, such as 0.5. None takes all of
        COCO's, 0.5 to 0.95, and then each class is a ranking at each overlap: their mean is COCO's
        AP.
    area : str, default="all"
        Of objects: "all", "small", "medium" or "large".
    iou_type : {"bbox", "segm", "keypoints"}, default="bbox"
        What pycocotools compares, if it matches here.
    ties : {"shared", "coco"}, default="shared"
        What boxes with equal scores do. "shared" counts them as one threshold. "coco" ranks them in
        the order of the images, as COCO does. The scores are then ranks of boxes.

    Returns
    -------
    MatchedDetections
        Arguments for every score, interval and picture, by the name of the detector.

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
    check_choice("ties", ties, Ties)
    default_names, evaluations = _evaluations(ground_truth, results, iou_type, area)
    detectors = default_names if names is None else [*names]
    if len({*detectors}) < len(detectors) or len(detectors) != len(default_names):
        raise ValueError(
            f"names must be {len(default_names)} different ones, of the detectors, got {detectors}."
        )
    detector_matches = {}
    for name, evaluation in zip(detectors, evaluations, strict=True):
        detector_matches[name] = _read_matches(evaluation, overlap, area)
        class_names = _class_names(evaluation)  # all detectors share the ground truth
        if ties == "coco":
            detector_matches[name] = detector_matches[name].break_ties()
    return _stack_rows(detector_matches, class_names)


class BoxOrigins(NamedTuple):
    """The class and the image of some objects or boxes."""

    category: Array
    image: Array

    def take(self, rows: Index) -> BoxOrigins:
        return BoxOrigins(self.category[rows], self.image[rows])


class Hits(NamedTuple):
    """The indices of overlaps, boxes and objects: at this overlap, the box found the object."""

    overlap_index: Index
    box_index: Index
    object_index: Index


class FalseBoxes(NamedTuple):
    """The indices of overlaps and boxes: at this overlap, the box found no object."""

    overlap_index: Index
    box_index: Index


@dataclass(frozen=True, slots=True, eq=False)
class DetectorMatches:
    """The matches of one detector at some overlaps."""

    overlaps: list[float]
    most_boxes: int  # the limit for a class in an image
    # (n_overlaps, n_boxes): the id of the object that each box found, or 0
    matches: Array
    is_counted: Bool  # (n_overlaps, n_boxes): the boxes that are not ignored
    score: Float  # (n_boxes,)
    boxes: BoxOrigins
    object_ids: Array  # sorted
    objects: BoxOrigins

    def break_ties(self) -> DetectorMatches:
        """Break ties as COCO does, by the order of the images. The scores become ranks."""
        order = np.argsort(-self.score, kind="stable")
        return replace(self, score=(order.size - order.argsort()).astype(np.float64))

    def hits(self) -> Hits:
        """Find the boxes that found an object."""
        overlap_index, box_index = ((self.matches > 0) & self.is_counted).nonzero()
        found_ids = self.matches[overlap_index, box_index]
        return Hits(overlap_index, box_index, self.object_ids.searchsorted(found_ids))

    def false_boxes(self) -> FalseBoxes:
        """Find the boxes that found no object, though their class has objects."""
        has_objects = np.isin(self.boxes.category, self.objects.category)
        is_false = (self.matches == 0) & self.is_counted & has_objects
        overlap_index, box_index = is_false.nonzero()
        return FalseBoxes(overlap_index, box_index)


def _evaluations(
    ground_truth: Argument, results: Sequence[Argument], iou_type: str, area: str
) -> tuple[list[str], Iterable[CocoEval]]:
    """Return the name of each detector, and its COCOeval."""
    if hasattr(ground_truth, "evalImgs"):
        names = [f"detector {i}" for i in range(1, len(results) + 2)]
        return names if results else ["detector"], [ground_truth, *results]
    if not results:
        raise TypeError(
            f"from_coco takes a COCOeval, or the ground truth and then the results of detectors, "
            f"got {type(ground_truth).__name__} alone."
        )
    names = [
        f"detector {i}" if is_loaded(result) else Path(result).stem
        for i, result in enumerate(results, 1)
    ]
    return names, _evaluate(ground_truth, results, iou_type, area)


def _evaluate(
    ground_truth: Argument, results: Sequence[Argument], iou_type: str, area: str
) -> Iterator[CocoEval]:
    """Yield one COCOeval at a time, for one area alone, as each takes much memory."""
    coco = import_extra("pycocotools.coco", "from_coco", "coco")
    cocoeval = import_extra("pycocotools.cocoeval", "from_coco", "coco")
    shape = {"bbox": "bbox", "segm": "segmentation"}.get(iou_type, iou_type)
    with redirect_stdout(io.StringIO()):  # pycocotools prints each step
        if not hasattr(ground_truth, "loadRes"):
            ground_truth = read_annotations(coco, ground_truth, shape)
    for result in results:
        with redirect_stdout(io.StringIO()):
            boxes = result
            if not hasattr(result, "loadRes"):
                boxes = read_boxes(coco, ground_truth, result, shape)
            evaluation = _make_coco_eval(cocoeval, ground_truth, boxes, iou_type)
            params = evaluation.params
            params.areaRng = [_pixel_range(params, area)]
            params.areaRngLbl = [area]
            evaluation.evaluate()
        yield evaluation
        evaluation.evalImgs = []
        evaluation.ious = {}


def _make_coco_eval(cocoeval: Module, ground_truth: Coco, boxes: Coco, iou_type: str) -> CocoEval:
    """Make a COCOeval, which sorts the numbers of images and of categories."""
    try:
        return cocoeval.COCOeval(ground_truth, boxes, iou_type)
    except TypeError as error:
        raise ValueError(
            f"pycocotools cannot sort the ids of images or of categories: {error}. Make those of "
            f"images all numbers or all texts, and those of categories, too."
        ) from error


def _pixel_range(params: CocoParams, area: str) -> list[float]:
    """Return the least and the most pixels of an object."""
    areas = dict(zip(params.areaRngLbl, params.areaRng, strict=True))
    if area not in areas:
        raise ValueError(f"area must be one of {[*areas]}, got {area!r}.")
    pixels: list[float] = areas[area]
    return pixels


def _read_matches(coco_eval: CocoEval, overlap: float | None, area: str) -> DetectorMatches:
    """Read the matches that a COCOeval stores."""
    evaluated_images = getattr(coco_eval, "evalImgs", None)
    if not isinstance(evaluated_images, list) or not any(evaluated_images):
        raise ValueError(
            f"results must be COCOeval objects of pycocotools that have matched boxes: call "
            f"evaluate() first. Got {type(coco_eval).__name__} without evalImgs."
        )
    params = coco_eval.params
    pixels = _pixel_range(params, area)
    images = [image for image in evaluated_images if image and image["aRng"] == pixels]
    overlap_indices = _find_overlaps(params.iouThrs, overlap)
    object_ids = _join_lists(images, "gtIds")
    if 0 in object_ids or np.unique(object_ids).size < object_ids.size:
        raise ValueError(
            "Each object needs a number of its own as its id, and none is 0, which is what "
            "pycocotools writes for a box that found no object: number them from 1."
        )
    is_object = _join_lists(images, "gtIgnore") == 0
    if not is_object.any():
        raise ValueError(f"There are no objects to find; area is {area!r}.")
    order = np.flatnonzero(is_object)[object_ids[is_object].argsort()]
    return DetectorMatches(
        overlaps=[float(params.iouThrs[i]) for i in overlap_indices],
        most_boxes=images[0]["maxDet"],
        matches=_join_tables(images, "dtMatches")[overlap_indices],
        is_counted=_join_tables(images, "dtIgnore")[overlap_indices] == 0,
        score=_join_lists(images, "dtScores").astype(np.float64),
        boxes=_box_origins(images, "dtIds"),
        object_ids=object_ids[order],
        objects=_box_origins(images, "gtIds").take(order),
    )


def _join_lists(images: list[ImageMatches], name: str) -> Array:
    return np.array([*chain.from_iterable(image[name] for image in images)])


def _join_tables(images: list[ImageMatches], name: str) -> Array:
    """Join tables of shape (n_overlaps, n_boxes) of each image."""
    return np.concatenate([image[name] for image in images], axis=1)


def _find_overlaps(overlaps: Array, overlap: float | None) -> list[int]:
    """Find the indices of the wanted overlap, or of all."""
    if overlap is None:
        return [*range(len(overlaps))]
    indices = np.flatnonzero(np.isclose(overlaps, overlap))
    if not indices.size:
        known_overlaps = np.round(overlaps, 4).tolist()
        raise ValueError(f"overlap must be one of {known_overlaps}, got {overlap!r}.")
    return indices.tolist()


def _box_origins(images: list[ImageMatches], ids: str) -> BoxOrigins:
    """Return the class and image of each id in the lists of this name."""
    sizes = [len(image[ids]) for image in images]
    category = [image["category_id"] for image in images]
    image_id = [image["image_id"] for image in images]
    return BoxOrigins(np.repeat(category, sizes), np.repeat(image_id, sizes))


class RowScores(NamedTuple):
    """The scores of all detectors in each row, and the box of the first detector there."""

    scores: Float  # (n_detectors, n_rows)
    first_box: Index  # (n_rows,): the index of the box; without a box, the number of all boxes


def _stack_rows(
    detector_matches: dict[str, DetectorMatches], class_names: dict[Name, str]
) -> MatchedDetections:
    """Make a row for each object and overlap, and for each false box of each detector.

    All objects at the first overlap come first, then all at the second, and so on. The false boxes
    of the first detector follow, then the false boxes of the second, and so on. Finally, rows are
    sorted by overlap and by the boxes of the first detector, as COCO ranks its boxes.
    """
    _check_same_objects(detector_matches)
    detectors = [*detector_matches.values()]
    first = detectors[0]
    n_objects = first.object_ids.size
    false_boxes = [detector.false_boxes() for detector in detectors]
    object_rows = np.arange(len(first.overlaps) * n_objects)
    object_overlap, object_index = np.divmod(object_rows, max(n_objects, 1))
    rows = _row_scores(detectors, false_boxes, object_rows.size)
    overlap_index = np.concatenate(
        (object_overlap, *(boxes.overlap_index for boxes in false_boxes))
    )
    parts = [first.objects.take(object_index)]
    parts += [
        detector.boxes.take(boxes.box_index)
        for detector, boxes in zip(detectors, false_boxes, strict=True)
    ]
    category = np.concatenate([part.category for part in parts])
    image = np.concatenate([part.image for part in parts])
    order = np.lexsort((rows.first_box, overlap_index))
    categories, code = np.unique(category[order], return_inverse=True)
    classes = [class_names.get(category, category) for category in categories.tolist()]
    return MatchedDetections(
        y_true=order < object_rows.size,
        y_scores=dict(zip(detector_matches, rows.scores[:, order], strict=True)),
        queries=_ranking_names(classes, first.overlaps)[overlap_index[order], code],
        clusters=image[order],
        n_objects=n_objects,
        classes=np.array([*map(str, classes)], object)[code],
    )


def _ranking_names(classes: list[Name], overlaps: list[float]) -> Array:
    """Name each ranking, as "dog at 0.5": a table of shape (n_overlaps, n_classes)."""
    endings = [f" at {overlap:g}" for overlap in overlaps] if len(overlaps) > 1 else [""]
    return np.array([[f"{name}{ending}" for name in classes] for ending in endings], object)


def _check_same_objects(detector_matches: dict[str, DetectorMatches]) -> None:
    """Refuse detectors that were matched in other ways than the first."""
    first = next(iter(detector_matches.values()))
    for name, detector in detector_matches.items():
        has_same_rules = (
            detector.overlaps == first.overlaps and detector.most_boxes == first.most_boxes
        )
        if not (
            has_same_rules
            and np.array_equal(detector.object_ids, first.object_ids)
            and np.array_equal(detector.objects.category, first.objects.category)
            and np.array_equal(detector.objects.image, first.objects.image)
        ):
            raise ValueError(
                f"{name!r} was matched with other objects, at other overlaps or with other maxDets."
            )


def _row_scores(
    detectors: list[DetectorMatches], false_boxes: list[FalseBoxes], n_object_rows: int
) -> RowScores:
    """Return the scores of the objects that each detector found, and of its false boxes."""
    first = detectors[0]
    n_objects = first.object_ids.size
    # The rows of the false boxes of detector i are those from starts[i] to starts[i + 1].
    starts = n_object_rows + np.cumsum([0, *(boxes.box_index.size for boxes in false_boxes)])
    scores = np.full((len(detectors), starts[-1]), -np.inf)
    first_box = np.full(starts[-1], first.score.size)
    for i, detector in enumerate(detectors):
        hits = detector.hits()
        false_rows = np.arange(starts[i], starts[i + 1])
        rows = np.append(hits.overlap_index * n_objects + hits.object_index, false_rows)
        boxes = np.append(hits.box_index, false_boxes[i].box_index)
        scores[i, rows] = detector.score[boxes]
        if i == 0:
            first_box[rows] = boxes
    return RowScores(scores, first_box)


def _warn_once(caught: dict[str, list[warnings.WarningMessage]]) -> None:
    """Issue each kind of warning once, and name its classes."""
    # The kind is the name of a warning of ours, or else the text of the warning.
    classes: dict[Argument, list[str]] = {}
    examples: dict[Argument, Warning] = {}
    for name, messages in caught.items():
        for message in messages:
            warning = cast(Warning, message.message)
            kind: Argument = getattr(warning, "name", str(warning))
            classes.setdefault(kind, []).append(name)
            examples.setdefault(kind, warning)
    for kind, warning in examples.items():
        first, *others = classes[kind]
        text = f"{warning.args[0]} This is said of {first}"
        text += f", and holds for {names_as_text(others)}, too." if others else "."
        has_name = isinstance(warning, UncertaintyWarning)
        warn(UncertaintyWarning(text, kind) if has_name else type(warning)(text), type(warning))


def _class_names(coco_eval: CocoEval) -> dict[Name, str]:
    """Return the name of each class, if the names are distinct; nothing otherwise."""
    categories = getattr(getattr(coco_eval, "cocoGt", None), "cats", {})
    names = {number: str(entry.get("name", number)) for number, entry in categories.items()}
    return names if len({*names.values()}) == len(names) else {}
