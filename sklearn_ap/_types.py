"""Names of types that the annotations of the whole package share.

An alias of ``object`` stands for what a check or another library looks at, and one with ``Any`` for
what no annotation can describe. Its comment says what it may be. Protocols say what is used of
types that other libraries do not annotate.
"""

from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any, Literal, Protocol, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:  # as these need not be installed
    from matplotlib.axes import Axes as Axes
    from matplotlib.figure import Figure as Figure
    from matplotlib.lines import Line2D as Line2D
    from pandas import DataFrame as DataFrame  # type: ignore[import-untyped]
else:
    Axes = Figure = Line2D = DataFrame = object

Array = NDArray[Any]  # of any type of numbers, or of names
Bool = NDArray[np.bool_]
Float = NDArray[np.float64]
Index = NDArray[np.intp]
Alternative = Literal["two-sided", "greater", "less"]  # what is asked of differences
NamedAverage = Literal["macro", "weighted", "micro", "samples"]  # of several rankings
FloatOrArray: TypeAlias = float | Float  # a value, or one for each of several rankings

Score: TypeAlias = "np.integer[Any] | np.floating[Any]"  # of a row, in the type of all scores

# What a user passes, before it is checked: the check says what it may be, and refuses the rest.
Argument: TypeAlias = object
Label: TypeAlias = str | float | None  # a class in y_true, as pos_label names it
# Of a model, a query, a cluster or a segment: whatever a user names it with.
Name: TypeAlias = Hashable
# Rows in the container that a user has: lists, NumPy, pandas, polars, PyArrow, SciPy's sparse
# matrices or tensors, which share no type.
RowData: TypeAlias = object
# Whatever has the methods of scikit-learn's estimators. It has no base class that all of them have.
Estimator: TypeAlias = object
Scorer: TypeAlias = Callable[..., float]  # of an estimator, X and y, as scikit-learn's
Json: TypeAlias = "bool | float | str | list[Json] | dict[str, Json] | None"
# Options of a function of another library, such as Matplotlib's plot: each has a type of its own,
# which only that library checks.
Keywords: TypeAlias = dict[str, Any]


class Ordered(Protocol):
    """A name that sorts among others of its type."""

    def __hash__(self) -> int: ...
    def __lt__(self, other: Self, /) -> bool: ...


class PandasIndex(Protocol):
    """The names of the rows of pandas, which has no annotations."""

    is_unique: bool

    def __len__(self) -> int: ...
    def __getitem__(self, rows: slice | Index, /) -> Self: ...
    def equals(self, other: Self, /) -> bool: ...
    def isin(self, others: Self, /) -> Bool: ...
    def to_numpy(self) -> Array: ...
    def tolist(self) -> list[Name]: ...


class DeviceArray(Protocol):
    """An array of the array API standard, whose functions its library has."""

    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    @property
    def dtype(self) -> object: ...
    def __getitem__(self, rows: slice, /) -> Self: ...


class SparseMatrix(Protocol):
    """A sparse matrix or array of SciPy."""

    @property
    def ndim(self) -> int: ...
    @property
    def shape(self) -> tuple[int, ...]: ...
    def astype(self, dtype: type[np.float64], /) -> object: ...


class NamedColumns(Protocol):
    """A frame of pandas or polars, a table of PyArrow, or a dict."""

    def __getitem__(self, column: Name, /) -> object: ...
