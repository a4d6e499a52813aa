"""Pictures of scores: the precision-recall display.

Import from ``sklearn_ap``, not from here.
"""
