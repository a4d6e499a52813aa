"""What makes a result doubtful.

``score_doubts`` doubts scores that look like classes, are coarse, or were judged in unequal shares;
``missing_results`` models that found nothing in many images or for many queries; ``sample_doubts``
samples of few clusters, or of few negatives.
"""
