"""What other tools call average precision, and why their numbers differ."""

from sklearn_ap.compat._compare import NearestTable, ToolTable, compare
from sklearn_ap.compat._explain import Explanation, explain
from sklearn_ap.compat._identify import Identity, identify
from sklearn_ap.compat._scikit_learn_differences import differences
from sklearn_ap.compat._score import get_scorer, score

__all__ = [
    "Explanation",
    "Identity",
    "NearestTable",
    "ToolTable",
    "compare",
    "differences",
    "explain",
    "get_scorer",
    "identify",
    "score",
]
