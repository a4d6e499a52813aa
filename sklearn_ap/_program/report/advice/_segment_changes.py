"""What segments change in the parts of a report that count all rows."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from sklearn_ap._program.report.advice._lead_within_segments import (
    LeadWithin,
)
from sklearn_ap._program.report.advice._leads import Lead
from sklearn_ap._program.report.advice._reversals import (
    Reversal,
)
from sklearn_ap._program.report.segments.columns import Column
from sklearn_ap._program.report.segments.within import FallWithin
from sklearn_ap._program.report.segments.worst import (
    WorstSegment,
)


class Changes(NamedTuple):
    """What segments change in parts that count all rows."""

    columns: Mapping[str, Column]  # by the title of their part
    worst: Sequence[WorstSegment]
    latest: Sequence[WorstSegment]  # those of them that are the latest, or on a falling trend
    trends: Sequence[Column]
    reversals: Sequence[Reversal]
    rivals: Sequence[Reversal]  # better in the latest segment, where the best one has not fallen
    told: Sequence[WorstSegment]  # for which a threshold says what it finds
    second_fall: Reversal | None  # the latest time, if the second of two models alone has fallen
    leads: Sequence[Lead]  # of the best model without odd segments
    lead_within: LeadWithin | None  # single segments, whose scores are on different scales
    falls: Mapping[str, FallWithin]  # inside a segment, by the name of its column
    doubts: Mapping[str, Sequence[str]]  # by the name of the column
