"""Whether a model is worse in a segment.

In reading order: ``compare_segments``, ``_scores`` (the score of each segment, and what it is
compared with), ``_rows`` (which rows belong to which segment).
"""
