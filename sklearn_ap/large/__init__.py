"""Counts of data that does not fit in memory: the same digits as in memory, from any engine.

Every source gives ``ThresholdCounts``, which definitions, intervals and displays take.

A file such as ``_from_table`` opens one kind of source. ``_chunks`` checks its rows, which
``_batches`` reads from Arrow, as many at a time as ``_files/formats.py`` reads of a file, and
``_passes`` counts them.
"""

from sklearn_ap.large._from_chunks import from_chunks
from sklearn_ap.large._from_dask import from_dask
from sklearn_ap.large._from_groups import from_groups
from sklearn_ap.large._from_spark import from_spark
from sklearn_ap.large._from_table import from_table

__all__ = ["from_chunks", "from_dask", "from_groups", "from_spark", "from_table"]
