"""Both answers of each line of scikit_learn_differences.tsv, with the installed scikit-learn.

CI runs this with the oldest that we support and with the newest.
"""

import warnings
from inspect import signature
from numbers import Real

import differences_page as page
import numpy as np
import pytest
import sklearn
import sklearn.metrics
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import cross_validate

import sklearn_ap
from sklearn_ap import compat
from sklearn_ap._errors import InputError, InputTypeError

plt = pytest.importorskip("matplotlib.pyplot")
pd = pytest.importorskip("pandas")

ROWS = [*compat.differences().reset_index().itertuples()]
THEIRS = {
    "average_precision_score": sklearn.metrics.average_precision_score,
    "Display": sklearn.metrics.PrecisionRecallDisplay,
    "get_scorer": sklearn.metrics.get_scorer,
}
OURS = {
    "average_precision_score": sklearn_ap.average_precision_score,
    "Display": sklearn_ap.AveragePrecisionDisplay,
    "get_scorer": sklearn_ap.get_scorer,
}

every_row = pytest.mark.parametrize("row", ROWS, ids=lambda row: row.input)


def version(text):
    return tuple(map(int, text.split(".")[:2]))


def folds():
    X, y = np.array(10 * [[0], [1]]), np.array(10 * [0, 1])
    options = {"return_estimator": True, "return_indices": True}
    return cross_validate(LogisticRegression(), X, y, **options), X, y


def answer(call, names):
    """What a call gives, as the table writes it."""
    models = {"LinearRegression": LinearRegression, "LogisticRegression": LogisticRegression}
    with warnings.catch_warnings(record=True) as heard:
        warnings.simplefilter("always")
        # scikit-learn's solver and a newer SciPy, and numpy.matrix
        warnings.simplefilter("ignore", DeprecationWarning)
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        data = {"folds": folds()} if "folds" in call else {}
        try:
            value = eval(call, {"np": np, "pd": pd, **names, **models, **data})
        except Exception as error:
            return kind_of_error(error)
        finally:
            plt.close("all")
    text = f"{round(float(value), 4):g}" if isinstance(value, Real) else str(value)
    return " and ".join([text, *sorted({each.category.__name__ for each in heard})])


def kind_of_error(error):
    """The class of an error; of ours the built-in one of which it is a kind."""
    kinds = {InputTypeError: "TypeError", InputError: "ValueError"}
    return kinds.get(type(error), type(error).__name__)


def installed(cell):
    """The answer of the installed version: "1" or "IndexError" of "1, since 1.9 IndexError"."""
    found, *changes = cell.split(", since ")
    for change in changes:
        since, later = change.split(" ", 1)
        found = later if version(sklearn.__version__) >= version(since) else found
    return found


@every_row
def test_scikit_learn_answers_as_the_table_states(row):
    assert answer(row.call, THEIRS) == installed(row.scikit_learn)


@every_row
def test_sklearn_ap_answers_as_the_table_states(row):
    assert answer(row.call, OURS) == row.sklearn_ap


@every_row
def test_displays_refuse_what_the_score_refuses(row):
    if row.sklearn_ap == "ValueError" and row.call.startswith("average_precision_score"):
        call = row.call.replace("average_precision_score", "Display.from_predictions")
        assert answer(call, OURS) == "ValueError"


def test_every_row_is_an_input_of_its_own_that_differs_and_says_why():
    assert len({row.input for row in ROWS}) == len({row.call for row in ROWS}) == len(ROWS)
    for row in ROWS:
        assert row.scikit_learn != row.sklearn_ap
        assert row.why.endswith(".")


def test_changes_that_are_coming_have_not_been_released():
    """If one has, write its row in scikit_learn_differences.tsv."""
    counts = getattr(sklearn.metrics, "confusion_matrix_at_thresholds", None)  # since 1.8
    scores = np.array([0.1, 0.2, 0.3], np.float32)
    if counts is not None:
        assert counts([0, 1, 1], scores)[3].dtype == np.float64
        weights = np.array([1e-7, 1e-8, 1])
        assert counts([0, 1, 1], scores, sample_weight=weights)[3][-1] == 1 + 1e-8
    assert "replaced_undefined_by" not in signature(sklearn.metrics.precision_score).parameters


def test_differences_page_is_up_to_date():
    assert page.PAGE.read_text() == page.page(), "run python docs/differences_page.py"
    assert sum(f"`{row.call}`" in page.PAGE.read_text() for row in ROWS) == len(ROWS)
