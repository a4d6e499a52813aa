"""
Draw one curve per class
========================

With several classes, each class is ranked against all others by its own column of scores. The
display draws one curve per class, or the mean curve.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import train_test_split

from sklearn_ap import AveragePrecisionDisplay, average_precision_score

X, y = load_digits(n_class=6, return_X_y=True)
X, X_test, y, y_test = train_test_split(X[:, :24] / 16, y, stratify=y, random_state=0)
model = LogisticRegression().fit(X, y)

AveragePrecisionDisplay.from_estimator(model, X_test, y_test)

# %%
# ``average="macro"`` draws the mean of these curves. The area under it is the macro average.

scores = model.predict_proba(X_test)
figure, axis = plt.subplots(layout="constrained")
for average in ("macro", "micro"):
    AveragePrecisionDisplay.from_predictions(
        y_test, scores, average=average, plot_chance_level=False, ax=axis
    )
    print(f"{average} {average_precision_score(y_test, scores, average=average):.3f}")
