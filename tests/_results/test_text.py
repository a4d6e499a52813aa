"""Numbers and names as text."""

import pytest

from sklearn_ap._results.text import (
    MISSING,
    count_as_text,
    estimate_as_text,
    level_as_text,
    name_as_text,
    pvalue_as_text,
    pvalue_phrase,
    rankings_as_text,
    share_as_text,
    shorten,
)

NAN = float("nan")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.5223, 0.4256, 0.6125), "0.52 (0.43 to 0.61)"),
        ((0.5223, 0.5056, 0.5325), "0.522 (0.506 to 0.532)"),  # as its interval is narrow
        ((0.0003, 0.0001, 0.002), "0.0003 (0.0001 to 0.0020)"),
        ((0.99, 0.53, 0.9949), "0.990 (0.530 to 0.995)"),  # the upper limit is not the score
        ((1.0, 0.5, 1.0), "1.00 (0.50 to 1.00)"),
        ((0.0, 0.0, 0.139), "0.00 (0.00 to 0.14)"),
        ((0.5, 0.5, 0.5), "0.50 (0.50 to 0.50)"),
        ((0.25, NAN, NAN), "0.25"),
        ((NAN, NAN, NAN), MISSING),
    ],
)
def test_digits_follow_the_width_of_the_interval(numbers, text):
    assert estimate_as_text(*numbers) == text


def test_a_difference_has_signs_and_no_limit_of_0_that_is_none():
    assert estimate_as_text(0.26, 0.132, 0.39, sign="+") == "+0.26 (+0.13 to +0.39)"
    assert estimate_as_text(0.1, 0.004, 0.2, sign="+") == "+0.100 (+0.004 to +0.200)"
    assert estimate_as_text(-0.0, -0.1, 0.1, sign="+") == "+0.00 (-0.10 to +0.10)"


def test_a_sentence_says_the_level():
    text = "0.52 (95% interval 0.43 to 0.61)"
    assert estimate_as_text(0.52, 0.43, 0.61, level="95% interval") == text


def test_levels_keep_their_nines():
    assert [*map(level_as_text, (0.8, 0.975, 0.9999999))] == ["80%", "97.5%", "99.99999%"]


def test_counts_and_shares():
    assert [*map(count_as_text, (1197.0, 54.26, NAN))] == ["1,197", "54.3", MISSING]
    assert [count_as_text(n, "query") for n in (1, 2)] == ["1 query", "2 queries"]
    assert [*map(share_as_text, (0.055, 0.00123, 1.0))] == ["5.5%", "0.12%", "100.0%"]


def test_names_are_one_printable_line():
    assert name_as_text("two\nlines\x1b[31m") == r"two lines\x1b[31m"


def test_long_names_lose_their_middle():
    assert shorten("model-with-seed-1", 17) == "model-with-seed-1"
    assert shorten("model-with-seed-1", 9) == "mode…ed-1"
    assert len(shorten("model-with-seed-1", 10)) == 10


@pytest.mark.parametrize(
    ("pvalue", "cell", "phrase"),
    [
        (0.0, "<0.0001", "p < 0.0001"),
        (0.0001, "0.0001", "p = 0.0001"),
        (0.001, "0.0010", "p = 0.0010"),
        (0.0962, "0.0962", "p = 0.0962"),
        (0.1, "0.10", "p = 0.10"),
        (0.9933, "0.99", "p = 0.99"),
        (0.9999, "1.0", "p = 1.0"),
        (1.0, "1.0", "p = 1.0"),
        (NAN, MISSING, f"p = {MISSING}"),
    ],
)
def test_large_p_values_have_fewer_digits(pvalue, cell, phrase):
    assert pvalue_as_text(pvalue) == cell
    assert pvalue_phrase(pvalue) == phrase


def test_rankings_have_their_names_or_their_numbers():
    assert rankings_as_text(["cat"]) == "cat"
    assert rankings_as_text([0, 2, ("en", 1)]) == "ranking 0, ranking 2 and en, 1"
    assert rankings_as_text(range(300)).endswith("ranking 4 and 295 others")
