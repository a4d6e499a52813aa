"""Units of time, without NumPy, so that the help of the command line lists them at once."""

from typing import NamedTuple


class Unit(NamedTuple):
    """A unit of time by the codes of NumPy, of which "3M" are periods of three months."""

    step: str  # periods begin at multiples of it, after 1970
    base: str  # their starts are written in it
    shift: int = 0  # periods begin so many of the base earlier


UNITS = {
    "hour": Unit("h", "h"),
    "day": Unit("D", "D"),
    "week": Unit("7D", "D", 3),  # on Mondays; 1970 begins on a Thursday
    "month": Unit("M", "M"),
    "quarter": Unit("3M", "M"),
    "year": Unit("Y", "Y"),
}


def unit_named(word: str) -> str | None:
    """Find the unit that "month" or "months" names."""
    return next((unit for unit in UNITS if word in (unit, f"{unit}s")), None)
