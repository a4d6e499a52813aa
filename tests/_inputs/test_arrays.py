"""Arrays of other libraries give the same float, with scikit-learn's dispatch on or off."""

import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import sklearn
from sklearn import config_context
from sklearn.base import BaseEstimator
from sklearn.linear_model import LogisticRegression

from sklearn_ap import (
    average_precision_score,
    interpolated_average_precision_score,
    make_ranking_scorer,
    threshold_counts,
)
from sklearn_ap._inputs import arrays
from sklearn_ap._inputs.arrays import as_array

# SciPy reads the variable when it is imported, so dispatch on needs a process of its own.
DISPATCH = os.environ.get("SCIPY_ARRAY_API") == "1"

Y, S = np.array([1, 0, 1, 0, 1, 0]), np.array([0.75, 1.0, 0.5, 0.25, 0.5, 0.125])
WEIGHT, QUERY = np.array([1.0, 2.0, 0.5, 4.0, 0.0, 1.0]), np.array([3, 3, 1, 1, 3, 1])
CLASSES, THREE = np.array([0, 2, 0, 2]), np.arange(12.0).reshape(4, 3) % 5


class OnlyDLPack:
    """An array as CuPy's are: it exports DLPack, and refuses to become a NumPy array otherwise."""

    def __init__(self, array, device="cpu"):
        self.array, self.device = np.asarray(array), device

    def __dlpack_device__(self):
        return (1, 0) if self.device == "cpu" else (2, 0)

    def __dlpack__(self, *, dl_device=None, **options):
        if self.device != "cpu" and dl_device != (1, 0):
            raise BufferError(f"It is on {self.device}.")
        return self.array.__dlpack__(**options)


class OnlyArray:
    """An array that exports ``__array__``."""

    def __init__(self, array):
        self.array = np.asarray(array)
        self.dtype = self.array.dtype

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.array, dtype)


def of(module, function, **options):
    return lambda array: getattr(pytest.importorskip(module), function)(array, **options)


LIBRARIES = {
    "NumPy": np.asarray,
    "DLPack alone": OnlyDLPack,
    "__array__ alone": OnlyArray,
    "pandas": lambda array: pd.Series(array) if array.ndim == 1 else pd.DataFrame(array),
    "array_api_strict": of("array_api_strict", "asarray"),
    "PyTorch": of("torch", "tensor"),
    "JAX": of("jax.numpy", "asarray"),
    "Dask": of("dask.array", "from_array", chunks=2),
}


@pytest.fixture(autouse=True)
def dispatch():
    with config_context(array_api_dispatch=DISPATCH):
        yield


class Ranker(BaseEstimator):
    """A model whose features are its predictions."""

    def predict(self, X):
        return X


SCORER = make_ranking_scorer(average_precision_score, response_method="predict")


def of_queries(to, rows):
    options = {"sample_weight": WEIGHT, "queries": QUERY, "n_positives": np.array([1.0, 4.5])}
    options = {name: to(array) for name, array in options.items()}
    return average_precision_score(rows(Y), rows(S), **options)


CALLS = [
    lambda to: SCORER(Ranker(), to(S), to(Y)),
    lambda to: of_queries(to, to),
    lambda to: of_queries(to, np.asarray),
    lambda to: average_precision_score(
        to(CLASSES), to(THREE), labels=to(np.arange(3)), average=None, zero_division=0.0
    ),
    lambda to: threshold_counts(to(Y.astype(bool)), to(S.astype(np.float32))).tps,
    lambda to: interpolated_average_precision_score(Y, S, recall_levels=to(S[2:4])),
]


@pytest.mark.parametrize("convert", LIBRARIES.values(), ids=LIBRARIES)
def test_arrays_of_other_libraries_give_the_same_float(convert):
    for call in CALLS:
        np.testing.assert_array_equal(call(convert), call(np.asarray))


def test_an_array_on_another_device_is_copied():
    if tuple(map(int, np.__version__.split(".")[:2])) < (2, 1):
        pytest.skip("NumPy 2.0 cannot ask for a copy")
    remote = [OnlyDLPack(array, device="cuda") for array in (Y, S)]
    assert average_precision_score(*remote) == average_precision_score(Y, S)


class OnMars(OnlyDLPack):
    """It cannot be read in any way; the error of the first is told."""

    def __dlpack__(self, *, dl_device=None, **options):
        raise BufferError("It is on Mars." if dl_device is None else "No memory.")


