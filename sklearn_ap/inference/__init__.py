"""Questions about scores: how certain they are, and how much data that takes.

Import from ``sklearn_ap``, not from here.
"""
