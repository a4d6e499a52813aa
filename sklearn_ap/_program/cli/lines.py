"""Lines of the terminal: folded ones, and messages in the words of the command line.

It imports no NumPy, as --help is printed without.
"""

import re
import textwrap

from sklearn_ap._extras import printable

TERMINAL_WIDTH = 80
# Phrases in messages of functions, and the same in the words of the command line.
OPTION_NAMES = {
    "sample_weight": "--weight",
    "inclusion_probability": "--inclusion-probability",
    "y_true": "--label",
    "relevance_level": "--relevance-level",
    "prevalence='own'": "--prevalence own",
    "clusters= in the place of queries=": "--cluster in the place of --query",
    "of one segment use average_precision_interval": "of one segment use sklearn-ap score",
    "confidence_level": "--confidence-level",
    "complete=True": "--complete",
    "compat.compare(..., tools='all')": "compare --all",
}


def line(kind: str, message: str) -> str:
    """Write an error or a warning in one line."""
    return f"sklearn-ap: {kind}: {printable(' '.join(name_options(message).split()))}\n"


def name_options(message: str) -> str:
    """Name options of the command line in a message of a function about its arguments."""
    options = "k|near|prevalence|precision|recall|guarantee|cost|reference|margin"
    message = re.sub(rf"^({options}) ", r"--\1 ", message)
    names = "|".join(map(re.escape, OPTION_NAMES))
    # Neither quoted words, which may be names of columns, nor parts of a path are replaced.
    pattern = rf"(?<![\w'\"/\\.-])({names})(?![\w'\"/\\-]|\.\w)"
    return re.sub(pattern, lambda match: OPTION_NAMES[match[1]], message)


def fold(text: str, width: int = TERMINAL_WIDTH) -> str:
    """Break lines that are too wide; the rest stands below the second column, if there is one."""
    lines = []
    for wide_line in text.splitlines():
        # " 0.7167  sklearn.auc" -> 9 spaces
        indent = len(wide_line) - len(re.sub(r"^\s*(\S+ {2,})?", "", wide_line))
        lines += textwrap.wrap(wide_line, width, subsequent_indent=" " * indent) or [""]
    return "\n".join(lines)
