"""
Airplanes and geese
===================

Sancho McCann ("It's a bird... it's a plane... it... depends on your classifier's threshold") lets
a system rank ten images, of which five show airplanes. It puts these at ranks 1, 2, 4, 6 and 10.
"""

import numpy as np

from sklearn_ap import (
    AveragePrecisionDisplay,
    average_precision_score,
    definitions,
    eleven_point_average_precision_score,
    interpolated_average_precision_score,
    precision_at_k_score,
    recall_at_k_score,
)

airplane = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
score = np.linspace(1, 0.1, 10)

# %%
# Each cutoff retrieves the images above it, with a precision and a recall.

print("retrieved  precision  recall")
for k in range(1, 11):
    precision = precision_at_k_score(airplane, score, k=k)
    recall = recall_at_k_score(airplane, score, k=k)
    print(f"top {k:>2} {precision:>12.0%} {recall:>8.0%}")

# %%
# The sum of the precisions at which recall rises, times the rise, approximates the area under the
# curve: (1 + 1 + 3/4 + 4/6 + 5/10) / 5. McCann adds rounded terms and prints 0.782. Interpolated
# average precision takes the best precision at the same recall or a higher one. Here precision
# never rises again between two airplanes, so only the eleven levels of PASCAL VOC 2007 make a
# difference.

print(f"approximated  {average_precision_score(airplane, score):.4f}")
print(f"interpolated  {interpolated_average_precision_score(airplane, score):.4f}")
print(f"eleven-point  {eleven_point_average_precision_score(airplane, score):.4f}")

AveragePrecisionDisplay.from_predictions(
    airplane,
    score,
    definition=[
        definitions.Step(),
        definitions.Interpolated(),
        definitions.Interpolated(recall_levels=11),
    ],
)

# %%
# With the airplane at rank 4 moved to rank 5, precision first falls and then rises again, and the
# envelope lies above the steps.

worse = np.array([1, 1, 0, 0, 1, 1, 0, 0, 0, 1])
AveragePrecisionDisplay.from_predictions(
    worse, score, definition=[definitions.Step(), definitions.Interpolated()]
)
