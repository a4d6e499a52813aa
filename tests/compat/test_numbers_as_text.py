"""How numbers are printed."""

import pytest

from sklearn_ap.compat._numbers_as_text import as_number, as_share, same


@pytest.mark.parametrize(
    ("first", "second", "tolerance", "equal"),
    [
        (0.5, 0.5 + 5e-7, 1e-6, True),
        (0.5, 0.5 + 5e-7, 0, False),
        (0.5, 0.5, 0, True),
        (float("nan"), float("nan"), 0, True),
        (float("nan"), 0.5, 1, False),
        (None, None, 0, True),
        (None, float("nan"), 1, False),
    ],
)
def test_same(first, second, tolerance, equal):
    assert same(first, second, tolerance) is equal
    assert same(second, first, tolerance) is equal


def test_numbers_and_shares():
    assert [as_number(value) for value in (0.5, float("nan"), None)] == ["0.5000", "nan", "raises"]
    shares = [as_share(share) for share in (0.25, -4e-5, 0.0, None)]
    assert shares == ["+0.2500", "-4e-05", "+0.0000", ""]
