"""Labels of files: which are positive, and what is refused."""

import numpy as np
import pytest

from sklearn_ap._cli._labels_and_names import column_and_unit, read_labels
from sklearn_ap._files.formats import CsvRules
from sklearn_ap._files.sources import DataError
from sklearn_ap._files.tables import read_files


def read(paths, positive=None, **options):
    return read_labels([*read_files(paths, ["y", "p"], CsvRules())], "y", positive, **options)


@pytest.mark.parametrize(
    ("cells", "chosen", "y_true", "positive"),
    [
        ("0 1", None, [0, 1], "1"),
        ("-1 1.0", None, [0, 1], "1.0"),
        ("-1 +1", None, [0, 1], "+1"),
        ("True true FALSE", None, [1, 1, 0], "True"),
        ("no yes", None, [0, 1], "yes"),
        ("0 1 True no", None, [0, 1, 1, 0], "1"),
        ("0.0 1.0", "1", [0, 1], "1.0"),
        ("0 0", None, [0, 0], "1"),
        ("plane goose", "plane", [1, 0], "plane"),
        ("0 1", "0", [1, 0], "0"),
        ("goose", "plane", [0], "plane"),
    ],
)
def test_the_positive_label_is_known_or_named(write, cells, chosen, y_true, positive):
    rows = [f"{cell} ,1\n" for cell in cells.split()]
    one = write("y,p\n" + "".join(rows))
    each = [write(f"y,p\n{row}", f"{i}.csv") for i, row in enumerate(rows)]
    for paths in (one, each):  # all at once, and one by one
        found = read(paths, chosen)
        assert (found.y_true.dtype, found.positive_label) == (bool, positive)
        assert found.y_true.tolist() == y_true


def test_missing_labels_are_nan_where_they_may_be(write):
    path = write("y,p\n1,1\n,2\nNA,3\n0,4\n")
    np.testing.assert_array_equal(read(path, may_be_missing=True).y_true, [1, np.nan, np.nan, 0])
    with pytest.raises(DataError, match="row 3, column 'y' is empty"):
        read(path)


def test_a_column_of_many_names_is_refused_in_a_moment(write):
    path = write("y,p\n" + "".join(f"name {i},1\n" for i in range(50_000)))
    with pytest.raises(DataError, match=r"row .* is a third label, beside 'name 0' and 'name 1'"):
        read(path)


@pytest.mark.parametrize(
    ("rows", "named", "problem"),
    [
        ("a b", None, "row 3, column 'y': the column holds 'a' and 'b': name the"),
        ("a", None, "holds 'a': name the positive one by --positive"),
        ("a b", "c", "holds 'a' and 'b', and not the positive label 'c'"),
        ("0 -1", None, "holds '0' and '-1': name the positive one by --positive"),
        ("0 1 True", "1", "row 4, column 'y': 'True' is a third label, beside '0' and '1'"),
        ("-1 yes no", None, "row 4, column 'y': 'no' is a third label, beside '-1' and 'yes'"),
        ("a b c", "c", "row 4, column 'y': 'c' is a third label, beside 'a' and 'b'"),
        ("1.0 2.0 3.0", None, "write only two"),
        ("a a B b b", "b", "row 4, column 'y': 'B' is a third label, beside 'a' and 'b'"),
    ],
)
def test_labels_that_can_mean_two_things_are_refused(write, rows, named, problem):
    path = write("y,p\n" + "".join(f"{row},1\n" for row in rows.split()))
    with pytest.raises(DataError) as raised:
        read(path, named)
    assert problem in str(raised.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("time:days", ("time", "day")),
        ("time:day:", ("time:day", None)),
        ("time:day:month", ("time:day", "month")),
        ("time:x", ("time:x", None)),
        ("time:", ("time:", None)),
        (":day", (":day", None)),
        (":", (":", None)),
    ],
)
def test_a_colon_at_the_end_makes_a_unit_a_part_of_the_name(text, expected):
    assert column_and_unit(text) == expected
