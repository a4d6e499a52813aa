"""Names of types that the annotations of the whole package share.

An alias of ``Any`` stands for what no annotation can describe. Its comment says why, and what it
may be.
"""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # as these need not be installed
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
    from pandas import DataFrame as DataFrame  # type: ignore[import-untyped]
else:
    Axes = Figure = DataFrame = object

Array = NDArray[Any]  # of any type of numbers, or of names
Bool = NDArray[np.bool_]
Float = NDArray[np.float64]
Index = NDArray[np.intp]
Alternative = Literal["two-sided", "greater", "less"]  # what is asked of differences
NamedAverage = Literal["macro", "weighted", "micro", "samples"]  # of several rankings
FloatOrArray: TypeAlias = float | Float  # a value, or one for each of several rankings

Score: TypeAlias = "np.integer[Any] | np.floating[Any]"  # of a row, in the type of all scores

# What a user passes, before it is checked: the check says what it may be, and refuses the rest.
Argument: TypeAlias = Any
Label: TypeAlias = str | float | None  # a class in y_true, as pos_label names it
# Of a model, a query, a cluster or a segment: whatever a user names it with.
Name: TypeAlias = Hashable
# Rows in the container that a user has: lists, NumPy, pandas, polars, PyArrow, SciPy's sparse
# matrices or tensors, which share no type.
RowData: TypeAlias = Any
# Whatever has the methods of scikit-learn's estimators. It has no base class that all of them have.
Estimator: TypeAlias = object
Scorer: TypeAlias = Callable[..., float]  # of an estimator, X and y, as scikit-learn's
# PyArrow has no annotations.
ArrowTable: TypeAlias = Any  # of PyArrow: tables and batches
ArrowColumn: TypeAlias = Any  # of PyArrow, with the cells of a column
ArrowFile: TypeAlias = Any  # of PyArrow, from which it reads bytes
Json: TypeAlias = "bool | float | str | list[Json] | dict[str, Json] | None"
# Options that are handed on to a function of another library, or of NumPy.
Keywords: TypeAlias = dict[str, Any]
