"""
Score a detector that missed objects
====================================

A detector proposes boxes with scores. Each box that matches an object is a hit, and the others are
false alarms. Some objects are matched by no box, so they have no score. They are positives, too:
recall ends below 1, and precision beyond it is 0. ``n_positives`` says how many objects there were.
"""

import numpy as np

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_score,
    compat,
    definitions,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
)

rng = np.random.default_rng(8)
hit = (rng.random(24) < np.linspace(0.9, 0.2, 24)).astype(int)
score = np.linspace(0.99, 0.2, 24)
n_objects = 20
print(f"{hit.sum()} of {n_objects} objects found by {hit.size} boxes")

# %%
# PASCAL VOC 2007 averages the envelope, the largest precision at a recall or a higher one, at
# eleven levels of recall. The levels that no box reaches count as 0. The dotted line is the
# precision of boxes in random order.

AveragePrecisionDisplay.from_predictions(
    hit, score, n_positives=n_objects, definition=definitions.Interpolated(recall_levels=11)
)

# %%
# Since 2010, VOC averages over all recalls. COCO averages at 101 levels. Without ``n_positives``
# the missed objects do not count, and the score is too high.

for name, value in {
    "VOC 2007": eleven_point_average_precision_score(hit, score, n_positives=n_objects),
    "VOC 2010": interpolated_average_precision_score(hit, score, n_positives=n_objects),
    "COCO": interpolated_average_precision_score(
        hit, score, recall_levels=101, n_positives=n_objects
    ),
    "step": average_precision_score(hit, score, n_positives=n_objects),
    "step, missed objects forgotten": average_precision_score(hit, score),
}.items():
    print(f"{name:<31} {value:.3f}")

# %%
# Code for VOC 2007 compares recalls with floats. If three of ten objects are found, their recall,
# 3/10, does not reach the level 0.30000000000000004, and the precision at this level is lost. Ports
# of the kit to Python lose those at 0.6 and 0.7 in the same way, which MATLAB counts from 1
# downwards. Here levels are exact.

found = np.array([1, 1, 1, 0, 0, 1, 1, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 0, 1])
order = np.arange(20, 0, -1)
print(f"exact levels {eleven_point_average_precision_score(found, order):.4f}")
print(f"the kit      {compat.score('VOC 2007', found, order):.4f}")
print(f"a port       {compat.score('chainercv.calc_detection_voc_ap_07', found, order):.4f}")
