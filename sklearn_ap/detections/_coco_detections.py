"""What ``from_coco`` found: rows of one area, and the matches of all areas and overlaps."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from sklearn_ap._errors import InputError
from sklearn_ap._results.doubt import issue
from sklearn_ap._types import Name
from sklearn_ap.detections._matched import (
    MatchedDetections,
    Reasons,
    heard_warnings,
    numbers_of_objects,
    warn_of_parts,
)
from sklearn_ap.detections._matches import DetectorMatches
from sklearn_ap.detections._rows import stack_rows
from sklearn_ap.inference.doubts.missing_results import replace_missing_results
from sklearn_ap.inference.interval import Interval, average_precision_interval, join_intervals

ALL_AREAS = "all"
PRINTED_OVERLAPS = {"AP50": 0.5, "AP75": 0.75}  # beside the mean over all of them


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class CocoDetections(MatchedDetections):
    """The objects of images and the false boxes of detectors, as COCO's evaluators matched them.

    ``from_coco`` makes it. It is ``MatchedDetections``, whose scores know the definition of COCO:
    functions take it if no ``definition`` is passed. ``summary`` has the numbers that COCO prints.

    Parameters
    ----------
    y_true, y_scores, queries, clusters, classes : as in MatchedDetections
        Of one area, at all overlaps or at one of them.

    See Also
    --------
    from_coco : Makes it.
    """

    _option_of_images = "images='common'"

    _areas: Mapping[str, Mapping[str, DetectorMatches]] = field(default_factory=dict)

    def summary(self, *, confidence_level: float = 0.95) -> Interval:
        """Compute the numbers that COCO prints, with their intervals.

        These are AP, the mean over ten overlaps; AP50 and AP75, at an overlap of 0.5 and of 0.75;
        and AP of small, medium and large objects. They are equal to the first numbers of
        ``coco_eval.stats``, whatever ``overlap``, ``area`` and ``ties`` were passed to
        ``from_coco``: equal scores are ranked as COCO ranks them.

        Parameters
        ----------
        confidence_level : float, default=0.95
            How often these intervals should contain the true value.

        Returns
        -------
        Interval
            A number for each of ``names``, such as "AP50", or ("yolo", "AP50") of several
            detectors. It is nan for an area without objects, where COCO prints -1. An object counts
            once.
        """
        parts = {number: stack_rows(matches, "coco") for number, matches in self._printed_numbers()}
        intervals: dict[Name, Interval] = {}
        n_objects: list[int] = []
        reasons: Reasons = {}
        for detector in self.y_scores:
            for number, found in parts.items():
                with heard_warnings(reasons, number):
                    interval = average_precision_interval(
                        **found[detector], confidence_level=confidence_level, zero_division=np.nan
                    )
                intervals[(detector, number) if len(self.y_scores) > 1 else number] = interval
                n_objects.append(found.n_objects)
        warn_of_parts(reasons)
        joined = join_intervals(
            [*intervals.values()],
            tuple(intervals),
            self._sample(self.definition),
            **numbers_of_objects(n_objects),
        )
        doubts = replace_missing_results(joined.doubts, self._missing_results())
        issue(doubts)
        return replace(joined, doubts=doubts)

    def _printed_numbers(self) -> Iterator[tuple[str, dict[str, DetectorMatches]]]:
        """Yield the name of each number that COCO prints, and the matches of all detectors."""
        for area, matches in self._areas.items():
            check_same_objects(matches)
            yield "AP" if area == ALL_AREAS else f"AP {area}", {**matches}
            overlaps = next(iter(matches.values())).truth.overlaps if area == ALL_AREAS else ()
            for name, overlap in PRINTED_OVERLAPS.items():
                if overlap in overlaps:
                    yield name, {k: detector.at(overlap) for k, detector in matches.items()}


def check_same_objects(matches: Mapping[str, DetectorMatches]) -> None:
    """Refuse detectors that were matched in other ways than the first."""
    first, *others = matches
    for name in others:
        if not matches[name].truth.equals(matches[first].truth):
            raise InputError(
                f"{name!r} was matched with other objects or images, at other overlaps or with "
                f"other maxDets than {first!r}."
            )
