"""Labels and scores in, the counts that every average precision is made of out."""

from sklearn_ap.counts._counting import count, threshold_counts
from sklearn_ap.counts._thresholds import ThresholdCounts, from_cells, ratio

__all__ = ["ThresholdCounts", "count", "from_cells", "ratio", "threshold_counts"]
