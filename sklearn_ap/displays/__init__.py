"""Pictures of scores: the precision-recall display.

Import from ``sklearn_ap``, not from here. ``display`` has the class, ``_displayed_rankings`` the
scores and lines of its rankings, and ``_drawing`` the curves, the chance levels and the legend.
"""
