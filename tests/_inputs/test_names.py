"""Names of queries become numbers in the order of the names."""

import numpy as np
import pandas as pd
import pytest
from sklearn_ap._base.inputs import name_codes


def check(names):
    names = np.asarray(names)
    codes, n_names = name_codes.encode_names(names, "queries")
    distinct, expected = np.unique(names, return_inverse=True)
    np.testing.assert_array_equal(codes, expected)
    assert (n_names, codes.dtype) == (distinct.size, np.intp)


@pytest.mark.parametrize("factor", [name_codes.HASH_FACTOR, 1])
@pytest.mark.parametrize(
    "names",
    [
        [3, 3, 5, 9],
        [9, 9, 3, 5, 3],
        [2**62] * 50 + [2**62 + 1] * 5 + [0, 2**62 + 2],  # few are not the first in their slot
        [2**62, 2**62 + 2, 2**62 + 1, -(2**62)],  # most are not
        [2**62, 2**62 + 2, 2**62 + 1] * 20 + [-(2**62)],
        np.array([2**64 - 1, 5, 2**64 - 3, 2**64 - 1], np.uint64),
        np.array([120, -120, 120, 0], np.int8),
        np.array([127, -128, 127, 0] * 16, np.int8),
        np.arange(2**15, -(2**15), -1, dtype=np.intp).astype(np.int16),
        [0.0, -0.0, 1e300, 0.5, -1e300] * 20,
        np.array([0.5, 2, 0.5, -1], np.float32),
        np.array([1, np.nextafter(np.longdouble(1), 2), -1, 1], np.longdouble),
        [True, False, True],
        np.array(["b", "a", "longer", "b"]),
        ["a silent query", "a listen query"] * 20,
        np.array([b"b", b"\xff", b"", b"a\0b", b"b"]),
        np.array(["b", "a", "c", "a"] * 10, dtype=object),
        *(np.array([3, -1, 3, 2, 10, 0], object) * by for by in (1, 2**61 - 1, 10**30)),
        np.array([2**53 + 1, 2**53, 0.5, 2**63], object),  # a float would round the first
        np.array([-5, 10**15, 0, -5], "timedelta64[s]"),
    ],
)
def test_codes_follow_the_sort_order_of_names(names, factor, monkeypatch):
    monkeypatch.setattr(name_codes, "HASH_FACTOR", factor)  # with 1, upper bits or sums are shared
    check(names)


ODD = ["", "z", "12345678", "123456789", "a\0b", "\0", "\xff", "Ā", "Ω", "\U0001f600", "Z"]


@pytest.mark.parametrize("row", [0, 700, 1700, 2499])
@pytest.mark.parametrize("dtype", ["=U9", ">U9", "U21"])
def test_string_codes_follow_sort_order_with_an_odd_string_anywhere(subtests, row, dtype):
    for odd in ODD:
        with subtests.test(f"names[{row}] = {odd!r}"):
            names = np.random.default_rng(0).integers(0, 300, 2500).astype(dtype)
            names[row] = odd
            check(names)


@pytest.mark.parametrize("place", [0, 15, 29])
@pytest.mark.parametrize(
    "missing", [None, np.nan, pd.NA, np.float64("nan"), np.datetime64("NaT", "D")]
)
def test_missing_names_are_refused_at_any_position(missing, place):
    names = np.repeat(np.arange(3), 10).astype(getattr(missing, "dtype", object))
    names[place] = missing
    with pytest.raises(ValueError, match=r"^queries contains missing values\. Give them a name"):
        name_codes.encode_names(names, "queries")


@pytest.mark.parametrize(
    "names",
    [[True, 1], [1, True, 1], [0, 2, False], [1.0, 2.0, True] * 5, [np.True_, 1, 0]],
)
def test_names_that_mix_bools_and_numbers_are_refused(names):
    text = r"^clusters has names of several types: .*bool.*\. Give them one\.$"
    with pytest.raises(ValueError, match=text):
        name_codes.encode_names(np.array(names, object), "clusters")


