"""
Find out why two libraries disagree
===================================

Tools give different "average precisions" for the same predictions. ``compat`` reproduces what they
compute, and says which of six choices makes the difference.
"""

import matplotlib.pyplot as plt
import numpy as np

from sklearn_ap import compat

y_true = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
y_score = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1])

# %%
# These are ten well-known functions.

compat.compare(y_true, y_score)

# %%
# This shows six of them on one axis.

functions = {
    "scikit-learn": "sklearn.average_precision_score",
    "XGBoost": "xgboost.aucpr",
    "COCO": "COCO",
    "VOC 2007": "VOC 2007",
    "Keras": "keras.AUC_PR_interpolation",
    "MLmetrics in R": "MLmetrics.PRAUC",
}
values = {tool: compat.score(name, y_true, y_score) for tool, name in functions.items()}
figure, axis = plt.subplots(figsize=(4.4, 3), layout="constrained")
axis.plot([*values.values()], range(6), "o")
for row, value in enumerate(values.values()):
    axis.annotate(f"{value:.3f}", (value, row), (0, 5), textcoords="offset points", ha="center")
axis.axvline(values["scikit-learn"], color="0.5", linestyle=":")
axis.set_yticks(range(6), values)
axis.set(xlabel='"average precision" of ten predictions', ylim=(5.5, -0.8))
axis.margins(x=0.15)

# %%
# Why does XGBoost's ``aucpr`` differ from scikit-learn's number?

compat.explain("xgboost.aucpr", y_true, y_score)

# %%
# Why does MLmetrics in R differ?

compat.explain("MLmetrics.PRAUC", y_true, y_score)

# %%
# Keras counts scores in 200 bins between 0 and 1. It clips margins, unless you set
# ``from_logits=True``: all scores above 1 are tied, and all below 0.

margins = np.log(y_score / (1 - y_score))
compat.explain("keras.AUC_PR_interpolation", y_true, margins)
