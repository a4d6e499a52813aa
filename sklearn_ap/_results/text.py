"""Numbers and names as text. The digits of an estimate follow the width of its interval."""

from collections.abc import Sequence
from math import ceil, floor, isnan, log10
from typing import Literal, TypeAlias

from sklearn_ap._extras import printable

OneSide: TypeAlias = Literal["low", "high"] | None  # of one-sided intervals

TEXT_WIDTH = 80  # letters of a line of words
TABLE_WIDTH = 100  # letters of a line of a table, with its names
MISSING = "\N{EN DASH}"  # stands for nan
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
FEWEST_DIGITS = 2  # after the point
MOST_DIGITS = 6
STEPS = 5  # the fewest units of the last digit between two limits
LEAST_PVALUE = 1e-4
LARGE_PVALUE = 0.1  # from here, two digits tell all that a reader asks
MOST_NAMES = 5  # of a list in a sentence


def estimate_as_text(
    value: float,
    low: float,
    high: float,
    *,
    sign: str = "",
    level: str = "",
    minus: str = "-",
    open_end: OneSide = None,
) -> str:
    """Write "0.52 (0.43 to 0.61)", or "0.52 (95% interval 0.43 to 0.61)" with a level.

    ``sign`` is "+" for differences, and ``minus`` that of numbers below 0. Without limits, the
    number stands alone. With an open end, it is "+0.17 (from +0.11)" or "+0.17 (up to +0.23)".
    """
    if isnan(value):
        return MISSING
    if open_end is not None:  # digits are those of an interval with this limit on both sides
        low, high = (2 * value - high, high) if open_end == "low" else (low, 2 * value - low)
    digits = digits_of(value, low, high, is_difference=bool(sign))
    text, *limits = (number_as_text(each, digits, sign, minus) for each in (value, low, high))
    if isnan(low) or isnan(high):
        return text
    words = {None: "{} to {}", "low": "up to {1}", "high": "from {0}"}
    within = words[open_end].format(*limits)
    return f"{text} ({level} {within})" if level else f"{text} ({within})"


def digits_of(value: float, low: float, high: float, *, is_difference: bool = False) -> int:
    """Return how many digits after the point an estimate with these limits needs.

    A unit of the last digit is at most a fifth of the width of the interval. There is one digit
    more if a limit would be printed as the value; or, of a difference, as 0.
    """
    width = high - low  # nan without limits
    digits = ceil(-log10(width / STEPS)) if width > 0 else FEWEST_DIGITS
    digits = min(max(digits, FEWEST_DIGITS), MOST_DIGITS)
    taken = {round(value, digits)} | ({0.0} if is_difference else set())
    inner_limits = [limit for limit in (low, high) if limit not in (0, value)]
    coincide = any(round(limit, digits) in taken for limit in inner_limits)
    return digits + 1 if coincide and digits < MOST_DIGITS else digits


def number_as_text(value: float, digits: int, sign: str = "", minus: str = "-") -> str:
    """Write a number with so many digits after the point."""
    rounded = round(value, digits)
    return f"{minus if rounded < 0 else sign}{abs(rounded):.{digits}f}"  # no sign for -0.0


def level_as_text(level: float) -> str:
    """Write "95%", or all nines of a level such as 0.99999."""
    n_digits = max(4, 1 - floor(log10(1 - level)))
    return f"{100 * level:.{n_digits}g}%"


def interval_of(level: float, open_end: OneSide = None) -> str:
    """Write "95% interval", or "95% one-sided interval"."""
    return f"{level_as_text(level)} {'one-sided ' if open_end else ''}interval"


def pvalue_as_text(pvalue: float) -> str:
    """Write a cell: "<0.0001", four digits after the point, two from 0.1, and "1.0" at the end."""
    if isnan(pvalue):
        return MISSING
    if pvalue < LEAST_PVALUE:
        return f"<{LEAST_PVALUE:.4f}"
    if pvalue < LARGE_PVALUE:
        return f"{pvalue:.4f}"
    return "1.0" if round(pvalue, 2) == 1 else f"{pvalue:.2f}"


def pvalue_phrase(pvalue: float) -> str:
    """Write "p = 0.0870" or "p < 0.0001", for a sentence."""
    if pvalue < LEAST_PVALUE:
        return f"p < {LEAST_PVALUE:.4f}"
    return f"p = {pvalue_as_text(pvalue)}"


def rankings_as_text(names: Sequence[object]) -> str:
    """List rankings, as "cat and dog", or "ranking 0 and ranking 2" if names are no words."""
    return names_as_text([*map(_ranking_as_text, names)])


def _ranking_as_text(name: object) -> str:
    if isinstance(name, tuple):
        return name_as_text(", ".join(map(str, name)))
    return name_as_text(name if isinstance(name, str) else f"ranking {name}")


def count_as_text(number: float, noun: str = "") -> str:
    """Write "1,197", "54.3" for what is not whole, and "1 positive" or "40 queries" with a noun."""
    if isnan(number):
        return MISSING
    text = f"{number:,.{int(number % 1 != 0)}f}"
    return f"{text} {noun if number == 1 else plural(noun)}" if noun else text


def plural(noun: str) -> str:
    """Return "rows", and "queries" of "query"."""
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"


def share_as_text(share: float) -> str:
    """Write "5.5%", and two digits of a share below 1%."""
    return f"{100 * share:.1f}%" if share >= 0.01 else f"{100 * share:.2g}%"


def name_as_text(name: object) -> str:
    """Write a name on one line, without letters that cannot be printed."""
    return printable(" ".join(str(name).split()))


def names_as_text(names: Sequence[str]) -> str:
    """List names as "A, B and C"; of many, the first and the number of others."""
    if len(names) > MOST_NAMES + 1:
        names = [*names[:MOST_NAMES], f"{len(names) - MOST_NAMES:,} others"]
    *first, last = names
    return f"{', '.join(first)} and {last}" if first else last


def shorten(name: str, width: int) -> str:
    """Cut the middle of a long name, as names of models differ at their ends."""
    if len(name) <= width:
        return name
    n_last = (width - 1) // 2
    n_first = width - 1 - n_last
    return f"{name[:n_first]}{ELLIPSIS}{name[len(name) - n_last :]}"
