"""What other tools call average precision, and why their numbers differ."""

from sklearn_ap.compat._comparison import Comparison, compare
from sklearn_ap.compat._evaluation import ToolError, score
from sklearn_ap.compat._explanation import Explanation, explain

__all__ = ["Comparison", "Explanation", "ToolError", "compare", "explain", "score"]