@pytest.mark.parametrize(
    "names", [[True, False], [True, 2], [np.True_, np.False_], [1, 1.0, 2], [0, 1]]
)
def test_equal_names_of_one_kind_share_a_code(names):
    codes, n_names = name_codes.encode_names(np.array(names, object), "clusters")
    assert n_names == len({*names})
    assert codes.max() == n_names - 1


@pytest.mark.parametrize("dtype", [np.int64, np.float64, np.float32, "U6", object])
def test_names_are_spread_evenly(dtype):
    names = name_codes.hash_names(np.arange(10_000).astype(dtype))
    sizes = np.bincount((names % np.uint64(8)).astype(int), minlength=8)
    assert 1000 < sizes.min() <= sizes.max() < 1500


def test_integers_are_coded_without_python_hashes(monkeypatch):
    """Of all multiples of 2**61 - 1, Python's hash is 0."""
    monkeypatch.setattr(name_codes, "defaultdict", None)
    check(np.array([i * (2**61 - 1) for i in (0, 7, 2, 7, 0)], dtype=object))


def shared_texts():
    """Texts of 20,000 rows, which share 600 objects; two of these are equal each."""
    objects = np.array([f"query {i % 300}" for i in range(600)], object)
    return objects[np.random.default_rng(0).integers(0, 600, 2 * name_codes.FEWEST_TEXTS)]


def test_texts_that_rows_share_are_coded_by_their_sort_order():
    check(shared_texts())
    check(shared_texts()[::-2])  # which NumPy does not store side by side


def test_each_object_that_many_rows_share_is_hashed_once(monkeypatch):
    hashed = []
    rank_objects = name_codes._rank_objects
    monkeypatch.setattr(
        name_codes,
        "_rank_objects",
        lambda names, argument: hashed.append(len(names)) or rank_objects(names, argument),
    )
    check(shared_texts())
    assert hashed == [600]
    check(np.array([*map("".join, shared_texts())], object))  # each row has an object of its own
    assert hashed == [600, 2 * name_codes.FEWEST_TEXTS]


@pytest.mark.parametrize("odd", [None, np.nan, pd.NA, 5, True, 0.5, ("a", 1), [1]])
@pytest.mark.parametrize("rows", [[19_999], [7, 400], slice(1, None, 2)])
def test_errors_of_shared_texts_are_those_of_texts_without_shared_objects(monkeypatch, odd, rows):
    names = shared_texts()
    for row in np.arange(names.size)[rows]:
        names[row] = odd
    with pytest.raises(ValueError, match=r"^queries ") as error:
        name_codes.encode_names(names, "queries")
    monkeypatch.setattr(name_codes, "FEWEST_TEXTS", np.inf)
    with pytest.raises(ValueError, match=r"^queries ") as expected:
        name_codes.encode_names(names, "queries")
    assert str(error.value) == str(expected.value)


def test_hash_of_a_name_does_not_depend_on_its_array():
    names = ["b", "a" * 40, "a" * 90, "a" * 5000 + "b", "a\0"]
    wide = name_codes.hash_names(np.array(names, object))
    for name, number in zip(names, wide, strict=True):
        assert name_codes.hash_names(np.array([name])) == number
        assert name_codes.hash_names(np.array([name], object)) == number
    for same in (np.array([0.0, -0.0], np.float32), np.array(["a" * 70, "a" * 5000], object)):
        assert len({*name_codes.hash_names(same).tolist()}) == 1  # the ends count, for memory


@pytest.mark.parametrize("unit", [*(f"M8[{u}]" for u in "YMDhms"), *(f"m8[{u}]" for u in "Dhms")])
@pytest.mark.parametrize("given", ["ns", "s"])
def test_dates_and_durations_print_in_their_coarsest_exact_unit(unit, given):
    """As 2024-03, and not as 2024-03-01T00:00:00."""
    distinct = np.array([1, 3], unit)
    rows = distinct[[1, 0, 1]].astype(f"{unit[:2]}[{given}]")
    codes, names = name_codes.codes_and_names(rows, "queries")
    assert (codes.tolist(), [*map(str, names)]) == ([1, 0, 1], [*map(str, distinct)])
