"""The door: what the user passed comes in, clean NumPy arrays go out."""

from sklearn_ap._inputs.arrays import to_numpy
from sklearn_ap._inputs.checks import RELATIVE_TOLERANCE, check_numbers, check_prevalence
from sklearn_ap._inputs.group_codes import is_missing
from sklearn_ap._inputs.rankings import Average, Rankings, warn_if_weights_end_before
from sklearn_ap._inputs.request import Request, check_binary, check_rankings

__all__ = [
    "RELATIVE_TOLERANCE",
    "Average",
    "Rankings",
    "Request",
    "check_binary",
    "check_numbers",
    "check_prevalence",
    "check_rankings",
    "is_missing",
    "to_numpy",
    "warn_if_weights_end_before",
]
