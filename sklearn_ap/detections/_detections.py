"""Objects and boxes that pycocotools matched, as labels and scores."""

from __future__ import annotations

import io
import json
import reprlib
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import redirect_stdout
from copy import copy
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from math import isfinite
from numbers import Real
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from sklearn_ap._base.common.types import Array, Bool, Float, Index
from sklearn_ap._base.extras import import_extra
from sklearn_ap._base.inputs.checks import warn
from sklearn_ap._base.inputs.name_codes import codes_and_names
from sklearn_ap._base.inputs.option_checks import check_choice
from sklearn_ap._base.text import Cases, PrintedArrays, counts_as_text, first_and_more
from sklearn_ap._counts.blocks import order_by_ranking
from sklearn_ap._questions.intervals.interval import (
    AveragePrecisionInterval,
    average_precision_interval,
)
from sklearn_ap._uncertainty.options import N_RESAMPLES, ScoreMethod, Seed
from sklearn_ap._uncertainty.warnings import UncertaintyWarning
from sklearn_ap.definitions import Definition, Interpolated

IouType = Literal["bbox", "segm", "keypoints"]
Ties = Literal["shared", "coco"]
COCO = Interpolated(101)
# COCO compares recall with np.linspace(0, 1, 101), where 0.7 and nine others are rounded up, so
# that a recall of 7/10 is below its level. The next recall is further away than 1e-9.
HUNDREDTHS = np.arange(101) / 100
COCO_LEVELS = np.where(np.linspace(0, 1, 101) > HUNDREDTHS, HUNDREDTHS + 1e-9, HUNDREDTHS)
NUMBERS = AveragePrecisionInterval._numbers  # of each ranking
N_KEYPOINTS = 17  # of a person, each of which has two coordinates and whether it is visible


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatchedDetections(PrintedArrays):
    """The objects of images and the false boxes of detectors, with the score of each detector.

    There is a row for each object, whose score is minus infinity where a detector missed it, and a
    row for each false box, with the score of its detector and minus infinity for all others. For
    each overlap there are such rows. Those that the first detector found stand in its order.

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

    def __getitem__(self, detector: str) -> dict[str, Any]:
        """The arguments of a score or an interval, of the detector of this name."""
        if detector not in self.y_scores:
            raise KeyError(f"No detector is named {detector!r}. There are {[*self.y_scores]}.")
        rows = {"y_true": self.y_true, "y_score": self.y_scores[detector]}
        return rows | {"queries": self.queries, "clusters": self.clusters}

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
        rows = np.flatnonzero(self._class_of_rows() == name)
        if not rows.size:
            known = [*self._rows_of_classes()]
            raise KeyError(f"No class is named {name!r}. There are {known}.")
        return self._take(rows)

    def class_intervals(
        self,
        detector: str,
        *,
        definition: Definition = COCO,
        confidence_level: float = 0.95,
        method: ScoreMethod = "wilson",
        n_resamples: int = N_RESAMPLES,
        rng: Seed = 0,
    ) -> AveragePrecisionInterval[Float]:
        """Compute the average precision of each class, over its overlaps, with its interval.

        Parameters
        ----------
        detector : str
            The name of a detector.
        definition : Definition, default=Interpolated(101)
            The definition of average precision.
        confidence_level : float, default=0.95
            How often such intervals should contain the true value.
        method : {"wilson", "logit"}, default="wilson"
            How limits are made. "wilson" allows for what a small sample cannot show. "logit" is the
            conventional interval of the logit of the score, from the standard error alone: pass it
            where a journal asks for it, as it often misses the true score.
        n_resamples : int, default=999
            How many samples are simulated for a definition without influence, such as one at k.
        rng : int, numpy.random.Generator or None, default=0
            Seed or generator of these samples. None draws others at each call.

        Returns
        -------
        AveragePrecisionInterval
            A number for each class, as COCO's table of classes has. An object counts once.
        """
        interval_of = partial(
            average_precision_interval,
            definition=definition,
            confidence_level=confidence_level,
            method=method,
            n_resamples=n_resamples,
            rng=rng,
        )
        of_classes = {name: self._take(rows) for name, rows in self._rows_of_classes().items()}
        intervals = {name: _heard(interval_of, **one[detector]) for name, one in of_classes.items()}
        _warn_of_classes({name: heard for name, (_, heard) in intervals.items()})
        results = [interval for interval, _ in intervals.values()]
        numbers = {name: np.array([getattr(r, name) for r in results]) for name in NUMBERS}
        for name in ("n_positives", "n_effective"):
            numbers[name] /= [len({*one.queries}) for one in of_classes.values()]
        n_images = np.unique(self.clusters).size
        cases = Cases(self.y_true.size, unit="cluster", n_units=n_images)
        return replace(
            results[0],
            **numbers,
            rankings=(*of_classes,),
            pilot=None,
            n_rankings=1,
            cases=cases,
        )

    def _class_of_rows(self) -> Array:
        return self.queries if self.classes is None else self.classes

    def _rows_of_classes(self) -> dict[Any, Index]:
        codes, names = codes_and_names(self._class_of_rows(), "classes")
        ends = np.bincount(codes).cumsum()[:-1]
        return dict(zip(names, np.split(order_by_ranking(codes, len(names)), ends), strict=True))

    def _take(self, rows: Index) -> MatchedDetections:
        """Some rows, with whole rankings of one class."""
        y_true, queries = self.y_true[rows], self.queries[rows]
        return MatchedDetections(
            y_true,
            {detector: scores[rows] for detector, scores in self.y_scores.items()},
            queries,
            self.clusters[rows],
            int(np.count_nonzero(y_true)) // len({*queries}),
            None if self.classes is None else self.classes[rows],
        )

    def _columns(self) -> dict[str, Any]:
        rows = {"query": self.queries, "cluster": self.clusters, "y_true": self.y_true}
        return rows | {str(name): scores for name, scores in self.y_scores.items()}

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
    ground_truth: Any,
    *results: Any,
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
    default, evaluated = _evaluated(ground_truth, results, iou_type, area)
    called = default if names is None else [*names]
    if len({*called}) < len(called) or len(called) != len(default):
        raise ValueError(
            f"names must be {len(default)} different ones, of the detectors, got {called}."
        )
    matched = {}
    for name, each in zip(called, evaluated, strict=True):
        matched[name], classes = _matched(each, overlap, area), _class_names(each)
        if ties == "coco":
            matched[name] = matched[name].in_order_of_images()
    return _in_rows(matched, classes)


class Places(NamedTuple):
    """The class and the image of some objects or boxes."""

    category: Array
    image: Array

    def take(self, rows: Index) -> Places:
        """Those of some rows."""
        return Places(*(column[rows] for column in self))


@dataclass(frozen=True, slots=True, eq=False)
class Matched:
    """What one detector found at some overlaps."""

    overlaps: list[float]
    most_boxes: int  # of an image and a class
    found: Array  # the number of the object that each box found, or 0: (n_overlaps, n_boxes)
    is_counted: Bool  # the boxes that are not ignored: (n_overlaps, n_boxes)
    score: Float
    boxes: Places
    numbers: Array  # of the objects, sorted
    objects: Places

    def in_order_of_images(self) -> Matched:
        """Break ties as COCO does: boxes stand in the order of the images, and the first is first.

        The scores become ranks.
        """
        order = np.argsort(-self.score, kind="stable")
        return replace(self, score=(order.size - order.argsort()).astype(np.float64))

    def hits(self) -> tuple[Index, Index, Index]:
        """The overlaps and boxes where one found an object, and the places of these objects."""
        at, box = ((self.found > 0) & self.is_counted).nonzero()
        return at, box, self.numbers.searchsorted(self.found[at, box])

    def false_boxes(self) -> tuple[Index, Index]:
        """The overlaps and boxes where one found none, of the classes that have objects."""
        has_objects = np.isin(self.boxes.category, self.objects.category)
        return ((self.found == 0) & self.is_counted & has_objects).nonzero()


def _evaluated(
    ground_truth: Any, results: Sequence[Any], iou_type: str, area: str
) -> tuple[list[str], Iterable[Any]]:
    """The name of each detector, and its COCOeval."""
    if hasattr(ground_truth, "evalImgs"):
        several = [f"detector {i}" for i in range(1, len(results) + 2)]
        return several if results else ["detector"], [ground_truth, *results]
    if not results:
        raise TypeError(
            f"from_coco takes a COCOeval, or the ground truth and then the results of detectors, "
            f"got {type(ground_truth).__name__} alone."
        )
    names = [
        f"detector {i}" if _is_read(result) else Path(result).stem
        for i, result in enumerate(results, 1)
    ]
    return names, _evaluate(ground_truth, results, iou_type, area)


def _evaluate(ground_truth: Any, results: Sequence[Any], iou_type: str, area: str) -> Iterator[Any]:
    """One COCOeval after the other, as each takes much memory; for one area, which takes less."""
    coco = import_extra("pycocotools.coco", "from_coco", "coco")
    cocoeval = import_extra("pycocotools.cocoeval", "from_coco", "coco")
    shape = {"bbox": "bbox", "segm": "segmentation"}.get(iou_type, iou_type)
    with redirect_stdout(io.StringIO()):  # it prints what it does
        if not hasattr(ground_truth, "loadRes"):
            ground_truth = _annotations(coco, ground_truth, shape)
    for result in results:
        with redirect_stdout(io.StringIO()):
            is_made = hasattr(result, "loadRes")
            boxes = result if is_made else _boxes(coco, ground_truth, result, shape)
            tool = _coco_eval(cocoeval, ground_truth, boxes, iou_type)
            tool.params.areaRng, tool.params.areaRngLbl = ([_range(tool.params, area)], [area])
            tool.evaluate()
        yield tool
        tool.evalImgs, tool.ious = [], {}


def _coco_eval(cocoeval: Any, *given: Any) -> Any:
    """A COCOeval, which sorts the numbers of images and of categories."""
    try:
        return cocoeval.COCOeval(*given)
    except TypeError as error:
        raise ValueError(
            f"pycocotools cannot sort the ids of images or of categories: {error}. Make those of "
            f"images all numbers or all texts, and those of categories, too."
        ) from error


def _range(params: Any, area: str) -> Any:
    """The least and the most pixels of an object."""
    areas = dict(zip(params.areaRngLbl, params.areaRng, strict=True))
    if area not in areas:
        raise ValueError(f"area must be one of {[*areas]}, got {area!r}.")
    return areas[area]


def _is_read(source: Any) -> bool:
    """Whether a source is more than a path."""
    return isinstance(source, list) or hasattr(source, "loadRes")


def _annotations(coco: Any, path: Any, shape: str) -> Any:
    """The objects of a file."""
    content = _content(path)
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
    return _with_index(coco, content)


def _content(path: Any) -> Any:
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{path} is no JSON: {error}.") from error


def _with_index(coco: Any, content: dict[str, Any]) -> Any:
    made = coco.COCO()
    made.dataset = content
    made.createIndex()
    return made


def _boxes(coco: Any, ground_truth: Any, source: Any, shape: str) -> Any:
    """The boxes of a file, or of a list."""
    is_list = isinstance(source, list)
    # Its boxes are copied, as pycocotools writes into them.
    boxes = [*map(copy, source)] if is_list else _content(source)
    path = "results" if is_list else source
    if not isinstance(boxes, list):
        raise ValueError(f"{path} must hold a list of boxes, as results of COCO do.")
    if not boxes:  # where loadRes fails
        return _with_index(coco, ground_truth.dataset | {"annotations": []})
    needed = ["image_id", "category_id", shape, "score"]
    if isinstance(boxes[0], dict) and np.size(boxes[0].get("bbox", [])):
        needed += ["bbox"]  # of all boxes, as loadRes computes their areas then
    _check_entries(path, "box", boxes, needed)
    unknown = {repr(b["category_id"]) for b in boxes if b["category_id"] not in ground_truth.cats}
    if unknown:
        few = ", ".join(sorted(unknown)[:3])
        warn(
            f"{path}: the ground truth has no category {few}, so such boxes are left out.",
            UserWarning,
        )
    try:
        return ground_truth.loadRes(boxes)
    except AssertionError as error:
        raise ValueError(
            f"{path}: {error}. The image_id of each box must be the id of an image of the ground "
            f"truth, a number where that is a number."
        ) from error


def _check_entries(path: Any, kind: str, entries: Any, needed: Sequence[str]) -> None:
    """Refuse what pycocotools cannot read."""
    checks = {name: FIELDS.get(f"{name} of {kind}", FIELDS[name]) for name in needed}
    for place, entry in enumerate(entries):
        lacking = [name for name in needed if not (isinstance(entry, dict) and name in entry)]
        if lacking:
            raise ValueError(f"{path}: {kind} {place} has no {lacking[0]}, which COCO needs.")
        for name, (is_right, what) in checks.items():
            if not is_right(entry[name]):
                found = reprlib.repr(entry[name])
                raise ValueError(f"{path}: {kind} {place} has the {name} {found}, not {what}.")


def _is_id(value: Any) -> bool:
    return isinstance(value, str) or _is_number(value)


def _is_number(value: Any) -> bool:
    # Most are of the first two types, which are known at once.
    return isinstance(value, (int, float, Real)) and isfinite(value)


def _are_numbers(values: Any) -> bool:
    return isinstance(values, list | tuple | np.ndarray) and all(map(_is_number, values))


def _is_box(values: Any) -> bool:
    return _are_numbers(values) and len(values) == 4


def _are_keypoints(values: Any) -> bool:
    return _are_numbers(values) and len(values) == 3 * N_KEYPOINTS


def _is_mask(mask: Any) -> bool:
    """Whether these are polygons of three corners or more, or lengths of runs."""
    if isinstance(mask, dict):
        size: Any = mask.get("size")
        runs = mask.get("counts")
        is_packed = isinstance(runs, str | bytes)
        return _are_numbers(size) and len(size) == 2 and (is_packed or _are_numbers(runs))
    return isinstance(mask, list) and bool(mask) and all(map(_is_polygon, mask))


def _is_polygon(corners: Any) -> bool:
    return _are_numbers(corners) and len(corners) >= 6 and len(corners) % 2 == 0


# What the fields are that pycocotools reads without a check, and what they must be.
FIELDS: dict[str, tuple[Callable[[Any], bool], str]] = {
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


def _matched(coco_eval: Any, overlap: float | None, area: str) -> Matched:
    """Read what a COCOeval keeps."""
    kept = getattr(coco_eval, "evalImgs", None)
    if not isinstance(kept, list) or not any(kept):
        raise ValueError(
            f"results must be COCOeval objects of pycocotools that have matched boxes: call "
            f"evaluate() first. Got {type(coco_eval).__name__} without evalImgs."
        )
    params = coco_eval.params
    pixels = _range(params, area)
    images = [each for each in kept if each and each["aRng"] == pixels]
    chosen = _overlaps(params.iouThrs, overlap)
    ignored, number, score = (
        np.array([*chain.from_iterable(each[name] for each in images)])
        for name in ("gtIgnore", "gtIds", "dtScores")
    )
    matches, is_ignored = (
        np.concatenate([each[name] for each in images], axis=1)[chosen]
        for name in ("dtMatches", "dtIgnore")
    )
    if 0 in number or np.unique(number).size < number.size:
        raise ValueError(
            "Each object needs a number of its own as its id, and none is 0, which is what "
            "pycocotools writes for a box that found no object: number them from 1."
        )
    is_object = ignored == 0
    if not is_object.any():
        raise ValueError(f"There are no objects to find; area is {area!r}.")
    order = np.flatnonzero(is_object)[number[is_object].argsort()]
    boxes, objects = _places(images, "dtIds"), _places(images, "gtIds")
    return Matched(
        overlaps=[float(params.iouThrs[i]) for i in chosen],
        most_boxes=images[0]["maxDet"],
        found=matches,
        is_counted=is_ignored == 0,
        score=score.astype(np.float64),
        boxes=boxes,
        numbers=number[order],
        objects=objects.take(order),
    )


def _overlaps(known: Array, overlap: float | None) -> list[int]:
    """The places of the overlaps that are wanted."""
    if overlap is None:
        return [*range(len(known))]
    equal = np.flatnonzero(np.isclose(known, overlap))
    if not equal.size:
        raise ValueError(f"overlap must be one of {np.round(known, 4).tolist()}, got {overlap!r}.")
    return equal.tolist()


def _places(images: list[Any], of: str) -> Places:
    """The class and image of each number in a list that all images have."""
    sizes = [len(each[of]) for each in images]
    columns = ([each[name] for each in images] for name in ("category_id", "image_id"))
    return Places(*(np.repeat(column, sizes) for column in columns))


def _in_rows(matched: dict[str, Matched], names: dict[Any, str]) -> MatchedDetections:
    """Lay the objects and the false boxes of all detectors below each other."""
    detectors = [*matched.values()]
    first, n_objects = detectors[0], detectors[0].numbers.size
    for name, each in matched.items():
        pairs = zip((each.numbers, *each.objects), (first.numbers, *first.objects), strict=True)
        rules, of_first = ((of.overlaps, of.most_boxes) for of in (each, first))
        if rules != of_first or not all(np.array_equal(*pair) for pair in pairs):
            raise ValueError(
                f"{name!r} was matched with other objects, at other overlaps or with other maxDets."
            )
    false = [each.false_boxes() for each in detectors]
    at, of_object = np.divmod(np.arange(len(first.overlaps) * n_objects), max(n_objects, 1))
    starts = at.size + np.cumsum([0, *(box.size for _, box in false)])
    scores = np.full((len(detectors), starts[-1]), -np.inf)
    place = np.full(starts[-1], first.score.size)  # in the first detector's order, as COCO ranks
    for row, each, start, (_, is_false) in zip(scores, detectors, starts[:-1], false, strict=True):
        overlap, hit, found = each.hits()
        rows = np.append(overlap * n_objects + found, np.arange(start, start + is_false.size))
        box = np.append(hit, is_false)
        row[rows] = each.score[box]
        if each is first:
            place[rows] = box
    at = np.concatenate((at, *(overlap for overlap, _ in false)))
    of_boxes = (each.boxes.take(box) for each, (_, box) in zip(detectors, false, strict=True))
    parts = zip(first.objects.take(of_object), *of_boxes, strict=True)
    order = np.lexsort((place, at))
    at, places = at[order], Places(*map(np.concatenate, parts)).take(order)
    categories, code = np.unique(places.category, return_inverse=True)
    called = [names.get(category, category) for category in categories.tolist()]
    ends = [f" at {overlap:g}" for overlap in first.overlaps] if len(first.overlaps) > 1 else [""]
    queries = np.array([[f"{name}{end}" for name in called] for end in ends], object)[at, code]
    y_scores = dict(zip(matched, scores[:, order], strict=True))
    classes = np.array([*map(str, called)], object)[code]
    is_object = order < starts[0]
    return MatchedDetections(is_object, y_scores, queries, places.image, n_objects, classes)


def _heard(call: Callable[..., Any], **given: Any) -> tuple[Any, list[warnings.WarningMessage]]:
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        return call(**given), heard


def _warn_of_classes(heard: dict[str, list[warnings.WarningMessage]]) -> None:
    """Warn once of each kind, with the classes of which it is said."""
    classes: dict[Any, list[str]] = {}
    texts: dict[Any, Any] = {}
    for name, messages in heard.items():
        for each in (message.message for message in messages):
            kind = getattr(each, "name", str(each))
            classes.setdefault(kind, []).append(name)
            texts.setdefault(kind, each)
    for kind, text in texts.items():
        first, *others = classes[kind]
        said = f"{text.args[0]} This is said of {first}"
        said += f", and holds for {first_and_more(others)}, too." if others else "."
        is_known = isinstance(text, UncertaintyWarning)
        warn(UncertaintyWarning(said, kind) if is_known else type(text)(said), type(text))


def _class_names(coco_eval: Any) -> dict[Any, str]:
    """The name of each class, if it is known and no other has it."""
    known = getattr(getattr(coco_eval, "cocoGt", None), "cats", {})
    names = {number: str(each.get("name", number)) for number, each in known.items()}
    return names if len({*names.values()}) == len(names) else {}
