"""The door: what the user passed comes in, clean NumPy arrays go out."""

from sklearn_ap._inputs.arrays import to_numpy
from sklearn_ap._inputs.checks import RELATIVE_TOLERANCE, check_numbers
from sklearn_ap._inputs.group_codes import is_missing
from sklearn_ap._inputs.rankings import Average, Rankings, warn_if_weights_end_before
from sklearn_ap._inputs.request import Request, check_binary, check_models, check_rankings
from sklearn_ap._inputs.targets import NOT_RETRIEVED, check_binary_targets
from sklearn_ap._inputs.weights import check_weights, without_weightless_rows

__all__ = [
    "NOT_RETRIEVED",
    "RELATIVE_TOLERANCE",
    "Average",
    "Rankings",
    "Request",
    "check_binary",
    "check_binary_targets",
    "check_models",
    "check_numbers",
    "check_rankings",
    "check_weights",
    "is_missing",
    "to_numpy",
    "warn_if_weights_end_before",
    "without_weightless_rows",
]
