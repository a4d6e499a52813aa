"""The door: what the user passed comes in, clean NumPy arrays go out."""

from sklearn_ap._inputs.arrays import as_column, columns_by_name, to_numpy
from sklearn_ap._inputs.checks import (
    FEW,
    check_numbers,
    check_prevalence,
    no_definition,
    predicted_classes,
    real_number,
    same_order,
)
from sklearn_ap._inputs.estimators import (
    PROBABILITIES,
    RAW_SCORES,
    Fold,
    check_cv_results,
    check_not_classes,
    in_order_of,
    predict,
    predict_folds,
    predict_rows,
    ranking_scorer,
)
from sklearn_ap._inputs.name_codes import is_missing
from sklearn_ap._inputs.rankings import Average, Averaged, Rankings, warn_if_weights_end_before
from sklearn_ap._inputs.request import Request, check_binary, check_models, check_rankings
from sklearn_ap._inputs.targets import NOT_RETRIEVED, check_targets, known_labels
from sklearn_ap._inputs.tolerances import AS_FLOAT32, EQUAL, RELATIVE_TOLERANCE, TINY
from sklearn_ap._inputs.unknown_options import (
    elsewhere,
    explains_options,
    near_names,
    unknown_option,
)
from sklearn_ap._inputs.user_line import warn
from sklearn_ap._inputs.weights import check_weights, without_weightless_rows
