"""A model, its data and its folds, for tests of scorers."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

X, Y = load_breast_cancer(return_X_y=True)
X, Y = X[::2, :8], Y[::2]
QUERY = np.arange(len(Y)) // 10
STRICT = {"error_score": "raise"}


def model(alpha=1.0):
    return make_pipeline(StandardScaler(), RidgeClassifier(alpha=alpha))


def splits():
    return list(StratifiedKFold(3).split(X, Y))
