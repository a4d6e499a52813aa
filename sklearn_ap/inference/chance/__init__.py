"""Whether a score is higher than by chance.

In reading order: ``chance_test``, ``_shuffles`` (the scores of random orders).
"""
