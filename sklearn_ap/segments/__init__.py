"""Whether a model is worse in one segment of the rows than in another."""

from sklearn_ap.segments._comparison import SegmentComparison, compare_segments

__all__ = ["SegmentComparison", "compare_segments"]
