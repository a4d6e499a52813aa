"""What the command line reads, computes and prints."""

from sklearn_ap._cli.example import example
from sklearn_ap._cli.output import WIDTH, fold, written
from sklearn_ap._cli.predictions import Predictions, read
from sklearn_ap._cli.scores import conventions, measures, scores

__all__ = [
    "WIDTH",
    "Predictions",
    "conventions",
    "example",
    "fold",
    "measures",
    "read",
    "scores",
    "written",
]
