"""Names of queries, clusters and segments become ranks in the order of the names."""

import datetime

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sklearn_ap._inputs.arrays import are_known, as_column
from sklearn_ap._inputs.codes import encode_names, list_names

TEXTS = ["", "a", "b", "ab", "abcdefgh", "abcdefghi", "abcdefgh\0", "a\0", "a\0b", "é", "Ā", "Ω"]
PAIRS = np.empty(3, object)
PAIRS[:] = [("a", 1), ("a",), ("A", 2)]
# Names that one way or another could take for each other, or put into another order.
NAMES = [
    np.array([2**62, 2**62 + 1, -(2**63), 0]),
    np.array([2**64 - 1, 2**64 - 3, 5], np.uint64),
    np.array([127, -128, 0, -1], np.int8),
    np.array([0, 250, 3], ">i4"),
    np.array([0.0, -0.0, 1e300, 0.5, -1e300]),
    np.array([1, np.nextafter(np.longdouble(1), 2)], np.longdouble),
    np.array([True, False]),
    np.array(["b", "ab", "é", ""]),
    np.array(["abcdefgh", "abcdefghi", "b"]),
    np.array(TEXTS),
    np.array([*"ba", "ÿ"], ">U8"),
    np.array(TEXTS, object),
    np.array([b"b", b"\xff", b"", b"a\0b"]),
    np.array([-1, 2**53 + 1, 2**53, 0.5, 10**30], object),  # a float would round the second
    np.array([True, 1, 1.0, 0, np.True_, 2], object),  # True and 1 are one name, as in Python
    np.array(["2024-03-01", "2024-04-10", "2023-12-31"], "M8[D]"),
    np.array([-5, 10**15, 0], "m8[s]"),
    np.array([datetime.date(2024, 3, 1), datetime.date(2023, 1, 1)], object),
    PAIRS,
]


@pytest.mark.parametrize("repeat", [np.tile, np.repeat])
@given(distinct=st.sampled_from(NAMES), places=st.lists(st.integers(0, 99), min_size=1))
def test_codes_are_ranks_in_the_order_of_names(repeat, distinct, places):
    """Where rows of a name stand side by side, and where they do not."""
    names = repeat(distinct[np.array(places) % distinct.size], 30)
    expected = sorted({*names.tolist()} if names.dtype == object else np.unique(names))
    codes, found = encode_names("queries", names)
    assert codes.tolist() == [expected.index(name) for name in names]
    assert [*found] == expected
    assert codes.dtype == np.intp


@pytest.mark.parametrize("place", [0, 15, 29])
@pytest.mark.parametrize("run", [1, 10])
@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, np.float32("nan"), "NaT"])
def test_missing_names_are_refused_anywhere(missing, run, place):
    kind = "M8[D]" if isinstance(missing, str) else getattr(missing, "dtype", object)
    names = np.repeat(np.arange(30 // run), run).astype(kind)
    names[place] = missing
    with pytest.raises(
        ValueError, match=rf"^queries contains NaN or another missing value, first in row {place}\."
    ):
        encode_names("queries", names)


@pytest.mark.parametrize(
    ("names", "text"),
    [
        ([1, "a", 1, "a"], "order: int and str. Make them all"),
        ([{}, {}, 1, 1], "queries has names without an order: dict and int"),
    ],
)
def test_names_without_an_order_are_refused(names, text):
    with pytest.raises(ValueError, match=text):
        encode_names("queries", np.array(names, object))


@pytest.mark.parametrize("unit", [f"M8[{u}]" for u in "YMDhms"])
@pytest.mark.parametrize("stored", ["ns", "s"])
def test_dates_are_listed_in_their_longest_exact_unit(unit, stored):
    """As 2024-03, and not as 2024-03-01T00:00:00."""
    distinct = np.array([0, 1, 3], unit)
    names = list_names(distinct.astype(f"{unit[:2]}[{stored}]"))
    assert [*map(str, names)] == [*map(str, distinct)]


def test_a_list_of_names_keeps_their_types():
    assert as_column("queries", ["a", "a\0", 1], 3).tolist() == ["a", "a\0", 1]
    assert as_column("queries", pd.DataFrame({"q": [3, 4]}), 2).tolist() == [3, 4]
    whole = [2**53 + 1, 2**53, 0.5]  # a float would make one name of two
    assert as_column("queries", whole, 3).tolist() == whole


def test_known_values_are_those_that_are_not_missing():
    table = np.array([[None, "a"], [pd.NA, 0], [pd.NaT, np.nan]], object)
    assert are_known(table).tolist() == [[False, True], [False, True], [False, False]]
    assert are_known(np.array(["NaT", 1], "M8[D]")).tolist() == [False, True]
