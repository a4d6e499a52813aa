"""What the command line reads, computes and prints."""

from sklearn_ap._cli.columns import FileError
from sklearn_ap._cli.example import example
from sklearn_ap._cli.files import Table, read
from sklearn_ap._cli.output import WIDTH, fold, written
from sklearn_ap._cli.scores import scores

__all__ = ["WIDTH", "FileError", "Table", "example", "fold", "read", "scores", "written"]
