"""
Find out why two libraries disagree
===================================

Tools give different "average precisions" for the same predictions. ``compat`` reproduces what they
compute, and says which of six choices makes the difference.
"""

import numpy as np

from sklearn_ap import compat

y_true = np.array([1, 1, 0, 1, 0, 1, 0, 0, 0, 1])
y_score = np.array([0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1])

# %%
# This shows all tools on one axis. Functions with equal numbers are together.

compat.compare(y_true, y_score, k=3).plot()

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
