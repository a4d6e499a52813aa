"""What other tools call average precision, and why their numbers differ."""

from sklearn_ap.compat.lookup import ToolError, conventions, get, options, score
from sklearn_ap.compat.report import Comparison, Explanation, compare, explain
from sklearn_ap.compat.table import Entry

__all__ = [
    "Comparison",
    "Entry",
    "Explanation",
    "ToolError",
    "compare",
    "conventions",
    "explain",
    "get",
    "options",
    "score",
]
