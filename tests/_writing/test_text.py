"""Numbers and names as text."""

import ast
import re
from pathlib import Path

import numpy as np
import pytest

import sklearn_ap
from sklearn_ap._writing.text import (
    MISSING,
    change_as_text,
    count_as_text,
    counts_as_text,
    estimate_as_text,
    k_as_text,
    level_as_text,
    name_as_text,
    names_as_text,
    pvalue_as_text,
    pvalue_phrase,
    rankings_as_text,
    rounded_as_text,
    rounded_down_as_text,
    score_as_text,
    share_as_text,
    short_threshold,
    shorten,
)
from tests.helpers.syntax import nodes_of

NAN = float("nan")


@pytest.mark.parametrize(
    ("numbers", "text"),
    [
        ((0.5223, 0.4256, 0.6125), "0.52 (0.43 to 0.61)"),
        ((0.5223, 0.5056, 0.5325), "0.522 (0.506 to 0.532)"),  # as its interval is narrow
        ((0.0003, 0.0001, 0.002), "0.0003 (0.0001 to 0.0020)"),
        ((0.5, 0.475, 0.526), "0.50 (0.47 to 0.53)"),  # five units of 0.01 wide
        ((0.5, 0.476, 0.525), "0.500 (0.476 to 0.525)"),  # a little less
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
    assert estimate_as_text(0.1, -1e-17, 0.2, sign="+") == "+0.100 (+0.000 to +0.200)"


def test_a_limit_below_0_has_a_minus_in_all_digits():
    assert estimate_as_text(0.163, -0.00017, 0.351, sign="+") == "+0.163 (-0.000 to +0.351)"
    text = "\N{MINUS SIGN}0.00 (\N{MINUS SIGN}0.07 to +0.07)"
    assert estimate_as_text(-0.0002, -0.07, 0.07, sign="+", minus="\N{MINUS SIGN}") == text


def test_a_sentence_says_the_level():
    text = "0.52 (95% interval 0.43 to 0.61)"
    assert estimate_as_text(0.52, 0.43, 0.61, level="95% interval") == text


def test_counts_and_shares():
    assert [*map(count_as_text, (1197.0, 54.26, NAN))] == ["1,197", "54.3", MISSING]
    assert [*map(count_as_text, (0.0, 0.0165, 0.96))] == ["0", "0.017", "0.96"]
    texts = [count_as_text(n, "query") for n in (1, 1 - 1e-16, 2)]  # 1 less a rounding error
    assert texts == ["1 query", "1 query", "2 queries"]
    assert count_as_text(2, "day") == "2 days"
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


def test_confidence_level_prints_enough_nines_to_differ_from_100():
    levels = 0.95, 0.954321, 0.999, 0.99954, 0.9999999, 1 - 4.1e-11, np.nextafter(1, 0)
    shown = "95%", "95.43%", "99.9%", "99.954%", "99.99999%", "99.9999999959%"
    assert tuple(map(level_as_text, levels)) == (*shown, "99.999999999999986%")


def test_scores_without_limits_have_two_digits_or_as_many_as_asked():
    assert [*map(score_as_text, (0.5223, 0.0034, 0.0, NAN))] == ["0.52", "0.0034", "0.00", MISSING]
    assert [*map(score_as_text, (0.0999, -0.0994))] == ["0.10", "-0.099"]
    assert [score_as_text(each, 3) for each in (0.5223, -1.0)] == ["0.522", "-1.000"]
    assert [*map(rounded_as_text, (0.12345, 1.2345e-5, NAN))] == ["0.123", "1.23e-05", MISSING]
    assert [*map(rounded_down_as_text, (19.97, 1999.9, 5 - 1e-10))] == ["19.9", "1,990", "5"]
    assert [change_as_text(each, 4) for each in (0.01234, -3e-5, NAN)] == ["+0.0123", "-3e-05", ""]


@pytest.mark.parametrize(
    ("threshold", "next_score", "text"),
    [
        (0.6971, 0.5, "0.6"),
        (0.53, 0.5, "0.53"),  # 0.5 would select the next row, too
        (-0.69, -0.8, "-0.7"),
        (-0.69, -0.7, "-0.69"),
        (438, 401, "430"),
        (438, 437, "438"),
        (0.6971, NAN, "0.6971"),  # what is below is not known
        (np.float32(0.1), -np.inf, "0.1"),
        (np.float32(0.6971), np.float32(0.697), "0.69709"),
        # float16 has both, and no 0.8 between them
        (np.float32(0.80029296875), np.float32(0.7998046875), "0.8002"),
    ],
)
def test_a_threshold_has_the_fewest_digits_that_select_its_rows(threshold, next_score, text):
    assert str(short_threshold(threshold, next_score)) == text


def test_k_keeps_its_digits():
    assert [*map(k_as_text, (20, 0.01, 0.0005))] == ["20", "1%", "0.05%"]


def test_many_names_become_the_first_and_a_number():
    assert names_as_text([]) == ""
    assert names_as_text("ab") == "a and b"
    assert names_as_text("abcdef") == "a, b, c, d, e and f"
    assert names_as_text("abcdefg") == "a, b, c, d, e and 2 others"
    assert counts_as_text(threshold=3, positive=1) == "3 thresholds, 1 positive"


TEMPLATE = re.compile(r"{[^{}:\s]*:[,+]?(\.\d+[eEfFgG%]?|[eEfF%])}")


def rounds(node):
    """Whether code rounds a number for people; "g" and "," show it as it is."""
    if isinstance(node, ast.FormattedValue):
        spec = ast.unparse(node.format_spec)[2:-1] if node.format_spec else ""
        is_number = node.conversion == -1 and spec != "g"
        has_digits = re.fullmatch(r"[^%]*[eEfFgG%]|.*\.\d+", spec)
        is_rounded = re.match(r"(np\.)?(round|format)\(", ast.unparse(node.value))
        return bool((is_number and has_digits) or is_rounded)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mod):
        return isinstance(node.left, ast.Constant) and isinstance(node.left.value, str)
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return bool(TEMPLATE.search(node.value))
    return isinstance(node, ast.Call) and getattr(node.func, "id", "") == "format"


def lines_that_round(nodes):
    return [node.lineno for node in nodes if rounds(node)]


def test_no_other_module_writes_digits():
    package = Path(sklearn_ap.__file__).parent
    found = {
        (str(path.relative_to(package)), line)
        for path in package.rglob("*.py")
        for line in lines_that_round(nodes_of(path))
    }
    assert {path for path, _ in found} == {"_writing/text.py"}, sorted(found)
