"""Inputs to which scikit-learn and this package answer differently."""

from sklearn_ap._extras import import_extra
from sklearn_ap._types import DataFrame
from sklearn_ap.compat._tool_functions import read_table


def differences() -> DataFrame:
    """List the inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    All other inputs that scikit-learn's ``average_precision_score`` takes give the same number
    here, to 1e-12. Displays are compared with ``PrecisionRecallDisplay``, and scorers with
    ``scoring="average_precision"``. Both check their rows as the score does.

    Returns
    -------
    pandas.DataFrame
        For each input, the call, the answers, and why. They have at most four digits, and those of
        scikit-learn are of version 1.6 and, where they differ, of later ones.

    See Also
    --------
    explain : Why the number of another tool differs.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> compat.differences().loc["no positives", "sklearn_ap"]
    '0 and UndefinedMetricWarning'
    """
    pandas = import_extra("pandas", "differences", "pandas")
    return pandas.DataFrame([*read_table("scikit_learn_differences.tsv")]).set_index("input")
