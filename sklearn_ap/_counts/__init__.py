"""Counting: how many positives and negatives score at and above each threshold.

``counting`` counts rankings, whose scores ``sorting`` sorts, long ones in ``_threads``, or
``_on_device`` where scores are on a graphics card.
``thresholds`` are the counts, with what definitions ask of them: sums within rankings, ranks of k,
and another prevalence. ``hit_curve`` has these counts as shares of all rows.
"""
