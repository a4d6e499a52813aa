"""Labels and scores in, the counts that every average precision is made of out."""

from sklearn_ap.counts.counting import count, threshold_counts
from sklearn_ap.counts.thresholds import ThresholdCounts, from_cells, ratio

__all__ = ["ThresholdCounts", "count", "from_cells", "ratio", "threshold_counts"]
