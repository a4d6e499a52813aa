"""What other tools call average precision, and why their numbers differ."""

from sklearn_ap.compat._choices import Choices, options
from sklearn_ap.compat._comparison import Comparison, compare
from sklearn_ap.compat._evaluation import ToolError, score
from sklearn_ap.compat._explanation import Explanation, explain
from sklearn_ap.compat._tool_entry import Entry
from sklearn_ap.compat._tools import conventions, get

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
