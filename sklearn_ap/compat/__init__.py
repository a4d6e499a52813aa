"""What other tools call average precision, and why their numbers differ."""

from sklearn_ap.compat._comparison import ToolTable, compare
from sklearn_ap.compat._differences import Differences, differences
from sklearn_ap.compat._evaluation import ToolError, score
from sklearn_ap.compat._explanation import Explanation, explain
from sklearn_ap.compat._scorer import get_scorer

__all__ = [
    "Differences",
    "Explanation",
    "ToolError",
    "ToolTable",
    "compare",
    "differences",
    "explain",
    "get_scorer",
    "score",
]
