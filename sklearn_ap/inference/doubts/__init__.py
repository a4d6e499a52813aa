"""What makes a result doubtful.

``score_doubts`` doubts scores that look like classes, are coarse, or miss rows of other models;
``sample_doubts`` doubts samples of few clusters, or of few negatives.
"""
