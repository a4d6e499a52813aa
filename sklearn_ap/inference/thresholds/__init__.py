"""Which threshold to take, and what holds there.

In reading order: ``operating_point``, ``goals`` (what a threshold must reach, and which one does),
``_guarantees`` (which thresholds hold in new data, and where no guarantee is given), ``_cuts`` (the
counts at each threshold), ``_shares`` (their shares with limits) and ``_doubts``.
"""
