"""What other tools call average precision, and why their numbers differ."""

from sklearn_ap.compat.choices import Choices
from sklearn_ap.compat.comparison import Comparison, compare
from sklearn_ap.compat.entry import Entry
from sklearn_ap.compat.explanation import Explanation, explain
from sklearn_ap.compat.lookup import ToolError, conventions, get, options, score

__all__ = [
    "Choices",
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
