"""What the command line reads, computes and prints."""

from sklearn_ap._cli.example import example
from sklearn_ap._cli.output import WIDTH, fold, written
from sklearn_ap._cli.predictions import Predictions, read
from sklearn_ap._cli.scores import scores

__all__ = ["WIDTH", "Predictions", "example", "fold", "read", "scores", "written"]
