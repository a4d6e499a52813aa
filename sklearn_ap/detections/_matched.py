"""Matched objects and boxes, as the arguments of scores, intervals and comparisons."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import ClassVar, TypeAlias
from zlib import crc32

import numpy as np

from sklearn_ap._arithmetic import order_by_ranking
from sklearn_ap._errors import InputError
from sklearn_ap._inputs.codes import encode_names, list_names
from sklearn_ap._inputs.rows_of_models import RowsOfModels
from sklearn_ap._inputs.sourced_scores import Source, SourcedScores
from sklearn_ap._results.doubt import Doubt, issue
from sklearn_ap._results.sample import Sample
from sklearn_ap._scoring import check_definition
from sklearn_ap._types import Alternative, Array, Bool, Float, Index, Name
from sklearn_ap._writing.text import counts_as_text, names_as_text
from sklearn_ap._writing.warning import UncertaintyWarning, hear_warnings, warn
from sklearn_ap.definitions import Definition, Interpolated
from sklearn_ap.inference.comparison import compare_average_precision, join_comparisons
from sklearn_ap.inference.comparison_result import Comparison
from sklearn_ap.inference.doubts.missing_results import missing_results
from sklearn_ap.inference.interval import (
    Interval,
    average_precision_interval,
    join_intervals,
    mark_objects,
)

Reasons: TypeAlias = dict[type[Warning], dict[str, Warning]]  # by kind, then by class

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
    _option_of_images: ClassVar[str] = ""  # that leaves out images without boxes
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
        reasons: Reasons = {}
        for name, part in self._by_class():
            with heard_warnings(reasons, name):
                intervals[name] = average_precision_interval(
                    **part[detector], definition=definition, confidence_level=confidence_level
                )
            n_objects.append(part.n_objects)
        warn_of_parts(reasons)
        joined = join_intervals(
            [*intervals.values()],
            tuple(intervals),
            self._sample(definition),
            **numbers_of_objects(n_objects),
        )
        issue(joined.doubts)
        return mark_objects(joined, self._checksum_of_objects())

    def compare_classes(
        self,
        reference: str | None = None,
        *,
        definition: Definition | str | None = None,
        confidence_level: float = 0.95,
        alternative: Alternative = "two-sided",
    ) -> Comparison:
        """Compare the detectors in each class, over its overlaps, on the same images.

        Parameters
        ----------
        reference : str, default=None
            The detector that the others are compared with. None takes the first.
        definition : Definition or str, default=None
            As in ``class_intervals``.
        confidence_level : float, default=0.95
            How often all intervals of differences, those of all classes, should contain the true
            values.
        alternative : {"two-sided", "greater", "less"}, default="two-sided"
            As in ``compare_average_precision``.

        Returns
        -------
        Comparison
            A number for each class and detector, whose ``names`` are pairs of a detector and a
            class. Differences are those of ``compare_average_precision(**found.of_class(name))``.
            Their limits and p-values allow for the number of classes, by Bonferroni's rule.

        Examples
        --------
        >>> import numpy as np
        >>> from sklearn_ap import detections
        >>> rng = np.random.default_rng(0)
        >>> is_object = rng.random(3000) < 0.4
        >>> detectors = {"first": 1.0, "second": 1.5}
        >>> found = detections.MatchedDetections(
        ...     y_true=is_object,
        ...     y_scores={
        ...         name: strength * is_object + rng.normal(size=3000)
        ...         for name, strength in detectors.items()
        ...     },
        ...     queries=rng.choice(["cat", "dog"], 3000),
        ...     clusters=rng.integers(0, 300, 3000),
        ... )
        >>> found.compare_classes()
        AP at 101 recall levels, 95% intervals over 300 clusters, simultaneous for
        differences
                     estimate             positives  effective  difference from first   p-value
        first   cat  0.70 (0.67 to 0.74)        647      197.7  –                             –
        second  cat  0.84 (0.81 to 0.86)        647      197.7  +0.13 (+0.09 to +0.18)  <0.0001
        first   dog  0.69 (0.64 to 0.72)        572      204.2  –                             –
        second  dog  0.81 (0.77 to 0.84)        572      204.2  +0.12 (+0.08 to +0.17)  <0.0001
        second is better than first in cat: +0.13 (95% interval +0.09 to +0.18).
        second is better than first in dog: +0.12 (95% interval +0.08 to +0.17).
        """  # noqa: RUF002
        detectors = [*self.y_scores]
        reference = detectors[0] if reference is None else str(reference)
        if reference not in detectors:
            raise InputError(f"reference must be one of {detectors}, got {reference!r:.70}.")
        definition = self.definition if definition is None else check_definition(definition)
        comparisons: dict[Name, Comparison] = {}
        n_objects: list[int] = []
        reasons: Reasons = {}
        for name, part in self._by_class():
            with heard_warnings(reasons, name):
                comparisons[name] = compare_average_precision(
                    **part,
                    reference=reference,
                    definition=definition,
                    confidence_level=confidence_level,
                    alternative=alternative,
                )
            n_objects.append(part.n_objects)
        warn_of_parts(reasons)
        joined = join_comparisons(
            comparisons,
            self._sample(definition),
            self._missing_results(),
            **numbers_of_objects(np.repeat(n_objects, len(detectors))),
        )
        issue(joined.doubts)
        return joined

    def _sample(self, definition: Definition) -> Sample:
        """Describe the images, of scores that each have their own rankings."""
        n_images = encode_names("clusters", self.clusters)[1].size
        return Sample(definition=definition, unit="cluster", n_units=n_images)

    def _checksum_of_objects(self) -> int:
        """Return a number that only detections of the same objects in the same images share."""
        code, classes = self._encode_classes()
        image, images = encode_names("clusters", self.clusters)
        cell = code * images.size + image
        n_objects = np.bincount(cell, np.asarray(self.y_true, bool), classes.size * images.size)
        names = repr((list_names(classes), list_names(images)))
        return crc32(names.encode() + n_objects.astype(np.uint32).tobytes())

    def _missing_results(self) -> list[Doubt]:
        """Doubt detectors that have no box of any class in many images."""
        image, _ = encode_names("clusters", self.clusters)
        return missing_results(
            [*self.y_scores.values()],
            [*self.y_scores],
            self.y_true,
            image,
            ("image", "box"),
            self._option_of_images,
        )

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
                y_scores={
                    name: SourcedScores.of(
                        np.where(is_own, scores[row], -np.inf),
                        getattr(scores, "source", Source())._replace(n_rows=0),
                    )
                    for name, scores in self.y_scores.items()
                },
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
        return f"{type(self).__name__}: {numbers}"


@contextmanager
def heard_warnings(reasons: Reasons, part: Name) -> Iterator[None]:
    """Keep the warnings of a part of the data, such as a class, for ``warn_of_parts``."""
    with hear_warnings() as heard:
        yield
    for reason in heard:
        reasons.setdefault(type(reason), {})[str(part)] = reason


def warn_of_parts(reasons: Reasons) -> None:
    """Warn once of all parts with one kind of warning, with the reason of the first.

    Doubts are left out, as results have them.
    """
    for kind, reason_of_part in reasons.items():
        if kind is not UncertaintyWarning:
            first, reason = next(iter(reason_of_part.items()))
            parts = names_as_text([*reason_of_part])
            warn(f"Intervals of classes may be unreliable: {parts}. Of {first}: {reason}", kind)


def numbers_of_objects(n_objects: Sequence[int] | Index) -> dict[str, Float]:
    """Return numbers of objects in the place of those of rows, which are no sample of boxes."""
    return {
        "n_positives": np.array(n_objects, np.float64),
        "prevalence": np.full(len(n_objects), np.nan),
    }
