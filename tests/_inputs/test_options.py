"""Options: which values each accepts, and what the error says of others."""

from fractions import Fraction
from typing import Literal

import numpy as np
import pytest

from sklearn_ap._inputs import options

NAN = np.nan


def choice(given):
    return options.check_choice("normalizer", given, Literal["attainable", "hits"])


def share(given):
    return options.check_share("recall", given)


def open_share(given):
    return options.check_open_share("level", given)


def count(given):
    return options.check_count("k", given)


@pytest.mark.parametrize(
    ("check", "given", "expected"),
    [
        *((share, number, float(number)) for number in (0, 1, Fraction(1, 4), np.int8(1))),
        *((check, np.float32(0.1), 0.1) for check in (share, open_share, options.check_ranks)),
        *((options.check_prevalence, number, number) for number in (1e-100, 0.999)),
        *((options.check_ranks, k, int(k)) for k in (1, 2**63 - 1, np.int8(3))),
        (choice, np.str_("hits"), "hits"),
    ],
)
def test_good_values_become_plain_numbers_and_texts(check, given, expected):
    found = check(given)
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(
    ("check", "wrong", "error", "text"),
    [
        *((share, n, ValueError, r"recall must .*\[0, 1\]") for n in (-0.1, 1.1, NAN, 10**400)),
        *((open_share, n, ValueError, r"level must .*\(0, 1\)") for n in (0, 1, NAN)),
        *((share, n, TypeError, "recall must be a number") for n in (True, None, [0.5], 1j)),
        (open_share, 101, ValueError, r"got 101\.$"),
        (open_share, "95%", TypeError, r"level must be a number, got '95%'\.$"),
        *((open_share, text, TypeError, f"got '{text}'\\.$") for text in ("high", "1e999", "nan")),
        *(
            (options.check_prevalence, n, ValueError, rf"within \[1e-100, 1\), got {n}\.$")
            for n in (1, 1e-101)
        ),
        *((options.check_ranks, n, ValueError, "at least 1 .*below 2") for n in (0, 2**63)),
        *((options.check_ranks, n, ValueError, "use a score without k") for n in (1.0, 0.0, 1.5)),
        (options.check_ranks, 3.0, ValueError, r"got 3\.0\."),
        *((count, n, TypeError, f"k must be a whole number, got {n}") for n in (3.0, True)),
        (choice, "atainable", ValueError, "normalizer must be one of .*'attainable'.* got 'atain"),
        (choice, None, TypeError, "normalizer must be one of"),
        (choice, [*range(99)], TypeError, r"got \[0, 1, [^\]]*\.$"),
    ],
)
def test_error_names_the_option_and_what_it_was(check, wrong, error, text):
    with pytest.raises(error, match=text):
        check(wrong)