ARGUMENTS = ["y_true", "y_score", "sample_weight", "queries", "n_positives", "labels"]
UNREADABLE = {
    "requires grad": (of("torch", "tensor", requires_grad=True), "requires grad"),
    "on Mars": (OnMars, r"It is on Mars\.$"),
}


@pytest.mark.parametrize("argument", ARGUMENTS)
@pytest.mark.parametrize(("convert", "advice"), UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_array_error_names_argument_and_conversion(convert, advice, argument):
    several = argument == "labels"
    arguments = {"y_true": CLASSES, "y_score": THREE} if several else {"y_true": Y, "y_score": S}
    arguments[argument] = convert(np.array([0.5, 1.0, 0.25]))
    message = f"^{argument} of the type .* cannot be read as a NumPy array: .*{advice}"
    with pytest.raises(ValueError, match=message):
        average_precision_score(**arguments)


@pytest.mark.slow
@pytest.mark.skipif(
    tuple(map(int, sklearn.__version__.split(".")[:2])) < (1, 7),
    reason="older versions need array_api_compat to dispatch",
)
def test_array_api_dispatch_gives_the_same_float():
    tests = f"{__file__}::{test_arrays_of_other_libraries_give_the_same_float.__name__}"
    run = subprocess.run(
        # The libraries that scikit-learn dispatches to; the others take seconds to import.
        [sys.executable, "-m", "pytest", "-n", "0", "-k", "strict or Torch", tests],
        env=os.environ | {"SCIPY_ARRAY_API": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stdout
    assert " passed" in run.stdout


def test_tables_have_names_of_columns_even_that_of_the_attribute():
    names = ["columns", "column_names"]
    for frame in (pd.DataFrame, pl.DataFrame, pa.table):
        assert arrays.names_of_columns(frame({name: [1] for name in names})) == names
    assert arrays.names_of_columns(pd.Series([1])) == arrays.names_of_columns(S) == []


NUMBERS = np.arange(30)
ROWS = pd.Series(NUMBERS)


@pytest.mark.parametrize(
    ("first", "second", "text"),
    [
        (ROWS, ROWS[::-1], r"Pass b\.loc\[a\.index\]"),
        (ROWS, ROWS.set_axis([*range(20), *range(29, 19, -1)]), "another order"),
        (
            ROWS.set_axis(NUMBERS // 2),
            ROWS.set_axis(NUMBERS[::-1] // 2),
            "Pass them in one order",
        ),
        (ROWS.set_axis(NUMBERS + 5), ROWS.set_axis(NUMBERS + 20), "share only a part"),
        (ROWS.set_axis(["b", *"a" * 29]), ROWS.set_axis(["c", *"a" * 29]), "share only a part"),
        (ROWS[::-1], ROWS[::-1], None),
        (ROWS.set_axis(NUMBERS + 5), ROWS.set_axis(NUMBERS + 1), None),  # as R numbers rows
        (ROWS, ROWS.set_axis(NUMBERS + 1)[::-1], None),  # other names say nothing
        (ROWS, ROWS.set_axis(["a", *range(29)]), None),
        (ROWS, ROWS.set_axis(NUMBERS // 2), None),
        (ROWS, NUMBERS[::-1], None),
    ],
)
def test_indexes_of_the_same_rows_in_another_order_and_of_partly_the_same_are_refused(
    first, second, text
):
    if text is None:
        arrays.check_same_order(a=first, b=second)
        arrays.check_same_order(a=second, b=first)
    else:
        other = ROWS.set_axis(NUMBERS + 100)  # each is compared with each
        with pytest.raises(ValueError, match=f"The indexes of a and b .*{text}"):
            arrays.check_same_order(z=other, a=first, c=NUMBERS, b=second)


def test_an_empty_array_of_any_type_has_no_wrong_number():
    for kind in complex, str, object, "M8[s]":
        assert arrays.check_numbers("y_score", np.array([], kind)).size == 0


@pytest.mark.parametrize(
    ("model", "remedy"),
    [
        (LogisticRegression(), r"Pass its scores, such as model.predict_proba\(X\)\[:, 1\]"),
        (SimpleNamespace(cv_results_={}), r"what candidate_predictions\(search, X, y\) gives"),
    ],
)
def test_a_model_in_place_of_its_scores_is_refused_with_the_remedy(model, remedy):
    with pytest.raises(ValueError, match=f"^y_score must be an array .* got .*{remedy}"):
        as_array("y_score", model)


def test_too_little_memory_is_no_error_of_an_array():
    class Large(OnlyArray):
        def __array__(self, *args, **options):
            raise MemoryError

    with pytest.raises(MemoryError):
        average_precision_score(Y, Large(S))
