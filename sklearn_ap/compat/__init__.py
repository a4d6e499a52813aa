"""What other tools call average precision, and why their numbers differ."""

from sklearn_ap.compat.choices import Choices, options
from sklearn_ap.compat.comparison import Comparison, compare
from sklearn_ap.compat.explanation import Explanation, explain
from sklearn_ap.compat.run import ToolError, score
from sklearn_ap.compat.tool_entry import Entry
from sklearn_ap.compat.tools import conventions, get

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
