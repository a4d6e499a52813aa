"""What the tests of displays draw, and how they read it."""

import numpy as np
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression

from sklearn_ap import threshold_counts
from tests.helpers.registry import DEFINITIONS

Y_TRUE = [1, 1, 0, 1, 0, 1, 0, 0, 0, 1]
Y_SCORE = [0.9, 0.8, 0.8, 0.7, 0.6, 0.6, 0.4, 0.3, 0.3, 0.1]
PICTURED = [d for d in DEFINITIONS if d.line(threshold_counts(Y_TRUE, Y_SCORE)) is not None]
X, Y = make_classification(600, weights=[0.8], flip_y=0.1, random_state=0)
QUERIES = np.repeat(np.arange(40), 15)
SCORES = LogisticRegression().fit(X, Y).decision_function(X)
CLASSES = np.random.default_rng(3).integers(0, 4, 200)
COLUMNS = np.eye(4)[CLASSES] + np.random.default_rng(4).normal(0, 0.5, (200, 4))


def area(line):
    """The area under a line as it is drawn."""
    return np.trapezoid(line.get_ydata(), line.get_xdata())


def legend_texts(axis):
    return [text.get_text() for text in axis.get_legend().get_texts()]


def folds_of(*rankings):
    return [threshold_counts(y_true, y_score) for y_true, y_score in rankings]
