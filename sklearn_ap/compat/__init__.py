"""What other tools call average precision, and why their numbers differ.

A file is a question: ``_score`` (the number of a tool), ``_compare`` (the numbers of many tools,
and those nearest to a number), ``_explain`` (why two differ), ``_identify`` (which one a function
computes) and ``_scikit_learn_differences``. ``_tool_names`` finds the functions of a name,
``_tool_functions`` reads their choices from the tables, ``_tool_formulas`` computes these, and
``_answers`` are what a function answers to predictions.
"""

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
