"""Numbers, names and cells as a report prints them: two digits, and the words of the user."""

import re
from collections.abc import Sequence
from math import isnan

from sklearn_ap._base.drawing.legend import cut_middle
from sklearn_ap._base.text import Row, count_as_text
from sklearn_ap._questions.verdicts import Estimate, PrintedEstimate, printed

DASH = "\N{EN DASH}"  # where there is no number
LESS_OR_EQUAL = "\N{LESS-THAN OR EQUAL TO}"
SMALLEST_PVALUE = 0.001
EMPTY_CELLS = frozenset(["", DASH, "0", "0%"])
HYPHEN = re.compile(r"(?<![\w.)\]-])-(?=[.\d])")  # that is a minus sign, unlike those of dates
# The name of a column that is a word, such as "customer" in "customer_id" and "customers".
# A noun in the plural or not, such as "customers", "searches" and "class".
NOUN = re.compile(
    r"([^\W\d_]{3,}?)(?:(?:(?<=ch)|(?<=sh)|(?<=[xz]))es|(?<![su])s)?(?:[ _]?id)?", re.IGNORECASE
)
MOST_PLACES = 5  # decimal places of a number near 1
LONGEST_NAME = 28  # letters of a name above a picture
MOST_CHARACTERS = 600  # of the words for a picture

Cells = Sequence[Sequence[str]]


def set_minus_signs(text: str) -> str:
    """Set numbers below 0 with a minus sign, as pages and pictures do, and texts to copy do not."""
    return HYPHEN.sub("\N{MINUS SIGN}", text)


def row_score(row: Row) -> Estimate:
    """Read the score of a row of a result, with its limits."""
    return Estimate(row["estimate"], row["low"], row["high"])


def row_difference(row: Row) -> Estimate:
    """Read the difference of a row of a result from its reference, with its limits."""
    return Estimate(row["difference"], row["difference_low"], row["difference_high"])


def as_cell(estimate: Estimate, sign: str = "", fewest: int = 0) -> str:
    """Write "0.33 [0.23, 0.44]", with at least ``fewest`` decimal places."""
    value, low, high = as_printed(estimate, fewest, sign)
    if isnan(estimate.value):
        return DASH
    value = value if float(value) else value.lstrip("+-")
    return value if isnan(estimate.low) else f"{value} [{low}, {high}]"


def describe(
    estimate: Estimate, kind: str, sign: str = "", pvalue: str = "", fewest: int = 0
) -> str:
    """Write "0.33 (95% interval 0.23 to 0.44)", with at least ``fewest`` decimal places."""
    value, low, high = as_printed(estimate, fewest, sign)
    p = f", {pvalue}" if pvalue else ""
    return value if isnan(estimate.low) else f"{value} ({kind} {low} to {high}{p})"


def as_printed(estimate: Estimate, fewest: int = 0, sign: str = "") -> PrintedEstimate:
    """Print a number and its limits, with at least ``fewest`` decimal places.

    A number below 1 is not printed as "1.00".
    """
    texts = printed(estimate, sign)
    if decimal_places(texts.value) < fewest:
        texts = estimate.as_text(sign, fewest)
    places = decimal_places(texts.value)
    while float(texts.value) == 1 and estimate.value < 1 and places < MOST_PLACES:
        places += 1
        texts = estimate.as_text(sign, places)
    return texts


def decimal_places(text: str) -> int:
    """Count the decimal places of a printed number."""
    return len(text.partition(".")[2])


def number(value: float) -> str:
    """Print a number of at most 1 with two digits."""
    return as_printed(Estimate(value, float("nan"), float("nan"))).value


def score(value: float) -> str:
    """Print a score, whatever its size, with three digits, and large ones whole."""
    return f"{value:,.0f}" if 1000 <= abs(value) < 1e9 else f"{value:.3g}"


def percent(share: float) -> str:
    """Print a share with two digits, as "9.4%", or three near 100%."""
    if share > 0.99:
        return f"{100 * share:.3g}%"
    rounded = float(f"{share:.2g}")  # as other numbers round it: 100 * share may be a half
    return f"{number_of_digits(100 * rounded)}%"


def number_of_digits(value: float) -> str:
    return f"{value:.0f}" if value >= 10 else f"{value:.2g}"


def pvalue(value: float) -> str:
    """Print a p-value with two digits."""
    if isnan(value):
        return DASH
    return f"< {SMALLEST_PVALUE}" if value < SMALLEST_PVALUE else f"{value:#.2g}"


def noun(name: object, default: str) -> str:
    """Find the noun in the name of a column, as "customer" in "customer_id", or use another."""
    match = NOUN.fullmatch(name) if isinstance(name, str) else None
    return match[1] if match else default


def count(number: int, name: object, default: str) -> str:
    """Count things by the name of their column, as "1,675 customers", or "20 clusters"."""
    return count_as_text(number, noun(name, default))


def used_columns(cells: Cells) -> list[list[str]]:
    """Leave out the columns in which nothing stands, but the first."""
    columns = [*zip(*cells, strict=True)]
    used = [i == 0 or not EMPTY_CELLS.issuperset(column[1:]) for i, column in enumerate(columns)]
    return [[cell for cell, is_used in zip(row, used, strict=True) if is_used] for row in cells]


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Shorten long names for the words above pictures, unless two of them would be the same."""
    shortened = {
        name: name if len(name) <= LONGEST_NAME else cut_middle(name, LONGEST_NAME - 1)
        for name in names
    }
    if len({*shortened.values()}) < len(shortened):
        return {name: name for name in shortened}
    return shortened


def shorten_names(text: str, names: Sequence[str]) -> str:
    """Shorten long names in a text."""
    shortened = short_names(names)
    for name in sorted(shortened, key=len, reverse=True):  # one may begin as another one does
        text = text.replace(name, shortened[name])
    return text


def pictured(title: str, rows: Cells) -> str:
    """Describe a picture by its title and the numbers that it shows."""
    words = "; ".join(" ".join(filter(None, row)) for row in rows)
    more = " and more" if len(words) > MOST_CHARACTERS else ""
    return f"{title}: {words[:MOST_CHARACTERS]}{more}."
