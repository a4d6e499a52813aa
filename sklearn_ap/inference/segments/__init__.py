"""Whether a model is worse in a segment.

In reading order: ``compare_segments`` (also which segments can be tested), ``_scores`` (the score
of each segment, and which are among the others with which it is compared), ``_rows`` (which rows
belong to which segment).
"""
