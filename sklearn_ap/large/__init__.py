"""Counts of data that does not fit in memory: the same digits as in memory, from any engine.

Every source gives ``ThresholdCounts``, which definitions, intervals and displays take.
"""

from sklearn_ap.large._histogram import ScoreHistogram
from sklearn_ap.large._on_chunks import from_chunks
from sklearn_ap.large._on_dask import from_dask
from sklearn_ap.large._on_spark import from_spark
from sklearn_ap.large._on_tables import from_table

__all__ = ["ScoreHistogram", "from_chunks", "from_dask", "from_spark", "from_table"]
