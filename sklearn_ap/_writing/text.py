"""Numbers and names as text.

Which function writes what:

==========================  ==================================  ====================================
what                        function                            as
==========================  ==================================  ====================================
what is missing, or nan     ``MISSING``                         a dash
an estimate with limits     ``estimate_as_text``                0.52 (0.43 to 0.61), its digits by
                                                                the width (``digits_of``)
a score alone               ``score_as_text``                   0.52, 0.0034
a difference without limits ``change_as_text``                  +0.17, -4e-06
a number, by its digits     ``number_as_text``                  0.520, so many after the point
a number of any size        ``rounded_as_text``                 0.123, 1.23e-05, so many in all
what a user passed          ``given_as_text``                   0.99999999, all of them
what is below a limit       ``rounded_down_as_text``            19.9, of 19.97
a threshold                 ``short_threshold``                 the shortest that selects these rows
k, a prevalence             ``k_as_text``,                      20, 1%; step AP at prevalence 0.1
                            ``title_with_prevalence``
a share, a level            ``share_as_text``,                  5.5%; 95%; 95% interval
                            ``level_as_text``,
                            ``interval_as_text``
a p-value                   ``pvalue_as_text`` in a cell,       0.0870; p = 0.0870
                            ``pvalue_phrase`` in a sentence
a count, several            ``count_as_text``,                  1,197 positives; 3 thresholds,
                            ``counts_as_text``, ``plural``      1 positive
a name, several             ``name_as_text``,                   A; A, B and 7 others; dog and
                            ``names_as_text``,                  ranking 2; A…Z
                            ``rankings_as_text``, ``shorten``
letters that do not print   ``printable``                       backslash and their code
==========================  ==================================  ====================================
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import ROUND_DOWN, ROUND_FLOOR, Context, Decimal
from math import ceil, floor, isnan, log10

import numpy as np

from sklearn_ap._types import Alternative, Score

TEXT_WIDTH = 80  # letters of a line of words
MISSING = "\N{EN DASH}"  # stands for nan
ELLIPSIS = "\N{HORIZONTAL ELLIPSIS}"
FEWEST_DIGITS = 2  # after the point
MOST_DIGITS = 6
EXACT_DIGITS = 12  # what is below 0 by less is a rounding error
STEPS = 5  # the fewest units of the last digit between two limits
PVALUE_DIGITS = 4  # after the point
LEAST_PVALUE = 10**-PVALUE_DIGITS
LARGE_PVALUE = 0.1  # from here, two digits tell all that a reader asks
MOST_NAMES = 5  # of a list in a sentence
MOST_THRESHOLD_DIGITS = 17  # of a float
MINUS = "\N{MINUS SIGN}"  # of pictures and papers; text has "-", which other programs read


def estimate_as_text(
    value: float,
    low: float,
    high: float,
    *,
    sign: str = "",
    level: str = "",
    minus: str = "-",
    alternative: Alternative = "two-sided",
    digits: int | None = None,
) -> str:
    """Write "0.52 (0.43 to 0.61)", or "0.52 (95% interval 0.43 to 0.61)" with a level.

    ``sign`` is "+" for differences, and ``minus`` that of numbers below 0. Without limits, the
    number stands alone. On one side, it is "+0.17 (from +0.11)" or "+0.17 (up to +0.23)". Without
    ``digits``, these are as many as the width of the interval says.
    """
    if isnan(value):
        return MISSING
    # On one side, digits are those of an interval with its limit on both
    if alternative == "greater":
        high = 2 * value - low
    elif alternative == "less":
        low = 2 * value - high
    if digits is None:
        digits = digits_of(value, low, high, is_difference=bool(sign))
    numbers = value, low, high
    text, *limits = (number_as_text(number, digits, sign, minus) for number in numbers)
    if isnan(low) or isnan(high):
        return text
    words = {"two-sided": "{} to {}", "greater": "from {0}", "less": "up to {1}"}
    within = words[alternative].format(*limits)
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
    """Write a number with so many digits after the point, and as "-0.00" if it is just below 0."""
    if isnan(value):
        return MISSING
    return f"{minus if round(value, EXACT_DIGITS) < 0 else sign}{abs(value):.{digits}f}"


def score_as_text(score: float, digits: int = FEWEST_DIGITS) -> str:
    """Write a score without limits, as "0.52"; of a small one, two digits at most: "0.0034"."""
    if isnan(score):
        return MISSING
    is_small = score != 0 and round(abs(score), digits + 1) < 10 ** (1 - digits)
    return rounded_as_text(score, 2) if is_small else number_as_text(score, digits)


def rounded_as_text(number: float, digits: int = 3) -> str:
    """Write a number with so many digits at most, as "0.123" and "1.23e-05"."""
    return MISSING if isnan(number) else f"{number:.{digits}g}"


def given_as_text(number: float) -> str:
    """Write a number that a user passed, with all digits: "0.9", "0.99999999"."""
    return f"{number:.15g}"


def rounded_down_as_text(number: float) -> str:
    """Write three digits, rounded down: 19.97, "below 20", must not become 20.

    A sum may be off by rounding errors: 4.9999999999 is 5.
    """
    rounded = Context(prec=3, rounding=ROUND_DOWN).create_decimal(f"{number:.10g}")
    return f"{float(rounded):,.15g}"


def short_threshold(threshold: Score | float, next_score: float) -> float:
    """Return the number of fewest digits above the next score, and not above this threshold.

    It is so in the type of the scores, so that it selects the same rows; also in float16 if it
    holds both, as such scores are widened to float32. Where the next score is not known (nan), or
    too near, it is the threshold itself.
    """
    is_whole = isinstance(threshold, int | np.integer)
    types: list[type] = [int if is_whole else type(threshold)]
    if isinstance(threshold, np.float32):
        with np.errstate(over="ignore"):
            is_half = all(np.float16(score) == score for score in (threshold, next_score))
        types += [np.float16] * is_half
    exact = Decimal(int(threshold)) if is_whole else Decimal(repr(float(threshold)))
    for n_digits in range(1, MOST_THRESHOLD_DIGITS + 1):
        rounded = Context(n_digits, ROUND_FLOOR).create_decimal(exact)
        short = int(rounded) if is_whole else float(rounded) + 0.0  # not -0.0
        with np.errstate(over="ignore"):
            typed = [each(short) for each in types]
        if all(next_score < each <= threshold for each in typed):
            return short
    number: float = threshold.item() if isinstance(threshold, np.generic) else threshold
    return number + 0  # not -0.0


def title_with_prevalence(title: str, prevalence: float | None) -> str:
    """Write the title of a definition, and the prevalence if there is one."""
    return title if prevalence is None else f"{title} at prevalence {rounded_as_text(prevalence)}"


def k_as_text(k: float) -> str:
    """Write k as titles do: 20, or 1% for 0.01, with all digits."""
    return str(k) if isinstance(k, int) else f"{(Decimal(repr(k)) * 100).normalize():f}%"


def change_as_text(change: float, digits: int) -> str:
    """Write a difference of two scores, with an exponent where so many digits would show none."""
    if isnan(change):
        return ""
    is_small = 0 < abs(change) < 0.5 / 10**digits
    return f"{change:+.0e}" if is_small else number_as_text(change, digits, "+")


def level_as_text(level: float) -> str:
    """Write "95%", or all nines of a level such as 0.99999."""
    n_digits = max(4, 1 - floor(log10(1 - level)))
    return f"{100 * level:.{n_digits}g}%"


def interval_as_text(level: float, alternative: Alternative = "two-sided") -> str:
    """Write "95% interval", or "95% one-sided interval"."""
    sides = "" if alternative == "two-sided" else "one-sided "
    return f"{level_as_text(level)} {sides}interval"


def pvalue_as_text(pvalue: float) -> str:
    """Write a cell: "<0.0001", four digits after the point, two from 0.1, and "1.0" at the end."""
    if isnan(pvalue):
        return MISSING
    if pvalue < LEAST_PVALUE:
        return f"<{LEAST_PVALUE:.{PVALUE_DIGITS}f}"
    if pvalue < LARGE_PVALUE:
        return f"{pvalue:.{PVALUE_DIGITS}f}"
    return "1.0" if round(pvalue, 2) == 1 else f"{pvalue:.2f}"


def pvalue_phrase(pvalue: float) -> str:
    """Write "p = 0.0870" or "p < 0.0001", for a sentence."""
    if pvalue < LEAST_PVALUE:
        return f"p < {LEAST_PVALUE:.{PVALUE_DIGITS}f}"
    return f"p = {pvalue_as_text(pvalue)}"


def rankings_as_text(names: Sequence[object]) -> str:
    """List rankings, as "cat and dog", or "ranking 0 and ranking 2" if names are no words."""
    texts = []
    for name in names:
        text = ", ".join(map(str, name)) if isinstance(name, tuple) else name
        texts.append(name_as_text(text if isinstance(text, str) else f"ranking {text}"))
    return names_as_text(texts)


def count_as_text(number: float | None, noun: str = "") -> str:
    """Write "1,197", "54.3" or "0.017" of weights, and "1 positive" or "40 queries" with a noun."""
    if number is None or isnan(number):
        return MISSING
    is_small = 0 < number < 1
    text = rounded_as_text(number, 2) if is_small else f"{number:,.{int(number % 1 != 0)}f}"
    return f"{text} {noun if text == '1' else plural(noun)}" if noun else text


def counts_as_text(**numbers: float) -> str:
    """Write several counts, as "3 thresholds, 1 positive"."""
    return ", ".join(count_as_text(number, noun) for noun, number in numbers.items())


def plural(noun: str) -> str:
    """Return "rows", "days", "queries" of "query", and "classes" of "class"."""
    stem = f"{noun}e" if noun.endswith("ss") else re.sub("(?<![aeiou])y$", "ie", noun)
    return f"{stem}s"


def share_as_text(share: float) -> str:
    """Write "5.5%", and two digits of a share below 1%."""
    if isnan(share):
        return MISSING
    return f"{100 * share:.1f}%" if share >= 0.01 else f"{100 * share:.2g}%"


def printable(text: str) -> str:
    r"""Escape letters that cannot be printed, as Python does: ESC as \x1b, a line break as \n."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() else ascii(letter)[1:-1] for letter in text)


def name_as_text(name: object) -> str:
    """Write a name on one line, without letters that cannot be printed."""
    return printable(" ".join(str(name).split()))


def names_as_text(names: Sequence[str], most: int = MOST_NAMES) -> str:
    """List names as "A, B and C"; of many, the first and the number of others."""
    if len(names) > most + 1:
        names = [*names[:most], f"{len(names) - most:,} others"]
    *first, last = names or [""]
    return f"{', '.join(first)} and {last}" if first else last


def shorten(name: str, width: int) -> str:
    """Cut the middle of a long name, as names of models differ at their ends."""
    if len(name) <= width:
        return name
    n_last = (width - 1) // 2
    n_first = width - 1 - n_last
    return f"{name[:n_first]}{ELLIPSIS}{name[len(name) - n_last :]}"
