"""What other tools call average precision, and why their numbers differ."""

from sklearn_ap.compat._compare import compare
from sklearn_ap.compat._explain import Explanation, explain
from sklearn_ap.compat._identify import Identity, identify
from sklearn_ap.compat._score import ToolError, get_scorer, score
from sklearn_ap.compat._tool_tables import NearestTable, ToolTable

__all__ = [
    "Explanation",
    "Identity",
    "NearestTable",
    "ToolError",
    "ToolTable",
    "compare",
    "explain",
    "get_scorer",
    "identify",
    "score",
]
