"""To which inputs scikit-learn and we answer differently: the lines of differences.tsv."""

from typing import NamedTuple

from sklearn_ap.compat._tools import read_table


class Difference(NamedTuple):
    """An input to which scikit-learn and ``sklearn_ap`` answer differently.

    Parameters
    ----------
    input : str
        What is passed, in words.
    call : str
        The same as an expression, in which names are those of scikit-learn or ours: ``Display`` is
        PrecisionRecallDisplay or AveragePrecisionDisplay, and ``folds`` are the cv, X and y of a
        cross-validation.
    scikit_learn, sklearn_ap : str
        The answers: a value of at most four digits or the name of an exception, and of a warning.
        The answer of scikit-learn is that of version 1.6. Others may follow, each with the version
        since which it holds.
    why : str
        What scikit-learn does, and why we do something else.
    """

    input: str
    call: str
    scikit_learn: str
    sklearn_ap: str
    why: str


def differences() -> tuple[Difference, ...]:
    """List the inputs to which scikit-learn and ``sklearn_ap`` answer differently.

    All other inputs that scikit-learn's ``average_precision_score`` takes give the same number
    here, to 1e-12. Displays are compared with ``PrecisionRecallDisplay``, and scorers with
    ``scoring="average_precision"``. Both check their rows as the score does.

    Returns
    -------
    tuple of Difference
        Each input with the call, the answer of scikit-learn by version, ours, and why. pandas makes
        a table of them: ``pd.DataFrame(compat.differences())``.

    See Also
    --------
    explain : Why the number of another tool differs.

    Examples
    --------
    >>> from sklearn_ap import compat
    >>> first, *others = compat.differences()
    >>> first.call
    'average_precision_score([1, 2, 1, 2], [0.1, 0.4, 0.35, 0.8])'
    >>> first.scikit_learn, first.sklearn_ap
    ('0.4167', 'ValueError')
    """
    return tuple(Difference(**row) for row in read_table("differences.tsv"))
