"""Matched objects and boxes, as the arguments of scores, intervals and comparisons."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np

from sklearn_ap._arithmetic import order_by_ranking
from sklearn_ap._inputs.codes import encode_names, list_names
from sklearn_ap._inputs.rows_of_models import RowsOfModels
from sklearn_ap._results.doubt import issue
from sklearn_ap._results.sample import Sample
from sklearn_ap._scoring import check_definition
from sklearn_ap._types import Array, Bool, Float, Index, Name
from sklearn_ap._writing.text import counts_as_text, names_as_text
from sklearn_ap._writing.warning import UncertaintyWarning, warn
from sklearn_ap.definitions import Definition, Interpolated
from sklearn_ap.inference.interval import Interval, average_precision_interval, join_intervals

# COCO compares recall with np.linspace(0, 1, 101), where 0.7 and nine others are rounded up, so
# that a recall of 7/10 is below its level. The next recall is further away than 1e-9.
HUNDREDTHS = np.arange(101) / 100
COCO_LEVELS = np.where(np.linspace(0, 1, 101) > HUNDREDTHS, HUNDREDTHS + 1e-9, HUNDREDTHS)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MatchedDetections(RowsOfModels):
    """The objects of images and the false boxes of detectors, with the score of each detector.

    There is a row for each object, whose score is minus infinity where a detector missed it, and a
    row for each false box, with the score of its detector and minus infinity for all others. There
    are such rows for each overlap. An image without any has one row, a box that no detector found,
    which changes no score, so that the image counts as a cluster.

    ``**found`` passes the arguments of a comparison of all detectors, and ``**found["yolo"]`` those
    of a score or an interval of one.

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
    classes : ndarray of shape (n_rows,), default=None
        The class, whatever the overlap. None takes the queries.

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

    _model = "detector"
    _arguments = ("y_true", "y_scores", "queries", "clusters")
    _row_columns = {"query": "queries", "cluster": "clusters", "y_true": "y_true"}  # noqa: RUF012

    y_true: Bool
    y_scores: dict[str, Float]
    queries: Array
    clusters: Array
    classes: Array | None = None

    @property
    def definition(self) -> Interpolated:
        """The definition of COCO, to the last digit: ten of its levels are rounded up."""
        return Interpolated(COCO_LEVELS)

    @property
    def n_objects(self) -> int:
        """How many objects there are. Each has a row at each overlap, and counts once."""
        classes, _ = self._encode_classes()
        ranking, rankings = encode_names("queries", self.queries)
        class_of_ranking = np.empty(rankings.size, np.intp)
        class_of_ranking[ranking] = classes
        n_rankings = np.bincount(class_of_ranking)
        n_positives = np.bincount(classes, np.asarray(self.y_true, bool))
        return int(np.rint(n_positives / n_rankings).sum())

    def of_class(self, name: str) -> MatchedDetections:
        """Take the objects and boxes of one class, at all overlaps.

        Parameters
        ----------
        name : str
            The class.

        Returns
        -------
        MatchedDetections
            Its rows, and all images.
        """
        for class_name, part in self._by_class():
            if str(class_name) == str(name):
                return part
        names = list_names(self._encode_classes()[1])
        raise KeyError(f"No class with objects is named {name!r}. There are {names}.")

    def class_intervals(
        self,
        detector: str,
        *,
        definition: Definition | str | None = None,
        confidence_level: float = 0.95,
    ) -> Interval:
        """Compute the average precision of each class, over its overlaps, with its interval.

        Parameters
        ----------
        detector : str
            The name of a detector.
        definition : Definition or str, default=None
            The definition of average precision, or its name. None takes ``definition``, that of
            COCO's table of classes, whose digits need ``ties="coco"`` of ``from_coco``, too.
        confidence_level : float, default=0.95
            How often these intervals should contain the true value.

        Returns
        -------
        Interval
            A number for each class. An object counts once.
        """
        definition = self.definition if definition is None else check_definition(definition)
        intervals: dict[Name, Interval] = {}
        n_objects: list[int] = []
        reasons: dict[type[Warning], dict[str, Warning]] = {}  # by kind, then by class
        for name, part in self._by_class():
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                intervals[name] = average_precision_interval(
                    **part[detector], definition=definition, confidence_level=confidence_level
                )
            n_objects.append(part.n_objects)
            for reason in (cast(Warning, warning.message) for warning in caught):
                reasons.setdefault(type(reason), {})[str(name)] = reason
        reasons.pop(UncertaintyWarning, None)  # as results have their doubts
        _warn_of_classes(reasons)
        n_images = encode_names("clusters", self.clusters)[1].size
        sample = Sample(definition=definition, unit="cluster", n_units=n_images)
        joined = join_intervals(
            [*intervals.values()],
            tuple(intervals),
            sample,
            n_positives=np.array(n_objects, np.float64),
            prevalence=np.full(len(intervals), np.nan),  # rows are no sample of boxes
        )
        issue(joined.doubts)
        return joined

    def _encode_classes(self) -> tuple[Index, Array]:
        return encode_names("classes", self.queries if self.classes is None else self.classes)

    def _by_class(self) -> Iterator[tuple[Name, MatchedDetections]]:
        """Yield each class and its rows, with a row for each image without any of them."""
        codes, distinct = self._encode_classes()
        image, images = encode_names("clusters", self.clusters)
        row_of_image = np.empty(images.size, np.intp)
        row_of_image[image] = np.arange(image.size)
        ends = np.bincount(codes).cumsum()[:-1]
        rows_of_classes = np.split(order_by_ranking(codes, distinct.size), ends)
        for name, rows in zip(list_names(distinct), rows_of_classes, strict=True):
            row = np.append(rows, np.delete(row_of_image, image[rows]))
            is_own = np.arange(row.size) < rows.size
            # Rows of empty images share the query and the class of the first row.
            place = np.where(is_own, row, rows[0])
            part = MatchedDetections(
                y_true=np.where(is_own, self.y_true[row], False),
                y_scores={k: np.where(is_own, y[row], -np.inf) for k, y in self.y_scores.items()},
                queries=self.queries[place],
                clusters=self.clusters[row],
                classes=None if self.classes is None else self.classes[place],
            )
            yield name, part

    @property
    def heading(self) -> str:
        numbers = counts_as_text(
            detector=len(self.y_scores),
            ranking=len({*self.queries}),
            image=len({*self.clusters}),
            object=self.n_objects,
        )
        return f"MatchedDetections: {numbers}"


def _warn_of_classes(reasons: dict[type[Warning], dict[str, Warning]]) -> None:
    """Warn once of all classes with one kind of warning, with the reason of the first."""
    for kind, reason_of_class in reasons.items():
        first, reason = next(iter(reason_of_class.items()))
        classes = names_as_text([*reason_of_class])
        warn(f"Intervals of classes may be unreliable: {classes}. Of {first}: {reason}", kind)
